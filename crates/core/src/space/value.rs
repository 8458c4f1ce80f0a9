//! Values of parameters, in the user's units.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

/// A number, a text or a boolean.
///
/// In JSON and TOML it is written plainly, without a tag. Whole floats are written with a point (`1.0`), so that floats
/// are read back as floats and integers as integers.
///
/// ```
/// use elbowroom::space::Value;
/// assert_eq!(serde_json::to_string(&Value::from(1.0)).unwrap(), "1.0");
/// assert_eq!(serde_json::from_str::<Value>("\"relu\"").unwrap(), Value::from("relu"));
/// assert!(Value::from(2).is_same_as(&Value::from(2.0)) && Value::from(2) != Value::from(2.0));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A real number.
    Float(f64),
    /// An integer.
    Int(i64),
    /// A text.
    Text(String),
    /// A boolean.
    Bool(bool),
}

impl Value {
    /// The value as a number, if it is one. Integers above 2⁵³ are rounded.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Float(x) => Some(*x),
            Value::Int(k) => Some(*k as f64),
            Value::Text(_) | Value::Bool(_) => None,
        }
    }

    /// The value as an integer, if it is one; a whole float counts too.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Int(k) => Some(*k),
            // -2⁶³ is a float and an i64; 2⁶³ is a float but not an i64.
            Value::Float(x) if x.fract() == 0.0 && (-TWO_TO_63..TWO_TO_63).contains(x) => Some(*x as i64),
            _ => None,
        }
    }

    /// The value as a text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value as a boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// Whether both values mean the same: like `==`, except that `2` and `2.0` are the same number.
    pub fn is_same_as(&self, other: &Value) -> bool {
        self.identity() == other.identity()
    }

    /// A key that two values share exactly if they are the same.
    pub(super) fn identity(&self) -> Identity<'_> {
        match (self.as_i64(), self) {
            (Some(k), _) => Identity::Whole(k),
            (None, Value::Float(x)) => Identity::Bits(x.to_bits()),
            (None, Value::Int(k)) => Identity::Whole(*k),
            (None, Value::Text(text)) => Identity::Text(text),
            (None, Value::Bool(truth)) => Identity::Bool(*truth),
        }
    }

    /// What this value is, for a message.
    pub(super) fn describe(&self) -> String {
        match self {
            Value::Float(_) | Value::Int(_) => format!("the number {self}"),
            Value::Text(text) => format!("the text {text:?}"),
            Value::Bool(truth) => format!("{truth}"),
        }
    }
}

const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Identity<'a> {
    Whole(i64),
    Bits(u64),
    Text(&'a str),
    Bool(bool),
}

/// Short and unambiguous: the shortest digits that give the number back, and quotes only around a text that needs them.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Float(x) if *x == 0.0 || !x.is_finite() || (1e-4..1e16).contains(&x.abs()) => write!(f, "{x}"),
            Value::Float(x) => write!(f, "{x:e}"),
            Value::Int(k) => write!(f, "{k}"),
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Text(text) if text.is_empty() || text.contains(needs_quotes) => write!(f, "{text:?}"),
            Value::Text(text) => f.write_str(text),
        }
    }
}

fn needs_quotes(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '"' | '=')
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        Value::Float(x)
    }
}

impl From<i64> for Value {
    fn from(k: i64) -> Self {
        Value::Int(k)
    }
}

impl From<i32> for Value {
    fn from(k: i32) -> Self {
        Value::Int(k.into())
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Value::Bool(truth)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Value {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A number, a text or a truth value.",
            "type": ["number", "string", "boolean"],
        })
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Float(x) => serializer.serialize_f64(*x),
            Value::Int(k) => serializer.serialize_i64(*k),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Bool(truth) => serializer.serialize_bool(*truth),
        }
    }
}

/// A number to six digits or so, the way a person would write it.
///
/// ```
/// use elbowroom::space::brief;
/// assert_eq!([brief(0.1 + 0.2), brief(3.544248258e-7), brief(5e300)], ["0.3", "3.54425e-7", "5e300"]);
/// ```
pub fn brief(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    if !(1e-4..1e9).contains(&size) {
        let text = format!("{x:.5e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
        return format!("{digits}e{power}");
    }
    let digits = (5 - size.log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{x:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl Visitor<'_> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a text, true or false")
    }

    fn visit_f64<E: de::Error>(self, x: f64) -> Result<Value, E> {
        Ok(Value::Float(x))
    }

    fn visit_i64<E: de::Error>(self, k: i64) -> Result<Value, E> {
        Ok(Value::Int(k))
    }

    fn visit_u64<E: de::Error>(self, k: u64) -> Result<Value, E> {
        Ok(i64::try_from(k).map_or(Value::Float(k as f64), Value::Int))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.into()))
    }

    fn visit_bool<E: de::Error>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Bool(truth))
    }
}
