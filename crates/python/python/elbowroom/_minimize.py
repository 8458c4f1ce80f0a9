"""A result in three lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, Literal, cast

from ._errors import ConfigError
from ._number import shown
from ._run import Callbacks
from ._space import Space
from ._study import Study
from ._trial import Trial

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._settings import StudyOptions

    class Searched(Study):
        """A study after a run, for type checkers: its best is a trial, so that it can be used without asking.
        It is None all the same if no trial has a value, of which the run warns."""

        @property
        def best(self) -> Trial: ...


def minimize(
    f: Callable[..., Any],
    space: Space,
    budget: int | None = None,
    workers: int | None = None,
    *,
    executor: Executor | Callable[[], Executor] | Literal["threads", "processes"] = "threads",
    timeout: float | None = None,
    target: float | None = None,
    min_gain: float | None = None,
    synchronous: bool = False,
    callbacks: Callbacks = (),
    **options: Unpack[StudyOptions],
) -> Searched:
    """Searches for the smallest value of ``f`` with ``budget`` evaluations, ``workers`` at a time.

    The other arguments are those of :class:`Study` and of :meth:`Study.run`.

    >>> import elbowroom as er
    >>> study = er.minimize(lambda x: (x - 0.3) ** 2, {"x": er.Float(0, 1)}, budget=15)
    >>> abs(study.best.params["x"] - 0.3) < 0.05
    True
    """
    _check_goal(options)
    study = Study(space, goal="minimize", budget=budget, **options)
    done = study.run(
        f,
        workers=workers,
        executor=executor,
        timeout=timeout,
        target=target,
        min_gain=min_gain,
        synchronous=synchronous,
        callbacks=callbacks,
    )
    return cast("Searched", done)


def maximize(
    f: Callable[..., Any],
    space: Space,
    budget: int | None = None,
    workers: int | None = None,
    *,
    executor: Executor | Callable[[], Executor] | Literal["threads", "processes"] = "threads",
    timeout: float | None = None,
    target: float | None = None,
    min_gain: float | None = None,
    synchronous: bool = False,
    callbacks: Callbacks = (),
    **options: Unpack[StudyOptions],
) -> Searched:
    """Searches for the largest value of ``f``; otherwise as :func:`minimize`.

    >>> import elbowroom as er
    >>> study = er.maximize(lambda x: -(x - 0.3) ** 2, {"x": er.Float(0, 1)}, budget=15)
    >>> abs(study.best.params["x"] - 0.3) < 0.05
    True
    """
    _check_goal(options)
    study = Study(space, goal="maximize", budget=budget, **options)
    done = study.run(
        f,
        workers=workers,
        executor=executor,
        timeout=timeout,
        target=target,
        min_gain=min_gain,
        synchronous=synchronous,
        callbacks=callbacks,
    )
    return cast("Searched", done)


def _check_goal(options: Mapping[str, Any]) -> None:
    if "goal" in options:
        raise ConfigError(f"goal is {shown(options['goal'])}\n  try: er.minimize or er.maximize, without a goal")
