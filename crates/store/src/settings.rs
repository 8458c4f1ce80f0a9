//! Settings as people and programs write them in JSON: what cannot be read is refused with its path.
//!
//! serde says which key or word is unknown and which are known, but only in a text, and not where: tagged enums are
//! buffered before they are parsed. So values are read here with an error type that keeps serde's facts (`Refusal`),
//! and the path is found by marking candidates: the right one is that for which the refusal names the mark.

use std::fmt;

use elbowroom::error::Error;
use elbowroom::study::UnknownKey;
use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

/// The most candidates to try: each takes one more reading.
const MOST_PLACES: usize = 32;

/// A key or a word that occurs nowhere.
const MARK: &str = "\u{1}mark";

/// Why settings could not be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Unread {
    /// The keys that lead to the culprit; empty if it is not known.
    pub path: Vec<String>,
    /// What is wrong.
    pub what: String,
    /// What to try; empty if there is nothing to say.
    pub hint: String,
}

impl Unread {
    /// Converts this to an error of the settings, with a hint to use if there is none.
    pub fn or_hint(self, hint: &str) -> Error {
        let hint = if self.hint.is_empty() { hint.to_owned() } else { self.hint };
        Error::config(self.what, hint)
    }
}

/// Reads settings. An unknown key or word is named with its path, after those of `place`, and with the nearest
/// known one.
///
/// ```
/// use elbowroom::study::StrategyConfig;
/// use elbowroom_store::settings;
/// use serde_json::json;
///
/// let written = json!({ "name": "plain", "acquisition": { "ucb": { "kapa": 1.0 } } });
/// let unread = settings::read::<StrategyConfig>(&written, &["strategy"]).unwrap_err();
/// assert_eq!(unread.what, "there is no setting `strategy.acquisition.ucb.kapa`");
/// assert_eq!(unread.hint, "did you mean `kappa`?");
/// ```
pub fn read<T: DeserializeOwned>(written: &Value, place: &[&str]) -> Result<T, Unread> {
    T::deserialize(Json(written)).map_err(|refusal| refusal.placed::<T>(written, place))
}

/// Reads settings from a text, as [`read`] does.
pub fn from_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, Unread> {
    serde_json::from_slice(text).map_err(|error| {
        let said = serde_json::from_slice::<Value>(text).ok().and_then(|value| read::<T>(&value, &[]).err());
        match said {
            Some(unread) if !unread.path.is_empty() => unread,
            _ => Unread { path: Vec::new(), what: error.to_string(), hint: String::new() },
        }
    })
}

/// The parts of serde's message.
#[derive(Debug, PartialEq)]
enum Refusal {
    Key { unknown: String, known: Vec<String> },
    Word { unknown: String, known: Vec<String> },
    Other(String),
}

impl Refusal {
    fn placed<T: DeserializeOwned>(self, written: &Value, place: &[&str]) -> Unread {
        let found = self.candidates(written);
        let is_it = |at: &&Vec<Step>| {
            let mut marked = written.clone();
            self.mark(&mut marked, at);
            T::deserialize(Json(&marked)).err() == Some(self.marked())
        };
        let at = found.iter().take(MOST_PLACES).find(is_it).or(found.first());
        let steps = at.into_iter().flatten().map(Step::to_string);
        let path: Vec<String> = place.iter().map(|&key| key.to_owned()).chain(steps).collect();
        let shown = path.join(".");
        match self {
            Refusal::Key { known, unknown } => {
                let path = if at.is_some() { path } else { vec![unknown] };
                let unknown = UnknownKey { path, known };
                let what = format!("there is no setting `{}`", unknown.path.join("."));
                Unread { hint: unknown.hint(), what, path: unknown.path }
            }
            Refusal::Word { known, unknown } => {
                let hint = UnknownKey { path: vec![unknown.clone()], known }.hint();
                let what = if shown.is_empty() {
                    format!("nothing is called {unknown:?}")
                } else {
                    format!("`{shown}` is {unknown:?}, which is not a known name")
                };
                Unread { path, what, hint }
            }
            Refusal::Other(said) => {
                // Errors of the core include a hint.
                let (what, hint) = said.split_once("\n  try: ").unwrap_or((&said, ""));
                Unread { path: Vec::new(), what: what.to_owned(), hint: hint.to_owned() }
            }
        }
    }

    /// The same refusal, about the mark.
    fn marked(&self) -> Self {
        let unknown = MARK.to_owned();
        match self {
            Refusal::Key { known, .. } => Refusal::Key { unknown, known: known.clone() },
            Refusal::Word { known, .. } => Refusal::Word { unknown, known: known.clone() },
            Refusal::Other(text) => Refusal::Other(text.clone()),
        }
    }

    /// Replaces the unknown key or word at a path by the mark.
    fn mark(&self, value: &mut Value, path: &[Step]) {
        match (self, path, value) {
            (Refusal::Key { unknown, .. }, [Step::Key(_)], Value::Object(map))
            | (Refusal::Word { unknown, .. }, [], Value::Object(map)) => {
                if let Some(inner) = map.remove(unknown) {
                    map.insert(MARK.to_owned(), inner);
                }
            }
            (Refusal::Word { .. }, [], value) => *value = MARK.into(),
            (_, [Step::Key(key), rest @ ..], Value::Object(map)) => {
                if let Some(inner) = map.get_mut(key) {
                    self.mark(inner, rest);
                }
            }
            (_, [Step::Index(i), rest @ ..], Value::Array(list)) => {
                if let Some(inner) = list.get_mut(*i) {
                    self.mark(inner, rest);
                }
            }
            _ => {}
        }
    }

    /// The paths where the culprit may be, in the order of the text.
    fn candidates(&self, written: &Value) -> Vec<Vec<Step>> {
        let mut found = Vec::new();
        walk(written, &mut Vec::new(), &mut |path, value| {
            let is_one = match self {
                Refusal::Key { unknown, .. } => matches!(path.last(), Some(Step::Key(key)) if key == unknown),
                Refusal::Word { unknown, .. } => value == unknown || value.get(unknown).is_some(),
                Refusal::Other(_) => false,
            };
            if is_one && !path.is_empty() {
                found.push(path.to_vec());
            }
        });
        found
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Key { unknown, .. } | Refusal::Word { unknown, .. } => write!(f, "{unknown:?} is unknown"),
            Refusal::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Refusal {}

impl de::Error for Refusal {
    fn custom<T: fmt::Display>(text: T) -> Self {
        // serde uses Rust's names for numbers.
        let text = text.to_string().replace("usize", "a whole number that is not negative").replace("f64", "a number");
        Refusal::Other(text)
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Refusal::Key { unknown: field.to_owned(), known: expected.iter().map(|&word| word.to_owned()).collect() }
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Refusal::Word { unknown: variant.to_owned(), known: expected.iter().map(|&word| word.to_owned()).collect() }
    }
}

/// One step into a value.
#[derive(Debug, Clone)]
enum Step {
    Key(String),
    Index(usize),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Key(key) => f.write_str(key),
            Step::Index(i) => i.fmt(f),
        }
    }
}

fn walk(value: &Value, path: &mut Vec<Step>, visit: &mut impl FnMut(&[Step], &Value)) {
    visit(path, value);
    let inner: Vec<(Step, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (Step::Key(key.clone()), value)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(i, value)| (Step::Index(i), value)).collect(),
        _ => return,
    };
    for (step, value) in inner {
        path.push(step);
        walk(value, path, visit);
        path.pop();
    }
}

/// A value to read from, with [`Refusal`] as its error.
#[derive(Clone, Copy)]
struct Json<'a>(&'a Value);

impl<'de> Deserializer<'de> for Json<'de> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(value) => match (value.as_u64(), value.as_i64()) {
                (Some(whole), _) => visitor.visit_u64(whole),
                (None, Some(whole)) => visitor.visit_i64(whole),
                _ => visitor.visit_f64(value.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(list) => SeqDeserializer::new(list.iter().map(Json)).deserialize_any(visitor),
            Value::Object(map) => MapDeserializer::new(map.iter().map(|(key, value)| (key.as_str(), Json(value))))
                .deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &str, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(StrDeserializer::new(name)),
            // A second key next to the variant's.
            Value::Object(map) if map.len() > 1 && map.keys().any(|key| !variants.contains(&key.as_str())) => {
                let key = map.keys().find(|key| !variants.contains(&key.as_str()));
                Err(de::Error::unknown_field(key.map_or("", String::as_str), &[]))
            }
            Value::Object(map) => match map.iter().next().filter(|_| map.len() == 1) {
                Some((name, value)) => visitor.visit_enum(Variant { name, value: Json(value) }),
                None => Err(de::Error::invalid_value(de::Unexpected::Map, &"a name, or a table of one")),
            },
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Refusal> for Json<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// A variant as a table of one key.
struct Variant<'a> {
    name: &'a str,
    value: Json<'a>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Refusal;
    type Variant = Json<'de>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Json<'de>), Refusal> {
        let name: StrDeserializer<'_, Refusal> = StrDeserializer::new(self.name);
        Ok((seed.deserialize(name)?, self.value))
    }
}

impl<'de> de::VariantAccess<'de> for Json<'de> {
    type Error = Refusal;

    fn unit_variant(self) -> Result<(), Refusal> {
        de::Deserialize::deserialize(self)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Refusal> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Refusal> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Refusal> {
        self.deserialize_any(visitor)
    }
}

#[cfg(test)]
mod tests {
    use elbowroom::space::{Parameter, SearchSpace};
    use elbowroom::study::{Event, StudyConfig};
    use serde_json::json;

    use super::*;

    fn config() -> Value {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
        serde_json::to_value(StudyConfig::new(space)).unwrap()
    }

    #[test]
    fn what_is_understood_is_what_serde_json_understands() {
        let written = config();
        let read = read::<StudyConfig>(&written, &[]).unwrap();
        assert_eq!(read, serde_json::from_value(written).unwrap());
    }

    #[test]
    fn an_unknown_key_or_word_is_named_with_its_path_and_the_nearest_known_one() {
        let cases = [
            ("/strategy", "penalizr", json!("soft"), "strategy.penalizr", "did you mean `penalizer`?"),
            ("", "sede", json!(3), "sede", "did you mean `seed`?"),
            ("/model/hyperparameters/map", "random_start", json!(3), "random_start", "did you mean `random_starts`?"),
            ("/model/hyperparameters", "mapp", json!({}), "model.hyperparameters.mapp", "remove it"),
            ("/space/parameters/0", "lowest", json!(3), "space.parameters.0.lowest", "use one of"),
            ("/strategy", "penalizer", json!("sofd"), "`strategy.penalizer` is \"sofd\"", "did you mean `soft`?"),
            ("/model", "kernels", json!(["rbff"]), "`model.kernels.0` is \"rbff\"", "did you mean `rbf`?"),
        ];
        for (table, key, value, said, hint) in cases {
            let mut written = config();
            written.pointer_mut(table).unwrap()[key] = value;
            let unread = read::<StudyConfig>(&written, &[]).unwrap_err();
            assert!(unread.what.contains(said) && unread.hint.contains(hint), "{unread:?}");
            // The same in a log, where everything is buffered; serde itself refuses two names of variants, without a
            // path.
            let event = json!({ "v": 1, "event": "created", "config": written }).to_string();
            let unread = from_json::<Event>(event.as_bytes()).unwrap_err();
            let is_placed = unread.path.first().is_some_and(|key| key == "config") && unread.hint.contains(hint);
            assert!(is_placed || key == "mapp", "{unread:?}");
        }
    }

    #[test]
    fn what_the_core_says_to_try_is_the_hint() {
        let mut config = config();
        config["outcomes"] = json!([{ "name": "purity", "at_least": 95.0 }]);
        let unread = read::<StudyConfig>(&config, &[]).unwrap_err();
        assert_eq!(unread.what, "both `outcomes` and `goal` are given");
        assert!(unread.hint.starts_with("leave `goal` out"), "{unread:?}");
    }

    #[test]
    fn a_key_that_is_unknown_in_one_place_only_is_found_there() {
        // `name` is known in a strategy and not in a model.
        let mut written = config();
        written["model"]["name"] = json!("plain");
        assert_eq!(read::<StudyConfig>(&written, &[]).unwrap_err().path, ["model", "name"]);
    }
}
