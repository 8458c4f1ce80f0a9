#!/usr/bin/env python3
"""Runs elbowroom beside its peers on several outcomes, as protocol.md says. What has a row is not run again.

    run.py --environments DIR --elbow PEER [--minutes 60]
    run.py --environments DIR --system botorch --problem zdt1 --q 5 --seeds 1

One run at a time, on one thread. Problems are evaluated here, by a python that has numpy; systems run in processes of their own.
"""
import os

import bench
import drive
import plan
from cases import Case
from design import latin_hypercube


def play(job, case, n, n_init, peer):
    """One run: the score after each batch, and at the end the front, or the point of the least feasible value."""
    version = peer.call(op="init", space=case.space, seed=job.seed, n_init=n_init, reference=case.reference,
                        n_constraints=case.n_constraints)["version"]
    batch, measured, curve = latin_hypercube(case.space, n_init, job.seed), [], []
    while True:
        told = [case.measure(point) for point in batch]
        measured += told
        curve.append(case.score(measured))
        if len(measured) >= n:
            break
        peer.call(op="tell", x=batch, y=[[*m.objectives, *m.constraints] for m in told])
        q = min(job.q, n - len(measured))
        batch = peer.call(op="ask", q=q)["x"]
        batch = (batch + [batch[-1]] * (q - len(batch)))[:q]
    row = {"versions": version, "evaluations": n, "batches": len(curve) - 1, "score": curve[-1], "curve": curve}
    if case.reference:
        row["front"] = case.front(measured)
    return row


def run(job, options, protocol):
    case = options.problems.get(job.problem) or options.problems.setdefault(job.problem, Case(job.problem))
    n, n_init = plan.evaluations(protocol, len(case.space), job.q)
    rival = os.path.join(bench.HERE, "rival.py")
    return drive.row_of(job, options, protocol["systems"], rival, lambda peer: play(job, case, n, n_init, peer))


def file_of(job, options):
    name = f"elbowroom-{options.commit}" if job.system == plan.OURS else job.system
    return os.path.join(options.out, name + ".jsonl")


def todo(options, protocol):
    if options.problem:
        found = [plan.Job(options.system, options.problem, options.q, seed) for seed in range(options.seeds)]
    else:
        found = [job for job in plan.all_jobs(protocol) if options.system in (None, job.system)]
    done = set()
    for path in {file_of(job, options) for job in found}:
        done |= {plan.of_row(row) for row in plan.rows(path)}
    missing = [job for job in dict.fromkeys(found) if job not in done]
    return [job for job in missing if options.elbow or job.system != plan.OURS]


def main():
    parser = drive.parser(__doc__, plan.RESULTS, most_seconds=7200)
    parser.add_argument("--system", help="this one alone")
    parser.add_argument("--problem", help="this one alone; it needs --system")
    parser.add_argument("--q", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=1, help="of a run with --problem")
    options, protocol = drive.settled(parser.parse_args()), plan.protocol()
    drive.drive(todo(options, protocol), options, lambda job: run(job, options, protocol), file_of, "score")


if __name__ == "__main__":
    main()
