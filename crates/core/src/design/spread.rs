//! The most scattered of many points.

use crate::linalg::Points;

/// The indices of `n` points, each the farthest from those before it, starting with the one nearest to the mean of all
/// (Gonzalez, Theoretical Computer Science 38, 1985); fewer if there are fewer distinct points.
///
/// ```
/// use elbowroom::{design::farthest_first, linalg::Points};
/// let points = Points::from_rows(1, vec![0.0, 0.1, 0.5, 0.9, 1.0])?;
/// assert_eq!(farthest_first(&points, 3), [2, 0, 4]);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn farthest_first(points: &Points, n: usize) -> Vec<usize> {
    farthest_from(&Points::new(points.dim()), points, n)
}

/// Like [`farthest_first`], but also far from existing points: the first is the farthest from those, if there are any.
///
/// ```
/// use elbowroom::{design::farthest_from, linalg::Points};
/// let there = Points::from_rows(1, vec![0.0, 0.5])?;
/// let points = Points::from_rows(1, vec![0.1, 0.25, 0.7, 0.9])?;
/// assert_eq!(farthest_from(&there, &points, 2), [3, 1]);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn farthest_from(there: &Points, points: &Points, n: usize) -> Vec<usize> {
    let squared = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let mut room = vec![f64::INFINITY; points.len()];
    let mut leave = |last: &[f64]| -> Option<usize> {
        for (i, room) in room.iter_mut().enumerate() {
            *room = room.min(squared(points.row(i), last));
        }
        let farthest = (0..room.len()).max_by(|&a, &b| room[a].total_cmp(&room[b]).then(b.cmp(&a)));
        farthest.filter(|i| room[*i] > 0.0)
    };
    let mut next = match there.is_empty() {
        true => nearest_to_mean(points),
        false => there.iter().map(&mut leave).last().flatten(),
    };
    let mut chosen = Vec::new();
    while let Some(i) = next.filter(|_| chosen.len() < n) {
        chosen.push(i);
        next = leave(points.row(i));
    }
    chosen
}

fn nearest_to_mean(points: &Points) -> Option<usize> {
    let mut mean = vec![0.0; points.dim()];
    for point in points.iter() {
        mean.iter_mut().zip(point).for_each(|(mean, x)| *mean += x / points.len() as f64);
    }
    let distance = |i: usize| points.row(i).iter().zip(&mean).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    (0..points.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
}
