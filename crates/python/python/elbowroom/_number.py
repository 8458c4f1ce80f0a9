"""Numbers and texts as people give them: Python's, numpy's, and arrays of one."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._errors import ConfigError, DataError


MAX_SEED = 2**64 - 1

SHOWN = 80
"""Characters of what was given that an error shows."""


def shown(value: Any) -> str:
    """A value as an error shows it, even if it cannot be shown.

    >>> shown([1, "a"])
    "[1, 'a']"
    """
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return encodable(text[:SHOWN])


def encodable(text: str) -> str:
    r"""A text that can be stored: halves of surrogate pairs are written out.

    >>> encodable("caf\u00e9 \udcff")
    'café \\udcff'
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def number(value: Any, what: str = "the value") -> float:
    """A real number; an array of one element counts as its number, a text does not."""
    one = value.reshape(-1)[0] if isinstance(value, np.ndarray) and value.size == 1 else value
    try:
        # numpy would drop the imaginary part.
        if isinstance(one, (str, bytes, bytearray, np.complexfloating)):
            raise TypeError
        return float(one)
    except Exception:
        # Whatever `__float__` raises: tensors with several numbers have their own exceptions.
        raise DataError(f"{what} is {shown(value)}, which is not a number\n  try: use a float") from None


def results_of(value: Any) -> float | dict[str, float]:
    """What is reported for a trial: a number, or numbers by name.

    >>> results_of({"loss": 0.5, "minutes": 12})
    {'loss': 0.5, 'minutes': 12.0}
    >>> results_of(1)
    1.0
    """
    if not isinstance(value, Mapping):
        return number(value)
    if not value:
        raise DataError("the results are empty\n  try: give at least one number by its name")
    return {_name(name): number(one, f"the result {shown(name)}") for name, one in value.items()}


def _name(name: Any) -> str:
    if not isinstance(name, str) or encodable(name) != name:
        raise DataError(f"a result has the name {shown(name)}\n  try: use a string")
    return str(name)


def noise_variance(value: Any) -> float | None:
    """A noise variance, if there is one."""
    if value is None:
        return None
    found = number(value, "the noise")
    if not 0 <= found < float("inf"):
        raise DataError(f"the noise is {found}\n  try: use a variance: finite, and not negative")
    return found


def variance_of(noise: Any, sd: Any) -> float | None:
    """The variance of noise, from itself or from the standard deviation.

    >>> variance_of(None, 0.5)
    0.25
    """
    if sd is None:
        return noise_variance(noise)
    if noise is not None:
        raise DataError(
            f"noise is {shown(noise)} and sd is {shown(sd)}\n"
            "  try: give one of them: noise is the variance, sd its square root"
        )
    found = number(sd, "the sd")
    if not 0 <= found * found < float("inf") or found < 0:
        raise DataError(f"the sd is {found}\n  try: use a standard deviation: finite, and not negative")
    return found * found


def limit(value: Any, what: str, low: float = float("-inf"), hint: str = "a number") -> float:
    """A number that is not below a bound; a boolean or NaN is refused."""
    try:
        found = float("nan") if isinstance(value, (bool, np.bool_)) else number(value)
    except DataError:
        found = float("nan")
    if not found >= low:
        raise ConfigError(f"{what} is {shown(value)}\n  try: use {hint}")
    return found


def whole(value: Any, what: str, low: int = 0, high: int = 2**63 - 1) -> int:
    """A whole number in a range."""
    try:
        found = operator.index(value)
    except TypeError:
        found = low - 1
    if not low <= found <= high or isinstance(value, (bool, np.bool_)):
        most = f" and at most {high}" if found > high or high == MAX_SEED else ""
        raise ConfigError(f"{what} is {shown(value)}\n  try: use an integer of at least {low}{most}")
    return found


def seed_of(value: Any) -> int:
    """A seed."""
    return whole(value, "seed", 0, MAX_SEED)


def text_of(value: Any, what: str) -> str:
    """A text that can be stored."""
    if not isinstance(value, str) or encodable(value) != value:
        raise ConfigError(f"{what} is {shown(value)}\n  try: use a string")
    return str(value)


def array(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """An array of numbers; texts and complex numbers are refused."""
    try:
        given = np.asarray(values)
        if given.dtype.kind in "USc":
            raise TypeError
        return given.astype(np.float64, copy=False)
    except Exception:
        raise DataError(f"{what} is {shown(values)}, which is not an array of numbers\n  try: use finite numbers") from None


def finite(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """An array of numbers, none of which is infinite or NaN."""
    found = array(values, what)
    if not np.isfinite(found).all():
        raise DataError(f"{what} has numbers that are infinite or NaN\n  try: use finite numbers")
    return found
