"""The front of a study with several objectives: what was measured, and what the models expect."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any, NamedTuple

from ._html import table
from ._settings import Goal
from ._space import Params
from ._trial import Trial, Trials


class FrontObjective(NamedTuple):
    """An objective of a front, and its worst value that still counts."""

    name: str
    goal: Goal
    reference: float | None
    """None as long as nothing is measured and no ``worst`` was given."""
    is_inferred: bool
    """Whether the reference is inferred from the results."""


class FrontStep(NamedTuple):
    """The hypervolume after a trial, measured from today's reference point."""

    trial: int
    hypervolume: float


class Front(Trials):
    """The trials that no other trial beats in every objective, by number, among those that keep all limits.

    >>> import elbowroom as er
    >>> study = er.Study({"x": er.Float(0, 1)}, outcomes={"gain": er.Maximize(worst=0), "cost": er.Minimize(worst=10)})
    >>> for x, gain, cost in [(0.1, 4, 8), (0.2, 2, 5), (0.3, 1, 7)]:
    ...     _ = study.tell({"x": x}, {"gain": gain, "cost": cost})
    >>> [trial.number for trial in study.front]
    [0, 1]
    >>> study.front.hypervolume, study.front.reference
    (14.0, {'gain': 0.0, 'cost': 10.0})
    """

    objectives: tuple[FrontObjective, ...]
    """What is optimized, in order."""
    hypervolume: float | None
    """The volume between the front and the reference point; none while there is no such point."""
    history: tuple[FrontStep, ...]
    """The hypervolume after each trial that keeps all limits."""

    def __init__(self, trials: Iterable[Trial], answer: dict[str, Any]) -> None:
        super().__init__(trials)
        self.objectives = tuple(FrontObjective(**one) for one in answer["objectives"])
        self.hypervolume = answer["hypervolume"]
        self.history = tuple(FrontStep(**one) for one in answer["history"])

    def __reduce__(self) -> tuple[Any, ...]:
        answer = {
            "objectives": [one._asdict() for one in self.objectives],
            "hypervolume": self.hypervolume,
            "history": [one._asdict() for one in self.history],
        }
        return Front, (list(self), answer)

    @property
    def reference(self) -> dict[str, float] | None:
        """The reference point by objective: the ``worst`` of each; where none was given, it is inferred from the results."""
        found = {one.name: one.reference for one in self.objectives if one.reference is not None}
        return found if len(found) == len(self.objectives) else None

    def columns(self) -> dict[str, list[Any]]:
        """The trials as columns: the number, the objectives, the point, and what else was measured."""
        names = dict.fromkeys(name for trial in self for name in trial.params)
        objectives = [one.name for one in self.objectives]
        others = [name for name in self._results() if name not in objectives]
        return {
            "number": [trial.number for trial in self],
            **{f"results_{name}": [trial.results.get(name) for trial in self] for name in objectives},
            **{f"params_{name}": [trial.params.get(name) for trial in self] for name in names},
            **{f"results_{name}": [trial.results.get(name) for trial in self] for name in others},
        }

    def __repr__(self) -> str:
        volume = "" if self.hypervolume is None else f", hypervolume {self.hypervolume:.6g}"
        return f"<Front of {', '.join(one.name for one in self.objectives)}: trials {[t.number for t in self]}{volume}>"


@dataclass(frozen=True)
class FrontRecommendation:
    """A point on the front of the models."""

    params: Params
    """The point."""
    means: dict[str, float]
    """What the models expect there, by objective."""
    sds: dict[str, float]
    """The standard deviations of these predictions."""
    trial: int
    """The trial at this point."""
    chance_within_limits: float | None
    """The probability that it keeps all limits; None if there are no limits."""

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict with the keys of ``elbow best --json`` and the HTTP API."""
        row = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "params"}
        return {**row, "point": dict(self.params), "means": [*self.means.values()], "sds": [*self.sds.values()]}


class RecommendedFront(list[FrontRecommendation]):
    """The front of what the models expect at the points that were tried, among those that keep all limits with a
    probability of at least 0.8. With noisy measurements, the front of measured values is partly luck.

    >>> import elbowroom as er
    >>> study = er.Study({"x": er.Float(0, 1)}, outcomes={"left": er.Minimize(), "right": er.Minimize()})
    >>> for i in range(8):
    ...     _ = study.tell({"x": i / 7}, {"left": i / 7, "right": (1 - i / 7) ** 2})
    >>> len(study.recommended), list(study.recommended[0].means)
    (8, ['left', 'right'])
    """

    def columns(self) -> dict[str, list[Any]]:
        """The points as columns: the trial, then the mean and the standard deviation of each objective, then the point."""
        objectives = list(self[0].means) if self else []
        names = dict.fromkeys(name for one in self for name in one.params)
        columns: dict[str, list[Any]] = {"trial": [one.trial for one in self]}
        for name in objectives:
            columns[f"mean_{name}"] = [one.means[name] for one in self]
            columns[f"sd_{name}"] = [one.sds[name] for one in self]
        if any(one.chance_within_limits is not None for one in self):
            columns["chance_within_limits"] = [one.chance_within_limits for one in self]
        return {**columns, **{f"params_{name}": [one.params.get(name) for one in self] for name in names}}

    def to_pandas(self) -> Any:
        """The points as a pandas data frame; pandas must be installed."""
        return import_module("pandas").DataFrame(self.columns())

    def to_polars(self) -> Any:
        """The points as a polars data frame; polars must be installed."""
        return import_module("polars").DataFrame(self.columns(), strict=False)

    def _repr_html_(self) -> str:
        return table(self.columns())
