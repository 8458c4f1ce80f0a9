//! Properties of every posterior: gradients against differences, conditioning against a fresh start, bounds, edge
//! cases.

use elbowroom::data::Dataset;
use elbowroom::gp::{Hyperparameters, Kernel, KernelKind, Metric, Noise, Posterior, Scratch};
use elbowroom::linalg::Points;
use elbowroom::rng::Stream;
use proptest::prelude::*;

const KERNELS: [KernelKind; 4] = [KernelKind::Rbf, KernelKind::Matern52, KernelKind::Matern32, KernelKind::TwoScale];

/// A random model: 1 to 4 coordinates of different lengthscales (the last a category in every third model), 1 to 12
/// observations. The noise is at least 1 % of σ_f², so the condition number of K is at most 12 / 0.01 + 1 ≈ 1200, and a
/// solve with K is right to about 12 · 2.2·10⁻¹⁶ · 1200 ≈ 3·10⁻¹².
struct Model {
    data: Dataset,
    hyper: Hyperparameters,
    gp: Posterior,
    stream: Stream,
}

/// The tolerance for the solves above: 3·10⁻¹² and a margin.
const SOLVE: f64 = 1e-10;

impl Model {
    fn new(seed: u64) -> Self {
        let mut stream = Stream::new(seed);
        let dim = 1 + stream.below(4);
        let n = 1 + stream.below(12);
        let variance = 0.2 + 3.0 * stream.uniform();
        let mut metric = vec![Metric::Distance; dim];
        if dim > 1 && stream.below(3) == 0 {
            metric[dim - 1] = Metric::Mismatch;
        }
        let hyper = Hyperparameters {
            kernel: KERNELS[stream.below(3)].into(),
            variance,
            lengthscales: (0..dim).map(|_| 0.1 + stream.uniform()).collect(),
            noise: if stream.below(2) == 0 {
                Noise::Equal(variance * (0.01 + 0.2 * stream.uniform()))
            } else {
                Noise::PerObservation((0..n).map(|_| variance * (0.01 + 0.2 * stream.uniform())).collect())
            },
            mean: stream.normal(),
            metric,
            described: Vec::new(),
        };
        let mut model = Self { data: empty(dim), gp: prior(&hyper), hyper, stream };
        let x = model.points(n);
        let y = (0..n).map(|_| 2.0 * model.stream.normal()).collect();
        model.data = Dataset::new(x, y).unwrap();
        model.gp = Posterior::new(&model.data, model.hyper.clone()).unwrap();
        model
    }

    fn dim(&self) -> usize {
        self.hyper.lengthscales.len()
    }

    fn point(&mut self) -> Vec<f64> {
        let coordinate = |m: &Metric| match m {
            Metric::Distance => self.stream.uniform(),
            Metric::Mismatch => self.stream.below(3) as f64,
        };
        self.hyper.metric.iter().map(coordinate).collect()
    }

    fn points(&mut self, n: usize) -> Points {
        let mut points = Points::new(self.dim());
        for _ in 0..n {
            let x = self.point();
            points.push(&x);
        }
        points
    }

    /// A new point in two of three cases, otherwise an observed one: gradients must be right at the data too.
    fn query(&mut self) -> Vec<f64> {
        if self.stream.below(3) > 0 {
            return self.point();
        }
        let i = self.stream.below(self.data.len());
        self.data.x().row(i).to_vec()
    }

    /// The sum of all terms of the mean, each with its largest magnitude.
    fn mean_scale(&self) -> f64 {
        self.hyper.mean.abs() + self.hyper.variance * self.gp.weights().iter().map(|a| a.abs()).sum::<f64>()
    }

    /// Checks that two posteriors predict the same at random points.
    fn assert_same(&mut self, a: &Posterior, b: &Posterior) {
        let (mean, variance) = (SOLVE * self.mean_scale(), SOLVE * self.hyper.variance);
        for _ in 0..4 {
            let x = self.query();
            let (p, q) = (a.predict(&x), b.predict(&x));
            assert!((p.mean - q.mean).abs() <= mean, "{p:?} {q:?}");
            assert!((p.variance - q.variance).abs() <= variance, "{p:?} {q:?}");
            assert!((p.variance_after - q.variance_after).abs() <= variance, "{p:?} {q:?}");
        }
    }

    /// Compares a gradient with central differences of `f`, all in lengthscales.
    ///
    /// Doubling the step multiplies the error of a central difference by 4, so it is a third of the change; all of the
    /// change is allowed. Rounding of f, `scale` times the error of a solve, is divided by the step.
    fn assert_gradient(&self, x: &[f64], gradient: &[f64], scale: f64, f: impl Fn(&[f64]) -> f64) {
        let h = 1e-4;
        for k in 0..self.dim() {
            if self.hyper.metric[k] == Metric::Mismatch {
                assert_eq!(gradient[k], 0.0);
                continue;
            }
            let ell = self.hyper.lengthscales[k];
            let slope = |h: f64| (f(&moved(x, k, h * ell)) - f(&moved(x, k, -h * ell))) / (2.0 * h);
            let (near, far) = (slope(h), slope(2.0 * h));
            let tolerance = (near - far).abs() + SOLVE * scale / h;
            let error = (gradient[k] * ell - near).abs();
            assert!(error <= tolerance, "{:?} {x:?} {k}: off by {error:e} > {tolerance:e}", self.hyper);
        }
    }
}

fn empty(dim: usize) -> Dataset {
    Dataset::new(Points::new(dim), vec![]).unwrap()
}

fn prior(hyper: &Hyperparameters) -> Posterior {
    let hyper = Hyperparameters { noise: Noise::Equal(0.0), ..hyper.clone() };
    Posterior::new(&empty(hyper.lengthscales.len()), hyper).unwrap()
}

fn moved(x: &[f64], k: usize, by: f64) -> Vec<f64> {
    let mut x = x.to_vec();
    x[k] += by;
    x
}

/// The points, as `with_phantoms` takes them.
fn rows(points: &Points) -> impl Iterator<Item = &[f64]> {
    points.iter()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn gradients_are_the_limits_of_differences(seed: u64, n_phantoms in 0usize..4) {
        let mut m = Model::new(seed);
        let phantoms = m.points(n_phantoms);
        let gp = m.gp.with_phantoms(rows(&phantoms));
        let x = m.query();
        let mut scratch = Scratch::default();
        let p = gp.predict_gradient(&x, &mut scratch);
        prop_assert_eq!(p, gp.predict(&x));
        m.assert_gradient(&x, &scratch.d_mean, m.mean_scale(), |x| gp.predict(x).mean);
        m.assert_gradient(&x, &scratch.d_variance, m.hyper.variance, |x| gp.predict(x).variance);
        m.assert_gradient(&x, &scratch.d_variance_after, m.hyper.variance, |x| gp.predict(x).variance_after);
        // ∇s = ∇s²/(2s), as acquisitions use it; the rounding of s is that of s² over 2s.
        let d_sd: Vec<f64> = scratch.d_variance.iter().map(|g| g / (2.0 * p.variance.sqrt())).collect();
        m.assert_gradient(&x, &d_sd, m.hyper.variance / p.variance.sqrt(), |x| gp.predict(x).variance.sqrt());

        let mut alone = Scratch::default();
        prop_assert_eq!(gp.mean_gradient(&x, &mut alone), p.mean);
        prop_assert_eq!(alone.d_mean, scratch.d_mean);
    }

    #[test]
    fn the_hessian_times_a_vector_is_the_limit_of_differences_of_the_gradient(seed: u64) {
        let mut m = Model::new(seed);
        // Not at the data, where Matérn-3/2 has a kink in its second derivative.
        let (x, dim) = (m.point(), m.dim());
        let direction: Vec<f64> = (0..dim).map(|_| m.stream.normal()).collect();
        let mut product = vec![f64::NAN; dim];
        m.gp.mean_hessian_times(&x, &direction, &mut Scratch::default(), &mut product);
        // A Hessian is symmetric: direction · (H e_k) is component k of H direction, and the gradient of direction · ∇μ
        // over the ordinary coordinates.
        let along = |x: &[f64]| {
            let mut scratch = Scratch::default();
            m.gp.mean_gradient(x, &mut scratch);
            scratch.d_mean.iter().zip(&direction).map(|(g, d)| g * d).sum::<f64>()
        };
        let longest = direction.iter().zip(&m.hyper.lengthscales).map(|(d, l)| (d / l).abs()).sum::<f64>();
        m.assert_gradient(&x, &product, 3.0 * m.mean_scale() * longest, along);
    }

    #[test]
    fn predicting_many_points_is_predicting_each(seed: u64, n in 0usize..40, n_phantoms in 0usize..4) {
        let mut m = Model::new(seed);
        let phantoms = m.points(n_phantoms);
        let gp = m.gp.with_phantoms(rows(&phantoms));
        let x = m.points(n);
        let (means, variances) = gp.predict_many(&x);
        prop_assert_eq!((means.len(), variances.len()), (n, n));
        for (i, x) in x.iter().enumerate() {
            let p = gp.predict(x);
            prop_assert_eq!(means[i], p.mean);
            prop_assert!((variances[i] - p.variance).abs() <= SOLVE * m.hyper.variance);
        }
    }

    #[test]
    fn conditioning_is_starting_anew_with_all_data(seed: u64, n_more in 1usize..5) {
        let mut m = Model::new(seed);
        let x = m.points(n_more);
        let y: Vec<f64> = (0..n_more).map(|_| m.stream.normal()).collect();
        let own: Vec<f64> = (0..n_more).map(|_| m.hyper.variance * (0.01 + m.stream.uniform())).collect();
        let mut all = m.data.x().clone();
        rows(&x).for_each(|p| all.push(p));
        let values: Vec<f64> = m.data.y().iter().chain(&y).copied().collect();
        let noise = (0..m.data.len()).map(|i| m.hyper.noise.variance(i)).chain(own.clone()).collect();
        let hyper = Hyperparameters { noise: Noise::PerObservation(noise), ..m.hyper.clone() };
        let anew = Posterior::new(&Dataset::new(all, values).unwrap(), hyper.clone()).unwrap();

        let more = Dataset::new(x, y).unwrap().with_noise(own).unwrap();
        let phantom = m.point();
        let grown = m.gp.with_phantoms([phantom.as_slice()]).condition(&more).unwrap();
        prop_assert_eq!(grown.hyper(), &hyper);
        prop_assert_eq!(grown.phantoms().count(), 0);
        // More data may have larger weights than the model's own.
        m.gp = anew.clone();
        m.assert_same(&grown, &anew);
        let ln_p = anew.ln_marginal_likelihood();
        prop_assert!((grown.ln_marginal_likelihood() - ln_p).abs() <= SOLVE * (100.0 + ln_p.abs()));
    }

    #[test]
    fn phantoms_leave_the_mean_and_shrink_the_variance_as_any_result_would(seed: u64, n in 1usize..5) {
        let mut m = Model::new(seed);
        let x = m.points(n);
        let gp = m.gp.with_phantoms(rows(&x));
        let results: Vec<f64> = (0..n).map(|_| 100.0 * m.stream.normal()).collect();
        let told = m.gp.condition(&Dataset::new(x, results).unwrap()).unwrap();
        prop_assert_eq!(gp.n_data() + n, told.n_data());
        for _ in 0..4 {
            let q = m.query();
            let (before, with, after) = (m.gp.predict(&q), gp.predict(&q), told.predict(&q));
            prop_assert_eq!((with.mean, with.variance), (before.mean, before.variance));
            prop_assert!((with.variance_after - after.variance).abs() <= SOLVE * m.hyper.variance);
            prop_assert!(with.variance_after <= with.variance);
        }
        // Quantities that depend on the data alone ignore the phantoms.
        let q = m.points(3);
        prop_assert_eq!(gp.joint(&q), m.gp.joint(&q));
        prop_assert_eq!(gp.covariance_between(&q, &q), m.gp.covariance_between(&q, &q));
        prop_assert_eq!(gp.gradient_posterior(q.row(0)), m.gp.gradient_posterior(q.row(0)));
        prop_assert_eq!(gp.leave_one_out(), m.gp.leave_one_out());
    }

    #[test]
    fn the_variance_lies_between_zero_and_the_prior(seed: u64) {
        let mut m = Model::new(seed);
        for _ in 0..8 {
            let x = m.query();
            let p = m.gp.predict(&x);
            prop_assert!(p.variance > 0.0 && p.variance <= m.hyper.variance);
            let g = m.gp.gradient_posterior(&x);
            let steepest = m.hyper.variance * m.hyper.kernel.gradient_variance();
            for (k, ell) in m.hyper.lengthscales.iter().enumerate() {
                let variance = g.covariance(k, k) * ell * ell;
                prop_assert!((0.0..=steepest * (1.0 + 1e-15)).contains(&variance));
            }
        }
    }

    #[test]
    fn the_order_of_observations_does_not_matter(seed: u64) {
        let mut m = Model::new(seed);
        let mut order: Vec<usize> = (0..m.data.len()).collect();
        m.stream.shuffle(&mut order);
        let mut x = Points::new(m.dim());
        order.iter().for_each(|&i| x.push(m.data.x().row(i)));
        let y = order.iter().map(|&i| m.data.y()[i]).collect();
        let noise = Noise::PerObservation(order.iter().map(|&i| m.hyper.noise.variance(i)).collect());
        let hyper = Hyperparameters { noise, ..m.hyper.clone() };
        let shuffled = Posterior::new(&Dataset::new(x, y).unwrap(), hyper).unwrap();
        let gp = m.gp.clone();
        m.assert_same(&gp, &shuffled);
    }

    #[test]
    fn the_joint_law_has_the_predictions_on_its_diagonal(seed: u64, n in 0usize..8) {
        let mut m = Model::new(seed);
        let (a, b) = (m.points(n), m.points(3));
        let joint = m.gp.joint(&a);
        for (i, x) in a.iter().enumerate() {
            let p = m.gp.predict(x);
            prop_assert_eq!(joint.mean[i], p.mean);
            prop_assert!((joint.covariance(i, i) - p.variance).abs() <= SOLVE * m.hyper.variance);
            for j in 0..n {
                prop_assert_eq!(joint.covariance(i, j), joint.covariance(j, i));
                let most = (joint.covariance(i, i) * joint.covariance(j, j)).sqrt();
                prop_assert!(joint.covariance(i, j).abs() <= most + SOLVE * m.hyper.variance);
            }
        }
        // The off-diagonal block of a ∪ b.
        let mut both = a.clone();
        rows(&b).for_each(|x| both.push(x));
        let (whole, between) = (m.gp.joint(&both), m.gp.covariance_between(&a, &b));
        for i in 0..n {
            for j in 0..3 {
                let (got, expected) = (between[i * 3 + j], whole.covariance(i, n + j));
                prop_assert!((got - expected).abs() <= 1e-14 * m.hyper.variance);
            }
        }
    }

    #[test]
    fn the_gradients_law_is_the_limit_of_the_joint_law_of_differences(seed: u64) {
        let mut m = Model::new(seed);
        let x = m.query();
        let g = m.gp.gradient_posterior(&x);
        let mut scratch = Scratch::default();
        m.gp.mean_gradient(&x, &mut scratch);
        prop_assert_eq!(&g.mean, &scratch.d_mean);

        let free: Vec<usize> = (0..m.dim()).filter(|&k| m.hyper.metric[k] == Metric::Distance).collect();
        let ell = &m.hyper.lengthscales;
        // cov of (f(x + hℓeᵢ) − f(x − hℓeᵢ))/2h and the same for j.
        let differences = |h: f64| {
            let mut points = Points::new(m.dim());
            for &k in &free {
                points.push(&moved(&x, k, h * ell[k]));
                points.push(&moved(&x, k, -h * ell[k]));
            }
            let joint = m.gp.joint(&points);
            let c = move |i: usize, j: usize| joint.covariance(i, j);
            move |a: usize, b: usize| {
                let (i, j) = (2 * a, 2 * b);
                (c(i, j) - c(i, j + 1) - c(i + 1, j) + c(i + 1, j + 1)) / (4.0 * h * h)
            }
        };
        // The error shrinks with h (Matérn-3/2) or h² (the others), so it is at most the change when h doubles; twice
        // that is allowed, and the rounding of four covariances over 4h².
        let h = 1e-3;
        let (near, far) = (differences(h), differences(2.0 * h));
        for (a, &i) in free.iter().enumerate() {
            for (b, &j) in free.iter().enumerate() {
                let tolerance = 2.0 * (near(a, b) - far(a, b)).abs() + 1e-11 * m.hyper.variance / (h * h);
                let error = (g.covariance(i, j) * ell[i] * ell[j] - near(a, b)).abs();
                prop_assert!(error <= tolerance, "{i} {j}: off by {error:e} > {tolerance:e}");
            }
        }
        // E|∇f|² is the squared norm of the mean plus the trace.
        let trace: f64 = (0..m.dim()).map(|k| g.covariance(k, k)).sum();
        let squared: f64 = g.mean.iter().map(|v| v * v).sum();
        prop_assert!((g.expected_squared_norm() - squared - trace).abs() <= 1e-14 * (squared + trace));
    }

    #[test]
    fn the_certificate_bounds_the_slope_of_the_mean_everywhere(seed: u64) {
        // |∇_u μ| ≤ √c_ν σ_f √(αᵀK_f α), by the reproducing property of derivatives; u = x/ℓ.
        let mut m = Model::new(seed);
        let kernel = m.hyper.kernel.gradient_variance();
        let bound = (kernel * m.hyper.variance * m.gp.mean_norm_squared()).sqrt();
        // αᵀK_f α is a difference of two sums; its rounding is relative to the first one.
        let fit = m.gp.weights().iter().zip(m.data.y()).map(|(a, y)| (a * (y - m.hyper.mean)).abs()).sum::<f64>();
        let rounding = (kernel * m.hyper.variance * fit * 1e-14).sqrt();
        let mut scratch = Scratch::default();
        for _ in 0..20 {
            let x = m.query();
            m.gp.mean_gradient(&x, &mut scratch);
            let slope = scratch.d_mean.iter().zip(&m.hyper.lengthscales).map(|(g, l)| (g * l).powi(2)).sum::<f64>().sqrt();
            prop_assert!(slope <= bound + rounding, "{slope} above {bound}");
        }
    }

    #[test]
    fn leaving_one_out_is_fitting_the_others(seed: u64) {
        let m = Model::new(seed);
        let out = m.gp.leave_one_out();
        prop_assert_eq!(out.len(), m.data.len());
        let mut total = 0.0;
        for i in 0..m.data.len() {
            let kept: Vec<usize> = (0..m.data.len()).filter(|&j| j != i).collect();
            let mut x = Points::new(m.dim());
            kept.iter().for_each(|&j| x.push(m.data.x().row(j)));
            let y = kept.iter().map(|&j| m.data.y()[j]).collect();
            let noise = Noise::PerObservation(kept.iter().map(|&j| m.hyper.noise.variance(j)).collect());
            let hyper = Hyperparameters { noise, ..m.hyper.clone() };
            let p = Posterior::new(&Dataset::new(x, y).unwrap(), hyper).unwrap().predict(m.data.x().row(i));
            let variance = p.variance + m.hyper.noise.variance(i);
            prop_assert!((out[i].mean - p.mean).abs() <= SOLVE * m.mean_scale());
            prop_assert!((out[i].variance - variance).abs() <= SOLVE * m.hyper.variance);
            total += out[i].ln_density(m.data.y()[i]);
        }
        if m.data.len() == 1 {
            prop_assert!((total - m.gp.ln_marginal_likelihood()).abs() <= SOLVE * (100.0 + total.abs()));
        }
    }
}

#[test]
fn samples_have_the_mean_and_covariance_of_the_joint_law() {
    let n = 40_000;
    for seed in 0..6 {
        let mut m = Model::new(seed);
        let x = m.points(5);
        let joint = m.gp.joint(&x);
        let samples = m.gp.sample(&x, n, &mut Stream::new(seed)).unwrap();
        assert_eq!((samples.len(), samples.dim()), (n, 5));
        let root_n = (n as f64).sqrt();
        // Bands of five standard errors: √(C_ii/n), and √((C_ii C_jj + C_ij²)/n) for a covariance about the known mean.
        for i in 0..5 {
            let mean = samples.iter().map(|f| f[i]).sum::<f64>() / n as f64;
            assert!((mean - joint.mean[i]).abs() <= 5.0 * joint.covariance(i, i).sqrt() / root_n);
            for j in 0..=i {
                let products = samples.iter().map(|f| (f[i] - joint.mean[i]) * (f[j] - joint.mean[j]));
                let c = joint.covariance(i, j);
                let spread = (joint.covariance(i, i) * joint.covariance(j, j) + c * c).sqrt();
                assert!((products.sum::<f64>() / n as f64 - c).abs() <= 5.0 * spread / root_n, "{seed} {i} {j}");
            }
        }
    }
}

#[test]
fn samples_of_a_smooth_function_at_close_and_equal_points_agree() {
    // The covariance of 60 points on a line under the EQ kernel is singular in double precision: jitter is needed, at
    // most 10⁻¹² σ_f² (its eigenvalues err by about 60 eps), so equal points differ by at most 10⁻⁶ times a few.
    let mut x: Vec<f64> = (0..60).map(|i| f64::from(i) / 60.0).collect();
    x.push(x[7]);
    let gp = prior(&Hyperparameters::new(KernelKind::Rbf, 1.0, vec![0.5], 0.0));
    let samples = gp.sample(&Points::from_rows(1, x).unwrap(), 20, &mut Stream::new(4)).unwrap();
    for f in samples.iter() {
        assert!((f[7] - f[60]).abs() < 8e-6);
    }
    // The same stream gives the same samples.
    let x = Points::from_rows(1, vec![0.1, 0.7]).unwrap();
    assert_eq!(gp.sample(&x, 3, &mut Stream::new(1)).unwrap(), gp.sample(&x, 3, &mut Stream::new(1)).unwrap());
}

#[test]
fn without_data_the_posterior_is_the_prior() {
    for kernel in KERNELS {
        let mut hyper = Hyperparameters::new(kernel, 2.0, vec![0.5, 0.25], 0.1);
        hyper.mean = 3.0;
        let gp = Posterior::new(&empty(2), hyper).unwrap();
        let p = gp.predict(&[0.3, 0.4]);
        assert_eq!((p.mean, p.variance, p.variance_after), (3.0, 2.0, 2.0));
        assert_eq!(gp.ln_marginal_likelihood(), 0.0);
        assert_eq!(gp.mean_norm_squared(), 0.0);
        assert!(gp.leave_one_out().is_empty());
        let g = gp.gradient_posterior(&[0.3, 0.4]);
        assert_eq!(g.mean, vec![0.0, 0.0]);
        // c_ν σ_f²/ℓ², with 1/ℓ² = 4 and 16.
        let c = 2.0 * kernel.gradient_variance();
        assert_eq!(g.covariance, vec![4.0 * c, 0.0, 0.0, 16.0 * c]);
        // One lengthscale apart.
        let joint = gp.joint(&Points::from_rows(2, vec![0.0, 0.0, 0.5, 0.0]).unwrap());
        assert_eq!(joint.covariance(0, 1), 2.0 * kernel.value_and_slope(1.0).0);
        assert_eq!(joint.mean, vec![3.0, 3.0]);
        let none = Points::new(2);
        assert_eq!(gp.predict_many(&none), (vec![], vec![]));
        assert!(gp.joint(&none).mean.is_empty());
        assert!(gp.sample(&none, 3, &mut Stream::new(0)).unwrap().is_empty());
        // Phantoms act on the prior as well: at the phantom itself 2 − 2²/(2 + 0.1) is left.
        let with = gp.with_phantoms([[0.3, 0.4].as_slice()]).predict(&[0.3, 0.4]);
        assert!((with.variance_after - (2.0 - 4.0 / 2.1)).abs() < 1e-15);
        assert_eq!((with.mean, with.variance), (3.0, 2.0));
    }
}

#[test]
fn one_observation_has_a_closed_form() {
    for kernel in KERNELS {
        let (variance, noise, y) = (2.0, 0.5, 3.0);
        let data = Dataset::new(Points::from_rows(1, vec![0.0]).unwrap(), vec![y]).unwrap();
        let gp = Posterior::new(&data, Hyperparameters::new(kernel, variance, vec![0.5], noise)).unwrap();
        let (value, slope) = kernel.value_and_slope(0.36);
        let (k, total) = (variance * value, variance + noise);
        let p = gp.predict(&[0.3]);
        assert!((p.mean - k * y / total).abs() < 1e-15);
        assert!((p.variance - (variance - k * k / total)).abs() < 1e-15);
        // dk/dx = 2 σ_f² κ'(s) x/ℓ².
        let dk = 2.0 * variance * slope * 0.3 / 0.25;
        let g = gp.gradient_posterior(&[0.3]);
        assert!((g.mean[0] - dk * y / total).abs() < 1e-14);
        let c = kernel.gradient_variance() * variance / 0.25;
        assert!((g.covariance[0] - (c - dk * dk / total)).abs() < 1e-14 * c);
        // Without its only observation, only the prior is left, including noise.
        let out = gp.leave_one_out()[0];
        assert!(out.mean.abs() < 1e-15 && (out.variance - total).abs() < 1e-15);
    }
}

#[test]
fn equal_points_with_different_values_average() {
    let x = Points::from_rows(1, vec![0.2, 0.2, 0.9]).unwrap();
    let data = Dataset::new(x, vec![1.0, 2.0, 0.0]).unwrap();
    for kernel in KERNELS {
        // Two observations with noise 0.1 at one point carry the same information as their mean with noise 0.05.
        let gp = Posterior::new(&data, Hyperparameters::new(kernel, 1.0, vec![0.3], 0.1)).unwrap();
        assert_eq!(gp.jitter(), 0.0);
        let merged = Dataset::new(Points::from_rows(1, vec![0.2, 0.9]).unwrap(), vec![1.5, 0.0]).unwrap();
        let mut hyper = Hyperparameters::new(kernel, 1.0, vec![0.3], 0.0);
        hyper.noise = Noise::PerObservation(vec![0.05, 0.1]);
        let expected = Posterior::new(&merged, hyper).unwrap().predict(&[0.5]);
        let got = gp.predict(&[0.5]);
        assert!((got.mean - expected.mean).abs() < 1e-13 && (got.variance - expected.variance).abs() < 1e-13);

        // Without noise they contradict each other: jitter makes it an average, as exact as 2·10⁻¹⁴ in the pivot allows
        // (relative 2.2e-16 / 2e-14 ≈ 1 %).
        let gp = Posterior::new(&data, Hyperparameters::new(kernel, 1.0, vec![0.3], 0.0)).unwrap();
        assert!(gp.jitter() > 0.0 && gp.jitter() <= 1e-12, "{}", gp.jitter());
        let p = gp.predict(&[0.2]);
        assert!((p.mean - 1.5).abs() < 0.05, "{kernel:?} {}", p.mean);
        assert!(p.variance < 1e-10);
        let samples = gp.sample(&Points::from_rows(1, vec![0.2, 0.9]).unwrap(), 4, &mut Stream::new(0)).unwrap();
        assert!(samples.iter().all(|f| (f[0] - p.mean).abs() < 1e-4 && f[1].abs() < 1e-1));
        assert!(gp.leave_one_out().iter().all(|o| o.mean.is_finite() && o.variance > 0.0));
    }
}

#[test]
fn nearly_equal_points_without_noise_give_finite_predictions() {
    for kernel in KERNELS {
        for gap in [1e-3, 1e-6, 1e-9, 1e-12, 1e-15] {
            let x = Points::from_rows(1, vec![0.5, 0.5 + gap, 0.8]).unwrap();
            let data = Dataset::new(x, vec![1.0, 1.0 + gap, 0.0]).unwrap();
            let gp = Posterior::new(&data, Hyperparameters::new(kernel, 1.0, vec![0.3], 0.0)).unwrap();
            let mut scratch = Scratch::default();
            for x in [0.1, 0.5, 0.5 + 0.5 * gap, 0.65] {
                let p = gp.predict_gradient(&[x], &mut scratch);
                assert!(p.mean.is_finite() && p.mean.abs() < 3.0, "{kernel:?} {gap:e} {x}: {p:?}");
                assert!(p.variance > 0.0 && p.variance <= 1.0);
                assert!(scratch.d_mean[0].is_finite() && scratch.d_variance[0].is_finite());
                let g = gp.gradient_posterior(&[x]);
                assert!(g.covariance[0] >= 0.0 && g.covariance[0].is_finite());
            }
            // The observed values are met: to the jitter (10⁻¹² at most) and rounding over the smallest pivot's root.
            assert!((gp.predict(&[0.5]).mean - 1.0).abs() < 1e-4, "{kernel:?} {gap:e}");
        }
    }
}

#[test]
fn a_hundred_coordinates_are_nothing_special() {
    let (n, dim) = (30, 100);
    let mut s = Stream::new(9);
    let x: Vec<f64> = (0..n * dim).map(|_| s.uniform()).collect();
    let y: Vec<f64> = (0..n).map(|_| s.normal()).collect();
    let data = Dataset::new(Points::from_rows(dim, x).unwrap(), y.clone()).unwrap();
    for kernel in KERNELS {
        let gp = Posterior::new(&data, Hyperparameters::new(kernel, 1.0, vec![2.0; dim], 0.0)).unwrap();
        assert_eq!(gp.jitter(), 0.0);
        for (x, y) in data.x().iter().zip(&y) {
            // The points are far apart (squared distance about 100/6/4): K is well conditioned, below 10⁴.
            assert!((gp.predict(x).mean - y).abs() < 1e-10);
        }
        let g = gp.gradient_posterior(&vec![0.5; dim]);
        let prior = kernel.gradient_variance() / 4.0;
        // 30 values can take away at most 30 of the 100 directions.
        let trace: f64 = (0..dim).map(|k| g.covariance(k, k)).sum();
        assert!(trace > 70.0 * prior && trace < 100.0 * prior);
    }
}

#[test]
fn values_near_the_end_of_the_numbers_do_not_panic() {
    let x = Points::from_rows(1, vec![0.0, 0.4, 1.0]).unwrap();
    for noise in [0.0, 0.1] {
        let data = Dataset::new(x.clone(), vec![1e300, -1e300, 1.0]).unwrap();
        let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![0.3], noise)).unwrap();
        let p = gp.predict(&[0.2]);
        assert!(p.mean.is_finite() && p.variance > 0.0 && p.variance < 1.0);
        assert_eq!(gp.joint(&x).mean.len(), 3);
        assert!(gp.gradient_posterior(&[0.2]).covariance[0] > 0.0);
        assert_eq!(gp.leave_one_out().len(), 3);
        assert_eq!(gp.sample(&x, 2, &mut Stream::new(0)).unwrap().len(), 2);
        // The norm overflows; a bound made of it must not become small.
        assert_eq!(gp.mean_norm_squared(), f64::INFINITY);
        gp.ln_marginal_likelihood();
    }
}
