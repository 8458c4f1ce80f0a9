//! What the user may choose: one parameter, its checks, and its values.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::axis::{Axis, Grid, Interval, MAX_LEVELS, MAX_LOG_INT, SLACK};
use super::value::Value;
use crate::error::{Error, Result};

/// One parameter of a search space.
///
/// Nothing is checked here: [`SearchSpace::new`](super::SearchSpace::new) checks all parameters at once.
///
/// ```
/// use elbowroom::space::Parameter;
/// let rate: Parameter =
///     serde_json::from_str(r#"{"name": "lr", "type": "float", "low": 1e-5, "high": 0.1, "log": true}"#).unwrap();
/// assert_eq!(rate, Parameter::float("lr", 1e-5, 0.1).log());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Parameter {
    /// A real number from `low` to `high`, both included.
    Float {
        /// Its name.
        name: String,
        /// The smallest value.
        low: f64,
        /// The largest value.
        high: f64,
        /// Whether equal ratios, not equal differences, are equally far apart.
        #[serde(default, skip_serializing_if = "is_false")]
        log: bool,
    },
    /// A whole number from `low` to `high`, both included.
    Int {
        /// Its name.
        name: String,
        /// The smallest value.
        low: i64,
        /// The largest value.
        high: i64,
        /// Whether equal ratios, not equal differences, are equally far apart.
        #[serde(default, skip_serializing_if = "is_false")]
        log: bool,
    },
    /// One of a list whose order means something; neighbours are equally far apart, whatever their values.
    Ordered {
        /// Its name.
        name: String,
        /// The values, in order.
        values: Vec<Value>,
    },
    /// One of a list without order.
    Category {
        /// Its name.
        name: String,
        /// The values.
        choices: Vec<Value>,
    },
    /// A value that is part of each point but is not searched.
    Fixed {
        /// Its name.
        name: String,
        /// The value.
        value: Value,
    },
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl Parameter {
    /// A real number from `low` to `high`.
    pub fn float(name: impl Into<String>, low: f64, high: f64) -> Self {
        Parameter::Float { name: name.into(), low, high, log: false }
    }

    /// A whole number from `low` to `high`.
    pub fn int(name: impl Into<String>, low: i64, high: i64) -> Self {
        Parameter::Int { name: name.into(), low, high, log: false }
    }

    /// One of a list whose order means something.
    pub fn ordered<V: Into<Value>>(name: impl Into<String>, values: impl IntoIterator<Item = V>) -> Self {
        Parameter::Ordered { name: name.into(), values: values.into_iter().map(Into::into).collect() }
    }

    /// One of a list without order.
    pub fn category<V: Into<Value>>(name: impl Into<String>, choices: impl IntoIterator<Item = V>) -> Self {
        Parameter::Category { name: name.into(), choices: choices.into_iter().map(Into::into).collect() }
    }

    /// A value that is not searched.
    pub fn fixed(name: impl Into<String>, value: impl Into<Value>) -> Self {
        Parameter::Fixed { name: name.into(), value: value.into() }
    }

    /// The same number on a log scale. Lists and fixed values have no scale and stay as they are.
    pub fn log(mut self) -> Self {
        if let Parameter::Float { log, .. } | Parameter::Int { log, .. } = &mut self {
            *log = true;
        }
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Parameter::Float { name, .. }
            | Parameter::Int { name, .. }
            | Parameter::Ordered { name, .. }
            | Parameter::Category { name, .. }
            | Parameter::Fixed { name, .. } => name,
        }
    }

    /// Checks this parameter, and says how it uses its coordinate.
    pub(super) fn axis(&self) -> Result<Axis> {
        match self {
            Parameter::Float { low, high, log, .. } => self.float_axis(*low, *high, *log),
            Parameter::Int { low, high, log, .. } => self.int_axis(*low, *high, *log),
            Parameter::Ordered { values, .. } => Ok(self.list_grid(values)?.map_or(Axis::Single, Axis::Ordered)),
            Parameter::Category { choices, .. } => Ok(self.list_grid(choices)?.map_or(Axis::Single, Axis::Unordered)),
            Parameter::Fixed { value, .. } => self.refuse_non_finite(value).map(|()| Axis::Single),
        }
    }

    fn float_axis(&self, low: f64, high: f64, log: bool) -> Result<Axis> {
        for (side, bound) in [("low", low), ("high", high)] {
            if !bound.is_finite() {
                return Err(self.refusal(format!("{side} is {bound}"), "give finite bounds"));
            }
        }
        if low > high {
            return Err(self.refusal(format!("low {low} is above high {high}"), "swap the two bounds"));
        }
        if log && low <= 0.0 {
            return Err(self.refusal(
                format!("a log scale needs a low bound above 0, not {low}"),
                "raise `low` above 0, or leave `log` out",
            ));
        }
        Ok(match (low == high, log) {
            (true, _) => Axis::Single,
            (false, true) => Axis::Continuous(Interval::log(low, high)),
            (false, false) => Axis::Continuous(Interval::linear(low, high)),
        })
    }

    fn int_axis(&self, low: i64, high: i64, log: bool) -> Result<Axis> {
        if low > high {
            return Err(self.refusal(format!("low {low} is above high {high}"), "swap the two bounds"));
        }
        if log && low <= 0 {
            return Err(self.refusal(
                format!("a log scale needs a low bound of at least 1, not {low}"),
                "raise `low` to 1, or leave `log` out",
            ));
        }
        if low == high {
            return Ok(Axis::Single);
        }
        if log && high > MAX_LOG_INT {
            return Err(self.refusal(
                format!("high {high} is above {MAX_LOG_INT}, the largest whole number of a log scale"),
                "search a log float and round it",
            ));
        }
        // The difference of two i64 fits u64; one more might not.
        let n_steps = high.abs_diff(low);
        if n_steps >= MAX_LEVELS {
            return Err(self.refusal(
                format!("{low} to {high} has more than {MAX_LEVELS} whole numbers"),
                "narrow the range, or search a float and round it",
            ));
        }
        Ok(Axis::Ordered(if log { Grid::log_ints(low, high) } else { Grid::Even { n: n_steps + 1 } }))
    }

    /// The grid of a list; none if it has one value only.
    fn list_grid(&self, values: &[Value]) -> Result<Option<Grid>> {
        let mut seen = HashSet::new();
        for value in values {
            self.refuse_non_finite(value)?;
            if !seen.insert(value.identity()) {
                return Err(self.refusal(format!("{} is in its list twice", value.describe()), "list each value once"));
            }
        }
        match values.len() {
            0 => Err(self.refusal("its list is empty".into(), "list at least one value")),
            1 => Ok(None),
            n => Ok(Some(Grid::Even { n: n as u64 })),
        }
    }

    fn refuse_non_finite(&self, value: &Value) -> Result<()> {
        match value {
            Value::Float(x) if !x.is_finite() => {
                Err(self.refusal(format!("{x} is not a value to try"), "give finite numbers"))
            }
            _ => Ok(()),
        }
    }

    /// The value at a level; for a parameter with one value, that value.
    pub(super) fn value_at(&self, level: u64) -> Value {
        match self {
            Parameter::Float { low, .. } => Value::Float(*low),
            Parameter::Int { low, .. } => Value::Int(low.saturating_add_unsigned(level)),
            Parameter::Ordered { values: list, .. } | Parameter::Category { choices: list, .. } => {
                list[level as usize].clone()
            }
            Parameter::Fixed { value, .. } => value.clone(),
        }
    }

    /// Finds a user's value among those of this parameter.
    pub(super) fn admit(&self, axis: &Axis, given: &Value) -> Result<Admitted> {
        match self {
            Parameter::Float { low, high, .. } => {
                let x = given.as_f64().ok_or_else(|| self.wrong_type("a number", given))?;
                let admitted = match axis {
                    Axis::Continuous(interval) => interval.admit(x),
                    _ => ((x - low).abs() <= low.abs() * SLACK).then_some(*low),
                };
                admitted.map(Admitted::Float).ok_or_else(|| self.out_of_range(given, *low, *high))
            }
            Parameter::Int { low, high, .. } => {
                // A float too large for an i64 is out of range rather than of the wrong type.
                let is_whole = given.as_f64().is_some_and(|x| x.fract() == 0.0);
                if !is_whole {
                    return Err(self.wrong_type("a whole number", given));
                }
                match given.as_i64() {
                    Some(k) if (*low..=*high).contains(&k) => Ok(Admitted::Level(k.abs_diff(*low))),
                    _ => Err(self.out_of_range(given, *low, *high)),
                }
            }
            Parameter::Ordered { values: list, .. } | Parameter::Category { choices: list, .. } => {
                position(list, given).map(|i| Admitted::Level(i as u64)).ok_or_else(|| self.not_in(list, given))
            }
            Parameter::Fixed { value, .. } => position(std::slice::from_ref(value), given)
                .map(|_| Admitted::Level(0))
                .ok_or_else(|| self.not_in(std::slice::from_ref(value), given)),
        }
    }

    fn wrong_type(&self, wanted: &str, given: &Value) -> Error {
        self.refusal(format!("takes {wanted}, not {}", given.describe()), format!("give {wanted}"))
    }

    fn out_of_range(&self, given: &Value, low: impl Into<Value>, high: impl Into<Value>) -> Error {
        let (low, high): (Value, Value) = (low.into(), high.into());
        self.refusal(
            format!("{given} is not between {low} and {high}"),
            "give a value in the range, or widen the range",
        )
    }

    fn not_in(&self, list: &[Value], given: &Value) -> Error {
        const SHOWN: usize = 20;
        let shown: Vec<String> = list.iter().take(SHOWN).map(Value::to_string).collect();
        let more = if list.len() > SHOWN { ", …" } else { "" };
        let hint = if list.len() == 1 { "give" } else { "give one of" };
        self.refusal(
            format!("{} is not one of its values", given.describe()),
            format!("{hint} {}{more}", shown.join(", ")),
        )
    }

    fn refusal(&self, what: String, hint: impl Into<String>) -> Error {
        Error::space(format!("parameter `{}`: {what}", self.name()), hint)
    }
}

/// A user's value, found in a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Admitted {
    Float(f64),
    Level(u64),
}

/// Where a value stands in a list. If it is not there exactly, a number within a billionth of it will do: not every
/// reader of JSON gives each digit back.
fn position(list: &[Value], given: &Value) -> Option<usize> {
    let exact = list.iter().position(|value| value.is_same_as(given));
    exact.or_else(|| {
        let Value::Float(x) = given else { return None };
        list.iter().position(|value| value.as_f64().is_some_and(|y| (x - y).abs() <= y.abs() * SLACK))
    })
}
