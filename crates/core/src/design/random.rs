//! Designs made of random numbers alone: uniform points and Latin hypercubes.

use crate::linalg::Points;
use crate::rng::Stream;

/// `n` independent points, uniform in [0, 1)ᵈ.
///
/// ```
/// use elbowroom::{design, rng::Stream};
/// let points = design::uniform(5, 3, &mut Stream::new(1));
/// assert_eq!((points.len(), points.dim()), (5, 3));
/// ```
pub fn uniform(n: usize, dim: usize, stream: &mut Stream) -> Points {
    let mut points = Points::new(dim);
    let mut x = vec![0.0; dim];
    for _ in 0..n {
        x.fill_with(|| stream.uniform());
        points.push(&x);
    }
    points
}

/// `n` points in [0, 1)ᵈ whose every coordinate visits each of the n intervals [k/n, (k+1)/n) once.
///
/// Positions within an interval are uniform, and the order of the intervals is drawn separately for each coordinate
/// (McKay, Beckman and Conover, Technometrics 21, 1979).
///
/// ```
/// use elbowroom::{design, rng::Stream};
/// let points = design::latin_hypercube(4, 2, &mut Stream::new(1));
/// let mut quarters: Vec<usize> = points.iter().map(|x| (4.0 * x[1]) as usize).collect();
/// quarters.sort();
/// assert_eq!(quarters, [0, 1, 2, 3]);
/// ```
pub fn latin_hypercube(n: usize, dim: usize, stream: &mut Stream) -> Points {
    let mut points = Points::new(dim);
    for _ in 0..n {
        points.push(&vec![0.0; dim]);
    }

    let mut order: Vec<usize> = (0..n).collect();
    for j in 0..dim {
        stream.shuffle(&mut order);
        for (i, &k) in order.iter().enumerate() {
            let inside = (k as f64 + stream.uniform()) / n as f64;
            // The sum can round up to k + 1, which belongs to the next interval.
            let end = (k + 1) as f64 / n as f64;
            points.row_mut(i)[j] = inside.min(end.next_down());
        }
    }
    points
}
