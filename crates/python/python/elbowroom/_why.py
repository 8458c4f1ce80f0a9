"""Why a point was chosen."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from ._space import Params
from ._trial import Source, Trial

_ORIGINS: dict[Source, str] = {
    "design": "a point of the initial design, chosen before there was a model",
    "model": "chosen by the strategy, with a model of the results",
    "random": "a random point, where neither design nor strategy had one to offer",
    "given": "a point of your own",
}


class Neighbour(NamedTuple):
    """Another trial: its distance in lengthscales, its value and its point."""

    trial: int
    distance: float
    value: float | None
    point: Params


class Reason(NamedTuple):
    """One named term of a point's score; ``trial`` is the running trial that it refers to, if any."""

    name: str
    value: float
    trial: int | None


_DIGITS = 4
"""Decimals of a score's terms: they are logarithms, or in deviations of the model."""


@dataclass(frozen=True)
class Score:
    """The score of a point under a strategy: the sum of its terms."""

    total: float
    """The sum."""
    is_score: bool
    """Whether the strategy ranks points by it. Some strategies have no such number for a single point."""
    terms: tuple[Reason, ...]
    """Its parts."""


@dataclass(frozen=True)
class BeliefThen:
    """What the model said about a point before it was tried."""

    n_observed: int
    """The number of results at that time."""
    subset: dict[str, int] | None
    """The part of them that the model was fitted to, if there were more than it may have."""
    mean: float
    """The predicted value."""
    sd: float
    """The standard deviation of the prediction."""
    sd_with_pending: float
    """The same, once the results that were pending are in."""
    chance: float | None
    """The probability that the point gives a value; None if no trial had failed."""
    best: float | None
    """The best value at that time."""
    strategy: str
    """The strategy's name."""
    score: Score
    """The score of the point."""
    exploit: float
    """The share of the expected improvement that comes from the predicted value; the rest comes from its uncertainty."""
    pending: tuple[Neighbour, ...]
    """The trials that were pending, the nearest first."""
    nearest: tuple[Neighbour, ...]
    """The nearest results, the nearest first."""
    without_pending: Params | None
    """The point that would have been chosen if nothing had been pending, if it is a different one."""
    pushed_by: Neighbour | None
    """The pending trial that was nearest to that point."""


@dataclass(frozen=True)
class Why:
    """Why a trial's point was chosen. It prints as a few lines of text.

    >>> import elbowroom as er
    >>> study = er.Study({"x": er.Float(0, 1)})
    >>> [trial] = study.ask()
    >>> print(study.why(trial))
    Trial 0 is part of the initial design, which covers the space before there is a model.
    """

    trial: int
    """The trial."""
    source: Source
    """Where its point came from."""
    fallback: str | None
    """Why the model or the strategy was not used, if it should have been."""
    belief: BeliefThen | None
    """What the model said about it, if the strategy chose it from a model."""
    narrowing: dict[str, Any] | None = None
    """The parameters that the ask held fixed or in a narrower range."""
    summary: str = ""
    """The answer in one sentence."""

    def __str__(self) -> str:
        lines = [self.summary or f"trial {self.trial}: {_ORIGINS[self.source]}"]
        if self.fallback is not None:
            lines.append(f"  note: {self.fallback}")
        if self.belief is not None:
            then = self.belief
            explore = 1 - then.exploit
            leaning, share = ("exploit", then.exploit) if then.exploit > 0.5 else ("explore", explore)
            best = "" if then.best is None else f"; best so far {then.best:.6g}"
            made_of = f"{then.n_observed} results"
            if then.subset is not None:
                made_of = f"{sum(then.subset.values()) - then.subset['of']} of {then.subset['of']} results"
            lines += [f"  model fitted to {made_of}{best}", f"  predicted: {then.mean:.6g} ± {then.sd:.2g}"]
            if then.chance is not None:
                lines.append(f"  chance of a value: {100 * then.chance:.0f} %")
            lines.append(f"  balance: {leaning} ({100 * share:.0f} % of the expected improvement)")
            worth = "score" if then.score.is_score else "worth"
            lines.append(f"  {worth} for {then.strategy.replace('_', ' ')}: {round(then.score.total, _DIGITS) + 0.0:.6g}, the sum of")
            for term in then.score.terms:
                # Adding 0 turns -0 into 0. Pending trials that do not lower the score are left out.
                value = round(term.value, _DIGITS) + 0.0
                if term.trial is None or value:
                    which = "" if term.trial is None else f" of trial {term.trial}"
                    lines.append(f"    {value:>12.6g}  {term.name}{which}")
            if then.pending:
                sd = f"{then.sd_with_pending:.2g}"
                lines.append(f"  {len(then.pending)} pending; once their results are in, the uncertainty is ± {sd}")
                lines.append("  nearest pending, in lengthscales:")
                lines += [f"    trial {one.trial} at {one.distance:.3g}" for one in then.pending[:3]]
            else:
                lines.append("  nothing was pending")
            lines.append("  nearest results, in lengthscales:")
            lines += [f"    trial {one.trial} at {one.distance:.3g}, value {one.value:.6g}" for one in then.nearest[:3]]
        return "\n".join(lines)


def why_of(trial: Trial, text: str) -> Why:
    """From the core's JSON, in which an infinite number is null."""
    found = json.loads(text)
    belief = found["belief"]
    if belief is not None:
        near = {key: tuple(Neighbour(**one) for one in belief[key]) for key in ("pending", "nearest")}
        pushed_by = belief["pushed_by"] and Neighbour(**belief["pushed_by"])
        terms = tuple(Reason(term["name"], _number(term["value"]), term["trial"]) for term in belief["score"]["terms"])
        score = Score(_number(belief["score"]["total"]), belief["score"]["is_score"], terms)
        belief = BeliefThen(**{**belief, **near, "pushed_by": pushed_by, "score": score})
    return Why(trial.number, trial.source, found["fallback"], belief, found["narrowing"], found.get("summary", ""))


def _number(value: float | None) -> float:
    return -math.inf if value is None else value
