"""Reference values for tests/likelihood_fit.rs: log marginal likelihoods and their maxima, by numpy and scipy.

    python fit_reference.py

Written with numpy and scipy only; nothing of this project is used. The data are closed formulas, repeated in the test.
"""

import numpy as np
import scipy
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize


def kappa(name, s):
    if name == "rbf":
        return np.exp(-s / 2)
    if name == "matern52":
        r = np.sqrt(5 * s)
        return (1 + r + r * r / 3) * np.exp(-r)
    r = np.sqrt(3 * s)
    return (1 + r) * np.exp(-r)


def ln_likelihood(kernel, x, y, theta, noise=None, mean=None):
    """theta = (ln lengthscale per column of x, ln variance[, ln noise]); noise: fixed diagonal; mean: fixed or best."""
    n, d = x.shape
    lengthscales = np.exp(theta[:d])
    variance = np.exp(theta[d])
    diagonal = np.exp(theta[d + 1]) * np.ones(n) if noise is None else noise * np.ones(n)
    s = (((x[:, None, :] - x[None, :, :]) / lengthscales) ** 2).sum(-1)
    k = variance * kappa(kernel, s) + np.diag(diagonal)
    c = cho_factor(k, lower=True)
    one = np.ones(n)
    m = one @ cho_solve(c, y) / (one @ cho_solve(c, one)) if mean is None else mean
    r = y - m
    return -0.5 * (r @ cho_solve(c, r) + 2 * np.log(np.diag(c[0])).sum() + n * np.log(2 * np.pi))


def grid(n, d):
    """Kronecker's sequence with the roots of the generalized golden ratio."""
    g = {1: 1.618033988749895, 2: 1.324717957244746, 3: 1.2207440846057596}[d]
    return np.array([[(0.5 + (i + 1) / g ** (k + 1)) % 1.0 for k in range(d)] for i in range(n)])


def sets():
    x = grid(12, 1)
    yield "wave", "rbf", x, np.sin(7 * x[:, 0]) + 0.1 * np.cos(40 * x[:, 0])
    x = grid(20, 2)
    yield "plane", "matern52", x, np.sin(5 * x[:, 0]) + x[:, 1] ** 2 + 0.05 * np.sin(91 * x[:, 0] + 57 * x[:, 1])
    x = grid(25, 3)
    yield "cube", "matern32", x, np.exp(-3 * x[:, 0]) * np.cos(4 * x[:, 1]) + 0.1 * x[:, 2] + 0.02 * np.sin(
        77 * x.sum(1)
    )


def main():
    print("numpy", np.__version__, "scipy", scipy.__version__)
    for name, kernel, x, y in sets():
        d = x.shape[1]
        theta = np.array([-1.0, -0.5, 0.2][:d] + [0.3, -4.0])
        print(name, kernel, "at", theta)
        print("  fitted noise, best mean", repr(float(ln_likelihood(kernel, x, y, theta))))
        print("  noise 0.01, mean 0.4   ", repr(float(ln_likelihood(kernel, x, y, theta, noise=0.01, mean=0.4))))
        spread = y.var()
        noise = 0.001 * (1 + np.arange(len(y)))
        print("  noise by observation   ", repr(float(ln_likelihood(kernel, x, y, theta, noise=noise))))

        # The box of the search: lengthscales 0.005 to 1000, variance 1e-3 to 1e4 and noise 1e-8 to 1 variances of y.
        ln = np.log(spread)
        box = [(np.log(5e-3), np.log(1e3))] * d + [(ln + np.log(1e-3), ln + np.log(1e4)), (np.log(1e-8), ln)]
        rng = np.random.default_rng(1)

        def objective(t):
            try:
                return -ln_likelihood(kernel, x, y, t)
            except np.linalg.LinAlgError:
                return 1e10

        best = None
        for _ in range(60):
            start = list(rng.uniform(np.log(0.05), np.log(2), d)) + [ln + rng.normal(), ln + rng.uniform(-13, -2)]
            start = np.clip(start, [b[0] for b in box], [b[1] for b in box])
            r = minimize(objective, start, method="L-BFGS-B", bounds=box, options={"maxiter": 500})
            r = minimize(objective, r.x, method="Nelder-Mead", bounds=box, options={"xatol": 1e-7, "fatol": 1e-10})
            if best is None or r.fun < best.fun:
                best = r
        print("  maximum", repr(-float(best.fun)), "at", best.x.tolist())


if __name__ == "__main__":
    main()
