"""Measures the wheel: its size, what importing it costs beyond numpy, and what an ask costs beyond the core's.

    maturin build --profile dist --out dist
    cargo build --profile dist -p elbowroom-python --example core_ask
    pip install dist/elbowroom-*.whl
    python bench/run.py dist/elbowroom-*.whl TARGET/dist/examples/core_ask bench/results

The last folder gets `raw.json`, all single measurements, and `README.md`, the table.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import elbowroom as er

IMPORTS, ASKS = 21, 41
KEYS = ("fit, CPU", "fit, wall", "model, CPU", "model, wall")
IMPORT = "import numpy, time; start = time.perf_counter(); import elbowroom; print(time.perf_counter() - start)"


def main() -> None:
    wheel, core, folder = map(Path, sys.argv[1:])
    raw = {
        "wheel": {"file": wheel.name, "bytes": wheel.stat().st_size},
        "import_seconds": [float(output([sys.executable, "-c", IMPORT])) for _ in range(IMPORTS)],
        "ask": asks(core),
        "machine": {"processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()},
        "load": os.getloadavg()[0],
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "raw.json").write_text(json.dumps(raw, indent=1) + "\n")
    (folder / "README.md").write_text(page(raw))
    print(page(raw))


def asks(core: Path) -> dict[str, dict[str, list[float]]]:
    """Seconds of one ask after 200 results in 6 dimensions, from the same log: with the fit of the model, and without;
    CPU time of all threads, and wall time."""
    problem = er.problems.get("hartmann6")
    study = er.Study(problem.space, seed=1)
    random = np.random.default_rng(1)
    for x in random.random((200, 6)):
        study.add({f"x{i}": value for i, value in enumerate(x)}, problem(x))
    log = study.dumps()
    python: dict[str, list[float]] = {key: [] for key in KEYS}
    of_core: dict[str, list[float]] = {key: [] for key in KEYS}
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "log.json"
        path.write_text(log)
        # By turns, so that both see the same machine.
        for _ in range(ASKS):
            for key, seconds in zip(KEYS, output([str(core), str(path), "1"]).split()):
                of_core[key].append(float(seconds))
            again = er.Study.loads(log)
            for what in ("fit", "model"):
                start, cpu = time.perf_counter(), time.process_time()
                again.ask()
                python[f"{what}, CPU"].append(time.process_time() - cpu)
                python[f"{what}, wall"].append(time.perf_counter() - start)
    return {"python": python, "core": of_core}


def output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def page(raw: dict) -> str:
    median = statistics.median
    python, core = raw["ask"]["python"], raw["ask"]["core"]
    machine = raw["machine"]
    lines = [
        "# The wheel, measured",
        "",
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}. Medians, and in brackets the least.",
        f"Other work was running beside it (load {raw['load']:.0f}), which wall times show and CPU times do not.",
        "Made by `bench/run.py`; the single measurements are in [raw.json](raw.json).",
        "",
        "| | measured | wanted |",
        "|---|---:|---:|",
        f"| {raw['wheel']['file']} | {raw['wheel']['bytes'] / 1e6:.2f} MB | under 12 MB |",
        f"| `import elbowroom`, beyond numpy's import | {median(raw['import_seconds']):.4f} s "
        f"({min(raw['import_seconds']):.4f}) | under 0.15 s |",
    ]
    words = {"fit": "with the fit of the model", "model": "with the model made", "CPU": "CPU time", "wall": "wall time"}
    for key in KEYS:
        what, clock = (words[part] for part in key.split(", "))
        # The kernel's count of CPU time is brought up to date now and then only: its least value says nothing.
        rules = (median,) if key.endswith("CPU") else (median, min)
        lines += [
            f"| an ask after 200 results, 6 dimensions, {what}, {clock}: Python | {ms(python[key], None, rules)} | |",
            f"| the same, the core alone | {ms(core[key], None, rules)} | |",
            f"| difference | {ms(python[key], core[key], rules)} | under 1 ms |",
        ]
    return "\n".join(lines) + "\n"


def ms(seconds: list[float], less: list[float] | None, rules: tuple) -> str:
    """Milliseconds, by each rule; the first stands alone, the second in brackets."""
    shown = [f"{1e3 * (rule(seconds) - (rule(less) if less else 0.0)):.2f}" for rule in rules]
    return f"{shown[0]} ms" + (f" ({shown[1]})" if len(shown) > 1 else "")


main()
