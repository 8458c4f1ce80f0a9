//! What is reported for a trial: one number, or several by name.

use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::outcome::check_name;
use super::outcomes::Outcomes;
use crate::error::{Error, Result};

/// A measured number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The number, in the user's units.
    pub value: f64,
    /// The variance of its noise, if it is known.
    pub noise: Option<f64>,
}

impl From<f64> for Measured {
    fn from(value: f64) -> Self {
        Self { value, noise: None }
    }
}

/// What is reported for a trial. A bare number is the optimized result, whatever its name; all others have names.
///
/// ```
/// use elbowroom::study::{Goal, Outcome, Outcomes, Results};
///
/// let outcomes = Outcomes::new(vec![Outcome::objective("loss", Goal::Minimize)])?;
/// let by_name = Results::from([("loss", 0.3), ("minutes", 12.0)]).resolve(&outcomes)?;
/// assert_eq!(by_name.objective.map(|m| m.value), Some(0.3));
/// assert_eq!(by_name.watched.iter().next().unwrap().0, "minutes");
///
/// let bare = Results::from(0.3).with("minutes", 12.0).resolve(&outcomes)?;
/// assert_eq!(bare, by_name);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    bare: Option<Measured>,
    named: Vec<(String, Measured)>,
}

/// The results of a trial, sorted by what the study does with them.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The optimized one, if it is among them; it may be infinite or NaN.
    pub objective: Option<Measured>,
    /// The others that are finite.
    pub watched: Watched,
    /// Notes about the others that are not finite.
    pub notes: Vec<String>,
}

impl Results {
    /// The optimized result, whatever its name.
    pub fn with_value(mut self, measured: impl Into<Measured>) -> Self {
        self.bare = Some(measured.into());
        self
    }

    /// Adds a result.
    pub fn with(mut self, name: impl Into<String>, measured: impl Into<Measured>) -> Self {
        self.named.push((name.into(), measured.into()));
        self
    }

    /// Whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.bare.is_none() && self.named.is_empty()
    }

    /// The number without a name, if there is one.
    pub fn bare(&self) -> Option<f64> {
        self.bare.map(|measured| measured.value)
    }

    /// The named results.
    pub fn named(&self) -> impl Iterator<Item = (&str, Measured)> {
        self.named.iter().map(|(name, measured)| (name.as_str(), *measured))
    }

    /// The names of the named results.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(|(name, _)| name.as_str())
    }

    /// Finds the optimized result among them. Only this function decides what a bare number is, and computes the
    /// optimized result if it is computed from others.
    pub fn resolve(self, outcomes: &Outcomes) -> Result<Resolved> {
        if self.is_empty() {
            let metric = outcomes.metric();
            return Err(Error::trial("no result was given", format!("give at least one, such as `{metric}`")));
        }
        let Self { mut bare, mut named } = self;
        let told = |named: &[(String, Measured)], name: &str| {
            named.iter().find(|(known, _)| known == name).map(|(_, measured)| measured.value)
        };
        let mut objective = None;
        if outcomes.computed_value(|name| told(&named, name)).is_some() {
            // Everything that it is computed from is there, so a number without a name adds nothing.
            bare = None;
        }
        match (bare, outcomes.bare()) {
            (Some(bare), Some(name)) if name == outcomes.metric() => objective = Some(bare),
            (Some(bare), Some(name)) => named.insert(0, (name.to_owned(), bare)),
            (Some(_), None) => {
                let what = format!("a number without a name was given, but `{}` is computed", outcomes.metric());
                return Err(Error::trial(what, outcomes.say_missing([])));
            }
            (None, _) => {}
        }
        let (mut watched, mut notes) = (Vec::<(String, Measured)>::with_capacity(named.len()), Vec::new());
        for (i, (name, measured)) in named.iter().enumerate() {
            check_name(name)?;
            let twice = named[..i].iter().any(|(other, _)| other == name);
            if twice || (name == outcomes.metric() && objective.is_some()) {
                return Err(Error::trial(format!("the result `{name}` is given twice"), "give each result once"));
            }
            if name == outcomes.metric() {
                objective = Some(*measured);
            } else if outcomes.is_computed(name) {
                // It is computed from the others, whatever was reported.
            } else if measured.value.is_finite() {
                watched.push((name.clone(), *measured));
            } else {
                notes.push(not_finite(name, measured.value));
            }
        }
        if objective.is_none() {
            // This includes numbers that are not finite: what is computed from them shows whether the trial failed.
            objective = outcomes.computed_value(|name| told(&named, name)).map(Measured::from);
        }
        Ok(Resolved { objective, watched: Watched(watched), notes })
    }
}

impl From<f64> for Results {
    fn from(value: f64) -> Self {
        Measured::from(value).into()
    }
}

impl From<Measured> for Results {
    fn from(measured: Measured) -> Self {
        Self { bare: Some(measured), named: Vec::new() }
    }
}

impl<S: Into<String>, M: Into<Measured>, const N: usize> From<[(S, M); N]> for Results {
    fn from(named: [(S, M); N]) -> Self {
        named.into_iter().collect()
    }
}

impl<S: Into<String>, M: Into<Measured>> FromIterator<(S, M)> for Results {
    fn from_iter<I: IntoIterator<Item = (S, M)>>(named: I) -> Self {
        Self { bare: None, named: named.into_iter().map(|(name, m)| (name.into(), m.into())).collect() }
    }
}

/// Says in words that a number is not finite.
pub(super) fn not_finite(what: &str, value: f64) -> String {
    match value {
        v if v.is_nan() => format!("{what} was NaN"),
        v if v > 0.0 => format!("{what} was +infinity"),
        _ => format!("{what} was -infinity"),
    }
}

/// Results other than the optimized one, as an event records them: finite numbers with distinct names, in the order in
/// which they were reported.
///
/// In JSON they are one object, `{"minutes":12.0,"joules":{"value":3.5,"noise":0.1}}`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Watched(Vec<(String, Measured)>);

impl Watched {
    /// No results.
    pub const NONE: Watched = Watched(Vec::new());

    /// Whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each result with its name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Measured)> {
        self.0.iter().map(|(name, measured)| (name.as_str(), *measured))
    }
}

impl Serialize for Measured {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Some(noise) = self.noise else { return self.value.serialize(serializer) };
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("value", &self.value)?;
        map.serialize_entry("noise", &noise)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Measured {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(MeasuredVisitor)
    }
}

struct MeasuredVisitor;

impl<'de> Visitor<'de> for MeasuredVisitor {
    type Value = Measured;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or a table with `value` and `noise`")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> std::result::Result<Measured, E> {
        Ok(value.into())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> std::result::Result<Measured, E> {
        Ok((value as f64).into())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> std::result::Result<Measured, E> {
        Ok((value as f64).into())
    }

    /// JSON has no numbers that are not finite; they are written as null.
    fn visit_unit<E: de::Error>(self) -> std::result::Result<Measured, E> {
        Ok(f64::NAN.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Measured, A::Error> {
        #[derive(Deserialize)]
        struct Both {
            value: f64,
            #[serde(default)]
            noise: Option<f64>,
        }
        let both = Both::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(Measured { value: both.value, noise: both.noise })
    }
}

impl Serialize for Watched {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Watched {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(NamedVisitor).map(Watched)
    }
}

/// Named results alone, as a person or a program writes them: `{"loss": 0.3, "minutes": 12}`.
impl<'de> Deserialize<'de> for Results {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(NamedVisitor).map(|named| Results { bare: None, named })
    }
}

struct NamedVisitor;

impl<'de> Visitor<'de> for NamedVisitor {
    type Value = Vec<(String, Measured)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("results by name, such as {\"loss\": 0.3, \"minutes\": 12}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let mut named = Vec::new();
        while let Some(entry) = map.next_entry::<String, Measured>()? {
            named.push(entry);
        }
        Ok(named)
    }
}
