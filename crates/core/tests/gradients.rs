//! Every value with a gradient, compared with central differences of fourth order.
//!
//! With a step of 3·10⁻⁴ lengthscales the truncation error is h⁴/30 times a fifth derivative, about 10⁻¹⁵ of it, and
//! the rounding error about ε/h ≈ 10⁻¹² of the value, times the condition number of K (at most 12/0.01 + 1) if a solve
//! is involved. So 10⁻⁶ of the size of value and gradient leaves room, and is far below any wrong factor or sign.

use elbowroom::acquisition::{
    Acquisition, ExpectedImprovement, Exponential, LogAcquisition, PosteriorMean, ProbabilityOfImprovement, QObjective,
    QRule, QSamples, Score, Softplus, UpperConfidenceBound,
};
use elbowroom::data::Dataset;
use elbowroom::gp::{
    Hyperparameters, KernelKind, Likelihood, MeanRule, Metric, Noise, NoiseRule, Posterior, Prior, Scratch, Shape,
};
use elbowroom::linalg::Points;
use elbowroom::normal::Lattice;
use elbowroom::optim::{Bounds, Objective};
use elbowroom::penalty::{Ball, Norm, Penalized, Penalizer, PenalizerKind, lipschitz, ln_penalizer};
use elbowroom::rng::Stream;

const KERNELS: [KernelKind; 4] = [KernelKind::Rbf, KernelKind::Matern52, KernelKind::Matern32, KernelKind::TwoScale];
const PENALIZERS: [PenalizerKind; 3] = [PenalizerKind::Soft, PenalizerKind::Hard, PenalizerKind::Truncated];

/// The derivative of f in coordinate k at x, to fourth order in the step.
fn difference(f: &mut dyn FnMut(&[f64]) -> f64, x: &[f64], k: usize, h: f64) -> f64 {
    let mut at = |steps: f64| {
        let mut moved = x.to_vec();
        moved[k] += steps * h;
        f(&moved)
    };
    (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h)
}

/// Compares a gradient with differences, coordinate by coordinate; it must be 0 for categories.
fn check(what: &str, x: &[f64], steps: &[f64], metric: &[Metric], f: &mut dyn FnMut(&[f64], &mut [f64]) -> f64) {
    let mut gradient = vec![f64::NAN; x.len()];
    let value = f(x, &mut gradient);
    let mut scratch = vec![0.0; x.len()];
    let mut only_value = |x: &[f64]| f(x, &mut scratch);
    for k in 0..x.len() {
        if metric[k] == Metric::Mismatch {
            assert_eq!(gradient[k], 0.0, "{what}: a category has no slope");
            continue;
        }
        let want = difference(&mut only_value, x, k, steps[k]);
        let scale = 1.0 + want.abs() + gradient[k].abs() + value.abs() * 3e-4 / steps[k];
        let error = (gradient[k] - want).abs();
        assert!(error <= 1e-6 * scale, "{what}, coordinate {k} at {x:?}: {} instead of {want}", gradient[k]);
    }
}

/// A posterior of 10 observations in 3 coordinates, the last one a category of three levels on request.
fn model(kernel: KernelKind, ard: bool, category: bool, seed: u64) -> Posterior {
    let mut s = Stream::new(seed);
    let mut metric = vec![Metric::Distance; 3];
    if category {
        metric[2] = Metric::Mismatch;
    }
    let lengthscales = if ard { vec![0.3, 0.9, 1.4] } else { vec![0.5; 3] };
    let hyper = Hyperparameters {
        kernel: kernel.into(),
        variance: 1.7,
        lengthscales,
        noise: Noise::Equal(0.02),
        mean: 0.3,
        metric: metric.clone(),
        described: Vec::new(),
    };
    let mut x = Points::new(3);
    for _ in 0..10 {
        let p = point(&metric, &mut s);
        x.push(&p);
    }
    let y = (0..10).map(|_| s.normal()).collect();
    Posterior::new(&Dataset::new(x, y).unwrap(), hyper).unwrap()
}

fn point(metric: &[Metric], s: &mut Stream) -> Vec<f64> {
    let coordinate = |m: &Metric| match m {
        Metric::Distance => s.uniform(),
        Metric::Mismatch => [1.0 / 6.0, 0.5, 5.0 / 6.0][s.below(3)],
    };
    metric.iter().map(coordinate).collect()
}

fn steps(gp: &Posterior) -> Vec<f64> {
    gp.hyper().lengthscales.iter().map(|l| 3e-4 * l).collect()
}

/// All models of the table: kernels, isotropic and ARD, with and without a category.
fn models() -> Vec<(String, Posterior)> {
    let mut models = Vec::new();
    for kernel in KERNELS {
        for (ard, category) in [(false, false), (true, false), (true, true)] {
            models.push((format!("{kernel:?} ard={ard} category={category}"), model(kernel, ard, category, 11)));
        }
    }
    models
}

/// All acquisitions of the table, as logarithms.
fn acquisitions() -> Vec<(&'static str, Box<dyn LogAcquisition>)> {
    let ucb = UpperConfidenceBound { kappa: 2.0 };
    vec![
        ("ln EI", Box::new(ExpectedImprovement { best: 0.8 })),
        ("ln EI far from any improvement", Box::new(ExpectedImprovement { best: 30.0 })),
        ("ln PI", Box::new(ProbabilityOfImprovement { best: 0.8 })),
        ("softplus UCB of the paper", Box::new(Softplus::paper(ucb))),
        ("softplus UCB", Box::new(Softplus { inner: ucb, offset: 1.1, temperature: 0.13 })),
        ("exp UCB", Box::new(Exponential(ucb))),
        ("exp mean", Box::new(Exponential(PosteriorMean))),
        ("softplus EI", Box::new(Softplus { inner: ExpectedImprovement { best: 0.8 }, offset: 0.1, temperature: 0.2 })),
        ("softplus PI", Box::new(Softplus::paper(ProbabilityOfImprovement { best: 0.4 }))),
    ]
}

#[test]
fn mean_and_variances_have_their_gradients() {
    for (name, gp) in models() {
        let metric = gp.hyper().metric.clone();
        let mut s = Stream::new(1);
        let pending: Vec<Vec<f64>> = (0..3).map(|_| point(&metric, &mut s)).collect();
        for gp in [gp.clone(), gp.with_phantoms(pending.iter().map(Vec::as_slice))] {
            for _ in 0..5 {
                let x = point(&metric, &mut s);
                let mut scratch = Scratch::default();
                let h = steps(&gp);
                check(&format!("{name}: mean"), &x, &h, &metric, &mut |x, g| {
                    let p = gp.predict_gradient(x, &mut scratch);
                    g.copy_from_slice(&scratch.d_mean);
                    p.mean
                });
                check(&format!("{name}: mean alone"), &x, &h, &metric, &mut |x, g| {
                    let mean = gp.mean_gradient(x, &mut scratch);
                    g.copy_from_slice(&scratch.d_mean);
                    mean
                });
                check(&format!("{name}: variance"), &x, &h, &metric, &mut |x, g| {
                    let p = gp.predict_gradient(x, &mut scratch);
                    g.copy_from_slice(&scratch.d_variance);
                    p.variance
                });
                check(&format!("{name}: variance after"), &x, &h, &metric, &mut |x, g| {
                    let p = gp.predict_gradient(x, &mut scratch);
                    g.copy_from_slice(&scratch.d_variance_after);
                    p.variance_after
                });
            }
        }
    }
}

#[test]
fn the_hessian_times_a_direction_is_the_gradient_of_the_slope_along_it() {
    for (name, gp) in models() {
        // The second derivative of Matérn-3/2 is not differentiable at the data: these points are elsewhere.
        let metric = gp.hyper().metric.clone();
        let mut s = Stream::new(2);
        for _ in 0..5 {
            let x = point(&metric, &mut s);
            let direction: Vec<f64> = (0..3).map(|_| s.normal()).collect();
            let (mut scratch, mut slopes) = (Scratch::default(), Scratch::default());
            check(&format!("{name}: Hessian"), &x, &steps(&gp), &metric, &mut |x, g| {
                gp.mean_hessian_times(x, &direction, &mut scratch, g);
                gp.mean_gradient(x, &mut slopes);
                slopes.d_mean.iter().zip(&direction).map(|(a, b)| a * b).sum()
            });
        }
    }
}

#[test]
fn the_mean_of_the_gradients_law_is_the_gradient_of_the_mean() {
    for (name, gp) in models() {
        let metric = gp.hyper().metric.clone();
        let x = point(&metric, &mut Stream::new(3));
        check(&format!("{name}: law of the gradient"), &x, &steps(&gp), &metric, &mut |x, g| {
            g.copy_from_slice(&gp.gradient_posterior(x).mean);
            gp.predict(x).mean
        });
    }
}

#[test]
fn the_likelihood_has_its_gradient_for_every_shape() {
    let mut s = Stream::new(4);
    let n = 12;
    for kernel in KERNELS {
        for ard in [false, true] {
            for category in [false, true] {
                let mut metric = vec![Metric::Distance; 3];
                if category {
                    metric[1] = Metric::Mismatch;
                }
                let mut x = Points::new(3);
                for _ in 0..n {
                    let p = point(&metric, &mut s);
                    x.push(&p);
                }
                let data = Dataset::new(x, (0..n).map(|_| 1.0 + s.normal()).collect()).unwrap();
                let data = data.with_noise((0..n).map(|_| 0.01 + 0.2 * s.uniform()).collect()).unwrap();
                for noise in [NoiseRule::Known(0.03), NoiseRule::Fitted { floor: 1e-8 }, NoiseRule::PerObservation] {
                    for mean in [
                        MeanRule::Known(0.0),
                        MeanRule::Known(0.7),
                        MeanRule::Estimated { prior_sd: f64::INFINITY },
                        MeanRule::Estimated { prior_sd: 0.4 },
                    ] {
                        let shape =
                            Shape { ard, metric: metric.clone(), noise, mean, ..Shape::new(kernel, metric.len()) };
                        let mut theta: Vec<f64> =
                            (0..shape.n_lengthscales()).map(|_| -0.7 + 0.4 * s.normal()).collect();
                        theta.push(0.3 * s.normal());
                        let n_own = shape.kernel.values().len();
                        theta.extend((theta.len() + n_own < shape.n_parameters()).then(|| -3.0 + 0.3 * s.normal()));
                        theta.extend(shape.kernel.values().iter().map(|value| value.ln() + 0.1));
                        let name = format!("likelihood {shape:?}");
                        let mut likelihood = Likelihood::new(&data, shape);
                        let h = vec![3e-4; theta.len()];
                        let all = vec![Metric::Distance; theta.len()];
                        check(&name, &theta, &h, &all, &mut |t, g| likelihood.evaluate(t, g));
                    }
                }
            }
        }
    }
}

#[test]
fn priors_have_their_slopes() {
    for prior in [
        Prior::Flat,
        Prior::LogNormal { mu: 1.9, sigma: 3f64.sqrt() },
        Prior::LogNormal { mu: -11.5, sigma: 3.0 },
        Prior::Gamma { shape: 2.0, rate: 1.0 },
        Prior::Gamma { shape: 0.5, rate: 3.0 },
    ] {
        for t in [-12.0, -2.0, 0.0, 1.5] {
            check(&format!("{prior:?}"), &[t], &[3e-4], &[Metric::Distance], &mut |t, g| {
                let (value, slope) = prior.ln_density(t[0]);
                g[0] = slope;
                value
            });
        }
    }
}

#[test]
fn scores_that_may_have_either_sign_have_their_slopes_in_mean_and_sd() {
    let table: Vec<(&str, Box<dyn Acquisition>)> = vec![
        ("EI", Box::new(ExpectedImprovement { best: 0.2 })),
        ("PI", Box::new(ProbabilityOfImprovement { best: 0.2 })),
        ("UCB", Box::new(UpperConfidenceBound { kappa: 1.5 })),
        ("mean", Box::new(PosteriorMean)),
    ];
    for (name, a) in table {
        for at in [[-1.0, 0.4], [0.2, 0.3], [1.5, 2.0]] {
            check(name, &at, &[1e-4, 1e-4], &[Metric::Distance; 2], &mut |x, g| {
                let Score { value, by_mean, by_sd } = a.score(x[0], x[1]);
                g.copy_from_slice(&[by_mean, by_sd]);
                value
            });
        }
    }
}

#[test]
fn acquisitions_have_their_gradients_in_the_point() {
    for (name, gp) in models() {
        let metric = gp.hyper().metric.clone();
        let mut s = Stream::new(5);
        for (what, acquisition) in acquisitions() {
            for _ in 0..3 {
                let x = point(&metric, &mut s);
                let mut objective = Penalized::new(&acquisition, &gp, &[], false);
                check(&format!("{name}: {what}"), &x, &steps(&gp), &metric, &mut |x, g| {
                    objective.value_and_gradient(x, g)
                });
            }
        }
    }
}

#[test]
fn the_penalized_acquisition_has_its_gradient() {
    for (name, gp) in models() {
        let metric = gp.hyper().metric.clone();
        let mut s = Stream::new(6);
        let pending: Vec<Vec<f64>> = (0..4).map(|_| point(&metric, &mut s)).collect();
        let with = gp.with_phantoms(pending.iter().map(Vec::as_slice));
        let acquisition = ExpectedImprovement { best: 0.8 };
        for kind in PENALIZERS {
            for shrink in [false, true] {
                let balls: Vec<Ball> = pending
                    .iter()
                    .map(|center| {
                        let p = gp.predict(center);
                        let penalizer =
                            Penalizer { kind, lipschitz: 1.3, best: 1.9, mean: p.mean, sd: p.variance.sqrt() };
                        Ball { center: center.clone(), penalizer }
                    })
                    .collect();
                let mut objective = Penalized::new(&acquisition, &with, &balls, shrink);
                for _ in 0..4 {
                    let x = point(&metric, &mut s);
                    let what = format!("{name}: {kind:?} shrink={shrink}");
                    check(&what, &x, &steps(&gp), &metric, &mut |x, g| objective.value_and_gradient(x, g));

                    // The value is the sum of its parts, each computed from its own definition.
                    let p = with.predict(&x);
                    let mut parts = acquisition.ln_score(p.mean, p.variance.sqrt()).value;
                    for ball in &balls {
                        parts += ball.ln_value(&with, &x);
                    }
                    if shrink {
                        parts += 0.5 * (p.variance_after.ln() - p.variance.ln());
                    }
                    let value = objective.value_and_gradient(&x, &mut [0.0; 3]);
                    assert!((value - parts).abs() <= 1e-12 * parts.abs().max(1.0), "{what}: {value} {parts}");
                }
            }
        }
    }
}

#[test]
fn the_penalizer_alone_has_its_gradient() {
    let mut s = Stream::new(7);
    for kind in PENALIZERS {
        for _ in 0..20 {
            let penalizer = Penalizer {
                kind,
                lipschitz: 0.5 + 2.0 * s.uniform(),
                best: 1.0,
                mean: s.normal(),
                sd: 0.1 + s.uniform(),
            };
            let center = [s.uniform(), s.uniform(), s.uniform()];
            let x = [s.uniform() + 0.3, s.uniform(), s.uniform()];
            check(&format!("{penalizer:?}"), &x, &[1e-4; 3], &[Metric::Distance; 3], &mut |x, g| {
                ln_penalizer(&penalizer, x, &center, g)
            });
        }
    }
}

#[test]
fn the_steepest_point_is_a_stationary_point_of_the_squared_slope() {
    // At a maximum over the box the derivative is 0 inside, not positive towards the inside from a face. The derivative
    // is taken by differences of ‖∇μ‖², in units of ‖∇μ‖² per lengthscale; the solver stops at 10⁻⁷ of it or where the
    // value changes by less than its tolerance, which in the gradient is the root of that.
    for kernel in KERNELS {
        for seed in 0..6 {
            let gp = model(kernel, true, false, seed);
            let bounds = Bounds::unit(3);
            let found = lipschitz(&gp, &bounds, Norm::Two, &Stream::new(seed));
            let mut scratch = Scratch::default();
            let mut squared = |x: &[f64]| {
                gp.mean_gradient(x, &mut scratch);
                scratch.d_mean.iter().map(|g| g * g).sum::<f64>()
            };
            let value = squared(&found.at);
            assert!((value.sqrt() - found.value).abs() <= 1e-9 * found.value, "{kernel:?} {seed}");
            if kernel == KernelKind::Matern32 {
                // Its mean has kinks in the slope at the data, where a maximum need not have a zero derivative.
                continue;
            }
            for k in 0..3 {
                let slope = difference(&mut squared, &found.at, k, steps(&gp)[k]) * gp.hyper().lengthscales[k] / value;
                let at_face = (found.at[k] <= 0.0 && slope <= 0.0) || (found.at[k] >= 1.0 && slope >= 0.0);
                assert!(at_face || slope.abs() < 1e-3, "{kernel:?} {seed}: slope {slope} at {:?}", found.at);
            }
        }
    }
}

/// Three points together, exactly, and twelve by samples: few enough that no kink lies within a step.
#[test]
fn improvement_of_several_points_has_the_gradient_of_its_value() {
    let stream = Stream::new(4);
    let exact = QRule::Exact(Lattice::new(256, 1, &stream));
    let sampled = QRule::Sampled(QSamples::new(12, 4, &stream));
    for (name, gp) in models() {
        let metric = &gp.hyper().metric;
        for (q, rule) in [(1, &exact), (2, &exact), (3, &exact), (12, &sampled)] {
            let mut s = Stream::new(21);
            let x: Vec<f64> = (0..q).flat_map(|_| point(metric, &mut s)).collect();
            let mut objective = QObjective { posterior: &gp, best: 0.4, rule };
            let f = &mut |x: &[f64], g: &mut [f64]| objective.value_and_gradient(x, g);
            check(&format!("qEI of {q}, {name}"), &x, &steps(&gp).repeat(q), &metric.repeat(q), f);
        }
    }
}

#[test]
fn covariance_of_two_points_has_the_gradient_of_its_value() {
    for (name, gp) in models() {
        let metric = &gp.hyper().metric;
        let mut s = Stream::new(23);
        let (x, y) = (point(metric, &mut s), point(metric, &mut s));
        let f = &mut |x: &[f64], g: &mut [f64]| gp.covariance_gradient(x, &y, g);
        check(&format!("covariance, {name}"), &x, &steps(&gp), metric, f);
    }
}
