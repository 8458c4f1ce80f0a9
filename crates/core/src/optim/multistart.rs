//! Climbs from several starts, and the choice among their ends.
//!
//! Searches differ in their starts, the length of their climbs and the ends they accept, but not in the loop: the loop
//! is here, and the caller decides the rest.

/// Where a climb ended.
#[derive(Debug, Clone, PartialEq)]
pub struct End {
    /// The value there.
    pub value: f64,
    /// The point.
    pub point: Vec<f64>,
    /// The index of its start.
    pub start: usize,
}

/// Climbs from each start; returns the ends in the order of the starts. `climb` moves a point and returns its value.
///
/// ```
/// use elbowroom::optim::{best, climb_all};
/// // Newton's way to the top of −x⁴ + x², one step from each start.
/// let step = |x: &mut [f64]| {
///     x[0] -= (2.0 * x[0] - 4.0 * x[0].powi(3)) / (2.0 - 12.0 * x[0].powi(2));
///     x[0].powi(2) - x[0].powi(4)
/// };
/// let ends = climb_all([&[0.0][..], &[0.7], &[-0.7]], step);
/// assert_eq!(ends.len(), 3);
/// assert_eq!(best(&ends).unwrap().start, 1);
/// ```
pub fn climb_all<'s>(
    starts: impl IntoIterator<Item = &'s [f64]>,
    mut climb: impl FnMut(&mut [f64]) -> f64,
) -> Vec<End> {
    let from = |(i, start): (usize, &[f64])| {
        let mut point = start.to_vec();
        let value = climb(&mut point);
        End { value, point, start: i }
    };
    starts.into_iter().enumerate().map(from).collect()
}

/// The highest end, the earlier one in case of a tie; never one whose value is NaN.
pub fn best(ends: &[End]) -> Option<&End> {
    let numbers = ends.iter().filter(|end| !end.value.is_nan());
    numbers.reduce(|best, next| if next.value > best.value { next } else { best })
}

/// The first items of a ranking that are apart from each other, at most `most`.
///
/// ```
/// use elbowroom::optim::scattered;
/// assert_eq!(scattered([5, 6, 9, 1].into_iter(), 3, |a, b| a.abs_diff(b) > 1), [5, 9, 1]);
/// ```
pub fn scattered(ranked: impl Iterator<Item = usize>, most: usize, apart: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut taken: Vec<usize> = Vec::with_capacity(most);
    for i in ranked {
        if taken.len() == most {
            break;
        }
        if taken.iter().all(|&j| apart(i, j)) {
            taken.push(i);
        }
    }
    taken
}
