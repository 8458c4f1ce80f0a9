"""The runs of the protocol, and the rows that are there already. Standard library only."""
import json
import os

import bench
from jobs import Job, of_row, rows  # noqa: F401, for those who plan

RESULTS = os.path.join(os.path.dirname(bench.HERE), "results", "outcomes")
OURS = "elbowroom"


def protocol():
    with open(os.path.join(bench.HERE, "protocol.json")) as file:
        return json.load(file)


def cells(plan, part):
    """The problems of a part with their batch sizes."""
    part = plan["parts"][part]
    return [(problem, q) for q in part["q"] for problem in part["problems"]]


def evaluations(plan, dim, q):
    """How many evaluations a run has in all, and how many of them are the initial design."""
    n_init = 2 * (dim + 1)
    return n_init + plan["after_the_design"][str(q)], n_init


def seeds(plan, part, system):
    return plan["systems"][OURS]["seeds"] if system == OURS else plan["parts"][part]["seeds"]


def all_jobs(plan):
    """A seed at a time, the cheap systems first; what takes hours comes last of all, with one seed."""
    most = max(system["seeds"] for system in plan["systems"].values())
    found = [Job(system, problem, q, seed) for seed in range(most) for system in plan["systems"] for part in plan["parts"]
             if system in plan["parts"][part]["systems"] and seed < seeds(plan, part, system)
             for problem, q in cells(plan, part)]
    last = [job for job in found if [job.system, job.problem] in plan["last"]]
    return [job for job in found if job not in last] + [job for job in last if job.seed == 0]
