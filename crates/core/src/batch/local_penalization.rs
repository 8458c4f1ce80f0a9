//! Batch Bayesian optimization by local penalization (González, Dai, Hennig and Lawrence 2016), Algorithm 1.
//!
//! Once per batch: the Lipschitz constant L̂ = max ‖∇μ‖ and the maximum M̂ of the function. Then, in turn,
//!
//! * maximization: x_k = arg max ln α(x) + Σ_j ln φ(x; x_j, L̂, M̂), over pending points and those chosen so far;
//! * penalization: x_k becomes a penalizer.
//!
//! Pending points are penalizers from the start, so asynchronous use takes the same code. The model is not refitted
//! within a batch. By default the penalizers are the truncated ones; the share of standard deviation that pending
//! results will leave, s_after/s, is a further factor (see `penalty`); and every second point refines: it maximizes μ +
//! κ s_after instead, the bound of B-UCB. Late in a search, expected improvement sends half of its points far from the
//! optimum, while a bound alone sometimes gets stuck; the combination avoids both.

use serde::{Deserialize, Serialize};

use super::acquisition_kind::{check_kappa, observed_in, upper_bound};
use super::score::Score;
use super::search::{MAX_EVALUATIONS, STARTS, Search};
use super::{
    AcquisitionKind, BatchInfo, BatchSize, BatchStrategy, Candidates, Chooser, DEFAULT_KAPPA, Explanation, Proposal,
    Situation,
};
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::gp::{Metric, Panel, Posterior, Scratch};
use crate::optim::{Bounds, LbfgsbParams, climb_all};
use crate::penalty::{Ball, Penalizer, PenalizerKind, bare_lipschitz, whitened_lipschitz, whitened_lipschitz_at};
use crate::rng::Stream;
use crate::space::UnitPoint;

/// Local penalization, with its settings.
///
/// ```
/// use elbowroom::batch::LocalPenalization;
/// let paper = LocalPenalization::paper_ucb();
/// let text = serde_json::to_string(&paper)?;
/// assert_eq!(serde_json::from_str::<LocalPenalization>(&text)?, paper);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LocalPenalization {
    /// The acquisition.
    pub acquisition: AcquisitionKind,
    /// The shape of the penalizers; with none, only the variance factor remains.
    pub penalizer: Option<PenalizerKind>,
    /// Whether the acquisition is also lowered by the variance that pending results will remove.
    pub shrink: bool,
    /// Where the Lipschitz constant is computed.
    pub lipschitz: LipschitzRule,
    /// The estimate of the maximum of the function.
    pub maximum: MaximumRule,
    /// Which points refine around the best prediction instead of exploring. `None`, as in logs without this setting,
    /// means never. A new configuration without it gets the default rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refine: Option<RefineRule>,
    /// Additions to Algorithm 1 of the paper. The default is omitted from configurations and logs.
    #[serde(default, skip_serializing_if = "Safeguards::are_default")]
    pub safeguards: Safeguards,
}

/// What protects local penalization, beyond the paper's Algorithm 1, and how much effort goes into each maximum.
///
/// ```
/// use elbowroom::batch::{LocalPenalization, Safeguards};
/// let literal = LocalPenalization { safeguards: Safeguards::none(), ..LocalPenalization::paper_ucb() };
/// assert!(!literal.safeguards.separation && literal.safeguards.starts > Safeguards::default().starts);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Safeguards {
    /// A lower bound of L̂, so that the balls of a flat posterior mean do not cover everything.
    pub lipschitz_floor: bool,
    /// Keeps points of a batch a thousandth of a lengthscale apart, and points more than rounding away from tried ones.
    /// Otherwise points must only differ.
    pub separation: bool,
    /// Climbs per point.
    pub starts: usize,
    /// Evaluations per climb.
    pub climb_evaluations: usize,
}

impl Default for Safeguards {
    /// All safeguards, and the short search that all strategies share.
    fn default() -> Self {
        Self { lipschitz_floor: true, separation: true, starts: STARTS, climb_evaluations: MAX_EVALUATIONS }
    }
}

impl Safeguards {
    /// No safeguards, and a thorough search for each maximum: Algorithm 1 to the letter.
    pub fn none() -> Self {
        Self { lipschitz_floor: false, separation: false, starts: 20, climb_evaluations: 200 }
    }

    fn are_default(&self) -> bool {
        *self == Self::default()
    }

    fn validate(&self) -> Result<()> {
        for (name, n, most) in
            [("starts", self.starts, MOST_STARTS), ("climb_evaluations", self.climb_evaluations, MOST_EVALUATIONS)]
        {
            if n == 0 || n > most {
                let what = format!("strategy.safeguards.{name} is {n}");
                return Err(Error::config(what, format!("use a number from 1 to {most}")));
            }
        }
        Ok(())
    }
}

/// The most climbs per point and evaluations per climb: they limit the time that a damaged configuration can take.
const MOST_STARTS: usize = 1000;
const MOST_EVALUATIONS: usize = 10_000;

/// Which points of a batch maximize the confidence bound μ + κ s_after instead of the penalized acquisition.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum RefineRule {
    /// None: all points are as in the paper.
    Never,
    /// The second, the fourth and so on. If points are asked for one at a time, a random half of those asked for while
    /// others are pending, and never otherwise.
    Alternate {
        /// Weight of the standard deviation.
        kappa: f64,
    },
}

/// Where the Lipschitz constant is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LipschitzRule {
    /// The maximum over the whole space: one for all penalizers.
    Global,
    /// For each penalizer the maximum over the box within one lengthscale; its geometric mean with the global one
    /// unless there are many observations nearby.
    Local,
    /// The gradient at the pending point itself, as in the paper's remark on heteroscedastic functions. Near an optimum
    /// it is almost 0, and the ball covers almost everything.
    Point,
}

/// The estimate of the maximum M of the function.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MaximumRule {
    /// The largest posterior mean.
    MaxMean,
    /// The largest observation.
    MaxObserved,
    /// A known value, in the model's units.
    Given(f64),
}

impl Default for RefineRule {
    /// Every second point, with the paper's κ.
    fn default() -> Self {
        RefineRule::Alternate { kappa: DEFAULT_KAPPA }
    }
}

impl Default for LocalPenalization {
    /// Expected improvement, the truncated penalizer and the variance factor, with the global L̂ and the largest mean; every
    /// second point refines.
    fn default() -> Self {
        Self {
            acquisition: AcquisitionKind::Ei,
            penalizer: Some(PenalizerKind::Truncated),
            shrink: true,
            lipschitz: LipschitzRule::Global,
            maximum: MaximumRule::MaxMean,
            refine: Some(RefineRule::default()),
            safeguards: Safeguards::default(),
        }
    }
}

impl LocalPenalization {
    /// The default without refining points: all of them maximize the penalized acquisition.
    pub fn penalized_only() -> Self {
        Self { refine: Some(RefineRule::Never), ..Self::default() }
    }

    /// The paper's LP-EI, with the library's [`Safeguards`].
    pub fn paper_ei() -> Self {
        Self {
            acquisition: AcquisitionKind::Ei,
            penalizer: Some(PenalizerKind::Soft),
            shrink: false,
            lipschitz: LipschitzRule::Global,
            maximum: MaximumRule::MaxObserved,
            refine: Some(RefineRule::Never),
            safeguards: Safeguards::default(),
        }
    }

    /// The paper's LP-UCB with the paper's κ = 2.
    pub fn paper_ucb() -> Self {
        Self { acquisition: AcquisitionKind::PaperUcb { kappa: DEFAULT_KAPPA }, ..Self::paper_ei() }
    }
}

impl BatchStrategy for LocalPenalization {
    fn validate(&self) -> Result<()> {
        self.acquisition.validate()?;
        self.safeguards.validate()?;
        if let Some(RefineRule::Alternate { kappa }) = self.refine {
            check_kappa("strategy.refine", kappa)?;
        }
        match self.maximum {
            MaximumRule::Given(m) if !m.is_finite() => Err(Error::config(
                format!("strategy.maximum is {m}"),
                "give a finite number, or `max_mean` if the maximum is not known",
            )),
            _ => Ok(()),
        }
    }

    fn bind<'a>(&'a self, situation: &'a Situation<'a>, q: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        let Safeguards { separation, starts, climb_evaluations, .. } = self.safeguards;
        let mut search = Search::with_pending(situation, Candidates::Continuous, self.score(situation))
            .climbing(starts, climb_evaluations)
            .apart(separation);
        let mut balls = Balls::estimate(self, situation, search.panel());
        for x in situation.pending {
            balls.around(x).into_iter().for_each(|ball| search.penalize(ball));
        }
        let refine = self.refine.unwrap_or(RefineRule::Never);
        let is_coin = q.get() == 1 && !situation.pending.is_empty() && refine != RefineRule::Never;
        let parity = usize::from(is_coin && situation.stream.child("refine", 0).uniform() < 0.5);
        Ok(Box::new(Penalizing { strategy: self, situation, search, balls, scores: Vec::new(), refine, parity }))
    }
}

impl LocalPenalization {
    /// The score that ranks points, without penalizers.
    fn score(&self, situation: &Situation<'_>) -> Score {
        let acquisition = self.acquisition.bind_in(situation.posterior, situation);
        if self.shrink { Score::Shrunk(acquisition) } else { Score::Data(acquisition) }
    }
}

/// The chooser of local penalization.
struct Penalizing<'a> {
    strategy: &'a LocalPenalization,
    situation: &'a Situation<'a>,
    search: Search<'a>,
    balls: Balls<'a>,
    /// The scores of the points proposed so far.
    scores: Vec<f64>,
    refine: RefineRule,
    /// Odd if the next point may refine.
    parity: usize,
}

impl Penalizing<'_> {
    /// The score of the next point, if that point refines.
    fn refining(&self) -> Option<Score> {
        let situation = self.situation;
        match self.refine {
            RefineRule::Alternate { kappa } if self.parity % 2 == 1 => {
                Some(Score::After(upper_bound(kappa, situation.posterior, situation)))
            }
            _ => None,
        }
    }
}

impl Chooser for Penalizing<'_> {
    fn propose(&mut self) -> Result<Option<Proposal>> {
        let proposal = match self.refining() {
            Some(refining) => {
                self.search.rescore(refining);
                let proposal = self.search.propose();
                self.search.rescore(self.strategy.score(self.situation));
                proposal
            }
            None => self.search.propose(),
        };
        self.scores.extend(proposal.iter().filter_map(|proposal| proposal.score));
        Ok(proposal)
    }

    fn join(&mut self, u: &UnitPoint) -> Result<()> {
        self.search.join(u);
        self.balls.around(u).into_iter().for_each(|ball| self.search.penalize(ball));
        self.parity += 1;
        Ok(())
    }

    fn explain(&self, u: &[f64]) -> Explanation {
        match self.refining() {
            Some(refining) => self.search.explain_by(&refining, !self.situation.is_weighed(), u),
            None => self.search.explain(u),
        }
    }

    fn penalizers(&self) -> Vec<Ball> {
        self.search.balls().to_vec()
    }

    fn info(&self) -> BatchInfo {
        BatchInfo {
            lipschitz: self.balls.kind.map(|_| self.balls.lipschitz),
            maximum: self.balls.kind.map(|_| self.balls.maximum),
            scores: self.scores.clone(),
            ..self.search.info().with_work(self.balls.work)
        }
    }
}

/// What the penalizers of one batch share.
struct Balls<'a> {
    posterior: &'a Posterior,
    domain: &'a Domain<'a>,
    stream: &'a Stream,
    kind: Option<PenalizerKind>,
    rule: LipschitzRule,
    lipschitz: f64,
    maximum: f64,
    work: f64,
}

/// Candidates for the steepest point: per coordinate for the whole space, and for a local box.
const GLOBAL_CANDIDATES: usize = 16;
const LOCAL_CANDIDATES: usize = 64;

/// With this many observations within a lengthscale, a local Lipschitz constant is used alone.
const TRUSTED_DATA: usize = 30;

/// The smallest standard deviation of a pending point, in prior standard deviations: anything below is rounding.
const LEAST_SD: f64 = 1e-6;

impl<'a> Balls<'a> {
    fn estimate(strategy: &LocalPenalization, situation: &Situation<'a>, panel: &Panel) -> Self {
        let Situation { posterior, domain, stream, .. } = *situation;
        let (mut lipschitz, mut maximum, mut work) = (0.0, 0.0, 0.0);
        if strategy.penalizer.is_some() {
            let candidates = GLOBAL_CANDIDATES * (2 + posterior.dim().min(16));
            let find = if strategy.safeguards.lipschitz_floor { whitened_lipschitz } else { bare_lipschitz };
            let found = find(posterior, domain.bounds(), candidates, stream);
            // This makes the radius infinite, not 0/0, if the mean is flat everywhere.
            (lipschitz, work) = (found.value.max(f64::MIN_POSITIVE), found.work);
            maximum = match strategy.maximum {
                MaximumRule::Given(m) => m,
                MaximumRule::MaxObserved => posterior.values().iter().copied().fold(f64::NEG_INFINITY, f64::max),
                MaximumRule::MaxMean => {
                    let (largest, evaluations) = largest_mean(situation, panel);
                    work += evaluations as f64 * posterior.work_of_mean();
                    largest
                }
            };
        }
        Self { posterior, domain, stream, kind: strategy.penalizer, rule: strategy.lipschitz, lipschitz, maximum, work }
    }

    /// The penalizer around x, if the strategy has penalizers.
    fn around(&mut self, x: &[f64]) -> Option<Ball> {
        let kind = self.kind?;
        let p = self.posterior.predict(x);
        self.work += self.posterior.work_of_prediction();
        let penalizer = Penalizer {
            kind,
            lipschitz: self.lipschitz_near(x),
            best: self.maximum,
            mean: p.mean,
            sd: p.variance.sqrt().max(LEAST_SD * self.posterior.hyper().variance.sqrt()),
        };
        Some(Ball { center: x.to_vec(), penalizer })
    }

    fn lipschitz_near(&mut self, x: &[f64]) -> f64 {
        let lengthscales = &self.posterior.hyper().lengthscales;
        match self.rule {
            LipschitzRule::Global => self.lipschitz,
            LipschitzRule::Point => {
                self.work += self.posterior.work_of_mean();
                whitened_lipschitz_at(self.posterior, x).max(1e-6 * self.lipschitz)
            }
            LipschitzRule::Local => {
                // A category does not have neighbours: it keeps its value.
                let metric = &self.posterior.hyper().metric;
                let reach = |k: usize| if metric[k] == Metric::Distance { lengthscales[k] } else { 0.0 };
                let bounds = self.domain.bounds();
                let low = (0..x.len()).map(|k| (x[k] - reach(k)).max(bounds.low()[k])).collect();
                let high = (0..x.len()).map(|k| (x[k] + reach(k)).min(bounds.high()[k])).collect();
                let local = Bounds::new(low, high)
                    .map(|bounds| whitened_lipschitz(self.posterior, &bounds, LOCAL_CANDIDATES, self.stream));
                self.work += local.as_ref().map_or(0.0, |l| l.work);
                let near = |p: &&[f64]| self.posterior.squared_distance(p, x) <= 1.0;
                let trusted = self.posterior.observed().filter(near).count() >= TRUSTED_DATA;
                local.map_or(self.lipschitz, |l| if trusted { l.value } else { (l.value * self.lipschitz).sqrt() })
            }
        }
    }
}

/// The largest posterior mean of a possible point, over the data, the candidates, and climbs from the two best of
/// these, on grids and within constraints, where a value is likely; and the number of means computed.
fn largest_mean(situation: &Situation<'_>, panel: &Panel) -> (f64, usize) {
    let Situation { posterior, domain, chance, .. } = *situation;
    let limits = situation.limits();
    let keeps_limits = |u: &[f64]| limits.is_empty() || limits.are_likely(u);
    let is_likely = |u: &[f64]| chance.is_none_or(|chance| chance.ln_p(u) >= 0.5f64.ln()) && keeps_limits(u);
    let mut scratch = Scratch::default();
    let moved = if domain.is_whole() { Vec::new() } else { observed_in(posterior, domain) };
    let at_data: Box<dyn Iterator<Item = &[f64]>> =
        if domain.is_whole() { Box::new(posterior.observed()) } else { Box::new(moved.iter().map(Vec::as_slice)) };
    let at_data = at_data.filter(|x| keeps_limits(x));
    let observed: Vec<(f64, &[f64])> = at_data.map(|x| (posterior.mean(x, &mut scratch), x)).collect();
    let candidates = (0..panel.len()).map(|i| (panel.mean(i), panel.points().row(i))).filter(|c| is_likely(c.1));
    let mut starts: Vec<(f64, &[f64])> = observed.into_iter().chain(candidates).collect();
    starts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut largest = starts.first().map_or(posterior.hyper().mean, |s| s.0);
    let mut mean = |u: &[f64], gradient: &mut [f64]| {
        let value = posterior.mean_gradient(u, &mut scratch);
        gradient.copy_from_slice(&scratch.d_mean);
        value
    };
    let mut evaluations = posterior.n_data();
    let mut climber = domain.climber_with(LbfgsbParams { max_evaluations: 40, ..LbfgsbParams::default() });
    climber.told(posterior.observed());
    let ends = climb_all(starts.iter().take(2).map(|start| start.1), |u| climber.from(&mut mean, u));
    // The evaluations at the start and end of a climb are not counted.
    evaluations += climber.evaluations().saturating_sub(2 * ends.len());
    for end in ends.iter().filter(|end| is_likely(&end.point)) {
        largest = largest.max(end.value);
    }
    (largest, evaluations)
}
