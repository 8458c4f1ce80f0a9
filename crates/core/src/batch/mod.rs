//! Choosing q points given a posterior and the points that are pending; one strategy per file.

mod acquisition_kind;
mod adaptive;
mod aims;
mod believer;
mod candidates;
mod chooser;
mod free;
mod front;
mod hallucinated_ucb;
mod joint;
mod leader;
mod limits;
mod local_penalization;
mod marginalized;
mod medoids;
mod multipoint;
mod pareto_search;
mod plain;
mod pure_exploration;
mod random;
mod recommend;
mod score;
mod search;
mod simulation_matching;
mod thompson;
mod tried;

pub use acquisition_kind::{AcquisitionKind, DEFAULT_KAPPA, best_mean_at_data};
pub(crate) use acquisition_kind::{best_mean_in, best_observed_in};
pub use adaptive::{Adaptive, StopRule};
pub use aims::{Aims, Limit, Measured, Objective};
pub use believer::{Believer, Lie, Refit};
pub use candidates::Candidates;
pub(crate) use candidates::EXHAUSTIVE;
pub use chooser::{Chooser, Explanation, Proposal, Term, terms};
pub(crate) use free::free_points;
pub use hallucinated_ucb::{Beta, HallucinatedUcb};
pub use local_penalization::{LipschitzRule, LocalPenalization, MaximumRule, RefineRule, Safeguards};
pub use marginalized::{Marginalized, gauss_hermite};
pub use multipoint::Multipoint;
pub use pareto_search::{ParetoSearch, ShareRule};
pub use plain::Plain;
pub use pure_exploration::{PureExploration, RegionRule};
pub use random::{Random, RandomRest};
pub use recommend::{Gain, Sought};
pub use simulation_matching::SimulationMatching;
pub use thompson::Thompson;
pub use tried::Tried;
pub(crate) use tried::is_beside;

use std::collections::HashSet;
use std::num::NonZeroUsize;

use crate::chance::Chance;
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::gp::Posterior;
use crate::rng::Stream;
use crate::space::{PointKey, UnitPoint};

/// What a strategy chooses from. Everything is in the unit cube, and the objective is maximized.
pub struct Situation<'a> {
    /// The model of the objective.
    pub posterior: &'a Posterior,
    /// The region to choose points from.
    pub domain: &'a Domain<'a>,
    /// Pending points, in the order they were asked for.
    pub pending: &'a [UnitPoint],
    /// Points not to propose again: observed, pending and failed ones.
    pub taken: &'a HashSet<PointKey>,
    /// Trials near which nothing is proposed.
    pub tried: &'a Tried<'a>,
    /// The chance that a point gives a value; none if nothing has failed yet.
    pub chance: Option<&'a Chance>,
    /// Further objectives and limits; none in a study of one objective without limits.
    pub aims: Option<&'a Aims<'a>>,
    /// The random numbers of this ask.
    pub stream: &'a Stream,
    /// If a finite domain has at most this many points, all of them are scored, as long as that is affordable.
    pub score_all: u64,
}

impl<'a> Situation<'a> {
    /// A situation without failures, in which only the observations of the posterior were tried.
    pub fn new(
        posterior: &'a Posterior,
        domain: &'a Domain<'a>,
        pending: &'a [UnitPoint],
        taken: &'a HashSet<PointKey>,
        stream: &'a Stream,
    ) -> Self {
        static NOTHING: Tried<'static> = Tried { points: Vec::new(), failed: Vec::new() };
        let (tried, score_all) = (&NOTHING, EXHAUSTIVE);
        Self { posterior, domain, pending, taken, tried, chance: None, aims: None, stream, score_all }
    }
}

/// How many points to choose: at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSize(NonZeroUsize);

impl BatchSize {
    /// Refuses an empty batch.
    ///
    /// ```
    /// use elbowroom::batch::BatchSize;
    /// assert!(BatchSize::new(0).is_err());
    /// assert_eq!(BatchSize::new(3).unwrap().get(), 3);
    /// ```
    pub fn new(q: usize) -> Result<Self> {
        NonZeroUsize::new(q)
            .map(Self)
            .ok_or_else(|| Error::config("a batch of 0 points was asked for", "ask for at least one point"))
    }

    /// The number of points.
    pub fn get(self) -> usize {
        self.0.get()
    }
}

/// The chosen points, in order of choice. If there are fewer than asked for, the space has no more points, or the
/// strategy ended the batch ([`BatchInfo::ended`]).
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The points.
    pub points: Vec<UnitPoint>,
    /// What was done.
    pub info: BatchInfo,
}

/// The work counted during a choice, and the quantities it used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchInfo {
    /// Evaluations of the acquisition (value and gradient, or value alone).
    pub evaluations: usize,
    /// Operations, to leading order in the number of data and points: n³/3 for a factorization of n data, n² for a solve,
    /// nd for a kernel row. The same on every machine.
    pub work: f64,
    /// The Lipschitz constant used, in whitened coordinates.
    pub lipschitz: Option<f64>,
    /// The estimate of the maximum used.
    pub maximum: Option<f64>,
    /// The scores of local penalization for the points when they were chosen: ln α̃, or −∞ for a point taken at random.
    pub scores: Vec<f64>,
    /// Why the strategy ended the batch early, if it did: further points are not wanted.
    pub ended: Option<String>,
}

impl BatchInfo {
    /// Adds other counts.
    fn also(mut self, other: &BatchInfo) -> Self {
        self.evaluations += other.evaluations;
        self.work += other.work;
        self
    }

    /// Adds work that is not an evaluation of the acquisition.
    fn with_work(mut self, work: f64) -> Self {
        self.work += work;
        self
    }
}

/// A way to choose a batch.
pub trait BatchStrategy {
    /// Binds the strategy to a situation, for a batch of up to q points: ready to propose and to explain.
    fn bind<'a>(&'a self, situation: &'a Situation<'a>, q: BatchSize) -> Result<Box<dyn Chooser + 'a>>;

    /// Chooses up to q points that are feasible, distinct and not taken.
    fn choose(&self, situation: &Situation<'_>, q: BatchSize) -> Result<Batch> {
        let mut chooser = self.bind(situation, q)?;
        let mut points = Vec::with_capacity(q.get());
        while points.len() < q.get() {
            let Some(proposal) = chooser.propose()? else { break };
            chooser.join(&proposal.point)?;
            points.push(proposal.point);
        }
        Ok(Batch { points, info: chooser.info() })
    }

    /// Refuses settings that are out of range, by name.
    fn validate(&self) -> Result<()> {
        Ok(())
    }
}
