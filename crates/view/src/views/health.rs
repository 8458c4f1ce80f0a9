//! What may be wrong with a study.

use std::collections::HashMap;

use elbowroom::insight::findings;
pub use elbowroom::insight::{Finding, Level};
use elbowroom::study::Trial;
use serde::Serialize;

use crate::scene::{Scene, TrialStatus};

/// What may be wrong with a study, as a view.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Health {
    /// The findings.
    pub findings: Vec<Finding>,
}

/// All findings about the study and its leases. Without `with_model` the model, which takes a fit, is not checked.
pub fn health(scene: &Scene<'_>, with_model: bool) -> Vec<Finding> {
    [clock(scene), zombies(scene), twins(scene)].into_iter().chain(findings(scene.study, with_model)).collect()
}

fn clock(scene: &Scene<'_>) -> Finding {
    match scene.times.windows(2).filter(|pair| pair[1] < pair[0]).count() {
        0 => Finding::fine("the store's clock never went backwards"),
        n => Finding::note(
            format!("the store's clock went backwards {n} times"),
            "synchronize its clock; nothing was lost, but a lease may have ended early or late",
        ),
    }
}

fn zombies(scene: &Scene<'_>) -> Finding {
    let those = |wanted: TrialStatus| -> Vec<String> {
        let stands_so = |trial: &&Trial| scene.status(trial) == wanted;
        scene.study.pending().filter(stands_so).map(|trial| trial.id.to_string()).collect()
    };
    let (queued, lost) = (those(TrialStatus::Queued), those(TrialStatus::Lost));
    if !lost.is_empty() {
        let what = format!("lost for good, after three attempts each: trials {}", lost.join(", "));
        return Finding::note(what, "find out what makes their workers disappear; tell, fail or release them by hand");
    }
    if !queued.is_empty() {
        return Finding::note(format!("waiting to be run again: trials {}", queued.join(", ")), "start a worker");
    }
    Finding::fine("no trial is lost")
}

fn twins(scene: &Scene<'_>) -> Finding {
    let mut at: HashMap<_, Vec<String>> = HashMap::new();
    for trial in scene.pending() {
        at.entry(scene.study.space().key(&trial.unit)).or_default().push(trial.id.to_string());
    }
    let mut twins: Vec<String> = at.values().filter(|ids| ids.len() > 1).map(|ids| ids.join(", ")).collect();
    twins.sort();
    if twins.is_empty() {
        return Finding::fine("no two live trials have the same point");
    }
    Finding::note(
        format!("live at the same point: trials {}", twins.join("; trials ")),
        "check that they are meant as replicates",
    )
}
