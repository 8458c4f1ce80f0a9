"""Ladders, steps, descriptors and tables of candidates."""

from __future__ import annotations

from pathlib import Path

import elbowroom as er
import pytest

SOLVENTS = {
    "water": {"permittivity": 80.1, "density": 1.0},
    "methanol": {"permittivity": 32.7, "density": 0.79},
    "hexane": {"permittivity": 1.9, "density": 0.66},
}

ROWS = [{"dose": dose, "kind": kind} for dose in (0.1, 0.5, 20.0) for kind in ("a", "b") if (dose, kind) != (0.5, "b")]


def test_steps_and_ladders_are_asked_for_as_they_are_written() -> None:
    study = er.Study({"angle": er.Float(0, 1, step=0.05), "batch": er.Ladder([16, 32, 512], log=True)}, seed=1)
    for trial in study.ask(8):
        assert len(repr(trial.params["angle"])) <= 4
        assert trial.params["batch"] in (16, 32, 512)
    study.tell({"angle": 3 * 0.05, "batch": 32}, 1.0)
    assert study.trials[-1].params["angle"] == 0.15
    with pytest.raises(er.SpaceError, match="between two of its steps"):
        study.tell({"angle": 0.17, "batch": 32}, 1.0)
    with pytest.raises(er.SpaceError, match=r"end it at 0\.9 or 1\.2"):
        er.Study({"angle": er.Float(0, 1, step=0.3)})


def test_they_come_back_from_a_store(tmp_path: Path) -> None:
    space = {
        "angle": er.Float(0, 1, step=0.05),
        "batch": er.Ladder([16, 32, 512], log=True),
        "solvent": er.Categorical(list(SOLVENTS), descriptors=SOLVENTS),
    }
    er.Study(space, store=tmp_path / "a.elbow")
    assert er.Study.open(tmp_path / "a.elbow").space == space
    other = {**space, "solvent": er.Categorical(list(SOLVENTS))}
    with pytest.raises(er.SpaceError, match="`solvent`"):
        er.Study.open(tmp_path / "a.elbow", space=other)


def test_descriptors_are_a_dict_or_a_frame_and_each_choice_has_them() -> None:
    from_dict = er.Categorical(["hexane", "water"], descriptors=SOLVENTS)
    assert from_dict.descriptors is not None
    assert from_dict.descriptors.rows == ((1.9, 0.66), (80.1, 1.0))

    class Frame:
        def to_dict(self, orient: str) -> dict[str, dict[str, float]]:
            assert orient == "index"
            return SOLVENTS

    assert er.Categorical(["hexane", "water"], descriptors=Frame()) == from_dict
    with pytest.raises(er.SpaceError, match="'toluene' has no descriptors"):
        er.Categorical(["water", "toluene"], descriptors=SOLVENTS)
    with pytest.raises(er.SpaceError, match="not a number"):
        er.Categorical(["a"], descriptors={"a": {"p": "heavy"}})
    with pytest.raises(er.SpaceError, match="the same for all levels"):
        er.Study({"kind": er.Categorical(["a", "b"], descriptors={"a": {"p": 1}, "b": {"p": 1}})})


def test_only_the_rows_of_a_table_are_proposed_until_all_were(tmp_path: Path) -> None:
    study = er.Study(er.Candidates(ROWS), seed=1, initial=2, store=tmp_path / "a.elbow")
    assert study.space["dose"] == er.Ladder([0.1, 0.5, 20.0])
    found = []
    while trials := study.ask(2):
        for trial in trials:
            found.append(trial.params)
            study.tell(trial, trial.params["dose"])
    assert sorted(found, key=str) == sorted(ROWS, key=str)
    with pytest.raises(er.SpaceError, match="not among the 5 candidates"):
        study.tell({"dose": 0.5, "kind": "b"}, 1.0)
    er.Study.open(tmp_path / "a.elbow", space=er.Candidates(ROWS))
    with pytest.raises(er.SpaceError, match="the candidates are not those"):
        er.Study.open(tmp_path / "a.elbow", space=er.Candidates(ROWS[1:]))


def test_a_column_of_a_table_may_be_described() -> None:
    table = er.Candidates(ROWS, parameters={"dose": er.Ladder([0.1, 0.5, 20.0], log=True)})
    assert er.Study(table).space["dose"] == er.Ladder([0.1, 0.5, 20.0], log=True)
    with pytest.raises(er.SpaceError, match="candidates 1 and 2 are the same"):
        er.Study(er.Candidates([ROWS[0], ROWS[0]]))
    with pytest.raises(er.SpaceError, match="not a table"):
        er.Candidates([])


def test_how_many_points_are_all_scored_can_be_set() -> None:
    study = er.Study({"kind": er.Categorical(["a", "b"])}, score_all=5000)
    assert study.settings["score_all"] == 5000


def test_rows_of_a_table_may_lack_a_parameter_with_a_condition() -> None:
    """As None, as NaN or without its key: the row does not have it."""
    rows = [{"kind": "plain", "share": None}, {"kind": "none"}, {"kind": "mixed", "share": 0.2}]
    rows.append({"kind": "pure", "share": float("nan")})
    table = er.Candidates(rows, {"share": er.Float(0, 1, when="kind == 'mixed'")})
    study = er.Study(table, seed=1)
    asked = [trial.params for trial in study.ask(4)]
    assert sorted(params["kind"] for params in asked) == ["mixed", "none", "plain", "pure"]
    assert all(("share" in params) == (params["kind"] == "mixed") for params in asked)
    assert len(er.Study.loads(study.dumps()).trials) == 4
