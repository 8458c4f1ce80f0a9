"""Ray Tune: a searcher that keeps concurrent trials apart.

>>> from elbowroom.ray import Search
>>> from ray import tune
>>> search = Search({"lr": tune.loguniform(1e-5, 1e-1)}, metric="loss", mode="min", seed=1)
>>> config = search.suggest("trial-1")
>>> 1e-5 <= config["lr"] <= 1e-1
True
>>> search.on_trial_complete("trial-1", {"loss": 0.5})
>>> search.study.best.value
0.5
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ray.tune.search import Searcher
from ray.tune.search.sample import Categorical as RayChoice
from ray.tune.search.sample import Domain, LogUniform, Quantized, Uniform
from ray.tune.search.sample import Float as RayFloat
from ray.tune.search.sample import Integer as RayInt

from ._errors import ConfigError, SpaceError
from ._outcomes import Maximize, Minimize, Watched
from ._run import told_objectives
from ._settings import Goal
from ._space import Categorical, Fixed, Float, Int, Ladder, Ordered, Parameter, Params
from ._study import Study

_GOALS: dict[str, Goal] = {"min": "minimize", "max": "maximize"}


class Search(Searcher):
    """Suggests settings from a model of the finished trials; running trials are pending points.

    Give it to ``tune.TuneConfig(search_alg=Search(…))``. The space is a dict, nested or not, of ``tune.uniform``,
    ``tune.loguniform``, ``tune.randint``, ``tune.choice`` and their quantized kinds, or of ``er.Float``, ``er.Int``,
    ``er.Ordered`` and ``er.Categorical``. Tune's own kinds may be in the tuner's ``param_space`` instead (Tune hides other
    objects there from a searcher); constants always are.

    For several objectives, give lists, ``metric=["accuracy", "latency"], mode=["max", "min"]``: the search is for their
    front, ``search.study.front``. ``outcomes`` takes limits and watched results too, as for :class:`elbowroom.Study`;
    ``metric`` and ``mode`` are not needed then.

    The last result of a trial counts. As many trials run as there are resources for, or as many as a
    :class:`ray.tune.search.ConcurrencyLimiter` allows, also in batches. The settings of ``points_to_evaluate`` are
    tried first. If a finite space is used up, the search ends.

    ``options`` are those of :class:`elbowroom.Study`: ``strategy``, ``model``, ``initial`` and so on.
    """

    def __init__(
        self,
        space: Mapping[str, Any] | None = None,
        metric: str | list[str] | None = None,
        mode: str | list[str] | None = None,
        *,
        seed: int | None = None,
        points_to_evaluate: Sequence[Mapping[str, Any]] = (),
        **options: Any,
    ) -> None:
        super().__init__(metric=metric, mode=mode)
        self._metric: Any = metric
        self._mode: Any = mode
        self._space = dict(_parameters(space)) if space else {}
        self._steps = dict(_steps(space)) if space else {}
        self._options: dict[str, Any] = {"seed": seed, **options}
        self._first = [dict(point) for point in points_to_evaluate]
        self._numbers: dict[str, int] = {}
        self._study: Study | None = None

    @property
    def study(self) -> Study:
        """The study behind the search. Steps of quantized parameters are counted from zero."""
        if self._study is None:
            if not self._space:
                raise SpaceError("nothing to search\n  try: use Search({…}), or tune.uniform and others in param_space")
            self._study = Study(self._space, **self._aims(), **self._options)
        return self._study

    def _aims(self) -> dict[str, Any]:
        """The aims for the results, in the form that a study takes."""
        metric, mode = self._metric, self._mode
        if self._options.get("outcomes") is not None:
            return {}
        if isinstance(metric, str) and mode in ("min", "max"):
            return {"goal": _GOALS[mode]}
        if isinstance(metric, (list, tuple)) and isinstance(mode, (list, tuple)) and len(metric) == len(mode):
            if set(mode) <= {"min", "max", "obs"}:
                kinds = {"min": Minimize, "max": Maximize, "obs": Watched}
                return {"outcomes": {name: kinds[one]() for name, one in zip(metric, mode)}}
        raise ConfigError(
            f"the metric is {metric!r} and the mode {mode!r}\n"
            "  try: give a metric and a mode, 'min' or 'max', in Search or TuneConfig; or lists of both in Search"
        )

    def set_search_properties(self, metric: Any, mode: Any, config: dict[str, Any], **spec: Any) -> bool:
        """Adopts the metric, mode and space of the tuner, unless they are known already."""
        if self._space and (space := dict(_parameters(config))) and space != self._space:
            return False
        if not self._space:
            self._space, self._steps = dict(_parameters(config)), dict(_steps(config))
        self._metric, self._mode = metric or self._metric, mode or self._mode
        return True

    def suggest(self, trial_id: str) -> dict[str, Any] | str | None:
        """Suggests the settings of a new trial."""
        if self._first:
            trial = self.study.start(self._encode(self._first.pop(0)))
        else:
            batch = self.study.ask()
            if not batch:
                return str(Searcher.FINISHED)
            trial = batch[0]
        self._numbers[trial_id] = trial.number
        return self._decode(trial.params)

    def on_trial_complete(self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False) -> None:
        """Reports to the study how a trial ended."""
        number = self._numbers.pop(trial_id, None)
        if number is None:
            return
        if error:
            self.study.fail(number, "an error in the trial")
        elif self._is_plain():
            value = (result or {}).get(self._metric)
            if value is not None and math.isfinite(value):
                self.study.tell(number, float(value))
            else:
                self.study.fail(number, f"its last result has {self._metric} {value}")
        else:
            self._tell_named(number, result or {})

    def _is_plain(self) -> bool:
        """Whether there is one objective, without a name in the study."""
        return list(self.study.outcomes) == ["value"]

    def _tell_named(self, number: int, result: Mapping[str, Any]) -> None:
        """Reports those outcomes that a result has; the objectives must be finite."""
        told = {name: result.get(name) for name in self.study.outcomes}
        finite = {name: float(value) for name, value in told.items() if value is not None and math.isfinite(value)}
        lacking = [f"{name} {told[name]}" for name in told_objectives(self.study) if name not in finite]
        if lacking or not finite or self.study.tell(number, finite) == "aside":
            odd = ", ".join(lacking) or f"none of {', '.join(told)}"
            self.study.fail(number, f"its last result has {odd}")

    def add_evaluated_point(
        self,
        parameters: dict[str, Any],
        value: float | Sequence[float] | Mapping[str, float],
        error: bool = False,
        pruned: bool = False,
        intermediate_values: list[float] | None = None,
    ) -> None:
        """Adds the result of an earlier experiment: a value; for several objectives a list, or a dict by name."""
        point = self._encode(parameters)
        told = dict(zip(told_objectives(self.study), value, strict=True)) if isinstance(value, Sequence) else value
        numbers = told.values() if isinstance(told, Mapping) else [told]
        if error or pruned or not all(map(math.isfinite, numbers)):
            self.study.fail(self.study.start(point), "failed in an earlier experiment")
        else:
            self.study.add(point, told)

    def save(self, checkpoint_path: str) -> None:
        """Writes the searcher into a text file."""
        study = None if self._study is None else self._study.dumps()
        state = {"study": study, "numbers": self._numbers, "n_first": len(self._first)}
        Path(checkpoint_path).write_text(json.dumps(state))

    def restore(self, checkpoint_path: str) -> None:
        """Continues from what :meth:`save` wrote. Trials that were running still are."""
        state = json.loads(Path(checkpoint_path).read_text())
        self._numbers = state["numbers"]
        self._first = self._first[len(self._first) - state["n_first"] :]
        if state["study"] is not None:
            self._study = Study.loads(state["study"], space=self._space or None)

    def _encode(self, config: Mapping[str, Any]) -> Params:
        flat = dict(_leaves(config))
        point = {name: flat[name] for name in self._space if name in flat}
        for name, step in self._steps.items():
            if name in point:
                point[name] = round(point[name] / step)
        return point

    def _decode(self, params: Params) -> dict[str, Any]:
        config: dict[str, Any] = {}
        for name, value in params.items():
            *path, last = name.split("/")
            inner = config
            for part in path:
                inner = inner.setdefault(part, {})
            inner[last] = value * self._steps[name] if name in self._steps else value
        return config


def _leaves(config: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The values in a nested dict, by names such as ``optimizer/lr``."""
    for name, value in config.items():
        if isinstance(value, Mapping) and "grid_search" not in value:
            yield from _leaves(value, f"{path}{name}/")
        else:
            yield f"{path}{name}", value


def _parameters(config: Mapping[str, Any]) -> Iterator[tuple[str, Parameter]]:
    for name, value in _leaves(config):
        if isinstance(value, (Float, Int, Ordered, Ladder, Categorical, Fixed)):
            yield name, value
        elif isinstance(value, Domain):
            yield name, _parameter(name, value)
        elif isinstance(value, Mapping):
            raise SpaceError(f"parameter `{name}` is a grid\n  try: use tune.choice, or er.Ordered")


def _parameter(name: str, domain: Domain) -> Parameter:
    """The parameter that is searched for one of Ray's domains; for a quantized one, the number of steps from zero."""
    law = domain.get_sampler()
    step = law.q if isinstance(law, Quantized) else None
    law = law.get_sampler() if isinstance(law, Quantized) else law
    log = isinstance(law, LogUniform)
    if isinstance(domain, RayChoice):
        return Categorical(domain.categories)
    if isinstance(domain, (RayFloat, RayInt)) and (log or isinstance(law, Uniform)):
        if step is not None:
            # A bound that is a multiple of the step, up to rounding, belongs to the range.
            return Int(math.ceil(domain.lower / step - 1e-9), math.floor(domain.upper / step + 1e-9), log=log)
        # For integers without steps Ray excludes the upper bound.
        if isinstance(domain, RayInt):
            return Int(domain.lower, domain.upper - 1, log)
        return Float(domain.lower, domain.upper, log)
    raise SpaceError(
        f"parameter `{name}` is {domain.domain_str} with the distribution {law}\n"
        "  try: use tune.uniform, tune.loguniform, tune.randint, tune.choice, or er.Float, er.Int, er.Categorical"
    )


def _steps(config: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in _leaves(config):
        if isinstance(value, Domain) and isinstance(law := value.get_sampler(), Quantized):
            yield name, law.q
