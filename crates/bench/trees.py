#!/usr/bin/env python3
"""Searches in spaces with branches: trees.py [--trees branch,levels,net,pipeline] [--methods elbowroom,sampler,tpe,random]
[--seeds 20] [--out crates/bench/results/trees.csv] [--summary]

Every tree is a script that asks for its parameters as it runs, with 60 trials one after the other. `elbowroom` is the
library, told the conditions; `sampler` is its Optuna sampler, which has to learn them; `tpe` is Optuna's multivariate, grouped TPE; `random`
is random search. The minimum of every tree is 0. `--trees drawn0,drawn1` takes trees that are drawn at random. A method
may have settings behind it: `elbowroom+initial=6`. The column `commit` names the build, or Optuna's version. What has a row
already is not run again.
"""

import argparse
import csv
import math
import os
import random
import subprocess
import warnings
from pathlib import Path

TRIALS = 60
AT = (20, 40, 60)
METHODS = ("elbowroom", "sampler", "tpe", "random")


def square(x):
    return x * x


def branch(trial):
    """One category, with three or two floats below it."""
    if trial.suggest_categorical("kind", ["a", "b"]) == "a":
        at = {"x": 0.3, "y": 0.7, "z": 0.55}
        return sum(square(trial.suggest_float(name, 0, 1) - best) for name, best in at.items())
    at = {"u": 0.2, "v": 0.6}
    return 0.1 + sum(square(trial.suggest_float(name, 0, 1) - best) for name, best in at.items())


def levels(trial):
    """An optimizer with settings of its own, one of which has settings again; the rate is shared and its best value moves."""
    rate = math.log10(trial.suggest_float("rate", 1e-5, 1.0, log=True))
    kind = trial.suggest_categorical("kind", ["adam", "sgd", "rmsprop"])
    if kind == "adam":
        beta1 = trial.suggest_float("beta1", 0.5, 0.999)
        beta2 = trial.suggest_float("beta2", 0.8, 0.9999)
        return 0.15 + square((rate + 3) / 4) + square(beta1 - 0.9) + 4 * square(beta2 - 0.98)
    if kind == "rmsprop":
        alpha = trial.suggest_float("alpha", 0.5, 1.0)
        return 0.3 + square((rate + 3) / 4) + square(alpha - 0.9)
    momentum = trial.suggest_float("momentum", 0.0, 1.0)
    loss = square((rate + 1 + momentum) / 3) + square(momentum - 0.85)
    schedule = trial.suggest_categorical("schedule", ["flat", "steps", "cosine"])
    if schedule == "flat":
        return loss + 0.2
    if schedule == "steps":
        every = trial.suggest_int("every", 1, 50)
        factor = trial.suggest_float("factor", 0.1, 1.0)
        return loss + 0.1 + square((every - 20) / 50) + square(factor - 0.4)
    return loss + square(trial.suggest_float("warmup", 0.0, 0.5) - 0.1) + square(trial.suggest_float("floor", 0, 1) - 0.25)


def net(trial):
    """A network with one to four layers, each with a width and a dropout of its own."""
    n_layers = trial.suggest_int("n_layers", 1, 4)
    rate = math.log10(trial.suggest_float("rate", 1e-5, 1e-1, log=True))
    kind = trial.suggest_categorical("activation", ["relu", "tanh", "gelu"])
    loss = {"relu": 0.03, "tanh": 0.1, "gelu": 0.0}[kind] + square((rate + 2.6) / 4)
    loss += 0.04 * square(n_layers - 3)
    for i in range(n_layers):
        width = math.log2(trial.suggest_int(f"width{i}", 8, 512, log=True))
        dropout = trial.suggest_float(f"dropout{i}", 0.0, 0.8)
        loss += (square((width - (8 - i)) / 6) + square(dropout - 0.1 * (i + 1))) / n_layers
    return loss


def pipeline(trial):
    """Scaling, a reduction and a model, each of them a choice with settings of its own."""
    loss = 0.0
    scaler = trial.suggest_categorical("scaler", ["none", "standard", "quantile"])
    if scaler == "quantile":
        loss += 0.02 + square((trial.suggest_int("n_quantiles", 10, 200) - 80) / 190) / 4
    elif scaler == "none":
        loss += 0.1
    if trial.suggest_categorical("reduction", ["none", "pca"]) == "pca":
        loss += square(trial.suggest_float("kept", 0.1, 1.0) - 0.7) / 2
    else:
        loss += 0.05
    model = trial.suggest_categorical("model", ["svm", "forest", "neighbours"])
    if model == "svm":
        c = math.log10(trial.suggest_float("c", 1e-3, 1e3, log=True))
        kernel = trial.suggest_categorical("kernel", ["linear", "poly", "rbf"])
        loss += 0.08 if kernel == "linear" else 0.0
        if kernel == "poly":
            loss += 0.05 + square((trial.suggest_int("degree", 2, 6) - 3) / 5) + square((c - 0.5) / 6)
        elif kernel == "rbf":
            gamma = math.log10(trial.suggest_float("gamma", 1e-5, 1e1, log=True))
            loss += square((c + gamma + 0.5) / 6) + square((gamma + 2) / 6)
        else:
            loss += square((c - 1) / 6)
    elif model == "forest":
        depth = trial.suggest_int("depth", 2, 20)
        features = trial.suggest_float("features", 0.1, 1.0)
        leaf = trial.suggest_int("leaf", 1, 20)
        loss += 0.06 + square((depth - 12) / 18) + square(features - 0.4) + square((leaf - 2) / 19)
    else:
        k = trial.suggest_int("k", 1, 50)
        p = trial.suggest_float("p", 1.0, 3.0)
        loss += 0.12 + square((k - 9) / 49) + square((p - 1.6) / 2)
    return loss


def drawn(number):
    """A tree drawn at random: two or three levels, with shared and own numbers, one minimum of which is 0."""

    def objective(trial):
        draw = random.Random(f"tree {number}")
        visited = []

        def below(path, depth, on_best):
            """What a part of the tree adds; all of it is drawn, whatever the trial asks for."""
            is_asked = path is not None
            value = 0.0 if on_best else draw.uniform(0.02, 0.2)
            for i in range(draw.randint(1, 3)):
                best, weight, wave = draw.random(), draw.uniform(0.3, 2.0), draw.random() < 0.3
                if is_asked:
                    x = trial.suggest_float(f"x{path}{i}", 0, 1)
                    visited.append(x - best)
                    value += weight * square(x - best)
                    value += 0.05 * (1 - math.cos(9 * (x - best))) if wave else 0.0
            if depth > 0 and (depth > 1 or draw.random() < 0.7):
                n = draw.randint(2, 4)
                choice = trial.suggest_categorical(f"c{path}", list(range(n))) if is_asked else None
                best = draw.randrange(n)
                for i in range(n):
                    chosen = choice == i
                    part = below(f"{path}{i}" if chosen else None, depth - 1, on_best and best == i)
                    value += part if chosen else 0.0
            return value

        value = below("", 2 + number % 2, True)
        # Neighbours on the way down bend each other.
        return value + 0.3 * sum(square(a * b) for a, b in zip(visited, visited[1:]))

    return objective


def tree(name):
    trees = {"branch": branch, "levels": levels, "net": net, "pipeline": pipeline}
    return trees[name] if name in trees else drawn(int(name.removeprefix("drawn")))


class Explorer:
    """A trial that takes each way through a script once, to see which parameters it asks for where."""

    def __init__(self, choices):
        self.choices, self.taken, self.asked = dict(choices), {}, []

    def _choose(self, name, values):
        self.asked.append((name, dict(self.taken), values))
        self.taken[name] = self.choices.get(name, values[0])
        return self.taken[name]

    def suggest_categorical(self, name, choices):
        return self._choose(name, list(choices))

    def suggest_int(self, name, low, high, log=False):
        if high - low < 5:
            return self._choose(name, list(range(low, high + 1)))
        self.asked.append((name, dict(self.taken), None))
        return low

    def suggest_float(self, name, low, high, log=False):
        self.asked.append((name, dict(self.taken), None))
        return low


class Recorder(Explorer):
    """Also keeps what each parameter is."""

    def __init__(self, choices, er, kinds):
        super().__init__(choices)
        self.er, self.kinds = er, kinds

    def suggest_categorical(self, name, choices):
        self.kinds[name] = lambda when: self.er.Categorical(choices, when=when)
        return super().suggest_categorical(name, choices)

    def suggest_int(self, name, low, high, log=False):
        self.kinds[name] = lambda when: self.er.Int(low, high, log, when=when)
        return super().suggest_int(name, low, high, log)

    def suggest_float(self, name, low, high, log=False):
        self.kinds[name] = lambda when: self.er.Float(low, high, log, when=when)
        return super().suggest_float(name, low, high, log)


def conditions(objective, er):
    """The space of a script as the library has it: each parameter under the choices that all ways to it share."""
    kinds, ways, seen, left = {}, {}, set(), [{}]
    while left:
        choices = left.pop()
        way = Recorder(choices, er, kinds)
        objective(way)
        if tuple(sorted(map(str, way.taken.items()))) in seen:
            continue
        seen.add(tuple(sorted(map(str, way.taken.items()))))
        for name, before, values in way.asked:
            ways.setdefault(name, []).append(before)
            for value in values or []:
                if value != way.taken[name]:
                    left.append({**before, name: value})
    return {name: kinds[name](condition(before, ways)) for name, before in ways.items()}


def condition(before, ways):
    """Of the choices made before a parameter, those that not every value leads to it."""
    clauses = []
    for on in before[0]:
        if all(on in way for way in before):
            led = {way[on] for way in before}
            possible = {way[on] for ask in ways.values() for way in ask if on in way}
            if led != possible:
                clauses.append(f"{on} in ({', '.join(repr(value) for value in sorted(led))})")
    return " and ".join(clauses) or None


class Given:
    """A trial whose values are given."""

    def __init__(self, params):
        self.params = params

    def suggest_categorical(self, name, choices):
        return self.params[name]

    def suggest_int(self, name, low, high, log=False):
        return self.params[name]

    suggest_float = suggest_int


def by_library(objective, seed, options):
    import elbowroom as er

    study = er.Study(conditions(objective, er), seed=seed, **options)
    for _ in range(TRIALS):
        (trial,) = study.ask()
        value = objective(Given(trial.params))
        study.tell(trial, value)
        yield value


def by_optuna(objective, method, seed):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
    if method == "sampler":
        from elbowroom.optuna import Sampler

        sampler = Sampler(seed=seed)
    elif method == "tpe":
        sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, group=True)
    else:
        sampler = optuna.samplers.RandomSampler(seed=seed)
    study = optuna.create_study(sampler=sampler)
    for _ in range(TRIALS):
        trial = study.ask()
        value = objective(trial)
        study.tell(trial, value)
        yield value


def race(name, method, seed):
    """The smallest value after some numbers of trials."""
    objective, (kind, *changes) = tree(name), method.split("+")
    options = {key: int(value) for key, value in (change.split("=") for change in changes)}
    values = list(by_library(objective, seed, options) if kind == "elbowroom" else by_optuna(objective, kind, seed))
    return [min(values[:n]) for n in AT]


def commit(method):
    if method.startswith("elbowroom") or method == "sampler":
        described = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
        return os.environ.get("ELBOWROOM_COMMIT") or subprocess.run(described, capture_output=True, text=True).stdout.strip()
    import optuna

    return f"optuna-{optuna.__version__}"


def read(path):
    """The rows by tree, method and seed."""
    if not path.exists():
        return {}
    with open(path, newline="") as lines:
        return {(r["tree"], r["method"], int(r["seed"])): [float(r[f"after{n}"]) for n in AT] for r in csv.DictReader(lines)}


def run(path, trees, methods, seeds):
    known = read(path)
    if not path.exists():
        path.write_text("tree,method,seed,commit," + ",".join(f"after{n}" for n in AT) + "\n")
    for seed in range(seeds):
        for name in trees:
            for method in methods:
                if (name, method, seed) not in known:
                    best = race(name, method, seed)
                    with open(path, "a") as file:
                        file.write(f"{name},{method},{seed},{commit(method)},{','.join(map(repr, best))}\n")


def middle(values):
    values = sorted(values)
    n = len(values)
    return (values[(n - 1) // 2] + values[n // 2]) / 2


def summary(path, trees, methods):
    """The median and the mean after all trials, and in how many seeds a method was better than TPE."""
    rows = read(path)
    print("| tree | method | seeds | median after 20 | after 40 | after 60 | mean after 60 | better than TPE |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for name in trees:
        for method in methods:
            mine = {seed: best for (t, m, seed), best in rows.items() if (t, m) == (name, method)}
            if not mine:
                continue
            medians = " | ".join(f"{middle([best[i] for best in mine.values()]):.2g}" for i in range(len(AT)))
            mean = sum(best[-1] for best in mine.values()) / len(mine)
            pairs = [(best[-1], rows[name, "tpe", seed][-1]) for seed, best in mine.items() if (name, "tpe", seed) in rows]
            ahead = f"{sum(a < b for a, b in pairs)} of {len(pairs)}" if method != "tpe" else ""
            print(f"| {name} | {method} | {len(mine)} | {medians} | {mean:.2g} | {ahead} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", default="branch,levels,net,pipeline")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("crates/bench/results/trees.csv"))
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    trees, methods = options.trees.split(","), options.methods.split(",")
    if not options.summary:
        run(options.out, trees, methods, options.seeds)
    summary(options.out, trees, methods)


if __name__ == "__main__":
    main()
