"""scikit-learn: its own checks of estimators, and each promise of ``RandomizedSearchCV``."""

from __future__ import annotations

import math
import pickle
import warnings

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

import joblib  # noqa: E402
from scipy import stats  # noqa: E402
from sklearn.base import BaseEstimator, clone, is_classifier  # noqa: E402
from sklearn.datasets import load_iris, make_regression  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.linear_model import LogisticRegression, Ridge  # noqa: E402
from sklearn.model_selection import GroupKFold, RandomizedSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import Pipeline, make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import SVC  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import elbowroom as er  # noqa: E402
from elbowroom.sklearn import SearchCV, _batch_size, _parameter  # noqa: E402

X, Y = load_iris(return_X_y=True)
SPACE = {"C": er.Float(1e-2, 1e2, log=True)}


def not_ours(search: SearchCV) -> dict[str, str]:
    """What scikit-learn expects to fail for its own RandomizedSearchCV, by its own table."""
    from sklearn.utils._test_common.instance_generator import PER_ESTIMATOR_XFAIL_CHECKS

    return dict(PER_ESTIMATOR_XFAIL_CHECKS[RandomizedSearchCV])


# Like the instances with which scikit-learn checks its own RandomizedSearchCV, with fewer settings and a space of ours.
@parametrize_with_checks(
    [
        SearchCV(LogisticRegression(max_iter=20), {"C": er.Float(0.1, 10, log=True)}, n_iter=2, cv=2, random_state=0),
        SearchCV(Ridge(), {"alpha": [0.1, 1.0]}, n_iter=2, cv=2, error_score="raise", random_state=0),
        SearchCV(
            Pipeline([("pca", PCA()), ("ridge", Ridge())]), {"ridge__alpha": [0.1, 1.0]}, n_iter=2, cv=2, random_state=0
        ),
    ],
    expected_failed_checks=not_ours,
)
def test_scikit_learns_checks_pass(estimator, check) -> None:
    check(estimator)


class Peak(BaseEstimator):
    """Its score is known: -(x - 0.3)² - (y - 0.7)², whatever the data."""

    def __init__(self, x=0.0, y=0.0, kind="a"):
        self.x, self.y, self.kind = x, y, kind

    def fit(self, X, y=None):
        return self

    def score(self, X, y=None):
        return -((self.x - 0.3) ** 2) - (self.y - 0.7) ** 2 - (self.kind == "b")


def test_it_finds_what_random_search_does_not() -> None:
    # Of 30 uniform points of the square none is as near with probability (1 - π·0.001)³⁰ > 0.9.
    space = {"x": er.Float(0, 1), "y": stats.uniform(0, 1), "kind": ["a", "b"]}
    search = SearchCV(Peak(), space, n_iter=30, cv=2, random_state=0).fit(X)
    assert search.best_score_ > -0.001


def test_it_is_a_drop_in() -> None:
    # The same call, and the same attributes and keys of the results.
    arguments = {"n_iter": 5, "cv": 3, "random_state": 0, "return_train_score": True}
    distributions = {"C": stats.loguniform(1e-2, 1e2), "kernel": ["linear", "rbf"]}
    ours = SearchCV(SVC(), distributions, **arguments).fit(X, Y)
    theirs = RandomizedSearchCV(SVC(), distributions, **arguments).fit(X, Y)
    assert isinstance(ours, RandomizedSearchCV) and is_classifier(ours)
    assert ours.cv_results_.keys() == theirs.cv_results_.keys()
    assert {key: np.asarray(value).dtype.kind for key, value in ours.cv_results_.items()} == {
        key: np.asarray(value).dtype.kind for key, value in theirs.cv_results_.items()
    }
    fitted = {name for name in vars(theirs) if name.endswith("_")}
    assert fitted == {name for name in vars(ours) if name.endswith("_")} - {"studies_", "study_"}
    assert ours.predict(X).shape == theirs.predict(X).shape
    assert theirs.get_params(deep=False).keys() <= ours.get_params(deep=False).keys()
    # The scores are those of scikit-learn for the same settings.
    again = cross_val_score(SVC(**ours.best_params_), X, Y, cv=3).mean()
    assert math.isclose(ours.best_score_, again)


def test_the_same_seed_gives_the_same_results_and_cloning_changes_nothing() -> None:
    search = SearchCV(SVC(), SPACE, n_iter=6, cv=2, random_state=5)
    results = [one.fit(X, Y).cv_results_["params"] for one in (search, clone(search), search)]
    assert results[0] == results[1] == results[2]
    other = clone(search).set_params(random_state=6).fit(X, Y)
    assert other.cv_results_["params"] != results[0]


def test_a_fitted_search_pickles() -> None:
    search = SearchCV(SVC(), {"kernel": ["linear", "rbf"], **SPACE}, n_iter=4, cv=2, random_state=0).fit(X, Y)
    again = pickle.loads(pickle.dumps(search))
    assert again.best_params_ == search.best_params_
    assert again.studies_[0].best.params == search.studies_[0].best.params


def test_of_several_metrics_the_one_of_refit_is_searched() -> None:
    scoring = {"far": lambda one, X, y=None: one.x, "near": lambda one, X, y=None: -one.x}
    space = {"x": er.Float(0, 1)}
    for refit, best in (("far", 1.0), ("near", 0.0)):
        search = SearchCV(Peak(), space, n_iter=12, cv=2, random_state=0, scoring=scoring, refit=refit).fit(X)
        assert abs(search.best_params_["x"] - best) < 0.02
        assert search.studies_[0].best.value == search.best_score_
        assert {"mean_test_far", "mean_test_near"} <= search.cv_results_.keys()
        assert search.best_estimator_.x == search.best_params_["x"]


def test_refit_may_choose_by_a_function_or_not_at_all() -> None:
    scoring = {"far": lambda one, X, y=None: one.x, "near": lambda one, X, y=None: -one.x}
    search = SearchCV(
        Peak(), {"x": er.Float(0, 1)}, n_iter=5, cv=2, random_state=0, scoring=scoring, refit=lambda results: 3
    ).fit(X)
    assert search.best_index_ == 3
    search = clone(search).set_params(refit=False).fit(X)
    assert not hasattr(search, "best_estimator_") and len(search.cv_results_["params"]) == 5


def test_where_refit_names_no_metric_the_front_of_all_metrics_is_searched() -> None:
    # The scores of x and y are those of two bowls: between their bottoms no point beats another, and elsewhere each is beaten.
    scoring = {
        "left": lambda one, X, y=None: -(one.x**2) - (one.y - 0.5) ** 2,
        "right": lambda one, X, y=None: -((one.x - 1) ** 2) - (one.y - 0.5) ** 2,
    }

    def middle(results) -> int:
        return int(np.argmax(np.minimum(results["mean_test_left"], results["mean_test_right"])))

    space = {"x": er.Float(0, 1), "y": er.Float(0, 1)}
    search = SearchCV(Peak(), space, n_iter=24, cv=2, random_state=0, scoring=scoring, refit=middle).fit(X)
    front = search.studies_[0].front
    assert [one.name for one in front.objectives] == ["left", "right"] and len(front) > 6
    assert sum(abs(trial["y"] - 0.5) < 0.1 for trial in front) > len(front) / 2
    # The point between both is (1/2, 1/2), with -1/4 in each.
    assert abs(search.best_params_["x"] - 0.5) < 0.1 and abs(search.best_params_["y"] - 0.5) < 0.1
    for name in ("left", "right"):
        told = [trial.results[name] for trial in search.studies_[0].trials]
        assert told == list(search.cv_results_[f"mean_test_{name}"])


def test_options_say_what_metrics_and_times_are_for() -> None:
    scoring = {"gain": lambda one, X, y=None: one.x, "size": lambda one, X, y=None: 2 * one.x}
    outcomes = {"gain": er.Maximize(), "size": er.AtMost(1), "score_time": er.Watched()}
    arguments = {"n_iter": 14, "cv": 2, "random_state": 0, "scoring": scoring, "refit": "gain"}
    search = SearchCV(Peak(), {"x": er.Float(0, 1)}, options={"outcomes": outcomes}, **arguments).fit(X)
    [study] = search.studies_
    assert study.best.results["gain"] == pytest.approx(0.5, abs=0.01) and study.best.feasible
    assert [trial.results["score_time"] for trial in study.trials] == list(search.cv_results_["mean_score_time"])
    # By scikit-learn's rule `refit` is the best by its metric alone.
    assert search.best_index_ == int(np.argmax(search.cv_results_["mean_test_gain"]))
    unknown = SearchCV(Peak(), {"x": er.Float(0, 1)}, options={"outcomes": {"gian": er.Maximize()}}, **arguments)
    with pytest.raises(er.ConfigError, match="`gian` is not a metric of this search\n  try: use one of gain, size, fit_time"):
        unknown.fit(X)


def test_a_setting_with_an_objective_that_is_not_finite_is_infeasible() -> None:
    scoring = {"a": lambda one, X, y=None: one.x, "b": lambda one, X, y=None: math.nan if one.x > 0.5 else 1 - one.x}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = SearchCV(
            Peak(), {"x": er.Float(0, 1)}, n_iter=8, cv=2, random_state=0, scoring=scoring, refit=False
        ).fit(X)
    trials = search.studies_[0].trials
    assert {trial.state for trial in trials if trial["x"] > 0.5} == {"infeasible"}
    assert {trial.reason for trial in trials if trial["x"] > 0.5} == {"b is nan"}
    assert {trial.state for trial in trials if trial["x"] <= 0.5} == {"complete"}


def test_pipelines_and_whole_steps_are_searched() -> None:
    x, y = make_regression(60, 5, noise=1.0, random_state=0)
    pipe = Pipeline([("scale", StandardScaler()), ("model", Ridge())])
    space = {"model__alpha": er.Float(1e-3, 1e3, log=True), "scale": [StandardScaler(), "passthrough", None]}
    search = SearchCV(pipe, space, n_iter=15, cv=3, random_state=0).fit(x, y)
    assert search.best_params_["model__alpha"] < 10
    assert search.score(x, y) > 0.9


def test_a_list_of_spaces_is_searched_in_turn() -> None:
    spaces = [{"kernel": ["linear"], **SPACE}, {"kernel": ["rbf"], **SPACE, "gamma": er.Float(1e-3, 1, log=True)}]
    search = SearchCV(SVC(), spaces, n_iter=8, cv=2, random_state=0).fit(X, Y)
    kernels = [params["kernel"] for params in search.cv_results_["params"]]
    assert kernels == ["linear", "rbf"] * 4
    assert np.ma.is_masked(search.cv_results_["param_gamma"])


class Fails(Peak):
    def fit(self, X, y=None):
        if self.x > 0.5:
            raise ValueError("too large")
        return self


@pytest.mark.filterwarnings("ignore")
def test_fits_that_fail_are_in_the_results_and_avoided() -> None:
    # One setting in a batch: scikit-learn refuses a call none of whose fits succeeds, and the search goes on.
    space = {"x": er.Float(0, 1)}
    search = SearchCV(Fails(), space, n_iter=12, cv=2, random_state=0).fit(X)
    tried = [params["x"] for params in search.cv_results_["params"]]
    assert len(set(tried)) == len(tried) >= 11 and max(tried) > 0.5
    assert [math.isnan(score) for score in search.cv_results_["mean_test_score"]] == [x > 0.5 for x in tried]
    assert search.best_params_["x"] <= 0.5
    assert search.studies_[0].counts["infeasible"] >= sum(x > 0.5 for x in tried)


@pytest.mark.filterwarnings("ignore")
def test_a_search_of_which_every_fit_fails_says_so_as_random_search_does() -> None:
    for kind in (SearchCV, RandomizedSearchCV):
        with pytest.raises(ValueError, match="fits failed"):
            kind(Fails(), {"x": stats.uniform(2, 1)}, n_iter=4, cv=2, random_state=0).fit(X)
        with pytest.raises(ValueError, match="too large"):
            kind(Fails(), {"x": stats.uniform(2, 1)}, n_iter=4, cv=2, random_state=0, error_score="raise").fit(X)


def test_a_used_up_space_ends_the_search_with_a_warning() -> None:
    # RandomizedSearchCV warns in the same case.
    search = SearchCV(Peak(), {"kind": ["a", "b"], "x": [0, 1]}, n_iter=9, cv=2, random_state=0)
    with pytest.warns(UserWarning, match="4 settings"):
        search.fit(X)
    assert len(search.cv_results_["params"]) == 4


def test_an_empty_space_is_one_setting() -> None:
    with pytest.warns(UserWarning, match="only 1 setting,"):
        assert SearchCV(Peak(), {}, n_iter=2, cv=2).fit(X).cv_results_["params"] == [{}]


@pytest.mark.parametrize(("n_jobs", "n_splits"), [(j, s) for j in (1, 2, 3, 4, 7, 8, 16, 64) for s in (2, 3, 5, 10)])
def test_a_batch_keeps_nine_in_ten_workers_busy_and_no_smaller_one_does(n_jobs: int, n_splits: int) -> None:
    def busy(n: int) -> float:
        rounds = -(-n * n_splits // n_jobs)
        return n * n_splits / (rounds * n_jobs)

    n = _batch_size(n_jobs, n_splits)
    assert busy(n) >= 0.9 and all(busy(fewer) < 0.9 for fewer in range(1, n))


def test_batches_are_matched_to_the_workers(monkeypatch) -> None:
    # Three jobs and two splits: a batch of three settings is six fits, two rounds of three. Of 7 settings one is left.
    asked: list[int] = []
    search = SearchCV(Peak(), {"x": er.Float(0, 1)}, n_iter=7, cv=2, random_state=0, n_jobs=3)
    whole = search._run_search

    def counted(evaluate):
        whole(lambda candidates: (asked.append(len(candidates)), evaluate(candidates))[1])

    monkeypatch.setattr(search, "_run_search", counted)
    with joblib.parallel_backend("threading"):
        search.fit(X)
    assert asked == [3, 3, 1]


def test_groups_and_fit_parameters_reach_the_splitter_and_the_estimator() -> None:
    search = SearchCV(SVC(), SPACE, n_iter=3, cv=GroupKFold(3), random_state=0)
    search.fit(X, Y, groups=np.arange(len(Y)) % 3)
    assert search.n_splits_ == 3
    SearchCV(SVC(), SPACE, n_iter=2, cv=2, random_state=0).fit(X, Y, sample_weight=np.ones(len(Y)))


@pytest.mark.parametrize(
    ("values", "parameter"),
    [
        (stats.uniform(2, 3), er.Float(2, 5)),
        (stats.loguniform(1e-3, 10), er.Float(1e-3, 10, log=True)),
        (stats.randint(2, 9), er.Int(2, 8)),
        # Of a Poisson law with mean 4, P(k ≤ 0) = 0.018 and P(k ≤ 11) = 0.99908 (tables).
        (stats.poisson(4), er.Int(0, 11)),
        (stats.norm(0, 1), er.Float(0.001, 0.999)),
        ([1, 10, 100], er.Ordered([1, 10, 100])),
        (np.array([3.0, 2.0, 1.0]), er.Ordered([3.0, 2.0, 1.0])),
        ([3, 1, 2], er.Categorical([3, 1, 2])),
        ([True, False], er.Categorical([True, False])),
        (["a", "b", "a"], er.Categorical(["a", "b"])),
        ([1, 1.0, 2, 3], er.Ordered([1, 2, 3])),
        ([1, True, [2], [2]], er.Categorical([1, True, [2]])),
        (list(np.array([0.5, 1.0, 2.0])), er.Ordered([0.5, 1.0, 2.0])),
        (["a", None], er.Categorical(["a", None])),
        (er.Int(1, 3), er.Int(1, 3)),
    ],
)
def test_values_become_parameters(values, parameter) -> None:
    assert _parameter("x", values) == parameter


def test_other_distributions_are_searched_by_quantile() -> None:
    search = SearchCV(Peak(), {"x": stats.norm(0, 1)}, n_iter=15, cv=2, random_state=0).fit(X)
    assert abs(search.best_params_["x"] - 0.3) < 0.05
    assert any(params["x"] < 0 for params in search.cv_results_["params"])


def test_values_that_cannot_be_searched_are_named() -> None:
    with pytest.raises(er.SpaceError, match="parameter `x`"):
        SearchCV(Peak(), {"x": "abc"}, n_iter=2, cv=2).fit(X)


def test_the_backend_of_joblib_says_how_many_jobs_there_are() -> None:
    with joblib.parallel_backend("threading", n_jobs=2):
        search = SearchCV(make_pipeline(SVC()), {"svc__C": er.Float(0.1, 10, log=True)}, n_iter=4, cv=2).fit(X, Y)
    assert len(search.cv_results_["params"]) == 4


def test_a_search_in_a_store_goes_on_from_what_the_store_knows(tmp_path):
    store, data = tmp_path / "search.elbow", load_iris(return_X_y=True)
    first = SearchCV(SVC(), {"C": er.Float(0.01, 100, log=True)}, n_iter=4, store=store).fit(*data)
    assert first.study_ is first.studies_[0] and first.study_.name == "search"
    with pytest.warns(UserWarning, match="already has 4 settings from earlier fits: .* adds 3 more"):
        second = SearchCV(SVC(), {"C": er.Float(0.01, 100, log=True)}, n_iter=3, store=store).fit(*data)
    assert len(second.study_.trials) == 7 and len(second.cv_results_["params"]) == 3
    assert er.Study.open(store, "search").best.value == max(first.best_score_, second.best_score_)


def test_each_of_several_spaces_has_a_study_of_its_own_in_the_store(tmp_path):
    store = tmp_path / "search.elbow"
    spaces = [{"kernel": ["linear"], "C": er.Float(0.1, 10)}, {"kernel": ["rbf"], "gamma": er.Float(0.1, 10)}]
    search = SearchCV(SVC(), spaces, n_iter=4, store=store, options={"name": "svc"}).fit(*load_iris(return_X_y=True))
    assert [one.name for one in er.studies(store)] == ["svc 1", "svc 2"]
    assert len(search.studies_) == 2 and not hasattr(search, "study_")


def test_a_search_shows_the_best_so_far(capsys):
    search = SearchCV(SVC(), {"C": er.Float(0.01, 100, log=True)}, n_iter=4, random_state=0, progress=True)
    search.fit(*load_iris(return_X_y=True))
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"4 of 4 trials, best {search.best_score_:.6g} (trial ")
    search.set_params(progress=False).fit(*load_iris(return_X_y=True))
    assert capsys.readouterr().err == ""
