"""BoTorch as in its tutorials: qLogNEHVI for several objectives, qLogNEI for one, both with constraints if there are any.

A SingleTaskGP for each outcome with its defaults, 128 Sobol samples, 10 restarts from 512 raw samples, the batch greedily
one by one.
"""
import warnings

import torch
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.multi_objective.objective import IdentityMCMultiOutputObjective
from botorch.acquisition.objective import GenericMCObjective
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import SumMarginalLogLikelihood

from rivals.base import Rival, versions

warnings.filterwarnings("ignore")
torch.set_default_dtype(torch.double)


class System(Rival):
    def ask(self, q):
        seed = self.next_seed()
        torch.manual_seed(seed)
        acquisition = self.acquisition(self.model(), SobolQMCNormalSampler(torch.Size([128]), seed=seed))
        bounds = torch.stack([torch.zeros(self.dim), torch.ones(self.dim)])
        found, _ = optimize_acqf(acquisition, bounds=bounds, q=q, num_restarts=10, raw_samples=512, sequential=True)
        return [self.relaxed.point(u) for u in found.detach().numpy()]

    def model(self):
        """It maximizes, so the objectives change their signs; constraints stay as they are."""
        y = torch.tensor(self.values)
        y[:, :self.n_objectives] *= -1
        models = [SingleTaskGP(self.data(), y[:, k:k + 1], outcome_transform=Standardize(m=1)) for k in range(y.shape[1])]
        model = ModelListGP(*models)
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        return model

    def data(self):
        return torch.tensor(self.cube_points())

    def acquisition(self, model, sampler):
        m = self.n_objectives
        limits = [lambda z, k=k: z[..., k] for k in range(m, m + self.n_constraints)] or None
        shared = dict(model=model, X_baseline=self.data(), sampler=sampler, prune_baseline=True, constraints=limits)
        if m == 1:
            return qLogNoisyExpectedImprovement(objective=GenericMCObjective(lambda z, X=None: z[..., 0]), **shared)
        objective = IdentityMCMultiOutputObjective(outcomes=list(range(m)))
        return qLogNoisyExpectedHypervolumeImprovement(ref_point=[-r for r in self.reference], objective=objective, **shared)

    @staticmethod
    def version():
        return versions("botorch", "gpytorch", "torch")
