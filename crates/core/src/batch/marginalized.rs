//! The acquisition that local penalization approximates: Eq. 2 of the paper, for the second point of a batch.
//!
//! A batch that is chosen point by point should average over results that are not in yet. For the second point, given
//! the first,
//!
//! x_2 = arg max_x ∫ α(x; D ∪ {(x_1, y)}) p(y | x_1, D) dy,   y ~ N(μ(x_1), s²(x_1) + σ_n²).
//!
//! For the third, the best second point inside the integral depends on y, and the integrals nest: that makes it
//! intractable. One integral is cheap with Gauss–Hermite nodes, so this is the reference for two points.
//!
//! Expected improvement has a kink in y, where the new result becomes the incumbent. Nodes that are h = π/√n deviations
//! apart cause an error there of up to φ(0) h²/8 deviations of the first result: 0.008 with 64 nodes.

use super::AcquisitionKind;
use crate::acquisition::LogAcquisition;
use crate::data::Dataset;
use crate::error::Result;
use crate::gp::{Posterior, Scratch};
use crate::linalg::Points;

/// Nodes and weights of ∫ f(z) φ(z) dz ≈ Σ w_i f(z_i), φ the standard normal density: exact for polynomials of degree up to
/// 2n − 1.
///
/// ```
/// use elbowroom::batch::gauss_hermite;
/// let fourth: f64 = gauss_hermite(3).iter().map(|(z, w)| w * z.powi(4)).sum();
/// assert!((fourth - 3.0).abs() < 1e-12);
/// ```
pub fn gauss_hermite(n: usize) -> Vec<(f64, f64)> {
    let n = n.max(1);
    // The roots of a Hermite polynomial separate those of the next one, and all are within ±2√n.
    let mut roots: Vec<f64> = Vec::new();
    for k in 1..=n {
        let end = 2.0 * (k as f64).sqrt() + 1.0;
        let mut edges = vec![-end];
        edges.append(&mut roots);
        edges.push(end);
        roots = edges.windows(2).map(|edge| bisect(k, edge[0], edge[1])).collect();
    }
    // The Christoffel numbers.
    let weight = |z: f64| 1.0 / hermite(n - 1, z).iter().map(|h| h * h).sum::<f64>();
    roots.into_iter().map(|z| (z, weight(z))).collect()
}

/// The orthonormal Hermite polynomials of degree 0 to n at z: √(k+1) h_{k+1} = z h_k − √k h_{k−1}.
fn hermite(n: usize, z: f64) -> Vec<f64> {
    let mut h = vec![1.0];
    for k in 0..n {
        let before = if k == 0 { 0.0 } else { (k as f64).sqrt() * h[k - 1] };
        h.push((z * h[k] - before) / ((k + 1) as f64).sqrt());
    }
    h
}

fn bisect(degree: usize, mut low: f64, mut high: f64) -> f64 {
    let is_positive = |z: f64| hermite(degree, z)[degree] > 0.0;
    let at_low = is_positive(low);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if is_positive(middle) == at_low {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The acquisition of a second point, averaged over the result of the first.
///
/// ```
/// use elbowroom::batch::{AcquisitionKind, Marginalized};
/// use elbowroom::{data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}, linalg::Points};
/// let data = Dataset::new(Points::from_rows(1, vec![0.0]).unwrap(), vec![1.0]).unwrap();
/// let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![1.0], 0.0)).unwrap();
/// let second = Marginalized::new(&gp, &[2.0], AcquisitionKind::Ei, 32)?;
/// // Where the first point is, nothing is left to gain.
/// assert!(second.value(&[2.0]) < 1e-3 * second.value(&[-2.0]));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub struct Marginalized {
    /// A weight, the posterior given one result of the first point, and the acquisition there.
    cases: Vec<(f64, Posterior, Box<dyn LogAcquisition>)>,
}

impl Marginalized {
    /// The average given the first point, with this many nodes.
    pub fn new(posterior: &Posterior, first: &[f64], acquisition: AcquisitionKind, n_nodes: usize) -> Result<Self> {
        let p = posterior.predict(first);
        let sd = (p.variance + posterior.hyper().noise.typical()).sqrt();
        let case = |(z, weight): (f64, f64)| {
            let mut at = Points::new(posterior.dim());
            at.push(first);
            let given = posterior.condition(&Dataset::new(at, vec![p.mean + sd * z])?)?;
            let acquisition = acquisition.bind(&given);
            Ok((weight, given, acquisition))
        };
        Ok(Self { cases: gauss_hermite(n_nodes).into_iter().map(case).collect::<Result<_>>()? })
    }

    /// ∫ α(x; D ∪ {(x_1, y)}) p(y | x_1, D) dy.
    pub fn value(&self, x: &[f64]) -> f64 {
        let mut scratch = Scratch::default();
        let case = |(weight, given, acquisition): &(f64, Posterior, Box<dyn LogAcquisition>)| {
            let p = given.predict_value(x, &mut scratch);
            weight * acquisition.ln_score(p.mean, p.variance.sqrt()).value.exp()
        };
        self.cases.iter().map(case).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::{Hyperparameters, KernelKind};
    use crate::rng::Stream;

    #[test]
    fn nodes_and_weights_are_those_of_the_table() {
        // Abramowitz and Stegun, table 25.10, n = 5, for the weight e^{−x²}: z = √2 x, and weights over √π.
        let table = [
            (0.0, 0.945_308_720_482_9),
            (0.958_572_464_613_819, 0.393_619_323_152_2),
            (2.020_182_870_456_086, 0.019_953_242_059_05),
        ];
        let found = gauss_hermite(5);
        for (i, (x, w)) in table.into_iter().enumerate() {
            for (z, weight) in [found[2 + i], (-found[2 - i].0, found[2 - i].1)] {
                assert!((z - std::f64::consts::SQRT_2 * x).abs() < 1e-13);
                assert!((weight - w / std::f64::consts::PI.sqrt()).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn moments_are_those_of_the_normal_law() {
        for n in [1, 2, 7, 20, 64] {
            let nodes = gauss_hermite(n);
            // E z^{2k} = (2k − 1)!!, for 2k ≤ 2n − 1.
            let mut moment = 1.0;
            for k in 0..n.min(10) {
                let got: f64 = nodes.iter().map(|(z, w)| w * z.powi(2 * k as i32)).sum();
                assert!((got - moment).abs() < 1e-12 * moment, "{n} {k}: {got} {moment}");
                moment *= (2 * k + 1) as f64;
            }
        }
    }

    fn line() -> Posterior {
        let x = Points::from_rows(1, vec![0.05, 0.3, 0.55, 0.9]).unwrap();
        let data = Dataset::new(x, vec![0.3, -0.5, 0.9, 0.1]).unwrap();
        Posterior::new(&data, Hyperparameters::new(KernelKind::Matern52, 1.0, vec![0.2], 1e-3)).unwrap()
    }

    #[test]
    fn the_exponential_of_the_mean_is_log_normal() {
        // Given y, the mean at x is normal: its mean is today's, its variance what the first point removes. So the
        // average of its exponential is exp(μ + (s² − s²_after)/2); a posterior with a phantom gives s²_after.
        let gp = line();
        let first = [0.7];
        let marginalized = Marginalized::new(&gp, &first, AcquisitionKind::Mean, 32).unwrap();
        let with = gp.with_phantoms([first.as_slice()]);
        for i in 0..=20 {
            let x = [f64::from(i) / 20.0];
            let p = with.predict(&x);
            let want = (p.mean + 0.5 * (p.variance - p.variance_after)).exp();
            let got = marginalized.value(&x);
            assert!((got - want).abs() < 1e-9 * want, "{x:?}: {got} {want}");
        }
    }

    #[test]
    fn expected_improvement_is_the_mean_over_draws() {
        let gp = line();
        let (first, n) = ([0.65], 40_000);
        let marginalized = Marginalized::new(&gp, &first, AcquisitionKind::Ei, 64).unwrap();
        let p = gp.predict(&first);
        let at: Vec<[f64; 1]> = vec![[0.45], [0.62], [0.75], [1.0]];
        let mut draw = Stream::new(3);
        let (mut sum, mut squares) = ([0.0; 4], [0.0; 4]);
        for _ in 0..n {
            let y = p.mean + (p.variance + 1e-3).sqrt() * draw.normal();
            let data = Dataset::new(Points::from_rows(1, first.to_vec()).unwrap(), vec![y]).unwrap();
            let given = gp.condition(&data).unwrap();
            let alpha = AcquisitionKind::Ei.bind(&given);
            for (i, x) in at.iter().enumerate() {
                let p = given.predict(x);
                let value = alpha.ln_score(p.mean, p.variance.sqrt()).value.exp();
                sum[i] += value;
                squares[i] += value * value;
            }
        }
        for (i, x) in at.iter().enumerate() {
            let mean = sum[i] / f64::from(n);
            let error = ((squares[i] / f64::from(n) - mean * mean) / f64::from(n)).sqrt();
            let got = marginalized.value(x);
            // Four standard errors of the draws, and the kink: φ(0) h²/8 with h² = π²/64.
            let kink = 0.4 * std::f64::consts::PI.powi(2) / 64.0 / 8.0 * p.variance.sqrt();
            assert!((got - mean).abs() < 4.0 * error + kink, "{x:?}: {got} {mean} ± {error}");
        }
    }
}
