"""Optuna's GPSampler, asked q times while the earlier trials of the batch are still running."""
import warnings

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from systems.base import Base, versions

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore")


def distribution(p):
    if p["type"] == "category":
        return CategoricalDistribution(p["choices"])
    kind = FloatDistribution if p["type"] == "float" else IntDistribution
    return kind(p["low"], p["high"], log=p["log"])


class System(Base):
    def __init__(self, space, seed, n_init):
        super().__init__(space, seed, n_init)
        self.kinds = {f"x{i:03d}": distribution(p) for i, p in enumerate(space)}
        self.study = optuna.create_study(direction="minimize", sampler=self.sampler())
        self.running = []

    def sampler(self):
        return optuna.samplers.GPSampler(seed=self.seed, n_startup_trials=min(10, self.n_init or 10))

    def tell(self, points, values):
        super().tell(points, values)
        if not self.running:
            self.study.add_trials([
                optuna.trial.create_trial(params=dict(zip(self.kinds, point)), distributions=self.kinds, value=value)
                for point, value in zip(points, values)])
        for trial, value in zip(self.running, values):
            self.study.tell(trial, value)
        self.running = []

    def ask(self, q):
        self.running = [self.study.ask(self.kinds) for _ in range(q)]
        return [[trial.params[name] for name in self.kinds] for trial in self.running]

    @staticmethod
    def version():
        return versions("optuna", "torch")
