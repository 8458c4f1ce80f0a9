//! Rows of results in a CSV file, and tables of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use super::problems;
use super::score::Score;

/// The first line of the file.
pub const HEADER: &str = "door,problem,mode,seed,commit,trials,failed,failed_design,streak,near,near_any,near_raw,\
                          best,regret";

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The interface: `library`, `command`, `python`, or a peer.
    pub door: String,
    /// The problem.
    pub problem: String,
    /// How failures were reported, by its word.
    pub mode: String,
    /// The seed of the study.
    pub seed: u64,
    /// The commit of the library, or a peer's version.
    pub commit: String,
    /// The outcome.
    pub score: Score,
}

/// The columns that tell runs apart: door, problem, mode, seed and commit.
pub type Key = (String, String, String, u64, String);

impl Row {
    /// The key of its run. A run has a row for each number of trials after which it was scored.
    pub fn key(&self) -> Key {
        (self.door.clone(), self.problem.clone(), self.mode.clone(), self.seed, self.commit.clone())
    }

    /// The row as a line of the file.
    pub fn line(&self) -> String {
        let Self { door, problem, mode, seed, commit, score: s } = self;
        let design = s.failed_design.map_or_else(String::new, |n| n.to_string());
        format!(
            "{door},{problem},{mode},{seed},{commit},{},{},{design},{},{},{},{},{},{}",
            s.trials, s.failed, s.streak, s.near, s.near_any, s.near_raw, s.best, s.regret
        )
    }

    /// The row of a line; `None` if the line is not a row.
    pub fn of(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.split(',').collect();
        let &[door, problem, mode, seed, commit, trials, failed, design, streak, near, any, raw, best, regret] =
            cells.as_slice()
        else {
            return None;
        };
        let count = |cell: &str| cell.parse::<usize>().ok();
        Some(Self {
            door: door.into(),
            problem: problem.into(),
            mode: mode.into(),
            seed: seed.parse().ok()?,
            commit: commit.into(),
            score: Score {
                trials: count(trials)?,
                failed: count(failed)?,
                failed_design: count(design),
                streak: count(streak)?,
                near: count(near)?,
                near_any: count(any)?,
                near_raw: count(raw)?,
                best: best.parse().ok()?,
                regret: regret.parse().ok()?,
            },
        })
    }
}

/// The rows of a file; none if the file does not exist.
pub fn read(path: &Path) -> io::Result<Vec<Row>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path)?;
    let wrong = |line: &str| io::Error::other(format!("{}: no row: {line}", path.display()));
    text.lines().filter(|line| *line != HEADER).map(|line| Row::of(line).ok_or_else(|| wrong(line))).collect()
}

/// Opens a file to append rows to, with its first line if it is new.
pub fn append(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    if file.metadata()?.len() == 0 {
        writeln!(file, "{HEADER}")?;
    }
    Ok(file)
}

/// Appends a row in one write: other programs may append to the same file.
pub fn write(file: &mut File, row: &Row) -> io::Result<()> {
    file.write_all((row.line() + "\n").as_bytes())
}

/// Markdown tables of all rows: one line for each door, mode and commit, and a table of its problems.
///
/// Best values are compared seed by seed with rows of these or of `others`, through the same interface if it has any,
/// otherwise with the library's. If a region fails, these are the rows of the commit `baseline` in which failures were
/// reported as infeasible; if trials fail by chance, those that ignored failures: of the same commit, or of `baseline`,
/// when all failures were ignored.
pub fn summary(rows: &[Row], others: &[Row], baseline: &str) -> String {
    let mut groups: BTreeMap<(&str, &str, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry((&row.door, &row.commit, &row.mode)).or_default().push(row);
    }
    let mut overview = String::from(OVERVIEW);
    let mut tables = String::new();
    for ((door, commit, mode), group) in groups {
        let cells: Vec<Cell> = in_order(&group)
            .into_iter()
            .map(|(name, has_region)| {
                Cell::of(&group, name, has_region, &Against { rows, others, door, commit, baseline })
            })
            .collect();
        // Writing to a String cannot fail.
        let _ = writeln!(overview, "| {door} | {mode} | {commit} | {} |", overall(&cells));
        let _ = writeln!(tables, "\n### {door}, {mode}, {commit}\n\n{TABLE}");
        cells.iter().for_each(|cell| tables += &cell.line());
    }
    overview + &tables
}

const OVERVIEW: &str = "\
| door | failures | commit | runs | wasted %, mean of the problems with a region | most on one of them | near | near, any \
| near, raw | median best worse than the baseline's, by region | by chance |
|---|---|---|---:|---:|---|---:|---:|---:|---|---|
";

const TABLE: &str = "\
| problem | seeds | wasted % | worst seed | of the design | streak | near | near, any | near, raw | median best | median \
regret | to the baseline | better : equal : worse |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|";

/// Where to find the rows with which a group of rows is compared.
struct Against<'a> {
    rows: &'a [Row],
    others: &'a [Row],
    door: &'a str,
    commit: &'a str,
    baseline: &'a str,
}

impl Against<'_> {
    /// The best values of the baseline, by seed.
    fn bests(&self, problem: &str, has_region: bool) -> BTreeMap<u64, f64> {
        let Self { door, commit, baseline, .. } = *self;
        let places: &[(&str, &str, &str)] = if has_region {
            &[(door, "infeasible", baseline), ("library", "infeasible", baseline)]
        } else {
            &[
                (door, "ignore", commit),
                (door, "fail", baseline),
                ("library", "ignore", commit),
                ("library", "ignore", baseline),
            ]
        };
        let of = |&(door, mode, commit): &(&str, &str, &str)| -> BTreeMap<u64, f64> {
            let fits = |r: &&Row| r.door == door && r.problem == problem && r.mode == mode && r.commit == commit;
            self.rows.iter().chain(self.others).filter(fits).map(|r| (r.seed, r.score.best)).collect()
        };
        places.iter().map(of).find(|found| !found.is_empty()).unwrap_or_default()
    }
}

/// The rows of a group for one problem.
struct Cell {
    name: String,
    has_region: bool,
    n: usize,
    /// The percentage of wasted trials, for each seed.
    wasted: Vec<f64>,
    wasted_by_design: Option<Vec<f64>>,
    streak: usize,
    /// Near an earlier failure: failed trials, any trials, and any trials in the user's units.
    near: [usize; 3],
    best: f64,
    regret: f64,
    /// The differences between the best values and those of the baseline, for each seed that both have.
    differences: Vec<f64>,
}

impl Cell {
    fn of(group: &[&Row], name: String, has_region: bool, against: &Against) -> Self {
        let of: Vec<&Row> = group.iter().copied().filter(|row| row.problem == name).collect();
        let percent = |n: usize, row: &Row| 100.0 * n as f64 / row.score.trials as f64;
        let total = |count: fn(&Score) -> usize| of.iter().map(|r| count(&r.score)).sum::<usize>();
        let base = against.bests(&name, has_region);
        let pairs = of.iter().filter_map(|r| base.get(&r.seed).map(|best| r.score.best - best));
        Self {
            has_region,
            n: of.len(),
            wasted: of.iter().map(|r| percent(r.score.failed, r)).collect(),
            wasted_by_design: of.iter().map(|r| r.score.failed_design.map(|n| percent(n, r))).collect(),
            streak: of.iter().map(|r| r.score.streak).max().unwrap_or(0),
            near: [total(|s| s.near), total(|s| s.near_any), total(|s| s.near_raw)],
            best: median(of.iter().map(|r| r.score.best).collect()),
            regret: median(of.iter().map(|r| r.score.regret).collect()),
            // Two runs that both found nothing are equal.
            differences: pairs.map(|d| if d.is_nan() { 0.0 } else { d }).collect(),
            name,
        }
    }

    fn line(&self) -> String {
        let design = self.wasted_by_design.as_ref().map_or_else(String::new, |d| format!("{:.1}", mean(d)));
        // The smallest possible value may not be known.
        let regret = if self.regret.is_nan() { String::new() } else { format!("{:.2e}", self.regret) };
        let [near, any, raw] = self.near;
        format!(
            "| {} | {} | {:.1} | {:.1} | {design} | {} | {near} | {any} | {raw} | {:.4} | {regret} | {} |\n",
            self.name,
            self.n,
            mean(&self.wasted),
            self.wasted.iter().copied().fold(0.0, f64::max),
            self.streak,
            self.best,
            compared(&self.differences),
        )
    }
}

/// A group's problems as one line of the overview.
fn overall(cells: &[Cell]) -> String {
    let regions: Vec<&Cell> = cells.iter().filter(|cell| cell.has_region).collect();
    let runs: usize = cells.iter().map(|cell| cell.n).sum();
    let worse = |has_region: bool| {
        let of = cells.iter().filter(|cell| cell.has_region == has_region && !cell.differences.is_empty());
        let named: Vec<&str> =
            of.clone().filter(|c| median(c.differences.clone()) > 0.0).map(|c| c.name.as_str()).collect();
        let n = of.count();
        if n == 0 { String::new() } else { format!("{} of {n}: {}", named.len(), named.join(", ")) }
    };
    let wasted: Vec<f64> = regions.iter().map(|cell| mean(&cell.wasted)).collect();
    let most = (0..regions.len()).max_by(|&a, &b| wasted[a].total_cmp(&wasted[b]));
    let (all, most) = match most {
        Some(i) => (format!("{:.1}", mean(&wasted)), format!("{:.1} ({})", wasted[i], regions[i].name)),
        None => (String::new(), String::new()),
    };
    // If trials fail by chance, there is nothing to keep away from; other problems count like those with a region.
    let chance = |cell: &&Cell| problems::named(&cell.name).is_some() && !cell.has_region;
    let near = |i: usize| cells.iter().filter(|cell| !chance(cell)).map(|cell| cell.near[i]).sum::<usize>();
    let near = format!("{} | {} | {}", near(0), near(1), near(2));
    format!("{runs} | {all} | {most} | {near} | {} | {}", worse(true), worse(false))
}

/// The problems of some rows, and whether a region of them fails: ours in their usual order, then others.
fn in_order(group: &[&Row]) -> Vec<(String, bool)> {
    let mut names: BTreeSet<String> = group.iter().map(|row| row.problem.clone()).collect();
    let ours: Vec<_> = problems::known().into_iter().filter(|problem| names.remove(&problem.name)).collect();
    let ours = ours.into_iter().map(|problem| (problem.name.clone(), problem.has_region()));
    ours.chain(names.into_iter().map(|name| (name, false))).collect()
}

/// The median of paired differences, and their signs.
fn compared(differences: &[f64]) -> String {
    if differences.is_empty() {
        return " | ".into();
    }
    let count = |keep: fn(&f64) -> bool| differences.iter().filter(|d| keep(d)).count();
    let signs = format!("{} : {} : {}", count(|d| *d < 0.0), count(|d| *d == 0.0), count(|d| *d > 0.0));
    format!("{:+.1e} | {signs}", median(differences.to_vec()))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    match n {
        0 => f64::NAN,
        // Equal ones first: the mean of two infinite numbers is not a number otherwise.
        _ if values[(n - 1) / 2] == values[n / 2] => values[n / 2],
        _ => (values[(n - 1) / 2] + values[n / 2]) / 2.0,
    }
}

/// The runs of some rows, each with the numbers of trials after which it was scored.
pub fn runs(rows: &[Row]) -> BTreeMap<Key, BTreeSet<usize>> {
    let mut runs = BTreeMap::<Key, BTreeSet<usize>>::new();
    for row in rows {
        runs.entry(row.key()).or_default().insert(row.score.trials);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(mode: &str, seed: u64, failed: usize, best: f64) -> Row {
        let score = Score {
            trials: 48,
            failed,
            failed_design: Some(2),
            streak: 2,
            near: 1,
            near_any: 1,
            near_raw: 1,
            best,
            regret: best + 0.6,
        };
        Row { door: "library".into(), problem: "edge".into(), mode: mode.into(), seed, commit: "c".into(), score }
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let mut written = row("fail", 7, 12, -0.599_999_999_1);
        assert_eq!(Row::of(&written.line()), Some(written.clone()));
        written.score.failed_design = None;
        written.score.best = f64::INFINITY;
        written.score.regret = f64::INFINITY;
        assert_eq!(Row::of(&written.line()), Some(written));
        assert_eq!(HEADER.split(',').count(), row("fail", 0, 0, 0.0).line().split(',').count());
    }

    #[test]
    fn a_run_is_compared_with_the_baseline_of_its_seed() {
        let rows = [
            row("infeasible", 0, 12, -0.5),
            row("infeasible", 1, 12, -0.4),
            row("fail", 0, 6, -0.51),
            row("fail", 1, 18, -0.37),
            row("fail", 2, 18, -0.1),
        ];
        let text = summary(&rows, &[], "c");
        // Wasted: (12.5 + 37.5 + 37.5) / 3; differences −0.01 and +0.03, the third has no partner.
        assert!(text.contains("| edge | 3 | 29.2 | 37.5 | 4.2 | 2 | 3 | 3 | 3 | -0.3700 |"), "{text}");
        assert!(text.contains("| +1.0e-2 | 1 : 0 : 1 |"), "{text}");
        // The baseline may be in another file.
        let apart = summary(&rows[2..], &rows[..2], "c");
        assert!(apart.contains("| +1.0e-2 | 1 : 0 : 1 |") && !apart.contains("infeasible"), "{apart}");
        assert!(text.contains("| library | fail | c | 3 | 29.2 | 29.2 (edge) | 3 | 3 | 3 | 1 of 1: edge |"), "{text}");
    }
}
