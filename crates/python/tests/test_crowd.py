"""Many processes on one store file, one of them killed."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import elbowroom as er

N_PROCESSES, BUDGET = 8, 48
SPACE = {"x": er.Float(0, 1), "y": er.Float(0, 1)}

# A worker that writes down every trial that it was handed, and every one whose value was stored. Its lease is long enough
# for a busy machine, and short enough not to wait long for the killed one's trial.
WORKER = textwrap.dedent(
    """
    import sys, time
    import elbowroom as er

    path, log = sys.argv[1:]
    study = er.Study.open(path, "crowd", lease=8.0)
    with open(log, "w", buffering=1) as out:
        while study.counts["complete"] < study.settings["budget"]:
            batch = study.ask()
            if not batch:
                time.sleep(0.05)  # the rest is in the hands of others
                continue
            [trial] = batch
            out.write(f"handed {trial.number} {trial.attempt}\\n")
            if "stall" in log:
                time.sleep(600)  # to be killed here, with a trial in its hands
            time.sleep(0.02)
            study.tell(trial, (trial["x"] - 0.3) ** 2 + trial["y"])
            out.write(f"told {trial.number}\\n")
    """
)


def lines(path):
    return [line.split() for line in path.read_text().splitlines() if line] if path.exists() else []


def test_eight_processes_share_a_file_and_one_is_killed(tmp_path):
    path = tmp_path / "study.elbow"
    study = er.Study(SPACE, store=path, name="crowd", budget=BUDGET, seed=1)
    logs = [tmp_path / ("stall" if i == 0 else f"log{i}") for i in range(N_PROCESSES)]
    workers = [subprocess.Popen([sys.executable, "-c", WORKER, str(path), str(log)]) for log in logs]
    try:
        while not lines(logs[0]):
            assert workers[0].poll() is None
            time.sleep(0.05)
        os.kill(workers[0].pid, signal.SIGKILL)
        assert [worker.wait(timeout=120) for worker in workers] == [-signal.SIGKILL] + [0] * (N_PROCESSES - 1)
    finally:
        for worker in workers:
            worker.kill()

    trials = study.trials
    # Nothing is lost: every value that a worker was told is stored is there, and the killed one's trial was done by
    # another.
    told = [int(number) for log in logs for what, number, *_ in lines(log) if what == "told"]
    assert sorted(told) == list(range(BUDGET)) == [trial.number for trial in trials]
    assert study.counts["complete"] == BUDGET and study.budget_left == 0
    [[_, killed, _]] = lines(logs[0])
    assert trials[int(killed)].attempts == 2

    # Nothing was live twice: each attempt was handed to one process, and no two trials have the same point.
    handed = [(number, attempt) for log in logs for what, number, *attempt in lines(log) if what == "handed"]
    assert len({(number, *attempt) for number, attempt in handed}) == len(handed) == BUDGET + 1
    assert len({tuple(trial.params.values()) for trial in trials}) == BUDGET
    assert all(len(trial.measurements) == 1 for trial in trials)
