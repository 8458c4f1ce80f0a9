//! The point to use, given all results.
//!
//! A model may be wrong, and its maximum tends to be where its errors are in its favour. So a recommendation needs
//! support. With b the best observed point, x is recommended only if
//!
//! - the nearest finished trial did not fail, whether nearest in lengthscales or in the unit cube; if x was not tried,
//!   none of the nearest few trials failed;
//! - if x was not tried, it is almost as likely to give a value as the safest trial, and failures do not depend on where
//!   a point lies: a border is known only to within the distance between the trials around it, and a point that fails costs
//!   more than any gain is worth;
//! - its variance is at most half of the prior's;
//! - its expected value is better than the best observed one by no more than the model's leave-one-out error;
//! - it is almost certainly no worse than b: μ(x) − μ(b) − κθ(x) ≥ −σ_n, with θ the deviation of the difference and σ_n
//!   the noise. Without noise, the value of b is known exactly, and x must be better by more than the model can resolve;
//! - if results have limits, x keeps them all with a chance of at least 0.8;
//! - if x lies next to b, the model expects a gain that is larger than the noise;
//! - if x was tried, the model's prediction there is off from the measured value by no more than a thousand times the
//!   typical difference between results.
//!
//! If some parameters are given, there may be no tried point with their values. The first condition then concerns the
//! nearest three trials, and the second requires only that x is hardly riskier than the safest trial.
//!
//! κ is a number of standard deviations, each scaled to the model's errors on held-out results.
//!
//! The first choice is arg max μ − s. If that point is not certain enough, the choice is the point with the most certain
//! gain over b, which is b itself if no point is certainly better. Figures: `crates/bench/results/recommend.md`.

use std::sync::Arc;

use serde::Serialize;

use super::aims::Wanted;
use super::contexts::check_given;
use super::front::SURE_WITHIN;
use super::trial::{Trial, TrialId, TrialState};
use super::{LeaveOneOut, Study};
use crate::batch::{Gain, Sought, is_beside};
use crate::belief::{Model, Outlook};
use crate::chance::Chance;
use crate::domain::{Domain, Narrowing};
use crate::error;
use crate::linalg::Points;
use crate::rng::Stream;
use crate::space::{Point, UnitPoint, brief};

/// Deviations of the difference that count against a point if results are noisy: the best of them is partly luck.
const SURE: f64 = 2.0;

/// The same for exact results: leaving the best observed point is either a mistake or an improvement, and a model's
/// errors on small scales are not normal.
const SURE_WITHOUT_NOISE: f64 = 5.0;

/// The number of results from which on a model without noise may know a better point than the best observed one.
const ENOUGH: usize = 10;

/// How much less likely to give a value than the safest trial a recommended point may be if it was not tried.
const MOST_RISK: f64 = 0.05;

/// The same if nothing else can be recommended.
const MOST_RISK_AT_ALL: f64 = 0.5;

/// By how many typical differences of results a prediction at one of them may be off before the model counts as blind.
/// Late in a search, results differ by less than a model resolves, which does not make it blind.
const BLIND: f64 = 1e3;

/// The largest probability that failures have a place at which an untried point may be recommended.
const LIKELY_PLACE: f64 = 0.5;

/// How many of the trials nearest to a recommended point must not have failed, if values are given. The usual number
/// would leave only points far from all failures, and with given parameters these are often far from good points.
const NEAREST_TO_GIVEN: usize = 3;

/// The share of the prior variance that may be left at a recommended point.
const MOST_VARIANCE: f64 = 0.5;

/// The point to use, given all results.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recommendation {
    /// The trial that evaluated this point, if any.
    pub trial: Option<TrialId>,
    /// The point.
    pub point: Point,
    /// The model's prediction there, in the user's units.
    pub mean: f64,
    /// The standard deviation of that prediction.
    pub sd: f64,
    /// Why it is the best observed point with its measured value, if the model's answer cannot be trusted.
    pub fallback: Option<String>,
}

impl Study {
    /// The point to use in the end, with the model's mean and standard deviation there. It may never have been tried:
    /// it is the point with the highest μ − s if the data around it support that it is no worse than the best observed
    /// point, and otherwise a point that is certainly no worse, most often the best observed one.
    ///
    /// If the model cannot be trusted, or there is none, it is the best observed point with its measured value and
    /// noise, and [`Recommendation::fallback`] says why.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Point, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space))?;
    /// for i in 0..8 {
    ///     let x = f64::from(i) / 7.0;
    ///     study.add(&Point::new().with("x", x), (x - 0.4) * (x - 0.4))?;
    /// }
    /// let found = study.recommended().unwrap();
    /// let x = found.point.get("x").unwrap().as_f64().unwrap();
    /// assert!((x - 0.4).abs() <= 0.03 && found.fallback.is_none());
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn recommended(&self) -> Option<Recommendation> {
        let Some(best) = self.best() else {
            let why = "no trial keeps all limits: this one comes closest".to_owned();
            return best_observed(self.least_infeasible()?, Some(why));
        };
        if self.space().dim() == 0 {
            return best_observed(best, None);
        }
        let found = match self.said() {
            Ok(outlook) => Seat::new(self, best, &outlook).answer(),
            Err(error) => Err(format!("no model can be fitted: {error}")),
        };
        found.map_or_else(|why| best_observed(best, Some(why)), Some)
    }

    /// The point to use if some parameters are given, such as contexts: among the points with these values that the
    /// results support, the one with the highest μ − s. If they support none, it is the best of those that are at least
    /// half as likely to give a value as the safest trial, and [`Recommendation::fallback`] says so. None if there are no
    /// values, if the model's prediction is not finite, or if every such point is likely to fail or to break the limits.
    /// Fails with several objectives, for which no single point is best.
    ///
    /// ```
    /// use elbowroom::domain::Narrowing;
    /// use elbowroom::space::{Parameter, Point, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("day", 0.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space).contexts(["day"]))?;
    /// for i in 0..25 {
    ///     let (x, day) = (f64::from(i % 5) / 4.0, f64::from(i / 5) / 4.0);
    ///     study.add(&Point::new().with("x", x).with("day", day), (x - day).powi(2))?;
    /// }
    /// let today = study.recommended_in(&Narrowing::new().fix("day", 0.4))?.expect("there are values");
    /// assert!((today.point.f64("x")? - 0.4).abs() < 0.1 && today.point.f64("day")? == 0.4);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn recommended_in(&self, narrowing: &Narrowing) -> error::Result<Option<Recommendation>> {
        let narrowing = check_given(&self.config().contexts, narrowing.check(self.space())?)?;
        if self.outcomes().has_several_objectives() {
            let what = "with several objectives, no single point is the best for given parameters";
            return Err(error::Error::config(
                what,
                "ask for the front of all trials, or combine the objectives into one with a `score`",
            ));
        }
        let Some(best) = self.best().filter(|_| self.space().dim() > 0) else { return Ok(None) };
        let outlook = self.said()?;
        let domain = Domain::narrowed(self.space(), &narrowing)?;
        let seat = Seat { domain, ..Seat::new(self, best, &outlook) };
        let stream = stream(self);
        let found = |may_recommend: &dyn Fn(&[f64]) -> bool| {
            let unit = seat.sought(may_recommend, &stream).highest_bound(1.0)?;
            let found = seat.recommendation(&unit)?;
            Some(Recommendation { point: seat.domain.decode(&unit), ..found })
        };
        let supported =
            found(&|u: &[f64]| seat.is_supported(u, NEAREST_TO_GIVEN) && !seat.is_riskier_than(MOST_RISK, u));
        let least_bad = || {
            let found = found(&|u: &[f64]| {
                !seat.failed_at(u) && seat.keeps_limits(u) && !seat.is_riskier_than(MOST_RISK_AT_ALL, u)
            })?;
            let why = "the results do not support any point there: too little is known, or trials nearby failed";
            Some(Recommendation { fallback: Some(why.to_owned()), ..found })
        };
        Ok(supported.or_else(least_bad))
    }

    /// The paper's recommendation: the point with the best prediction, arg max μ.
    ///
    /// With little noise it may lie where the model only extrapolates; prefer [`Study::recommended`].
    pub fn highest_mean(&self) -> Option<Recommendation> {
        let best = self.best()?;
        if self.space().dim() == 0 {
            return best_observed(best, None);
        }
        let Ok(model) = self.model() else { return best_observed(best, None) };
        let outlook = Outlook::of(model);
        let seat = Seat::new(self, best, &outlook);
        let (may_recommend, stream) = (|u: &[f64]| !seat.failed_at(u), stream(self));
        let sought = seat.sought(&may_recommend, &stream);
        let found = sought.highest_bound(0.0).and_then(|unit| seat.recommendation(&unit));
        found.or_else(|| best_observed(best, None))
    }
}

fn best_observed(best: &Trial, fallback: Option<String>) -> Option<Recommendation> {
    let (mean, sd) = (best.value()?, best.noise().unwrap_or(0.0).sqrt());
    Some(Recommendation { trial: Some(best.id), point: best.point.clone(), mean, sd, fallback })
}

fn stream(study: &Study) -> Stream {
    Stream::new(study.config().seed).child("recommend", study.state.data_index)
}

/// What an answer is based on.
struct Seat<'a> {
    study: &'a Study,
    best: &'a Trial,
    model: &'a Model,
    /// The predictions that are reported.
    outlook: &'a Outlook,
    domain: Domain<'a>,
    left_out: LeaveOneOut,
    /// The chance that a point gives a value, if anything failed.
    chance: Option<Arc<Chance>>,
    /// The models of limited results; `None` if one of them could not be made.
    wanted: Option<Wanted<'a>>,
}

impl<'a> Seat<'a> {
    fn new(study: &'a Study, best: &'a Trial, outlook: &'a Outlook) -> Self {
        let model = outlook.model();
        let chance = study.chance().unwrap_or_default();
        let wanted = study.model().and_then(|model| Wanted::new(&study.state, model, &study.outcome_models())).ok();
        let (domain, left_out) = (Domain::whole(study.space()), model.leave_one_out());
        Self { study, best, model, outlook, domain, left_out, chance, wanted }
    }

    /// The supported answer, or why there is none.
    fn answer(&self) -> Result<Recommendation, String> {
        let posterior = &self.model.posterior;
        let may_recommend = |u: &[f64]| self.may_recommend(u);
        let stream = stream(self.study);
        let sought = self.sought(&may_recommend, &stream);
        let (best, noise) = (&self.best.unit, self.noise());
        let deviations = if noise > 0.0 {
            SURE * self.left_out.errors.mean_square.max(1.0).sqrt()
        } else {
            SURE_WITHOUT_NOISE * self.model.mean_square_near(best).max(1.0).sqrt()
        };
        // Differences below the noise of the fit cannot be resolved, even if that noise is next to nothing.
        let least = if noise > 0.0 { -noise } else { posterior.hyper().noise.typical().sqrt() };
        let pair = |u: &UnitPoint| {
            let mut pair = Points::new(best.len());
            pair.push(u);
            pair.push(best);
            pair
        };
        let is_sure = |u: &UnitPoint| {
            (noise > 0.0 || posterior.n_data() >= ENOUGH) && Gain::of(posterior, &pair(u)).bound(deviations) >= least
        };
        let first = sought.highest_bound(1.0).filter(&is_sure);
        let unit = first.or_else(|| sought.surest_gain(deviations, best).filter(&is_sure));
        let gains_beside = |u: &UnitPoint| Gain::of(posterior, &pair(u)).mean > least.abs();
        let unit = unit.filter(|u| !is_beside(self.study.space(), u, best) || gains_beside(u));
        let unit = unit.unwrap_or_else(|| best.clone());
        let found = self.recommendation(&unit).ok_or("the model's prediction there is not finite")?;
        if self.excess(&unit) > self.left_out.error {
            return Err(format!(
                "the model expects {} there, which is better than any result by more than its errors of {} on held-out results",
                brief(found.mean),
                brief(self.left_out.error)
            ));
        }
        if self.is_blind(&unit, found.trial) {
            return Err(
                "the results differ by too much for a model: what it expects there is not what was measured".into()
            );
        }
        Ok(found)
    }

    /// The standard deviation of the noise of a result, in the model's units; 0 if there seems to be none.
    fn noise(&self) -> f64 {
        let hyper = self.model.posterior.hyper();
        // Wild results also have a noise each, which was not declared.
        let is_known = self.study.config().model.noise.is_some() || self.best.noise().is_some();
        if is_known || hyper.is_noisy() { hyper.noise.typical().sqrt() } else { 0.0 }
    }

    fn sought<'s>(&'s self, may_recommend: &'s dyn Fn(&[f64]) -> bool, stream: &'s Stream) -> Sought<'s> {
        Sought { posterior: &self.model.posterior, domain: &self.domain, may_recommend, stream }
    }

    /// Whether the data support a point at all.
    fn may_recommend(&self, u: &[f64]) -> bool {
        let is_tried = self.study.trials().iter().any(|t| t.value().is_some() && *t.unit == *u);
        self.is_supported(u, if is_tried { 1 } else { 2 * u.len() + 2 }) && (is_tried || !self.may_fail(u))
    }

    /// Whether the data support a point, apart from the chance that it fails: none of the `n_nearest` trials failed.
    fn is_supported(&self, u: &[f64], n_nearest: usize) -> bool {
        let posterior = &self.model.posterior;
        posterior.predict(u).variance <= MOST_VARIANCE * posterior.hyper().variance
            && self.excess(u) <= self.left_out.error
            && !self.failed_near(u, n_nearest)
            && self.keeps_limits(u)
    }

    /// Whether a point is less likely to give a value than the safest trial, by more than this.
    fn is_riskier_than(&self, risk: f64, u: &[f64]) -> bool {
        self.chance.as_ref().is_some_and(|chance| chance.risk(chance.ln_p(u)) > risk)
    }

    /// Whether the model is blind at a result: its prediction there, or the deviation, is off by far more than results
    /// typically differ. This happens with very few results of which some are wild, for which no scale is found.
    fn is_blind(&self, unit: &UnitPoint, trial: Option<TrialId>) -> bool {
        let Some(measured) = trial.and_then(|id| self.study.trial(id).ok()?.value()) else { return false };
        let (mean, sd) = self.model.predict_value(unit);
        let best = self.best.value().unwrap_or(measured);
        let mut gaps: Vec<f64> =
            self.study.trials().iter().filter_map(Trial::value).map(|value| (value - best).abs()).collect();
        gaps.sort_by(f64::total_cmp);
        // The lower median: of four results, two may be wild. If the better half are all equal, use the size of one of
        // them.
        let typical = match gaps[(gaps.len() - 1) / 2] {
            0.0 => best.abs(),
            gap => gap,
        };
        typical > 0.0
            && ((self.study.config().goal.maximized(mean) - measured).abs() > BLIND * typical || sd > BLIND * typical)
    }

    /// Whether a point is certain enough to keep all limits.
    fn keeps_limits(&self, u: &[f64]) -> bool {
        !self.study.outcomes().has_limits()
            || self.wanted.as_ref().is_some_and(|wanted| wanted.ln_feasible(u) >= SURE_WITHIN.ln())
    }

    /// Whether an untried point may give no value.
    fn may_fail(&self, u: &[f64]) -> bool {
        let has_place = self.chance.as_ref().is_some_and(|chance| chance.weight_of_place() > LIKELY_PLACE);
        has_place || self.is_riskier_than(MOST_RISK, u)
    }

    /// How much better than the best observed value the model expects the result at u to be, in the units of results.
    fn excess(&self, u: &[f64]) -> f64 {
        let best = self.best.value().unwrap_or(f64::NAN);
        self.model.scale.decode(self.model.posterior.predict(u).mean) - self.study.config().goal.maximized(best)
    }

    /// Whether one of the finished trials nearest to u failed or was infeasible, in lengthscales or in the unit cube.
    fn failed_near(&self, u: &[f64], n_nearest: usize) -> bool {
        let is_finished = |t: &&Trial| is_bad(t) || t.value().is_some();
        let finished = || self.study.trials().iter().filter(is_finished);
        if !finished().any(is_bad) {
            return false;
        }
        let in_cube = |a: &[f64]| a.iter().zip(u).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let failed = |squared: &dyn Fn(&[f64]) -> f64| {
            // A point that failed but also has a value is usable: the value comes first.
            let mut all: Vec<(f64, bool)> = finished().map(|t| (squared(&t.unit), is_bad(t))).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            all.iter().take(n_nearest).any(|(_, is_bad)| *is_bad)
        };
        failed(&|a: &[f64]| self.model.posterior.squared_distance(a, u)) || failed(&in_cube)
    }

    /// Whether a trial failed at this very point.
    fn failed_at(&self, u: &[f64]) -> bool {
        let space = self.study.space();
        let key = space.key(u);
        self.study.trials().iter().any(|t| is_bad(t) && space.key(&t.unit) == key)
    }

    fn recommendation(&self, unit: &UnitPoint) -> Option<Recommendation> {
        let space = self.study.space();
        let (mean, sd) = self.outlook.predict_value(unit);
        let key = space.key(unit);
        let observed = self.study.trials().iter().find(|t| t.value().is_some() && space.key(&t.unit) == key);
        let found = Recommendation {
            trial: observed.map(|t| t.id),
            point: observed.map_or_else(|| space.decode(unit), |t| t.point.clone()),
            mean: self.study.config().goal.maximized(mean),
            sd,
            fallback: None,
        };
        (mean.is_finite() && sd.is_finite()).then_some(found)
    }
}

fn is_bad(trial: &Trial) -> bool {
    matches!(trial.state, TrialState::Failed { .. } | TrialState::Infeasible { .. })
}
