"""Which parameters a script asks for together: conditions, learned from what trials had.

A script that asks for its parameters as it runs never says under which condition it asks for one. Where the completed
trials that have a parameter agree in some choices, and those without it do not, these choices are taken for its condition:
"`kind` is 1 and `depth` is 3 or 4".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ._space import Int, Parameter, Params

_MOST_VALUES = 200
"""Values of a whole number that a condition lists."""


@dataclass(frozen=True)
class Clause:
    """One choice that a parameter depends on, and the values under which it is there."""

    on: str
    values: frozenset[int]

    def text(self) -> str:
        """As the core reads it."""
        return f"`{self.on}` in ({', '.join(map(str, sorted(self.values)))})"

    def holds(self, point: Mapping[str, Any]) -> bool:
        """Whether a point made that choice."""
        return self.on in point and point[self.on] in self.values


@dataclass(frozen=True)
class Tree:
    """Parameters, each behind those that it depends on, with the choices that it depends on."""

    clauses: dict[str, list[Clause]]

    def only(self, names: Iterable[str]) -> Tree:
        """The tree of these parameters alone: somebody else decides on the others, and what depends on them."""
        known = set(names)
        kept = {name: clauses for name, clauses in self.clauses.items() if name in known}
        return Tree({name: [clause for clause in clauses if clause.on in known] for name, clauses in kept.items()})

    def space(self, parameters: Mapping[str, Parameter]) -> dict[str, Parameter]:
        """The parameters with their conditions."""
        return {
            name: replace(parameters[name], when=" and ".join(clause.text() for clause in clauses) or None)
            for name, clauses in self.clauses.items()
        }

    def point(self, values: Mapping[str, Any]) -> Params | None:
        """What a point has of the values; none if one is missing."""
        point: Params = {}
        for name, clauses in self.clauses.items():
            if all(clause.holds(point) for clause in clauses):
                if values.get(name) is None:
                    return None
                point[name] = values[name]
        return point


def learn(points: Sequence[Mapping[str, Any]], parameters: Mapping[str, Parameter]) -> tuple[Tree, list[str]]:
    """The tree of points that each have some of the parameters, and the parameters that no choices explain.

    >>> from elbowroom import Categorical, Float
    >>> space = {"kind": Categorical([0, 1]), "rate": Float(0, 1), "momentum": Float(0, 1)}
    >>> seen = [{"kind": 0, "rate": 0.5}, {"kind": 1, "rate": 0.5, "momentum": 0.9}, {"kind": 0, "rate": 0.1}]
    >>> tree, unexplained = learn(seen, space)
    >>> tree.space(space)["momentum"].when, unexplained
    ('`kind` in (1)', [])
    """
    having = {name: [i for i, point in enumerate(points) if name in point] for name in parameters}
    # Parameters that more trials have come first, so that no two parameters can depend on each other.
    names = sorted((name for name in parameters if having[name]), key=lambda name: -len(having[name]))
    clauses: dict[str, list[Clause]] = {}
    unexplained: list[str] = []
    for name in names:
        deciding = [one for one in clauses if _is_choice(one, parameters[one])]
        found = _explain(name, points, having, deciding, parameters)
        if found is None:
            unexplained.append(name)
        else:
            clauses[name] = found
    return Tree(clauses), unexplained


def _is_choice(name: str, parameter: Parameter) -> bool:
    """Whether a condition can refer to a parameter."""
    if "`" in name:
        return False
    if isinstance(parameter, Int):
        return parameter.high - parameter.low < _MOST_VALUES
    return type(parameter).__name__ == "Categorical"


def _explain(
    name: str,
    points: Sequence[Mapping[str, Any]],
    having: Mapping[str, list[int]],
    deciding: Iterable[str],
    parameters: Mapping[str, Parameter],
) -> list[Clause] | None:
    """The fewest successive choices that leave only points with a parameter; none if there are no such choices."""
    own, left = set(having[name]), set(range(len(points)))
    candidates = [one for one in deciding if own <= set(having[one])]
    found: list[Clause] = []
    while left != own:
        best: tuple[int, Clause, set[int]] | None = None
        for one in candidates:
            inside = {points[i][one] for i in own}
            outside = {points[i][one] for i in left - own if one in points[i]} - inside
            clause = Clause(one, _widened(parameters[one], inside, outside))
            kept = {i for i in left if clause.holds(points[i])}
            if len(kept) < len(left) and (best is None or len(kept) < best[0]):
                best = (len(kept), clause, kept)
        if best is None:
            return None
        found.append(best[1])
        left = best[2]
    return found


def _widened(parameter: Parameter, inside: set[int], outside: set[int]) -> frozenset[int]:
    """The values with which a parameter is present. For an integer also values that no trial had, if the nearest one
    that a trial had is among them; for a category only values that trials had."""
    if not isinstance(parameter, Int):
        return frozenset(inside)
    known = [(value, value in inside) for value in inside | outside]

    def is_inside(value: int) -> bool:
        return max((-abs(value - other), there) for other, there in known)[1]

    return frozenset(value for value in range(parameter.low, parameter.high + 1) if is_inside(value))
