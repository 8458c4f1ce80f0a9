"""Medians, ranks and intervals. Standard library only."""
import math
import random

LEAST = 1e-12  # regrets below it are rounding


def quantile(values, share):
    """Between the two nearest, as far as the share is between them; infinity stays infinity."""
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low, high = ordered[math.floor(at)], ordered[math.ceil(at)]
    return low if low == high else low + (high - low) * (at - math.floor(at))


def median(values):
    return quantile(values, 0.5)


def mean(values):
    return sum(values) / len(values)


def ranks(values):
    """1 for the least; equal values share the mean of their ranks."""
    return [sum(w < v for w in values) + 0.5 * (sum(w == v for w in values) + 1) for v in values]


def log_regret(value):
    return math.log10(max(value, LEAST))


def clustered(by_cell, draws, seed):
    """The mean of one value a cell, and its 95 % interval: problems are drawn with replacement, with all their cells.

    A cell is a problem and a batch size; a function with more and with less noise is one problem.
    """
    groups = {}
    for (problem, _), value in by_cell.items():
        groups.setdefault(problem.partition("~")[0], []).append(value)
    groups, draw = list(groups.values()), random.Random(seed)
    means = []
    for _ in range(draws):
        drawn = draw.choices(groups, k=len(groups))
        means.append(sum(map(sum, drawn)) / sum(map(len, drawn)))
    means.sort()
    return mean(list(by_cell.values())), means[int(0.025 * draws)], means[min(int(0.975 * draws), draws - 1)]
