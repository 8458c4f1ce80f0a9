//! The numbers of the paper's table: medians, ranks, differences, counts of cells.

use super::facts::commits;
use crate::Result;
use crate::markdown::{Markdown, signed};
use crate::methods::{is_lp, is_sequential};
use crate::raw::Table;
use crate::stats::{Interval, interval, mean, quantile, sd};
use crate::table::cells::{Cell, Cells, Values};
use crate::table::{printed, ranks};

/// How far from the best a method may be and still count as equally good, in log₁₀ regret.
const MARGIN: f64 = 0.2;

/// The rows of one budget, model and variant.
pub struct TablePage {
    cells: Cells,
    hours: f64,
    commits: Vec<String>,
}

impl TablePage {
    /// The rows of a page with this name, such as `R-modern-shifted`.
    pub fn read(table: &Table, name: &str) -> Result<Self> {
        let [track, model, shifted, cpu] = ["track", "model", "shifted", "cpu"].map(|column| table.column(column));
        let (track, model, shifted, cpu) = (track?, model?, shifted?, cpu?);
        let of = |row: &Vec<String>| {
            format!("{}-{}{}", row[track], row[model], if row[shifted] == "true" { "-shifted" } else { "" })
        };
        let rows: Vec<&Vec<String>> = table.rows.iter().filter(|row| of(row) == name).collect();
        if rows.is_empty() {
            return Err(format!("the table has no rows of {name}").into());
        }
        let seconds: f64 = rows.iter().filter_map(|row| row[cpu].parse::<f64>().ok()).sum();
        let mut commits: Vec<String> = rows.iter().filter_map(|row| row.last().cloned()).collect();
        commits.sort();
        commits.dedup();
        Ok(Self { cells: Cells::read(table, &rows)?, hours: seconds / 3600.0, commits })
    }

    /// CPU hours of its rows.
    pub fn hours(&self) -> f64 {
        self.hours
    }

    /// What a `*` stands for: the batch methods except uniform points, the dimensions, the batch sizes.
    pub fn levels(&self, place: usize) -> Result<Vec<String>> {
        let mut numbers: Vec<usize> = match place {
            1 => {
                let ranked = self.cells.ranked();
                return Ok(ranked.into_iter().filter(|m| *m != "random").cloned().collect());
            }
            2 => self.cells.places.iter().map(|cell| cell.d).collect(),
            3 => self.cells.places.iter().map(|cell| cell.n_b).collect(),
            _ => return Err("nothing is known of a * there".into()),
        };
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers.iter().map(usize::to_string).collect())
    }

    fn best(&self, cell: Cell) -> Option<&String> {
        let ranked = self.cells.ranked();
        self.cells.best(cell, |m| ranked.contains(&m))
    }

    /// The difference between a method's log₁₀ regret and that of the best batch method of a cell; 0 for that method
    /// itself.
    fn to_best(&self, method: &str, cell: Cell) -> Option<Interval> {
        let best = self.best(cell)?;
        if best == method {
            return Some(Interval { mean: 0.0, low: 0.0, high: 0.0 });
        }
        Some(interval(&self.cells.difference(method, best, cell)?))
    }

    /// The best method in a cell among local penalization and its descendants.
    fn best_lp(&self, cell: Cell) -> Option<&String> {
        let ranked = self.cells.ranked();
        self.cells.best(cell, |m| is_lp(m) && ranked.contains(&m))
    }
}

fn cell(d: &str, n_b: &str) -> Result<Cell> {
    Ok(Cell { d: d.parse()?, n_b: n_b.parse()? })
}

/// A number by its name; NaN if there are no rows.
pub fn number(page: &TablePage, name: &str, arguments: &[&str]) -> Result<f64> {
    let cells = &page.cells;
    let count = |is_good: &dyn Fn(Cell) -> bool| cells.places.iter().filter(|cell| is_good(**cell)).count() as f64;
    Ok(match (name, arguments) {
        ("cells", []) => cells.places.len() as f64,
        ("critical", []) => ranks::Ranks::of(cells).difference.unwrap_or(f64::NAN),
        ("blocks", []) => ranks::Ranks::of(cells).n_blocks as f64,
        ("rank", [method]) => ranks::Ranks::of(cells).overall(method).unwrap_or(f64::NAN),
        ("replicates", [method]) => {
            let all = cells.places.iter().filter_map(|cell| cells.get(method, *cell)).map(Values::len);
            all.min().map_or(f64::NAN, |n| n as f64)
        }
        ("best-count", [method]) => count(&|cell| page.best(cell).is_some_and(|m| m == method)),
        ("near-count", [method]) => count(&|cell| page.to_best(method, cell).is_some_and(|i| i.mean <= MARGIN)),
        ("family-count", []) => {
            count(&|cell| page.best_lp(cell).and_then(|m| page.to_best(m, cell)).is_some_and(|i| i.mean <= MARGIN))
        }
        ("family-sure", []) => {
            let is_sure = |i: Interval| i.mean == 0.0 || (i.low > -MARGIN && i.high < MARGIN);
            count(&|cell| page.best_lp(cell).and_then(|m| page.to_best(m, cell)).is_some_and(is_sure))
        }
        ("below-printed" | "known-printed", [methods]) => {
            let (below, known) = below_printed(cells, methods);
            if name == "below-printed" { below } else { known }
        }
        ("printed", [method, d, n_b]) => printed::mean(method, d.parse()?, n_b.parse()?).unwrap_or(f64::NAN),
        ("to-best", [method, d, n_b]) => page.to_best(method, cell(d, n_b)?).map_or(f64::NAN, |i| i.mean),
        ("difference" | "difference-low" | "difference-high", [method, other, d, n_b]) => {
            let found = cells.difference(method, other, cell(d, n_b)?).map(|d| interval(&d));
            found.map_or(f64::NAN, |i| match name {
                "difference" => i.mean,
                "difference-low" => i.low,
                _ => i.high,
            })
        }
        ("work-ratio" | "cpu-ratio", [method, other, d, n_b]) => {
            let of = |m: &str| {
                let values = cells.get(m, cell(d, n_b).ok()?)?;
                Some(mean(&if name == "work-ratio" { values.work() } else { values.cpu() }))
            };
            of(method).zip(of(other)).map_or(f64::NAN, |(a, b)| a / b)
        }
        (name, [method, d, n_b]) => match cells.get(method, cell(d, n_b)?) {
            Some(values) => of_values(values, name)?,
            None => f64::NAN,
        },
        _ => return Err(format!("there is no number {name}").into()),
    })
}

/// A number about one method in one cell.
fn of_values(values: &Values, name: &str) -> Result<f64> {
    Ok(match name {
        "median" => quantile(&values.logs(), 0.5),
        "mean-log" => mean(&values.logs()),
        "mean-best" => mean(&values.best()),
        "sd-best" => sd(&values.best()),
        "median-regret" => 10f64.powf(quantile(&values.logs(), 0.5)),
        "near" => mean(&values.near()),
        "cpu" => mean(&values.cpu()),
        "evaluations" => mean(&values.evaluations()),
        "worst-recommended" => values.recommended().into_iter().fold(f64::NEG_INFINITY, f64::max),
        _ => return Err(format!("there is no number {name}").into()),
    })
}

/// In how many cells with d > 2 some methods are below the mean that the paper prints, and the number of these cells.
fn below_printed(cells: &Cells, methods: &str) -> (f64, f64) {
    let mut counts = (0.0, 0.0);
    for &place in cells.places.iter().filter(|place| place.d > 2) {
        for method in methods.split(',') {
            let ours = cells.get(method, place).map(|values| mean(&values.best()));
            let base = method.trim_end_matches("-guarded");
            let (Some(ours), Some(printed)) = (ours, printed::mean(base, place.d, place.n_b)) else { continue };
            counts.1 += 1.0;
            if ours < printed {
                counts.0 += 1.0;
            }
        }
    }
    counts
}

/// A text by its name.
pub fn text(page: &TablePage, name: &str, arguments: &[&str]) -> Result<String> {
    let cells = &page.cells;
    Ok(match (name, arguments) {
        ("commits", []) => commits(&page.commits.iter().map(String::as_str).collect::<Vec<_>>()),
        ("best", [d, n_b]) => page.best(cell(d, n_b)?).ok_or("the cell is empty")?.clone(),
        ("difference", [method, other, d, n_b]) => {
            shown(interval(&cells.difference(method, other, cell(d, n_b)?).ok_or("the cell is empty")?))
        }
        ("over-cells", [method, other]) => shown(over_cells(cells, method, other)?),
        ("gaps", []) => gaps(page),
        ("medians", [methods]) => medians(page, methods),
        ("ranks", []) => {
            let ranks = ranks::Ranks::of(cells);
            ranks.ordered().iter().map(|(m, rank)| format!("{m} {rank:.1}")).collect::<Vec<_>>().join(", ")
        }
        _ => return Err(format!("there is no text {name}").into()),
    })
}

/// The mean difference over all cells, with an interval over replicates: cells of a replicate share initial points.
fn over_cells(cells: &Cells, method: &str, other: &str) -> Result<Interval> {
    let mut of_replicate: std::collections::BTreeMap<(usize, u64), Vec<f64>> = std::collections::BTreeMap::new();
    for &place in &cells.places {
        for (replicate, difference) in cells.paired(method, other, place) {
            of_replicate.entry((place.d, replicate)).or_default().push(difference);
        }
    }
    if of_replicate.is_empty() {
        return Err(format!("{method} and {other} have no replicate in common").into());
    }
    Ok(interval(&of_replicate.values().map(|d| mean(d)).collect::<Vec<_>>()))
}

/// For each cell: the best batch method, the best of local penalization, and the gap between them.
fn gaps(page: &TablePage) -> String {
    let mut table = Markdown::new(["d, n_b", "best", "best of the LP family", "behind by"]);
    for &place in &page.cells.places {
        let (Some(best), Some(own)) = (page.best(place), page.best_lp(place)) else { continue };
        let behind = if best == own { "best".into() } else { page.to_best(own, place).map_or("-".into(), shown) };
        table.row([format!("{}, {}", place.d, place.n_b), best.clone(), own.clone(), behind]);
    }
    table.text()
}

/// Medians of log₁₀ regret, with a row for each method and a column for each cell.
fn medians(page: &TablePage, methods: &str) -> String {
    let places = page.cells.places.iter().map(|place| format!("{}, {}", place.d, place.n_b));
    let mut table = Markdown::new(["d, n_b".to_owned()].into_iter().chain(places));
    for method in methods.split(',') {
        let of = |place: &Cell| {
            let values = page.cells.get(method, *place).filter(|_| !is_sequential(method));
            values.map_or("-".into(), |v| format!("{:.2}", quantile(&v.logs(), 0.5)).replace('-', "−"))
        };
        table.row([method.to_owned()].into_iter().chain(page.cells.places.iter().map(of)));
    }
    table.text()
}

/// A mean with its interval.
pub fn shown(found: Interval) -> String {
    format!("{} [{}, {}]", signed(found.mean), signed(found.low), signed(found.high))
}
