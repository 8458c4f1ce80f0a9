//! Parts of a user's own, handed in beside a study.
//!
//! A configuration is data and a part is code, so the configuration names the part and its settings, and whoever makes or
//! reads the study hands the part in. What needs no choice of points (results, the best trial, telling, exporting) works
//! without it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Study;
use super::config::StudyConfig;
use super::event::Event;
use super::strategy::StrategyConfig;
use crate::batch::BatchStrategy;
use crate::error::{Error, Kind, Result};
use crate::space::Value;

/// The settings of a part, as a configuration has them.
pub type PartSettings = BTreeMap<String, Value>;

/// The name of a part and its version, as logs have them.
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
    /// A name with a `/` in it, such as that of an organisation and of the part, and any version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Result<Self> {
        let id = Self { name: name.into(), version: version.into() };
        id.check()?;
        Ok(id)
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The version.
    pub fn version(&self) -> &str {
        &self.version
    }

    pub(super) fn check(&self) -> Result<()> {
        match self.name.split_once('/') {
            Some((owner, part)) if !owner.is_empty() && !part.is_empty() => Ok(()),
            _ => Err(Error::config(
                format!("a part is named {:?}", self.name),
                "name it after its owner too, such as \"acme/greedy\": names without a `/` are this library's",
            )),
        }
    }

    pub(super) fn is_missing(&self) -> Error {
        Error::new(
            Kind::MissingPart,
            format!("the study's strategy is the part `{self}`, which was not handed in"),
            "hand it in from Rust: `Study::replay_with(events, &parts)`, or `with_parts(&parts)` of a shared study; \
             the command, the server and Python cannot load parts",
        )
    }
}

impl fmt::Display for PartId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// A strategy that was handed in.
pub(super) type Strategy = Arc<dyn BatchStrategy + Send + Sync>;

type Make = Arc<dyn Fn(&PartSettings) -> Result<Strategy> + Send + Sync>;

/// Parts to hand in. They are never stored: a log has their names and settings.
///
/// ```
/// use elbowroom::batch::Plain;
/// use elbowroom::error::Kind;
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{PartId, Parts, StrategyConfig, Study, StudyConfig};
///
/// let part = PartId::new("acme/plain", "1")?;
/// // Any type that implements `BatchStrategy`, made from the settings in the configuration.
/// let parts = Parts::new().with_strategy(part.clone(), |_settings| Ok(Plain::default()));
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let config = StudyConfig::new(space).strategy(StrategyConfig::foreign(part));
/// let mut study = Study::with(config, &parts)?;
/// assert_eq!(study.ask(2)?.trials.len(), 2);
///
/// let events = study.events().to_vec();
/// let read = Study::replay(events.clone())?;
/// assert_eq!((read.trials().len(), read.suggest(1).unwrap_err().kind()), (2, Kind::MissingPart));
/// assert!(Study::replay_with(events, &parts)?.suggest(1).is_ok());
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Parts {
    strategies: Vec<(PartId, Make)>,
}

impl Parts {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a strategy, made from the settings that a configuration has for it. Settings that it does not know it should
    /// refuse. One of the same name that was added before is replaced.
    #[must_use]
    pub fn with_strategy<S: BatchStrategy + Send + Sync + 'static>(
        mut self,
        part: PartId,
        make: impl Fn(&PartSettings) -> Result<S> + Send + Sync + 'static,
    ) -> Self {
        self.strategies.retain(|(other, _)| other.name != part.name);
        self.strategies
            .push((part, Arc::new(move |settings: &PartSettings| Ok(Arc::new(make(settings)?) as Strategy))));
        self
    }

    /// The strategy of this name, of whichever version was handed in.
    pub(super) fn make(&self, name: &str, settings: &PartSettings) -> Result<Option<Foreign>> {
        let Some((part, make)) = self.strategies.iter().find(|(part, _)| part.name == name) else { return Ok(None) };
        let within = |error: Error| error.within(format_args!("the strategy `{part}`"));
        let strategy = make(settings).map_err(within)?;
        strategy.validate().map_err(within)?;
        Ok(Some(Foreign { part: part.clone(), strategy }))
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.strategies.iter().map(|(part, _)| part)).finish()
    }
}

/// A part that a study uses.
#[derive(Clone)]
pub(super) struct Foreign {
    pub part: PartId,
    pub strategy: Strategy,
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.part.fmt(f)
    }
}

/// With parts.
impl Study {
    /// As [`new`](Self::new), with parts of your own.
    pub fn with(config: StudyConfig, parts: &Parts) -> Result<Self> {
        Self::replay_with([Event::Created { config: Box::new(config) }], parts)
    }

    /// As [`replay`](Self::replay), with parts of your own.
    pub fn replay_with(events: impl IntoIterator<Item = Event>, parts: &Parts) -> Result<Self> {
        Self::replay(events)?.with_parts(parts)
    }

    /// The same study with parts of your own, in place of those it had.
    pub fn with_parts(mut self, parts: &Parts) -> Result<Self> {
        self.set_parts(parts)?;
        Ok(self)
    }

    /// Hands in parts of your own, in place of those the study had.
    pub fn set_parts(&mut self, parts: &Parts) -> Result<()> {
        self.foreign = match &self.state.config.strategy {
            StrategyConfig::Foreign { part, settings } => parts.make(part.name(), settings)?,
            _ => None,
        };
        self.parts = parts.clone();
        Ok(())
    }

    /// The parts that were handed in.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The strategy that chooses points. Fails with [`Kind::MissingPart`] if it is a part that was not handed in.
    pub fn strategy(&self) -> Result<&dyn BatchStrategy> {
        match (&self.state.config.strategy, &self.foreign) {
            (StrategyConfig::Foreign { .. }, Some(foreign)) => Ok(&*foreign.strategy),
            (StrategyConfig::Foreign { part, .. }, None) => Err(part.is_missing()),
            (ours, _) => Ok(ours),
        }
    }
}
