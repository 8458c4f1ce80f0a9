"""What a point rested on when it was chosen."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import NamedTuple

from ._trial import Source, Trial

_ORIGINS: dict[Source, str] = {
    "design": "a point of the initial design, chosen before there was a model",
    "model": "chosen by the strategy, with a model of the results",
    "random": "a random point, where neither design nor strategy had one to offer",
    "given": "a point of your own",
}


class Neighbour(NamedTuple):
    """Another trial, how far it is in lengthscales, and its value."""

    trial: int
    distance: float
    value: float | None


@dataclass(frozen=True)
class Modelled:
    """What the model said of a point before it was tried."""

    n_observed: int
    """The results it was made from."""
    mean: float
    """What it expected."""
    sd: float
    """How sure it was."""
    sd_with_pending: float
    """The same once the results that were pending are in."""
    best: float | None
    """The best value by then."""
    exploit: float
    """The share of the expected improvement that the expected value makes; the rest is made by not knowing."""
    pending: tuple[Neighbour, ...]
    """What was pending then, the nearest first."""
    nearest: tuple[Neighbour, ...]
    """The nearest results."""


@dataclass(frozen=True)
class Why:
    """Why a trial's point was chosen. It prints as a few lines of words.

    >>> import elbowroom as er
    >>> study = er.Study({"x": er.Float(0, 1)})
    >>> [trial] = study.ask()
    >>> print(study.why(trial))
    trial 0: a point of the initial design, chosen before there was a model
    """

    trial: int
    """The trial."""
    source: Source
    """Where its point came from."""
    fallback: str | None
    """Why the model or the strategy was not used where it should have been."""
    model: Modelled | None
    """What the model said, if it was asked."""

    def __str__(self) -> str:
        lines = [f"trial {self.trial}: {_ORIGINS[self.source]}"]
        if self.fallback is not None:
            lines.append(f"  note: {self.fallback}")
        if self.model is not None:
            model = self.model
            explore = 1 - model.exploit
            leaning, share = ("exploit", model.exploit) if model.exploit > 0.5 else ("explore", explore)
            best = "" if model.best is None else f"; the best was {model.best:.6g}"
            lines += [
                f"  model of {model.n_observed} results{best}",
                f"  expected there: {model.mean:.6g} ± {model.sd:.6g}",
                f"  leaning: {leaning} ({share:.0%} of the expected improvement)",
                f"  pending then: {len(model.pending)}; with them ± {model.sd_with_pending:.6g}",
            ]
            lines += [f"    trial {one.trial} at {one.distance:.3g} lengthscales" for one in model.pending[:3]]
            lines.append("  nearest results, in lengthscales:")
            lines += [f"    trial {one.trial} at {one.distance:.3g}, value {one.value:.6g}" for one in model.nearest[:3]]
        return "\n".join(lines)


def why_of(trial: Trial, text: str) -> Why:
    """From the core's JSON."""
    found = json.loads(text)
    model = found["model"]
    if model is not None:
        near = {key: tuple(Neighbour(*one) for one in model[key]) for key in ("pending", "nearest")}
        model = Modelled(**{**model, **near})
    return Why(trial.number, trial.source, found["fallback"], model)
