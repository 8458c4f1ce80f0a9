"""Uniform points: what every method must beat."""
import numpy as np

from rivals.base import Rival, versions
from space import from_cube


class System(Rival):
    def ask(self, q):
        draws = np.random.RandomState(self.next_seed()).rand(q, len(self.space))
        return [from_cube(self.space, u) for u in draws]

    @staticmethod
    def version():
        return versions("numpy")
