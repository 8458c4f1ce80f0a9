//! Events, in order: what happened in a study, and the only thing that leaves a process.
//!
//! In JSON an event is one object with a version and a tag, such as `{"v":1,"event":"released","trial":3}`. Unknown
//! fields are ignored, so a field can be added without a new version. A change of meaning or a new kind of event needs
//! a new version, which older readers refuse by its number; so does an event with named results, which older readers
//! would drop. Each event is written with the oldest version that has it, so a log without newer ones can be read by
//! older builds, byte for byte.
//!
//! Settings are different: ignoring one would change what is chosen, so an unknown setting in the configuration of a
//! log is refused. A setting that was added later is written only if it differs from its default.

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

/// The newest version of events that this build writes. It reads this one and all earlier ones.
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
    /// The study was created. Always the first event, and only the first.
    Created {
        /// Its configuration.
        #[serde(deserialize_with = "recorded_config")]
        config: Box<StudyConfig>,
    },
    /// Points were handed out, and are pending from now on.
    Asked {
        /// The number of points that were asked for.
        wanted: usize,
        /// The points, with the numbers of their trials.
        trials: Vec<AskedTrial>,
        /// Trials of earlier asks that are handed out again because they were lost.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        again: Vec<Retry>,
        /// Why there are fewer than were asked for.
        #[serde(rename = "short", default, skip_serializing_if = "Option::is_none")]
        shortfall: Option<String>,
        /// A name for this request: asking again with the same name returns the same trials.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
        /// What the choice was based on.
        provenance: Box<Provenance>,
    },
    /// A point that a user added: an earlier result if it has a value, otherwise a running trial.
    Added {
        /// The number of the new trial.
        trial: TrialId,
        /// The point.
        point: Point,
        /// The value measured there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<f64>,
        /// The variance of the value's noise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        noise: Option<f64>,
        /// Other results. Since version 3.
        #[serde(default, skip_serializing_if = "Watched::is_empty")]
        results: Watched,
        /// A remark by whoever reported it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
        /// A name for this report.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// The optimized result was measured: the trial has its value.
    Told {
        /// The trial.
        trial: TrialId,
        /// The value, which is finite.
        value: f64,
        /// The variance of its noise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        noise: Option<f64>,
        /// Other results. Since version 3.
        #[serde(default, skip_serializing_if = "Watched::is_empty")]
        results: Watched,
        /// A remark by whoever reported it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
        /// Whether it replaces the trial's earlier values of the results that it names, instead of adding to them.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        correction: bool,
        /// Whether it was late: the worker had been silent for longer than its lease allows.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        late: bool,
        /// A name for this report: reporting again with the same name changes nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// Results were measured, but not the optimized one. They may arrive at any time and do not change the trial's
    /// state. Since version 3.
    Measured {
        /// The trial.
        trial: TrialId,
        /// The results.
        results: Watched,
        /// A remark by whoever reported it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
        /// Whether they replace the trial's earlier results of the same names, instead of adding to them.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        correction: bool,
        /// A name for this report: reporting again with the same name changes nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// A trial ended without a value.
    Failed {
        /// The trial.
        trial: TrialId,
        /// The reason.
        reason: String,
        /// Results that were measured nevertheless. Since version 3.
        #[serde(default, skip_serializing_if = "Watched::is_empty")]
        results: Watched,
        /// A name for this report.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// A trial's point breaks a constraint that only the evaluation can detect.
    Infeasible {
        /// The trial.
        trial: TrialId,
        /// The constraint, or how it is broken.
        reason: String,
        /// A name for this report.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// A trial was withdrawn: its point is no longer pending and may be proposed again.
    #[serde(rename = "released")]
    Withdrawn {
        /// The trial.
        trial: TrialId,
        /// A name for this report.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// The budget changed. Since version 2.
    Budgeted {
        /// The maximum number of trials to hand out, including earlier ones; none for no limit.
        trials: Option<usize>,
    },
    /// Trials were assigned positions, such as wells of a plate; a later assignment replaces an earlier one. Since
    /// version 2.
    Placed {
        /// The trials with their positions.
        trials: Vec<PlacedTrial>,
    },
}

/// A point that was handed out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskedTrial {
    /// The trial's number.
    pub id: TrialId,
    /// The point in the user's units.
    pub point: Point,
    /// Where the point came from.
    pub source: Source,
}

/// A trial with its position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedTrial {
    /// The trial's number.
    pub trial: TrialId,
    /// Its position as the user wrote it, such as `B7`.
    pub well: String,
}

/// A trial that was handed out again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// The trial's number.
    pub id: TrialId,
    /// How often it has been handed out by now: 2 or more.
    pub attempt: u32,
}

/// What a choice of points was based on: together with the log before it, enough to make the choice again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The number of events that the asker had seen.
    pub revision: usize,
    /// The number of events that the model is based on: all up to the last result that it includes.
    pub data_revision: usize,
    /// The trials that counted as pending. Lost trials may be missing; the log alone does not say which trials are
    /// lost.
    pub pending: Vec<TrialId>,
    /// The store's time when the asker read it, in milliseconds since 1970; none without a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<i64>,
    /// Who asked, according to the store. It does not affect the choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// The index at which the initial design continues.
    pub design_next: u64,
    /// The model, if one was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRecord>,
    /// Why the model or the strategy was not used, or not for all points, although it should have been.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// The parameters that the asker held fixed or kept in a narrower range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub narrowing: Option<Narrowing>,
    /// The kind of `fallback`, a stable word. Older logs do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback_kind: Option<String>,
    /// The kind of reason for fewer points than were asked for, a stable word. Older logs do not have it.
    #[serde(rename = "short_kind", default, skip_serializing_if = "Option::is_none")]
    pub shortfall_kind: Option<String>,
    /// The user's part that made the choice, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<PartId>,
    /// The models of further objectives and limited results, if any were used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<OutcomeRecord>,
    /// The reference point of several objectives, in their order and in the user's units.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reference: Vec<f64>,
    /// The build that made the choice.
    pub build: Build,
}

/// The recorded model of an outcome other than the first objective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeRecord {
    /// The outcome's name.
    pub name: String,
    /// Its model.
    pub model: ModelRecord,
}

/// A build and where it runs: what floating-point results depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The version of this library.
    pub version: String,
    /// The processor's architecture and feature level, and on systems other than Linux with glibc what provides `exp` and
    /// `ln`, which differ in their last bits: `x86_64-v4`, `x86_64-v3-musl`, `aarch64-macos`.
    pub cpu: String,
}

impl Build {
    /// The running build.
    pub fn current() -> Self {
        Self { version: env!("CARGO_PKG_VERSION").to_owned(), cpu: cpu_level() }
    }
}

/// The feature levels that the vectorized code distinguishes.
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
    let library = mathematics(std::env::consts::OS, cfg!(target_env = "musl"));
    format!("{}{level}{library}", std::env::consts::ARCH)
}

/// What provides the mathematical functions; empty for glibc, as in the logs of most builds.
fn mathematics(system: &str, is_musl: bool) -> String {
    match (system, is_musl) {
        (_, true) => "-musl".to_owned(),
        ("linux", false) => String::new(),
        (other, false) => format!("-{other}"),
    }
}

/// A configuration as a log records it. A missing setting means what was done before the setting existed, which is not
/// necessarily the default of a new study.
fn recorded_config<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<StudyConfig>, D::Error> {
    let written = WrittenConfig::deserialize(deserializer)?;
    written.or_else(FailureRule::Ignore, None).map(Box::new).map_err(de::Error::custom)
}

impl Event {
    /// The trial that this event ends, if any. Values, failures, infeasibility and withdrawals end a trial; results
    /// without the optimized one do not.
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

    /// The oldest version that has events of this kind with everything that this one carries.
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

/// An event as it is read. The version is checked as soon as it is read, before anything else.
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
            "description": "An event of the log: its version, its kind and its data.",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_with_other_mathematics_are_told_apart() {
        let levels = [("linux", false), ("linux", true), ("macos", false), ("windows", false)];
        assert_eq!(levels.map(|(system, is_musl)| mathematics(system, is_musl)), ["", "-musl", "-macos", "-windows"]);
        assert!(cpu_level().starts_with(std::env::consts::ARCH));
        assert_eq!(cpu_level().ends_with("-musl"), cfg!(target_env = "musl"));
    }
}
