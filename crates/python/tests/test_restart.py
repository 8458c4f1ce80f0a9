"""Runs after others died, beside others, and left by Ctrl-C."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings

import pytest

import elbowroom as er

SPACE = {"x": er.Float(-1, 1)}


def square(x):
    return x * x


def start(code, *args):
    """A process of Python, which says a line when it is ready."""
    command = [sys.executable, "-c", "import elbowroom as er\n" + textwrap.dedent(code), *map(str, args)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


HOLD = """
    import sys, time
    study = er.Study.open(sys.argv[1], worker=sys.argv[2] or None, lease=float(sys.argv[3]))
    study.ask(2)
    print("ready", flush=True)
    time.sleep(600)
"""


def killed_holder(path, worker="", lease=90.0):
    process = start(HOLD, path, worker, lease)
    process.kill()
    process.wait()


def test_a_run_finishes_what_a_dead_process_of_this_machine_had(tmp_path):
    path = tmp_path / "study.elbow"
    study = er.Study(SPACE, store=path, budget=4)
    killed_holder(path)
    began = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.run(square)
    assert study.counts["complete"] == 4
    assert time.monotonic() - began < 60, "it waited for the leases, of 90 seconds, to run out"
    assert [trial.attempts for trial in study.trials] == [2, 2, 1, 1]
    # With coroutines too.
    study = er.Study(SPACE, store=path, name="second", budget=2)
    process = start(HOLD.replace("sys.argv[1],", "sys.argv[1], 'second',"), path, "", 90.0)
    process.kill()
    process.wait()

    async def f(x):
        return x

    asyncio.run(study.run_async(f))
    assert study.counts["complete"] == 2


def test_a_run_waits_until_others_have_finished_or_lost_what_they_have(tmp_path):
    path = tmp_path / "study.elbow"
    study = er.Study(SPACE, store=path, budget=3)
    # Under a name of its own nobody can tell that its process is gone: its lease has to run out.
    killed_holder(path, "a machine far away", 3.0)
    study.run(square)
    assert study.counts["complete"] == 3


def test_a_run_that_ends_with_trials_pending_says_so(tmp_path):
    path = tmp_path / "study.elbow"
    study = er.Study(SPACE, store=path, budget=4)
    other = er.Study.open(path, worker="other")
    held = other.ask()
    with pytest.warns(UserWarning, match="ends with trials pending: 1 trial running on other workers, 0 waiting to be handed"):
        study.run(square, 2)
    other.give_back(held)
    # What this process has in hand is no news to it.
    [mine] = study.ask()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.run(square)
    assert study.tell(mine, 1.0) == "recorded"
    assert study.counts["complete"] == 4


def test_an_interrupt_between_the_commit_and_the_assignment_leaves_no_trial_running(monkeypatch):
    study = er.Study(SPACE, budget=6)
    [mine] = study.ask()
    before = er.Study.ask

    def interrupted(self, n=1, **more):
        before(self, n, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(er.Study, "ask", interrupted)
    with pytest.raises(KeyboardInterrupt):
        study.run(square, workers=3)
    # What was in hand before the run is not the run's to give back.
    assert (study.counts["running"], study.counts["queued"]) == (1, 3)
    assert study.trials[mine.number].state == "running"


RUN = """
    import signal, sys
    signal.signal(signal.SIGINT, signal.default_int_handler)
    study = er.Study.open(sys.argv[1])
    print("ready", flush=True)
    study.run(lambda x: x * x, workers=2)
"""


def test_a_process_that_ctrl_c_ends_leaves_no_trial_running(tmp_path):
    path = tmp_path / "study.elbow"
    study = er.Study(SPACE, store=path, budget=100_000, initial=90_000)
    for n in range(12):
        process = start(RUN, path)
        time.sleep(0.05 + 0.013 * n)
        os.kill(process.pid, signal.SIGINT)
        process.wait(timeout=60)
        assert study.counts["running"] == 0, f"after {n} others"
