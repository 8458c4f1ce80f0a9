//! Parameters: their checks and their values.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::Descriptors;
use super::axis::{Axis, Grid, Interval, MAX_LEVELS, MAX_LOG_INT, SLACK};
use super::constraint::Scalar;
use super::ladder::Ladder;
use super::step::Steps;
use super::value::Value;
use crate::error::{Error, Result};

/// A parameter of a search space.
///
/// Parameters are not checked on their own: [`SearchSpace::new`](super::SearchSpace::new) checks all of them at once.
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
        /// The parameter's name.
        name: String,
        /// The smallest value.
        low: f64,
        /// The largest value.
        high: f64,
        /// Whether it is on a log scale: equal ratios, not equal differences, are equally far apart.
        #[serde(default, skip_serializing_if = "is_false")]
        log: bool,
        /// The distance between neighbouring values, if not every number is allowed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<f64>,
        /// The condition on other parameters under which this one exists, such as `kind == 'sgd'`; always if there is
        /// none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
    /// An integer from `low` to `high`, both included.
    Int {
        /// The parameter's name.
        name: String,
        /// The smallest value.
        low: i64,
        /// The largest value.
        high: i64,
        /// Whether it is on a log scale: equal ratios, not equal differences, are equally far apart.
        #[serde(default, skip_serializing_if = "is_false")]
        log: bool,
        /// The condition on other parameters under which this one exists, such as `kind == 'sgd'`; always if there is
        /// none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
    /// A value from a list in a meaningful order; neighbours are equally far apart, whatever their values.
    Ordered {
        /// The parameter's name.
        name: String,
        /// The values, in order.
        values: Vec<Value>,
        /// The condition on other parameters under which this one exists, such as `kind == 'sgd'`; always if there is
        /// none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
    /// A number from a list, with the numbers at their true distances.
    Ladder {
        /// The parameter's name.
        name: String,
        /// The numbers, in ascending order.
        values: Vec<Value>,
        /// Whether it is on a log scale: equal ratios, not equal differences, are equally far apart.
        #[serde(default, skip_serializing_if = "is_false")]
        log: bool,
        /// The condition on other parameters under which this one exists, such as `kind == 'sgd'`; always if there is
        /// none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
    /// A value from a list without order.
    Category {
        /// The parameter's name.
        name: String,
        /// The values.
        choices: Vec<Value>,
        /// Numbers that say which values are alike, if given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        descriptors: Option<Descriptors>,
        /// The condition on other parameters under which this one exists, such as `kind == 'sgd'`; always if there is
        /// none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
    /// A value that is part of each point but is not searched.
    Fixed {
        /// The parameter's name.
        name: String,
        /// The value.
        value: Value,
        /// The condition on other parameters under which this one exists, such as `kind == 'sgd'`; always if there is
        /// none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl Parameter {
    /// A real number from `low` to `high`.
    pub fn float(name: impl Into<String>, low: f64, high: f64) -> Self {
        Parameter::Float { name: name.into(), low, high, log: false, step: None, when: None }
    }

    /// An integer from `low` to `high`.
    pub fn int(name: impl Into<String>, low: i64, high: i64) -> Self {
        Parameter::Int { name: name.into(), low, high, log: false, when: None }
    }

    /// A value from a list in a meaningful order.
    pub fn ordered<V: Into<Value>>(name: impl Into<String>, values: impl IntoIterator<Item = V>) -> Self {
        Parameter::Ordered { name: name.into(), values: values.into_iter().map(Into::into).collect(), when: None }
    }

    /// A number from an ascending list, with the numbers at their true distances.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Point, SearchSpace};
    /// let space = SearchSpace::new(vec![Parameter::ladder("batch", [16, 32, 64, 512]).log()])?;
    /// let at = |batch: i64| space.encode(&Point::new().with("batch", batch)).map(|u| u[0]);
    /// // From 64 to 512 it is three times as far as from 32 to 64.
    /// assert!(((at(512)? - at(64)?) / (at(64)? - at(32)?) - 3.0).abs() < 1e-12);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn ladder<V: Into<Value>>(name: impl Into<String>, values: impl IntoIterator<Item = V>) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        Parameter::Ladder { name: name.into(), values, log: false, when: None }
    }

    /// A value from a list without order.
    pub fn category<V: Into<Value>>(name: impl Into<String>, choices: impl IntoIterator<Item = V>) -> Self {
        let choices = choices.into_iter().map(Into::into).collect();
        Parameter::Category { name: name.into(), choices, descriptors: None, when: None }
    }

    /// Gives a category descriptors, numbers that say which values are alike: a name for each column, and a row for
    /// each value. Other kinds of parameters stay as they are.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// let solvent = Parameter::category("solvent", ["water", "methanol", "ethanol"])
    ///     .described(["permittivity", "density"], [[80.1, 1.0], [32.7, 0.79], [24.5, 0.79]]);
    /// assert!(SearchSpace::new(vec![solvent]).is_ok());
    /// ```
    pub fn described<C: Into<String>, R: Into<Vec<f64>>>(
        self,
        columns: impl IntoIterator<Item = C>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        self.with_descriptors(Descriptors { columns, rows: rows.into_iter().map(Into::into).collect() })
    }

    /// Like [`described`](Self::described), with an existing table.
    pub fn with_descriptors(mut self, given: Descriptors) -> Self {
        if let Parameter::Category { descriptors, .. } = &mut self {
            *descriptors = Some(given);
        }
        self
    }

    /// A value that is not searched.
    pub fn fixed(name: impl Into<String>, value: impl Into<Value>) -> Self {
        Parameter::Fixed { name: name.into(), value: value.into(), when: None }
    }

    /// Puts a number or a ladder on a log scale. Other lists and fixed values have no scale and stay as they are.
    pub fn log(mut self) -> Self {
        if let Parameter::Float { log, .. } | Parameter::Int { log, .. } | Parameter::Ladder { log, .. } = &mut self {
            *log = true;
        }
        self
    }

    /// Gives a float a step between neighbouring values: low, low + step, low + 2 step, …, high. Other kinds of
    /// parameters stay as they are.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Point, SearchSpace, Value};
    /// let space = SearchSpace::new(vec![Parameter::float("rate", 0.0, 1.0).step(0.05)])?;
    /// assert_eq!(space.n_points(), Some(21));
    /// // Values are those that people write, and the ones that a program computes count as these.
    /// let point = space.check(&Point::new().with("rate", 3.0 * 0.05))?;
    /// assert_eq!(point.get("rate"), Some(&Value::Float(0.15)));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn step(mut self, by: f64) -> Self {
        if let Parameter::Float { step, .. } = &mut self {
            *step = Some(by);
        }
        self
    }

    /// The listed values; empty for numbers in a range. A fixed value is a list of one.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Value};
    /// assert_eq!(Parameter::ladder("n", [1, 8]).listed(), [Value::Int(1), Value::Int(8)]);
    /// assert!(Parameter::int("n", 1, 8).listed().is_empty());
    /// ```
    pub fn listed(&self) -> &[Value] {
        match self {
            Parameter::Ordered { values, .. } | Parameter::Ladder { values, .. } => values,
            Parameter::Category { choices, .. } => choices,
            Parameter::Fixed { value, .. } => std::slice::from_ref(value),
            Parameter::Float { .. } | Parameter::Int { .. } => &[],
        }
    }

    /// Makes the parameter conditional: it exists only where a condition on other parameters holds. Elsewhere points do
    /// not have it.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Point, SearchSpace};
    /// let space = SearchSpace::new(vec![
    ///     Parameter::category("kind", ["adam", "sgd"]),
    ///     Parameter::float("momentum", 0.0, 1.0).when("kind == 'sgd'"),
    /// ])?;
    /// assert!(space.check(&Point::new().with("kind", "adam")).is_ok());
    /// assert!(space.check(&Point::new().with("kind", "sgd")).is_err(), "its momentum is missing");
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn when(mut self, condition: impl Into<String>) -> Self {
        *self.when_mut() = Some(condition.into());
        self
    }

    fn when_mut(&mut self) -> &mut Option<String> {
        match self {
            Parameter::Float { when, .. }
            | Parameter::Int { when, .. }
            | Parameter::Ordered { when, .. }
            | Parameter::Ladder { when, .. }
            | Parameter::Category { when, .. }
            | Parameter::Fixed { when, .. } => when,
        }
    }

    /// The same parameter without a condition.
    pub fn always(mut self) -> Self {
        *self.when_mut() = None;
        self
    }

    /// The condition under which the parameter exists, if any.
    pub fn condition(&self) -> Option<&str> {
        let (Parameter::Float { when, .. }
        | Parameter::Int { when, .. }
        | Parameter::Ordered { when, .. }
        | Parameter::Ladder { when, .. }
        | Parameter::Category { when, .. }
        | Parameter::Fixed { when, .. }) = self;
        when.as_deref()
    }

    /// The parameter's name.
    pub fn name(&self) -> &str {
        match self {
            Parameter::Float { name, .. }
            | Parameter::Int { name, .. }
            | Parameter::Ordered { name, .. }
            | Parameter::Ladder { name, .. }
            | Parameter::Category { name, .. }
            | Parameter::Fixed { name, .. } => name,
        }
    }

    /// Checks this parameter and returns how it uses its coordinate.
    pub(super) fn axis(&self) -> Result<Axis> {
        match self {
            Parameter::Float { low, high, log, step, .. } => match (self.float_axis(*low, *high, *log)?, step) {
                (Axis::Continuous(_), Some(step)) => self.step_axis(*low, *high, *log, *step),
                (axis, _) => Ok(axis),
            },
            Parameter::Int { low, high, log, .. } => self.int_axis(*low, *high, *log),
            Parameter::Ordered { values, .. } => Ok(self.list_grid(values)?.map_or(Axis::Single, Axis::Ordered)),
            Parameter::Ladder { values, log, .. } => self.ladder_axis(values, *log),
            Parameter::Category { choices, descriptors, .. } => {
                let grid = self.list_grid(choices)?;
                if let Some((what, hint)) = descriptors.as_ref().and_then(|table| table.complaint(choices.len())) {
                    return Err(self.refusal(what, hint));
                }
                Ok(grid.map_or(Axis::Single, Axis::Unordered))
            }
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

    fn step_axis(&self, low: f64, high: f64, log: bool, step: f64) -> Result<Axis> {
        if log {
            let hint = "leave one of them out, or list the values as a ladder on a log scale";
            return Err(self.refusal("it has a step and a log scale".into(), hint));
        }
        if !(step.is_finite() && step > 0.0) {
            return Err(self.refusal(format!("its step is {step}"), "give a step above 0"));
        }
        let steps = Steps::new(low, high, step);
        let (n, is_at_high) = steps.count();
        if !is_at_high {
            let [below, above] = [n, n + 1.0].map(|k| Value::from(steps.after(k)));
            return Err(self.refusal(
                format!("steps of {} from {} do not end at {}", Value::from(step), Value::from(low), Value::from(high)),
                if n > 0.0 { format!("end it at {below} or {above}") } else { format!("end it at {above}") },
            ));
        }
        if n >= MAX_LEVELS as f64 {
            return Err(self.refusal(
                format!("a step of {} gives more than {MAX_LEVELS} values", Value::from(step)),
                "use a larger step, or none",
            ));
        }
        Ok(Axis::Ordered(Grid::Even { n: n as u64 + 1 }))
    }

    fn ladder_axis(&self, values: &[Value], log: bool) -> Result<Axis> {
        if self.list_grid(values)?.is_none() && values[0].as_f64().is_some() {
            return Ok(Axis::Single);
        }
        let mut numbers: Vec<f64> = Vec::with_capacity(values.len());
        for value in values {
            let hint = "list numbers only, or use an ordered list, in which distances do not count";
            let x =
                value.as_f64().ok_or_else(|| self.refusal(format!("{} is not a number", value.describe()), hint))?;
            if log && x <= 0.0 {
                let hint = "list numbers above 0, or leave `log` out";
                return Err(self.refusal(format!("{value} cannot be on a log scale"), hint));
            }
            if numbers.last().is_some_and(|last| *last >= x) {
                let what = format!("{value} comes after {}", Value::from(numbers[numbers.len() - 1]));
                return Err(self.refusal(what, "list the numbers in ascending order"));
            }
            numbers.push(x);
        }
        Ladder::new(&numbers, log).map(|ladder| Axis::Ordered(Grid::Ladder(ladder))).map_err(|i| {
            let what = format!("{} and {} are too close to be told apart", values[i], values[i + 1]);
            self.refusal(what, "leave one of them out, or narrow the list")
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
                format!("high {high} is above {MAX_LOG_INT}, the largest whole number that a log scale allows"),
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

    /// The grid of a list; `None` if it has only one value.
    fn list_grid(&self, values: &[Value]) -> Result<Option<Grid>> {
        let mut seen = HashSet::new();
        for value in values {
            self.refuse_non_finite(value)?;
            if !seen.insert(value.identity()) {
                return Err(self.refusal(format!("{} is listed twice", value.describe()), "list each value once"));
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
                Err(self.refusal(format!("{x} is not a finite number"), "give finite numbers"))
            }
            _ => Ok(()),
        }
    }

    /// The value at a level; for a parameter with one value, that value.
    pub(crate) fn value_at(&self, level: u64) -> Value {
        match self {
            Parameter::Float { low, high, step: Some(step), .. } if low < high => {
                Value::Float(Steps::new(*low, *high, *step).value(level))
            }
            Parameter::Float { low, .. } => Value::Float(*low),
            Parameter::Int { low, .. } => Value::Int(low.saturating_add_unsigned(level)),
            Parameter::Fixed { value, .. } => value.clone(),
            Parameter::Ordered { .. } | Parameter::Ladder { .. } | Parameter::Category { .. } => {
                self.listed()[level as usize].clone()
            }
        }
    }

    /// The value at a level, for constraints and conditions: without a copy of texts.
    pub(super) fn scalar_at(&self, level: u64) -> Scalar<'_> {
        match self {
            Parameter::Float { low, step: None, .. } => Scalar::Number(*low),
            Parameter::Float { .. } => Scalar::Number(self.value_at(level).as_f64().unwrap_or(f64::NAN)),
            Parameter::Int { low, .. } => Scalar::Number(low.saturating_add_unsigned(level) as f64),
            _ => Scalar::from(&self.listed()[level as usize]),
        }
    }

    /// Finds a user's value among those of this parameter.
    pub(super) fn admit(&self, axis: &Axis, given: &Value) -> Result<Admitted> {
        match self {
            Parameter::Float { low, high, step, .. } => {
                let x = given.as_f64().ok_or_else(|| self.wrong_type("a number", given))?;
                if let (Axis::Ordered(_), Some(step)) = (axis, step) {
                    return self.admit_step(Steps::new(*low, *high, *step), given, x);
                }
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
            Parameter::Ordered { .. }
            | Parameter::Ladder { .. }
            | Parameter::Category { .. }
            | Parameter::Fixed { .. } => {
                let list = self.listed();
                position(list, given).map(|i| Admitted::Level(i as u64)).ok_or_else(|| self.not_in(list, given))
            }
        }
    }

    fn admit_step(&self, steps: Steps, given: &Value, x: f64) -> Result<Admitted> {
        let (last, _) = steps.count();
        let (low, high) = (steps.value(0), steps.value(last as u64));
        match steps.level(x) {
            Ok(level) => Ok(Admitted::Level(level)),
            Err(_) if !(low..=high).contains(&x) => Err(self.out_of_range(given, low, high)),
            Err(below) => Err(self.refusal(
                format!("{given} is between two of its steps"),
                format!("give {} or {}", Value::from(steps.value(below)), Value::from(steps.value(below + 1))),
            )),
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

    pub(super) fn refusal(&self, what: String, hint: impl Into<String>) -> Error {
        Error::space(format!("parameter `{}`: {what}", self.name()), hint)
    }
}

/// A user's value, found in a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Admitted {
    Float(f64),
    Level(u64),
}

/// The index of a value in a list. Without an exact match, a number within a billionth will do: not every JSON reader
/// preserves every digit.
fn position(list: &[Value], given: &Value) -> Option<usize> {
    let exact = list.iter().position(|value| value.is_same_as(given));
    exact.or_else(|| {
        let Value::Float(x) = given else { return None };
        list.iter().position(|value| value.as_f64().is_some_and(|y| (x - y).abs() <= y.abs() * SLACK))
    })
}
