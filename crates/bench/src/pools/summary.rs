//! Rows of results as tables.

use std::collections::HashMap;
use std::path::Path;

use super::Pool;
use super::race::{BATCH, BUDGET};
use crate::rows::mean;
use crate::strategies::student::t_test;

/// Curves by pool, method and seed, as a file of rows has them.
pub type Curves = HashMap<String, Vec<f64>>;

/// The key of a row.
pub fn key(pool: &str, method: &str, seed: u64) -> String {
    format!("{pool},{method},{seed}")
}

/// The curves of one method in one pool, by seed.
pub fn of(curves: &Curves, pool: &str, method: &str) -> Vec<Vec<f64>> {
    (0..).map_while(|seed| curves.get(&key(pool, method, seed)).cloned()).collect()
}

/// The runs of EDBO that were published with the arylation data, in the same batches.
pub fn edbo(dir: &Path) -> Result<Vec<Vec<f64>>, String> {
    let path = dir.join("arylation/edbo_runs.csv");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let curve = |line: &str| {
        let cells = line.split(',').skip(1).take(BUDGET);
        let values: Vec<f64> =
            cells.map(|c| c.parse().map_err(|_| format!("{}: {c:?}", path.display()))).collect::<Result<_, _>>()?;
        let best = |n: usize| values[..n].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok((1..=BUDGET / BATCH).map(|batch| best(batch * BATCH)).collect())
    };
    text.lines().skip(1).map(curve).collect()
}

/// The best after n points.
fn after(curves: &[Vec<f64>], n: usize) -> Vec<f64> {
    curves.iter().filter_map(|curve| curve.get(n / BATCH - 1).copied()).collect()
}

/// The table of one pool, with a line for each method.
pub fn table(pool: &Pool, methods: &[(String, Vec<Vec<f64>>)]) -> String {
    let best = pool.best();
    let mut text = format!("**{}**, {} points, best {best:.2}\n\n", pool.name, pool.len());
    text += "| method | runs | after 10 | after 25 | after 50 | within 1 % after 25 | after 50 |\n|---|---:|---:|---:|---:|---:|---:|\n";
    for (name, curves) in methods.iter().filter(|(_, curves)| !curves.is_empty()) {
        let cell = |n: usize| {
            let tested = t_test(&after(curves, n));
            format!("{:.1} ± {:.1}", tested.mean, tested.half)
        };
        let share = |n: usize| {
            let there: Vec<f64> =
                after(curves, n).iter().map(|v| f64::from(u8::from(*v >= best - 0.01 * best.abs()))).collect();
            format!("{:.2}", mean(&there))
        };
        let cells = [cell(10), cell(25), cell(50), share(25), share(50)].join(" | ");
        text += &format!("| {name} | {} | {cells} |\n", curves.len());
    }
    text
}

/// Drawn pools: the mean regret of each method after 25 and 50 points, by kind. A regret of 1 is the mean of the pool.
pub fn tuning(pools: &[Pool], methods: &[String], curves: &Curves) -> String {
    let kind = |pool: &Pool| pool.name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let mut kinds: Vec<String> = pools.iter().map(kind).collect();
    kinds.dedup();
    let mut text = format!("| method | after | all | {} |\n|---|---:|---:|", kinds.join(" | "));
    text += &"---:|".repeat(kinds.len());
    for method in methods {
        for n in [25, 50] {
            let regrets = |wanted: &str| -> Vec<f64> {
                let those = pools.iter().filter(|pool| kind(pool) == wanted);
                those
                    .flat_map(|pool| after(&of(curves, &pool.name, method), n).into_iter().map(|v| pool.regret(v)))
                    .collect()
            };
            let means: Vec<f64> = kinds.iter().map(|kind| mean(&regrets(kind))).collect();
            let cells: Vec<String> = means.iter().map(|v| format!("{v:.3}")).collect();
            text += &format!("\n| {method} | {n} | {:.4} | {} |", mean(&means), cells.join(" | "));
        }
    }
    text + "\n"
}
