"""Executors of other packages: the study's own run takes any of them."""

from __future__ import annotations

import os
import signal

import pytest

loky = pytest.importorskip("loky")

import elbowroom as er  # noqa: E402

SPACE = {"x": er.Float(0, 1)}


def test_loky_takes_functions_that_plain_processes_do_not() -> None:
    # A closure does not pickle; loky sends it with cloudpickle.
    centre = 0.3
    study = er.Study(SPACE, seed=0, budget=10)
    with loky.ProcessPoolExecutor(max_workers=2) as pool:
        study.run(lambda x: (x - centre) ** 2, executor=pool)
    assert study.counts["complete"] == 10


def test_a_pool_of_loky_that_breaks_is_replaced(tmp_path) -> None:
    def deadly(x: float) -> float:
        try:
            (tmp_path / "killed").touch(exist_ok=False)
        except FileExistsError:
            return x
        os.kill(os.getpid(), signal.SIGKILL)
        return 0.0

    study = er.Study(SPACE, seed=0, budget=6)
    study.run(deadly, executor=lambda: loky.ProcessPoolExecutor(max_workers=2), workers=2)
    assert (tmp_path / "killed").exists()
    assert [trial.state for trial in study.trials] == ["complete"] * 6
