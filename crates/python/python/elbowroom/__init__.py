"""Batch and asynchronous Bayesian optimization by local penalization.

>>> import elbowroom as er
>>> study = er.minimize(lambda x, y: (x - 0.3) ** 2 + y, {"x": er.Float(0, 1), "y": er.Int(1, 9)}, budget=40, workers=4)
>>> study.best.params["y"]
1
"""

from . import problems
from ._blocks import ln_expected_improvement, ln_penalizer, qei, ucb
from ._elbowroom import VERSION
from ._errors import (
    ConfigError,
    DataError,
    ElbowroomError,
    Infeasible,
    NumericalError,
    SpaceError,
    StoreError,
    TrialError,
)
from ._front import Front, FrontObjective, FrontRecommendation, FrontStep, RecommendedFront
from ._gp import GaussianProcess
from ._minimize import maximize, minimize
from ._outcomes import AtLeast, AtMost, Between, Maximize, Minimize, Near, Outcome, Watched
from ._settings import strategies
from ._space import Candidates, Categorical, Choice, Fixed, Float, Int, Ladder, Ordered
from ._study import Importance, Study, StudyInfo, studies, suggest
from ._trial import Batch, BrokenLimit, Measurement, Recommendation, Trial, Trials
from ._why import BeliefThen, Neighbour, Reason, Score, Why

__version__: str = VERSION
"""The version of the package."""

__all__ = [
    "AtLeast",
    "AtMost",
    "Batch",
    "Between",
    "BrokenLimit",
    "Candidates",
    "Categorical",
    "Choice",
    "ConfigError",
    "DataError",
    "ElbowroomError",
    "Fixed",
    "Float",
    "Front",
    "FrontObjective",
    "FrontRecommendation",
    "FrontStep",
    "GaussianProcess",
    "Importance",
    "Infeasible",
    "Int",
    "Ladder",
    "Maximize",
    "Measurement",
    "Minimize",
    "Near",
    "BeliefThen",
    "Reason",
    "Score",
    "Neighbour",
    "NumericalError",
    "Ordered",
    "Outcome",
    "Recommendation",
    "RecommendedFront",
    "SpaceError",
    "StoreError",
    "Study",
    "StudyInfo",
    "Trial",
    "TrialError",
    "Trials",
    "Watched",
    "Why",
    "ln_expected_improvement",
    "ln_penalizer",
    "maximize",
    "minimize",
    "problems",
    "qei",
    "strategies",
    "studies",
    "suggest",
    "ucb",
]
