//! What happened in a study, one event after the other: the only thing that crosses a process boundary.
//!
//! In JSON an event is one object with a version and a tag, such as `{"v":1,"event":"released","trial":3}`. Fields that
//! this version does not know are passed over, so that a field can be added without a new version; a change of meaning
//! or a new kind of event takes a new version, which an older reader refuses by its number; so does an event that carries
//! named results, which an older reader would drop. Each event is written with
//! the oldest version that knows it: a log without newer ones can be read by older builds, byte for byte as it was.
//!
//! Settings are another matter: one that is passed over would change what is chosen, so an unknown setting in the
//! configuration of a log is refused. A setting that is added later is written only where it differs from its default.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::config::{FailureRule, StudyConfig};
use super::outcomes::DEFAULT_METRIC;
use super::results::Watched;
use super::trial::{Source, TrialId};
use super::written::WrittenConfig;
use crate::belief::ModelRecord;
use crate::domain::Narrowing;
use crate::part_id::PartId;
use crate::space::Point;

/// The newest version of events that this build writes. It reads this one and all before it.
pub const EVENT_VERSION: u32 = 3;

/// Something that happened.
///
/// ```
/// use elbowroom::study::{Event, TrialId};
/// let event = Event::Withdrawn { trial: TrialId(3), request: None };
/// let text = serde_json::to_string(&event).unwrap();
/// assert_eq!(text, r#"{"v":1,"event":"released","trial":3}"#);
/// assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
/// let newer = serde_json::from_str::<Event>(r#"{"v":9,"event":"released","trial":3}"#);
/// assert!(newer.unwrap_err().to_string().contains("version 9"));
///
/// // What older builds do not know has a version that they refuse.
/// let event = Event::Budgeted { trials: Some(60) };
/// assert_eq!(serde_json::to_string(&event).unwrap(), r#"{"v":2,"event":"budgeted","trials":60}"#);
///
/// let text = r#"{"v":3,"event":"told","trial":3,"value":0.3,"results":{"minutes":12.0}}"#;
/// let event = serde_json::from_str::<Event>(text).unwrap();
/// assert_eq!(serde_json::to_string(&event).unwrap(), text);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The study began. Always the first event, and only the first.
    Created {
        /// What it was made with.
        #[serde(deserialize_with = "recorded_config")]
        config: Box<StudyConfig>,
    },
    /// Points were handed out and are pending from here on.
    Asked {
        /// How many were wanted.
        wanted: usize,
        /// The points, with their trials' numbers.
        trials: Vec<AskedTrial>,
        /// Trials of earlier asks that are handed out once more, because they were lost on the way.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        again: Vec<Retry>,
        /// Why there are fewer than wanted.
        #[serde(rename = "short", default, skip_serializing_if = "Option::is_none")]
        shortfall: Option<String>,
        /// The asker's name for this request: asking again under it gives the same trials.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
        /// What the choice rested on.
        provenance: Box<Provenance>,
    },
    /// A point of the user's own: with a value an earlier result, without one a trial that is under way.
    Added {
        /// The new trial's number.
        trial: TrialId,
        /// Where.
        point: Point,
        /// What was measured there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<f64>,
        /// The variance of the value's noise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        noise: Option<f64>,
        /// What was measured besides. Since version 3.
        #[serde(default, skip_serializing_if = "Watched::is_empty")]
        results: Watched,
        /// What the teller has to say about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
        /// The teller's name for this report.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// The result that the study optimizes was measured: the trial has its value.
    Told {
        /// Of which trial.
        trial: TrialId,
        /// The value, finite.
        value: f64,
        /// The variance of its noise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        noise: Option<f64>,
        /// What was measured besides. Since version 3.
        #[serde(default, skip_serializing_if = "Watched::is_empty")]
        results: Watched,
        /// What the teller has to say about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
        /// Whether it replaces the trial's earlier values, of the results that it names, instead of standing beside them.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        correction: bool,
        /// Whether it came after its time: the teller had not been heard of for longer than it may be silent.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        late: bool,
        /// The teller's name for this report: telling again under it changes nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// Results were measured, but not the one that the study optimizes. They may come at any time, and the trial stands as
    /// it did. Since version 3.
    Measured {
        /// Of which trial.
        trial: TrialId,
        /// What.
        results: Watched,
        /// What the teller has to say about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
        /// Whether they replace the trial's earlier ones of these names instead of standing beside them.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        correction: bool,
        /// The teller's name for this report: telling again under it changes nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// A trial ended without a value.
    Failed {
        /// Which.
        trial: TrialId,
        /// Why.
        reason: String,
        /// What was measured all the same. Since version 3.
        #[serde(default, skip_serializing_if = "Watched::is_empty")]
        results: Watched,
        /// The teller's name for this report.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// A trial's point breaks a constraint that only the evaluation can tell.
    Infeasible {
        /// Which.
        trial: TrialId,
        /// Which constraint, or how.
        reason: String,
        /// The teller's name for this report.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// A trial was given back: its point is no longer pending and may be proposed again.
    #[serde(rename = "released")]
    Withdrawn {
        /// Which.
        trial: TrialId,
        /// The teller's name for this report.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// The budget is another one from here on. Since version 2.
    Budgeted {
        /// The most trials to hand out, those before included; none for no limit.
        trials: Option<usize>,
    },
    /// Trials were given places, such as the wells of a plate; a later one takes the place of an earlier one. Since
    /// version 2.
    Placed {
        /// Which trial where.
        trials: Vec<PlacedTrial>,
    },
}

/// One point that was handed out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskedTrial {
    /// The trial's number.
    pub id: TrialId,
    /// The point in the user's units.
    pub point: Point,
    /// Where it came from.
    pub source: Source,
}

/// One trial with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedTrial {
    /// The trial's number.
    pub trial: TrialId,
    /// Where it is, in the words of whoever put it there: `B7`.
    pub well: String,
}

/// One trial that was handed out once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// The trial's number.
    pub id: TrialId,
    /// How often it was handed out by now, from 2 on.
    pub attempt: u32,
}

/// What a choice of points rested on: enough, with the log before it, to choose them again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// How many events the asker had seen.
    pub revision: usize,
    /// How many events the model is made from: all up to the last result that it knows.
    pub data_revision: usize,
    /// The trials that counted as pending; lost ones may be missing, which the log alone does not know.
    pub pending: Vec<TrialId>,
    /// The store's time when the asker looked, in milliseconds since 1970; none without a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<i64>,
    /// Who asked, as a store knows it; nothing rests on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// Where the initial design goes on.
    pub design_next: u64,
    /// The model, if one was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRecord>,
    /// Why the model or the strategy was not used, or not for all points, where it should have been.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// What the asker held fixed, or in a narrower range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub narrowing: Option<Narrowing>,
    /// What sort of `fallback` it is, a stable word. Logs from before there was such a word lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback_kind: Option<String>,
    /// What sort of reason there was for fewer points than wanted, a stable word; lacking likewise.
    #[serde(rename = "short_kind", default, skip_serializing_if = "Option::is_none")]
    pub shortfall_kind: Option<String>,
    /// The part of the user's own that chose, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<PartId>,
    /// The models of further objectives and limited results, if any were used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<OutcomeRecord>,
    /// The reference point of several objectives, in the user's units and their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reference: Vec<f64>,
    /// The build that chose.
    pub build: Build,
}

/// The model of one outcome besides the first objective, as it is recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeRecord {
    /// The outcome's name.
    pub name: String,
    /// Its model.
    pub model: ModelRecord,
}

/// A build and the processor features it found: what floating point results depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The version of this library.
    pub version: String,
    /// Architecture and feature level.
    pub cpu: String,
}

impl Build {
    /// The one that is running.
    pub fn current() -> Self {
        Self { version: env!("CARGO_PKG_VERSION").to_owned(), cpu: cpu_level() }
    }
}

/// The feature levels that the vector code distinguishes.
fn cpu_level() -> String {
    #[cfg(target_arch = "x86_64")]
    let level = if is_x86_feature_detected!("avx512f") {
        "-v4"
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        "-v3"
    } else {
        ""
    };
    #[cfg(not(target_arch = "x86_64"))]
    let level = "";
    format!("{}{level}", std::env::consts::ARCH)
}

/// A configuration as a log has it. A setting that it lacks means what was done before there was such a setting, which
/// need not be the default of a new study.
fn recorded_config<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<StudyConfig>, D::Error> {
    let written = WrittenConfig::deserialize(deserializer)?;
    written.or_else(FailureRule::Ignore, None).map(Box::new).map_err(de::Error::custom)
}

impl Event {
    /// The trial that this event ends, if it ends one: a value, a failure, a verdict and a withdrawal do. Results without
    /// the optimized one do not.
    ///
    /// ```
    /// use elbowroom::study::{Event, TrialId};
    /// assert_eq!(Event::Withdrawn { trial: TrialId(3), request: None }.ends(), Some(TrialId(3)));
    /// let aside = r#"{"v":3,"event":"measured","trial":3,"results":{"minutes":12}}"#;
    /// assert_eq!(serde_json::from_str::<Event>(aside).unwrap().ends(), None);
    /// ```
    pub fn ends(&self) -> Option<TrialId> {
        match self {
            Event::Told { trial, .. }
            | Event::Failed { trial, .. }
            | Event::Infeasible { trial, .. }
            | Event::Withdrawn { trial, .. } => Some(*trial),
            _ => None,
        }
    }

    /// The oldest version that knows an event of this kind, with all that it carries.
    fn version(&self) -> u32 {
        match self {
            Event::Created { config } if config.metric != DEFAULT_METRIC || !config.outcomes.is_empty() => 3,
            Event::Added { results, .. } | Event::Told { results, .. } | Event::Failed { results, .. }
                if !results.is_empty() =>
            {
                3
            }
            Event::Measured { .. } => 3,
            Event::Budgeted { .. } | Event::Placed { .. } => 2,
            _ => 1,
        }
    }
}

/// An event as it is written.
#[derive(Serialize)]
struct Writing<'a> {
    v: u32,
    #[serde(flatten, with = "Event")]
    event: &'a Event,
}

/// An event as it is read. The version is looked at as soon as it is met, before the rest is understood.
#[derive(Deserialize)]
struct Reading {
    #[serde(rename = "v")]
    _version: Version,
    #[serde(flatten, with = "Event")]
    event: Event,
}

struct Version;

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            1..=EVENT_VERSION => Ok(Version),
            other => Err(de::Error::custom(format!(
                "this event has version {other}, and this build reads versions 1 to {EVENT_VERSION}; try a newer build"
            ))),
        }
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Serialize::serialize(&Writing { v: self.version(), event: self }, serializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Event {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Event".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Something that happened, as it stands in the log: its version, its kind, and what belongs to it.",
            "type": "object",
            "properties": {
                "v": { "type": "integer", "minimum": 1, "maximum": EVENT_VERSION },
                "event": { "type": "string" },
            },
            "required": ["v", "event"],
            "additionalProperties": true,
        })
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <Reading as Deserialize>::deserialize(deserializer).map(|read| read.event)
    }
}
