"""Dask: a study on a cluster that loses workers, and on its executor."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

distributed = pytest.importorskip("distributed")

import elbowroom as er  # noqa: E402
from elbowroom.dask import run  # noqa: E402

SPACE = {"x": er.Float(0, 1)}


@pytest.fixture(scope="module")
def client():
    """Two workers in this process, of one thread each."""
    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
        yield client


def bowl(x: float) -> float:
    return (x - 0.3) ** 2


def test_a_study_runs_on_a_cluster(client) -> None:
    # A uniform point is as near as 0.02 with probability 0.04.
    study = run(er.Study(SPACE, seed=0, budget=20), bowl, client)
    assert abs(study.best.params["x"] - 0.3) < 0.02
    assert study.counts["complete"] == 20


def test_as_many_trials_are_under_way_as_there_are_threads(client) -> None:
    study = er.Study(SPACE, seed=0)
    most = []
    run(study, bowl, client, n=8, callbacks=[lambda study, trial: most.append(study.counts["running"])])
    # When one of two has ended, one is left; the next is asked for after the callback.
    assert max(most) == 1
    run(study, bowl, client, n=8, workers=3, callbacks=[lambda study, trial: most.append(study.counts["running"])])
    assert max(most) == 2


def test_parameters_may_have_the_names_of_dasks_options(client) -> None:
    study = er.Study({"key": er.Float(0, 1), "workers": er.Int(1, 3), "priority": er.Int(0, 1)}, seed=0)
    run(study, lambda key, workers, priority: key + workers + priority, client, n=5)
    assert study.counts["complete"] == 5


def test_an_objective_that_raises_fails_its_trial(client) -> None:
    def burn(x: float) -> float:
        if x > 0.5:
            raise er.Infeasible("too hot") if x > 0.75 else ValueError("odd")
        return x

    study = run(er.Study(SPACE, seed=0, initial=8), burn, client, n=8)
    states = {trial.params["x"] > 0.5: trial.state for trial in study.trials}
    assert states[False] == "complete"
    assert {trial.state for trial in study.trials if trial.params["x"] > 0.75} == {"infeasible"}
    failed = [trial for trial in study.trials if trial.state == "failed"]
    assert failed and all("odd" in trial.reason for trial in failed)


def test_what_is_under_way_when_the_run_is_stopped_is_given_back(client) -> None:
    study = er.Study(SPACE, seed=0)

    def stop(study: er.Study, trial: er.Trial) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        run(study, bowl, client, n=10, callbacks=[stop])
    assert study.counts["running"] == 0
    assert len(study.ask(1)) == 1


def test_what_has_ended_when_the_run_is_left_is_told(client) -> None:
    study = er.Study(SPACE, seed=0)

    def stop(study: er.Study, trial: er.Trial) -> None:
        time.sleep(0.5)
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        run(study, bowl, client, n=4, workers=4, callbacks=stop)
    assert study.counts["complete"] == 4
    assert all(len(trial.measurements) == 1 for trial in study.trials)


def test_cancelled_trials_are_handed_out_again(client) -> None:
    study = er.Study(SPACE, seed=0)
    cancelled: list[str] = []
    submit = client.submit

    def submit_and_cancel_one(*args, **options):
        future = submit(*args, **options)
        if not cancelled:
            cancelled.append(future.key)
            client.cancel([future], force=True)
        return future

    class Cancels:
        def __getattr__(self, name: str):
            return submit_and_cancel_one if name == "submit" else getattr(client, name)

    run(study, _slow, Cancels(), n=6)
    assert cancelled and study.counts["complete"] == 6
    assert {trial.state for trial in study.trials} == {"complete"}


def _slow(x: float) -> float:
    time.sleep(0.05)
    return bowl(x)


def test_a_killed_workers_trial_is_evaluated_elsewhere(tmp_path: Path) -> None:
    # The first evaluation kills the process it runs in; a nanny starts another.
    def deadly(x: float) -> float:
        try:
            (tmp_path / "killed").touch(exist_ok=False)
        except FileExistsError:
            return (x - 0.3) ** 2
        os.kill(os.getpid(), signal.SIGKILL)
        return 0.0

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        study = run(er.Study(SPACE, seed=0, budget=8), deadly, client)
    assert (tmp_path / "killed").exists()
    assert [trial.state for trial in study.trials] == ["complete"] * 8


def test_a_trial_that_kills_every_worker_fails_and_the_study_goes_on() -> None:
    import dask

    def deadly(x: float, kills: bool) -> float:
        if kills:
            os.kill(os.getpid(), signal.SIGKILL)
        return x

    study = er.Study({"x": er.Float(0, 1), "kills": er.Categorical([False, True])}, seed=0, initial=2)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        run(study, deadly, client, n=3)
    assert len(study.trials) == 3
    assert {trial.state for trial in study.trials if trial.params["kills"]} == {"failed"}
    assert {trial.state for trial in study.trials if not trial.params["kills"]} == {"complete"}


def test_dasks_executor_drives_a_study(client) -> None:
    study = er.Study(SPACE, seed=0, budget=12).run(bowl, executor=client.get_executor(pure=False), workers=2)
    assert study.counts["complete"] == 12
