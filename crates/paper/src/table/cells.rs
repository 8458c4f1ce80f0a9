//! The rows of one budget, model and variant, by method and cell.

use std::collections::BTreeMap;

use super::order;
use crate::Result;
use crate::methods::{is_sequential, variant_of};
use crate::raw::Table;
use crate::stats::{log_regret, mean};

/// A cell of the table: dimension and batch size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// The dimension.
    pub d: usize,
    /// The batch size.
    pub n_b: usize,
}

/// The measurements of one race.
#[derive(Debug, Clone, Copy)]
struct Race {
    best: f64,
    regret: f64,
    recommended: f64,
    near: f64,
    cpu: f64,
    work: f64,
    evaluations: f64,
}

/// A method in a cell, by replicate.
#[derive(Debug, Clone, Default)]
pub struct Values {
    races: BTreeMap<u64, Race>,
    is_incomplete: bool,
}

impl Values {
    fn list(&self, field: impl Fn(&Race) -> f64) -> Vec<f64> {
        self.races.values().map(field).collect()
    }

    /// The number of replicates.
    pub fn len(&self) -> usize {
        self.races.len()
    }

    /// Best values.
    pub fn best(&self) -> Vec<f64> {
        self.list(|race| race.best)
    }

    /// log₁₀ regrets.
    pub fn logs(&self) -> Vec<f64> {
        self.list(|race| log_regret(race.regret))
    }

    /// True values at the recommended point.
    pub fn recommended(&self) -> Vec<f64> {
        self.list(|race| race.recommended)
    }

    /// Shares of near-duplicates.
    pub fn near(&self) -> Vec<f64> {
        self.list(|race| race.near)
    }

    /// CPU seconds.
    pub fn cpu(&self) -> Vec<f64> {
        self.list(|race| race.cpu)
    }

    /// Counted work.
    pub fn work(&self) -> Vec<f64> {
        self.list(|race| race.work)
    }

    /// Evaluations.
    pub fn evaluations(&self) -> Vec<f64> {
        self.list(|race| race.evaluations)
    }
}

/// All cells.
#[derive(Debug, Clone)]
pub struct Cells {
    /// The methods, in the order of the paper's table.
    pub methods: Vec<String>,
    /// The cells, by dimension and batch size.
    pub places: Vec<Cell>,
    values: BTreeMap<(String, Cell), Values>,
}

impl Cells {
    /// Sorts rows of a table into cells.
    pub fn read(table: &Table, rows: &[&Vec<String>]) -> Result<Self> {
        let column = |name: &str| table.column(name);
        let number = |row: &Vec<String>, i: usize| row[i].parse().unwrap_or(f64::NAN);
        let (method, d, n_b, replicate) = (column("method")?, column("d")?, column("n_b")?, column("replicate")?);
        let (state, best, regret) = (column("state")?, column("best")?, column("regret")?);
        let (recommended, near) = (column("recommended")?, column("near")?);
        let (cpu, work, evaluations) = (column("cpu")?, column("work")?, column("evaluations")?);
        let mut values: BTreeMap<(String, Cell), Values> = BTreeMap::new();
        for row in rows {
            let place = Cell { d: row[d].parse()?, n_b: row[n_b].parse()? };
            let cell = values.entry((row[method].clone(), place)).or_default();
            let race = Race {
                best: number(row, best),
                regret: number(row, regret),
                recommended: number(row, recommended),
                near: number(row, near),
                cpu: number(row, cpu),
                work: number(row, work),
                evaluations: number(row, evaluations),
            };
            if row[state] == "done" {
                cell.races.insert(row[replicate].parse()?, race);
            } else {
                cell.is_incomplete = true;
            }
        }
        let mut methods: Vec<String> = values.keys().map(|(method, _)| method.clone()).collect();
        methods.sort_by_key(|method| (order(method), method.clone()));
        methods.dedup();
        // A cell with a single method compares nothing: for example the clock of track W.
        let batch: Vec<Cell> = values.keys().filter(|(m, _)| !is_sequential(m)).map(|(_, place)| *place).collect();
        let is_shared = |place: &Cell| batch.iter().filter(|other| *other == place).count() > 1;
        let mut places: Vec<Cell> = batch.iter().copied().filter(is_shared).collect();
        if places.is_empty() {
            places = values.keys().map(|(_, place)| *place).collect();
        }
        places.sort();
        places.dedup();
        Ok(Self { methods, places, values })
    }

    /// A method in a cell; a sequential method has the same values for all batch sizes. `None` if it has none there, or
    /// not all.
    pub fn get(&self, method: &str, place: Cell) -> Option<&Values> {
        let place = if is_sequential(method) { Cell { n_b: 1, ..place } } else { place };
        self.values.get(&(method.to_string(), place)).filter(|values| !values.is_incomplete)
    }

    /// All methods in all cells, each once.
    pub fn all(&self) -> impl Iterator<Item = &Values> {
        self.values.values().filter(|values| !values.is_incomplete)
    }

    /// The method with the smallest mean log₁₀ regret among some.
    pub fn best(&self, place: Cell, is_wanted: impl Fn(&String) -> bool) -> Option<&String> {
        let found = self.methods.iter().filter(|m| is_wanted(m));
        let scored = found.filter_map(|m| Some((m, mean(&self.get(m, place)?.logs()))));
        scored.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(m, _)| m)
    }

    /// log₁₀ regret of one race.
    pub fn log(&self, method: &str, place: Cell, replicate: u64) -> Option<f64> {
        Some(log_regret(self.get(method, place)?.races.get(&replicate)?.regret))
    }

    /// The batch methods that are compared: a variant only if the method that it varies is missing.
    pub fn ranked(&self) -> Vec<&String> {
        let is_there = |name: &str| self.methods.iter().any(|m| m == name);
        let is_ranked = |m: &&String| !is_sequential(m) && !variant_of(m).is_some_and(is_there);
        self.methods.iter().filter(is_ranked).collect()
    }

    /// The differences of log₁₀ regrets between two methods, over the replicates that both have.
    pub fn difference(&self, method: &str, other: &str, place: Cell) -> Option<Vec<f64>> {
        self.get(method, place).zip(self.get(other, place))?;
        Some(self.paired(method, other, place).into_iter().map(|(_, difference)| difference).collect())
    }

    /// The same, with the replicates.
    pub fn paired(&self, method: &str, other: &str, place: Cell) -> Vec<(u64, f64)> {
        let Some((a, b)) = self.get(method, place).zip(self.get(other, place)) else { return Vec::new() };
        let pair = |(replicate, race): (&u64, &Race)| {
            Some((*replicate, log_regret(race.regret) - log_regret(b.races.get(replicate)?.regret)))
        };
        a.races.iter().filter_map(pair).collect()
    }

    /// The replicates that all of some methods have.
    pub fn common(&self, methods: &[&String], place: Cell) -> Vec<u64> {
        let has = |m: &&String, replicate: &u64| self.log(m, place, *replicate).is_some();
        let Some(first) = methods.first().and_then(|m| self.get(m, place)) else { return Vec::new() };
        first.races.keys().copied().filter(|replicate| methods.iter().all(|m| has(m, replicate))).collect()
    }
}
