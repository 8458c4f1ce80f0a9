//! The most scattered of many points.

use crate::linalg::Points;

/// The numbers of `n` points, each the farthest from those before it, beginning with the one nearest to the mean of all
/// (Gonzalez, Theoretical Computer Science 38, 1985); fewer if there are no more different ones.
///
/// ```
/// use elbowroom::{design::farthest_first, linalg::Points};
/// let points = Points::from_rows(1, vec![0.0, 0.1, 0.5, 0.9, 1.0])?;
/// assert_eq!(farthest_first(&points, 3), [2, 0, 4]);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn farthest_first(points: &Points, n: usize) -> Vec<usize> {
    let squared = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let mut mean = vec![0.0; points.dim()];
    for point in points.iter() {
        mean.iter_mut().zip(point).for_each(|(mean, x)| *mean += x / points.len() as f64);
    }
    let first = (0..points.len()).min_by(|&a, &b| {
        let [a, b] = [a, b].map(|i| squared(points.row(i), &mean));
        a.total_cmp(&b)
    });
    let mut chosen: Vec<usize> = first.into_iter().take(n).collect();
    let mut room = vec![f64::INFINITY; points.len()];
    while let Some(&last) = chosen.last().filter(|_| chosen.len() < n) {
        for (i, room) in room.iter_mut().enumerate() {
            *room = room.min(squared(points.row(i), points.row(last)));
        }
        let farthest = (0..room.len()).max_by(|&a, &b| room[a].total_cmp(&room[b]).then(b.cmp(&a)));
        let Some(farthest) = farthest.filter(|i| room[*i] > 0.0) else { break };
        chosen.push(farthest);
    }
    chosen
}
