//! The contest of kernels and bends: which of them makes the results (not their warped values) most likely.

use super::fit::Fitting;
use super::kernels::{Contestant, KernelConfig};
use super::subset;
use crate::data::Dataset;
use crate::error::Result;
use crate::gp::{KernelKind, Likelihood, Prior, find};

/// A comparison needs the evidence to about a hundredth of a nat, not the last digits of the hyperparameters. But its
/// searches must converge: when they were cut off after 25 evaluations, they chose worse warps.
const CONTEST_TOLERANCE: f64 = 1e-4;

/// Bends to choose from, in standard deviations of the results: two per decade, from slight to logarithmic.
pub(super) const BENDS: usize = 18;

pub(super) fn bend_at(level: usize) -> f64 {
    10f64.powf(0.5 - 0.5 * level as f64)
}

/// The start with hardly any detail: ln of its odds, and ln of the ratio, which is moderate or close to white noise.
const HARDLY_ANY: f64 = -8.0;
const RATIOS: [f64; 2] = [1.8, 4.0];

/// A maximum must be larger by this many nats to count as a different one, not as the same one reached more exactly.
pub(super) const OTHER_MAXIMUM: f64 = 0.5;

/// The level from which on having no bend cannot be best: two levels lie between.
const NEARLY_STRAIGHT: usize = 2;

/// The levels to try first, unless the last fit had a bend.
const FIRST_LEVELS: [usize; 3] = [1, 4, 7];

/// A kernel and a bend in a contest.
#[derive(Clone)]
pub(super) struct Entry {
    pub kernel: Contestant,
    pub bend: Option<f64>,
    pub value: f64,
    pub theta: Vec<f64>,
}

/// The searches of a contest. Bends change the values alone, so those of one kernel share a likelihood.
struct Searches<'a> {
    raw: &'a Dataset,
    /// `raw` in the model's units, without a bend.
    encoded: &'a Dataset,
    /// The likelihood of the last search, with the name of its kernel.
    likelihood: Option<(KernelConfig, Likelihood<'a>)>,
    work: f64,
}

impl Fitting<'_> {
    /// The kernel and bend of the winner, and a θ from which to continue with all data.
    pub fn chosen(&self, work: &mut f64) -> Result<Entry> {
        if self.has_bent_noise() {
            let plain = Dataset::new(self.all.x().clone(), self.all.y().to_vec())?;
            let mut entry = Fitting { all: &plain, warm: None, is_noise_partial: false, ..*self }.chosen(work)?;
            // If all variances are known, the fitted noise is no longer needed.
            if !self.is_noise_partial {
                entry.theta.remove(entry.theta.len() - entry.kernel.kernel.values().len() - 1);
            }
            return Ok(entry);
        }
        let subset = subset::contest(self.all, self.stream)?;
        let raw = subset.as_ref().unwrap_or(self.all);
        let encoded = self.encoded(raw, &self.scale(None))?;
        let mut searches = Searches { raw, encoded: &encoded, likelihood: None, work: 0.0 };
        let entry = self.contest(&mut searches)?;
        *work += searches.work;
        if subset.is_some() { self.start(entry, work) } else { Ok(entry) }
    }

    /// Whether variances are declared and the results may be bent. The variances are then scaled by the slope of the
    /// map at the results themselves, which cancels its Jacobian. The value of a fit is then not a density of the
    /// results: it grows with the bend, so bends cannot be compared by it. They are chosen with a fitted noise instead.
    pub fn has_bent_noise(&self) -> bool {
        self.all.noise().is_some() && self.may_warp()
    }

    /// The kernel and bend under which the results are most likely, with their θ. The bend is found with the kernel
    /// that won last time; the other kernels must do better with that bend.
    fn contest(&self, searches: &mut Searches<'_>) -> Result<Entry> {
        let first = self.leading_kernel();
        let warm = self.warm.map(|w| match self.recorded(w) {
            Some(last) => first.start_from(&w.theta, &last),
            None => w.theta.clone(),
        });
        let mut best = self.first_entry(searches, &first, warm)?;
        if self.may_warp() {
            // Use the random starts where they count: with the chosen bend.
            let explored = self.entry(searches, &first, best.bend, Some(best.theta.clone()), true)?;
            if explored.value > best.value {
                best = explored;
            }
        }
        for kernel in self.kernels.iter().filter(|kernel| !kernel.name.is_same(&first.name)) {
            let start = kernel.start_from(&best.theta, &best.kernel);
            let entry = self.entry(searches, kernel, best.bend, Some(start), false)?;
            if entry.value > best.value {
                best = entry;
            }
        }
        let best = self.with_other_noise(searches, best)?;
        self.with_hardly_any_detail(searches, best)
    }

    /// The better of no bend and the best bend, with the kernel that won last time. If the last fit had a bend, and all
    /// results are used later, a straight line is tried only if hardly any bend is best.
    fn first_entry(&self, searches: &mut Searches<'_>, first: &Contestant, warm: Option<Vec<f64>>) -> Result<Entry> {
        let was_bent = self.warm.is_some_and(|w| w.bend.is_some());
        let is_later_fitted_to_all = self.all.len() > subset::CONTEST;
        let (plain, bent) = match warm {
            Some(theta) if self.may_warp() && was_bent && is_later_fitted_to_all => {
                let last = Entry { kernel: first.clone(), bend: None, value: f64::NEG_INFINITY, theta };
                let bent = self.best_warp(searches, first, &last)?;
                if bent.bend.is_some_and(|bend| bend < bend_at(NEARLY_STRAIGHT)) {
                    return Ok(bent);
                }
                (self.entry(searches, first, None, Some(bent.theta.clone()), false)?, bent)
            }
            warm => {
                let plain = self.entry(searches, first, None, warm, !self.may_warp())?;
                let plain = if self.warm.is_none() { self.with_other_noise(searches, plain)? } else { plain };
                if !self.may_warp() {
                    return Ok(plain);
                }
                let bent = self.best_warp(searches, first, &plain)?;
                (plain, bent)
            }
        };
        Ok(if bent.value > plain.value { bent } else { plain })
    }

    /// The same kernel and bend, searched from hardly any detail, if that finds a different maximum.
    fn with_hardly_any_detail(&self, searches: &mut Searches<'_>, best: Entry) -> Result<Entry> {
        let Some(start) = self.hardly_any_detail(&best) else { return Ok(best) };
        let entry = self.entry(searches, &best.kernel, best.bend, Some(start), false)?;
        Ok(if entry.value > best.value + OTHER_MAXIMUM { entry } else { best })
    }

    /// θ with hardly any detail, if the kernel has two scales: the trend must then explain the results alone, and may
    /// become shorter. There the ratio of the two scales hardly affects the likelihood, so no search finds a distant
    /// ratio; one of two ratios is drawn each time.
    pub fn hardly_any_detail(&self, entry: &Entry) -> Option<Vec<f64>> {
        if entry.kernel.name != KernelConfig::Ours(KernelKind::TwoScale) {
            return None;
        }
        let ratio = if self.stream.child("detail", 0).uniform() < 0.5 { RATIOS[0] } else { RATIOS[1] };
        let mut theta = entry.theta.clone();
        let place = theta.len() - 2;
        theta[place..].copy_from_slice(&[HARDLY_ANY, ratio]);
        Some(theta)
    }

    /// θ at the modes of the priors.
    pub fn mode(&self, kernel: &Contestant) -> Vec<f64> {
        let (priors, shape) = (self.priors(), self.shape(kernel));
        let mut theta: Vec<f64> =
            (0..shape.n_distances()).map(|i| priors.of_lengthscale(&shape, i).ln_mode()).collect();
        theta.push(priors.variance.ln_mode());
        if self.is_noise_fitted() {
            theta.push(priors.noise.ln_mode());
        }
        theta.extend(kernel.kernel.parameters().iter().map(|parameter| parameter.ln_mean));
        theta
    }

    /// The same kernel and bend with some noise instead of almost none, or the reverse, if that is likelier. With
    /// almost no noise the likelihood is flat in it, so searches do not find the other.
    fn with_other_noise(&self, searches: &mut Searches<'_>, best: Entry) -> Result<Entry> {
        let Some(start) = self.other_noise(&best) else { return Ok(best) };
        let entry = self.entry(searches, &best.kernel, best.bend, Some(start), false)?;
        Ok(if entry.value > best.value { entry } else { best })
    }

    /// θ with almost no noise if the entry has some. If the entry has almost none: the prior's mode with some noise,
    /// since short lengthscales made up for it. None if noise is known, or its prior does not have both kinds.
    pub fn other_noise(&self, entry: &Entry) -> Option<Vec<f64>> {
        let Prior::NoneOrSome { none, some, .. } = self.config.noise_prior else { return None };
        if self.all.noise().is_some() {
            return None;
        }
        let mut theta = entry.theta.clone();
        let own = entry.kernel.kernel.parameters();
        let place = theta.len() - own.len() - 1;
        // Equally many deviations from both.
        let border = (none.0 * some.1 + some.0 * none.1) / (none.1 + some.1);
        if theta[place] >= border {
            theta[place] = none.0;
            return Some(theta);
        }
        let (priors, shape) = (self.priors(), self.shape(&entry.kernel));
        theta[..place - 1].iter_mut().enumerate().for_each(|(i, t)| *t = priors.of_lengthscale(&shape, i).ln_mode());
        theta[place - 1] = priors.variance.ln_mode();
        theta[place] = some.0;
        theta[place + 1..].iter_mut().zip(&own).for_each(|(t, parameter)| *t = parameter.ln_mean);
        Some(theta)
    }

    /// The best warp: starts from that of the last fit, or the best of a few, and moves up or down while that helps.
    fn best_warp(&self, searches: &mut Searches<'_>, kernel: &Contestant, plain: &Entry) -> Result<Entry> {
        let mut try_level = |level: usize, from: &Entry| {
            self.entry(searches, kernel, Some(bend_at(level)), Some(from.theta.clone()), false)
        };
        let last = self
            .warm
            .and_then(|w| w.bend)
            .map(|bend| (0..BENDS).min_by(|&a, &b| distance(a, bend).total_cmp(&distance(b, bend))).unwrap_or(0));
        let mut level = last.unwrap_or(FIRST_LEVELS[0]);
        let mut best = try_level(level, plain)?;
        if last.is_none() {
            let mut from = best.clone();
            for other in FIRST_LEVELS.into_iter().skip(1) {
                from = try_level(other, &from)?;
                if from.value > best.value {
                    (best, level) = (from.clone(), other);
                }
            }
        }
        for step in [1, -1] {
            let mut moved = false;
            while let Some(next) = level.checked_add_signed(step).filter(|l| *l < BENDS) {
                let entry = try_level(next, &best)?;
                if entry.value <= best.value {
                    break;
                }
                (best, level, moved) = (entry, next, true);
            }
            if moved {
                break;
            }
        }
        Ok(best)
    }

    fn entry(
        &self,
        searches: &mut Searches<'_>,
        kernel: &Contestant,
        bend: Option<f64>,
        warm: Option<Vec<f64>>,
        explore: bool,
    ) -> Result<Entry> {
        let Searches { raw, encoded, ref mut likelihood, ref mut work } = *searches;
        let scale = self.scale(bend);
        let mut params = self.params(kernel, encoded);
        params.warm = warm;
        params.value_tolerance = CONTEST_TOLERANCE;
        if !explore {
            params.random_starts = 0;
        }
        let of_kernel = likelihood.take().filter(|(name, _)| name.is_same(&kernel.name));
        let anew = || (kernel.name.clone(), Likelihood::new(encoded, params.shape.clone()));
        let (_, likelihood) = likelihood.insert(of_kernel.unwrap_or_else(anew));
        likelihood.set_values(&raw.y().iter().map(|&y| scale.encode(y)).collect::<Vec<f64>>());
        let found = find(likelihood, &params, self.stream)?;
        *work += found.info.work;
        Ok(Entry { kernel: kernel.clone(), bend, value: found.value + scale.ln_jacobian(raw.y()), theta: found.theta })
    }

    pub fn first_kernel(&self) -> Contestant {
        self.kernels.first().cloned().unwrap_or_else(|| KernelKind::Matern52.into())
    }

    /// The kernel of the last fit, if it is still among the choices.
    fn leading_kernel(&self) -> Contestant {
        let last = self.warm.and_then(|w| self.kernels.iter().find(|kernel| kernel.name.is_same(&w.kernel)));
        last.cloned().unwrap_or_else(|| self.first_kernel())
    }
}

/// How far a level is from a bend, in decades.
fn distance(level: usize, bend: f64) -> f64 {
    (bend_at(level).log10() - bend.log10()).abs()
}
