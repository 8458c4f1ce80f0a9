"""Numbers as people give them: Python's, numpy's, and arrays of one."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._errors import ConfigError, DataError


MAX_SEED = 2**64 - 1


def number(value: Any, what: str = "the value") -> float:
    """A real number; an array of one element counts as its number, a text does not."""
    one = value.reshape(-1)[0] if isinstance(value, np.ndarray) and value.size == 1 else value
    try:
        if isinstance(one, (str, bytes, bytearray)):
            raise TypeError
        return float(one)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{what} is {value!r:.80}, which is no number\n  try: a float") from None


def noise_variance(value: Any) -> float | None:
    """A noise variance, if there is one."""
    if value is None:
        return None
    found = number(value, "the noise")
    if not 0 <= found < float("inf"):
        raise DataError(f"the noise is {found}\n  try: a variance: finite, and not negative")
    return found


def whole(value: Any, what: str, low: int = 0, high: int = 2**63 - 1) -> int:
    """A whole number in a range."""
    try:
        found = operator.index(value)
    except TypeError:
        found = low - 1
    if not low <= found <= high or isinstance(value, (bool, np.bool_)):
        raise ConfigError(f"{what} is {value!r:.80}\n  try: a whole number from {low} on" + _below(high))
    return found


def _below(high: int) -> str:
    return f", of at most {high}" if high == MAX_SEED else ""


def seed_of(value: Any) -> int:
    """A seed."""
    return whole(value, "seed", 0, MAX_SEED)


def finite(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """An array of numbers, none of which is infinite or NaN."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{what} is {values!r:.80}, which is no array of numbers\n  try: finite numbers") from None
    if not np.isfinite(array).all():
        raise DataError(f"{what} has numbers that are infinite or NaN\n  try: finite numbers")
    return array
