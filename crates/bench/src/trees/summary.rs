//! Rows of results as a table.

use std::collections::HashMap;

use super::race::AT;
use crate::rows::mean;
use crate::strategies::student::t_test;

/// Regrets by tree, method and seed, as a file of rows has them.
pub type Curves = HashMap<String, Vec<f64>>;

/// The key of a row.
pub fn key(tree: &str, method: &str, seed: u64) -> String {
    format!("{tree},{method},{seed}")
}

/// The regret that counts as none, and the largest that counts: a few values are orders of magnitude above all others.
const NONE: f64 = 1e-3;
const MOST: f64 = 2.0;

/// The mean regret and the mean of its decimal logarithm for each method, and how much lower they are than those of the
/// first one, with 95 % intervals over trees; only seeds that both methods have are compared.
pub fn table(trees: &[String], methods: &[String], seeds: u64, curves: &Curves) -> String {
    let mut text = "| method | after | trees | regret | difference | decades | difference | ahead |\n".to_owned();
    text += "|---|---:|---:|---:|---:|---:|---:|---:|";
    let get = |tree: &str, method: &str, seed: u64| curves.get(&key(tree, method, seed));
    for method in methods {
        for (i, after) in AT.iter().enumerate() {
            let (mut own, mut apart) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
            let (mut ahead, mut behind) = (0, 0);
            for tree in trees {
                let pairs: Vec<(f64, f64)> = (0..seeds)
                    .filter_map(|seed| Some((get(tree, method, seed)?[i], get(tree, &methods[0], seed)?[i])))
                    .collect();
                if pairs.is_empty() {
                    continue;
                }
                ahead += pairs.iter().filter(|(a, b)| a.max(NONE) < b.max(NONE)).count();
                behind += pairs.iter().filter(|(a, b)| a.max(NONE) > b.max(NONE)).count();
                let scales: [fn(f64) -> f64; 2] =
                    [|regret| regret.min(MOST), |regret| regret.clamp(NONE, MOST).log10()];
                for (k, scale) in scales.into_iter().enumerate() {
                    own[k].push(mean(&pairs.iter().map(|(a, _)| scale(*a)).collect::<Vec<f64>>()));
                    apart[k].push(mean(&pairs.iter().map(|(a, b)| scale(*a) - scale(*b)).collect::<Vec<f64>>()));
                }
            }
            let cell = |k: usize| {
                let tested = t_test(&apart[k]);
                format!("{:.3} | {:+.3} ± {:.3}", mean(&own[k]), tested.mean, tested.half)
            };
            let n = own[0].len();
            text += &format!("\n| {method} | {after} | {n} | {} | {} | {ahead} : {behind} |", cell(0), cell(1));
        }
    }
    text + "\n"
}
