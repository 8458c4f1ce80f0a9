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

import numpy as np

from ._errors import ConfigError, DataError, ElbowroomError, Infeasible, TrialError
from ._number import number, whole
from ._trial import Batch, Trial

if TYPE_CHECKING:
    from ._study import Study

MOST_BREAKS = 3
"""How often a trial may be under way when its executor breaks: after that it is taken for the cause."""

TAIL = 6
"""Lines of a traceback that a failed trial keeps."""


class Rules:
    """When to stop asking for points, and how a run went."""

    def __init__(
        self,
        study: Study,
        n: int | None,
        timeout: float | None,
        target: float | None,
        min_gain: float | None,
        callbacks: Sequence[Callable[[Study, Trial], object]],
    ) -> None:
        given = (n, timeout, target, min_gain, study.budget_left)
        if all(rule is None for rule in given) and not callbacks:
            raise ConfigError(
                "this run would never end\n  try: a budget of the study, n=…, timeout=…, target=… or min_gain=…"
            )
        self._study = study
        self._maximize = study.goal == "maximize"
        self._left = None if n is None else whole(n, "n")
        self._end = None if timeout is None else time.monotonic() + _limit(timeout, "timeout")
        self._target = None if target is None else _limit(target, "target")
        self._min_gain = None if min_gain is None else _limit(min_gain, "min_gain")
        self._callbacks = callbacks
        self._done = False
        self._n_ended = self._n_valued = 0
        self._reason: str | None = None

    def wanted(self, free: int) -> int:
        """How many points to ask for."""
        if self._done or (self._end is not None and time.monotonic() >= self._end):
            return 0
        return free if self._left is None else min(free, self._left)

    def handed(self, batch: Batch) -> None:
        """Counts what was handed out."""
        self._done |= not batch
        if self._left is not None:
            self._left -= len(batch)

    def given_back(self, n: int) -> None:
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
        if self._min_gain is not None and not self._done:
            gain = self._study.expected_gain
            self._done |= gain is not None and gain < self._min_gain
        for callback in self._callbacks:
            answer = callback(self._study, trial)
            self._done |= isinstance(answer, (bool, np.bool_)) and bool(answer)

    def warn(self) -> None:
        """Says so if nothing came of it."""
        if self._n_ended and not self._n_valued:
            words = f"none of {self._n_ended} trials has a value. The last one failed with:\n{self._reason}"
            warnings.warn(words, stacklevel=4)


class Drive:
    """A run with an executor."""

    def __init__(
        self,
        study: Study,
        f: Callable[..., Any],
        rules: Rules,
        workers: int | None,
        executor: Executor | Callable[[], Executor] | str,
        synchronous: bool,
    ) -> None:
        self._study, self._f, self._rules, self._synchronous = study, f, rules, synchronous
        workers = None if workers is None else whole(workers, "workers", 1)
        self._make = _maker(executor, workers, f)
        self._pool: Any = self._make() if self._make is not None else executor
        self._n_workers = workers or _size(self._pool)
        self._finished: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._under_way: dict[Future[Any], Trial] = {}
        # Those that have no future yet, should an interrupt come just then.
        self._handed = Batch()
        self._breaks: dict[int, int] = {}

    def run(self) -> None:
        """Runs until the rules say stop and nothing is under way."""
        try:
            while True:
                try:
                    self._start()
                    if not self._under_way:
                        break
                    self._finish()
                except BrokenExecutor as broken:
                    self._replace(broken)
        except BaseException:
            self._abandon()
            raise
        if self._make is not None:
            self._pool.shutdown()
        self._rules.warn()

    def _start(self) -> None:
        """Gives free workers something to do."""
        free = 0 if self._synchronous and self._under_way else self._n_workers - len(self._under_way)
        wanted = self._rules.wanted(free)
        if wanted < 1:
            return
        self._handed = self._study.ask(wanted)
        self._rules.handed(self._handed)
        while self._handed:
            future = self._pool.submit(partial(self._f, **self._handed[0].params))
            self._under_way[future] = self._handed.pop(0)
            future.add_done_callback(self._finished.put)

    def _finish(self) -> None:
        """Waits for one trial to end, and tells what became of it."""
        future = self._finished.get()
        error = future.exception()
        if isinstance(error, BrokenExecutor):
            raise error
        trial = self._under_way[future]
        tell(self._study, trial, error, future)
        del self._under_way[future]
        self._rules.ended(trial.number)

    def _replace(self, broken: BrokenExecutor) -> None:
        """Gives back what an executor that broke had under way; who was there too often is taken for the cause."""
        back = list(self._handed)
        for trial in self._under_way.values():
            self._breaks[trial.number] = self._breaks.get(trial.number, 0) + 1
            if self._breaks[trial.number] < MOST_BREAKS or self._make is None:
                back.append(trial)
            else:
                self._study.fail(trial, f"the process that evaluated it died {MOST_BREAKS} times")
                self._rules.ended(trial.number)
        self._under_way, self._handed, self._finished = {}, Batch(), queue.SimpleQueue()
        self._study.give_back(back)
        self._rules.given_back(len(back))
        if self._make is None:
            raise ElbowroomError(
                "the executor broke: a worker of it died. Its trials were given back\n"
                "  try: run again with a new executor, or give a function that makes one"
            ) from broken
        self._pool.shutdown(wait=False)
        self._pool = self._make()

    def _abandon(self) -> None:
        """Gives back what is under way."""
        for future in self._under_way:
            future.cancel()
        trials = [*self._under_way.values(), *self._handed]
        self._study.give_back({trial.number: trial for trial in trials}.values())
        if self._make is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


async def run_async(
    study: Study, f: Callable[..., Awaitable[Any]], rules: Rules, workers: int, synchronous: bool
) -> None:
    """A run with coroutines."""
    workers = whole(workers, "workers", 1)
    under_way: dict[asyncio.Task[Any], Trial] = {}
    try:
        while True:
            free = 0 if synchronous and under_way else workers - len(under_way)
            wanted = rules.wanted(free)
            if wanted > 0:
                batch = await study.ask_async(wanted)
                rules.handed(batch)
                under_way |= {asyncio.ensure_future(_awaited(f, trial)): trial for trial in batch}
            if not under_way:
                break
            done, _ = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                await asyncio.to_thread(tell, study, under_way[task], task.exception(), task)
                await asyncio.to_thread(rules.ended, under_way.pop(task).number)
    except BaseException:
        for task in under_way:
            task.cancel()
        study.give_back(under_way.values())
        raise
    rules.warn()


async def _awaited(f: Callable[..., Awaitable[Any]], trial: Trial) -> Any:
    return await f(**trial.params)


def tell(study: Study, trial: Trial, error: BaseException | None, future: Future[Any] | asyncio.Task[Any]) -> None:
    """Tells what became of a trial."""
    if isinstance(error, Infeasible):
        study.infeasible(trial, str(error))
        return
    if error is not None:
        study.fail(trial, tail(error))
        return
    result = future.result()
    try:
        value, noise = result if isinstance(result, tuple) else (result, None)
        told = number(value)
    except ValueError:
        study.fail(trial, f"the objective returned {result!r:.80}, which is no number")
        return
    try:
        study.tell(trial, told, noise=noise)
    except (ConfigError, DataError, TrialError) as refused:
        study.fail(trial, f"the objective returned {result!r:.80}, which was refused: {refused}")


def _limit(value: Any, name: str) -> float:
    try:
        return number(value)
    except DataError:
        raise ConfigError(f"{name} is {value!r:.80}\n  try: a number") from None


def tail(error: BaseException) -> str:
    """The end of an error's traceback."""
    # From another process the traceback comes as a text, in the place of the cause.
    remote = error.__cause__ if type(error.__cause__).__name__ == "_RemoteTraceback" else None
    text = str(remote) if remote is not None else "".join(traceback.format_exception(error))
    lines = text.strip().strip('"').strip().splitlines()
    return "\n".join(lines[-TAIL:])


def _maker(
    executor: Executor | Callable[[], Executor] | str, workers: int | None, f: Callable[..., Any]
) -> Callable[[], Executor] | None:
    """The function that makes the executor; none for one that was given."""
    if executor == "threads":
        return partial(ThreadPoolExecutor, workers or 1, thread_name_prefix="elbowroom")
    if executor == "processes":
        _check_pickles(f)
        return partial(ProcessPoolExecutor, workers)
    if isinstance(executor, ProcessPoolExecutor):
        _check_pickles(f)
    if hasattr(executor, "submit"):
        return None
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


def _size(pool: Any) -> int:
    """How many trials an executor can run at once, as far as it says."""
    if hasattr(pool, "_client"):  # Dask's
        return int(sum(pool._client.nthreads().values())) or 1
    size = getattr(pool, "_max_workers", None)
    return size if isinstance(size, int) and size > 0 else (os.cpu_count() or 1)
