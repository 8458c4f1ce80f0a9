//! The trials from which the chance of success is learned.
//!
//! A probit process costs n³ for each sweep, so it sees at most [`MOST`] trials: the latest failures, the successes
//! nearest to any of those, and the latest successes. Pairs of neighbours show where the border is; the latest trials
//! show where the search is now.

use crate::linalg::Points;

/// The most trials.
const MOST: usize = 120;

/// The data for the chance of success.
pub(super) struct Answers {
    /// Points of trials that ended, and whether each gave a value.
    pub x: Points,
    pub gave_value: Vec<bool>,
    /// The number of failed trials, and of all trials.
    pub n_failed: usize,
    pub n_ended: usize,
    /// How many gave a value after the last that failed.
    pub n_calm: usize,
}

/// The part of `ended` that is used, points with whether they gave a value; none if all did.
pub(super) fn choose(ended: Vec<(&[f64], bool)>, dim: usize) -> Option<Answers> {
    let (good, bad): (Vec<_>, Vec<_>) = ended.iter().map(|(u, gave)| (*u, *gave)).partition(|(_, gave)| *gave);
    if bad.is_empty() {
        return None;
    }
    let (n_failed, n_ended) = (bad.len(), ended.len());
    let n_calm = ended.iter().rev().take_while(|(_, gave)| *gave).count();
    let mut kept = ended;
    if kept.len() > MOST {
        let n_bad = bad.len().min(MOST / 2).max(MOST.saturating_sub(good.len()).min(bad.len()));
        let n_good = MOST - n_bad;
        let bad = &bad[bad.len() - n_bad..];
        let distance = |u: &[f64]| {
            let squared = |v: &[f64]| u.iter().zip(v).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            bad.iter().map(|(v, _)| squared(v)).fold(f64::INFINITY, f64::min)
        };
        let (older, latest) = good.split_at(good.len().saturating_sub(n_good / 2));
        let mut nearest: Vec<(f64, &[f64])> = older.iter().map(|(u, _)| (distance(u), *u)).collect();
        nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
        nearest.truncate(n_good - latest.len());
        kept = bad.iter().chain(latest).copied().chain(nearest.into_iter().map(|(_, u)| (u, true))).collect();
    }
    let mut x = Points::new(dim);
    kept.iter().for_each(|(u, _)| x.push(u));
    let gave_value = kept.into_iter().map(|(_, gave)| gave).collect();
    Some(Answers { x, gave_value, n_failed, n_ended, n_calm })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_failure_there_is_nothing_to_learn() {
        assert!(choose(vec![(&[0.5], true), (&[0.6], true)], 1).is_none());
        let answers = choose(vec![(&[0.5], true), (&[0.6], false)], 1).unwrap();
        assert_eq!((answers.x.len(), answers.gave_value), (2, vec![true, false]));
        assert_eq!((answers.n_failed, answers.n_ended), (1, 2));
    }

    #[test]
    fn of_many_trials_the_latest_and_the_neighbours_of_failures_stay() {
        // Trial i succeeded at i/1000, except at the multiples of ten below 300.
        let units: Vec<[f64; 1]> = (0..1000).map(|i| [i as f64 / 1000.0]).collect();
        let ended = units.iter().enumerate().map(|(i, u)| (u.as_slice(), !(i % 10 == 0 && i < 300))).collect();
        let answers = choose(ended, 1).unwrap();
        assert_eq!((answers.x.len(), answers.gave_value.iter().filter(|g| !**g).count()), (MOST, 30));
        assert_eq!((answers.n_failed, answers.n_ended, answers.n_calm), (30, 1000, 709));
        let kept: Vec<u64> = answers.x.iter().map(|u| (u[0] * 1000.0).round() as u64).collect();
        assert!((955..1000).all(|i| kept.contains(&i)) && kept.contains(&11) && !kept.contains(&600));
    }
}
