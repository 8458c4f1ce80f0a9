//! Strategies and kernels that users hand in with a study.
//!
//! A configuration is data and a part is code. So the configuration has the part's name and settings, and whoever
//! creates or reads the study hands the part in. Everything that does not choose points (results, the best trial,
//! telling, exporting) works without the part.

use std::fmt;
use std::sync::Arc;

use super::config::StudyConfig;
use super::event::Event;
use super::strategy::StrategyConfig;
use super::{Kept, Study};
use crate::batch::BatchStrategy;
use crate::belief::{Contestant, KernelConfig};
use crate::error::{Error, Result};
use crate::gp::{AnyKernel, Kernel};
use crate::part_id::{PartId, PartSettings};

/// A strategy that was given.
pub(super) type Strategy = Arc<dyn BatchStrategy + Send + Sync>;

type Make = Arc<dyn Fn(&PartSettings) -> Result<Strategy> + Send + Sync>;
type MakeKernel = Arc<dyn Fn(&PartSettings) -> Result<AnyKernel> + Send + Sync>;

/// Parts to hand in. They are never stored; a log has their names and settings.
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
    kernels: Vec<(PartId, MakeKernel)>,
}

impl Parts {
    /// No parts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a strategy, created from the settings that the configuration has for it. It should refuse settings that it
    /// does not know. A strategy added earlier under the same name is replaced.
    #[must_use]
    pub fn with_strategy<S: BatchStrategy + Send + Sync + 'static>(
        mut self,
        part: PartId,
        make: impl Fn(&PartSettings) -> Result<S> + Send + Sync + 'static,
    ) -> Self {
        self.strategies.retain(|(other, _)| other.name() != part.name());
        self.strategies
            .push((part, Arc::new(move |settings: &PartSettings| Ok(Arc::new(make(settings)?) as Strategy))));
        self
    }

    /// Adds a kernel, created from the settings that the configuration has for it, just as
    /// [`with_strategy`](Self::with_strategy) adds a strategy. Its functions are checked against each other when it is
    /// handed in: see [`AnyKernel::own`](crate::gp::AnyKernel::own).
    ///
    /// ```
    /// use elbowroom::gp::Matern52;
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{KernelConfig, PartId, Parts, Study, StudyConfig};
    ///
    /// let part = PartId::new("acme/smooth", "1")?;
    /// // Any type that implements `Kernel`.
    /// let parts = Parts::new().with_kernel(part.clone(), |_settings| Ok(Matern52));
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let mut config = StudyConfig::new(space);
    /// config.model.kernels = vec![KernelConfig::foreign(part)];
    /// let mut study = Study::with(config, &parts)?;
    /// assert_eq!(study.ask(2)?.trials.len(), 2);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    #[must_use]
    pub fn with_kernel<K: Kernel>(
        mut self,
        part: PartId,
        make: impl Fn(&PartSettings) -> Result<K> + Send + Sync + 'static,
    ) -> Self {
        self.kernels.retain(|(other, _)| other.name() != part.name());
        let name = part.name().to_owned();
        self.kernels.push((part, Arc::new(move |settings: &PartSettings| AnyKernel::own(&name, make(settings)?))));
        self
    }

    /// The kernel that a configuration names, in whichever version was given; none if it was not.
    fn kernel(&self, named: &KernelConfig) -> Result<Option<Contestant>> {
        let (part, settings) = match named {
            KernelConfig::Ours(kind) => return Ok(Some((*kind).into())),
            KernelConfig::Foreign { part, settings } => (part, settings),
        };
        let Some((part, make)) = self.kernels.iter().find(|(other, _)| other.name() == part.name()) else {
            return Ok(None);
        };
        let kernel = make(settings).map_err(|error| error.within(format_args!("the kernel `{part}`")))?;
        let name = KernelConfig::Foreign { part: part.clone(), settings: settings.clone() };
        Ok(Some(Contestant { name, kernel }))
    }

    /// The strategy with this name, in whichever version was given.
    pub(super) fn make(&self, name: &str, settings: &PartSettings) -> Result<Option<Foreign>> {
        let Some((part, make)) = self.strategies.iter().find(|(part, _)| part.name() == name) else { return Ok(None) };
        let within = |error: Error| error.within(format_args!("the strategy `{part}`"));
        let strategy = make(settings).map_err(within)?;
        strategy.validate().map_err(within)?;
        Ok(Some(Foreign { part: part.clone(), strategy }))
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let strategies = self.strategies.iter().map(|(part, _)| part);
        f.debug_list().entries(strategies.chain(self.kernels.iter().map(|(part, _)| part))).finish()
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

/// Studies with parts of your own.
impl Study {
    /// Like [`new`](Self::new), with parts of your own.
    pub fn with(config: StudyConfig, parts: &Parts) -> Result<Self> {
        config.refuse_empty()?;
        Self::replay_with([Event::Created { config: Box::new(config) }], parts)
    }

    /// Like [`replay`](Self::replay), with parts of your own.
    pub fn replay_with(events: impl IntoIterator<Item = Event>, parts: &Parts) -> Result<Self> {
        Self::replay(events)?.with_parts(parts)
    }

    /// The same study with these parts instead of those it had.
    pub fn with_parts(mut self, parts: &Parts) -> Result<Self> {
        self.set_parts(parts)?;
        Ok(self)
    }

    /// Hands in these parts instead of those the study had.
    pub fn set_parts(&mut self, parts: &Parts) -> Result<()> {
        self.foreign = match &self.state.config.strategy {
            StrategyConfig::Foreign { part, settings } => parts.make(part.name(), settings)?,
            _ => None,
        };
        let named = self.state.config.model.kernels.iter();
        let kernels = named.map(|named| parts.kernel(named)).collect::<Result<_>>()?;
        if self.state.config.model.kernels.iter().any(|named| matches!(named, KernelConfig::Foreign { .. })) {
            // It was fitted with other kernels.
            self.model = Kept::default();
        }
        self.kernels = kernels;
        self.parts = parts.clone();
        Ok(())
    }

    /// The kernels that the model chooses from. Fails with [`Kind::MissingPart`](crate::error::Kind::MissingPart) if
    /// one of them is a part that was not handed in.
    pub(super) fn kernels(&self) -> Result<Vec<Contestant>> {
        let named = self.state.config.model.kernels.iter().enumerate();
        named
            .map(|(i, named)| match (self.kernels.get(i).cloned().flatten(), named) {
                (Some(kernel), _) => Ok(kernel),
                (None, KernelConfig::Ours(kind)) => Ok((*kind).into()),
                (None, KernelConfig::Foreign { part, .. }) => Err(part.is_missing("kernel")),
            })
            .collect()
    }

    /// The parts that were handed in.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The strategy, if all parts that a choice may need were handed in.
    pub(super) fn strategy_with_parts(&self) -> Result<&dyn BatchStrategy> {
        self.kernels()?;
        self.strategy()
    }

    /// The strategy that chooses points. Fails with [`Kind::MissingPart`](crate::error::Kind::MissingPart) if it is a part
    /// that was not handed in.
    pub fn strategy(&self) -> Result<&dyn BatchStrategy> {
        match (&self.state.config.strategy, &self.foreign) {
            (StrategyConfig::Foreign { .. }, Some(foreign)) => Ok(&*foreign.strategy),
            (StrategyConfig::Foreign { part, .. }, None) => Err(part.is_missing("strategy")),
            (ours, _) => Ok(ours),
        }
    }
}
