//! Exchanges: points where a number on a grid moves by a level, and another number compensates.
//!
//! If a sum is bounded or given, a coordinate cannot move alone. In each row every pair can.

use super::inside::Inside;

/// The most exchanges to try from one point: those with the largest gain by slope.
const MOST: usize = 48;

impl Inside {
    /// The most promising points where two coordinates of a row have moved and the row's sum has not.
    pub fn exchanges(&self, u: &[f64], slopes: &[f64]) -> Vec<Vec<f64>> {
        let (dims, polytope) = (self.dims(), self.polytope());
        let mut promising: Vec<(f64, [(usize, f64); 2])> = Vec::new();
        for row in polytope.rows() {
            let in_row = || (0..dims.len()).filter(|i| row.normal[*i] != 0.0);
            for i in in_row() {
                let Some(levels) = &self.levels()[i] else { continue };
                let here = levels.nearest(u[dims[i]]);
                let neighbours = [here.checked_sub(1), here.checked_add(1)].into_iter().flatten();
                for level in neighbours.filter(|level| (levels.first..=levels.last).contains(level)) {
                    let there = levels.coordinate(level);
                    let change = row.normal[i] * (there - u[dims[i]]);
                    for j in in_row().filter(|j| *j != i) {
                        let wanted = u[dims[j]] - change / row.normal[j];
                        let Some(at) = self.landing(j, wanted) else { continue };
                        let gain = slopes[dims[i]] * (there - u[dims[i]]) + slopes[dims[j]] * (at - u[dims[j]]);
                        promising.push((gain, [(dims[i], there), (dims[j], at)]));
                    }
                }
            }
        }
        promising.sort_by(|a, b| b.0.total_cmp(&a.0));
        promising.dedup_by(|a, b| a.1 == b.1);
        let moved = promising.into_iter().take(MOST).map(|(_, moves)| {
            let mut v = u.to_vec();
            moves.into_iter().for_each(|(dim, at)| v[dim] = at);
            v
        });
        moved.filter(|v| self.holds(v)).collect()
    }

    /// The coordinate for a wanted position: that position, if it is within the range and on the grid.
    fn landing(&self, j: usize, wanted: f64) -> Option<f64> {
        let (low, high) = self.polytope().side(j);
        match &self.levels()[j] {
            Some(levels) => {
                let at = levels.coordinate(levels.nearest(wanted));
                ((at - wanted).abs() <= 1e-6 * levels.pitch()).then_some(at)
            }
            None => (low..=high).contains(&wanted).then_some(wanted),
        }
    }
}
