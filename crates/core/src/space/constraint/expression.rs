//! A parsed constraint, and its value at a point.

use std::cmp::Ordering;

use crate::space::value::Value;

/// A value while a constraint is evaluated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::space) enum Scalar<'a> {
    Number(f64),
    Text(&'a str),
    Bool(bool),
    /// Without a value: neither true nor false.
    Undefined,
}

impl<'a> From<&'a Value> for Scalar<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Float(x) => Scalar::Number(*x),
            Value::Int(k) => Scalar::Number(*k as f64),
            Value::Text(text) => Scalar::Text(text),
            Value::Bool(truth) => Scalar::Bool(*truth),
        }
    }
}

/// An expression whose names are replaced by the indices of parameters.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expression {
    Number(f64),
    Text(String),
    Bool(bool),
    Parameter(usize),
    Negate(Box<Expression>),
    Arithmetic(Operator, Box<Expression>, Box<Expression>),
    Call(Function, Vec<Expression>),
    /// The first operand, then each further one with how it compares to the one before it.
    Compare(Box<Expression>, Vec<(Comparison, Expression)>),
    Not(Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    /// Equal up to a tolerance.
    Near(f64),
    /// Less, or equal up to a tolerance.
    NearOrLess(f64),
    /// Greater, or equal up to a tolerance.
    NearOrGreater(f64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Function {
    Abs,
    Min,
    Max,
    Exp,
    Ln,
    Log10,
    Sqrt,
    Floor,
    Ceil,
    /// How many arguments are not 0.
    Nonzero,
}

impl Expression {
    /// The indices of the names that it uses.
    pub fn names(&self) -> Vec<usize> {
        match self {
            Expression::Number(_) | Expression::Text(_) | Expression::Bool(_) => Vec::new(),
            Expression::Parameter(i) => vec![*i],
            Expression::Negate(a) | Expression::Not(a) => a.names(),
            Expression::Arithmetic(_, a, b) | Expression::And(a, b) | Expression::Or(a, b) => {
                [a.names(), b.names()].concat()
            }
            Expression::Call(_, arguments) => arguments.iter().flat_map(Expression::names).collect(),
            Expression::Compare(first, rest) => {
                first.names().into_iter().chain(rest.iter().flat_map(|(_, next)| next.names())).collect()
            }
        }
    }

    /// The numbers and texts that it names.
    pub fn literals(&self) -> Vec<Scalar<'_>> {
        match self {
            Expression::Number(x) => vec![Scalar::Number(*x)],
            Expression::Text(text) => vec![Scalar::Text(text)],
            Expression::Bool(_) | Expression::Parameter(_) => Vec::new(),
            Expression::Negate(a) => {
                let negated = |one: Scalar<'_>| if let Scalar::Number(x) = one { Some(-x) } else { None };
                a.literals().into_iter().filter_map(negated).map(Scalar::Number).collect()
            }
            Expression::Not(a) => a.literals(),
            Expression::Arithmetic(_, a, b) | Expression::And(a, b) | Expression::Or(a, b) => {
                [a.literals(), b.literals()].concat()
            }
            Expression::Call(_, arguments) => arguments.iter().flat_map(Expression::literals).collect(),
            Expression::Compare(first, rest) => {
                first.literals().into_iter().chain(rest.iter().flat_map(|(_, next)| next.literals())).collect()
            }
        }
    }

    /// The value, where `read` gives a parameter's value by its index.
    pub fn evaluate<'a>(&'a self, read: &dyn Fn(usize) -> Scalar<'a>) -> Scalar<'a> {
        use Scalar::{Bool, Number, Undefined};
        match self {
            Expression::Number(x) => Number(*x),
            Expression::Text(text) => Scalar::Text(text),
            Expression::Bool(truth) => Bool(*truth),
            Expression::Parameter(i) => read(*i),
            Expression::Negate(a) => match a.evaluate(read) {
                Number(a) => Number(-a),
                _ => Undefined,
            },
            Expression::Arithmetic(operator, a, b) => match (a.evaluate(read), b.evaluate(read)) {
                (Number(a), Number(b)) => Number(operator.apply(a, b)),
                _ => Undefined,
            },
            Expression::Call(function, arguments) => evaluate_call(*function, arguments, read),
            Expression::Compare(first, rest) => evaluate_chain(first, rest, read),
            Expression::Not(a) => match a.evaluate(read) {
                Bool(a) => Bool(!a),
                _ => Undefined,
            },
            Expression::And(a, b) => decide(false, a.evaluate(read), || b.evaluate(read)),
            Expression::Or(a, b) => decide(true, a.evaluate(read), || b.evaluate(read)),
        }
    }
}

/// `and` and `or`: a side that equals `decisive` (false for `and`, true for `or`) decides; otherwise an undefined side
/// makes the result undefined (Kleene's three-valued logic).
fn decide<'a>(decisive: bool, a: Scalar<'a>, b: impl FnOnce() -> Scalar<'a>) -> Scalar<'a> {
    if a == Scalar::Bool(decisive) {
        return a;
    }
    match (a, b()) {
        (_, Scalar::Bool(b)) if b == decisive => Scalar::Bool(b),
        (Scalar::Bool(_), Scalar::Bool(b)) => Scalar::Bool(b),
        _ => Scalar::Undefined,
    }
}

fn evaluate_chain<'a>(
    first: &'a Expression,
    rest: &'a [(Comparison, Expression)],
    read: &dyn Fn(usize) -> Scalar<'a>,
) -> Scalar<'a> {
    let mut left = first.evaluate(read);
    let mut all = Scalar::Bool(true);
    for (comparison, next) in rest {
        let right = next.evaluate(read);
        all = decide(false, all, || comparison.apply(left, right));
        left = right;
    }
    all
}

fn evaluate_call<'a>(
    function: Function,
    arguments: &'a [Expression],
    read: &dyn Fn(usize) -> Scalar<'a>,
) -> Scalar<'a> {
    let mut folded = None;
    for argument in arguments {
        let Scalar::Number(x) = argument.evaluate(read) else { return Scalar::Undefined };
        folded = Some(match folded {
            None => function.apply(x),
            Some(so_far) => function.fold(so_far, x),
        });
    }
    folded.map_or(Scalar::Undefined, Scalar::Number)
}

impl Operator {
    fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Operator::Add => a + b,
            Operator::Subtract => a - b,
            Operator::Multiply => a * b,
            Operator::Divide => a / b,
            Operator::Remainder => {
                let r = a % b;
                if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }
            }
            Operator::Power => libm::pow(a, b),
        }
    }
}

impl Comparison {
    fn apply<'a>(self, a: Scalar<'a>, b: Scalar<'a>) -> Scalar<'a> {
        use Scalar::{Bool, Number, Text, Undefined};
        let order = match (a, b) {
            (Undefined, _) | (_, Undefined) => return Undefined,
            (Number(a), Number(b)) if !(a - b).is_nan() && self.tolerance().is_some_and(|t| (a - b).abs() <= t) => {
                return Bool(true);
            }
            (Number(a), Number(b)) => match a.partial_cmp(&b) {
                Some(order) => order,
                None => return Undefined,
            },
            // Texts, truth values and values of different types are only compared for equality.
            (Text(_), Text(_)) | (Bool(_), Bool(_)) if a == b => Ordering::Equal,
            _ => {
                return match self {
                    Comparison::Equal => Bool(false),
                    Comparison::NotEqual => Bool(true),
                    _ => Undefined,
                };
            }
        };
        Bool(match self {
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual | Comparison::NearOrLess(_) => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual | Comparison::NearOrGreater(_) => order.is_ge(),
            Comparison::Equal | Comparison::Near(_) => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
        })
    }

    /// The difference up to which two numbers count as equal, if the comparison has a tolerance.
    fn tolerance(self) -> Option<f64> {
        match self {
            Comparison::Near(tolerance) | Comparison::NearOrLess(tolerance) | Comparison::NearOrGreater(tolerance) => {
                Some(tolerance)
            }
            _ => None,
        }
    }

    /// Whether it compares by order, which only numbers have.
    pub fn needs_order(self) -> bool {
        !matches!(self, Comparison::Equal | Comparison::NotEqual | Comparison::Near(_))
    }
}

impl Function {
    pub const ALL: [(&'static str, Function); 11] = [
        ("abs", Function::Abs),
        ("min", Function::Min),
        ("max", Function::Max),
        ("exp", Function::Exp),
        ("log", Function::Ln),
        ("ln", Function::Ln),
        ("log10", Function::Log10),
        ("sqrt", Function::Sqrt),
        ("floor", Function::Floor),
        ("ceil", Function::Ceil),
        ("nonzero", Function::Nonzero),
    ];

    /// Whether it takes any number of arguments.
    pub fn takes_many(self) -> bool {
        matches!(self, Function::Min | Function::Max | Function::Nonzero)
    }

    fn apply(self, x: f64) -> f64 {
        match self {
            Function::Min | Function::Max => x,
            Function::Abs => x.abs(),
            Function::Exp => libm::exp(x),
            Function::Ln => libm::log(x),
            Function::Log10 => libm::log10(x),
            Function::Sqrt => x.sqrt(),
            Function::Floor => x.floor(),
            Function::Ceil => x.ceil(),
            Function::Nonzero if x.is_nan() => x,
            Function::Nonzero => f64::from(x != 0.0),
        }
    }

    /// Folds in the next argument of a function of many; NaN stays NaN.
    fn fold(self, so_far: f64, x: f64) -> f64 {
        match self {
            _ if so_far.is_nan() || x.is_nan() => f64::NAN,
            Function::Min => so_far.min(x),
            Function::Nonzero => so_far + self.apply(x),
            _ => so_far.max(x),
        }
    }
}
