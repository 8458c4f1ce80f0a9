"""Optuna's TPE with its defaults and constant_liar, which its manual advises for batches."""
import optuna

from rivals import optuna_gp
from rivals.base import versions


class System(optuna_gp.System):
    def sampler(self):
        return optuna.samplers.TPESampler(seed=self.seed, n_startup_trials=min(10, self.n_init), constant_liar=True)

    @staticmethod
    def version():
        return versions("optuna")
