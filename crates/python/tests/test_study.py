"""Studies: ask, tell and what comes of it."""

import hashlib
import json
import math
import multiprocessing
import os
import pickle
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import elbowroom as er

SPACE = {"x": er.Float(-1, 1), "n": er.Int(1, 9)}


def test_the_code_block_of_the_readme_runs(capsys):
    readme = (__import__("pathlib").Path(__file__).parents[1] / "README.md").read_text()
    code = readme.split("```python\n")[1].split("```")[0]
    exec(compile(code, "README.md", "exec"), {})
    value = float(capsys.readouterr().out.split()[0])
    # The minimum is 1, at x = 0.3 and y = 1.
    assert 1 <= value < 1.01


def test_points_are_in_the_space_and_differ():
    study = er.Study(SPACE, seed=3)
    batch = study.ask(8)
    assert [trial.number for trial in batch] == list(range(8))
    assert all(-1 <= trial["x"] <= 1 and trial["n"] in range(1, 10) for trial in batch)
    assert len({tuple(trial.params.values()) for trial in batch}) == 8
    assert {type(trial["n"]) for trial in batch} == {int}


def test_the_same_seed_gives_the_same_points_and_another_one_others():
    def points(seed):
        return [trial.params for trial in er.Study(SPACE, seed=seed).ask(4)]

    assert points(1) == points(1) != points(2)


def test_the_best_is_the_smallest_or_the_largest():
    for goal, wanted in [("minimize", 1.0), ("maximize", 3.0)]:
        study = er.Study(SPACE, goal=goal)
        for trial, value in zip(study.ask(3), [2.0, 1.0, 3.0]):
            study.tell(trial, value)
        assert study.best.value == wanted


def test_a_value_is_never_refused_and_the_answer_says_what_it_is():
    study = er.Study(SPACE)
    first, second = study.ask(2)
    assert study.tell(first, 1.0) == "recorded"
    assert study.tell(first.number, 2.0, noise=0.5) == "replicate"
    assert study.tell(first, 5.0, correction=True, request="again") == "correction"
    assert study.tell(first, 5.0, correction=True, request="again") == "repeated"
    assert study.tell(second, math.nan) == "not_finite"
    assert study.tell(second, 3.0) == "late"
    assert [trial.value for trial in study.trials] == [5.0, 3.0]
    assert [one.kind for one in study.trials[0].measurements] == ["first", "replicate", "correction"]


def test_failures_are_kept_with_their_reasons_and_no_observations():
    study = er.Study(SPACE)
    a, b, c, d = study.ask(4)
    study.fail(a, "it broke")
    study.infeasible(b, "too hot")
    study.release(c)
    study.tell(d, 1.0)
    assert [trial.state for trial in study.trials] == ["failed", "infeasible", "released", "complete"]
    assert [trial.reason for trial in study.trials] == ["it broke", "too hot", None, None]
    assert study.best.number == d.number
    assert study.counts["failed"] == 1


@pytest.mark.parametrize("stored", [False, True])
def test_a_budget_may_be_raised_and_lowered_but_not_below_what_was_handed_out(tmp_path, stored):
    place = {"store": tmp_path / "s.elbow"} if stored else {}
    study = er.Study(SPACE, budget=3, **place)
    assert len(study.ask(9)) == 3
    study.budget = 5
    assert (study.budget, study.budget_left, study.settings["budget"]) == (5, 2, 5)
    assert len(study.ask(9)) == 2
    with pytest.raises(er.ElbowroomError, match="5 were handed out"):
        study.budget = 4
    for wrong in (0, 2.5, "6", float("nan")):
        with pytest.raises((er.ElbowroomError, TypeError, ValueError)):
            study.budget = wrong
    assert study.budget == 5
    study.budget = None
    assert (study.budget, study.budget_left) == (None, None)
    # A copy has the budget as it stands.
    study.budget = 9
    assert er.Study.loads(study.dumps()).budget_left == 4


def test_a_study_that_is_opened_with_another_budget_goes_on_with_it_and_says_so(tmp_path):
    store = tmp_path / "s.elbow"
    er.Study(SPACE, budget=3, store=store).ask(9)
    with pytest.warns(UserWarning, match="is 5 trials now; it was 3"):
        study = er.Study(SPACE, budget=5, store=store)
    assert len(study.ask(9)) == 2
    # Whoever names none takes the one that is there, without a word.
    assert er.Study(SPACE, store=store).budget == 5
    with pytest.raises(er.ElbowroomError, match="5 were handed out"):
        er.Study(SPACE, budget=2, store=store)


def test_a_budget_ends_the_asking_and_says_so():
    study = er.Study(SPACE, budget=3)
    batch = study.ask(5)
    assert len(batch) == 3 and "budget" in batch.short
    assert study.ask() == [] and study.budget_left == 0


def test_a_trial_that_was_given_back_is_handed_out_again():
    study = er.Study(SPACE)
    [trial] = study.ask()
    study.give_back([trial])
    [again] = study.ask()
    assert (again.number, again.params, again.attempt) == (trial.number, trial.params, 2)


def test_a_trial_is_given_back_by_itself_or_by_its_number():
    study = er.Study(SPACE)
    trial = study.ask(2)[0]
    study.give_back(trial)
    study.give_back([1])
    assert study.counts["queued"] == 2
    assert [again.number for again in study.ask(2)] == [0, 1]
    study.give_back(0)
    assert study.ask()[0].number == 0


def test_what_cannot_be_given_back_is_said():
    study = er.Study(SPACE)
    started = study.start({"x": 0.5, "n": 1})
    with pytest.raises(er.TrialError, match="trial 0 was started without a due time.*\n  try: use study.release"):
        study.give_back(started)
    due = study.start({"x": 0.25, "n": 1}, due=1000)
    study.give_back(due)
    [first] = study.ask()
    assert first.number == due.number
    with pytest.raises(er.TrialError, match="trial 1 has been handed to another worker since"):
        study.give_back(due)
    study.tell(first, 1.0)
    with pytest.raises(er.TrialError, match="trial 1 is complete: it cannot be given back"):
        study.give_back([first])
    for nothing in (7, True, "0", None, [None]):
        with pytest.raises(er.TrialError, match="trial"):
            study.give_back(nothing)


def test_a_trial_of_another_study_is_refused():
    here, there = er.Study(SPACE, seed=1), er.Study(SPACE, seed=2)
    wide = er.Study({"x": er.Float(-2, 2), "n": er.Int(1, 9)}, seed=1)
    [own], [other], [scaled] = here.ask(), there.ask(), wide.ask()
    assert own.unit == scaled.unit
    for trial in (other, scaled):
        for call in (lambda one: here.tell(one, 1.0), here.fail, here.infeasible, here.release, here.give_back):
            with pytest.raises(er.TrialError, match="trial 0 of this study is at a different point"):
                call(trial)
    assert here.tell(here.trials[0], 1.0) == "recorded"
    assert er.Study.loads(here.dumps()).tell(own, 2.0) == "replicate"


def test_a_trial_with_objects_is_known_where_they_are_labels():
    study = er.Study({"a": er.Categorical([None, (1, 2)]), "b": er.Fixed(np.zeros(3))})
    [trial] = study.ask()
    assert er.Study.loads(study.dumps()).tell(trial, 1.0) == "recorded"


def test_a_point_that_is_told_again_under_its_request_is_repeated():
    study = er.Study(SPACE)
    for answer in ("recorded", "repeated"):
        assert study.tell({"x": 0.5, "n": 1}, 1.0, request="first") == answer
    for answer in ("not_finite", "repeated"):
        assert study.tell({"x": 0.25, "n": 1}, math.nan, request="second") == answer
    assert len(study.trials) == 2
    with pytest.raises(er.TrialError, match="there is nothing to correct at .*\n  try: "):
        study.tell({"x": 0.5, "n": 1}, 2.0, correction=True)
    assert len(study.trials) == 2


def test_numbers_of_numpy_are_values_as_pythons_are():
    space = {
        "k": er.Ordered(np.array([0.25, 0.5])),
        "c": er.Categorical([np.int64(1), np.str_("a")]),
        "f": er.Fixed(np.bool_(1)),
    }
    plain = {"k": er.Ordered([0.25, 0.5]), "c": er.Categorical([1, "a"]), "f": er.Fixed(True)}
    assert space == plain
    study = er.Study(space, constraints="k <= 0.3")
    assert study.tell({"k": 0.25, "c": np.int64(1), "f": True}, 1.0) == "recorded"
    again = er.Study.loads(study.dumps())
    assert again.space == plain
    assert [type(value) for value in again.trials[0].params.values()] == [float, int, bool]


def test_the_label_of_a_set_is_the_same_in_each_process():
    code = (
        "import elbowroom as er\n"
        "sets = [{'a', 'b', 'c', 'd'}, frozenset('efgh'), ({'i', 'j', 'k', 'l'},), {'m': {'n', 'o', 'p'}}, set()]\n"
        "print(er.Study.loads(er.Study({'s': er.Categorical(sets)}).dumps()).space['s'].choices)"
    )
    seen = set()
    for seed in "123":
        env = {**os.environ, "PYTHONHASHSEED": seed}
        seen.add(subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout)
    [labels] = seen
    assert labels.startswith("(\"{'a', 'b', 'c', 'd'}\", \"frozenset({'e', 'f', 'g', 'h'})\", ")


def test_objects_are_choices_too():
    marker = object()
    space = {"a": er.Categorical([None, "None", (1, 2), marker]), "b": er.Fixed(math.sqrt)}
    study = er.Study(space, seed=1)
    seen = {repr(trial["a"]) for trial in study.ask(4)}
    assert seen == {repr(choice) for choice in space["a"].choices}
    assert all(trial["b"] is math.sqrt for trial in study.trials)
    trial = er.Study(space).add({"a": (1, 2), "b": math.sqrt}, 3.0)
    assert trial.params == {"a": (1, 2), "b": math.sqrt}


def test_errors_have_the_cores_words():
    with pytest.raises(er.SpaceError, match=r"parameter `x`: low 3 is above high 1\n  try: swap the two bounds"):
        er.Study({"x": er.Float(3, 1)})
    with pytest.raises(ValueError, match="no strategy named 'clever'|no strategy named \"clever\""):
        er.Study(SPACE, strategy="clever")
    with pytest.raises(er.ConfigError, match="no setting `strategy.lies`\n  try: did you mean `lie`"):
        er.Study(SPACE, strategy={"name": "believer", "lies": "mean"})
    with pytest.raises(er.TrialError, match="trial 7"):
        er.Study(SPACE).tell(7, 1.0)
    with pytest.raises(er.TrialError, match="no trial -1"):
        er.Study(SPACE).tell(-1, 1.0)
    with pytest.raises(er.ConfigError):
        er.Study(SPACE).ask(-1)
    with pytest.raises(er.ConfigError, match="seed|u64"):
        er.Study(SPACE, seed=-1)
    with pytest.raises(er.ConfigError, match="noise is nan\n  try: use a variance"):
        er.Study(SPACE, noise=math.nan)
    with pytest.raises(er.StoreError, match="`mysql` is not a kind of store"):
        er.Study(SPACE, store="mysql://localhost/x")


@pytest.mark.parametrize("name", sorted(er.strategies()))
def test_every_strategy_proposes_points(name):
    study = er.Study(SPACE, strategy=name, seed=1, initial=3)
    for _ in range(3):
        for trial in study.ask(3):
            study.tell(trial, trial["x"] ** 2 + trial["n"])
    assert {"design", "model"} & {trial.source for trial in study.trials[:9]}
    assert len({tuple(trial.params.values()) for trial in study.trials}) == len(study.trials)


def test_a_file_keeps_the_study(tmp_path):
    path = tmp_path / "study.elbow"
    study = er.Study(SPACE, store=path, name="plate", seed=2)
    [trial] = study.ask()
    study.tell(trial, 1.5)
    again = er.Study.open(path, "plate")
    assert again.best == study.best
    assert again.space == {"x": er.Float(-1.0, 1.0), "n": er.Int(1, 9)}
    assert er.Study(SPACE, store=path, name="plate", seed=2).best.value == 1.5
    with pytest.raises(er.StoreError, match="created with a different seed\n  `seed` is 3 here, and 2 in the store"):
        er.Study(SPACE, store=path, name="plate", seed=3)
    with pytest.raises(er.StoreError, match="there is no study `cup`"):
        er.Study.open(path, "cup")


def test_a_space_that_a_study_was_not_made_with_is_refused(tmp_path):
    path = tmp_path / "study.elbow"
    space = {"x": er.Float(0, 1), "a": er.Categorical([None, 1])}
    study = er.Study(space, store=path)
    assert er.Study.open(path, space=dict(reversed(space.items()))).space == space
    for other, words in [
        ({"x": er.Float(0, 1)}, "has a parameter `a`, which the given space lacks"),
        ({**space, "z": er.Int(0, 1)}, "the given space has a parameter `z`, which the study `study` lacks"),
        ({**space, "x": er.Float(0, 2)}, r"parameter `x` is Float\(low=0.0, high=1.0, log=False\) in the study"),
        ({**space, "x": er.Int(0, 1)}, "parameter `x` is Float"),
        ({**space, "a": er.Categorical([None, True])}, "parameter `a` is Categorical"),
        (3, "the space is 3"),
    ]:
        with pytest.raises(er.SpaceError, match=words):
            er.Study.open(path, space=other)
        with pytest.raises(er.SpaceError, match=words):
            er.Study.loads(study.dumps(), space=other)


def test_points_under_way_elsewhere_are_kept_apart_from():
    space = {"x": er.Float(0, 1)}
    observed = [({"x": x}, (x - 0.3) ** 2) for x in (0.0, 0.1, 0.5, 0.7, 1.0)]
    [alone] = er.suggest(space, observed, initial=2)
    [beside] = er.suggest(space, observed, pending=[alone], initial=2)
    assert er.suggest(space, observed, initial=2) == [alone]
    assert abs(alone["x"] - beside["x"]) > 0.01


def test_threads_may_ask_and_tell_at_once():
    study = er.Study(SPACE, budget=40, seed=1)

    def work():
        while batch := study.ask():
            study.tell(batch[0], batch[0]["x"] ** 2)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert study.counts["complete"] == 40 == len({tuple(trial.params.values()) for trial in study.trials})


def test_a_study_is_its_text():
    study = er.Study(SPACE, seed=4)
    batch = study.ask(6)
    for trial in batch[:4]:
        study.tell(trial, trial["x"])
    again = er.Study.loads(study.dumps())
    assert [trial.state for trial in again.trials] == ["complete"] * 4 + ["running"] * 2
    assert [trial.params for trial in again.ask(2)] == [trial.params for trial in study.ask(2)]
    with pytest.raises(er.StoreError, match="not a study that `dumps` wrote"):
        er.Study.loads("[]")


def test_a_study_can_be_pickled(tmp_path):
    space = {"a": er.Categorical([None, (1, 2)])}
    for store in (None, tmp_path / "study.elbow"):
        study = er.Study(space, store=store)
        study.tell({"a": (1, 2)}, 1.0)
        assert pickle.loads(pickle.dumps(study)).best == study.best


def test_settings_are_found_again_by_name():
    study = er.Study(
        SPACE,
        strategy="local_penalization",
        acquisition={"name": "ucb", "kappa": 3.0},
        penalizer="hard",
        kernel="rbf",
        noise=0.25,
        design="uniform",
        goal="maximize",
    )
    found = study.settings
    assert found["strategy"]["acquisition"] == {"ucb": {"kappa": 3.0}}
    assert (found["strategy"]["penalizer"], found["model"]["kernels"], found["model"]["noise"]) == ("hard", ["rbf"], 0.25)
    assert (found["design"], study.goal) == ("uniform", "maximize")
    plain = er.Study(SPACE).settings
    assert plain["strategy"] == {"name": "local_penalization", **er.strategies()["local_penalization"]}


@pytest.mark.parametrize("acquisition", ["ei", "ucb", "paper_ucb", "pi", "mean"])
@pytest.mark.parametrize("penalizer", ["soft", "hard", "truncated"])
def test_every_acquisition_goes_with_every_penalizer(acquisition, penalizer):
    study = er.Study(SPACE, acquisition=acquisition, penalizer=penalizer, initial=3, seed=1)
    for trial in study.ask(3):
        study.tell(trial, trial["x"])
    assert [trial.source for trial in study.ask(2)] == ["model", "model"]


def test_a_fork_is_told_to_open_the_study_itself(tmp_path):
    study = er.Study(SPACE, store=tmp_path / "study.elbow")
    study.ask()

    def ask(words):
        try:
            study.ask()
        except er.StoreError as error:
            words.send(str(error))

    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=ask, args=(there,))
    process.start()
    assert here.poll(30) and "is a fork of it\n  try: pass the study as an argument" in here.recv()
    process.join()


OLD_LOG = Path(__file__).parents[2] / "core" / "tests" / "data" / "log-0.1.0.jsonl"
OLD_SPACE = {
    "rate": er.Float(1e-4, 1, log=True),
    "x": er.Float(-1, 2),
    "n": er.Int(1, 9),
    "kind": er.Categorical(["a", "b"]),
}


def test_failures_teach_unless_the_study_says_otherwise(tmp_path):
    space = {"x": er.Float(0, 1)}
    assert er.Study(space).settings["failures"] == "learn"
    store = tmp_path / "flaky.elbow"
    assert er.Study(space, store=store, failures="ignore").settings["failures"] == "ignore"
    assert er.Study(space, store=store, failures="ignore").settings["failures"] == "ignore"
    for other in (None, "learn"):
        with pytest.raises(er.StoreError, match="was created with a different"):
            er.Study(space, store=store, failures=other)
    study = er.minimize(lambda x: x, space, budget=2, failures="ignore")
    assert study.settings["failures"] == "ignore"
    assert len(er.suggest(space, [({"x": 0.25}, 1.0)], failed=[{"x": 0.5}], failures="ignore")) == 1


def test_a_log_from_before_failures_taught_goes_on_as_it_was():
    log = [[1, line] for line in OLD_LOG.read_text().splitlines()]
    study = er.Study.loads(json.dumps({"study": "old", "log": log}))
    assert study.settings["failures"] == "ignore"
    assert study.counts["failed"] == 5
    assert len(study.ask(2)) == 2
    # What was written keeps its bytes.
    assert json.loads(study.dumps())["log"][: len(log)] == log


def test_a_store_from_before_failures_taught_is_refused_only_if_one_asks_for_another_rule(tmp_path):
    store = tmp_path / "old.elbow"
    er.Study(OLD_SPACE, seed=11, budget=40, store=store, name="old", failures="ignore")
    # As version 0.1.0 wrote it: without the setting.
    first = OLD_LOG.read_text().splitlines()[0]
    with sqlite3.connect(store) as base:
        [(at,)] = base.execute("SELECT at FROM events").fetchall()
        digest = hashlib.sha256(bytes(16) + at.to_bytes(8, "little", signed=True) + first.encode()).digest()[:16]
        base.execute("UPDATE events SET text = ?, digest = ?", (first, digest))
    assert er.Study(OLD_SPACE, seed=11, budget=40, store=store, name="old").settings["failures"] == "ignore"
    assert er.Study(OLD_SPACE, seed=11, budget=40, store=store, name="old", failures="ignore")
    with pytest.raises(er.StoreError, match="created with a different failures\n  `failures` is learn here, and ignore in the store"):
        er.Study(OLD_SPACE, seed=11, budget=40, store=store, name="old", failures="learn")


def test_every_point_of_a_mixture_makes_a_whole_of_few_parts() -> None:
    parts = ["a", "b", "c", "d"]
    whole = ["a + b + c + d == 1", "nonzero(a, b, c, d) <= 2"]
    study = er.Study({name: er.Float(0, 1) for name in parts}, constraints=whole, seed=1, initial=4)
    for _ in range(3):
        for trial in study.ask(4):
            amounts = [trial.params[name] for name in parts]
            assert abs(sum(amounts) - 1) < 1e-9
            assert sum(amount != 0 for amount in amounts) <= 2
            study.tell(trial, (amounts[0] - 0.3) ** 2)
    with pytest.raises(er.SpaceError, match="no point within the parameters' ranges keeps"):
        er.Study({"a": er.Float(0, 0.4), "b": er.Float(0, 0.5)}, constraints="a + b == 1")


def test_contexts_are_given_with_every_ask_and_never_chosen() -> None:
    space = {"heat": er.Float(0, 1), "humidity": er.Float(0, 100)}
    study = er.Study(space, contexts=["humidity"], seed=1)
    with pytest.raises(er.ConfigError, match="`humidity` is observed, not chosen"):
        study.ask()
    for day in range(12):
        for trial in study.ask(1, fixed={"humidity": 8 * day}):
            assert trial.params["humidity"] == 8 * day
            study.tell(trial, (trial.params["heat"] - 0.01 * trial.params["humidity"]) ** 2)
    found = study.recommended_in({"humidity": 50})
    assert found is not None and abs(found.params["heat"] - 0.5) < 0.2
    with pytest.raises(er.ConfigError, match="a list of names"):
        er.Study(space, contexts="humidity")


def test_a_result_says_at_which_values_its_trial_was_run() -> None:
    space = {"x": er.Float(0, 1), "humidity": er.Float(0, 90)}
    study = er.Study(space, contexts=["humidity"], seed=1)
    planned, other = study.ask(2, fixed={"humidity": 40})
    for _ in range(2):
        told = study.tell(planned, 0.25, actual={"humidity": 47}, request="a")
    assert told == "repeated" and len(study.trials) == 3
    assert study.trials[planned.number].state == "released"
    assert study.trials[2].params == {"x": planned.params["x"], "humidity": 47.0} and study.trials[2].value == 0.25
    assert study.tell(other, 0.5, actual={"humidity": 40}) == "recorded" and len(study.trials) == 3
    with pytest.raises(er.SpaceError, match="humidity"):
        study.tell(other, 0.5, actual={"humidty": 40})
    with pytest.raises(er.TrialError, match="correction"):
        study.tell(planned, 0.25, actual={"humidity": 47}, correction=True)
