//! The expected improvement of q points together: qEI = E[max(0, Y₁ − y⁺, …, Y_q − y⁺)], Y ~ N(m, Σ).
//!
//! The maximum is convex and piecewise linear, so the identities of Bonnet, Price and Stein give value and derivatives
//! from the same numbers:
//!
//! - p_k = P(Y_k ≥ y⁺, Y_k ≥ Y_l for all l), a Φ_q;
//! - c_ij = f_{Y_i−Y_j}(0) P(Y_i ≥ y⁺, Y_i ≥ Y_l (l ≠ i, j) given Y_i = Y_j), a density times a Φ_{q−1};
//! - t_k = f_{Y_k}(y⁺) P(Y_l ≤ y⁺ (l ≠ k) given Y_k = y⁺), likewise;
//! - H_ij = −c_ij, H_kk = t_k + Σ_{j≠k} c_kj;
//! - **qEI = Σ_k (m_k − y⁺) p_k + Σ_ij Σ_ij H_ij,   ∂qEI/∂m = p,   ∂qEI/∂Σ = H/2.**
//!
//! Numerics: the double sum is computed as Σ_k Σ_kk t_k + Σ_{i<j} Var(Y_i − Y_j) c_ij, whose terms are all positive; as
//! printed it cancels where points are close. A point without variance raises y⁺ for the others. Of two points that
//! coincide, the one with the lower mean is left out (p and H are 0 for it); if two nearly coincide, 10⁻¹⁰ tr Σ/q is
//! added to the diagonal.
//!
//! References: Chevalier and Ginsbourger, LION 7 (2013), for the closed form; Marmin, Chevalier and Ginsbourger (2015),
//! for its gradient; the form here needs no probabilities beyond those of the value.

use super::QSamples;
use crate::gp::Posterior;
use crate::linalg::Points;
use crate::normal::{self, Lattice};
use crate::optim::Objective;

/// Variances below this share of the mean variance count as 0: the point is certain, or the two points coincide.
const CERTAIN: f64 = 1e-12;
/// Two points nearly coincide if the variance of their difference is below this share of the mean variance.
const NEAR: f64 = 1e-8;
/// The amount then added to every variance, as a share of their mean.
const JITTER: f64 = 1e-10;

/// The expected improvement of q points together, with its slopes in their means and covariances.
#[derive(Debug, Clone, PartialEq)]
pub struct QExpectedImprovement {
    /// The expected improvement.
    pub value: f64,
    /// Its slope in each mean: the probability that this point is the best, and better than the incumbent.
    pub p: Vec<f64>,
    /// Twice its slope in each entry of the covariance: q × q, row by row, symmetric.
    pub h: Vec<f64>,
}

impl QExpectedImprovement {
    /// The gradient in the points, given the posterior and the points whose joint law was used: one row per point.
    pub fn gradient(&self, posterior: &Posterior, x: &Points) -> Vec<f64> {
        let by_covariance: Vec<f64> = self.h.iter().map(|h| 0.5 * h).collect();
        posterior.joint_gradient(x, &self.p, &by_covariance)
    }
}

/// The expected improvement over `best` of points with a joint normal law (covariance q × q, row by row).
///
/// Exact up to three points; beyond, q + q(q + 1)/2 integrals over the lattice, up to [`normal::MAX_VARIABLES`] points.
///
/// # Panics
///
/// If the covariance does not have q² entries, or there are more points than that.
///
/// ```
/// use elbowroom::{acquisition::q_expected_improvement, normal::Lattice, rng::Stream};
/// let lattice = Lattice::new(1024, 8, &Stream::new(1));
/// // From ∫₀^∞ (1 − P(Y ≤ y⁺ + t)) dt by nested quadrature.
/// let q = q_expected_improvement(&[0.2, -0.1], &[1.0, 0.3, 0.3, 0.5], 0.4, &lattice);
/// assert!((q.value - 0.34965424118278).abs() < 1e-13);
/// ```
pub fn q_expected_improvement(mean: &[f64], covariance: &[f64], best: f64, lattice: &Lattice) -> QExpectedImprovement {
    let n = mean.len();
    assert_eq!(covariance.len(), n * n, "a covariance of {n} points has {} entries", n * n);
    let typical = (0..n).map(|i| covariance[i * n + i]).sum::<f64>() / n.max(1) as f64;

    // The best certain point raises the bar for the others.
    let certain = |k: &usize| covariance[k * n + k] <= CERTAIN * typical;
    let sure = (0..n).filter(certain).max_by(|&i, &j| mean[i].total_cmp(&mean[j])).filter(|&k| mean[k] > best);
    let bar = sure.map_or(best, |k| mean[k]);

    let apart = |i: usize, j: usize| covariance[i * n + i] + covariance[j * n + j] - 2.0 * covariance[i * n + j];
    let mut uncertain: Vec<usize> = (0..n).filter(|k| !certain(k)).collect();
    uncertain.sort_by(|&i, &j| mean[j].total_cmp(&mean[i]));
    let mut kept: Vec<usize> = Vec::with_capacity(n);
    let mut near = false;
    for k in uncertain {
        if kept.iter().all(|&i| apart(i, k) > CERTAIN * typical) {
            near |= kept.iter().any(|&i| apart(i, k) <= NEAR * typical);
            kept.push(k);
        }
    }
    let jitter = if near { JITTER * typical } else { 0.0 };
    kept.sort_unstable();

    let law = Law {
        mean: kept.iter().map(|&k| mean[k] - bar).collect(),
        covariance: kept
            .iter()
            .flat_map(|&i| kept.iter().map(move |&j| covariance[i * n + j] + if i == j { jitter } else { 0.0 }))
            .collect(),
    };
    let inner = law.improvement(lattice);

    // Spread the slopes over all points again.
    let (mut p, mut h) = (vec![0.0; n], vec![0.0; n * n]);
    for (a, &i) in kept.iter().enumerate() {
        p[i] = inner.p[a];
        for (b, &j) in kept.iter().enumerate() {
            h[i * n + j] = inner.h[a * kept.len() + b];
        }
    }
    if let Some(k) = sure {
        p[k] = (1.0 - inner.p.iter().sum::<f64>()).max(0.0);
    }
    QExpectedImprovement { value: inner.value + (bar - best), p, h }
}

/// Means relative to the bar, and covariances, of points that are uncertain and distinct.
struct Law {
    mean: Vec<f64>,
    covariance: Vec<f64>,
}

impl Law {
    fn cov(&self, i: usize, j: usize) -> f64 {
        self.covariance[i * self.mean.len() + j]
    }

    fn improvement(&self, lattice: &Lattice) -> QExpectedImprovement {
        let q = self.mean.len();
        let p: Vec<f64> = (0..q).map(|k| self.best_of_all(k, lattice)).collect();
        let mut value: f64 = p.iter().zip(&self.mean).map(|(p, m)| p * m).sum();
        let mut h = vec![0.0; q * q];
        for i in 0..q {
            let t = self.meets_bar(i, lattice);
            h[i * q + i] += t;
            value += self.cov(i, i) * t;
            for j in 0..i {
                let c = self.meets(i, j, lattice);
                h[i * q + j] -= c;
                h[j * q + i] -= c;
                h[i * q + i] += c;
                h[j * q + j] += c;
                value += (self.cov(i, i) + self.cov(j, j) - 2.0 * self.cov(i, j)) * c;
            }
        }
        QExpectedImprovement { value: value.max(0.0), p, h }
    }

    /// p_k: the others minus Y_k, and −Y_k, are all below 0.
    fn best_of_all(&self, k: usize, lattice: &Lattice) -> f64 {
        let forms: Vec<Form> = self.others(k, &[]).map(|l| Form::difference(l, k)).chain([Form::minus(k)]).collect();
        self.all_below(&forms, None, lattice)
    }

    /// c_ij: i is the best of all points except j, given Y_i − Y_j = 0.
    fn meets(&self, i: usize, j: usize, lattice: &Lattice) -> f64 {
        let forms: Vec<Form> = self.others(i, &[j]).map(|l| Form::difference(l, i)).chain([Form::minus(i)]).collect();
        self.all_below(&forms, Some(Form::difference(i, j)), lattice)
    }

    /// t_k: the others are below 0, given Y_k = 0.
    fn meets_bar(&self, k: usize, lattice: &Lattice) -> f64 {
        let forms: Vec<Form> = self.others(k, &[]).map(Form::plus).collect();
        self.all_below(&forms, Some(Form::plus(k)), lattice)
    }

    fn others<'a>(&self, k: usize, more: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        (0..self.mean.len()).filter(move |l| *l != k && !more.contains(l))
    }

    /// The probability that all forms are below 0; if `zero` is given, with that form's density at 0, given it is 0.
    fn all_below(&self, forms: &[Form], zero: Option<Form>, lattice: &Lattice) -> f64 {
        let n = forms.len();
        let mut upper: Vec<f64> = forms.iter().map(|f| -f.mean(self)).collect();
        let mut covariance: Vec<f64> = forms.iter().flat_map(|a| forms.iter().map(|b| a.cov(b, self))).collect();
        let mut density = 1.0;
        if let Some(zero) = zero {
            let variance = zero.cov(&zero, self);
            let mean = zero.mean(self);
            density = normal::pdf(mean / variance.sqrt()) / variance.sqrt();
            if density == 0.0 {
                return 0.0;
            }
            let with: Vec<f64> = forms.iter().map(|f| f.cov(&zero, self)).collect();
            for i in 0..n {
                upper[i] += with[i] * mean / variance;
                let before = covariance[i * n + i];
                for j in 0..n {
                    covariance[i * n + j] -= with[i] * with[j] / variance;
                }
                // A variance that falls below this is rounding error.
                if covariance[i * n + i] <= 1e-15 * before {
                    covariance[i * n + i] = 0.0;
                }
            }
        }
        density * normal::cdf_q(&upper, &covariance, lattice)
    }
}

/// A signed sum of one or two of the Y.
#[derive(Clone, Copy)]
struct Form {
    plus: Option<usize>,
    minus: Option<usize>,
}

impl Form {
    fn plus(i: usize) -> Self {
        Self { plus: Some(i), minus: None }
    }

    fn minus(i: usize) -> Self {
        Self { plus: None, minus: Some(i) }
    }

    fn difference(i: usize, j: usize) -> Self {
        Self { plus: Some(i), minus: Some(j) }
    }

    fn mean(&self, law: &Law) -> f64 {
        self.plus.map_or(0.0, |i| law.mean[i]) - self.minus.map_or(0.0, |i| law.mean[i])
    }

    fn cov(&self, other: &Self, law: &Law) -> f64 {
        let cov = |a: Option<usize>, b: Option<usize>| a.zip(b).map_or(0.0, |(i, j)| law.cov(i, j));
        // Pairs first, so that close points cancel exactly.
        (cov(self.plus, other.plus) - cov(self.minus, other.plus))
            - (cov(self.plus, other.minus) - cov(self.minus, other.minus))
    }
}

/// How the expected improvement of several points is integrated.
#[derive(Debug, Clone, PartialEq)]
pub enum QRule {
    /// By its closed form, with the normal law in q dimensions on a lattice: for up to about ten points.
    Exact(Lattice),
    /// By the mean over fixed samples.
    Sampled(QSamples),
}

/// The expected improvement of q points as a function of their coordinates, one point after the other, to be maximized.
///
/// ```
/// use elbowroom::{acquisition::{QObjective, QRule}, data::Dataset, gp::{Hyperparameters, KernelKind, Posterior}};
/// use elbowroom::{linalg::Points, normal::Lattice, optim::Objective, rng::Stream};
/// let data = Dataset::new(Points::from_rows(1, vec![0.0]).unwrap(), vec![1.0]).unwrap();
/// let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![1.0], 0.0)).unwrap();
/// let rule = QRule::Exact(Lattice::new(1024, 8, &Stream::new(1)));
/// let mut objective = QObjective { posterior: &gp, best: 1.0, rule: &rule };
/// let mut gradient = [0.0; 2];
/// // Two points on either side of the data: the gradient is that of the mirror image, mirrored.
/// objective.value_and_gradient(&[-0.5, 0.5], &mut gradient);
/// assert!((gradient[0] + gradient[1]).abs() < 1e-14);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct QObjective<'a> {
    /// The model.
    pub posterior: &'a Posterior,
    /// The value to improve on, y⁺.
    pub best: f64,
    /// The integration rule.
    pub rule: &'a QRule,
}

impl QObjective<'_> {
    /// The expected improvement of the points, with its slopes; NaN if their covariance cannot be sampled.
    pub fn improvement(&self, x: &Points) -> QExpectedImprovement {
        let joint = self.posterior.joint(x);
        match self.rule {
            QRule::Exact(lattice) => q_expected_improvement(&joint.mean, &joint.covariance, self.best, lattice),
            QRule::Sampled(samples) => samples.improvement(&joint.mean, &joint.covariance, self.best),
        }
    }
}

impl Objective for QObjective<'_> {
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let mut points = Points::new(self.posterior.dim());
        x.chunks_exact(self.posterior.dim()).for_each(|x| points.push(x));
        let improvement = self.improvement(&points);
        gradient.copy_from_slice(&improvement.gradient(self.posterior, &points));
        improvement.value
    }
}
