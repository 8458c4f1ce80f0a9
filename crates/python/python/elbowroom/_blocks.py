"""Penalizers and acquisitions on numbers and arrays; larger values are better."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _elbowroom
from ._errors import ConfigError, DataError
from ._number import array, finite, number, seed_of, text_of
from ._settings import PenalizerName

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""How far a covariance may be from one, relative to its largest number."""


def ln_penalizer(
    x: ArrayLike,
    center: ArrayLike,
    lipschitz: float,
    best: float,
    mean: float,
    sd: float,
    kind: PenalizerName = "soft",
) -> tuple[Any, Array]:
    """ln φ, by which a pending point at ``center`` lowers an acquisition at ``x``, and its gradient in ``x``.

    ``lipschitz`` is the constant of the function for the Euclidean distance, ``best`` its maximum, ``mean`` and ``sd``
    what the model knows at the center. ``x`` is one point (d numbers) or several (m × d); the gradient has the shape of
    ``x``. At the center there is no direction, and the gradient is 0.

    >>> import elbowroom as er
    >>> value, gradient = er.ln_penalizer([0.35], [0.0], lipschitz=2.0, best=1.0, mean=0.3, sd=0.5)
    >>> round(value, 6), gradient.round(6)  # ln ½, at the radius (best − mean)/lipschitz
    (-0.693147, array([3.191538]))
    """
    around = np.atleast_1d(finite(center, "center")).ravel()
    given = finite(x, "x")
    scalars = {"lipschitz": lipschitz, "best": best, "mean": mean, "sd": sd}
    numbers = {name: number(one, name) for name, one in scalars.items()}
    finite([numbers["best"], numbers["mean"]], "best or mean")
    dim = around.size
    if dim == 0:
        raise DataError("the center has no coordinates\n  try: give at least one number")
    # In one dimension a flat array means many points, unless it has a single number.
    single = given.size == dim and given.ndim < 2
    if not single and not (given.ndim == 2 and given.shape[1] == dim) and not (dim == 1 and given.ndim == 1):
        raise DataError(
            f"x has the shape {given.shape} and the center has {dim} numbers\n  try: use x of d numbers, or m × d"
        )
    value, gradient = _elbowroom.ln_penalizer(
        np.ascontiguousarray(given.reshape(-1, dim)),
        around.tolist(),
        numbers["lipschitz"],
        numbers["best"],
        numbers["mean"],
        numbers["sd"],
        text_of(kind, "kind"),
    )
    return (float(value[0]) if single else value), gradient.reshape(given.shape)


def ln_expected_improvement(mean: ArrayLike, sd: ArrayLike, best: ArrayLike) -> Any:
    """ln E max(0, Y − best) of Y ~ N(mean, sd²), accurate even where the improvement itself is too small for a float.

    The arguments are broadcast; numbers give a number.

    >>> import elbowroom as er
    >>> round(er.ln_expected_improvement(0.0, 1.0, 50.0), 6)
    -1258.744183
    """
    means, sds, bests = _broadcast(mean=mean, sd=sd, best=best)
    if (sds < 0).any():
        raise DataError("a standard deviation is negative\n  try: give sd, not a variance or a logarithm")
    flat = [np.ascontiguousarray(one).reshape(-1) for one in (means, sds, bests)]
    found = _elbowroom.ln_expected_improvement(*flat).reshape(means.shape)
    return float(found) if found.ndim == 0 else found


def ucb(mean: ArrayLike, sd: ArrayLike, kappa: ArrayLike = _elbowroom.KAPPA) -> Any:
    """The upper confidence bound mean + kappa · sd. The paper uses a kappa of 2.

    >>> import elbowroom as er
    >>> er.ucb(1.0, 0.5)
    2.0
    """
    means, sds, kappas = _broadcast(mean=mean, sd=sd, kappa=kappa)
    found = means + kappas * sds
    return float(found) if np.ndim(found) == 0 else found


def qei(mean: ArrayLike, cov: ArrayLike, best: float, *, seed: int = 0) -> tuple[float, Array, Array]:
    """The expected improvement of q points together, E max(0, Y₁ − best, …) with Y ~ N(mean, cov), and its slopes.

    ``p`` is the gradient in the means: the probability that a point is the best and better than ``best``. ``H`` is twice
    the gradient in the covariance, so that the value is Σ (mean − best) p + Σ cov · H. Exact for up to three points;
    beyond, integrals over a lattice that ``seed`` shifts.

    >>> import elbowroom as er
    >>> value, p, H = er.qei([0.2, -0.1], [[1.0, 0.3], [0.3, 0.5]], 0.4)
    >>> round(value, 12), p.shape, H.shape
    (0.349654241183, (2,), (2, 2))
    """
    means = np.ascontiguousarray(np.atleast_1d(finite(mean, "mean")).ravel())
    covariance = np.ascontiguousarray(np.atleast_2d(finite(cov, "cov")))
    if covariance.shape != (means.size, means.size) or not means.size:
        raise ConfigError(
            f"{means.size} means with a covariance of the shape {covariance.shape}\n"
            "  try: give one mean for each row and column, and at least one"
        )
    _check_covariance(covariance)
    level = float(finite(number(best, "best"), "best"))
    return _elbowroom.qei(means, covariance, level, seed_of(seed))


def _broadcast(**given: ArrayLike) -> list[Array]:
    """Arrays of one shape."""
    arrays = {name: array(values, name) for name, values in given.items()}
    try:
        return [np.asarray(one) for one in np.broadcast_arrays(*arrays.values())]
    except ValueError:
        shapes = ", ".join(f"{name} {one.shape}" for name, one in arrays.items())
        raise DataError(
            f"the shapes of the arrays do not match: {shapes}\n  try: use numbers, or arrays of the same shape"
        ) from None


def _check_covariance(covariance: Array) -> None:
    size = np.abs(covariance).max(initial=0.0)
    if np.abs(covariance - covariance.T).max(initial=0.0) > ROUNDING * size:
        raise DataError("cov is not symmetric\n  try: use (cov + cov.T) / 2, if the difference is only rounding")
    smallest = np.linalg.eigvalsh(covariance).min(initial=0.0)
    if smallest < -ROUNDING * max(size, np.finfo(np.float64).tiny) * len(covariance):
        raise DataError(
            f"cov is not positive semidefinite: it has the eigenvalue {smallest:.3g}\n  try: use a covariance, as `joint` gives it"
        )
