//! Prior laws of hyperparameters, for the maximum a posteriori fit.

use serde::{Deserialize, Serialize};

use super::{Described, Metric, Shape};

/// The law of one positive hyperparameter v, as a density in v unless stated otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Prior {
    /// No preference: a constant.
    Flat,
    /// ln v is normal.
    LogNormal {
        /// Mean of ln v.
        mu: f64,
        /// Standard deviation of ln v.
        sigma: f64,
    },
    /// A mixture of two laws, each normal in ln v and a density in ln v: either there is almost no noise, or there is
    /// some.
    NoneOrSome {
        /// Mean and standard deviation of ln v if there is almost none.
        none: (f64, f64),
        /// Mean and standard deviation of ln v if there is some.
        some: (f64, f64),
        /// The prior probability that there is some.
        share: f64,
    },
    /// Gamma with the density v^(shape−1) e^(−rate·v).
    Gamma {
        /// Shape.
        shape: f64,
        /// Rate.
        rate: f64,
    },
}

impl Prior {
    /// The default prior of a noise variance. Either there is almost none, or it is visible: a fifth of the results'
    /// standard deviation, within a factor of e. The results must overcome long odds against it, six nats: with 20 to
    /// 1, the waves of a function without noise were mistaken for noise.
    pub const OF_NOISE: Self = Prior::NoneOrSome { none: (-16.0, 3.0), some: (-3.0, 2.0), share: 0.002 };

    /// The default before version 0.6.0: only the first kind of law, as a density in v.
    pub const ONCE_OF_NOISE: Self = Prior::LogNormal { mu: -7.0, sigma: 3.0 };

    /// The default prior of the lengthscale of a category, in units of √d. Any two levels are maximally far apart, and
    /// a few results say little about how alike they are. The prior of numbers, whose mode is a fifth, would leave
    /// levels almost unrelated, and what is learned with one would not carry over to the others. Chosen on randomly
    /// drawn pools.
    pub const OF_CATEGORIES: Self = Prior::LogNormal { mu: std::f64::consts::SQRT_2, sigma: 1.0 };

    /// The law of `factor` times v.
    ///
    /// ```
    /// use elbowroom::gp::Prior;
    /// let law = Prior::LogNormal { mu: 0.0, sigma: 1.0 };
    /// assert_eq!(law.times(1.0), law);
    /// // The mode moves along.
    /// assert!((law.times(3.0).ln_mode() - law.ln_mode() - 3f64.ln()).abs() < 1e-15);
    /// ```
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let shifted = |(mu, sigma): (f64, f64)| (mu + factor.ln(), sigma);
        match self {
            Prior::Flat => Prior::Flat,
            Prior::LogNormal { mu, sigma } => Prior::LogNormal { mu: mu + factor.ln(), sigma },
            Prior::NoneOrSome { none, some, share } => {
                Prior::NoneOrSome { none: shifted(none), some: shifted(some), share }
            }
            Prior::Gamma { shape, rate } => Prior::Gamma { shape, rate: rate / factor },
        }
    }

    /// ln of the density at v = e^t, up to a constant, and its derivative in t.
    ///
    /// ```
    /// use elbowroom::gp::Prior;
    /// // The mode of a log-normal density in v is at ln v = μ − σ².
    /// let (_, slope) = Prior::LogNormal { mu: 0.5, sigma: 1.0 }.ln_density(-0.5);
    /// assert!(slope.abs() < 1e-15);
    /// ```
    pub fn ln_density(self, t: f64) -> (f64, f64) {
        match self {
            Prior::Flat => (0.0, 0.0),
            Prior::LogNormal { mu, sigma } => {
                let z = (t - mu) / sigma;
                (-t - 0.5 * z * z, -1.0 - z / sigma)
            }
            Prior::NoneOrSome { none, some, share } => {
                let part = |(mu, sigma): (f64, f64), weight: f64| {
                    let z = (t - mu) / sigma;
                    (weight.ln() - sigma.ln() - 0.5 * z * z, -z / sigma)
                };
                let (none, some) = (part(none, 1.0 - share), part(some, share));
                let ln_density = none.0.max(some.0) + (-(none.0 - some.0).abs()).exp().ln_1p();
                (ln_density, (none.0 - ln_density).exp() * none.1 + (some.0 - ln_density).exp() * some.1)
            }
            Prior::Gamma { shape, rate } => {
                let v = t.exp();
                ((shape - 1.0) * t - rate * v, shape - 1.0 - rate * v)
            }
        }
    }

    /// Whether the parameters make a valid law.
    pub(crate) fn is_proper(self) -> bool {
        let positive = |v: f64| v.is_finite() && v > 0.0;
        match self {
            Prior::Flat => true,
            Prior::LogNormal { mu, sigma } => mu.is_finite() && positive(sigma),
            Prior::NoneOrSome { none, some, share } => {
                let is_law = |(mu, sigma): (f64, f64)| mu.is_finite() && positive(sigma);
                is_law(none) && is_law(some) && share > 0.0 && share < 1.0
            }
            Prior::Gamma { shape, rate } => positive(shape) && positive(rate),
        }
    }

    /// ln of the value where the density is largest (0 for a flat law; for a mixture, that of almost no noise).
    pub fn ln_mode(self) -> f64 {
        match self {
            Prior::Flat => 0.0,
            Prior::LogNormal { mu, sigma } => mu - sigma * sigma,
            Prior::NoneOrSome { none, .. } => none.0,
            Prior::Gamma { shape, rate } => ((shape - 1.0).max(1e-3) / rate).ln(),
        }
    }
}

/// The priors of a fit. Lengthscales are in units of the box, variances in units of the variance of y.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Priors {
    /// The prior of the lengthscale of a number.
    pub lengthscale: Prior,
    /// The prior of the lengthscale of a category; a lengthscale that all coordinates share has that of a number.
    pub category: Prior,
    /// The prior of the kernel variance.
    pub variance: Prior,
    /// The prior of the noise variance.
    pub noise: Prior,
}

impl Priors {
    /// Priors that scale with the dimension: distances in the unit cube grow as √d, and so do the lengthscales that
    /// keep a problem of d coordinates as hard as one of few (Hvarfner, Hellsten and Nardi 2024).
    pub fn dimension_scaled(dim: usize) -> Self {
        let lengthscale = Prior::LogNormal { mu: 2f64.sqrt() + 0.5 * (dim.max(1) as f64).ln(), sigma: 3f64.sqrt() };
        Self {
            lengthscale,
            category: lengthscale,
            variance: Prior::Gamma { shape: 2.0, rate: 1.0 },
            noise: Prior::ONCE_OF_NOISE,
        }
    }

    /// The prior of the lengthscale at index i of θ, or of the odds of a mismatch, which follow the lengthscales.
    pub(crate) fn of_lengthscale(&self, shape: &Shape, i: usize) -> Prior {
        if i >= shape.n_lengthscales() {
            return if *self == Self::flat() { Prior::Flat } else { Described::ODDS };
        }
        if shape.ard && shape.described.iter().any(|one| one.dim == i) {
            return self.category.times(Described::LONGER);
        }
        if shape.ard && shape.metric[i] == Metric::Mismatch { self.category } else { self.lengthscale }
    }

    /// No preferences: maximum likelihood.
    pub fn flat() -> Self {
        Self { lengthscale: Prior::Flat, category: Prior::Flat, variance: Prior::Flat, noise: Prior::Flat }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_derivatives_and_vanish_at_the_mode() {
        for prior in [
            Prior::Flat,
            Prior::LogNormal { mu: -4.0, sigma: 1.0 },
            Prior::LogNormal { mu: 1.0, sigma: 1.7 },
            Prior::NoneOrSome { none: (-2.0, 0.8), some: (0.5, 0.4), share: 0.3 },
            Prior::Gamma { shape: 2.0, rate: 1.0 },
        ] {
            for t in [-3.0, -0.5, 0.0, 1.2] {
                let h = 1e-5;
                let difference = (prior.ln_density(t + h).0 - prior.ln_density(t - h).0) / (2.0 * h);
                assert!((difference - prior.ln_density(t).1).abs() < 1e-8 * (1.0 + difference.abs()), "{prior:?} {t}");
            }
        }
        // Modes of the densities in v: exp(μ − σ²) for LogN(μ, σ); (shape − 1)/rate for Gamma. There dp/dv = 0, and
        // with p = e^(ln p), dp/dt = v dp/dv = 0 as well.
        assert!(Prior::LogNormal { mu: 1.0, sigma: 2.0 }.ln_density(-3.0).1.abs() < 1e-12);
        assert!(Prior::Gamma { shape: 3.0, rate: 0.5 }.ln_density(4f64.ln()).1.abs() < 1e-12);
    }

    #[test]
    fn one_of_two_laws_weighs_both_by_their_chance() {
        // ln(0.998 N(t; −16, 3) + 0.002 N(t; −3, 2)) + ½ ln 2π, by mpmath with 30 digits.
        for (t, want) in [
            (-20.0, -1.989_503_180_227_671_7),
            (-16.0, -1.100_614_291_336_771_3),
            (-9.0, -3.822_328_586_519_453),
            (-7.5, -5.101_349_924_083_569),
            (-3.0, -6.880_308_397_659_879),
            (-1.2, -7.310_170_307_144_428),
        ] {
            assert!((Prior::OF_NOISE.ln_density(t).0 - want).abs() < 1e-13, "{t}: {}", Prior::OF_NOISE.ln_density(t).0);
        }
    }

    #[test]
    fn the_lengthscale_mode_grows_as_the_root_of_the_dimension() {
        // exp(√2 − 3) = 0.2048, times √d.
        for d in [1, 4, 25] {
            let mode = Priors::dimension_scaled(d).lengthscale.ln_mode().exp();
            assert!((mode - 0.2047866778226079 * (d as f64).sqrt()).abs() < 1e-5 * mode.max(1.0));
        }
    }
}
