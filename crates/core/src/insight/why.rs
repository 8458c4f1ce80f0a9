//! Why a point was chosen.

use serde::Serialize;

use super::summary::Aside;
use crate::batch::{Explanation, Term, best_mean_in, best_observed_in, terms};
use crate::domain::{Domain, Narrowing};
use crate::error::Result;
use crate::normal::{cdf, pdf};
use crate::space::Point;
use crate::study::{
    Ask, Belief, Event, Limits, Model, Provenance, Source, StrategyConfig, Study, TrainingSubset, Trial, TrialId,
};

/// The number of nearest results to name.
const NEAREST: usize = 6;

/// Why a trial's point was chosen.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Why {
    /// The trial.
    pub trial: TrialId,
    /// Why it was chosen, in one sentence for people.
    pub summary: String,
    /// Its point.
    pub point: Point,
    /// Where the point came from.
    pub source: Source,
    /// The value measured there.
    pub value: Option<f64>,
    /// Notes about the trial.
    pub notes: Vec<String>,
    /// The parameters that were held fixed or kept in a narrower range.
    pub narrowing: Option<Narrowing>,
    /// Why the model or the strategy was not used although it should have been.
    pub fallback: Option<String>,
    /// What was believed about it at that time, if the strategy chose it by a model.
    pub belief: Option<BeliefThen>,
}

/// What was believed about a point before it was tried. Values are in the user's units.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BeliefThen {
    /// The number of results at that time.
    pub n_observed: usize,
    /// The results that the model was fitted to, if there were more than a model may have.
    pub subset: Option<TrainingSubset>,
    /// The model's prediction.
    pub mean: f64,
    /// The standard deviation of the prediction.
    pub sd: f64,
    /// The standard deviation once the pending results are in.
    pub sd_with_pending: f64,
    /// The chance that the point gives a value; none if nothing had failed.
    pub chance: Option<f64>,
    /// The best value at that time.
    pub best: Option<f64>,
    /// The strategy's name.
    pub strategy: String,
    /// What the point was worth to the strategy.
    pub score: Score,
    /// The share of the expected improvement that is due to the predicted value; the rest is due to uncertainty. If a
    /// part of the space was asked for, improvement is over the best point of that part.
    pub exploit: f64,
    /// The trials that were pending, the nearest first.
    pub pending: Vec<Neighbour>,
    /// The nearest results.
    pub nearest: Vec<Neighbour>,
    /// The point that would have been chosen if nothing had been pending, unless it is the same.
    pub without_pending: Option<Point>,
    /// The pending trial nearest to that point.
    pub pushed_by: Option<Neighbour>,
}

/// What a point was worth to a strategy, as a sum.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Score {
    /// The sum of the terms; in JSON `null` if it is −∞.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub total: f64,
    /// Whether the strategy ranks points by it. Some strategies have no such number for a single point.
    pub is_score: bool,
    /// The terms.
    pub terms: Vec<Reason>,
}

/// One named part of what a point was worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reason {
    /// Its name.
    pub name: String,
    /// How much it adds; in JSON `null` if it is −∞.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub value: f64,
    /// The pending trial that it is about, if any.
    pub trial: Option<TrialId>,
}

/// Another trial and its distance.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Neighbour {
    /// The trial.
    pub trial: TrialId,
    /// Its distance, in lengthscales.
    pub distance: f64,
    /// Its value.
    pub value: Option<f64>,
    /// Its point.
    pub point: Point,
}

/// Explains why a trial's point was chosen. The reasons are computed from the log, which takes a fit.
///
/// ```
/// use elbowroom::insight::why;
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space).initial(4))?;
/// for trial in study.ask(4)?.trials {
///     study.tell(trial.id, (trial.unit[0] - 0.3).powi(2))?;
/// }
/// let batch = study.ask(3)?.trials;
/// let belief = why(&study, batch[2].id)?.belief.expect("a model");
/// // The first point of the batch pushes the third away. (The second one refines: it is ranked by a confidence bound.)
/// assert!(belief.score.terms.iter().any(|term| term.name == "ln penalty" && term.trial == Some(batch[0].id)));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn why(study: &Study, id: TrialId) -> Result<Why> {
    let (mut why, aside) = reasons(study, id)?;
    why.summary = why.in_one_sentence(&aside);
    Ok(why)
}

/// Everything except the sentence, and the facts that only the sentence needs.
fn reasons(study: &Study, id: TrialId) -> Result<(Why, Aside)> {
    let trial = study.trial(id)?;
    let mut why = Why {
        trial: id,
        summary: String::new(),
        point: trial.point.clone(),
        source: trial.source,
        value: trial.value(),
        notes: trial.notes.clone(),
        narrowing: None,
        fallback: None,
        belief: None,
    };
    let mut aside = Aside::default();
    let Some(choice) = Chosen::find(study, id) else { return Ok((why, aside)) };
    why.narrowing = choice.provenance.narrowing.clone();
    why.fallback = choice.provenance.fallback.clone();
    // Uniform points are not based on a model.
    if trial.source == Source::Model && study.config().strategy != StrategyConfig::Random {
        let (belief, is_near_best) = choice.belief(study, trial)?;
        why.belief = Some(belief);
        let outcomes = study.outcomes();
        aside = Aside { metric: outcomes.has_several_objectives().then(|| outcomes.metric().to_owned()), is_near_best };
    }
    Ok((why, aside))
}

/// The ask that chose a trial.
struct Chosen<'a> {
    event: usize,
    wanted: usize,
    retries: Vec<TrialId>,
    /// The ask's trials before this one, if the strategy chose them.
    before: Vec<TrialId>,
    provenance: &'a Provenance,
}

impl<'a> Chosen<'a> {
    fn find(study: &'a Study, id: TrialId) -> Option<Self> {
        study.events().iter().enumerate().find_map(|(event, e)| match e {
            Event::Asked { wanted, trials, again, provenance, .. } if trials.iter().any(|asked| asked.id == id) => {
                let by_strategy = trials.iter().take_while(|asked| asked.id != id);
                let by_strategy = by_strategy.filter(|asked| asked.source == Source::Model);
                Some(Self {
                    event,
                    wanted: *wanted,
                    retries: again.iter().map(|retry| retry.id).collect(),
                    before: by_strategy.map(|asked| asked.id).collect(),
                    provenance,
                })
            }
            _ => None,
        })
    }

    /// What was believed, and whether the point is near the best prediction.
    fn belief(&self, study: &Study, trial: &Trial) -> Result<(BeliefThen, bool)> {
        let Provenance { revision, data_revision, .. } = *self.provenance;
        let prefix =
            |n: usize| Study::replay_with(study.events()[..n.clamp(1, self.event)].iter().cloned(), study.parts());
        let (data, seen) = (prefix(data_revision)?, prefix(revision)?);
        let model = data.model()?;
        let belief = data.belief();
        let ask = Ask {
            n: self.wanted,
            narrowing: self.provenance.narrowing.clone().unwrap_or_default(),
            request: None,
            pending: Some(self.provenance.pending.clone()),
            retries: self.retries.clone(),
        };
        // Trials of the same ask before it are pending for it too.
        let earlier = (seen.trials().len() as u64..trial.id.0).map(TrialId);
        let ids = self.provenance.pending.iter().chain(&self.retries).copied().chain(earlier);
        let pending: Vec<&Trial> = ids.filter_map(|id| study.trial(id).ok()).collect();
        let score = self.score(study, &seen, &belief, &ask, trial, &pending)?;
        let chance = data.chance()?.map(|chance| chance.ln_p(&trial.unit).exp());
        let alone = if pending.is_empty() { None } else { alone(&seen, &belief, &ask, trial)? };
        let near = |to: &[f64], others: &mut dyn Iterator<Item = &Trial>| neighbours(&model, to, others);
        let pushed_by =
            alone.as_ref().and_then(|(_, unit)| near(unit, &mut pending.iter().copied()).into_iter().next());
        let mut nearest = near(&trial.unit, &mut data.trials().iter().filter(|other| other.value().is_some()));
        nearest.truncate(NEAREST);
        let domain = Domain::narrowed(data.space(), &ask.narrowing)?;
        let (value, sd) = data.said()?.predict_value(&trial.unit);
        let Predicted { shrunk, exploit, is_near_best } = Predicted::at(&model, &domain, trial, &pending);
        let then = BeliefThen {
            n_observed: data.n_observed(),
            subset: model.record.subset,
            mean: data.config().goal.maximized(value),
            sd,
            sd_with_pending: sd * shrunk,
            chance,
            best: data.best().and_then(Trial::value),
            strategy: study.config().strategy.name().to_owned(),
            score,
            exploit,
            pending: near(&trial.unit, &mut pending.iter().copied()),
            nearest,
            without_pending: alone.map(|(point, _)| point),
            pushed_by,
        };
        Ok((then, is_near_best))
    }

    /// What the point was worth to the strategy, after the trials of the same ask before it.
    fn score(
        &self,
        study: &Study,
        seen: &Study,
        belief: &Belief,
        ask: &Ask,
        trial: &Trial,
        pending: &[&Trial],
    ) -> Result<Score> {
        let explained: Explanation = seen.in_situation_of(ask, belief, |situation, q| {
            let mut chooser = study.strategy()?.bind(situation, q)?;
            for id in &self.before {
                chooser.join(&study.trial(*id)?.unit)?;
            }
            Ok(chooser.explain(&trial.unit))
        })?;
        let mut limited = study.outcomes().limits();
        let mut name = |term: &Term| match &*term.name {
            // One term for each limit that has a model, in their order.
            terms::LN_LIMITS => {
                let is_modelled =
                    |(name, _): &(&str, Limits)| *name == study.outcomes().metric() || belief.model_of(name).is_some();
                let limit = limited.find(is_modelled);
                limit.map_or_else(|| term.name.to_string(), |(name, _)| format!("ln chance of `{name}`"))
            }
            other => other.to_owned(),
        };
        let terms = explained.terms.iter().map(|term| Reason {
            name: name(term),
            value: term.value,
            trial: term.point.and_then(|i| pending.get(i)).map(|other| other.id),
        });
        Ok(Score { total: explained.total, is_score: explained.is_score, terms: terms.collect() })
    }
}

/// What the search's model predicted for a trial's point.
struct Predicted {
    /// The factor of its deviation that pending results leave.
    shrunk: f64,
    exploit: f64,
    /// Whether the best prediction is there or within a lengthscale.
    is_near_best: bool,
}

impl Predicted {
    fn at(model: &Model, domain: &Domain<'_>, trial: &Trial, pending: &[&Trial]) -> Self {
        let predicted = model.posterior.predict(&trial.unit);
        let spread = predicted.variance.sqrt().max(f64::MIN_POSITIVE);
        // EI = (μ − best) Φ(z) + s φ(z): the first part is due to the predicted value, the second to uncertainty.
        let z = (predicted.mean - best_mean_in(&model.posterior, domain)) / spread;
        let (expected, unknown) = ((z * cdf(z)).max(0.0), pdf(z));
        let with = model.posterior.with_phantoms(pending.iter().map(|trial| &trial.unit[..]));
        let shrunk = (with.predict(&trial.unit).variance_after / predicted.variance.max(f64::MIN_POSITIVE)).sqrt();
        let exploit = if expected + unknown > 0.0 { expected / (expected + unknown) } else { 0.0 };
        let is_within = |x: &[f64]| model.posterior.squared_distance(&trial.unit, x) <= 1.0;
        let is_near_best =
            best_observed_in(&model.posterior, domain).is_none_or(|(x, mean)| predicted.mean >= mean || is_within(&x));
        Self { shrunk: shrunk.min(1.0), exploit, is_near_best }
    }
}

/// Trials by their distance from a point, the nearest first.
fn neighbours(model: &Model, to: &[f64], others: &mut dyn Iterator<Item = &Trial>) -> Vec<Neighbour> {
    let near = |other: &Trial| Neighbour {
        trial: other.id,
        distance: model.posterior.squared_distance(to, &other.unit).sqrt(),
        value: other.value(),
        point: other.point.clone(),
    };
    let mut all: Vec<Neighbour> = others.map(near).collect();
    all.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    all
}

/// The first point that would be chosen if nothing were pending, unless it is the same.
fn alone(seen: &Study, belief: &Belief, ask: &Ask, trial: &Trial) -> Result<Option<(Point, Vec<f64>)>> {
    let ask = Ask::new(1).narrowed(ask.narrowing.clone()).with_pending(Vec::new());
    let suggestion = seen.suggest_with(ask, belief)?;
    let Some(first) = suggestion.trials.first().filter(|first| first.point != trial.point) else { return Ok(None) };
    Ok(Some((first.point.clone(), seen.space().encode(&first.point)?.to_vec())))
}
