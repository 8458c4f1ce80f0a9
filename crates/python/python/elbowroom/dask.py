"""Dask: a study on a cluster.

>>> import elbowroom as er
>>> from elbowroom.dask import run
>>> from distributed import Client
>>> with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=":0") as client:
...     study = run(er.Study({"x": er.Float(0, 1)}, seed=1), lambda x: (x - 0.3) ** 2, client, n=15)
>>> abs(study.best.params["x"] - 0.3) < 0.05
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from distributed import Client, Future, as_completed
from distributed.scheduler import KilledWorker

from ._run import Callbacks, Outcome, Rules, raised, returned, tell, tuple_names
from ._study import Study
from ._trial import Batch, Trial


def run(
    study: Study,
    f: Callable[..., Any],
    client: Client,
    n: int | None = None,
    *,
    workers: int | None = None,
    timeout: float | None = None,
    target: float | None = None,
    min_gain: float | None = None,
    callbacks: Callbacks = (),
    **submit: Any,
) -> Study:
    """Evaluates ``f`` at one point after another on a Dask cluster, and records the values.

    Like :meth:`elbowroom.Study.run`, but the cluster may grow and shrink: as many trials run at once as its workers have
    threads, or ``workers`` if you give that. ``submit`` holds options of ``Client.submit``, such as ``resources`` or
    ``retries``.

    If a worker is lost, Dask evaluates its trials elsewhere. A trial that has lost too many workers (Dask's
    ``distributed.scheduler.allowed-failures``) is considered the cause and fails. Trials that the cluster forgets because
    it was restarted are given back to the study and asked for again.
    """
    rules = Rules(study, n, timeout, target, min_gain, callbacks)
    objectives = tuple_names(study)
    under_way: dict[Any, tuple[Future, Trial]] = {}
    finished = as_completed()
    batch = Batch()
    # The last trial that was reported: if the report is interrupted, it is not known whether it was stored.
    telling: Any = None
    try:
        while True:
            # If there is no worker for a moment, one trial waits for the next worker.
            free = (workers or sum(client.nthreads().values()) or 1) - len(under_way)
            wanted = rules.wanted(free)
            if wanted > 0:
                batch = study.ask(wanted)
                rules.handed(batch)
                while batch:
                    future = client.submit(partial(f, **batch[0].params), pure=False, **submit)
                    under_way[future.key] = future, batch.pop(0)
                    finished.add(future)
            if not under_way:
                break
            future, trial = under_way[next(finished).key]
            outcome, telling = _outcome(future, objectives), future.key
            if outcome is None:
                study._return([trial])
                rules.given_back(1)
            else:
                tell(study, trial, outcome)
            del under_way[future.key]
            if outcome is not None:
                rules.ended(trial.number)
    except BaseException:
        try:
            for key, (future, trial) in list(under_way.items()):
                if key != telling and (outcome := _outcome(future, objectives)) is not None:
                    tell(study, trial, outcome)
                    del under_way[key]
        finally:
            study._return([*(trial for _, trial in under_way.values()), *batch])
            client.cancel([future for future, _ in under_way.values()])
        raise
    rules.warn()
    return study


def _outcome(future: Future, objectives: Sequence[str]) -> Outcome | None:
    """The outcome of an evaluation; None if it has not ended, or if the cluster lost it."""
    if future.status not in ("finished", "error"):
        return None
    error = future.exception()
    if isinstance(error, KilledWorker):
        return Outcome("failed", reason=f"the workers that evaluated it died: {error}")
    return returned(future.result(), objectives) if error is None else raised(error)
