//! The methods, by their names in the paper, and their descendants; and the two models under which they are compared.

use std::fmt;

use clap::ValueEnum;
use elbowroom::batch::{
    AcquisitionKind, Adaptive, Believer, Candidates, HallucinatedUcb, Lie, LocalPenalization, Plain, PureExploration,
    RandomRest, Refit, RegionRule, Safeguards, SimulationMatching, Thompson,
};
use elbowroom::gp::{KernelKind, Prior};
use elbowroom::study::{HyperparameterRule, ModelConfig, ScaleRule, StrategyConfig};

use crate::{Error, Result};

/// The twelve methods of the paper, in the order of its table.
pub const PAPER: [&str; 12] =
    ["EI", "UCB", "Rand-EI", "Rand-UCB", "SM-UCB", "B-UCB", "PE-UCB", "Pred-EI", "Pred-UCB", "qEI", "LP-EI", "LP-UCB"];

/// Methods that came after the paper or that it does not include: `LP` is the default of the library.
pub const OTHERS: [&str; 26] = [
    "LP",
    "LP-T-UCB",
    "LP-T0-EI",
    "LP-T0-UCB",
    "LP-H-UCB",
    "adaptive",
    "KB-EI",
    "CL-optimistic",
    "CL-pessimistic",
    "CL-mean",
    "CL-mix",
    "Thompson",
    "random",
    "B-UCB-grid",
    "PE-UCB-grid",
    "SM-UCB-grid",
    "PE-UCB-theory",
    "PE-UCB-theory-grid",
    "LP-EI-guarded",
    "LP-UCB-guarded",
    "LP-EI-floor",
    "LP-UCB-floor",
    "LP-EI-apart",
    "LP-UCB-apart",
    "LP-EI-short",
    "LP-UCB-short",
];

/// The meaning of each name of [`OTHERS`], in one line.
pub fn meaning(name: &str) -> &'static str {
    match name {
        "LP" => {
            "the library's default up to 0.4: expected improvement, truncated penalizer, variance factor, largest mean as M"
        }
        "LP-T-UCB" => "as LP, with the confidence bound of κ = 2",
        "LP-T0-EI" => "as LP, without the variance factor",
        "LP-T0-UCB" => "as LP-T-UCB, without the variance factor",
        "LP-H-UCB" => "LP-UCB with the hard penalizer",
        "adaptive" => "LP with a batch that ends by itself",
        "KB-EI" => "the kriging believer: Pred-EI that keeps its hyperparameters",
        "CL-optimistic" => "the constant liar with the best value so far",
        "CL-pessimistic" => "the constant liar with the worst value so far",
        "CL-mean" => "the constant liar with the mean of the values",
        "CL-mix" => "the better of the optimistic and the pessimistic batch",
        "Thompson" => "maximizers of posterior draws",
        "random" => "uniform points",
        "B-UCB-grid" => "B-UCB among 1,000 fixed points, as in early code",
        "PE-UCB-grid" => "PE-UCB among 1,000 fixed points, as in early code",
        "SM-UCB-grid" => "SM-UCB among 1,000 fixed points, as in early code",
        "PE-UCB-theory" => {
            "PE-UCB with the region of its theory, μ + 2κs; PE-UCB has that of its authors' program, μ + κs"
        }
        "PE-UCB-theory-grid" => "PE-UCB-theory among 1,000 fixed points",
        "LP-EI-guarded" => "LP-EI with the library's safeguards: a floor under L̂, a least separation, the short search",
        "LP-UCB-guarded" => {
            "LP-UCB with the library's safeguards: a floor under L̂, a least separation, the short search"
        }
        "LP-EI-floor" => "LP-EI with the floor under L̂ alone",
        "LP-UCB-floor" => "LP-UCB with the floor under L̂ alone",
        "LP-EI-apart" => "LP-EI with the least separation alone",
        "LP-UCB-apart" => "LP-UCB with the least separation alone",
        "LP-EI-short" => "LP-EI with the short search alone: 3 climbs of 30 evaluations",
        "LP-UCB-short" => "LP-UCB with the short search alone: 3 climbs of 30 evaluations",
        _ => "as in the paper",
    }
}

/// The model that methods are compared under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Track {
    /// The library's default model: Matérn 5/2, one lengthscale per coordinate, priors, results warped where it helps.
    Modern,
    /// The paper's: exponentiated quadratic, one lengthscale, maximum likelihood of all data from 10 starts for every
    /// batch, results centred only.
    Faithful,
}

impl fmt::Display for Track {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Track::Modern => "modern",
            Track::Faithful => "faithful",
        })
    }
}

impl Track {
    /// The model's settings.
    pub fn model(self) -> ModelConfig {
        match self {
            Track::Modern => ModelConfig {
                kernels: vec![KernelKind::Matern52.into()],
                noise_prior: Prior::ONCE_OF_NOISE,
                ..ModelConfig::default()
            },
            Track::Faithful => ModelConfig {
                kernels: vec![KernelKind::Rbf.into()],
                ard: false,
                hyperparameters: HyperparameterRule::MaximumLikelihoodOfAll { starts: STARTS },
                scale: ScaleRule::Centred,
                noise_floor: NOISE_FLOOR,
                noise_prior: Prior::Flat,
                ..ModelConfig::default()
            },
        }
    }

    /// How Pred refits its hyperparameters for every point: in the same way as the model of the track.
    fn refit(self) -> Refit {
        match self {
            Track::Modern => Refit::Map { ard: true },
            Track::Faithful => Refit::MaximumLikelihoodOfAll { ard: false, starts: STARTS, noise_floor: NOISE_FLOOR },
        }
    }
}

/// The number of starts of a fit that follows the paper exactly.
const STARTS: usize = 10;

/// The smallest noise variance of such a fit, relative to the variance of the results: for the model and for Pred.
const NOISE_FLOOR: f64 = 1e-6;

/// The weight of the standard deviation in all confidence bounds of the paper.
const KAPPA: f64 = 2.0;

/// Points of the finite grid.
const GRID: usize = 1000;

/// The strategy of a name.
pub fn strategy(name: &str, track: Track) -> Result<StrategyConfig> {
    let (ei, ucb) = (AcquisitionKind::Ei, AcquisitionKind::Ucb { kappa: KAPPA });
    let lp = StrategyConfig::LocalPenalization;
    let pred = |acquisition| Believer { acquisition, lie: Lie::Mean, refit: track.refit() };
    let liar = |lie| StrategyConfig::Believer(Believer { lie, ..Believer::default() });
    let grid = Candidates::Grid { n: GRID.try_into()?, seed: 0 };
    let truncated = LocalPenalization::penalized_only();
    let explore = PureExploration { region: RegionRule::Program, ..PureExploration::default() };
    Ok(match name {
        "EI" => StrategyConfig::Plain(Plain { acquisition: ei }),
        "UCB" => StrategyConfig::Plain(Plain { acquisition: ucb }),
        "Rand-EI" => StrategyConfig::RandomRest(RandomRest { acquisition: ei }),
        "Rand-UCB" => StrategyConfig::RandomRest(RandomRest { acquisition: ucb }),
        "SM-UCB" => StrategyConfig::SimulationMatching(SimulationMatching::default()),
        "B-UCB" => StrategyConfig::HallucinatedUcb(HallucinatedUcb::default()),
        "PE-UCB" => StrategyConfig::PureExploration(explore),
        "PE-UCB-theory" => StrategyConfig::PureExploration(PureExploration::default()),
        "Pred-EI" => StrategyConfig::Believer(pred(ei)),
        "Pred-UCB" => StrategyConfig::Believer(pred(ucb)),
        "qEI" => StrategyConfig::Multipoint,
        name if name.starts_with("LP-EI") || name.starts_with("LP-UCB") => {
            let Some(safeguards) = safeguards(name) else { return Err(unknown(name)) };
            let paper =
                if name.starts_with("LP-EI") { LocalPenalization::paper_ei() } else { LocalPenalization::paper_ucb() };
            lp(LocalPenalization { safeguards, ..paper })
        }
        "LP" => lp(truncated),
        "LP-T-UCB" => lp(LocalPenalization { acquisition: ucb, ..truncated }),
        "LP-T0-EI" => lp(LocalPenalization { shrink: false, ..truncated }),
        "LP-T0-UCB" => lp(LocalPenalization { acquisition: ucb, shrink: false, ..truncated }),
        "LP-H-UCB" => lp(LocalPenalization {
            penalizer: Some(elbowroom::penalty::PenalizerKind::Hard),
            safeguards: Safeguards::none(),
            ..LocalPenalization::paper_ucb()
        }),
        "adaptive" => StrategyConfig::Adaptive(Adaptive::default()),
        "KB-EI" => liar(Lie::Mean),
        "CL-optimistic" => liar(Lie::Optimistic),
        "CL-pessimistic" => liar(Lie::Pessimistic),
        "CL-mean" => liar(Lie::MeanOfValues),
        "CL-mix" => liar(Lie::Mix),
        "Thompson" => StrategyConfig::Thompson(Thompson::default()),
        "random" => StrategyConfig::Random,
        "B-UCB-grid" => {
            StrategyConfig::HallucinatedUcb(HallucinatedUcb { candidates: grid, ..HallucinatedUcb::default() })
        }
        "PE-UCB-grid" => StrategyConfig::PureExploration(PureExploration { candidates: grid, ..explore }),
        "PE-UCB-theory-grid" => {
            StrategyConfig::PureExploration(PureExploration { candidates: grid, ..PureExploration::default() })
        }
        "SM-UCB-grid" => {
            StrategyConfig::SimulationMatching(SimulationMatching { candidates: grid, ..SimulationMatching::default() })
        }
        _ => return Err(unknown(name)),
    })
}

/// Which safeguards, beyond the paper's Algorithm 1, local penalization has according to the suffix of its name: none,
/// all, or one of them.
fn safeguards(name: &str) -> Option<Safeguards> {
    let (all, none) = (Safeguards::default(), Safeguards::none());
    let Safeguards { starts, climb_evaluations, .. } = all;
    Some(match name.trim_start_matches("LP-EI").trim_start_matches("LP-UCB") {
        "" => none,
        "-guarded" => all,
        "-floor" => Safeguards { lipschitz_floor: true, ..none },
        "-apart" => Safeguards { separation: true, ..none },
        "-short" => Safeguards { starts, climb_evaluations, ..none },
        _ => return None,
    })
}

fn unknown(name: &str) -> Error {
    let names: Vec<&str> = PAPER.into_iter().chain(OTHERS).collect();
    format!("there is no method {name}\n  try: one of {}", names.join(", ")).into()
}

/// Whether a method takes one point at a time.
pub fn is_sequential(name: &str) -> bool {
    matches!(name, "EI" | "UCB")
}

/// The method that another one is a variant of.
pub fn variant_of(name: &str) -> Option<&str> {
    let ends = ["-guarded", "-floor", "-apart", "-short", "-theory", "-grid", "-theory-grid"];
    ends.iter().rev().find_map(|end| name.strip_suffix(end))
}

/// Whether a method is local penalization or descends from it.
pub fn is_lp(name: &str) -> bool {
    name.starts_with("LP")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_name_the_method_that_they_vary() {
        let named = ["LP-UCB-guarded", "PE-UCB-theory", "PE-UCB-theory-grid", "LP-UCB", "LP-T-UCB"].map(variant_of);
        assert_eq!(named, [Some("LP-UCB"), Some("PE-UCB"), Some("PE-UCB"), None, None]);
    }

    #[test]
    fn every_name_has_a_strategy_of_its_own() {
        let names: Vec<&str> = PAPER.into_iter().chain(OTHERS).collect();
        for track in [Track::Modern, Track::Faithful] {
            let all: Vec<_> = names.iter().map(|name| strategy(name, track).unwrap()).collect();
            for i in 0..all.len() {
                for j in 0..i {
                    assert_ne!(all[i], all[j], "{} and {}", names[i], names[j]);
                }
            }
        }
        for name in ["LP-XY", "LP-EI-XY"] {
            assert!(strategy(name, Track::Modern).unwrap_err().to_string().contains(name));
        }
    }
}
