//! A line of little bars.

use elbowroom::study::{Goal, Study, Trial, TrialId};
use elbowroom_view::axis::spans_decades;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The values that may be the best, with their trials: if results have limits, only trials that keep all of them.
pub fn counting_values(study: &Study) -> Vec<(TrialId, f64)> {
    let limited = study.outcomes().has_limits();
    let counts = |trial: &&Trial| !limited || study.is_feasible(trial) == Some(true);
    study.trials().iter().filter(counts).filter_map(|trial| Some((trial.id, trial.value()?))).collect()
}

/// The course of a study, as bars: the hypervolume if there are several objectives, otherwise the best value so far.
pub fn progress(study: &Study, width: usize) -> String {
    if study.outcomes().has_several_objectives() {
        let steps: Vec<f64> = study.front().history.iter().map(|step| step.hypervolume).collect();
        return spark(&steps, width);
    }
    let values = counting_values(study).into_iter().map(|(_, value)| value);
    spark(&best_so_far(values, study.config().goal), width)
}

/// The best value after each value.
pub fn best_so_far(values: impl IntoIterator<Item = f64>, goal: Goal) -> Vec<f64> {
    let mut best: Option<f64> = None;
    let next = |value: f64| {
        let better = best.is_none_or(|best| goal.is_better(value, best));
        let now = if better { value } else { best.unwrap_or(value) };
        best = Some(now);
        now
    };
    values.into_iter().map(next).collect()
}

/// Values as bars, at most `width` of them, from the first to the last; on a log scale if they span decades.
pub fn spark(values: &[f64], width: usize) -> String {
    let n = values.len().min(width);
    let at = |i: usize| values[if n == 1 { values.len() - 1 } else { i * (values.len() - 1) / (n - 1) }];
    let shown: Vec<f64> = (0..n).map(at).collect();
    let low = shown.iter().copied().fold(f64::INFINITY, f64::min);
    let high = shown.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let log = spans_decades(shown.iter().copied());
    let height = |v: f64| match log {
        true => (v / low).ln() / (high / low).ln() * 7.0,
        // Halve first: the difference of 1e308 and -1e308 is infinite.
        false => (v / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) * 7.0,
    };
    let bar = |v: &f64| if high > low { BARS[height(*v).round().clamp(0.0, 7.0) as usize] } else { BARS[0] };
    shown.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_go_from_low_to_high() {
        assert_eq!(spark(&[0.0, 3.5, 7.0], 10), "▁▅█");
        assert_eq!(spark(&[1e308, -1e308], 10), "█▁");
        assert_eq!(spark(&[1e7, 1e4, 1.0], 10), "█▅▁", "decades are told apart");
        assert_eq!((spark(&[], 10), spark(&[2.0, 2.0], 10)), (String::new(), "▁▁".to_owned()));
        assert_eq!(spark(&(0..100).map(f64::from).collect::<Vec<_>>(), 8), "▁▂▃▄▅▆▇█");
        assert_eq!(best_so_far([3.0, 4.0, 1.0], Goal::Minimize), [3.0, 3.0, 1.0]);
        assert_eq!(best_so_far([3.0, 4.0, 1.0], Goal::Maximize), [3.0, 4.0, 4.0]);
    }
}
