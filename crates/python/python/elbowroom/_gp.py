"""Gaussian processes on arrays, in the units of the arrays: nothing is rescaled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _elbowroom
from ._errors import ConfigError, DataError
from ._number import array, finite, number, seed_of, text_of, whole
from ._settings import KernelName

Array: TypeAlias = NDArray[np.float64]


class Number(float):
    """A number that can also be called, since other libraries have a method in its place."""

    def __call__(self) -> float:
        return float(self)


class GaussianProcess:
    """A Gaussian process with fixed hyperparameters, given n observations ``y`` at the rows of ``x`` (n × d).

    ``kernel`` is ``"rbf"``, ``"matern52"``, ``"matern32"`` or ``"twoscale"``; ``variance`` is the prior variance of the
    function; ``lengthscales`` is one number for each coordinate, or one for all; ``noise`` is a variance, or one for each
    observation; ``mean`` is the constant prior mean. All are in the units of the arrays: nothing is rescaled, and jitter is
    added only if the factorization fails. Acquisitions assume that larger values are better.

    >>> import numpy as np, elbowroom as er
    >>> gp = er.GaussianProcess([[0.0], [1.0]], [0.0, 1.0], kernel="rbf", variance=1.0, lengthscales=[0.5], noise=1e-6)
    >>> mean, sd = gp.predict([[0.0], [1.0], [9.0]])
    >>> mean.round(3), sd.round(3)
    (array([0., 1., 0.]), array([0.001, 0.001, 1.   ]))
    """

    _native: _elbowroom.GaussianProcess
    _given: dict[str, Any]
    _conditions: tuple[tuple[Array, Array | None, Array | None], ...]

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        kernel: KernelName = "rbf",
        variance: float = 1.0,
        lengthscales: ArrayLike = 1.0,
        noise: ArrayLike = 0.0,
        mean: float = 0.0,
    ) -> None:
        rows = _rows(x)
        scales = _flat(lengthscales, "lengthscales")
        if scales.size == 1:
            scales = np.repeat(scales, rows.shape[1])
        self._native = _elbowroom.GaussianProcess(
            rows,
            _flat(y),
            text_of(kernel, "kernel"),
            number(variance, "variance"),
            scales.tolist(),
            _flat(noise, "noise"),
            number(mean, "mean"),
        )
        self._remember(x, y, self.hyperparameters)

    @classmethod
    def fit(
        cls,
        x: ArrayLike,
        y: ArrayLike,
        kernel: KernelName = "matern52",
        *,
        ard: bool = True,
        noise: ArrayLike | None = None,
        mean: float | None = None,
        priors: bool = True,
        starts: int | None = None,
        bounds: ArrayLike | None = None,
        seed: int = 0,
    ) -> GaussianProcess:
        """Finds hyperparameters and conditions the process on the data.

        With ``priors`` they are the most probable ones under priors that depend on the number of coordinates, otherwise
        the most likely ones. ``ard`` gives each coordinate its own lengthscale; ``noise`` and ``mean`` are fitted unless you
        give them; ``starts`` is the number of random starts of the search. ``bounds`` (d × 2) is the box that lengthscales
        are measured against; by default that of the data. The units of ``y`` do not matter.

        >>> import numpy as np, elbowroom as er
        >>> x = np.linspace(0, 1, 9)[:, None]
        >>> gp = er.GaussianProcess.fit(x, np.sin(6 * x[:, 0]))
        >>> bool(abs(gp.predict([[0.55]])[0][0] - np.sin(3.3)) < 0.01)
        True
        """
        rows = _rows(x)
        if not rows.size:
            raise DataError(f"x has the shape {rows.shape}: there is nothing to fit\n  try: give at least one point, n × d")
        box = np.stack([rows.min(axis=0), rows.max(axis=0)], axis=1) if bounds is None else _box(bounds)
        if len(box) != rows.shape[1]:
            raise DataError(
                f"bounds of {len(box)} coordinates for points of {rows.shape[1]}\n  try: give low and high of each, d × 2"
            )
        extent = box[:, 1] - box[:, 0]
        extent[extent <= 0] = 1.0
        given = None if noise is None else _flat(noise, "noise")
        constant = None if mean is None else number(mean, "mean")
        random_starts = None if starts is None else whole(starts, "starts")
        values = _flat(y)
        # Priors and the smallest noise are meant for values of size 1 around 0.
        center, spread = _scale(values)
        native = _elbowroom.GaussianProcess.fit(
            rows,
            (values - center) / spread,
            text_of(kernel, "kernel"),
            bool(ard),
            None if given is None else given / spread / spread,
            None if constant is None else (constant - center) / spread,
            bool(priors),
            random_starts,
            extent.tolist(),
            seed_of(seed),
        )
        scaled = native.hyperparameters()
        return cls(
            x,
            y,
            scaled["kernel"],
            scaled["variance"] * spread * spread,
            scaled["lengthscales"],
            np.asarray(scaled["noise"]) * spread * spread if given is None else given,
            scaled["mean"] * spread + center if constant is None else constant,
        )

    def _remember(self, x: ArrayLike, y: ArrayLike, hyperparameters: dict[str, Any]) -> None:
        # Copies: the caller may change the arrays.
        self._given = {"x": _rows(x).copy(), "y": _flat(y).copy(), **hyperparameters}
        self._conditions = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._given, self._conditions)

    @property
    def hyperparameters(self) -> dict[str, Any]:
        """Kernel, variance, lengthscales, noise and mean: what the constructor takes."""
        return self._native.hyperparameters()

    @property
    def ln_marginal_likelihood(self) -> Number:
        """ln p(y | x)."""
        return Number(self._native.ln_marginal_likelihood())

    @property
    def jitter(self) -> float:
        """What had to be added to the diagonal of the covariance to factor it; usually 0."""
        return self._native.jitter()

    def predict(self, x: ArrayLike) -> tuple[Array, Array]:
        """The mean and the standard deviation of the latent function at the rows of ``x``."""
        return self._native.predict(self._at(x))

    def mean_gradient(self, x: ArrayLike) -> Array:
        """The gradient of the mean at the rows of ``x``: m × d."""
        return self._native.mean_gradient(self._at(x))

    def sd_gradient(self, x: ArrayLike) -> Array:
        """The gradient of the standard deviation at the rows of ``x``: m × d."""
        return self._native.sd_gradient(self._at(x))

    def lipschitz(
        self, bounds: ArrayLike, *, norm: Literal["1", "2", "inf"] = "2", seed: int = 0
    ) -> tuple[float, Array]:
        """The largest norm of the gradient of the mean in a box (d × 2: low and high of each coordinate), and where.

        This is the paper's GP-LCA without a floor that keeps it away from 0. It is the best of many local searches;
        ``seed`` decides where some of them start. ``norm`` is the norm of distances; gradients are measured in its dual.

        >>> import elbowroom as er
        >>> gp = er.GaussianProcess([[0.0]], [1.0], kernel="rbf", variance=1.0, lengthscales=[1.0], noise=0.0)
        >>> value, where = gp.lipschitz([(0, 3)])
        >>> round(value, 6), where.round(3)  # exp(-1/2), at 1
        (0.606531, array([1.]))
        """
        box = finite(_box(bounds), "bounds")
        if (box[:, 0] > box[:, 1]).any():
            raise DataError("a lower bound is above its upper bound\n  try: give low and high of each coordinate, d × 2")
        return self._native.lipschitz(box[:, 0].tolist(), box[:, 1].tolist(), str(norm), seed_of(seed))

    def gradient_posterior(self, x: ArrayLike) -> tuple[Array, Array]:
        """The mean and the covariance of the gradient: of d and d × d numbers for one point ``x``, and of m × d and
        m × d × d for the rows of ``x``."""
        rows = self._at(x)
        self._check_nothing_pending("the law of the gradient")
        mean, covariance = self._native.gradient_posterior(rows)
        covariance = covariance.reshape(len(rows), rows.shape[1], rows.shape[1])
        return (mean[0], covariance[0]) if np.ndim(x) < 2 and len(rows) == 1 else (mean, covariance)

    def joint(self, x: ArrayLike) -> tuple[Array, Array]:
        """The joint mean and covariance (m × m) of the latent function at the rows of ``x``."""
        rows = self._at(x)
        self._check_nothing_pending("the joint law")
        return self._native.joint(rows)

    def sample(self, x: ArrayLike, n: int = 1, seed: int = 0) -> Array:
        """n joint draws of the latent function at the rows of ``x``: n × m."""
        rows = self._at(x)
        self._check_nothing_pending("a sample")
        return self._native.sample(rows, whole(n, "n"), seed_of(seed))

    def condition(self, x: ArrayLike, y: ArrayLike | None = None, noise: ArrayLike | None = None) -> GaussianProcess:
        """The process with more observations and the same hyperparameters. Without ``y`` the points are pending: the mean
        stays as it is, and the standard deviation is the one that will be left once their results are in. Such a process
        has predictions and their gradients, but no joint distribution, and it takes no further results.

        >>> import elbowroom as er
        >>> gp = er.GaussianProcess([[0.0]], [1.0], kernel="rbf", variance=1.0, lengthscales=[1.0], noise=1e-8)
        >>> gp.condition([[2.0]], [3.0]).predict([[2.0]])[0].round(6)
        array([3.])
        >>> mean, sd = gp.condition([[2.0]]).predict([[2.0]])
        >>> mean == gp.predict([[2.0]])[0], sd.round(3)
        (array([ True]), array([0.]))
        """
        rows = self._at(x)
        values = None if y is None else _flat(y)
        more = GaussianProcess.__new__(GaussianProcess)
        given = None if noise is None else _flat(noise, "noise")
        if given is not None:
            if values is None:
                raise ConfigError("noise was given without y: pending points have the noise of the process\n  try: give y too, or no noise")
            if given.size not in (1, len(rows)):
                raise DataError(
                    f"{given.size} noise variances for {len(rows)} points\n  try: give one for each, or one for all"
                )
            given = np.broadcast_to(given, len(rows)).copy()
        if values is not None:
            self._check_nothing_pending("a process with more results")
        if values is None:
            more._native = self._native.with_pending(rows)
        else:
            more._native = self._native.condition(rows, values, given)
        more._given = self._given
        copies = (rows.copy(), None if values is None else values.copy(), given)
        more._conditions = (*self._conditions, copies)
        return more

    def __repr__(self) -> str:
        words = ", ".join(f"{name}={value!r}" for name, value in self.hyperparameters.items())
        return f"<GaussianProcess {words}>"

    def _check_nothing_pending(self, what: str) -> None:
        if any(y is None for _, y, _ in self._conditions):
            raise ConfigError(
                f"{what} would leave out the points that are pending\n"
                "  try: condition on the results first, and use predict once points are pending"
            )

    def _at(self, x: ArrayLike) -> Array:
        """Points as rows; a single point with several coordinates may be a flat array."""
        given, dim = finite(x, "x"), self._native.dim()
        if given.ndim == 1 and dim > 1 and given.shape[0] == dim:
            given = given[None, :]
        rows = _rows(given)
        if rows.shape[1] != dim:
            raise DataError(f"points of {rows.shape[1]} coordinates for a model of {dim}\n  try: pass points as rows, m × {dim}")
        return rows


def _made(given: dict[str, Any], conditions: Iterable[tuple[Any, ...]]) -> GaussianProcess:
    """Recreates a process from its arguments and the observations added since."""
    gp = GaussianProcess(**given)
    for x, y, noise in conditions:
        gp = gp.condition(x, y, noise)
    return gp


def _scale(values: Array) -> tuple[float, float]:
    """The mean of some values, and their standard deviation; 1 if they do not vary."""
    if not values.size or not np.isfinite(values).all():
        return 0.0, 1.0
    largest = float(np.abs(values).max()) or 1.0
    parts = values / largest
    center = float(parts.mean())
    spread = float(np.sqrt(np.mean((parts - center) ** 2)))
    return center * largest, (spread if spread > 1e-12 else 1.0) * largest


def _rows(x: ArrayLike) -> Array:
    """An array of points as rows; in a flat one each point has one coordinate."""
    rows = array(x, "x")
    if rows.ndim < 2:
        rows = rows.reshape(-1, 1)
    if rows.ndim != 2:
        raise DataError(f"points of the shape {rows.shape}\n  try: pass points as rows, n × d")
    return np.ascontiguousarray(rows)


def _flat(values: ArrayLike, what: str = "y") -> Array:
    return np.ascontiguousarray(array(values, what).reshape(-1))


def _box(bounds: ArrayLike) -> Array:
    box = array(bounds, "bounds")
    if box.ndim == 1 and box.shape == (2,):
        box = box[None, :]
    if box.ndim != 2 or box.shape[1] != 2:
        raise DataError(f"bounds of the shape {box.shape}\n  try: give low and high of each coordinate, d × 2")
    return box
