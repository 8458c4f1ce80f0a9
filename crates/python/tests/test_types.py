"""What type checkers see."""

import subprocess
import sys

import pytest

THREE_LINES = """
import elbowroom as er
study = er.minimize(lambda x: float(x) ** 2, {"x": er.Float(0, 1)}, budget=8)
print(study.best.value, study.best.params)
same: er.Study = study
best: er.Trial | None = same.best
"""


def test_a_result_in_three_lines_is_well_typed(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "three.py").write_text(THREE_LINES)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "three.py"]
    found = subprocess.run(mypy, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
