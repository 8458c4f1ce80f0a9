//! The statistics of the tables: means, quantiles, ranks, paired differences and their tests.
//!
//! Constants in the tables below, and expected values in the tests, were computed with scipy 1.17.1.

/// A mean with the ends of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The mean; NaN for no values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation, with n − 1; 0 for a single value.
pub fn sd(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: f64 = values.iter().map(|v| (v - centre).powi(2)).sum();
    if values.len() < 2 { 0.0 } else { (squares / (values.len() - 1) as f64).sqrt() }
}

/// A quantile, linear between the values; NaN for no values.
pub fn quantile(values: &[f64], p: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = p * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// Ranks from 1 for the smallest; equal values share the mean of their ranks.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let less = |v: f64| values.iter().filter(|o| **o < v).count() as f64;
    let equal = |v: f64| values.iter().filter(|o| **o == v).count() as f64;
    values.iter().map(|&v| less(v) + 0.5 * (equal(v) + 1.0)).collect()
}

/// The smallest difference of two of `k` mean ranks over `n` blocks that is significant at 5 % (Nemenyi; Demšar 2006).
/// `None` for fewer than 2 or more than 30 ranks.
pub fn critical_difference(k: usize, n: usize) -> Option<f64> {
    let q = STUDENTIZED.get(k.checked_sub(2)?)?;
    Some(q * (k as f64 * (k as f64 + 1.0) / (6.0 * n as f64)).sqrt())
}

/// The 95 % quantile of the studentized range of 2, 3, … groups and infinite degrees of freedom, over √2.
const STUDENTIZED: [f64; 29] = [
    1.9600, 2.3437, 2.5690, 2.7278, 2.8497, 2.9483, 3.0309, 3.1017, 3.1637, 3.2187, 3.2680, 3.3127, 3.3536, 3.3912,
    3.4260, 3.4584, 3.4887, 3.5171, 3.5438, 3.5690, 3.5929, 3.6156, 3.6373, 3.6579, 3.6776, 3.6964, 3.7145, 3.7319,
    3.7486,
];

/// The mean of paired differences and its 95 % interval by Student's t. For a single value the interval is the whole
/// line.
pub fn interval(differences: &[f64]) -> Interval {
    let centre = mean(differences);
    let half = match differences.len() {
        0 | 1 => f64::INFINITY,
        n => t_quantile(n - 1) * sd(differences) / (n as f64).sqrt(),
    };
    Interval { mean: centre, low: centre - half, high: centre + half }
}

/// The 97.5 % quantile of Student's t: a table for few degrees of freedom, then Cornish and Fisher's expansion, which
/// has errors of at most 3e-5 from 10 on.
fn t_quantile(freedom: usize) -> f64 {
    const FEW: [f64; 9] = [12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157];
    if let Some(t) = freedom.checked_sub(1).and_then(|i| FEW.get(i)) {
        return *t;
    }
    let (z, v) = (1.959963984540054f64, freedom as f64);
    let (z3, z5, z7, z9) = (z.powi(3), z.powi(5), z.powi(7), z.powi(9));
    z + (z3 + z) / (4.0 * v)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * v.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * v.powi(3))
        + (79.0 * z9 + 776.0 * z7 + 1482.0 * z5 - 1920.0 * z3 - 945.0 * z) / (92160.0 * v.powi(4))
}

/// Wilcoxon's signed-rank test: the two-sided p-value for differences symmetric around 0, exact also with ties.
/// Differences of 0 are left out.
pub fn wilcoxon(differences: &[f64]) -> f64 {
    let kept: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let sizes: Vec<f64> = kept.iter().map(|d| d.abs()).collect();
    // Twice the ranks are integers.
    let doubled: Vec<usize> = ranks(&sizes).iter().map(|r| (2.0 * r).round() as usize).collect();
    let total: usize = doubled.iter().sum();
    let positive: usize = doubled.iter().zip(&kept).filter(|(_, d)| **d > 0.0).map(|(r, _)| r).sum();
    // The law of the sum of the positive ranks if every sign is the flip of a coin.
    let mut law = vec![0.0; total + 1];
    law[0] = 1.0;
    for rank in doubled {
        for sum in (0..=total).rev() {
            let with = if sum >= rank { law[sum - rank] } else { 0.0 };
            law[sum] = 0.5 * (law[sum] + with);
        }
    }
    let tail: f64 = law[..=positive.min(total - positive)].iter().sum();
    (2.0 * tail).min(1.0)
}

/// Holm's correction of p-values for their number.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&i, &j| p[i].total_cmp(&p[j]));
    let mut corrected = vec![0.0; p.len()];
    let mut so_far: f64 = 0.0;
    for (place, &i) in order.iter().enumerate() {
        so_far = so_far.max((p.len() - place) as f64 * p[i]).min(1.0);
        corrected[i] = so_far;
    }
    corrected
}

/// log₁₀ of a regret, which counts as at least 1e-12.
pub fn log_regret(regret: f64) -> f64 {
    regret.max(1e-12).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    // The depression scores of Hollander and Wolfe's book, as in the manual of R's wilcox.test.
    const A: [f64; 9] = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
    #[allow(clippy::approx_constant)]
    const B: [f64; 9] = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];

    fn differences() -> Vec<f64> {
        A.iter().zip(&B).map(|(a, b)| a - b).collect()
    }

    #[test]
    fn quantiles_and_deviations_are_those_of_numpy() {
        let quartiles = [0.25, 0.5, 0.75].map(|p| quantile(&A, p));
        assert_eq!(quartiles, [1.55, 1.68, 1.88]);
        assert!((sd(&A) - 0.7155941587240634).abs() < 1e-14);
    }

    #[test]
    fn ranks_of_equals_are_shared_as_by_scipy() {
        let found = ranks(&[3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0]);
        assert_eq!(found, [4.0, 1.5, 5.0, 1.5, 6.5, 9.0, 3.0, 8.0, 6.5]);
    }

    #[test]
    fn the_interval_is_that_of_scipys_paired_t_test() {
        let found = interval(&differences());
        let expected = Interval { mean: 0.43188888888888893, low: 0.10377871227216856, high: 0.7599990655056093 };
        // The table of t has only seven digits.
        assert!((found.mean - expected.mean).abs() < 1e-14);
        assert!((found.low - expected.low).abs() < 1e-7 && (found.high - expected.high).abs() < 1e-7);
        let quantiles = [(10, 2.228139), (15, 2.131449545559776), (30, 2.0422724563012378), (999, 1.9623414611334493)];
        for (freedom, expected) in quantiles {
            assert!((t_quantile(freedom) - expected).abs() < 3e-5, "{freedom}");
        }
    }

    #[test]
    fn signed_rank_p_values_are_those_of_scipy() {
        assert!((wilcoxon(&differences()) - 0.0390625).abs() < 1e-15);
        let mixed = [1.0, 2.0, -3.0, 4.0, 5.0, -6.0, 7.0, 8.0, 9.0, 10.0, 11.0, -12.0, 13.0];
        assert!((wilcoxon(&mixed) - 0.09423828125).abs() < 1e-15);
        // With ties, from scipy.stats.permutation_test over all signs.
        assert!((wilcoxon(&[1.0, 1.0, 2.0, -2.0, 3.0, 3.0, 4.0]) - 0.09375).abs() < 1e-15);
        assert_eq!(wilcoxon(&[0.0, 0.0]), 1.0);
    }

    #[test]
    fn holm_multiplies_and_never_falls() {
        // By hand: 3 × 0.01, then 2 × 0.02, then the larger of that and 0.03.
        assert_eq!(holm(&[0.03, 0.01, 0.02]), [0.04, 0.03, 0.04]);
    }

    #[test]
    fn the_critical_difference_is_that_of_demsars_example() {
        // Demšar (2006): 4 classifiers on 14 data sets, 2.569 √(4·5/(6·14)) = 1.25.
        assert!((critical_difference(4, 14).unwrap() - 1.2535).abs() < 1e-4);
        assert_eq!(critical_difference(1, 14), None);
    }
}
