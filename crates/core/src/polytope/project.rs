//! The nearest point of a polytope.
//!
//! min ½|x − y|² over the box and the rows has the dual max_ν q(ν), with x(ν) = clip(y − Aᵀν, low, high), ∇q = A x(ν) − b, and
//! ν ≥ 0 for half-spaces. q is concave and piecewise quadratic, so a few semismooth Newton steps on the active rows
//! suffice, each with an exact line search. With one row a single line search does it (its breakpoints are sorted and
//! the root lies on one piece; for Σx = 1 this is the well-known projection onto a simplex). A line along which q rises
//! for ever proves that the polytope is empty (Farkas' lemma): min_x d·(Ax − b) over the box is above 0.

use super::Polytope;
use crate::linalg::{Factor, axpy, dot};

/// Newton steps; a handful is usual.
const MAX_STEPS: usize = 100;

/// How far from a row a point may be and still count as on it: a few roundings of numbers up to 1.
const EXACT: f64 = 4e-15;

/// How far all points must be from the rows, weighted by the multipliers, for the polytope to count as empty.
const CLEARLY_EMPTY: f64 = 1e-9;

/// A sum this small relative to its terms is 0 up to rounding.
const CANCELLED: f64 = 1e-14;

/// Keeps a Newton step finite where no coordinate is free to move.
const DAMPING: f64 = 1e-12;

/// How far to follow a line.
enum Along {
    Until(f64),
    ForEver,
}

impl Polytope {
    /// Moves a point to the nearest one in the polytope; false if the polytope was shown to be empty.
    pub fn project(&self, y: &mut [f64]) -> bool {
        let mut multipliers = vec![0.0; self.rows.len()];
        let mut pulled = y.to_vec();
        let mut x = self.clipped(&pulled);
        for _ in 0..MAX_STEPS {
            let excess: Vec<f64> = self.rows.iter().map(|row| row.excess(&x)).collect();
            let at_work = |j: &usize| self.rows[*j].is_equal || multipliers[*j] > 0.0 || excess[*j] > 0.0;
            let working: Vec<usize> = (0..excess.len()).filter(at_work).collect();
            if working.iter().all(|&j| excess[j].abs() <= EXACT) {
                break;
            }
            let direction = self.newton(working, &excess, &multipliers, &pulled);
            let shortest = |longest: f64, j: usize| match direction[j] {
                d if d < 0.0 && !self.rows[j].is_equal => longest.min(multipliers[j] / -d),
                _ => longest,
            };
            let longest = (0..excess.len()).fold(f64::INFINITY, shortest);
            match self.search_line(&pulled, &direction, longest) {
                Along::ForEver => return false,
                Along::Until(length) => {
                    for (j, multiplier) in multipliers.iter_mut().enumerate() {
                        let ends_at_zero = !self.rows[j].is_equal
                            && direction[j] < 0.0
                            && *multiplier / -direction[j] <= length * (1.0 + 1e-15);
                        *multiplier = if ends_at_zero { 0.0 } else { *multiplier + length * direction[j] };
                    }
                }
            }
            pulled.copy_from_slice(y);
            for (row, multiplier) in self.rows.iter().zip(&multipliers) {
                axpy(-multiplier, &row.normal, &mut pulled);
            }
            x = self.clipped(&pulled);
            if self.gap(&multipliers) > CLEARLY_EMPTY {
                return false;
            }
        }
        y.copy_from_slice(&x);
        true
    }

    /// min_x ν·(Ax − b) over the box, for multipliers ν scaled to Σ|ν| = 1. Above 0 it proves that the polytope is
    /// empty.
    fn gap(&self, multipliers: &[f64]) -> f64 {
        let mut w = vec![0.0; self.dim()];
        let mut least = 0.0;
        for (row, multiplier) in self.rows.iter().zip(multipliers) {
            axpy(*multiplier, &row.normal, &mut w);
            least -= multiplier * row.bound;
        }
        for (i, w) in w.iter().enumerate() {
            least += (w * self.low[i]).min(w * self.high[i]);
        }
        least / multipliers.iter().map(|multiplier| multiplier.abs()).sum::<f64>().max(f64::MIN_POSITIVE)
    }

    fn clipped(&self, x: &[f64]) -> Vec<f64> {
        let bounds = self.low.iter().zip(&self.high);
        x.iter().zip(bounds).map(|(x, (low, high))| x.max(*low).min(*high)).collect()
    }

    /// Solves (A_F A_Fᵀ + damping) d = excess over the active rows, F being the coordinates strictly inside the box. A
    /// half-space with multiplier 0 that the step would leave is no longer active.
    fn newton(&self, mut working: Vec<usize>, excess: &[f64], multipliers: &[f64], pulled: &[f64]) -> Vec<f64> {
        let is_free = |i: &usize| self.low[*i] < pulled[*i] && pulled[*i] < self.high[*i];
        let free: Vec<usize> = (0..pulled.len()).filter(is_free).collect();
        let reduced = |j: usize| -> Vec<f64> { free.iter().map(|&i| self.rows[j].normal[i]).collect() };
        let mut direction = vec![0.0; excess.len()];
        while !working.is_empty() {
            let normals: Vec<Vec<f64>> = working.iter().map(|&j| reduced(j)).collect();
            let entry = |a: usize, b: usize| dot(&normals[a], &normals[b]) + if a == b { DAMPING } else { 0.0 };
            let mut step: Vec<f64> = working.iter().map(|&j| excess[j]).collect();
            if let Ok(factor) = Factor::new(working.len(), entry) {
                factor.solve(&mut step);
            }
            let leaves = |(j, step): (&usize, &f64)| !self.rows[*j].is_equal && multipliers[*j] <= 0.0 && *step < 0.0;
            if !working.iter().zip(&step).any(leaves) {
                working.iter().zip(&step).for_each(|(&j, step)| direction[j] = *step);
                return direction;
            }
            let stays = working.iter().zip(&step).map(|pair| !leaves(pair)).collect::<Vec<_>>();
            working = working.into_iter().zip(stays).filter_map(|(j, stays)| stays.then_some(j)).collect();
        }
        // No row is left: step along the gradient of the dual, over equations and broken half-spaces.
        for (j, direction) in direction.iter_mut().enumerate() {
            *direction = if self.rows[j].is_equal { excess[j] } else { excess[j].max(0.0) };
        }
        direction
    }

    /// The highest point of the dual along a line. Its slope s ↦ w·clip(pulled − s w) − β, with w = Aᵀd, falls piecewise
    /// linearly, with a kink wherever a coordinate meets a bound.
    fn search_line(&self, pulled: &[f64], direction: &[f64], longest: f64) -> Along {
        let mut w = vec![0.0; pulled.len()];
        let mut beta = 0.0;
        for (row, d) in self.rows.iter().zip(direction) {
            axpy(*d, &row.normal, &mut w);
            beta += d * row.bound;
        }
        let size: f64 = direction.iter().map(|d| d.abs()).sum();
        let mut slope = -beta;
        let mut bend = 0.0;
        let mut kinks: Vec<(f64, f64)> = Vec::with_capacity(2 * w.len());
        for (i, &w) in w.iter().enumerate() {
            slope += w * pulled[i].max(self.low[i]).min(self.high[i]);
            // The rounding error of a cancelling sum would put a kink near infinity.
            if w.abs() <= CANCELLED * size || self.low[i] == self.high[i] {
                continue;
            }
            let (a, b) = ((pulled[i] - self.high[i]) / w, (pulled[i] - self.low[i]) / w);
            let (begin, end) = (a.min(b), a.max(b));
            if begin > 0.0 {
                kinks.push((begin, w * w));
            } else if end > 0.0 {
                bend += w * w;
            }
            if end > 0.0 {
                kinks.push((end, -w * w));
            }
        }
        kinks.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut at = 0.0;
        for (kink, change) in kinks.into_iter().chain([(f64::INFINITY, 0.0)]) {
            let next = kink.min(longest);
            if slope <= 0.0 {
                return Along::Until(at);
            }
            if bend > 0.0 && slope <= bend * (next - at) {
                return Along::Until(at + slope / bend);
            }
            if next == f64::INFINITY {
                break;
            }
            slope -= bend * (next - at);
            at = next;
            if next == longest {
                return Along::Until(longest);
            }
            bend = (bend + change).max(0.0);
        }
        // A tiny slope is 0 up to rounding: the top was reached at the last kink.
        if slope <= CLEARLY_EMPTY * size { Along::Until(at) } else { Along::ForEver }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Row;
    use super::*;
    use crate::optim::Bounds;
    use crate::rng::Stream;

    fn mixtures(low: &[f64], high: &[f64]) -> Polytope {
        let bounds = Bounds::new(low.to_vec(), high.to_vec()).unwrap();
        Polytope::new(&bounds, vec![Row::equal(vec![1.0; low.len()], 1.0)])
    }

    fn assert_projects(polytope: &Polytope, y: &[f64], expected: &[f64]) {
        let mut x = y.to_vec();
        assert!(polytope.project(&mut x));
        for (x, expected) in x.iter().zip(expected) {
            assert!((x - expected).abs() < 1e-13, "{x} for {expected}");
        }
    }

    #[test]
    fn the_nearest_mixture_is_the_one_of_the_closed_form() {
        // By hand from the conditions of Karush, Kuhn and Tucker: x = clip(y − ν), with ν as given.
        let (zero, one) = ([0.0; 4], [1.0; 4]);
        assert_projects(&mixtures(&zero, &one), &[0.8, 0.6, 0.1, -0.2], &[0.6, 0.4, 0.0, 0.0]); // ν = 0.2
        let bounded = mixtures(&[0.05, 0.0, 0.1, 0.05], &[0.4, 0.5, 1.0, 1.0]);
        assert_projects(&bounded, &[0.8, 0.6, 0.1, -0.2], &[0.4, 0.45, 0.1, 0.05]); // ν = 0.15
        let third = 1.0 / 3.0;
        assert_projects(&mixtures(&zero[..3], &[0.5; 3]), &[0.3; 3], &[third; 3]); // ν = −1/30
        let five = mixtures(&[0.0; 5], &[0.35; 5]);
        let expected = [0.35, 0.0, 19.0 / 60.0, 13.0 / 60.0, 7.0 / 60.0]; // ν = −7/60
        assert_projects(&five, &[5.0, -3.0, 0.2, 0.1, 0.0], &expected);
    }

    #[test]
    fn the_nearest_point_of_two_planes_is_the_one_of_the_conditions() {
        // ν = (2/15, 3/10) before the rows are scaled, the third part at 0, solved by hand.
        let rows = vec![Row::equal(vec![1.0; 4], 1.0), Row::equal(vec![1.0, -1.0, 0.5, 0.0], 0.1)];
        let polytope = Polytope::new(&Bounds::new(vec![0.0; 4], vec![0.6; 4]).unwrap(), rows);
        assert_projects(&polytope, &[0.9, 0.2, -0.1, 0.3], &[7.0 / 15.0, 11.0 / 30.0, 0.0, 1.0 / 6.0]);
    }

    #[test]
    fn no_point_inside_is_nearer_than_the_projection() {
        // The variational inequality (y − Py)·(z − Py) ≤ 0 for every z inside, which has one solution.
        let mut draw = Stream::new(3);
        for _ in 0..200 {
            let n = 2 + draw.below(6);
            let inside: Vec<f64> = (0..n).map(|_| draw.uniform()).collect();
            let rows = (0..1 + draw.below(4)).map(|_| {
                let normal: Vec<f64> = (0..n).map(|_| draw.normal()).collect();
                let height = dot(&normal, &inside);
                if draw.uniform() < 0.3 {
                    Row::equal(normal, height)
                } else {
                    Row::at_most(normal, height + 0.1 * draw.uniform())
                }
            });
            let polytope = Polytope::new(&Bounds::unit(n), rows.collect::<Vec<_>>());
            let y: Vec<f64> = (0..n).map(|_| 3.0 * draw.normal()).collect();
            let mut x = y.clone();
            assert!(polytope.project(&mut x) && polytope.contains(&x, 1e-12), "{polytope:?}");
            for _ in 0..50 {
                let mut z: Vec<f64> = (0..n).map(|_| 3.0 * draw.normal()).collect();
                assert!(polytope.project(&mut z));
                let product: f64 = (0..n).map(|i| (y[i] - x[i]) * (z[i] - x[i])).sum();
                assert!(product < 1e-10, "{product}");
            }
        }
    }

    #[test]
    fn random_polytopes_are_empty_exactly_if_their_corners_say_so() {
        // In two dimensions a polytope that is not empty has a corner: a point where two of its borders meet and all
        // are kept.
        let mut draw = Stream::new(11);
        let mut n_empty = 0;
        for _ in 0..2000 {
            let n = 1 + draw.below(5);
            let rows: Vec<Row> =
                (0..n).map(|_| Row::at_most(vec![draw.normal(), draw.normal()], 0.7 * draw.normal())).collect();
            let polytope = Polytope::new(&Bounds::unit(2), rows);
            let mut borders: Vec<([f64; 2], f64)> =
                polytope.rows.iter().map(|row| ([row.normal[0], row.normal[1]], row.bound)).collect();
            borders.extend([([1.0, 0.0], 0.0), ([1.0, 0.0], 1.0), ([0.0, 1.0], 0.0), ([0.0, 1.0], 1.0)]);
            let mut is_any = false;
            for (i, (a, b)) in borders.iter().enumerate() {
                for (c, d) in &borders[..i] {
                    let det = a[0] * c[1] - a[1] * c[0];
                    if det.abs() > 1e-12 {
                        let corner = [(b * c[1] - a[1] * d) / det, (a[0] * d - b * c[0]) / det];
                        is_any |= polytope.contains(&corner, 1e-10);
                    }
                }
            }
            n_empty += usize::from(!is_any);
            assert_eq!(polytope.is_empty(), !is_any, "{polytope:?}");
        }
        assert!((200..1800).contains(&n_empty), "{n_empty}");
    }

    #[test]
    fn an_empty_polytope_is_shown_to_be_empty_and_a_single_point_is_none() {
        let all_at_least = |least: f64| {
            let rows = vec![Row::equal(vec![1.0; 4], 1.0), Row::at_most(vec![-1.0, -1.0, 0.0, 0.0], -least)];
            Polytope::new(&Bounds::new(vec![0.0; 4], vec![0.4; 4]).unwrap(), rows)
        };
        // Two parts have at most 0.8.
        assert!(!all_at_least(0.8).is_empty() && all_at_least(0.81).is_empty());
        assert!(mixtures(&[0.3; 4], &[1.0; 4]).is_empty() && mixtures(&[0.0; 4], &[0.2; 4]).is_empty());
        assert!(!mixtures(&[0.25; 4], &[1.0; 4]).is_empty());
        // x ≥ y + 1/2 ≥ z + 1 and x < 0.9: only the three together cannot be kept.
        let chain = |most: f64| {
            let rows = vec![
                Row::at_most(vec![-1.0, 1.0, 0.0], -0.5),
                Row::at_most(vec![0.0, -1.0, 1.0], -0.5),
                Row::at_most(vec![1.0, 0.0, 0.0], most),
            ];
            Polytope::new(&Bounds::unit(3), rows)
        };
        assert!(chain(0.9).is_empty() && chain(0.999).is_empty() && !chain(1.0).is_empty());
        // A row without a direction: 0 ≤ −1.
        assert!(Polytope::new(&Bounds::unit(2), vec![Row::at_most(vec![0.0, 0.0], -1.0)]).is_empty());
    }
}
