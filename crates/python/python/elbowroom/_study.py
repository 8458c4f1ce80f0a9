"""A study: a search for the best point, as far as it has come."""

from __future__ import annotations

import asyncio
import json
import math
import operator
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, Literal

import numpy as np

from . import _elbowroom, _plot, _run
from ._errors import StoreError, TrialError
from ._gp import Array
from ._html import facts
from ._number import noise_variance, number, whole
from ._settings import Design, Goal, KernelName, Named, PenalizerName, settings
from ._space import Labels, Parameter, Params, Space, from_native, texts, to_native
from ._trial import Batch, Recommendation, Told, Trial, Trials, trial_of
from ._why import Why, why_of

class Study:
    """A search for the best point of a space.

    Without a ``store`` it lives in memory. A path is a SQLite file that the processes of one machine share, a
    ``postgres://…`` URL a database that many machines share, and ``http://…/?token=…`` what ``elbow serve --write``
    printed; a study of this name that is there already is opened, if it was made with the same settings. All that is asked and told is stored before the call returns.

    What is left out has the core's default, which :attr:`settings` shows. ``budget`` is the most trials to hand out,
    however many workers there are. ``constraints`` are texts such as ``"x + y <= 1"``, or one. ``initial`` is how many points
    come from the ``design``: ``"sobol"``, ``"latin_hypercube"`` or ``"uniform"``. ``strategy`` is a name of
    :func:`strategies`, or a mapping of its ``name`` and options; ``acquisition`` (``"ei"``, ``"ucb"``, ``"paper_ucb"``,
    ``"pi"``, ``"mean"``, or such a mapping with ``kappa``) and ``penalizer`` (``"soft"``, ``"hard"``, ``"truncated"``)
    are options of it. ``kernel`` (``"rbf"``, ``"matern52"``, ``"matern32"``, or several to choose from) and ``noise`` (a
    variance; found if it is not given) are parts of the ``model``. With ``repeats``, observed points may be proposed
    again.

    ``lease`` is how many seconds this process may be silent (killed, say) before its trials go to others; while it
    lives, it says so by itself.

    >>> import elbowroom as er
    >>> study = er.Study({"x": er.Float(-1, 1), "kind": er.Categorical(["a", "b"])}, seed=1)
    >>> for _ in range(5):
    ...     for trial in study.ask(4):
    ...         _ = study.tell(trial, trial.params["x"] ** 2 + (trial.params["kind"] == "b"))
    >>> study.best.params["kind"]
    'a'
    """

    def __init__(
        self,
        space: Space,
        *,
        goal: Goal | None = None,
        seed: int | None = None,
        budget: int | None = None,
        constraints: str | Iterable[str] = (),
        strategy: Named | None = None,
        acquisition: Named | None = None,
        penalizer: PenalizerName | None = None,
        kernel: KernelName | Sequence[KernelName] | None = None,
        noise: float | None = None,
        model: Mapping[str, Any] | None = None,
        initial: int | None = None,
        design: Design | None = None,
        repeats: bool | None = None,
        store: str | os.PathLike[str] | None = None,
        name: str = "study",
        worker: str | None = None,
        lease: float | None = None,
    ) -> None:
        written = settings(
            goal=goal,
            seed=seed,
            budget=budget,
            strategy=strategy,
            acquisition=acquisition,
            penalizer=penalizer,
            kernel=kernel,
            noise=noise,
            model=model,
            initial=initial,
            design=design,
            repeats=repeats,
        )
        store = None if store is None else os.fspath(store)
        native = _elbowroom.Study.create(
            to_native(space), texts(constraints), written, store, name, worker, lease
        )
        self._begin(native, dict(space), store, name)

    @classmethod
    def open(
        cls,
        store: str | os.PathLike[str],
        name: str = "study",
        *,
        space: Space | None = None,
        worker: str | None = None,
        lease: float | None = None,
    ) -> Study:
        """Opens a study as it stands in its store. The space is needed only to get back choices that are neither
        numbers nor texts; without it they are their labels."""
        store = os.fspath(store)
        study = cls.__new__(cls)
        native = _elbowroom.Study.open(store, name, worker, lease)
        study._begin(native, dict(space) if space is not None else from_native(native.space()), store, name)
        return study

    @classmethod
    def loads(cls, text: str, *, space: Space | None = None, lease: float | None = None) -> Study:
        """A study in memory from what :meth:`dumps` wrote. Trials that were under way still are."""
        try:
            saved = json.loads(text)
            name, log = saved["study"], [(at, event) for at, event in saved["log"]]
        except (ValueError, KeyError, TypeError):
            raise StoreError("the text is no study that `dumps` wrote\n  try: the whole text, as it was") from None
        study = cls.__new__(cls)
        native = _elbowroom.Study.load(name, log, lease)
        study._begin(native, dict(space) if space is not None else from_native(native.space()), None, name)
        return study

    def dumps(self) -> str:
        """The whole study as a text of JSON: all that happened, in order.

        >>> import elbowroom as er
        >>> study = er.Study({"x": er.Float(0, 1)})
        >>> _ = study.add({"x": 0.5}, 2.0)
        >>> er.Study.loads(study.dumps()).best.value
        2.0
        """
        return json.dumps({"study": self._name, "log": self._native.log()})

    def __reduce__(self) -> tuple[Any, ...]:
        # To another process a stored study goes by its address, one in memory as a copy.
        if self._store is None:
            return _loaded, (self.dumps(), self._space)
        return _opened, (self._store, self._name, self._space)

    def _begin(self, native: _elbowroom.Study, space: dict[str, Parameter], store: str | None, name: str) -> None:
        self._opened_by = os.getpid()
        self._core = native
        self._space = space
        self._labels = Labels(space)
        self._store = store
        self._name = name

    @property
    def _native(self) -> _elbowroom.Study:
        # A fork copies locks and open files, but not the threads that would let them go.
        if os.getpid() != self._opened_by:
            raise StoreError(
                f"the study `{self._name}` was opened by process {self._opened_by}, of which this one is a fork\n"
                "  try: pass the study as an argument, which pickles it, or open its store here with Study.open"
            )
        return self._core

    # What it is.

    @property
    def name(self) -> str:
        """Its name in the store."""
        return self._name

    @property
    def store(self) -> str | None:
        """The address of its store; none in memory."""
        return self._store

    @property
    def space(self) -> dict[str, Parameter]:
        """What is searched."""
        return dict(self._space)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that was fixed when the study was made, defaults included."""
        return dict(json.loads(self._native.settings()))

    @property
    def goal(self) -> Goal:
        """What is wanted of the values."""
        goal: Goal = self.settings["goal"]
        return goal

    # Ask and tell.

    def ask(self, n: int = 1, *, request: str | None = None) -> Batch:
        """Takes up to n points to be evaluated in parallel. They are pending from here on.

        The batch is shorter, or empty, where the budget or the space is used up; ``batch.short`` says why. Under a
        ``request`` name, asking again gives the same trials.
        """
        rows, short = self._native.ask(whole(n, "the number of points", 1), request)
        return Batch(map(self._trial, rows), short)

    def tell(
        self,
        trial: Trial | int | Mapping[str, Any],
        value: float,
        *,
        noise: float | None = None,
        correction: bool = False,
        request: str | None = None,
    ) -> Told:
        """Tells what was measured for a trial, or at a point of one's own. A value is never refused: the answer says
        what became of it. ``noise`` is the variance of its noise.

        >>> import elbowroom as er
        >>> study = er.Study({"x": er.Float(0, 1)})
        >>> study.tell({"x": 0.25}, 1.5)
        'recorded'
        >>> study.tell(0, 2.5)
        'replicate'
        >>> study.best.value
        2.0
        """
        # All is read before anything is stored.
        told_value, variance = number(value), noise_variance(noise)
        if isinstance(trial, Mapping):
            self.add(trial, told_value, noise=variance, request=request)
            return "recorded" if math.isfinite(told_value) else "not_finite"
        which, attempt = _which(trial)
        told: Told = self._native.tell(which, told_value, variance, correction, attempt, request)
        return told

    def fail(self, trial: Trial | int, reason: str = "", *, request: str | None = None) -> None:
        """Records that a trial ended without a value. Its point is not proposed again."""
        which, attempt = _which(trial)
        self._native.fail(which, reason, attempt, request)

    def infeasible(self, trial: Trial | int, reason: str = "", *, request: str | None = None) -> None:
        """Records that a trial's point breaks a constraint that only the evaluation can tell."""
        which, attempt = _which(trial)
        self._native.infeasible(which, reason, attempt, request)

    def release(self, trial: Trial | int, *, request: str | None = None) -> None:
        """Gives a trial up: it does not count, and its point may be proposed again."""
        which, attempt = _which(trial)
        self._native.release(which, attempt, request)

    def give_back(self, trials: Iterable[Trial]) -> None:
        """Gives trials back that :meth:`ask` handed out: whoever asks next gets them."""
        self._native.give_back([(trial.number, trial.attempt or trial.attempts) for trial in trials])

    def add(
        self, params: Mapping[str, Any], value: float, *, noise: float | None = None, request: str | None = None
    ) -> Trial:
        """Adds an earlier result at a point of one's own."""
        told = number(value), noise_variance(noise)
        return self._trial(self._native.add(self._labels.encode(params), *told, request))

    def start(self, params: Mapping[str, Any], *, due: float | None = None, request: str | None = None) -> Trial:
        """Starts a trial at a point of one's own, which is pending from here on. With ``due`` it goes to others if it
        has not ended after so many seconds."""
        return self._trial(self._native.start(self._labels.encode(params), due, request))

    async def ask_async(self, n: int = 1, *, request: str | None = None) -> Batch:
        """As :meth:`ask`, beside the event loop."""
        return await asyncio.to_thread(self.ask, n, request=request)

    async def tell_async(
        self,
        trial: Trial | int | Mapping[str, Any],
        value: float,
        *,
        noise: float | None = None,
        correction: bool = False,
        request: str | None = None,
    ) -> Told:
        """As :meth:`tell`, beside the event loop."""
        return await asyncio.to_thread(
            self.tell, trial, value, noise=noise, correction=correction, request=request
        )

    # What came of it.

    @property
    def trials(self) -> Trials:
        """All trials, by number; ``trials.to_pandas()`` and ``trials.to_polars()`` are frames of them."""
        return Trials(map(self._trial, self._native.trials()))

    @property
    def best(self) -> Trial | None:
        """The trial with the best value, the first of equals."""
        row = self._native.best()
        return None if row is None else self._trial(row)

    @property
    def recommended(self) -> Recommendation | None:
        """The point to use in the end: that of the highest μ − s under the model. It need not have been tried."""
        row = self._native.recommended()
        return None if row is None else Recommendation(**{**row, "params": self._labels.decode(row["params"])})

    @property
    def expected_gain(self) -> float | None:
        """By how much one more trial is expected to improve on the best value; none as long as there is no model."""
        return self._native.expected_gain()

    @property
    def counts(self) -> dict[str, int]:
        """How many trials stand how."""
        return self._native.counts()

    @property
    def budget_left(self) -> int | None:
        """How many more trials may be handed out, if there is a budget."""
        return self._native.budget_left()

    def predict(self, params: Sequence[Mapping[str, Any]]) -> tuple[Array, Array]:
        """The mean and the standard deviation of values at points, by the model of the results so far."""
        mean, sd = self._native.predict([self._labels.encode(point) for point in params])
        return np.array(mean), np.array(sd)

    def why(self, trial: Trial | int) -> Why:
        """What a trial's point rested on when it was chosen. It is worked out anew from the log, which takes a fit."""
        which, _ = _which(trial)
        return why_of(self._look(which), self._native.why(which))

    def plot_history(self, ax: Any = None) -> Any:
        """Draws the values by trial, and the best so far. Returns matplotlib's axes."""
        return _plot.history(self, ax)

    def plot_slices(self, params: Sequence[str] | None = None, axes: Any = None) -> Any:
        """Draws the model along each parameter through the best point: mean, two standard deviations, results."""
        return _plot.slices(self, params, axes)

    def plot_pending(self, x: str | None = None, y: str | None = None, ax: Any = None) -> Any:
        """Draws a map of the model over two parameters, with the results and with what is under way."""
        return _plot.pending(self, x, y, ax)

    # Runs.

    def run(
        self,
        f: Callable[..., Any],
        n: int | None = None,
        *,
        workers: int | None = None,
        executor: Executor | Callable[[], Executor] | Literal["threads", "processes"] = "threads",
        timeout: float | None = None,
        target: float | None = None,
        min_gain: float | None = None,
        synchronous: bool = False,
        callbacks: Sequence[Callable[[Study, Trial], object]] = (),
    ) -> Study:
        """Evaluates ``f`` at point after point, several at a time, and tells the values.

        ``f`` is called with the parameters by name. It returns a value, or a value and the variance of its noise. Where
        it raises, the trial fails with the end of the traceback as its reason; :class:`Infeasible` says that the point
        breaks a constraint.

        Points are asked for until the study's budget is used up, ``n`` trials were started, ``timeout`` seconds have
        passed, the ``target`` is reached, :attr:`expected_gain` is below ``min_gain``, or a callback
        ``callback(study, trial)`` returns True; what is under way then is waited for. A free worker gets a new point at once, with ``synchronous`` when the whole batch has finished.

        ``executor`` is any ``concurrent.futures.Executor``, a function that makes one (so that a broken one can be
        replaced), ``"threads"`` or ``"processes"``.
        """
        rules = _run.Rules(self, n, timeout, target, min_gain, callbacks)
        _run.Drive(self, f, rules, workers, executor, synchronous).run()
        return self

    async def run_async(
        self,
        f: Callable[..., Awaitable[Any]],
        n: int | None = None,
        *,
        workers: int = 1,
        timeout: float | None = None,
        target: float | None = None,
        min_gain: float | None = None,
        synchronous: bool = False,
        callbacks: Sequence[Callable[[Study, Trial], object]] = (),
    ) -> Study:
        """As :meth:`run`, for a coroutine function, in the running event loop."""
        rules = _run.Rules(self, n, timeout, target, min_gain, callbacks)
        await _run.run_async(self, f, rules, workers, synchronous)
        return self

    def _look(self, which: int) -> Trial:
        return self._trial(self._native.trial(which))

    def _trial(self, row: dict[str, Any]) -> Trial:
        return trial_of(row, self._labels.decode(row["params"]))

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {state}" for state, n in self.counts.items() if n) or "no trials yet"
        return f"<Study {self._name!r} in {self._native.place()}: {counts}>"

    def _repr_html_(self) -> str:
        best, left = self.best, self.budget_left
        rows = {
            "store": self._native.place(),
            "goal": self.goal,
            "trials": ", ".join(f"{n} {state}" for state, n in self.counts.items() if n),
            "budget left": left,
            "best value": None if best is None else best.value,
            "at": None if best is None else ", ".join(f"{name}={value}" for name, value in best.params.items()),
        }
        return facts(f"Study {self._name}", {name: value for name, value in rows.items() if value is not None})


def _loaded(text: str, space: Space) -> Study:
    return Study.loads(text, space=space)


def _opened(store: str, name: str, space: Space) -> Study:
    return Study.open(store, name, space=space)


def _which(trial: Trial | int) -> tuple[int, int | None]:
    if isinstance(trial, Trial):
        return trial.number, trial.attempt
    try:
        which = operator.index(trial)
    except TypeError:
        which = -1
    if not 0 <= which < 2**63:
        raise TrialError(f"there is no trial {trial!r:.80}\n  try: a number from 0 on, or a trial that `ask` gave")
    return which, None


def suggest(
    space: Space,
    observed: Iterable[tuple[Mapping[str, Any], float] | tuple[Mapping[str, Any], float, float | None]] = (),
    pending: Iterable[Mapping[str, Any]] = (),
    failed: Iterable[Mapping[str, Any]] = (),
    n: int = 1,
    *,
    infeasible: Iterable[Mapping[str, Any]] = (),
    goal: Goal | None = None,
    seed: int | None = None,
    constraints: str | Iterable[str] = (),
    strategy: Named | None = None,
    acquisition: Named | None = None,
    penalizer: PenalizerName | None = None,
    kernel: KernelName | Sequence[KernelName] | None = None,
    noise: float | None = None,
    model: Mapping[str, Any] | None = None,
    initial: int | None = None,
    design: Design | None = None,
    repeats: bool | None = None,
) -> list[Params]:
    """The next n points of a study that somebody else keeps: from its results (params, value and, if it is known, noise
    variance), the points under way, those that failed, and those that broke a constraint. There are fewer if the space
    is used up.

    The same arguments give the same points.

    >>> import elbowroom as er
    >>> [point] = er.suggest({"x": er.Float(0, 1)}, [({"x": 0.25}, 1.0)], pending=[{"x": 0.5}])
    >>> 0 <= point["x"] <= 1
    True
    """
    labels = Labels(space)
    rows = [
        (labels.encode(one[0]), number(one[1]), noise_variance(one[2]) if len(one) > 2 else None) for one in observed
    ]
    written = settings(
        goal=goal,
        seed=seed,
        strategy=strategy,
        acquisition=acquisition,
        penalizer=penalizer,
        kernel=kernel,
        noise=noise,
        model=model,
        initial=initial,
        design=design,
        repeats=repeats,
    )
    points = _elbowroom.suggest(
        to_native(space),
        texts(constraints),
        written,
        rows,
        [labels.encode(point) for point in pending],
        [labels.encode(point) for point in failed],
        [labels.encode(point) for point in infeasible],
        whole(n, "the number of points"),
    )
    return [labels.decode(point) for point in points]
