"""HEBO with its defaults and its own kinds of parameters."""
import warnings

import numpy as np
import pandas
import torch

warnings.filterwarnings("ignore")
from hebo.design_space.design_space import DesignSpace  # noqa: E402
from hebo.optimizers.hebo import HEBO  # noqa: E402

from systems.base import Base, versions  # noqa: E402


def parameter(p):
    if p["type"] == "category":
        return {"name": p["name"], "type": "cat", "categories": p["choices"]}
    kind = {("float", False): "num", ("float", True): "pow", ("int", False): "int", ("int", True): "pow_int"}
    base = {"base": 10} if p["log"] else {}
    return {"name": p["name"], "type": kind[p["type"], p["log"]], "lb": p["low"], "ub": p["high"], **base}


class System(Base):
    def __init__(self, space, seed, n_init):
        super().__init__(space, seed, n_init)
        np.random.seed(seed)
        torch.manual_seed(seed)
        # It sorts numbers by their names, so that all spaces with ten and more get names of equal length.
        self.names = [f"x{i:03d}" for i in range(len(space))]
        named = [{**p, "name": name} for p, name in zip(space, self.names)]
        parsed = DesignSpace().parse([parameter(p) for p in named])
        self.optimizer = HEBO(parsed, rand_sample=n_init and min(n_init, 10), scramble_seed=seed)

    def tell(self, points, values):
        super().tell(points, values)
        self.optimizer.observe(pandas.DataFrame(points, columns=self.names), np.array(values, float).reshape(-1, 1))

    def ask(self, q):
        rows = self.optimizer.suggest(n_suggestions=q)[self.names].values.tolist()
        return [[self.plain(p, v) for p, v in zip(self.space, row)] for row in rows]

    @staticmethod
    def plain(p, v):
        if p["type"] == "category":
            return v
        v = min(max(float(v), p["low"]), p["high"])
        return round(v) if p["type"] == "int" else v

    @staticmethod
    def version():
        return versions("HEBO", "torch", "pymoo")
