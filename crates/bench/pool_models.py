#!/usr/bin/env python3
"""How well models of categories predict, without a search: pool_models.py POOLS [--models now,shorter] [--rounds 1]
[--most 4000] [--out FILE]

POOLS is a folder of pools as `pools --write DIR` writes them. In each pool every model is fitted to the same 8, 15, 25
and 40 points: uniform ones, and from 25 on half of them from the best quarter, as a search leaves them. What is measured
at 300 other points, and in the whole pool:

    density   mean ln of the predictive density, of values in deviations of the data
    order     rank correlation of means and values
    error     mean squared error, in variances of the pool
    next      mean of the five points of largest expected improvement: 0 is the pool's mean, 1 its best

Differences from the first model have 95 % intervals over fits. A fit that has a row in FILE is not made again. Needs
NumPy and SciPy.

The models are Gaussian processes with a kernel of Matérn 5/2 on mismatches, as the library has it, at the most likely
hyperparameters of three searches, with the library's priors unless the table says otherwise. `edbo` has the priors of
EDBO's one-hot model in the library's units: large variances, and noise of a fifth of them.
"""

import argparse
import csv
import math
import os
import zlib
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.stats import norm, spearmanr

SIZES = (8, 15, 25, 40)
SCORES = ("density", "order", "error", "next")
TESTED = 300

# Laws are normal in a logarithm: of a lengthscale over the root of the dimension, of the noise over the variance of the
# data (`two`: the library's mixture). `variance` is a gamma law's shape and rate. `share` adds a mean of one-coordinate
# kernels with a fitted weight. `draws` averages over that many draws of the hyperparameters.
NOW = {
    "category": (math.sqrt(2), 1.0),
    "number": (math.sqrt(2), math.sqrt(3)),
    "noise": "two",
    "variance": (2.0, 1.0),
    "share": False,
    "draws": 0,
}
SHORT, SHORTER = {"category": (0.7, 0.7)}, {"category": (0.4, 0.5)}
MODELS = {
    "now": {},
    "short": SHORT,
    "shorter": SHORTER,
    "shorter_numbers": {**SHORTER, "number": (0.7, 1.0)},
    "variance": {"variance": (5.0, 1.0)},
    "noise": {"noise": (-3.0, 1.0)},
    "sum": {"share": True},
    "sum_shorter": {"share": True, **SHORTER},
    "edbo": {"category": (-0.1, 0.6), "number": (-0.1, 0.6), "variance": (5.0, 0.2), "noise": (1.0, 0.8)},
    "draws": {"draws": 8},
}


def matern(s):
    """κ(s) and its derivative."""
    r = np.sqrt(5 * np.maximum(s, 1e-30))
    decay = np.exp(-r)
    return (1 + r + r * r / 3) * decay, -5 / 6 * (1 + r) * decay


class Model:
    """θ: ln of lengthscales, of the variance, of the noise; then logit of the share, if there is one."""

    def __init__(self, kinds, x, y, name, draw):
        self.rule = {**NOW, **MODELS[name]}
        self.is_category = [kind[0] == "c" for kind in kinds]
        self.d = len(kinds)
        self.x, self.mean, self.deviation = x, y.mean(), y.std()
        self.z = (y - self.mean) / self.deviation
        self.apart = self.distances(x)
        mode = self.mode()
        low = np.array([math.log(5e-3)] * self.d + [math.log(1e-3), math.log(1e-8), -5.0])[: len(mode)]
        high = np.array([math.log(1e3)] * self.d + [math.log(1e4), 0.0, 5.0])[: len(mode)]
        other = mode.copy()
        other[: self.d + 1] += draw.normal(size=self.d + 1)
        noisier = mode.copy()
        noisier[self.d + 1] = -13 + 11 * draw.random() if self.rule["noise"] == "two" else mode[self.d + 1]
        found = [
            minimize(self.loss, np.clip(start, low, high), jac=True, method="L-BFGS-B", bounds=list(zip(low, high)))
            for start in (mode, other, noisier)
        ]
        best = min(found, key=lambda end: end.fun).x
        thetas = self.drawn(best, draw) if self.rule["draws"] else [best]
        self.posteriors = [self.conditioned(theta) for theta in thetas]

    def distances(self, x):
        """Squared differences or mismatches, by coordinate."""
        apart = x.T[:, None, :] - self.x.T[:, :, None]
        return np.array([a != 0 if c else a * a for a, c in zip(apart, self.is_category)], dtype=float)

    def law(self, k):
        mu, sigma = self.rule["category" if self.is_category[k] else "number"]
        return mu + 0.5 * math.log(self.d), sigma

    def mode(self):
        lengths = [mu - sigma**2 for mu, sigma in map(self.law, range(self.d))]
        shape, rate = self.rule["variance"]
        noise = -7.0 if self.rule["noise"] == "two" else self.rule["noise"][0]
        return np.array([*lengths, math.log((shape - 1) / rate), noise] + [0.0] * self.rule["share"])

    def kernel(self, apart, theta):
        """The covariances, and their derivatives in ln of the lengthscales and in logit of the share."""
        d, variance = self.d, math.exp(theta[self.d])
        steps = np.exp(-2 * theta[:d])
        value, slope = matern(np.tensordot(steps, apart, 1))
        slopes = [-2 * step * a * slope for step, a in zip(steps, apart)]
        if self.rule["share"]:
            share = 1 / (1 + math.exp(-theta[d + 2]))
            parts = [matern(d * step * a) for step, a in zip(steps, apart)]
            mean = sum(part for part, _ in parts) / d
            own = [-2 * step * a * part for step, a, (_, part) in zip(steps, apart, parts)]
            slopes = [(1 - share) * s + share * o for s, o in zip(slopes, own)]
            slopes.append(share * (1 - share) * (mean - value))
            value = (1 - share) * value + share * mean
        return variance * value, [variance * s for s in slopes]

    def prior(self, theta):
        value, slopes, d = 0.0, np.zeros(len(theta)), self.d
        for k in range(d):
            mu, sigma = self.law(k)
            z = (theta[k] - mu) / sigma
            value -= theta[k] + z * z / 2
            slopes[k] = -1 - z / sigma
        shape, rate = self.rule["variance"]
        variance, noise = math.exp(theta[d]), theta[d + 1]
        value += (shape - 1) * theta[d] - rate * variance
        slopes[d] = shape - 1 - rate * variance
        if self.rule["noise"] == "two":
            none = math.log(0.998 / 3) - ((noise + 16) / 3) ** 2 / 2
            some = math.log(0.002 / 2) - ((noise + 3) / 2) ** 2 / 2
            both = np.logaddexp(none, some)
            value += both
            slopes[d + 1] = -math.exp(none - both) * (noise + 16) / 9 - math.exp(some - both) * (noise + 3) / 4
        else:
            mu, sigma = self.rule["noise"]
            value -= ((noise - mu) / sigma) ** 2 / 2
            slopes[d + 1] = -(noise - mu) / sigma**2
        if self.rule["share"]:
            value -= (theta[d + 2] / 1.5) ** 2 / 2
            slopes[d + 2] = -theta[d + 2] / 1.5**2
        return value, slopes

    def factored(self, theta):
        """The covariances' derivatives, their factor, the best mean under N(0, 1), and α."""
        covariances, slopes = self.kernel(self.apart, theta)
        n = len(self.z)
        factor = cholesky(covariances + (math.exp(theta[self.d + 1]) + 1e-9) * np.eye(n), lower=True)
        of_ones = cho_solve((factor, True), np.ones(n))
        mean = of_ones @ self.z / (of_ones.sum() + 1)
        return covariances, slopes, factor, mean, cho_solve((factor, True), self.z - mean)

    def loss(self, theta):
        """−ln of likelihood times prior, and its gradient."""
        try:
            covariances, slopes, factor, mean, alpha = self.factored(theta)
        except np.linalg.LinAlgError:
            return 1e10, np.zeros(len(theta))
        weights = np.outer(alpha, alpha) - cho_solve((factor, True), np.eye(len(alpha)))
        prior, gradient = self.prior(theta)
        value = prior - (self.z - mean) @ alpha / 2 - np.log(np.diag(factor)).sum() - mean * mean / 2
        by_length, by_share = slopes[: self.d], slopes[self.d :]
        gradient[: self.d] += [(weights * s).sum() / 2 for s in by_length]
        gradient[self.d] += (weights * covariances).sum() / 2
        gradient[self.d + 1] += math.exp(theta[self.d + 1]) * np.trace(weights) / 2
        gradient[self.d + 2 :] += [(weights * s).sum() / 2 for s in by_share]
        return -value, -gradient

    def drawn(self, theta, draw):
        """Every second state of a slice sampler, one coordinate after another."""
        theta, width, kept = theta.copy(), 1.5, []
        now = -self.loss(theta)[0]

        def at(k, value):
            theta[k] = value
            return -self.loss(theta)[0]

        for sweep in range(4 + 2 * self.rule["draws"]):
            for k in draw.permutation(len(theta)):
                level, was = now + math.log(draw.random()), theta[k]
                low = was - width * draw.random()
                high = low + width
                while low > was - 6 * width and at(k, low) >= level:
                    low -= width
                while high < was + 6 * width and at(k, high) >= level:
                    high += width
                while True:
                    value = low + (high - low) * draw.random()
                    now = at(k, value)
                    if now >= level or high - low < 1e-9:
                        break
                    low, high = (value, high) if value < was else (low, value)
            if sweep >= 4 and sweep % 2 == 1:
                kept.append(theta.copy())
        return kept

    def conditioned(self, theta):
        _, _, factor, mean, alpha = self.factored(theta)
        return theta, factor, mean, alpha

    def predict(self, x):
        """Mean, variance of the function, and noise, for each of the hyperparameters."""
        apart = self.distances(x)
        for theta, factor, mean, alpha in self.posteriors:
            rows = self.kernel(apart, theta)[0]
            known = (solve_triangular(factor, rows, lower=True) ** 2).sum(0)
            variance = np.maximum(math.exp(theta[self.d]) - known, 1e-10)
            yield mean + rows.T @ alpha, variance, math.exp(theta[self.d + 1])


def scores(model, x, y, tested, measured):
    """The four scores."""
    z = (y[tested] - model.mean) / model.deviation
    laws = list(model.predict(x[tested]))
    densities = [norm.logpdf(z, mean, np.sqrt(variance + noise + 1e-6)) for mean, variance, noise in laws]
    density = np.clip(np.logaddexp.reduce(densities) - math.log(len(laws)), -20, None).mean()
    mean = np.mean([law[0] for law in laws], 0)
    order = spearmanr(mean, z).statistic if mean.std() > 0 and z.std() > 0 else 0.0
    error = ((mean - z) ** 2).mean() * model.deviation**2 / y.var()
    gain = np.zeros(len(y))
    for mean, variance, _ in model.predict(x):
        sd = np.sqrt(variance)
        u = (mean - model.z.max()) / sd
        gain += sd * (u * norm.cdf(u) + norm.pdf(u))
    gain[measured] = -1
    chosen = np.argsort(-gain)[:5]
    return density, order, error, (y[chosen].mean() - y.mean()) / (y.max() - y.mean())


def points(y, n, draw):
    """The measured points."""
    some = draw.choice(len(y), n, replace=False)
    if n < 25:
        return some
    best = np.argsort(-y)[: len(y) // 4]
    return np.unique(np.concatenate([some[: n // 2], draw.choice(best, n - n // 2, replace=False)]))


def read(path):
    with open(path) as lines:
        kinds = next(lines).strip().split(",")[:-1]
        table = np.array([[float(cell) for cell in line.split(",")] for line in lines])
    return kinds, table[:, :-1], table[:, -1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pools", type=Path)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--most", type=int, default=4000, help="pools of more points are left out")
    parser.add_argument("--out", type=Path, default=Path("pool_models.csv"))
    options = parser.parse_args()
    models = options.models.split(",")
    rows = {}
    if options.out.exists():
        with open(options.out, newline="") as lines:
            for row in csv.reader(lines):
                rows[tuple(row[:4])] = row[4:]
    with open(options.out, "a", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        if not rows:
            writer.writerow(["pool", "round", "n", "model", *SCORES])
        for path in sorted(options.pools.glob("*.csv")):
            kinds, x, y = read(path)
            if len(y) > options.most:
                continue
            for number in range(options.rounds):
                for n in SIZES:
                    draw = np.random.default_rng(zlib.crc32(f"{path.stem} {number} {n}".encode()))
                    measured = points(y, n, draw)
                    tested = draw.choice(np.setdiff1d(np.arange(len(y)), measured), TESTED)
                    for name in models:
                        key = (path.stem, str(number), str(n), name)
                        if key in rows or y[measured].std() < 1e-9:
                            continue
                        model = Model(kinds, x[measured], y[measured], name, np.random.default_rng(1))
                        rows[key] = [f"{score:.4f}" for score in scores(model, x, y, tested, measured)]
                        writer.writerow([*key, *rows[key]])
                        out.flush()
    print("| points | model | fits | " + " | ".join(SCORES) + " |\n|---:|---|---:|" + "---:|" * len(SCORES))
    for n in SIZES:
        fits = [key[:3] for key in rows if key[2] == str(n) and key[3] == models[0]]
        for name in models:
            both = [fit for fit in fits if (*fit, name) in rows]
            if len(both) < 2:
                continue
            of = lambda model: np.array([[float(v) for v in rows[(*fit, model)]] for fit in both])
            differences = of(name) - of(models[0])
            halves = 1.96 * differences.std(0, ddof=1) / math.sqrt(len(both))
            cells = [f"{v:.3f}" for v in of(name).mean(0)]
            if name != models[0]:
                cells = [f"{c} ({v:+.3f} ± {h:.3f})" for c, v, h in zip(cells, differences.mean(0), halves)]
            print(f"| {n} | {name} | {len(both)} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
