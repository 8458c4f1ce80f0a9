"""The runs of the protocol, and the rows that are there already. Standard library only."""
import json
import os
import zlib
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(os.path.dirname(HERE), "results")
OURS = ("elbowroom", "elbowroom_declared")

# A run: a system on a problem in batches of q, from one seed.
Job = namedtuple("Job", "system problem q seed")


def protocol():
    with open(os.path.join(HERE, "protocol.json")) as file:
        return json.load(file)


def at_ten(plan):
    """The forty problems, with the batch size of their rows."""
    names = [name for kind in plan["problems"].values() for name in kind]
    return [(name, 5 if name in plan["five_at_once"] else 10) for name in names]


def kind_of(plan, problem):
    return next((kind for kind, names in plan["problems"].items() if problem in names), "noisy")


def noisy(plan):
    part = plan["noise"]
    return [f"{name}~{share}" for share in part["shares"] for name in part["problems"]]


def evaluations(plan, problem, q, n=None):
    """How many evaluations a run has in all, n if it is given, and how many of them are the initial design."""
    n = n or (200 if problem in plan["two_hundred"] else plan["evaluations"][str(q)])
    return n, max(q, 5) if q > 1 else 10


def stages(plan):
    """The jobs in the order in which they are run: what is cheap or tells most first, a seed at a time."""
    systems, batches, noise = plan["systems"], plan["batches"], plan["noise"]
    recorded = [(p, q) for p, q in at_ten(plan) if p in plan["problems"]["recorded"]]
    fresh = [(p, q) for p, q in at_ten(plan) if p not in plan["problems"]["recorded"] and "~" not in p]
    noisy_cells = [(p, 10) for p in noisy(plan)]
    rivals, cheap = ["hebo", "botorch", "optuna_gp"], ["optuna_tpe", "random", "cma_es"]

    def cross(names, cells, seeds):
        return [Job(name, p, q, seed) for seed in seeds for p, q in cells for name in names
                if seed < systems[name]["seeds"]]

    tuning = [(p, 10) for p in plan["problems"]["tuning"]]
    quick = [cell for cell in dict.fromkeys([*at_ten(plan), *noisy_cells]) if cell not in tuning]
    others = [(p, q) for q in batches["q"] for p in batches["problems"]]
    large = [(p, 10) for p in plan["problems"]["large"]]
    three = range(noise["seeds"])
    return {
        "ours": cross(["elbowroom"], quick, range(20)) + cross(["elbowroom"], tuning, range(5))
        + cross(["elbowroom_declared"], noisy_cells, range(20)) + cross(["elbowroom"], others, range(batches["seeds"])),
        "hebo": cross(["hebo"], recorded, three),
        "noise": cross(rivals, noisy_cells, three),
        "fresh": cross(rivals, fresh, three) + cross(["turbo"], large, range(5)),
        "cheap": cross(cheap, [*fresh, *noisy_cells], range(20)) + cross(cheap, recorded, range(20)),
        "seeds": cross(["elbowroom"], tuning, range(20)) + cross(rivals, at_ten(plan), range(5)),
        "batches": cross(batches["systems"][1:], others, range(batches["seeds"])),
    }


def is_repeated(plan, job):
    """Whether a run of ours is among those that are run twice: one in so many, by its name alone."""
    return zlib.crc32(" ".join(map(str, job)).encode()) % plan["repeat_one_in"] == 0


def rows(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def of_row(row):
    return Job(row["system"], row["problem"], row["q"], row["seed"])


def recorded_rows():
    """Rows of an earlier harness with the same designs, problems and settings, in the form of the present one."""
    found = []
    for row in rows(os.path.join(RESULTS, "quality.jsonl")):
        job, result = row["job"], row.get("result", {})
        if row["peer"] != "cli" and result.get("status") == "done":
            found.append({"system": row["peer"], "versions": row["version"], "problem": job["problem"], "q": job["q"],
                          "seed": job["seed"], "regret": result["regret"], "cpu_s": result["overhead_cpu_s"]})
    return found
