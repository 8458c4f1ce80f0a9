//! The value of a point in a search for a front of several objectives, as a score of `search.rs`.
//!
//! The search owns the posterior of the first objective and its panel; those of the other objectives and of limited
//! results are here. See `pareto_search.rs` for what is scored.

use std::cell::RefCell;

use super::aims::Aims;
use super::chooser::{Term, term, terms};
use super::pareto_search::{ParetoSearch, ShareRule};
use super::score::Climbable;
use super::{Limit, Objective, Situation};
use crate::acquisition::{Band, LogAcquisition};
use crate::gp::{Metric, Panel, Posterior, Prediction, Scratch};
use crate::linalg::Points;
use crate::pareto::{Front, HypervolumeImprovement, Slopes, Undominated};
use crate::penalty::{FrontBall, whitened_lipschitz};
use crate::space::UnitPoint;

/// The smallest standard deviation of a pending point, in prior standard deviations: anything below is rounding.
const LEAST_SD: f64 = 1e-6;

/// Candidates for the steepest point of an objective, per coordinate.
const STEEPEST_CANDIDATES: usize = 16;

/// An outcome with the predictions of the candidates.
struct Outcome {
    posterior: Posterior,
    panel: Panel,
}

impl Outcome {
    fn new(posterior: &Posterior, pending: &[UnitPoint]) -> Self {
        let posterior = with_phantoms(posterior, pending);
        let panel = Panel::new(&posterior, Points::new(posterior.dim()));
        Self { posterior, panel }
    }

    fn at(&self, i: usize) -> Prediction {
        Prediction {
            mean: self.panel.mean(i),
            variance: self.panel.variance(i),
            variance_after: self.panel.variance_after(i),
        }
    }
}

/// Adds pending points whose results are not in as phantoms.
fn with_phantoms(posterior: &Posterior, pending: &[UnitPoint]) -> Posterior {
    let is_awaited = |u: &&[f64]| !posterior.observed().any(|x| x == *u);
    posterior.with_phantoms(pending.iter().map(|u| u.as_slice()).filter(is_awaited))
}

/// The score of a front.
pub(super) struct FrontScore {
    rule: ParetoSearch,
    /// All objectives but the first.
    others: Vec<Outcome>,
    limits: Vec<(Band, Outcome)>,
    /// Whether a measured point keeps the limits.
    is_feasible: bool,
    /// The improvement over the front of the known points.
    improvement: HypervolumeImprovement,
    /// The front with the means of pending and chosen points, and the improvement over it.
    believed: Front,
    left: Option<HypervolumeImprovement>,
    /// The front of all means, whatever the reference: the penalizers refer to it.
    means: Front,
    lipschitz: Vec<f64>,
    /// Each ball with the index of the pending or joined point that it surrounds.
    balls: Vec<(usize, FrontBall)>,
    n_expected: usize,
    /// Sum of ln φ at every candidate.
    penalties: Vec<f64>,
    slopes: RefCell<Slopes>,
}

impl FrontScore {
    pub fn new(rule: ParetoSearch, situation: &Situation<'_>, aims: &Aims<'_>) -> Self {
        let known = aims.known(situation.domain);
        let front = aims.front(&known);
        let is_feasible = aims.limits.is_empty() || known.iter().any(|k| k.is_feasible());
        let unbounded = vec![f64::NEG_INFINITY; aims.objectives.len()];
        let feasible: Vec<Vec<f64>> = known.iter().filter(|k| k.is_feasible()).map(|k| k.values.clone()).collect();
        let steepest = |objective: &Objective<'_>| {
            let (posterior, bounds) = (objective.posterior, situation.domain.bounds());
            let candidates = STEEPEST_CANDIDATES * (2 + posterior.dim().min(16));
            whitened_lipschitz(posterior, bounds, candidates, situation.stream).value
        };
        let lipschitz = if rule.penalize { aims.objectives.iter().map(steepest).collect() } else { Vec::new() };
        let limited = |limit: &Limit<'_>| (limit.band(), Outcome::new(limit.posterior, situation.pending));
        Self {
            rule,
            others: aims.objectives[1..].iter().map(|o| Outcome::new(o.posterior, situation.pending)).collect(),
            limits: aims.limits.iter().map(limited).collect(),
            is_feasible,
            improvement: HypervolumeImprovement::new(&front),
            left: None,
            means: Front::new(&feasible, unbounded),
            believed: front,
            lipschitz,
            balls: Vec::new(),
            n_expected: 0,
            penalties: Vec::new(),
            slopes: RefCell::default(),
        }
    }

    /// The first objective's posterior with the phantoms it needs.
    pub fn with_phantoms(&self, first: &Posterior, pending: &[UnitPoint]) -> Posterior {
        with_phantoms(first, pending)
    }

    /// Predicts the candidates; from here on, pending points count.
    pub fn begin(&mut self, first: &Posterior, pending: &[UnitPoint], candidates: &Points) {
        for outcome in self.others.iter_mut().chain(self.limits.iter_mut().map(|(_, outcome)| outcome)) {
            outcome.panel = Panel::new(&outcome.posterior, candidates.clone());
        }
        self.penalties = vec![0.0; candidates.len()];
        pending.iter().for_each(|u| self.expect(first, u, candidates));
    }

    /// Adds a candidate.
    pub fn offer(&mut self, first: &Posterior, u: &[f64]) {
        for outcome in self.others.iter_mut().chain(self.limits.iter_mut().map(|(_, outcome)| outcome)) {
            outcome.panel.push(&outcome.posterior, u);
        }
        let penalty = self.balls.iter().map(|(_, ball)| self.penalty(first, ball, u)).sum();
        self.penalties.push(penalty);
    }

    /// Adds a point to the batch; `first` does not have it as a phantom yet.
    pub fn join(&mut self, first: &Posterior, u: &UnitPoint, candidates: &Points) {
        for outcome in self.others.iter_mut().chain(self.limits.iter_mut().map(|(_, outcome)| outcome)) {
            outcome.panel.push_phantom(&outcome.posterior, u);
            outcome.posterior.push_phantom(u);
        }
        self.expect(first, u, candidates);
    }

    /// Operations to score a point, without the first objective.
    pub fn work_of_prediction(&self) -> f64 {
        let limits = self.limits.iter().map(|(_, outcome)| outcome);
        self.others.iter().chain(limits).map(|outcome| outcome.posterior.work_of_prediction()).sum()
    }

    /// The part of candidate i's score that stays the same for the whole batch.
    pub fn fixed(&self, first: &Panel, i: usize) -> f64 {
        let limits = self.limits.iter().map(|(band, outcome)| ln_within(band, &outcome.at(i))).sum::<f64>();
        if self.is_feasible && !self.rule.believe { limits + self.ln_improvement(&self.at(first, i)) } else { limits }
    }

    /// The part that depends on pending points.
    pub fn moving(&self, first: &Panel, i: usize) -> f64 {
        if !self.is_feasible {
            let limits: Vec<Prediction> = self.limits.iter().map(|(_, outcome)| outcome.at(i)).collect();
            return self.share_of_limits(&limits);
        }
        let at = self.at(first, i);
        let believed = if self.rule.believe { self.ln_left(&at) } else { 0.0 };
        believed + self.share(&at).unwrap_or(0.0) + self.penalties[i]
    }

    /// The value of a point, as terms.
    pub fn terms(&self, first: &Posterior, u: &[f64]) -> Vec<Term> {
        let at: Vec<Prediction> = self.objectives(first).map(|posterior| posterior.predict(u)).collect();
        let limits: Vec<Prediction> = self.limits.iter().map(|(_, outcome)| outcome.posterior.predict(u)).collect();
        let within = self.limits.iter().zip(&limits).map(|((band, _), p)| ln_within(band, p)).sum();
        if !self.is_feasible {
            let share = term(terms::LN_DEVIATION_LEFT, self.share_of_limits(&limits));
            return vec![term(terms::LN_LIMITS, within), share];
        }
        let improvement = self.ln_improvement(&at);
        let mut all = vec![term(terms::LN_ACQUISITION, improvement)];
        if self.rule.believe {
            all.push(term(terms::LN_IMPROVEMENT_LEFT, self.ln_left(&at) - improvement));
        }
        all.extend(self.share(&at).map(|share| term(terms::LN_DEVIATION_LEFT, share)));
        for (i, ball) in &self.balls {
            all.push(Term { point: Some(*i), ..term(terms::LN_PENALTY, self.penalty(first, ball, u)) });
        }
        if !self.limits.is_empty() {
            all.push(term(terms::LN_LIMITS, within));
        }
        all
    }

    /// The score as a function to climb.
    pub fn objective<'a>(&'a self, first: &'a Posterior) -> Box<Climbable<'a>> {
        let mut climb = Climb::new(self, first);
        Box::new(move |x, gradient| climb.value_and_gradient(x, gradient))
    }

    fn objectives<'a>(&'a self, first: &'a Posterior) -> impl Iterator<Item = &'a Posterior> {
        std::iter::once(first).chain(self.others.iter().map(|outcome| &outcome.posterior))
    }

    fn at(&self, first: &Panel, i: usize) -> Vec<Prediction> {
        let first =
            Prediction { mean: first.mean(i), variance: first.variance(i), variance_after: first.variance_after(i) };
        std::iter::once(first).chain(self.others.iter().map(|outcome| outcome.at(i))).collect()
    }

    /// ln EHVI of the data alone.
    fn ln_improvement(&self, at: &[Prediction]) -> f64 {
        let mean: Vec<f64> = at.iter().map(|p| p.mean).collect();
        let sd: Vec<f64> = at.iter().map(|p| p.variance.sqrt()).collect();
        self.improvement.ln_value(&mean, &sd, &mut self.slopes.borrow_mut())
    }

    /// ln EHVI once pending results are in, as far as they can be predicted.
    fn ln_left(&self, at: &[Prediction]) -> f64 {
        let mean: Vec<f64> = at.iter().map(|p| p.mean).collect();
        let sd: Vec<f64> = at.iter().map(|p| p.variance_after.sqrt()).collect();
        self.left().ln_value(&mean, &sd, &mut self.slopes.borrow_mut())
    }

    /// The improvement over the believed front.
    fn left(&self) -> &HypervolumeImprovement {
        self.left.as_ref().unwrap_or(&self.improvement)
    }

    /// The share of deviation that pending results leave, if the rule uses it.
    fn share(&self, at: &[Prediction]) -> Option<f64> {
        let shares = at.iter().map(|p| 0.5 * (p.variance_after / p.variance).ln());
        self.rule.share.map(|rule| match rule {
            ShareRule::Sum => shares.sum(),
            ShareRule::Least => shares.fold(0.0, f64::min),
            ShareRule::Mean => shares.sum::<f64>() / at.len() as f64,
        })
    }

    /// The share of deviation left for the limit that is least likely to be kept.
    fn share_of_limits(&self, limits: &[Prediction]) -> f64 {
        let least = self.least_likely(limits);
        least.map_or(0.0, |c| 0.5 * (limits[c].variance_after / limits[c].variance).ln())
    }

    fn least_likely(&self, limits: &[Prediction]) -> Option<usize> {
        let chances = self.limits.iter().zip(limits).map(|((band, _), p)| ln_within(band, p)).enumerate();
        chances.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(c, _)| c)
    }

    /// Assumes the expected results for a point.
    fn expect(&mut self, first: &Posterior, u: &UnitPoint, candidates: &Points) {
        let number = self.n_expected;
        self.n_expected += 1;
        let at: Vec<Prediction> = self.objectives(first).map(|posterior| posterior.predict(u)).collect();
        let mean: Vec<f64> = at.iter().map(|p| p.mean).collect();
        let within = |(band, outcome): &(Band, Outcome)| ln_within(band, &outcome.posterior.predict(u));
        if self.limits.iter().map(within).sum::<f64>() < 0.5f64.ln() {
            return;
        }
        if self.rule.believe {
            let joined = self.believed.joined_by(&mean, usize::MAX);
            if joined != self.believed {
                self.left = Some(HypervolumeImprovement::new(&joined));
                self.believed = joined;
            }
        }
        if self.rule.penalize {
            self.means = self.means.joined_by(&mean, usize::MAX);
            let Some(region) = Undominated::new(&self.means) else { return };
            let least = self.objectives(first).map(|posterior| LEAST_SD * posterior.hyper().variance.sqrt());
            let sd = at.iter().zip(least).map(|(p, least)| p.variance.sqrt().max(least)).collect();
            let ball = FrontBall::new(u.to_vec(), region, mean, sd, self.lipschitz.clone());
            for i in 0..candidates.len() {
                self.penalties[i] += self.penalty(first, &ball, candidates.row(i));
            }
            self.balls.push((number, ball));
        }
    }

    /// ln φ of one ball.
    fn penalty(&self, first: &Posterior, ball: &FrontBall, u: &[f64]) -> f64 {
        let distances: Vec<f64> =
            self.objectives(first).map(|posterior| posterior.squared_distance(u, &ball.center).sqrt()).collect();
        ball.ln_value(&distances, &mut vec![0.0; distances.len()])
    }
}

fn ln_within(band: &Band, p: &Prediction) -> f64 {
    band.ln_score(p.mean, p.variance.sqrt()).value
}

/// A climb in progress.
struct Climb<'a> {
    score: &'a FrontScore,
    objectives: Vec<&'a Posterior>,
    scratches: Vec<Scratch>,
    limited: Vec<Scratch>,
    slopes: Slopes,
}

impl<'a> Climb<'a> {
    fn new(score: &'a FrontScore, first: &'a Posterior) -> Self {
        let objectives: Vec<&Posterior> = score.objectives(first).collect();
        let scratches = vec![Scratch::default(); objectives.len()];
        let limited = vec![Scratch::default(); score.limits.len()];
        Self { score, objectives, scratches, limited, slopes: Slopes::default() }
    }

    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let mut value = self.add_limits(x, gradient);
        if !self.score.is_feasible {
            return value;
        }
        let all = self.objectives.iter().zip(&mut self.scratches);
        let at: Vec<Prediction> = all.map(|(posterior, scratch)| posterior.predict_gradient(x, scratch)).collect();
        value += self.add_improvement(&at, gradient);
        value += self.add_share(&at, gradient);
        for (_, ball) in &self.score.balls {
            value += self.add_penalty(ball, x, gradient);
        }
        value
    }

    /// Adds the chance of results within limits, and while no feasible point is known, the share of deviation left.
    fn add_limits(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let mut at = Vec::with_capacity(self.limited.len());
        let mut value = 0.0;
        for ((band, outcome), scratch) in self.score.limits.iter().zip(&mut self.limited) {
            let p = outcome.posterior.predict_gradient(x, scratch);
            let sd = p.variance.sqrt();
            let score = band.ln_score(p.mean, sd);
            value += score.value;
            add(gradient, score.by_mean, &scratch.d_mean);
            add(gradient, score.by_sd / (2.0 * sd), &scratch.d_variance);
            at.push(p);
        }
        if !self.score.is_feasible
            && let Some(c) = self.score.least_likely(&at)
        {
            value += self.score.share_of_limits(&at);
            add_share_gradient(&at[c], &self.limited[c], 0.5, gradient);
        }
        value
    }

    fn add_improvement(&mut self, at: &[Prediction], gradient: &mut [f64]) -> f64 {
        let believe = self.score.rule.believe;
        let improvement = if believe { self.score.left() } else { &self.score.improvement };
        let mean: Vec<f64> = at.iter().map(|p| p.mean).collect();
        let sd: Vec<f64> =
            at.iter().map(|p| if believe { p.variance_after.sqrt() } else { p.variance.sqrt() }).collect();
        let value = improvement.ln_value(&mean, &sd, &mut self.slopes);
        for (k, scratch) in self.scratches.iter().enumerate() {
            let d_variance = if believe { &scratch.d_variance_after } else { &scratch.d_variance };
            add(gradient, self.slopes.by_mean[k], &scratch.d_mean);
            add(gradient, self.slopes.by_sd[k] / (2.0 * sd[k]), d_variance);
        }
        value
    }

    fn add_share(&self, at: &[Prediction], gradient: &mut [f64]) -> f64 {
        let Some(rule) = self.score.rule.share else { return 0.0 };
        let share = |k: usize| at[k].variance_after / at[k].variance;
        let least = (0..at.len()).fold(0, |least, k| if share(k) < share(least) { k } else { least });
        for (k, scratch) in self.scratches.iter().enumerate() {
            match rule {
                ShareRule::Sum => add_share_gradient(&at[k], scratch, 0.5, gradient),
                ShareRule::Mean => add_share_gradient(&at[k], scratch, 0.5 / at.len() as f64, gradient),
                ShareRule::Least if k == least => add_share_gradient(&at[k], scratch, 0.5, gradient),
                ShareRule::Least => {}
            }
        }
        self.score.share(at).unwrap_or(0.0)
    }

    fn add_penalty(&self, ball: &FrontBall, x: &[f64], gradient: &mut [f64]) -> f64 {
        let distances: Vec<f64> =
            self.objectives.iter().map(|posterior| posterior.squared_distance(x, &ball.center).sqrt()).collect();
        let mut slopes = vec![0.0; distances.len()];
        let value = ball.ln_value(&distances, &mut slopes);
        for ((posterior, d), slope) in self.objectives.iter().zip(&distances).zip(&slopes) {
            let hyper = posterior.hyper();
            if *d > 0.0 && *slope > 0.0 {
                for (k, g) in gradient.iter_mut().enumerate().filter(|(k, _)| hyper.metric[*k] == Metric::Distance) {
                    *g += slope * (x[k] - ball.center[k]) / (d * hyper.lengthscales[k].powi(2));
                }
            }
        }
        value
    }
}

/// gradient += factor · (∇s²_after/s²_after − ∇s²/s²).
fn add_share_gradient(p: &Prediction, scratch: &Scratch, factor: f64, gradient: &mut [f64]) {
    add(gradient, factor / p.variance_after, &scratch.d_variance_after);
    add(gradient, -factor / p.variance, &scratch.d_variance);
}

fn add(gradient: &mut [f64], factor: f64, slope: &[f64]) {
    gradient.iter_mut().zip(slope).for_each(|(g, s)| *g += factor * s);
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::batch::Measured;
    use crate::data::Dataset;
    use crate::domain::Domain;
    use crate::gp::{Hyperparameters, KernelKind};
    use crate::rng::Stream;
    use crate::space::{Parameter, SearchSpace};

    const RULES: [ParetoSearch; 5] = [
        ParetoSearch { believe: true, share: None, penalize: false },
        ParetoSearch { believe: false, share: Some(ShareRule::Sum), penalize: false },
        ParetoSearch { believe: false, share: Some(ShareRule::Least), penalize: true },
        ParetoSearch { believe: true, share: Some(ShareRule::Mean), penalize: true },
        ParetoSearch { believe: false, share: None, penalize: true },
    ];

    fn posterior(n: usize, noise: f64, draw: &mut Stream) -> Posterior {
        let x = Points::from_rows(2, (0..2 * n).map(|_| draw.uniform()).collect()).unwrap();
        let data = Dataset::new(x, (0..n).map(|_| draw.normal()).collect()).unwrap();
        let lengthscales = vec![0.3 + 0.3 * draw.uniform(), 0.5];
        Posterior::new(&data, Hyperparameters::new(KernelKind::Matern52, 1.0, lengthscales, noise)).unwrap()
    }

    /// The gradient used for climbing against central differences, for every rule, with and without a feasible point.
    #[test]
    fn the_score_of_a_front_has_the_gradient_of_its_value() {
        let mut draw = Stream::new(21);
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap();
        let domain = Domain::whole(&space);
        for (m, at_least) in [(2, None), (3, None), (2, Some(0.0)), (2, Some(9.0)), (4, Some(-0.5))] {
            let outcomes: Vec<Posterior> = (0..=m).map(|_| posterior(9, 1e-3, &mut draw)).collect();
            let points: Vec<Vec<f64>> = outcomes[0].observed().map(|x| x.to_vec()).collect();
            let limits = at_least.iter().map(|&at_least| Limit { posterior: &outcomes[m], at_least, at_most: 12.0 });
            let measured = points.iter().map(|point| Measured {
                point,
                values: outcomes[..m].iter().map(|o| o.predict(point).mean).collect(),
                limited: vec![0.0; limits.len()],
            });
            let aims = Aims {
                objectives: outcomes[..m].iter().map(|posterior| Objective { posterior, reference: None }).collect(),
                limits: limits.clone().collect(),
                measured: measured.collect(),
                ..Aims::default()
            };
            let pending: Vec<UnitPoint> = (0..3).map(|_| domain.sample(&mut draw)).collect();
            let (taken, stream) = (HashSet::new(), Stream::new(1));
            let situation = Situation::new(&outcomes[0], &domain, &pending, &taken, &stream);
            let situation = Situation { aims: Some(&aims), ..situation };
            for rule in RULES {
                let mut score = FrontScore::new(rule, &situation, &aims);
                assert_eq!(score.is_feasible, at_least != Some(9.0));
                let first = score.with_phantoms(situation.posterior, &pending);
                score.begin(&first, &pending, &Points::new(2));
                let mut objective = score.objective(&first);
                let x = [0.1 + 0.8 * draw.uniform(), 0.1 + 0.8 * draw.uniform()];
                let mut gradient = [0.0; 2];
                let value = objective(&x, &mut gradient);
                let said: f64 = score.terms(&first, &x).iter().map(|term| term.value).sum();
                assert!((said - value).abs() <= 1e-9 * value.abs().max(1.0), "{rule:?}: {said} {value}");
                for k in 0..2 {
                    let mut at = |h: f64| {
                        let mut x = x;
                        x[k] += h;
                        objective(&x, &mut [0.0; 2])
                    };
                    // h² times a third derivative, which is 10³ for lengthscales of 0.3 and more for logarithms.
                    let error = ((at(1e-5) - at(-1e-5)) / 2e-5 - gradient[k]).abs();
                    assert!(error < 1e-5 * gradient[k].abs().max(1.0), "m {m} {rule:?}: {error} {gradient:?}");
                }
            }
        }
    }

    #[test]
    fn a_pending_point_is_no_phantom_of_an_outcome_that_is_in() {
        let mut draw = Stream::new(5);
        let known = posterior(4, 0.0, &mut draw);
        let at_data = UnitPoint::clamped(known.observed().next().unwrap().to_vec());
        let elsewhere = UnitPoint::clamped(vec![0.123, 0.456]);
        let with = with_phantoms(&known, &[at_data, elsewhere.clone()]);
        assert_eq!(with.phantoms().collect::<Vec<_>>(), [elsewhere.as_slice()]);
    }
}
