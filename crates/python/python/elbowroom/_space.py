"""What is searched: one object for each parameter, by name."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

import numpy as np

from ._errors import SpaceError
from ._number import encodable, number, shown


class _Described:
    """Shows what was given: a step and a condition only if there is one."""

    def __repr__(self) -> str:
        shown = [one.name for one in fields(self) if one.repr]  # type: ignore[arg-type]
        given = ((name, getattr(self, name)) for name in shown)
        said = (f"{name}={value!r}" for name, value in given if value is not None or name not in ("step", "when"))
        return f"{type(self).__name__}({', '.join(said)})"


@dataclass(frozen=True, repr=False)
class Float(_Described):
    """A real number from ``low`` to ``high``, both included.

    With ``log`` it is searched on a log scale. With ``step`` only ``low``, ``low + step`` and so on up to ``high`` are
    proposed, as people write them: 0.15, not 0.15000000000000002.
    With ``when``, which every kind of parameter takes, it is present only where that condition on other parameters holds.

    >>> import elbowroom as er
    >>> er.Float(1e-5, 1e-1, log=True)
    Float(low=1e-05, high=0.1, log=True)
    >>> er.Float(0, 1, step=0.05)
    Float(low=0, high=1, log=False, step=0.05)
    >>> er.Float(0, 1, when="kind == 'sgd'")
    Float(low=0, high=1, log=False, when="kind == 'sgd'")
    """

    low: float
    high: float
    log: bool = False
    step: float | None = None
    when: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, repr=False)
class Int(_Described):
    """An integer from ``low`` to ``high``, both included."""

    low: int
    high: int
    log: bool = False
    when: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, init=False, repr=False)
class Ordered(_Described):
    """A value from a list in a meaningful order; neighbours are equally far apart, whatever their values.

    >>> import elbowroom as er
    >>> er.Ordered([16, 32, 64])
    Ordered(values=(16, 32, 64))
    """

    values: tuple[Any, ...]
    when: str | None = None

    def __init__(self, values: Iterable[Any], *, when: str | None = None) -> None:
        object.__setattr__(self, "values", tuple(map(_item, values)))
        object.__setattr__(self, "when", when)


@dataclass(frozen=True, init=False, repr=False)
class Ladder(_Described):
    """A number from an ascending list, with the numbers at their true distances; with ``log``, at those of their
    logarithms.

    >>> import elbowroom as er
    >>> er.Ladder([16, 32, 64, 512], log=True)
    Ladder(values=(16, 32, 64, 512), log=True)
    """

    values: tuple[Any, ...]
    log: bool
    when: str | None = None

    def __init__(self, values: Iterable[Any], log: bool = False, *, when: str | None = None) -> None:
        object.__setattr__(self, "values", tuple(map(_item, values)))
        object.__setattr__(self, "log", log)
        object.__setattr__(self, "when", when)


@dataclass(frozen=True)
class Descriptors:
    """Numbers for each choice of a category: the columns' names, and a row for each choice."""

    columns: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, init=False, repr=False)
class Categorical(_Described):
    """A value from a list without order. The choices may be any objects; those that are not numbers, strings or booleans
    are stored under a label.

    ``descriptors`` are numbers that say which choices are alike: a dict with a dict of numbers for each choice, or a data
    frame whose index holds the choices. The model learns how much they matter.

    >>> import elbowroom as er
    >>> er.Categorical(["relu", "tanh", None])
    Categorical(choices=('relu', 'tanh', None))
    >>> table = {"water": {"permittivity": 80.1, "density": 1.0}, "hexane": {"permittivity": 1.9, "density": 0.66}}
    >>> er.Categorical(["water", "hexane"], descriptors=table).descriptors.columns
    ('permittivity', 'density')
    """

    choices: tuple[Any, ...]
    descriptors: Descriptors | None = field(repr=False)
    when: str | None = None

    def __init__(self, choices: Iterable[Any], descriptors: Any = None, *, when: str | None = None) -> None:
        object.__setattr__(self, "choices", tuple(map(_item, choices)))
        object.__setattr__(self, "descriptors", None if descriptors is None else _described(self.choices, descriptors))
        object.__setattr__(self, "when", when)


@dataclass(frozen=True, repr=False)
class Fixed(_Described):
    """A constant that is part of every point."""

    value: Any
    when: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", _item(self.value))


class Candidates(Mapping[str, "Parameter"]):
    """A table as the space: only its rows are proposed.

    ``rows`` is a data frame or a list of dicts. A column of numbers is a :class:`Ladder`, any other a
    :class:`Categorical`, unless ``parameters`` says what it is. A column with a condition is missing, None or NaN
    where that condition does not hold.

    >>> import elbowroom as er
    >>> rows = [{"dose": 0.1, "kind": "a"}, {"dose": 3.0, "kind": "a"}, {"dose": 0.5, "kind": "b"}]
    >>> study = er.Study(er.Candidates(rows), seed=1)
    >>> sorted(trial.params["dose"] for trial in study.ask(3))
    [0.1, 0.5, 3.0]
    """

    def __init__(self, rows: Any, parameters: Mapping[str, Parameter] | None = None) -> None:
        listed = rows.to_dict("records") if hasattr(rows, "to_dict") else list(rows)
        if not listed or not all(isinstance(row, Mapping) for row in listed):
            raise SpaceError("the candidates are not a table\n  try: use a data frame, or a list of dicts with at least one row")
        known: dict[str, Any] = dict(parameters or {})
        may_lack = {name for name, parameter in known.items() if getattr(parameter, "when", None) is not None}
        self.rows: tuple[Params, ...] = tuple(
            {name: _item(value) for name, value in row.items() if not (name in may_lack and _is_missing(value))}
            for row in listed
        )
        columns = dict.fromkeys(name for row in self.rows for name in row)
        self._parameters = {name: known.pop(name, None) or _column(name, self.rows) for name in columns} | known

    def __getitem__(self, name: str) -> Parameter:
        return self._parameters[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def __repr__(self) -> str:
        return f"Candidates({len(self.rows)} rows of {', '.join(self._parameters)})"


Choice = Categorical

Parameter: TypeAlias = Float | Int | Ordered | Ladder | Categorical | Fixed
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
        if not isinstance(params, Mapping):
            raise SpaceError(f"a point is {shown(params)}\n  try: use a dict of the parameters' names and values")
        _check_names(params)
        return {name: _value(name, self._find(name, value, 0, 1)) for name, value in params.items()}

    def decode(self, params: Params) -> Params:
        """Params with the objects again."""
        for name in self._of.keys() & params.keys():
            params[name] = self._find(name, params[name], 1, 0)
        return params

    def _find(self, name: str, value: Any, given: int, wanted: int) -> Any:
        pairs = self._of.get(name, ())
        for pair in pairs:
            if pair[given] is value:
                return pair[wanted]
        for pair in pairs:
            if type(pair[given]) is type(value) and equal(pair[given], value):
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
            if parameter.step is not None:
                row["step"] = _bound(name, parameter.step, number)
        elif isinstance(parameter, Int):
            low, high = (_bound(name, bound, _integer) for bound in (parameter.low, parameter.high))
            row = {"type": "int", "low": low, "high": high, "log": bool(parameter.log)}
        elif isinstance(parameter, Ordered):
            row = {"type": "ordered", "values": _stored(parameter.values)}
        elif isinstance(parameter, Ladder):
            row = {"type": "ladder", "values": _stored(parameter.values), "log": bool(parameter.log)}
        elif isinstance(parameter, Categorical):
            row = {"type": "category", "choices": _stored(parameter.choices)}
            if parameter.descriptors is not None:
                row["descriptors"] = parameter.descriptors.columns, parameter.descriptors.rows
        elif isinstance(parameter, Fixed):
            row = {"type": "fixed", "value": _stored([parameter.value])[0]}
        else:
            raise SpaceError(f"parameter `{name}` is {shown(parameter)}\n  try: use {_meant(parameter)}")
        if parameter.when is not None:
            row["when"] = _condition(name, parameter.when)
        rows.append({"name": name, **row})
    if isinstance(space, Candidates):
        labels = Labels(space)
        encoded = [labels.encode(row) for row in space.rows]
        rows.append({"name": "", "type": "candidates", "rows": encoded})
    return rows


def _meant(given: Any) -> str:
    """A guess at the meaning of something that is not a parameter."""
    if isinstance(given, (tuple, list, range)) and given:
        is_range = len(given) == 2 and all(isinstance(one, (int, float)) for one in given)
        if is_range:
            return f"er.Float({given[0]}, {given[1]}) or er.Int({given[0]}, {given[1]})"
        return f"er.Ordered({shown(list(given))}), or er.Categorical if the order means nothing"
    return "er.Float(low, high), er.Int, er.Ordered, er.Ladder, er.Categorical or er.Fixed"


def from_native(rows: Iterable[Mapping[str, Any]]) -> dict[str, Parameter]:
    """The space that such dicts describe."""
    space: dict[str, Parameter] = {}
    for row in rows:
        kind, name, when = row["type"], row["name"], row.get("when")
        if kind == "float":
            space[name] = Float(row["low"], row["high"], row["log"], row.get("step"), when=when)
        elif kind == "int":
            space[name] = Int(row["low"], row["high"], row["log"], when=when)
        elif kind == "ordered":
            space[name] = Ordered(row["values"], when=when)
        elif kind == "ladder":
            space[name] = Ladder(row["values"], row["log"], when=when)
        elif kind == "category":
            space[name] = Categorical(row["choices"], when=when)
            if (found := row.get("descriptors")) is not None:
                columns, numbers = found
                table = Descriptors(tuple(columns), tuple(map(tuple, numbers)))
                object.__setattr__(space[name], "descriptors", table)
        elif kind == "candidates":
            continue
        else:
            space[name] = Fixed(row["value"], when=when)
    return space


def check_same(space: Space, stored: Iterable[Mapping[str, Any]], study: str) -> None:
    """Refuses a space that is not the one a study was created with, and names the first difference."""
    given, kept = ({row["name"]: row for row in rows} for rows in (to_native(space), stored))
    if _typed(given.pop("", None)) != _typed(kept.pop("", None)):
        what = f"the candidates are not those of the study `{study}`"
        raise SpaceError(f"{what}\n  try: use the table that the study was created with, or no space")
    for name in [*kept, *given]:
        if name not in given:
            what = f"the study `{study}` has a parameter `{name}`, which the given space lacks"
        elif name not in kept:
            what = f"the given space has a parameter `{name}`, which the study `{study}` lacks"
        elif _typed(given[name]) != _typed(kept[name]):
            there, here = (from_native([row])[name] for row in (kept[name], given[name]))
            what = f"parameter `{name}` is {shown(there)} in the study `{study}`, and {shown(here)} in the given space"
        else:
            continue
        raise SpaceError(f"{what}\n  try: use the space that the study was created with, or no space")


def _typed(value: Any) -> Any:
    """A value with its types: 1, 1.0 and True are not the same choice."""
    if isinstance(value, dict):
        return {key: _typed(one) for key, one in value.items()}
    return [_typed(one) for one in value] if isinstance(value, (list, tuple)) else (type(value), value)


def texts(constraints: str | Iterable[str]) -> list[str]:
    """Constraints as a list; a single text is one."""
    try:
        listed = [constraints] if isinstance(constraints, str) else list(constraints)
    except TypeError:
        listed = [constraints]  # type: ignore[list-item]
    for one in listed:
        if not isinstance(one, str):
            raise SpaceError(f"a constraint is {shown(one)}\n  try: use strings such as \"x + y <= 1\"")
    return listed


def _parameters(space: Space) -> Iterable[tuple[str, Parameter]]:
    if not isinstance(space, Mapping):
        raise SpaceError(f"the space is {shown(space)}\n  try: use a dict of names and parameters, {{'x': er.Float(0, 1)}}")
    _check_names(space)
    return space.items()


def _check_names(names: Iterable[Any]) -> None:
    for name in names:
        if not isinstance(name, str) or encodable(name) != name:
            raise SpaceError(f"a parameter is called {shown(name)}\n  try: use a string")


def _described(choices: Sequence[Any], table: Any) -> Descriptors:
    """The numbers of each choice, from a frame or from a dict of dicts."""
    if hasattr(table, "to_dict"):
        table = table.to_dict("index")
    if not isinstance(table, Mapping) or not all(isinstance(row, Mapping) for row in table.values()):
        raise SpaceError("the descriptors are not a table\n  try: use a data frame with the choices as its index, or a dict of dicts")
    columns = tuple(next(iter(table.values()), {}))
    rows = []
    for choice in choices:
        row = next((row for key, row in table.items() if equal(_item(key), choice)), None)
        if row is None:
            raise SpaceError(f"{shown(choice)} has no descriptors\n  try: add a row for each choice")
        try:
            rows.append(tuple(number(row[column]) for column in columns))
        except KeyError as error:
            raise SpaceError(f"{shown(choice)} has no descriptor {error}\n  try: give a number for each column") from None
        except (TypeError, ValueError):
            raise SpaceError(f"a descriptor of {shown(choice)} is not a number\n  try: use numbers, or other columns") from None
    return Descriptors(tuple(map(str, columns)), tuple(rows))


def _is_missing(value: Any) -> bool:
    """Whether this is a placeholder for a missing value in frames and lists."""
    return value is None or (isinstance(value, float) and value != value)


def _column(name: str, rows: Sequence[Params]) -> Parameter:
    """The parameter of a column of candidates."""
    values = [row[name] for row in rows if name in row]
    try:
        distinct = list({(isinstance(value, bool), value): value for value in values}.values())
    except TypeError:  # some values cannot be hashed
        distinct = [value for i, value in enumerate(values) if not any(equal(value, one) for one in values[:i])]
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in distinct):
        return Ladder(sorted(distinct))
    return Categorical(distinct)


def _bound(name: str, bound: Any, read: Callable[[Any], Any]) -> Any:
    try:
        return read(bound)
    except (TypeError, ValueError, OverflowError):
        kind = "a number" if read is number else "a whole number of 64 bits"
        raise SpaceError(f"parameter `{name}`: the bound {shown(bound)} is not {kind}\n  try: use {kind}") from None


def _condition(name: str, when: Any) -> str:
    if not isinstance(when, str):
        raise SpaceError(f"parameter `{name}`: its condition is {shown(when)}\n  try: use a string such as \"kind == 'sgd'\"")
    return encodable(when)


def _integer(bound: Any) -> int:
    found = operator.index(bound)
    if not -(2**63) <= found < 2**63:
        raise OverflowError
    return found


def _listed(parameter: Parameter) -> Sequence[Any]:
    if isinstance(parameter, (Ordered, Ladder)):
        return parameter.values
    if isinstance(parameter, Categorical):
        return parameter.choices
    return [parameter.value] if isinstance(parameter, Fixed) else []


def _stored(values: Sequence[Any]) -> list[Any]:
    """Values that can be stored: plain values unchanged, labels for other objects."""
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
    if type(value) is str:
        return encodable(value) == value
    return type(value) in _PLAIN


def _item(value: Any) -> Any:
    """numpy's scalars as Python's own types."""
    return value.item() if isinstance(value, np.generic) else value


def _value(name: str, value: Any) -> Any:
    """A value of a parameter as it is stored; an object that wraps a value counts as that value."""
    held = value
    if not isinstance(value, _PLAIN) and hasattr(value, "item"):
        try:
            held = value.item()
        except Exception:
            held = None
    if isinstance(held, int) and not -(2**63) <= held < 2**63:
        held = None
    if not isinstance(held, _PLAIN) or (isinstance(held, str) and encodable(held) != held):
        raise SpaceError(
            f"parameter `{name}`: {shown(value)} cannot be the value of a parameter\n  try: use a number, a string, True or False"
        )
    return held


def _label(value: Any) -> str:
    """A text for an object, the same in every process."""
    text = getattr(value, "__qualname__", None) or _words(value)
    return encodable(re.sub(r" at 0x[0-9a-f]+", "", str(text))[:80])


def _words(value: Any) -> str:
    """Like `repr`, but with sorted sets: their order changes from process to process."""
    kind = type(value)
    if kind in (set, frozenset) and value:
        words = f"{{{', '.join(sorted(map(_words, value)))}}}"
        return words if kind is set else f"frozenset({words})"
    if kind is list:
        return f"[{', '.join(map(_words, value))}]"
    if kind is tuple:
        return f"({', '.join(map(_words, value))}{',' * (len(value) == 1)})"
    if kind is dict:
        return f"{{{', '.join(f'{_words(key)}: {_words(one)}' for key, one in value.items())}}}"
    try:
        return repr(value)
    except Exception:
        return f"<{kind.__name__}>"


def equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except (TypeError, ValueError):
        return False
