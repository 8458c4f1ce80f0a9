"""The runs of the protocol, and the rows that are there already. Standard library only."""
import json
import os

import bench
from jobs import Job, of_row, rows  # noqa: F401, for those who plan

RESULTS = os.path.join(os.path.dirname(bench.HERE), "results", "bayesmark")
OURS = "elbowroom"


def protocol():
    with open(os.path.join(bench.HERE, "protocol.json")) as file:
        return json.load(file)


def tasks(plan):
    """The names of all tasks, cheap models first."""
    return [f"{model}/{data}" for model in plan["models"] for data in plan["data"]]


def all_jobs(plan):
    """A seed at a time, the cheap systems first, so that a table is whole whenever it is looked at."""
    return [Job(system, task, plan["q"], seed) for seed in range(plan["seeds"]) for system in plan["systems"]
            for task in tasks(plan)]
