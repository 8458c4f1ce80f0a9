//! A study at a glance.

use elbowroom::study::{Build, Event, Study};
use elbowroom_store::{Counts, StudyAnswer, Time};
use serde::Serialize;

use crate::axis::{Axis, axes};
use crate::scene::Scene;

/// A study at a glance: how it stands, and what the page draws it with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overview {
    /// How it stands, as every door to a study answers.
    #[serde(flatten)]
    pub status: StudyAnswer,
    /// The parameters that are searched.
    pub axes: Vec<Axis>,
    /// The version that looks.
    pub version: &'static str,
}

/// The overview.
pub fn overview(scene: &Scene<'_>) -> Overview {
    let alone = || StudyAnswer::alone(scene.name, scene.study);
    let mut status = scene.shared.map_or_else(alone, StudyAnswer::of);
    status.counts = Counts::of(scene.statuses.iter().copied());
    status.held.clone_from(&scene.held);
    (status.created, status.changed) = (scene.times.first().copied().map(Time), scene.times.last().copied().map(Time));
    status.now = Time(scene.now);
    Overview { status, axes: axes(scene.study.space()), version: env!("CARGO_PKG_VERSION") }
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
