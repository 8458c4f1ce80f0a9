"""Keeps workers busy: asks for points, has them evaluated, tells what came back."""

from __future__ import annotations

import asyncio
import os
import pickle
import queue
import time
import traceback
import warnings
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from ._errors import ConfigError, ElbowroomError, Infeasible
from ._trial import Batch, Trial

if TYPE_CHECKING:
    from ._study import Study

MOST_BREAKS = 3
"""How often a trial may be under way when its executor breaks: after that it is taken for the cause."""

_TAIL = 6
"""Lines of a traceback that a failed trial keeps."""


class Rules:
    """When to stop asking for points."""

    def __init__(
        self,
        study: Study,
        n: int | None,
        timeout: float | None,
        target: float | None,
        callbacks: Sequence[Callable[[Study, Trial], object]],
    ) -> None:
        if n is None and timeout is None and target is None and not callbacks and study.budget_left is None:
            raise ConfigError("this run would never end\n  try: a budget of the study, n=…, timeout=… or target=…")
        self._study = study
        self._maximize = study.goal == "maximize"
        self._left = n
        self._end = None if timeout is None else time.monotonic() + timeout
        self._target = target
        self._callbacks = callbacks
        self._done = False
        self._n_ended = self._n_valued = 0
        self._reason: str | None = None

    def wanted(self, free: int) -> int:
        """How many points to ask for."""
        if self._done or (self._end is not None and time.monotonic() >= self._end):
            return 0
        return free if self._left is None else min(free, self._left)

    def started(self, batch: Batch, wanted: int) -> None:
        """Counts what was handed out."""
        self._done |= not batch
        if self._left is not None:
            self._left -= len(batch)

    def returned(self, n: int) -> None:
        """Counts what was given back."""
        if self._left is not None:
            self._left += n

    def ended(self, number: int) -> None:
        """Looks at a trial that ended."""
        trial = self._study._look(number)
        value = trial.value
        self._n_ended += 1
        self._n_valued += value is not None
        self._reason = trial.reason or self._reason
        if self._target is not None and value is not None:
            self._done |= value >= self._target if self._maximize else value <= self._target
        for callback in self._callbacks:
            self._done |= callback(self._study, trial) is True

    def warn(self) -> None:
        """Says so if nothing came of it."""
        if self._n_ended and not self._n_valued:
            words = f"none of {self._n_ended} trials has a value. The last one failed with:\n{self._reason}"
            warnings.warn(words, stacklevel=4)


def run(
    study: Study,
    f: Callable[..., Any],
    rules: Rules,
    workers: int | None,
    executor: Executor | Callable[[], Executor] | str,
    synchronous: bool,
) -> None:
    """Drives a study with an executor."""
    make = _maker(executor, workers, f)
    own = make is not None
    pool = make() if make is not None else executor
    assert isinstance(pool, Executor)
    n_workers = workers or _size(pool)
    finished: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
    under_way: dict[Future[Any], Trial] = {}
    breaks: dict[int, int] = {}
    # An interrupt may come before a trial has its future.
    batch = Batch()
    try:
        while True:
            free = 0 if synchronous and under_way else n_workers - len(under_way)
            wanted = rules.wanted(free)
            broken: BaseException | None = None
            if wanted > 0:
                batch = study.ask(wanted)
                rules.started(batch, wanted)
                for i, trial in enumerate(batch):
                    try:
                        future = pool.submit(partial(f, **trial.params))
                    except BrokenExecutor as error:
                        study.give_back(batch[i:])
                        rules.returned(len(batch) - i)
                        broken = error
                        break
                    under_way[future] = trial
                    future.add_done_callback(finished.put)
                batch = Batch()
            if not under_way and broken is None:
                break
            if broken is None:
                future = finished.get()
                trial = under_way.pop(future)
                error = future.exception()
                if isinstance(error, BrokenExecutor):
                    broken = error
                    under_way[future] = trial
                else:
                    _tell(study, trial, error, future)
                    rules.ended(trial.number)
            if broken is not None:
                _after_break(study, rules, list(under_way.values()), breaks)
                under_way.clear()
                finished = queue.SimpleQueue()
                if make is None:
                    raise ElbowroomError(
                        "the executor broke: a worker of it died. Its trials were given back\n"
                        "  try: run again with a new executor, or give a function that makes one"
                    ) from broken
                pool.shutdown(wait=False)
                pool = make()
    except BaseException:
        for future in under_way:
            future.cancel()
        study.give_back({trial.number: trial for trial in [*under_way.values(), *batch]}.values())
        if own:
            pool.shutdown(wait=False, cancel_futures=True)
        raise
    if own:
        pool.shutdown()
    rules.warn()


async def run_async(
    study: Study, f: Callable[..., Awaitable[Any]], rules: Rules, workers: int, synchronous: bool
) -> None:
    """Drives a study with coroutines."""
    under_way: dict[asyncio.Task[Any], Trial] = {}
    try:
        while True:
            free = 0 if synchronous and under_way else workers - len(under_way)
            wanted = rules.wanted(free)
            if wanted > 0:
                batch = await study.ask_async(wanted)
                rules.started(batch, wanted)
                for trial in batch:
                    under_way[asyncio.ensure_future(_awaited(f, trial))] = trial
            if not under_way:
                break
            done, _ = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                trial = under_way.pop(task)
                await asyncio.to_thread(_tell, study, trial, task.exception(), task)
                rules.ended(trial.number)
    except BaseException:
        for task in under_way:
            task.cancel()
        study.give_back(under_way.values())
        raise
    rules.warn()


async def _awaited(f: Callable[..., Awaitable[Any]], trial: Trial) -> Any:
    return await f(**trial.params)


def _tell(study: Study, trial: Trial, error: BaseException | None, future: Future[Any] | asyncio.Task[Any]) -> None:
    """Tells what became of a trial."""
    if isinstance(error, Infeasible):
        study.infeasible(trial, str(error))
        return
    if error is not None:
        study.fail(trial, _tail(error))
        return
    result = future.result()
    try:
        value, noise = result if isinstance(result, tuple) else (result, None)
        value, noise = float(value), None if noise is None else float(noise)
    except (TypeError, ValueError):
        study.fail(trial, f"the objective returned {result!r:.80}, which is no number")
        return
    study.tell(trial, value, noise=noise)


def _tail(error: BaseException) -> str:
    # From another process the traceback comes as a text, in the place of the cause.
    remote = error.__cause__ if type(error.__cause__).__name__ == "_RemoteTraceback" else None
    text = str(remote) if remote is not None else "".join(traceback.format_exception(error))
    lines = text.strip().strip('"').strip().splitlines()
    return "\n".join(lines[-_TAIL:])


def _after_break(study: Study, rules: Rules, trials: list[Trial], breaks: dict[int, int]) -> None:
    """Gives back what was under way in an executor that broke; who was there too often is taken for the cause."""
    back = []
    for trial in trials:
        breaks[trial.number] = breaks.get(trial.number, 0) + 1
        if breaks[trial.number] < MOST_BREAKS:
            back.append(trial)
        else:
            study.fail(trial, f"the process that evaluated it died {MOST_BREAKS} times")
            rules.ended(trial.number)
    study.give_back(back)
    rules.returned(len(back))


def _maker(
    executor: Executor | Callable[[], Executor] | str, workers: int | None, f: Callable[..., Any]
) -> Callable[[], Executor] | None:
    """The function that makes the executor; none for one that was given."""
    if isinstance(executor, Executor):
        if isinstance(executor, ProcessPoolExecutor):
            _check_pickles(f)
        return None
    if executor == "threads":
        return partial(ThreadPoolExecutor, workers or 1, thread_name_prefix="elbowroom")
    if executor == "processes":
        _check_pickles(f)
        return partial(ProcessPoolExecutor, workers)
    if callable(executor):
        return executor
    raise ConfigError(f"the executor is {executor!r}\n  try: 'threads', 'processes', or a concurrent.futures.Executor")


def _check_pickles(f: Callable[..., Any]) -> None:
    try:
        pickle.dumps(f)
    except Exception as error:
        raise ConfigError(
            f"the objective cannot be sent to another process: {error}\n"
            "  try: a function at the top of a module, or executor='threads'"
        ) from None


def _size(pool: Executor) -> int:
    size = getattr(pool, "_max_workers", None)
    return size if isinstance(size, int) and size > 0 else (os.cpu_count() or 1)
