//! Many events in few commits: imported tables, budgets, positions on a plate.

use elbowroom::study::{Event, PlacedTrial, Study};

use crate::error::{Error, Result};
use crate::shared::{MAX_ROUNDS, SharedStudy, too_busy};
use crate::store::Appended;

/// The most events of one commit, and about the most bytes: a server accepts a megabyte at once.
const MOST_EVENTS: usize = 5_000;
const MOST_BYTES: usize = 700_000;

impl SharedStudy {
    /// Appends the events that `plan` makes from the study's current state, and returns their number. All of them are
    /// checked to follow the log before the first is stored. If others were faster, `plan` is called again; it should
    /// leave out events that are already there, such as those that [`Study::reported`] knows.
    ///
    /// ```
    /// # use elbowroom::space::{Parameter, Point, SearchSpace};
    /// # use elbowroom::study::{Event, StudyConfig, TrialId, Watched};
    /// # use elbowroom_store::{Error, Memory, SharedStudy};
    /// # let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
    /// # let mut study = SharedStudy::create(std::sync::Arc::new(Memory::new()), "plate", StudyConfig::new(space))?;
    /// let earlier = [(0.25, 3.5), (0.5, 2.0)];
    /// let row = |(i, (x, value)): (usize, &(f64, f64))| Event::Added {
    ///     trial: TrialId(i as u64),
    ///     point: Point::new().with("x", *x),
    ///     value: Some(*value),
    ///     noise: None,
    ///     results: Watched::NONE,
    ///     comment: None,
    ///     request: Some(format!("row {i}")),
    /// };
    /// let rows = |study: &elbowroom::study::Study| match study.trials().len() {
    ///     0 => Ok::<_, Error>(earlier.iter().enumerate().map(row).collect()),
    ///     _ => Ok(Vec::new()),
    /// };
    /// assert_eq!(study.append_all(rows)?, 2);
    /// assert_eq!(study.append_all(rows)?, 0);
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn append_all<E: From<Error>>(
        &mut self,
        mut plan: impl FnMut(&Study) -> Result<Vec<Event>, E>,
    ) -> Result<usize, E> {
        let mut n_appended = 0;
        for _ in 0..MAX_ROUNDS {
            self.refresh()?;
            let events = plan(&self.study)?;
            if events.is_empty() {
                return Ok(n_appended);
            }
            let mut after = self.study.clone();
            events.iter().try_for_each(|event| after.apply(event.clone())).map_err(Error::from)?;
            drop(after);
            let n = self.append_parts(&events)?;
            n_appended += n;
            if n == events.len() {
                return Ok(n_appended);
            }
        }
        Err(too_busy(&self.name).into())
    }

    /// Appends events part by part, as long as nobody else appends in between; returns how many.
    fn append_parts(&mut self, events: &[Event]) -> Result<usize> {
        let mut n = 0;
        while n < events.len() {
            let size = page(&events[n..])?;
            let expected = self.revision();
            let appended = self.store.append_all(&self.name, expected, &events[n..n + size])?;
            self.refresh()?;
            if appended != Appended::Done(expected + size) {
                break;
            }
            n += size;
            if self.revision() != expected + size {
                break;
            }
        }
        Ok(n)
    }

    /// Sets the budget: a number of trials, including those already handed out, or none for no limit. A number below
    /// what was handed out is refused. It applies to all workers from their next ask on. Returns whether anything
    /// changed.
    ///
    /// ```
    /// # use elbowroom::space::{Parameter, SearchSpace};
    /// # use elbowroom::study::StudyConfig;
    /// # use elbowroom_store::{Memory, SharedStudy};
    /// # let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0)])?;
    /// # let config = StudyConfig::new(space).budget(2);
    /// # let mut study = SharedStudy::create(std::sync::Arc::new(Memory::new()), "plate", config)?;
    /// assert_eq!(study.ask(9)?.trials.len(), 2);
    /// assert!(study.set_budget(Some(3))?);
    /// assert_eq!(study.ask(9)?.trials.len(), 1);
    /// assert!(study.set_budget(Some(1)).is_err());
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn set_budget(&mut self, trials: Option<usize>) -> Result<bool> {
        let another = |study: &Study| (study.config().budget != trials).then_some(Event::Budgeted { trials });
        Ok(self.append_all(|study| Ok::<_, Error>(another(study).into_iter().collect()))? > 0)
    }

    /// Records the positions of trials, such as wells of a plate; known positions are not written again.
    pub fn place_trials(&mut self, trials: &[PlacedTrial]) -> Result<()> {
        self.append_all(|study| {
            let is_new = |placed: &&PlacedTrial| study.well(placed.trial) != Some(&placed.well);
            let trials: Vec<PlacedTrial> = trials.iter().filter(is_new).cloned().collect();
            Ok::<_, Error>(if trials.is_empty() { Vec::new() } else { vec![Event::Placed { trials }] })
        })?;
        Ok(())
    }
}

/// How many of these events go into one commit: at least one.
fn page(events: &[Event]) -> Result<usize> {
    let mut n_bytes = 0;
    for (n, event) in events.iter().take(MOST_EVENTS).enumerate() {
        let text = serde_json::to_string(event);
        n_bytes +=
            text.map_err(|e| Error::request(format!("an event cannot be written: {e}"), "report this as a bug"))?.len();
        if n > 0 && n_bytes > MOST_BYTES {
            return Ok(n);
        }
    }
    Ok(events.len().min(MOST_EVENTS))
}
