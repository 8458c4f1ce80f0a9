"""Every problem of the protocol by name: its box, what it measures, the best that is known. Standard library only."""
import math
from collections import namedtuple

import bench  # noqa: F401, the folder of the peers
import constrained as c
import objectives as o
import space
from volume import front, hypervolume

UNIT = [(0, 1)]
CAR = [(0.5, 1.5), (0.45, 1.35), (0.5, 1.5), (0.5, 1.5), (0.875, 2.625), (0.4, 1.2), (0.4, 1.2)]
FERMENTER = [(60, 120), (0.05, 18), (293, 303), (0.05, 18), (0.01, 0.5), (500, 700), (5, 6.5)]
GEARS = [(2.6, 3.6), (0.7, 0.8), (17, 28), (7.3, 8.3), (7.8, 8.3), (2.9, 3.9), (5, 5.5)]

# The function, its box, the reference point, the largest hypervolume that is known, and whether it is exact.
FRONTS = {
    "branin_currin": (o.branin_currin, UNIT * 2, [18.0, 6.0], 59.36011874867746, False),
    "dtlz2": (o.dtlz2, UNIT * 6, [1.1, 1.1], 1.21 - math.pi / 4, True),
    "zdt1": (o.zdt1, UNIT * 6, [11.0, 11.0], 120 + 2 / 3, True),
    "zdt2": (o.zdt2, UNIT * 6, [11.0, 11.0], 120 + 1 / 3, True),
    "zdt3": (o.zdt3, UNIT * 6, [11.0, 11.0], 128.7781161306908, True),
    "vehicle_safety": (o.vehicle_safety, [(1, 3)] * 5, [1864.72022, 11.81993945, 0.2903999384], 246.81607081187002, False),
    "penicillin": (o.penicillin, FERMENTER, [25.935, 57.612, 935.5], 2183455.909507436, False),
    "car_side_impact": (o.car_side_impact, CAR, [45.4872, 4.5114, 13.3394, 10.3942], 484.72654347642793, False),
    "disk_branin_currin": (c.disk_branin_currin, UNIT * 2, [80.0, 12.0], 608.4004237022673, False),
}

# The function, its box, and the least feasible value that is known (`verify.py --least` searches for it).
LEAST = {
    "waves": (c.waves, [(0, 6)] * 2, -2.0),
    "islands": (c.islands, [(0, 6)] * 2, 0.2532358963750578),
    "welded_beam": (c.welded_beam, [(0.125, 10)] + [(0.1, 10)] * 3, 1.5870775121429022),
    "pressure_vessel": (c.pressure_vessel, [(0, 10), (0, 10), (10, 50), (150, 200)], 5634.01619874214),
    "speed_reducer": (c.speed_reducer, GEARS, 2996.3486451475023),
}

# What one evaluation gave: objectives, to be minimized, and constraints, which hold where they are at most 0.
Measured = namedtuple("Measured", "objectives constraints")


class Case:
    """A problem. With a reference point it has several objectives, and its score is a hypervolume, to be large; without,
    the score is the least feasible value, to be small, and None while there is none."""

    def __init__(self, name):
        if name not in FRONTS and name not in LEAST:
            raise SystemExit(f"there is no problem {name!r}\nproblems: {', '.join([*FRONTS, *LEAST])}")
        self.name = name
        self.function, bounds, *known = FRONTS.get(name) or LEAST[name]
        self.reference = known[0] if name in FRONTS else None
        self.space = space.box(bounds)
        middle = self.measure([(low + high) / 2 for low, high in bounds])
        self.n_objectives, self.n_constraints = len(middle.objectives), len(middle.constraints)

    def measure(self, point):
        found = self.function([float(v) for v in point])
        return Measured(*found) if isinstance(found, tuple) else Measured(found, [])

    def score(self, measured):
        feasible = [m.objectives for m in measured if all(v <= 0 for v in m.constraints)]
        if self.reference:
            return hypervolume(feasible, self.reference)
        return min((objectives[0] for objectives in feasible), default=None)

    def front(self, measured):
        """The feasible points that no other one dominates: what the union of all runs is made of."""
        return front(m.objectives for m in measured if all(v <= 0 for v in m.constraints))
