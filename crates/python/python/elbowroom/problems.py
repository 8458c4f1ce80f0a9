"""Test functions with their boxes and minima. All are to be minimized, as in the literature.

>>> import elbowroom as er
>>> er.problems.branin.minimum.__round__(6)
0.397887
>>> er.problems.get("ackley5").dim
5
>>> study = er.minimize(er.problems.branin, er.problems.branin.space, budget=20, seed=1)
>>> study.best.value < 5
True
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _elbowroom
from ._number import array, seed_of
from ._space import Float

__all__ = ["Problem", "all", "get", "names"]


class Problem:
    """A function to be minimized on a box, whose minimum is known.

    It is called with one point (d numbers), with several (m × d), or with the coordinates ``x0=…, x1=…`` as a study
    does.
    """

    def __init__(self, native: _elbowroom.Problem, shifts: tuple[int, ...] = (), origin: str | None = None) -> None:
        self._native = native
        self._shifts = shifts
        self._origin = native.name if origin is None else origin

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._origin, self._shifts)

    @property
    def name(self) -> str:
        """Its name, with the dimension where there is a choice."""
        return self._native.name

    @property
    def dim(self) -> int:
        """How many coordinates a point has."""
        return len(self._native.bounds)

    @property
    def bounds(self) -> NDArray[np.float64]:
        """Low and high of each coordinate: d × 2."""
        return np.array(self._native.bounds)

    @property
    def minimum(self) -> float:
        """The smallest value in the box."""
        return self._native.minimum

    @property
    def minimizers(self) -> NDArray[np.float64]:
        """The points of the box where the minimum is taken, as rows."""
        return np.array(self._native.minimizers)

    @property
    def space(self) -> dict[str, Float]:
        """The box as a search space of x0, x1, …"""
        return {f"x{i}": Float(low, high) for i, (low, high) in enumerate(self._native.bounds)}

    def shifted(self, seed: int) -> Problem:
        """The same function, shifted inside its box so that the optimum is not at a special place."""
        seed = seed_of(seed)
        return Problem(self._native.shifted(seed), (*self._shifts, seed), self._origin)

    def __call__(self, x: ArrayLike | None = None, /, **coordinates: float) -> Any:
        if x is None:
            x = [coordinates[f"x{i}"] for i in range(self.dim)]
        given = array(x, "x")
        single = given.ndim < 2
        values = self._native.values(np.ascontiguousarray(given.reshape(1, -1) if single else given))
        return float(values[0]) if single else values

    def __repr__(self) -> str:
        return f"<Problem {self.name}>"


def _made(name: str, shifts: tuple[int, ...]) -> Problem:
    problem = get(name)
    for seed in shifts:
        problem = problem.shifted(seed)
    return problem


def names() -> list[str]:
    """The names of all problems with a fixed dimension, and those of the others in some dimensions."""
    return _elbowroom.problem_names()


def get(name: str, dim: int | None = None) -> Problem:
    """The problem of a name, such as ``"branin"``, ``"ackley5"``, or ``"ackley"`` with a dimension."""
    return Problem(_elbowroom.Problem(name if dim is None else f"{name}{dim}"))


def all() -> list[Problem]:
    """Every problem of :func:`names`."""
    return [get(name) for name in names()]


def __getattr__(name: str) -> Any:
    """Problems by their names; for one that takes a dimension, the function that creates it."""
    if name in names():
        return get(name)
    if any(re.fullmatch(rf"{re.escape(name)}\d+", known) for known in names()):
        return lambda dim: get(name, dim)
    raise AttributeError(f"there is no problem {name!r}")
