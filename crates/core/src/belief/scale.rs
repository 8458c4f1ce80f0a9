//! The map from results to the values a model sees: scaled, and where that helps, warped.
//!
//! A Gaussian process expects values that look normal; results often span decades. With g = (y⁺ − y)/scale, the gap to
//! the best result, the warp is t = −ln(1 + g/c). It is increasing in y, does almost nothing for a large bend c, and
//! becomes a logarithm for a small one: it spreads out the values near the best and draws in the bad tail. The bend is
//! chosen by the evidence of the model, with the Jacobian of the map, so that all bends predict the same results.
//!
//! People return 10⁶ or 10³⁰⁰ for "bad". Such wild values would take up the whole scale, so a [`Gauge`] finds them
//! first, as those beyond a wide empty stretch of gaps. The largest regular gap is the knee G, and behind it
//!
//! γ(g) = G (1 + u/(1 + u/a)),   u = ln(g/G),
//!
//! replaces g: a wild value is worse than every regular one, by less than G whatever its size. γ is increasing and has
//! no kink at G. The scale is the standard deviation of min(g, G). If nothing is wild, there is no knee.
//!
//! Two kinds are wild without a stretch: a value that several points gave exactly while all others differ, and a single
//! bad result, if the model explains all results far better when it need not go through it (`trust.rs`).
//!
//! The gauge is computed once, from all observations, so that a bend means the same wherever it is tried.

use serde::{Deserialize, Serialize};

use super::pivot::Pivot;
use crate::gp::{Bent, Posterior, Prediction};

/// The scale on which a model sees results.
///
/// ```
/// use elbowroom::study::ScaleRule;
/// assert_eq!(serde_json::from_str::<ScaleRule>(r#""centred""#)?, ScaleRule::Centred);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScaleRule {
    /// With mean 0 and standard deviation 1, warped if the evidence says so.
    #[default]
    Warped,
    /// With mean 0 and standard deviation 1.
    Standardized,
    /// In their own units, minus their mean, under a process of mean 0: the paper's way. Acquisitions that depend on
    /// the scale of results, such as a softplus, then use the user's units.
    ///
    /// Results whose squares come near the limits of floating point, the largest above 10⁵⁰ or below 10⁻⁵⁰ in magnitude,
    /// are divided by the largest magnitude.
    Centred,
}

/// Wild values start at a gap this many times the one before it, or more if the regular gaps span decades themselves.
const WILD_RATIO: f64 = 10.0;

/// Gaps that are enough to judge a stretch by: the smallest of a few gaps are often decades apart.
const MIN_REGULAR: usize = 5;

/// This many gaps are regular, whatever stretch follows.
const FEWEST_REGULAR: usize = 3;

/// How many times wider a stretch must be if there are fewer gaps than enough.
const FEW_RATIO: f64 = 100.0;

/// For a repeated worst value to be wild, there must be this many other distinct gaps.
const MIN_DISTINCT: usize = 3;

/// A value stands for "bad", although others are worse, if this many points gave exactly that value.
const MIN_REPEATED: usize = 3;

/// A repeated worst value stands for "bad" if it is as far from all others as m values, spread evenly up to it, leave by
/// chance in one case of e²: this many m-ths of its gap. Otherwise it is where the others end, such as a yield of 0, and
/// says as much as any other value.
const APART: f64 = 2.0;

/// The largest distance of wild values behind the knee, in knees.
const WILD_REACH: f64 = 1.0;

/// How loosely a wild value binds the model: the standard deviation of its noise, in standard deviations of the
/// results. If it bound the model as closely as others, it would make a cliff that no smooth process has, and
/// lengthscales would shrink everywhere. If it did not bind at all, the search would continue beyond the cliff.
const WILD_SD: f64 = 1.0;

/// The same for a single wild value: an accident, which the model should ignore.
const ACCIDENT_SD: f64 = 30.0;

/// What all maps of one set of results share: the best result, the unit of gaps, and where wild values start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gauge {
    best: f64,
    /// Standard deviation of the results, with wild ones at the knee.
    scale: f64,
    /// Whether the results differ by more than rounding.
    differ: bool,
    knee: Option<Knee>,
    /// A value that stands for "bad" without being the worst of all, or that was an accident.
    constant: Option<f64>,
}

/// Where wild values start: gaps in the units of the results, halved because the full gap might overflow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Knee {
    half: f64,
    /// Half of the largest gap of all.
    worst: f64,
}

impl Gauge {
    /// The gauge of results. Wildness is judged by `typical`, indices of results from all over the box: in a search
    /// that has converged, most results are near the best, and all others would seem wild next to them.
    pub fn new(y: &[f64], typical: &[usize]) -> Self {
        let best = best_of(y);
        let half = |i: usize| 0.5 * best - 0.5 * y[i];
        let mut judged: Vec<f64> = typical.iter().map(|&i| half(i)).collect();
        let mut halves: Vec<f64> = (0..y.len()).map(half).collect();
        judged.sort_by(f64::total_cmp);
        halves.sort_by(f64::total_cmp);
        let knee = widest_regular(&judged, &halves).map(|half| Knee { half, worst: halves[halves.len() - 1] });
        let amid = repeated(&judged).filter(|half| halves.last().is_some_and(|worst| half < worst));
        let constant = amid.map(|half| 2.0 * (0.5 * best - half));
        Self { constant: constant.filter(|_| knee.is_none()), ..Self::with_knee(y, knee) }
    }

    /// The gauge with a single wild result, if nothing is wild so far. A result much worse than all others is behind a
    /// knee.
    pub(super) fn with_accident(&self, y: &[f64], accident: f64) -> Option<Self> {
        if self.knee.is_some() || self.constant.is_some() || y.iter().filter(|v| **v == accident).count() != 1 {
            return None;
        }
        let others: Vec<f64> = y.iter().copied().filter(|v| *v != accident).collect();
        let second = 0.5 * self.best - 0.5 * others.iter().copied().fold(f64::INFINITY, f64::min);
        let worst = 0.5 * self.best - 0.5 * accident;
        if second > 0.0 && worst > second {
            return Some(Self::with_knee(y, Some(Knee { half: second, worst })));
        }
        Some(Self { constant: Some(accident), ..Self::with_knee(&others, None) })
    }

    fn with_knee(y: &[f64], knee: Option<Knee>) -> Self {
        let best = best_of(y);
        let clipped = |v: f64| {
            let half = 0.5 * best - 0.5 * v;
            knee.map_or(v, |k| if half > k.half { 2.0 * (0.5 * best - k.half) } else { v })
        };
        // Divide by the largest magnitude first: squares of 1e300 would overflow.
        let size = y.iter().fold(0.0, |m: f64, &v| m.max(clipped(v).abs()));
        let relative: Vec<f64> = y.iter().map(|&v| clipped(v) / size).collect();
        let (_, sd) = mean_and_sd(&relative);
        let differ = sd > 1e-12 && size > 0.0;
        // If results differ by rounding only, that must stay small, even at 1e300.
        let scale = if differ { (sd * size).max(f64::MIN_POSITIVE) } else { (1e-12 * size).max(1.0) };
        Self { best, scale, differ, knee: knee.filter(|_| differ), constant: None }
    }

    /// The additional noise variance of each result, in units of the maps; none if no result is wild.
    pub(super) fn wild_noise(&self, y: &[f64]) -> Option<Vec<f64>> {
        let n_wild = y.iter().filter(|v| self.is_wild(**v)).count();
        let sd = if n_wild == 1 { ACCIDENT_SD } else { WILD_SD };
        (n_wild > 0).then(|| y.iter().map(|&v| if self.is_wild(v) { sd * sd } else { 0.0 }).collect())
    }

    /// Whether a result is wild.
    pub fn is_wild(&self, y: f64) -> bool {
        self.constant == Some(y) || self.knee.is_some_and(|k| 0.5 * self.best - 0.5 * y > k.half)
    }

    /// γ of a result's gap, in units of the scale.
    fn gap(&self, y: f64) -> f64 {
        let half = 0.5 * self.best - 0.5 * y;
        match self.knee {
            Some(k) if half > k.half => {
                let u = half.ln() - k.half.ln();
                2.0 * (k.half / self.scale) * (1.0 + u / (1.0 + u / WILD_REACH))
            }
            // Halve first: the difference of two results of opposite sign may overflow.
            _ => 2.0 * (half / self.scale),
        }
    }

    /// ln dγ/dg at a result.
    fn ln_slope(&self, y: f64) -> f64 {
        let half = 0.5 * self.best - 0.5 * y;
        match self.knee {
            Some(k) if half > k.half => {
                let u = half.ln() - k.half.ln();
                -u - 2.0 * (u / WILD_REACH).ln_1p()
            }
            _ => 0.0,
        }
    }

    /// The result with this γ; the worst result if γ is beyond it.
    fn result(&self, gap: f64) -> f64 {
        match self.knee {
            Some(k) if 0.5 * gap * self.scale > k.half => {
                let beyond = 0.5 * gap * self.scale / k.half - 1.0;
                let u = beyond / (1.0 - beyond / WILD_REACH).max(0.0);
                let half = (k.half.ln() + u).exp().min(k.worst);
                2.0 * (0.5 * self.best - half)
            }
            _ => self.best - gap * self.scale,
        }
    }
}

fn best_of(y: &[f64]) -> f64 {
    let best = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if best.is_finite() { best } else { 0.0 }
}

/// The gap that several points share while all others differ: a number that stands for "bad" and is not the worst. It
/// must be in the worse half, and not the majority: if results are counts or have a plateau, there is none.
fn repeated(typical: &[f64]) -> Option<f64> {
    let mut runs = typical.chunk_by(|a, b| a == b).filter(|run| run.len() > 1);
    let run = runs.next().filter(|run| run.len() >= MIN_REPEATED && 2 * run.len() <= typical.len())?;
    let is_bad = run[0] > 0.0 && run[0] >= typical[typical.len() / 2];
    (is_bad && runs.next().is_none()).then_some(run[0])
}

/// The largest regular one of ascending gaps, if some are wild.
///
/// If several points gave exactly the worst value, and it is far from all others, it is a constant that stands for
/// "bad", however small. Otherwise wild values lie behind the widest empty stretch among gaps from all over the box, if it is wider than the spread of
/// the gaps before it explains. Other results that do lie in that stretch are regular, up to the next stretch.
fn widest_regular(typical: &[f64], all: &[f64]) -> Option<f64> {
    let worst = *all.last()?;
    let below = &all[..all.partition_point(|g| *g < worst)];
    let mut distinct = below[below.partition_point(|g| *g <= 0.0)..].to_vec();
    distinct.dedup();
    if distinct.len() < MIN_DISTINCT {
        return None;
    }
    // Different points, since `typical` has each once. They must be the minority, or it is a plateau.
    let typical_below = &typical[..typical.partition_point(|g| *g < worst)];
    let left = APART / typical_below.len() as f64;
    let is_apart = below.last().is_some_and(|second| worst - second > left * worst);
    if is_apart && (2..=typical_below.len()).contains(&(typical.len() - typical_below.len())) {
        // The constant may hide another stretch: look below it too.
        return behind_a_stretch(typical_below, below).or(below.last().copied());
    }
    behind_a_stretch(typical, all)
}

/// The largest gap before an empty stretch that the spread of the gaps before it does not explain.
fn behind_a_stretch(typical: &[f64], all: &[f64]) -> Option<f64> {
    let positive = &typical[typical.partition_point(|g| *g <= 0.0)..];
    let (mut widest, mut found) = (1.0, None);
    // Wild values are the minority. Otherwise, when a search is about to converge, all other results would be wild.
    let n_regular = FEWEST_REGULAR.max(positive.len().div_ceil(2));
    for (i, pair) in positive.windows(2).enumerate().skip(n_regular - 1) {
        let few = if i + 1 < MIN_REGULAR { FEW_RATIO } else { 1.0 };
        let needed = few * WILD_RATIO * (pair[0] / positive[i / 2]).sqrt();
        // 1e300 / 1e-300 is infinite, which is large enough.
        let excess = pair[1] / pair[0] / needed;
        if excess >= widest {
            (widest, found) = (excess, Some((pair[0], needed)));
        }
    }
    let (mut last, needed) = found?;
    for &gap in all.iter().filter(|g| **g > last).collect::<Vec<_>>() {
        if gap / last >= needed {
            return Some(last);
        }
        last = gap;
    }
    None
}

/// A monotone map between results (to be maximized) and model values with mean 0 and, unless they are only centred,
/// standard deviation 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ResultScale {
    gauge: Gauge,
    bend: Option<f64>,
    center: f64,
    spread: f64,
    /// The map that limited results go through first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pivot: Option<Pivot>,
}

impl ResultScale {
    /// A prediction in the units of results: median and standard deviation.
    pub(super) fn in_users_units(&self, p: &Prediction) -> (f64, f64) {
        let sd = p.variance.sqrt();
        let half_width = 0.5 * (self.decode(p.mean + sd) - self.decode(p.mean - sd));
        (self.decode(p.mean), half_width.abs())
    }

    /// By how many standard deviations a result at u is off, if this is the map of the posterior's values; `noise` is
    /// the result's variance if it is known.
    pub(super) fn deviations(&self, posterior: &Posterior, u: &[f64], result: f64, noise: Option<f64>) -> f64 {
        let value = self.encode(result);
        let known = noise.map(|v| v / self.slope(value).powi(2));
        let p = posterior.predict(u);
        (value - p.mean) / (p.variance + known.unwrap_or_else(|| posterior.hyper().noise.typical())).sqrt()
    }

    /// The map of a rule; only [`ScaleRule::Warped`] uses the bend.
    ///
    /// ```
    /// use elbowroom::study::{Gauge, ResultScale, ScaleRule};
    /// let y = [1.0, 4.0, 7.0];
    /// let map = ResultScale::by(ScaleRule::Centred, &Gauge::new(&y, &[0, 1, 2]), &y, None);
    /// assert_eq!((map.encode(7.0), map.decode(-3.0)), (3.0, 1.0));
    /// ```
    pub fn by(rule: ScaleRule, gauge: &Gauge, y: &[f64], bend: Option<f64>) -> Self {
        match rule {
            ScaleRule::Warped => Self::new(gauge, y, bend),
            ScaleRule::Standardized => Self::new(gauge, y, None),
            ScaleRule::Centred => Self::centred(y),
        }
    }

    /// The map that subtracts the mean and keeps the units.
    fn centred(y: &[f64]) -> Self {
        let size = y.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let scale = if size == 0.0 || (1e-50..=1e50).contains(&size) { 1.0 } else { size };
        let (best, _) = mean_and_sd(&y.iter().map(|v| v / scale).collect::<Vec<_>>());
        // The mean replaces the best result: without a warp any origin will do.
        let gauge = Gauge { best: best * scale, scale, differ: true, knee: None, constant: None };
        Self { gauge, bend: None, center: 0.0, spread: 1.0, pivot: None }
    }

    /// The map for these results; `bend` is the c of the warp in units of the gauge's scale, or none for no warp.
    ///
    /// Results may have any size that floating point can hold; if all are equal, they are only centred.
    pub fn new(gauge: &Gauge, y: &[f64], bend: Option<f64>) -> Self {
        let mut map =
            Self { gauge: *gauge, bend: bend.filter(|_| gauge.differ), center: 0.0, spread: 1.0, pivot: None };
        let warped: Vec<f64> = y.iter().map(|&v| map.warp(v)).collect();
        let (center, spread) = mean_and_sd(&warped);
        map.center = if center.is_finite() { center } else { 0.0 };
        map.spread = if gauge.differ && spread > 1e-12 { spread } else { 1.0 };
        map
    }

    /// This map, applied after a pivot.
    pub(super) fn behind(self, pivot: Pivot) -> Self {
        Self { pivot: Some(pivot), ..self }
    }

    /// The model value of a result.
    pub fn encode(&self, y: f64) -> f64 {
        let y = self.pivot.map_or(y, |pivot| pivot.encode(y));
        (self.warp(y) - self.center) / self.spread
    }

    /// The result of a model value. Beyond the range of the map it is the limit.
    pub fn decode(&self, value: f64) -> f64 {
        let result = self.gauge.result(self.gap_of(value));
        self.pivot.map_or(result, |pivot| pivot.decode(result))
    }

    /// d result / d model value: turns a small standard deviation of the model into one of results.
    pub fn slope(&self, value: f64) -> f64 {
        let gap = self.gap_of(value);
        let outer = self.pivot.map_or(1.0, |pivot| pivot.slope(self.gauge.result(gap)));
        let regular = outer * self.spread * self.gauge.scale * self.bend.map_or(1.0, |c| c + gap);
        match self.gauge.knee {
            Some(_) => (regular.ln() - self.gauge.ln_slope(self.gauge.result(gap))).exp(),
            None => regular,
        }
    }

    /// ln |d model value / d result| summed over results: it makes the evidence of different maps comparable.
    pub fn ln_jacobian(&self, y: &[f64]) -> f64 {
        let constant = -(self.spread.ln() + self.gauge.scale.ln());
        let bent = |v: f64| self.bend.map_or(0.0, |c| -(c + self.gauge.gap(v)).ln());
        let regular = |v: f64| constant + bent(v) + self.gauge.ln_slope(v);
        let behind = |pivot: &Pivot, v: f64| regular(pivot.encode(v)) - pivot.slope(pivot.encode(v)).ln();
        y.iter().map(|&v| self.pivot.as_ref().map_or_else(|| regular(v), |pivot| behind(pivot, v))).sum()
    }

    /// The gauge that it shares with other maps of the same results.
    pub fn gauge(&self) -> &Gauge {
        &self.gauge
    }

    /// The bend in use.
    pub fn bend(&self) -> Option<f64> {
        self.bend
    }

    /// γ of the gap of a model value.
    fn gap_of(&self, value: f64) -> f64 {
        let t = value * self.spread + self.center;
        match self.bend {
            None => -t,
            Some(c) => c * (-t).exp_m1(),
        }
    }

    fn warp(&self, y: f64) -> f64 {
        let gap = self.gauge.gap(y);
        match self.bend {
            None => -gap,
            Some(c) => -(gap.max(-0.5 * c) / c).ln_1p(),
        }
    }
}

/// Standardized results as a function of ln c, with derivatives, for a search that finds the bend together with θ.
pub(super) struct Bending {
    /// γ of every result.
    gaps: Vec<f64>,
    /// The part of the Jacobian that does not depend on the bend.
    constant: f64,
}

impl Bending {
    pub(super) fn new(gauge: &Gauge, y: &[f64]) -> Self {
        let constant = y.iter().map(|&v| gauge.ln_slope(v) - gauge.scale.ln()).sum();
        Self { gaps: y.iter().map(|&v| gauge.gap(v)).collect(), constant }
    }
}

impl Bent for Bending {
    fn values(&mut self, ln_bend: f64, y: &mut [f64], slopes: &mut [f64]) -> (f64, f64) {
        let (n, c) = (y.len() as f64, ln_bend.exp());
        let (mut ln_jacobian, mut slope) = (self.constant, 0.0);
        for (gap, (t, dt)) in self.gaps.iter().zip(y.iter_mut().zip(slopes.iter_mut())) {
            *t = -(gap / c).ln_1p();
            *dt = gap / (c + gap);
            ln_jacobian -= (c + gap).ln();
            slope -= c / (c + gap);
        }
        let (center, spread) = mean_and_sd(y);
        let spread = if spread > 1e-12 { spread } else { 1.0 };
        let center_slope = slopes.iter().sum::<f64>() / n;
        let spread_slope = y.iter().zip(slopes.iter()).map(|(t, dt)| (t - center) * dt).sum::<f64>() / (n * spread);
        for (t, dt) in y.iter_mut().zip(slopes) {
            *t = (*t - center) / spread;
            *dt = (*dt - center_slope - *t * spread_slope) / spread;
        }
        (ln_jacobian - n * spread.ln(), slope - n * spread_slope / spread)
    }
}

fn mean_and_sd(v: &[f64]) -> (f64, f64) {
    let n = v.len().max(1) as f64;
    let mean = v.iter().sum::<f64>() / n;
    let variance = v.iter().map(|a| (a - mean) * (a - mean)).sum::<f64>() / n;
    (mean, variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gauge_of(y: &[f64]) -> Gauge {
        Gauge::new(y, &(0..y.len()).collect::<Vec<_>>())
    }

    fn map_of(y: &[f64], bend: Option<f64>) -> ResultScale {
        ResultScale::new(&gauge_of(y), y, bend)
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding_and_order_is_kept(
            y in prop::collection::vec(-1e3f64..1e3, 2..20), bend in prop::option::of(1e-3f64..10.0)
        ) {
            let map = map_of(&y, bend);
            let mut sorted = y.clone();
            sorted.sort_by(f64::total_cmp);
            let encoded: Vec<f64> = sorted.iter().map(|&v| map.encode(v)).collect();
            prop_assert!(encoded.windows(2).all(|w| w[0] <= w[1] + 1e-9));
            for (&v, &e) in sorted.iter().zip(&encoded) {
                prop_assert!((map.decode(e) - v).abs() < 1e-7 * 1e3, "{v} {e} {}", map.decode(e));
            }
        }

        #[test]
        fn slope_and_jacobian_are_derivatives(
            y in prop::collection::vec(-10f64..10.0, 3..12), bend in prop::option::of(1e-2f64..10.0)
        ) {
            let map = map_of(&y, bend);
            prop_assume!(y.iter().any(|v| (v - y[0]).abs() > 0.5));
            let mut total = 0.0;
            for &v in &y {
                let h = 1e-6;
                // Only below the best: above it the map is extended, but not differentiable.
                let difference = (map.encode(v) - map.encode(v - h)) / h;
                let exact = 1.0 / map.slope(map.encode(v));
                prop_assert!((difference - exact).abs() < 1e-3 * exact.abs().max(1.0), "{difference} {exact}");
                total += exact.ln();
            }
            prop_assert!((map.ln_jacobian(&y) - total).abs() < 1e-6 * total.abs().max(1.0));
        }
    }

    #[test]
    fn results_of_any_size_are_standardized() {
        for size in [1e300, 1.0, 1e-300] {
            for bend in [None, Some(0.1)] {
                let y = [-size, 0.5 * size, 0.9 * size, 0.0];
                let map = map_of(&y, bend);
                let z: Vec<f64> = y.iter().map(|&v| map.encode(v)).collect();
                let (mean, sd) = mean_and_sd(&z);
                assert!(mean.abs() < 1e-12 && (sd - 1.0).abs() < 1e-12, "{size}: {z:?}");
            }
        }
    }

    #[test]
    fn centring_keeps_units_but_for_results_whose_squares_would_overflow() {
        for (size, kept) in [(1.0, true), (1e40, true), (1e-40, true), (1e300, false), (1e-300, false)] {
            // Their mean is a quarter of the size.
            let y = [-size, 0.5 * size, size, 0.5 * size];
            let map = ResultScale::by(ScaleRule::Centred, &gauge_of(&y), &y, Some(0.1));
            let unit = if kept { size } else { 1.0 };
            for (v, z) in y.iter().zip([-1.25, 0.25, 0.75, 0.25]) {
                assert!((map.encode(*v) - z * unit).abs() <= 1e-15 * unit, "{size}: {}", map.encode(*v));
                assert!((map.decode(z * unit) - v).abs() <= 1e-15 * size, "{size}: {}", map.decode(z * unit));
            }
            assert_eq!((map.bend(), map.slope(0.3 * unit)), (None, size / unit));
        }
    }

    #[test]
    fn equal_results_are_only_centred() {
        for v in [0.0, 5.0, -1e300] {
            let map = map_of(&[v, v, v], Some(0.1));
            assert_eq!(map.encode(v), 0.0);
            assert_eq!(map.decode(0.0), v);
        }
    }

    #[test]
    fn wild_results_end_less_than_two_knees_below_the_best() {
        for (worst, gap, ln_slope) in [
            // G = 5, u = ln(g/5), γ = 5(1 + u/(1 + u)) and ln γ' = −u − 2 ln(1 + u), by mpmath.
            (-1e6, 9.621_386_388_037_688, -17.367_429_645_273_526),
            (-1e300, 9.992_755_367_044_905, -702.239_954_543_278_8),
        ] {
            let y = [3.0, 2.5, 2.0, 1.0, 0.0, -1.0, -2.0, worst];
            let gauge = gauge_of(&y);
            assert_eq!(y.map(|v| gauge.is_wild(v)), [false, false, false, false, false, false, false, true]);
            assert!((gauge.gap(worst) * gauge.scale - gap).abs() < 1e-13 * gap);
            assert!((gauge.ln_slope(worst) - ln_slope).abs() < 1e-13 * ln_slope.abs());
            // The variance of the gaps 0, 0.5, 1, 2, 3, 4, 5 and 5, by hand: 80.25/8 − (20.5/8)².
            assert!((gauge.scale - 3.464_843_75f64.sqrt()).abs() < 1e-14);
            for bend in [None, Some(0.1)] {
                let map = ResultScale::new(&gauge, &y, bend);
                for v in y {
                    let back = map.decode(map.encode(v));
                    // At u = 700, γ has lost three digits, and its exponential three more.
                    assert!((back - v).abs() <= 1e-9 * v.abs().max(1.0), "{bend:?} {v} {back}");
                    assert!(map.encode(v).is_finite() && map.slope(map.encode(v)) > 0.0);
                }
                // No decoded value is worse than the worst result.
                assert!((map.decode(-1e3) - worst).abs() <= 1e-9 * worst.abs());
            }
        }
    }

    #[test]
    fn values_of_opposite_signs_near_the_limit_of_floating_point_stay_finite() {
        let y = [1e300, 0.9e300, 0.8e300, 0.5e300, -1e300, -1.7e308];
        for bend in [None, Some(1e-3)] {
            let map = map_of(&y, bend);
            assert!(y.iter().all(|&v| map.encode(v).is_finite() && map.decode(map.encode(v)).is_finite()));
        }
    }

    #[test]
    fn what_is_wild_is_judged_by_results_from_all_over_the_box() {
        // A search that has converged: 90 gaps below 10⁻⁶, and ten of order one, which are regular.
        let near = (0..90).map(|i| -1e-8 * f64::from(i));
        let far = (1..=10).map(|i| -0.2 * f64::from(i));
        let y: Vec<f64> = near.chain(far).collect();
        let typical: Vec<usize> = std::iter::once(0).chain(90..100).collect();
        assert!(!y.iter().any(|&v| Gauge::new(&y, &typical).is_wild(v)));
        // Gaps that span decades are regular, if the decades are filled.
        let y: Vec<f64> = (0..20).map(|i| -10f64.powf(0.4 * f64::from(i))).collect();
        assert!(!y.iter().any(|&v| gauge_of(&y).is_wild(v)));
    }

    #[test]
    fn four_results_are_enough_to_tell_a_billion_from_them() {
        let y = [0.0, -1.0, -2.0, -30.0, -1e9];
        assert_eq!(y.map(|v| gauge_of(&y).is_wild(v)), [false, false, false, false, true]);
        // But not enough to call these last values wild.
        for y in [[0.0, -1.0, -10.0, -100.0, -1000.0], [0.0, -1.0, -2.0, -3.0, -300.0]] {
            assert!(!y.iter().any(|&v| gauge_of(&y).is_wild(v)));
        }
    }

    #[test]
    fn a_worst_value_that_came_back_twice_is_wild_however_small() {
        let y = [0.0, -1.0, -2.0, -3.0, -4.0, -9.0];
        assert!(!y.iter().any(|&v| gauge_of(&y).is_wild(v)));
        let y = [0.0, -1.0, -2.0, -3.0, -4.0, -9.0, -9.0];
        assert_eq!(y.map(|v| gauge_of(&y).is_wild(v)), [false, false, false, false, false, true, true]);
        // Not if it is where the others end: yields of which some are 0, as often as it came back.
        let y = [92.0, 71.0, 64.0, 40.0, 13.0, 2.0, 0.0, 0.0, 0.0];
        assert!(!y.iter().any(|&v| gauge_of(&y).is_wild(v)));
        // Nor if too few other values are left: rewards of 0 and 1.
        let y = [1.0, 1.0, 0.0, 0.0, 0.0];
        assert!(!y.iter().any(|&v| gauge_of(&y).is_wild(v)));
    }

    #[test]
    fn a_value_that_came_back_thrice_amid_others_stands_for_bad() {
        let y = [0.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -6.0, -6.0, -7.0, -8.0];
        let gauge = gauge_of(&y);
        assert_eq!(y.iter().filter(|v| gauge.is_wild(**v)).count(), 3);
        assert!(gauge.is_wild(-6.0) && !gauge.is_wild(-8.0));
        // Its value stays the same, but it binds the model less.
        assert_eq!(gauge.wild_noise(&y).unwrap()[5..9], [0.0, 1.0, 1.0, 1.0]);
        // Counts repeat at many levels, and a plateau near the best is not a penalty.
        for y in [
            [0.0, -1.0, -1.0, -2.0, -2.0, -3.0, -4.0, -4.0, -4.0, -5.0],
            [0.0, -1.0, -1.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -7.0],
        ] {
            assert!(!y.iter().any(|&v| gauge_of(&y).is_wild(v)));
        }
    }

    #[test]
    fn bent_values_are_those_of_the_map_and_their_slopes_are_derivatives() {
        let y = [3.0, 2.5, 2.0, 1.0, 0.0, -1.0, -2.0, -1e6];
        let gauge = gauge_of(&y);
        let mut bending = Bending::new(&gauge, &y);
        let mut at = |b: f64| {
            let (mut values, mut slopes) = ([0.0; 8], [0.0; 8]);
            let (ln_jacobian, slope) = bending.values(b, &mut values, &mut slopes);
            (values, slopes, ln_jacobian, slope)
        };
        for bend in [1e-3f64, 0.1, 2.0] {
            let (b, h) = (bend.ln(), 1e-5);
            let (values, slopes, ln_jacobian, slope) = at(b);
            let map = ResultScale::new(&gauge, &y, Some(bend));
            assert!((ln_jacobian - map.ln_jacobian(&y)).abs() < 1e-12 * ln_jacobian.abs());
            let (above, below) = (at(b + h), at(b - h));
            // Central differences: h² and rounding over h.
            assert!(((above.2 - below.2) / (2.0 * h) - slope).abs() < 1e-7);
            for i in 0..y.len() {
                assert!((values[i] - map.encode(y[i])).abs() < 1e-12);
                assert!(((above.0[i] - below.0[i]) / (2.0 * h) - slopes[i]).abs() < 1e-8);
            }
        }
    }
}
