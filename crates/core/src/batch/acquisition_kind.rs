//! Acquisitions by name, bound to a posterior.

use serde::{Deserialize, Serialize};

use super::Situation;
use super::limits::Indifferent;
use crate::acquisition::{
    ExpectedImprovement, Exponential, LogAcquisition, PosteriorMean, ProbabilityOfImprovement, Softplus,
    UpperConfidenceBound,
};
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::gp::{Posterior, Scratch};

/// The acquisition, by name.
///
/// ```
/// use elbowroom::batch::AcquisitionKind;
/// let ucb: AcquisitionKind = serde_json::from_str(r#"{"ucb":{"kappa":1.5}}"#)?;
/// assert_eq!(ucb, AcquisitionKind::Ucb { kappa: 1.5 });
/// // Where no weight is given it is the paper's.
/// let ucb: AcquisitionKind = serde_json::from_str(r#"{"ucb":{}}"#)?;
/// assert_eq!(ucb, AcquisitionKind::Ucb { kappa: elbowroom::batch::DEFAULT_KAPPA });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum AcquisitionKind {
    /// Expected improvement over the best posterior mean at the data.
    Ei,
    /// Upper confidence bound, made positive by softplus above the best posterior mean at the data.
    Ucb {
        /// Weight of the standard deviation.
        #[serde(default = "default_kappa")]
        kappa: f64,
    },
    /// Upper confidence bound as in the paper: softplus of the raw value.
    PaperUcb {
        /// Weight of the standard deviation.
        #[serde(default = "default_kappa")]
        kappa: f64,
    },
    /// Probability of improvement over the best posterior mean at the data.
    Pi,
    /// The posterior mean, exponentiated.
    Mean,
}

/// The default weight of the deviation in a confidence bound: the paper's.
pub const DEFAULT_KAPPA: f64 = 2.0;

fn default_kappa() -> f64 {
    DEFAULT_KAPPA
}

/// Where the softplus of a confidence bound bends, in prior standard deviations.
const TEMPERATURE: f64 = 0.1;

impl AcquisitionKind {
    /// Refuses a weight that is negative or not finite.
    pub fn validate(&self) -> Result<()> {
        match *self {
            AcquisitionKind::Ucb { kappa } | AcquisitionKind::PaperUcb { kappa } => {
                check_kappa("strategy.acquisition", kappa)
            }
            _ => Ok(()),
        }
    }

    /// The acquisition for a posterior, in logarithms.
    pub fn bind(&self, posterior: &Posterior) -> Box<dyn LogAcquisition> {
        self.bind_above(posterior, || best_mean_at_data(posterior))
    }

    /// The acquisition in a situation: the incumbent is the best mean in the part of the space that is searched, among
    /// points that keep the limits. While no such point is known, all points have the same value.
    pub(super) fn bind_in(&self, posterior: &Posterior, situation: &Situation<'_>) -> Box<dyn LogAcquisition> {
        match situation.incumbent(posterior) {
            Some(best) => self.bind_above(posterior, || best),
            None => Box::new(Indifferent),
        }
    }

    fn bind_above(&self, posterior: &Posterior, best: impl Fn() -> f64) -> Box<dyn LogAcquisition> {
        match *self {
            AcquisitionKind::Ei => Box::new(ExpectedImprovement { best: best() }),
            AcquisitionKind::Ucb { kappa } => Box::new(Softplus {
                inner: UpperConfidenceBound { kappa },
                offset: best(),
                temperature: TEMPERATURE * posterior.hyper().variance.sqrt(),
            }),
            AcquisitionKind::PaperUcb { kappa } => Box::new(Softplus::paper(UpperConfidenceBound { kappa })),
            AcquisitionKind::Pi => Box::new(ProbabilityOfImprovement { best: best() }),
            AcquisitionKind::Mean => Box::new(Exponential(PosteriorMean)),
        }
    }

    /// The acquisition for strategies that do not multiply it by penalties: it need not be positive there, and a
    /// confidence bound is climbed without a transformation.
    ///
    /// If there is a chance, of success or of keeping limits, it is multiplied by that and must be positive.
    pub(super) fn bind_signed(&self, posterior: &Posterior, situation: &Situation<'_>) -> Box<dyn LogAcquisition> {
        match *self {
            AcquisitionKind::Ucb { kappa } | AcquisitionKind::PaperUcb { kappa } => {
                upper_bound(kappa, posterior, situation)
            }
            _ => self.bind_in(posterior, situation),
        }
    }
}

impl AcquisitionKind {
    /// Whether [`bind_signed`](Self::bind_signed) gives a confidence bound without a transformation.
    pub(super) fn is_signed(&self, situation: &Situation<'_>) -> bool {
        !situation.is_weighed() && matches!(self, AcquisitionKind::Ucb { .. } | AcquisitionKind::PaperUcb { .. })
    }
}

/// μ + κ s without a transformation. If it is multiplied by a chance, it is the gain over the best mean at the data,
/// made positive: a failure is then worth that mean.
pub(super) fn upper_bound(kappa: f64, posterior: &Posterior, situation: &Situation<'_>) -> Box<dyn LogAcquisition> {
    let bound = AcquisitionKind::Ucb { kappa };
    match (situation.is_weighed(), situation.limits().is_empty()) {
        (false, _) => Box::new(Exponential(UpperConfidenceBound { kappa })),
        (true, true) => bound.bind(posterior),
        (true, false) => bound.bind_in(posterior, situation),
    }
}

/// Refuses a weight of the standard deviation that is negative or not finite.
pub(super) fn check_kappa(setting: &str, kappa: f64) -> Result<()> {
    if kappa.is_finite() && kappa >= 0.0 {
        return Ok(());
    }
    let what = format!("{setting}: kappa is {kappa}");
    Err(Error::config(what, "give a finite number that is not negative; the paper uses 2"))
}

/// The incumbent if only a part of the space is searched: the largest mean at the data, each moved to the nearest point
/// of that part. An ask that holds a parameter far from the optimum wants the best point there, not a new record.
pub(crate) fn best_mean_in(posterior: &Posterior, domain: &Domain<'_>) -> f64 {
    best_observed_in(posterior, domain).map_or_else(|| best_mean_at_data(posterior), |(_, mean)| mean)
}

/// The observed point, moved into the domain, with the largest mean, and that mean.
pub(crate) fn best_observed_in(posterior: &Posterior, domain: &Domain<'_>) -> Option<(Vec<f64>, f64)> {
    let mut scratch = Scratch::default();
    let observed = if domain.is_whole() {
        posterior.observed().map(<[f64]>::to_vec).collect()
    } else {
        observed_in(posterior, domain)
    };
    let with_mean = observed.into_iter().map(|x| {
        let mean = posterior.mean_gradient(&x, &mut scratch);
        (x, mean)
    });
    with_mean.reduce(|a, b| if b.1 > a.1 { b } else { a })
}

/// The observed points, each moved to the nearest point of a part of the space, if that is feasible.
pub(super) fn observed_in(posterior: &Posterior, domain: &Domain<'_>) -> Vec<Vec<f64>> {
    let moved = posterior.observed().map(|x| {
        let mut x = x.to_vec();
        domain.snap(&mut x);
        x
    });
    moved.filter(|x| domain.is_feasible(x)).collect()
}

/// max_i μ(x_i): the incumbent, unaffected by lucky noise. The prior mean if there are no data.
pub fn best_mean_at_data(posterior: &Posterior) -> f64 {
    let mut scratch = Scratch::default();
    let means = posterior.observed().map(|x| posterior.mean(x, &mut scratch));
    means.reduce(f64::max).unwrap_or(posterior.hyper().mean)
}
