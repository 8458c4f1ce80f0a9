//! The strategies a study can be told to use.

use serde::{Deserialize, Deserializer, Serialize};

use crate::batch::{
    Adaptive, BatchSize, BatchStrategy, Believer, Chooser, HallucinatedUcb, LocalPenalization, Multipoint, Plain,
    PureExploration, Random, RandomRest, SimulationMatching, Situation, Thompson,
};
use crate::error::{Error, Result};
use crate::part_id::{PartId, PartSettings};

/// How points are chosen once there are results; a variant carries its own parameters.
///
/// ```
/// use elbowroom::study::StrategyConfig;
/// let strategy: StrategyConfig = serde_json::from_str(r#"{"name":"believer","lie":"pessimistic"}"#)?;
/// assert_eq!(strategy.name(), "believer");
/// assert_eq!(StrategyConfig::named("local_penalization").unwrap(), StrategyConfig::default());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum StrategyConfig {
    /// Local penalization, with its parts.
    LocalPenalization(LocalPenalization),
    /// Local penalization with a batch that ends by itself.
    Adaptive(Adaptive),
    /// The acquisition on completed data alone (EI, UCB).
    Plain(Plain),
    /// The acquisition first, uniform points after it (Rand-EI, Rand-UCB).
    RandomRest(RandomRest),
    /// The confidence bound with a hallucinated variance (B-UCB).
    HallucinatedUcb(HallucinatedUcb),
    /// The confidence bound, then the largest variance in the relevant region (PE-UCB).
    PureExploration(PureExploration),
    /// Made-up results: kriging believer and constant liars (Pred-EI, Pred-UCB).
    Believer(Believer),
    /// Simulation matching (SM-UCB).
    SimulationMatching(SimulationMatching),
    /// The largest joint expected improvement (qEI).
    #[serde(deserialize_with = "no_settings")]
    Multipoint,
    /// Maximizers of posterior draws.
    Thompson(Thompson),
    /// Uniform among the points that are feasible and not taken: the yardstick for all others.
    #[serde(deserialize_with = "no_settings")]
    Random,
    /// A part of the user's own, to be handed in beside the study: see [`Parts`](super::Parts).
    Foreign {
        /// Which.
        part: PartId,
        /// What it is told.
        #[serde(default, skip_serializing_if = "PartSettings::is_empty")]
        settings: PartSettings,
    },
}

/// Refuses settings of a strategy that has none: a unit variant alone would pass over them.
fn no_settings<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    Nothing::deserialize(deserializer).map(|Nothing {}| ())
}

impl StrategyConfig {
    /// A part of the user's own, without settings.
    pub fn foreign(part: PartId) -> Self {
        StrategyConfig::Foreign { part, settings: PartSettings::new() }
    }

    /// Every strategy of this library with its default settings.
    ///
    /// ```
    /// use elbowroom::study::StrategyConfig;
    /// assert!(StrategyConfig::all().iter().any(|strategy| strategy.name() == "thompson"));
    /// ```
    pub fn all() -> Vec<Self> {
        vec![
            StrategyConfig::LocalPenalization(LocalPenalization::default()),
            StrategyConfig::Adaptive(Adaptive::default()),
            StrategyConfig::Plain(Plain::default()),
            StrategyConfig::RandomRest(RandomRest::default()),
            StrategyConfig::HallucinatedUcb(HallucinatedUcb::default()),
            StrategyConfig::PureExploration(PureExploration::default()),
            StrategyConfig::Believer(Believer::default()),
            StrategyConfig::SimulationMatching(SimulationMatching::default()),
            StrategyConfig::Multipoint,
            StrategyConfig::Thompson(Thompson::default()),
            StrategyConfig::Random,
        ]
    }

    /// The names of all strategies.
    ///
    /// ```
    /// use elbowroom::study::StrategyConfig;
    /// assert!(StrategyConfig::names().contains(&"hallucinated_ucb"));
    /// ```
    pub fn names() -> Vec<&'static str> {
        Self::all().iter().map(Self::tag).collect()
    }

    /// The name: as it stands in a configuration, or that of the part.
    pub fn name(&self) -> &str {
        match self {
            StrategyConfig::Foreign { part, .. } => part.name(),
            ours => ours.tag(),
        }
    }

    /// What tells the variants apart in a configuration.
    fn tag(&self) -> &'static str {
        match self {
            StrategyConfig::LocalPenalization(_) => "local_penalization",
            StrategyConfig::Adaptive(_) => "adaptive",
            StrategyConfig::Plain(_) => "plain",
            StrategyConfig::RandomRest(_) => "random_rest",
            StrategyConfig::HallucinatedUcb(_) => "hallucinated_ucb",
            StrategyConfig::PureExploration(_) => "pure_exploration",
            StrategyConfig::Believer(_) => "believer",
            StrategyConfig::SimulationMatching(_) => "simulation_matching",
            StrategyConfig::Multipoint => "multipoint",
            StrategyConfig::Thompson(_) => "thompson",
            StrategyConfig::Random => "random",
            StrategyConfig::Foreign { .. } => "foreign",
        }
    }

    /// The strategy of a name, with its default settings.
    ///
    /// ```
    /// use elbowroom::study::StrategyConfig;
    /// assert_eq!(StrategyConfig::named("random").unwrap(), StrategyConfig::Random);
    /// assert!(StrategyConfig::named("clever").is_err());
    /// ```
    pub fn named(name: &str) -> Result<Self> {
        Self::all().into_iter().find(|strategy| strategy.name() == name).ok_or_else(|| {
            Error::config(
                format!("there is no strategy named {name:?}"),
                format!("take one of {}", Self::names().join(", ")),
            )
        })
    }

    fn strategy(&self) -> Result<&dyn BatchStrategy> {
        Ok(match self {
            StrategyConfig::LocalPenalization(strategy) => strategy,
            StrategyConfig::Adaptive(strategy) => strategy,
            StrategyConfig::Plain(strategy) => strategy,
            StrategyConfig::RandomRest(strategy) => strategy,
            StrategyConfig::HallucinatedUcb(strategy) => strategy,
            StrategyConfig::PureExploration(strategy) => strategy,
            StrategyConfig::Believer(strategy) => strategy,
            StrategyConfig::SimulationMatching(strategy) => strategy,
            StrategyConfig::Multipoint => &Multipoint,
            StrategyConfig::Thompson(strategy) => strategy,
            StrategyConfig::Random => &Random,
            StrategyConfig::Foreign { part, .. } => return Err(part.is_missing("strategy")),
        })
    }
}

impl Default for StrategyConfig {
    fn default() -> Self {
        StrategyConfig::LocalPenalization(LocalPenalization::default())
    }
}

impl StrategyConfig {
    /// Refuses settings out of their range, by name.
    pub(super) fn validate(&self) -> Result<()> {
        match self {
            StrategyConfig::Foreign { part, .. } => part.check(),
            ours => ours.strategy()?.validate(),
        }
    }
}

impl BatchStrategy for StrategyConfig {
    fn bind<'a>(&'a self, situation: &'a Situation<'a>, q: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        self.strategy()?.bind(situation, q)
    }
}
