"""Gaussian process posteriors for tests/gp_reference.rs, from arbitrary precision (mpmath, 60 digits).

    python gp_reference.py        writes gp_reference.json

Textbook formulas (Rasmussen & Williams 2006, chapters 2 and 9.4) on dense matrices with a general solver. All
derivatives of the kernel are taken numerically by mpmath, never in closed form. The inputs are multiples of 1/64, so
that they are the same numbers here and in double precision; each result is rounded once.
"""

import itertools
import json
import pathlib
import random

import mpmath as mp

mp.mp.dps = 60
HERE = pathlib.Path(__file__).resolve().parent


def correlation(kernel, s):
    """The correlation at squared distance s (Rasmussen & Williams 2006, equations 4.9 and 4.17)."""
    if kernel == "rbf":
        return mp.exp(-s / 2)
    r = mp.sqrt(s)
    if kernel == "matern52":
        return (1 + mp.sqrt(5) * r + 5 * r * r / 3) * mp.exp(-mp.sqrt(5) * r)
    return (1 + mp.sqrt(3) * r) * mp.exp(-mp.sqrt(3) * r)


def covariance(case, a, b):
    s = mp.mpf(0)
    for x, y, ell, metric in zip(a, b, case["lengthscales"], case["metric"]):
        if metric == "distance":
            s += ((mp.mpf(x) - mp.mpf(y)) / mp.mpf(ell)) ** 2
        elif x != y:
            s += 1 / mp.mpf(ell) ** 2
    return mp.mpf(case["variance"]) * correlation(case["kernel"], s)


def moved(x, i, t):
    y = [mp.mpf(c) for c in x]
    y[i] += t
    return y


def slope(case, x, i, b):
    """dk(x, b)/dx_i by a central difference: exact to h^2 = 1e-40 (1e-20 for the rougher Matern-3/2)."""
    if case["metric"][i] != "distance":
        return mp.mpf(0)
    h = mp.mpf(10) ** -20
    return (covariance(case, moved(x, i, h), b) - covariance(case, moved(x, i, -h), b)) / (2 * h)


def mixed(case, x, i, j):
    """d2k(x, x')/dx_i dx'_j at x' = x by central differences in both; the error is O(h) for Matern-3/2."""
    if case["metric"][i] != "distance" or case["metric"][j] != "distance":
        return mp.mpf(0)
    h = mp.mpf(10) ** -20
    total = mp.mpf(0)
    for p, q in itertools.product((1, -1), repeat=2):
        total += p * q * covariance(case, moved(x, i, p * h), moved(x, j, q * h))
    return total / (4 * h * h)


def solve(case):
    x, y, queries = case["x"], case["y"], case["queries"]
    n, d, m = len(x), len(x[0]), len(queries)
    k = mp.matrix(n, n)
    for i in range(n):
        for j in range(n):
            k[i, j] = covariance(case, x[i], x[j]) + (mp.mpf(case["noise"]) if i == j else 0)
    inverse = k ** -1
    centred = mp.matrix([mp.mpf(v) - mp.mpf(case["mean"]) for v in y])
    weights = inverse * centred
    lnml = -((centred.T * weights)[0] + mp.log(mp.det(k)) + n * mp.log(2 * mp.pi)) / 2

    cross = mp.matrix(n, m)
    for i in range(n):
        for q in range(m):
            cross[i, q] = covariance(case, x[i], queries[q])
    prior = mp.matrix(m, m)
    for p in range(m):
        for q in range(m):
            prior[p, q] = covariance(case, queries[p], queries[q])
    joint = prior - cross.T * inverse * cross
    means = cross.T * weights

    gradients = []
    for q in queries:
        jacobian = mp.matrix(d, n)
        for i in range(d):
            for j in range(n):
                jacobian[i, j] = slope(case, q, i, x[j])
        start = mp.matrix(d, d)
        for i in range(d):
            for j in range(d):
                start[i, j] = mixed(case, q, i, j)
        spread = start - jacobian * inverse * jacobian.T
        mean = jacobian * weights
        gradients.append({"mean": [float(v) for v in mean], "covariance": [float(v) for v in spread]})

    case["expected"] = {
        "ln_marginal_likelihood": float(lnml),
        "mean": [float(v + mp.mpf(case["mean"])) for v in means],
        "covariance": [float(v) for v in joint],
        "gradient": gradients,
        # To derive tolerances: the largest weights and the trace of the inverse.
        "weights_norm": float(mp.norm(weights)),
        "inverse_trace": float(sum(inverse[i, i] for i in range(n))),
    }
    return case


def main():
    stream = random.Random(20)
    cases = []
    for kernel in ("rbf", "matern52", "matern32"):
        for noise in (0.0625, 2.0 ** -30):
            for categories in (False, True):
                grid = lambda: stream.randrange(65) / 64
                point = lambda: [grid(), grid(), float(stream.randrange(3)) if categories else grid()]
                cases.append(solve({
                    "kernel": kernel,
                    "variance": 1.75,
                    "lengthscales": [0.5, 0.25, 0.75],
                    "noise": noise,
                    "mean": -0.375,
                    "metric": ["distance", "distance", "mismatch" if categories else "distance"],
                    "x": [point() for _ in range(12)],
                    "y": [stream.randrange(-128, 129) / 64 for _ in range(12)],
                    "queries": [point() for _ in range(4)],
                }))
    (HERE / "gp_reference.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
