"""Runs jobs one by one, each into the file of its rows: what the comparisons do alike. Standard library only."""
import argparse
import json
import os
import subprocess
import time

import jobs
from play import Failed, Peer


def parser(description, results, most_seconds):
    """The options of all: where systems and rows are, and for how long to run."""
    found = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--environments", required=True, help="the folder with the systems' environments")
    found.add_argument("--elbow", help="the program `peer`; without it our own runs are left out")
    found.add_argument("--commit", help="the commit that `peer` was built from; git's if it is not given")
    found.add_argument("--minutes", type=float, default=1e9, help="begin no run after so long")
    found.add_argument("--most-seconds", type=float, default=most_seconds, help="end a run that takes longer")
    found.add_argument("--out", default=results)
    found.add_argument("--log", default=os.devnull, help="where the systems' own messages go")
    return found


def settled(options):
    """Options with absolute paths, an open log, the commit, and room for what is kept from run to run."""
    options.problems, options.alive = {}, {}
    options.log = open(options.log, "a")
    options.environments = os.path.abspath(options.environments)
    options.elbow = options.elbow and os.path.abspath(options.elbow)
    git = ["git", "-C", jobs.HERE, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    options.commit = options.commit or subprocess.run(git, capture_output=True, text=True).stdout.strip()
    os.makedirs(options.out, exist_ok=True)
    return options


def row_of(job, options, environments, serve, play):
    """The row of a job, which `play` makes with the system's process; `serve` is the program behind it.

    A peer's process is kept for its next run: to start one takes longer than some runs do.
    """
    is_ours = job.system in jobs.OURS
    peer = options.alive.pop(job.system, None) or Peer(command(job, options, environments, serve), options.log)
    start = time.time()
    peer.begin(options.most_seconds)
    try:
        row, failed = play(peer), False
    except Failed as why:
        row, failed = {"error": str(why)}, True
    cpu = peer.end()
    if is_ours:
        cpu = peer.close()  # all that the process took: it does not count by itself
    elif failed:
        peer.close()
    else:
        options.alive[job.system] = peer
    ours = {"commit": options.commit} if is_ours else {}
    return {**job._asdict(), **ours, **row, "cpu_s": round(cpu, 4), "wall_s": round(time.time() - start, 2), "at": int(start)}


def command(job, options, environments, serve):
    if job.system in jobs.OURS:
        return [options.elbow]
    environment = environments[job.system]["environment"]
    return [os.path.join(options.environments, environment, "bin", "python"), serve, job.system]


def drive(missing, options, run, file_of, figure):
    """Runs what is missing, and writes down each row as it comes. `figure` names the one that is shown."""
    end = time.time() + 60 * options.minutes
    for i, job in enumerate(missing):
        if time.time() > end:
            print(f"time is up: {len(missing) - i} runs are left")
            return
        row = run(job)
        with open(file_of(job, options), "a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{i + 1}/{len(missing)}", *job, row.get(figure, row.get("error")), f"{row['cpu_s']} s", flush=True)
