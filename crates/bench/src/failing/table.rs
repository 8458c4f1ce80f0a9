//! Rows of results in a CSV file, and the tables drawn from them.

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
    /// Through what: `library`, `command`, `python`, or a peer.
    pub door: String,
    /// On what.
    pub problem: String,
    /// What was done about failures, by its word.
    pub mode: String,
    /// The seed of the study.
    pub seed: u64,
    /// The commit of what was run, or a peer's version.
    pub commit: String,
    /// What came of it.
    pub score: Score,
}

/// What a file has one row of.
pub type Key = (String, String, String, u64, String);

impl Row {
    /// What the file has only one row of.
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

    /// The row of a line; none if it is no such line.
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

/// The rows of a file; none if there is no such file.
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

/// Markdown tables of all rows, one for each door, mode and commit.
///
/// Bests are compared with the baseline, seed by seed: where a region fails, with the library's rows of `baseline` told
/// as infeasible; where chance does, with the library's rows of the same commit that ignore failures.
pub fn summary(rows: &[Row], baseline: &str) -> String {
    let mut groups: BTreeMap<(&str, &str, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry((&row.door, &row.commit, &row.mode)).or_default().push(row);
    }
    let mut text = String::new();
    for ((door, commit, mode), group) in groups {
        let _ = writeln!(text, "### {door}, {mode}, {commit}\n");
        text += &table(&group, rows, commit, baseline);
    }
    text
}

fn table(group: &[&Row], rows: &[Row], commit: &str, baseline: &str) -> String {
    let mut text = String::from(
        "| problem | seeds | wasted % | worst seed | of the design | streak | near | near, any | near, raw | \
         median best | median regret | to the baseline | better : equal : worse |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut wasted_by_region = Vec::new();
    let (mut near, mut near_any, mut near_raw) = (0, 0, 0);
    for (name, has_region) in in_order(group) {
        let of: Vec<&Row> = group.iter().copied().filter(|row| row.problem == name).collect();
        let wasted: Vec<f64> = of.iter().map(|r| 100.0 * r.score.failed as f64 / r.score.trials as f64).collect();
        let mean_wasted = mean(&wasted);
        let total = |count: fn(&Score) -> usize| of.iter().map(|r| count(&r.score)).sum::<usize>();
        let counts = [total(|s| s.near), total(|s| s.near_any), total(|s| s.near_raw)];
        if has_region {
            wasted_by_region.push((mean_wasted, name.clone()));
            (near, near_any, near_raw) = (near + counts[0], near_any + counts[1], near_raw + counts[2]);
        }
        let design: Option<Vec<f64>> =
            of.iter().map(|r| r.score.failed_design.map(|n| 100.0 * n as f64 / r.score.trials as f64)).collect();
        let against: BTreeMap<u64, f64> = rows
            .iter()
            .filter(|r| r.door == "library" && r.problem == name)
            .filter(|r| match has_region {
                true => r.mode == "infeasible" && r.commit == baseline,
                false => r.mode == "ignore" && r.commit == commit,
            })
            .map(|r| (r.seed, r.score.best))
            .collect();
        let pairs = of.iter().filter_map(|r| against.get(&r.seed).map(|base| r.score.best - base));
        // Two runs that both found nothing are equal.
        let differences: Vec<f64> = pairs.map(|d| if d.is_nan() { 0.0 } else { d }).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {mean_wasted:.1} | {:.1} | {} | {} | {} | {} | {} | {} | {:.2e} | {} |",
            name,
            of.len(),
            wasted.iter().copied().fold(0.0, f64::max),
            design.map_or_else(String::new, |d| format!("{:.1}", mean(&d))),
            of.iter().map(|r| r.score.streak).max().unwrap_or(0),
            counts[0],
            counts[1],
            counts[2],
            shown(median(of.iter().map(|r| r.score.best).collect())),
            median(of.iter().map(|r| r.score.regret).collect()),
            compared(differences),
        );
    }
    if let Some((most, which)) = wasted_by_region.iter().max_by(|a, b| a.0.total_cmp(&b.0)) {
        let all = mean(&wasted_by_region.iter().map(|(wasted, _)| *wasted).collect::<Vec<_>>());
        let _ = writeln!(
            text,
            "\nWhere a region fails ({} problems): {all:.1} % wasted in the mean, {most:.1} % at most ({which}); near an \
             earlier failure: {near} failed, {near_any} of any kind, {near_raw} in the user's units.",
            wasted_by_region.len(),
        );
    }
    text.push('\n');
    text
}

/// The problems of some rows and whether a region of them fails: ours in their order, then others.
fn in_order(group: &[&Row]) -> Vec<(String, bool)> {
    let mut names: BTreeSet<String> = group.iter().map(|row| row.problem.clone()).collect();
    let ours: Vec<_> = problems::all().into_iter().filter(|problem| names.remove(&problem.name)).collect();
    let ours = ours.into_iter().map(|problem| (problem.name.clone(), problem.has_region()));
    ours.chain(names.into_iter().map(|name| (name, false))).collect()
}

/// The median of paired differences and their signs.
fn compared(differences: Vec<f64>) -> String {
    if differences.is_empty() {
        return " | ".into();
    }
    let count = |keep: fn(&f64) -> bool| differences.iter().filter(|d| keep(d)).count();
    let signs = format!("{} : {} : {}", count(|d| *d < 0.0), count(|d| *d == 0.0), count(|d| *d > 0.0));
    format!("{:+.1e} | {signs}", median(differences))
}

fn shown(value: f64) -> String {
    format!("{value:.4}")
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

/// Which rows there are.
pub fn keys(rows: &[Row]) -> BTreeSet<Key> {
    rows.iter().map(Row::key).collect()
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
        let text = summary(&rows, "c");
        // Wasted: (12.5 + 37.5 + 37.5) / 3; differences −0.01 and +0.03, the third has no partner.
        assert!(text.contains("| edge | 3 | 29.2 | 37.5 | 4.2 | 2 | 3 | 3 | 3 | -0.3700 |"), "{text}");
        assert!(text.contains("| +1.0e-2 | 1 : 0 : 1 |"), "{text}");
    }
}
