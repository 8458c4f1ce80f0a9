"""What failures teach, through Python: the problems of the program `failures`, run by elbowroom's wheel or by Optuna.

    python failures.py python --modes fail,nan            elbowroom: Study.run with four workers (threads)
    python failures.py optuna_gp --seeds 5                Optuna's GPSampler beside it
    python failures.py optuna_tpe --seeds 5               Optuna's TPESampler beside it

The problems, the failures and the counting are those of the program, which answers on a pipe (`failures serve`); rows go
to the same file, and those that are there already are not run again. `--failures` says where the program is.

A trial that fails raises in the mode `fail`, returns NaN in the mode `nan` and raises `Infeasible` in that mode.

Optuna is asked and told one trial at a time, with four simulated workers as in the library's runs: a worker that ends
tells its result and asks for one more, and trials take as long as they do there. Failed trials are told as FAIL. TPE has
constant_liar=True; the Gaussian process knows of running trials what Optuna 5 makes of them by itself.

Measured with: optuna==5.0.0 torch==2.15.0 scipy==1.17.1 numpy==2.4.6, Python 3.11.
"""

from __future__ import annotations

import argparse
import heapq
import json
import subprocess
import threading
import time
import warnings
from pathlib import Path
from typing import Any

TRIALS = 48
WORKERS = 4
EVALUATION = 0.02
"""Seconds that an evaluation of mean length takes in a thread, so that several are under way at once."""


class Program:
    """The program that has the problems."""

    def __init__(self, path: str) -> None:
        self._process = subprocess.Popen([path, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._lock = threading.Lock()

    def ask(self, op: str, **words: Any) -> Any:
        """Its answer to one request."""
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        with self._lock:
            process.stdin.write(json.dumps({"op": op, **words}) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        if not line:
            raise RuntimeError("the program `failures` has ended; it says why above")
        return json.loads(line)


class Failed(Exception):
    """An evaluation that failed."""


def run_elbowroom(program: Program, problem: dict[str, Any], mode: str, seed: int) -> list[dict[str, Any]]:
    """A run by elbowroom, in threads."""
    import elbowroom as er

    makers = {
        "float": lambda p: er.Float(p["low"], p["high"], log=p.get("log", False)),
        "int": lambda p: er.Int(p["low"], p["high"], log=p.get("log", False)),
        "category": lambda p: er.Categorical(p["choices"]),
    }
    space = {p["name"]: makers[p["type"]](p) for p in problem["parameters"]}
    more = {"failures": "ignore"} if mode == "ignore" else {}
    study = er.Study(space, seed=seed, budget=TRIALS, **more)

    def objective(**params: Any) -> float:
        # An objective is not told its trial's number; no two trials have the same point.
        number = next(t.number for t in study.trials if t.params == params)
        answer = program.ask("evaluate", problem=problem["name"], seed=seed, trial=number, point=params)
        time.sleep(EVALUATION * answer["duration"])
        if answer["value"] is not None:
            return answer["value"]
        if mode == "nan":
            return float("nan")
        if mode == "infeasible":
            raise er.Infeasible("no value here")
        raise Failed("no value here")

    study.run(objective, workers=WORKERS)
    return [{"point": t.params, "value": t.value, "design": t.source == "design"} for t in study.trials]


def run_optuna(program: Program, problem: dict[str, Any], sampler: str, seed: int) -> list[dict[str, Any]]:
    """A run by Optuna, with simulated workers."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    makers = {
        "float": lambda p: optuna.distributions.FloatDistribution(p["low"], p["high"], log=p.get("log", False)),
        "int": lambda p: optuna.distributions.IntDistribution(p["low"], p["high"], log=p.get("log", False)),
        "category": lambda p: optuna.distributions.CategoricalDistribution(p["choices"]),
    }
    space = {p["name"]: makers[p["type"]](p) for p in problem["parameters"]}
    if sampler == "optuna_gp":
        chosen: Any = optuna.samplers.GPSampler(seed=seed)
    else:
        chosen = optuna.samplers.TPESampler(seed=seed, constant_liar=True)
    study = optuna.create_study(direction="minimize", sampler=chosen)
    attempts: list[dict[str, Any]] = []
    under_way: list[tuple[float, int, Any]] = []
    now = 0.0
    while len(attempts) < TRIALS or under_way:
        while len(under_way) < WORKERS and len(attempts) < TRIALS:
            trial = study.ask(space)
            answer = program.ask(
                "evaluate", problem=problem["name"], seed=seed, trial=trial.number, point=trial.params
            )
            attempts.append({"point": dict(trial.params), "value": answer["value"]})
            heapq.heappush(under_way, (now + answer["duration"], trial.number, trial))
        now, number, trial = heapq.heappop(under_way)
        value = attempts[number]["value"]
        if value is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, value)
    return attempts


def version(door: str, commit: str) -> str:
    """What is run: the commit of elbowroom, or a peer's version."""
    if door == "python":
        return commit
    import optuna

    return f"optuna-{optuna.__version__}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("door", choices=["python", "optuna_gp", "optuna_tpe"])
    parser.add_argument("--problems", default="all", help="names, or all, regions, chance")
    parser.add_argument("--modes", default="fail")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("crates/bench/results/failures.csv"))
    parser.add_argument("--failures", default="target/dist/failures")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")

    program = Program(chosen.failures)
    about = program.ask("problems")
    commit = version(chosen.door, about["commit"])
    groups = {"all": (True, False), "regions": (True,), "chance": (False,)}
    asked = chosen.problems.split(",")
    wanted = [p for p in about["problems"] if p["name"] in asked or p["region"] in groups.get(chosen.problems, ())]
    lines = chosen.out.read_text().splitlines() if chosen.out.exists() else []
    known = {tuple(line.split(",")[:5]) for line in lines}
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        for problem in wanted:
            for mode in chosen.modes.split(","):
                key = (chosen.door, problem["name"], mode, str(seed), commit)
                if key in known:
                    continue
                if chosen.door == "python":
                    attempts = run_elbowroom(program, problem, mode, seed)
                else:
                    attempts = run_optuna(program, problem, chosen.door, seed)
                about_run = {"door": chosen.door, "commit": commit, "problem": problem["name"], "mode": mode}
                row = program.ask("row", seed=seed, attempts=attempts, **about_run)["row"]
                with chosen.out.open("a") as file:
                    file.write(row + "\n")


if __name__ == "__main__":
    main()
