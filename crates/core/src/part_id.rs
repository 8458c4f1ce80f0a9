//! Names and settings of custom parts, as a configuration and a log record them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind, Result};
use crate::space::Value;

/// The settings of a part, as the configuration records them.
pub type PartSettings = BTreeMap<String, Value>;

/// The name and version of a part, as logs record them.
///
/// ```
/// use elbowroom::study::PartId;
/// assert!(PartId::new("acme/greedy", "2").is_ok());
/// assert!(PartId::new("greedy", "2").is_err(), "it could be taken for one of ours");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartId {
    name: String,
    version: String,
}

impl PartId {
    /// A name that contains a `/`, such as an organisation and a part, and any version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Result<Self> {
        let id = Self { name: name.into(), version: version.into() };
        id.check()?;
        Ok(id)
    }

    /// The part's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The part's version.
    pub fn version(&self) -> &str {
        &self.version
    }

    pub(crate) fn check(&self) -> Result<()> {
        match self.name.split_once('/') {
            Some((owner, part)) if !owner.is_empty() && !part.is_empty() => Ok(()),
            _ => Err(Error::config(
                format!("a part is named {:?}", self.name),
                "name it after its owner too, such as \"acme/greedy\": names without a `/` are this library's",
            )),
        }
    }

    /// `role` says what the part is for, such as the study's strategy.
    pub(crate) fn is_missing(&self, role: &str) -> Error {
        Error::new(
            Kind::MissingPart,
            format!("the study's {role} is the part `{self}`, which was not provided"),
            "provide it from Rust: `Study::replay_with(events, &parts)`, or `with_parts(&parts)` of a shared study; \
             the command, the server and Python cannot load parts",
        )
    }
}

impl fmt::Display for PartId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}
