//! Mean ranks of the batch methods, and how far apart they must be to be significant.
//!
//! Cells of one dimension share their initial points replicate by replicate, so they are not independent. A *block* is
//! a replicate of a dimension: ranks are first averaged over its cells, and then blocks are counted.

use std::collections::BTreeMap;

use super::cells::{Cell, Cells};
use crate::stats::{critical_difference, mean, ranks};

/// Ranks by cell and overall; 1 is best.
pub struct Ranks {
    /// The methods that are compared: those in every cell, except variants of another one that is.
    pub methods: Vec<String>,
    /// Mean ranks in a cell, in the order of the methods.
    pub by_cell: BTreeMap<Cell, Vec<f64>>,
    overall: Vec<f64>,
    /// The number of replicates of a dimension that all methods have, over all dimensions.
    pub n_blocks: usize,
    /// Nemenyi's critical difference at 5 % over the blocks.
    pub difference: Option<f64>,
}

impl Ranks {
    /// The ranks from the rows of a page.
    pub fn of(cells: &Cells) -> Self {
        let is_everywhere = |m: &&String| cells.places.iter().all(|place| cells.get(m, *place).is_some());
        let methods: Vec<&String> = cells.ranked().into_iter().filter(is_everywhere).collect();
        let mut by_cell: BTreeMap<Cell, Vec<Vec<f64>>> = BTreeMap::new();
        let mut blocks: BTreeMap<(usize, u64), Vec<Vec<f64>>> = BTreeMap::new();
        for &place in &cells.places {
            for replicate in cells.common(&methods, place) {
                let logs: Vec<f64> = methods.iter().filter_map(|m| cells.log(m, place, replicate)).collect();
                let found = ranks(&logs);
                by_cell.entry(place).or_default().push(found.clone());
                blocks.entry((place.d, replicate)).or_default().push(found);
            }
        }
        let of_blocks: Vec<Vec<f64>> = blocks.values().map(|all| means(all)).collect();
        Self {
            overall: means(&of_blocks),
            by_cell: by_cell.iter().map(|(place, all)| (*place, means(all))).collect(),
            n_blocks: blocks.len(),
            difference: critical_difference(methods.len(), blocks.len().max(1)).filter(|_| !blocks.is_empty()),
            methods: methods.into_iter().cloned().collect(),
        }
    }

    /// The mean rank of a method.
    pub fn overall(&self, method: &str) -> Option<f64> {
        let i = self.methods.iter().position(|m| m == method)?;
        self.overall.get(i).copied()
    }

    /// The methods with their mean ranks, the best first.
    pub fn ordered(&self) -> Vec<(&String, f64)> {
        let mut order: Vec<(&String, f64)> = self.methods.iter().zip(self.overall.iter().copied()).collect();
        order.sort_by(|a, b| a.1.total_cmp(&b.1));
        order
    }
}

/// The mean of each column.
fn means(rows: &[Vec<f64>]) -> Vec<f64> {
    let n = rows.first().map_or(0, Vec::len);
    (0..n).map(|i| mean(&rows.iter().map(|row| row[i]).collect::<Vec<_>>())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::Table;

    /// Rows of two methods in two cells of one dimension: (n_b, replicate, method, regret).
    fn cells(rows: &[(usize, u64, &str, f64)]) -> Cells {
        let columns = "method,d,n_b,replicate,state,best,regret,recommended,near,cpu,work,evaluations";
        let row = |&(n_b, replicate, method, regret): &(usize, u64, &str, f64)| {
            let text = format!("{method},2,{n_b},{replicate},done,{regret},{regret},0,0,1,1,10");
            text.split(',').map(String::from).collect::<Vec<_>>()
        };
        let table =
            Table { columns: columns.split(',').map(String::from).collect(), rows: rows.iter().map(row).collect() };
        Cells::read(&table, &table.rows.iter().collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn cells_that_share_initial_points_are_one_block() {
        let mut rows = Vec::new();
        for replicate in 0..4 {
            for n_b in [5, 10] {
                // B-UCB is ahead in all but one cell of one replicate.
                let b = if (replicate, n_b) == (0, 5) { 0.3 } else { 0.1 };
                rows.extend([(n_b, replicate, "B-UCB", b), (n_b, replicate, "LP-UCB", 0.2)]);
            }
        }
        let found = Ranks::of(&cells(&rows));
        // By hand: it is first in 7 of 8 cells, so 1 + 1/8; four blocks, not eight.
        assert_eq!((found.overall("B-UCB"), found.n_blocks), (Some(1.125), 4));
        assert_eq!(found.by_cell[&Cell { d: 2, n_b: 5 }], [1.25, 1.75]);
        assert_eq!(found.difference, critical_difference(2, 4));
        assert_eq!(found.ordered()[0].0, "B-UCB");
    }

    #[test]
    fn a_variant_is_ranked_only_where_its_method_is_not() {
        let both = cells(&[(5, 0, "LP-UCB", 0.2), (5, 0, "LP-UCB-guarded", 0.1), (5, 0, "B-UCB", 0.3)]);
        assert_eq!(Ranks::of(&both).methods, ["B-UCB", "LP-UCB"]);
        let alone = cells(&[(5, 0, "LP-UCB-guarded", 0.1), (5, 0, "B-UCB", 0.3)]);
        assert_eq!(Ranks::of(&alone).methods, ["B-UCB", "LP-UCB-guarded"]);
    }
}
