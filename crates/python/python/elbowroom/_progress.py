"""What a run reports while it runs: one line that rewrites itself where people watch, and a log elsewhere."""

from __future__ import annotations

import logging
import shutil
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from ._errors import ConfigError
from ._number import shown
from ._trial import Trial

if TYPE_CHECKING:
    from ._study import Study

logger = logging.getLogger("elbowroom")
"""Where runs report if nobody watches a terminal or a notebook: one record of level INFO for each trial that ended."""


class Progress:
    """The progress of a run in one line: of one study, or of several with the same goal, whose best value is shown. It
    shows nothing until a trial has been handed out."""

    def __init__(self, studies: Sequence[Study], n: int | None, wanted: bool | None) -> None:
        if wanted is not None and not isinstance(wanted, bool):
            raise ConfigError(
                f"progress is {shown(wanted)}\n  try: use True, False, or None to show it on terminals and in notebooks"
            )
        self._studies, self._n = list(studies), n
        self._line = _line(wanted)
        self._logs = wanted is None and self._line is None
        self._n_ended = 0
        self._began = self._drawn = time.monotonic()

    def handed(self, n: int) -> None:
        """Trials were handed out."""
        if n and self._line is not None and not self._n_ended:
            self._draw()

    def ended(self, trial: Trial) -> None:
        """A trial ended."""
        self._n_ended += 1
        if self._logs and logger.isEnabledFor(logging.INFO):
            logger.info("%s", f"{self._name()}: trial {trial.number} {_end_of(trial)}; {self.words()}")
        elif self._line is not None and time.monotonic() - self._drawn >= self._line.pause:
            self._draw()

    def clear(self) -> None:
        """Makes room for something else to be printed."""
        if self._line is not None:
            self._line.clear()

    def close(self, *, is_whole: bool = True) -> None:
        """The run has ended: the line stays, updated, or as it was if an exception ended the run."""
        if self._line is not None and is_whole and self._n_ended:
            self._draw()
        if self._line is not None:
            self._line.close()
        self._line, self._logs = None, False

    def _draw(self) -> None:
        if self._line is not None:
            self._line.write(self.words())
            self._drawn = time.monotonic()

    def _name(self) -> str:
        return " and ".join(study.name for study in self._studies)

    def words(self) -> str:
        """Where the run stands."""
        found = [study.status() for study in self._studies]
        counts = {state: sum(one["counts"][state] for one in found) for state in found[0]["counts"]}
        n_bad = counts["failed"] + counts["infeasible"]
        n_ended, budget = counts["complete"] + n_bad, found[0]["budget"] if len(found) == 1 else None
        done, of = (n_ended, budget) if self._n is None else (self._n_ended, self._n)
        said = [f"{done} trials" if of is None else f"{done} of {of} trials"]
        if counts["running"]:
            said.append(f"{counts['running']} running")
        said.append(_best_of(found))
        if n_bad:
            said.append(f"{n_bad} failed or infeasible")
        elapsed = time.monotonic() - self._began
        said.append(_clock(elapsed))
        if of is not None and self._n_ended > 1 and done < of:
            said.append(f"about {_clock(elapsed / self._n_ended * (of - done))} left")
        return ", ".join(part for part in said if part)


def _best_of(found: list[dict[str, Any]]) -> str:
    """The best trial of some studies, or the quality of their front."""
    with_best = [one for one in found if one["best"] is not None]
    extreme = max if found[0]["goal"] == "maximize" else min
    status = extreme(with_best, key=lambda one: one["best"]["value"]) if with_best else found[0]
    front, best = status.get("front"), status["best"]
    if front is not None:
        volume = front.get("hypervolume")
        return f"front of {front['n_points']}" + ("" if volume is None else f", hypervolume {volume:.6g}")
    if best is None:
        return "no trial keeps all limits yet" if status.get("n_feasible") == 0 and status["counts"]["complete"] else ""
    return f"best {best['value']:.6g} (trial {best['trial']})"


def _end_of(trial: Trial) -> str:
    if trial.value is not None:
        return f"gave {trial.value:.6g}"
    reason = (trial.reason or "").strip().splitlines()
    return f"{'is infeasible' if trial.state == 'infeasible' else trial.state}" + (f" ({reason[-1]})" if reason else "")


def _clock(seconds: float) -> str:
    """A time in the format of a clock.

    >>> _clock(75), _clock(3675)
    ('1:15', '1:01:15')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _fitting(text: str, most: int) -> str:
    """As many complete parts of a line as fit.

    >>> _fitting("3 of 9 trials, 2 running, best 0.5 (trial 1)", 30)
    '3 of 9 trials, 2 running'
    """
    end = text.rfind(", ", 0, most + 1) if len(text) > most else -1
    return text[:most] if end < 0 else text[:end]


class _Line(Protocol):
    """A place for a line that is updated again and again."""

    pause: float
    """Seconds between two versions of it."""

    def write(self, text: str) -> None: ...
    def clear(self) -> None: ...
    def close(self) -> None: ...


class _OnTerminal:
    """The last line of a terminal, which is overwritten."""

    pause = 0.1

    def __init__(self, stream: Any) -> None:
        self._stream, self._width = stream, 0

    def write(self, text: str) -> None:
        # One column is left free: some terminals move to the next line when the last column is written.
        text = _fitting(text, max(shutil.get_terminal_size().columns - 1, 1))
        self._put("\r" + text.ljust(self._width))
        self._width = len(text)

    def clear(self) -> None:
        if self._width:
            self._put("\r" + " " * self._width + "\r")
            self._width = 0

    def close(self) -> None:
        if self._width:
            self._put("\n")
            self._width = 0

    def _put(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            pass  # A closed terminal does not end a run.


class _OnPaper:
    """A stream that cannot be overwritten: it gets a new line from time to time."""

    pause = 10.0

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        print(text, file=self._stream, flush=True)

    def clear(self) -> None:
        pass

    def close(self) -> None:
        pass


class _InNotebook:
    """The output of a cell, which is replaced."""

    pause = 0.2

    def __init__(self, display: Any) -> None:
        self._display, self._handle = display, None

    def write(self, text: str) -> None:
        data = {"text/plain": text}
        if self._handle is None:
            self._handle = self._display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def clear(self) -> None:
        pass

    def close(self) -> None:
        pass


def _line(wanted: bool | None) -> _Line | None:
    """Where to show the line; none if it should not be shown."""
    if wanted is False:
        return None
    if (display := _notebook_display()) is not None:
        return _InNotebook(display)
    if sys.stderr is not None and getattr(sys.stderr, "isatty", bool)():
        return _OnTerminal(sys.stderr)
    return _OnPaper(sys.stderr) if wanted and sys.stderr is not None else None


def _notebook_display() -> Any:
    """The object that displays output in the cells of a notebook, if this is one."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    return import_module("IPython.display").display
