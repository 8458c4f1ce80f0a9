//! Tables of the rows: per cell the mean difference between the default and each other strategy.
//!
//! Differences are paired by block (problem, cell, seed), then averaged over the seeds of a problem; the interval and
//! the p value are Student's t over the problems, and the p values of one comparison are corrected by Holm over all
//! cells. Blocks in which a strategy of their cell is missing are left out. Rows of different commits belong to
//! different engines: only the rows of the commit that has the most are compared, and the others are counted.

use std::collections::{BTreeMap, BTreeSet};

use super::student::{Tested, holm, t_test};
use super::{KEY, STRATEGIES, Times};
use crate::rows::mean;

/// Which view of the rows to show.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// The smallest regret that counts, in standard deviations of the problem.
    pub floor: f64,
    /// Whether to show the regret after half of the evaluations instead of all.
    pub is_half: bool,
}

/// A difference in mean log10 regret that is too much.
const TOO_MUCH: f64 = 0.1;

/// A p value below it is significant.
const LEVEL: f64 = 0.05;

/// A cell: run times, points of a batch or workers, noise in thousandths, evaluations.
type CellKey = (Times, usize, u64, usize);

/// log10 regret by block (problem and seed) and strategy.
type Blocks = BTreeMap<(String, u64), BTreeMap<&'static str, f64>>;

/// Everything in the file.
#[derive(Default)]
struct Table {
    cells: BTreeMap<CellKey, Blocks>,
    /// CPU seconds by mode and strategy.
    cpu: BTreeMap<(&'static str, &'static str), Vec<f64>>,
    /// Rows by commit, and the commit whose rows are compared.
    commits: BTreeMap<String, usize>,
    shown: String,
}

/// The rows of a file as Markdown.
///
/// # Errors
///
/// If a line is not a row of this table.
pub fn summary(text: &str, view: View) -> Result<String, String> {
    let mut commits = BTreeMap::<String, usize>::new();
    for commit in text.lines().skip(1).filter_map(|line| line.split(',').nth(KEY.len())) {
        *commits.entry(commit.to_owned()).or_default() += 1;
    }
    let shown = commits.iter().max_by_key(|(_, n)| **n).map(|(commit, _)| commit.clone()).unwrap_or_default();
    let mut table = Table { commits, shown, ..Table::default() };
    for (i, line) in text.lines().enumerate().skip(1) {
        table.read(line, view).ok_or_else(|| format!("line {} is no row of this table: {line}", i + 1))?;
    }
    Ok(table.markdown(view))
}

impl Table {
    fn read(&mut self, line: &str, view: View) -> Option<()> {
        let cells: Vec<&str> = line.split(',').collect();
        let (key, rest) = cells.split_at_checked(KEY.len())?;
        let [problem, _, at_once, times, noise, evaluations, strategy, seed] = key else { return None };
        let (commit, outcomes) = rest.split_first()?;
        let outcomes: Vec<f64> = outcomes.iter().map(|c| c.parse().ok()).collect::<Option<_>>()?;
        let [end, half, cpu] = outcomes[..] else { return None };
        let times = Times::ALL.into_iter().find(|t| t.word() == *times)?;
        let strategy = STRATEGIES.into_iter().find(|s| s == strategy)?;
        let thousandths = (1000.0 * noise.parse::<f64>().ok()?).round() as u64;
        let cell = (times, at_once.parse().ok()?, thousandths, evaluations.parse().ok()?);
        let value = if view.is_half { half } else { end }.max(view.floor.log10());
        let block = ((*problem).to_owned(), seed.parse().ok()?);
        if *commit != self.shown {
            return Some(());
        }
        self.cells.entry(cell).or_default().entry(block).or_default().insert(strategy, value);
        self.cpu.entry((times.mode(), strategy)).or_default().push(cpu);
        Some(())
    }

    fn markdown(&self, view: View) -> String {
        let summed: Vec<Summed> = self.cells.iter().map(|(key, blocks)| Summed::new(*key, blocks)).collect();
        let corrected: BTreeMap<&str, BTreeMap<CellKey, f64>> =
            STRATEGIES[1..].iter().map(|&other| (other, correct(&summed, other))).collect();
        let when = if view.is_half { "after half of the evaluations" } else { "at the end" };
        let others = self.commits.iter().filter(|(commit, _)| **commit != self.shown);
        let others: String = others.map(|(commit, n)| format!("; {n} of {commit} are left out")).collect();
        let n = self.commits.get(&self.shown).copied().unwrap_or_default();
        let mut text = format!(
            "log10 regret {when}, in standard deviations of the problem, floored at {:e}. Differences are the default less \
             the other, so below 0 the default is better: mean ± half of the 95 % interval over problems (p by Holm over \
             cells). {n} rows of {}{others}.\n",
            view.floor, self.shown,
        );
        for (title, mode) in [("In step", "step"), ("Asynchronous", "async")] {
            let own: Vec<&Summed> = summed.iter().filter(|s| s.key.0.mode() == mode).collect();
            if !own.is_empty() {
                text += &format!("\n## {title}\n\n{}\n{}", cells(&own, &corrected), pooled(&own));
            }
        }
        text + &verdicts(&summed, &corrected) + &self.costs()
    }

    /// CPU seconds of a run.
    fn costs(&self) -> String {
        let mut text = String::from(
            "\n## CPU seconds of a run, mean\n\n| mode | strategy | runs | CPU s |\n|---|---|---:|---:|\n",
        );
        for ((mode, strategy), seconds) in &self.cpu {
            text += &format!("| {mode} | {strategy} | {} | {:.3} |\n", seconds.len(), mean(seconds));
        }
        text
    }
}

/// A summary of the rows of a cell.
struct Summed {
    key: CellKey,
    blocks: usize,
    problems: usize,
    /// Mean log10 regret of each strategy, over problems.
    means: BTreeMap<&'static str, f64>,
    /// The mean difference of the default and each other strategy, by problem.
    differences: BTreeMap<&'static str, BTreeMap<String, f64>>,
}

impl Summed {
    fn new(key: CellKey, blocks: &Blocks) -> Self {
        let there: BTreeSet<&'static str> = blocks.values().flat_map(|b| b.keys().copied()).collect();
        let complete: Vec<_> = blocks.iter().filter(|(_, b)| b.len() == there.len()).collect();
        let by_problem = |value: &dyn Fn(&BTreeMap<&'static str, f64>) -> f64| -> BTreeMap<String, f64> {
            let mut values = BTreeMap::<String, Vec<f64>>::new();
            for ((problem, _), block) in &complete {
                values.entry(problem.clone()).or_default().push(value(block));
            }
            values.into_iter().map(|(problem, v)| (problem, mean(&v))).collect()
        };
        let over = |values: BTreeMap<String, f64>| mean(&values.into_values().collect::<Vec<_>>());
        let problems: BTreeSet<&String> = complete.iter().map(|((problem, _), _)| problem).collect();
        let others = STRATEGIES[1..].iter().copied().filter(|s| there.contains(s) && there.contains(STRATEGIES[0]));
        Self {
            key,
            blocks: complete.len(),
            problems: problems.len(),
            means: there.iter().map(|&s| (s, over(by_problem(&|b| b[s])))).collect(),
            differences: others.map(|s| (s, by_problem(&|b| b[STRATEGIES[0]] - b[s]))).collect(),
        }
    }

    fn tested(&self, other: &str) -> Option<Tested> {
        let differences = self.differences.get(other)?;
        Some(t_test(&differences.values().copied().collect::<Vec<_>>()))
    }

    /// The other strategy with the smallest mean, if the default ran too.
    fn best_other(&self) -> Option<&'static str> {
        self.differences.keys().copied().min_by(|a, b| self.means[a].total_cmp(&self.means[b]))
    }

    fn label(&self) -> String {
        let (times, at_once, noise, _) = self.key;
        let noise = noise as f64 / 1000.0;
        match times {
            Times::Step => format!("q = {at_once}, noise {noise}"),
            _ => format!("{at_once} workers, {} times, noise {noise}", times.word()),
        }
    }
}

/// The p values of a comparison, corrected over all cells that have it.
fn correct(summed: &[Summed], other: &str) -> BTreeMap<CellKey, f64> {
    let (keys, p): (Vec<CellKey>, Vec<f64>) = summed.iter().filter_map(|s| Some((s.key, s.tested(other)?.p))).unzip();
    keys.into_iter().zip(holm(&p)).collect()
}

fn signed(value: f64) -> String {
    format!("{value:+.3}").replace('-', "−")
}

fn shown(tested: Tested, p: f64) -> String {
    format!("{} ± {:.3} ({p:.3})", signed(tested.mean), tested.half)
}

/// One line for each cell.
fn cells(own: &[&Summed], corrected: &BTreeMap<&str, BTreeMap<CellKey, f64>>) -> String {
    let mut text = String::from("| cell | evaluations | problems | blocks | default |");
    STRATEGIES[1..].iter().for_each(|other| text += &format!(" − {other} |"));
    text += " best other |\n|---|---:|---:|---:|---:|";
    text += &"---|".repeat(STRATEGIES.len());
    text.push('\n');
    for s in own {
        let default = s.means.get(STRATEGIES[0]).map_or(String::new(), |m| format!("{m:.3}").replace('-', "−"));
        text += &format!("| {} | {} | {} | {} | {default} |", s.label(), s.key.3, s.problems, s.blocks);
        for other in &STRATEGIES[1..] {
            let cell = s.tested(other).map(|tested| shown(tested, corrected[other][&s.key]));
            text += &format!(" {} |", cell.unwrap_or_default());
        }
        let best = s.best_other().and_then(|other| Some(format!("{other} {}", signed(s.tested(other)?.mean))));
        text += &format!(" {} |\n", best.unwrap_or_default());
    }
    text
}

/// All cells with the same noise together: means over cells by problem, and Student's t over problems.
fn pooled(own: &[&Summed]) -> String {
    let mut text = String::from("All cells of one noise together, problem by problem (p as it is):\n\n| noise |");
    STRATEGIES[1..].iter().for_each(|other| text += &format!(" − {other} |"));
    text += "\n|---|";
    text += &"---|".repeat(STRATEGIES.len() - 1);
    text.push('\n');
    let noises: BTreeSet<u64> = own.iter().map(|s| s.key.2).collect();
    for noise in noises {
        text += &format!("| {} |", noise as f64 / 1000.0);
        for other in &STRATEGIES[1..] {
            let mut by_problem = BTreeMap::<&String, Vec<f64>>::new();
            for (problem, d) in
                own.iter().filter(|s| s.key.2 == noise).filter_map(|s| s.differences.get(other)).flatten()
            {
                by_problem.entry(problem).or_default().push(*d);
            }
            let means: Vec<f64> = by_problem.values().map(|d| mean(d)).collect();
            let tested = t_test(&means);
            let cell = if means.is_empty() { String::new() } else { shown(tested, tested.p) };
            text += &format!(" {cell} |");
        }
        text.push('\n');
    }
    text
}

/// The registered questions, answered.
fn verdicts(summed: &[Summed], corrected: &BTreeMap<&str, BTreeMap<CellKey, f64>>) -> String {
    let list = |is_wanted: &dyn Fn(&Summed) -> bool| {
        let found: Vec<String> = summed.iter().filter(|s| is_wanted(s)).map(Summed::label).collect();
        if found.is_empty() { "none".to_owned() } else { found.join("; ") }
    };
    let is_surely = |s: &Summed, other: &str, is_worse: bool| {
        s.tested(other).is_some_and(|t| (t.mean > 0.0) == is_worse && t.mean != 0.0 && corrected[other][&s.key] < LEVEL)
    };
    let is_much = |s: &Summed, other: &str| s.tested(other).is_some_and(|t| t.mean > TOO_MUCH);
    let best = |s: &Summed, is: &dyn Fn(&Summed, &str) -> bool| s.best_other().is_some_and(|other| is(s, other));
    let n = corrected["plain"].len();
    format!(
        "\n## What was asked\n\n\
         - Cells in which the default is significantly worse than plain (Holm over {n} cells, {LEVEL}): {}.\n\
         - Cells in which it is worse than plain by more than {TOO_MUCH}: {}.\n\
         - Cells in which it is significantly better than plain: {}.\n\
         - Cells in which it is significantly worse than the best of the others: {}.\n\
         - Cells in which it is worse than the best of the others by more than {TOO_MUCH}: {}.\n",
        list(&|s| is_surely(s, "plain", true)),
        list(&|s| is_much(s, "plain")),
        list(&|s| is_surely(s, "plain", false)),
        list(&|s| best(s, &|s, other| is_surely(s, other, true))),
        list(&|s| best(s, &is_much)),
    )
}
