//! From state to data: what models are fitted to, and what proposals keep away from.

use std::collections::HashSet;

use super::StrategyConfig;
use super::answers::{self, Answers};
use super::config::{FailureRule, Goal};
use super::outcome::Limits;
use super::state::State;
use super::trial::{Trial, TrialId, TrialState};
use crate::batch::Tried;
use crate::belief::{self, Candidate, Gauge, Observations, ScaleRule, TrainingSubset};
use crate::linalg::Points;

/// How many times farther beyond a limit than others are within it a result must be to say nothing but "bad".
const FAR: f64 = 1e4;

impl State {
    /// The observations of the model, to be maximized: each value that counts. A trial without a value is not an
    /// observation; see [`State::answers`].
    ///
    /// If any value came with a noise variance, those without one get the configured one, or else what the fit finds.
    ///
    /// With a subset, only its observations; without one, all.
    pub fn observations(&self, subset: Option<TrainingSubset>) -> Observations {
        self.observations_of(&self.metric, self.config.model.noise, subset)
    }

    /// The same for any result that has a model; `noise` is the variance of values that came without one, if known.
    pub fn observations_of(&self, name: &str, noise: Option<f64>, subset: Option<TrainingSubset>) -> Observations {
        let goal: Goal = self.outcomes.goal_of(name);
        let (mut all, mut noises) = (Vec::with_capacity(self.trials.len()), Vec::with_capacity(self.trials.len()));
        for trial in &self.trials {
            for m in trial.measurements_of(name) {
                all.push(Candidate { value: goal.maximized(m.value), trial: trial.id.0, unit: &trial.unit });
                noises.push(m.noise);
            }
        }
        if let Some(subset) = subset {
            let kept = belief::choose(&all, subset);
            noises = kept.iter().map(|i| noises[*i]).collect();
            all = kept.into_iter().map(|i| all[i]).collect();
        }
        let mut x = Points::new(self.config.space.dim());
        all.iter().for_each(|c| x.push(c.unit));
        let is_any_known = noises.iter().any(Option::is_some);
        let variances = || noises.iter().map(|v| v.or(noise).unwrap_or(f64::NAN)).collect();
        let noise = is_any_known.then(variances);
        Observations { x, values: all.iter().map(|c| c.value).collect(), noise }
    }

    /// Whether all results are equal, and there are some (a penalty, a score of 0, an accuracy of chance), so that a model
    /// says nothing: a fit finds the function that varies most slowly, for which nothing is far from a result, and searches
    /// by it went to the corners and stayed there. Never with several results that have models, nor with uniform points.
    pub fn is_flat(&self) -> bool {
        let mut values = self.trials.iter().flat_map(|trial| trial.measurements_of(&self.metric)).map(|m| m.value);
        let (Some(first), Some(second)) = (values.next(), values.next()) else { return false };
        let has_others = self.outcomes.modelled().next().is_some() || self.config.strategy == StrategyConfig::Random;
        !has_others && first == second && values.all(|value| value == first)
    }

    /// The number of values of a result.
    pub fn n_results(&self, name: &str) -> usize {
        self.trials.iter().map(|trial| trial.measurements_of(name).len()).sum()
    }

    /// The subset of observations in the model, if it does not use all of them.
    pub fn subset(&self) -> Option<TrainingSubset> {
        self.subset_of(&self.metric)
    }

    /// The same for any result that has a model.
    pub fn subset_of(&self, name: &str) -> Option<TrainingSubset> {
        TrainingSubset::of(self.n_results(name), self.config.model.max_observations)
    }

    /// The points of trials that ended, and whether each gave a usable value: the data for the chance of success. If
    /// there are many, a part of them, see [`answers::choose`]; none if all gave a value.
    ///
    /// A wild value, such as the 10⁹ that people return for "bad", means "not here": the model almost ignores its size,
    /// and the search keeps away as from a failure. So does a limited result that jumps, see [`beyond_a_jump`].
    pub fn answers(&self) -> Option<Answers> {
        let gauge = self.gauge();
        let is_wild = |trial: &Trial| {
            let value = trial.value().map(|value| self.config.goal.maximized(value));
            gauge.zip(value).is_some_and(|(gauge, value)| gauge.is_wild(value))
        };
        // A single one is an accident.
        let is_accident = self.trials.iter().filter(|trial| is_wild(trial)).count() == 1;
        let jumped = self.beyond_a_jump();
        let is_good = |trial: &Trial| !is_wild(trial) && !jumped.contains(&trial.id);
        let ended = self
            .trials
            .iter()
            .filter(|trial| !(is_accident && is_wild(trial)))
            .filter_map(|trial| Some((trial.unit.as_slice(), self.gave_value(trial)? && is_good(trial))));
        answers::choose(ended.collect(), self.config.space.dim())
    }

    /// The trials whose limited results are beyond a limit with no way to see how far: all such results are the same value, as
    /// of a check that passes or not, or far beyond all others, as a number that stands for "bad". A model of such values
    /// cannot say where they jump, and the chance of success can.
    fn beyond_a_jump(&self) -> HashSet<TrialId> {
        let limited = self.outcomes.limits().filter(|(name, _)| !self.outcomes.is_objective(name));
        limited.flat_map(|(name, limits)| self.jumps_of(name, limits)).collect()
    }

    fn jumps_of(&self, name: &str, limits: Limits) -> Vec<TrialId> {
        let told = |trial: &Trial| trial.result(name).map(|value| (trial.id, value));
        let (within, beyond): (Vec<_>, Vec<_>) =
            self.trials.iter().filter_map(told).partition(|(_, value)| limits.are_kept(*value));
        let widest = within.iter().map(|(_, value)| limits.margin(*value)).fold(0.0, f64::max);
        let is_one = beyond.iter().all(|(_, value)| *value == beyond[0].1);
        let has_jumped = |value: f64| is_one || limits.excess(value) > FAR * widest;
        let jumped: Vec<TrialId> = beyond.iter().filter(|(_, value)| has_jumped(*value)).map(|(id, _)| *id).collect();
        // While nothing is known of what keeps the limit, nothing is known of a jump; and a single one may be an accident.
        if within.is_empty() || jumped.len() < 2 { Vec::new() } else { jumped }
    }

    /// The gauge of all values; none if results are only centred.
    fn gauge(&self) -> Option<Gauge> {
        let mut x = Points::new(self.config.space.dim());
        let mut values = Vec::new();
        for trial in &self.trials {
            if let Some(value) = trial.value() {
                x.push(&trial.unit);
                values.push(self.config.goal.maximized(value));
            }
        }
        (self.config.model.scale != ScaleRule::Centred).then(|| Gauge::new(&values, &belief::typical(&x)))
    }

    /// Whether a trial gave a value; none if it is pending or withdrawn, or failed in a study that ignores failures.
    fn gave_value(&self, trial: &Trial) -> Option<bool> {
        match trial.state {
            TrialState::Complete { .. } => Some(true),
            TrialState::Infeasible { .. } => Some(false),
            TrialState::Failed { .. } => (self.config.failures == FailureRule::Learn).then_some(false),
            TrialState::Pending | TrialState::Withdrawn => None,
        }
    }

    /// The trials that proposals keep away from: those that ended, except the observed ones if they may be repeated.
    pub fn tried(&self) -> Tried<'_> {
        let is_tried = |trial: &&Trial| match trial.state {
            TrialState::Complete { .. } => !self.config.repeats,
            TrialState::Failed { .. } | TrialState::Infeasible { .. } => true,
            TrialState::Pending | TrialState::Withdrawn => false,
        };
        let points = self.trials.iter().filter(is_tried).map(|trial| trial.unit.as_slice()).collect();
        Tried { points, failed: self.failed() }
    }

    /// The points of trials that were infeasible, or that failed in a study that learns from failures.
    pub fn failed(&self) -> Vec<&[f64]> {
        let trials = self.tally.failed.iter().filter_map(|id| self.trial(*id).ok());
        trials.filter(|trial| self.gave_value(trial) == Some(false)).map(|trial| trial.unit.as_slice()).collect()
    }
}
