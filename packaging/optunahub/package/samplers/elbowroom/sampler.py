"""The sampler of the package elbowroom, under the name by which OptunaHub loads it."""

from __future__ import annotations

from elbowroom.optuna import Sampler


class ElbowroomSampler(Sampler):
    """Batch and asynchronous Bayesian optimization by local penalization: see :class:`elbowroom.optuna.Sampler`."""
