"""The pictures that a study draws of itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from . import _plot, _plot_front, _plot_trials

if TYPE_CHECKING:
    from ._study import Study


class Pictures:
    """The plots of a study. Each returns matplotlib's axes."""

    def plot_history(self, ax: Any = None, *, result: str | None = None) -> Any:
        """Draws the value of each trial and the best so far; with several objectives, the hypervolume of the front; or
        another ``result`` by its name. Returns matplotlib's axes."""
        return _plot.history(_study(self), ax, result)

    def plot_front(self, x: str | None = None, y: str | None = None, ax: Any = None) -> Any:
        """Draws the trials by two results, with the front, the reference point and the limits. ``x`` and ``y`` name the
        results; by default they are the first two objectives. Returns matplotlib's axes."""
        return _plot_front.front(_study(self), x, y, ax)

    def plot_slices(self, params: Sequence[str] | None = None, axes: Any = None, *, outcome: str | None = None) -> Any:
        """Draws the model along each parameter through the recommended point: mean, two standard deviations, results.
        ``outcome`` names the result; by default it is the first objective."""
        return _plot.slices(_study(self), params, axes, outcome)

    def plot_pending(
        self, x: str | None = None, y: str | None = None, ax: Any = None, *, outcome: str | None = None
    ) -> Any:
        """Draws a map of the model over two parameters, with the results and the running points. ``outcome`` names the
        result; by default it is the first objective."""
        return _plot.pending(_study(self), x, y, ax, outcome)

    def plot_importance(self, ax: Any = None, *, outcome: str | None = None) -> Any:
        """Draws how much each parameter matters to a result, according to its model, and how uncertain that is."""
        return _plot.importance(_study(self), ax, outcome)

    def plot_parallel(self, params: Sequence[str] | None = None, ax: Any = None, *, outcome: str | None = None) -> Any:
        """Draws every trial as a line across its parameters and its value, in parallel coordinates; better trials have
        a stronger colour. ``outcome`` names the result; by default it is the first objective."""
        return _plot_trials.parallel(_study(self), params, ax, outcome)

    def plot_timeline(self, ax: Any = None) -> Any:
        """Draws which worker ran which trial, when, and how it ended, with a lane for each trial that a worker ran at once."""
        return _plot_trials.timeline(_study(self), ax)


def _study(pictures: Pictures) -> Study:
    return cast("Study", pictures)
