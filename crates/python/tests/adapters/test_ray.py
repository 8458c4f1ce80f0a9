"""Ray Tune: as a searcher by itself, and under a tuner."""

from __future__ import annotations

import math
import os
import pickle

import pytest

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
ray = pytest.importorskip("ray", reason="ray has no wheel for this Python or system")
pytest.importorskip("ray.tune", reason="ray is installed without tune")

from ray import tune  # noqa: E402
from ray.tune.search import ConcurrencyLimiter, Searcher  # noqa: E402

import elbowroom as er  # noqa: E402
from elbowroom.ray import Search  # noqa: E402

SPACE = {"x": er.Float(0, 1), "inner": {"y": tune.uniform(-1, 1)}}


def bowl(config: dict) -> float:
    return (config["x"] - 0.3) ** 2 + config["inner"]["y"] ** 2


def drive(search: Searcher, n: int, at_a_time: int = 1) -> list[dict]:
    """What a tuner does with a searcher, without the tuner."""
    configs: list[dict] = []
    while len(configs) < n:
        live = [f"t{len(configs) + i}" for i in range(at_a_time)]
        asked = [search.suggest(name) for name in live]
        for name, config in zip(live, asked):
            search.on_trial_complete(name, {"loss": bowl(config)})
        configs += asked
    return configs


def test_it_finds_the_bottom_of_a_bowl_in_either_mode() -> None:
    # A random point of this rectangle is as near with probability π·0.005/2 < 0.008.
    search = Search(SPACE, metric="loss", mode="min", seed=0)
    drive(search, 24, at_a_time=2)
    assert search.study.best.value < 0.005
    search = Search({"x": er.Float(0, 1)}, metric="gain", mode="max", seed=0)
    for i in range(10):
        config = search.suggest(f"t{i}")
        search.on_trial_complete(f"t{i}", {"gain": config["x"]})
    assert search.study.best.params["x"] > 0.95


@pytest.mark.parametrize(
    ("domain", "parameter", "valid"),
    [
        (tune.uniform(0, 2), er.Float(0, 2), lambda v: 0 <= v <= 2),
        (tune.loguniform(1e-4, 1), er.Float(1e-4, 1, log=True), lambda v: 1e-4 <= v <= 1),
        (tune.quniform(-1, 1, 0.25), er.Int(-4, 4), lambda v: v in {i / 4 for i in range(-4, 5)}),
        (tune.qloguniform(0.5, 8, 0.5), er.Int(1, 16, log=True), lambda v: v in {i / 2 for i in range(1, 17)}),
        (tune.randint(2, 9), er.Int(2, 8), lambda v: v in range(2, 9)),
        (tune.lograndint(1, 100), er.Int(1, 99, log=True), lambda v: v in range(1, 100)),
        (tune.qrandint(0, 10, 5), er.Int(0, 2), lambda v: v in (0, 5, 10)),
        (tune.choice(["a", None, (1, 2)]), er.Categorical(["a", None, (1, 2)]), lambda v: v in ("a", None, (1, 2))),
        (er.Ordered([1, 10, 100]), er.Ordered([1, 10, 100]), lambda v: v in (1, 10, 100)),
    ],
)
def test_domains_become_parameters(domain, parameter, valid) -> None:
    search = Search({"a": {"b": domain}}, metric="loss", mode="min", seed=0)
    values = [search.suggest(f"t{i}")["a"]["b"] for i in range(3)]
    assert search.study.space == {"a/b": parameter}
    assert all(valid(value) for value in values)
    if isinstance(domain, tune.search.sample.Domain):
        assert all(domain.is_valid(value) for value in values)


@pytest.mark.parametrize("domain", [tune.randn(0, 1), tune.sample_from(lambda _: 1), tune.grid_search([1, 2])])
def test_what_cannot_be_searched_is_named(domain) -> None:
    with pytest.raises(er.SpaceError, match="parameter `a/b`"):
        Search({"a": {"b": domain}}, metric="loss", mode="min")


def test_a_search_needs_a_space_a_metric_and_a_mode() -> None:
    with pytest.raises(er.SpaceError, match="param_space"):
        Search(metric="loss", mode="min").suggest("t")
    with pytest.raises(er.ConfigError, match="metric"):
        Search(SPACE).suggest("t")


def test_the_tuners_space_is_taken_unless_there_is_one() -> None:
    search = Search(seed=0)
    assert search.set_search_properties("loss", "min", {"z": tune.uniform(0, 1), "epochs": 3})
    assert search.suggest("t").keys() == {"z"}
    assert not Search(SPACE).set_search_properties("loss", "min", {"z": tune.uniform(0, 1)})
    assert Search(SPACE).set_search_properties("loss", "min", {"epochs": 3})


def test_trials_under_way_are_pending_and_no_point_comes_twice() -> None:
    search = Search(SPACE, metric="loss", mode="min", seed=0)
    drive(search, 8)
    points = [search.suggest(f"live{i}") for i in range(4)]
    assert search.study.counts["running"] == 4
    assert len({(p["x"], p["inner"]["y"]) for p in points}) == 4


def test_a_limiter_limits_also_in_batches() -> None:
    # The searcher says that it does not limit by itself, so that the limiter does, with its batches.
    inner = Search(SPACE, metric="loss", mode="min", seed=0)
    limited = ConcurrencyLimiter(inner, max_concurrent=2, batch=True)
    limited.set_search_properties("loss", "min", {})
    assert limited.suggest("a") and limited.suggest("b")
    assert limited.suggest("c") is None
    assert inner.study.counts["running"] == 2
    limited.on_trial_complete("a", {"loss": 1.0})
    assert limited.suggest("c") is None
    limited.on_trial_complete("b", {"loss": 2.0})
    assert limited.suggest("c") and inner.study.counts["complete"] == 2


def test_errors_and_odd_results_fail_the_trial() -> None:
    search = Search(SPACE, metric="loss", mode="min", seed=0)
    for name in "abcde":
        search.suggest(name)
    search.on_trial_complete("a", error=True)
    search.on_trial_complete("b", {"loss": math.nan})
    search.on_trial_complete("c", {"other": 1.0})
    search.on_trial_complete("d")
    search.on_trial_complete("unknown", {"loss": 0.0})
    assert [trial.state for trial in search.study.trials] == ["failed"] * 4 + ["running"]


def two_bowls(config: dict) -> dict[str, float]:
    x, y = config["x"], config["inner"]["y"]
    return {"left": x**2 + y**2, "right": -((x - 1) ** 2) - y**2, "sum": x + y}


def test_lists_of_metrics_and_modes_search_the_front() -> None:
    search = Search(SPACE, metric=["left", "right", "sum"], mode=["min", "max", "obs"], seed=0)
    for i in range(20):
        search.on_trial_complete(f"t{i}", two_bowls(search.suggest(f"t{i}")))
    front = search.study.front
    assert [(one.name, one.goal) for one in front.objectives] == [("left", "minimize"), ("right", "maximize")]
    assert len(front) > 6 and all("sum" in trial.results for trial in front)
    search.add_evaluated_point({"x": 0.0, "inner": {"y": 0.0}}, [0.0, -1.0])
    search.add_evaluated_point({"x": 1.0, "inner": {"y": 0.0}}, {"left": 1.0, "right": 0.0})
    # Nothing beats the bottoms themselves.
    assert {20, 21} <= {trial.number for trial in search.study.front}


def test_outcomes_have_limits_and_take_the_place_of_metric_and_mode() -> None:
    search = Search(SPACE, outcomes={"right": er.Maximize(), "sum": er.AtMost(0.5), "hours": er.Watched()}, seed=0)
    for i in range(20):
        search.on_trial_complete(f"t{i}", {**two_bowls(search.suggest(f"t{i}")), "unasked": 3})
    best = search.study.best
    # On the line x + y = 1/2 the nearest point to (1, 0) is (3/4, -1/4), at -1/8.
    assert best.feasible and -1 / 8 - 0.02 < best.value <= -1 / 8 + 1e-9
    assert best.results.keys() == {"right", "sum"}


def test_a_result_without_one_of_the_objectives_fails_the_trial_and_says_which() -> None:
    search = Search(SPACE, metric=["left", "right"], mode=["min", "max"], seed=0)
    for name, result in (("a", {"left": 1.0}), ("b", {"left": 1.0, "right": math.inf}), ("c", {"left": 1, "right": 2})):
        search.suggest(name)
        search.on_trial_complete(name, result)
    assert [trial.state for trial in search.study.trials] == ["failed", "failed", "complete"]
    assert [trial.reason for trial in search.study.trials][:2] == [
        "its last result has right None",
        "its last result has right inf",
    ]
    with pytest.raises(er.ConfigError, match="or lists of both"):
        Search(SPACE, metric="loss", mode=None).suggest("t")


def test_a_used_up_space_finishes_the_search() -> None:
    search = Search({"a": tune.choice([1, 2])}, metric="loss", mode="min", seed=0)
    assert {search.suggest("s")["a"], search.suggest("t")["a"]} == {1, 2}
    assert search.suggest("u") == Searcher.FINISHED


def test_points_to_evaluate_come_first_and_earlier_results_count() -> None:
    first = [{"x": 0.5, "inner": {"y": 0.25}}]
    search = Search(SPACE, metric="loss", mode="min", seed=0, points_to_evaluate=first)
    assert search.suggest("t") == first[0]
    search.add_evaluated_point({"x": 0.1, "inner": {"y": 0.0}}, 0.04)
    search.add_evaluated_point({"x": 0.9, "inner": {"y": 0.0}}, 0.0, error=True)
    assert search.study.best.value == 0.04
    assert search.study.counts["failed"] == 1


def test_a_restored_search_goes_on_as_if_nothing_had_happened(tmp_path) -> None:
    space = {"x": er.Float(0, 1), "inner": {"y": tune.quniform(-1, 1, 0.125)}, "f": tune.choice([math.sin, math.cos])}

    given = [{"x": 0.5, "inner": {"y": 0}, "f": f} for f in (math.sin, math.cos)]

    def new() -> Search:
        return Search(space, metric="loss", mode="min", seed=0, points_to_evaluate=given)

    whole, again = new(), new()
    whole.suggest("first")
    whole.save(str(tmp_path / "search"))
    again.restore(str(tmp_path / "search"))
    for search in (whole, again):
        search.suggest("second")
        search.on_trial_complete("first", {"loss": 1.0})
    assert [whole.suggest(f"t{i}") for i in range(6)] == [again.suggest(f"t{i}") for i in range(6)]
    assert again.study.counts == whole.study.counts


def test_it_pickles() -> None:
    search = Search(SPACE, metric="loss", mode="min", seed=0)
    search.suggest("t")
    assert pickle.loads(pickle.dumps(search)).suggest("u") == search.suggest("u")


@pytest.fixture(scope="module")
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


def test_a_tuner_runs_with_it_and_is_restored(cluster, tmp_path) -> None:
    # Inside, so that it is sent to the workers whole and not by the name of this file.
    def trainable(config: dict) -> None:
        tune.report({"loss": (config["x"] - 0.3) ** 2 + config["inner"]["y"] ** 2})

    search = Search(SPACE, seed=0)
    config = tune.TuneConfig(search_alg=search, metric="loss", mode="min", num_samples=6, max_concurrent_trials=2)
    tuner = tune.Tuner(
        trainable,
        param_space={"epochs": 3},
        tune_config=config,
        run_config=tune.RunConfig(name="run", storage_path=str(tmp_path), verbose=0),
    )
    results = tuner.fit()
    assert len(results) == 6 and not results.errors
    assert {result.config["epochs"] for result in results} == {3}
    # The searcher's file in the experiment's folder has all trials with their values.
    again = Search(SPACE, metric="loss", mode="min")
    again.restore_from_dir(str(tmp_path / "run"))
    assert sorted(trial.value for trial in again.study.trials) == sorted(r.metrics["loss"] for r in results)
    assert again.study.best.value == results.get_best_result().metrics["loss"]
