"""Runs with threads, processes, executors and coroutines."""

import asyncio
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import elbowroom as er

SPACE = {"x": er.Float(-1, 1)}


def square(x):
    return x * x


def die_at_once(x):
    os.kill(os.getpid(), signal.SIGKILL)


def raise_key_error(x):
    return {}["missing"]


def test_the_budget_is_exact_whatever_the_number_of_workers():
    study = er.minimize(square, SPACE, budget=11, workers=4)
    assert study.counts["complete"] == 11


def test_as_many_run_at_once_as_there_are_workers():
    # Each waits for three others: with fewer workers it would time out.
    barrier = threading.Barrier(4, timeout=20)

    def f(x):
        barrier.wait()
        return x

    assert er.minimize(f, SPACE, budget=8, workers=4).counts["complete"] == 8


@pytest.mark.parametrize("make", [lambda: ThreadPoolExecutor(2), lambda: ProcessPoolExecutor(2)])
def test_any_executor_will_do(make):
    with make() as executor:
        study = er.Study(SPACE, budget=6).run(square, executor=executor)
    assert study.counts["complete"] == 6
    assert all(trial.value == trial["x"] ** 2 for trial in study.trials)


def test_exceptions_become_failed_trials_with_the_end_of_the_traceback():
    for executor in ("threads", "processes"):
        with pytest.warns(UserWarning, match="none of 3 trials has a value"):
            study = er.minimize(raise_key_error, SPACE, budget=3, workers=2, executor=executor)
        assert study.best is None
        assert all(trial.reason.endswith("KeyError: 'missing'") for trial in study.trials)
        assert all('return {}["missing"]' in trial.reason for trial in study.trials)


def test_an_objective_that_kills_its_process_fails_its_trials_and_not_the_run():
    with pytest.warns(UserWarning, match="none of"):
        study = er.minimize(die_at_once, SPACE, budget=2, workers=2, executor="processes")
    assert study.counts["failed"] == 2
    assert all("died" in trial.reason for trial in study.trials)


def test_an_executor_that_broke_gives_its_trials_back():
    study = er.Study(SPACE, budget=4)
    with ProcessPoolExecutor(2) as executor:
        with pytest.raises(er.ElbowroomError, match="the executor broke"):
            study.run(die_at_once, executor=executor)
    assert study.counts["running"] == 0 and study.counts["failed"] == 0
    study.run(square)
    assert study.counts["complete"] == 4


def test_a_lambda_for_processes_is_refused_with_a_way_out():
    with pytest.raises(er.ConfigError, match="executor='threads'"):
        er.minimize(lambda x: x, SPACE, budget=2, executor="processes")


def test_a_run_without_an_end_is_refused():
    with pytest.raises(er.ConfigError, match="never end"):
        er.Study(SPACE).run(square)


def test_a_target_a_number_and_a_callback_stop_a_run():
    assert er.minimize(square, SPACE, target=0.2).best.value <= 0.2
    assert len(er.Study(SPACE).run(square, 5).trials) == 5
    seen = []

    def three(study, trial):
        seen.append(trial.value)
        return len(seen) == 3

    study = er.Study(SPACE).run(square, callbacks=[three])
    assert [trial.value for trial in study.trials] == seen and len(seen) == 3


def test_a_time_of_zero_starts_nothing():
    assert er.Study(SPACE).run(square, timeout=0).trials == []


def test_a_noise_variance_may_come_with_the_value():
    study = er.minimize(lambda x: (x, 0.25), SPACE, budget=2)
    assert [trial.noise for trial in study.trials] == [0.25, 0.25]


def test_what_is_no_number_fails_its_trial():
    with pytest.warns(UserWarning):
        study = er.minimize(lambda x: None, SPACE, budget=1)
    assert study.trials[0].reason == "the objective returned None, which is no number"


@pytest.fixture(name="ctrl_c")
def _ctrl_c():
    """Ctrl-C as in a terminal: a job in the background of a shell is started with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_gives_the_trials_back():
    study = er.Study(SPACE, budget=9)
    pressed = []

    def f(x):
        if not pressed:
            pressed.append(True)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Event().wait(0.2)
        return x

    with pytest.raises(KeyboardInterrupt):
        study.run(f, workers=2)
    assert study.counts["running"] == 0
    assert study.run(square, workers=2).counts["complete"] == 9


def test_coroutines_run_side_by_side():
    async def main():
        gate = asyncio.Barrier(3) if hasattr(asyncio, "Barrier") else None

        async def f(x):
            if gate is not None:
                await gate.wait()
            return x * x

        study = er.Study(SPACE, budget=9)
        await study.run_async(f, workers=3)
        [last] = await er.Study(SPACE).ask_async()
        assert last.state == "running"
        return study

    assert asyncio.run(main()).counts["complete"] == 9


def test_a_run_ends_when_little_more_is_to_be_gained():
    study = er.minimize(square, SPACE, min_gain=1e-4, seed=1, budget=60)
    assert len(study.trials) < 60
    assert study.expected_gain < 1e-4
    assert study.best.value < 1e-3
    assert er.Study(SPACE).expected_gain is None


@pytest.fixture(name="slow")
def _slow():
    """A study whose next ask takes long: it fits its model from many starts."""
    space = {f"x{i}": er.Float(0, 1) for i in range(8)}
    model = {"hyperparameters": {"maximum_likelihood": {"starts": 100}}}
    study = er.Study(space, model=model, initial=80, seed=1)
    for trial in study.ask(80):
        study.tell(trial, sum(trial.params.values()) ** 2)
    return study


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_leaves_an_ask_that_takes_long(slow):
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        slow.ask(3)
    assert slow.counts["running"] == 0
    # The ask goes on without its caller, and gives back what it would have handed out: whoever asks next gets it.
    while slow.counts["queued"] < 3:
        time.sleep(0.05)
    assert [trial.number for trial in slow.ask(3)] == [80, 81, 82]


def test_others_look_and_tell_while_one_asks(slow):
    asking = threading.Thread(target=slow.ask)
    asking.start()
    n = 0
    while asking.is_alive():
        slow.tell(0, 1.0, correction=True)
        n += 1
    # Had they waited for the ask, or for the interpreter, it would be one or none.
    assert n > 3


def test_loky_is_an_executor_too():
    loky = pytest.importorskip("loky")
    executor = loky.get_reusable_executor(max_workers=2)
    study = er.Study(SPACE, budget=4).run(lambda x: x * x, executor=executor)
    executor.shutdown()
    assert study.counts["complete"] == 4
