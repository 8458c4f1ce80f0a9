#!/usr/bin/env python3
"""Runs elbowroom beside its peers, as protocol.md says. What has a row is not run again, so it can be stopped at any time.

    run.py --environments DIR --elbow PEER [--stage ours,hebo,...] [--minutes 60]
    run.py --environments DIR --elbow PEER --again      the twentieth part of our runs once more; are they equal?
    run.py --environments DIR --system hebo --problem pool:FILE.csv --q 10 --seeds 3

One run at a time, on one thread. Problems are evaluated here, so start it with an environment's python that has
scikit-learn (README.md); systems run in processes of their own.
"""
import os

import drive
import jobs
from play import ONE_THREAD, play

os.environ.update(ONE_THREAD)  # before numpy and scikit-learn read it
from problems import Problem  # noqa: E402


def run(job, options, plan):
    problem = options.problems.get(job.problem) or options.problems.setdefault(job.problem, Problem(job.problem))
    n, n_init = jobs.evaluations(plan, job.problem, job.q, options.evaluations)
    return drive.row_of(job, options, plan["systems"], "serve.py", lambda peer: play(job, problem, n, n_init, peer))


def file_of(job, options):
    name = f"elbowroom-{options.commit}" if job.system in jobs.OURS else job.system
    return os.path.join(options.out, name + ("-again" if options.again else "") + ".jsonl")


def todo(options, plan):
    if options.problem:
        found = [jobs.Job(options.system, options.problem, options.q, seed) for seed in range(options.seeds)]
    else:
        stages = jobs.stages(plan)
        names = options.stage.split(",") if options.stage else list(stages)
        found = [job for name in names for job in stages[name]]
    if options.again:
        found = [job for job in found if job.system in jobs.OURS and jobs.is_repeated(plan, job)]
    done = {jobs.of_row(row) for row in jobs.recorded_rows()}
    for path in {file_of(job, options) for job in found}:
        done |= {jobs.of_row(row) for row in jobs.rows(path)}
    missing = [job for job in dict.fromkeys(found) if job not in done]
    if not options.elbow:
        missing = [job for job in missing if job.system not in jobs.OURS]
    return missing


def main():
    parser = drive.parser(__doc__, os.path.join(jobs.RESULTS, "peers"), most_seconds=1800)
    parser.add_argument("--stage", help="names from jobs.py, with commas; all of them, in order, if not given")
    parser.add_argument("--again", action="store_true", help="run a part of our runs once more, into a file of its own")
    parser.add_argument("--system", default="elbowroom")
    parser.add_argument("--problem")
    parser.add_argument("--q", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--evaluations", type=int, help="of a run with --problem, instead of the protocol's")
    options, plan = drive.settled(parser.parse_args()), jobs.protocol()
    drive.drive(todo(options, plan), options, lambda job: run(job, options, plan), file_of, "regret")


if __name__ == "__main__":
    main()
