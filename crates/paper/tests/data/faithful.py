"""Writes faithful.json: three data sets and the largest likelihood that scipy finds for each.

The model is the paper's, as `faithful` has it: k(x, x') = v exp(-|x - x'|^2 / (2 l^2)) with one lengthscale, a mean of 0
for values that are centred, and noise of at least 1e-6 of their mean square. Points lie in the unit cube. The search has the
bounds that crates/core has: l in [0.005, 1000], v in [1e-3, 1e4] variances of y, noise up to one variance.

    pip install numpy scipy && python faithful.py
"""

import json
from pathlib import Path

import numpy as np
from scipy.linalg import cho_solve, cholesky
from scipy.optimize import minimize

STARTS = 60


def gsobol(u):
    """The paper's function on [-5, 5]^d with a = 1; u is in the unit cube."""
    return np.prod((np.abs(4 * (10 * u - 5) - 2) + 1) / 2, axis=1)


def cosines(u):
    """The paper's function on [0, 1]^2."""
    v = 1.6 * u - 0.5
    return 1 - np.sum(v**2 - 0.3 * np.cos(3 * np.pi * v), axis=1)


def negative_ln_likelihood(theta, squared, y):
    """-ln p(y) and its gradient in (ln l, ln v, ln noise)."""
    length, variance, noise = np.exp(theta)
    kernel = variance * np.exp(-squared / (2 * length**2))
    n = len(y)
    try:
        factor = cholesky(kernel + noise * np.eye(n), lower=True)
    except np.linalg.LinAlgError:
        return 1e25, np.zeros(3)
    alpha = cho_solve((factor, True), y)
    inverse = cho_solve((factor, True), np.eye(n))
    value = 0.5 * y @ alpha + np.log(np.diag(factor)).sum() + 0.5 * n * np.log(2 * np.pi)
    outer = inverse - np.outer(alpha, alpha)
    by = [kernel * squared / length**2, kernel, noise * np.eye(n)]
    return value, np.array([0.5 * np.sum(outer * k) for k in by])


def solve(x, values, generator):
    y = values - values.mean()
    squared = ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2)
    spread, floor = y.var(), 1e-6 * np.mean(y**2)
    bounds = [(np.log(5e-3), np.log(1e3)), tuple(np.log(spread * np.array([1e-3, 1e4]))), (np.log(floor), np.log(spread))]
    ends = []
    for _ in range(STARTS):
        start = [
            np.log(0.05) + generator.uniform() * np.log(40),
            np.log(spread) + generator.normal(),
            np.clip(np.log(spread) - 13 + 11 * generator.uniform(), *bounds[2]),
        ]
        options = {"maxiter": 1000, "ftol": 1e-14, "gtol": 1e-8}
        end = minimize(negative_ln_likelihood, start, (squared, y), "L-BFGS-B", jac=True, bounds=bounds, options=options)
        ends.append(end)
    best = min(ends, key=lambda end: end.fun)
    near = sum(end.fun < best.fun + 1e-3 for end in ends)
    print(f"ln p = {-best.fun:.9f} at {best.x}, found by {near} of {STARTS} starts")
    return {"ln_likelihood": -best.fun, "theta": best.x.tolist()}


def main():
    generator = np.random.default_rng(20160519)
    sets = []
    for name, function, dim, n, noise in [
        ("gSobol, d = 2, 40 values", gsobol, 2, 40, 0.0),
        ("gSobol, d = 5, 150 values", gsobol, 5, 150, 0.0),
        ("Cosines, 100 values with noise of 0.1", cosines, 2, 100, 0.1),
    ]:
        x = generator.uniform(size=(n, dim)).round(6)
        # The search maximizes, so the functions that are minimized change their sign.
        sign = -1 if function is gsobol else 1
        values = (sign * function(x) + noise * generator.normal(size=n)).round(6)
        sets.append({"name": name, "x": x.tolist(), "values": values.tolist(), **solve(x, values, generator)})
    path = Path(__file__).with_name("faithful.json")
    path.write_text(json.dumps(sets) + "\n")


if __name__ == "__main__":
    main()
