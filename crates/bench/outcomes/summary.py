#!/usr/bin/env python3
"""Makes the summary of the comparison from the rows alone: `summary.py [--ours FILE.jsonl] > summary.md`."""
import argparse
import glob
import os
from math import inf

import bench  # noqa: F401, the folder of the peers
import cases
import plan
from markdown import medians, table
from stats import clustered, log_regret, median, ranks
from volume import hypervolume

TITLES = {
    "fronts": "Several objectives at q = 5",
    "batches": "Several objectives at q = 1 and 10",
    "constraints": "One objective with constraints at q = 5",
    "both": "Two objectives with a constraint at q = 5",
}


class Rows:
    """Of each system and cell, how far each seed is from the best that is known, and its CPU seconds per batch.

    A cell is a problem and a batch size. A distance is infinite where a run failed or found nothing feasible.
    """

    def __init__(self, rows):
        self.distance, self.cpu, self.versions = {}, {}, {}
        known = best_known(rows)
        for row in rows:
            cell, system, score = (row["problem"], row["q"]), row["system"], row.get("score")
            sign = 1 if row["problem"] in cases.LEAST else -1
            gap = inf if score is None else sign * (score - known[row["problem"]])
            self.distance.setdefault((system, cell), {})[row["seed"]] = gap
            if "batches" in row:
                self.cpu.setdefault((system, cell), []).append(row["cpu_s"] / row["batches"])
                self.versions.setdefault(system, row["versions"])

    def values(self, system, cell):
        return list(self.distance.get((system, cell), {}).values())

    def median(self, system, cell):
        values = self.values(system, cell)
        return median(values) if values else None

    def shared(self, systems, cells):
        return [cell for cell in cells if all(self.values(system, cell) for system in systems)]


def best_known(rows):
    """The largest hypervolume, or the least feasible value, of every problem: the stored one, or that of all runs."""
    known = {}
    for problem in {row["problem"] for row in rows}:
        of_problem = [row for row in rows if row["problem"] == problem and row.get("score") is not None]
        if problem in cases.LEAST:
            known[problem] = min([cases.LEAST[problem][2], *(row["score"] for row in of_problem)])
            continue
        _, _, reference, volume, is_exact = cases.FRONTS[problem]
        if not is_exact:
            volume = max(volume, hypervolume((p for row in of_problem for p in row["front"]), reference))
        known[problem] = volume
    return known


def number(value):
    """The logarithm of a distance to two digits."""
    return "none" if value == inf else f"{log_regret(value):.2f}"


def name_of(cell):
    return f"{cell[0]}, q = {cell[1]}" if cell[1] != 5 else cell[0]


def distances(rows, systems, cells):
    table(["problem", *systems], medians(rows, systems, cells, name_of, number, " to "))


def mean_ranks(rows, systems, cells, draws):
    shared = rows.shared(systems, cells)
    if not shared:
        print("No problem has rows of all of these systems yet.\n")
        return
    of_cell = {cell: ranks([max(rows.median(s, cell), 1e-12) for s in systems]) for cell in shared}
    lines = []
    for k, system in enumerate(systems):
        rank = clustered({cell: found[k] for cell, found in of_cell.items()}, *draws)
        first = sum(found[k] == min(found) for found in of_cell.values())
        lines.append([system, "{:.2f} ({:.2f} to {:.2f})".format(*rank), str(first)])
    left = [name_of(cell) for cell in cells if cell not in shared]
    note = f"; not {', '.join(left)}" if left else ""
    print(f"Ranks on {len(shared)} of {len(cells)} cells, those with rows of all{note}.\n")
    table(["system", "mean rank (95 %)", "first on"], lines)


def losses(rows, ours, others, cells):
    """Where the median of another system, random search among them, is better than ours; and who has no rows yet."""
    lines, n = [], 0
    for cell in cells:
        mine, theirs = rows.median(ours, cell), {s: rows.median(s, cell) for s in others if rows.values(s, cell)}
        if mine is None or not theirs:
            continue
        n += 1
        best = min(theirs, key=theirs.get)
        if theirs[best] < mine:
            seeds = len(rows.values(best, cell))
            lines.append([name_of(cell), number(mine), f"{best}: {number(theirs[best])} ({seeds})"])
    absent = [system for system in others if not any(rows.values(system, cell) for cell in cells)]
    note = f" {', '.join(absent)} {'has' if len(absent) == 1 else 'have'} no rows yet." if absent else ""
    print(f"Another system is better than {ours} on {len(lines)} of {n} cells.{note}\n")
    if lines:
        table(["problem", ours, "best of the others (seeds)"], lines)


def cpu(rows, systems, cells):
    """Milliseconds per batch, and how many of ours BoTorch's are."""
    lines = []
    for cell in cells:
        found = {s: median(rows.cpu[s, cell]) for s in systems if (s, cell) in rows.cpu}
        line = [name_of(cell)] + [f"{1000 * found[s]:.3g}" if s in found else "" for s in systems]
        ratio = found["botorch"] / found[plan.OURS] if {"botorch", plan.OURS} <= found.keys() else None
        lines.append([*line, f"{ratio:.0f}" if ratio else ""])
    table(["problem", *systems, "botorch over ours"], lines)


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
    protocol = plan.protocol()
    rows = Rows([row for path in [*peers, *([ours] if ours else [])] for row in plan.rows(path)])
    draws = protocol["bootstrap"].values()
    print("# Several outcomes beside the peers: what the registered comparison has given\n")
    print("Made by `crates/bench/outcomes/summary.py` from the rows in this folder; [the protocol](../../outcomes/protocol.md) "
          f"says what is what. Ours are those of `{os.path.basename(ours or 'no file yet')}`.\n")
    print("Versions: " + "; ".join(f"{s}: {v}" for s, v in sorted(rows.versions.items())) + ".\n")
    print("Every number is the log10 of the distance to the best that is known, of the hypervolume or of the least feasible "
          "value: the median (quartiles; seeds), the least in bold. \"none\": no feasible point.\n")
    for part, title in TITLES.items():
        systems, cells = protocol["parts"][part]["systems"], plan.cells(protocol, part)
        ranked = [system for system in systems if system != "random"]
        print(f"## {title}\n")
        distances(rows, systems, cells)
        mean_ranks(rows, ranked, cells, draws)
        losses(rows, plan.OURS, systems[1:], cells)
        print("CPU milliseconds per batch, medians:\n")
        cpu(rows, ranked, cells)


if __name__ == "__main__":
    main()
