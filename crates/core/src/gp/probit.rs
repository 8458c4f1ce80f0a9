//! A Gaussian process that sees only yes or no: a probit likelihood, by expectation propagation.
//!
//! A latent function a ~ GP(m, k) decides: Φ(a(x)) is the chance of a yes, and tᵢ = ±1 was observed at xᵢ: P(tᵢ | a) =
//! Φ(tᵢ a(xᵢ)). Expectation propagation (Minka 2001; Rasmussen and Williams 2006, 3.6) replaces every factor by a
//! normal one with precision τᵢ and precision times mean νᵢ, the *site*, so that the marginal of a(xᵢ) has the moments
//! that it has with the true factor in place of the site. The outcome is an ordinary [`Posterior`]: of targets m +
//! νᵢ/τᵢ with noise variances 1/τᵢ.
//!
//! One sweep updates all sites at once. With R = (K + T⁻¹)⁻¹ and Σ = K − K R K:
//! cavity 1/v = 1/Σᵢᵢ − τᵢ, c = v(μᵢ/Σᵢᵢ − νᵢ); z = tᵢ(c + m)/√(1 + v); G = tᵢ h(z)/√(1 + v), G' = −G² − tᵢGz/√(1 + v);
//! then the variance v + v²G' and the mean c + vG give the new site.
//! ln Z = Σᵢ [ln Φ(zᵢ) + ½ ln(1 + τᵢvᵢ) + ½(cᵢ²/vᵢ − (cᵢ/vᵢ + νᵢ)²/(1/vᵢ + τᵢ))] + ½ νᵀμ − ½ ln det(I + K T).
//!
//! With a *lapse rate* ε, a no may be chance, whatever the point: P(+1 | a) = (1 − ε) Φ(a), P(−1 | a) = ε + (1 − ε)
//! Φ(−a). Then Φ(zᵢ) in ln Z becomes Zᵢ: (1 − ε) Φ(zᵢ) for a yes and ε + (1 − ε) Φ(zᵢ) for a no. With the share 1 − r =
//! (1 − ε) Φ(z)/Z that is not chance, a no has G = (1 − r) h(z) tᵢ/√(1 + v). Where a yes was nearly certain, G' > 0,
//! and the precision would be negative: it is set to [`LEAST`], and the site keeps the mean alone, ν = (c + vG)(1/v +
//! τ) − c/v.
//!
//! Σᵢᵢ = (1 − Rᵢᵢ/τᵢ)/τᵢ cancels where τᵢ is small. So the precision of a site is at least [`LEAST`]: such a site
//! carries no information, and half of the digits are left.

use super::whitened::{Whitened, kernel_row};
use super::{Hyperparameters, Noise, Posterior, kernel::with_kernel};
use crate::data::Dataset;
use crate::error::Result;
use crate::linalg::{FactorWork, Points, dot, vectorized};
use crate::normal;

/// The least precision of a site.
const LEAST: f64 = 1e-9;

/// Latent and marginal variances are above this.
const VARIANCES_FROM: f64 = 1e-12;

/// How far sites move towards their update: moved all the way at once, they would overshoot where points are close.
const DAMPING: f64 = 0.9;

/// Normal stand-ins for the factors Φ(tᵢ a(xᵢ)), one for each point.
#[derive(Debug, Clone, PartialEq)]
pub struct Sites {
    /// Precisions τ.
    pub precision: Vec<f64>,
    /// Precision times mean ν, of a − m.
    pub shift: Vec<f64>,
}

impl Sites {
    /// Sites without information.
    pub fn new(n: usize) -> Self {
        Self { precision: vec![LEAST; n], shift: vec![0.0; n] }
    }
}

/// A probit process given answers.
#[derive(Debug, Clone)]
pub struct Probit {
    /// The final sites.
    pub sites: Sites,
    /// ln of the probability of all answers, as estimated by expectation propagation.
    pub ln_evidence: f64,
    /// How many sweeps it took: one factorization each.
    pub sweeps: usize,
}

/// When sweeps end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sweeps {
    /// The most sweeps.
    pub most: usize,
    /// The largest change of a latent mean, in its standard deviations, at which sweeps end.
    pub tolerance: f64,
}

impl Probit {
    /// Sweeps from given sites until they settle; the noise of `hyper` is not used. `lapse` is the chance of a no
    /// whatever the point, from 0 to below 1. `None` if the numbers break down.
    ///
    /// ```
    /// use elbowroom::gp::{Hyperparameters, KernelKind, Probit, Sites, Sweeps};
    /// use elbowroom::linalg::Points;
    /// let x = Points::from_rows(1, vec![0.1, 0.3, 0.8]).unwrap();
    /// let hyper = Hyperparameters::new(KernelKind::Matern52, 4.0, vec![0.3], 0.0);
    /// let sweeps = Sweeps { most: 20, tolerance: 1e-6 };
    /// let seen = Probit::new(&x, &[true, true, false], &hyper, 0.0, Sites::new(3), sweeps).unwrap();
    /// let latent = seen.posterior(&x, &hyper).unwrap();
    /// assert!(latent.predict(&[0.2]).mean > 0.0 && latent.predict(&[0.9]).mean < 0.0);
    /// ```
    pub fn new(
        x: &Points,
        answers: &[bool],
        hyper: &Hyperparameters,
        lapse: f64,
        mut sites: Sites,
        sweeps: Sweeps,
    ) -> Option<Self> {
        if hyper.variance.is_nan() || hyper.variance <= VARIANCES_FROM || !(0.0..1.0).contains(&lapse) {
            return None;
        }
        let n = x.len();
        let prior = covariances(x, hyper);
        let mut work = FactorWork::new(n);
        let (mut mean, mut b, mut v) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for sweep in 1..=sweeps.most.max(1) {
            let Sites { precision, shift } = &mut sites;
            work.fill_columns(|j, column| {
                column.copy_from_slice(&prior[j][j..]);
                column[0] += 1.0 / precision[j];
            });
            if !work.factor() {
                return None;
            }
            work.invert();
            work.compute_inverse();
            // b = (I + T K)⁻¹ν = R T⁻¹ν and μ = K b.
            let targets: Vec<f64> = shift.iter().zip(&*precision).map(|(nu, tau)| nu / tau).collect();
            work.solve(&targets, &mut v, &mut b);
            let (mut moved, mut ln_factors) = (0.0f64, 0.0);
            for (i, row) in prior.iter().enumerate() {
                mean[i] = dot(row, &b);
            }
            let half_fit = 0.5 * dot(shift, &mean);
            let mut ln_det = work.ln_det();
            for i in 0..n {
                let (tau, nu) = (precision[i], shift[i]);
                ln_det += tau.ln();
                let variance = ((1.0 - work.inverse_column(i)[0] / tau) / tau).clamp(VARIANCES_FROM, hyper.variance);
                // A site that carries nearly everything leaves a cavity at most as wide as the prior.
                let cavity = (1.0 / variance - tau).max(1.0 / hyper.variance);
                let (spread, centre) = (1.0 / cavity, (mean[i] / variance - nu) / cavity);
                let sign = if answers[i] { 1.0 } else { -1.0 };
                let width = (1.0 + spread).sqrt();
                let z = sign * (centre + hyper.mean) / width;
                let (ln_z, h) = factor(z, answers[i], lapse);
                ln_factors += ln_z + 0.5 * (tau * spread).ln_1p();
                ln_factors += 0.5 * (centre * centre * cavity - (centre * cavity + nu).powi(2) / (cavity + tau));
                let slope = sign * h / width;
                // −G' = h(h + z)/(1 + v), in (0, 1/(1 + v)) without lapses.
                let bend = h * (h + z) / (1.0 + spread);
                let new_precision = (bend / (1.0 - spread * bend)).max(LEAST);
                let new_shift = if lapse > 0.0 && bend < 0.0 {
                    centre * LEAST + slope * (1.0 + spread * LEAST)
                } else {
                    (centre * bend + slope) / (1.0 - spread * bend)
                };
                if !(new_precision.is_finite() && new_shift.is_finite()) {
                    return None;
                }
                moved = moved.max(((new_shift - nu) - (new_precision - tau) * mean[i]).abs() * variance.sqrt());
                precision[i] = tau + DAMPING * (new_precision - tau);
                shift[i] = nu + DAMPING * (new_shift - nu);
            }
            if moved <= sweeps.tolerance || sweep == sweeps.most.max(1) {
                let ln_evidence = ln_factors + half_fit - 0.5 * ln_det;
                return ln_evidence.is_finite().then_some(Self { sites, ln_evidence, sweeps: sweep });
            }
        }
        None
    }

    /// The latent function given the answers; `x` and `hyper` are those of [`Probit::new`].
    pub fn posterior(&self, x: &Points, hyper: &Hyperparameters) -> Result<Posterior> {
        let Sites { precision, shift } = &self.sites;
        let targets = shift.iter().zip(precision).map(|(nu, tau)| hyper.mean + nu / tau).collect();
        let noise = precision.iter().map(|tau| 1.0 / tau).collect();
        let hyper = Hyperparameters { noise: Noise::PerObservation(noise), ..hyper.clone() };
        Posterior::new(&Dataset::new(x.clone(), targets)?, hyper)
    }
}

/// ln of the chance of an answer, Φ(z) except for lapses, and its derivative.
fn factor(z: f64, answer: bool, lapse: f64) -> (f64, f64) {
    let (ln_phi, h) = normal::ln_cdf_and_mills(z);
    let ln_kept = ln_phi + (-lapse).ln_1p();
    if answer || lapse == 0.0 {
        return (ln_kept, h);
    }
    let ln_z = (lapse + ln_kept.exp()).ln();
    // h grows only as −z, and the share falls as e^{−z²/2}.
    let share = (ln_kept - ln_z).exp();
    (ln_z, if share == 0.0 { 0.0 } else { share * h })
}

/// The full rows of the prior covariance matrix.
fn covariances(x: &Points, hyper: &Hyperparameters) -> Vec<Vec<f64>> {
    let n = x.len();
    let whitened = Whitened::under(x, hyper);
    let (mut u, mut s, mut slopes) = (vec![0.0; x.dim()], vec![0.0; n], vec![0.0; n]);
    let row = |j: usize| {
        let mut row = vec![0.0; n];
        whitened.whiten(x.row(j), &mut u);
        with_kernel!(hyper.kernel, kernel => vectorized(#[inline(always)] || {
            whitened.squared_distances(&u, 0, &mut s);
            kernel_row(kernel, hyper.variance, &s, &mut row, &mut slopes);
        }));
        row[j] = hyper.variance;
        row
    };
    (0..n).map(row).collect()
}
