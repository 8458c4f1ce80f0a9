"""What is searched: one object for each parameter, by name."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ._errors import SpaceError
from ._number import number


@dataclass(frozen=True)
class Float:
    """A real number from ``low`` to ``high``, both included.

    With ``log``, equal ratios and not equal differences are equally far apart.

    >>> import elbowroom as er
    >>> er.Float(1e-5, 1e-1, log=True)
    Float(low=1e-05, high=0.1, log=True)
    """

    low: float
    high: float
    log: bool = False


@dataclass(frozen=True)
class Int:
    """A whole number from ``low`` to ``high``, both included."""

    low: int
    high: int
    log: bool = False


@dataclass(frozen=True, init=False)
class Ordered:
    """One of a list whose order means something; neighbours are equally far apart, whatever their values.

    >>> import elbowroom as er
    >>> er.Ordered([16, 32, 64])
    Ordered(values=(16, 32, 64))
    """

    values: tuple[Any, ...]

    def __init__(self, values: Iterable[Any]) -> None:
        object.__setattr__(self, "values", tuple(values))


@dataclass(frozen=True, init=False)
class Categorical:
    """One of a list without order. The choices may be any objects; those that are no numbers, texts or truth values are
    stored under a label.

    >>> import elbowroom as er
    >>> er.Categorical(["relu", "tanh", None])
    Categorical(choices=('relu', 'tanh', None))
    """

    choices: tuple[Any, ...]

    def __init__(self, choices: Iterable[Any]) -> None:
        object.__setattr__(self, "choices", tuple(choices))


@dataclass(frozen=True)
class Fixed:
    """A value that is part of each point but is not searched."""

    value: Any


Choice = Categorical

Parameter: TypeAlias = Float | Int | Ordered | Categorical | Fixed
Space: TypeAlias = Mapping[str, Parameter]
Params: TypeAlias = dict[str, Any]

_PLAIN = (bool, int, float, str)


class Labels:
    """The labels under which objects of a space are stored: objects outside, numbers and texts inside."""

    def __init__(self, space: Space) -> None:
        self._of: dict[str, list[tuple[Any, Any]]] = {}
        for name, parameter in _parameters(space):
            listed = _listed(parameter)
            stored = _stored(listed)
            if any(type(a) is not type(b) for a, b in zip(listed, stored)):
                self._of[name] = list(zip(listed, stored))

    def encode(self, params: Mapping[str, Any]) -> Params:
        """Params with a label for each object that has one."""
        return {name: self._find(name, value, 0, 1) for name, value in params.items()}

    def decode(self, params: Params) -> Params:
        """Params with the objects again."""
        for name in self._of:
            params[name] = self._find(name, params[name], 1, 0)
        return params

    def _find(self, name: str, value: Any, given: int, wanted: int) -> Any:
        pairs = self._of.get(name, ())
        for pair in pairs:
            if pair[given] is value:
                return pair[wanted]
        for pair in pairs:
            if type(pair[given]) is type(value) and _equal(pair[given], value):
                return pair[wanted]
        return value


def to_native(space: Space) -> list[dict[str, Any]]:
    """A space as the plain dicts that the core is given."""
    rows: list[dict[str, Any]] = []
    for name, parameter in _parameters(space):
        row: dict[str, Any]
        if isinstance(parameter, Float):
            low, high = (_bound(name, bound, number) for bound in (parameter.low, parameter.high))
            row = {"type": "float", "low": low, "high": high, "log": bool(parameter.log)}
        elif isinstance(parameter, Int):
            low, high = (_bound(name, bound, _integer) for bound in (parameter.low, parameter.high))
            row = {"type": "int", "low": low, "high": high, "log": bool(parameter.log)}
        elif isinstance(parameter, Ordered):
            row = {"type": "ordered", "values": _stored(parameter.values)}
        elif isinstance(parameter, Categorical):
            row = {"type": "category", "choices": _stored(parameter.choices)}
        elif isinstance(parameter, Fixed):
            row = {"type": "fixed", "value": _stored([parameter.value])[0]}
        else:
            raise SpaceError(
                f"parameter `{name}` is {parameter!r}\n  try: er.Float, er.Int, er.Ordered, er.Categorical or er.Fixed"
            )
        rows.append({"name": name, **row})
    return rows


def from_native(rows: Iterable[Mapping[str, Any]]) -> dict[str, Parameter]:
    """The space that such dicts describe."""
    space: dict[str, Parameter] = {}
    for row in rows:
        kind, name = row["type"], row["name"]
        if kind == "float":
            space[name] = Float(row["low"], row["high"], row["log"])
        elif kind == "int":
            space[name] = Int(row["low"], row["high"], row["log"])
        elif kind == "ordered":
            space[name] = Ordered(row["values"])
        elif kind == "category":
            space[name] = Categorical(row["choices"])
        else:
            space[name] = Fixed(row["value"])
    return space


def texts(constraints: str | Iterable[str]) -> list[str]:
    """Constraints as a list; a single text is one."""
    try:
        listed = [constraints] if isinstance(constraints, str) else list(constraints)
    except TypeError:
        listed = [constraints]  # type: ignore[list-item]
    for one in listed:
        if not isinstance(one, str):
            raise SpaceError(f"a constraint is {one!r:.80}\n  try: texts such as \"x + y <= 1\"")
    return listed


def _parameters(space: Space) -> Iterable[tuple[str, Parameter]]:
    if not isinstance(space, Mapping):
        raise SpaceError(f"the space is {space!r:.80}\n  try: a dict of names and parameters, {{'x': er.Float(0, 1)}}")
    for name in space:
        if not isinstance(name, str):
            raise SpaceError(f"a parameter is called {name!r:.80}\n  try: a text")
    return space.items()


def _bound(name: str, bound: Any, read: Callable[[Any], Any]) -> Any:
    try:
        return read(bound)
    except (TypeError, ValueError, OverflowError):
        kind = "a number" if read is number else "a whole number of 64 bits"
        raise SpaceError(f"parameter `{name}`: the bound {bound!r:.80} is not {kind}\n  try: {kind}") from None


def _integer(bound: Any) -> int:
    found = operator.index(bound)
    if not -(2**63) <= found < 2**63:
        raise OverflowError
    return found


def _listed(parameter: Parameter) -> Sequence[Any]:
    if isinstance(parameter, Ordered):
        return parameter.values
    if isinstance(parameter, Categorical):
        return parameter.choices
    return [parameter.value] if isinstance(parameter, Fixed) else []


def _stored(values: Sequence[Any]) -> list[Any]:
    """Values that can be stored: plain ones as they are, labels for the others."""
    plain = [value if _is_plain(value) else None for value in values]
    used = {value for value in plain if isinstance(value, str)}
    stored: list[Any] = []
    for i, (value, kept) in enumerate(zip(values, plain)):
        if kept is None:
            kept = _label(value)
            if kept in used:
                kept = f"{kept} ({i})"
            used.add(kept)
        stored.append(kept)
    return stored


def _is_plain(value: Any) -> bool:
    if type(value) is int:
        return -(2**63) <= value < 2**63
    if type(value) is float:
        return value - value == 0.0
    return type(value) in _PLAIN


def _label(value: Any) -> str:
    """A text for an object that is the same in each process."""
    text = getattr(value, "__qualname__", None) or repr(value)
    return re.sub(r" at 0x[0-9a-f]+", "", str(text))[:80]


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except (TypeError, ValueError):
        return False
