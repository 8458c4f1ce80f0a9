"""Bayesmark: its optimizer class and its own check of points.

Its last version (0.0.8, of 2020) asks for packages of that time; installed alone, its optimizer class works, and its
spaces do once numpy has two names again that it dropped.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("bayesmark.abstract_optimizer")

from bayesmark.abstract_optimizer import AbstractOptimizer  # noqa: E402

from elbowroom.bayesmark import Optimizer  # noqa: E402

CONFIG = {
    "linear": {"type": "real", "space": "linear", "range": (-1.0, 1.0)},
    "log": {"type": "real", "space": "log", "range": (1e-5, 1e-1)},
    "logit": {"type": "real", "space": "logit", "range": (0.01, 0.99)},
    "bilog": {"type": "real", "space": "bilog", "range": (-100.0, 100.0)},
    "values": {"type": "real", "space": "linear", "values": [0.5, 0.1, 4.0]},
    "int": {"type": "int", "space": "linear", "range": (1, 7)},
    "intlog": {"type": "int", "space": "log", "range": (1, 1000)},
    "intbilog": {"type": "int", "space": "bilog", "range": (-3, 300)},
    "intvalues": {"type": "int", "space": "linear", "values": [8, 2, 4]},
    "bool": {"type": "bool"},
    "cat": {"type": "cat", "values": ["a", "b", "c"]},
}


@pytest.fixture
def joint_space(monkeypatch):
    monkeypatch.setattr(np, "float_", np.float64, raising=False)
    monkeypatch.setattr(np, "unicode_", np.str_, raising=False)
    return pytest.importorskip("bayesmark.space").JointSpace


def test_it_is_an_optimizer_of_bayesmark() -> None:
    assert issubclass(Optimizer, AbstractOptimizer)
    assert Optimizer.get_version().count(".") == 2


def test_suggestions_are_points_by_bayesmarks_own_check(joint_space) -> None:
    optimizer = Optimizer(CONFIG, seed=0, initial=8)
    for _ in range(3):
        batch = optimizer.suggest(8)
        assert len(batch) == 8
        joint_space(CONFIG).validate(batch)
        optimizer.observe(batch, [point["linear"] ** 2 for point in batch])
    assert optimizer.study.counts["complete"] == 24
    assert optimizer.study.counts["running"] == 0


@pytest.mark.parametrize("law", ["logit", "bilog"])
def test_warped_parameters_cover_their_range_evenly_where_bayesmark_does(law: str, joint_space) -> None:
    # In Bayesmark's warped coordinates (the unit interval) Sobol points are even: one in each eighth.
    config = {"x": CONFIG[law]}
    points = Optimizer(config, seed=0, initial=8).suggest(8)
    space = joint_space(config)
    low, high = space.get_bounds()[0]
    eighths = {int(8 * (w - low) / (high - low)) for w in space.warp(points).ravel()}
    assert eighths == set(range(8))


def test_it_minimizes() -> None:
    optimizer = Optimizer({"x": CONFIG["linear"], "b": CONFIG["bool"]}, seed=0)
    for _ in range(6):
        batch = optimizer.suggest(4)
        optimizer.observe(batch, [(point["x"] - 0.3) ** 2 + point["b"] for point in batch])
    # A uniform point is as near with probability below 0.03.
    assert optimizer.study.best.value < 0.003


def test_points_of_others_and_odd_values_are_taken() -> None:
    optimizer = Optimizer({"x": CONFIG["linear"], "z": CONFIG["bilog"]}, seed=0)
    optimizer.observe([{"x": 0.5, "z": 99.0}, {"x": 0.25, "z": -2.0}], [1.0, math.inf])
    assert optimizer.study.best.params["x"] == 0.5
    # log(1 + 99)
    assert math.isclose(optimizer.study.best.params["z"], math.log(100.0))
    assert optimizer.study.counts["failed"] == 1


def test_there_are_always_as_many_suggestions_as_asked_for() -> None:
    optimizer = Optimizer({"b": CONFIG["bool"]}, seed=0)
    assert len(optimizer.suggest(8)) == 8
