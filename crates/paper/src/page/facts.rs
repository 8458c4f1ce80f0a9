//! The numbers that the page asks for, from the rows of every experiment except the table's.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::table_facts::{self, TablePage};
use crate::Result;
use crate::ablation;
use crate::curves::Curve;
use crate::raw::{Table, split};
use crate::stats::{mean, quantile};

/// Facts about the results of a folder. Files are read once.
pub struct Facts {
    results: PathBuf,
    tables: RefCell<HashMap<String, Rc<Table>>>,
    pages: RefCell<HashMap<String, Rc<TablePage>>>,
}

impl Facts {
    /// Facts from the folder that has a folder for every experiment.
    pub fn new(results: &Path) -> Self {
        Self { results: results.to_owned(), tables: RefCell::default(), pages: RefCell::default() }
    }

    /// A number by its name.
    pub fn number(&self, name: &str, arguments: &[&str]) -> Result<f64> {
        match (name, arguments) {
            ("hours", [experiment]) => self.hours(experiment),
            ("rows", [experiment]) => Ok(self.table(experiment)?.rows.len() as f64),
            ("cosines-after", [domain, method, n]) => self.cosines_after(domain, method, n.parse()?),
            ("cosines-reach", [domain, method, regret]) => self.cosines_reach(domain, method, regret.parse()?),
            ("cosines-stuck", [domain, method]) => {
                let finals = self.of_rows("cosines", "regret", &[("domain", box_of(domain)), ("method", method)])?;
                Ok(finals.iter().filter(|r| **r > STUCK).count() as f64)
            }
            ("cosines-runs", [domain, method]) => {
                let own = [("domain", box_of(domain)), ("method", *method)];
                Ok(self.of_rows("cosines", "regret", &own)?.len() as f64)
            }
            ("gene-at", [method, batch]) => self.gene_at(method, batch.parse()?),
            ("gene-best", [method]) => self.gene_at(method, usize::MAX),
            ("gene-lead", [method]) => self.gene_lead(method),
            ("gene-r2", []) => self.surrogate("r_squared"),
            ("gene-valid", []) => self.surrogate("n_valid"),
            ("svr-best", [method]) => Ok(mean(&self.svr_ends(method)?)),
            ("svr-replicates", [method]) => Ok(self.svr_ends(method)?.len() as f64),
            ("svr-at", [method, seconds]) => self.svr_at(method, seconds.parse()?),
            ("svr-large", [what]) => self.svr_large(what),
            ("lca", [model, noise, points]) => self.lca(model, noise, points.parse()?),
            ("eq2", [rule, what]) => self.eq2(rule, what),
            ("ablation", [mode, variant, end]) => {
                let found = ablation::difference(&*self.table("ablation")?, mode, variant)?;
                Ok(match *end {
                    "low" => found.low,
                    "high" => found.high,
                    _ => found.mean,
                })
            }
            (name, [page, rest @ ..]) => table_facts::number(&*self.page(page)?, name, rest),
            _ => Err(format!("there is no number {name}").into()),
        }
    }

    /// A text by its name.
    pub fn text(&self, name: &str, arguments: &[&str]) -> Result<String> {
        match (name, arguments) {
            ("commits", [experiment]) if !experiment.contains('-') => Ok(commits(&self.table(experiment)?.commits())),
            ("ablation", [mode, variant]) => {
                let found = ablation::difference(&*self.table("ablation")?, mode, variant)?;
                Ok(table_facts::shown(found))
            }
            (name, [page, rest @ ..]) => table_facts::text(&*self.page(page)?, name, rest),
            _ => Err(format!("there is no text {name}").into()),
        }
    }

    /// Everything that a `*` stands for at a position of the arguments, the first of which names a page of the table.
    pub fn levels(&self, page: &str, place: usize) -> Result<Vec<String>> {
        self.page(page)?.levels(place)
    }

    fn table(&self, experiment: &str) -> Result<Rc<Table>> {
        if let Some(table) = self.tables.borrow().get(experiment) {
            return Ok(Rc::clone(table));
        }
        let table = Rc::new(Table::read(&self.results.join(experiment))?);
        self.tables.borrow_mut().insert(experiment.into(), Rc::clone(&table));
        Ok(table)
    }

    /// A page of the table, such as `R-modern`, or `grid/R-modern` for one in another folder.
    fn page(&self, name: &str) -> Result<Rc<TablePage>> {
        if let Some(page) = self.pages.borrow().get(name) {
            return Ok(Rc::clone(page));
        }
        let (folder, key) = name.split_once('/').unwrap_or(("table", name));
        let page = Rc::new(TablePage::read(&*self.table(folder)?, key)?);
        self.pages.borrow_mut().insert(name.into(), Rc::clone(&page));
        Ok(page)
    }

    /// A column of the rows that have these values in other columns.
    fn of_rows(&self, experiment: &str, column: &str, wanted: &[(&str, &str)]) -> Result<Vec<f64>> {
        let table = self.table(experiment)?;
        let at = table.column(column)?;
        let wanted =
            wanted.iter().map(|(name, value)| Ok((table.column(name)?, *value))).collect::<Result<Vec<_>>>()?;
        let is_wanted = |row: &&Vec<String>| wanted.iter().all(|(i, value)| row[*i] == *value);
        Ok(table.rows.iter().filter(is_wanted).map(|row| row[at].parse().unwrap_or(f64::NAN)).collect())
    }

    /// CPU hours that the rows of an experiment took.
    fn hours(&self, experiment: &str) -> Result<f64> {
        let sum = |values: Vec<f64>| values.iter().sum::<f64>() / 3600.0;
        Ok(match experiment {
            "cosines" => {
                let table = self.table("cosines")?;
                let cpu = table.column("cpu_curve")?;
                sum(table.rows.iter().filter_map(|row| split(&row[cpu]).last().copied()).collect())
            }
            "gene" => sum(self.table("gene")?.numbers("choosing")?),
            "svr" => {
                sum(self.table("svr")?.numbers("choosing")?) + sum(self.table("svr/evaluations")?.numbers("seconds")?)
            }
            "ablation" => sum(self.table("ablation")?.numbers("cpu")?),
            page => self.page(page)?.hours(),
        })
    }

    /// The runs of Cosines: the evaluations after the initial ones, and the regret, after every batch.
    fn cosines(&self, domain: &str, method: &str) -> Result<Vec<Vec<(f64, f64)>>> {
        let table = self.table("cosines")?;
        let [at, name, counts, regret] =
            ["domain", "method", "evaluations_curve", "regret_curve"].map(|c| table.column(c));
        let (at, name, counts, regret) = (at?, name?, counts?, regret?);
        let own = table.rows.iter().filter(|row| row[at] == box_of(domain) && row[name] == method);
        Ok(own
            .map(|row| {
                let counts = split(&row[counts]);
                let initial = counts.first().copied().unwrap_or(0.0);
                counts.iter().map(|c| c - initial).zip(split(&row[regret])).collect()
            })
            .collect())
    }

    fn cosines_after(&self, domain: &str, method: &str, n: f64) -> Result<f64> {
        let last = |run: &Vec<(f64, f64)>| run.iter().take_while(|p| p.0 <= n).last().map_or(f64::NAN, |p| p.1);
        Ok(quantile(&self.cosines(domain, method)?.iter().map(last).collect::<Vec<_>>(), 0.5))
    }

    /// The number of evaluations after which the median run has this regret.
    fn cosines_reach(&self, domain: &str, method: &str, regret: f64) -> Result<f64> {
        let first = |run: &Vec<(f64, f64)>| run.iter().find(|p| p.1 <= regret).map_or(f64::INFINITY, |p| p.0);
        Ok(quantile(&self.cosines(domain, method)?.iter().map(first).collect::<Vec<_>>(), 0.5))
    }

    fn gene_at(&self, method: &str, batch: usize) -> Result<f64> {
        let curves = crate::gene::curves(&self.results.join("gene"))?;
        Ok(mean_at(&curves, method, batch))
    }

    /// For how many batches from the first on the mean of a method is ahead of all others.
    fn gene_lead(&self, method: &str) -> Result<f64> {
        let curves = crate::gene::curves(&self.results.join("gene"))?;
        let others: Vec<&str> = crate::curves::methods_of(&curves).into_iter().filter(|m| *m != method).collect();
        let leads = |batch: usize| {
            let own = mean_at(&curves, method, batch);
            others.iter().all(|other| mean_at(&curves, other, batch) < own)
        };
        let n = curves.iter().map(|c| c.best.len()).min().unwrap_or(1);
        Ok((1..n).take_while(|batch| leads(*batch)).count() as f64)
    }

    fn surrogate(&self, field: &str) -> Result<f64> {
        let text = std::fs::read_to_string(self.results.join("gene/model.json"))?;
        let record: serde_json::Value = serde_json::from_str(&text)?;
        record[field].as_f64().ok_or_else(|| format!("model.json has no number {field}").into())
    }

    fn svr_ends(&self, method: &str) -> Result<Vec<f64>> {
        let curves = crate::svr::curves(&self.results.join("svr"))?;
        let own = curves.iter().filter(|curve| curve.method == method);
        Ok(own.filter_map(|curve| curve.best.last().copied()).collect())
    }

    /// The mean of the best test error after this many seconds of the parallel clock.
    fn svr_at(&self, method: &str, seconds: f64) -> Result<f64> {
        let curves = crate::svr::curves(&self.results.join("svr"))?;
        let at = |c: &Curve| c.seconds.iter().zip(&c.best).take_while(|p| *p.0 <= seconds).last().map(|p| *p.1);
        Ok(mean(&curves.iter().filter(|c| c.method == method).filter_map(at).collect::<Vec<_>>()))
    }

    /// The single run with as many rows as the paper's.
    fn svr_large(&self, what: &str) -> Result<f64> {
        let table = self.table("svr")?;
        let rows = table.column("rows")?;
        let run = table.rows.iter().find(|row| row[rows] == "22000").ok_or("there is no run with 22000 rows")?;
        let best = split(&run[table.column("best")?]);
        let trainings = self.of_rows("svr/evaluations", "seconds", &[("rows", "22000")])?;
        Ok(match what {
            "first" => best.first().copied().unwrap_or(f64::NAN),
            "last" => best.last().copied().unwrap_or(f64::NAN),
            "batches" => best.len() as f64 - 1.0,
            "recommended" => run[table.column("recommended")?].parse()?,
            "trainings" => trainings.len() as f64,
            "hours" => trainings.iter().sum::<f64>() / 3600.0,
            _ => return Err(format!("the run with 22000 rows has no {what}").into()),
        })
    }

    /// The mean estimate of the Lipschitz constant.
    fn lca(&self, model: &str, noise: &str, points: f64) -> Result<f64> {
        let table = self.table("lipschitz")?;
        let [name, level, at, found] = ["model", "noise", "points", "estimates"].map(|c| table.column(c));
        let (name, level, at, found) = (name?, level?, at?, found?);
        let own = table.rows.iter().filter(|row| row[name] == model && row[level] == noise);
        let estimate = |row: &Vec<String>| {
            let place = split(&row[at]).iter().position(|n| *n == points)?;
            split(&row[found]).get(place).copied()
        };
        Ok(mean(&own.filter_map(estimate).collect::<Vec<_>>()))
    }

    /// The share of the maximum of Eq. 2 that a rule's second point gets.
    fn eq2(&self, rule: &str, what: &str) -> Result<f64> {
        let table = self.table("intractable")?;
        let at = table.column(rule)?;
        let shares: Vec<f64> = table.rows.iter().filter_map(|row| split(&row[at]).get(2).copied()).collect();
        Ok(match what {
            "mean" => mean(&shares),
            "median" => quantile(&shares, 0.5),
            "least" => quantile(&shares, 0.0),
            _ => return Err(format!("shares have no {what}").into()),
        })
    }
}

/// The regret of a run of Cosines that ended in another local minimum.
const STUCK: f64 = 0.1;

/// The name of the domain in the rows.
fn box_of(domain: &str) -> &'static str {
    if domain == "unit" { "[0,1]" } else { "[0,5]" }
}

/// The mean over replicates after a batch, or at the end.
fn mean_at(curves: &[Curve], method: &str, batch: usize) -> f64 {
    let own = curves.iter().filter(|curve| curve.method == method);
    mean(&own.filter_map(|curve| curve.best.get(batch.min(curve.best.len() - 1)).copied()).collect::<Vec<_>>())
}

/// Commits in the form used on the page.
pub fn commits(all: &[&str]) -> String {
    all.iter().map(|commit| format!("`{commit}`")).collect::<Vec<_>>().join(", ")
}
