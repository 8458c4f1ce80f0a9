//! A study at a glance.

use std::collections::BTreeMap;

use elbowroom::space::Point;
use elbowroom::study::{Build, Event, Goal, Recommendation, Study, TrialId};
use serde::Serialize;

use crate::axis::{Axis, axes};
use crate::scene::{Held, Scene, TrialStatus, broken};
use crate::table::{Row, row};

/// A study at a glance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overview {
    /// Its name.
    pub name: String,
    /// How many events it has.
    pub revision: usize,
    /// What is wanted.
    pub goal: Goal,
    /// The strategy's name.
    pub strategy: String,
    /// The root of all randomness.
    pub seed: u64,
    /// The most trials.
    pub budget: Option<usize>,
    /// How many of them it may still hand out: points of one's own are not counted.
    pub budget_left: Option<usize>,
    /// How many trials there are.
    pub n_trials: usize,
    /// How many points come from the design.
    pub n_initial: usize,
    /// How many trials stand how.
    pub counts: BTreeMap<TrialStatus, usize>,
    /// The trial with the best value.
    pub best: Option<Row>,
    /// The known constraint that its point breaks: it was measured all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_breaks: Option<String>,
    /// All parameters, in order.
    pub parameters: Vec<String>,
    /// The searched ones.
    pub axes: Vec<Axis>,
    /// Constraints between them.
    pub constraints: Vec<String>,
    /// Who has which trial.
    pub held: Vec<Held>,
    /// When it began.
    pub created: Option<i64>,
    /// When something happened last.
    pub changed: Option<i64>,
    /// The time of looking.
    pub now: i64,
    /// The version that looks.
    pub version: &'static str,
}

/// The overview.
pub fn overview(scene: &Scene<'_>) -> Overview {
    let (study, config) = (scene.study, scene.study.config());
    let mut counts: BTreeMap<TrialStatus, usize> = TrialStatus::ALL.map(|status| (status, 0)).into();
    for trial in study.trials() {
        *counts.entry(scene.status(trial)).or_default() += 1;
    }
    Overview {
        name: scene.name.to_owned(),
        revision: study.events().len(),
        goal: config.goal,
        strategy: config.strategy.name().to_owned(),
        seed: config.seed,
        budget: config.budget,
        budget_left: scene.study.budget_left(),
        n_trials: study.trials().len(),
        n_initial: config.n_initial(),
        counts,
        best: study.best().map(|best| row(scene, best)),
        best_breaks: study.best().and_then(|best| broken(study, best)).map(str::to_owned),
        parameters: study.space().parameters().iter().map(|p| p.name().to_owned()).collect(),
        axes: axes(study.space()),
        constraints: study.space().constraints().iter().map(|c| c.text().to_owned()).collect(),
        held: scene.held.clone(),
        created: scene.times.first().copied(),
        changed: scene.times.last().copied(),
        now: scene.now,
        version: env!("CARGO_PKG_VERSION"),
    }
}

/// The builds that chose points, with their processor levels: what a replay needs to be equal bit for bit.
pub fn builds(study: &Study) -> Vec<String> {
    let mut all: Vec<&Build> = Vec::new();
    for event in study.events() {
        if let Event::Asked { provenance, .. } = event
            && !all.contains(&&provenance.build)
        {
            all.push(&provenance.build);
        }
    }
    all.into_iter().map(|build| format!("{} on {}", build.version, build.cpu)).collect()
}

/// The point to use in the end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommended {
    /// The trial that observed it, if one did.
    pub trial: Option<TrialId>,
    /// The point.
    pub point: Point,
    /// What the model expects there.
    pub mean: f64,
    /// How sure it is: the standard deviation.
    pub sd: f64,
    /// Why it is the best observed point with its own value, where the model's answer cannot be trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

impl From<Recommendation> for Recommended {
    fn from(Recommendation { trial, point, mean, sd, fallback }: Recommendation) -> Self {
        Self { trial, point, mean, sd, fallback }
    }
}
