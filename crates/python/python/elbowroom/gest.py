"""The generator standard (gest-api), through which Xopt, Optimas and libEnsemble can use any optimizer.

>>> from elbowroom.gest import Generator
>>> from gest_api.vocs import VOCS
>>> vocs = VOCS(variables={"x": [0, 1], "n": {1, 2, 3}}, objectives={"f": "MINIMIZE"}, constraints={"c": ["LESS_THAN", 5]})
>>> generator = Generator(vocs, seed=1)
>>> for _ in range(5):
...     points = generator.suggest(3)
...     for point in points:
...         point |= {"f": (point["x"] - 0.3) ** 2 + point["n"], "c": point["n"]}
...     generator.ingest(points)
>>> generator.study.best.params["n"]
1
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Any

import gest_api
from gest_api.vocs import (
    VOCS,
    BoundsConstraint,
    ContextualVariable,
    ContinuousVariable,
    DiscreteVariable,
    GreaterThanConstraint,
    LessThanConstraint,
    MaximizeObjective,
    MinimizeObjective,
)

from ._outcomes import AtLeast, AtMost, Between, Maximize, Minimize, Outcome, Watched
from ._space import Categorical, Float, Ordered, Parameter
from ._study import Study

_ID = "_id"
"""Under this key a point carries the number of its trial."""


class Generator(gest_api.Generator):
    """A generator that proposes points from an :class:`elbowroom.Study`; running points are pending.

    Continuous variables are floats; discrete ones are ordered if all their values are numbers, and categories otherwise.
    Each constraint is a limit with its own model, observables are recorded, and constants are added to each point.
    Objectives to explore and contextual variables are refused. ``batch_size`` is the number of points that :meth:`suggest`
    returns if it is called without one. The other arguments are those of :class:`elbowroom.Study`, such as ``seed``,
    ``strategy`` and ``store``.

    :meth:`ingest` takes results without an ``_id`` as points of your choice. A result whose objectives are not all
    finite is a failed trial, from which the search learns.
    """

    returns_id = True

    def __init__(self, vocs: VOCS, *, batch_size: int = 1, **options: Any) -> None:
        super().__init__(vocs)
        self.vocs = vocs
        self._batch_size = batch_size
        space = {name: _parameter(variable) for name, variable in vocs.variables.items()}
        self.study = Study(space, outcomes=_outcomes(vocs), **options)
        """The study."""

    def _validate_vocs(self, vocs: VOCS) -> None:
        if not vocs.objectives:
            raise ValueError("the VOCS has no objective\n  try: use objectives={'f': 'MINIMIZE'}")
        for name, objective in vocs.objectives.items():
            if not isinstance(objective, (MinimizeObjective, MaximizeObjective)):
                raise ValueError(f"the objective `{name}` is {type(objective).__name__}\n  try: use MINIMIZE or MAXIMIZE")
        for name, variable in vocs.variables.items():
            if isinstance(variable, ContextualVariable) or not isinstance(variable, (ContinuousVariable, DiscreteVariable)):
                raise ValueError(
                    f"the variable `{name}` is {type(variable).__name__}\n"
                    "  try: use a range or a set; er.Study(…, contexts=[…]) has variables that are observed"
                )

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        """Returns the next points, each with the number of its trial as ``_id``. Raises a ``ValueError`` if there are fewer."""
        wanted = self._batch_size if num_points is None else num_points
        batch = self.study.ask(wanted)
        if num_points is not None and len(batch) < wanted:
            self.study.give_back(batch)
            raise ValueError(f"there are {len(batch)} points instead of {wanted}: {batch.short}")
        constants = {name: one.value for name, one in self.vocs.constants.items()}
        return [{**trial.params, **constants, _ID: trial.number} for trial in batch]

    def ingest(self, results: list[dict[str, Any]]) -> None:
        """Records results: by ``_id`` for points of this generator, otherwise at points of your choice."""
        for row in results:
            measured = _measured(row, self.vocs.output_names)
            odd = [name for name in self.vocs.objectives if name not in measured]
            number = row.get(_ID)
            if number is not None and odd:
                self.study.fail(int(number), f"no finite {', '.join(odd)}")
            elif number is not None:
                self.study.tell(int(number), measured)
            elif odd:
                trial = self.study.start(self._point(row))
                self.study.fail(trial, f"no finite {', '.join(odd)}")
            else:
                self.study.add(self._point(row), measured)

    def _point(self, row: Mapping[str, Any]) -> dict[str, Any]:
        missing = [name for name in self.vocs.variables if name not in row]
        if missing:
            raise ValueError(f"a result has no {', '.join(missing)}\n  try: give every variable, or the `_id` of the point")
        return {name: row[name] for name in self.vocs.variables}

    def finalize(self) -> None:
        """Gives back the points that were suggested and not measured."""
        self.study.__exit__()


def _parameter(variable: Any) -> Parameter:
    if isinstance(variable, DiscreteVariable):
        values = list(variable.values)
        if all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in values):
            return Ordered(sorted(values))
        return Categorical(sorted(values, key=str))
    return Float(*variable.domain)


def _outcomes(vocs: VOCS) -> dict[str, Outcome]:
    """The role of each result; an objective may also have a limit."""
    found: dict[str, Outcome] = {}
    for name, objective in vocs.objectives.items():
        limits = _limits(vocs.constraints.get(name))
        found[name] = Maximize(**limits) if isinstance(objective, MaximizeObjective) else Minimize(**limits)
    for name, constraint in vocs.constraints.items():
        if name not in found:
            found[name] = _limit(**_limits(constraint))
    return found | {name: Watched() for name in vocs.observables if name not in found}


def _limits(constraint: Any) -> dict[str, Any]:
    if isinstance(constraint, LessThanConstraint):
        return {"at_most": constraint.value}
    if isinstance(constraint, GreaterThanConstraint):
        return {"at_least": constraint.value}
    if isinstance(constraint, BoundsConstraint):
        return dict(zip(("at_least", "at_most"), constraint.range))
    return {}


def _limit(at_least: float | None = None, at_most: float | None = None) -> Outcome:
    if at_least is not None and at_most is not None:
        return Between(at_least, at_most)
    return AtLeast(at_least) if at_least is not None else AtMost(at_most if at_most is not None else math.inf)


def _measured(row: Mapping[str, Any], names: list[str]) -> dict[str, float]:
    """The finite numbers among the results; observables may be anything."""
    found = {name: row[name] for name in names if isinstance(row.get(name), numbers.Real)}
    return {name: float(value) for name, value in found.items() if math.isfinite(value)}
