"""The documentation site, and the code of its page on adapters."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[4] / "docs"


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    for name in ("sphinx", "furo", "myst_nb"):
        pytest.importorskip(name)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", tmp_path / "trees"]
    built = subprocess.run([*command, DOCS, tmp_path / "site"], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    # Each name that the package offers has its place in the reference.
    import elbowroom

    objects = (tmp_path / "site" / "genindex.html").read_text()
    offered = set(elbowroom.__all__) - {"Choice", "problems"}
    assert not [name for name in offered if f"elbowroom.{name}" not in objects]


def test_the_code_on_the_page_of_adapters_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("loky", "optuna", "sklearn", "distributed", "mlflow", "wandb", "gest_api"):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "adapters.md").read_text(), flags=re.S)
    assert len(blocks) == 9
    names = {"__name__": "page"}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"docs/adapters.md, block {number}", "exec"), names)
