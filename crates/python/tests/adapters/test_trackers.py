"""MLflow and Weights & Biases: what of a study stands in their runs."""

import json

import pytest

import elbowroom as er

SPACE = {"x": er.Float(0, 1), "kind": er.Categorical(["a", None])}


def objective(x, kind):
    if x > 0.9:
        raise er.Infeasible("too hot")
    return {"loss": (x - 0.3) ** 2, "minutes": 12}


@pytest.fixture(name="study")
def _study():
    return er.Study(SPACE, metric="loss", seed=1, name="plate")


def test_each_trial_is_a_run_of_mlflow(study, tmp_path):
    mlflow = pytest.importorskip("mlflow")
    from elbowroom.mlflow import Callback

    log = Callback(tracking_uri=f"sqlite:///{tmp_path}/runs.db")
    study.tell(study.start({"x": 0.95, "kind": "a"}), {"loss": 3.0})
    study.run(objective, 12, callbacks=log)
    client = mlflow.MlflowClient(f"sqlite:///{tmp_path}/runs.db")
    runs = client.search_runs([client.get_experiment_by_name("plate").experiment_id])
    assert len(runs) == 12 == len(log.runs())
    by_number = {int(run.data.tags["elbowroom.trial"]): run for run in runs}
    for trial in study.trials[1:]:
        run = by_number[trial.number]
        assert run.data.params == {name: str(value) for name, value in trial.params.items()}
        assert run.data.tags["elbowroom.state"] == trial.state and run.info.run_name == f"plate {trial.number}"
        if trial.value is None:
            assert run.info.status == "FAILED" and run.data.tags["elbowroom.reason"] == "too hot"
        else:
            assert run.info.status == "FINISHED"
            assert run.data.metrics["loss"] == trial.value and run.data.metrics["minutes"] == 12
    assert min(run.data.metrics["best"] for run in runs if "best" in run.data.metrics) == study.best.value


def test_trials_are_children_of_the_run_that_is_active(study, tmp_path):
    mlflow = pytest.importorskip("mlflow")
    from elbowroom.mlflow import Callback

    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    mlflow.set_experiment("kiln")
    with mlflow.start_run() as parent:
        log = Callback()
        study.run(objective, 2, callbacks=log)
        assert mlflow.active_run().info.run_id == parent.info.run_id
    assert [run.data.tags["mlflow.parentRunId"] for run in log.runs()] == [parent.info.run_id] * 2
    assert {run.info.experiment_id for run in log.runs()} == {parent.info.experiment_id}


def test_each_trial_is_a_step_of_a_run_of_wandb(study, tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb")
    from elbowroom.wandb import Callback

    with monkeypatch.context() as nothing, pytest.raises(er.ConfigError, match="no run of Weights & Biases is active"):
        nothing.setattr(wandb, "run", None)
        Callback()
    monkeypatch.setenv("WANDB_SILENT", "true")
    run = wandb.init(mode="offline", dir=tmp_path, project="elbowroom")
    study.run(objective, 6, callbacks=Callback())
    best = study.best
    assert run.summary["best"] == best.value and run.summary["best/trial"] == best.number
    assert run.summary["best/x"] == best.params["x"] and run.summary["trial"] == 5
    assert run.summary["results/minutes"] == 12
    assert json.loads(json.dumps(run.config["elbowroom"]["metric"])) == "loss"
    run.finish()


def test_with_several_objectives_wandb_gets_the_hypervolume(tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb")
    from elbowroom.wandb import Callback

    monkeypatch.setenv("WANDB_SILENT", "true")
    run = wandb.init(mode="offline", dir=tmp_path)
    study = er.Study({"x": er.Float(0, 1)}, outcomes={"a": er.Minimize(worst=2), "b": er.Minimize(worst=2)}, seed=1)
    study.run(lambda x: (x, 1 - x), 3, callbacks=Callback(run))
    assert run.summary["hypervolume"] == study.front.hypervolume
    run.finish()
