"""The building blocks against other libraries, closed forms and finite differences."""

import math

import numpy as np
import pytest

import elbowroom as er

# Forrester's function at five points, standardized (population deviation), with fixed hyperparameters: an exponentiated
# quadratic kernel of variance 1 and lengthscale 0.2. The numbers are GPy's, made once and stored. GPy minimizes:
# means and their slopes have the other sign here. It has a noise variance of 1e-6 and adds 1e-8 to the diagonal; its
# deviations are those of an observation, √(s² + 1e-6).
GPY_NOISE = 1e-6
X = np.array([[0.0], [0.25], [0.5], [0.75], [1.0]])
AT = np.array([[0.1], [0.6], [0.9]])
FORRESTER = (6 * X[:, 0] - 2) ** 2 * np.sin(12 * X[:, 0] - 4)
Y = -(FORRESTER - FORRESTER.mean()) / FORRESTER.std()


@pytest.fixture(name="gp")
def _gp():
    return er.GaussianProcess(X, Y, kernel="rbf", variance=1.0, lengthscales=[0.2], noise=GPY_NOISE + 1e-8, mean=0.0)


def test_predictions_and_likelihood_are_those_of_gpy(gp):
    mean, sd = gp.predict(AT)
    np.testing.assert_allclose(mean, [0.274482370463, 0.890632039591, -0.544560913738], rtol=0, atol=1e-11)
    with_noise = np.sqrt(sd**2 + GPY_NOISE)
    np.testing.assert_allclose(with_noise, [0.223958506251, 0.189073500799, 0.223958506251], rtol=0, atol=1e-11)
    assert gp.ln_marginal_likelihood == pytest.approx(-9.268515250050, abs=1e-10)
    assert gp.ln_marginal_likelihood() == gp.ln_marginal_likelihood
    assert gp.jitter == 0.0


def test_gradients_are_those_of_gpy(gp):
    mean_gradient = gp.mean_gradient(AT)
    assert mean_gradient.shape == (3, 1)
    np.testing.assert_allclose(mean_gradient[:, 0], [2.946516433402, 6.907813766942, -14.980725371804], atol=1e-10)
    sd = gp.predict(AT)[1]
    # d√(s² + σ²) = s ds/√(s² + σ²).
    with_noise = gp.sd_gradient(AT)[:, 0] * sd / np.sqrt(sd**2 + GPY_NOISE)
    np.testing.assert_allclose(with_noise, [0.614574923705, 0.798212037195, -0.614574923705], atol=1e-10)


def test_the_lipschitz_constant_is_the_steepest_mean(gp):
    value, where = gp.lipschitz([(0.0, 1.0)])
    assert value == pytest.approx(15.022466239509, abs=1e-9)
    # The norm is flat at its maximum: half the digits of the value.
    assert where.shape == (1,) and where[0] == pytest.approx(0.891520194896, abs=1e-5)
    # A flat posterior has none: it is not kept away from 0.
    flat = er.GaussianProcess([[0.0], [1.0]], [0.0, 0.0], lengthscales=[0.3], noise=1e-6)
    assert flat.lipschitz([(0.0, 1.0)])[0] == 0.0


def test_penalizers_are_the_papers_at_gpys_numbers(gp):
    best, lipschitz = 1.2078666463841, 15.022466239509
    centers, means = [0.65, 0.85], [1.19123920645, 0.192590709504]
    sds = [0.190791132096, 0.21160109138]
    wanted = {0.1: (0.0, 0.0), 0.6: (-5.912386629e-05, -1.1671e-38), 0.9: (-8.1541e-86, -2.2447775422668)}
    for x, values in wanted.items():
        for center, mean, sd, value in zip(centers, means, sds, values):
            got, gradient = er.ln_penalizer([x], [center], lipschitz, best, mean, sd, kind="soft")
            assert got == pytest.approx(value, rel=1e-4 if abs(value) < 1e-30 else 1e-9, abs=1e-100)
            assert gradient.shape == (1,)
    np.testing.assert_allclose(gp.predict([[0.65], [0.85]])[0], means, atol=1e-10)


# L = 2, M = 1, μ = 0.3, s = 0.5, by mpmath: distance, ln φ and its slope for the soft and the truncated penalizer, and
# ln φ of the hard one.
MPMATH = [
    (0.1, -1.84102164500926, 6.10054110464393, -2.46814296306229, 12.4249083289987, -1.79178518773899),
    (0.35, -0.693147180559945, 3.19153824321146, -0.785099359057014, 3.80630761764570, -0.552068555575540),
    (1.0, -0.00467208523643940, 0.0545863140078548, -0.00508357864843964, 0.0594062291417127, -0.0149769626383431),
]


@pytest.mark.parametrize("row", MPMATH)
def test_every_penalizer_has_the_values_and_slopes_of_mpmath(row):
    distance, soft, soft_slope, truncated, truncated_slope, hard = row
    direction = np.array([0.6, -0.8])
    center = np.array([3.0, 4.0])
    for kind, value, slope in [("soft", soft, soft_slope), ("truncated", truncated, truncated_slope), ("hard", hard, None)]:
        got, gradient = er.ln_penalizer(center + distance * direction, center, 2.0, 1.0, 0.3, 0.5, kind)
        # The distance loses digits when 3 and 4 are added and taken away: a few 1e-16 over 0.1, times the slope.
        assert got == pytest.approx(value, rel=1e-12, abs=1e-13)
        if slope is not None:
            np.testing.assert_allclose(gradient, slope * direction, rtol=1e-11)


@pytest.mark.parametrize("kind", ["soft", "hard", "truncated"])
def test_the_gradient_of_a_penalizer_is_its_slope(kind):
    x, center, step = np.array([[0.3, -0.2], [1.0, 0.4]]), [0.1, 0.2], 1e-6

    def value(x):
        return er.ln_penalizer(x, center, 2.0, 1.0, 0.3, 0.5, kind)[0]

    gradient = er.ln_penalizer(x, center, 2.0, 1.0, 0.3, 0.5, kind)[1]
    for k in range(2):
        e = step * np.eye(2)[k]
        np.testing.assert_allclose(gradient[:, k], (value(x + e) - value(x - e)) / (2 * step), rtol=1e-7, atol=1e-9)


def test_at_its_center_a_penalizer_has_no_direction():
    assert er.ln_penalizer([0.5], [0.5], 2.0, 1.0, 0.3, 0.5)[1] == [0.0]
    assert er.ln_penalizer([0.5], [0.5], 2.0, 1.0, 0.3, 0.5, "truncated")[0] == -math.inf


def test_shapes_follow_the_arrays():
    value, gradient = er.ln_penalizer([0.1, 0.2, 0.3], [0.0], 2.0, 1.0, 0.3, 0.5)
    assert value.shape == gradient.shape == (3,)
    value, gradient = er.ln_penalizer(np.zeros((4, 3)), np.ones(3), 2.0, 1.0, 0.3, 0.5)
    assert value.shape == (4,) and gradient.shape == (4, 3)
    with pytest.raises(er.DataError, match="shape"):
        er.ln_penalizer(np.zeros((4, 3)), np.ones(2), 2.0, 1.0, 0.3, 0.5)


def test_expected_improvement_is_right_far_out_and_for_certain_points():
    # ln(φ(u) + uΦ(u)) at −50 and −1000 by mpmath.
    assert er.ln_expected_improvement(-50.0, 1.0, 0.0) == pytest.approx(-1258.74418286846, rel=1e-14)
    assert er.ln_expected_improvement(-1000.0, 1.0, 0.0) == pytest.approx(-500014.734452091, rel=1e-14)
    # s φ(0) at the incumbent.
    assert er.ln_expected_improvement(2.0, 3.0, 2.0) == pytest.approx(math.log(3 / math.sqrt(2 * math.pi)), rel=1e-14)
    got = er.ln_expected_improvement([1.0, -1.0], 0.0, [0.0])
    assert got.tolist() == [0.0, -math.inf]


def test_the_confidence_bound_is_what_it_says():
    assert er.ucb(1.0, 0.25, kappa=4.0) == 2.0
    assert er.ucb([1.0, 2.0], 0.5).tolist() == [2.0, 3.0]


def test_qei_of_one_point_is_its_expected_improvement():
    value, p, h = er.qei([0.3], [[0.49]], 0.5)
    assert value == pytest.approx(math.exp(er.ln_expected_improvement(0.3, 0.7, 0.5)), rel=1e-12)
    # ∂/∂m = Φ(u), and ∂/∂s² = φ(u)/(2s): H is twice that.
    u = (0.3 - 0.5) / 0.7
    assert p[0] == pytest.approx(0.5 * math.erfc(-u / math.sqrt(2)), rel=1e-12)
    assert h[0, 0] == pytest.approx(math.exp(-u * u / 2) / math.sqrt(2 * math.pi) / 0.7, rel=1e-12)


@pytest.mark.parametrize("q", [2, 3, 5])
def test_qei_agrees_with_simulation_and_its_slopes_make_up_its_value(q):
    random = np.random.default_rng(q)
    root = random.normal(size=(q, q))
    mean, cov, best = random.normal(size=q), root @ root.T / q + 0.1 * np.eye(q), 0.4
    value, p, h = er.qei(mean, cov, best)
    assert value == pytest.approx((mean - best) @ p + (cov * h).sum(), rel=1e-4)
    draws = random.multivariate_normal(mean, cov, size=400_000)
    gains = np.maximum(draws - best, 0).max(axis=1)
    # Five standard errors of the simulation.
    assert abs(value - gains.mean()) < 5 * gains.std() / math.sqrt(len(gains))
    np.testing.assert_allclose(h, h.T)


def test_the_gradient_has_a_law_of_its_own(gp):
    mean, cov = gp.gradient_posterior([0.33])
    assert mean.shape == (1,) and cov.shape == (1, 1)
    np.testing.assert_allclose(mean, gp.mean_gradient([[0.33]])[0])
    # The slope over a short way has the variance of the gradient: two correlated values a step apart.
    step = 1e-4
    joint = gp.joint([[0.33 - step], [0.33 + step]])[1]
    slope = (joint[0, 0] + joint[1, 1] - 2 * joint[0, 1]) / (2 * step) ** 2
    assert cov[0, 0] == pytest.approx(slope, rel=1e-4)
    mean, cov = gp.gradient_posterior(AT)
    assert mean.shape == (3, 1) and cov.shape == (3, 1, 1)


@pytest.mark.parametrize("kernel", ["rbf", "matern52", "matern32"])
def test_gradients_are_central_differences_in_two_dimensions(kernel):
    random = np.random.default_rng(1)
    x, y, at = random.random((9, 2)), random.normal(size=9), random.random((4, 2))
    gp = er.GaussianProcess(x, y, kernel=kernel, variance=1.7, lengthscales=[0.3, 0.8], noise=0.01, mean=0.4)
    for k in range(2):
        e = 1e-5 * np.eye(2)[k]
        (up_mean, up_sd), (down_mean, down_sd) = gp.predict(at + e), gp.predict(at - e)
        np.testing.assert_allclose(gp.mean_gradient(at)[:, k], (up_mean - down_mean) / 2e-5, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(gp.sd_gradient(at)[:, k], (up_sd - down_sd) / 2e-5, rtol=1e-6, atol=1e-7)


def test_a_matern_process_is_what_the_textbook_says():
    # k = σ²(1 + √5 r + 5r²/3) e^{−√5 r} and k = σ²(1 + √3 r) e^{−√3 r}; Rasmussen & Williams 2006, 2.19 and 4.17.
    r, noise = abs(0.7 - 0.2) / 0.6, 0.04
    kernels = {
        "matern52": 2.0 * (1 + math.sqrt(5) * r + 5 * r * r / 3) * math.exp(-math.sqrt(5) * r),
        "matern32": 2.0 * (1 + math.sqrt(3) * r) * math.exp(-math.sqrt(3) * r),
    }
    for kernel, k in kernels.items():
        gp = er.GaussianProcess([[0.2]], [1.5], kernel=kernel, variance=2.0, lengthscales=[0.6], noise=noise, mean=0.5)
        mean, sd = gp.predict([[0.7]])
        assert mean[0] == pytest.approx(0.5 + k / (2.0 + noise) * 1.0, rel=1e-14)
        assert sd[0] == pytest.approx(math.sqrt(2.0 - k * k / (2.0 + noise)), rel=1e-13)


def test_conditioning_is_the_process_with_all_data(gp):
    more = er.GaussianProcess(X[:3], Y[:3], "rbf", 1.0, [0.2], GPY_NOISE + 1e-8).condition(X[3:], Y[3:])
    for a, b in zip(more.predict(AT), gp.predict(AT)):
        np.testing.assert_allclose(a, b, rtol=1e-10)


def test_pending_points_shrink_the_deviation_and_leave_the_mean_alone(gp):
    mean, sd = gp.condition([[0.6]]).predict(AT)
    np.testing.assert_array_equal(mean, gp.predict(AT)[0])
    # The value does not matter for the variance: any will do.
    np.testing.assert_allclose(sd, gp.condition([[0.6]], [7.0]).predict(AT)[1], rtol=1e-9)


def test_samples_have_the_joint_law(gp):
    draws = gp.sample(AT, 20_000, seed=3)
    mean, cov = gp.joint(AT)
    assert draws.shape == (20_000, 3)
    np.testing.assert_array_equal(draws, gp.sample(AT, 20_000, seed=3))
    assert (draws != gp.sample(AT, 20_000, seed=4)).any()
    # Five standard errors.
    assert (abs(draws.mean(axis=0) - mean) < 5 * np.sqrt(np.diag(cov) / 20_000)).all()
    assert (abs(np.cov(draws.T) - cov) < 5 * 0.05 * np.sqrt(2 / 20_000)).all()
    np.testing.assert_allclose(np.diag(cov), gp.predict(AT)[1] ** 2, rtol=1e-9)


def test_noise_may_differ_between_observations():
    each = er.GaussianProcess([[0.0], [5.0]], [1.0, 1.0], lengthscales=[0.1], noise=[0.0, 1.0])
    # Far apart, each mean is y/(1 + noise).
    np.testing.assert_allclose(each.predict([[0.0], [5.0]])[0], [1.0, 0.5])


def test_a_fit_is_as_likely_as_its_neighbours():
    random = np.random.default_rng(5)
    x = random.random((25, 2)) * [10.0, 0.1]
    y = np.sin(x[:, 0]) + 30 * x[:, 1] + 0.01 * random.normal(size=25)
    gp = er.GaussianProcess.fit(x, y, "rbf", priors=False)
    found = gp.hyperparameters
    assert er.GaussianProcess(x, y, **found).ln_marginal_likelihood == pytest.approx(gp.ln_marginal_likelihood)
    for name, factor in [("variance", 1.2), ("noise", 1.2), ("variance", 0.8), ("noise", 0.8)]:
        other = er.GaussianProcess(x, y, **{**found, name: found[name] * factor})
        assert other.ln_marginal_likelihood < gp.ln_marginal_likelihood
    for k in range(2):
        scales = np.where(np.arange(2) == k, 1.1, 1.0) * found["lengthscales"]
        other = er.GaussianProcess(x, y, **{**found, "lengthscales": scales})
        assert other.ln_marginal_likelihood < gp.ln_marginal_likelihood


def test_bad_arrays_are_refused_with_words():
    with pytest.raises(er.DataError):
        er.GaussianProcess([[0.0]], [math.nan])
    with pytest.raises(er.DataError):
        er.GaussianProcess([[0.0], [1.0]], [1.0])
    with pytest.raises(er.ConfigError, match='no kernel named "cubic"\n  try: use one of rbf'):
        er.GaussianProcess([[0.0]], [1.0], kernel="cubic")
    with pytest.raises(er.ConfigError, match="lengthscale 0 is -1"):
        er.GaussianProcess([[0.0]], [1.0], lengthscales=[-1.0])
    with pytest.raises(er.DataError, match="3 coordinates for a model of 1"):
        er.GaussianProcess([[0.0]], [1.0]).predict(np.zeros((2, 3)))
    with pytest.raises(er.ConfigError):
        er.qei([0.0, 1.0], [[1.0]], 0.0)


def test_problems_have_their_minima_at_their_minimizers():
    for problem in er.problems.all():
        values = problem(problem.minimizers)
        np.testing.assert_allclose(values, problem.minimum, rtol=1e-9, atol=1e-9)
        inside = np.random.default_rng(0).uniform(*problem.bounds.T, size=(200, problem.dim))
        assert (problem(inside) >= problem.minimum).all()
    assert er.problems.ackley(3).dim == 3
    # The printed minimum of the Branin function.
    assert er.problems.branin.minimum == pytest.approx(0.397887, abs=1e-6)
    with pytest.raises(AttributeError):
        er.problems.unknown


def test_what_leaves_pending_points_out_is_refused():
    gp = er.GaussianProcess(X, Y, lengthscales=[0.2], noise=1e-6)
    pending = gp.condition([[0.6]])
    calls = [
        lambda: pending.joint(AT),
        lambda: pending.sample(AT),
        lambda: pending.gradient_posterior(AT),
        lambda: pending.condition([[0.3]], [1.0]),
    ]
    for call in calls:
        with pytest.raises(er.ConfigError, match="pending\n  try: condition on the results first"):
            call()
    with pytest.raises(er.ConfigError, match="noise was given without y"):
        gp.condition([[0.6]], noise=0.1)
    # In the other order all count: results first, then what is pending, also in several steps.
    both = gp.condition([[0.3]], [1.0]).condition([[0.6]]).condition([[0.8]])
    assert (both.predict([[0.6], [0.8]])[1] < 0.01).all()
    np.testing.assert_allclose(both.predict(AT)[0], gp.condition([[0.3]], [1.0]).predict(AT)[0])


@pytest.mark.parametrize("priors", [True, False])
@pytest.mark.parametrize("scale", [1e-100, 1e-8, 1e-4, 1e4, 1e100])
def test_a_fit_is_the_same_in_any_units(scale: float, priors: bool) -> None:
    x = np.linspace(0, 1, 8)[:, None]
    y = np.sin(6 * x[:, 0])
    at = [[0.55], [0.9]]
    mean, sd = er.GaussianProcess.fit(x, y, priors=priors).predict(at)
    scaled = er.GaussianProcess.fit(x, scale * y + 3 * scale, priors=priors).predict(at)
    np.testing.assert_allclose(scaled[0] / scale - 3, mean, atol=1e-6)
    np.testing.assert_allclose(scaled[1] / scale, sd, rtol=1e-4)
    known = er.GaussianProcess.fit(x, scale * y, noise=1e-4 * scale * scale, mean=0.0, priors=priors)
    assert known.hyperparameters["mean"] == 0.0
    np.testing.assert_allclose(known.hyperparameters["noise"], 1e-4 * scale * scale)
