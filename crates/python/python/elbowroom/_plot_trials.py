"""Pictures of all trials at once: in parallel coordinates, and by who ran them and when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import ConfigError, ElbowroomError
from ._plot import COLOURS, axes_of, spans_decades
from ._space import Categorical, Fixed, Float, Int, Parameter

if TYPE_CHECKING:
    from ._study import Study
    from ._trial import Trial

_MOST_LINES = 400
"""Trials in parallel coordinates: the best of more."""

_MOST_ATTEMPTS = 3000
"""Attempts of a timeline: the latest of more."""

_ENDS = {
    "complete": COLOURS["value"],
    "running": COLOURS["pending"],
    "failed": COLOURS["best"],
    "infeasible": "#8a6d9c",
    "lost": COLOURS["outside"],
    "queued": COLOURS["outside"],
    "released": COLOURS["outside"],
}
"""The colour of an attempt, by how it ended."""


def parallel(study: Study, params: Sequence[str] | None = None, ax: Any = None, outcome: str | None = None) -> Any:
    """Each trial as a line across its parameters and its value."""
    objectives = study.front.objectives
    outcome = outcome or objectives[0].name
    space = study.space
    names = list(params) if params is not None else [name for name in space if not isinstance(space[name], Fixed)]
    for name in names:
        if name not in space:
            raise ConfigError(f"there is no parameter {name!r}\n  try: use some of {', '.join(space)}")
    trials = [trial for trial in study.trials if outcome in trial.results]
    if not trials:
        raise ElbowroomError(f"no trial has a value of `{outcome}` yet\n  try: use plot_parallel after the first results")
    is_max = next((one.goal == "maximize" for one in objectives if one.name == outcome), False)
    trials.sort(key=lambda trial: trial.results[outcome], reverse=is_max)
    trials = trials[:_MOST_LINES]
    values = np.array([trial.results[outcome] for trial in trials])
    columns = [_column_of(name, space[name], trials) for name in names]
    columns.append(_numbers(values, is_log=spans_decades(values)))
    ax = axes_of(ax)
    heights = np.array([heights for heights, _ in columns])
    # The best are drawn last, on top of the others.
    shades = np.linspace(1.0, 0.12, len(trials)) if len(trials) > 1 else np.ones(1)
    for number in range(len(trials) - 1, -1, -1):
        colour = COLOURS["best"] if number == 0 else COLOURS["value"]
        style = {"color": colour, "alpha": shades[number], "linewidth": 2.2 if number == 0 else 1.0}
        ax.plot(range(len(columns)), heights[:, number], **style)
    for at, (_, ticks) in enumerate(columns):
        ax.axvline(at, color="black", linewidth=0.8)
        for height, label in ticks:
            ax.text(at + 0.02, height, label, fontsize="small", va="center", zorder=5).set_bbox(
                {"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 0.8}
            )
    ax.set_xticks(range(len(columns)), [*names, outcome])
    ax.set_xlim(-0.1, len(columns) - 0.75)
    ax.set_yticks([])
    ax.set_title(f"{study.name}: the best of {len(trials)} trials in red")
    for side in ("left", "right", "top", "bottom"):
        ax.spines[side].set_visible(False)
    return ax


_MOST_LETTERS = 14
"""Letters beside an axis of parallel coordinates."""

_ABSENT = -0.1
"""Below the axis of a parameter, for trials that do not have it."""


def _column_of(name: str, parameter: Parameter, trials: Sequence[Trial]) -> tuple[Any, list[tuple[float, str]]]:
    """The positions of trials on the axis of a parameter, including trials without it."""
    there = np.array([name in trial.params for trial in trials])
    at, ticks = _column(parameter, [trial.params[name] for trial in trials if name in trial.params])
    heights = np.full(len(trials), _ABSENT)
    heights[there] = at
    return heights, ticks if there.all() else [*ticks, (_ABSENT, "absent")]


def _column(parameter: Parameter, values: Sequence[Any]) -> tuple[Any, list[tuple[float, str]]]:
    """The positions of values on an axis from 0 to 1, and its labels."""
    if isinstance(parameter, (Float, Int)):
        ends = (parameter.low, parameter.high)
        at, ticks = _numbers(np.array(values, dtype=np.float64), is_log=parameter.log, ends=ends)
        # Between two integers there may be none in the middle.
        return at, ticks if isinstance(parameter, Float) else [ticks[0], ticks[-1]]
    if isinstance(parameter, Fixed):
        return np.full(len(values), 0.5), [(0.5, str(parameter.value))]
    known = list(parameter.choices if isinstance(parameter, Categorical) else parameter.values)
    places = [0.5] if len(known) == 1 else [i / (len(known) - 1) for i in range(len(known))]
    at = np.array([places[_index(known, value)] for value in values])
    return at, [(place, _short(str(one))) for place, one in zip(places, known)]


def _short(label: str) -> str:
    """A label that does not reach the next axis."""
    return label if len(label) <= _MOST_LETTERS else f"{label[: _MOST_LETTERS - 1]}…"


def _index(known: Sequence[Any], value: Any) -> int:
    """The index of a value in a list; a boolean is not a number."""
    same = (i for i, one in enumerate(known) if isinstance(one, bool) == isinstance(value, bool) and one == value)
    return next(same, 0)


def _numbers(values: Any, is_log: bool, ends: tuple[float, float] | None = None) -> tuple[Any, list[tuple[float, str]]]:
    low, high = (float(values.min()), float(values.max())) if ends is None else ends
    onto = np.log if is_log else np.asarray
    bottom, top = float(onto(low)), float(onto(high))
    width = top - bottom
    at = (onto(values) - bottom) / width if width > 0 else np.full(len(values), 0.5)
    middle = float(np.exp((bottom + top) / 2)) if is_log else (low + high) / 2
    ticks = [(0.0, low), (0.5, middle), (1.0, high)] if width > 0 else [(0.5, low)]
    return at, [(place, f"{one:.4g}") for place, one in ticks]


def timeline(study: Study, ax: Any = None) -> Any:
    """Who ran which attempt of which trial, from when to when, and how it ended."""
    drawn = json.loads(study._native.timeline(_MOST_ATTEMPTS))
    if not drawn["workers"]:
        raise ElbowroomError("no worker has joined this study yet\n  try: use plot_timeline after a run, or after ask and tell")
    unit, word = _unit(drawn["to"] - drawn["from"])
    ax = axes_of(ax)
    lane = 0
    ticks: list[tuple[float, str]] = []
    ends: dict[str, Any] = {}
    for worker in drawn["workers"]:
        n_lanes = max(worker["n_lanes"], 1)
        ticks.append((lane + (n_lanes - 1) / 2, worker["name"]))
        for span in worker["spans"]:
            left, right = ((span[side] - drawn["from"]) / unit for side in ("from", "to"))
            end = span["end"]
            bars = ax.barh(
                lane + span["lane"], right - left, left=left, height=0.8, color=_ENDS.get(end, COLOURS["outside"]),
                edgecolor="white", linewidth=0.5,
            )  # fmt: skip
            ends.setdefault(end, bars[0])
        lane += n_lanes
        ax.axhline(lane - 0.5, color="black", linewidth=0.3)
    ax.set_yticks([at for at, _ in ticks], [name for _, name in ticks])
    ax.set_ylim(lane - 0.5, -0.5)
    left_out = f"; {drawn['left_out']} earlier attempts are left out" if drawn["left_out"] else ""
    ax.set(xlabel=f"{word} since the first trial began", title=f"{study.name}{left_out}")
    ax.legend(ends.values(), ends.keys(), loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def _unit(milliseconds: float) -> tuple[float, str]:
    """The unit of times.

    >>> _unit(90_000), _unit(7_200_000)
    ((1000.0, 'seconds'), (60000.0, 'minutes'))
    """
    if milliseconds < 180_000:
        return 1e3, "seconds"
    return (6e4, "minutes") if milliseconds < 10_800_000 else (3.6e6, "hours")
