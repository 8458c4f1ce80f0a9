//! Whether a model can be trusted: checks it on held-out results, and replaces one that fails.
//!
//! With K the covariance of the observations and α = K⁻¹(y − m), the error of the prediction of the i-th by the others
//! is r_i = α_i/(K⁻¹)_ii, and its variance v_i = 1/(K⁻¹)_ii: O(n²) for all of them. The mean of r²/v is about 1 for a
//! model with honest uncertainty. The error is also given in the units of results: how wrong a prediction may be.
//!
//! A search for hyperparameters can end in a bad place: kernel and warp are chosen on a part of the results, and the
//! search on all of them is short. Two checks follow each fit; both cost little if they find nothing:
//!
//! 1. The last model of the study must not explain today's results better. If it does, the fit continues from there.
//! 2. A model that is far more certain than its errors allow is fitted again, with more noise, from the prior's mode,
//!    and without a warp.

use std::cmp::Ordering;

use super::contest::Entry;
use super::fit::{Fitting, Model, ModelRecord};
use super::kernels::Contestant;
use super::scale::ScaleRule;
use super::subset::CONTEST;
use crate::error::Result;
use crate::gp::LeftOut;

/// The last model replaces a new fit if it explains all results better by more nats than this.
pub(super) const MARGIN: f64 = 3.0;

/// The mean square of standardized errors above which a model is overconfident.
const TOO_SURE: f64 = 4.0;

/// The share of errors beyond two deviations that is still acceptable, and the chance of so many below which it is not.
const MISSES: f64 = 0.1;
const RARE: f64 = 0.01;

/// The number of results needed to call a model overconfident.
pub(crate) const ENOUGH: usize = 8;

/// The number of results needed to call one an accident; by how many deviations it must be worse than the others
/// predict, and the same with few results; and the evaluations of the likelihood for a first look.
const MIN_ACCIDENT: usize = 10;
const SURPRISE: f64 = 3.0;
const SURPRISE_OF_FEW: f64 = 2.0;
const GLANCE: usize = 10;

/// Start of a search that allows for noise: ln of a variance, for results of variance 1.
const MORE_NOISE: f64 = -3.0;

/// Errors of predictions in units of their predicted standard deviations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// How many there are.
    pub n: usize,
    /// Their mean square: about 1 if the predicted deviations are right.
    pub mean_square: f64,
    /// The share beyond two deviations: 0.046 for a normal law.
    pub beyond_two: f64,
    /// The share beyond three deviations: 0.0027 for a normal law.
    pub beyond_three: f64,
}

impl Errors {
    /// From the squares of standardized errors.
    pub(crate) fn of(squares: &[f64]) -> Self {
        let n = squares.len();
        let share = |least: f64| squares.iter().filter(|s| **s > least).count() as f64 / n.max(1) as f64;
        let mean_square = squares.iter().sum::<f64>() / n.max(1) as f64;
        Self { n, mean_square, beyond_two: share(4.0), beyond_three: share(9.0) }
    }

    /// Whether there are enough errors, and they are far larger than predicted.
    ///
    /// ```
    /// use elbowroom::study::Errors;
    /// let errors = Errors { n: 20, mean_square: 9.0, beyond_two: 0.5, beyond_three: 0.3 };
    /// assert!(errors.is_too_sure() && !Errors { mean_square: 1.2, ..errors }.is_too_sure());
    /// ```
    pub fn is_too_sure(&self) -> bool {
        // NaN counts as overconfident.
        self.n >= ENOUGH && !matches!(self.mean_square.partial_cmp(&TOO_SURE), Some(Ordering::Less | Ordering::Equal))
    }

    /// Whether more errors are beyond two deviations than chance explains, even if one in ten should be (under a normal
    /// law it is one in 22). So models that err in several places are called overconfident, not those with a single
    /// outlier.
    ///
    /// ```
    /// use elbowroom::study::Errors;
    /// let errors = Errors { n: 24, mean_square: 5.0, beyond_two: 7.0 / 24.0, beyond_three: 0.1 };
    /// assert!(errors.misses_too_often() && !Errors { beyond_two: 6.0 / 24.0, ..errors }.misses_too_often());
    /// ```
    pub fn misses_too_often(&self) -> bool {
        let missed = (self.beyond_two * self.n as f64).round() as usize;
        self.n >= ENOUGH && at_least(missed, self.n, MISSES) < RARE
    }
}

/// The chance of k or more successes in n trials of this chance each.
fn at_least(k: usize, n: usize, p: f64) -> f64 {
    let (mut term, mut below) = ((1.0 - p).powi(n as i32), 0.0);
    for i in 0..k {
        below += term;
        term *= (n - i) as f64 / (i + 1) as f64 * p / (1.0 - p);
    }
    1.0 - below
}

/// What a model predicts for held-out results.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeaveOneOut {
    /// The errors in units of their predicted standard deviations.
    pub errors: Errors,
    /// The median magnitude of the errors, in the units of results.
    pub error: f64,
    /// ln of the density of the results, each predicted by the others, summed.
    pub ln_density: f64,
}

impl LeaveOneOut {
    /// Whether the errors are far larger than the model predicts.
    pub fn is_too_sure(&self) -> bool {
        self.errors.is_too_sure()
    }
}

impl Model {
    /// What the model predicts for held-out results. O(n²).
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Point, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    ///
    /// let mut study = Study::new(StudyConfig::new(SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?))?;
    /// for i in 0..12 {
    ///     let x = f64::from(i) / 11.0;
    ///     study.add(&Point::new().with("x", x), (5.0 * x).sin())?;
    /// }
    /// let left_out = study.model()?.leave_one_out();
    /// assert!(!left_out.is_too_sure() && left_out.error < 0.05);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn leave_one_out(&self) -> LeaveOneOut {
        let values = self.posterior.values();
        let left_out = self.posterior.leave_one_out();
        let squares: Vec<f64> = left_out.iter().zip(values).map(|(l, y)| (y - l.mean).powi(2) / l.variance).collect();
        let results: Vec<f64> = values.iter().map(|y| self.scale.decode(*y)).collect();
        let error = |(l, y): (&LeftOut, &f64)| (y - self.scale.decode(l.mean)).abs();
        let mut errors: Vec<f64> = left_out.iter().zip(&results).map(error).collect();
        errors.sort_by(f64::total_cmp);
        let ln_density: f64 = left_out.iter().zip(values).map(|(l, y)| l.ln_density(*y)).sum();
        LeaveOneOut {
            errors: Errors::of(&squares),
            error: errors.get(errors.len() / 2).copied().unwrap_or(0.0),
            ln_density: ln_density + self.scale.ln_jacobian(&results),
        }
    }

    /// The mean square of the standardized errors on held-out results where it matters: the largest of the mean squares
    /// over all, over the better third and over the few nearest to a point.
    pub(crate) fn mean_square_near(&self, u: &[f64]) -> f64 {
        let posterior = &self.posterior;
        let left_out = posterior.leave_one_out();
        let mut all: Vec<(f64, f64, f64)> = (left_out.iter().zip(posterior.values()).zip(posterior.observed()))
            .map(|((l, y), x)| ((y - l.mean).powi(2) / l.variance, *y, posterior.squared_distance(x, u)))
            .collect();
        let mean = |subset: &[(f64, f64, f64)]| subset.iter().map(|p| p.0).sum::<f64>() / subset.len().max(1) as f64;
        let of_all = mean(&all);
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        let of_better = mean(&all[..all.len().div_ceil(3)]);
        all.sort_by(|a, b| a.2.total_cmp(&b.2));
        let of_near = mean(&all[..all.len().min(2 * u.len() + 2)]);
        of_all.max(of_better).max(of_near)
    }
}

/// The fit, or a better one if it cannot be trusted.
pub(super) fn checked(fitting: &Fitting<'_>, fitted: Model) -> Result<Model> {
    let fitted = not_worse_than_the_last(fitting, fitted)?;
    not_too_sure(fitting, fitted)
}

fn not_worse_than_the_last(fitting: &Fitting<'_>, fitted: Model) -> Result<Model> {
    let Some(warm) = fitting.warm.filter(|_| !fitting.has_bent_noise()) else { return Ok(fitted) };
    // A user's part that the study does not name: the log was damaged.
    let Some(kernel) = fitting.recorded(warm) else { return Ok(fitted) };
    let (value, work) = fitting.value_at(&kernel, warm.bend, warm.theta.clone())?;
    if value.is_nan() || value <= fitted.value + MARGIN {
        return Ok(Model { work: fitted.work + work, ..fitted });
    }
    let last = fitting.complete(&kernel, warm.bend, Some(warm.theta.clone()), Some(1))?;
    let ModelRecord { bend, theta, .. } = last.record.clone();
    let again = fitting.last_fit(Entry { kernel, bend, theta, value: last.value })?;
    let again = if again.value >= last.value { again } else { last };
    Ok(again.with_work_of(&fitted))
}

/// This fit, or if it is overconfident, the first of a few others that is not; this one if all are.
fn not_too_sure(fitting: &Fitting<'_>, mut fitted: Model) -> Result<Model> {
    let judged = fitted.leave_one_out();
    if !judged.is_too_sure() {
        return Ok(fitted);
    }
    let record = fitted.record.clone();
    let Some(kernel) = fitting.recorded(&record) else { return Ok(fitted) };
    let mut noisier = record.theta.clone();
    // The last parameter before the kernel's own is the noise, if it is fitted. Otherwise it is a variance, for which
    // more is harmless.
    let n_scales = noisier.len().saturating_sub(kernel.kernel.values().len());
    if let Some(noise) = noisier[..n_scales].last_mut() {
        *noise = noise.max(MORE_NOISE);
    }
    for (bend, start) in [(record.bend, Some(noisier)), (record.bend, None), (None, None)] {
        let other = fitting.complete(&kernel, bend, start, None)?;
        let verdict = other.leave_one_out();
        if !verdict.is_too_sure() && verdict.ln_density > judged.ln_density {
            return Ok(other.with_work_of(&fitted));
        }
        fitted = fitted.with_work_of(&other);
    }
    Ok(fitted)
}

/// The fit, or one that need not go through a surprisingly bad result, if that explains all results far better.
///
/// Such a result may be an accident, or a number that stands for "bad" but is not large enough to stand out. A model
/// that must go through it is rough everywhere.
pub(super) fn without_accident(fitting: &Fitting<'_>, mut fitted: Model) -> Result<Model> {
    let y = fitting.all.y();
    if fitting.config.scale == ScaleRule::Centred || y.len() < MIN_ACCIDENT {
        return Ok(fitted);
    }
    let Some(kernel) = fitting.recorded(&fitted.record) else { return Ok(fitted) };
    let mut work = 0.0;
    for i in suspects(fitting, &fitted, &mut work)? {
        let Some(gauge) = fitting.gauge.with_accident(y, y[i]) else { continue };
        let without = Fitting { gauge, ..*fitting };
        let glance = glance(&without, &kernel, &fitted.record, &mut work)?;
        // Assume that one result in a hundred is an accident; it may be any of them.
        if glance.value.is_nan() || glance.value <= fitted.value + (100.0 * y.len() as f64).ln() {
            fitted = fitted.with_work_of(&glance);
            continue;
        }
        let whole = without.whole()?;
        fitted = if whole.value >= glance.value { whole.with_work_of(&glance) } else { glance.with_work_of(&whole) };
        break;
    }
    fitted.work += work;
    Ok(fitted)
}

/// A model that need not go through the accident, after a few evaluations: started from the model that does, and from
/// the prior's mode, since roughness made up for the accident; each with the best bend for it.
fn glance(without: &Fitting<'_>, kernel: &Contestant, record: &ModelRecord, work: &mut f64) -> Result<Model> {
    let from = |theta: Vec<f64>, work: &mut f64| {
        let entry = Entry { kernel: kernel.clone(), bend: record.bend, theta, value: f64::NEG_INFINITY };
        let entry = without.rescaled(&entry, work)?;
        without.complete(kernel, entry.bend, Some(entry.theta), Some(GLANCE))
    };
    let best = from(record.theta.clone(), work)?;
    if without.all.len() > CONTEST {
        return Ok(best);
    }
    let other = from(without.mode(kernel), work)?;
    Ok(if other.value > best.value { other.with_work_of(&best) } else { best.with_work_of(&other) })
}

/// The observations that fall short of what the others predict by the most deviations, if by many: under the model and,
/// while that is cheap, also under one at the prior's mode. A model fitted to an accident is so rough that hardly
/// anything surprises it.
fn suspects(fitting: &Fitting<'_>, fitted: &Model, work: &mut f64) -> Result<Vec<usize>> {
    if fitting.all.len() > CONTEST || fitting.all.noise().is_some() {
        return Ok(suspect(fitted, SURPRISE).into_iter().collect());
    }
    let mut suspects: Vec<usize> = suspect(fitted, SURPRISE_OF_FEW).into_iter().collect();
    let kernel = fitting.first_kernel();
    let theta = fitting.mode(&kernel);
    let entry = Entry { kernel, bend: fitted.record.bend, theta, value: f64::NEG_INFINITY };
    let entry = fitting.rescaled(&entry, work)?;
    let stiff = fitting.complete(&entry.kernel, entry.bend, Some(entry.theta), Some(1))?;
    *work += stiff.work;
    suspects.extend(suspect(&stiff, SURPRISE).filter(|i| !suspects.contains(i)));
    Ok(suspects)
}

/// The observation that falls short of what the others predict by the most deviations, if by more than `least`.
fn suspect(model: &Model, least: f64) -> Option<usize> {
    let values = model.posterior.values();
    let left_out = model.posterior.leave_one_out();
    let shortfall = |i: usize| (left_out[i].mean - values[i]) / left_out[i].variance.sqrt();
    (0..values.len()).max_by(|a, b| shortfall(*a).total_cmp(&shortfall(*b))).filter(|i| shortfall(*i) > least)
}

#[cfg(test)]
mod tests {
    use super::super::scale::Gauge;
    use super::super::subset;
    use super::*;
    use crate::data::Dataset;
    use crate::gp::KernelKind;
    use crate::linalg::Points;
    use crate::rng::Stream;
    use crate::space::{Parameter, SearchSpace};
    use crate::study::ModelConfig;

    fn with_fitting(test: impl FnOnce(Fitting<'_>)) {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
        let (config, stream, all) = (ModelConfig::default(), Stream::new(1), waves());
        let gauge = Gauge::new(all.y(), &subset::typical(all.x()));
        let kernels = [KernelKind::Matern52.into()];
        test(Fitting {
            config: &config,
            kernels: &kernels,
            space: &space,
            described: &[],
            warm: None,
            stream: &stream,
            all: &all,
            is_noise_partial: false,
            gauge,
        });
    }

    fn waves() -> Dataset {
        let x = Points::from_rows(1, (0..24).map(|i| f64::from(i) / 23.0).collect()).unwrap();
        let y = x.iter().map(|p| (9.0 * p[0]).sin() + 0.3 * (17.0 * p[0]).cos()).collect();
        Dataset::new(x, y).unwrap()
    }

    /// A fit that ends where it started, at these logarithms of lengthscale, variance and noise.
    fn stuck(fitting: &Fitting<'_>, theta: [f64; 3]) -> Model {
        fitting.complete(&fitting.kernels[0], None, Some(theta.to_vec()), Some(1)).unwrap()
    }

    #[test]
    fn a_fit_that_explains_less_than_the_last_model_is_not_taken() {
        with_fitting(|fitting| {
            let last = fitting.complete(&fitting.kernels[0], None, None, None).unwrap();
            // A lengthscale of a fiftieth of the box: every result stands alone.
            let bad = stuck(&fitting, [-4.0, 0.0, -16.0]);
            assert!(bad.value < last.value - MARGIN);
            let warm: ModelRecord = last.record.clone();
            let fitting = Fitting { warm: Some(&warm), ..fitting };
            assert!(checked(&fitting, bad).unwrap().value >= last.value);
        });
    }

    #[test]
    fn a_fit_that_is_surer_than_its_errors_is_made_again() {
        with_fitting(|fitting| {
            // A lengthscale of three boxes and almost no noise: the function would have to be a straight line.
            let sure = stuck(&fitting, [1.1, 0.0, -20.0]);
            let before = sure.leave_one_out();
            assert!(before.is_too_sure(), "{before:?}");
            let after = checked(&fitting, sure).unwrap().leave_one_out();
            assert!(!after.is_too_sure() && after.ln_density > before.ln_density, "{after:?}");
        });
    }

    #[test]
    fn a_bad_result_amid_smooth_ones_does_not_make_the_model_rough() {
        // A little worse than all others, and in the middle of their range.
        for accident in [-3.0, -0.9] {
            with_fitting(|fitting| {
                let mut y = fitting.all.y().to_vec();
                // The wave is at its top there.
                y[4] = accident;
                let all = Dataset::new(fitting.all.x().clone(), y).unwrap();
                let gauge = Gauge::new(all.y(), &subset::typical(all.x()));
                let fitting = Fitting { all: &all, gauge, ..fitting };
                let through = fitting.whole().unwrap();
                let around = without_accident(&fitting, fitting.whole().unwrap()).unwrap();
                let error = |fitted: &Model| {
                    let far = |i: usize| fitted.predict_value(&[i as f64 / 23.0 + 0.02]).0;
                    let truth = |i: usize| {
                        let x = i as f64 / 23.0 + 0.02;
                        (9.0 * x).sin() + 0.3 * (17.0 * x).cos()
                    };
                    (0..22).map(|i| (far(i) - truth(i)).abs()).fold(0.0, f64::max)
                };
                assert!(around.value > through.value + 7.0, "{} {}", around.value, through.value);
                assert!(error(&around) < 0.2 * error(&through), "{} {}", error(&around), error(&through));
            });
        }
        // Without an accident, nothing changes.
        with_fitting(|fitting| {
            let (a, b) = (fitting.whole().unwrap(), without_accident(&fitting, fitting.whole().unwrap()).unwrap());
            assert_eq!(a.record, b.record);
        });
    }

    #[test]
    fn chances_of_many_misses_are_binomial() {
        // scipy.stats.binom.sf(k - 1, n, 0.1).
        for (k, n, want) in [
            (0, 8, 1.0),
            (4, 8, 0.005024350000000003),
            (5, 12, 0.004329343270000001),
            (7, 24, 0.0074561469382630795),
            (8, 24, 0.0016841076432816768),
            (20, 100, 0.0019785608657712354),
        ] {
            assert!((at_least(k, n, 0.1) - want).abs() < 1e-14, "{k} of {n}: {}", at_least(k, n, 0.1));
        }
    }

    #[test]
    fn left_out_errors_are_those_of_models_without_the_result() {
        let mut found = None;
        with_fitting(|fitting| found = fitting.complete(&fitting.kernels[0], None, None, None).ok());
        let model = found.unwrap();
        let (posterior, values) = (&model.posterior, model.posterior.values());
        let mut square = 0.0;
        for i in 0..values.len() {
            let others: Vec<usize> = (0..values.len()).filter(|j| *j != i).collect();
            let x = others.iter().map(|j| waves().x().row(*j)[0]).collect();
            let rest = Dataset::new(Points::from_rows(1, x).unwrap(), others.iter().map(|j| values[*j]).collect());
            let without = crate::gp::Posterior::new(&rest.unwrap(), posterior.hyper().clone()).unwrap();
            let p = without.predict(waves().x().row(i));
            square += (values[i] - p.mean).powi(2) / (p.variance + posterior.hyper().noise.typical()) / 24.0;
        }
        let found = model.leave_one_out().errors;
        // Differences of numbers of size 1, divided by variances of 1e-7 or so.
        assert!((found.mean_square - square).abs() < 1e-4 * square, "{found:?} {square}");
    }
}
