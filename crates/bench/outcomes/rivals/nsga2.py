"""NSGA-II of Optuna, with the initial design as the first generation: its own 50 would be most of a run."""
import optuna

from rivals import optuna_gp
from rivals.base import versions


class System(optuna_gp.System):
    def sampler(self):
        return optuna.samplers.NSGAIISampler(seed=self.seed, population_size=max(self.n_init, 10))

    def design_trial(self, point, value):
        """A trial that it did not ask for itself has no generation."""
        return self.trial(point, value, {self.study.sampler._get_generation_key(): 0})

    @staticmethod
    def version():
        return versions("optuna")
