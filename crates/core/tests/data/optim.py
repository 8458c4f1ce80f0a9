"""Writes optim.json: what scipy's L-BFGS-B does with the problems of tests/optim.rs, from the same starts.

Run: python optim.py > optim.json        (scipy 1.17.1, numpy 2.4.6)

Every problem is a minimization here; the tests maximize its negative. The starts are drawn by numpy and stored, so the
tests read them from the file. Options: maxcor 10, gtol (projected gradient) 1e-5, ftol 1e-12, at most 2000 evaluations.
"""

import json
import sys

import numpy as np
import scipy
from scipy.optimize import minimize


def rosenbrock(x):
    a, b = x[:-1], x[1:]
    r = b - a * a
    g = np.zeros_like(x)
    g[:-1] = -400 * a * r - 2 * (1 - a)
    g[1:] += 200 * r
    return np.sum(100 * r**2 + (1 - a) ** 2), g


def quadratic(x):
    """Condition number 1000, Hessian H = D - v v' / 2d with D = logspace(0, 3), unconstrained optimum at c."""
    d = len(x)
    i = np.arange(d)
    scale = 10 ** (3 * i / max(d - 1, 1))
    c = 0.5 + 0.7 * np.sin(1 + i)
    e = x - c
    v = np.cos(i) / np.sqrt(2 * d)
    he = scale * e - v * (v @ e)
    return 0.5 * e @ he, he


# Twenty inputs on a lattice and a smooth response: the data of the Gaussian-process likelihood below.
N, D = 20, 3
LATTICE = np.array([[((i + 1) * p) % 1.0 for p in (0.8191725134, 0.6710436067, 0.5497004779)] for i in range(N)])
RESPONSE = np.sin(5 * LATTICE[:, 0]) + LATTICE[:, 1] ** 2 - 0.5 * np.cos(3 * LATTICE[:, 2])


def likelihood(p):
    """Negative ln marginal likelihood; p = ln lengthscales, ln signal variance, ln noise variance (RBF kernel)."""
    ell, sf, sn = np.exp(p[:D]), np.exp(p[D]), np.exp(p[D + 1])
    diff = (LATTICE[:, None, :] - LATTICE[None, :, :]) / ell
    k = sf * np.exp(-0.5 * np.sum(diff**2, axis=2))
    c = np.linalg.cholesky(k + sn * np.eye(N))
    kinv = np.linalg.inv(c @ c.T)
    alpha = kinv @ RESPONSE
    q = np.outer(alpha, alpha) - kinv
    grad = [0.5 * np.sum(q * k * diff[:, :, j] ** 2) for j in range(D)]
    grad += [0.5 * np.sum(q * k), 0.5 * sn * np.trace(q)]
    value = 0.5 * RESPONSE @ alpha + np.sum(np.log(np.diag(c))) + 0.5 * N * np.log(2 * np.pi)
    return value, -np.array(grad)


def bumps(x):
    """An acquisition-like surface in the unit cube: minus the sum of three Gaussian bumps."""
    d = len(x)
    i = np.arange(d)
    value, grad = 0.0, np.zeros(d)
    for b, (height, width) in enumerate([(1.0, 0.35), (0.8, 0.25), (0.5, 0.5)]):
        c = 0.5 + 0.45 * np.sin(1.7 * (b + 1) * (i + 1))
        e = (x - c) / width
        v = height * np.exp(-0.5 * e @ e / d)
        value -= v
        grad += v * e / (width * d)
    return value, grad


def ln_bumps(x):
    """Like the logarithm of an acquisition: minus the ln of the sum of three narrow Gaussian bumps."""
    d = len(x)
    i = np.arange(d)
    value, grad = 0.0, np.zeros(d)
    for b, (height, width) in enumerate([(1.0, 0.15), (0.8, 0.1), (0.5, 0.3)]):
        c = 0.5 + 0.45 * np.sin(1.7 * (b + 1) * (i + 1))
        e = (x - c) / width
        v = height * np.exp(-0.5 * e @ e)
        value += v
        grad -= v * e / width
    return -np.log(value), -grad / value


PROBLEMS = [
    ("rosenbrock", rosenbrock, 2, -2.0, 2.0),
    ("rosenbrock", rosenbrock, 2, -2.0, 0.8),
    ("rosenbrock", rosenbrock, 10, -2.0, 2.0),
    ("rosenbrock", rosenbrock, 10, -2.0, 0.8),
    ("rosenbrock", rosenbrock, 25, -2.0, 2.0),
    ("rosenbrock", rosenbrock, 25, -2.0, 0.8),
    ("quadratic", quadratic, 6, 0.0, 1.0),
    ("quadratic", quadratic, 30, 0.0, 1.0),
    ("quadratic", quadratic, 100, 0.0, 1.0),
    ("rosenbrock", rosenbrock, 100, -2.0, 2.0),
    ("likelihood", likelihood, 5, -6.0, 4.0),
    ("bumps", bumps, 3, 0.0, 1.0),
    ("bumps", bumps, 6, 0.0, 1.0),
    ("bumps", bumps, 20, 0.0, 1.0),
    ("ln_bumps", ln_bumps, 3, 0.0, 1.0),
    ("ln_bumps", ln_bumps, 6, 0.0, 1.0),
]

STARTS = 10


def main():
    rows = []
    for number, (name, f, d, low, high) in enumerate(PROBLEMS):
        rng = np.random.default_rng(1000 + number)
        starts = np.round(rng.uniform(low, high, (STARTS, d)), 4)
        row = dict(name=name, dim=d, low=low, high=high, starts=starts.tolist(), values=[], evaluations=[])
        for x0 in starts:
            r = minimize(
                f, x0, jac=True, method="L-BFGS-B", bounds=[(low, high)] * d,
                options=dict(maxcor=10, gtol=1e-5, ftol=1e-12, maxfun=2000, maxiter=2000),
            )
            row["values"].append(float(r.fun))
            row["evaluations"].append(int(r.nfev))
        rows.append(row)
        print(name, d, low, high, np.mean(row["evaluations"]), np.min(row["values"]), file=sys.stderr)
    source = f"scipy {scipy.__version__} L-BFGS-B, numpy {np.__version__}"
    body = ",\n".join(json.dumps(row) for row in rows)
    print('{"source": "%s", "problems": [\n%s\n]}' % (source, body))


if __name__ == "__main__":
    main()
