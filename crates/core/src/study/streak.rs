//! Trials in a row without a value, and the most common reason.
//!
//! One failure teaches where not to search; many in a row usually mean that something else is wrong: a missing file, a
//! licence, a typing error in the command. Programs that run a study warn about it.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::Serialize;

use super::Study;
use super::event::Event;
use super::trial::{TrialId, TrialState};

/// The latest trials that ended, if none of them gave a value.
///
/// Withdrawn trials and those of workers that vanished do not count and do not end a streak.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Streak {
    /// The number of trials, failed and infeasible.
    pub n_trials: usize,
    /// The most common reason, without what differs from trial to trial; the latest one in case of a tie.
    pub reason: String,
    /// The number of trials with this reason.
    pub n_alike: usize,
    /// The latest such reason, in full.
    pub latest: String,
}

impl Streak {
    /// The number of trials in a row from which on there is a warning.
    pub const LONG: usize = 5;

    /// Whether it is long enough for a warning.
    pub fn is_long(&self) -> bool {
        self.n_trials >= Self::LONG
    }
}

/// In words, such as "the last 8 trials gave no value; most often: exit code 1 (6 of 8)".
impl fmt::Display for Streak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_trials, reason, n_alike, .. } = self;
        match n_trials {
            1 => write!(f, "the last trial gave no value: {reason}"),
            _ => write!(f, "the last {n_trials} trials gave no value; most often: {reason} ({n_alike} of {n_trials})"),
        }
    }
}

/// Decides when to warn of a growing streak: once it is long, and again each time its length has doubled.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Alarm, Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space))?;
/// let mut alarm = Alarm::default();
/// let mut said = Vec::new();
/// for n in 1..=12 {
///     let trial = study.ask(1)?.trials.remove(0);
///     study.fail(trial.id, "exit code 1")?;
///     if alarm.rings(study.streak().as_ref()) {
///         said.push(n);
///     }
/// }
/// assert_eq!(said, [5, 10]);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Alarm {
    /// The length at the last warning; 0 if there was none for this streak.
    said: usize,
}

impl Alarm {
    /// Whether to warn of the streak now.
    pub fn rings(&mut self, streak: Option<&Streak>) -> bool {
        let n = streak.map_or(0, |streak| streak.n_trials);
        if n < self.said {
            self.said = 0;
        }
        let rings = n >= Streak::LONG.max(2 * self.said);
        if rings {
            self.said = n;
        }
        rings
    }
}

impl Study {
    /// The latest trials that ended, if none of them gave a value; `None` if the last one gave a value.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space))?;
    /// let trials = study.ask(3)?.trials;
    /// study.fail(trials[0].id, "exit code 1: no file a.csv")?;
    /// study.infeasible(trials[1].id, "too hot")?;
    /// study.fail(trials[2].id, "exit code 1: no file b.csv")?;
    /// let words = study.streak().unwrap().to_string();
    /// assert_eq!(words, "the last 3 trials gave no value; most often: exit code 1 (2 of 3)");
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn streak(&self) -> Option<Streak> {
        let mut seen = HashSet::<TrialId>::new();
        let mut kinds = HashMap::<String, (usize, usize)>::new();
        let mut reasons = Vec::new();
        for event in self.events().iter().rev() {
            let (Event::Told { trial, .. }
            | Event::Added { trial, .. }
            | Event::Failed { trial, .. }
            | Event::Infeasible { trial, .. }) = event
            else {
                continue;
            };
            // The current state counts: a late value or a correction undoes a failure.
            match self.trial(*trial).map(|trial| &trial.state) {
                Ok(TrialState::Complete { .. }) => break,
                Ok(TrialState::Failed { reason } | TrialState::Infeasible { reason, .. }) if seen.insert(*trial) => {
                    let kind = kinds.entry(kind(reason)).or_insert((0, reasons.len()));
                    kind.0 += 1;
                    reasons.push(reason);
                }
                _ => {}
            }
        }
        let (reason, (n_alike, latest)) = kinds.into_iter().max_by_key(|(_, (n, first))| (*n, usize::MAX - first))?;
        Some(Streak { n_trials: reasons.len(), reason, n_alike, latest: reasons[latest].clone() })
    }
}

/// Characters of a reason that are kept.
const LONGEST: usize = 100;

/// A reason without what differs from trial to trial: "exit code 1: diverged at 0.37" becomes "exit code 1", and the
/// end of a traceback the name of its exception.
fn kind(reason: &str) -> String {
    let line = telling_line(reason);
    let head = line.split_once(": ").map_or(line, |(head, _)| head).trim_end_matches(':').trim();
    let head = if head.is_empty() { line } else { head };
    if head.is_empty() {
        return "no reason given".to_owned();
    }
    let words = head.split_whitespace().map(|word| if varies(word) { "…" } else { word });
    words.collect::<Vec<_>>().join(" ").chars().take(LONGEST).collect()
}

/// The first line; the last one of a traceback.
fn telling_line(reason: &str) -> &str {
    let mut lines = reason.lines().filter(|line| !line.trim().is_empty());
    let Some(first) = lines.next() else { return "" };
    let is_traceback = first.starts_with("Traceback") || first.starts_with(char::is_whitespace);
    let line = if is_traceback { lines.next_back().unwrap_or(first) } else { first };
    line.trim()
}

/// Whether a word is a measured number. Small integers distinguish kinds, such as exit codes and signals.
fn varies(word: &str) -> bool {
    let number = word.trim_matches(|c: char| !c.is_ascii_digit());
    number.parse::<f64>().is_ok() && (number.len() > 3 || number.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Parameter, SearchSpace};
    use crate::study::{StudyConfig, Tell};

    fn study() -> Study {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
        Study::new(StudyConfig::new(space)).unwrap()
    }

    fn fail(study: &mut Study, reason: &str) -> TrialId {
        let id = study.ask(1).unwrap().trials[0].id;
        study.fail(id, reason).unwrap();
        id
    }

    #[test]
    fn reasons_that_differ_only_by_what_was_measured_are_of_one_kind() {
        let alike = [
            ("exit code 1: diverged at rate 0.37", "exit code 1"),
            ("exit code 1", "exit code 1"),
            ("exit code 1:", "exit code 1"),
            ("exit code 137: Killed", "exit code 137"),
            ("killed by signal 9: line one\nline two: more", "killed by signal 9"),
            (
                "  File \"f.py\", line 3, in f\n    return 1 / x\nZeroDivisionError: division by zero",
                "ZeroDivisionError",
            ),
            ("Traceback (most recent call last):\n  File \"f.py\"\nKeyError: 'x'\n", "KeyError"),
            ("its processes took 2.31 GB of memory together", "its processes took … GB of memory together"),
            ("diverged after 12345 steps", "diverged after … steps"),
            ("no licence", "no licence"),
            (": odd", ": odd"),
            ("", "no reason given"),
            (" \n\t", "no reason given"),
        ];
        for (reason, expected) in alike {
            assert_eq!(kind(reason), expected, "{reason:?}");
        }
        assert_eq!(kind(&"ä".repeat(1000)).chars().count(), LONGEST);
    }

    #[test]
    fn a_value_ends_a_streak_and_a_trial_given_back_does_not() {
        let mut study = study();
        assert_eq!(study.streak(), None);
        fail(&mut study, "a");
        fail(&mut study, "a");
        let trials = study.ask(2).unwrap().trials;
        study.withdraw(trials[0].id).unwrap();
        assert_eq!(study.streak().map(|streak| streak.n_trials), Some(2));
        study.tell(trials[1].id, 1.0).unwrap();
        assert_eq!(study.streak(), None);
        fail(&mut study, "b");
        assert_eq!(study.streak().unwrap().to_string(), "the last trial gave no value: b");
    }

    #[test]
    fn a_failure_that_gets_its_value_late_is_none_and_one_told_twice_counts_once() {
        let mut study = study();
        let first = fail(&mut study, "a");
        let second = fail(&mut study, "a");
        study.fail(second, "a again").unwrap();
        assert_eq!(study.streak().unwrap().n_trials, 2);
        study.tell(first, Tell::new(3.0)).unwrap();
        assert_eq!(study.streak(), None);
    }

    #[test]
    fn the_commonest_reason_is_named_with_its_latest_words_and_the_latest_of_equals() {
        let mut study = study();
        for reason in ["exit code 1: x", "timeout", "exit code 1: y", "timeout", "other"] {
            fail(&mut study, reason);
        }
        let streak = study.streak().unwrap();
        assert_eq!((streak.reason.as_str(), streak.n_alike, streak.latest.as_str()), ("timeout", 2, "timeout"));
        fail(&mut study, "exit code 1: z");
        let streak = study.streak().unwrap();
        assert_eq!((streak.reason.as_str(), streak.n_alike), ("exit code 1", 3));
        assert_eq!((streak.latest.as_str(), streak.n_trials, streak.is_long()), ("exit code 1: z", 6, true));
    }

    #[test]
    fn an_alarm_rings_at_once_for_a_long_streak_and_anew_for_each_streak() {
        let at = |n| Streak { n_trials: n, reason: String::new(), n_alike: n, latest: String::new() };
        let mut alarm = Alarm::default();
        let heard: Vec<bool> = [Some(7), Some(8), Some(13), Some(14), None, Some(4), Some(5)]
            .map(|n| alarm.rings(n.map(at).as_ref()))
            .into();
        assert_eq!(heard, [true, false, false, true, false, false, true]);
    }
}
