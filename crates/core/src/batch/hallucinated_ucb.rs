//! B-UCB, also GP-BUCB (Desautels, Krause and Burdick 2014): the confidence bound with a hallucinated variance.
//!
//! x_k = arg max μ(x) + √β_t s_after(x): the mean is given the last results, the variance also all pending and chosen
//! points, whose values it does not need. With fixed hyperparameters, the kriging believer gives the same.
//!
//! In theory, β grows with t, the number of points asked for so far, and with the number |D| of points to choose from:
//! β_t = exp(2C) · 2 ln(|D| t² π²/(6δ)). In an infinite space |D| is the number of candidates.

use serde::{Deserialize, Serialize};

use super::acquisition_kind::upper_bound;
use super::score::Score;
use super::search::Search;
use super::{BatchInfo, BatchSize, BatchStrategy, Candidates, Chooser, Explanation, Proposal, Situation};
use crate::error::{Error, Result};
use crate::space::UnitPoint;

/// The squared weight β of the standard deviation in a confidence bound.
///
/// ```
/// use elbowroom::batch::Beta;
/// assert_eq!(Beta::Fixed { beta: 4.0 }.kappa(100, 7), 2.0);
/// // β₁ = 2 ln(π²/(6δ)) for one point to choose from: with δ = π²/(6e), 2.
/// let delta = std::f64::consts::PI.powi(2) / (6.0 * std::f64::consts::E);
/// assert!((Beta::Srinivas { delta }.kappa(1, 1) - 2f64.sqrt()).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Beta {
    /// Constant; the paper's experiments have κ = 2, so β = 4.
    Fixed {
        /// κ².
        beta: f64,
    },
    /// 2 ln(|D| t² π²/(6δ)) (Srinivas et al. 2010).
    Srinivas {
        /// The probability that the bounds fail.
        delta: f64,
    },
    /// exp(2C) times that of Srinivas: C bounds how much a batch reveals about the function beyond the last results.
    Desautels {
        /// The probability that the bounds fail.
        delta: f64,
        /// The information C, in nats.
        c: f64,
    },
}

impl Default for Beta {
    /// The paper's κ = 2.
    fn default() -> Self {
        Beta::Fixed { beta: 4.0 }
    }
}

impl Beta {
    /// Refuses a weight that is negative or not finite, and a probability outside (0, 1).
    pub fn validate(&self) -> Result<()> {
        let (weight, delta) = match *self {
            Beta::Fixed { beta } => (beta, 0.5),
            Beta::Srinivas { delta } => (0.0, delta),
            Beta::Desautels { delta, c } => (c, delta),
        };
        if !(weight.is_finite() && weight >= 0.0) {
            let what = format!("strategy.beta: {weight} is not a weight");
            return Err(Error::config(what, "give a finite number that is not negative"));
        }
        if !(delta > 0.0 && delta < 1.0) {
            let what = format!("strategy.beta: delta is {delta}");
            return Err(Error::config(what, "give a probability between 0 and 1, such as 0.05"));
        }
        Ok(())
    }

    /// κ = √β for the t-th point (from 1), chosen among `n_points`.
    pub fn kappa(self, n_points: usize, t: usize) -> f64 {
        let srinivas = |delta: f64| {
            let t = t.max(1) as f64;
            2.0 * (n_points.max(1) as f64 * t * t * std::f64::consts::PI.powi(2) / (6.0 * delta)).ln()
        };
        let beta = match self {
            Beta::Fixed { beta } => beta,
            Beta::Srinivas { delta } => srinivas(delta),
            Beta::Desautels { delta, c } => (2.0 * c).exp() * srinivas(delta),
        };
        beta.max(0.0).sqrt()
    }
}

/// The confidence bound with the variance given pending and chosen points.
///
/// ```
/// use elbowroom::batch::{Beta, HallucinatedUcb};
/// let theory: HallucinatedUcb = serde_json::from_str(r#"{"beta":{"srinivas":{"delta":0.05}}}"#)?;
/// assert_eq!(theory.beta, Beta::Srinivas { delta: 0.05 });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HallucinatedUcb {
    /// The squared weight of the standard deviation.
    pub beta: Beta,
    /// The points to choose from.
    pub candidates: Candidates,
}

impl BatchStrategy for HallucinatedUcb {
    fn validate(&self) -> Result<()> {
        self.beta.validate()
    }

    fn bind<'a>(&'a self, situation: &'a Situation<'a>, q: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        let score = hallucinated(self.beta, situation, 1, 0);
        // The number of points is known once they are gathered; a fixed β does not need it.
        let search =
            Search::with_pending(situation, self.candidates, score).explained_as_bound(!situation.is_weighed());
        let n_points = search.panel().len();
        let mut chooser = Hallucinating { beta: self.beta, situation, q, n_points, n_joined: 0, search };
        chooser.rescore();
        Ok(Box::new(chooser))
    }
}

fn hallucinated(beta: Beta, situation: &Situation<'_>, n_points: usize, k: usize) -> Score {
    let asked = situation.posterior.n_data() + situation.pending.len();
    let kappa = beta.kappa(n_points, asked + k + 1);
    Score::After(upper_bound(kappa, situation.posterior, situation))
}

/// The chooser of the hallucinated bound.
struct Hallucinating<'a> {
    beta: Beta,
    situation: &'a Situation<'a>,
    q: BatchSize,
    n_points: usize,
    n_joined: usize,
    search: Search<'a>,
}

impl Hallucinating<'_> {
    /// Sets the weight for the next point, if there will be one.
    fn rescore(&mut self) {
        if !matches!(self.beta, Beta::Fixed { .. }) && self.n_joined < self.q.get() {
            self.search.rescore(hallucinated(self.beta, self.situation, self.n_points, self.n_joined));
        }
    }
}

impl Chooser for Hallucinating<'_> {
    fn propose(&mut self) -> Result<Option<Proposal>> {
        Ok(self.search.propose())
    }

    fn join(&mut self, u: &UnitPoint) -> Result<()> {
        self.search.join(u);
        self.n_joined += 1;
        self.rescore();
        Ok(())
    }

    fn explain(&self, u: &[f64]) -> Explanation {
        self.search.explain(u)
    }

    fn info(&self) -> BatchInfo {
        self.search.info()
    }
}
