"""The picture of a front: the trials by two results, and the trials that no other beats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import ConfigError, ElbowroomError
from ._front import Front
from ._outcomes import limits_of
from ._plot import COLOURS, axes_of, spans_decades
from ._trial import Trial

if TYPE_CHECKING:
    from ._study import Study


def front(study: Study, x: str | None = None, y: str | None = None, ax: Any = None) -> Any:
    """The trials by two results, with the front, the reference point and the limits."""
    found, trials = study.front, study.trials
    x, y = _names(study, found, trials, x, y)
    shown = [trial for trial in trials if x in trial.results and y in trial.results]
    if not shown:
        raise ElbowroomError(f"no trial has both `{x}` and `{y}` yet\n  try: use plot_front after the first results")
    ax = axes_of(ax)
    on_front = {trial.number for trial in found}
    beaten = [trial for trial in shown if trial.number not in on_front]
    _scatter(ax, x, y, [trial for trial in beaten if trial.feasible is False], "breaks a limit", "outside", marker="x")
    _scatter(ax, x, y, [trial for trial in beaten if trial.feasible is not False], "beaten", "value")
    _scatter(ax, x, y, [trial for trial in shown if trial.number in on_front], "front", "best", size=36)
    goals = {one.name: one.goal for one in found.objectives}
    if {x, y} == goals.keys():
        _steps(ax, found, x, y)
    for name, side in ((x, "x"), (y, "y")):
        goal = goals.get(name)
        getattr(ax, f"set_{side}label")(name if goal is None else f"{name} ({goal})")
        worst = [one.reference for one in found.objectives if one.name == name and one.reference is not None]
        if spans_decades([trial.results[name] for trial in shown] + worst):
            getattr(ax, f"set_{side}scale")("log")
    _limits(ax, study, x, y)
    ax.set_title(study.name)
    ax.legend()
    return ax


def _names(study: Study, found: Front, trials: Sequence[Trial], x: str | None, y: str | None) -> tuple[str, str]:
    """The results to draw: the first two objectives, unless others are named."""
    objectives = [one.name for one in found.objectives]
    known = dict.fromkeys([*objectives, *study.outcomes, *(name for trial in trials for name in trial.results)])
    for name in (x, y):
        if name is not None and name not in known:
            raise ConfigError(f"there is no result {name!r}\n  try: use one of {', '.join(known)}")
    x = x or next((name for name in [*objectives, *known] if name != y), None)
    y = y or next((name for name in [*objectives, *known] if name != x), None)
    if x is None or y is None:
        raise ConfigError("a picture of a front needs two results, and the study has one\n  try: use plot_history")
    return x, y


def _scatter(
    ax: Any, x: str, y: str, trials: Sequence[Trial], label: str, colour: str, *, marker: str = "o", size: int = 16
) -> None:
    if trials:
        at = [[trial.results[name] for trial in trials] for name in (x, y)]
        ax.scatter(*at, s=size, marker=marker, color=COLOURS[colour], label=label, zorder=3)


def _steps(ax: Any, found: Front, x: str, y: str) -> None:
    """The border of what the front dominates, up to the reference point."""
    goal = {one.name: one.goal for one in found.objectives}[x]
    # From the best of `x` to its worst, take the best `y` of the points so far.
    points = sorted(((trial.results[x], trial.results[y]) for trial in found), reverse=goal == "maximize")
    if not points:
        return
    if (reference := found.reference) is not None:
        inside = [point for point in points if _is_within(found, {x: point[0], y: point[1]})]
        points = [(inside[0][0], reference[y]), *inside, (reference[x], inside[-1][1])] if inside else []
        ax.scatter(reference[x], reference[y], s=50, marker="+", color="black", label="reference", zorder=3)
    if points:
        across, up = np.array(points).T
        ax.step(across, up, where="post", color=COLOURS["best"], linewidth=1)


def _is_within(found: Front, point: dict[str, float]) -> bool:
    """Whether a point is better than the reference point in every objective."""
    better = [
        point[one.name] > one.reference if one.goal == "maximize" else point[one.name] < one.reference
        for one in found.objectives
        if one.reference is not None
    ]
    return all(better)


def _limits(ax: Any, study: Study, x: str, y: str) -> None:
    """Shades the area beyond a limit."""
    left, right = ax.get_xlim()
    bottom, top = ax.get_ylim()
    for name, span, ends in ((x, ax.axvspan, (left, right)), (y, ax.axhspan, (bottom, top))):
        outcome = study.outcomes.get(name)
        least, most = (None, None) if outcome is None else limits_of(outcome)
        style = {"color": COLOURS["outside"], "alpha": 0.2, "linewidth": 0, "zorder": 0}
        if least is not None and least > ends[0]:
            span(ends[0], min(least, ends[1]), **style)
        if most is not None and most < ends[1]:
            span(max(most, ends[0]), ends[1], **style)
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
