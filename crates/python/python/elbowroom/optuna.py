"""Optuna: a sampler that keeps concurrent trials apart.

>>> import optuna
>>> from elbowroom.optuna import Sampler
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> study = optuna.create_study(sampler=Sampler(seed=1))
>>> study.optimize(lambda trial: (trial.suggest_float("x", -1, 1) - 0.3) ** 2, n_trials=15)
>>> abs(study.best_params["x"] - 0.3) < 0.05
True
"""

from __future__ import annotations

import json
import math
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, TypeGuard

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.trial import FrozenTrial, TrialState

from ._branches import Tree, learn
from ._errors import SpaceError, warn
from ._outcomes import AtMost, Maximize, Minimize, Outcome
from ._space import Categorical, Float, Int, Parameter, Params
from ._study import suggest

_KEY = "elbowroom:point"
"""Where a running trial keeps its point: all of it, before the objective has asked for each parameter."""

_LONGEST = 2000
"""Characters of one attribute: Optuna's databases take 2045."""

_MOST_AHEAD = 16
"""Trials that began before this one and have no point yet, each of which will take one of the batch."""

_MOST_LOOKS = 4
"""How often a point that another process took at the same time is chosen again."""


class Sampler(BaseSampler):
    """Samples from a model of the completed trials. Running trials, including those of other processes, are pending points.

    The model sees all parameters that completed trials had. If a script asks for some of them only after certain choices
    of categories or integers, the sampler learns these conditions and searches the script's branches. Some parameters come
    from the ``independent_sampler`` instead, which is random by default: those whose range changes, those with more
    integers than a space can hold, and those that come and go for reasons that the choices do not explain. The sampler
    warns once for each, unless ``warn_independent_sampling`` is false. Parameters that no completed trial has had yet (those
    of the first trial, and of a choice that is made for the first time) come from it too, without a warning.

    Failed and pruned trials, and those with an infinite value, are not proposed again, and the search learns to avoid their
    surroundings, unless ``failures="ignore"``.

    With several objectives the search is for their front, ``study.best_trials``. Each constraint
    (``Trial.set_constraint``, or ``constraints_func``) has its own model, which learns where it is at most 0.

    ``options`` are those of :func:`elbowroom.suggest`: ``strategy``, ``model``, ``initial`` and so on.
    """

    def __init__(
        self,
        seed: int | None = None,
        *,
        independent_sampler: BaseSampler | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        warn_independent_sampling: bool = True,
        **options: Any,
    ) -> None:
        self._seed = random.getrandbits(32) if seed is None else seed
        self._options = options
        self._independent = independent_sampler or RandomSampler(seed=seed)
        self._constraints_func = constraints_func
        self._warns = warn_independent_sampling
        self._warned: set[str] = set()
        self._lock = threading.Lock()

    def reseed_rng(self) -> None:
        """Draws a new random seed."""
        self._seed = random.SystemRandom().getrandbits(32)
        self._independent.reseed_rng()

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """The parameters that completed trials had and that can be searched."""
        return _learned(study)[0]

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """A point from the model, or from the independent sampler if a finite space is used up."""
        if not search_space:
            return {}
        # Threads read one after another. Processes may read at the same time, and therefore read again after they
        # wrote.
        with self._lock:
            ahead = 0
            for _ in range(_MOST_LOOKS):
                point = self._next(study, trial, search_space, ahead)
                if not point:
                    sample = partial(self._independent.sample_independent, study, trial)
                    return {name: sample(name, distribution) for name, distribution in search_space.items()}
                numbers = {name: _decode(search_space[name], value) for name, value in point.items()}
                _write(study, trial, numbers)
                tree = _learned(study)[1].only(search_space)
                live = self._live(study, trial)
                same = [other.number for other in live if _point(other, search_space, tree) == point]
                if not same:
                    break
                # Among trials with the same point, each except the first moves one further in the batch.
                ahead = sum(number < trial.number for number in same)
        return {name: search_space[name].to_external_repr(number) for name, number in numbers.items()}

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """A value for a parameter that the model does not see."""
        why = _why_not(study, param_name, param_distribution)
        if self._warns and param_name not in self._warned and why is not None:
            self._warned.add(param_name)
            warn(
                f"the model does not see the parameter {param_name!r}, whose values come from "
                f"{type(self._independent).__name__}: {why}; warn_independent_sampling=False hides this"
            )
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Passes the trial on to the independent sampler."""
        self._independent.before_trial(study, trial)

    def after_trial(
        self, study: optuna.Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Stores the constraints that ``constraints_func`` returns for the trial."""
        if self._constraints_func is not None and state in (TrialState.COMPLETE, TrialState.PRUNED):
            broken = [float(value) for value in self._constraints_func(trial)]
            if any(value != value for value in broken):
                words = f"trial {trial.number} has the constraints {broken}\n  try: return numbers from constraints_func, not NaN"
                raise ValueError(words)
            study._storage.set_trial_system_attr(trial._trial_id, "constraints", broken)
        self._independent.after_trial(study, trial, state, values)

    def _next(
        self, study: optuna.Study, trial: FrozenTrial, search_space: Mapping[str, BaseDistribution], ahead: int = 0
    ) -> Params:
        """The next point in the searched space, after those that others will take; empty if the space is used up."""
        observed: list[tuple[Params, dict[str, float]]] = []
        pending: list[Params] = []
        failed: list[Params] = []
        infeasible: list[Params] = []
        names, tree = _Names(study, search_space), _learned(study)[1].only(search_space)
        for other in study.get_trials(deepcopy=False):
            if other.state == TrialState.WAITING or other.number == trial.number:
                continue
            point = _point(other, search_space, tree)
            if other.state == TrialState.RUNNING:
                ahead += point is None and not other.params and other.number < trial.number
                if point is not None:
                    pending.append(point)
            elif point is None:
                continue
            elif other.state != TrialState.COMPLETE:
                failed.append(point)
            elif math.inf in _constraints(other).values():
                infeasible.append(point)
            elif not all(map(math.isfinite, other.values)):
                failed.append(point)
            else:
                observed.append((point, names.results(other)))
        points = suggest(
            tree.space({name: _parameter(distribution) for name, distribution in search_space.items()}),
            observed,
            pending,
            failed,
            infeasible=infeasible,
            n=1 + min(ahead, _MOST_AHEAD),
            outcomes=names.outcomes(study),
            seed=self._seed,
            **self._options,
        )
        return points[-1] if points else {}

    def _live(self, study: optuna.Study, trial: FrozenTrial) -> list[FrozenTrial]:
        """The other trials whose points must not be taken again."""
        done = () if self._options.get("repeats") else (TrialState.COMPLETE,)
        trials = study.get_trials(deepcopy=False, states=(TrialState.RUNNING, *done))
        return [other for other in trials if other.number != trial.number]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()


class _Names:
    """Names for the objectives and the constraints of a study, different from all names of parameters."""

    def __init__(self, study: optuna.Study, search_space: Mapping[str, BaseDistribution]) -> None:
        trials = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        keys = sorted({key for trial in trials for key in _constraints(trial)})
        self._objectives = [_free(f"objective {i}", search_space) for i in range(len(study.directions))]
        self._constraints = {key: _free(f"constraint {i}", search_space) for i, key in enumerate(keys)}

    def outcomes(self, study: optuna.Study) -> dict[str, Outcome]:
        """What they are for."""
        maximize = optuna.study.StudyDirection.MAXIMIZE
        goals = (Maximize() if direction == maximize else Minimize() for direction in study.directions)
        return {**dict(zip(self._objectives, goals)), **{name: AtMost(0) for name in self._constraints.values()}}

    def results(self, trial: FrozenTrial) -> dict[str, float]:
        """What a completed trial has of them."""
        broken = _constraints(trial).items()
        limited = {self._constraints[key]: value for key, value in broken if math.isfinite(value)}
        return {**dict(zip(self._objectives, trial.values)), **limited}


def _free(name: str, taken: Mapping[str, Any]) -> str:
    while name in taken:
        name += "'"
    return name


def _parameter(distribution: BaseDistribution) -> Parameter:
    """The parameter that is searched for a distribution: a number, or the index of a step or choice."""
    if isinstance(distribution, CategoricalDistribution):
        return Categorical(range(len(distribution.choices)))
    assert isinstance(distribution, (FloatDistribution, IntDistribution))
    if _is_stepped(distribution):
        return Int(0, round((distribution.high - distribution.low) / _step(distribution)))
    if isinstance(distribution, IntDistribution):
        return Int(distribution.low, distribution.high, log=distribution.log)
    return Float(distribution.low, distribution.high, log=distribution.log)


def _fits(name: str, distribution: BaseDistribution) -> bool:
    """Whether a space can hold a parameter."""
    return isinstance(distribution, CategoricalDistribution) or _range_fits(name, distribution)


@lru_cache
def _range_fits(name: str, distribution: BaseDistribution) -> bool:
    try:
        suggest({name: _parameter(distribution)})
    except (SpaceError, OverflowError):
        return False
    return True


def _encode(distribution: BaseDistribution, internal: float) -> Any:
    """A number from Optuna as the value of the searched parameter; None if it is out of range."""
    if not distribution._contains(internal):
        return None
    if _is_stepped(distribution):
        return round((internal - distribution.low) / _step(distribution))
    return internal if isinstance(distribution, FloatDistribution) else int(internal)


def _decode(distribution: BaseDistribution, value: Any) -> float:
    if not _is_stepped(distribution):
        return float(value)
    return float(min(distribution.low + value * _step(distribution), distribution.high))


def _is_stepped(distribution: BaseDistribution) -> TypeGuard[FloatDistribution | IntDistribution]:
    if isinstance(distribution, FloatDistribution):
        return distribution.step is not None
    return isinstance(distribution, IntDistribution) and distribution.step != 1


def _step(distribution: FloatDistribution | IntDistribution) -> float:
    step: float = distribution.step
    return step


def _point(trial: FrozenTrial, search_space: Mapping[str, BaseDistribution], tree: Tree) -> Params | None:
    """A trial's point in the searched space; None if it lacks a parameter or is out of range."""
    numbers = _read(trial)
    for name, value in trial.params.items():
        numbers[name] = trial.distributions[name].to_internal_repr(value)
    return tree.point({name: _encode(one, numbers[name]) for name, one in search_space.items() if name in numbers})


def _learned(study: optuna.Study) -> tuple[dict[str, BaseDistribution], Tree, list[str]]:
    """The searchable parameters, with conditions inferred from completed trials, and those that none explains."""
    trials = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    known: dict[str, BaseDistribution] = {}
    changing: set[str] = set()
    for trial in trials:
        for name, one in trial.distributions.items():
            if known.setdefault(name, one) != one:
                changing.add(name)
    known = {
        name: one
        for name, one in sorted(known.items())
        if name not in changing and not one.single() and _fits(name, one)
    }
    internal = partial(_internal, known)
    parameters = {name: _parameter(one) for name, one in known.items()}
    tree, unexplained = learn([internal(trial) for trial in trials], parameters)
    return {name: known[name] for name in tree.clauses}, tree, unexplained


def _internal(known: Mapping[str, BaseDistribution], trial: FrozenTrial) -> Params:
    """A trial's values of the known parameters."""
    had = ((name, trial.distributions[name].to_internal_repr(value)) for name, value in trial.params.items())
    return {name: _encode(known[name], number) for name, number in had if name in known}


def _why_not(study: optuna.Study, name: str, distribution: BaseDistribution) -> str | None:
    """Why the model does not see a parameter; None if no completed trial had it, or if it will be seen next time."""
    if distribution.single():
        return None
    trials = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    known = [trial.distributions[name] for trial in trials if name in trial.distributions]
    if not known:
        return None
    if not _fits(name, distribution):
        return "its range has more whole numbers than a space can hold"
    if any(one != distribution for one in known):
        return "its range changes from trial to trial"
    if name in _learned(study)[2]:
        return "some trials have it and some do not, and no choice of a category or a whole number says which"
    return None


def _write(study: optuna.Study, trial: FrozenTrial, numbers: dict[str, float]) -> None:
    text = json.dumps(numbers)
    for i in range(0, len(text), _LONGEST):
        study._storage.set_trial_system_attr(trial._trial_id, f"{_KEY}:{i // _LONGEST}", text[i : i + _LONGEST])


def _read(trial: FrozenTrial) -> dict[str, float]:
    parts: list[str] = []
    while (part := trial.system_attrs.get(f"{_KEY}:{len(parts)}")) is not None:
        parts.append(part)
    return dict(json.loads("".join(parts))) if parts else {}


def _constraints(trial: FrozenTrial) -> dict[str, float]:
    """A trial's constraint values by name: those from ``constraints_func`` are a list, those set on the trial come one
    by one."""
    attrs = trial.system_attrs
    listed = {str(i): value for i, value in enumerate(attrs.get("constraints") or ())}
    return {**listed, **{name: value for name, value in attrs.items() if name.startswith("constraints:")}}
