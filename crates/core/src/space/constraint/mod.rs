//! Constraints: expressions over the parameters' names that a point must satisfy.

mod condition;
mod expression;
mod formula;
mod interval;
mod kind;
mod linear;
mod parse;
mod token;

pub use self::condition::Condition;
use self::expression::Expression;
pub(super) use self::expression::Scalar;
pub use self::formula::Formula;
pub(super) use self::interval::Interval;
pub(crate) use self::linear::Linear;
pub(super) use self::linear::{IsTerm, Relation, is_linear, is_linear_or_on_grid};
use super::parameter::Parameter;
use crate::error::{Error, Result};

/// An expression that must be true for each point, such as `batch * steps < 1e6 and kind != 'adam'`.
///
/// | written | means |
/// |---|---|
/// | `1.5`, `2e-3`, `'adam'`, `"adam"`, `true`, `false` | a number, a text, a truth value |
/// | `x`, `` `layer-1` `` | a parameter; quoted this way its name may be any text |
/// | `a + b`, `a - b`, `a * b`, `a / b`, `-a`, `a ^ b` or `a ** b` | arithmetic; `-2 ^ 2` is -4 and `2 ^ 3 ^ 2` is 512 |
/// | `a % b` | the remainder, with the sign of `b` |
/// | `abs`, `min`, `max`, `exp`, `log` or `ln`, `log10`, `sqrt`, `floor`, `ceil` | functions, as in `min(x, y, 1)` |
/// | `nonzero(a, b, c)` | how many of these are not 0: at most two parts of a mixture are `nonzero(a, b, c) <= 2` |
/// | `<`, `<=`, `>`, `>=` | comparison of numbers; `0 < x < y` means `0 < x and x < y` |
/// | `==`, `!=` | comparison of two numbers, two texts or two truth values |
/// | `a in (1, 2)` | `a` is one of these |
/// | `not a` or `!a`, `a and b` or `a && b`, `a or b` or <code>a \|\| b</code> | logic, in this order of precedence |
///
/// `not` binds less tightly than a comparison: `not x < y` means `not (x < y)`.
///
/// Equations between sums of numbers on linear scales, such as `a + b + c == 1`, and bounds on such sums that leave
/// very little of the space, are not left to chance: points that satisfy them are constructed. Such sums are equal if
/// they differ by at most a billionth of their largest term; so are sums of numbers with steps and on ladders, for
/// which 0.1 + 0.2 is 0.3. Sums of integers are exact.
///
/// An expression without a value, such as `sqrt(-1) > 2`, is neither true nor false. `not` does not change that, `and`
/// and `or` use the other side if it decides, and a constraint that ends up undecided does not hold.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// let space = SearchSpace::new(vec![Parameter::float("width", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)])?;
/// let error = space.with_constraints(["widht + y <= 1"]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "constraint: no parameter is called `widht`, at column 1\n    \
///          widht + y <= 1\n    \
///          ^\n  \
///        try: did you mean `width`?"
/// );
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    text: String,
    expression: Expression,
}

impl Constraint {
    pub(super) fn parse(text: String, parameters: &[Parameter]) -> Result<Self> {
        let expression = parse::parse(&text, parameters).map_err(|error| error.within("constraint"))?;
        Ok(Self { text, expression: expression.on_steps(parameters) })
    }

    /// The condition of a parameter.
    pub(super) fn parse_condition(text: &str, name: &str, parameters: &[Parameter]) -> Result<Self> {
        let expression =
            parse::parse(text, parameters).map_err(|error| error.within(format!("the condition of `{name}`")))?;
        Ok(Self { text: text.to_owned(), expression })
    }

    /// The constraint as the user wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Adds the linear relations that it contains.
    pub(super) fn read_linear(&self, parameters: &[Parameter], is_term: IsTerm, into: &mut Linear) {
        into.read(&self.expression, parameters, is_term);
    }

    /// The constraint with equations of some numbers loosened to a billionth.
    pub(super) fn loosened(self, parameters: &[Parameter], is_term: IsTerm) -> Self {
        Self { expression: self.expression.loosened(parameters, is_term), ..self }
    }

    /// Whether some point could keep it, where `range` gives the range of a parameter that is a number.
    pub(super) fn may_hold(&self, range: &dyn Fn(usize) -> Option<Interval>) -> bool {
        self.expression.may_hold(range)
    }

    /// The indices of the parameters that it refers to.
    pub(super) fn names(&self) -> Vec<usize> {
        self.expression.names()
    }

    /// The numbers and texts that it names.
    pub(super) fn literals(&self) -> Vec<Scalar<'_>> {
        self.expression.literals()
    }

    /// Whether it is true, or undecided because of a parameter that the point does not have.
    pub(super) fn is_kept<'a>(&'a self, read: &dyn Fn(usize) -> Scalar<'a>, active: &[bool]) -> bool {
        match self.expression.evaluate(&|i| if active[i] { read(i) } else { Scalar::Undefined }) {
            Scalar::Bool(truth) => truth,
            _ => self.names().into_iter().any(|i| !active[i]),
        }
    }

    /// Whether it is false.
    pub(super) fn is_broken<'a>(&'a self, read: &dyn Fn(usize) -> Scalar<'a>) -> bool {
        matches!(self.expression.evaluate(read), Scalar::Bool(false))
    }

    /// Whether it is true, where `read` gives a parameter's value by its index.
    pub(super) fn holds<'a>(&'a self, read: &dyn Fn(usize) -> Scalar<'a>) -> bool {
        matches!(self.expression.evaluate(read), Scalar::Bool(true))
    }
}

/// An error at a position in a text, shown with a caret below it.
fn refusal(text: &[char], at: usize, what: impl std::fmt::Display, hint: impl Into<String>) -> Error {
    // Shows a window of a long text to keep it on one line; characters that would move the cursor become spaces.
    const WINDOW: usize = 60;
    let start = at.saturating_sub(WINDOW);
    let end = text.len().min(at + WINDOW);
    let shown: String = text[start..end].iter().map(|c| if c.is_control() { ' ' } else { *c }).collect();
    let caret = " ".repeat(at - start);
    Error::space(format!("{what}, at column {}\n    {}\n    {caret}^", at + 1, shown.trim_end()), hint)
}
