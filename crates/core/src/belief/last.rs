//! The last fit: to all data, from the winner of the contest on a part of them, and the second look.

use super::contest::{BENDS, Entry, OTHER_MAXIMUM, bend_at};
use super::fit::{Fitting, Model, record};
use super::kernels::{Contestant, KernelConfig};
use super::scale::Bending;
use super::{subset, trust};
use crate::data::Dataset;
use crate::error::Result;
use crate::gp::{FitParams, Likelihood, Shape, find, fit_bent, value_at_warm, work};

/// The search of θ alone ends when the relative gain of an iteration is below this, divided by the number of results:
/// evidence grows with that number.
const REFINED_TOLERANCE: f64 = 1e-3;

impl Fitting<'_> {
    /// A fit to all data: finds θ, and the bend if there is one. Random starts belong to the contest.
    pub fn last_fit(&self, entry: Entry) -> Result<Model> {
        let data = self.encoded(self.all, &self.scale(None))?;
        let searches = &mut LastSearches { data: &data, likelihood: None };
        let (entry, work) = self.last_search(entry, None, searches)?;
        self.made_at(entry, work, searches)
    }

    /// Where the search of a fit to all data ends, and its work.
    fn last_search(
        &self,
        entry: Entry,
        evaluations: Option<usize>,
        searches: &mut LastSearches<'_>,
    ) -> Result<(Entry, f64)> {
        // It is not worth it for few results: there, a bend between those of the grid lost 0.07 decades on the tuning
        // tasks.
        let may_bend = self.all.noise().is_none() && self.all.len() > subset::CONTEST;
        let scale = self.scale(entry.bend);
        let data = self.encoded(self.all, &scale)?;
        let params = self.last_params(&entry, &data, evaluations);
        searches.with(&entry.kernel, &data, &params.shape, |likelihood| {
            let mut work = 0.0;
            if let Some(bend) = entry.bend.filter(|_| may_bend) {
                let mut bending = Bending::new(&self.gauge, self.all.y());
                let range = (bend_at(BENDS - 1).ln(), bend_at(0).ln());
                let found = fit_bent(likelihood, &params, &mut bending, bend.ln(), range)?;
                work += found.work;
                if found.value.is_finite() {
                    let scale = self.scale(Some(found.bend.exp()));
                    let ended = Entry { theta: found.theta, bend: scale.bend(), value: found.value, ..entry.clone() };
                    let left = params.max_evaluations.saturating_sub(found.evaluations);
                    // A look only decides whether another search is worth it.
                    if evaluations.is_some() || left == 0 {
                        return Ok((ended, work));
                    }
                    return self.refined(likelihood, ended, &params, left).map(|(entry, more)| (entry, work + more));
                }
                likelihood.set_values(data.y());
            }
            let found = find(likelihood, &params, self.stream)?;
            let value = found.value + scale.ln_jacobian(self.all.y());
            let entry = Entry { theta: found.theta, bend: scale.bend(), value, ..entry.clone() };
            Ok((entry, work + found.info.work))
        })
    }

    /// Where a search of θ alone ends, started where the joint search of θ and the bend ended. Along the ridge between
    /// the bend and the variances each iteration gains little, so the joint search ends before the maximum, by some
    /// nats if there are hundreds of results.
    fn refined(
        &self,
        likelihood: &mut Likelihood<'_>,
        entry: Entry,
        params: &FitParams,
        evaluations: usize,
    ) -> Result<(Entry, f64)> {
        let scale = self.scale(entry.bend);
        likelihood.set_values(&self.all.y().iter().map(|&y| scale.encode(y)).collect::<Vec<f64>>());
        let params = FitParams {
            warm: Some(entry.theta.clone()),
            max_evaluations: evaluations,
            value_tolerance: params.value_tolerance.min(REFINED_TOLERANCE / self.all.len() as f64),
            ..params.clone()
        };
        let found = find(likelihood, &params, self.stream)?;
        let value = found.value + scale.ln_jacobian(self.all.y());
        let better = if value > entry.value { Entry { theta: found.theta, value, ..entry } } else { entry };
        Ok((better, found.info.work))
    }

    /// The model where a search ended.
    fn made_at(&self, entry: Entry, work: f64, searches: &mut LastSearches<'_>) -> Result<Model> {
        let scale = self.scale(entry.bend);
        let data = self.encoded(self.all, &scale)?;
        let shape = self.params(&entry.kernel, &data).shape;
        let at = |likelihood: &mut Likelihood<'_>| likelihood.posterior_of(&data, &entry.theta);
        let posterior = searches.with(&entry.kernel, &data, &shape, at)?;
        let record = record(&entry.kernel, entry.theta, &scale);
        let work = work + work::factorization(data.len());
        Ok(Model { posterior, scale, record, work, value: entry.value })
    }

    /// A fit to all data, or one started with hardly any detail if that found a different maximum. Without this, a
    /// study in which each fit starts at the last one could never leave a maximum. The first fit had random starts
    /// instead.
    pub fn second_look(&self, entry: Entry) -> Result<Model> {
        let data = self.encoded(self.all, &self.scale(None))?;
        let searches = &mut LastSearches { data: &data, likelihood: None };
        let (first, work) = self.last_search(entry, None, searches)?;
        // Made before another search, while its K is still the last one factored.
        let mut fitted = self.made_at(first.clone(), work, searches)?;
        let may_look = self.warm.is_some() && self.all.len() > subset::CONTEST;
        let Some(theta) = self.hardly_any_detail(&first).filter(|_| may_look) else { return Ok(fitted) };
        let (look, work) = self.last_search(Entry { theta, ..first }, Some(subset::SECOND_LOOK), searches)?;
        fitted.work += work;
        if look.value.is_nan() || look.value <= fitted.value - trust::MARGIN {
            return Ok(fitted);
        }
        let (other, work) = self.last_search(look, None, searches)?;
        fitted.work += work;
        let is_better = other.value > fitted.value + OTHER_MAXIMUM;
        if is_better { self.made_at(other, fitted.work, searches) } else { Ok(fitted) }
    }

    /// ln(likelihood · prior) of the results under a model with this kernel, bend and θ.
    pub fn value_at(&self, kernel: &Contestant, bend: Option<f64>, theta: Vec<f64>) -> Result<(f64, f64)> {
        let scale = self.scale(bend);
        let data = self.encoded(self.all, &scale)?;
        let params = FitParams { warm: Some(theta), ..self.params(kernel, &data) };
        let mut likelihood = Likelihood::new(&data, params.shape.clone());
        let value = value_at_warm(&mut likelihood, &params)?;
        Ok((value + scale.ln_jacobian(self.all.y()), likelihood.work()))
    }

    fn last_params(&self, entry: &Entry, data: &Dataset, evaluations: Option<usize>) -> FitParams {
        let mut params = self.params(&entry.kernel, data);
        params.warm = Some(entry.theta.clone());
        params.random_starts = 0;
        let most = subset::last_evaluations(self.all.len(), params.shape.n_parameters() + 1);
        params.max_evaluations = evaluations.map_or(most, |evaluations| evaluations.min(most));
        params
    }
}

/// Searches on all data. Bends change the values alone, so those with one kernel share a likelihood: a search that
/// starts where the last one ended, and the model there, need not factor K again.
struct LastSearches<'a> {
    /// All data, without a bend.
    data: &'a Dataset,
    likelihood: Option<(KernelConfig, Likelihood<'a>)>,
}

impl LastSearches<'_> {
    /// Calls a function with the likelihood of these data: those of `self`, with other values.
    fn with<T>(
        &mut self,
        kernel: &Contestant,
        data: &Dataset,
        shape: &Shape,
        f: impl FnOnce(&mut Likelihood<'_>) -> T,
    ) -> T {
        // Declared variances change with the bend.
        if data.noise() != self.data.noise() {
            return f(&mut Likelihood::new(data, shape.clone()));
        }
        let of_kernel = self.likelihood.take().filter(|(name, _)| name.is_same(&kernel.name));
        let anew = || (kernel.name.clone(), Likelihood::new(self.data, shape.clone()));
        let (_, likelihood) = self.likelihood.insert(of_kernel.unwrap_or_else(anew));
        likelihood.set_values(data.y());
        f(likelihood)
    }
}
