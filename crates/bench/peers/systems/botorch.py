"""BoTorch: SingleTaskGP with its default prior, qLogNoisyExpectedImprovement, the batch greedily one by one.

The same acquisition with noise and without: it is the one that BoTorch recommends for both, and the one of the recorded
rows. One stops at the evaluated point of the best posterior mean.
"""
import warnings

import torch
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood

from systems.base import Cube, versions

warnings.filterwarnings("ignore")
torch.set_default_dtype(torch.double)


class System(Cube):
    def data(self):
        return torch.tensor(self.cube_points()), -torch.tensor(self.values).unsqueeze(-1)

    def model(self):
        x, y = self.data()
        model = SingleTaskGP(x, y, outcome_transform=Standardize(m=1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model

    def ask(self, q):
        torch.manual_seed(self.next_seed())
        model = self.model()
        acquisition = qLogNoisyExpectedImprovement(model, X_baseline=self.data()[0], prune_baseline=True)
        bounds = torch.stack([torch.zeros(self.dim), torch.ones(self.dim)])
        found, _ = optimize_acqf(acquisition, bounds=bounds, q=q, num_restarts=10, raw_samples=512, sequential=True)
        return [self.relaxed.point(u) for u in found.detach().numpy()]

    def stop(self):
        torch.manual_seed(self.next_seed())
        model = self.model()
        with torch.no_grad():
            mean = model.posterior(self.data()[0]).mean
        return self.points[int(mean.argmax())]

    @staticmethod
    def version():
        return versions("botorch", "gpytorch", "torch")
