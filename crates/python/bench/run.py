"""Measures the wheel: its size, what importing it costs beyond numpy, and what an ask costs beyond the core's.

    maturin build --release --out dist
    cargo build --release -p elbowroom-python --example core_ask
    pip install dist/elbowroom-*.whl
    python bench/run.py dist/elbowroom-*.whl TARGET/release/examples/core_ask bench/results

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

IMPORTS, ASKS = 21, 21
IMPORT = "import numpy, time; start = time.perf_counter(); import elbowroom; print(time.perf_counter() - start)"


def main() -> None:
    wheel, core, folder = map(Path, sys.argv[1:])
    raw = {
        "wheel": {"file": wheel.name, "bytes": wheel.stat().st_size},
        "import_seconds": [float(output([sys.executable, "-c", IMPORT])) for _ in range(IMPORTS)],
        "ask": asks(core),
        "machine": {"processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "raw.json").write_text(json.dumps(raw, indent=1) + "\n")
    (folder / "README.md").write_text(page(raw))
    print(page(raw))


def asks(core: Path) -> dict[str, dict[str, list[float]]]:
    """Seconds of one ask after 200 results in 6 dimensions, from the same log: with the fit of the model, and without."""
    problem = er.problems.get("hartmann6")
    study = er.Study(problem.space, seed=1)
    random = np.random.default_rng(1)
    for x in random.random((200, 6)):
        study.add({f"x{i}": value for i, value in enumerate(x)}, problem(x))
    log = study.dumps()
    python: dict[str, list[float]] = {"fit": [], "model": []}
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "log.json"
        path.write_text(log)
        of_core: dict[str, list[float]] = {"fit": [], "model": []}
        # By turns, so that both see the same machine.
        for _ in range(ASKS):
            fit, model = output([str(core), str(path), "1"]).split()
            of_core["fit"].append(float(fit))
            of_core["model"].append(float(model))
            again = er.Study.loads(log)
            for seconds in python.values():
                start = time.perf_counter()
                again.ask()
                seconds.append(time.perf_counter() - start)
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
        "Made by `bench/run.py`; the single measurements are in [raw.json](raw.json).",
        "",
        "| | measured | wanted |",
        "|---|---:|---:|",
        f"| the wheel | {raw['wheel']['bytes'] / 1e6:.2f} MB | under 12 MB |",
        f"| `import elbowroom`, beyond numpy's import | {median(raw['import_seconds']):.4f} s "
        f"({min(raw['import_seconds']):.4f}) | under 0.15 s |",
    ]
    for key, what in [("fit", "with the fit of the model"), ("model", "with the model made")]:
        lines += [
            f"| an ask after 200 results, 6 dimensions, {what}: Python | {ms(python[key])} | |",
            f"| the same, the core alone | {ms(core[key])} | |",
            f"| difference | {1e3 * (median(python[key]) - median(core[key])):.2f} ms "
            f"({1e3 * (min(python[key]) - min(core[key])):.2f}) | under 1 ms |",
        ]
    return "\n".join(lines) + "\n"


def ms(seconds: list[float]) -> str:
    return f"{1e3 * statistics.median(seconds):.2f} ms ({1e3 * min(seconds):.2f})"


main()
