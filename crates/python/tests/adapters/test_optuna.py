"""Optuna: its own suite for samplers, unchanged, and what that does not ask."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable

import pytest

optuna = pytest.importorskip("optuna")
# optuna.testing is there from its version 4.7 on with this module.
suite = pytest.importorskip("optuna.testing.pytest_samplers")

from elbowroom.optuna import Sampler, _read as optuna_point  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.WARNING)


class TestSampler(suite.BasicSamplerTestCase, suite.RelativeSamplerTestCase, suite.MultiObjectiveSamplerTestCase):
    """All of the suite but ``SingleOnlySamplerTestCase``, which excludes ``MultiObjectiveSamplerTestCase``: a sampler
    handles several objectives or refuses them, and this one handles them."""

    @pytest.fixture
    def sampler(self) -> Callable[[], optuna.samplers.BaseSampler]:
        return lambda: Sampler(seed=0)


def bowl(trial: optuna.Trial) -> float:
    return (trial.suggest_float("x", -1, 1) - 0.3) ** 2 + (trial.suggest_float("y", -1, 1) + 0.2) ** 2


def test_it_finds_the_bottom_of_a_bowl_in_either_direction() -> None:
    # A random point of this square is as near with probability π·0.005/4 < 0.004.
    for direction, sign in (("minimize", 1), ("maximize", -1)):
        study = optuna.create_study(direction=direction, sampler=Sampler(seed=1))
        study.optimize(lambda trial: sign * bowl(trial), n_trials=25)
        assert sign * study.best_value < 0.005


def test_the_same_seed_gives_the_same_trials() -> None:
    runs = []
    for _ in range(2):
        study = optuna.create_study(sampler=Sampler(seed=3))
        study.optimize(bowl, n_trials=12)
        runs.append([trial.params for trial in study.trials])
    assert runs[0] == runs[1]


def test_running_trials_are_pending_points() -> None:
    study = optuna.create_study(sampler=Sampler(seed=0))
    study.optimize(bowl, n_trials=10)
    running = [study.ask() for _ in range(5)]
    points = {(t.suggest_float("x", -1, 1), t.suggest_float("y", -1, 1)) for t in running}
    assert len(points) == 5
    # Without the pending points the same sampler repeats itself: nothing else in the study has changed.
    blind = {tuple(_alone(study).values()) for _ in range(2)}
    assert len(blind) == 1


def _alone(study: optuna.Study) -> dict[str, float]:
    """What a new trial gets in a study that has only the completed trials of this one."""
    other = optuna.create_study(sampler=Sampler(seed=0))
    other.add_trials(study.get_trials(states=[optuna.trial.TrialState.COMPLETE]))
    trial = other.ask()
    return {name: trial.suggest_float(name, -1, 1) for name in ("x", "y")}


def test_a_running_trial_counts_before_it_has_asked_for_its_last_parameter() -> None:
    study = optuna.create_study(sampler=Sampler(seed=0))
    study.optimize(bowl, n_trials=10)
    first, second = study.ask(), study.ask()
    x = first.suggest_float("x", -1, 1)
    point = second.suggest_float("x", -1, 1), second.suggest_float("y", -1, 1)
    assert point != (x, first.suggest_float("y", -1, 1))


def test_trials_that_began_together_elsewhere_take_different_points() -> None:
    # Two processes that look before either has written: two samplers of one seed, and neither sees the other's lock.
    study = optuna.create_study(sampler=Sampler(seed=0))
    study.optimize(bowl, n_trials=8)
    trials = [study.ask(), study.ask()]
    space = study.sampler.infer_relative_search_space(study, trials[0])
    points = [Sampler(seed=0)._next(study, study.get_trials()[trial.number], space) for trial in trials]
    assert points[0] != points[1]


def test_a_point_that_another_process_took_meanwhile_is_chosen_again() -> None:
    class Stale(Sampler):
        """Its first look does not see what is running, as if that had been written just after it."""

        looks = 0

        def _next(self, study, trial, search_space, ahead=0):
            self.looks += 1
            if self.looks > 1:
                return super()._next(study, trial, search_space, ahead)
            alone = optuna.create_study()
            alone.add_trials(study.get_trials(states=[optuna.trial.TrialState.COMPLETE]))
            return super()._next(alone, trial, search_space, ahead)

    study = optuna.create_study(sampler=Sampler(seed=0))
    study.optimize(bowl, n_trials=10)
    study.sampler = Sampler(seed=0)
    first = study.ask()
    taken = first.suggest_float("x", -1, 1), first.suggest_float("y", -1, 1)
    study.sampler = Stale(seed=0)
    second = study.ask()
    assert (second.suggest_float("x", -1, 1), second.suggest_float("y", -1, 1)) != taken
    assert study.sampler.looks == 2


def test_processes_that_share_a_storage_never_take_the_same_point(tmp_path) -> None:
    program = """
import sys, optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from elbowroom.optuna import Sampler
optuna.logging.set_verbosity(optuna.logging.ERROR)
storage = JournalStorage(JournalFileBackend(sys.argv[1]))
study = optuna.create_study(storage=storage, study_name="s", load_if_exists=True, sampler=Sampler(seed=0))
study.optimize(lambda t: (t.suggest_float("x", -1, 1) - 0.3) ** 2 + t.suggest_float("y", -1, 1) ** 2, n_trials=8)
"""
    path = str(tmp_path / "journal")
    begun = [subprocess.Popen([sys.executable, "-c", program, path]) for _ in range(2)]
    assert [process.wait() for process in begun] == [0, 0]
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(path))
    trials = optuna.load_study(storage=storage, study_name="s").trials
    # The first trial of each comes from its own random sampler, and the two have the same seed.
    assert len(trials) == 16 and len({tuple(trial.params.values()) for trial in trials[2:]}) == 14


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_threads_never_take_the_same_point(n_jobs: int) -> None:
    study = optuna.create_study(sampler=Sampler(seed=0))
    study.optimize(bowl, n_trials=20, n_jobs=n_jobs)
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 20


def test_no_point_of_a_finite_space_is_repeated_until_it_is_used_up() -> None:
    study = optuna.create_study(sampler=Sampler(seed=0))

    def objective(trial: optuna.Trial) -> float:
        a = trial.suggest_int("a", 0, 4, step=2)
        b = trial.suggest_categorical("b", ["u", None, True])
        c = trial.suggest_float("c", 0.0, 0.3, step=0.3)
        return a + c + (b is None)

    study.optimize(objective, n_trials=18)
    # The first trial is the independent sampler's, and the model begins after it: 3 · 3 · 2 points.
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 18
    study.optimize(objective, n_trials=2)
    assert len(study.trials) == 20


@pytest.mark.parametrize(
    "distribution",
    [
        optuna.distributions.FloatDistribution(-10.2, 10.2, step=0.1),
        optuna.distributions.FloatDistribution(1e-7, 10, log=True),
        optuna.distributions.FloatDistribution(0.5, 0.5),
        optuna.distributions.IntDistribution(3, 9, step=2),
        optuna.distributions.IntDistribution(1, 1000, log=True),
        optuna.distributions.IntDistribution(0, 10**9, step=2),
        # These are more than a space can hold.
        optuna.distributions.IntDistribution(0, 2**60),
        optuna.distributions.IntDistribution(0, 2**60, step=2),
        optuna.distributions.IntDistribution(1, 2**50, log=True),
        optuna.distributions.FloatDistribution(0, 2.0**53, step=1.0),
        optuna.distributions.CategoricalDistribution([None, True, 1.5, "a", math.inf]),
    ],
)
def test_values_of_each_distribution_lie_in_it_and_come_back_as_they_went(distribution) -> None:
    study = optuna.create_study(sampler=Sampler(seed=0, initial=3))
    for i in range(8):
        trial = study.ask({"x": distribution, "y": optuna.distributions.FloatDistribution(0, 1)})
        assert distribution._contains(distribution.to_internal_repr(trial.params["x"]))
        study.tell(trial, trial.params["y"])
    if not isinstance(distribution, optuna.distributions.CategoricalDistribution):
        kind = float if isinstance(distribution, optuna.distributions.FloatDistribution) else int
        assert {type(trial.params["x"]) for trial in study.trials} == {kind}


def test_beside_a_range_that_is_too_wide_the_rest_is_learned() -> None:
    def objective(trial: optuna.Trial) -> float:
        trial.suggest_int("wide", 0, 2**60)
        return bowl(trial)

    study = optuna.create_study(sampler=Sampler(seed=1))
    study.optimize(objective, n_trials=25)
    assert study.best_value < 0.005
    assert all(optuna_point(trial).keys() == {"x", "y"} for trial in study.trials[1:])


def test_failed_pruned_infinite_and_nan_trials_do_not_stop_the_study() -> None:
    study = optuna.create_study(sampler=Sampler(seed=0))
    odd = iter([math.nan, math.inf, -math.inf, None, "pruned", ValueError()])

    def objective(trial: optuna.Trial) -> float:
        value = bowl(trial)
        trial.report(math.nan, 0)
        trial.report(-math.inf, 1)
        if trial.number % 2:
            what = next(odd, value)
            if what == "pruned":
                raise optuna.TrialPruned
            if isinstance(what, ValueError):
                raise what
            return what  # type: ignore[return-value]
        return value

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.optimize(objective, n_trials=24, catch=(ValueError,))
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 24


def test_the_branches_of_a_script_are_learned_and_searched() -> None:
    study = optuna.create_study(sampler=Sampler(seed=0))

    def objective(trial: optuna.Trial) -> float:
        if trial.suggest_categorical("kind", ["deep", "flat"]) == "deep":
            depth, n = trial.suggest_float("depth", 0, 1), trial.suggest_int("n", 1, 4)
            return sum((trial.suggest_float(f"w{i}", 0, 1) - depth) ** 2 for i in range(n)) + abs(n - 2) / 10
        return 10 + trial.suggest_float("width", 0, 1)

    with warnings.catch_warnings():
        # Every parameter is seen by the model.
        warnings.simplefilter("error")
        study.optimize(objective, n_trials=40)
    assert study.best_params.keys() == {"kind", "depth", "n", "w0", "w1"}
    # Random search in the best branch of three numbers comes to some 0.01 in its 5 trials or so.
    assert study.best_value < 1e-3


def test_points_given_by_the_user_may_lie_outside() -> None:
    study = optuna.create_study(sampler=Sampler(seed=0))
    study.enqueue_trial({"x": 5.0, "y": 0.0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.optimize(bowl, n_trials=8)
    assert study.trials[0].params["x"] == 5.0


@pytest.mark.parametrize("how", ["constraints_func", "set_constraint"])
def test_points_that_break_a_constraint_are_avoided(how: str) -> None:
    # The unconstrained minimum lies where x > 0 is forbidden: a sampler that saw only values would go there each time.
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", -1, 1)
        trial.set_user_attr("broken", x)
        if how == "set_constraint":
            trial.set_constraint("c", x)
        return (x - 0.8) ** 2

    asked = {"constraints_func": lambda trial: (trial.user_attrs["broken"],)} if how == "constraints_func" else {}
    study = optuna.create_study(sampler=Sampler(seed=0, initial=5, **asked))
    study.optimize(objective, n_trials=18)
    # The best point that is allowed is on the border, and the search stays there: beyond it by next to nothing. Once it has
    # that point to all digits there is nothing left to gain anywhere.
    assert all(trial.params["x"] < 0.01 for trial in study.trials[10:])
    assert 0.64 <= study.best_value < 0.65


def test_the_best_feasible_point_is_found_on_the_border_of_a_constraint() -> None:
    # The smallest x + y with x·y at least 1/4 is 1, at (1/2, 1/2). Of random points one in 200 is feasible and below 1.05.
    def objective(trial: optuna.Trial) -> float:
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        trial.set_constraint("product", 0.25 - x * y)
        return x + y

    study = optuna.create_study(sampler=Sampler(seed=1))
    study.optimize(objective, n_trials=25)
    assert 1 - 1e-9 <= study.best_value < 1.02


def test_of_several_objectives_the_front_is_found() -> None:
    # On the front y is 1/2, and a point x has x² and −(1 − x)². Up to (2, −2) its area is 11/6 + 2, and that of points spread
    # evenly on it the sum of their steps.
    evenly = [(i / 7) ** 2 for i in range(8)] + [2.0]
    spread = sum((evenly[i + 1] - evenly[i]) * (2 - (1 - i / 7) ** 2) for i in range(8))

    def objective(trial: optuna.Trial) -> tuple[float, float]:
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        return x**2 + (y - 0.5) ** 2, -((x - 1) ** 2) - (y - 0.5) ** 2

    areas = {}
    for sampler in (Sampler(seed=1), optuna.samplers.RandomSampler(seed=1)):
        study = optuna.create_study(directions=["minimize", "maximize"], sampler=sampler)
        study.optimize(objective, n_trials=24)
        area = before = 0.0
        for left, right in sorted((2 - trial.values[0], trial.values[1] + 2) for trial in study.best_trials):
            area, before = area + (left - before) * right, left
        areas[type(sampler).__name__] = area
    assert spread < areas["Sampler"] < 23 / 6
    assert areas["Sampler"] > areas["RandomSampler"]


@pytest.mark.parametrize("directions", [["minimize"] * 2, ["maximize"] * 3, ["minimize", "maximize"] * 2])
def test_several_objectives_and_constraints_go_together(directions: list[str]) -> None:
    def objective(trial: optuna.Trial) -> list[float]:
        # A parameter may have any name, also one that the objectives have inside.
        x, y = trial.suggest_float("objective 0", 0, 1), trial.suggest_int("y", 0, 5)
        trial.set_user_attr("c", (x - 0.5, 1 - y))
        if trial.number == 3:
            return [math.inf] * len(directions)
        return [(x - i / 4) ** 2 + y for i in range(len(directions))]

    sampler = Sampler(seed=0, initial=6, constraints_func=lambda trial: trial.user_attrs["c"])
    study = optuna.create_study(directions=directions, sampler=sampler)
    study.optimize(objective, n_trials=16)
    assert [trial.state.name for trial in study.trials] == ["COMPLETE"] * 16
    late = study.trials[8:]
    assert sum(max(trial.user_attrs["c"]) <= 0 for trial in late) > len(late) / 2


def test_a_constraint_that_is_infinite_says_only_that_it_is_broken() -> None:
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        trial.set_constraint("c", math.inf if x > 0.5 else -math.inf)
        return -x

    study = optuna.create_study(sampler=Sampler(seed=0, initial=4))
    study.optimize(objective, n_trials=14)
    assert sum(trial.params["x"] > 0.5 for trial in study.trials[6:]) < 6


def test_a_constraint_that_is_nan_is_refused() -> None:
    study = optuna.create_study(sampler=Sampler(seed=0, constraints_func=lambda trial: (math.nan,)))
    with pytest.raises(ValueError, match="NaN"):
        study.optimize(bowl, n_trials=1)


def test_reseeding_changes_the_points() -> None:
    sampler = Sampler(seed=0)
    before = sampler._seed
    sampler.reseed_rng()
    assert sampler._seed != before


def test_it_pickles_and_copies() -> None:
    for sampler in (pickle.loads(pickle.dumps(Sampler(seed=4))), copy.deepcopy(Sampler(seed=4))):
        study = optuna.create_study(sampler=sampler)
        study.optimize(bowl, n_trials=3)
        again = optuna.create_study(sampler=Sampler(seed=4))
        again.optimize(bowl, n_trials=3)
        assert [trial.params for trial in study.trials] == [trial.params for trial in again.trials]


def test_long_points_fit_a_database() -> None:
    # A database's attribute holds 2045 characters; 80 parameters need more.
    storage = optuna.storages.RDBStorage("sqlite:///:memory:")
    study = optuna.create_study(storage=storage, sampler=Sampler(seed=0))
    study.optimize(lambda trial: sum(trial.suggest_float(f"a_long_name_{i}", 0, 1) for i in range(80)), n_trials=2)
    trial = study.ask()
    x = trial.suggest_float("a_long_name_0", 0, 1)
    written = optuna_point(study.trials[-1])
    assert len(written) == 80 and written["a_long_name_0"] == x


def test_two_threads_see_each_others_points_while_neither_has_finished() -> None:
    study = optuna.create_study(sampler=Sampler(seed=0))
    study.optimize(bowl, n_trials=10)
    meet = threading.Barrier(3)

    def objective(trial: optuna.Trial) -> float:
        value = bowl(trial)
        meet.wait(timeout=60)
        return value

    study.optimize(objective, n_trials=3, n_jobs=3)
    assert len({tuple(trial.params.values()) for trial in study.trials[10:]}) == 3


def test_parameters_that_the_model_cannot_see_are_warned_of_once_each() -> None:
    def changing(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", -1, 1)
        # No choice says when this one is asked for, and the range of the other changes.
        y = trial.suggest_float("now and then", 0, 1) if trial.number % 3 == 0 else 0.0
        return x**2 + y + trial.suggest_float("wider", 0, 1 + trial.number)

    study = optuna.create_study(sampler=Sampler(seed=0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study.optimize(changing, n_trials=12)
    said = [str(one.message) for one in caught if "the model does not see" in str(one.message)]
    assert sorted(text.split("'")[1] for text in said) == ["now and then", "wider"]
    assert all("RandomSampler" in text for text in said)
    assert any("no choice of a category" in text for text in said) and any("its range changes" in text for text in said)

    quiet = optuna.create_study(sampler=Sampler(seed=0, warn_independent_sampling=False))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiet.optimize(changing, n_trials=6)
