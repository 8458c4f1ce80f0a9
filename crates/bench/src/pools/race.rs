//! One search in a pool: batches of five, up to fifty points.

use elbowroom::batch::{LocalPenalization, RefineRule};
use elbowroom::gp::{AnyKernel, KernelKind, Prior};
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{FailureRule, Goal, InitialDesign, ModelConfig, ScaleRule, StrategyConfig, Study, StudyConfig};

use super::Pool;
use crate::options::stop;

/// Points of a batch.
pub const BATCH: usize = 5;

/// Points of a search.
pub const BUDGET: usize = 50;

/// The largest value after each batch, by a method: `random`, or `elbowroom` followed by changes, such as
/// `elbowroom+initial=5+asnumbers`.
pub fn race(pool: &Pool, method: &str, seed: u64) -> Vec<f64> {
    // Seeds of different pools should be unrelated; a pool with descriptors is the same pool as without.
    let seed = Stream::new(seed).child(pool.name.trim_end_matches("_described"), 0).bits() >> 12;
    let config = StudyConfig::new(pool.space.clone()).goal(Goal::Maximize).seed(seed).failures(FailureRule::Ignore);
    let config = match method {
        "random" => config.strategy(StrategyConfig::Random).initial(1),
        _ => changed_by(config, method.split('+').skip(1)),
    };
    let mut study = Study::new(config).expect("a valid study");
    let (mut measured, mut best, mut curve) = (0, f64::NEG_INFINITY, Vec::new());
    while measured < BUDGET {
        let mut wanted = BATCH;
        while wanted > 0 {
            let trials = study.ask(wanted).expect("a batch").trials;
            assert!(!trials.is_empty(), "{}: no point is left", pool.name);
            for trial in trials {
                match pool.value(&trial.unit) {
                    Some(value) => {
                        best = best.max(value);
                        wanted -= 1;
                        study.tell(trial.id, value).expect("a pending trial");
                    }
                    // Not measured: treated as if it could not be made, which costs nothing and teaches nothing.
                    None => study.fail(trial.id, "not in the pool").expect("a pending trial"),
                }
            }
        }
        measured += BATCH;
        curve.push(best);
    }
    curve
}

/// A configuration with some changes, named as after `+` in a method's name.
pub fn changed_by<'a>(config: StudyConfig, changes: impl IntoIterator<Item = &'a str>) -> StudyConfig {
    changes.into_iter().fold(config, changed)
}

fn changed(config: StudyConfig, change: &str) -> StudyConfig {
    let model = config.model.clone();
    let penalizing = |penalizer, refine| {
        StrategyConfig::LocalPenalization(LocalPenalization { penalizer, refine, ..LocalPenalization::default() })
    };
    let default = LocalPenalization::default();
    match change.split_once('=') {
        None if change == "standardized" => config.model(ModelConfig { scale: ScaleRule::Standardized, ..model }),
        None if change == "norefine" => config.strategy(penalizing(default.penalizer, Some(RefineRule::Never))),
        None if change == "nopenalty" => config.strategy(penalizing(None, default.refine)),
        None if change == "undescribed" => {
            let plain = |parameter: &Parameter| match parameter.clone() {
                Parameter::Category { name, choices, .. } => Parameter::category(name, choices),
                other => other,
            };
            let mut config = config;
            let space = SearchSpace::new(config.space.parameters().iter().map(plain).collect());
            config.space = space.unwrap_or_else(|error| stop(&error.to_string()));
            config
        }
        None if change == "asnumbers" => {
            let mut config = config;
            config.model.category_prior = None;
            config
        }
        Some(("initial", n)) => config.initial(number(n)),
        Some(("design", name)) => config.design(match name {
            "sobol" => InitialDesign::Sobol,
            "uniform" => InitialDesign::Uniform,
            "latin_hypercube" => InitialDesign::LatinHypercube,
            _ => stop(&format!("there is no design {name}")),
        }),
        Some(("noise", share)) => {
            let Prior::NoneOrSome { none, some, .. } = Prior::OF_NOISE else { return config };
            let noise_prior = Prior::NoneOrSome { none, some, share: number(share) };
            config.model(ModelConfig { noise_prior, ..model })
        }
        Some(("kernels", names)) => {
            let named = |name: &str| {
                let found = KernelKind::all().into_iter().find(|kind| AnyKernel::from(*kind).name() == name);
                found.unwrap_or_else(|| stop(&format!("there is no kernel {name}"))).into()
            };
            config.model(ModelConfig { kernels: names.split(':').map(named).collect(), ..model })
        }
        Some(("score", n)) => config.score_all(number(n)),
        Some(("category", law)) => {
            let (mu, sigma) = law.split_once(':').unwrap_or_else(|| stop(&format!("{law} is not MU:SIGMA")));
            let prior = Prior::LogNormal { mu: number(mu), sigma: number(sigma) };
            config.model(ModelConfig { category_prior: Some(prior), ..model })
        }
        Some(("strategy", name)) => {
            config.strategy(StrategyConfig::named(name).unwrap_or_else(|error| stop(&error.to_string())))
        }
        _ => stop(&format!(
            "there is no change {change}: take standardized, norefine, nopenalty, asnumbers, undescribed, initial=N, score=N, \
             design=NAME,              noise=SHARE, kernels=A:B, category=MU:SIGMA or strategy=NAME"
        )),
    }
}

fn number<T: std::str::FromStr>(word: &str) -> T {
    word.parse().unwrap_or_else(|_| stop(&format!("{word} is not such a number")))
}
