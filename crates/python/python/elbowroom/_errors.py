"""What can go wrong. Each message says what failed and where, and after ``try:`` what to do."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

_HERE = str(Path(__file__).parent)


class ElbowroomError(Exception):
    """All errors of this package.

    >>> import elbowroom as er
    >>> er.Study({"x": er.Float(3, 1)})
    Traceback (most recent call last):
    ...
    elbowroom.SpaceError: parameter `x`: low 3 is above high 1
      try: swap the two bounds
    """


class SpaceError(ElbowroomError, ValueError):
    """A search space that cannot be searched, or a point that is not in it."""


class DataError(ElbowroomError, ValueError):
    """Observations that a model cannot use."""


class ConfigError(ElbowroomError, ValueError):
    """A setting out of its range, or settings that contradict each other."""


class TrialError(ElbowroomError, ValueError):
    """A trial or a report that does not fit the study's history."""


class NumericalError(ElbowroomError, ArithmeticError):
    """A computation that failed although its input was valid."""


class StoreError(ElbowroomError, OSError):
    """A store that cannot be opened, read or written."""


class Infeasible(Exception):
    """Raised by an objective if its point breaks a constraint that only the evaluation reveals.

    >>> import elbowroom as er
    >>> def burn(x):
    ...     if x > 0.5:
    ...         raise er.Infeasible("too hot")
    ...     return -x
    >>> study = er.minimize(burn, {"x": er.Float(0, 1)}, budget=8)
    >>> study.best.params["x"] <= 0.5
    True
    """


for _error in (ElbowroomError, SpaceError, DataError, ConfigError, TrialError, NumericalError, StoreError, Infeasible):
    _error.__module__ = "elbowroom"
del _error


def warn(words: str, category: type[Warning] = UserWarning) -> None:
    """Warns, and names the line outside this package from which it was called."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        level, frame = level + 1, frame.f_back
    warnings.warn(words, category, stacklevel=level)
