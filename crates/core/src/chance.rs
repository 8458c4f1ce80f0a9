//! The chance that a point gives a value at all, learned from the trials that did and those that did not.
//!
//! Several explanations compete. Their average is used, weighted by how well each predicted what was observed:
//!
//! * failures are equally likely everywhere: p₀ = (n₊ + 2)/(n + 3), Z₀ = 3p₀² p₀^n₊ (1 − p₀)^n₋, since chance seldom
//!   takes most trials;
//! * failures have a place: a Gaussian process behind a probit ([`Probit`]), averaged over a grid of lengthscales and
//!   variances with the weights π_g Z_g; sharp borders have more prior weight;
//! * some have a place and some are chance: the same with sharp borders and a lapse rate ε, half of the observed
//!   failure rate. Without it a region is no longer recognized once a chance failure occurs among good points.
//!
//! ln p(x) = ln(w₁ Σ_g w_g (1 − ε_g) Φ_g(x) + w₀ p₀), with w₁/w₀ = (hZ₁/Z₀)³ and ln h = 1.2; Z₁ is the mean of the Z_g
//! without lapses, plus κ times the mean of those with. If failures are random, w₁ falls and p is the same everywhere:
//! the search is not driven away. If they have a place, w₀ falls. There is no threshold. All explanations are given the
//! observed success rate: if it had to be inferred, only the explanation by chance would pay for it (a place has it as
//! its prior mean), and would lose about ½ ln n nats for nothing.
//!
//! EI·p would be the expected improvement if p were the whole story. But the search goes where p is too large, and
//! where the objective is known well, an improvement beyond the border outweighs any chance of failure: four of five
//! trials failed. So p also has a gate, which limits how much *riskier* than the safest trial a point may be:
//! p(x) ≥ (1 − r) p_most. The risk r is what the points under way leave of 0.45, but never less than a fixed amount;
//! both are smaller if many trials failed for their place (their number times w₁). While any candidate is above the
//! gate, none below it is chosen, however little is left to gain above, unless the gate is opened. If failures have no
//! place, p is nearly the same everywhere and every point is above the gate.
//!
//! The gate alone would keep a search in the first of several islands, and away from a level whose first trials failed,
//! for ever. So it is opened for one point at a time, once `CALM` trials in a row gave a value and what is left to
//! gain above it is far less than what may be gained beyond it (`batch/search/opened.rs`). There the average of the
//! explanations is not asked, whose long lengthscales carry a border across the whole space, but the member with the
//! shortest lengthscale and the sharpest border: to it, a point far from all trials is as likely to succeed as they were
//! on average. Openings limit themselves: one that fails ends the calm, and tells of its surroundings.
//!
//! Prior means match the observed rate, (1 − ε) Φ(m/√(1 + σ²)) = p₀, so that a point far from all trials is as likely
//! to succeed as a trial was on average, however sharp the border is.
//!
//! A trial's failure never makes p zero, not even at its own point: the rule that no point is proposed next to a failed
//! one belongs to the search ([`crate::batch::Tried`]).

use crate::error::{Error, Result};
use crate::gp::{Hyperparameters, KernelKind, Metric, Posterior, Probit, Scratch, Sites, Sweeps, work};
use crate::linalg::Points;
use crate::normal;

/// Lengthscales of the grid in two dimensions; they grow with the root of the dimension, as distances do. The longest
/// makes the border nearly a plane.
const LENGTHSCALES: [f64; 3] = [0.15, 0.6, 2.4];

/// How sharp the border is: standard deviations of the latent function per unit of lengthscale, and the prior
/// probability of each. A chance rises from 0.1 to 0.9 over about 2.6 divided by this, in the unit cube. Where a solver
/// diverges or memory runs out, the border has no width, and trials hardly show it: half of those that bisect it fail,
/// as with a blunt border, so the evidence of both stays the same. Sharp borders are therefore more likely a priori.
const SLOPES: [(f64, f64); 4] = [(4.0, 0.01), (64.0, 0.01), (1024.0, 0.09), (16384.0, 0.89)];

/// The share of the observed failures that are chance, if some have a place.
const LAPSES: f64 = 0.5;

/// The prior odds of that, relative to all failures having a place (κ).
const LAPSE_PRIOR: f64 = 0.5;

/// How many of the sharpest slopes are also tried with lapses: with a blunt border, a failure among values is no
/// surprise.
const N_SHARP: usize = 2;

/// The power of the evidence in the choice between a place and chance. With power 1, the average by the rules, random
/// failures drive the search away; a higher power decides sooner and wastes no more trials near a border.
const SHARPNESS: f64 = 3.0;

/// The head start of a place over chance, in nats, before anything is observed: most failures have one.
const HEAD_START: f64 = 1.2;

/// The variance of the member that tells of the neighbourhood alone.
const NEARBY_VARIANCE: f64 =
    (SLOPES[SLOPES.len() - 1].0 * LENGTHSCALES[0]) * (SLOPES[SLOPES.len() - 1].0 * LENGTHSCALES[0]);

/// Members with less than this share of the weight of the best are left out.
const LEAST_SHARE: f64 = 0.05;

/// How much riskier than the safest trial points may be.
#[derive(Debug, Clone, Copy)]
struct Room {
    /// In total, including the points under way.
    together: f64,
    /// What each point is allowed in any case.
    each: f64,
}

impl Room {
    const MUCH: Self = Self { together: 0.45, each: 0.07 };

    /// If more than [`MANY`] of all trials failed for their place.
    const LITTLE: Self = Self { together: 0.26, each: 0.035 };

    fn after(n_failed_by_place: f64, n_ended: usize) -> Self {
        if n_failed_by_place > MANY * n_ended as f64 { Self::LITTLE } else { Self::MUCH }
    }
}

/// The share of trials that failed for their place above which it counts as many.
const MANY: f64 = 0.2;

/// How many trials in a row have to give a value before the gate is opened. So of 13 trials at most one fails because
/// the gate was opened for it.
const CALM: usize = 12;

/// How steeply a score falls below the gate, for each unit of ln p.
const GATE_SLOPE: f64 = 1000.0;

/// Sweeps for each member of the grid, which starts from the sites of the one before; and further sweeps for members
/// whose evidence is not [`BEHIND`] the best so far. Sharp borders take that many to settle.
const SWEEPS: Sweeps = Sweeps { most: 5, tolerance: 0.01 };
const MORE_SWEEPS: Sweeps = Sweeps { most: 10, tolerance: 0.01 };

/// A member this many nats behind will not count.
const BEHIND: f64 = 6.0;

/// The chance that a point gives a value.
///
/// ```
/// use elbowroom::chance::Chance;
/// use elbowroom::gp::Metric;
/// use elbowroom::linalg::Points;
/// let x = Points::from_rows(1, (0..20).map(|i| i as f64 / 19.0).collect()).unwrap();
/// let succeeded: Vec<bool> = x.iter().map(|u| u[0] < 0.6).collect();
/// let chance = Chance::learn(&x, &succeeded, &[Metric::Distance])?.expect("some failed");
/// assert!(chance.ln_p(&[0.2]).exp() > 0.9 && chance.ln_p(&[0.9]).exp() < 0.1);
/// // Without a failure there is nothing to learn.
/// assert!(Chance::learn(&x, &[true; 20], &[Metric::Distance])?.is_none());
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Chance {
    members: Vec<Member>,
    /// w₀.
    weight_of_chance: f64,
    /// ln w₀p₀.
    ln_constant: f64,
    /// The member of the shortest lengthscale and the sharpest border, whatever its weight.
    nearby: Option<Posterior>,
    /// How many trials gave a value since the last failure.
    n_calm: usize,
    /// ln of the largest chance at a trial that succeeded; 0 if none did.
    ln_most: f64,
    room: Room,
    work: f64,
}

/// A member of the grid that counts.
#[derive(Debug, Clone)]
struct Member {
    /// ln w₁w_g (1 − ε).
    ln_weight: f64,
    lapse: f64,
    latent: Posterior,
}

/// A member of the grid.
struct Candidate {
    /// ln π_g Z_g.
    ln_weight: f64,
    lapse: f64,
    hyper: Hyperparameters,
    probit: Probit,
}

impl Chance {
    /// The trials it was learned from, in the unit cube.
    pub(crate) fn points(&self) -> impl Iterator<Item = &[f64]> {
        self.members.iter().take(1).flat_map(|member| member.latent.observed())
    }

    /// Learns from trials in the unit cube, in the order in which they were run; `None` if none failed. The cost is that
    /// of a few dozen factorizations.
    pub fn learn(x: &Points, succeeded: &[bool], metric: &[Metric]) -> Result<Option<Self>> {
        if x.len() != succeeded.len() {
            let what = format!("{} points but {} answers", x.len(), succeeded.len());
            return Err(Error::data(what, "say for every point whether it gave a value"));
        }
        let n = succeeded.len() as f64;
        let n_succeeded = succeeded.iter().filter(|s| **s).count() as f64;
        if n_succeeded == n {
            return Ok(None);
        }
        let rate = (n_succeeded + 2.0) / (n + 3.0);
        let (mut found, sweeps) = candidates(x, succeeded, metric, rate);
        let ln_z0 = (n_succeeded + 2.0) * rate.ln() + (n - n_succeeded) * (-rate).ln_1p() + 3f64.ln();
        let ln_mean = |lapses: bool, n_slopes: usize| {
            let of_kind = found.iter().filter(|member| (member.lapse > 0.0) == lapses);
            ln_sum(of_kind.map(|member| member.probit.ln_evidence)) - ((LENGTHSCALES.len() * n_slopes) as f64).ln()
        };
        let of_some = ln_mean(true, N_SHARP) + LAPSE_PRIOR.ln();
        let ln_z1 = ln_sum([ln_mean(false, SLOPES.len()), of_some].into_iter());
        let (ln_w0, ln_w1) = (SHARPNESS * ln_z0, SHARPNESS * (ln_z1 + HEAD_START));
        let ln_total = ln_sum([ln_w0, ln_w1].into_iter());
        let is_nearby = |member: &&Candidate| member.lapse == 0.0 && member.hyper.variance == NEARBY_VARIANCE;
        let nearby =
            found.iter().find(is_nearby).map(|member| member.probit.posterior(x, &member.hyper)).transpose()?;
        let best = found.iter().map(|member| member.ln_weight).fold(f64::NEG_INFINITY, f64::max);
        found.retain(|member| member.ln_weight >= best + LEAST_SHARE.ln());
        let ln_kept = ln_sum(found.iter().map(|member| member.ln_weight));
        let kept = |member: &Candidate| -> Result<Member> {
            let ln_weight = ln_w1 - ln_total + member.ln_weight - ln_kept + (-member.lapse).ln_1p();
            let latent = member.probit.posterior(x, &member.hyper)?;
            Ok(Member { ln_weight, lapse: member.lapse, latent })
        };
        let members = found.iter().map(kept).collect::<Result<Vec<_>>>()?;
        let mut chance = Self {
            work: (sweeps + members.len() + usize::from(nearby.is_some())) as f64 * work::likelihood(x.len(), x.dim()),
            members,
            nearby,
            n_calm: succeeded.iter().rev().take_while(|s| **s).count(),
            weight_of_chance: (ln_w0 - ln_total).exp(),
            ln_constant: ln_w0 - ln_total + rate.ln(),
            ln_most: 0.0,
            room: Room::MUCH,
        };
        let mut good = Points::new(x.dim());
        x.iter().zip(succeeded).filter(|(_, s)| **s).for_each(|(u, _)| good.push(u));
        chance.ln_most = chance.ln_p_many(&good).into_iter().reduce(f64::max).unwrap_or(0.0);
        let n_failed = succeeded.iter().filter(|s| !**s).count();
        Ok(Some(chance.among(n_failed, x.len())))
    }

    /// Sets how many of all trials failed, if it was learned from a part of them.
    #[must_use]
    pub fn among(mut self, n_failed: usize, n_ended: usize) -> Self {
        self.room = Room::after(self.weight_of_place() * n_failed as f64, n_ended);
        self
    }

    /// Sets how many trials gave a value since the last failure, if it was learned from a part of them.
    #[must_use]
    pub fn since_failure(mut self, n_values: usize) -> Self {
        self.n_calm = n_values;
        self
    }

    /// Whether the gate may be opened: [`CALM`] trials in a row gave a value.
    pub(crate) fn is_calm(&self) -> bool {
        self.n_calm >= CALM && self.nearby.is_some()
    }

    /// ln of the chance at a point if only its neighbours tell.
    pub(crate) fn ln_p_nearby(&self, x: &[f64]) -> f64 {
        let Some(nearby) = &self.nearby else { return self.ln_p(x) };
        let p = nearby.predict_value(x, &mut Scratch::default());
        normal::ln_cdf(p.mean / (1.0 + p.variance).sqrt())
    }

    /// The distance from a point to the nearest trial, in the lengthscales of its neighbourhood.
    pub(crate) fn distance(&self, x: &[f64]) -> f64 {
        let Some(nearby) = &self.nearby else { return 0.0 };
        nearby.observed().map(|u| nearby.squared_distance(u, x)).fold(f64::INFINITY, f64::min).sqrt()
    }

    /// How likely it is that a failure at a point was chance, from 0 to 1.
    pub fn luck(&self, x: &[f64]) -> f64 {
        let mut scratch = Scratch::default();
        let member = |member: &Member| {
            // The share ε/(ε + (1 − ε) Φ(−z)) of its weight.
            let p = member.latent.predict_value(x, &mut scratch);
            let by_place = (1.0 - member.lapse) * normal::cdf(-p.mean / (1.0 + p.variance).sqrt());
            let weight = (member.ln_weight - (-member.lapse).ln_1p()).exp();
            weight * member.lapse / (member.lapse + by_place)
        };
        self.weight_of_chance + self.members.iter().filter(|member| member.lapse > 0.0).map(member).sum::<f64>()
    }

    /// ln of the chance at a point.
    pub fn ln_p(&self, x: &[f64]) -> f64 {
        let mut scratch = Scratch::default();
        let member = |member: &Member| {
            let p = member.latent.predict_value(x, &mut scratch);
            member.ln_weight + normal::ln_cdf(p.mean / (1.0 + p.variance).sqrt())
        };
        let terms: Vec<f64> = self.members.iter().map(member).chain([self.ln_constant]).collect();
        ln_sum(terms.into_iter())
    }

    /// ln of the chance at many points.
    pub fn ln_p_many(&self, x: &Points) -> Vec<f64> {
        let mut terms = vec![vec![self.ln_constant]; x.len()];
        for Member { ln_weight, latent, .. } in &self.members {
            let (means, variances) = latent.predict_many(x);
            for (terms, (mean, variance)) in terms.iter_mut().zip(means.into_iter().zip(variances)) {
                terms.push(ln_weight + normal::ln_cdf(mean / (1.0 + variance).sqrt()));
            }
        }
        terms.into_iter().map(|terms| ln_sum(terms.into_iter())).collect()
    }

    /// ln of the chance at a point; its gradient is added to `gradient`.
    pub fn add_gradient(&self, x: &[f64], scratch: &mut Scratch, gradient: &mut [f64]) -> f64 {
        // ∇ ln p_g = h(z) [∇μ − ½ μ ∇s²/(1 + s²)]/√(1 + s²), weighted by w_g p_g/p.
        let mut terms = vec![self.ln_constant];
        let mut slopes: Vec<Vec<f64>> = Vec::with_capacity(self.members.len());
        for Member { ln_weight, latent, .. } in &self.members {
            let p = latent.predict_gradient(x, scratch);
            let width = (1.0 + p.variance).sqrt();
            let (ln_phi, h) = normal::ln_cdf_and_mills(p.mean / width);
            terms.push(ln_weight + ln_phi);
            let by_variance = 0.5 * p.mean / (1.0 + p.variance);
            let slope = scratch.d_mean.iter().zip(&scratch.d_variance);
            slopes.push(slope.map(|(mean, variance)| h * (mean - by_variance * variance) / width).collect());
        }
        let ln_p = ln_sum(terms.iter().copied());
        for (term, slope) in terms[1..].iter().zip(&slopes) {
            let share = (term - ln_p).exp();
            gradient.iter_mut().zip(slope).for_each(|(g, s)| *g += share * s);
        }
        ln_p
    }

    /// How much less likely a point is to succeed than the safest trial, from 0 to 1, given its ln p.
    pub fn risk(&self, ln_p: f64) -> f64 {
        -(ln_p - self.ln_most).min(0.0).exp_m1()
    }

    /// The gate for one more point, given the total risk of those under way: the smallest ln p that it may have.
    pub fn gate(&self, risk_under_way: f64) -> f64 {
        let risk = (self.room.together - risk_under_way).max(self.room.each);
        self.ln_most + (-risk).ln_1p()
    }

    /// What ln p adds to a score, and the derivative: ln p itself, and less below a gate.
    pub fn weigh(ln_p: f64, gate: f64) -> (f64, f64) {
        if ln_p < gate { (ln_p + GATE_SLOPE * (ln_p - gate), 1.0 + GATE_SLOPE) } else { (ln_p, 1.0) }
    }

    /// What ln p adds to the scores of points, with nothing under way.
    pub fn weights(&self, x: &Points) -> Vec<f64> {
        let gate = self.gate(0.0);
        self.ln_p_many(x).into_iter().map(|ln_p| Self::weigh(ln_p, gate).0).collect()
    }

    /// Like [`weigh`](Self::weigh) at a point; its gradient is added to `gradient`.
    pub fn add_weight_gradient(&self, x: &[f64], gate: f64, scratch: &mut Scratch, gradient: &mut [f64]) -> f64 {
        let mut own = vec![0.0; gradient.len()];
        let (value, slope) = Self::weigh(self.add_gradient(x, scratch, &mut own), gate);
        gradient.iter_mut().zip(own).for_each(|(g, o)| *g += slope * o);
        value
    }

    /// The weight of the belief that failures have a place, all of them or some.
    pub fn weight_of_place(&self) -> f64 {
        1.0 - self.weight_of_chance
    }

    /// Operations that learning it took, to leading order.
    pub fn work(&self) -> f64 {
        self.work
    }

    /// Operations of one prediction by neighbours alone.
    pub(crate) fn work_of_prediction_nearby(&self) -> f64 {
        self.nearby.as_ref().map_or(0.0, Posterior::work_of_prediction)
    }

    /// Operations of one prediction.
    pub fn work_of_prediction(&self) -> f64 {
        self.members.iter().map(|member| member.latent.work_of_prediction()).sum()
    }
}

/// All members of the grid, and how many sweeps they took. `rate` is the share that succeeded.
fn candidates(x: &Points, succeeded: &[bool], metric: &[Metric], rate: f64) -> (Vec<Candidate>, usize) {
    let wide = (0.5 * x.dim().max(1) as f64).sqrt();
    let is_sharp = |slope: f64| SLOPES[SLOPES.len() - N_SHARP..].iter().any(|(sharp, _)| *sharp == slope);
    let slopes: Vec<(f64, f64, f64)> = SLOPES
        .into_iter()
        .flat_map(|(slope, prior)| {
            let lapsing = is_sharp(slope).then_some((slope, LAPSE_PRIOR * prior, LAPSES * (1.0 - rate)));
            std::iter::once((slope, prior, 0.0)).chain(lapsing)
        })
        .collect();
    let (mut found, mut sweeps, mut best) = (Vec::<Candidate>::new(), 0, f64::NEG_INFINITY);
    for lengthscale in LENGTHSCALES {
        let mut sites = Sites::new(x.len());
        for (slope, prior, lapse) in slopes.iter().copied() {
            let variance = (slope * lengthscale).powi(2);
            let lengthscales = vec![lengthscale * wide; x.dim()];
            let mut hyper = Hyperparameters::new(KernelKind::Matern52, variance, lengthscales, 0.0);
            hyper.metric = metric.to_vec();
            hyper.mean = normal::quantile(rate / (1.0 - lapse)) * (1.0 + variance).sqrt();
            let Some(first) = Probit::new(x, succeeded, &hyper, lapse, sites.clone(), SWEEPS) else { continue };
            sweeps += first.sweeps;
            best = best.max(first.ln_evidence + prior.ln());
            let is_unsettled = first.sweeps == SWEEPS.most && first.ln_evidence + prior.ln() > best - BEHIND;
            let more = || Probit::new(x, succeeded, &hyper, lapse, first.sites.clone(), MORE_SWEEPS);
            let probit = match is_unsettled.then(more).flatten() {
                Some(settled) => {
                    sweeps += settled.sweeps;
                    settled
                }
                None => first,
            };
            // Those with lapses carry less information: the next border starts from those without.
            if lapse == 0.0 {
                sites.clone_from(&probit.sites);
            }
            found.push(Candidate { ln_weight: probit.ln_evidence + prior.ln(), lapse, hyper, probit });
        }
    }
    (found, sweeps)
}

/// ln Σ e^v.
fn ln_sum(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = values.clone().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY { most } else { most + values.map(|v| (v - most).exp()).sum::<f64>().ln() }
}
