//! The methods by the names the paper prints, and their descendants; the two models they are compared under.

use std::fmt;

use clap::ValueEnum;
use elbowroom::batch::{
    AcquisitionKind, Adaptive, Believer, Candidates, HallucinatedUcb, Lie, LocalPenalization, Plain, PureExploration,
    RandomRest, Refit, SimulationMatching, Thompson,
};
use elbowroom::gp::{KernelKind, Prior};
use elbowroom::study::{HyperparameterRule, ModelConfig, ScaleRule, StrategyConfig};

use crate::Result;

/// The twelve methods of the paper, in the order of its table.
pub const PAPER: [&str; 12] =
    ["EI", "UCB", "Rand-EI", "Rand-UCB", "SM-UCB", "B-UCB", "PE-UCB", "Pred-EI", "Pred-UCB", "qEI", "LP-EI", "LP-UCB"];

/// Methods that came after the paper or stand beside it: `LP` is the default of the library.
pub const OTHERS: [&str; 16] = [
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
];

/// What each name of [`OTHERS`] means, in a line.
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
        _ => "as in the paper",
    }
}

/// The model that methods are compared under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Track {
    /// The library's default model: Matérn 5/2, one lengthscale per coordinate, priors, results warped where it helps.
    Modern,
    /// The paper's: exponentiated quadratic, one lengthscale, maximum likelihood from 10 random starts for every batch,
    /// results centred only.
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
                hyperparameters: HyperparameterRule::MaximumLikelihood { starts: 10 },
                scale: ScaleRule::Centred,
                noise_floor: 1e-6,
                noise_prior: Prior::Flat,
                ..ModelConfig::default()
            },
        }
    }

    /// How Pred refits its hyperparameters for every point: as the model of the track is fitted.
    fn refit(self) -> Refit {
        match self {
            Track::Modern => Refit::Map { ard: true },
            Track::Faithful => Refit::MaximumLikelihood { ard: false, starts: 10 },
        }
    }
}

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
    Ok(match name {
        "EI" => StrategyConfig::Plain(Plain { acquisition: ei }),
        "UCB" => StrategyConfig::Plain(Plain { acquisition: ucb }),
        "Rand-EI" => StrategyConfig::RandomRest(RandomRest { acquisition: ei }),
        "Rand-UCB" => StrategyConfig::RandomRest(RandomRest { acquisition: ucb }),
        "SM-UCB" => StrategyConfig::SimulationMatching(SimulationMatching::default()),
        "B-UCB" => StrategyConfig::HallucinatedUcb(HallucinatedUcb::default()),
        "PE-UCB" => StrategyConfig::PureExploration(PureExploration::default()),
        "Pred-EI" => StrategyConfig::Believer(pred(ei)),
        "Pred-UCB" => StrategyConfig::Believer(pred(ucb)),
        "qEI" => StrategyConfig::Multipoint,
        "LP-EI" => lp(LocalPenalization::paper_ei()),
        "LP-UCB" => lp(LocalPenalization::paper_ucb()),
        "LP" => lp(truncated),
        "LP-T-UCB" => lp(LocalPenalization { acquisition: ucb, ..truncated }),
        "LP-T0-EI" => lp(LocalPenalization { shrink: false, ..truncated }),
        "LP-T0-UCB" => lp(LocalPenalization { acquisition: ucb, shrink: false, ..truncated }),
        "LP-H-UCB" => lp(LocalPenalization {
            penalizer: Some(elbowroom::penalty::PenalizerKind::Hard),
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
        "PE-UCB-grid" => {
            StrategyConfig::PureExploration(PureExploration { candidates: grid, ..PureExploration::default() })
        }
        "SM-UCB-grid" => {
            StrategyConfig::SimulationMatching(SimulationMatching { candidates: grid, ..SimulationMatching::default() })
        }
        _ => {
            let names: Vec<&str> = PAPER.into_iter().chain(OTHERS).collect();
            return Err(format!("there is no method {name}\n  try: one of {}", names.join(", ")).into());
        }
    })
}

/// Whether a method takes one point at a time.
pub fn is_sequential(name: &str) -> bool {
    matches!(name, "EI" | "UCB")
}

/// Whether a method is local penalization or descends from it.
pub fn is_lp(name: &str) -> bool {
    name.starts_with("LP")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(strategy("LP-XY", Track::Modern).is_err());
    }
}
