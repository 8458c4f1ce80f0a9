//! How a user narrows a search, in the user's units.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::space::{Point, SearchSpace, Value};

/// Parameters held fixed, and narrower ranges, for one ask. Empty, it is the whole space.
///
/// ```
/// use elbowroom::domain::Narrowing;
/// let narrowing = Narrowing::new().fix("celsius", 60.0).within("minutes", 5, 20);
/// let text = r#"{"fixed":{"celsius":60.0},"within":{"minutes":[5,20]}}"#;
/// assert_eq!(serde_json::to_string(&narrowing)?, text);
/// assert!(serde_json::from_str::<Narrowing>(r#"{"fix":{}}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Narrowing {
    /// Parameters that have this value.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fixed: BTreeMap<String, Value>,
    /// Numbers that stay between two values, both included.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub within: BTreeMap<String, [Value; 2]>,
}

impl Narrowing {
    /// The whole space.
    pub fn new() -> Self {
        Self::default()
    }

    /// Holds a parameter at a value.
    pub fn fix(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.fixed.insert(name.into(), value.into());
        self
    }

    /// Keeps a number between two values, both included.
    pub fn within(mut self, name: impl Into<String>, low: impl Into<Value>, high: impl Into<Value>) -> Self {
        self.within.insert(name.into(), [low.into(), high.into()]);
        self
    }

    /// Whether nothing is narrowed.
    pub fn is_empty(&self) -> bool {
        self.fixed.is_empty() && self.within.is_empty()
    }

    /// Whether a point of the space satisfies it.
    ///
    /// ```
    /// use elbowroom::domain::Narrowing;
    /// use elbowroom::space::Point;
    /// let narrowing = Narrowing::new().fix("celsius", 60);
    /// assert!(narrowing.holds_at(&Point::new().with("celsius", 60.0).with("minutes", 7)));
    /// assert!(!narrowing.holds_at(&Point::new().with("celsius", 61.0).with("minutes", 7)));
    /// ```
    pub fn holds_at(&self, point: &Point) -> bool {
        let is_same = |a: &Value, b: &Value| match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => a == b,
            _ => a == b,
        };
        let is_fixed = |(name, value): (&String, &Value)| point.get(name).is_some_and(|there| is_same(there, value));
        let is_within = |(name, [low, high]): (&String, &[Value; 2])| {
            let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
            point.get(name).is_some_and(|there| (number(low)..=number(high)).contains(&number(there)))
        };
        self.fixed.iter().all(is_fixed) && self.within.iter().all(is_within)
    }

    /// The same with numbers as the space has them. Fails, naming the parameter, if the space does not have such a
    /// parameter or value.
    pub fn check(&self, space: &SearchSpace) -> Result<Self> {
        let fixed = self.fixed.iter().map(|(name, value)| Ok((name.clone(), space.check_value(name, value)?)));
        let within = self.within.iter().map(|(name, ends)| {
            if self.fixed.contains_key(name) {
                let what = format!("parameter `{name}` is both held fixed and given a range");
                return Err(Error::space(what, "use one of the two"));
            }
            let [low, high] = [space.check_value(name, &ends[0])?, space.check_value(name, &ends[1])?];
            match (low.as_f64(), high.as_f64()) {
                (Some(a), Some(b)) if a <= b => Ok((name.clone(), [low, high])),
                (Some(_), Some(_)) => {
                    let what = format!("the range of parameter `{name}` is from {low} to {high}");
                    Err(Error::space(what, "give the smaller value first"))
                }
                _ => Err(Error::space(
                    format!("the values of parameter `{name}` have no order, so it cannot have a range"),
                    "hold it fixed at one of its values",
                )),
            }
        });
        Ok(Self { fixed: fixed.collect::<Result<_>>()?, within: within.collect::<Result<_>>()? })
    }
}
