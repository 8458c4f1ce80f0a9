#!/usr/bin/env python3
"""Makes the page of the comparison from the rows alone: `summary.py [--ours FILE.jsonl] > ../results/bayesmark.md`."""
import argparse
import glob
import os
from math import inf

import bench  # noqa: F401, the folder of the peers
import plan
from markdown import table
from stats import clustered, mean, median


class Rows:
    """Of each system and task, the scores of its runs by seed, and their CPU seconds. `figure` is what is scored."""

    def __init__(self, rows, figure="regret"):
        self.scores, self.cpu, self.versions = {}, {}, {}
        for task in {row["problem"] for row in rows}:
            of_task = [row for row in rows if row["problem"] == task]
            losses = [inf if row.get(figure) is None else row[figure] for row in of_task]
            at_random = [loss for row, loss in zip(of_task, losses) if row["system"] == "random"]
            for row, loss in zip(of_task, losses):
                if at_random:
                    found = self.scores.setdefault((row["system"], task), {})
                    found[row["seed"]] = score(loss, median(at_random), min(losses))
        for row in rows:
            self.cpu.setdefault(row["system"], []).append(row["cpu_s"])
            if "versions" in row:
                self.versions.setdefault(row["system"], row["versions"])

    def score(self, system, task):
        runs = self.scores.get((system, task))
        return mean(list(runs.values())) if runs else None

    def shared(self, systems, tasks):
        return [task for task in tasks if all((system, task) in self.scores for system in systems)]


def score(loss, zero, one):
    """0 at random search's median, 1 at the least loss of all, cut to [-1, 1]."""
    if loss == zero:
        return 0.0
    if loss == inf or zero == one:
        return -1.0
    return max((zero - loss) / (zero - one), -1.0)


def interval(by_task, draws):
    return clustered({(task, 0): value for task, value in by_task.items()}, *draws)


def means(rows, systems, tasks, draws):
    """Mean scores with intervals, and how far ours is ahead of each."""
    lines = []
    for system in systems:
        found = {task: rows.score(system, task) for task in tasks}
        line = [system, "{:.3f} ({:.3f} to {:.3f})".format(*interval(found, draws)), ""]
        if system != systems[0]:
            ahead = {task: rows.score(systems[0], task) - found[task] for task in tasks}
            line[2] = "{:+.3f} ({:+.3f} to {:+.3f})".format(*interval(ahead, draws))
        n = sum(len(rows.scores[system, task]) for task in tasks)
        lines.append([*line, str(n), f"{median(rows.cpu[system]):.3g}"])
    table(["system", "mean score (95 %)", f"{systems[0]} is ahead by (95 %)", "runs", "CPU seconds of a run"], lines)


def each(rows, systems, tasks):
    """The score of every task, the highest in bold."""
    lines = []
    for task in tasks:
        found = [rows.score(system, task) for system in systems]
        best = max((s for s in found if s is not None), default=None)
        shown = ["" if s is None else f"**{s:.2f}**" if s == best else f"{s:.2f}" for s in found]
        lines.append([task, *shown])
    table(["task", *systems], lines)


def losses(rows, systems, tasks):
    """Where the mean of another system is higher than ours, whichever others have rows."""
    lines, n = [], 0
    for task in tasks:
        ours = rows.score(systems[0], task)
        others = {s: rows.score(s, task) for s in systems[1:] if (s, task) in rows.scores}
        if ours is None or not others:
            continue
        n += 1
        ahead = sorted((s for s in others if others[s] > ours), key=others.get, reverse=True)
        if ahead:
            lines.append([task, f"{ours:.2f}", ", ".join(f"{s} {others[s]:.2f}" for s in ahead)])
    print(f"Another system's mean is higher than {systems[0]}'s on {len(lines)} of {n} tasks.\n")
    if lines:
        table(["task", systems[0], "ahead of it"], lines)


def newest(folder):
    files = glob.glob(os.path.join(folder, "elbowroom-*.jsonl"))
    return max(files, key=lambda path: max((row["at"] for row in plan.rows(path)), default=0), default=None)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default=plan.RESULTS, help="the folder with the rows")
    parser.add_argument("--ours", help="our rows; the newest file if not given")
    options = parser.parse_args()
    ours = options.ours or newest(options.rows)
    peers = [path for path in sorted(glob.glob(os.path.join(options.rows, "*.jsonl"))) if "elbowroom-" not in path]
    found = [row for path in [*peers, *([ours] if ours else [])] for row in plan.rows(path)]
    protocol = plan.protocol()
    draws, tasks = list(protocol["bootstrap"].values()), plan.tasks(protocol)
    have = {row["system"] for row in found}
    systems = [s for s in [plan.OURS, "hebo", "optuna_gp", "optuna_tpe", "random"] if s in have]
    rows, held_out = Rows(found), Rows(found, "test")
    shared = rows.shared(systems, tasks)
    print("# Bayesmark's tasks beside the peers\n")
    print("Made by `crates/bench/bayesmark/summary.py` from the rows in [bayesmark](bayesmark); [the protocol]"
          f"(../bayesmark/protocol.md) says what is what. Ours are those of `{os.path.basename(ours or 'no file yet')}`.\n")
    print("Versions: " + "; ".join(f"{s}: {rows.versions[s]}" for s in systems) + ".\n")
    print("A score is 0 at the median of random search, 1 at the least loss of all runs, at least −1; 16 batches of 8. "
          "Intervals are over tasks alone: they do not show how far other seeds would be from these.\n")
    of_each = protocol["seeds"] * len(tasks)
    counts = [f"{s} {sum(row['system'] == s for row in found)}" for s in systems]
    print(f"Runs so far, of {of_each} each: {', '.join(counts)}.\n")
    print(f"## Means over {len(shared)} of {len(tasks)} tasks, those that all have rows of\n")
    means(rows, systems, shared, draws)
    print("## Losses\n")
    losses(rows, systems, tasks)
    print("## Every task\n")
    each(rows, systems, tasks)
    print("## On the data held out\n\nThe same with the loss that nobody was told, of the setting with the least one.\n")
    means(held_out, systems, shared, draws)


if __name__ == "__main__":
    main()
