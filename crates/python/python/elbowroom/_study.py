"""A study: a search for the best point, with everything that has happened so far."""

from __future__ import annotations

import asyncio
import inspect
import json
import operator
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, ParamSpec, TypeAlias, TypeVar

import numpy as np

from . import _elbowroom, _run
from ._errors import ConfigError, DataError, ElbowroomError, SpaceError, StoreError, TrialError, warn
from ._front import Front, FrontRecommendation, RecommendedFront
from ._gp import Array
from ._html import assigned, facts, names_of
from ._number import encodable, limit, noise_variance, results_of, shown, text_of, variance_of, whole
from ._outcomes import Outcome, Outcomes, is_objective, read
from ._pictures import Pictures
from ._run import Callbacks
from ._settings import (
    Design,
    Failures,
    Goal,
    KernelName,
    Named,
    PenalizerName,
    SearchOptions,
    refuse_unknown,
    settings,
    with_hints,
)
from ._space import Labels, Parameter, Params, Space, check_same, from_native, texts, to_native
from ._trial import Batch, Recommendation, Told, Trial, Trials, trial_of
from ._why import Why, why_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

MIN_LEASE = 1.0
"""The shortest lease in seconds."""


P = ParamSpec("P")
T = TypeVar("T")


def _with_arguments_of(
    method: Callable[P, T],
) -> Callable[[Callable[..., Coroutine[Any, Any, T]]], Callable[P, Coroutine[Any, Any, T]]]:
    """A coroutine that passes its arguments on to a method and has its signature, for readers and checkers."""

    def signed(coroutine: Callable[..., Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        wanted = inspect.signature(coroutine).return_annotation
        coroutine.__signature__ = inspect.signature(method).replace(return_annotation=wanted)  # type: ignore[attr-defined]
        return coroutine

    return signed


class Study(Pictures):
    """A search for the best point of a space.

    Arguments that you leave out have their defaults, which :attr:`settings` shows.

    What is searched:

    - ``space``: a dict of names and parameters, or :class:`Candidates`, a table whose rows are the only points.
    - ``constraints``: a string such as ``"x + y <= 1"``, or a list of them.
    - ``contexts``: names of parameters that are observed, not chosen, such as the humidity of the day. Every :meth:`ask`
      gives their values (``fixed={"humidity": 40}``); :meth:`recommended_in` returns the point to use under them.

    What is wanted:

    - ``goal``: ``"minimize"`` (the default) or ``"maximize"``.
    - ``metric``: the name of the optimized result, if several are told; ``"value"`` by default.
    - ``outcomes``: the long form of ``goal`` and ``metric``, a dict that says what each result is for:
      :class:`Maximize`, :class:`Minimize` and :class:`Near` for objectives, :class:`AtLeast`, :class:`AtMost` and
      :class:`Between` for limits, :class:`Watched` for results that are only recorded. With several objectives use
      :attr:`front` instead of :attr:`best`. A list of dicts, as in a study.toml, works too.
    - ``budget``: the number of trials to hand out, however many workers there are; you can change it later
      (:attr:`budget`).
    - ``repeats``: whether observed points may be proposed again.
    - ``failures``: what a failed trial means. With ``"learn"`` (the default) points near it may fail too, which the search
      and the recommendation weigh; with ``"ignore"`` it means nothing, for machines that lose jobs at random. An infeasible
      trial always counts. Studies that were created before this setting existed ignore failures.

    How points are chosen:

    - ``seed``: the seed of the random numbers.
    - ``initial``: how many points come from the ``design``, which is ``"sobol"``, ``"latin_hypercube"`` or ``"uniform"``.
    - ``strategy``: a name from :func:`strategies`, or a dict with its ``name`` and options. Two options have arguments of
      their own: ``acquisition`` (``"ei"``, ``"ucb"``, ``"paper_ucb"``, ``"pi"``, ``"mean"``, or a dict with ``kappa``) and
      ``penalizer`` (``"soft"``, ``"hard"``, ``"truncated"``).
    - ``model``: a dict of the model's settings. Two of them have arguments of their own: ``kernel`` (``"rbf"``,
      ``"matern52"``, ``"matern32"``, ``"twoscale"``, or several to choose from) and ``sd``, the standard deviation of every
      result's noise (or ``noise``, its variance); if neither is given, the noise is estimated.
    - ``score_all``: in a finite space of up to this many points, every point is scored in each ask.

    Where it is stored:

    - ``store``: without it, the study lives in memory. A path is a SQLite file that the processes of one machine share, a
      ``postgres://…`` URL is a database that many machines share, and ``http://…/?token=…`` is the address that
      ``elbow serve --write`` printed. Every ask and tell is stored before the call returns.
    - ``name``: if a study of this name exists in the store, it is opened, provided that it was created with the same
      settings. A different ``budget`` applies from then on, with a warning.
    - ``lease``: how many seconds this process may be silent (because it was killed, say) before its trials go to others.
      A living process renews its leases by itself.

    At the end of a block ``with er.Study(…) as study:``, trials that were asked for and not told are given back.

    >>> import elbowroom as er
    >>> study = er.Study({"x": er.Float(-1, 1), "kind": er.Categorical(["a", "b"])}, seed=1)
    >>> for _ in range(5):
    ...     for trial in study.ask(4):
    ...         _ = study.tell(trial, trial.params["x"] ** 2 + (trial.params["kind"] == "b"))
    >>> study.best.params["kind"]
    'a'
    >>> outcomes = {"yield": er.Maximize(worst=50), "cost": er.Minimize(), "purity": er.AtLeast(95)}
    >>> study = er.Study({"celsius": er.Float(20, 90)}, outcomes=outcomes)
    >>> _ = study.tell({"celsius": 40}, {"yield": 80, "cost": 3, "purity": 96})
    >>> _ = study.tell({"celsius": 60}, {"yield": 90, "cost": 2, "purity": 90})
    >>> [trial.number for trial in study.front]
    [0]
    """

    @with_hints
    def __init__(
        self,
        space: Space,
        *,
        goal: Goal | None = None,
        metric: str | None = None,
        outcomes: Outcomes | None = None,
        seed: int | None = None,
        budget: int | None = None,
        constraints: str | Iterable[str] = (),
        strategy: Named | None = None,
        acquisition: Named | None = None,
        penalizer: PenalizerName | None = None,
        kernel: KernelName | Sequence[KernelName] | None = None,
        noise: float | None = None,
        sd: float | None = None,
        model: Mapping[str, Any] | None = None,
        initial: int | None = None,
        design: Design | None = None,
        repeats: bool | None = None,
        failures: Failures | None = None,
        contexts: Sequence[str] | None = None,
        score_all: int | None = None,
        store: str | os.PathLike[str] | None = None,
        name: str = "study",
        worker: str | None = None,
        lease: float | None = None,
    ) -> None:
        written = settings(
            goal=goal,
            metric=metric,
            outcomes=outcomes,
            seed=seed,
            budget=budget,
            strategy=strategy,
            acquisition=acquisition,
            penalizer=penalizer,
            kernel=kernel,
            noise=noise,
            sd=sd,
            model=model,
            initial=initial,
            design=design,
            repeats=repeats,
            failures=failures,
            contexts=contexts,
            score_all=score_all,
        )
        store = None if store is None else _address(store)
        native = _elbowroom.Study.create(
            to_native(space), texts(constraints), written, store, *_identity(name, worker), _lease(lease)
        )
        self._begin(native, dict(space), store, name)
        if budget is not None and (before := self.budget) != budget:
            self.budget = budget
            was = "no limit" if before is None else before
            warn(f"the budget of the study `{name}` is {budget} trials now; it was {was}")

    @classmethod
    @with_hints
    def open(
        cls,
        store: str | os.PathLike[str],
        name: str = "study",
        *,
        space: Space | None = None,
        worker: str | None = None,
        lease: float | None = None,
    ) -> Study:
        """Opens a study as it is in its store. The space is needed only if choices are neither numbers nor strings;
        without it, such choices are shown as their labels."""
        store = _address(store)
        study = cls.__new__(cls)
        native = _elbowroom.Study.open(store, *_identity(name, worker), _lease(lease))
        study._begin(native, _known(space, native, name), store, name)
        return study

    @classmethod
    def loads(cls, text: str, *, space: Space | None = None, lease: float | None = None) -> Study:
        """A study in memory from what :meth:`dumps` wrote. Trials that were running still are."""
        try:
            saved = json.loads(text)
            name, log = text_of(saved["study"], "name"), [(at, event) for at, event in saved["log"]]
        except (ValueError, KeyError, TypeError):
            raise StoreError("the text is not a study that `dumps` wrote\n  try: pass the whole text, unchanged") from None
        study = cls.__new__(cls)
        native = _elbowroom.Study.load(name, log, _lease(lease))
        study._begin(native, _known(space, native, name), None, name)
        return study

    def dumps(self) -> str:
        """The whole study as a JSON string: everything that happened, in order.

        >>> import elbowroom as er
        >>> study = er.Study({"x": er.Float(0, 1)})
        >>> _ = study.add({"x": 0.5}, 2.0)
        >>> er.Study.loads(study.dumps()).best.value
        2.0
        """
        return json.dumps({"study": self._name, "log": self._native.log()})

    def __reduce__(self) -> tuple[Any, ...]:
        # To another process a stored study is passed as its address, a study in memory as a copy.
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
        self._read_outcomes: dict[str, Outcome] | None = None
        # The trials that `ask` handed out, until something is reported about them.
        self._held: dict[int, Trial] = {}

    def __enter__(self) -> Study:
        """For a ``with`` block, at whose end trials without a result are given back."""
        return self

    def __exit__(self, *error: object) -> None:
        """Gives back the trials that :meth:`ask` handed out and no result was reported for."""
        if self._held:
            self._return(list(self._held.values()))

    @property
    def _native(self) -> _elbowroom.Study:
        # A fork copies locks and open files, but not the threads that would release them.
        if os.getpid() != self._opened_by:
            raise StoreError(
                f"the study `{self._name}` was opened by process {self._opened_by}, and this process is a fork of it\n"
                "  try: pass the study as an argument, which pickles it, or open its store here with Study.open"
            )
        return self._core

    # Properties of the study.

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
        """Everything that was fixed when the study was created, including defaults, and the current budget."""
        return dict(json.loads(self._native.settings()))

    @property
    def goal(self) -> Goal:
        """Whether smaller or larger values are better."""
        goal: Goal = self.settings["goal"]
        return goal

    @property
    def metric(self) -> str:
        """The name of the optimized result; with several objectives, of the first one."""
        metric: str = self.settings["metric"]
        return metric

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """What each declared result is for; the first objective comes first.

        >>> import elbowroom as er
        >>> er.Study({"x": er.Float(0, 1)}, outcomes={"loss": er.Minimize(), "bytes": er.AtMost(1e6)}).outcomes["bytes"]
        AtMost(limit=1000000.0, score=None)
        """
        # They are fixed when a study is created.
        if self._read_outcomes is None:
            self._read_outcomes = read(self.settings)
        return dict(self._read_outcomes)

    def _objectives(self) -> list[str]:
        """The results that are optimized."""
        return [name for name, outcome in self.outcomes.items() if is_objective(outcome)]

    def _refuse_several(self, what: str, hint: str) -> None:
        """Refuses features that exist only for one objective."""
        if len(objectives := self._objectives()) > 1:
            names = names_of(objectives)
            raise ElbowroomError(f"the study has {len(objectives)} objectives, {names}: {what}\n  try: use {hint}")

    # Ask and tell.

    @with_hints
    def ask(
        self,
        n: int = 1,
        *,
        fixed: Mapping[str, Any] | None = None,
        within: Mapping[str, tuple[float, float]] | None = None,
        request: str | None = None,
    ) -> Batch:
        """Asks for up to n points to evaluate in parallel. They are pending until you report what became of them.

        Parameters in ``fixed`` have the same value in all points, and numbers in ``within`` stay between two values. If the
        budget or the space is used up, the batch is shorter or empty, and ``batch.short`` says why. Asking again with the same
        ``request`` returns the same trials.

        >>> import elbowroom as er
        >>> study = er.Study({"celsius": er.Float(20, 90), "minutes": er.Int(1, 30)})
        >>> [trial.params["celsius"] for trial in study.ask(3, fixed={"celsius": 60})]
        [60.0, 60.0, 60.0]
        >>> all(5 <= trial.params["minutes"] <= 7 for trial in study.ask(3, within={"minutes": (5, 7)}))
        True
        """
        low, high = _ends(within or {})
        text, units = self._native.ask(
            whole(n, "the number of points", 1), request, self._labels.encode(fixed or {}), low, high
        )
        answer = json.loads(text)
        batch = Batch(map(self._trial, answer["trials"], units), answer["short"])
        self._held.update((trial.number, trial) for trial in batch)
        return batch

    @with_hints
    def tell(
        self,
        trial: Trial | int | Mapping[str, Any],
        value: float | Mapping[str, float],
        *,
        noise: float | None = None,
        sd: float | None = None,
        correction: bool = False,
        actual: Mapping[str, Any] | None = None,
        request: str | None = None,
    ) -> Told:
        """Reports what was measured for a trial, or at a point of your choice. A value is never refused: the return
        value says what became of it. ``sd`` is the standard deviation of its noise, if it is known; instead you may
        give ``noise``, the variance. A ``correction`` replaces the values of a trial.

        Several results are told by name. The study's ``metric``, or its first objective, ends the trial. Results told
        without it are kept, before or after the end, and do not end the trial: ``tell`` then returns ``'aside'``. Other
        objectives and results with limits may come later; until then the search treats the point as pending. A correction
        replaces the results that it names.

        If the trial was run with other values of some parameters than planned, such as a context that had changed by then,
        give these values as ``actual``: the point as it was run becomes a trial of its own, with the results, and the planned
        trial is withdrawn.

        >>> import elbowroom as er
        >>> study = er.Study({"x": er.Float(0, 1)})
        >>> study.tell({"x": 0.25}, 1.5)
        'recorded'
        >>> study.tell(0, 2.5)
        'replicate'
        >>> study.best.value
        2.0
        >>> study = er.Study({"x": er.Float(0, 1)}, metric="loss")
        >>> [trial] = study.ask()
        >>> study.tell(trial, {"minutes": 12})
        'aside'
        >>> study.tell(trial, {"loss": 0.3, "joules": 5})
        'recorded'
        >>> study.trials[0].results
        {'loss': 0.3, 'minutes': 12.0, 'joules': 5.0}
        """
        # Everything is read before anything is stored.
        told_value, variance = self._results(value), variance_of(noise, sd)
        if isinstance(trial, Mapping):
            if correction:
                raise TrialError(
                    f"there is nothing to correct at {shown(dict(trial))}: a point of your choice is a new trial\n"
                    "  try: give the trial to correct, or its number"
                )
            if actual is not None:
                raise TrialError("a point of your choice is where it was run\n  try: give all values in one mapping")
            n_before = 0 if request is None else sum(self.counts.values())
            return self._became(self.add(trial, told_value, noise=variance, request=request), n_before, told_value)
        which, attempt = self._which(trial)
        if actual is not None:
            if correction:
                raise TrialError("a correction cannot move a trial\n  try: report it without correction")
            n_before = 0 if request is None else sum(self.counts.values())
            told_at = self._labels.encode(actual), told_value, variance, attempt, request
            run = self._answer(self._native.tell_as_run(which, *told_at))
            self._held.pop(which, None)
            return "recorded" if run.number == which else self._became(run, n_before, told_value)
        told: Told = self._native.tell(which, told_value, variance, correction, attempt, request)
        if told == "aside":
            return self._aside(told_value)
        self._held.pop(which, None)
        return told

    def _became(self, added: Trial, n_before: int, told: float | dict[str, float]) -> Told:
        """What became of results at a point that was added."""
        if added.number < n_before:
            return "repeated"
        if added.value is None and added.state != "failed":
            return self._aside(told)
        return "recorded" if added.value is not None else "not_finite"

    def _results(self, value: Any) -> float | dict[str, float]:
        """The reported results; with several objectives, a number without a name would be ambiguous."""
        told = results_of(value)
        if not isinstance(told, dict) and len(objectives := self._objectives()) > 1:
            example = "{" + ", ".join(f"{name!r}: …" for name in objectives) + "}"
            raise DataError(
                f"the value {shown(value)} has no name, and the study has {len(objectives)} objectives\n"
                f"  try: use a dict, such as {example}"
            )
        return told

    def _aside(self, results: float | dict[str, float]) -> Told:
        """Results were kept aside: in a study without named results, several of these are likely to be a mistake."""
        if isinstance(results, dict) and len(results) > 1 and self.metric == "value":
            warn(self._native.say_missing(list(results)))
        return "aside"

    def fail(self, trial: Trial | int, reason: str = "", *, request: str | None = None) -> None:
        """Records that a trial ended without a value. Its point is not proposed again, and points near it count as
        less likely to give a value, unless the study was created with ``failures="ignore"``."""
        which, attempt = self._which(trial)
        self._native.fail(which, _reason(reason), attempt, request)
        self._held.pop(which, None)

    def infeasible(self, trial: Trial | int, reason: str = "", *, request: str | None = None) -> None:
        """Records that a trial's point breaks a constraint that only the evaluation reveals. Points near it count as
        less likely to give a value, whatever ``failures`` is."""
        which, attempt = self._which(trial)
        self._native.infeasible(which, _reason(reason), attempt, request)
        self._held.pop(which, None)

    def release(self, trial: Trial | int, *, request: str | None = None) -> None:
        """Gives up a trial: it does not count, and its point may be proposed again."""
        which, attempt = self._which(trial)
        self._native.withdraw(which, attempt, request)
        self._held.pop(which, None)

    def give_back(self, trials: Trial | int | Iterable[Trial | int]) -> None:
        """Gives back trials that :meth:`ask` returned, or a single one: they go to whoever asks next.

        >>> import elbowroom as er
        >>> study = er.Study({"x": er.Float(0, 1)})
        >>> [trial] = study.ask()
        >>> study.give_back(trial)
        >>> study.ask()[0].number
        0
        """
        single = isinstance(trials, (Trial, str)) or not isinstance(trials, Iterable)
        given: list[Any] = [trials] if single else list(trials)  # type: ignore[arg-type]
        back: list[Trial] = []
        for one in given:
            which, attempt = self._which(one)
            trial = self._look(which)
            if trial.state not in ("running", "queued", "lost"):
                raise TrialError(f"trial {which} is {trial.state}: it cannot be given back\n  try: give back running trials only")
            if attempt is not None and attempt < trial.attempts:
                raise TrialError(
                    f"trial {which} has been handed to another worker since\n  try: use a trial from a newer `ask`"
                )
            back.append(trial)
        self._return(back)
        for trial in back:
            now = self._look(trial.number)
            if now.state == "running" and now.attempts == trial.attempts:
                raise TrialError(
                    f"trial {trial.number} was started without a due time: there is no queue for it to go back to\n"
                    "  try: use study.release(trial), which gives it up"
                )

    def _return(self, trials: Iterable[Trial]) -> None:
        """Hands back those attempts that can be."""
        self._return_held((trial.number, trial.attempt or trial.attempts) for trial in trials)

    def _return_held(self, attempts: Iterable[tuple[int, int]]) -> None:
        """Hands back attempts, in one commit."""
        back = list(attempts)
        if back:
            self._native.requeue(back)
        for which, _ in back:
            self._held.pop(which, None)

    def add(
        self,
        params: Mapping[str, Any],
        value: float | Mapping[str, float],
        *,
        noise: float | None = None,
        sd: float | None = None,
        request: str | None = None,
    ) -> Trial:
        """Adds an earlier result, or several by name, at a point of your choice. ``sd`` is the standard deviation of the
        value's noise; ``noise`` is its variance. If the point breaks a known constraint, the result is kept, with a warning."""
        told = self._results(value), variance_of(noise, sd)
        trial = self._answer(self._native.add(self._labels.encode(params), *told, request))
        if trial.breaks is not None:
            words = f"trial {trial.number} was measured where the constraint `{trial.breaks}` is broken"
            warn(words)
        return trial

    def start(self, params: Mapping[str, Any], *, due: float | None = None, request: str | None = None) -> Trial:
        """Starts a trial at a point of your choice, which is pending from then on. With ``due``, it goes to others if it
        has not ended after this many seconds."""
        seconds = None if due is None else limit(due, "due", 0, "a number of seconds that is not negative")
        return self._answer(self._native.start(self._labels.encode(params), seconds, request))

    @_with_arguments_of(ask)
    async def ask_async(self, *arguments: Any, **options: Any) -> Batch:
        """Like :meth:`ask`, without blocking the event loop. If it is cancelled, the trials it would have returned are given back."""
        lock, left, arrived = threading.Lock(), threading.Event(), Batch()

        def ask() -> Batch:
            batch = self.ask(*arguments, **options)
            with lock:
                arrived.extend(batch)
                if left.is_set() and batch:
                    self._return(batch)
            return batch

        try:
            return await asyncio.to_thread(ask)
        except asyncio.CancelledError:
            # The thread continues: whichever comes second hands the trials back.
            with lock:
                left.set()
                if arrived:
                    self._return(arrived)
            raise

    @_with_arguments_of(tell)
    async def tell_async(self, *arguments: Any, **options: Any) -> Told:
        """Like :meth:`tell`, without blocking the event loop."""
        return await asyncio.to_thread(self.tell, *arguments, **options)

    # Results.

    @property
    def trials(self) -> Trials:
        """All trials, by number; ``trials.to_pandas()`` and ``trials.to_polars()`` return data frames."""
        text, units = self._native.trials()
        return Trials(map(self._trial, json.loads(text), units))

    @property
    def best(self) -> Trial | None:
        """The trial with the best value, the first one in case of a tie. If results have limits, it is the best trial
        that keeps all of them, and None if there is none: then :attr:`least_infeasible` comes closest. With several
        objectives use :attr:`front`. Warns if the best trial breaks a known constraint.

        >>> import elbowroom as er
        >>> study = er.Study({"x": er.Float(0, 1)}, outcomes={"yield": er.Maximize(), "purity": er.AtLeast(95)})
        >>> for x, amount, purity in [(0.1, 90, 80), (0.2, 70, 97)]:
        ...     _ = study.tell({"x": x}, {"yield": amount, "purity": purity})
        >>> study.best.number, study.trials[0].feasible
        (1, False)
        """
        self._refuse_several("no trial is the best in all of them", "study.front, the trials that no other trial beats")
        found = self._native.best()
        if found is None:
            return None
        best = self._answer(found)
        if best.breaks is not None:
            warn(f"trial {best.number}, the best, breaks the constraint `{best.breaks}`")
        return best

    @property
    def least_infeasible(self) -> Trial | None:
        """The trial that comes closest to keeping all limits; None if a trial keeps them, or there are no limits.
        Each result counts by how far it is outside, in standard deviations of all its results.

        >>> import elbowroom as er
        >>> study = er.Study({"x": er.Float(0, 1)}, outcomes={"yield": er.Maximize(), "purity": er.AtLeast(95)})
        >>> _ = study.tell({"x": 0.1}, {"yield": 90, "purity": 80})
        >>> study.least_infeasible.broken_limits
        (BrokenLimit(outcome='purity', value=80.0, at_least=95.0, at_most=None),)
        """
        found = self._native.least_infeasible()
        return None if found is None else self._answer(found)

    @property
    def front(self) -> Front:
        """The trials that no other trial beats in every objective, among those that keep all limits, as measured.
        ``front.to_pandas()`` returns a data frame, :meth:`plot_front` draws them."""
        text, rows = self._native.front()
        return Front(map(self._answer, rows), json.loads(text))

    @property
    def recommended(self) -> Recommendation | None | Any:
        """The point to use in the end: the point with the highest μ − s under the model if the data around it support
        it, otherwise the best observed point. It may be untried, unless trials failed in some part of the space.

        With several objectives it is a :class:`RecommendedFront`: of the points that were tried, those that the models expect
        no other point to beat in every objective.
        """
        return self._recommended_front() if len(self._objectives()) > 1 else self._recommended_point()

    def _recommended_point(self) -> Recommendation | None:
        """With several objectives, the point of the first."""
        text = self._native.recommended()
        if text is None:
            return None
        found = json.loads(text)
        return Recommendation(params=self._labels.decode(found.pop("point")), **found)

    def _recommended_front(self) -> RecommendedFront:
        found = RecommendedFront()
        names = [one.name for one in self.front.objectives]
        for row in json.loads(self._native.recommended_front()):
            params = self._labels.decode(row.pop("point"))
            means, sds = (dict(zip(names, row.pop(key))) for key in ("means", "sds"))
            found.append(FrontRecommendation(params=params, means=means, sds=sds, **row))
        return found

    def recommended_in(self, fixed: Mapping[str, Any]) -> Recommendation | None:
        """The point to use under given values of some parameters, such as ``contexts``: the one with the highest μ − s there.

        >>> import elbowroom as er
        >>> study = er.Study({"x": er.Float(0, 1), "day": er.Float(0, 1)}, contexts=["day"], seed=1)
        >>> for i in range(25):
        ...     x, day = i % 5 / 4, i // 5 / 4
        ...     _ = study.add({"x": x, "day": day}, (x - day) ** 2)
        >>> abs(study.recommended_in({"day": 0.4}).params["x"] - 0.4) < 0.1
        True
        """
        text = self._native.recommended_in(self._labels.encode(fixed))
        if text is None:
            return None
        found = json.loads(text)
        return Recommendation(params=self._labels.decode(found.pop("point")), **found)

    @property
    def expected_gain(self) -> float | None:
        """By how much one more trial is expected to improve on the best value; None while there is no model."""
        self._refuse_several("no single gain describes all of them", "study.front.history, the hypervolume by trial")
        return self._native.expected_gain()

    @property
    def counts(self) -> dict[str, int]:
        """The number of trials in each state."""
        counts: dict[str, int] = json.loads(self._native.counts())
        return counts

    def status(self) -> dict[str, Any]:
        """How the study is going, with the same keys as ``elbow status --json`` and the HTTP API.

        >>> import elbowroom as er
        >>> study = er.Study({"x": er.Float(0, 1)}, budget=9)
        >>> _ = study.ask(2)
        >>> status = study.status()
        >>> status["counts"]["running"], status["budget_left"], status["best"]
        (2, 7, None)
        """
        return dict(json.loads(self._native.status()))

    @property
    def budget(self) -> int | None:
        """The number of trials to hand out in all; None for no limit. You may change it at any time, for all workers of
        the study, but not below what was already handed out.

        >>> import elbowroom as er
        >>> study = er.Study({"x": er.Float(0, 1)}, budget=2)
        >>> len(study.ask(5))
        2
        >>> study.budget = 6
        >>> len(study.ask(5))
        4
        """
        trials: int | None = self.settings["budget"]
        return trials

    @budget.setter
    def budget(self, trials: int | None) -> None:
        self._native.set_budget(None if trials is None else whole(trials, "the budget", 1))

    @property
    def budget_left(self) -> int | None:
        """How many more trials may be handed out, if there is a budget."""
        return self._native.budget_left()

    def predict(
        self, params: Mapping[str, Any] | Iterable[Mapping[str, Any]], outcome: str | None = None
    ) -> tuple[Array, Array]:
        """The mean and the standard deviation that the model predicts at one point or several. ``outcome`` names the
        result, an objective or one with limits; by default it is the first objective.

        >>> import elbowroom as er
        >>> study = er.Study({"x": er.Float(0, 1)}, outcomes={"yield": er.Maximize(), "cost": er.Minimize()})
        >>> for x in (0.0, 0.25, 0.5, 0.75, 1.0):
        ...     _ = study.tell({"x": x}, {"yield": x, "cost": 10 - 4 * x})
        >>> mean, sd = study.predict({"x": 0.6}, outcome="cost")
        >>> bool(abs(mean[0] - 7.6) < 0.1)
        True
        """
        points = params if isinstance(params, Iterable) and not isinstance(params, Mapping) else [params]
        mean, sd = self._native.predict([self._labels.encode(point) for point in points], outcome)
        return np.array(mean), np.array(sd)

    def importance(self, outcome: str | None = None) -> list[Importance]:
        """How much each parameter matters to a result, according to its model, the most important first: the share of
        the variation that it contributes to (total Sobol indices), with the 10 % and 90 % quantiles over the model's samples.

        >>> import elbowroom as er
        >>> study = er.Study({"x": er.Float(0, 1), "idle": er.Float(0, 1)}, seed=1)
        >>> for trial in study.ask(12):
        ...     _ = study.tell(trial, trial["x"] ** 2)
        >>> study.importance()[0].name
        'x'
        """
        return [Importance(**row) for row in json.loads(self._native.importance(outcome))["rows"]]

    def why(self, trial: Trial | int) -> Why:
        """Why a trial's point was chosen. This is computed again from the log, which takes one fit of the model."""
        which, _ = self._which(trial)
        return why_of(self._look(which), self._native.why(which))

    # Runs.

    @with_hints
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
        callbacks: Callbacks = (),
        progress: bool | None = None,
    ) -> Study:
        """Evaluates ``f`` at one point after another, several at a time, and records the results.

        ``f`` is called with the parameters by name. It returns a value, or several results in a dict by name, or either
        with the variance of the value's noise. With several objectives it returns a dict, or a tuple of the objectives in
        order. If it raises, the trial fails with the end of the traceback as its reason; :class:`Infeasible` says that
        the point breaks a constraint.

        New points are chosen until the study's budget is used up, ``n`` trials were started, ``timeout`` seconds have
        passed, the ``target`` is reached, :attr:`expected_gain` is below ``min_gain``, or a callback
        ``callback(study, trial)`` returns True. The run then waits for the trials that are still running. A free worker gets a
        new point at once, or with ``synchronous`` when the whole batch has finished. The run first takes over the trials of a
        dead process on the same machine. Before it ends, it waits for trials that other workers have and may yet lose, and warns
        if trials are still pending, or if it got none. If an exception ends the run, finished evaluations are recorded and the
        other trials are given back.

        ``executor`` is any ``concurrent.futures.Executor``, a function or class that creates one (so that a broken one can
        be replaced), ``"threads"`` or ``"processes"``.

        ``progress`` shows the progress in one line that rewrites itself. By default it does so on terminals and in notebooks;
        elsewhere the logger ``elbowroom`` gets one record for each trial. True shows the line everywhere, False turns both off.
        """
        rules = _run.Rules(self, n, timeout, target, min_gain, callbacks, progress)
        _run.Drive(self, f, rules, workers, executor, synchronous).run()
        return self

    @with_hints
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
        callbacks: Callbacks = (),
        progress: bool | None = None,
    ) -> Study:
        """Like :meth:`run`, but for a coroutine function, in the running event loop."""
        rules = _run.Rules(self, n, timeout, target, min_gain, callbacks, progress)
        await _run.run_async(self, f, rules, workers, synchronous)
        return self

    def _which(self, trial: Trial | int) -> tuple[int, int | None]:
        """The number of a trial of this study, and its attempt in the hands of this process."""
        if isinstance(trial, Trial):
            if self._held.get(trial.number) is not trial:
                _check_same_point(trial, self._look(trial.number))
            return trial.number, trial.attempt
        try:
            which = -1 if isinstance(trial, (bool, np.bool_)) else operator.index(trial)
        except TypeError:
            which = -1
        if not 0 <= which < 2**63:
            raise TrialError(f"there is no trial {shown(trial)}\n  try: use a number from 0, or a trial that `ask` returned")
        return which, None

    def _look(self, which: int) -> Trial:
        return self._answer(self._native.trial(which))

    def _trial(self, answer: dict[str, Any], unit: list[float]) -> Trial:
        return trial_of(answer, self._labels.decode(answer["point"]), unit)

    def _answer(self, native: tuple[str, list[float]]) -> Trial:
        text, unit = native
        return self._trial(json.loads(text), unit)

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {state}" for state, n in self.counts.items() if n) or "no trials yet"
        return f"<Study {self._name!r} in {self._native.label()}: {counts}>"

    def _repr_html_(self) -> str:
        rows: dict[str, object] = {
            "store": self._native.label(),
            "goal": self.goal,
            "trials": ", ".join(f"{n} {state}" for state, n in self.counts.items() if n),
            "budget left": self.budget_left,
        }
        table = ""
        if len(self._objectives()) > 1:
            front = self.front
            rows["goal"] = ", ".join(f"{one.goal} {one.name}" for one in front.objectives)
            rows["hypervolume"] = front.hypervolume
            rows["reference"] = None if front.reference is None else assigned(front.reference)
            rows["front"] = f"{len(front)} trial{'s' * (len(front) != 1)}"
            table = front._repr_html_() if front else ""
        elif (best := self.best) is not None:
            rows |= {"best value": best.value, "at": assigned(best.params)}
        if (nearest := self.least_infeasible) is not None:
            rows["limits"] = f"no trial keeps them all; trial {nearest.number} comes closest"
        return facts(f"Study {self._name}", {name: value for name, value in rows.items() if value is not None}) + table


def _loaded(text: str, space: Space) -> Study:
    return Study.loads(text, space=space)


def _opened(store: str, name: str, space: Space) -> Study:
    return Study.open(store, name, space=space)


def _address(store: Any) -> str:
    try:
        return text_of(os.fspath(store), "the store")
    except TypeError:
        raise ConfigError(f"the store is {shown(store)}\n  try: use a path, or a URL") from None


def _identity(name: Any, worker: Any) -> tuple[str, str | None]:
    if isinstance(worker, int):
        raise ConfigError(f"worker is {worker}, but should be this worker's name\n  try: did you mean `workers`?")
    return text_of(name, "name"), None if worker is None else text_of(worker, "worker")


def _lease(seconds: Any) -> float | None:
    """A lease; a shorter one would run out before a worker has its trial."""
    hint = "a number of seconds, at least 1, or leave it out for 90"
    return None if seconds is None else limit(seconds, "lease", MIN_LEASE, hint)


def _known(space: Space | None, native: _elbowroom.Study, name: str) -> dict[str, Parameter]:
    """The given space if it equals the stored one; otherwise the stored one."""
    if space is None:
        return from_native(native.space())
    check_same(space, native.space(), name)
    return dict(space)


def _reason(reason: Any) -> str:
    if not isinstance(reason, str):
        raise TrialError(f"the reason is {shown(reason)}\n  try: use a string")
    return encodable(reason)


def _check_same_point(given: Trial, here: Trial) -> None:
    """Refuses a trial of another study. Objects are not compared: from another process they may be labels."""
    same = given.unit == here.unit and given.params.keys() == here.params.keys()
    for name in given.params if same else ():
        a, b = given.params[name], here.params[name]
        same &= not (isinstance(a, (int, float, str)) and isinstance(b, (int, float, str))) or a == b
    if not same:
        raise TrialError(
            f"trial {given.number} of this study is at a different point: the given trial belongs to another study\n"
            "  try: use the study that it came from"
        )


class Importance(NamedTuple):
    """How much one parameter matters, as a share of the variation."""

    name: str
    share: float
    low: float
    """What a tenth of the model's draws are below."""
    high: float
    """What a tenth of the model's draws are above."""


class StudyInfo(NamedTuple):
    """A study in the list of a store; times are milliseconds since 1970, by the store's clock."""

    name: str
    revision: int
    """How many events it has."""
    created: int
    changed: int


def studies(store: str | os.PathLike[str]) -> list[StudyInfo]:
    """The studies of a store, by name. A store that does not exist is not created.

    >>> import elbowroom as er, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = er.Study({"x": er.Float(0, 1)}, store=f"{folder}/lab.elbow", name="plate")
    ...     [(one.name, one.revision) for one in er.studies(f"{folder}/lab.elbow")]
    [('plate', 1)]
    """
    return [StudyInfo(**one) for one in json.loads(_elbowroom.studies(_address(store)))["studies"]]


Measured: TypeAlias = "float | Mapping[str, float]"
Observed: TypeAlias = "tuple[Mapping[str, Any], Measured] | tuple[Mapping[str, Any], Measured, float | None]"
"""A point, what was measured there, and the variance of its noise if that is known."""


def suggest(
    space: Space,
    observed: Iterable[Observed] = (),
    pending: Iterable[Mapping[str, Any]] = (),
    failed: Iterable[Mapping[str, Any]] = (),
    n: int = 1,
    *,
    infeasible: Iterable[Mapping[str, Any]] = (),
    goal: Goal | None = None,
    **options: Unpack[SearchOptions],
) -> list[Params]:
    """The next n points of a study whose results you keep yourself.

    ``observed`` has the results so far, each as params, a value or results by name and, if it is known, the variance of the
    noise; ``pending`` the running points, ``failed`` those that failed, and ``infeasible`` those that broke a constraint.
    There are fewer points if the space is used up. The other arguments are those of :class:`Study` that say how points are
    chosen.

    The same arguments give the same points.

    >>> import elbowroom as er
    >>> [point] = er.suggest({"x": er.Float(0, 1)}, [({"x": 0.25}, 1.0)], pending=[{"x": 0.5}])
    >>> 0 <= point["x"] <= 1
    True
    """
    refuse_unknown("suggest", options, {"space", "observed", "pending", "failed", "n", "infeasible", "goal", *SearchOptions.__annotations__})
    labels = Labels(space)
    rows = [
        (labels.encode(one[0]), results_of(one[1]), noise_variance(one[2]) if len(one) > 2 else None) for one in observed
    ]
    constraints = options.pop("constraints", ())
    points = _elbowroom.suggest(
        to_native(space),
        texts(constraints),
        settings(goal=goal, **options),
        rows,
        [labels.encode(point) for point in pending],
        [labels.encode(point) for point in failed],
        [labels.encode(point) for point in infeasible],
        whole(n, "the number of points", 1),
    )
    return [labels.decode(point) for point in points]


def _ends(within: Mapping[str, tuple[float, float]]) -> tuple[dict[str, float], dict[str, float]]:
    """The lower and the upper ends of ranges."""
    if not isinstance(within, Mapping):
        raise SpaceError(f"`within` is {shown(within)}\n  try: use a dict such as {{'celsius': (40, 60)}}")
    for name, ends in within.items():
        if not isinstance(ends, (tuple, list)) or len(ends) != 2:
            raise SpaceError(f"the range of `{name}` is {shown(ends)}\n  try: use two numbers, such as (40, 60)")
    return {name: ends[0] for name, ends in within.items()}, {name: ends[1] for name, ends in within.items()}
