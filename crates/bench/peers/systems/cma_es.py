"""CMA-ES of the package cma, in the unit cube: from the best of the initial design, σ = 0.25, q points a generation."""
import warnings

import cma
import numpy as np

from systems.base import Cube, versions

warnings.filterwarnings("ignore")


class System(Cube):
    strategy, asked = None, None

    def tell(self, points, values):
        super().tell(points, values)
        if self.asked is not None:
            self.strategy.tell(self.asked, values)
            self.asked = None

    def ask(self, q):
        if self.strategy is None or self.strategy.stop():
            start = self.cube_points()[int(np.argmin(self.values))]
            options = {"bounds": [0, 1], "popsize": max(q, 2), "seed": self.next_seed() + 1, "verbose": -9}
            self.strategy = cma.CMAEvolutionStrategy(start, 0.25, options)
        found = self.strategy.ask()
        # It learns from whole generations, and cannot from one point.
        self.asked = found if len(found) == q else None
        return [self.relaxed.point(np.clip(u, 0, 1)) for u in found[:q]]

    @staticmethod
    def version():
        return versions("cma")
