"""The pictures that a study draws of itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from . import _plot, _plot_front, _plot_trials

if TYPE_CHECKING:
    from ._study import Study


class Pictures:
    """What a study has to look at. Each picture returns matplotlib's axes."""

    def plot_history(self, ax: Any = None, *, result: str | None = None) -> Any:
        """Draws the values by trial, and the best so far; with several objectives, the hypervolume of the front; or
        another ``result`` by its name. Returns matplotlib's axes."""
        return _plot.history(_study(self), ax, result)

    def plot_front(self, x: str | None = None, y: str | None = None, ax: Any = None) -> Any:
        """Draws the trials by two results, which are the first two objectives unless ``x`` and ``y`` name others, with
        the front, the reference point and the limits. Returns matplotlib's axes."""
        return _plot_front.front(_study(self), x, y, ax)

    def plot_slices(self, params: Sequence[str] | None = None, axes: Any = None, *, outcome: str | None = None) -> Any:
        """Draws the model along each parameter through the recommended point: mean, two standard deviations, results.
        ``outcome`` names the result that is drawn; the first objective unless it is given."""
        return _plot.slices(_study(self), params, axes, outcome)

    def plot_pending(
        self, x: str | None = None, y: str | None = None, ax: Any = None, *, outcome: str | None = None
    ) -> Any:
        """Draws a map of the model over two parameters, with the results and with what is under way. ``outcome`` names
        the result that is drawn; the first objective unless it is given."""
        return _plot.pending(_study(self), x, y, ax, outcome)

    def plot_importance(self, ax: Any = None, *, outcome: str | None = None) -> Any:
        """Draws how much each parameter matters to a result, by its model, with how sure that is."""
        return _plot.importance(_study(self), ax, outcome)

    def plot_parallel(self, params: Sequence[str] | None = None, ax: Any = None, *, outcome: str | None = None) -> Any:
        """Draws every trial as a line across its parameters and its value, in parallel coordinates: the better, the
        stronger its colour. ``outcome`` names the result; the first objective unless it is given."""
        return _plot_trials.parallel(_study(self), params, ax, outcome)

    def plot_timeline(self, ax: Any = None) -> Any:
        """Draws who ran which trial from when to when, and how it ended: a lane for each of the trials that a worker had at
        once."""
        return _plot_trials.timeline(_study(self), ax)


def _study(pictures: Pictures) -> Study:
    return cast("Study", pictures)
