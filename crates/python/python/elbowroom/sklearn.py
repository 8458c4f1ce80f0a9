"""scikit-learn: a search over hyperparameters in the place of ``RandomizedSearchCV``.

>>> import elbowroom as er
>>> from elbowroom.sklearn import SearchCV
>>> from sklearn.datasets import load_iris
>>> from sklearn.svm import SVC
>>> space = {"C": er.Float(0.01, 100, log=True), "kernel": ["linear", "rbf"]}
>>> search = SearchCV(SVC(), space, n_iter=12, random_state=0)
>>> bool(search.fit(*load_iris(return_X_y=True)).best_score_ > 0.96)
True
"""

from __future__ import annotations

import math
import numbers
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import RandomizedSearchCV
from sklearn.utils import check_random_state

from ._errors import ConfigError, SpaceError, warn
from ._outcomes import Maximize, Outcomes, written
from ._progress import Progress
from ._run import told_objectives
from ._space import Categorical, Fixed, Float, Int, Ladder, Ordered, Parameter, Params, equal
from ._study import Study
from ._trial import Trial

Evaluate: TypeAlias = Callable[[list[Params]], Mapping[str, Any]]

_ALL_FAILED = re.compile(r"All the \d+ fits failed")
"""What scikit-learn says if no fit of a call succeeds."""

_SCORE = "the mean test score"
"""The result of a search that maximizes one metric."""

_BUSY = 0.9
"""The share of the workers that a batch should keep busy."""

_RARE = 1e-3
"""Quantiles of an unbounded distribution below this and above one minus this are not searched."""


class SearchCV(RandomizedSearchCV):
    """Searches ``n_iter`` settings of an estimator by cross-validation; each batch is chosen from the results so far.

    The arguments and attributes are those of scikit-learn's ``RandomizedSearchCV``. A parameter's values are
    ``er.Float``, ``er.Int``, ``er.Ordered``, ``er.Categorical`` or ``er.Fixed``, a list, or a distribution of
    ``scipy.stats``. Repeated list entries count once, and a list of numbers that only rise or only fall is ordered. Uniform
    and log-uniform distributions and ``randint`` are searched over their range, others over their quantiles. If you give a
    list of spaces, they are searched in turn, each with its own study.

    The mean test score is maximized. With several metrics, it is the score of the one that ``refit`` names; if
    ``refit`` is a function or False, and ``scoring`` names the metrics, all of them are maximized: the search is for
    their front, ``studies_[0].front``, and the function chooses from ``cv_results_``. ``options={"outcomes": …}`` says
    what each metric is for, such as ``{"score": er.Maximize(), "score_time": er.Minimize()}``. Metrics go by their names,
    a single one by ``score``, and the times that scikit-learn measures by ``fit_time`` and ``score_time``. A setting with
    an objective that is not finite is infeasible, and the search learns to avoid its surroundings.

    Batches are as small as possible while the fits of their settings and splits keep 90 % of the ``n_jobs`` workers busy.
    If a finite space is used up, the search ends with a warning.

    ``store`` keeps the study in a file, or anywhere else that :class:`elbowroom.Study` can. Other programs can then watch
    it, and an interrupted or repeated search continues from its results. The study is called ``search`` unless ``options``
    name it; with several spaces a number is added. Use a store again only for the same data, estimator and splits: its
    results are assumed to come from these. ``n_iter`` counts the settings of this fit alone, and so do ``cv_results_`` and
    ``best_params_``; ``study_`` has the results of all fits. A warning says so if a store already has settings.

    ``progress`` shows the best so far, as :meth:`elbowroom.Study.run` does. ``options`` is a dict of the arguments of
    :class:`elbowroom.Study`, such as ``strategy`` and ``initial``. After a fit, ``study_`` is the study, and ``studies_``
    lists the study of each space.
    """

    _parameter_constraints = {
        **RandomizedSearchCV._parameter_constraints,
        "options": [Mapping, None],
        "store": [str, os.PathLike, None],
        "progress": ["boolean", None],
    }

    def __init__(
        self,
        estimator: Any,
        param_distributions: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        n_iter: int = 10,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: bool | str | Callable[[Mapping[str, Any]], int] = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        random_state: int | np.random.RandomState | None = None,
        error_score: float | str = np.nan,
        return_train_score: bool = False,
        options: Mapping[str, Any] | None = None,
        store: str | os.PathLike[str] | None = None,
        progress: bool | None = None,
    ) -> None:
        super().__init__(
            estimator,
            param_distributions,
            n_iter=n_iter,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            random_state=random_state,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.options = options
        self.store = store
        self.progress = progress

    def _run_search(self, evaluate_candidates: Evaluate) -> None:
        given = self.param_distributions
        random = check_random_state(self.random_state)
        outcomes = _outcomes(self)
        spaces = [given] if isinstance(given, Mapping) else list(given)
        numbers = [None] if len(spaces) == 1 else range(1, len(spaces) + 1)
        searches = [_Search(self, *one, random, outcomes) for one in zip(spaces, numbers)]
        self.studies_ = [search.study for search in searches]
        if len(searches) == 1:
            self.study_ = self.studies_[0]
        n_before = sum(len(study.trials) for study in self.studies_)
        if n_before > 0:
            warn(_goes_on(n_before, self.n_iter, "study_" if len(searches) == 1 else "studies_"))
        progress = Progress(self.studies_, self.n_iter, self.progress)
        try:
            self._search_all(searches, outcomes, evaluate_candidates, progress)
        except BaseException:
            progress.close(is_whole=False)
            raise

    def _search_all(
        self, searches: list[_Search], outcomes: Outcomes | None, evaluate_candidates: Evaluate, progress: Progress
    ) -> None:
        in_one_batch = _batch_size(effective_n_jobs(self.n_jobs), self.n_splits_)
        n_left = self.n_iter
        held: list[Params] = []
        while n_left > 0 and (batch := list(_in_turn(searches, min(in_one_batch, n_left)))):
            n_left -= len(batch)
            progress.handed(len(batch))
            candidates = held + [params for _, _, params in batch]
            try:
                results = evaluate_candidates(candidates)
                scores = _results(results, outcomes, self.refit)[-len(batch) :]
                held = []
            except ValueError as error:
                # If no fit of a call succeeds, scikit-learn assumes an error of the user's and forgets the call: these
                # settings go into the next one.
                if not _ALL_FAILED.search(str(error)) or (n_left == 0 and len(candidates) == self.n_iter):
                    raise
                scores, held = [{}] * len(batch), candidates
            for (search, trial, _), score in zip(batch, scores):
                progress.ended(search.tell(trial, score))
        progress.close()
        if held:
            words = f"no fit succeeded for the last {len(held)} settings: they are not in cv_results_"
            warn(words, FitFailedWarning)
        if n_left > 0:
            n = self.n_iter - n_left
            settings = "only 1 setting" if n == 1 else f"{n} settings"
            words = f"the space has {settings}, fewer than n_iter={self.n_iter}: all were tried"
            warn(words)


class _Search:
    """The study of one space."""

    def __init__(
        self,
        search: SearchCV,
        space: Mapping[str, Any],
        number: int | None,
        random: np.random.RandomState,
        outcomes: Outcomes | None,
    ) -> None:
        self._is_named = outcomes is not None
        self._names = list(space)
        self._quantiles = {name: values for name, values in space.items() if _by_quantile(values)}
        seed = int(random.randint(np.iinfo(np.int32).max))
        options = {"name": "search", "store": search.store, **(search.options or {})}
        if search.store is None or search.random_state is not None:
            # In a store a study is found again by its settings, which would include a new seed for each fit.
            options.setdefault("seed", seed)
        if number is not None:
            options["name"] = f"{options['name']} {number}"
        options |= {"goal": "maximize"} if outcomes is None else {"outcomes": outcomes}
        parameters = {name: _parameter(name, values) for name, values in space.items()} or {"nothing": Fixed(None)}
        self.study = Study(parameters, **options)

    def ask(self) -> tuple[Trial, Params] | None:
        for trial in self.study.ask():
            params = {name: trial.params[name] for name in self._names}
            for name, distribution in self._quantiles.items():
                params[name] = distribution.ppf(params[name]).item()
            return trial, params
        return None

    def tell(self, trial: Trial, scores: Mapping[str, float]) -> Trial:
        """Tells what is finite of the results; all objectives have to be. Returns the trial as it ended."""
        finite = {name: score for name, score in scores.items() if math.isfinite(score)}
        wanted = told_objectives(self.study) if self._is_named else [_SCORE]
        odd = [f"{name} is {scores.get(name, math.nan)}" for name in wanted if name not in finite]
        if odd:
            self.study.infeasible(trial, ", ".join(odd))
        else:
            self.study.tell(trial, finite if self._is_named else finite[_SCORE])
        return self.study._look(trial.number)


def _in_turn(searches: list[_Search], n: int) -> Iterator[tuple[_Search, Trial, Params]]:
    """A batch of n, one from each search in turn; exhausted searches are removed from the list."""
    while n > 0 and searches:
        search = searches.pop(0)
        asked = search.ask()
        if asked is not None:
            searches.append(search)
            n -= 1
            yield search, *asked


def _goes_on(n_before: int, n_iter: int, whole: str) -> str:
    """The message about a store that another fit has filled.

    >>> _goes_on(1, 12, "study_").split(":")[0]
    'the store already has 1 setting from earlier fits'
    """
    settings = "1 setting" if n_before == 1 else f"{n_before} settings"
    return (
        f"the store already has {settings} from earlier fits: this fit learns from them and adds {n_iter} more; "
        f"cv_results_ and best_params_ are those of this fit alone, and {whole} has the results of all\n"
        "  try: use another store, or another name in options, if the data, the estimator or the splits have changed"
    )


def _batch_size(n_jobs: int, n_splits: int) -> int:
    """The smallest batch whose fits keep enough of the workers busy, if they take equally long.

    >>> [_batch_size(n_jobs, 5) for n_jobs in (1, 2, 4, 8, 64)]
    [1, 2, 3, 3, 12]
    """
    n = 1
    while n * n_splits / (math.ceil(n * n_splits / n_jobs) * n_jobs) < _BUSY:
        n += 1
    return n


def _outcomes(search: SearchCV) -> Outcomes | None:
    """The roles of the metrics; None if there is only one, to be maximized."""
    given = (search.options or {}).get("outcomes")
    if given is not None:
        return cast("Outcomes", given)
    names = search.scoring if isinstance(search.scoring, (Mapping, list, tuple, set)) else ()
    if len(names) < 2 or isinstance(search.refit, str):
        return None
    return {name: Maximize() for name in (sorted(names) if isinstance(names, set) else names)}


def _results(results: Mapping[str, Any], outcomes: Outcomes | None, refit: object) -> list[dict[str, float]]:
    """The reported results of each candidate, by name."""
    if outcomes is None:
        columns = {_SCORE: results[_metric(results, refit)]}
    else:
        told = [one["name"] for one in written(outcomes) if "score" not in one]
        columns = {name: _column(results, name) for name in told}
    return [{name: float(score) for name, score in zip(columns, row)} for row in zip(*columns.values())]


def _column(results: Mapping[str, Any], name: str) -> Any:
    for column in (f"mean_test_{name}", f"mean_{name}"):
        if column in results:
            return results[column]
    known = [column.removeprefix("mean_test_") for column in results if column.startswith("mean_test_")]
    raise ConfigError(
        f"the outcome `{name}` is not a metric of this search\n  try: use one of {', '.join([*known, 'fit_time', 'score_time'])}"
    )


def _metric(results: Mapping[str, Any], refit: object) -> str:
    metrics = [name for name in results if name.startswith("mean_test_")]
    named = f"mean_test_{refit}"
    return named if named in metrics else metrics[0]


def _parameter(name: str, values: Any) -> Parameter:
    """The parameter that is searched for a list or distribution of values."""
    if isinstance(values, (Float, Int, Ordered, Ladder, Categorical, Fixed)):
        return values
    if _by_quantile(values):
        return Float(_RARE, 1 - _RARE)
    if hasattr(values, "ppf"):
        low, high = values.support()
        if not math.isfinite(high):
            low, high = values.ppf(_RARE), values.ppf(1 - _RARE)
        whole = hasattr(values, "pmf")
        return Int(int(low), int(high)) if whole else Float(float(low), float(high), log=_law(values) != "uniform")
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, Sequence) and not isinstance(values, str):
        values = _distinct(values)
        return Ordered(values) if _is_ordered(values) else Categorical(values)
    raise SpaceError(
        f"the values of parameter `{name}` are {values!r}\n"
        "  try: use er.Float, er.Int, er.Ordered, er.Categorical, a list, or a distribution of scipy.stats"
    )


def _distinct(values: Sequence[Any]) -> list[Any]:
    """Each value once; a boolean is not a number.

    >>> _distinct([1, 1.0, True, "a", None, "a", [2], [2]])
    [1, True, 'a', None, [2]]
    """
    found: list[tuple[bool, Any]] = []
    for value in values:
        key = isinstance(value, bool), value
        if not any(key[0] == other[0] and equal(value, other[1]) for other in found):
            found.append(key)
    return [value for _, value in found]


def _by_quantile(values: Any) -> bool:
    return hasattr(values, "pdf") and _law(values) not in ("uniform", "loguniform", "reciprocal")


def _law(distribution: Any) -> str:
    return str(getattr(getattr(distribution, "dist", None), "name", ""))


def _is_ordered(values: Sequence[Any]) -> bool:
    if not all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in values):
        return False
    steps = [later > earlier for earlier, later in zip(values, values[1:])]
    return len(values) > 2 and len(set(values)) == len(values) and (all(steps) or not any(steps))
