"""Every problem of the protocol by name: its space, its value, its least value, its noise.

`NAME~0.5` is the problem NAME with normal noise, whose standard deviation is half of f's over the box.
`pool:FILE.csv` is a table of a user's own: see `pool`.
"""
import csv
import itertools
import math
import zlib

import numpy as np

import functions as f
import mixed
import space as spaces
import tuning
from design import latin_hypercube

ACKLEY, TEN, FIVE, FIFTY = (-32.768, 32.768), (-10, 10), (-5, 5), (-50, 50)
BOREHOLE = [(0.05, 0.15), (100, 50000), (63070, 115600), (990, 1110), (63.1, 116), (700, 820), (1120, 1680), (9855, 12045)]

# The function, its box, its least value. The first 17 are those with recorded rows.
FUNCTIONS = {
    "branin": (f.branin, [(-5, 10), (0, 15)], 0.39788735772973816),
    "cosines01": (f.cosines, [(0, 1)] * 2, -1.6),
    "cosines05": (f.cosines, [(0, 5)] * 2, -1.6),
    "gsobol2": (f.gsobol, [FIVE] * 2, 0.5**2),
    "gsobol5": (f.gsobol, [FIVE] * 5, 0.5**5),
    "gsobol10": (f.gsobol, [FIVE] * 10, 0.5**10),
    "hartmann6": (f.hartmann6, [(0, 1)] * 6, -3.322368011415515),
    "ackley5": (f.ackley, [ACKLEY] * 5, 0.0),
    "levy10": (f.levy, [TEN] * 10, 0.0),
    "rosenbrock4": (f.rosenbrock, [(-5, 10)] * 4, 0.0),
    "ackley5s": (f.shifted(f.ackley, 5, 16, 11), [ACKLEY] * 5, 0.0),
    "gsobol5s": (f.shifted(f.gsobol, 5, 3, 12), [FIVE] * 5, 0.5**5),
    "gsobol10s": (f.shifted(f.gsobol, 10, 3, 13), [FIVE] * 10, 0.5**10),
    "levy10s": (f.shifted(f.levy, 10, 5, 14), [TEN] * 10, 0.0),
    "griewank6s": (f.shifted(f.griewank, 6, 25, 15), [FIFTY] * 6, 0.0),
    "styblinski8": (f.styblinski, [FIVE] * 8, -39.16616570377142 * 8),
    "michalewicz5": (f.michalewicz, [(0, math.pi)] * 5, -4.687658179088148),
    "eggholder2": (f.eggholder, [(-512, 512)] * 2, -959.6406627208507),
    "schwefel4": (f.schwefel, [(-500, 500)] * 4, 0.0),
    "borehole8": (f.borehole, BOREHOLE, min(map(f.borehole, itertools.product(*BOREHOLE)))),
    "peaks5": (f.Peaks(21, 5, 21), [(0, 1)] * 5, -1.0),
    "rosenbrock6r": (f.turned(f.rosenbrock, 6, 1.5, 22, centre=1.0), [FIVE] * 6, 0.0),
    "schaffer5r": (f.turned(f.schaffer, 5, 30, 23), [(-100, 100)] * 5, 0.0),
    "powers5r": (f.turned(f.powers, 5, 0.6, 24), [(-1, 1)] * 5, 0.0),
    "sector6r": (f.turned(f.sector, 6, 3, 25), [FIVE] * 6, 0.0),
    "levy20s": (f.shifted(f.levy, 20, 5, 26), [TEN] * 20, 0.0),
    # Not in the protocol: ../results/many.md. Ackley's box is that of TuRBO's paper.
    "levy50s": (f.shifted(f.levy, 50, 5, 27), [TEN] * 50, 0.0),
    "levy100s": (f.shifted(f.levy, 100, 5, 28), [TEN] * 100, 0.0),
    "ackley50s": (f.shifted(f.ackley, 50, 4, 29), [(-5, 10)] * 50, 0.0),
    "ackley100s": (f.shifted(f.ackley, 100, 4, 30), [(-5, 10)] * 100, 0.0),
}

# Spaces with integers and categories, with the least value where it is known.
SPACES = {
    "ackley5m": (mixed.ackley5m, 0.0), "switch4": (mixed.switch4, 0.0), "gear4": (mixed.gear4, mixed.GEAR_LEAST),
    "forge5": (mixed.forge5, 0.0), "svr_diabetes": (tuning.svr_diabetes, None), "tree_breast": (tuning.tree_breast, None),
    "net_wine": (tuning.net_wine, None), "boost_diabetes": (tuning.boost_diabetes, None),
}


class Problem:
    """A space, the true value of a point, the least one if it is known (else 0 is taken for it), and the noise's σ."""

    def __init__(self, name):
        base, _, share = name.partition("~")
        self.name, self.sigma = name, 0.0
        if base.startswith("pool:"):
            self.space, self.value, self.minimum = pool(base.partition(":")[2])
        elif base in SPACES:
            make, self.minimum = SPACES[base]
            self.space, self.value = make()
        elif base in FUNCTIONS:
            function, bounds, self.minimum = FUNCTIONS[base]
            self.space, self.value = spaces.box(bounds), lambda point: float(function(np.array(point, float)))
        else:
            raise SystemExit(f"there is no problem {base!r}\nproblems: {', '.join([*FUNCTIONS, *SPACES])}, pool:FILE.csv")
        if share:
            self.sigma = float(share) * self.spread()

    def spread(self):
        """The standard deviation of the value over the space, at 20,000 fixed points."""
        draw = np.random.RandomState(0)
        return float(np.std([self.value(spaces.from_cube(self.space, draw.rand(len(self.space)))) for _ in range(20_000)]))

    def noise(self, seed, n):
        """The errors of the first n results of a run: the same for every system."""
        draw = np.random.RandomState(zlib.crc32(f"{self.name} {seed}".encode()))
        return self.sigma * draw.normal(size=n)

    def design(self, n, seed):
        return latin_hypercube(self.space, n, seed)


def pool(path):
    """A table of measurements: each row has the columns of a point and, last, its value, which is minimized.

    The space is the box of the columns; a point has the value of the nearest row, by the columns' ranges. The least value
    is the table's.
    """
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    table = np.array(rows, float)
    low, high = table[:, :-1].min(axis=0), table[:, :-1].max(axis=0)
    unit = (table[:, :-1] - low) / (high - low)

    def value(point):
        far = np.sum((unit - (np.array(point, float) - low) / (high - low)) ** 2, axis=1)
        return float(table[np.argmin(far), -1])

    parameters = [spaces.real(name, a, b) for name, a, b in zip(header, low, high)]
    return parameters, value, float(table[:, -1].min())
