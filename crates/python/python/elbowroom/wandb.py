"""Weights & Biases: each trial as a step of a run.

>>> import elbowroom as er, wandb
>>> from elbowroom.wandb import Callback
>>> run = wandb.init(mode="disabled")
>>> study = er.minimize(lambda x: (x - 0.3) ** 2, {"x": er.Float(0, 1)}, budget=3, callbacks=Callback(run))
>>> run.finish()
"""

from __future__ import annotations

import math
from typing import Any

import wandb

from ._errors import ConfigError
from ._study import Study
from ._trial import Trial


class Callback:
    """A callback for :meth:`elbowroom.Study.run` that logs each finished trial to a Weights & Biases run.

    Parameters are logged as ``params/rate`` and so on, results as ``results/loss``, next to ``trial``, ``state``, and the
    best value so far as ``best``; with several objectives the ``hypervolume`` of the front instead. The study's settings go
    into the run's configuration, and the best point into its summary. The run is the active one unless you give another; the
    callback does not finish it, so you can log more to it.
    """

    def __init__(self, run: Any = None) -> None:
        self._run: Any = wandb.run if run is None else run
        if self._run is None:
            raise ConfigError("no run of Weights & Biases is active\n  try: call run = wandb.init(…) first, or pass Callback(run)")
        self._has_settings = False

    def __call__(self, study: Study, trial: Trial) -> None:
        if not self._has_settings:
            self._run.config.update({"elbowroom": {"study": study.name, **study.settings}}, allow_val_change=True)
            self._has_settings = True
        row: dict[str, Any] = {"trial": trial.number, "state": trial.state}
        row |= {f"params/{name}": _plain(value) for name, value in trial.params.items()}
        row |= {f"results/{name}": value for name, value in trial.results.items() if math.isfinite(value)}
        if len(study._objectives()) > 1:
            row["hypervolume"] = study.front.hypervolume
        elif (best := study.best) is not None:
            row["best"] = best.value
            found = {f"best/{name}": _plain(value) for name, value in best.params.items()}
            self._run.summary.update({**found, "best/trial": best.number})
        self._run.log({name: value for name, value in row.items() if value is not None})


def _plain(value: Any) -> Any:
    """What Weights & Biases can show: numbers and texts."""
    return value if isinstance(value, (bool, int, float, str)) else str(value)
