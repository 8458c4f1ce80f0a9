"""Pictures of a study, with matplotlib if it is installed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import ConfigError, ElbowroomError
from ._space import Categorical, Fixed, Float, Int, Ladder, Ordered, Parameter, Params

if TYPE_CHECKING:
    from ._study import Study

_GRID = 101
"""Places along a slice."""

_MOST_LETTERS = 30
"""Letters of the names below one axis, beyond which they are slanted."""

_DECADES = 30.0
"""Positive values whose largest is more than this many times the least are drawn on a log scale, as on the dashboard."""

COLOURS = {"value": "#5b7c99", "best": "#b3452c", "pending": "#e0a030", "outside": "#a0a0a0"}
"""What colours mean in all pictures."""


def history(study: Study, ax: Any = None, result: str | None = None) -> Any:
    """The values by trial, and the best so far; or another result by its name, without a best."""
    ax = axes_of(ax)
    if result is not None and result != study.metric:
        told = [(trial.number, trial.results[result]) for trial in study.trials if result in trial.results]
        if not told:
            raise ConfigError(f"no trial has a result {result!r}\n  try: use a name that `study.trials[0].results` has")
        ax.scatter(*zip(*told), s=16, color=COLOURS["value"], label=result)
        _by_trial(ax, study, result)
        if spans_decades([value for _, value in told]):
            ax.set_yscale("log")
        ax.legend()
        return ax
    if result is None and len(study._objectives()) > 1:
        return _volumes(study, ax)
    valued = [(trial.number, trial.value) for trial in study.trials if trial.value is not None]
    numbers = [number for number, _ in valued]
    values = np.array([value for _, value in valued], dtype=np.float64)
    best = (np.maximum if study.goal == "maximize" else np.minimum).accumulate(values)
    ax.scatter(numbers, values, s=16, color=COLOURS["value"], label="value")
    ax.step(numbers, best, where="post", color=COLOURS["best"], label="best so far")
    _by_trial(ax, study, study.metric)
    if spans_decades(values):
        ax.set_yscale("log")
    ax.legend()
    return ax


def _volumes(study: Study, ax: Any) -> Any:
    """The volume that the front dominates, by trial."""
    history = study.front.history
    ax.step([one.trial for one in history], [one.hypervolume for one in history], where="post", color=COLOURS["best"])
    _by_trial(ax, study, "hypervolume of the front")
    ax.set_ylim(bottom=0)
    return ax


def _by_trial(ax: Any, study: Study, what: str) -> None:
    """Names the axes of a picture over trials, without fractional trial numbers."""
    ax.set(xlabel="trial", ylabel=what, title=study.name)
    ax.xaxis.get_major_locator().set_params(integer=True)


def slices(study: Study, params: Sequence[str] | None = None, axes: Any = None, outcome: str | None = None) -> Any:
    """The model along each parameter through the recommended point, ±2 standard deviations, with the results."""
    result = outcome or first_objective(study)
    through = _through(study)
    space = study.space
    names = list(params) if params is not None else _free(space, through)
    if not names:
        raise ConfigError("conditions depend on all parameters of the recommended point\n  try: use plot_history")
    if axes is None:
        # The layout keeps room for the labels, which would overlap the edge of such a low figure.
        size = (3.6 * len(names) + 0.4, 3)
        _, axes = _pyplot().subplots(1, len(names), figsize=size, squeeze=False, sharey=True, layout="constrained")
    axes = np.ravel(axes)
    seen = [trial for trial in study.trials if result in trial.results]
    along = {name: _values(space, name) for name in names}
    expected = {name: study.predict([{**through, name: value} for value in along[name]], result) for name in names}
    means = np.concatenate([mean for mean, _ in expected.values()])
    told = [trial.results[result] for trial in seen]
    # On a log scale a band goes down to a tenth of the smallest value.
    is_log = spans_decades(told) and means.min() > 0
    floor = 0.1 * min(means.min(), *told) if is_log else -np.inf
    for ax, name in zip(axes, names):
        values, (mean, sd) = along[name], expected[name]
        low = np.maximum(mean - 2 * sd, floor)
        at, labels = _places(space[name], values)
        if isinstance(space[name], Categorical):
            # There is nothing between categories that a line could represent.
            ax.errorbar(at, mean, [mean - low, 2 * sd], fmt="o", color=COLOURS["value"], capsize=4)
        else:
            ax.plot(at, mean, color=COLOURS["value"], marker=None if labels is None else "o")
            ax.fill_between(at, low, mean + 2 * sd, color=COLOURS["value"], alpha=0.2, linewidth=0)
        having = [trial for trial in seen if name in trial.params]
        places, _ = _places(space[name], [trial.params[name] for trial in having], values)
        ax.scatter(places, [trial.results[result] for trial in having], s=10, color="black", alpha=0.4)
        _scale(ax, "x", space[name], at, labels)
        ax.axvline(_places(space[name], [through[name]], values)[0][0], color=COLOURS["best"], linewidth=1)
        ax.set(xlabel=name)
        if is_log:
            ax.set_yscale("log")
    axes[0].set(ylabel=result)
    return axes


def pending(
    study: Study, x: str | None = None, y: str | None = None, ax: Any = None, outcome: str | None = None
) -> Any:
    """The model over two parameters through the recommended point, with results and with what is under way."""
    space = study.space
    through = _through(study)
    free = _free(space, through)
    if len(free) < 2:
        raise ConfigError("a map needs two searched parameters\n  try: use plot_slices")
    x = x or free[0]
    y = y or next(name for name in free if name != x)
    ax = axes_of(ax)
    across, up = (_values(space, name)[:: 3 if isinstance(space[name], Float) else 1] for name in (x, y))
    mean, _ = study.predict([{**through, x: a, y: b} for b in up for a in across], outcome)
    (at_x, labels_x), (at_y, labels_y) = _places(space[x], across), _places(space[y], up)
    norm = "log" if spans_decades(mean) else None
    grid = mean.reshape(len(up), len(across))
    picture = ax.pcolormesh(at_x, at_y, grid, shading="nearest", cmap="Blues_r", norm=norm)
    ax.figure.colorbar(picture, ax=ax, label=f"expected {outcome or 'value'}")
    for state, marker, colour in [("complete", "o", "black"), ("running", "*", COLOURS["pending"])]:
        some = [trial.params for trial in study.trials if trial.state == state and {x, y} <= trial.params.keys()]
        places = [_places(space[name], [params[name] for params in some], all_)[0] for name, all_ in ((x, across), (y, up))]
        size = 16 if state == "complete" else 90
        ax.scatter(*places, marker=marker, s=size, color=colour, label="pending" if state == "running" else "result")
    ax.set(xlabel=x, ylabel=y)
    _scale(ax, "x", space[x], at_x, labels_x)
    _scale(ax, "y", space[y], at_y, labels_y)
    ax.legend(loc="upper right")
    return ax


def _free(space: dict[str, Parameter], through: Params) -> list[str]:
    """The parameters of a point that can be changed without adding or removing others."""
    conditions = " ".join(one.when for one in space.values() if one.when)
    searched = (name for name in through if not isinstance(space[name], Fixed))
    return [name for name in searched if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", conditions)]


def importance(study: Study, ax: Any = None, outcome: str | None = None) -> Any:
    """How much each parameter matters, as bars; a thin line goes from what a tenth of the draws are below to what a tenth
    are above."""
    _through(study)
    rows = study.importance(outcome)[::-1]
    ax = axes_of(ax)
    shares = [row.share for row in rows]
    spread = [[row.share - row.low for row in rows], [row.high - row.share for row in rows]]
    ax.barh([row.name for row in rows], shares, xerr=spread, color=COLOURS["value"], ecolor="black", capsize=3, height=0.6)
    ax.set(xlabel=f"share of the variation of {outcome or first_objective(study)}", title=study.name)
    ax.set_xlim(0, 1.05 * max([1.0, *(row.high for row in rows)]))
    return ax


def _through(study: Study) -> Params:
    """The point through which pictures of the model go."""
    recommended = study._recommended_point()
    if recommended is None:
        raise ElbowroomError("there are no values yet, and so no model\n  try: plot after the first results")
    return recommended.params


def _values(space: dict[str, Parameter], name: str) -> list[Any]:
    """The values of a parameter at which the model is evaluated."""
    parameter = space.get(name)
    if isinstance(parameter, Float) and parameter.step is not None:
        steps = round((parameter.high - parameter.low) / parameter.step)
        every = max(1, -(-steps // _GRID))
        return [parameter.low + k * parameter.step for k in range(0, steps + 1, every)]
    if isinstance(parameter, Float):
        spread = np.geomspace if parameter.log else np.linspace
        return [float(value) for value in spread(parameter.low, parameter.high, _GRID)]
    if isinstance(parameter, Int):
        wide = parameter.high - parameter.low >= _GRID
        inner = np.linspace(parameter.low, parameter.high, _GRID) if wide else range(parameter.low, parameter.high + 1)
        return sorted({int(value) for value in inner})
    if isinstance(parameter, (Ordered, Ladder)):
        return list(parameter.values)
    if isinstance(parameter, Categorical):
        return list(parameter.choices)
    raise ConfigError(f"there is no searched parameter {name!r}\n  try: use one of {', '.join(space)}")


def _places(parameter: Parameter, values: Sequence[Any], all_: Sequence[Any] | None = None) -> tuple[Any, Any]:
    """The positions of values on an axis, and its labels if the values are not numbers."""
    if isinstance(parameter, (Float, Int, Ladder)):
        return np.array(values, dtype=np.float64), None
    known = list(values if all_ is None else all_)
    return np.array([known.index(value) for value in values]), [str(value) for value in known]


def _scale(ax: Any, side: str, parameter: Parameter, at: Any, labels: Any) -> None:
    if labels is not None:
        getattr(ax, f"set_{side}ticks")(at, labels)
        # Room for marks at the ends, and for long names next to each other.
        getattr(ax, f"set_{side}lim")(-0.5, len(labels) - 0.5)
        if side == "x" and sum(map(len, labels)) > _MOST_LETTERS:
            ax.tick_params("x", rotation=30)
            for label in ax.get_xticklabels():
                label.set_horizontalalignment("right")
    elif isinstance(parameter, (Float, Int, Ladder)) and parameter.log:
        getattr(ax, f"set_{side}scale")("log")


def spans_decades(values: Any) -> bool:
    """Whether a log scale shows more of some values than a linear one."""
    values = np.asarray(values, dtype=np.float64)
    return bool(values.size and values.min() > 0 and values.max() > _DECADES * values.min())


def first_objective(study: Study) -> str:
    """The result that pictures show unless another is named."""
    return study.front.objectives[0].name


def axes_of(ax: Any) -> Any:
    """The axes that were given, or new ones, with room for long labels."""
    return _pyplot().subplots(layout="constrained")[1] if ax is None else ax


def _pyplot() -> Any:
    try:
        return import_module("matplotlib.pyplot")
    except ImportError:
        raise ElbowroomError("matplotlib is not installed\n  try: run pip install matplotlib") from None
