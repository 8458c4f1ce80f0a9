"""What a system needs to be run beside the others: a class `System` with these methods. Values are minimized.

    System(space, seed, n_init)   the space as in `space.py`; the first n_init points are told before the first ask;
                                  None if the system chooses them too
    tell(points, values)          the results of the initial design, then of each ask, in its order
    ask(q)                        q points
    stop()                        the point that one would use in the end
    version()                     a string (static)
"""
from importlib.metadata import version

import numpy as np

from space import Relaxed


class Base:
    """Remembers what was told. One stops at the best observed point."""

    def __init__(self, space, seed, n_init):
        self.space, self.seed, self.n_init = space, seed, n_init
        self.points, self.values, self.n_asks = [], [], 0

    def tell(self, points, values):
        self.points += points
        self.values += values

    def stop(self):
        return self.points[int(np.argmin(self.values))]

    def next_seed(self):
        """A seed of its own for each ask."""
        self.n_asks += 1
        return (10007 * self.seed + self.n_asks) % 2**32


class Cube(Base):
    """For systems that know boxes only: they see the unit cube of `space.Relaxed`."""

    def __init__(self, space, seed, n_init):
        super().__init__(space, seed, n_init)
        self.relaxed = Relaxed(space)
        self.dim = self.relaxed.dim

    def cube_points(self):
        return np.array([self.relaxed.cube(point) for point in self.points])


def versions(*names):
    return ", ".join(f"{name} {version(name)}" for name in names)
