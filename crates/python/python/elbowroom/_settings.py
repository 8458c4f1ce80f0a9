"""Settings by name: those that are left out have the core's defaults."""

from __future__ import annotations

import functools
import inspect
import json
import math
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, ParamSpec, TypeAlias, TypedDict, TypeVar, get_args

import numpy as np

from . import _elbowroom
from ._errors import ConfigError, DataError
from ._number import MAX_SEED, shown, text_of, variance_of, whole
from ._outcomes import Outcomes, written

P = ParamSpec("P")
T = TypeVar("T")

Named: TypeAlias = str | Mapping[str, Any]
"""A name, or a mapping with a ``name`` and options."""

Goal: TypeAlias = Literal["minimize", "maximize"]
Design: TypeAlias = Literal["sobol", "latin_hypercube", "uniform"]
Failures: TypeAlias = Literal["learn", "ignore"]
PenalizerName: TypeAlias = Literal["soft", "hard", "truncated"]
KernelName: TypeAlias = Literal["rbf", "matern52", "matern32", "twoscale"]


class SearchOptions(TypedDict, total=False):
    """What :class:`Study` and :func:`suggest` take to say how points are chosen, besides a space and a goal."""

    metric: str | None
    outcomes: Outcomes | None
    seed: int | None
    constraints: str | Iterable[str]
    strategy: Named | None
    acquisition: Named | None
    penalizer: PenalizerName | None
    kernel: KernelName | Sequence[KernelName] | None
    noise: float | None
    sd: float | None
    model: Mapping[str, Any] | None
    initial: int | None
    design: Design | None
    repeats: bool | None
    failures: Failures | None
    contexts: Sequence[str] | None
    score_all: int | None


class StudyOptions(SearchOptions, total=False):
    """What :class:`Study` takes besides a space, a goal and a budget."""

    store: str | os.PathLike[str] | None
    name: str
    worker: str | None
    lease: float | None


ELSEWHERE = {
    "bounds": ("space",),
    "direction": ("goal",),
    "domain": ("space",),
    "max_evals": ("budget", "n"),
    "max_iter": ("budget", "n"),
    "n_calls": ("budget", "n"),
    "n_iter": ("budget", "n"),
    "n_jobs": ("workers",),
    "n_trials": ("budget", "n"),
    "random_state": ("seed",),
    "storage": ("store",),
    "study_name": ("name",),
}
"""What other packages call it."""


def refuse_unknown(function: str, options: Iterable[str], known: Collection[str]) -> None:
    """Refuses unknown arguments as Python does, and suggests the one that may have been meant."""
    for name in options:
        if name in known:
            continue
        meant = next((one for one in ELSEWHERE.get(name, ()) if one in known), None)
        meant = meant or _elbowroom.nearest(name, list(known))
        hint = "" if meant is None else f"\n  try: did you mean `{meant}`?"
        raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")


def with_hints(function: Callable[P, T]) -> Callable[P, T]:
    """A function that suggests which keyword may have been meant if it does not know the one it was given."""
    known = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]

    @functools.wraps(function)
    def call(*arguments: P.args, **options: P.kwargs) -> T:
        refuse_unknown(function.__qualname__, options, known)
        return function(*arguments, **options)

    return call


def strategies() -> dict[str, dict[str, Any]]:
    """Every strategy by name, with its options and their defaults, as the core has them.

    >>> import elbowroom as er
    >>> sorted(er.strategies())[:3]
    ['adaptive', 'believer', 'hallucinated_ucb']
    >>> er.strategies()["believer"]["lie"]
    'mean'
    """
    return dict(json.loads(_elbowroom.strategies()))


def settings(
    *,
    strategy: Named | None = None,
    acquisition: Named | None = None,
    penalizer: PenalizerName | None = None,
    kernel: Any = None,
    noise: float | None = None,
    sd: float | None = None,
    model: Any = None,
    **others: Any,
) -> str:
    """The settings that were given, as the core reads them."""
    given = {name: _checked(name, value) for name, value in others.items() if value is not None}
    parts = {"acquisition": acquisition, "penalizer": penalizer}
    parts = {name: _checked(name, part) for name, part in parts.items() if part is not None}
    if strategy is not None or parts:
        given["strategy"] = _strategy(strategy, parts)
    if model is not None and not isinstance(model, Mapping):
        raise ConfigError(f"the model is {shown(model)}\n  try: use a dict of its settings, as `study.settings` shows them")
    if model is not None and "sd" in model:
        model = dict(model)
        sd, noise = model.pop("sd") if sd is None else sd, model.pop("noise", None) if noise is None else noise
    kernels = kernel if isinstance(kernel, Iterable) and not isinstance(kernel, str) else [kernel]
    found = {
        "kernels": None if kernel is None else [_checked("kernel", one) for one in kernels],
        "noise": None if noise is None and sd is None else _variance(noise, sd),
    }
    found = {name: value for name, value in found.items() if value is not None}
    if model is not None or found:
        given["model"] = {**(model or {}), **found}
    plain = _plain(given)
    try:
        return json.dumps(plain, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"the settings cannot be written: {error}\n  try: use numbers, strings, lists and dicts") from None


NAMES: dict[str, tuple[str, ...]] = {
    "goal": get_args(Goal),
    "design": get_args(Design),
    "failures": get_args(Failures),
    "penalizer": get_args(PenalizerName),
    "kernel": get_args(KernelName),
}
"""The names that a setting can have."""

WHOLE = {"seed": (0, MAX_SEED), "budget": (1, 2**63 - 1), "initial": (0, 2**63 - 1), "score_all": (0, 2**63 - 1)}
"""Settings that are whole numbers, with the smallest and the largest."""


def _meant(value: Any, known: Collection[str]) -> str | None:
    """The known name that starts with a name, as "maximize" starts with "max", or else the nearest one."""
    if not isinstance(value, str):
        return None
    begun = [one for one in known if len(value) > 2 and one.startswith(value)]
    return begun[0] if len(begun) == 1 else _elbowroom.nearest(value, list(known))


def _checked(name: str, value: Any) -> Any:
    """A setting as JSON; a refusal names it."""
    if name in WHOLE:
        return whole(value, name, *WHOLE[name])
    if name == "metric":
        return text_of(value, "metric")
    if name == "outcomes":
        return written(value)
    if name == "contexts":
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise ConfigError(f"contexts is {shown(value)}\n  try: use a list of names of parameters")
        return [text_of(one, "a context") for one in value]
    if name in NAMES and value not in NAMES[name]:
        known = ", ".join(repr(one) for one in NAMES[name])
        if name == "failures":
            raise ConfigError(f"failures is {shown(value)}\n  try: use one of {known}")
        meant = _meant(value, NAMES[name])
        hint = f"use one of {known}" if meant is None else f"did you mean {meant!r}?"
        raise ConfigError(f"there is no {name} named {shown(value)}\n  try: {hint}")
    if name == "acquisition" and not isinstance(value, (str, Mapping)):
        raise ConfigError(f"the acquisition is {shown(value)}\n  try: use a name, or a dict of a name and options")
    if name == "repeats" and not isinstance(value, (bool, np.bool_)):
        raise ConfigError(f"repeats is {shown(value)}\n  try: use True or False")
    return value


def _variance(noise: Any, sd: Any) -> float | None:
    """The variance of every result's noise; a refusal names the setting."""
    try:
        return variance_of(noise, sd)
    except DataError as error:
        if noise is not None and sd is not None:
            raise ConfigError(str(error)) from None
        name, value, kind = ("noise", noise, "variance") if sd is None else ("sd", sd, "standard deviation")
        raise ConfigError(
            f"{name} is {shown(value)}\n  try: use a {kind}: finite, and not negative; or None to estimate it"
        ) from None


def _plain(value: Any, name: str = "") -> Any:
    """numpy's numbers and arrays, and mappings other than dicts, for JSON; an error names what has no JSON form."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(one, f"{name}.{key}" if name else str(key)) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one, name) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{name} is {value}\n  try: use a finite number")
    if value is not None and not isinstance(value, (bool, int, float, str)):
        raise ConfigError(
            f"the settings cannot be written: {name} is {shown(value)}\n  try: use numbers, strings, lists and dicts"
        )
    return value


def _strategy(given: Named | None, parts: dict[str, Any]) -> dict[str, Any]:
    named: Mapping[str, Any] = given if isinstance(given, Mapping) else {"name": given or "local_penalization"}
    strategy = {**named, **parts}
    if "acquisition" in strategy:
        strategy["acquisition"] = _acquisition(strategy["acquisition"])
    return strategy


def _acquisition(given: Named) -> Any:
    """The acquisition in the core's form: ``{"name": "ucb", "kappa": 2}`` is ``{"ucb": {"kappa": 2}}``."""
    if isinstance(given, str):
        return {given: {}} if given in ("ucb", "paper_ucb") else given
    if "name" not in given:
        return given
    options = {key: value for key, value in given.items() if key != "name"}
    return {given["name"]: options} if options else _acquisition(given["name"])
