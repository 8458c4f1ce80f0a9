#!/usr/bin/env python3
"""Runs elbowroom beside its peers on Bayesmark's tasks, as protocol.md says. What has a row is not run again.

    run.py --environments DIR --elbow PEER [--minutes 60]
    run.py --environments DIR --system hebo --tasks DT/wine/nll,RF/wine/nll --seeds 1

One run at a time, on one thread; tasks and systems run in processes of their own.
"""
import os

import bench
import drive
import plan
from play import Peer, play
from tasks import Task


def run(job, options, protocol):
    """The row of a job: `regret` is the least validation loss, `test` that setting's loss on the data held out."""
    if options.objective.process.poll() is not None:
        options.objective = objective(options)

    def tuned(peer):
        task = Task(options.objective, job.problem, job.seed)
        row = play(job, task, protocol["batches"] * job.q, None, peer)
        return {**row, "versions": f"{row['versions']}, {task.version}", "test": task.test(), "n_failed": task.n_failed}

    return drive.row_of(job, options, protocol["systems"], "serve.py", tuned)


def objective(options):
    python = os.path.join(options.environments, "bayesmark", "bin", "python")
    return Peer([python, os.path.join(bench.HERE, "objective.py")], options.log)


def file_of(job, options):
    name = f"elbowroom-{options.commit}" if job.system == plan.OURS else job.system
    return os.path.join(options.out, name + ".jsonl")


def todo(options, protocol):
    wanted = options.tasks.split(",") if options.tasks else plan.tasks(protocol)
    found = [job for job in plan.all_jobs(protocol)
             if options.system in (None, job.system) and job.problem in wanted and job.seed < options.seeds]
    done = set()
    for path in {file_of(job, options) for job in found}:
        done |= {plan.of_row(row) for row in plan.rows(path)}
    return [job for job in found if job not in done and (options.elbow or job.system != plan.OURS)]


def main():
    parser = drive.parser(__doc__, plan.RESULTS, most_seconds=7200)
    parser.add_argument("--system", help="this one alone")
    parser.add_argument("--tasks", help="these alone, with commas")
    parser.add_argument("--seeds", type=int, default=3, help="the first so many")
    options, protocol = drive.settled(parser.parse_args()), plan.protocol()
    options.objective = objective(options)
    drive.drive(todo(options, protocol), options, lambda job: run(job, options, protocol), file_of, "regret")


if __name__ == "__main__":
    main()
