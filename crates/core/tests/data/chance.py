"""Values of the learned chance of success, from mpmath: what `tests/chance.rs` reads from chance.json.

    python chance.py > chance.json

Written from the formulas on top of src/chance.rs and from Rasmussen and Williams (2006), algorithm 3.5: sites are updated
one after the other, until nothing moves, with 30 digits, and the posterior is taken by plain inverses. All
members of the grid are kept. (The library updates all sites at once, for 5 to 15 sweeps, and leaves members out that
hardly count.) With a lapse rate the likelihood of a failure is no longer log-concave: a site whose precision would be
negative has 10^-9 and matches the mean alone, and updates are damped by a half.
"""

import json

import mpmath as mp

mp.mp.dps = 30

LENGTHSCALES = ["0.15", "0.6", "2.4"]
SLOPES = [(4, "0.01"), (64, "0.01"), (1024, "0.09"), (16384, "0.89")]
SHARPNESS = 3
HEAD_START = mp.mpf("1.2")
# The sharpest borders also with a lapse rate, of a half of the share that failed, and how likely that is beforehand.
LAPSES = mp.mpf("0.5")
LAPSE_PRIOR = mp.mpf("0.5")
SHARP = SLOPES[2:]
LEAST = mp.mpf("1e-9")

# Points, whether each gave a value, and where the chance is wanted.
CASES = {
    "a border on a line": (
        [[0.05], [0.2], [0.35], [0.5], [0.62], [0.8], [0.95]],
        [True, True, True, True, False, False, False],
        [[0.1], [0.4], [0.53], [0.56], [0.59], [0.7], [1.0]],
    ),
    "a corner of a square": (
        [[0.1, 0.2], [0.3, 0.8], [0.5, 0.5], [0.7, 0.1], [0.9, 0.6], [0.2, 0.5], [0.8, 0.9], [0.6, 0.3], [0.75, 0.45]],
        [True, True, True, True, False, True, False, True, True],
        [[0.25, 0.4], [0.8, 0.5], [0.82, 0.55], [0.6, 0.8], [0.95, 0.95], [0.95, 0.1]],
    ),
    "a border, and a failure far from it": (
        [[0.05], [0.13], [0.21], [0.29], [0.37], [0.45], [0.53], [0.61], [0.7], [0.78], [0.86], [0.94]],
        [True, True, False, True, True, True, True, True, False, False, False, False],
        [[0.05], [0.21], [0.25], [0.5], [0.6], [0.64], [0.68], [0.9]],
    ),
    "one failure among values": (
        [[0.1], [0.25], [0.4], [0.45], [0.6], [0.75], [0.9]],
        [True, True, True, False, True, True, True],
        [[0.05], [0.42], [0.45], [0.5], [0.65]],
    ),
}


def cdf(z):
    return mp.erfc(-z / mp.sqrt(2)) / 2


def pdf(z):
    return mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi)


def matern52(a, b, lengthscale, variance):
    s = mp.sqrt(5 * sum(((p - q) / lengthscale) ** 2 for p, q in zip(a, b)))
    return variance * (1 + s + s * s / 3) * mp.exp(-s)


def answer_law(t, z, lapse):
    """The chance of an answer, and the slope of its logarithm by t z."""
    if t > 0:
        return (1 - lapse) * cdf(z), pdf(z) / cdf(z)
    whole = lapse + (1 - lapse) * cdf(z)
    return whole, (1 - lapse) * pdf(z) / whole


def propagate(x, answers, lengthscale, variance, mean, lapse=mp.mpf(0)):
    """ln of the evidence, and a function from a point to the chance that it succeeds but for lapses."""
    n = len(x)
    k = mp.matrix(n, n)
    for i in range(n):
        for j in range(n):
            k[i, j] = matern52(x[i], x[j], lengthscale, variance)
    t = [1 if answer else -1 for answer in answers]
    precision, shift = [mp.mpf(0)] * n, [mp.mpf(0)] * n  # of a − mean
    step = 1 if lapse == 0 else mp.mpf("0.5")
    # Plain lists: a matrix of mpmath is a dictionary.
    sigma, mu = [[k[i, j] for j in range(n)] for i in range(n)], [mp.mpf(0)] * n

    def cavity(i):
        c = 1 / sigma[i][i] - precision[i]
        return 1 / c, (mu[i] / sigma[i][i] - shift[i]) / c

    for sweep in range(2000):
        moved = mp.mpf(0)
        for i in range(n):
            v, c = cavity(i)
            width = mp.sqrt(1 + v)
            z = t[i] * (c + mean) / width
            ratio = answer_law(t[i], z, lapse)[1]
            new_mean = c + t[i] * v * ratio / width
            new_variance = v - v * v * ratio / (1 + v) * (z + ratio)
            new_precision = 1 / new_variance - 1 / v
            if new_precision < LEAST:
                new_precision = LEAST
            new_shift = new_mean * (1 / v + new_precision) - c / v
            moved = max(moved, abs(new_mean - mu[i]) / mp.sqrt(sigma[i][i]))
            new_precision = precision[i] + step * (new_precision - precision[i])
            new_shift = shift[i] + step * (new_shift - shift[i])
            change = new_precision - precision[i]
            precision[i], shift[i] = new_precision, new_shift
            column, scale = sigma[i], change / (1 + change * sigma[i][i])
            sigma = [[s - scale * u * v for s, v in zip(row, column)] for row, u in zip(sigma, column)]
            mu = [mp.fdot(row, shift) for row in sigma]
        if moved < mp.mpf(10) ** -12:
            break
    else:
        raise RuntimeError("expectation propagation has not settled")

    # ln Z = ln ∫ N(a; m, K) Π Z̃ᵢ N(a; site): the normalizers of the sites, and the normal integral.
    inverse = mp.inverse(k + mp.diag([1 / p for p in precision]))
    target = mp.matrix([s / p for s, p in zip(shift, precision)])
    ln_z = mp.log(mp.det(inverse)) / 2 - (target.T * inverse * target)[0] / 2
    for i in range(n):
        v, c = cavity(i)
        z = t[i] * (c + mean) / mp.sqrt(1 + v)
        both = v + 1 / precision[i]
        ln_z += mp.log(answer_law(t[i], z, lapse)[0]) + mp.log(both) / 2 + (c - target[i]) ** 2 / (2 * both)

    def place(u):
        across = mp.matrix([matern52(u, p, lengthscale, variance) for p in x])
        latent = mean + (across.T * inverse * target)[0]
        spread = variance - (across.T * inverse * across)[0]
        return cdf(latent / mp.sqrt(1 + spread))

    return ln_z, place


def learned(x, answers, queries):
    x = [[mp.mpf(v) for v in point] for point in x]
    n, good = len(x), sum(answers)
    rate = mp.mpf(good + 2) / (n + 3)
    wide = mp.sqrt(mp.mpf(len(x[0])) / 2)
    # Each with its prior, lapse rate, evidence and Φ.
    members = []
    for lengthscale in LENGTHSCALES:
        for slope, prior in SLOPES:
            for lapse in [mp.mpf(0), LAPSES * (1 - rate)] if (slope, prior) in SHARP else [mp.mpf(0)]:
                variance = (slope * mp.mpf(lengthscale)) ** 2
                typical = mp.sqrt(2) * mp.erfinv(2 * rate / (1 - lapse) - 1)
                mean = typical * mp.sqrt(1 + variance)
                fitted = propagate(x, answers, mp.mpf(lengthscale) * wide, variance, mean, lapse)
                weight = mp.mpf(prior) * (LAPSE_PRIOR if lapse > 0 else 1)
                members.append((weight, lapse, *fitted))
    sure, lapsing = [[mp.exp(m[2]) for m in members if (m[1] > 0) == lapses] for lapses in (False, True)]
    of_place = sum(sure) / len(sure) + LAPSE_PRIOR * sum(lapsing) / len(lapsing)
    of_place = SHARPNESS * (mp.log(of_place) + HEAD_START)
    of_chance = SHARPNESS * (mp.log(3 * rate**2) + good * mp.log(rate) + (n - good) * mp.log(1 - rate))
    weight = 1 / (1 + mp.exp(of_chance - of_place))
    total = sum(prior * mp.exp(z) for prior, _, z, _ in members)
    found, luck = [], []
    for u in queries:
        u = [mp.mpf(v) for v in u]
        succeeds, lapses = mp.mpf(0), mp.mpf(0)
        for prior, lapse, z, place in members:
            share, phi = prior * mp.exp(z) / total, place(u)
            succeeds += share * (1 - lapse) * phi
            lapses += share * lapse / (lapse + (1 - lapse) * (1 - phi)) if lapse > 0 else 0
        found.append(float(mp.log(weight * succeeds + (1 - weight) * rate)))
        luck.append(float(weight * lapses + 1 - weight))
    return {"weight_of_place": float(weight), "ln_p": found, "luck": luck}


def main():
    cases = []
    for name, (x, answers, queries) in CASES.items():
        cases.append({"name": name, "x": x, "gave_value": answers, "at": queries, **learned(x, answers, queries)})
    print(json.dumps(cases, indent=1))


if __name__ == "__main__":
    main()
