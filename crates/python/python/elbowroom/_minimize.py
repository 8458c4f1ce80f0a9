"""A result in three lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast

from ._errors import ConfigError
from ._number import shown
from ._run import Callbacks
from ._settings import Goal, StudyOptions, refuse_unknown
from ._space import Space
from ._study import Study
from ._trial import Trial

if TYPE_CHECKING:
    from typing_extensions import Unpack

    class Searched(Study):
        """A study after a run, for type checkers: its best is a trial, so that it can be used without asking.
        It is still None if no trial has a value; the run warns in that case."""

        @property
        def best(self) -> Trial: ...


class RunOptions(TypedDict, total=False):
    """What :meth:`Study.run` takes besides a function and a number of workers."""

    executor: Executor | Callable[[], Executor] | Literal["threads", "processes"]
    timeout: float | None
    target: float | None
    min_gain: float | None
    synchronous: bool
    callbacks: Callbacks
    progress: bool | None


class Options(StudyOptions, RunOptions, total=False):
    """What :func:`minimize` takes besides what its signature names."""


def minimize(
    f: Callable[..., Any],
    space: Space,
    budget: int | None = None,
    workers: int | None = None,
    **options: Unpack[Options],
) -> Searched:
    """Searches for the smallest value of ``f`` with ``budget`` evaluations, ``workers`` at a time.

    The other arguments are those of :class:`Study` and :meth:`Study.run`.

    >>> import elbowroom as er
    >>> study = er.minimize(lambda x: (x - 0.3) ** 2, {"x": er.Float(0, 1)}, budget=15)
    >>> abs(study.best.params["x"] - 0.3) < 0.05
    True
    """
    return _search("minimize", f, space, budget, workers, cast("dict[str, Any]", options))


def maximize(
    f: Callable[..., Any],
    space: Space,
    budget: int | None = None,
    workers: int | None = None,
    **options: Unpack[Options],
) -> Searched:
    """Searches for the largest value of ``f``; otherwise like :func:`minimize`.

    >>> import elbowroom as er
    >>> study = er.maximize(lambda x: -(x - 0.3) ** 2, {"x": er.Float(0, 1)}, budget=15)
    >>> abs(study.best.params["x"] - 0.3) < 0.05
    True
    """
    return _search("maximize", f, space, budget, workers, cast("dict[str, Any]", options))


def _search(
    goal: Goal,
    f: Callable[..., Any],
    space: Space,
    budget: int | None,
    workers: int | None,
    options: dict[str, Any],
) -> Searched:
    _check_goal(options)
    refuse_unknown(goal, options, {"f", "space", "budget", "workers", *Options.__annotations__})
    running = {name: options.pop(name) for name in RunOptions.__annotations__ if name in options}
    study = Study(space, goal=goal, budget=budget, **options)
    return cast("Searched", study.run(f, workers=workers, **running))


def _check_goal(options: Mapping[str, Any]) -> None:
    if "goal" in options:
        raise ConfigError(f"goal is {shown(options['goal'])}\n  try: use er.minimize or er.maximize, without a goal")
