//! A point in the user's units: named values.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::nearest::nearest;
use super::value::Value;
use crate::error::{self, Error};

/// Named values, in the order of the space they come from. In JSON, an object.
///
/// ```
/// use elbowroom::space::{Point, Value};
/// let point = Point::new().with("x", 0.25).with("n", 3).with("kind", "relu");
/// assert_eq!(point.to_string(), "x=0.25 n=3 kind=relu");
/// assert_eq!(point.get("n"), Some(&Value::Int(3)));
/// assert_eq!(serde_json::to_string(&point).unwrap(), r#"{"x":0.25,"n":3,"kind":"relu"}"#);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Point {
    entries: Vec<(String, Value)>,
}

impl Point {
    /// A point without values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value. If the name exists, its value is replaced and keeps its position.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let (name, value) = (name.into(), value.into());
        match self.entries.iter_mut().find(|(known, _)| *known == name) {
            Some(entry) => entry.1 = value,
            None => self.entries.push((name, value)),
        }
        self
    }

    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The number of this name; integers are converted.
    ///
    /// ```
    /// use elbowroom::space::Point;
    /// let point = Point::new().with("rate", 0.5).with("kind", "relu");
    /// assert_eq!(point.f64("rate")?, 0.5);
    /// assert_eq!(point.f64("kind").unwrap_err().what(), "parameter `kind` is \"relu\", a text, not a number");
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn f64(&self, name: &str) -> error::Result<f64> {
        self.read(name, "a number", Value::as_f64)
    }

    /// The integer of this name.
    pub fn i64(&self, name: &str) -> error::Result<i64> {
        self.read(name, "a whole number", Value::as_i64)
    }

    /// The text of this name.
    pub fn str(&self, name: &str) -> error::Result<&str> {
        self.read(name, "a text", Value::as_str)
    }

    /// The boolean of this name.
    pub fn bool(&self, name: &str) -> error::Result<bool> {
        self.read(name, "true or false", Value::as_bool)
    }

    fn read<'a, T>(&'a self, name: &str, wanted: &str, read: impl Fn(&'a Value) -> Option<T>) -> error::Result<T> {
        let Some(value) = self.get(name) else {
            let known: Vec<&str> = self.iter().map(|(known, _)| known).collect();
            let hint = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("use one of {}", known.join(", ")),
            };
            return Err(Error::space(format!("the point has no parameter `{name}`"), hint));
        };
        read(value).ok_or_else(|| {
            let (shown, is, method) = match value {
                Value::Float(x) => (x.to_string(), "a number", "f64"),
                Value::Int(k) => (k.to_string(), "a whole number", "i64"),
                Value::Text(text) => (format!("{text:?}"), "a text", "str"),
                Value::Bool(truth) => (truth.to_string(), "true or false", "bool"),
            };
            let what = format!("parameter `{name}` is {shown}, {is}, not {wanted}");
            Error::space(what, format!("read it with `{method}`"))
        })
    }

    /// The names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Makes a point of entries with names that are known to differ.
    pub(super) fn from_distinct(entries: Vec<(String, Value)>) -> Self {
        Self { entries }
    }
}

/// If two values have the same name, the later one counts.
impl<N: Into<String>, V: Into<Value>> FromIterator<(N, V)> for Point {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        entries.into_iter().fold(Self::new(), |point, (name, value)| point.with(name, value))
    }
}

impl IntoIterator for Point {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.iter().enumerate() {
            let gap = if i == 0 { "" } else { " " };
            write!(f, "{gap}{name}={value}")?;
        }
        Ok(())
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Point {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Point".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let value = generator.subschema_for::<Value>();
        schemars::json_schema!({
            "description": "The values of a point by the parameters' names.",
            "type": "object",
            "additionalProperties": value,
        })
    }
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PointVisitor)
    }
}

struct PointVisitor;

impl<'de> Visitor<'de> for PointVisitor {
    type Value = Point;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of parameter names and values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Point, A::Error> {
        let mut point = Point::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            if point.get(&name).is_some() {
                return Err(de::Error::custom(format!("parameter `{name}` has two values")));
            }
            point.entries.push((name, value));
        }
        Ok(point)
    }
}
