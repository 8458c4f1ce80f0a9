#!/usr/bin/env python3
"""Makes the summary of the comparison from the rows alone: `summary.py [--ours FILE.jsonl] > summary.md`."""
import argparse
import glob
import os
from math import inf

import jobs
from markdown import medians, table
from stats import clustered, log_regret, mean, median, ranks

RANKED = ["elbowroom", "botorch", "hebo", "optuna_gp", "optuna_tpe", "cma_es", "random"]
UNDER_NOISE = [name for name in RANKED if name != "cma_es"]


class Rows:
    """All rows: of each system, the regrets and CPU seconds of each cell by seed. A cell is a problem and a batch size."""

    def __init__(self, plan, rows):
        self.plan, self.regret, self.cpu, self.versions = plan, {}, {}, {}
        for row in rows:
            cell, system = (row["problem"], row["q"]), row["system"]
            self.regret.setdefault(system, {}).setdefault(cell, {})[row["seed"]] = row.get("regret", inf)
            self.cpu.setdefault(system, {}).setdefault(cell, []).append(row["cpu_s"])
            if "versions" in row:
                self.versions.setdefault(system, row["versions"])
        for problem in plan["problems"]["tuning"]:
            self.subtract_least((problem, 10))

    def subtract_least(self, cell):
        """The minimum of a tuning task is the least loss of any run."""
        found = [cells[cell] for cells in self.regret.values() if cell in cells]
        least = min((v for seeds in found for v in seeds.values()), default=0.0)
        for seeds in found:
            seeds.update({seed: v - least for seed, v in seeds.items()})

    def values(self, system, cell):
        return list(self.regret.get(system, {}).get(cell, {}).values())

    def median(self, system, cell):
        values = self.values(system, cell)
        return median(values) if values else None

    def common(self, systems, cells):
        return [cell for cell in cells if all(self.values(system, cell) for system in systems)]


def number(v):
    if v == inf:
        return "failed"
    if v == 0:
        return "0"
    return f"{v:.1e}" if not 1e-3 <= abs(v) < 1e4 else f"{v:.3g}"


def name_of(cell):
    return f"{cell[0]}, q = {cell[1]}" if cell[1] != 10 else cell[0]


def regrets(rows, systems, cells):
    lines = medians(rows, systems, cells, name_of, number, "–")
    table(["problem", *systems], [line for line in lines if any(line[1:])])


def mean_ranks(rows, systems, cells):
    """Mean ranks of medians with intervals, and the mean difference of log10 medians to ours."""
    shared = rows.common(systems, cells)
    if not shared:
        print("No problem has rows of all of these systems yet.\n")
        return
    draws = rows.plan["bootstrap"].values()
    of_cell = {cell: [max(rows.median(s, cell), 1e-12) for s in systems] for cell in shared}
    lines = []
    for k, system in enumerate(systems):
        rank = clustered({cell: ranks(medians)[k] for cell, medians in of_cell.items()}, *draws)
        first = sum(ranks(medians)[k] == 1 for medians in of_cell.values())
        behind = [medians[k] for medians in of_cell.values()]
        line = [system, "{:.2f} ({:.2f} to {:.2f})".format(*rank), str(first), ""]
        if k > 0 and inf not in behind:
            gap = {cell: log_regret(medians[k]) - log_regret(medians[0]) for cell, medians in of_cell.items()}
            line[3] = "{:+.2f} ({:+.2f} to {:+.2f})".format(*clustered(gap, *draws))
        lines.append(line)
    print(f"{len(shared)} of {len(cells)} problems have rows of all.\n")
    table(["system", "mean rank (95 %)", "first on", f"mean log10 regret less {systems[0]}'s (95 %)"], lines)


def losses(rows, systems, cells):
    """Where our median is more than twice the best peer's, whichever peers have rows."""
    lines, n = [], 0
    for cell in cells:
        ours = rows.median(systems[0], cell)
        theirs = {s: rows.median(s, cell) for s in systems[1:] if rows.values(s, cell)}
        if ours is None or not theirs:
            continue
        n += 1
        best = min(theirs, key=theirs.get)
        ratio = max(ours, 1e-12) / max(theirs[best], 1e-12)
        if ratio > 2:
            seeds = len(rows.values(best, cell))
            lines.append((ratio, [name_of(cell), number(ours), f"{best}: {number(theirs[best])} ({seeds})", f"{ratio:.1f}"]))
    print(f"On {len(lines)} of {n} problems {systems[0]}'s median regret is more than twice the best peer's.\n")
    if lines:
        table(["problem", systems[0], "best peer (seeds)", "ratio"], [line for _, line in sorted(lines, reverse=True)])


def declared(rows, cells):
    """Ours with the noise declared against fitted, seed by seed."""
    gaps, lines = {}, []
    ours, told = rows.regret.get("elbowroom", {}), rows.regret.get("elbowroom_declared", {})
    for cell in cells:
        seeds = ours.get(cell, {}).keys() & told.get(cell, {}).keys()
        if not seeds:
            continue
        gaps[cell] = mean([log_regret(told[cell][s]) - log_regret(ours[cell][s]) for s in seeds])
        both = [number(median([of[cell][s] for s in seeds])) for of in (ours, told)]
        lines.append([cell[0], *both, f"{gaps[cell]:+.2f}", str(len(seeds))])
    if gaps:
        table(["problem", "fitted: median", "declared: median", "mean log10 difference", "seeds"], lines)
        found = clustered(gaps, *rows.plan["bootstrap"].values())
        print("Declared less fitted, mean of log10 regret: {:+.3f} ({:+.3f} to {:+.3f}).\n".format(*found))


def repeats(path):
    """How many of our runs that were run twice are equal to the last bit."""
    first = {jobs.of_row(row): row for row in jobs.rows(path)}
    again = [row for row in jobs.rows(path.replace(".jsonl", "-again.jsonl")) if jobs.of_row(row) in first]
    same = [all(row.get(k) == first[jobs.of_row(row)].get(k) for k in ("curve", "regret", "error")) for row in again]
    print(f"{len(again)} of {len(first)} runs of ours were run again; {sum(same)} are equal to the last bit.\n")


def newest(folder):
    files = [path for path in glob.glob(os.path.join(folder, "elbowroom-*.jsonl")) if not path.endswith("-again.jsonl")]
    return max(files, key=lambda path: max((row["at"] for row in jobs.rows(path)), default=0), default=None)


def main():
    folder = os.path.join(jobs.RESULTS, "peers")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ours", default=newest(folder), help="our rows; the newest file if not given")
    options = parser.parse_args()
    peers = [path for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))) if "elbowroom-" not in path]
    plan = jobs.protocol()
    rows = Rows(plan, [*jobs.recorded_rows(), *(row for path in [*peers, options.ours] for row in jobs.rows(path))])
    at_ten, noisy = jobs.at_ten(plan), [(name, 10) for name in jobs.noisy(plan)]
    print("# Beside the peers: what the registered comparison has given\n")
    print("Made by `crates/bench/peers/summary.py` from the rows in this folder and the recorded ones in `../quality.jsonl`; "
          f"[the protocol](../../peers/protocol.md) says what is what. Ours are those of `{os.path.basename(options.ours)}`.\n")
    print("Versions: " + "; ".join(f"{s}: {v}" for s, v in sorted(rows.versions.items())) + ".\n")
    print("## Forty problems at q = 10\n\nMedian regret (quartiles; seeds), least in bold.\n")
    regrets(rows, [*RANKED, "turbo", "egobox"], at_ten)
    mean_ranks(rows, RANKED, at_ten)
    losses(rows, [*RANKED, "turbo"], at_ten)
    for q in plan["batches"]["q"]:
        cells = [(problem, q) for problem in plan["batches"]["problems"]]
        print(f"## q = {q}\n")
        regrets(rows, UNDER_NOISE, cells)
        mean_ranks(rows, UNDER_NOISE, cells)
    print("## Under noise\n\nRegret of the point where one stops.\n")
    regrets(rows, [UNDER_NOISE[0], "elbowroom_declared", *UNDER_NOISE[1:]], noisy)
    mean_ranks(rows, UNDER_NOISE, noisy)
    losses(rows, UNDER_NOISE, noisy)
    declared(rows, noisy)
    print("## CPU seconds of a run: median\n")
    systems = [*RANKED, "turbo", "egobox"]
    table(["problem", *systems], [[name_of(cell)] + [number(median(rows.cpu[s][cell])) if cell in rows.cpu.get(s, {}) else ""
                                                    for s in systems] for cell in at_ten])
    print("## Run again\n")
    repeats(options.ours)


if __name__ == "__main__":
    main()
