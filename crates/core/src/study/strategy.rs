//! The strategies that a study can use.

use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize};

use super::outcomes::Objective;
use crate::batch::{
    Adaptive, Aims, BatchSize, BatchStrategy, Believer, Chooser, HallucinatedUcb, LocalPenalization, Multipoint,
    ParetoSearch, Plain, PureExploration, Random, RandomRest, RefineRule, SimulationMatching, Situation, Thompson,
};
use crate::error::{Error, Result};
use crate::part_id::{PartId, PartSettings};
use crate::space::nearest;

/// The strategies of this library: those with settings, then those without. A new one needs a single line here.
macro_rules! strategies {
    (
        $( $(#[doc = $about:literal])* $tag:literal $settings:ident, )*
        without settings:
        $( $(#[doc = $unit_about:literal])* $unit_tag:literal $unit:ident, )*
    ) => {
        /// How points are chosen once there are results. A variant contains the strategy's settings.
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
            $( $(#[doc = $about])* #[serde(rename = $tag)] $settings($settings), )*
            $( $(#[doc = $unit_about])* #[serde(rename = $unit_tag, deserialize_with = "no_settings")] $unit, )*
            /// A strategy that the user hands in with the study: see [`Parts`](super::Parts).
            Foreign {
                /// Its name and version.
                part: PartId,
                /// Its settings.
                #[serde(default, skip_serializing_if = "PartSettings::is_empty")]
                settings: PartSettings,
            },
        }

        impl StrategyConfig {
            /// Every strategy of this library with its default settings.
            ///
            /// ```
            /// use elbowroom::study::StrategyConfig;
            /// assert!(StrategyConfig::all().iter().any(|strategy| strategy.name() == "thompson"));
            /// ```
            pub fn all() -> Vec<Self> {
                vec![
                    $( StrategyConfig::$settings($settings::default()), )*
                    $( StrategyConfig::$unit, )*
                ]
            }

            /// The word that tells the variants apart in a configuration.
            fn tag(&self) -> &'static str {
                match self {
                    $( StrategyConfig::$settings(_) => $tag, )*
                    $( StrategyConfig::$unit => $unit_tag, )*
                    StrategyConfig::Foreign { .. } => "foreign",
                }
            }

            fn strategy(&self) -> Result<&dyn BatchStrategy> {
                Ok(match self {
                    $( StrategyConfig::$settings(strategy) => strategy, )*
                    $( StrategyConfig::$unit => &$unit, )*
                    StrategyConfig::Foreign { part, .. } => return Err(part.is_missing("strategy")),
                })
            }
        }
    };
}

strategies! {
    /// Local penalization, with its parts.
    "local_penalization" LocalPenalization,
    /// Local penalization with a batch that ends early if further points would not help.
    "adaptive" Adaptive,
    /// The acquisition on completed data alone (EI, UCB).
    "plain" Plain,
    /// The acquisition first, uniform points after it (Rand-EI, Rand-UCB).
    "random_rest" RandomRest,
    /// The confidence bound with a hallucinated variance (B-UCB).
    "hallucinated_ucb" HallucinatedUcb,
    /// The confidence bound, then the largest variance in the relevant region (PE-UCB).
    "pure_exploration" PureExploration,
    /// Made-up results: kriging believer and constant liars (Pred-EI, Pred-UCB).
    "believer" Believer,
    /// Simulation matching (SM-UCB).
    "simulation_matching" SimulationMatching,
    /// Maximizers of posterior draws.
    "thompson" Thompson,
    without settings:
    /// The largest joint expected improvement (qEI).
    "multipoint" Multipoint,
    /// Uniform among the points that are feasible and not taken: the baseline for all others.
    "random" Random,
}

/// Refuses settings of a strategy that has none: a unit variant would ignore them.
fn no_settings<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    Nothing::deserialize(deserializer).map(|Nothing {}| ())
}

impl StrategyConfig {
    /// A strategy that the user hands in, without settings.
    pub fn foreign(part: PartId) -> Self {
        StrategyConfig::Foreign { part, settings: PartSettings::new() }
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

    /// The name: as in a configuration, or that of the user's part.
    pub fn name(&self) -> &str {
        match self {
            StrategyConfig::Foreign { part, .. } => part.name(),
            ours => ours.tag(),
        }
    }

    /// The strategy of this name, with its default settings.
    ///
    /// ```
    /// use elbowroom::study::StrategyConfig;
    /// assert_eq!(StrategyConfig::named("random").unwrap(), StrategyConfig::Random);
    /// assert!(StrategyConfig::named("clever").is_err());
    /// ```
    pub fn named(name: &str) -> Result<Self> {
        Self::all().into_iter().find(|strategy| strategy.name() == name).ok_or_else(|| {
            let hint = match nearest(name, Self::names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("use one of {}", Self::names().join(", ")),
            };
            Error::config(format!("there is no strategy named {name:?}"), hint)
        })
    }
}

impl StrategyConfig {
    /// Sets the rule for refining points if the configuration does not have one.
    pub(super) fn refining_by(mut self, rule: RefineRule) -> Self {
        match &mut self {
            StrategyConfig::LocalPenalization(strategy) => strategy.refine = strategy.refine.or(Some(rule)),
            StrategyConfig::Adaptive(Adaptive { strategy, .. }) => {
                strategy.refine = strategy.refine.or(Some(RefineRule::Never));
            }
            _ => {}
        }
        self
    }
}

impl StrategyConfig {
    /// Removes the rule for refining points if it is the default and the other study is from before there was a rule.
    pub(super) fn refining_as(mut self, begun: &Self) -> Self {
        let rule = |strategy: &mut LocalPenalization, begun: &LocalPenalization, default: RefineRule| {
            if begun.refine.is_none() && strategy.refine == Some(default) {
                strategy.refine = None;
            }
        };
        match (&mut self, begun) {
            (StrategyConfig::LocalPenalization(here), StrategyConfig::LocalPenalization(there)) => {
                rule(here, there, RefineRule::default());
            }
            (StrategyConfig::Adaptive(here), StrategyConfig::Adaptive(there)) => {
                rule(&mut here.strategy, &there.strategy, RefineRule::Never);
            }
            _ => {}
        }
        self
    }
}

impl Default for StrategyConfig {
    fn default() -> Self {
        StrategyConfig::LocalPenalization(LocalPenalization::default())
    }
}

impl StrategyConfig {
    /// Refuses settings that are out of range, by name.
    pub(super) fn validate(&self) -> Result<()> {
        match self {
            StrategyConfig::Foreign { part, .. } => part.check(),
            ours => ours.strategy()?.validate(),
        }
    }
}

/// What local penalization becomes with several objectives.
static TOWARDS_FRONT: LazyLock<ParetoSearch> = LazyLock::new(ParetoSearch::default);

/// What the acquisition on completed data alone becomes: pending points are ignored.
static TOWARDS_FRONT_ALONE: ParetoSearch = ParetoSearch { believe: false, share: None, penalize: false };

/// What made-up results become: pending points get the expected results.
static TOWARDS_FRONT_BELIEVING: ParetoSearch = ParetoSearch { believe: true, share: None, penalize: false };

impl StrategyConfig {
    /// The search with several objectives that replaces this strategy; none if it supports only one objective.
    fn towards_front(&self) -> Option<&'static (dyn BatchStrategy + Sync)> {
        match self {
            StrategyConfig::LocalPenalization(_) => Some(&*TOWARDS_FRONT),
            StrategyConfig::Believer(_) => Some(&TOWARDS_FRONT_BELIEVING),
            StrategyConfig::Plain(_) => Some(&TOWARDS_FRONT_ALONE),
            StrategyConfig::Random => Some(&Random),
            _ => None,
        }
    }

    /// Refuses a strategy for one objective if there are several. A user's strategy gets them all.
    pub(super) fn check_for_front(&self, objectives: &[Objective]) -> Result<()> {
        let is_foreign = matches!(self, StrategyConfig::Foreign { .. });
        if objectives.len() < 2 || is_foreign || self.towards_front().is_some() {
            return Ok(());
        }
        let names: Vec<String> = objectives.iter().map(|one| format!("`{}`", one.name)).collect();
        let what = format!(
            "the strategy `{}` is for one objective, but this study has {}: {}",
            self.name(),
            names.len(),
            names.join(", ")
        );
        let all = Self::all();
        let known: Vec<&str> = all.iter().filter(|one| one.towards_front().is_some()).map(Self::name).collect();
        Err(Error::config(what, format!("use one of {}, or leave `goal` out of all but one", known.join(", "))))
    }
}

impl BatchStrategy for StrategyConfig {
    fn bind<'a>(&'a self, situation: &'a Situation<'a>, q: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        match self.towards_front().filter(|_| situation.aims.is_some_and(Aims::has_several_objectives)) {
            Some(strategy) => strategy.bind(situation, q),
            None => self.strategy()?.bind(situation, q),
        }
    }
}
