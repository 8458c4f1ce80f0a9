"""What a run shows while it goes on."""

import io
import logging
import sys
import types

import pytest

import elbowroom as er

SPACE = {"x": er.Float(0, 1)}


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


def on_terminal(monkeypatch):
    """Called by tests themselves: before them, pytest puts back what it captures."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "70")
    return terminal


def square(x):
    return (x - 0.5) ** 2


def test_on_a_terminal_one_line_is_written_over_and_over_and_stays_at_the_end(monkeypatch):
    terminal = on_terminal(monkeypatch)
    study = er.minimize(square, SPACE, budget=6, seed=1)
    written = terminal.getvalue()
    assert written.count("\n") == 1 and written.endswith("\n")
    lines = written.rstrip("\n").split("\r")
    assert lines[0] == "" and len(lines) >= 3
    assert all(len(line) < 70 for line in lines)
    assert lines[1].startswith("0 of 6 trials, 1 running")
    assert lines[-1].startswith(f"6 of 6 trials, best {study.best.value:.6g} (trial {study.best.number})")


def test_progress_can_be_turned_off_and_must_be_a_truth_value(monkeypatch, caplog):
    terminal = on_terminal(monkeypatch)
    with caplog.at_level(logging.INFO, "elbowroom"):
        er.minimize(square, SPACE, budget=3, progress=False)
    assert terminal.getvalue() == "" and not caplog.records
    with pytest.raises(er.ConfigError, match="progress is 'yes'\n  try: use True, False, or None"):
        er.minimize(square, SPACE, budget=3, progress="yes")


def test_elsewhere_each_trial_is_a_record_of_the_logger(monkeypatch, caplog):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)

    def odd(x):
        if x > 0.5:
            raise er.Infeasible("too hot")
        return x

    with caplog.at_level(logging.INFO, "elbowroom"):
        study = er.minimize(odd, SPACE, budget=5, seed=1, name="kiln")
    said = [record.getMessage() for record in caplog.records if record.name == "elbowroom"]
    assert len(said) == 5 and not stream.getvalue()
    assert all(words.startswith("kiln: trial ") for words in said)
    assert any("is infeasible (too hot)" in words for words in said)
    assert "5 of 5 trials" in said[-1] and f"best {study.best.value:.6g}" in said[-1]


def test_asked_for_it_is_shown_on_any_stream(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    er.minimize(square, SPACE, budget=4, progress=True)
    lines = stream.getvalue().splitlines()
    assert "\r" not in stream.getvalue()
    assert lines[0].startswith("0 of 4 trials") and lines[-1].startswith("4 of 4 trials, best ")


def test_in_a_notebook_one_output_is_shown_anew(monkeypatch):
    shown = []

    class Handle:
        def update(self, data, raw):
            shown.append(("update", data["text/plain"], raw))

    def display(data, raw, display_id):
        shown.append(("display", data["text/plain"], raw))
        return Handle()

    package = types.ModuleType("IPython")
    package.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    module = types.ModuleType("IPython.display")
    module.display = display
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    er.minimize(square, SPACE, budget=4)
    assert [kind for kind, _, _ in shown][0] == "display"
    assert {kind for kind, _, _ in shown[1:]} == {"update"}
    assert shown[-1][1].startswith("4 of 4 trials, best ")


def test_with_several_objectives_the_front_is_shown(monkeypatch):
    terminal = on_terminal(monkeypatch)
    study = er.Study(SPACE, outcomes={"a": er.Minimize(worst=2), "b": er.Minimize(worst=2)}, seed=1)
    study.run(lambda x: (x, 1 - x), 5)
    assert f"5 of 5 trials, front of {len(study.front)}, hypervolume" in terminal.getvalue()


def test_a_run_that_is_left_by_an_exception_ends_its_line(monkeypatch):
    terminal = on_terminal(monkeypatch)
    def callback(study, trial):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        er.minimize(square, SPACE, budget=4, callbacks=callback)
    assert terminal.getvalue().endswith("\n")


def test_warnings_have_a_line_of_their_own(monkeypatch):
    terminal = on_terminal(monkeypatch)
    def broken(x):
        raise ValueError("no instrument")

    with pytest.warns(UserWarning):
        er.minimize(broken, SPACE, budget=6)
    # Before the warning about five failures in a row the line is blank, with the cursor at its beginning.
    assert any(not part.strip() for part in terminal.getvalue().split("\r")[1:])
    assert "6 failed or infeasible" in terminal.getvalue()


def test_a_coroutine_shows_its_progress_too(monkeypatch):
    terminal = on_terminal(monkeypatch)
    import asyncio

    async def f(x):
        return square(x)

    study = er.Study(SPACE, seed=1)
    asyncio.run(study.run_async(f, 3))
    assert "3 of 3 trials, best " in terminal.getvalue()
