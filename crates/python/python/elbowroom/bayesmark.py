"""Bayesmark: an optimizer for its benchmark, in batches.

A file for its launcher:

.. code-block:: python

    from bayesmark.experiment import experiment_main
    from elbowroom.bayesmark import Optimizer

    if __name__ == "__main__":
        experiment_main(Optimizer)

>>> from elbowroom.bayesmark import Optimizer
>>> optimizer = Optimizer({"lr": {"type": "real", "space": "log", "range": (1e-5, 1e-1)}}, seed=1)
>>> batch = optimizer.suggest(4)
>>> optimizer.observe(batch, [point["lr"] for point in batch])
>>> optimizer.study.counts["complete"]
4
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bayesmark.abstract_optimizer import AbstractOptimizer

from ._errors import SpaceError
from ._space import Categorical, Float, Int, Ordered, Parameter, Params
from ._study import Study
from ._trial import Trial


class Optimizer(AbstractOptimizer):
    """Suggests batches and observes values, which are minimized. A trial whose value is not finite fails.

    Real parameters with the space ``logit`` or ``bilog`` are searched on that scale; integers with ``bilog`` are searched
    on a linear one. If a finite space is used up, earlier points are suggested again. ``options`` are those of
    :class:`elbowroom.Study`.
    """

    primary_import = "elbowroom"

    def __init__(self, api_config: Mapping[str, Mapping[str, Any]], **options: Any) -> None:
        super().__init__(api_config)
        self._warped = {name: _WARPS[one["space"]] for name, one in api_config.items() if _is_warped(one)}
        self.study = Study({name: _parameter(name, one) for name, one in api_config.items()}, **options)
        self._pending: dict[frozenset[tuple[str, Any]], Trial] = {}
        self._random = random.Random(0)

    def suggest(self, n_suggestions: int = 1) -> list[Params]:
        """Returns the next points to evaluate together."""
        trials = self.study.ask(n_suggestions)
        points = [self._decode(trial.params) for trial in trials]
        self._pending.update(zip(map(_key, points), trials))
        while len(points) < n_suggestions:
            points.append(self._decode(self._random.choice(self.study.trials).params))
        return points

    def observe(self, X: Sequence[Mapping[str, Any]], y: Iterable[float]) -> None:  # noqa: N803
        """Records values at points, whether this optimizer suggested them or not."""
        for point, value in zip(X, y):
            trial = self._pending.pop(_key(point), None) or self.study.start(self._encode(point))
            if math.isfinite(value):
                self.study.tell(trial, float(value))
            else:
                self.study.fail(trial, f"its value is {value}")

    def _decode(self, params: Params) -> Params:
        return {name: self._warped[name][1](value) if name in self._warped else value for name, value in params.items()}

    def _encode(self, point: Mapping[str, Any]) -> Params:
        return {name: self._warped[name][0](value) if name in self._warped else value for name, value in point.items()}


def _key(point: Mapping[str, Any]) -> frozenset[tuple[str, Any]]:
    return frozenset(point.items())


def _is_warped(config: Mapping[str, Any]) -> bool:
    return config["type"] == "real" and config.get("space") in _WARPS and config.get("values") is None


def _parameter(name: str, config: Mapping[str, Any]) -> Parameter:
    kind, law, values = config["type"], config.get("space"), config.get("values")
    if kind == "bool":
        return Categorical([False, True])
    if kind == "cat" and values is not None:
        return Categorical(values)
    if kind in ("real", "int") and values is not None:
        return Ordered(sorted(values))
    if kind == "int":
        low, high = config["range"]
        return Int(int(low), int(high), log=law == "log")
    if kind == "real":
        low, high = map(_WARPS[law][0], config["range"]) if law in _WARPS else config["range"]
        return Float(float(low), float(high), log=law == "log")
    raise SpaceError(f"parameter `{name}` has the type {kind!r}\n  try: use real, int, bool, or cat with values")


def _bilog(x: float) -> float:
    return math.copysign(math.log1p(abs(x)), x)


def _biexp(x: float) -> float:
    return math.copysign(math.expm1(abs(x)), x)


def _logit(x: float) -> float:
    return math.log(x / (1 - x))


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


_WARPS: dict[Any, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "logit": (_logit, _logistic),
    "bilog": (_bilog, _biexp),
}
