"""What results are for: objectives, limits, targets, formulas, and what is only watched."""

import asyncio
import copy
import json
import math
import pickle
import warnings

import pytest

import elbowroom as er

SPACE = {"celsius": er.Float(20, 90), "ratio": er.Float(0, 1)}
POINT = {"celsius": 50, "ratio": 0.5}
TWO = {"yield": er.Maximize(worst=50), "cost": er.Minimize()}
ALL = {
    **TWO,
    "purity": er.AtLeast(95),
    "viscosity": er.Near(4.2, worst=2),
    "colour": er.AtMost(3),
    "acid": er.Between(6.8, 7.4),
    "minutes": er.Watched(),
    "profit": er.Maximize(score="yield - 0.2 * cost"),
}


def test_outcomes_come_back_as_they_were_given(tmp_path):
    study = er.Study(SPACE, outcomes=ALL, store=tmp_path / "a.elbow")
    assert study.outcomes == ALL and list(study.outcomes) == list(ALL)
    # In the words of a study.toml, so that a study.toml opens what Python made.
    assert study.settings["outcomes"][:4] == [
        {"name": "yield", "goal": "maximize", "worst": 50.0},
        {"name": "cost", "goal": "minimize"},
        {"name": "purity", "at_least": 95.0},
        {"name": "viscosity", "near": 4.2, "worst": 2.0},
    ]
    assert er.Study.open(tmp_path / "a.elbow").outcomes == ALL
    assert er.Study(SPACE, outcomes=study.settings["outcomes"], store=tmp_path / "a.elbow").outcomes == ALL
    assert pickle.loads(pickle.dumps(ALL)) == copy.deepcopy(ALL) == ALL


def test_a_study_that_declares_nothing_has_one_outcome():
    assert er.Study(SPACE).outcomes == {"value": er.Minimize()}
    assert er.Study(SPACE, goal="maximize", metric="speed").outcomes == {"speed": er.Maximize()}


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: {"yield": 3}, r"the outcome 'yield' is 3\n  try: use one of er.Maximize\(\)"),
        (lambda: {"yield": er.Maximize}, "the outcome 'yield' is <class"),
        (lambda: {"purity": er.AtLeast(95)}, r"outcomes has no objective\n  try: add er.Maximize"),
        (lambda: {3: er.Minimize()}, "the name of an outcome is 3"),
        (lambda: {"celsius": er.Minimize()}, "the result `celsius` has the name of a parameter"),
        (lambda: {"a": er.Maximize(worst=1, at_most=0)}, r"`worst` of the result `a` is 1.*0\n  try: give a smaller `worst`"),
        (lambda: {"a": er.Minimize(), "b": er.Between(3, 2)}, "`b` should be at least 3 and at most 2"),
        (lambda: {"a": er.Minimize(score="b +")}, "the score of the result `a`"),
        (lambda: {"a": er.Minimize(), "b": er.AtLeast(math.nan)}, r"`limit` of er.AtLeast is nan\n  try: use a finite number"),
        (lambda: {"a": er.Maximize(worst="low")}, "`worst` of er.Maximize is 'low'"),
        (lambda: {"a": er.Maximize(score=3)}, "`score` of er.Maximize is 3"),
        (lambda: "yield", r"outcomes is 'yield'\n  try: use a dict such as"),
    ],
)
def test_outcomes_that_cannot_be_meant_are_refused_with_what_to_try(make, said):
    with pytest.raises(er.ConfigError, match=said) as refused:
        er.Study(SPACE, outcomes=make())
    assert str(refused.value).count("\n  try: ") == 1


def test_the_best_is_the_best_of_those_that_keep_the_limits():
    study = er.Study(SPACE, outcomes={"yield": er.Maximize(), "purity": er.AtLeast(95), "colour": er.AtMost(3)})
    for celsius, amount, purity in [(30, 90, 80), (40, 99, 94)]:
        study.tell({"celsius": celsius, "ratio": 0}, {"yield": amount, "purity": purity, "colour": 1})
    assert study.best is None and [trial.feasible for trial in study.trials] == [False, False]
    assert study.least_infeasible.number == 1
    assert study.least_infeasible.broken_limits == (er.BrokenLimit("purity", 94.0, at_least=95.0),)
    assert "trial 1 comes closest" in study._repr_html_()
    assert "keep" in study.recommended.fallback
    study.tell({"celsius": 50, "ratio": 0}, {"yield": 60, "purity": 95, "colour": 3})
    study.tell({"celsius": 60, "ratio": 0}, {"yield": 70, "purity": 99})
    # Of the last one the colour is not known yet.
    assert [trial.feasible for trial in study.trials] == [False, False, True, None]
    assert study.best.number == 2 and study.least_infeasible is None
    assert study.trials.columns()["feasible"] == [False, False, True, None]
    study.tell(3, {"colour": 2})
    assert study.best.number == 3


def test_a_trial_says_which_limits_it_breaks_in_the_words_of_the_command():
    study = er.Study(SPACE, outcomes={"yield": er.Maximize(), "acid": er.Between(6.8, 7.4)})
    study.tell(POINT, {"yield": 90, "acid": 8})
    answer = study.trials[0].to_dict()
    assert answer["feasible"] is False
    assert answer["broken_limits"] == [{"outcome": "acid", "value": 8.0, "at_least": 6.8, "at_most": 7.4}]
    assert {"feasible", "broken_limits"}.isdisjoint(er.Study(SPACE).ask()[0].to_dict())
    json.dumps(answer)


def test_a_target_and_a_formula_are_computed_from_what_is_told():
    study = er.Study(SPACE, outcomes={"viscosity": er.Near(4.2)})
    assert study.tell(POINT, {"viscosity": 4.7}) == "recorded"
    assert study.tell({"celsius": 60, "ratio": 0}, 4.1) == "recorded"
    assert study.best.value == pytest.approx(0.1) and study.best.results["viscosity"] == 4.1
    outcomes = {"profit": er.Maximize(score="yield - 0.2 * cost"), "yield": er.Watched(), "cost": er.Watched()}
    study = er.Study(SPACE, outcomes=outcomes)
    assert study.tell(POINT, {"yield": 80}) == "aside"
    assert study.tell(POINT, {"yield": 80, "cost": 5}) == "recorded"
    assert study.best.value == pytest.approx(79)
    study.run(lambda celsius, ratio: {"yield": celsius, "cost": ratio}, 2)
    assert study.counts["complete"] == 3
    with pytest.warns(UserWarning, match="none of 1 trials has a value"):
        study.run(lambda celsius, ratio: {"yield": celsius}, 1)
    assert "this study computes `profit`" in study.trials[-1].reason and "`cost` is missing" in study.trials[-1].reason


def test_a_run_takes_a_dict_or_a_tuple_of_the_objectives_in_their_order():
    for told in (
        lambda celsius, ratio: (celsius, ratio),
        lambda celsius, ratio: [celsius, ratio],
        lambda celsius, ratio: {"cost": ratio, "yield": celsius},
        lambda celsius, ratio: ({"cost": ratio, "yield": celsius}, 0.25),
    ):
        study = er.Study(SPACE, outcomes={"purity": er.AtLeast(1), **TWO}).run(told, 2)
        for trial in study.trials:
            assert (trial.results["yield"], trial.results["cost"]) == (trial["celsius"], trial["ratio"])
    # With one objective a pair is a value and the variance of its noise, as it always was.
    study = er.Study(SPACE, outcomes={"yield": er.Maximize(), "cost": er.Watched()}).run(lambda **_: (3, 0.25), 1)
    assert (study.trials[0].value, study.trials[0].noise) == (3, 0.25)


def test_a_tuple_of_another_length_or_a_number_without_a_name_fails_the_trial_and_says_why():
    study = er.Study(SPACE, outcomes=TWO)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.run(lambda **_: (1, 2, 3), 1)
        study.run(lambda **_: 1.0, 1)
        study.run(lambda **_: (1, math.nan), 1)
    reasons = [trial.reason for trial in study.trials]
    assert reasons[0] == "the objective returned 3 numbers for the 2 objectives `yield` and `cost`: (1, 2, 3)"
    assert "the value 1.0 has no name, and the study has 2 objectives" in reasons[1]
    assert reasons[2] == "the objective returned no finite `cost`: {'yield': 1.0, 'cost': nan}"
    assert [trial.state for trial in study.trials] == ["failed"] * 3


def test_coroutines_and_processes_return_tuples_too():
    async def told(celsius, ratio):
        return celsius, ratio

    study = er.Study(SPACE, outcomes=TWO)
    asyncio.run(study.run_async(told, 2))
    study.run(_pair, 2, workers=1, executor="processes")
    assert [len(trial.results) for trial in study.trials] == [2] * 4


def _pair(celsius, ratio):
    return celsius, ratio


def test_a_limited_result_that_a_run_leaves_out_is_warned_of():
    study = er.Study({"x": er.Float(0, 1)}, outcomes={"loss": er.Minimize(), "purity": er.AtLeast(0.3)})
    with pytest.warns(UserWarning, match="trial 0 has no `purity`: its point stays pending until it is reported"):
        study.run(lambda x: {"loss": x, "Purity": x}, 1)


def test_an_objective_that_a_run_leaves_out_is_warned_of_and_may_come_later():
    study = er.Study(SPACE, outcomes=TWO)
    with pytest.warns(UserWarning, match="trial 0 has no `cost`: its point stays pending until it is reported"):
        study.run(lambda celsius, ratio: {"yield": celsius}, 1)
    assert len(study.front) == 0 and study.trials[0].waiting_for == ("cost",)
    assert study.trials[0].to_dict()["waiting_for"] == ["cost"]
    study.tell(0, {"cost": 3})
    assert "waiting_for" not in study.trials[0].to_dict()
    assert [trial.number for trial in study.front] == [0]


def test_what_there_is_only_with_one_objective_is_refused_with_what_there_is_instead():
    study = er.Study(SPACE, outcomes=TWO)
    with pytest.raises(er.ElbowroomError, match=r"2 objectives, `yield` and `cost`: no trial is the best.*\n  try: use study.front"):
        study.best
    with pytest.raises(er.ElbowroomError, match="history"):
        study.expected_gain
    for rule in ({"target": 3}, {"min_gain": 0.1}):
        with pytest.raises(er.ElbowroomError, match="is for one\n  try: use callbacks"):
            study.run(_pair, 2, **rule)
    with pytest.raises(er.DataError, match=r"the value 3 has no name.*\n  try: use a dict, such as \{'yield': …, 'cost': …\}"):
        study.tell(POINT, 3)


def test_a_target_value_ends_a_run_only_where_the_limits_are_kept():
    study = er.Study(SPACE, outcomes={"gain": er.Maximize(), "size": er.AtMost(1)})
    sizes = iter([9, 9, 0, 0])
    study.run(lambda **_: {"gain": 10, "size": next(sizes)}, target=5, n=4)
    assert [trial.feasible for trial in study.trials] == [False, False, True]


def test_suggestions_for_others_take_results_by_name():
    observed = [({"x": i / 7}, {"left": i / 7, "right": (1 - i / 7) ** 2}) for i in range(8)]
    outcomes = {"left": er.Minimize(), "right": er.Minimize()}
    points = er.suggest({"x": er.Float(0, 1)}, observed, n=3, outcomes=outcomes)
    assert len({point["x"] for point in points}) == 3
    assert points == er.suggest({"x": er.Float(0, 1)}, observed, n=3, outcomes=outcomes)
