"""Runs with threads, processes, executors and coroutines."""

import asyncio
import os
import signal
import threading
import time
import warnings
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
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


def test_more_workers_than_a_machine_can_have_are_refused():
    async def f(x):
        return x

    study = er.Study(SPACE, budget=2)
    with pytest.raises(er.ConfigError, match="100000 workers are too many for one run"):
        study.run(square, workers=100_000)
    with pytest.raises(er.ConfigError, match="100000 workers"):
        asyncio.run(study.run_async(f, workers=100_000))
    assert study.trials == []


def test_a_time_of_zero_starts_nothing():
    assert er.Study(SPACE).run(square, timeout=0).trials == []


def test_a_noise_variance_may_come_with_the_value():
    study = er.minimize(lambda x: (x, 0.25), SPACE, budget=2)
    assert [trial.noise for trial in study.trials] == [0.25, 0.25]


def test_many_failures_in_a_row_are_said_with_the_commonest_reason():
    study = er.Study(SPACE, budget=16, seed=1)
    done = []

    def flaky(x):
        done.append(x)
        if len(done) in (1, 2):
            return x
        raise KeyError(x) if len(done) % 3 else OSError("no licence")

    with pytest.warns(UserWarning) as warned:
        study.run(flaky)
    words = [str(one.message) for one in warned]
    assert [one.split(" (")[0] for one in words] == [
        "the last 5 trials gave no value; most often: KeyError",
        "the last 10 trials gave no value; most often: KeyError",
    ]
    assert "(3 of 5). The latest:\n" in words[0]
    # A value ends it, and few failures are no news.
    study = er.Study(SPACE, budget=8, seed=1)
    done = [0, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.run(lambda x: x if len(study.trials) % 4 == 0 else None)


def test_what_is_no_number_fails_its_trial():
    with pytest.warns(UserWarning):
        study = er.minimize(lambda x: None, SPACE, budget=1)
    assert study.trials[0].reason == "the objective returned None, which is not a number"


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
    # It goes on without its caller, and hands out nothing: whoever asks next gets the points.
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


def enough(study, trial):
    """A callback that leaves the run, once the other evaluations have ended."""
    time.sleep(0.5)
    raise RuntimeError("enough")


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_what_has_ended_when_a_run_is_left_is_told(executor):
    study = er.Study(SPACE, budget=4)
    with pytest.raises(RuntimeError, match="enough"):
        study.run(square, workers=4, executor=executor, callbacks=[enough])
    assert study.counts["complete"] == 4
    assert all(len(trial.measurements) == 1 for trial in study.trials)


def test_what_has_ended_when_a_run_with_coroutines_is_left_is_told():
    async def f(x):
        return x

    study = er.Study(SPACE, budget=4)
    with pytest.raises(RuntimeError, match="enough"):
        asyncio.run(study.run_async(f, workers=4, callbacks=[enough]))
    assert study.counts["complete"] == 4
    assert all(len(trial.measurements) == 1 for trial in study.trials)


def last_one_dies(x, folder):
    """Returns in the first two processes, and dies in the third when the others have long ended."""
    for name in ("first", "second"):
        try:
            (Path(folder) / name).touch(exist_ok=False)
            return x
        except FileExistsError:
            pass
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("budget", [3, 4])
@pytest.mark.parametrize("given", [True, False])
def test_what_has_ended_when_an_executor_breaks_is_told(tmp_path, given, budget):
    # With a budget of 4, it is found broken when the fourth trial is submitted and the second is not told yet.
    study = er.Study({"x": er.Float(-1, 1), "folder": er.Fixed(str(tmp_path))}, budget=budget)
    slow = [lambda study, trial: time.sleep(1)]
    if given:
        with ProcessPoolExecutor(3) as executor, pytest.raises(er.ElbowroomError, match="the executor broke"):
            study.run(last_one_dies, executor=executor, callbacks=slow)
        assert (study.counts["complete"], study.counts["queued"]) == (2, budget - 2)
    else:
        study.run(last_one_dies, workers=3, executor="processes", callbacks=slow)
        assert (study.counts["complete"], study.counts["failed"]) == (2, budget - 2)
    done = [trial for trial in study.trials if trial.state == "complete"]
    assert [(trial.attempts, len(trial.measurements)) for trial in done] == [(1, 1), (1, 1)]


@pytest.mark.parametrize("how", ["ask_async", "run_async"])
def test_an_ask_that_is_cancelled_gives_its_trials_back(slow, how):
    async def f(**params):
        return 1.0

    async def main():
        asking = slow.ask_async(3) if how == "ask_async" else slow.run_async(f, 3, workers=3)
        task = asyncio.ensure_future(asking)
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    # The loop waits for its threads when it ends.
    asyncio.run(main())
    assert (slow.counts["running"], slow.counts["queued"]) == (0, 3)


class Odd:
    """What may come back from an objective."""

    def __float__(self):
        raise RuntimeError("several numbers")

    def __repr__(self):
        raise RuntimeError("no words")


def raise_half_a_character(x):
    raise ValueError("caf\udcc3")


class Silent(er.Infeasible):
    def __str__(self):
        raise RuntimeError("no words")


def raise_silent(x):
    raise Silent


@pytest.mark.parametrize(
    ("f", "state", "words"),
    [
        (lambda x: Odd(), "failed", "the objective returned <Odd>, which is not a number"),
        (lambda x: (x, Odd()), "failed", "which was refused: the noise is <Odd>"),
        (lambda x: np.complex128(1 + 2j), "failed", "which is not a number"),
        (lambda x: np.array([1 + 2j]), "failed", "which is not a number"),
        (raise_half_a_character, "failed", "ValueError: caf\\udcc3"),
        (raise_silent, "infeasible", "did not say why"),
    ],
)
def test_an_odd_result_or_exception_ends_its_trial_and_not_the_run(f, state, words):
    with pytest.warns(UserWarning, match="none of 2 trials"):
        study = er.minimize(f, SPACE, budget=2)
    assert [trial.state for trial in study.trials] == [state] * 2
    assert all(words in trial.reason for trial in study.trials)


def test_reasons_are_made_texts_that_can_be_stored():
    study = er.Study(SPACE)
    a, b, c = study.ask(3)
    study.fail(a, "\ud800")
    study.infeasible(b, "\ud800")
    study.tell(c, 1.0)
    study.fail(c, "\ud800")
    assert [trial.reason for trial in study.trials] == ["\\ud800", "\\ud800", None]
    assert "\\ud800" in study.trials[2].notes[0]


class TwoArguments(Exception):
    """An exception that pickles, and cannot be made again."""

    def __init__(self, a, b):
        super().__init__(a)


def raise_two_arguments(x):
    raise TwoArguments("boom", 1)


class NoReturn:
    """A result that pickles, and cannot be made again."""

    def __reduce__(self):
        return int, ("no number",)


def return_no_return(x):
    return NoReturn()


@pytest.mark.parametrize(("f", "words"), [(raise_two_arguments, "TwoArguments: boom"), (return_no_return, "NoReturn")])
def test_what_does_not_survive_the_way_back_fails_its_trial_at_once(f, words):
    with pytest.warns(UserWarning):
        study = er.minimize(f, SPACE, budget=2, executor="processes", workers=1)
    assert [(trial.state, trial.attempts) for trial in study.trials] == [("failed", 1)] * 2
    assert all(words in trial.reason for trial in study.trials)


def test_an_objective_that_says_that_an_executor_broke_fails_its_trial():
    def f(x):
        raise BrokenExecutor("another one")

    with pytest.warns(UserWarning):
        study = er.minimize(f, SPACE, budget=2)
    assert [(trial.state, trial.attempts) for trial in study.trials] == [("failed", 1)] * 2
    assert all(trial.reason.endswith("BrokenExecutor: another one") for trial in study.trials)


def raise_infeasible(x):
    raise er.Infeasible("too hot") if x > 0 else er.Infeasible


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_infeasible_points_have_words(executor):
    with pytest.warns(UserWarning):
        study = er.minimize(raise_infeasible, SPACE, budget=8, executor=executor, workers=2)
    words = {trial["x"] > 0: trial.reason for trial in study.trials}
    assert words == {True: "too hot", False: "the objective raised Infeasible, and did not say why"}


def test_an_executor_may_be_made_by_its_class():
    assert er.minimize(square, SPACE, budget=3, executor=ThreadPoolExecutor).counts["complete"] == 3
    with pytest.raises(er.ConfigError, match="returned None\n  try: "):
        er.minimize(square, SPACE, budget=3, executor=lambda: None)
    with pytest.raises(er.ConfigError, match="the executor is None"):
        er.minimize(square, SPACE, budget=3, executor=None)


def test_callbacks_are_one_or_some_or_none():
    seen = []

    def callback(study, trial):
        seen.append(trial.number)

    for callbacks in (callback, [callback], (one for one in [callback]), None):
        er.minimize(square, SPACE, budget=2, callbacks=callbacks)
    assert seen == [0, 1] * 3
    for callbacks in (3, [3], ["print"]):
        study = er.Study(SPACE, budget=2)
        with pytest.raises(er.ConfigError, match="a callback is .*\n  try: "):
            study.run(square, callbacks=callbacks)
        assert study.trials == []


def test_a_coroutine_function_is_sent_to_run_async():
    async def f(x):
        return x

    class Called:
        async def __call__(self, x):
            return x

    for one in (f, Called()):
        with pytest.raises(er.ConfigError, match="coroutine function\n  try: use await study.run_async"):
            er.minimize(one, SPACE, budget=2)
    with pytest.raises(er.ConfigError, match="the objective is 3"):
        er.minimize(3, SPACE, budget=2)


def test_a_task_that_is_cancelled_fails_its_trial_and_not_the_run():
    async def f(x):
        raise asyncio.CancelledError

    with pytest.warns(UserWarning):
        study = asyncio.run(er.Study(SPACE, budget=2).run_async(f))
    assert [trial.reason for trial in study.trials] == ["the evaluation was cancelled"] * 2


def test_a_run_without_a_trial_says_why():
    with pytest.warns(UserWarning, match="there was no trial to run: no more free feasible point"):
        er.minimize(square, SPACE, budget=3, constraints="x * x < 0")
    study = er.minimize(square, SPACE, budget=3)
    with pytest.warns(UserWarning, match="there was no trial to run: the budget of 3 trials is used up"):
        study.run(square)
    # None was wanted.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.run(square, timeout=0)


def test_what_is_in_hand_at_the_end_of_a_with_block_is_given_back():
    with er.Study(SPACE, budget=4) as study:
        told, failed, _, _ = study.ask(4)
        study.tell(told, 1.0)
        study.fail(failed)
    counts = study.counts
    assert (counts["running"], counts["queued"], counts["complete"], counts["failed"]) == (0, 2, 1, 1)
    with pytest.raises(RuntimeError, match="enough"), er.Study(SPACE) as study:
        study.ask()
        raise RuntimeError("enough")
    assert study.counts["queued"] == 1
