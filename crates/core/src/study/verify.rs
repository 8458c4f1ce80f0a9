//! Recomputing every suggestion of a log.

use super::event::{AskedTrial, Build, Event, Provenance, Retry};
use super::suggest::suggest;
use super::{Study, Suggestion, TrialId};
use crate::batch::BatchSize;
use crate::error::Result;

/// A suggestion that did not come out as it is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The number of the event, from 0 on.
    pub event: usize,
    /// What differs.
    pub what: String,
}

/// Chooses the points of each `Asked` event again, from what it says it rested on, and reports where they differ.
///
/// With the same build and processor level there is no difference, unless the log was changed. Fails where the log
/// cannot be read at all.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig, verify};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space))?;
/// for trial in study.ask(3)?.trials {
///     study.tell(trial.id, 1.0)?;
/// }
/// study.ask(2)?;
/// assert!(verify(study.events())?.is_empty());
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn verify(events: &[Event]) -> Result<Vec<Difference>> {
    let mut differences = Vec::new();
    let mut study: Option<Study> = None;
    for (i, event) in events.iter().enumerate() {
        let Some(study) = &mut study else {
            study = Some(Study::replay([event.clone()])?);
            continue;
        };
        if let Event::Asked { wanted, trials, again, short, provenance, .. } = event {
            let what = match recompute(study, events, *wanted, again, provenance) {
                Ok(again) => compare(&again, trials, short.as_deref(), provenance),
                Err(error) => Some(format!("it cannot be chosen again: {error}")),
            };
            differences.extend(what.map(|what| Difference { event: i, what }));
        }
        study.apply(event.clone())?;
    }
    Ok(differences)
}

/// The suggestion from what the asker had seen: the study just before the event, or an earlier state of it.
fn recompute(
    now: &Study,
    events: &[Event],
    wanted: usize,
    again: &[Retry],
    provenance: &Provenance,
) -> Result<Suggestion> {
    let prefix = |n: usize| Study::replay(events[..n.min(now.events().len())].iter().cloned());
    let q = BatchSize::new(wanted)?;
    let seen = if provenance.revision == now.state.revision { None } else { Some(prefix(provenance.revision)?) };
    let seen = seen.as_ref().unwrap_or(now);
    let pending = provenance.pending.clone();
    let again: Vec<TrialId> = again.iter().map(|retry| retry.id).collect();
    if provenance.data_revision == seen.state.data_revision {
        return suggest(seen, seen, q, &again, pending);
    }
    suggest(seen, &prefix(provenance.data_revision)?, q, &again, pending)
}

fn compare(again: &Suggestion, trials: &[AskedTrial], short: Option<&str>, was: &Provenance) -> Option<String> {
    let now = &again.provenance;
    let builds = if was.build == Build::current() {
        String::new()
    } else {
        let (a, b) = (&was.build, &now.build);
        format!(" (recorded by {} on {}, chosen again by {} on {})", a.version, a.cpu, b.version, b.cpu)
    };
    let differing = trials.iter().zip(&again.trials).find(|(a, b)| a != b);
    let what = if let Some((a, b)) = differing {
        format!("trial {} is at {}, and would be at {}", a.id, a.point, b.point)
    } else if trials.len() != again.trials.len() {
        format!("{} points are recorded, and {} would be chosen", trials.len(), again.trials.len())
    } else if short != again.short.as_deref() {
        format!("the reason {short:?} would be {:?}", again.short)
    } else if was.model != now.model {
        "the points are the same, but the model differs".to_owned()
    } else if (&was.fallback, was.design_next) != (&now.fallback, now.design_next) {
        "the points are the same, but what is recorded of their choice differs".to_owned()
    } else {
        return None;
    };
    Some(what + &builds)
}
