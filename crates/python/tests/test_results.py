"""Results by name: one is optimized, the others are kept beside it."""

import inspect
import json
import math
import pickle
import warnings
from pathlib import Path

import pytest

import elbowroom as er

SPACE = {"x": er.Float(-1, 1), "n": er.Int(1, 9)}


def test_the_metric_ends_a_trial_and_the_others_are_kept():
    study = er.Study(SPACE, metric="loss")
    assert (study.metric, study.settings["metric"]) == ("loss", "loss")
    first, second, third = study.ask(3)
    assert study.tell(first, {"minutes": 12}) == "aside"
    assert study.trials[0].state == "running"
    assert study.tell(first, {"loss": 0.3, "joules": 5}) == "recorded"
    assert study.tell(second, 0.5) == "recorded"
    assert study.tell(third, {"loss": math.nan, "minutes": 4}) == "not_finite"
    assert study.tell({"x": 0.5, "n": 3}, {"loss": 0.1, "minutes": 7}) == "recorded"
    assert study.add({"x": 0.25, "n": 3}, {"loss": 0.2}).results == {"loss": 0.2}
    assert [trial.results for trial in study.trials] == [
        {"loss": 0.3, "minutes": 12.0, "joules": 5.0},
        {"loss": 0.5},
        {"minutes": 4.0},
        {"loss": 0.1, "minutes": 7.0},
        {"loss": 0.2},
    ]
    assert study.best.value == 0.1
    assert study.tell(first, {"minutes": 20}, correction=True) == "aside"
    assert study.trials[0].results["minutes"] == 20


def test_outcomes_are_the_long_form_of_goal_and_metric(tmp_path):
    outcomes = [{"name": "speed", "goal": "maximize"}, {"name": "minutes"}, {"name": "joules"}]
    study = er.Study(SPACE, outcomes=outcomes, store=tmp_path / "a.elbow")
    assert (study.goal, study.metric, study.settings["outcomes"]) == ("maximize", "speed", outcomes)
    study.tell({"x": 0.5, "n": 3}, {"speed": 1.0})
    study.tell({"x": 0.6, "n": 3}, {"speed": 4.0, "minutes": 2})
    assert study.best.value == 4.0
    # Declared, so that a column is there before anybody told it.
    assert er.Study(SPACE, outcomes=outcomes, store=tmp_path / "a.elbow").best.results == {"speed": 4.0, "minutes": 2.0}
    with pytest.raises(er.ConfigError, match="both `outcomes` and `goal` are given"):
        er.Study(SPACE, outcomes=outcomes, goal="minimize")
    with pytest.raises(er.ConfigError, match="outcomes is 'speed'"):
        er.Study(SPACE, outcomes="speed")
    with pytest.raises(er.ConfigError):
        er.Study(SPACE, outcomes=[{"name": "speed", "gaol": "maximize"}])


def test_asking_and_telling_beside_the_event_loop_take_the_same_arguments():
    def arguments(method):
        return list(inspect.signature(method).parameters.values())

    assert arguments(er.Study.ask_async) == arguments(er.Study.ask)
    assert arguments(er.Study.tell_async) == arguments(er.Study.tell)


def test_results_told_aside_keep_the_trial_in_hand(tmp_path):
    with er.Study(SPACE, store=tmp_path / "a.elbow", metric="loss") as study:
        [trial] = study.ask()
        study.tell(trial, {"minutes": 12})
    # The end of the block gave it back: it was still in hand.
    again = er.Study.open(tmp_path / "a.elbow")
    assert again.ask()[0].number == 0


def test_frames_have_a_column_for_each_result():
    study = er.Study(SPACE, metric="loss")
    study.tell({"x": 0.5, "n": 3}, {"loss": 0.1, "minutes": 7})
    study.tell({"x": 0.2, "n": 3}, 0.4)
    columns = study.trials.columns()
    assert columns["results_loss"] == [0.1, 0.4]
    assert columns["results_minutes"] == [7.0, None]
    unnamed = er.Study(SPACE)
    unnamed.tell({"x": 0.5, "n": 3}, 1.0)
    assert not any(name.startswith("results_") for name in unnamed.trials.columns())


def test_an_objective_may_return_a_dict():
    study = er.minimize(lambda x: {"loss": (x - 0.3) ** 2, "minutes": 12}, {"x": er.Float(0, 1)}, 10, metric="loss")
    assert all(trial.results["minutes"] == 12 for trial in study.trials)
    assert abs(study.best["x"] - 0.3) < 0.1
    with pytest.warns(UserWarning, match="optimizes `value`"):
        study = er.minimize(lambda x: {"loss": x, "minutes": 12}, {"x": er.Float(0, 1)}, 2)
    assert [trial.state for trial in study.trials] == ["failed", "failed"]
    assert study.trials[0].results["minutes"] == 12


def test_a_watched_result_changes_no_suggestion():
    def search(with_minutes):
        study = er.Study(SPACE, seed=3, metric="loss")
        for _ in range(4):
            for trial in study.ask(2):
                loss = trial["x"] ** 2 + trial["n"]
                if with_minutes:
                    study.tell(trial, {"minutes": loss * 10})
                study.tell(trial, {"loss": loss, "joules": 1} if with_minutes else loss)
        return [trial.params for trial in study.trials]

    assert search(True) == search(False)


def test_whoever_tells_names_to_a_study_without_any_is_told_which_is_optimized():
    study = er.Study(SPACE)
    [trial] = study.ask()
    with pytest.warns(UserWarning, match="optimizes `value`, but `loss`, `minutes` came without it"):
        assert study.tell(trial, {"loss": 0.3, "minutes": 12}) == "aside"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert study.tell(trial, {"value": 0.3, "minutes": 12}) == "recorded"


def test_results_that_are_none_are_refused():
    study = er.Study(SPACE)
    for results, words in [
        ({}, "the results are empty"),
        ({"loss": "good"}, "the result 'loss' is 'good', which is not a number"),
        ({3: 1.0}, "a result has the name 3"),
        ({"x": 1.0}, "the name of a parameter"),
        ({"": 1.0}, "the name of a result"),
    ]:
        with pytest.raises(er.ElbowroomError, match=words):
            study.tell({"x": 0.5, "n": 3}, results)
    assert len(study.trials) == 0
    with pytest.raises(er.ConfigError, match="metric is 3"):
        er.Study(SPACE, metric=3)
    assert er.Study(SPACE, metric="value").metric == "value"


def test_a_study_with_named_results_is_dumped_loaded_and_pickled_byte_by_byte():
    study = er.Study(SPACE, metric="loss")
    trial, _ = study.ask(2)
    study.tell(trial, {"minutes": 12})
    study.tell(trial, {"loss": 0.3, "joules": 5})
    text = study.dumps()
    assert er.Study.loads(text).dumps() == text
    assert pickle.loads(pickle.dumps(study)).trials == study.trials


@pytest.mark.parametrize("name", ["log-0.1.0.jsonl", "log-results.jsonl"])
def test_logs_of_the_first_and_of_the_newest_version_are_read_and_dumped_as_they_were(name):
    log = (Path(__file__).parents[2] / "core" / "tests" / "data" / name).read_text().splitlines()
    text = json.dumps({"study": "old", "log": [[i, event] for i, event in enumerate(log)]})
    study = er.Study.loads(text)
    assert [event for _, event in json.loads(study.dumps())["log"]] == log
