//! A study at a glance.

use elbowroom::study::{Build, Event, Study};
use elbowroom_store::{Counts, StudiesAnswer, StudyAnswer, Time};
use serde::Serialize;

use crate::attempts::seconds_left;
use crate::axis::{Axis, axes};
use crate::scene::Scene;

/// A study at a glance: its state, and what the page needs to draw it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Overview {
    /// Its state, as in answers of the command, HTTP and Python.
    #[serde(flatten)]
    pub status: StudyAnswer,
    /// The parameters that are searched.
    pub axes: Vec<Axis>,
    /// An estimate of how long the rest of the budget will take, in seconds; none if nothing is running or too little
    /// is known.
    pub seconds_left: Option<f64>,
    /// The version of the server or the report.
    pub version: &'static str,
    /// The builds that chose points, with their processor levels; left out of the stream of changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub builds: Option<Vec<String>>,
    /// Whether it may be changed here; left out of the stream of changes and of reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<bool>,
}

/// The studies of a store, as the page shows them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Studies {
    /// The studies, as in answers of the command, HTTP and Python.
    #[serde(flatten)]
    pub found: StudiesAnswer,
    /// Whether they may be changed here.
    pub write: bool,
}

/// The overview.
pub fn overview(scene: &Scene<'_>) -> Overview {
    let alone = || StudyAnswer::alone(scene.name, scene.study);
    let mut status = scene.shared.map_or_else(alone, StudyAnswer::of);
    status.counts = Counts::of(scene.statuses.iter().copied());
    status.held.clone_from(&scene.held);
    (status.created, status.changed) = (scene.times.first().copied().map(Time), scene.times.last().copied().map(Time));
    status.now = Time(scene.now);
    let axes = axes(scene.study.space());
    let seconds_left = seconds_left(scene);
    Overview { status, axes, seconds_left, version: env!("CARGO_PKG_VERSION"), builds: None, write: None }
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
