//! The possible values of a constraint over a box, by interval arithmetic.
//!
//! The range of a sum, product or function over ranges of its arguments contains every value it takes, and perhaps
//! more, because repeated names are treated as independent (Moore, 1966). So an expression that cannot be true of the
//! ranges is not true of any point; the converse does not follow. A relative margin of 10⁻¹² allows for rounding.

use super::expression::{Comparison, Expression, Function, Operator};

/// The numbers that an expression can equal: from `low` to `high`, infinite where nothing is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::space) struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    const ANY: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// The hull of some numbers, widened to allow for rounding; any number if one of them is NaN.
    fn hull(ends: &[f64]) -> Self {
        if ends.iter().any(|end| end.is_nan()) {
            return Self::ANY;
        }
        let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
        let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { low: low - low.abs() * 1e-12, high: high + high.abs() * 1e-12 }
    }

    fn corners(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self::hull(&[
            f(self.low, other.low),
            f(self.low, other.high),
            f(self.high, other.low),
            f(self.high, other.high),
        ])
    }
}

impl Expression {
    /// Whether it could be true where each parameter is in its range; `range` gives `None` for parameters that are not
    /// numbers.
    pub fn may_hold(&self, range: &dyn Fn(usize) -> Option<Interval>) -> bool {
        match self {
            Expression::Bool(truth) => *truth,
            Expression::And(a, b) => a.may_hold(range) && b.may_hold(range),
            Expression::Or(a, b) => a.may_hold(range) || b.may_hold(range),
            Expression::Compare(first, rest) => {
                let mut left = first.interval(range);
                rest.iter().all(|(comparison, right)| {
                    let right = right.interval(range);
                    let may = left.zip(right).is_none_or(|(a, b)| may_compare(*comparison, a, b));
                    left = right;
                    may
                })
            }
            _ => true,
        }
    }

    /// The numbers that it can equal; `None` if it may be something else.
    fn interval(&self, range: &dyn Fn(usize) -> Option<Interval>) -> Option<Interval> {
        Some(match self {
            Expression::Number(x) => Interval { low: *x, high: *x },
            Expression::Parameter(i) => range(*i)?,
            Expression::Negate(a) => {
                let a = a.interval(range)?;
                Interval { low: -a.high, high: -a.low }
            }
            Expression::Arithmetic(operator, a, b) => {
                let (a, b) = (a.interval(range)?, b.interval(range)?);
                match operator {
                    Operator::Add => Interval::hull(&[a.low + b.low, a.high + b.high]),
                    Operator::Subtract => Interval::hull(&[a.low - b.high, a.high - b.low]),
                    Operator::Multiply => a.corners(b, |a, b| a * b),
                    Operator::Divide if b.low > 0.0 || b.high < 0.0 => a.corners(b, |a, b| a / b),
                    Operator::Power if a.low > 0.0 => a.corners(b, libm::pow),
                    _ => Interval::ANY,
                }
            }
            Expression::Call(function, arguments) => {
                let arguments = arguments.iter().map(|a| a.interval(range)).collect::<Option<Vec<_>>>()?;
                call(*function, &arguments)
            }
            _ => return None,
        })
    }
}

fn call(function: Function, arguments: &[Interval]) -> Interval {
    let ends = |pick: fn(&Interval) -> f64, fold: fn(f64, f64) -> f64| arguments.iter().map(pick).reduce(fold);
    let (low, high) = (|a: &Interval| a.low, |a: &Interval| a.high);
    let both = match function {
        Function::Min => ends(low, f64::min).zip(ends(high, f64::min)),
        Function::Max => ends(low, f64::max).zip(ends(high, f64::max)),
        Function::Nonzero => {
            let never_zero = |a: &&Interval| a.low > 0.0 || a.high < 0.0;
            let is_zero = |a: &&Interval| a.low == 0.0 && a.high == 0.0;
            let count = |is: &dyn Fn(&&Interval) -> bool| arguments.iter().filter(is).count();
            Some((count(&never_zero) as f64, (arguments.len() - count(&is_zero)) as f64))
        }
        _ => None,
    };
    if let Some((low, high)) = both {
        return Interval { low, high };
    }
    let Some(a) = arguments.first() else { return Interval::ANY };
    let rising = |f: fn(f64) -> f64| Interval::hull(&[f(a.low), f(a.high)]);
    match function {
        Function::Abs if a.low <= 0.0 && a.high >= 0.0 => Interval { low: 0.0, high: a.high.max(-a.low) },
        Function::Abs => Interval::hull(&[a.low.abs(), a.high.abs()]),
        Function::Exp => rising(libm::exp),
        Function::Ln if a.low > 0.0 => rising(libm::log),
        Function::Log10 if a.low > 0.0 => rising(libm::log10),
        Function::Sqrt if a.low >= 0.0 => rising(f64::sqrt),
        Function::Floor => rising(f64::floor),
        Function::Ceil => rising(f64::ceil),
        _ => Interval::ANY,
    }
}

fn may_compare(comparison: Comparison, a: Interval, b: Interval) -> bool {
    match comparison {
        Comparison::Less => a.low < b.high,
        Comparison::LessOrEqual => a.low <= b.high,
        Comparison::Greater => a.high > b.low,
        Comparison::GreaterOrEqual => a.high >= b.low,
        Comparison::NearOrLess(tolerance) => a.low <= b.high + tolerance,
        Comparison::NearOrGreater(tolerance) => a.high + tolerance >= b.low,
        Comparison::Equal => a.low <= b.high && b.low <= a.high,
        Comparison::Near(tolerance) => a.low <= b.high + tolerance && b.low <= a.high + tolerance,
        Comparison::NotEqual => !(a.low == a.high && a == b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Constraint, Parameter};

    #[test]
    fn what_no_point_of_the_box_can_keep_is_known_and_nothing_else() {
        let parameters = [Parameter::float("x", 0.0, 1.0), Parameter::float("y", -2.0, 3.0)];
        let ranges = [(0.0, 1.0), (-2.0, 3.0)].map(|(low, high)| Some(Interval { low, high }));
        let may =
            |text: &str| Constraint::parse(text.to_owned(), &parameters).unwrap().expression.may_hold(&|i| ranges[i]);
        // Ranges by hand: xy in [−2, 3], x² in [0, 1], y² in [−6, 9] as a product, exp(y) in [0.13, 20.1].
        for kept in ["x <= 0", "x * y >= 3", "y * y < 0", "exp(y) > 20", "x > 2 or y > 2", "x / y > 9", "not x > 2"] {
            assert!(may(kept), "{kept}");
        }
        for broken in [
            "x > 1",
            "x * y > 3.1",
            "exp(y) > 21",
            "x > 2 or y > 4",
            "sqrt(x) + abs(y) > 4.1",
            "x < y < -2.5",
            "min(x, y) > 1.5",
            "y ^ 2 < 0 and x < 0",
            "nonzero(x, y) > 2",
            "nonzero(x + 1, y) < 1",
        ] {
            assert!(!may(broken), "{broken}");
        }
    }
}
