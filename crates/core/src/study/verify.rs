//! Recomputes every suggestion of a log.
//!
//! Versions of this library may choose differently, and a log outlives versions. So an ask is compared only if this
//! version answered it; asks of other versions are listed separately and do not count as differences.

use std::collections::{BTreeMap, HashMap};

use super::ask::Ask;
use super::event::{AskedTrial, Build, Event, OutcomeRecord, Provenance};
use super::suggest::suggest;
use super::{Belief, Parts, Study, Suggestion};
use crate::error::Result;
use crate::part_id::PartId;

/// A suggestion that differs from the recorded one.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The number of the event, starting at 0.
    pub event: usize,
    /// What differs.
    pub what: String,
}

/// Repeats the choice of each `Asked` event of this version, from what the event says it was based on, and returns the
/// choices that differ. Asks of other versions are left out: [`other_versions`] lists them.
///
/// With the same version, processor level and C library there are no differences, unless the log was changed. Fails if
/// the log cannot be read at all.
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
    verify_with(events, &Parts::new())
}

/// Like [`verify`], with parts of your own. Fails if the study needs one that is missing.
pub fn verify_with(events: &[Event], parts: &Parts) -> Result<Vec<Difference>> {
    let mut asks = Asks::of(events);
    let mut differences = Vec::new();
    let mut study: Option<Study> = None;
    for event in events {
        match &mut study {
            Some(study) => study.apply(event.clone())?,
            None => {
                let begun = study.insert(Study::replay_with([event.clone()], parts)?);
                begun.strategy_with_parts()?;
            }
        }
        if let Some(study) = &study {
            asks.choose_again(study, &mut differences);
        }
    }
    differences.sort_by_key(|difference| difference.event);
    Ok(differences)
}

/// The `Asked` events of a log that other versions of this library answered, by version. They are not compared, since
/// versions may choose differently. Sorted by the text of the version, then by number.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Event, Study, StudyConfig, other_versions, verify};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space))?;
/// study.ask(3)?;
/// assert!(other_versions(study.events()).is_empty());
///
/// let mut events = study.events().to_vec();
/// if let Event::Asked { provenance, .. } = &mut events[1] {
///     provenance.build.version = "0.1.0".to_owned();
/// }
/// assert_eq!(other_versions(&events)["0.1.0"], [1]);
/// assert!(verify(&events)?.is_empty());
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn other_versions(events: &[Event]) -> BTreeMap<String, Vec<usize>> {
    let current = Build::current();
    let mut others = BTreeMap::<String, Vec<usize>>::new();
    for (i, event) in events.iter().enumerate() {
        if let Event::Asked { provenance, .. } = event
            && provenance.build.version != current.version
        {
            others.entry(provenance.build.version.clone()).or_default().push(i);
        }
    }
    others
}

/// The asks of this version by the revision that they had seen: each is chosen again when the study reaches that
/// revision, so one pass through the log is enough.
struct Asks<'a> {
    events: &'a [Event],
    /// The asks that were chosen at a revision.
    at: HashMap<usize, Vec<usize>>,
    /// How many of the remaining asks use the results of an earlier revision.
    resting_on: HashMap<usize, usize>,
    /// The beliefs at those revisions, as long as they are needed.
    beliefs: HashMap<usize, Belief>,
}

impl<'a> Asks<'a> {
    fn of(events: &'a [Event]) -> Self {
        let (mut at, mut resting_on) = (HashMap::<usize, Vec<usize>>::new(), HashMap::new());
        let current = Build::current();
        for (i, event) in events.iter().enumerate() {
            if let Event::Asked { provenance, .. } = event
                && provenance.build.version == current.version
            {
                at.entry(seen(i, provenance)).or_default().push(i);
                if let Some(data) = earlier_data(i, provenance) {
                    *resting_on.entry(data).or_default() += 1;
                }
            }
        }
        Self { events, at, resting_on, beliefs: HashMap::new() }
    }

    /// Repeats the choices made at this revision, and keeps what is needed later.
    fn choose_again(&mut self, study: &Study, differences: &mut Vec<Difference>) {
        let revision = study.state.revision;
        for i in self.at.remove(&revision).unwrap_or_default() {
            let Event::Asked { wanted, trials, again, shortfall, provenance, .. } = &self.events[i] else { continue };
            let data = earlier_data(i, provenance);
            let belief = data.and_then(|data| self.beliefs.get(&data));
            let ask = Ask {
                n: *wanted,
                narrowing: provenance.narrowing.clone().unwrap_or_default(),
                request: None,
                pending: Some(provenance.pending.clone()),
                retries: again.iter().map(|retry| retry.id).collect(),
            };
            let chosen = suggest(study, belief, &ask);
            let what = match chosen {
                Ok(chosen) => compare(&chosen, trials, shortfall.as_deref(), provenance),
                Err(error) => Some(format!("it cannot be chosen again: {error}")),
            };
            differences.extend(what.map(|what| Difference { event: i, what }));
            if let Some((data, left)) = data.and_then(|data| Some((data, self.resting_on.get_mut(&data)?))) {
                *left -= 1;
                if *left == 0 {
                    self.beliefs.remove(&data);
                }
            }
        }
        if self.resting_on.contains_key(&revision) {
            self.beliefs.insert(revision, study.belief());
        }
    }
}

/// The revision that an ask had seen. A damaged log may name a later one, or none.
fn seen(event: usize, provenance: &Provenance) -> usize {
    provenance.revision.clamp(1, event.max(1))
}

/// The revision of the results that an ask used, if it used any and had seen a later one.
fn earlier_data(event: usize, provenance: &Provenance) -> Option<usize> {
    let has_model = provenance.model.is_some() || provenance.fallback.is_some();
    let data = provenance.data_revision.max(1);
    (has_model && data < seen(event, provenance)).then_some(data)
}

fn compare(again: &Suggestion, trials: &[AskedTrial], shortfall: Option<&str>, was: &Provenance) -> Option<String> {
    let now = &again.provenance;
    let builds = if was.build == Build::current() {
        String::new()
    } else {
        let (a, b) = (&was.build, &now.build);
        format!(" (recorded by {} on {}, chosen again by {} on {})", a.version, a.cpu, b.version, b.cpu)
    };
    let strategies = of_versions(was.strategy.as_ref(), now.strategy.as_ref());
    let kernel = |provenance: &Provenance| provenance.model.as_ref().and_then(|model| model.kernel.part().cloned());
    let parts = strategies + &of_versions(kernel(was).as_ref(), kernel(now).as_ref());
    let differing = trials.iter().zip(&again.trials).find(|(a, b)| a != b);
    let what = if let Some((a, b)) = differing {
        format!("trial {} is at {}, but would now be at {}", a.id, a.point, b.point)
    } else if trials.len() != again.trials.len() {
        format!("{} points are recorded, but {} would now be chosen", trials.len(), again.trials.len())
    } else if !is_same((shortfall, &was.shortfall_kind), (again.shortfall.as_deref(), &now.shortfall_kind)) {
        format!("the reason {shortfall:?} would now be {:?}", again.shortfall)
    // Models that random points do not need were fitted and recorded by earlier versions.
    } else if now.model.as_ref().is_some_and(|now| was.model.as_ref().is_none_or(|was| !was.is_same(now))) {
        "the points are the same, but the model differs".to_owned()
    } else if !is_same_outcomes(&was.outcomes, &now.outcomes) || was.reference != now.reference {
        "the points are the same, but the models of further outcomes differ".to_owned()
    } else if was.design_next != now.design_next
        || !is_same((was.fallback.as_deref(), &was.fallback_kind), (now.fallback.as_deref(), &now.fallback_kind))
    {
        "the points are the same, but other details recorded about their choice differ".to_owned()
    } else {
        return None;
    };
    Some(what + &builds + &parts)
}

/// Whether the models of further outcomes are the same.
fn is_same_outcomes(was: &[OutcomeRecord], now: &[OutcomeRecord]) -> bool {
    let is_same = |(a, b): (&OutcomeRecord, &OutcomeRecord)| a.name == b.name && a.model.is_same(&b.model);
    was.len() == now.len() && was.iter().zip(now).all(is_same)
}

/// The parts that chose, if they differ.
fn of_versions(was: Option<&PartId>, now: Option<&PartId>) -> String {
    match (was, now) {
        (Some(was), Some(now)) if was != now => format!(" (recorded by the part {was}, chosen again by {now})"),
        _ => String::new(),
    }
}

/// Whether two reasons, each a sentence and its kind, are the same. Sentences may be reworded: kinds are compared if
/// both are known, otherwise only whether there was a reason.
fn is_same(was: (Option<&str>, &Option<String>), now: (Option<&str>, &Option<String>)) -> bool {
    match (was, now) {
        ((_, Some(was)), (_, Some(now))) => was == now,
        ((was, _), (now, _)) => was.is_some() == now.is_some(),
    }
}
