//! What is wanted besides the best value of one objective: further objectives and limits, each with its own model.
//!
//! Values go from the user's units to those of their models as those of the first objective do: turned to be maximized,
//! then scaled. Limits and the reference point are converted in the same way, exactly, since the maps are increasing.

use std::sync::Arc;

use super::event::OutcomeRecord;
use super::outcome::Limits;
use super::state::State;
use super::trial::{Trial, TrialId, TrialState};
use super::{Goal, LimitedRule, Study};
use crate::acquisition::{Band, LogAcquisition};
use crate::batch::{Aims, Limit, Measured, Objective};
use crate::belief::{
    FitPlan, HyperparameterRule, Model, ModelConfig, Observations, OutcomeBelief, Pivot, ScaleRule, typical,
};
use crate::error::{Error, Result};
use crate::linalg::Points;
use crate::pareto::reference_point;
use crate::rng::Stream;

/// The number of results that a model of a further outcome needs: one value has no slope.
pub(super) const MIN_RESULTS: usize = 2;

impl Study {
    /// The models of further objectives and limited results, if there are enough results: fitted once per data
    /// revision.
    pub(super) fn outcome_models(&self) -> Vec<OutcomeBelief> {
        let state = &self.state;
        self.outcome_models.at(state.data_revision, || {
            let names = state.outcomes.modelled().zip(0..);
            let enough = names.filter(|(name, _)| state.n_results(name) >= MIN_RESULTS);
            enough.map(|(name, k)| OutcomeBelief { name: name.to_owned(), model: self.fit_outcome(name, k) }).collect()
        })
    }

    /// The settings of the model of an outcome: those of the study, but without a warp unless it is the only objective.
    /// A warp resolves the best results; for a limited result, what matters is its limit, and for several objectives
    /// the volume in the units they are told in. With a warp, most of that volume would be at the ends of a front.
    pub(super) fn config_of_model(&self, name: &str) -> ModelConfig {
        let Self { state, .. } = self;
        let is_only_objective = state.outcomes.is_objective(name) && !state.outcomes.has_several_objectives();
        let scale = match state.config.model.scale {
            ScaleRule::Warped if !is_only_objective => ScaleRule::Standardized,
            scale => scale,
        };
        ModelConfig { scale, ..state.config.model.clone() }
    }

    fn fit_outcome(&self, name: &str, k: u64) -> Result<Arc<Model>> {
        let state = &self.state;
        let stream = Stream::new(state.config.seed).child("fit", state.data_index).child("outcome", k);
        let subset = state.subset_of(name);
        let observations = state.observations_of(name, None, subset);
        let pivot = self.pivot_of(name, &observations);
        let config = ModelConfig { noise: None, ..self.config_of_model(name) };
        let warm = state.warm_outcomes.iter().find(|record| record.name == name).map(|record| &record.model);
        let (kernels, space) = (&self.kernels()?, &state.config.space);
        let plan = FitPlan { config: &config, kernels, space, warm, stream: &stream };
        let mut model = match pivot {
            Some(pivot) => plan.fit_limited(&observations, pivot)?,
            None => plan.fit(&observations)?,
        };
        model.record.subset = subset;
        Ok(Arc::new(model))
    }

    /// The map through which a model may see a limited result that is not an objective, if the study has that rule. The
    /// evidence decides, so there must be a fit.
    fn pivot_of(&self, name: &str, observations: &Observations) -> Option<Pivot> {
        let Self { state: State { config, outcomes, .. }, .. } = self;
        let (_, limits) = outcomes.limits().find(|(limited, _)| *limited == name)?;
        let is_fitted = !matches!(config.model.hyperparameters, HyperparameterRule::Fixed { .. });
        let is_seen = config.limited == Some(LimitedRule::ByDistance) && is_fitted && !outcomes.is_objective(name);
        // In a search that has converged, most results are near the limit and would dominate.
        let values: Vec<f64> = typical(&observations.x).into_iter().map(|i| observations.values[i]).collect();
        is_seen.then(|| Pivot::of(&values, maximized_band(&limits, outcomes.goal_of(name)))).flatten()
    }

    /// The model of an outcome by name: of the first objective, a further one, or a limited result.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Goal, Outcome, Outcomes, Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let outcomes = Outcomes::new(vec![
    ///     Outcome::objective("loss", Goal::Minimize),
    ///     Outcome::watched("purity").at_least(0.5),
    /// ])?;
    /// let mut study = Study::new(StudyConfig::new(space).initial(4).outcomes(outcomes))?;
    /// for trial in study.ask(4)?.trials {
    ///     study.tell(trial.id, [("loss", trial.unit[0]), ("purity", 1.0 - trial.unit[0])])?;
    /// }
    /// assert_eq!(study.model_of("purity")?.posterior.n_data(), 4);
    /// assert!(study.model_of("minutes").is_err());
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn model_of(&self, outcome: &str) -> Result<Arc<Model>> {
        if outcome == self.outcomes().metric() {
            return self.model();
        }
        if let Some(found) = self.outcome_models().into_iter().find(|known| known.name == outcome) {
            return found.model;
        }
        let names: Vec<&str> = std::iter::once(self.outcomes().metric()).chain(self.outcomes().modelled()).collect();
        let what = match names.contains(&outcome) {
            true => format!("there are fewer than {MIN_RESULTS} results of `{outcome}`"),
            false => format!("no model is fitted to `{outcome}`"),
        };
        Err(Error::data(what, format!("use one of {} once there are results", names.join(", "))))
    }
}

impl Study {
    /// The chance that each point keeps all limits that have models; none if there are none. Fits missing models.
    ///
    /// ```
    /// use elbowroom::linalg::Points;
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Goal, Outcome, Outcomes, Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let outcomes = Outcomes::new(vec![Outcome::objective("loss", Goal::Minimize).at_least(0.5)])?;
    /// let mut study = Study::new(StudyConfig::new(space).initial(4).outcomes(outcomes))?;
    /// for trial in study.ask(4)?.trials {
    ///     study.tell(trial.id, trial.unit[0])?;
    /// }
    /// let chances = study.chances_within_limits(&Points::from_rows(1, vec![0.1, 0.9])?)?.unwrap();
    /// assert!(chances[0] < 0.1 && chances[1] > 0.9);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn chances_within_limits(&self, points: &Points) -> Result<Option<Vec<f64>>> {
        if !self.outcomes().has_limits() {
            return Ok(None);
        }
        let (first, others) = (self.model()?, self.outcome_models());
        let wanted = Wanted::new(&self.state, first, &others)?;
        let limits = self.outcomes().limits();
        let has_model = limits.map(|(name, _)| wanted.model(name)).any(|model| model.is_some());
        Ok(has_model.then(|| points.iter().map(|u| wanted.ln_feasible(u).exp()).collect()))
    }
}

impl State {
    /// Whether the measured results of a trial keep the limits; unknown while a limited result is missing.
    pub fn is_feasible(&self, trial: &Trial) -> Option<bool> {
        if matches!(trial.state, TrialState::Infeasible { .. }) {
            return Some(false);
        }
        let mut all_known = true;
        for (name, limits) in self.outcomes.limits() {
            match trial.result(name) {
                Some(value) if !limits.are_kept(value) => return Some(false),
                Some(_) => {}
                None => all_known = false,
            }
        }
        all_known.then_some(true)
    }

    /// The values of all objectives, to be maximized; none if one is missing or the trial is not complete.
    pub fn objective_values(&self, trial: &Trial) -> Option<Vec<f64>> {
        trial.value()?;
        let objectives = self.outcomes.objectives().iter();
        objectives.map(|one| Some(one.goal.maximized(trial.result(&one.name)?))).collect()
    }

    /// The reference point of several objectives, to be maximized: as the user gave it, or a little worse than the
    /// front. None as long as it cannot be inferred.
    pub fn reference(&self) -> Option<Vec<f64>> {
        let valued: Vec<(&Trial, Vec<f64>)> =
            self.trials.iter().filter_map(|trial| Some((trial, self.objective_values(trial)?))).collect();
        let feasible: Vec<Vec<f64>> = valued
            .iter()
            .filter(|(trial, _)| self.is_feasible(trial) == Some(true))
            .map(|(_, values)| values.clone())
            .collect();
        let points =
            if feasible.is_empty() { valued.into_iter().map(|(_, values)| values).collect() } else { feasible };
        let given: Vec<Option<f64>> =
            self.outcomes.objectives().iter().map(|one| one.worst.map(|worst| one.goal.maximized(worst))).collect();
        let is_given = given.iter().all(Option::is_some);
        (is_given || !points.is_empty()).then(|| reference_point(&points, &given))
    }

    /// Trials that have their value but still count as pending: an objective is missing, or a limited result that has a
    /// model. A score that has no value although all its results are in, as after a division by 0, is not awaited.
    pub fn awaited(&self, has_model: impl Fn(&str) -> bool) -> Vec<TrialId> {
        let is_needed = |name: &&str| self.outcomes.is_objective(name) || has_model(name);
        let needed: Vec<&str> = self.outcomes.modelled().filter(is_needed).collect();
        let is_in = |trial: &Trial, name: &str| !trial.measurements_of(name).is_empty();
        let formula = |name: &str| self.outcomes.computed().find(|(computed, _)| *computed == name);
        let never_comes = |trial: &Trial, name: &str| {
            formula(name).is_some_and(|(_, formula)| formula.names().all(|used| is_in(trial, used)))
        };
        let is_missing = |trial: &Trial, name: &str| !is_in(trial, name) && !never_comes(trial, name);
        let is_awaited = |trial: &&Trial| {
            matches!(trial.state, TrialState::Complete { .. }) && needed.iter().any(|name| is_missing(trial, name))
        };
        self.trials.iter().filter(is_awaited).map(|trial| trial.id).collect()
    }
}

/// The models that a choice uses besides the first objective's, and the reference point of several objectives.
pub(super) struct Wanted<'a> {
    state: &'a State,
    first: Arc<Model>,
    models: Vec<(String, Arc<Model>)>,
    /// To be maximized, in the user's units; empty with one objective.
    reference: Vec<f64>,
}

impl<'a> Wanted<'a> {
    /// Fails if the fit of a model failed.
    pub fn new(state: &'a State, first: Arc<Model>, outcomes: &[OutcomeBelief]) -> Result<Self> {
        let models =
            outcomes.iter().map(|one| Ok((one.name.clone(), one.model.clone()?))).collect::<Result<Vec<_>>>()?;
        let reference = if state.outcomes.has_several_objectives() { state.reference() } else { None };
        Ok(Self { state, first, models, reference: reference.unwrap_or_default() })
    }

    /// The records of the models.
    pub fn records(&self) -> Vec<OutcomeRecord> {
        let record =
            |(name, model): &(String, Arc<Model>)| OutcomeRecord { name: name.clone(), model: model.record.clone() };
        self.models.iter().map(record).collect()
    }

    /// Operations that the fits took.
    pub fn work(&self) -> f64 {
        self.models.iter().map(|(_, model)| model.work).sum()
    }

    /// The reference point in the user's units; empty with one objective.
    pub fn reference(&self) -> Vec<f64> {
        let objectives = self.state.outcomes.objectives().iter();
        objectives.zip(&self.reference).map(|(one, value)| one.goal.maximized(*value)).collect()
    }

    /// The aims of the search; none with one objective and no limits.
    pub fn aims(&self) -> Option<Aims<'_>> {
        let outcomes = &self.state.outcomes;
        let limited: Vec<(&str, Limits, &Model)> =
            outcomes.limits().filter_map(|(name, limits)| Some((name, limits, self.model(name)?))).collect();
        let objectives = if outcomes.has_several_objectives() { outcomes.objectives() } else { &[] };
        if objectives.is_empty() && limited.is_empty() {
            return None;
        }
        let objective = |(k, one): (usize, &super::Objective)| {
            let model = self.model(&one.name)?;
            let reference = self.reference.get(k).map(|value| model.scale.encode(*value));
            Some(Objective { posterior: &model.posterior, reference })
        };
        let limits = limited.iter().map(|(name, limits, model)| {
            let (at_least, at_most) = encoded_band(limits, outcomes.goal_of(name), model);
            Limit { posterior: &model.posterior, at_least, at_most }
        });
        Some(Aims {
            objectives: objectives.iter().enumerate().filter_map(objective).collect(),
            limits: limits.collect(),
            measured: self.state.trials.iter().filter_map(|trial| self.measured(trial, &limited)).collect(),
            is_patient: self.state.config.limited.is_some() && !limited.is_empty(),
        })
    }

    /// A trial that has all its results, in the units of their models.
    fn measured<'t>(&self, trial: &'t Trial, limited: &[(&str, Limits, &Model)]) -> Option<Measured<'t>> {
        trial.value()?;
        let outcomes = &self.state.outcomes;
        let encoded =
            |name: &str, model: &Model| Some(model.scale.encode(outcomes.goal_of(name).maximized(trial.result(name)?)));
        let values = match outcomes.has_several_objectives() {
            true => outcomes
                .objectives()
                .iter()
                .map(|one| encoded(&one.name, self.model(&one.name)?))
                .collect::<Option<_>>()?,
            false => Vec::new(),
        };
        let limited = limited.iter().map(|(name, _, model)| encoded(name, model)).collect::<Option<_>>()?;
        Some(Measured { point: &trial.unit, values, limited })
    }

    /// ln of the chance that a point keeps all limits that have models.
    pub fn ln_feasible(&self, u: &[f64]) -> f64 {
        let limits = self.state.outcomes.limits();
        let ln_p = |(name, limits): (&str, Limits)| {
            let model = self.model(name)?;
            let (at_least, at_most) = encoded_band(&limits, self.state.outcomes.goal_of(name), model);
            let p = model.posterior.predict(u);
            Some(Band { at_least, at_most }.ln_score(p.mean, p.variance.sqrt().max(f64::MIN_POSITIVE)).value)
        };
        limits.filter_map(ln_p).sum()
    }

    /// The prediction of an objective at a point, in the user's units, and its uncertainty.
    pub fn expected(&self, objective: &super::Objective, u: &[f64]) -> Option<(f64, f64)> {
        let (mean, sd) = self.model(&objective.name)?.predict_value(u);
        (mean.is_finite() && sd.is_finite()).then(|| (objective.goal.maximized(mean), sd))
    }

    fn model(&self, name: &str) -> Option<&Model> {
        if *self.state.metric == *name {
            return Some(&self.first);
        }
        self.models.iter().find(|(known, _)| known == name).map(|(_, model)| &**model)
    }
}

/// The band of a limit, for results to be maximized.
fn maximized_band(limits: &Limits, goal: Goal) -> (f64, f64) {
    match (limits.band(), goal) {
        ((low, high), Goal::Maximize) => (low, high),
        ((low, high), Goal::Minimize) => (-high, -low),
    }
}

/// The same in the units of a model.
fn encoded_band(limits: &Limits, goal: Goal, model: &Model) -> (f64, f64) {
    let (low, high) = maximized_band(limits, goal);
    let encode = |bound: f64| if bound.is_finite() { model.scale.encode(bound) } else { bound };
    (encode(low), encode(high))
}
