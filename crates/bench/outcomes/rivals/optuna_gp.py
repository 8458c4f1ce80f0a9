"""Optuna's GPSampler, asked q times while the earlier trials of the batch are still running. It has no reference point."""
import warnings

import optuna
from optuna.distributions import FloatDistribution

from rivals.base import Rival, versions

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore")


class System(Rival):
    def __init__(self, **what):
        super().__init__(**what)
        self.kinds = {f"x{i:03d}": FloatDistribution(p["low"], p["high"]) for i, p in enumerate(self.space)}
        self.study = optuna.create_study(directions=["minimize"] * self.n_objectives, sampler=self.sampler())
        self.running = []

    def sampler(self):
        return optuna.samplers.GPSampler(seed=self.seed, n_startup_trials=min(10, self.n_init))

    def tell(self, points, values):
        super().tell(points, values)
        if not self.running:
            self.study.add_trials([self.design_trial(point, value) for point, value in zip(points, values)])
        for trial, value in zip(self.running, values):
            for name, limit in self.limits(value).items():
                trial.set_constraint(name, limit)
            self.study.tell(trial, value[:self.n_objectives])
        self.running = []

    def design_trial(self, point, value):
        return self.trial(point, value, {})

    def trial(self, point, value, system_attrs):
        return optuna.trial.create_trial(params=dict(zip(self.kinds, point)), distributions=self.kinds,
                                         values=value[:self.n_objectives], constraints=self.limits(value) or None,
                                         system_attrs=system_attrs)

    def limits(self, value):
        return {f"g{k:02d}": limit for k, limit in enumerate(value[self.n_objectives:])}

    def ask(self, q):
        self.running = [self.study.ask(self.kinds) for _ in range(q)]
        return [[trial.params[name] for name in self.kinds] for trial in self.running]

    @staticmethod
    def version():
        return versions("optuna", "torch")
