//! Formulas that compute a number from named ones.

use super::expression::{Expression, Scalar};
use super::parse;
use crate::error::Result;
use crate::space::Parameter;

/// A formula over named numbers, such as `yield - 0.2 * cost`.
///
/// [`Constraint`](super::Constraint) describes the notation; the result must be a number.
///
/// ```
/// use elbowroom::space::Formula;
/// let profit = Formula::parse("yield - 0.2 * cost", &["yield", "cost", "minutes"], "result")?;
/// assert_eq!(profit.value(|name| Some(if name == "yield" { 3.0 } else { 5.0 })), Some(2.0));
/// assert_eq!(profit.value(|name| (name == "yield").then_some(3.0)), None, "the cost is missing");
/// assert_eq!(profit.names().collect::<Vec<_>>(), ["yield", "cost"]);
/// let error = Formula::parse("yeild - 1", &["yield"], "result").unwrap_err();
/// assert!(error.to_string().contains("no result is called `yeild`"));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    text: String,
    expression: Expression,
    /// The names that it may use.
    known: Vec<String>,
    /// The indices of the names that it does use.
    used: Vec<usize>,
}

impl Formula {
    /// Reads a formula over these names; errors call such a name a `sort`.
    pub fn parse(text: &str, names: &[&str], sort: &'static str) -> Result<Self> {
        let known: Vec<Parameter> = names.iter().map(|name| Parameter::float(*name, 0.0, 1.0)).collect();
        let expression = parse::parse_formula(text, &known, sort)?;
        let (text, mut used) = (text.to_owned(), expression.names());
        used.sort_unstable();
        used.dedup();
        Ok(Self { text, expression, known: names.iter().map(|&name| name.to_owned()).collect(), used })
    }

    /// As the user wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names that it uses, in the order in which they were declared.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.used.iter().map(|&i| self.known[i].as_str())
    }

    /// The value, if all numbers that it uses are known. It need not be finite.
    pub fn value(&self, number: impl Fn(&str) -> Option<f64>) -> Option<f64> {
        let numbers: Vec<(usize, f64)> =
            self.used.iter().map(|&i| Some((i, number(&self.known[i])?))).collect::<Option<_>>()?;
        let read = |i: usize| {
            numbers.iter().find(|(known, _)| *known == i).map_or(Scalar::Undefined, |(_, x)| Scalar::Number(*x))
        };
        Some(match self.expression.evaluate(&read) {
            Scalar::Number(x) => x,
            _ => f64::NAN,
        })
    }
}
