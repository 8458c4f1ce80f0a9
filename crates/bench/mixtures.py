#!/usr/bin/env python3
"""BoTorch on the mixtures of `mixtures`: mixtures.py --program PATH_OF_MIXTURES [--seeds 5] [--out FILE]

SingleTaskGP with its default prior and qLogNoisyExpectedImprovement, the batch one by one, with the sum as an equality
constraint and the bounded sum of actives as an inequality; it begins with random points of the polytope, as many as the
library's design has. `recipe10` is left out: optimize_acqf has no limit on how many parts are used. Rows go into the file
of `mixtures`; what has a row already is not run again.
"""

import argparse
import subprocess
import time
import warnings
from pathlib import Path

import botorch
import torch
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Normalize, Standardize
from botorch.optim import optimize_acqf
from botorch.utils.sampling import get_polytope_samples
from gpytorch.mlls import ExactMarginalLogLikelihood

warnings.filterwarnings("ignore")
torch.set_default_dtype(torch.double)

EVALUATIONS, BATCH = 48, 4

# By problem: the bounds, and linear inequalities as coefficients whose product with a point is at least a number.
PROBLEMS = {
    "detergent": (
        [(0.0, 0.2), (0.0, 0.3), (0.02, 0.2), (0.0, 0.06), (0.0, 0.04), (0.0, 1.0)],
        [([1.0] * 5 + [0.0], 0.2), ([-1.0] * 5 + [0.0], -0.4)],
    ),
    "solder4": ([(0.0, 1.0)] * 4, []),
}


def run(program, name, seed):
    """The best value, the mean and the longest CPU time of an ask in milliseconds, and the largest error of the sum."""
    bounds, least = PROBLEMS[name]
    dim = len(bounds)
    bounds = torch.tensor(bounds).T.contiguous()
    all_parts = torch.arange(dim)
    whole = [(all_parts, torch.ones(dim), 1.0)]
    least = [(all_parts, torch.tensor(row), value) for row, value in least]
    torch.manual_seed(seed)
    served = subprocess.Popen([program, "--serve", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def value(x):
        served.stdin.write(" ".join(repr(float(v)) for v in x) + "\n")
        served.stdin.flush()
        return float(served.stdout.readline())

    n_design = -(-2 * (dim + 1) // BATCH) * BATCH
    x = get_polytope_samples(n_design, bounds, inequality_constraints=least, equality_constraints=whole, seed=seed)
    values, times = [value(point) for point in x], []
    while len(values) < EVALUATIONS:
        began = time.process_time()
        y = torch.tensor(values).unsqueeze(-1)
        model = SingleTaskGP(x, y, input_transform=Normalize(dim, bounds=bounds), outcome_transform=Standardize(m=1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        acquisition = qLogNoisyExpectedImprovement(model, X_baseline=x, prune_baseline=True)
        found, _ = optimize_acqf(
            acquisition, bounds=bounds, q=BATCH, num_restarts=10, raw_samples=512, sequential=True,
            equality_constraints=whole, inequality_constraints=least or None)
        times.append(1e3 * (time.process_time() - began))
        values += [value(point) for point in found.detach()]
        x = torch.cat([x, found.detach()])
    served.stdin.close()
    error = float((x.sum(-1) - 1.0).abs().max())
    return max(values), sum(times) / len(times), max(times), error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("crates/bench/results/mixtures.csv"))
    options = parser.parse_args()
    done = {tuple(line.split(",")[:3]) for line in options.out.read_text().splitlines()}
    for seed in range(options.seeds):
        for name in PROBLEMS:
            if (name, "botorch", str(seed)) in done:
                continue
            row = ",".join(str(number) for number in run(options.program, name, seed))
            with open(options.out, "a") as rows:
                rows.write(f"{name},botorch,{seed},botorch-{botorch.__version__},{row}\n")


if __name__ == "__main__":
    main()
