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

SEVERAL = """
import elbowroom as er
outcomes = {"yield": er.Maximize(worst=50), "cost": er.Minimize(), "purity": er.AtLeast(95), "minutes": er.Watched()}
study = er.Study({"x": er.Float(0, 1)}, outcomes=outcomes)
study.tell({"x": 0.5}, {"yield": 80, "cost": 3, "purity": 97})
volume: float | None = study.front.hypervolume
names: list[str] = [name for trial in study.front for name in trial.results]
front = study.recommended
assert isinstance(front, er.RecommendedFront)
print(front[0].means["cost"])
one = er.Study({"x": er.Float(0, 1)}).recommended
print(one and one.mean)
"""


def test_several_outcomes_are_well_typed(tmp_path):
    _check(tmp_path, SEVERAL)


def test_a_result_in_three_lines_is_well_typed(tmp_path):
    _check(tmp_path, THREE_LINES)


def _check(tmp_path, program):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(program)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "program.py"]
    found = subprocess.run(mypy, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
