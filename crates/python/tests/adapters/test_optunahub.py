"""The folder that OptunaHub loads."""

from pathlib import Path

import pytest

optuna = pytest.importorskip("optuna")
optunahub = pytest.importorskip("optunahub")

REGISTRY = Path(__file__).parents[4] / "packaging" / "optunahub" / "package"


def test_optunahub_loads_the_sampler_and_optuna_searches_with_it():
    module = optunahub.load_local_module(package="samplers/elbowroom", registry_root=str(REGISTRY))
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=module.ElbowroomSampler(seed=1))
    study.optimize(lambda trial: (trial.suggest_float("x", -1, 1) - 0.3) ** 2, n_trials=15)
    assert abs(study.best_params["x"] - 0.3) < 0.05
