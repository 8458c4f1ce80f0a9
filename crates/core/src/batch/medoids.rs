//! Weighted k-medoids by greedy deletion.
//!
//! OBJ(B) = Σ_i w_i min_{b ∈ B} d(i, b) never falls when a centre is deleted. Starting with all points as centres,
//! delete the one that raises it least until k are left. Given the nearest and the second nearest centre of every
//! point, deleting c costs Σ w_i (d₂ᵢ − d₁ᵢ) over the points whose nearest centre is c.

/// The k centres that are left of n points, besides those that are `fixed`, which serve as centres but are not counted.
/// Ties go to the last point.
pub(super) fn greedy_medoids(
    weights: &[f64],
    fixed: &[bool],
    k: usize,
    distance: impl Fn(usize, usize) -> f64,
) -> Vec<usize> {
    let n = weights.len();
    let mut alive = vec![true; n];
    let mut left = fixed.iter().filter(|f| !**f).count();
    let nearest_two = |i: usize, alive: &[bool]| {
        let mut two = [(usize::MAX, f64::INFINITY); 2];
        for c in (0..n).filter(|&c| alive[c]) {
            let d = distance(i, c);
            if d < two[0].1 {
                two = [(c, d), two[0]];
            } else if d < two[1].1 {
                two[1] = (c, d);
            }
        }
        two
    };
    let mut near: Vec<[(usize, f64); 2]> = (0..n).map(|i| nearest_two(i, &alive)).collect();
    while left > k {
        let mut cost = vec![0.0; n];
        for (two, w) in near.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
            cost[two[0].0] += w * (two[1].1 - two[0].1);
        }
        let free = (0..n).rev().filter(|&c| alive[c] && !fixed[c]);
        let Some(gone) = free.min_by(|&a, &b| cost[a].total_cmp(&cost[b])) else { break };
        alive[gone] = false;
        left -= 1;
        for i in 0..n {
            if near[i].iter().any(|c| c.0 == gone) {
                near[i] = nearest_two(i, &alive);
            }
        }
    }
    (0..n).filter(|&c| alive[c] && !fixed[c]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    fn objective(points: &[[f64; 2]], weights: &[f64], centres: &[usize]) -> f64 {
        let nearest = |p: &[f64; 2]| centres.iter().map(|&c| squared(p, &points[c])).fold(f64::INFINITY, f64::min);
        points.iter().zip(weights).map(|(p, w)| w * nearest(p)).sum()
    }

    fn squared(a: &[f64; 2], b: &[f64; 2]) -> f64 {
        (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)
    }

    /// The cost of the best k of n centres, by trying all.
    fn exhaustive(points: &[[f64; 2]], weights: &[f64], k: usize) -> f64 {
        let subsets = (0u32..1 << points.len()).filter(|s| s.count_ones() as usize == k);
        let value = |s: u32| {
            let centres: Vec<usize> = (0..points.len()).filter(|i| s >> i & 1 == 1).collect();
            objective(points, weights, &centres)
        };
        subsets.map(value).fold(f64::INFINITY, f64::min)
    }

    fn random(n: usize, seed: u64) -> (Vec<[f64; 2]>, Vec<f64>) {
        let mut s = Stream::new(seed);
        ((0..n).map(|_| [s.uniform(), s.uniform()]).collect(), (0..n).map(|_| s.uniform()).collect())
    }

    #[test]
    fn one_deletion_is_as_good_as_trying_all_and_more_are_never_better() {
        for seed in 0..20 {
            for k in [1, 2, 3, 5, 9] {
                let (points, weights) = random(10, seed);
                let got = greedy_medoids(&weights, &[false; 10], k, |i, j| squared(&points[i], &points[j]));
                assert_eq!(got.len(), k);
                let (greedy, best) = (objective(&points, &weights, &got), exhaustive(&points, &weights, k));
                assert!(greedy >= best - 1e-12 && (k < 9 || greedy <= best + 1e-12), "{k}: {greedy} {best}");
            }
        }
    }

    #[test]
    fn every_heap_gets_a_centre_as_in_the_exhaustive_optimum() {
        for seed in 0..20 {
            let (mut points, weights) = random(9, seed);
            // Three clusters, each a hundredth as wide as their distance: a cluster without a centre costs the most.
            for (i, p) in points.iter_mut().enumerate() {
                p[0] += 100.0 * (i % 3) as f64;
            }
            let got = greedy_medoids(&weights, &[false; 9], 3, |i, j| squared(&points[i], &points[j]));
            let mut heaps: Vec<usize> = got.iter().map(|i| i % 3).collect();
            heaps.sort_unstable();
            assert_eq!(heaps, [0, 1, 2], "seed {seed}");
        }
    }

    #[test]
    fn each_deletion_is_the_one_that_raises_the_objective_least() {
        // The costs by nearest and second nearest centre, against the objective recomputed for every deletion.
        for seed in 0..20 {
            let (points, weights) = random(12, 100 + seed);
            let mut centres: Vec<usize> = (0..12).collect();
            for k in (1..12).rev() {
                let without = |c: usize| {
                    let rest: Vec<usize> = centres.iter().copied().filter(|&o| o != c).collect();
                    (objective(&points, &weights, &rest), rest)
                };
                centres = centres.iter().map(|&c| without(c)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap().1;
                let got = greedy_medoids(&weights, &[false; 12], k, |i, j| squared(&points[i], &points[j]));
                assert_eq!(got, centres, "seed {seed}, {k} left");
            }
        }
    }

    #[test]
    fn a_fixed_centre_covers_what_is_near_it() {
        // Two clusters; the heavy one has a fixed centre already, so the one centre to choose goes to the other.
        let x: [f64; 5] = [0.0, 0.01, 0.02, 1.0, 1.01];
        let weights = [0.0, 5.0, 5.0, 1.0, 1.5];
        let fixed = [true, false, false, false, false];
        assert_eq!(greedy_medoids(&weights, &fixed, 1, |i, j| (x[i] - x[j]).powi(2)), [4]);
        assert_eq!(greedy_medoids(&weights, &fixed, 9, |i, j| (x[i] - x[j]).powi(2)), [1, 2, 3, 4]);
    }
}
