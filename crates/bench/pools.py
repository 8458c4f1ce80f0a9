#!/usr/bin/env python3
"""Optuna in the pools of `pools`: pools.py --data DIR [--pools arylation,buchwald] [--methods optuna_tpe,optuna_gp]
[--seeds 50] [--gp-seeds 10] [--out crates/bench/results/pools.csv]

Rows are those of the program `pools`, in batches of five up to fifty points; the column `commit` names Optuna's version.
A point that was measured before costs nothing: its value is told once more and another point is asked for. In `hplc`, whose
points are no grid, a proposal stands for the nearest row that was not measured yet, by ranges of the columns. What has a
row already is not run again.
"""

import argparse
import csv
import random
from pathlib import Path

import optuna

BATCH, BUDGET = 5, 50

# By pool: the file, columns that are categories, and columns of numbers in order.
POOLS = {
    "arylation": (
        "arylation/experiments.csv",
        ["Base_SMILES", "Ligand_SMILES", "Solvent_SMILES"],
        ["Concentration", "Temp_C"],
    ),
    "buchwald": ("DreherDoyle.csv", ["ligand", "additive", "base", "aryl halide"], []),
}

# A table of numbers, the last column the value.
TABLES = {"hplc": "hplc/hplc.csv"}

# Tries for a point that was not measured yet, before any such point is taken.
TRIES = 200


class Pool:
    """The values of a pool, and how a trial of Optuna suggests one of its points."""

    def __init__(self, folder, name):
        file, self.categories, ordered = POOLS[name]
        with open(folder / file, newline="") as lines:
            rows = list(csv.DictReader(lines))
        self.levels = {c: sorted({row[c] for row in rows}) for c in self.categories}
        self.ordered = {c: sorted({row[c] for row in rows}, key=float) for c in ordered}
        measured = {}
        for row in rows:
            measured.setdefault(self.key(row), []).append(float(row["yield"]))
        self.values = {key: sum(values) / len(values) for key, values in measured.items()}

    def key(self, row):
        return tuple(row[c] for c in [*self.categories, *self.ordered])

    def suggest(self, trial, _taken):
        chosen = [trial.suggest_categorical(c, self.levels[c]) for c in self.categories]
        chosen += [v[trial.suggest_int(c, 0, len(v) - 1)] for c, v in self.ordered.items()]
        return tuple(chosen)


class Table:
    """The rows of a table: a trial of Optuna suggests a point of their box, which stands for the nearest row."""

    def __init__(self, folder, name):
        with open(folder / TABLES[name], newline="") as lines:
            self.columns, *rows = csv.reader(lines)
        measured = {}
        for row in rows:
            *point, value = map(float, row)
            measured.setdefault(tuple(point), []).append(value)
        self.values = {point: sum(values) / len(values) for point, values in measured.items()}
        self.ranges = [(min(column), max(column)) for column in zip(*self.values)]

    def suggest(self, trial, taken):
        chosen = [trial.suggest_float(c, *limits) for c, limits in zip(self.columns, self.ranges)]

        def distance(point):
            parts = zip(point, chosen, self.ranges)
            return sum(((a - b) / (high - low)) ** 2 for a, b, (low, high) in parts)

        return min((point for point in self.values if point not in taken), key=distance)


def sampler(method, seed):
    if method == "optuna_tpe":
        return optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True)
    return optuna.samplers.GPSampler(seed=seed)


def race(pool, method, seed):
    """The largest value after each batch."""
    study = optuna.create_study(direction="maximize", sampler=sampler(method, seed))
    draw = random.Random(seed)
    seen, best, curve = set(), float("-inf"), []
    while len(curve) < BUDGET // BATCH:
        batch = {}
        for _ in range(TRIES):
            trial = study.ask()
            point = pool.suggest(trial, seen.union(batch))
            if point not in pool.values:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
            elif point in seen or point in batch:
                study.tell(trial, pool.values[point])
            else:
                batch[point] = trial
            if len(batch) == BATCH:
                break
        for point, trial in batch.items():
            study.tell(trial, pool.values[point])
        points = [*batch]
        while len(points) < BATCH:
            points.append(draw.choice([p for p in sorted(pool.values) if p not in seen and p not in points]))
        seen.update(points)
        best = max([best, *(pool.values[p] for p in points)])
        curve.append(best)
    return curve


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pools", default="arylation,buchwald")
    parser.add_argument("--methods", default="optuna_tpe,optuna_gp")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--gp-seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, default=Path("crates/bench/results/pools.csv"))
    options = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    if not options.out.exists():
        after = ",".join(f"after{n}" for n in range(BATCH, BUDGET + 1, BATCH))
        options.out.write_text(f"pool,method,seed,commit,{after}\n")
    done = {tuple(line.split(",")[:3]) for line in options.out.read_text().splitlines()}
    for name in options.pools.split(","):
        pool = (Table if name in TABLES else Pool)(options.data, name)
        for method in options.methods.split(","):
            for seed in range(options.gp_seeds if method == "optuna_gp" else options.seeds):
                if (name, method, str(seed)) in done:
                    continue
                curve = ",".join(str(value) for value in race(pool, method, seed))
                with open(options.out, "a") as rows:
                    rows.write(f"{name},{method},{seed},optuna-{optuna.__version__},{curve}\n")


if __name__ == "__main__":
    main()
