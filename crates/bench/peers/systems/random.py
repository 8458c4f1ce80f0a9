"""Uniform points: what every method must beat."""
import numpy as np

from space import from_cube
from systems.base import Base, versions


class System(Base):
    def ask(self, q):
        draws = np.random.RandomState(self.next_seed()).rand(q, len(self.space))
        return [from_cube(self.space, u) for u in draws]

    @staticmethod
    def version():
        return versions("numpy")
