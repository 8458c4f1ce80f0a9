"""Values of the normal law in two and three dimensions, and constants of its integration, from mpmath, numpy and scipy.

    python multinormal.py values     writes the table that multinormal.rs reads for two variables: multinormal_2.csv
    python multinormal.py values3    the same for three: multinormal_3.csv
    python multinormal.py nodes      prints the nodes and weights of src/normal/bivariate.rs
    python multinormal.py lattice    prints the generator of src/normal/multivariate.rs
    python multinormal.py scipy      prints probabilities in 4 to 6 dimensions, for multinormal.rs

The integrals condition on one variable after the other, which is not how the Rust code computes them.
"""

import pathlib
import random
import sys

import mpmath as mp

HERE = pathlib.Path(__file__).resolve().parent
mp.mp.dps = 25


def pdf(t):
    return mp.exp(-t * t / 2) / mp.sqrt(2 * mp.pi)


def cdf(z):
    return mp.erfc(-z / mp.sqrt(2)) / 2


def pieces(end, steps):
    """From -12 to the end, cut near each (place, width) where the integrand turns steeply."""
    cuts = {mp.mpf(-12), end} | {mp.mpf(c) for c in range(-10, 12, 2)}
    for place, width in steps:
        cuts |= {place + k * width for k in (-12, -4, 0, 4, 12)}
    return sorted(c for c in cuts if -12 <= c <= end)


def cdf2(x, y, rho):
    """E[Phi((y - rho X)/sqrt(1 - rho^2)); X <= x]."""
    s = mp.sqrt((1 - rho) * (1 + rho))
    steps = [(y / rho, s / abs(rho))] if abs(rho) > 0.5 else []
    return mp.quad(lambda t: pdf(t) * cdf((y - rho * t) / s), pieces(x, steps))


def cdf3(b, r, panels=120):
    """E[Phi(X_3 given both); X_1 <= b_1, X_2 <= b_2], r = (rho_12, rho_13, rho_23), in doubles.

    Gauss and Legendre in many panels: nested integrals in mpmath take minutes for each value.
    """
    import numpy as np
    from scipy.special import ndtr

    (b1, b2, b3), (r12, r13, r23) = b, r
    nodes, weights = np.polynomial.legendre.leggauss(20)

    def rule(ends):
        """Nodes and weights from -9.5 to each end."""
        edges = np.linspace(-9.5, np.maximum(ends, -9.5), panels + 1)
        half, middle = (edges[1:] - edges[:-1]) / 2, (edges[1:] + edges[:-1]) / 2
        t = middle[..., None] + half[..., None] * nodes
        return t, half[..., None] * weights * np.exp(-t * t / 2) / np.sqrt(2 * np.pi)

    s2 = np.sqrt(1 - r12**2)
    x1, w1 = (v.ravel() for v in rule(np.float64(b1)))
    y2, w2 = rule((b2 - r12 * x1) / s2)  # panels x outer x nodes
    c2 = (r23 - r12 * r13) / s2
    c3 = np.sqrt(1 - r13**2 - c2**2)
    inner = (w2 * ndtr((b3 - r13 * x1[None, :, None] - c2 * y2) / c3)).sum(axis=(0, 2))
    return float((w1 * inner).sum())


def write_values():
    text = lambda values: ",".join(repr(float(v)) for v in values)
    rhos = [0.0, 0.1, 0.3, 0.5, 0.74, 0.76, 0.92, 0.924, 0.926, 0.95, 0.99, 0.999, 1 - 1e-6, 1 - 1e-10, 1 - 1e-14]
    limits = [(0, 0), (0.5, -0.3), (1, 1), (1, 1.0001), (-1, 1), (-2, -2.5), (3, -0.5), (-4, 2), (-5, -5), (2, 6), (0.7, -0.70001)]
    with open(HERE / "multinormal_2.csv", "w") as out:
        print("x,y,rho,cdf", file=out)
        for rho in sorted({-r for r in rhos} | set(rhos)):
            for x, y in limits:
                x, y, r = (mp.mpf(float(v)) for v in (x, y, rho))
                print(text([x, y, r, cdf2(x, y, r)]), file=out)


def write_values3():
    text = lambda values: ",".join(repr(float(v)) for v in values)
    rows, generator = [], random.Random(1)
    for _ in range(12):
        a = [[generator.gauss(0, 1) for _ in range(4)] for _ in range(3)]
        dot = lambda i, j: sum(p * q for p, q in zip(a[i], a[j]))
        r = [dot(i, j) / (dot(i, i) * dot(j, j)) ** 0.5 for i, j in ((0, 1), (0, 2), (1, 2))]
        rows.append(([generator.gauss(0, 1.5) for _ in range(3)], r))
    for r in ([0.5, 0.5, 0.5], [-0.49, -0.49, -0.49], [0.9, 0.9, 0.999], [0.99, 0.985, 0.98], [-0.95, 0.2, -0.1], [0.7, -0.7, 0.0], [0.0, 0.0, -0.97]):
        rows += [([0.0, 0.0, 0.0], r), ([0.8, -0.4, 1.3], r), ([-1.5, -1.0, -2.0], r)]
    with open(HERE / "multinormal_3.csv", "w") as out:
        print("b1,b2,b3,rho12,rho13,rho23,cdf", file=out)
        for b, r in rows:
            value = cdf3(b, r)
            print(text([*b, *r, value]), file=out, flush=True)


def print_nodes():
    """Gauss and Legendre, 20 nodes on (-1, 1), symmetric: the ten positive ones."""
    mp.mp.dps = 40
    import numpy

    legendre = lambda x: mp.legendre(20, x)
    for start in numpy.polynomial.legendre.leggauss(20)[0][10:]:
        x = mp.findroot(legendre, mp.mpf(float(start)))
        w = 2 / ((1 - x * x) * mp.diff(legendre, x) ** 2)
        print(f"    ({float(x)!r}, {float(w)!r}),")


def print_lattice(dims=15, low=8, high=12):
    """Component by component: the numbers whose worst-case error is near the best for every n = 2^low .. 2^high.

    The error is that of periodic functions with square integrable mixed derivatives, coordinate j weighted by 1/j
    (Cools, Kuo and Nuyens, SIAM J. Sci. Comput. 28, 2006).
    """
    import numpy as np

    sizes = [2**m for m in range(low, high + 1)]
    omega = {n: 2 * np.pi**2 * ((x := np.arange(n) / n) * x - x + 1 / 6) for n in sizes}
    product = {n: np.ones(n) for n in sizes}
    generator = []
    for j in range(1, dims + 1):
        worst = np.zeros(sizes[-1] // 2)
        for n in sizes:
            i = np.arange(n)
            e = np.array([product[n] @ (1 + omega[n][(i * z) % n] / j) for z in range(1, n, 2)]) / n - 1
            worst = np.maximum(worst, np.tile(e / e.min(), sizes[-1] // n))
        z = 1 if j == 1 else 2 * int(np.argmin(worst)) + 1
        generator.append(z)
        for n in sizes:
            product[n] = product[n] * (1 + omega[n][(np.arange(n) * z) % n] / j)
    print(generator)


def print_scipy():
    """Limits, covariance (row by row) and probability, to 1e-7 or so."""
    import numpy as np
    from scipy.stats import multivariate_normal

    rng = np.random.default_rng(3)
    for q in (4, 4, 5, 6):
        a = np.round(rng.normal(size=(q, q)), 1)
        covariance = np.round(a @ a.T + 0.3 * np.eye(q), 2)
        upper = np.round(rng.normal(size=q) * np.sqrt(np.diag(covariance)) + 0.5, 1)
        law = multivariate_normal(np.zeros(q), covariance, maxpts=4_000_000, abseps=1e-9, releps=1e-9)
        print(f"(&{upper.tolist()}, &{covariance.ravel().tolist()}, {np.mean([law.cdf(upper) for _ in range(3)])!r}),")


if __name__ == "__main__":
    {"values": write_values, "values3": write_values3, "nodes": print_nodes, "lattice": print_lattice, "scipy": print_scipy}[sys.argv[1]]()
