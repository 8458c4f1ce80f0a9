//! Filters: expressions over a point and further facts about it.

use super::Constraint;
use super::expression::Scalar;
use crate::error::Result;
use crate::space::{Parameter, Point, SearchSpace};

/// An expression over a point's parameters and further numbers, such as `rate < 0.01 and value < 3`.
///
/// [`Constraint`] describes the notation. If a parameter has the same name as a further number, the parameter is meant.
///
/// ```
/// use elbowroom::space::{Condition, Parameter, Point, SearchSpace};
/// let space = SearchSpace::new(vec![Parameter::float("rate", 0.0, 1.0)])?;
/// let condition = Condition::parse("rate < 0.1 or value < 3", &space, &["value"])?;
/// let [slow, fast] = [0.05, 0.5].map(|rate| Point::new().with("rate", rate));
/// assert!(condition.holds(&slow, &[None]) && condition.holds(&fast, &[Some(2.0)]));
/// assert!(!condition.holds(&fast, &[None]));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Condition {
    constraint: Constraint,
    /// The names of all parameters, then those of the further numbers.
    names: Vec<String>,
    n_parameters: usize,
}

impl Condition {
    /// Reads an expression over the parameters of a space and further numbers by name.
    pub fn parse(text: &str, space: &SearchSpace, further: &[&str]) -> Result<Self> {
        let mut known = space.parameters().to_vec();
        let n_parameters = known.len();
        known.extend(further.iter().map(|name| Parameter::float(*name, 0.0, 1.0)));
        let names = known.iter().map(|parameter| parameter.name().to_owned()).collect();
        Ok(Self { constraint: Constraint::parse(text.to_owned(), &known)?, names, n_parameters })
    }

    /// Whether the expression is true for a point and the further numbers, in order. Missing numbers have no value, and
    /// an expression without a value does not hold.
    pub fn holds(&self, point: &Point, further: &[Option<f64>]) -> bool {
        self.constraint.holds(&|i| match i.checked_sub(self.n_parameters) {
            None => point.get(&self.names[i]).map_or(Scalar::Undefined, Scalar::from),
            Some(j) => further.get(j).copied().flatten().map_or(Scalar::Undefined, Scalar::Number),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_neither_true_nor_false() {
        let space =
            SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::category("k", ["a", "b"])]).unwrap();
        let point = Point::new().with("x", 0.25).with("k", "a");
        for (text, with_one, without) in [
            ("value > 0", true, false),
            ("not value > 0", false, false),
            ("x < 1 or value > 5", true, true),
            ("k == 'a' and value < 2", true, false),
            ("k == 'b' or not (value > 2 and x > 1)", true, true),
            ("value == value", true, false),
        ] {
            let condition = Condition::parse(text, &space, &["value"]).unwrap();
            assert_eq!(condition.holds(&point, &[Some(1.0)]), with_one, "{text}");
            assert_eq!(condition.holds(&point, &[None]), without, "{text}");
        }
        assert!(Condition::parse("valeu > 0", &space, &["value"]).unwrap_err().to_string().contains("did you mean"));
    }

    #[test]
    fn a_parameter_is_meant_before_a_further_number() {
        let space = SearchSpace::new(vec![Parameter::float("value", 0.0, 1.0)]).unwrap();
        let condition = Condition::parse("value < 0.5", &space, &["value"]).unwrap();
        assert!(condition.holds(&Point::new().with("value", 0.25), &[Some(9.0)]));
    }
}
