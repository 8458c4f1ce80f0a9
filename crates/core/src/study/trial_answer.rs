//! A trial as an answer: the same data from the command, HTTP and Python.

use serde::{Serialize, Serializer};

use super::Study;
use super::feasible::BrokenLimit;
use super::status::TrialStatus;
use super::trial::{Measurement, Source, Trial, TrialId};
use crate::space::Point;

/// What a study knows about a trial, for people and programs. A store adds which worker has it.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig, TrialAnswer};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space))?;
/// let id = study.ask(1)?.trials[0].id;
/// study.tell(id, 0.25)?;
/// let answer = serde_json::to_value(TrialAnswer::of(&study, study.trial(id)?)).unwrap();
/// assert_eq!((&answer["trial"], &answer["state"], &answer["results"]["value"]), (&0.into(), &"complete".into(), &0.25.into()));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TrialAnswer {
    /// Its number.
    pub trial: TrialId,
    /// Its status.
    pub state: TrialStatus,
    /// Its value: the mean of the values that count, if any.
    pub value: Option<f64>,
    /// The variance of the value's noise, if it is known.
    pub noise: Option<f64>,
    /// All results by name, the optimized one first.
    #[serde(serialize_with = "by_name")]
    #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, f64>"))]
    pub results: Vec<(String, f64)>,
    /// Its point.
    pub point: Point,
    /// Where the point came from.
    pub source: Source,
    /// How often it was handed out.
    pub attempts: u32,
    /// Why it has no value, if there is a reason.
    pub reason: Option<String>,
    /// All reported values of the optimized result, in order.
    pub measurements: Vec<Measurement>,
    /// Reports that changed nothing, and remarks.
    pub notes: Vec<String>,
    /// The known constraint that its point breaks, if any: it was measured all the same.
    pub breaks: Option<String>,
    /// Its position on a plate, if it has one.
    pub well: Option<String>,
    /// Whether its results keep all limits; left out if there are no limits, or if it is not known yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feasible: Option<bool>,
    /// The limits that it breaks; left out if it breaks none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub broken_limits: Vec<BrokenLimit>,
    /// The results that it still waits for; left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting_for: Vec<String>,
}

impl TrialAnswer {
    /// A trial of a study.
    pub fn of(study: &Study, trial: &Trial) -> Self {
        Self {
            trial: trial.id,
            state: TrialStatus::of(trial),
            value: trial.value(),
            noise: trial.noise(),
            results: trial.results().map(|(name, value)| (name.to_owned(), value)).collect(),
            point: trial.point.clone(),
            source: trial.source,
            attempts: trial.attempts,
            reason: trial.reason().map(str::to_owned),
            measurements: trial.all_measurements().to_vec(),
            notes: trial.notes.clone(),
            breaks: study.broken_constraint(trial).map(str::to_owned),
            well: study.well(trial.id).map(str::to_owned),
            feasible: study.is_feasible(trial).filter(|_| study.outcomes().has_limits()),
            broken_limits: study.broken_limits(trial),
            waiting_for: study.awaited_results(trial).into_iter().map(str::to_owned).collect(),
        }
    }
}

impl Study {
    /// The known constraint that a trial's point breaks: possible at points that users add.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Point, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?.with_constraints(["x < 0.5"])?;
    /// let mut study = Study::new(StudyConfig::new(space))?;
    /// let trial = study.add(&Point::new().with("x", 0.75), 1.0)?;
    /// assert_eq!(study.broken_constraint(&trial), Some("x < 0.5"));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn broken_constraint(&self, trial: &Trial) -> Option<&str> {
        self.space().broken_constraint(&trial.point).ok().flatten().map(|constraint| constraint.text())
    }
}

/// Results as an object, in their order.
fn by_name<S: Serializer>(results: &[(String, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(results.iter().map(|(name, value)| (name, value)))
}
