"""Tables for notebooks, whose texts are escaped, and for terminals, where control characters are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_MOST_ROWS = 60

_MOST_LETTERS = 40
"""Letters of a cell in a terminal."""


def table(columns: Mapping[str, Sequence[Any]]) -> str:
    """Columns as a table; a long one is cut to its beginning and end."""
    rows = _shortened(columns)
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(_text(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def plain(columns: Mapping[str, Sequence[Any]]) -> str:
    """Columns as a table of text, without those that are empty; a long one is cut to its beginning and end.

    >>> print(plain({"trial": [0, 1], "kind": ["a", "long"], "value": [0.5, None], "note": [None, None]}))
    trial  kind  value
        0  a       0.5
        1  long
    """
    kept = {name: cells for name, cells in columns.items() if any(cell is not None for cell in cells)}
    are_numbers = [all(isinstance(cell, (int, float, type(None))) for cell in cells) for cells in kept.values()]
    rows = [list(kept), *([_one_line(_text(cell)) for cell in row] for row in _shortened(kept))]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = (
        "  ".join(cell.rjust(width) if is_number else cell.ljust(width) for cell, width, is_number in zip(row, widths, are_numbers))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def _shortened(columns: Mapping[str, Sequence[Any]]) -> list[tuple[Any, ...]]:
    """The rows of columns; if there are many, only the first and the last."""
    rows = list(zip(*columns.values()))
    if len(rows) > _MOST_ROWS:
        rows = [*rows[: _MOST_ROWS // 2], ("…",) * len(columns), *rows[-_MOST_ROWS // 2 :]]
    return rows


def _one_line(text: str) -> str:
    """A text for one cell of a terminal: no control characters, and not too long."""
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"


def facts(title: str, rows: Mapping[str, object]) -> str:
    """A title and what there is to say, line by line."""
    body = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(_text(value))}</td></tr>"
        for name, value in rows.items()
    )
    return f"<table><caption>{escape(title)}</caption><tbody>{body}</tbody></table>"


def assigned(values: Mapping[str, Any]) -> str:
    """Names with their values, floats with six digits.

    >>> assigned({"x": 0.1 + 0.2, "kind": "a"})
    'x=0.3, kind=a'
    """
    return ", ".join(f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}" for name, value in values.items())


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
    if isinstance(cell, float):
        return f"{cell:.6g}"
    text = str(cell)
    # The message of a traceback is its last line.
    return text.strip().rsplit("\n", 1)[-1] if text.startswith("Traceback (most recent call last)") else text
