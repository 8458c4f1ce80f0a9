"""The named results of a trial: what each of them is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np

from ._errors import ConfigError, DataError
from ._number import number, shown, text_of


@dataclass(frozen=True)
class Outcome:
    """What a result of a trial is for: the base of :class:`Maximize` and its like, for annotations."""

    def __post_init__(self) -> None:
        for one in fields(self):
            given = getattr(self, one.name)
            if given is None and one.default is None:
                continue
            checked = text_of(given, self._place(one.name)) if one.name == "score" else self._number(one.name, given)
            object.__setattr__(self, one.name, checked)

    def _number(self, name: str, given: Any) -> float:
        try:
            found = float("nan") if isinstance(given, (bool, np.bool_)) else number(given)
        except DataError:
            found = float("nan")
        if not -float("inf") < found < float("inf"):
            raise ConfigError(f"{self._place(name)} is {shown(given)}\n  try: use a finite number")
        return found

    def _place(self, name: str) -> str:
        return f"`{name}` of er.{type(self).__name__}"

    def _written(self) -> dict[str, Any]:
        """The outcome as in a study.toml, except its name."""
        return {one.name: given for one in fields(self) if (given := getattr(self, one.name)) is not None}


@dataclass(frozen=True)
class Maximize(Outcome):
    """A result that should be large. ``worst`` is the smallest acceptable value: with several objectives, points
    below it do not count, and it is this objective's part of the reference point. A result may have limits as well.
    With a ``score``, a formula of other results, it is computed instead of being told.

    >>> import elbowroom as er
    >>> er.Maximize(worst=50)
    Maximize(worst=50.0, at_least=None, at_most=None, score=None)
    """

    worst: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    score: str | None = None

    def _written(self) -> dict[str, Any]:
        return {"goal": "maximize", **super()._written()}


@dataclass(frozen=True)
class Minimize(Outcome):
    """A result that should be small; ``worst`` is the largest acceptable value. Otherwise like :class:`Maximize`.

    >>> import elbowroom as er
    >>> er.Minimize(score="cost / yield").score
    'cost / yield'
    """

    worst: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    score: str | None = None

    def _written(self) -> dict[str, Any]:
        return {"goal": "minimize", **super()._written()}


@dataclass(frozen=True)
class Near(Outcome):
    """A result that should come as near to ``target`` as possible. The distance is an objective, to be minimized,
    and appears among the results as ``distance of viscosity to 4.2``. ``worst`` is the largest acceptable distance.

    >>> import elbowroom as er
    >>> er.Near(4.2).target
    4.2
    """

    target: float
    worst: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    def _written(self) -> dict[str, Any]:
        written = super()._written()
        return {"near": written.pop("target"), **written}


@dataclass(frozen=True)
class AtLeast(Outcome):
    """A result with a lower limit: a trial below it is not feasible. The search learns where the limit holds.

    >>> import elbowroom as er
    >>> er.AtLeast(95).limit
    95.0
    """

    limit: float
    score: str | None = None

    def _written(self) -> dict[str, Any]:
        written = super()._written()
        return {"at_least": written.pop("limit"), **written}


@dataclass(frozen=True)
class AtMost(Outcome):
    """A result with an upper limit: a trial above it is not feasible.

    >>> import elbowroom as er
    >>> er.AtMost(20).limit
    20.0
    """

    limit: float
    score: str | None = None

    def _written(self) -> dict[str, Any]:
        written = super()._written()
        return {"at_most": written.pop("limit"), **written}


@dataclass(frozen=True)
class Between(Outcome):
    """A result with two limits, both included.

    >>> import elbowroom as er
    >>> er.Between(6.8, 7.4)
    Between(low=6.8, high=7.4, score=None)
    """

    low: float
    high: float
    score: str | None = None

    def _written(self) -> dict[str, Any]:
        written = super()._written()
        return {"at_least": written.pop("low"), "at_most": written.pop("high"), **written}


@dataclass(frozen=True)
class Watched(Outcome):
    """A result that is recorded, shown and exported; it does not influence the search.

    >>> import elbowroom as er
    >>> er.Watched()
    Watched(score=None)
    """

    score: str | None = None


Outcomes: TypeAlias = Mapping[str, Outcome] | Sequence[Mapping[str, Any]]
"""Outcomes by name; or a list of dicts, as a study.toml has it."""

_EXAMPLE = '{"yield": er.Maximize(), "cost": er.Minimize(), "purity": er.AtLeast(95)}'


def written(outcomes: Any) -> list[dict[str, Any]]:
    """Outcomes as the core reads them.

    >>> written({"yield": Maximize(worst=50), "minutes": Watched()})
    [{'name': 'yield', 'goal': 'maximize', 'worst': 50.0}, {'name': 'minutes'}]
    """
    if isinstance(outcomes, Mapping):
        for name, one in outcomes.items():
            if not isinstance(one, Outcome):
                kinds = "er.Maximize(), er.Minimize(), er.Near(…), er.AtLeast(…), er.AtMost(…) or er.Watched()"
                raise ConfigError(f"the outcome {shown(name)} is {shown(one)}\n  try: use one of {kinds}")
        if not any(is_objective(one) for one in outcomes.values()):
            raise ConfigError("outcomes has no objective\n  try: add er.Maximize() or er.Minimize() for each result to optimize")
        return [{"name": text_of(name, "the name of an outcome"), **one._written()} for name, one in outcomes.items()]
    if not isinstance(outcomes, Sequence) or not all(isinstance(one, Mapping) for one in outcomes):
        raise ConfigError(f"outcomes is {shown(outcomes)}\n  try: use a dict such as {_EXAMPLE}")
    return [dict(one) for one in outcomes]


def read(settings: Mapping[str, Any]) -> dict[str, Outcome]:
    """The outcomes of a study by name, from its settings; the first objective comes first.

    >>> read({"goal": "minimize", "metric": "loss", "outcomes": [{"name": "loss", "goal": "minimize"}, {"name": "s"}]})
    {'loss': Minimize(worst=None, at_least=None, at_most=None, score=None), 's': Watched(score=None)}
    """
    listed = settings.get("outcomes") or [{"name": settings["metric"], "goal": settings["goal"]}]
    return {one["name"]: _read({key: value for key, value in one.items() if key != "name"}) for one in listed}


def _read(one: dict[str, Any]) -> Outcome:
    if "goal" in one:
        return (Maximize if one.pop("goal") == "maximize" else Minimize)(**one)
    if "near" in one:
        return Near(one.pop("near"), **one)
    limits = one.pop("at_least", None), one.pop("at_most", None)
    match limits:
        case None, None:
            return Watched(**one)
        case low, None:
            return AtLeast(low, **one)
        case None, high:
            return AtMost(high, **one)
        case low, high:
            return Between(low, high, **one)
    raise AssertionError(limits)


def limits_of(outcome: Outcome) -> tuple[float | None, float | None]:
    """The smallest and the largest acceptable value of a result."""
    one = outcome._written()
    return one.get("at_least"), one.get("at_most")


def is_objective(outcome: Any) -> bool:
    """Whether the result is optimized."""
    return isinstance(outcome, (Maximize, Minimize, Near))
