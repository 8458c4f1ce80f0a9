"""TuRBO-1 (Eriksson et al. 2019), as in BoTorch's tutorial: Thompson sampling in one trust region.

The region is a box around the best point, its sides in proportion to the lengthscales. It doubles after a few batches
that improve on the best, halves after as many as the dimension and the batch ask for that do not, and begins anew when
it is too small, with points of its own.
"""
import math

import torch
from botorch.fit import fit_gpytorch_mll
from botorch.generation import MaxPosteriorSampling
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from gpytorch.constraints import Interval
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.mlls import ExactMarginalLogLikelihood
from torch.quasirandom import SobolEngine

from systems.base import Cube, versions

torch.set_default_dtype(torch.double)
FIRST, LEAST, MOST, SUCCESSES = 0.8, 0.5**7, 1.6, 10


class System(Cube):
    def __init__(self, space, seed, n_init):
        super().__init__(space, seed, n_init)
        self.begin()

    def begin(self):
        """A new region: what was told before it is left alone."""
        self.first, self.length, self.best = len(self.values), FIRST, math.inf
        self.successes = self.failures = 0

    def tell(self, points, values):
        super().tell(points, values)
        if min(values) < self.best - 1e-3 * abs(self.best) or not math.isfinite(self.best):
            self.successes, self.failures = self.successes + 1, 0
        else:
            self.successes, self.failures = 0, self.failures + 1
        if self.successes == SUCCESSES:
            self.length, self.successes = min(2 * self.length, MOST), 0
        elif self.failures >= math.ceil(max(4.0, self.dim) / len(values)):
            self.length, self.failures = self.length / 2, 0
        self.best = min(self.best, *values)
        if self.length < LEAST:
            self.begin()

    def ask(self, q):
        seed = self.next_seed()
        torch.manual_seed(seed)
        if len(self.values) - self.first < self.n_init:
            found = SobolEngine(self.dim, scramble=True, seed=seed).draw(q).double()
        else:
            found = self.sample(q, seed)
        return [self.relaxed.point(u) for u in found.detach().numpy()]

    def sample(self, q, seed):
        x = torch.tensor(self.cube_points()[self.first:])
        y = -torch.tensor(self.values[self.first:]).unsqueeze(-1)
        kernel = ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=self.dim, lengthscale_constraint=Interval(0.005, 4.0)))
        likelihood = GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3))
        model = SingleTaskGP(x, y, covar_module=kernel, likelihood=likelihood, outcome_transform=Standardize(m=1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        middle = x[y.argmax()]
        weights = kernel.base_kernel.lengthscale.squeeze(0).detach()
        weights = weights / weights.mean()
        weights = weights / torch.prod(weights.pow(1.0 / len(weights)))
        low = torch.clamp(middle - weights * self.length / 2, 0.0, 1.0)
        high = torch.clamp(middle + weights * self.length / 2, 0.0, 1.0)
        n = min(5000, max(2000, 200 * self.dim))
        candidates = low + (high - low) * SobolEngine(self.dim, scramble=True, seed=seed).draw(n).double()
        # Few coordinates move at once, at least one.
        moves = torch.rand(n, self.dim) <= min(20.0 / self.dim, 1.0)
        still = torch.where(moves.sum(dim=1) == 0)[0]
        moves[still, torch.randint(0, self.dim, (len(still),))] = True
        candidates = torch.where(moves, candidates, middle.expand(n, self.dim))
        with torch.no_grad():
            return MaxPosteriorSampling(model=model, replacement=False)(candidates, num_samples=q)

    @staticmethod
    def version():
        return versions("botorch", "gpytorch", "torch")
