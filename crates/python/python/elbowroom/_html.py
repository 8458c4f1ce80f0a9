"""Tables for notebooks. All texts are escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_MOST_ROWS = 60


def table(columns: Mapping[str, Sequence[Any]]) -> str:
    """Columns as a table; of a long one the beginning and the end."""
    rows = list(zip(*columns.values()))
    if len(rows) > _MOST_ROWS:
        rows = [*rows[: _MOST_ROWS // 2], ("…",) * len(columns), *rows[-_MOST_ROWS // 2 :]]
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(_text(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def facts(title: str, rows: Mapping[str, object]) -> str:
    """A title and what there is to say, line by line."""
    body = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(_text(value))}</td></tr>"
        for name, value in rows.items()
    )
    return f"<table><caption>{escape(title)}</caption><tbody>{body}</tbody></table>"


def assigned(values: Mapping[str, Any]) -> str:
    """Names with their values.

    >>> assigned({"x": 0.5, "kind": "a"})
    'x=0.5, kind=a'
    """
    return ", ".join(f"{name}={value}" for name, value in values.items())


def names_of(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> names_of(["yield", "cost", "time"])
    '`yield`, `cost` and `time`'
    """
    quoted = [f"`{name}`" for name in names]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def _text(cell: object) -> str:
    if cell is None:
        return ""
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
