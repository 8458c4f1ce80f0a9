"""Four trials at a time, each kept apart from those under way."""

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", -5, 5)
    y = trial.suggest_int("y", -5, 5)
    return (x - 1) ** 2 + y**2


if __name__ == "__main__":
    module = optunahub.load_module(package="samplers/elbowroom")
    study = optuna.create_study(sampler=module.ElbowroomSampler(seed=1))
    study.optimize(objective, n_trials=40, n_jobs=4)
    print(study.best_params)
