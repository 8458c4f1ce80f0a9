//! What a person sees while a study runs: one live line on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use elbowroom::study::{Results, Streak, Study, TrialId};
use elbowroom_run::{CommandEnd, DriveEvent, format_duration};
use elbowroom_store::{Assignment, SharedStudy};
use indicatif::{ProgressBar, ProgressStyle};

use crate::format::{brief, number, point, safe};
use crate::spark::progress;
use crate::table::width_of_errors;

/// The width of the bar in characters.
const BAR: usize = 16;

/// The results that a trial with a value still waits for.
fn awaited(study: &Study, id: TrialId) -> Vec<String> {
    let found = study.trial(id).map(|trial| study.awaited_results(trial).into_iter().map(str::to_owned).collect());
    found.unwrap_or_default()
}

/// Shows a drive on standard error.
pub struct Progress {
    bar: Option<ProgressBar>,
    begun: Instant,
    done_before: usize,
    said: String,
    /// Results that the command did not print and that a warning was given for.
    missed: Vec<String>,
}

impl Progress {
    /// Live if standard error is a terminal.
    pub fn new(study: &SharedStudy) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template(&format!("{{bar:{BAR}.cyan}} {{wide_msg}}"));
            let bar = ProgressBar::new(study.study().config().budget.unwrap_or(0) as u64);
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self { bar, begun: Instant::now(), done_before: ended(study), said: String::new(), missed: Vec::new() }
    }

    /// Shows an event.
    pub fn show(&mut self, study: &SharedStudy, happening: &DriveEvent<'_>) {
        match happening {
            DriveEvent::Ended(handed, outcome, took) => {
                self.ended(study, handed, outcome, *took);
                if let CommandEnd::Value(_, results) = outcome {
                    self.missed(study.study(), handed.id(), results);
                }
            }
            DriveEvent::NotStored(handed, _) => self.print(&format!("trial {}: NOT stored", handed.id())),
            DriveEvent::Failing(streak) => self.print(&failing(streak)),
            DriveEvent::Waiting(why) => self.once(&format!("waiting for trials of other workers: {why}")),
            DriveEvent::Paused => self.once("the study is paused in the dashboard; results are still stored"),
            DriveEvent::Trouble(what) => self.once(what),
            DriveEvent::Started(_) | DriveEvent::Tick => {}
        }
        if let Some(bar) = &self.bar {
            // The budget may change while it runs.
            bar.set_length(study.study().config().budget.unwrap_or(0) as u64);
            bar.set_position(ended(study) as u64);
            bar.set_message(self.line(study));
        }
    }

    /// Removes the live line.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn ended(&self, study: &SharedStudy, handed: &Assignment, outcome: &CommandEnd, took: Duration) {
        let id = handed.id();
        let (what, matters) = match outcome {
            // It counts as a failure, for this reason.
            CommandEnd::Value(value, _) if !value.is_finite() => {
                (format!("failed: the value was {}", number(*value)), true)
            }
            CommandEnd::Value(value, _) => {
                let (better, word) = self.is_better(study.study(), id);
                (format!("{}{}", number(*value), if better { &word } else { "" }), better)
            }
            CommandEnd::Failed(why) | CommandEnd::NoMetric(why, _) => (format!("failed: {}", brief(why, 160)), true),
            CommandEnd::Infeasible(why) => (format!("infeasible: {}", brief(why, 160)), true),
            CommandEnd::Requeue => ("handed back: it asked to be run later".to_owned(), true),
            CommandEnd::Stopped | CommandEnd::NotStarted(_) => ("handed back".to_owned(), true),
        };
        if self.bar.is_some() && !matters {
            return;
        }
        let counts = study.counts();
        let of = study.study().config().budget.map_or_else(String::new, |budget| format!("/{budget}"));
        let n = counts.complete + counts.failed + counts.infeasible;
        self.print(&format!("[{n}{of}] trial {id}: {what}  ({}; {})", format_duration(took), point(handed.point())));
    }

    /// Whether a trial is worth its own line, and what to add to that line: whether it is an improvement or still waits
    /// for results.
    fn is_better(&self, study: &Study, id: TrialId) -> (bool, String) {
        let awaited = awaited(study, id);
        if !awaited.is_empty() {
            return (true, format!("  waiting for {}", awaited.join(", ")));
        }
        match study.outcomes().has_several_objectives() {
            true => (study.front().points.iter().any(|point| point.trial == id), "  on the front".to_owned()),
            false => (study.best().is_some_and(|best| best.id == id), "  best so far".to_owned()),
        }
    }

    /// Warns once about each result that the study needs and the command did not print: its name may be misspelt.
    fn missed(&mut self, study: &Study, id: TrialId, results: &Results) {
        let new: Vec<String> = awaited(study, id).into_iter().filter(|name| !self.missed.contains(name)).collect();
        if new.is_empty() {
            return;
        }
        let list = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let printed: Vec<&str> = results.named().map(|(name, _)| name).collect();
        let names: Vec<&str> = new.iter().map(String::as_str).collect();
        let others = if printed.is_empty() { String::new() } else { format!(" besides {}", list(&printed)) };
        self.print(&format!(
            "warning: the command printed no {}{others}; trials wait for it, and the search counts them as still running. Print it, \
             or report it later: elbow tell {id} {}=VALUE",
            list(&names),
            new[0]
        ));
        self.missed.extend(new);
    }

    /// Prints a message, unless it is the same as the last one.
    fn once(&mut self, what: &str) {
        if self.said != what {
            self.print(what);
            self.said = what.to_owned();
        }
    }

    fn print(&self, line: &str) {
        let line = safe(line);
        match &self.bar {
            Some(bar) => bar.println(line),
            None => say!("{line}"),
        }
    }

    fn line(&self, study: &SharedStudy) -> String {
        let counts = study.counts();
        let config = study.study().config();
        let done = ended(study);
        let mut parts = vec![match config.budget {
            Some(budget) => format!("{done}/{budget}"),
            None => format!("{done} done"),
        }];
        // The part that is cut off on a narrow terminal matters least.
        let new = done.saturating_sub(self.done_before);
        let left = config.budget.map_or(0, |budget| budget.saturating_sub(done));
        if new > 0 && left > 0 {
            // It is an estimate: whole seconds are enough.
            let seconds = self.begun.elapsed().as_secs_f64() * left as f64 / new as f64;
            parts.push(format!("{} left", format_duration(Duration::from_secs(seconds.ceil() as u64))));
        }
        if study.study().outcomes().has_several_objectives() {
            let front = study.study().front();
            let volume = |volume| format!(", hypervolume {}", number(volume));
            let volume = front.hypervolume.map_or_else(String::new, volume);
            parts.push(format!("{} on the front{volume}", front.points.len()));
        } else if let Some(best) = study.study().best().and_then(|trial| Some((trial.id, trial.value()?))) {
            parts.push(format!("best {} (trial {})", number(best.1), best.0));
        }
        parts.push(format!("{} running", counts.running));
        let others = [
            (counts.queued, "queued"),
            (counts.failed, "failed"),
            (counts.infeasible, "infeasible"),
            (counts.lost, "lost"),
        ];
        for (n, word) in others {
            if n > 0 {
                parts.push(format!("{n} {word}"));
            }
        }
        parts.push(progress(study.study(), 16));
        fitting(&parts, width_of_errors().saturating_sub(BAR + 1))
    }
}

/// The parts that fit into a line, uncut: words that are cut in the middle look like a mistake.
fn fitting(parts: &[String], most: usize) -> String {
    let mut line = String::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        let gap = if line.is_empty() { "" } else { "  " };
        if line.chars().count() + gap.len() + part.chars().count() > most {
            break;
        }
        line = line + gap + part;
    }
    line
}

/// A warning about many trials in a row without a value.
pub fn failing(streak: &Streak) -> String {
    let latest = brief(&streak.latest, 160);
    let latest = if latest == streak.reason { String::new() } else { format!(". The latest: {latest}") };
    safe(&format!("warning: {streak}{latest}. See `elbow trials --state failed,infeasible`"))
}

/// Trials that have ended.
fn ended(study: &SharedStudy) -> usize {
    let counts = study.counts();
    counts.complete + counts.failed + counts.infeasible + counts.lost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_whole_parts_only() {
        let parts = ["24/50", "1 s left", "6 running", "", "7 failed"].map(str::to_owned);
        assert_eq!(fitting(&parts, 80), "24/50  1 s left  6 running  7 failed");
        assert_eq!(fitting(&parts, 35), "24/50  1 s left  6 running");
        assert_eq!(fitting(&parts, 3), "");
    }
}
