//! The space above a reference point that a front leaves undominated, cut into disjoint boxes.
//!
//! Between two neighbouring levels of the last objective, the section is what the points above both leave undominated
//! in the remaining objectives. A box that stays the same from section to section is one box, so that n points leave n
//! + 1 of them in two objectives and about 2n in three. In more objectives the number grows quickly.

use std::collections::BTreeMap;

use super::Front;

/// Stands for the upper end of an unbounded interval.
pub const UNBOUNDED: u32 = u32::MAX;

/// An interval between two levels of an objective, by their indices; [`UNBOUNDED`] is its upper end if it never ends.
pub type Interval = (u32, u32);

/// The boxes of the undominated space.
#[derive(Debug, Clone)]
pub struct Cells {
    /// The levels of each objective in ascending order, without repetition; the first is the reference.
    pub levels: Vec<Vec<f64>>,
    /// One interval for each objective.
    pub boxes: Vec<Vec<Interval>>,
}

impl Cells {
    /// The boxes of a front; `None` if there would be more than `most`.
    pub fn new(front: &Front, most: usize) -> Option<Self> {
        let m = front.n_objectives();
        let levels: Vec<Vec<f64>> = (0..m)
            .map(|k| {
                let mut levels: Vec<f64> = front.points().iter().map(|p| p[k]).collect();
                levels.push(front.reference()[k]);
                levels.sort_by(f64::total_cmp);
                levels.dedup();
                levels
            })
            .collect();
        let number = |k: usize, v: f64| levels[k].partition_point(|level| *level < v) as u32;
        let points: Vec<Vec<u32>> =
            front.points().iter().map(|p| p.iter().enumerate().map(|(k, &v)| number(k, v)).collect()).collect();
        let boxes = undominated(&points.iter().map(Vec::as_slice).collect::<Vec<_>>(), m, most)?;
        Some(Self { levels, boxes })
    }
}

/// The boxes that points leave undominated in their first m objectives.
fn undominated(points: &[&[u32]], m: usize, most: usize) -> Option<Vec<Vec<Interval>>> {
    // Without objectives, any point dominates everything.
    let Some(last) = m.checked_sub(1) else { return Some(if points.is_empty() { vec![vec![]] } else { vec![] }) };
    let mut closed = Vec::new();
    // Boxes of the sections so far that may continue, with the level where each began.
    let mut open: BTreeMap<Vec<Interval>, u32> = BTreeMap::new();
    let mut from = 0;
    let mut above = points.to_vec();
    loop {
        let section = undominated(&maximal(&above, last), last, most)?;
        let mut next: BTreeMap<Vec<Interval>, u32> = BTreeMap::new();
        for cell in section {
            let began = open.remove(&cell).unwrap_or(from);
            next.insert(cell, began);
        }
        closed.extend(open.into_iter().map(|(cell, began)| with(cell, (began, from))));
        open = next;
        if closed.len() + open.len() > most {
            return None;
        }
        let Some(lowest) = above.iter().map(|p| p[last]).min() else { break };
        from = lowest;
        above.retain(|p| p[last] > lowest);
    }
    closed.extend(open.into_iter().map(|(cell, began)| with(cell, (began, UNBOUNDED))));
    Some(closed)
}

fn with(mut cell: Vec<Interval>, interval: Interval) -> Vec<Interval> {
    cell.push(interval);
    cell
}

/// The points that no other dominates in the first m objectives; of equal points only one.
fn maximal<'a>(points: &[&'a [u32]], m: usize) -> Vec<&'a [u32]> {
    let mut kept: Vec<&[u32]> = Vec::with_capacity(points.len());
    for p in points {
        if !kept.iter().any(|other| other[..m].iter().zip(&p[..m]).all(|(a, b)| a >= b)) {
            kept.retain(|other| !p[..m].iter().zip(&other[..m]).all(|(a, b)| a >= b));
            kept.push(p);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    fn random_front(m: usize, n: usize, draw: &mut Stream) -> Front {
        let points: Vec<Vec<f64>> = (0..n).map(|_| (0..m).map(|_| (9.0 * draw.uniform()).floor()).collect()).collect();
        Front::new(&points, vec![0.5; m])
    }

    #[test]
    fn every_undominated_point_lies_in_one_box_and_no_dominated_one_in_any() {
        let mut draw = Stream::new(17);
        for m in 1..=5 {
            for n in [0, 1, 3, 12] {
                let front = random_front(m, n, &mut draw);
                let cells = Cells::new(&front, 100_000).unwrap();
                for _ in 0..200 {
                    let y: Vec<f64> = (0..m).map(|_| 0.5 + 10.0 * draw.uniform()).collect();
                    let is_in = |cell: &&Vec<Interval>| {
                        cell.iter().enumerate().all(|(k, &(from, to))| {
                            let levels = &cells.levels[k];
                            y[k] > levels[from as usize] && (to == UNBOUNDED || y[k] <= levels[to as usize])
                        })
                    };
                    let dominated = front.points().iter().any(|p| p.iter().zip(&y).all(|(p, y)| p >= y));
                    let expected = usize::from(!dominated);
                    assert_eq!(cells.boxes.iter().filter(is_in).count(), expected, "m {m}, n {n}: {y:?}");
                }
            }
        }
    }

    /// A point on a sphere: none of these dominates another, and no two have a value in common.
    fn on_sphere(m: usize, draw: &mut Stream) -> Vec<f64> {
        let x: Vec<f64> = (0..m).map(|_| draw.normal().abs()).collect();
        let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt();
        x.iter().map(|v| v / norm).collect()
    }

    #[test]
    fn a_hundred_points_of_four_objectives_leave_fewer_than_a_thousand_boxes() {
        let mut draw = Stream::new(19);
        let points: Vec<Vec<f64>> = (0..100).map(|_| on_sphere(4, &mut draw)).collect();
        // The bound is of order n², 10⁴; boxes that continue from section to section count as one.
        assert!(Cells::new(&Front::new(&points, vec![0.0; 4]), 1000).is_some());
    }

    #[test]
    fn a_front_of_n_points_leaves_a_box_more_in_two_objectives_and_twice_as_many_and_one_in_three() {
        let mut draw = Stream::new(18);
        for (m, expected) in [(2, 41), (3, 81)] {
            let points: Vec<Vec<f64>> = (0..40).map(|_| on_sphere(m, &mut draw)).collect();
            let cells = Cells::new(&Front::new(&points, vec![0.0; m]), 1000).unwrap();
            // n + 1 and 2n + 1: Lacour, Klamroth and Fonseca, "A box decomposition algorithm to compute the hypervolume
            // indicator", 2017.
            assert_eq!(cells.boxes.len(), expected, "m {m}");
        }
    }

    #[test]
    fn boxes_that_would_be_too_many_are_not_made() {
        let front = Front::new(&[vec![1.0, 3.0], vec![2.0, 2.0], vec![3.0, 1.0]], vec![0.0, 0.0]);
        assert!(Cells::new(&front, 3).is_none() && Cells::new(&front, 4).is_some());
    }
}
