//! What sort of value an expression has.

use crate::space::parameter::Parameter;
use crate::space::value::Value;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Number,
    Text,
    Bool,
    /// A list of values of more than one type: known only at a point.
    Mixed,
}

impl Kind {
    pub fn of(parameter: &Parameter) -> Self {
        let kind = |value: &Value| match value {
            Value::Float(_) | Value::Int(_) => Kind::Number,
            Value::Text(_) => Kind::Text,
            Value::Bool(_) => Kind::Bool,
        };
        let mut kinds = parameter.listed().iter().map(kind);
        let first = kinds.next().unwrap_or(Kind::Number);
        if kinds.all(|other| other == first) { first } else { Kind::Mixed }
    }

    pub fn fits(self, wanted: Kind) -> bool {
        self == wanted || self == Kind::Mixed
    }

    pub fn describe(self) -> &'static str {
        match self {
            Kind::Number => "a number",
            Kind::Text => "a text",
            Kind::Bool => "true or false",
            Kind::Mixed => "a list of several types",
        }
    }
}
