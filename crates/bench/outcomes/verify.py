#!/usr/bin/env python3
"""Compares functions, reference points and hypervolumes with BoTorch's, in its environment. `--least` searches for the
least feasible values, from many starts with SLSQP."""
import argparse
import random

import torch
from botorch.test_functions import multi_objective as several
from botorch.test_functions import synthetic as single
from botorch.utils.multi_objective.hypervolume import Hypervolume
from scipy.optimize import minimize

import cases
from volume import front, hypervolume

torch.set_default_dtype(torch.double)
THEIRS = {
    "branin_currin": several.BraninCurrin(), "dtlz2": several.DTLZ2(6, 2), "zdt1": several.ZDT1(6), "zdt2": several.ZDT2(6),
    "zdt3": several.ZDT3(6), "vehicle_safety": several.VehicleSafety(), "penicillin": several.Penicillin(),
    "car_side_impact": several.CarSideImpact(), "disk_branin_currin": several.ConstrainedBraninCurrin(),
    "welded_beam": single.WeldedBeamSO(), "pressure_vessel": single.PressureVessel(), "speed_reducer": single.SpeedReducer(),
}


def points(case, n, seed):
    draw = random.Random(seed)
    return [[draw.uniform(p["low"], p["high"]) for p in case.space] for _ in range(n)]


def distance(ours, theirs):
    """The largest difference, over what is large."""
    return max(abs(a - b) / max(1.0, abs(b)) for a, b in zip(ours, theirs, strict=True))


def compare(name, theirs, n=200):
    case = cases.Case(name)
    bounds = [(p["low"], p["high"]) for p in case.space]
    assert bounds == [tuple(pair) for pair in theirs.bounds.T.tolist()], (name, bounds)
    worst = 0.0
    for point in points(case, n, 0):
        found, x = case.measure(point), torch.tensor([point])
        expected = theirs._evaluate_true(x).reshape(-1).tolist()
        if found.constraints:
            expected += (-theirs._evaluate_slack_true(x)).reshape(-1).tolist()
        worst = max(worst, distance([*found.objectives, *found.constraints], expected))
    if case.reference:
        assert distance(case.reference, theirs.ref_point.tolist()) < 1e-6, name
        assert abs(cases.FRONTS[name][3] / theirs.max_hv - 1) < 1e-12, name
    return worst


def compare_volume(m, n, seed):
    """Points near a sphere, of which most are on the front."""
    draw = random.Random(seed)
    cloud = [[abs(draw.gauss(0, 1)) for _ in range(m)] for _ in range(n)]
    cloud = [tuple(1.1 - v / sum(w * w for w in p) ** 0.5 for v in p) for p in cloud]
    theirs = Hypervolume(torch.full((m,), -1.2)).compute(-torch.tensor(front(cloud)))
    return abs(hypervolume(cloud, [1.2] * m) / theirs - 1)


def least(name, starts=100):
    """The least feasible value that many local searches find. The vessel's cost rounds its plates, so it is searched step
    by step; the constraints see the plates as they are."""
    case = cases.Case(name)
    bounds = [(p["low"], p["high"]) for p in case.space]
    limits = {"type": "ineq", "fun": lambda x: [-v for v in case.measure(x).constraints]}
    best = (float("inf"), None)
    for start in points(case, starts, 1):
        for plates in ([(0.0625 * i, 0.0625 * j) for i in (11, 12, 13) for j in (5, 6, 7)] if "vessel" in name else [()]):
            box = [(v - 0.03124, v + 0.03124) for v in plates] + bounds[len(plates):]
            found = minimize(lambda x: case.measure(x).objectives[0], [*plates, *start[len(plates):]], bounds=box,
                             constraints=limits, method="SLSQP", options={"maxiter": 300, "ftol": 1e-14})
            if max(case.measure(found.x).constraints) <= 1e-9:
                best = min(best, (case.measure(found.x).objectives[0], found.x.tolist()))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--least", action="store_true")
    if parser.parse_args().least:
        for name in cases.LEAST:
            print(name, *least(name))
        return
    differences = {name: compare(name, theirs) for name, theirs in THEIRS.items()}
    differences |= {f"hypervolume of {n} points, m = {m}": compare_volume(m, n, 0) for m, n in ((2, 200), (3, 100), (4, 40))}
    for name, difference in differences.items():
        print(f"{name}: largest relative difference {difference:.1e}")
    # Penicillin is 2,500 steps of a recursion, the others are a few operations.
    assert all(d < (1e-9 if name == "penicillin" else 1e-11) for name, d in differences.items())


if __name__ == "__main__":
    main()
