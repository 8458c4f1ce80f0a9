"""A study behind ``elbow serve --write``, where the command is: it is not built here."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import elbowroom as er

SPACE = {"x": er.Float(0, 1)}


def _elbow():
    target = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[3] / "target"))
    built = [path for path in (target / "release/elbow", target / "debug/elbow") if path.is_file()]
    return max(built, key=lambda path: path.stat().st_mtime) if built else shutil.which("elbow")


@pytest.fixture(name="serve")
def _serve(tmp_path):
    elbow = _elbow()
    if elbow is None:
        pytest.skip("the command `elbow` is not built; build it with: cargo build -p elbowroom-cli")
    er.Study(SPACE, store=tmp_path / "lab.elbow", name="plate", budget=6, seed=1)
    servers = []

    def serve(*options):
        command = [elbow, "serve", tmp_path / "lab.elbow", "--port", "0", "--json", *options]
        servers.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True))
        return json.loads(servers[-1].stdout.readline())["url"]

    yield serve
    for server in servers:
        server.terminate()
        server.communicate()


def test_a_study_is_worked_on_over_http(serve, tmp_path):
    study = er.Study.open(serve("--write"), "plate")
    study.run(lambda x: (x - 0.3) ** 2, workers=2)
    assert study.counts["complete"] == 6 and study.budget_left == 0
    # It is in the file behind the server.
    behind = er.Study.open(tmp_path / "lab.elbow", "plate")
    assert [(trial.params, trial.value) for trial in behind.trials] == [
        (trial.params, trial.value) for trial in study.trials
    ]


def test_a_server_without_write_shows_a_study_and_changes_nothing(serve):
    study = er.Study.open(serve(), "plate")
    assert study.trials == []
    with pytest.raises(er.StoreError):
        study.ask()


def test_an_address_without_its_token_is_refused(serve):
    with pytest.raises(er.StoreError, match="has no token\n  try: "):
        er.Study.open(serve("--write").split("?")[0], "plate")
