"""Optuna's TPE with its defaults and constant_liar, which its manual advises for batches."""
import optuna

from systems import optuna_gp
from systems.base import versions


class System(optuna_gp.System):
    def sampler(self):
        n = min(10, self.n_init or 10)
        return optuna.samplers.TPESampler(seed=self.seed, n_startup_trials=n, constant_liar=True)

    @staticmethod
    def version():
        return versions("optuna")
