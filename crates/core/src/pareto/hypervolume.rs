//! The volume above a reference point that points dominate, by sections.
//!
//! Between two neighbouring values of the last objective the section of the dominated set is that of the points above
//! both, in the remaining objectives: V_m = Σ_j (c_{j+1} − c_j) V_{m−1}(points with last value ≥ c_{j+1}). In two
//! objectives the sections are lines, and one pass over the sorted points is enough. The result is exact and takes
//! n^{m−1} steps, which is acceptable up to a hundred points in five objectives.

/// The volume that points dominate above a reference point. Points that are not above it in every objective add none.
///
/// ```
/// use elbowroom::pareto::hypervolume;
/// assert_eq!(hypervolume(&[vec![1.0, 4.0], vec![2.0, 3.0], vec![4.0, 1.0]], &[0.0, 0.0]), 9.0);
/// assert_eq!(hypervolume(&[], &[0.0, 0.0]), 0.0);
/// ```
pub fn hypervolume(points: &[Vec<f64>], reference: &[f64]) -> f64 {
    let above = |p: &&[f64]| p.iter().zip(reference).all(|(v, r)| v > r);
    let mut points: Vec<&[f64]> = points.iter().map(Vec::as_slice).filter(above).collect();
    match reference.len() {
        0 => 0.0,
        m => {
            points.sort_by(|a, b| b[m - 1].total_cmp(&a[m - 1]));
            volume(&points, reference)
        }
    }
}

/// [`hypervolume`] of points above the reference, sorted by their last objective, the best first.
fn volume(points: &[&[f64]], reference: &[f64]) -> f64 {
    let last = reference.len() - 1;
    let height = |i: usize| points[i][last] - points.get(i + 1).map_or(reference[last], |next| next[last]);
    match last {
        0 => points.first().map_or(0.0, |best| best[0] - reference[0]),
        1 => {
            let mut widest = reference[0];
            let slab = |i: usize| {
                widest = widest.max(points[i][0]);
                (widest - reference[0]) * height(i)
            };
            (0..points.len()).map(slab).sum()
        }
        _ => {
            let mut section: Vec<&[f64]> = Vec::with_capacity(points.len());
            let slab = |i: usize| {
                let p = &points[i][..last];
                let at = section.partition_point(|other| other[last - 1] > p[last - 1]);
                section.insert(at, p);
                if height(i) > 0.0 { height(i) * volume(&section, &reference[..last]) } else { 0.0 }
            };
            (0..points.len()).map(slab).sum()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    /// By inclusion and exclusion over all subsets of the points: the volume of a union of boxes.
    fn by_inclusion_and_exclusion(points: &[Vec<f64>], reference: &[f64]) -> f64 {
        let mut total = 0.0;
        for set in 1u32..1 << points.len() {
            let members: Vec<&Vec<f64>> = (0..points.len()).filter(|i| set >> i & 1 == 1).map(|i| &points[i]).collect();
            let side = |k: usize| (members.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min) - reference[k]).max(0.0);
            let sign = if members.len() % 2 == 1 { 1.0 } else { -1.0 };
            total += sign * (0..reference.len()).map(side).product::<f64>();
        }
        total
    }

    #[test]
    fn the_volume_of_a_known_front_in_three_objectives_is_exact() {
        let front = [[1.0, 3.0, 2.0], [3.0, 1.0, 1.0], [2.0, 2.0, 3.0], [1.5, 2.5, 2.5], [0.5, 0.5, 4.0]];
        assert_eq!(hypervolume(&front.map(|p| p.to_vec()), &[0.0; 3]), 16.125);
    }

    #[test]
    fn the_volume_is_that_of_a_union_of_boxes() {
        let mut draw = Stream::new(11);
        for m in 1..=5 {
            for n in [0, 1, 2, 6, 9] {
                let points: Vec<Vec<f64>> = (0..n).map(|_| (0..m).map(|_| draw.normal()).collect()).collect();
                let reference = vec![-1.0; m];
                let expected = by_inclusion_and_exclusion(&points, &reference);
                // Sums of up to 2⁹ products of numbers below 4^m: their rounding is below 10⁻¹⁵ · 2⁹ · 4^m.
                let error = (hypervolume(&points, &reference) - expected).abs();
                assert!(error <= 1e-15 * 512.0 * 4f64.powi(m as i32), "m {m}, n {n}: {error}");
            }
        }
    }

    #[test]
    fn dominated_and_repeated_points_add_no_volume() {
        let front = [vec![1.0, 4.0, 2.0], vec![2.0, 3.0, 1.0]];
        let more = [front[0].clone(), front[1].clone(), vec![1.0, 3.0, 2.0], front[0].clone(), vec![9.0, 9.0, -1.0]];
        assert_eq!(hypervolume(&front, &[0.0; 3]), hypervolume(&more, &[0.0; 3]));
    }
}
