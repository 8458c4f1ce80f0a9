//! Why a point was chosen, in one sentence for people.

use super::why::{BeliefThen, Why};
use crate::batch::terms;
use crate::study::{Source, TrialId};

/// The most pending trials to name individually.
const NAMED: usize = 3;

/// ln of an acquisition below which there is nothing to gain.
const HOPELESS: f64 = -50.0;

/// Pending trials are mentioned if ln of the factor by which they lower a score is below this.
const NOTICEABLE: f64 = -0.01;

/// Further facts that the sentence needs.
#[derive(Default)]
pub(super) struct Aside {
    /// The name of the result that the prediction is about, if there are several objectives.
    pub metric: Option<String>,
    /// Whether the point is near the best prediction.
    pub is_near_best: bool,
}

impl Why {
    /// Why the point was chosen, in one sentence.
    pub(super) fn in_one_sentence(&self, aside: &Aside) -> String {
        let trial = format!("Trial {}", self.trial);
        let because = |otherwise: &str| self.fallback.clone().unwrap_or_else(|| otherwise.to_owned());
        match (&self.belief, self.source) {
            (Some(belief), _) => belief.in_one_sentence(&trial, aside),
            (None, Source::Design) => {
                format!("{trial} is part of the initial design, which covers the space before there is a model.")
            }
            (None, Source::Given) => format!("{trial} was added by hand."),
            (None, Source::Random) => {
                format!(
                    "{trial} is a random point: {}.",
                    because("neither the design nor the strategy had one to offer")
                )
            }
            (None, Source::Model) => format!("{trial} was drawn at random by the strategy of this study."),
        }
    }
}

impl BeliefThen {
    /// Whether local penalization maximized the confidence bound instead of the acquisition.
    fn is_by_bound(&self) -> bool {
        let is_penalized = ["local_penalization", "adaptive"].contains(&self.strategy.as_str());
        is_penalized && self.score.terms.iter().any(|term| [terms::MEAN, terms::LN_BOUND].contains(&term.name.as_str()))
    }

    /// Whether there are several objectives: how good the first one is there says little.
    fn adds_to_a_front(&self) -> bool {
        self.score.terms.iter().any(|term| term.name == terms::LN_IMPROVEMENT_LEFT)
    }

    /// The sum of the terms of these names.
    fn sum_of(&self, names: &[&str]) -> f64 {
        self.score.terms.iter().filter(|term| names.contains(&term.name.as_str())).map(|term| term.value).sum()
    }

    /// Whether there is nothing to gain at the point, and failures are known: points with more to gain were passed over.
    fn is_left_over(&self) -> bool {
        let has_chance = self.score.terms.iter().any(|term| term.name == terms::LN_CHANCE);
        has_chance && self.sum_of(&[terms::LN_ACQUISITION]) < HOPELESS
    }

    /// Whether it was too likely to fail for as long as something was left to gain elsewhere.
    fn is_opened(&self) -> bool {
        self.score.terms.iter().any(|term| term.name == terms::LN_CHANCE_NEARBY)
    }

    fn in_one_sentence(&self, trial: &str, aside: &Aside) -> String {
        let aim = match self.exploit {
            _ if self.is_opened() => {
                "because next to nothing is left to gain where values are likely, though it seemed too likely to fail before"
            }
            _ if self.adds_to_a_front() => "to add to the front of the objectives",
            _ if self.is_by_bound() && aside.is_near_best => "to refine around the best prediction",
            _ if self.is_by_bound() => "to try a point away from the best prediction, whose value may be better",
            _ if self.is_left_over() => "because all points with more to gain seemed too likely to fail",
            share if share > 0.8 => "to improve on the best result, where the model expects better values",
            share if share > 0.5 => "to improve on the best result, where the model expects good values and is unsure",
            share if share > 0.2 => "to try a point whose value is uncertain and may be good",
            _ => "to look for a gain that is possible but uncertain",
        };
        let (value, result) = aside.metric.as_ref().map_or_else(
            || (String::new(), "best result".to_owned()),
            |metric| (format!("{metric} = "), format!("best {metric}")),
        );
        let best = self.best.map_or_else(String::new, |best| format!(", when the {result} was {}", rounded(best, 4)));
        let predicted =
            format!("the model predicted {value}{} ± {} there{best}", known(self.mean, self.sd), rounded(self.sd, 2));
        let mut pending: Vec<TrialId> = self.pending.iter().map(|one| one.trial).collect();
        pending.sort_unstable();
        let is_moved = !self.is_by_bound() && self.sum_of(&[terms::LN_PENALTY, terms::LN_DEVIATION_LEFT]) < NOTICEABLE;
        let moved = match (self.without_pending.as_ref().filter(|_| is_moved), pending.as_slice()) {
            (None, _) | (_, []) => String::new(),
            (Some(_), [one]) => format!("; it keeps clear of trial {one}, which was still running"),
            (Some(_), several) => format!("; it keeps clear of {}, which were still running", listed(several)),
        };
        format!("{trial} was chosen {aim}: {predicted}{moved}.")
    }
}

/// `trials 3, 5 and 8`, or how many there are.
fn listed(trials: &[TrialId]) -> String {
    match trials {
        [first @ .., last] if trials.len() <= NAMED => {
            let first: Vec<String> = first.iter().map(ToString::to_string).collect();
            format!("trials {} and {last}", first.join(", "))
        }
        _ => format!("{} trials", trials.len()),
    }
}

/// A mean down to the second digit of its standard deviation.
fn known(mean: f64, sd: f64) -> String {
    let place = sd.log10().floor() - 1.0;
    let step = 10f64.powf(place);
    // Adding 0 makes a plain 0 of -0.
    let cut = (mean / step).round() * step + 0.0;
    if !(step > 0.0 && cut.is_finite()) {
        return rounded(mean, 4);
    }
    let digits = if cut == 0.0 { 1.0 } else { cut.abs().log10().floor() - place + 1.0 };
    rounded(cut, digits.clamp(1.0, 12.0) as usize)
}

/// A number to this many digits.
fn rounded(x: f64, digits: usize) -> String {
    let cut: f64 = format!("{x:.*e}", digits - 1).parse().unwrap_or(x);
    let text = format!("{cut:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_as_many_digits_as_are_wanted() {
        let shown = [0.002478753, 1234567.0, 1e-9, 55.0, -0.5, 0.0].map(|x| rounded(x, 4));
        assert_eq!(shown, ["0.002479", "1235000", "1e-9", "55", "-0.5", "0"]);
        assert_eq!(rounded(2.306e-8, 2), "2.3e-8");
    }

    #[test]
    fn a_mean_has_no_digit_that_is_not_known_and_all_that_are() {
        let shown =
            [(1.999694, 0.00025), (0.0273184, 0.5), (12345.678, 310.0), (0.031, 0.00004), (-0.04, 1.3), (0.06, 1.3)];
        let shown = shown.map(|(mean, sd)| known(mean, sd));
        assert_eq!(shown, ["1.99969", "0.03", "12350", "0.031", "0", "0.1"]);
        // A deviation of 0 says nothing about how many digits are known.
        let unknown = [(0.0, 1.0), (2.47871, 0.0), (1.0, f64::NAN)].map(|(mean, sd)| known(mean, sd));
        assert_eq!(unknown, ["0", "2.479", "1"]);
    }

    #[test]
    fn a_few_trials_are_named_and_many_are_counted() {
        let ids: Vec<TrialId> = [3, 5, 8, 13].map(TrialId).to_vec();
        assert_eq!(listed(&ids[..2]), "trials 3 and 5");
        assert_eq!(listed(&ids[..3]), "trials 3, 5 and 8");
        assert_eq!(listed(&ids), "4 trials");
    }
}
