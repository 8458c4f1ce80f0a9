//! A built-in kernel or a custom one, with the values of its parameters.
//!
//! Loops over distances are compiled for each built-in kernel (`with_kernel!`). A custom kernel is behind a pointer,
//! and its loops are compiled with its type: one call through the pointer for each row of a covariance matrix.

use std::fmt;
use std::sync::Arc;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use super::{Kernel, KernelKind, KernelParameter, with_kernel};
use crate::error::{Error, Result};
use crate::linalg::vectorized;

/// What the loops of a model need from a kernel with the values of its parameters.
pub(crate) trait Row: Copy {
    /// κ(s) and κ'(s).
    fn value_and_slope(self, s: f64) -> (f64, f64);
    /// κ''(s).
    fn curvature(self, s: f64) -> f64;
    /// −2κ'(0).
    fn gradient_variance(self) -> f64;
    /// ∂κ(s)/∂ln p for each parameter p.
    fn by_parameters(self, s: f64, slopes: &mut [f64]);
    /// k_j ← σ² κ(s_j) and c_j ← σ² κ'(s_j).
    fn row(self, variance: f64, s: &[f64], k: &mut [f64], c: &mut [f64]);
    /// Like [`row`](Self::row), but `c` initially holds s; `own` receives all ∂κ(s_j)/∂ln p of the first parameter,
    /// then of the next.
    fn entries(self, variance: f64, c: &mut [f64], k: &mut [f64], own: &mut [f64]);
}

impl<K: Kernel> Row for K {
    #[inline(always)]
    fn value_and_slope(self, s: f64) -> (f64, f64) {
        Kernel::value_and_slope(self, s)
    }

    #[inline(always)]
    fn curvature(self, s: f64) -> f64 {
        Kernel::curvature(self, s)
    }

    fn gradient_variance(self) -> f64 {
        Kernel::gradient_variance(self)
    }

    #[inline(always)]
    fn by_parameters(self, s: f64, slopes: &mut [f64]) {
        Kernel::by_parameters(self, s, slopes);
    }

    #[inline(always)]
    fn row(self, variance: f64, s: &[f64], k: &mut [f64], c: &mut [f64]) {
        for ((s, k), c) in s.iter().zip(k.iter_mut()).zip(c.iter_mut()) {
            let (value, slope) = Kernel::value_and_slope(self, *s);
            *k = variance * value;
            *c = variance * slope;
        }
    }

    #[inline(always)]
    fn entries(self, variance: f64, c: &mut [f64], k: &mut [f64], own: &mut [f64]) {
        let n = c.len();
        match own.len() / n.max(1) {
            0 => {
                for (c, k) in c.iter_mut().zip(k.iter_mut()) {
                    let (value, slope) = Kernel::value_and_slope(self, *c);
                    *k = variance * value;
                    *c = variance * slope;
                }
            }
            // Terms shared with the value, mainly exponentials, are computed once.
            2 => {
                let (first, second) = own.split_at_mut(n);
                let parameters = first.iter_mut().zip(second.iter_mut());
                for ((c, k), (first, second)) in c.iter_mut().zip(k.iter_mut()).zip(parameters) {
                    let mut slopes = [0.0; 2];
                    Kernel::by_parameters(self, *c, &mut slopes);
                    let (value, slope) = Kernel::value_and_slope(self, *c);
                    *k = variance * value;
                    *c = variance * slope;
                    *first = slopes[0];
                    *second = slopes[1];
                }
            }
            n_own => {
                let mut slopes = vec![0.0; n_own];
                for (j, (c, k)) in c.iter_mut().zip(k).enumerate() {
                    Kernel::by_parameters(self, *c, &mut slopes);
                    let (value, slope) = Kernel::value_and_slope(self, *c);
                    *k = variance * value;
                    *c = variance * slope;
                    slopes.iter().enumerate().for_each(|(p, slope)| own[p * n + j] = *slope);
                }
            }
        }
    }
}

/// A [`Kernel`] of unknown type that receives the values of its parameters with each call.
pub(crate) trait Formula: fmt::Debug + Send + Sync {
    fn parameters(&self) -> Vec<KernelParameter>;
    fn value_and_slope(&self, values: &[f64], s: f64) -> (f64, f64);
    fn curvature(&self, values: &[f64], s: f64) -> f64;
    fn gradient_variance(&self, values: &[f64]) -> f64;
    fn row(&self, values: &[f64], variance: f64, s: &[f64], k: &mut [f64], c: &mut [f64]);
    fn entries(&self, values: &[f64], variance: f64, c: &mut [f64], k: &mut [f64], own: &mut [f64]);
    fn by_parameters(&self, values: &[f64], s: f64, slopes: &mut [f64]);
}

impl<K: Kernel> Formula for K {
    fn parameters(&self) -> Vec<KernelParameter> {
        Kernel::parameters(*self)
    }

    fn value_and_slope(&self, values: &[f64], s: f64) -> (f64, f64) {
        Kernel::value_and_slope(self.with(values), s)
    }

    fn curvature(&self, values: &[f64], s: f64) -> f64 {
        Kernel::curvature(self.with(values), s)
    }

    fn gradient_variance(&self, values: &[f64]) -> f64 {
        Kernel::gradient_variance(self.with(values))
    }

    fn row(&self, values: &[f64], variance: f64, s: &[f64], k: &mut [f64], c: &mut [f64]) {
        let kernel = self.with(values);
        vectorized(
            #[inline(always)]
            || Row::row(kernel, variance, s, k, c),
        );
    }

    fn entries(&self, values: &[f64], variance: f64, c: &mut [f64], k: &mut [f64], own: &mut [f64]) {
        let kernel = self.with(values);
        vectorized(
            #[inline(always)]
            || Row::entries(kernel, variance, c, k, own),
        );
    }

    fn by_parameters(&self, values: &[f64], s: f64, slopes: &mut [f64]) {
        Kernel::by_parameters(self.with(values), s, slopes);
    }
}

/// A custom kernel, under a name.
#[derive(Debug, Clone)]
pub(crate) struct Own {
    name: Arc<str>,
    formula: Arc<dyn Formula>,
}

impl Own {
    pub fn at<'a>(&'a self, values: &'a [f64]) -> OwnAt<'a> {
        OwnAt { formula: &*self.formula, values }
    }
}

/// A custom kernel with the values of its parameters.
#[derive(Clone, Copy)]
pub(crate) struct OwnAt<'a> {
    formula: &'a dyn Formula,
    values: &'a [f64],
}

impl Row for OwnAt<'_> {
    fn value_and_slope(self, s: f64) -> (f64, f64) {
        self.formula.value_and_slope(self.values, s)
    }

    fn curvature(self, s: f64) -> f64 {
        self.formula.curvature(self.values, s)
    }

    fn gradient_variance(self) -> f64 {
        self.formula.gradient_variance(self.values)
    }

    fn by_parameters(self, s: f64, slopes: &mut [f64]) {
        self.formula.by_parameters(self.values, s, slopes);
    }

    fn row(self, variance: f64, s: &[f64], k: &mut [f64], c: &mut [f64]) {
        self.formula.row(self.values, variance, s, k, c);
    }

    fn entries(self, variance: f64, c: &mut [f64], k: &mut [f64], own: &mut [f64]) {
        self.formula.entries(self.values, variance, c, k, own);
    }
}

/// A built-in kernel, or a custom one.
#[derive(Debug, Clone)]
pub(crate) enum Which {
    Ours(KernelKind),
    Own(Own),
}

/// A built-in kernel or a custom one, with the values of its parameters.
///
/// Two custom kernels are equal if they are copies of the same one and have the same values.
///
/// ```
/// use elbowroom::gp::{AnyKernel, KernelKind, Matern52};
/// let ours = AnyKernel::from(KernelKind::Matern52);
/// let own = AnyKernel::own("acme/smooth", Matern52)?;
/// assert_eq!(own.value_and_slope(0.3), ours.value_and_slope(0.3));
/// assert_eq!((ours.name(), own.name()), ("matern52".to_owned(), "acme/smooth".to_owned()));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "Written")]
pub struct AnyKernel {
    which: Which,
    values: Vec<f64>,
}

impl AnyKernel {
    /// A kernel of your own, with its parameters at their typical values. Refuses a kernel whose functions contradict
    /// each other at some distances: slopes are compared with differences.
    pub fn own(name: &str, kernel: impl Kernel) -> Result<Self> {
        let which = Which::Own(Own { name: name.into(), formula: Arc::new(kernel) });
        let own = Self::typical(which);
        own.check_formula().map_err(|error| error.within(format_args!("the kernel `{name}`")))?;
        Ok(own)
    }

    fn typical(which: Which) -> Self {
        let mut kernel = Self { which, values: Vec::new() };
        kernel.values = kernel.parameters().iter().map(KernelParameter::typical).collect();
        kernel
    }

    /// Its name: the one in a configuration, or the one given to [`own`](Self::own).
    pub fn name(&self) -> String {
        match &self.which {
            Which::Ours(kind) => format!("{kind:?}").to_lowercase(),
            Which::Own(own) => own.name.to_string(),
        }
    }

    /// The parameters that a fit finds.
    pub fn parameters(&self) -> Vec<KernelParameter> {
        match &self.which {
            Which::Ours(kind) => kind.fitted(),
            Which::Own(own) => own.formula.parameters(),
        }
    }

    /// Their values.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The kernel with other values: as many as there are parameters.
    #[must_use]
    pub fn at(&self, values: &[f64]) -> Self {
        Self { which: self.which.clone(), values: values.to_vec() }
    }

    /// κ(s) and κ'(s).
    pub fn value_and_slope(&self, s: f64) -> (f64, f64) {
        with_kernel!(self, kernel => Row::value_and_slope(kernel, s))
    }

    /// κ''(s).
    pub fn curvature(&self, s: f64) -> f64 {
        with_kernel!(self, kernel => Row::curvature(kernel, s))
    }

    /// −2κ'(0): the prior variance of a whitened partial derivative, per unit of σ_f².
    pub fn gradient_variance(&self) -> f64 {
        with_kernel!(self, kernel => Row::gradient_variance(kernel))
    }

    /// ∂κ(s)/∂ln p for each parameter p.
    pub fn by_parameters(&self, s: f64, slopes: &mut [f64]) {
        with_kernel!(self, kernel => Row::by_parameters(kernel, s, slopes));
    }

    pub(crate) fn which(&self) -> &Which {
        &self.which
    }

    pub(in crate::gp) fn set_values(&mut self, values: impl Iterator<Item = f64>) {
        self.values.clear();
        self.values.extend(values);
    }

    /// Refuses parameter values that no kernel can use.
    pub(in crate::gp) fn check(&self) -> Result<()> {
        let parameters = self.parameters();
        if parameters.len() != self.values.len() {
            let what = format!("{} values for a kernel of {} parameters", self.values.len(), parameters.len());
            return Err(Error::config(what, "give one for each"));
        }
        match parameters.iter().zip(&self.values).find(|(_, value)| !(value.is_finite() && **value > 0.0)) {
            Some((parameter, value)) => {
                let what = format!("the kernel's parameter `{}` is {value}", parameter.name);
                Err(Error::config(what, "give a positive, finite number"))
            }
            None => Ok(()),
        }
    }

    /// Refuses a formula that contradicts itself, at typical values and a little above and below them.
    fn check_formula(&self) -> Result<()> {
        for parameter in self.parameters() {
            let KernelParameter { name, ln_mean, ln_sd, range: (low, high) } = parameter;
            let is_law = ln_mean.is_finite() && ln_sd.is_finite() && ln_sd > 0.0;
            if !(is_law && 0.0 < low && low < high && high.is_finite() && (low..=high).contains(&parameter.typical())) {
                let what = format!("the parameter `{name}` has the law N({ln_mean}, {ln_sd}²) on {low} to {high}");
                let hint =
                    "give a finite mean and a positive deviation of its logarithm, and a range around the median";
                return Err(Error::config(what, hint));
            }
        }
        self.check()?;
        let scaled = |by: f64| {
            let within = |(p, v): (&KernelParameter, &f64)| (v * by).clamp(p.range.0, p.range.1);
            self.at(&self.parameters().iter().zip(&self.values).map(within).collect::<Vec<f64>>())
        };
        [1.0, 1.3, 0.7].into_iter().try_for_each(|by| scaled(by).check_slopes())
    }

    fn check_slopes(&self) -> Result<()> {
        let wrong = |what: String| {
            let hint =
                "a kernel is 1 at distance 0 and has finite derivatives in the squared distance: see `gp::Kernel`";
            Err(Error::config(what, hint))
        };
        let (one, at_zero) = self.value_and_slope(0.0);
        if !((one - 1.0).abs() <= 1e-12 && at_zero.is_finite() && at_zero < 0.0) {
            return wrong(format!("at distance 0 it is {one}, with the slope {at_zero}"));
        }
        let variance = self.gradient_variance();
        if !is_near(variance, -2.0 * at_zero) {
            return wrong(format!(
                "the gradient variance is {variance}, and minus twice the slope at 0 {}",
                -2.0 * at_zero
            ));
        }
        let mut slopes = vec![0.0; self.values.len()];
        for s in [0.01, 0.3, 1.0, 4.0, 25.0] {
            let h = 1e-4 * s;
            let (above, below) = (self.value_and_slope(s + h), self.value_and_slope(s - h));
            let (value, slope) = self.value_and_slope(s);
            let by_differences = [(above.0 - below.0) / (2.0 * h), (above.1 - below.1) / (2.0 * h)];
            for (what, is, should) in [("κ'", slope, by_differences[0]), ("κ''", self.curvature(s), by_differences[1])]
            {
                if !(value.abs() <= 1.0 && is_near(is, should)) {
                    return wrong(format!("at s = {s}, κ is {value} and {what} is {is}; differences give {should}"));
                }
            }
            self.by_parameters(s, &mut slopes);
            for (i, (parameter, slope)) in self.parameters().iter().zip(&slopes).enumerate() {
                let moved = |by: f64| {
                    let values = self.values.iter().enumerate().map(|(k, v)| if k == i { v * by.exp() } else { *v });
                    self.at(&values.collect::<Vec<f64>>()).value_and_slope(s).0
                };
                let should = (moved(1e-4) - moved(-1e-4)) / 2e-4;
                if !is_near(*slope, should) {
                    let name = parameter.name;
                    return wrong(format!("at s = {s}, ∂κ/∂ln {name} is {slope}; differences give {should}"));
                }
            }
        }
        Ok(())
    }
}

/// Whether a derivative agrees with differences: differences are off by about 1e-7, and mistakes by far more.
fn is_near(is: f64, should: f64) -> bool {
    (is - should).abs() <= 1e-4 * should.abs() + 1e-6
}

impl From<KernelKind> for AnyKernel {
    fn from(kind: KernelKind) -> Self {
        Self::typical(Which::Ours(kind))
    }
}

impl PartialEq for AnyKernel {
    fn eq(&self, other: &Self) -> bool {
        let is_same = match (&self.which, &other.which) {
            (Which::Ours(a), Which::Ours(b)) => a == b,
            (Which::Own(a), Which::Own(b)) => a.name == b.name && Arc::ptr_eq(&a.formula, &b.formula),
            _ => false,
        };
        is_same && self.values == other.values
    }
}

/// Like [`KernelKind`], or with the values of its parameters. A custom kernel cannot be read back: it is code.
impl Serialize for AnyKernel {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if self.values.is_empty() {
            return serializer.serialize_str(&self.name());
        }
        let mut written = serializer.serialize_struct("AnyKernel", 2)?;
        written.serialize_field("name", &self.name())?;
        written.serialize_field("values", &self.values)?;
        written.end()
    }
}

/// The written form of a built-in kernel.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Typical(KernelKind),
    At { name: KernelKind, values: Vec<f64> },
}

impl From<Written> for AnyKernel {
    fn from(written: Written) -> Self {
        match written {
            Written::Typical(kind) => kind.into(),
            Written::At { name, values } => Self::from(name).at(&values),
        }
    }
}
