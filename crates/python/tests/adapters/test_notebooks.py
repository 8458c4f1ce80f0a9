"""The notebooks run from top to bottom."""

from __future__ import annotations

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

NOTEBOOKS = Path(__file__).parents[4] / "docs" / "notebooks"


@pytest.mark.parametrize("name", ["tune", "asynchronous", "inside"])
def test_a_notebook_runs_and_draws(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A backend of the environment would keep pictures out of the notebook.
    monkeypatch.delenv("MPLBACKEND", raising=False)
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    place = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=place).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 3


def test_every_notebook_is_run_here_and_stored_with_what_it_shows() -> None:
    assert {path.stem for path in NOTEBOOKS.glob("*.ipynb")} == {"tune", "asynchronous", "inside"}
    for path in NOTEBOOKS.glob("*.ipynb"):
        outputs = [output for cell in nbformat.read(path, as_version=4).cells for output in cell.get("outputs", [])]
        assert outputs and not any(output.output_type == "error" for output in outputs)
