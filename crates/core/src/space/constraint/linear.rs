//! Linear relations between numbers, read off constraints.
//!
//! A constraint is a conjunction of parts. A part that compares two sums of numbers on linear scales, each times a constant,
//! is a half-space or a plane; one that counts the numbers that are not 0 bounds the number of parts of a mixture. Points that
//! keep these are found by construction. All other parts are only checked. The caller chooses which numbers count as
//! terms: only floats, or also those on grids, which are integers, steps and ladders.
//!
//! Two sides that should be equal differ by rounding errors, so where points are constructed, `==` of such sums holds
//! to a billionth of their largest term.

use super::expression::{Comparison, Expression, Function, Operator};
use crate::space::parameter::Parameter;
use crate::space::step::Steps;
use crate::space::value::Value;

/// How far from equal the sides of an equation may be, relative to its largest term.
const NEARLY: f64 = 1e-9;

/// What constraints say about numbers, in a form from which points can be constructed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Linear {
    pub relations: Vec<Relation>,
    pub sparse: Vec<Sparse>,
}

/// Σ aᵢxᵢ ≤ bound, or = bound.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Relation {
    /// Indices of parameters with their factors.
    pub terms: Vec<(usize, f64)>,
    pub bound: f64,
    pub is_equal: bool,
}

/// At most this many of these parameters are not 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sparse {
    pub parts: Vec<usize>,
    pub most: usize,
}

impl Linear {
    /// Adds what an expression says about the numbers that count as terms.
    pub(super) fn read(&mut self, expression: &Expression, parameters: &[Parameter], is_term: IsTerm) {
        match expression {
            Expression::And(a, b) => {
                self.read(a, parameters, is_term);
                self.read(b, parameters, is_term);
            }
            Expression::Compare(first, rest) => {
                let mut left = &**first;
                for (comparison, right) in rest {
                    self.compare((left, *comparison, right), parameters, is_term);
                    left = right;
                }
            }
            _ => {}
        }
    }

    fn compare(
        &mut self,
        (left, comparison, right): (&Expression, Comparison, &Expression),
        parameters: &[Parameter],
        is_term: IsTerm,
    ) {
        let (small, large) = match comparison {
            Comparison::Greater | Comparison::GreaterOrEqual | Comparison::NearOrGreater(_) => (right, left),
            Comparison::NotEqual => return,
            _ => (left, right),
        };
        let is_equal = matches!(comparison, Comparison::Equal | Comparison::Near(_));
        let is_strict = matches!(comparison, Comparison::Less | Comparison::Greater);
        if let Some(sparse) = sparse(small, large, is_strict, parameters, is_term) {
            self.sparse.push(sparse);
        } else if let Some(difference) = difference(small, large, parameters, is_term)
            && difference.factors.iter().any(|a| *a != 0.0)
        {
            let terms = difference.factors.into_iter().enumerate().filter(|(_, a)| *a != 0.0).collect();
            self.relations.push(Relation { terms, bound: -difference.constant, is_equal });
        }
    }
}

impl Expression {
    /// The expression with equations between sums of terms loosened to a billionth; those of integers alone stay exact.
    pub fn loosened(self, parameters: &[Parameter], is_term: IsTerm) -> Self {
        self.compared(&|comparison, left, right| match comparison {
            Comparison::Equal => {
                let tolerance = difference(left, right, parameters, is_term).and_then(|d| d.tolerance(parameters));
                tolerance.map_or(Comparison::Equal, Comparison::Near)
            }
            other => other,
        })
    }

    /// The expression with comparisons of sums of numbers on steps and ladders loosened to a billionth, so that 0.1 +
    /// 0.2 equals 0.3.
    pub fn on_steps(self, parameters: &[Parameter]) -> Self {
        self.compared(&|comparison, left, right| {
            let found = difference(left, right, parameters, is_on_steps).and_then(|d| d.tolerance(parameters));
            match (comparison, found.filter(|tolerance| *tolerance > 0.0)) {
                (Comparison::Equal, Some(tolerance)) => Comparison::Near(tolerance),
                (Comparison::LessOrEqual, Some(tolerance)) => Comparison::NearOrLess(tolerance),
                (Comparison::GreaterOrEqual, Some(tolerance)) => Comparison::NearOrGreater(tolerance),
                (other, _) => other,
            }
        })
    }

    /// The expression with its comparisons replaced.
    fn compared(self, change: &dyn Fn(Comparison, &Expression, &Expression) -> Comparison) -> Self {
        let all = |e: Box<Expression>| Box::new(e.compared(change));
        match self {
            Expression::And(a, b) => Expression::And(all(a), all(b)),
            Expression::Or(a, b) => Expression::Or(all(a), all(b)),
            Expression::Not(a) => Expression::Not(all(a)),
            Expression::Compare(first, rest) => {
                let mut changed: Vec<(Comparison, Expression)> = Vec::with_capacity(rest.len());
                for (comparison, right) in rest {
                    let left = changed.last().map_or(&*first, |(_, left)| left);
                    let comparison = change(comparison, left, &right);
                    changed.push((comparison, right));
                }
                Expression::Compare(first, changed)
            }
            other => other,
        }
    }
}

/// `nonzero(a, b, c) <= 2`, from its two sides.
fn sparse(
    small: &Expression,
    large: &Expression,
    is_strict: bool,
    parameters: &[Parameter],
    is_term: IsTerm,
) -> Option<Sparse> {
    let (Expression::Call(Function::Nonzero, arguments), Expression::Number(most)) = (small, large) else {
        return None;
    };
    let part = |argument: &Expression| match argument {
        Expression::Parameter(i) if is_term(&parameters[*i]) && may_be_zero(&parameters[*i]) => Some(*i),
        _ => None,
    };
    let mut parts = arguments.iter().map(part).collect::<Option<Vec<_>>>()?;
    parts.sort_unstable();
    parts.dedup();
    let most = if is_strict { most.ceil() - 1.0 } else { most.floor() };
    // A part that is listed twice would count twice.
    (parts.len() == arguments.len() && most >= 0.0).then_some(Sparse { parts, most: most as usize })
}

/// Whether a parameter may be a term of a sum.
pub(crate) type IsTerm = fn(&Parameter) -> bool;

/// Whether it can be any number of a range, on a linear scale.
pub(crate) fn is_linear(parameter: &Parameter) -> bool {
    matches!(parameter, Parameter::Float { low, high, log: false, step: None, .. } if low < high)
}

/// Whether it is a number on a linear scale, continuous or on a grid.
pub(crate) fn is_linear_or_on_grid(parameter: &Parameter) -> bool {
    match parameter {
        Parameter::Float { low, high, log: false, .. } => low < high,
        Parameter::Int { low, high, log: false, .. } => low < high,
        Parameter::Ladder { values, log: false, .. } => values.len() > 1,
        _ => false,
    }
}

/// Whether its values are numbers as people write them, on steps or a ladder, or integers, whose sums are exact.
fn is_on_steps(parameter: &Parameter) -> bool {
    matches!(parameter, Parameter::Float { step: Some(_), .. } | Parameter::Ladder { .. } | Parameter::Int { .. })
}

fn may_be_zero(parameter: &Parameter) -> bool {
    match parameter {
        Parameter::Float { low, high, step, .. } => {
            let is_on_step = |step: f64| Steps::new(*low, *high, step).level(0.0).is_ok();
            *low <= 0.0 && 0.0 <= *high && step.is_none_or(is_on_step)
        }
        Parameter::Int { low, high, .. } => (*low..=*high).contains(&0),
        Parameter::Ladder { values, .. } => values.iter().any(|value| value.as_f64() == Some(0.0)),
        _ => false,
    }
}

/// A sum of parameters, each times a factor, and a constant.
struct Sum {
    /// One factor for each parameter.
    factors: Vec<f64>,
    constant: f64,
}

impl Sum {
    fn constant(constant: f64, n: usize) -> Self {
        Self { factors: vec![0.0; n], constant }
    }

    fn times(mut self, factor: f64) -> Self {
        self.factors.iter_mut().for_each(|a| *a *= factor);
        self.constant *= factor;
        self
    }

    fn plus(mut self, other: &Self) -> Self {
        self.factors.iter_mut().zip(&other.factors).for_each(|(a, b)| *a += b);
        self.constant += other.constant;
        self
    }

    fn as_constant(&self) -> Option<f64> {
        self.factors.iter().all(|a| *a == 0.0).then_some(self.constant)
    }

    /// A billionth of the largest term; `None` if all terms are whole numbers.
    fn tolerance(&self, parameters: &[Parameter]) -> Option<f64> {
        let reach = |(parameter, a): (&Parameter, &f64)| match parameter {
            Parameter::Float { low, high, .. } => a.abs() * low.abs().max(high.abs()),
            Parameter::Ladder { .. } => {
                let numbers = parameter.listed().iter().filter_map(Value::as_f64);
                a.abs() * numbers.map(f64::abs).fold(0.0, f64::max)
            }
            _ => 0.0,
        };
        let is_in = |(parameter, a): (&Parameter, &f64)| *a != 0.0 && !matches!(parameter, Parameter::Int { .. });
        let terms = || parameters.iter().zip(&self.factors);
        terms().any(is_in).then(|| NEARLY * terms().map(reach).fold(self.constant.abs(), f64::max))
    }
}

/// The first side minus the second, if both are sums of terms.
fn difference(a: &Expression, b: &Expression, parameters: &[Parameter], is_term: IsTerm) -> Option<Sum> {
    Some(sum(a, parameters, is_term)?.plus(&sum(b, parameters, is_term)?.times(-1.0)))
}

fn sum(expression: &Expression, parameters: &[Parameter], is_term: IsTerm) -> Option<Sum> {
    let n = parameters.len();
    let sum = |expression| sum(expression, parameters, is_term);
    let found = match expression {
        Expression::Number(x) => Sum::constant(*x, n),
        Expression::Parameter(i) => match &parameters[*i] {
            parameter if is_term(parameter) => {
                let mut one = Sum::constant(0.0, n);
                one.factors[*i] = 1.0;
                one
            }
            Parameter::Float { low, high, .. } if low == high => Sum::constant(*low, n),
            Parameter::Int { low, high, .. } if low == high => Sum::constant(*low as f64, n),
            Parameter::Fixed { value, .. } => Sum::constant(value.as_f64()?, n),
            _ => return None,
        },
        Expression::Negate(a) => sum(a)?.times(-1.0),
        Expression::Arithmetic(Operator::Add, a, b) => sum(a)?.plus(&sum(b)?),
        Expression::Arithmetic(Operator::Subtract, a, b) => sum(a)?.plus(&sum(b)?.times(-1.0)),
        Expression::Arithmetic(Operator::Multiply, a, b) => {
            let (a, b) = (sum(a)?, sum(b)?);
            match (a.as_constant(), b.as_constant()) {
                (Some(factor), _) => b.times(factor),
                (_, Some(factor)) => a.times(factor),
                _ => return None,
            }
        }
        Expression::Arithmetic(Operator::Divide, a, b) => {
            let divisor = sum(b)?.as_constant().filter(|divisor| *divisor != 0.0)?;
            sum(a)?.times(1.0 / divisor)
        }
        _ => return None,
    };
    let is_finite = found.constant.is_finite() && found.factors.iter().all(|a| a.is_finite());
    is_finite.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Constraint;

    fn read(text: &str) -> Linear {
        read_of(text, is_linear)
    }

    fn read_of(text: &str, is_term: IsTerm) -> Linear {
        let parameters = [
            Parameter::float("a", 0.0, 1.0),
            Parameter::float("b", -1.0, 2.0),
            Parameter::float("rate", 1e-3, 1.0).log(),
            Parameter::int("n", 1, 5),
            Parameter::fixed("total", 3),
        ];
        let mut linear = Linear::default();
        linear.read(&Constraint::parse(text.to_owned(), &parameters).unwrap().expression, &parameters, is_term);
        linear
    }

    #[test]
    fn relations_of_floats_are_read_as_mathematics_has_them() {
        // By hand: all terms on the left, the constant on the right, both sides of `>` negated.
        let relation = |a: f64, b: f64, bound: f64, is_equal: bool| {
            let terms = [(0, a), (1, b)].into_iter().filter(|(_, a)| *a != 0.0).collect();
            Relation { terms, bound, is_equal }
        };
        for (text, expected) in [
            ("a + b <= 1", vec![relation(1.0, 1.0, 1.0, false)]),
            ("a + b == total", vec![relation(1.0, 1.0, 3.0, true)]),
            ("2 * (a - b / 4) > 0.5 and n < 3", vec![relation(-2.0, 0.5, -0.5, false)]),
            ("0.2 <= a < b - 1", vec![relation(-1.0, 0.0, -0.2, false), relation(1.0, -1.0, -1.0, false)]),
            ("a * b <= 1", vec![]),
            ("a + n <= 3 and a + rate == 1 and a - a < 1", vec![]),
            ("a + b <= 1 or n == 2", vec![]),
            ("not a + b <= 1", vec![]),
        ] {
            assert_eq!(read(text), Linear { relations: expected, sparse: vec![] }, "{text}");
        }
    }

    #[test]
    fn sums_with_whole_numbers_are_read_where_grids_are_asked_for() {
        let relation = |terms: &[(usize, f64)], bound| Relation { terms: terms.to_vec(), bound, is_equal: false };
        for (text, relations) in [
            ("a + 2 * n <= 3", vec![relation(&[(0, 1.0), (3, 2.0)], 3.0)]),
            ("n > 2", vec![relation(&[(3, -1.0)], -2.0)]),
            ("n * a <= 2 and rate + n < 3", vec![]),
        ] {
            assert_eq!(read_of(text, is_linear_or_on_grid), Linear { relations, sparse: vec![] }, "{text}");
        }
    }

    #[test]
    fn counts_of_parts_are_read_in_both_directions() {
        let expected = |most: usize| vec![Sparse { parts: vec![0, 1], most }];
        for (text, sparse) in [
            ("nonzero(a, b) <= 1", expected(1)),
            ("2 > nonzero(b, a)", expected(1)),
            ("nonzero(a, b) == 2", expected(2)),
            ("nonzero(a, a) <= 1", vec![]),
            ("nonzero(a, n) <= 1", vec![]),
            ("nonzero(a, b) >= 1", vec![]),
        ] {
            assert_eq!(read(text), Linear { relations: vec![], sparse }, "{text}");
        }
    }
}
