"""Keeps workers busy: asks for points, has them evaluated, and reports the results."""

from __future__ import annotations

import asyncio
import inspect
import math
import os
import pickle
import queue
import time
import traceback
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ._errors import ConfigError, DataError, ElbowroomError, Infeasible, TrialError, warn
from ._html import names_of
from ._number import encodable, limit, noise_variance, results_of, shown, whole
from ._outcomes import is_objective, limits_of
from ._progress import Progress
from ._trial import Batch, Trial

if TYPE_CHECKING:
    from ._study import Study

Callback: TypeAlias = "Callable[[Study, Trial], object]"
"""What is called with a study and a trial of it that ended."""

Callbacks: TypeAlias = "Callback | Iterable[Callback] | None"
"""Some of them, or one."""

MOST_BREAKS = 3
"""How often a trial may be under way when its executor breaks: after that it is taken for the cause."""

MOST_WORKERS = 1000
"""The most trials that one run has under way."""

LOOK_AGAIN = 0.5
"""Seconds after which a run without points looks whether others have lost theirs."""

SAY_AFTER = 5.0
"""Seconds after which a run that waits for others says so."""

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
        callbacks: Callbacks,
        progress: bool | None = None,
    ) -> None:
        self._callbacks = _callbacks(callbacks)
        given = (n, timeout, target, min_gain, study.budget_left)
        if all(rule is None for rule in given) and not self._callbacks:
            raise ConfigError(
                "this run would never end\n  try: give the study a budget, or give n=…, timeout=…, target=… or min_gain=…"
            )
        self._study = study
        self._maximize = study.goal == "maximize"
        self._left = None if n is None else whole(n, "n")
        self.progress = Progress([study], self._left, progress)
        seconds = None if timeout is None else limit(timeout, "timeout", 0, "a number of seconds that is not negative")
        self._end = None if seconds is None else time.monotonic() + seconds
        self._target = None if target is None else limit(target, "target")
        self._min_gain = None if min_gain is None else limit(min_gain, "min_gain")
        if target is not None or min_gain is not None:
            rule = "target" if target is not None else "min_gain"
            hint = "callbacks=lambda study, trial: study.front.hypervolume > …"
            study._refuse_several(f"{rule}= is for one", hint)
        self._has_limits = any(limits_of(one) != (None, None) for one in study.outcomes.values())
        self._done = self._used_up = False
        self._n_handed = self._n_ended = self._n_valued = 0
        self._reason: str | None = None
        self._short: str | None = None
        self._waits_since: float | None = None

    def begin(self) -> None:
        """Takes over the trials of dead processes on this machine, whose leases may still run for a while."""
        self._study._native.reclaim()

    def wanted(self, free: int) -> int:
        """How many points to ask for."""
        if self._done or self._used_up or (self._end is not None and time.monotonic() >= self._end):
            return 0
        return free if self._left is None else min(free, self._left)

    def handed(self, batch: Batch) -> None:
        """Counts what was handed out."""
        # Trials of other workers may yet come to us, if these workers lose them.
        self._used_up = not batch and not any(self._study._native.others())
        self._n_handed += len(batch)
        self.progress.handed(len(batch))
        self._short = batch.short
        if self._left is not None:
            self._left -= len(batch)

    def waits(self) -> bool:
        """Whether a run that has nothing under way should wait for what others have; says so if it takes long."""
        if not self.wanted(1):
            return False
        now = time.monotonic()
        if self._waits_since is None:
            self._waits_since = now
        elif now - self._waits_since >= SAY_AFTER:
            self._waits_since = math.inf
            n = sum(self._study._native.others())
            self._warn(f"waiting for {_trials(n)} that other workers have")
        self._study._native.reclaim()
        return True

    def given_back(self, n: int) -> None:
        """Counts what was given back and can be handed out again."""
        self._used_up &= not n
        if self._left is not None:
            self._left += n

    def ended(self, number: int) -> None:
        """Looks at a trial that ended."""
        trial = self._study._look(number)
        value = trial.value
        self._n_ended += 1
        self._n_valued += value is not None
        self._reason = trial.reason or self._reason
        # Before anything that may end the run: many failures in a row often have one cause other than the points.
        if (words := self._study._native.alarm()) is not None:
            self._warn(words)
        self.progress.ended(trial)
        if self._target is not None and value is not None and (trial.feasible or not self._has_limits):
            self._done |= value >= self._target if self._maximize else value <= self._target
        if self._min_gain is not None and not self._done:
            gain = self._study.expected_gain
            self._done |= gain is not None and gain < self._min_gain
        for callback in self._callbacks:
            answer = callback(self._study, trial)
            self._done |= isinstance(answer, (bool, np.bool_)) and bool(answer)

    def _warn(self, words: str) -> None:
        """Warns on a separate line."""
        self.progress.clear()
        warn(words)

    def warn(self) -> None:
        """Says so if nothing came of it."""
        self.progress.close()
        if self._n_ended and not self._n_valued:
            words = f"none of {self._n_ended} trials has a value. The last one failed with:\n{self._reason}"
            warn(words)
        if not self._n_handed and self._short is not None:
            warn(f"there was no trial to run: {self._short}")
        n_others, n_queued = self._study._native.others()
        if n_others + n_queued:
            words = f"{_trials(n_others)} running on other workers, {n_queued} waiting to be handed out again"
            warn(f"the run ends with trials pending: {words}. Run again to finish them")


def _trials(n: int) -> str:
    return f"{n} trial{'s' * (n != 1)}"


class Outcome(NamedTuple):
    """What became of an evaluation, as plain data: it comes from other processes."""

    kind: Literal["value", "failed", "infeasible"]
    value: float | dict[str, float] = float("nan")
    noise: float | None = None
    reason: str = ""


def evaluate(f: Callable[..., Any], params: Mapping[str, Any], objectives: Sequence[str] = ()) -> Outcome:
    """Evaluates a point where the worker is. Neither an exception nor a result has to be sent as an object, which not
    all of them survive: only the death of a process breaks an executor. ``objectives`` names those that a tuple holds,
    where there are several.

    >>> evaluate(lambda x: x / 2, {"x": 3})
    Outcome(kind='value', value=1.5, noise=None, reason='')
    >>> evaluate(lambda x: x / 0, {"x": 3}).reason.splitlines()[-1]
    'ZeroDivisionError: division by zero'
    """
    try:
        result = f(**params)
    except Exception as error:
        return raised(error)
    return returned(result, objectives)


async def evaluate_async(
    f: Callable[..., Awaitable[Any]], params: Mapping[str, Any], objectives: Sequence[str] = ()
) -> Outcome:
    """As :func:`evaluate`, for a coroutine function."""
    try:
        result = await f(**params)
    except Exception as error:
        return raised(error)
    return returned(result, objectives)


def tuple_names(study: Study) -> tuple[str, ...]:
    """What a tuple that a function returns holds, in order: the objectives that are told, where there are several."""
    told = told_objectives(study)
    return tuple(told) if len(told) > 1 else ()


def told_objectives(study: Study) -> list[str]:
    """The objectives that are not computed from other results, in order."""
    return [name for name, one in study.outcomes.items() if is_objective(one) and getattr(one, "score", None) is None]


def returned(result: Any, objectives: Sequence[str] = ()) -> Outcome:
    """What an objective's result says.

    >>> returned((3, 4), ("yield", "cost")).value
    {'yield': 3.0, 'cost': 4.0}
    >>> returned((3, 0.25))
    Outcome(kind='value', value=3.0, noise=0.25, reason='')
    """
    if objectives and isinstance(result, (tuple, list, np.ndarray)) and not _has_noise(result):
        if len(result) != len(objectives):
            words = f"{len(result)} numbers for the {len(objectives)} objectives {names_of(objectives)}"
            return Outcome("failed", reason=f"the objective returned {words}: {shown(result)}")
        result = dict(zip(objectives, result))
    try:
        value, noise = result if isinstance(result, tuple) else (result, None)
        told = results_of(value)
    except ValueError:
        return Outcome("failed", reason=f"the objective returned {shown(result)}, which is not a number")
    try:
        return Outcome("value", told, noise_variance(noise))
    except DataError as refused:
        return Outcome("failed", reason=f"the objective returned {shown(result)}, which was refused: {refused}")


def _has_noise(result: Any) -> bool:
    """Whether this is a dict of results with the variance of the first objective's noise."""
    return isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], Mapping)


def raised(error: BaseException) -> Outcome:
    """What an objective's exception says."""
    if not isinstance(error, Infeasible):
        return Outcome("failed", reason=tail(error))
    try:
        words = encodable(str(error))
    except Exception:
        words = ""
    return Outcome("infeasible", reason=words or "the objective raised Infeasible, and did not say why")


def tail(error: BaseException) -> str:
    """The end of an error's traceback, from the objective on."""
    # From another process the traceback comes as text, in place of the cause.
    remote = error.__cause__ if type(error.__cause__).__name__ == "_RemoteTraceback" else None
    if remote is not None:
        text = str(remote)
    else:
        frames = error.__traceback__
        if frames is not None and frames.tb_frame.f_code in _OWN:
            frames = frames.tb_next
        text = "".join(traceback.format_exception(type(error), error, frames))
    lines = text.strip().strip('"').strip().splitlines()
    return encodable("\n".join(lines[-TAIL:]))


_OWN = (evaluate.__code__, evaluate_async.__code__)
"""Where an objective is called: nobody wants to see it in a traceback."""


def tell(study: Study, trial: Trial, outcome: Outcome) -> None:
    """Tells what became of a trial."""
    if outcome.kind == "infeasible":
        study.infeasible(trial, outcome.reason)
    elif outcome.kind == "failed":
        study.fail(trial, outcome.reason)
    else:
        try:
            if isinstance(outcome.value, dict):
                _tell_named(study, trial, outcome.value, outcome.noise)
            else:
                study.tell(trial, outcome.value, noise=outcome.noise)
        except (ConfigError, DataError, TrialError) as refused:
            study.fail(trial, f"the objective returned {outcome.value}, which was refused: {refused}")


def _tell_named(study: Study, trial: Trial, told: dict[str, float], noise: float | None) -> None:
    """Reports results by name. Without the first objective, or if one of several objectives is not finite, the trial
    ends as a failure; the other objectives may come later."""
    first, *others = tuple_names(study) or (study.metric,)
    infinite = [name for name in (first, *others) if not math.isfinite(told.get(name, 0.0))]
    if others and infinite:
        study.fail(trial, f"the objective returned no finite {names_of(infinite)}: {shown(told)}")
    elif first not in told and getattr(study.outcomes[first], "score", None) is None:
        if noise is None:
            study._native.tell(trial.number, told, None, False, trial.attempt, None)
        _fail_without(study, trial, told)
    elif study.tell(trial, told, noise=noise) == "aside":
        _fail_without(study, trial, told)
    elif missing := [name for name in (*others, *_limited(study)) if name not in told]:
        it = "it is" if len(missing) == 1 else "they are"
        words = f"trial {trial.number} has no {names_of(missing)}: its point stays pending until {it} reported"
        warn(words)


def _limited(study: Study) -> list[str]:
    """The results with limits, which must be reported: without them it is unknown whether a trial keeps the limits."""
    given = [name for name, one in study.outcomes.items() if getattr(one, "score", None) is None]
    return [n for n in given if not is_objective(study.outcomes[n]) and limits_of(study.outcomes[n]) != (None, None)]


def _fail_without(study: Study, trial: Trial, told: dict[str, float]) -> None:
    """Fails a trial whose results lack the objective that would end it."""
    missing = tuple_names(study) or (study.metric,)
    words = study._native.say_missing(list(told))
    study.fail(trial, f"the objective returned no {names_of(missing[:1])}: {words}; it returned {shown(told)}")


def _outcome(future: Future[Outcome] | asyncio.Task[Outcome]) -> Outcome | None:
    """The outcome of an evaluation; None if it has not ended, was cancelled, or its executor broke."""
    if not future.done() or future.cancelled():
        return None
    error = future.exception()
    if isinstance(error, BrokenExecutor):
        return None
    return future.result() if error is None else raised(error)


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
        _check_plain(f)
        _check_takes(f, study.space)
        self._study, self._f, self._rules, self._synchronous = study, f, rules, synchronous
        self._objectives = tuple_names(study)
        workers = None if workers is None else _workers(workers)
        self._make = _maker(executor, workers, f)
        self._pool: Any = self._make() if self._make is not None else executor
        self._n_workers = workers or _size(self._pool)
        self._finished: queue.SimpleQueue[Future[Outcome]] = queue.SimpleQueue()
        self._under_way: dict[Future[Outcome], Trial] = {}
        # Trials without a future, in case an interrupt comes at that moment.
        self._handed = Batch()
        # The trial that is being reported: if the report is interrupted, it is not known whether it was stored.
        self._telling: Future[Outcome] | None = None
        self._breaks: dict[int, int] = {}
        # The trials that this thread had before: the rest of its trials belong to this run, whenever an interrupt
        # comes.
        self._before = frozenset(study._native.held_here())

    def run(self) -> None:
        """Runs until the rules say stop and nothing is under way."""
        self._rules.begin()
        try:
            while True:
                try:
                    self._start()
                    if self._under_way:
                        self._finish()
                    elif self._rules.waits():
                        time.sleep(LOOK_AGAIN)
                    else:
                        break
                except BrokenExecutor as broken:
                    self._replace(broken)
        except BaseException:
            self._rules.progress.close(is_whole=False)
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
            future = self._pool.submit(partial(evaluate, self._f, self._handed[0].params, self._objectives))
            self._under_way[future] = self._handed.pop(0)
            future.add_done_callback(self._finished.put)

    def _finish(self) -> None:
        """Waits for one trial to end, and reports its outcome."""
        future = self._finished.get()
        error = future.exception()
        if isinstance(error, BrokenExecutor):
            raise error
        self._rules.ended(self._tell(future).number)

    def _tell(self, future: Future[Outcome]) -> Trial:
        trial, outcome = self._under_way[future], _outcome(future)
        assert outcome is not None
        self._telling = future
        tell(self._study, trial, outcome)
        del self._under_way[future]
        self._telling = None
        return trial

    def _untold(self) -> list[Future[Outcome]]:
        """The trials that have ended but have not been reported."""
        return [one for one in self._under_way if one is not self._telling and _outcome(one) is not None]

    def _replace(self, broken: BrokenExecutor) -> None:
        """Hands back the trials of a broken executor; a trial that was there too often is assumed to be the cause."""
        for future in self._untold():
            self._rules.ended(self._tell(future).number)
        back = list(self._handed)
        for trial in self._under_way.values():
            self._breaks[trial.number] = self._breaks.get(trial.number, 0) + 1
            if self._breaks[trial.number] < MOST_BREAKS or self._make is None:
                back.append(trial)
            else:
                self._study.fail(trial, f"the process that evaluated it died {MOST_BREAKS} times")
                self._rules.ended(trial.number)
        self._under_way, self._handed, self._finished = {}, Batch(), queue.SimpleQueue()
        self._study._return(back)
        self._rules.given_back(len(back))
        if self._make is None:
            raise ElbowroomError(
                "the executor broke because one of its workers died; its trials were given back\n"
                "  try: run again with a new executor, or pass a function that creates one"
            ) from broken
        self._pool.shutdown(wait=False)
        self._pool = self._make()

    def _abandon(self) -> None:
        """Reports trials that have ended, and hands back those under way."""
        for future in self._under_way:
            future.cancel()
        try:
            for future in self._untold():
                self._tell(future)
        finally:
            # Asks the study, not this run: an interrupt may fall between the commit that hands trials out and the line
            # that records them here.
            self._study._return_held(set(self._study._native.held_here()) - self._before)
            if self._make is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)


async def run_async(
    study: Study, f: Callable[..., Awaitable[Any]], rules: Rules, workers: int, synchronous: bool
) -> None:
    """A run with coroutines."""
    _check_takes(f, study.space)
    workers, objectives = _workers(workers), tuple_names(study)
    await asyncio.to_thread(rules.begin)
    under_way: dict[asyncio.Task[Outcome], Trial] = {}
    try:
        while True:
            free = 0 if synchronous and under_way else workers - len(under_way)
            wanted = rules.wanted(free)
            if wanted > 0:
                batch = await study.ask_async(wanted)
                rules.handed(batch)
                for trial in batch:
                    under_way[asyncio.ensure_future(evaluate_async(f, trial.params, objectives))] = trial
            if not under_way:
                if not await asyncio.to_thread(rules.waits):
                    break
                await asyncio.sleep(LOOK_AGAIN)
                continue
            done, _ = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                trial = under_way.pop(task)
                outcome = _outcome(task) or Outcome("failed", reason="the evaluation was cancelled")
                try:
                    await _to_the_end(tell, study, trial, outcome)
                except Exception:
                    study._return([trial])
                    raise
                await asyncio.to_thread(rules.ended, trial.number)
    except BaseException:
        rules.progress.close(is_whole=False)
        try:
            for task, trial in list(under_way.items()):
                if (ended := _outcome(task)) is not None:
                    tell(study, trial, ended)
                    del under_way[task]
        finally:
            for task in under_way:
                task.cancel()
            study._return(under_way.values())
        raise
    rules.warn()


async def _to_the_end(call: Callable[..., None], *args: Any) -> None:
    """Calls in a thread, and waits for it even if the wait is cancelled: otherwise the thread would run on alone."""
    task = asyncio.ensure_future(asyncio.to_thread(call, *args))
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()
        raise


def _workers(given: Any) -> int:
    workers = whole(given, "workers", 1)
    if workers > MOST_WORKERS:
        raise ConfigError(f"{workers} workers are too many for one run\n  try: use at most {MOST_WORKERS}")
    return workers


def _callbacks(given: Any) -> tuple[Callback, ...]:
    """Callbacks as a tuple; a single callback becomes a tuple of one."""
    try:
        listed = () if given is None else (given,) if callable(given) else tuple(given)
    except TypeError:
        listed = (given,)
    for one in listed:
        if not callable(one):
            raise ConfigError(f"a callback is {shown(one)}\n  try: use functions, called as callback(study, trial)")
    return listed


def _check_plain(f: Callable[..., Any]) -> None:
    if not callable(f):
        raise ConfigError(f"the objective is {shown(f)}\n  try: use a function of the parameters")
    if inspect.iscoroutinefunction(f) or inspect.iscoroutinefunction(getattr(f, "__call__", None)):
        raise ConfigError(f"the objective {shown(f)} is a coroutine function\n  try: use await study.run_async(…)")


def _check_takes(f: Callable[..., Any], names: Iterable[str]) -> None:
    """Refuses a function that cannot take a point: each of its trials would fail."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return  # the signature is unknown, as for some C functions
    names = list(names)
    known = [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    takes_all = any(one.kind is one.VAR_KEYWORD for one in parameters)
    surplus = [] if takes_all else [name for name in names if name not in known]
    if surplus:
        raise ConfigError(
            f"the objective does not take {names_of(surplus)}, which the space has\n"
            "  try: add it to the parameters of the function, or let it take **params"
        )
    needed = [one for one in parameters if one.default is one.empty and one.name in known]
    lacking = [one.name for one in needed if one.name not in names]
    if lacking:
        raise ConfigError(
            f"the objective needs {names_of(lacking)}, which the space does not have\n"
            "  try: add it to the space, or give it a default value"
        )


def _maker(
    executor: Executor | Callable[[], Executor] | str, workers: int | None, f: Callable[..., Any]
) -> Callable[[], Executor] | None:
    """The function that creates the executor; None if an executor was given."""
    if executor == "threads":
        return partial(ThreadPoolExecutor, workers or 1, thread_name_prefix="elbowroom")
    if executor == "processes":
        _check_pickles(f)
        return partial(ProcessPoolExecutor, workers)
    if isinstance(executor, ProcessPoolExecutor) or executor is ProcessPoolExecutor:
        _check_pickles(f)
    # A class also has a `submit`, but it creates executors.
    if hasattr(executor, "submit") and not isinstance(executor, type):
        return None
    if callable(executor):
        return partial(_made, executor)
    raise ConfigError(
        f"the executor is {shown(executor)}\n  try: use 'threads', 'processes', or a concurrent.futures.Executor"
    )


def _made(make: Callable[[], Executor]) -> Executor:
    made = make()
    if not hasattr(made, "submit"):
        raise ConfigError(
            f"the function that should create an executor returned {shown(made)}\n  try: use a function that returns an Executor"
        )
    return made


def _check_pickles(f: Callable[..., Any]) -> None:
    try:
        pickle.dumps(f)
    except Exception as error:
        raise ConfigError(
            f"the objective cannot be sent to another process: {error}\n"
            "  try: use a function at the top of a module, or executor='threads'"
        ) from None


def _size(pool: Any) -> int:
    """How many trials an executor can run at once, as far as it tells."""
    if hasattr(pool, "_client"):  # Dask's
        return int(sum(pool._client.nthreads().values())) or 1
    size = getattr(pool, "_max_workers", None)
    return size if isinstance(size, int) and size > 0 else (os.cpu_count() or 1)
