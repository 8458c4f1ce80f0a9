"""MLflow: each trial as a run, with its parameters and results.

>>> import elbowroom as er, mlflow, tempfile
>>> from elbowroom.mlflow import Callback
>>> folder = tempfile.TemporaryDirectory()
>>> log = Callback(tracking_uri=f"sqlite:///{folder.name}/runs.db")
>>> study = er.minimize(lambda x: (x - 0.3) ** 2, {"x": er.Float(0, 1)}, budget=3, callbacks=log)
>>> [run.data.params["x"] for run in log.runs()] == [str(trial.params["x"]) for trial in study.trials]
True
"""

from __future__ import annotations

import math
import time
from typing import Any

import mlflow
from mlflow.entities import Metric, Param, RunTag

from ._html import assigned
from ._study import Study
from ._trial import Trial

_LONGEST = 6000
"""Characters of a parameter or a tag: MLflow's databases take a little more."""


class Callback:
    """A callback for :meth:`elbowroom.Study.run` that writes each finished trial as an MLflow run.

    The trial's parameters become the run's parameters and its results the metrics; with a single objective, ``best`` is the
    best value so far. The tags ``elbowroom.study``, ``elbowroom.trial``, ``elbowroom.state`` and ``elbowroom.source`` say
    where the run comes from. A trial without a value becomes a failed run, with its reason in ``elbowroom.reason``.

    The experiment is named after the study unless ``experiment`` names another. If a run is active when the callback is
    created, as in ``with mlflow.start_run():``, the trials are its children. The callback does not change MLflow's own
    state, so your objective may log to runs of its own.
    """

    def __init__(self, tracking_uri: str | None = None, experiment: str | None = None) -> None:
        self._client = mlflow.MlflowClient(tracking_uri)
        self._experiment = experiment
        active = mlflow.active_run()
        self._parent = None if active is None else active.info
        self._found: str | None = None if active is None else active.info.experiment_id

    def __call__(self, study: Study, trial: Trial) -> None:
        now = int(time.time() * 1000)
        tags = {
            "elbowroom.study": study.name,
            "elbowroom.trial": str(trial.number),
            "elbowroom.state": trial.state,
            "elbowroom.source": trial.source,
            "mlflow.runName": f"{study.name} {trial.number}",
            "mlflow.note.content": assigned(trial.params),
        }
        if trial.reason:
            tags["elbowroom.reason"] = trial.reason
        if self._parent is not None:
            tags["mlflow.parentRunId"] = self._parent.run_id
        run = self._client.create_run(self._experiment_id(study), start_time=now).info.run_id
        results = dict(trial.results)
        if len(study._objectives()) == 1 and (best := study.best) is not None and best.value is not None:
            results["best"] = best.value
        self._client.log_batch(
            run,
            metrics=[Metric(name, value, now, trial.number) for name, value in results.items() if math.isfinite(value)],
            params=[Param(name, str(value)[:_LONGEST]) for name, value in trial.params.items()],
            tags=[RunTag(name, words[:_LONGEST]) for name, words in tags.items()],
        )
        self._client.set_terminated(run, status="FINISHED" if trial.value is not None else "FAILED")

    def _experiment_id(self, study: Study) -> str:
        if self._found is None or self._experiment is not None:
            name = self._experiment or study.name
            known = self._client.get_experiment_by_name(name)
            self._found = self._client.create_experiment(name) if known is None else known.experiment_id
            self._experiment = None
        return self._found

    def runs(self) -> list[Any]:
        """The runs that were written, in the order of their trials."""
        if self._found is None:
            return []
        found = self._client.search_runs([self._found], "tags.`elbowroom.trial` != ''")
        return sorted(found, key=lambda run: int(run.data.tags["elbowroom.trial"]))
