"""egobox: its Egor with defaults, constraints by the mean of their surrogates, the batch by the Kriging believer."""
import egobox
import numpy as np

from rivals.base import Rival, versions


class System(Rival):
    def ask(self, q):
        box = [[p["low"], p["high"]] for p in self.space]
        optimizer = egobox.Egor(box, n_cstr=self.n_constraints, qei_config=egobox.QEiConfig(batch=q), seed=self.seed)
        found = optimizer.suggest(np.array(self.points, float), np.array(self.values, float), seed=self.next_seed())
        low, high = np.array(box).T
        return [[float(v) for v in np.clip(x, low, high)] for x in found]

    @staticmethod
    def version():
        return versions("egobox", "numpy")
