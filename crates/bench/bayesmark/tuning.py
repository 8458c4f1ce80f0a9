#!/usr/bin/env python3
"""Compares builds of `peer`, or changes of its settings, on tasks that the comparison with the peers does not have.

    tuning.py --environments DIR --out FILE.jsonl default=PEER "few=PEER norefine initial=5" [--seeds 4] [--tasks DT/iris/nll]

The spaces are Bayesmark's, and so is the way in which models are judged; the data are others: iris and
drawn ones. What has a row is not run again. The table shows, of each variant, the mean of the loss on a scale where the median
of random search is 0 and the least loss of all runs 1, and how far it is from the first variant, run by run.
"""
import argparse
import json
import math
import os
import random
import shlex
import statistics

import bench
import plan
import tasks
from jobs import Job
from play import Peer, play

# Spaces of models that are cheap to fit, on data that no reported task has.
TASKS = ["DT/iris/nll", "DT/clf-blobs/nll", "DT/clf-blobs/acc", "DT/reg-friedman/mse", "DT/reg-steps/mae", "RF/iris/nll",
         "RF/clf-blobs/nll", "RF/reg-friedman/mse", "RF/reg-steps/mae", "SVM/iris/nll", "SVM/clf-blobs/acc",
         "SVM/reg-friedman/mae", "lasso/iris/nll", "lasso/clf-blobs/nll", "lasso/reg-friedman/mae",
         "linear/reg-friedman/mse", "ada/reg-steps/mse"]
BATCHES, Q = 16, 8


def drawn(folder):
    """Tables of drawn data as Bayesmark reads them, the target last: classes that overlap, Friedman's function, steps."""
    draw = random.Random(17)
    os.makedirs(folder, exist_ok=True)

    def table(name, rows):
        with open(os.path.join(folder, name + ".csv"), "w") as file:
            header = [f"x{i}" for i in range(len(rows[0]) - 1)] + ["y"]
            file.writelines(",".join(map(str, row)) + "\n" for row in [header, *rows])

    centres = [[draw.gauss(0, 1) for _ in range(8)] for _ in range(6)]
    blobs = []
    for i in range(300):
        centre = centres[i % 6]
        blobs.append([round(c + draw.gauss(0, 1.2), 4) for c in centre] + [i % 6 // 2])
    table("clf-blobs", blobs)
    uniform = [[round(draw.random(), 4) for _ in range(10)] for _ in range(300)]
    friedman = lambda x: (10 * math.sin(math.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4])  # noqa: E731
    table("reg-friedman", [[*x, round(friedman(x) + draw.gauss(0, 1), 4)] for x in uniform])
    steps = lambda x: 4 * (x[0] > 0.6) + 3 * (x[1] + x[2] > 1) - 5 * (x[0] > 0.6) * (x[3] < 0.3) + math.floor(4 * x[4])  # noqa: E731
    table("reg-steps", [[*x, round(steps(x) + draw.gauss(0, 0.7), 4)] for x in uniform])


def rows_of(options, variants):
    """The rows of all variants and of random search, those that are missing run now."""
    data = os.path.join(os.path.dirname(os.path.abspath(options.out)), "drawn")
    drawn(data)
    found = plan.rows(options.out)
    done = {(row["variant"], row["problem"], row["seed"]) for row in found}
    python = os.path.join(options.environments, "bayesmark", "bin", "python")
    with open(os.devnull, "a") as log:
        objective = Peer([python, os.path.join(bench.HERE, "objective.py"), data], log)
        for seed in range(options.first, options.first + options.seeds):
            for task in options.tasks.split(","):
                for name, command in [("random", None), *variants]:
                    if (name, task, seed) in done:
                        continue
                    tasks.FAILED.setdefault(task.partition("/")[2], 10.0)
                    problem = tasks.Task(objective, task, seed)
                    peer = Peer(shlex.split(command) if command else [python, os.path.join(bench.PEERS, "serve.py"), "random"], log)
                    row = play(Job(name, task, Q, seed), problem, BATCHES * Q, None, peer)
                    cpu = peer.close()
                    row = {"variant": name, "problem": task, "seed": seed, "regret": row["regret"], "curve": row["curve"],
                           "cpu_s": round(cpu, 3)}
                    found.append(row)
                    with open(options.out, "a") as file:
                        file.write(json.dumps(row) + "\n")
    return found


def summary(found, names, wanted):
    """Scores of each task and their means, with 95 % intervals over tasks of the difference from the first variant."""
    print("| task |", " | ".join(names), "|")
    differences = {name: [] for name in names}
    for task in wanted:
        runs = {name: {row["seed"]: row["regret"] for row in found if row["variant"] == name and row["problem"] == task}
                for name in ["random", *names]}
        if not all(runs.values()):
            continue
        zero, one = statistics.median(runs["random"].values()), min(min(by.values()) for by in runs.values())
        score = lambda loss: 0.0 if zero == one else max(-1.0, (zero - loss) / (zero - one))  # noqa: E731
        shared = set.intersection(*(set(by) for name, by in runs.items() if name != "random"))
        means = {name: statistics.mean(score(runs[name][seed]) for seed in shared) for name in names}
        for name in names:
            differences[name].append((means[name], means[name] - means[names[0]]))
        print(f"| {task} |", " | ".join(f"{means[name]:.2f}" for name in names), f"| {len(shared)}")
    for name, pairs in differences.items():
        gains = [gain for _, gain in pairs]
        half = 1.96 * statistics.stdev(gains) / math.sqrt(len(gains)) if len(gains) > 1 else math.nan
        mean = statistics.mean(score for score, _ in pairs)
        print(f"{name}: {mean:.3f}, {statistics.mean(gains):+.3f} ± {half:.3f} over {len(gains)} tasks")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environments", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("variants", nargs="+", help="NAME=COMMAND, the first of which others are compared with")
    options = parser.parse_args()
    variants = [tuple(variant.split("=", 1)) for variant in options.variants]
    found = rows_of(options, variants)
    summary(found, [name for name, _ in variants], options.tasks.split(","))


if __name__ == "__main__":
    main()
