//! Everything that is inferred from the results at one data revision of a study: a model of the values, and the chance
//! that a point gives a value at all.
//!
//! | file | content |
//! |---|---|
//! | `config` | the settings of a model |
//! | `contest` | chooses the kernel, and the bend of the results, by evidence |
//! | `doubt` | whether results that are treated as exact may be noisy, and what is predicted then |
//! | `fit` | from results to a model: the contest, then a fit to all |
//! | `kernels` | the kernels in a contest, and their names |
//! | `last` | the fit to all results, and the second look |
//! | `outlook` | predictions at any point, however many results there are |
//! | `pivot` | the map of limited results: their distance to the limit |
//! | `scale` | scales and bends results before they are modelled |
//! | `subset` | the part that a model uses of very many results |
//! | `trust` | checks a model on held-out results, and replaces one that fails |

mod config;
mod contest;
mod doubt;
mod fit;
mod kernels;
mod last;
mod outlook;
mod pivot;
mod scale;
mod subset;
mod trust;

use std::sync::Arc;

pub use config::{HyperparameterRule, ModelConfig};
pub use doubt::Doubt;
pub(crate) use fit::{FitPlan, mean_square, metric};
pub use fit::{Model, ModelRecord, Observations};
pub(crate) use kernels::Contestant;
pub use kernels::KernelConfig;
pub use outlook::Outlook;
pub use pivot::Pivot;
pub use scale::{Gauge, ResultScale, ScaleRule};
pub use subset::TrainingSubset;
pub(crate) use subset::{Candidate, choose, typical};
pub(crate) use trust::ENOUGH;
pub use trust::{Errors, LeaveOneOut};

use crate::chance::Chance;
use crate::error::Result;

/// The basis for choosing points, besides the trials: the model of the results at one data revision, and the chance of
/// success. It never changes, and is cheap to keep and to copy.
///
/// A failed fit is part of it: choosing again with the same belief falls back in the same way.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space).initial(4))?;
/// for trial in study.ask(4)?.trials {
///     study.tell(trial.id, trial.unit[0].powi(2))?;
/// }
/// let belief = study.belief();
/// assert!(belief.model()?.posterior.n_data() == 4 && belief.chance()?.is_none());
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Belief {
    pub(crate) data_revision: usize,
    pub(crate) n_observed: usize,
    /// Whether all results are equal, so that a model would say nothing.
    pub(crate) is_flat: bool,
    pub(crate) model: Result<Arc<Model>>,
    pub(crate) chance: Result<Option<Arc<Chance>>>,
    /// Of further objectives and limited results, as far as they have enough results; empty if there are none.
    pub(crate) outcomes: Vec<OutcomeBelief>,
}

/// The belief of one outcome besides the first objective.
#[derive(Debug, Clone)]
pub(crate) struct OutcomeBelief {
    pub name: String,
    /// The model of its values, or why there is none.
    pub model: Result<Arc<Model>>,
}

impl Belief {
    /// The number of events it is made from: all up to the last result that it knows.
    pub fn data_revision(&self) -> usize {
        self.data_revision
    }

    /// The number of results it knows.
    pub fn n_observed(&self) -> usize {
        self.n_observed
    }

    /// The model of the values, or why there is none.
    pub fn model(&self) -> Result<Arc<Model>> {
        self.model.clone()
    }

    /// The model of a further objective or a limited result; none if there is no such outcome, or too few results of it.
    pub fn model_of(&self, outcome: &str) -> Option<Result<Arc<Model>>> {
        self.outcomes.iter().find(|known| known.name == outcome).map(|known| known.model.clone())
    }

    /// The chance that a point gives a value; none if nothing has failed yet.
    pub fn chance(&self) -> Result<Option<Arc<Chance>>> {
        self.chance.clone()
    }
}
