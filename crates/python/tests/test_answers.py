"""One vocabulary: Python says of a study what the command and HTTP say, in the same words and shapes.

What the command and HTTP say is compared in crates/cli/tests/answers.rs.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import elbowroom as er

SPACE = {"x": er.Float(0, 1), "n": er.Int(1, 9), "gas": er.Categorical(["N2", "Ar"])}


def _elbow():
    target = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[3] / "target"))
    built = [path for path in (target / "release/elbow", target / "debug/elbow") if path.is_file()]
    return max(built, key=lambda path: path.stat().st_mtime) if built else shutil.which("elbow")


@pytest.fixture(name="study")
def _study(tmp_path):
    """A study with a trial of every kind."""
    study = er.Study(
        SPACE, store=tmp_path / "lab.elbow", name="plate", metric="loss", constraints="x + n <= 8", budget=30, worker="me"
    )
    trials = study.ask(7)
    study.tell(trials[0], {"loss": 0.5, "minutes": 12})
    study.tell(trials[0].number, 0.75)
    study.tell(trials[1], 2.5, noise=0.25)
    study.tell(trials[1].number, 1.5, correction=True)
    study.fail(trials[2], "broke")
    study.infeasible(trials[3], "does not dissolve")
    study.tell(trials[3].number, 9)
    study.release(trials[4])
    with pytest.warns(UserWarning, match="is broken"):
        study.tell({"x": 0.5, "n": 9, "gas": "Ar"}, 0.25)
    return study


@pytest.fixture(name="command")
def _command(study, tmp_path):
    elbow = _elbow()
    if elbow is None:
        pytest.skip("the command `elbow` is not built; build it with: cargo build -p elbowroom-cli")

    def command(*words):
        said = subprocess.run([elbow, "--json", *words, tmp_path / "lab.elbow"], capture_output=True, check=True)
        return json.loads(said.stdout)

    return command


def test_a_trial_is_the_same_from_python_and_from_the_command(study, command):
    there = command("trials")["trials"]
    assert json.loads(study._native.trials()[0]) == there
    assert [trial.to_dict() for trial in study.trials] == there
    assert study.trials[6].worker == "me" and study.trials[7].breaks == "x + n <= 8"


def test_the_best_points_are_the_same_from_python_and_from_the_command(study, command):
    there = command("best")
    assert study.recommended.to_dict() == there["recommended"]
    with pytest.warns(UserWarning, match="breaks the constraint"):
        assert study.best.to_dict() == there["observed"]


def test_a_study_stands_the_same_for_python_and_for_the_command(study, command):
    here, there = study.status(), command("status")
    del here["now"], there["now"]
    # Python keeps its trials alive while they run.
    for one in here["held"] + there["held"]:
        del one["expires"]
    assert here == there
    assert study.counts == there["counts"]


def test_an_ask_is_answered_in_the_words_of_the_command(study, command):
    [asked] = study.ask(1, request="one")
    there = command("ask", "--request", "one", "--in")
    assert there["short"] is None
    [trial] = there["trials"]
    assert trial == asked.to_dict()


def test_the_studies_of_a_store_are_the_same_from_python_and_from_the_command(study, command, tmp_path):
    assert [one._asdict() for one in er.studies(study.store)] == command("studies")["studies"]
    with pytest.raises(er.StoreError, match="there is no store at"):
        er.studies(tmp_path / "other.elbow")
    assert not (tmp_path / "other.elbow").exists()
