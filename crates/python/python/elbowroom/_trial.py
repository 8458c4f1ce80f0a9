"""Trials, batches of them, and the point to use in the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeAlias

from ._html import assigned, plain, table
from ._space import Params

State: TypeAlias = Literal["running", "queued", "lost", "complete", "failed", "infeasible", "released"]
Source: TypeAlias = Literal["design", "model", "random", "given"]
Told: TypeAlias = Literal["recorded", "late", "replicate", "correction", "not_finite", "aside", "repeated"]


class Measurement(NamedTuple):
    """One reported value, with its noise variance if it is known, and its kind: the first, a replicate, and so on."""

    value: float
    noise: float | None
    kind: Literal["first", "replicate", "late", "correction"]


class BrokenLimit(NamedTuple):
    """A limit that a result breaks: what it was, and what it should have been."""

    outcome: str
    value: float
    at_least: float | None = None
    at_most: float | None = None


@dataclass(frozen=True)
class Trial:
    """One point and what became of it, at the time it was looked up.

    >>> import elbowroom as er
    >>> study = er.Study({"x": er.Float(0, 1)})
    >>> [trial] = study.ask()
    >>> trial.number, trial.state, trial.source
    (0, 'running', 'design')
    >>> study.tell(trial, 0.5)
    'recorded'
    >>> study.trials[0].value
    0.5
    """

    number: int
    """Its number in the study, from 0 on."""
    params: Params
    """The point, by the parameters' names."""
    value: float | None
    """The mean of the values that count."""
    noise: float | None
    """The variance of the value's noise, if it is known."""
    state: State
    """Its state."""
    source: Source
    """Where the point came from: the initial design, the model, chance, or the user."""
    reason: str | None
    """The reason why it failed or is infeasible."""
    attempts: int
    """The number of times it was handed out."""
    attempt: int | None
    """The number of this attempt, if the trial was just handed out."""
    measurements: tuple[Measurement, ...]
    """All reported values, in order."""
    notes: tuple[str, ...]
    """Reports that were recorded and changed nothing."""
    unit: tuple[float, ...]
    """The point in the unit cube: one coordinate for each parameter that has more than one value."""
    results: dict[str, float]
    """All results by name, including that of the study's metric, which is :attr:`value`."""
    worker: str | None = field(default=None, compare=False)
    """The worker that has it, or had it last before it was lost."""
    expires: int | None = field(default=None, compare=False)
    """When that worker's lease ends, in milliseconds since 1970."""
    breaks: str | None = None
    """The known constraint that its point breaks."""
    well: str | None = None
    """Its place on a plate, if it has one."""
    feasible: bool | None = None
    """Whether its results keep their limits; None if there are no limits, or if it is not known yet."""
    broken_limits: tuple[BrokenLimit, ...] = ()
    """The limits that it breaks."""
    waiting_for: tuple[str, ...] = ()
    """The results that are still missing, if some were reported."""

    def __getitem__(self, name: str) -> Any:
        """The value of a parameter."""
        return self.params[name]

    def __str__(self) -> str:
        """One line; ``repr`` has all fields."""
        value = "" if self.value is None else f", value {self.value:.6g}"
        return f"trial {self.number}: {self.state}{value}, {assigned(self.params)}"

    def to_dict(self) -> dict[str, Any]:
        """The trial as a dict with the keys of ``elbow --json`` and the HTTP API.

        >>> import elbowroom as er
        >>> study = er.Study({"x": er.Float(0, 1)})
        >>> _ = study.tell({"x": 0.5}, 2.0)
        >>> answer = study.trials[0].to_dict()
        >>> answer["trial"], answer["point"], answer["measurements"]
        (0, {'x': 0.5}, [{'value': 2.0, 'noise': None, 'kind': 'first'}])
        """
        row = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "unit"}
        row["trial"], row["point"] = row.pop("number"), dict(row.pop("params"))
        row["measurements"] = [one._asdict() for one in self.measurements]
        row["notes"] = list(self.notes)
        row["broken_limits"] = [
            {key: one for key, one in broken._asdict().items() if one is not None} for broken in self.broken_limits
        ]
        row["waiting_for"] = list(self.waiting_for)
        left_out = [name for name in ("broken_limits", "waiting_for") if not row[name]]
        left_out += ["feasible"] if self.feasible is None else []
        return {name: one for name, one in row.items() if name not in left_out}


class Batch(list[Trial]):
    """The trials that :meth:`Study.ask` returned; ``short`` says why there are fewer than asked for."""

    short: str | None

    def __init__(self, trials: Iterable[Trial] = (), short: str | None = None) -> None:
        super().__init__(trials)
        self.short = short

    def __str__(self) -> str:
        """The trials as a table of text; ``repr`` is that of a list."""
        return str(Trials(self)) if self else f"no trials: {self.short}"


class Trials(list[Trial]):
    """All trials of a study, by number; also as a table.

    >>> import elbowroom as er
    >>> study = er.Study({"x": er.Float(0, 1)})
    >>> _ = study.tell({"x": 0.5}, 2.0)
    >>> study.trials.columns()
    {'number': [0], 'state': ['complete'], 'value': [2.0], 'noise': [None], 'params_x': [0.5], 'source': ['given'], \
'attempts': [1], 'reason': [None]}
    >>> print(study.trials)
    number  state     value    x  source  attempts
         0  complete      2  0.5  given          1
    """

    def columns(self) -> dict[str, list[Any]]:
        """The trials as columns. A parameter's column is called ``params_`` and its name. If results have names, their
        columns come last, called ``results_`` and the name; if they have limits, ``feasible`` says whether these are kept."""
        names = dict.fromkeys(name for trial in self for name in trial.params)
        feasible = [trial.feasible for trial in self]
        return {
            **{name: [getattr(trial, name) for trial in self] for name in ("number", "state", "value", "noise")},
            **{f"params_{name}": [trial.params.get(name) for trial in self] for name in names},
            **{name: [getattr(trial, name) for trial in self] for name in ("source", "attempts", "reason")},
            **{f"results_{name}": [trial.results.get(name) for trial in self] for name in self._results()},
            **({"feasible": feasible} if any(one is not None for one in feasible) else {}),
        }

    def _results(self) -> list[str]:
        """The names of the results, in the order of first appearance; none if there is only one, without a name."""
        names = list(dict.fromkeys(name for trial in self for name in trial.results))
        return [] if names == ["value"] else names

    def to_pandas(self) -> Any:
        """The trials as a pandas data frame; pandas must be installed."""
        return import_module("pandas").DataFrame(self.columns())

    def to_polars(self) -> Any:
        """The trials as a polars data frame; polars must be installed."""
        return import_module("polars").DataFrame(self.columns(), strict=False)

    def __str__(self) -> str:
        """The trials as a table of text; ``repr`` is that of a list."""
        if not self:
            return "no trials yet"
        columns = self.columns()
        names = {name: name.removeprefix("params_").removeprefix("results_") for name in columns}
        # The optimized result is the value; it goes by its name if it has one.
        results = (name for name in columns if name.startswith("results_"))
        doubled = next((name for name in results if columns[name] == columns.get("value")), None)
        if doubled is not None:
            names["value"] = names[doubled]
        shown = {name: cells for name, cells in columns.items() if name != doubled}
        is_clear = len({names[name] for name in shown}) == len(shown)
        return plain({names[name] if is_clear else name: cells for name, cells in shown.items()})

    def _repr_html_(self) -> str:
        return table(self.columns())


@dataclass(frozen=True)
class Recommendation:
    """The point to use in the end, with what the model expects there; ``trial`` is the trial at this point, if any.

    If the model's answer cannot be trusted, it is the best observed point with its own value, and ``fallback`` says why.
    """

    params: Params
    mean: float
    sd: float
    trial: int | None
    fallback: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict with the keys of ``elbow best --json`` and the HTTP API."""
        row = {one.name: getattr(self, one.name) for one in fields(self)}
        return {"point": dict(row.pop("params")), **row}


def trial_of(answer: dict[str, Any], params: Params, unit: list[float]) -> Trial:
    """A trial from its answer, with the choices that its labels stand for."""
    row = {**answer, "number": answer["trial"], "params": params, "unit": tuple(unit)}
    del row["trial"], row["point"]
    row["measurements"] = tuple(Measurement(**one) for one in answer["measurements"])
    row["notes"] = tuple(answer["notes"])
    row["broken_limits"] = tuple(BrokenLimit(**one) for one in answer.get("broken_limits", ()))
    row["waiting_for"] = tuple(answer.get("waiting_for", ()))
    return Trial(**row)
