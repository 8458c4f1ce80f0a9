"""The examples in Python run."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[4] / "examples"


def test_the_example_of_accuracy_against_latency_finds_a_front_and_draws_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("sklearn", "pandas", "matplotlib"):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    study = runpy.run_path(str(EXAMPLES / "latency" / "latency.py"))["main"](12)
    assert [trial.state for trial in study.trials] == ["complete"] * 12
    front = study.front
    assert front and all(trial.results["kilobytes"] <= 4000 for trial in front)
    # A front is a trade: who is slower is more accurate.
    slowest_first = sorted(front, key=lambda trial: -trial.results["milliseconds"])
    accuracies = [trial.results["accuracy"] for trial in slowest_first]
    assert accuracies == sorted(accuracies, reverse=True)
    assert (tmp_path / "accuracy_latency.png").read_bytes().startswith(b"\x89PNG")
    assert "hypervolume" in capsys.readouterr().out
