"""Parameters that are there only where a condition holds."""

from __future__ import annotations

from typing import Any

import pytest

import elbowroom as er

SPACE = {
    "kind": er.Categorical(["adam", "sgd", None]),
    "rate": er.Float(1e-4, 1, log=True),
    "momentum": er.Float(0, 1, when="kind == 'sgd'"),
    "schedule": er.Categorical(["flat", "steps"], when="kind == 'sgd'"),
    "every": er.Int(1, 50, when="schedule == 'steps'"),
    "epochs": er.Fixed(3, when="kind == 'adam'"),
}


def names(params: dict[str, Any]) -> list[str]:
    """What a point should have, by the conditions as one reads them."""
    below = {"adam": ["epochs"], "sgd": ["momentum", "schedule"], None: []}[params["kind"]]
    return ["kind", "rate", *below, *(["every"] if params.get("schedule") == "steps" else [])]


def loss(params: dict[str, Any]) -> float:
    return abs(params["rate"] - 0.1) + params.get("momentum", 0.3)


def run(n: int) -> er.Study:
    study = er.Study(SPACE, seed=2)
    for _ in range(n):
        for trial in study.ask():
            study.tell(trial, loss(trial.params))
    return study


def test_points_have_what_their_conditions_say_and_objects_come_back() -> None:
    study = run(24)
    assert all(sorted(trial.params) == sorted(names(trial.params)) for trial in study.trials)
    assert {trial["kind"] for trial in study.trials} == {"adam", "sgd", None}
    assert sorted(study.recommended.params) == sorted(names(study.recommended.params))
    assert study.space == SPACE


def test_columns_have_none_where_a_trial_lacks_a_parameter() -> None:
    study = run(14)
    columns = study.trials.columns()
    assert [value is None for value in columns["params_momentum"]] == [one["kind"] != "sgd" for one in study.trials]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"kind": "adam", "rate": 0.1, "epochs": 3, "momentum": 0.5}, "`momentum` has a value at this point"),
        ({"kind": "sgd", "rate": 0.1, "schedule": "flat"}, "`momentum` has no value at this point"),
    ],
)
def test_a_point_of_ones_own_must_have_what_its_conditions_say(params: dict[str, Any], words: str) -> None:
    with pytest.raises(er.SpaceError, match=words):
        er.Study(SPACE).tell(params, 1.0)


def test_a_condition_is_a_text_and_is_shown_where_there_is_one() -> None:
    assert repr(er.Ordered([1, 2], when="kind == 'sgd'")) == """Ordered(values=(1, 2), when="kind == 'sgd'")"""
    assert repr(er.Fixed(1)) == "Fixed(value=1)"
    with pytest.raises(er.SpaceError, match="its condition is 3"):
        er.Study({"x": er.Float(0, 1, when=3)})  # type: ignore[arg-type]
    with pytest.raises(er.SpaceError, match="is never true"):
        er.Study({"n": er.Int(1, 3), "x": er.Float(0, 1, when="n > 3")})
