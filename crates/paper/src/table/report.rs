//! From `raw.csv` to Markdown: one page per budget, model and variant.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::cells::{Cell, Cells};
use super::ranks::Ranks;
use super::{figure, printed};
use crate::Result;
use crate::markdown::{Markdown, number, signed};
use crate::methods::{OTHERS, is_lp, meaning, variant_of};
use crate::raw::Table;
use crate::stats::{Interval, holm, interval, mean, quantile, sd, wilcoxon};

/// How far from the best an interval may extend for a method to count as equally good.
const MARGIN: f64 = 0.2;

/// The method with which all others are compared: the paper's LP-UCB, or its substitute if it has no rows.
fn reference(cells: &Cells) -> &'static str {
    let (paper, guarded) = ("LP-UCB", "LP-UCB-guarded");
    if cells.methods.iter().any(|m| m == paper) { paper } else { guarded }
}

/// The method whose printed numbers are shown next to those of another one: itself, or the one that it replaces.
fn printed_name<'a>(cells: &Cells, method: &'a str) -> &'a str {
    variant_of(method).filter(|base| !cells.methods.iter().any(|m| m == base)).unwrap_or(method)
}

/// Writes a page for every budget, model and variant in `raw.csv`.
pub fn write(dir: &Path) -> Result<()> {
    let table = Table::read(dir)?;
    let [track, model, shifted] = [table.column("track")?, table.column("model")?, table.column("shifted")?];
    let mut groups: BTreeMap<(String, String, bool), Vec<&Vec<String>>> = BTreeMap::new();
    for row in &table.rows {
        groups.entry((row[track].clone(), row[model].clone(), row[shifted] == "true")).or_default().push(row);
    }
    for ((track, model, shifted), rows) in groups {
        let cells = Cells::read(&table, &rows)?;
        let name = format!("{track}-{model}{}", if shifted { "-shifted" } else { "" });
        let title = format!("gSobol, track {track}, {model} model{}", if shifted { ", shifted" } else { "" });
        figure::write(dir, &name, &title, budget(&track), &cells)?;
        let name = name + ".md";
        let mut commits: Vec<&str> = rows.iter().filter_map(|row| row.last()).map(String::as_str).collect();
        commits.sort_unstable();
        commits.dedup();
        let text = page(&title, budget(&track), shifted, &commits, &cells);
        std::fs::write(dir.join(&name), &text)?;
        println!("{}\n{}\n", best_values(&cells).trim_start(), summary(&cells).join("\n"));
        println!("written: {}", dir.join(&name).display());
    }
    Ok(())
}

/// What each method gets.
fn budget(track: &str) -> &'static str {
    match track {
        "R" => "the same number of rounds: 10, 15 and 20 batches in 2, 5 and 10 dimensions",
        "E" => "the same number of evaluations: 100, 200 and 400 after the initial points in 2, 5 and 10 dimensions",
        "W" => "the same counted work: that of LP-UCB-guarded with n_b = 10 in track R, replicate by replicate",
        _ => {
            "the same time: 1, 5 and 10 minutes in 2, 5 and 10 dimensions, on the clock of a core that does nothing else \
             (CPU time of the race, its evaluations among it, since a wall clock would measure what else the machine does)"
        }
    }
}

fn page(title: &str, budget: &str, shifted: bool, commits: &[&str], cells: &Cells) -> String {
    let mut text = format!("# {title}\n\n");
    let commits = commits.join(", ");
    text +=
        &format!("Made by `paper table` from `raw.csv`; the rows are of commit {commits}. All methods get {budget}.\n");
    text += if shifted {
        "The optimum is uniform in [−3, 3]ᵈ, another place for every replicate; the paper's numbers are for the function \
         that was not moved. "
    } else {
        "The optimum is near the centre of the box, as in the paper. "
    };
    text += "Every replicate starts from the same 3d uniform points for all methods; the minimum is 2⁻ᵈ.\n";
    text += "Sequential methods take one point per round, whatever n_b. ";
    text += "\"-\" is a cell that ran into its cap of CPU time, or could not do one batch.\n";
    text += &replicates(cells);
    text += "Pred refits its hyperparameters for every point of a batch, in the way of the model. ";
    text += "qEI starts its search from batches of other methods, local penalization among them.\n";
    text += "\nMethods that are not the paper's:\n\n";
    for name in OTHERS.iter().filter(|name| cells.methods.iter().any(|m| m == *name)) {
        text += &format!("- {name}: {}\n", meaning(name));
    }
    text += "\n## In short\n\n";
    summary(cells).iter().for_each(|line| text += &format!("- {line}\n"));
    text += &best_values(cells);
    text += "\n## Median [quartiles] of log₁₀(best − 2⁻ᵈ)\n\n";
    text += &by_cell(cells, |values| {
        let logs = values.logs();
        let [low, middle, high] = [0.25, 0.5, 0.75].map(|p| quantile(&logs, p));
        format!("{middle:.2} [{low:.2}, {high:.2}]")
    });
    text += &rank_table(cells);
    text += &differences(cells);
    text += "\n## Near-duplicates\n\nThe share of points that have an earlier point of their batch within 0.05 ";
    text += "lengthscales of the model.\n\n";
    text += &by_cell(cells, |values| format!("{:.1} %", 100.0 * mean(&values.near())));
    text += "\n## Counted work\n\nMean per replicate, in 10⁶ operations to leading order.\n\n";
    text += &by_cell(cells, |values| number(mean(&values.work()) / 1e6));
    text += "\n## CPU time\n\nMean seconds per replicate spent on choosing points.\n\n";
    text += &by_cell(cells, |values| number(mean(&values.cpu())));
    text += "\n## Evaluations\n\nMean per replicate, with the initial points.\n\n";
    text += &by_cell(cells, |values| format!("{:.0}", mean(&values.evaluations())));
    text += "\n## The recommended point\n\nMean of f at arg max μ at the end, observed or not.\n\n";
    text += &by_cell(cells, |values| number(mean(&values.recommended())));
    text
}

fn replicates(cells: &Cells) -> String {
    let counts: BTreeSet<usize> = cells.all().map(|values| values.len()).collect();
    match (counts.first(), counts.last()) {
        (Some(least), Some(most)) if least == most => format!("{most} replicates.\n"),
        (Some(least), Some(most)) => {
            format!("{least} to {most} replicates, by method; differences are over those in common.\n")
        }
        _ => "No replicates.\n".into(),
    }
}

/// Lines that answer the questions of this experiment.
fn summary(cells: &Cells) -> Vec<String> {
    let n = cells.places.len();
    let ranked = cells.ranked();
    let lps: Vec<&String> = ranked.iter().copied().filter(|m| is_lp(m)).collect();
    let is_good = |candidates: &[&String], place: Cell| -> bool {
        let Some(best) = cells.best(place, |m| ranked.contains(&m)) else { return false };
        let Some(own) = cells.best(place, |m| candidates.contains(&m)) else { return false };
        let found = cells.difference(own, best, place).map(|d| interval(&d));
        own == best || found.is_some_and(|i| i.low > -MARGIN && i.high < MARGIN)
    };
    let count = |candidates: &[&String]| cells.places.iter().filter(|place| is_good(candidates, **place)).count();
    let mut lines = vec![format!(
        "The best of the LP family ({}) is the best batch method, or its paired 95 % interval to the best lies within \
         ±{MARGIN}, in {} of {n} cells.",
        lps.iter().map(|m| m.as_str()).collect::<Vec<_>>().join(", "),
        count(&lps)
    )];
    let single: Vec<String> = lps.iter().map(|m| format!("{m} {}", count(&[*m]))).collect();
    lines.push(format!("The same for one method alone, of {n} cells: {}.", single.join(", ")));
    let winners = cells.places.iter().filter_map(|&place| {
        Some(format!("{} ({}, {})", cells.best(place, |m| ranked.contains(&m))?, place.d, place.n_b))
    });
    let winners = winners.collect::<Vec<_>>().join(", ");
    lines.push(format!("Least mean log₁₀ regret among the batch methods, by (d, n_b): {winners}."));
    let (mut below, mut known, mut above) = (0, 0, Vec::new());
    for &place in cells.places.iter().filter(|place| place.d > 2) {
        for method in lps.iter().copied() {
            let ours = cells.get(method, place).map(|values| mean(&values.best()));
            let printed = printed::mean(printed_name(cells, method), place.d, place.n_b);
            let (Some(ours), Some(printed)) = (ours, printed) else { continue };
            known += 1;
            if ours < printed {
                below += 1;
            } else {
                above.push(format!("{method} ({}, {})", place.d, place.n_b));
            }
        }
    }
    if known > 0 {
        let rest = if above.is_empty() { String::new() } else { format!("; not: {}", above.join(", ")) };
        lines.push(format!(
            "LP-EI and LP-UCB at d = 5 and 10: mean below the paper's printed mean in {below} of {known} cells{rest}."
        ));
    }
    lines
}

/// Mean ± sd of the best value, next to the paper's, with a table for each dimension.
fn best_values(cells: &Cells) -> String {
    let dims: BTreeSet<usize> = cells.places.iter().map(|place| place.d).collect();
    let mut text = String::from("\n## Mean ± sd of the best value, beside the paper's\n");
    for d in dims {
        let places: Vec<Cell> = cells.places.iter().copied().filter(|place| place.d == d).collect();
        let head = places.iter().flat_map(|p| [format!("n_b = {}", p.n_b), "paper".into()]);
        let mut table = Markdown::new([format!("d = {d}")].into_iter().chain(head));
        for method in &cells.methods {
            let pair = |place: &Cell| {
                let ours = cells.get(method, *place).map(|values| values.best());
                let ours = ours.map_or("-".into(), |v| format!("{} ± {}", number(mean(&v)), number(sd(&v))));
                let printed = printed::text(printed_name(cells, method), d, place.n_b).unwrap_or("");
                [ours, printed.replace('±', " ± ")]
            };
            table.row([method.clone()].into_iter().chain(places.iter().flat_map(pair)));
        }
        text += &format!("\n{}", table.text());
    }
    text
}

/// A row for each method and a column for each cell.
fn by_cell(cells: &Cells, show: impl Fn(&super::cells::Values) -> String) -> String {
    let mut table = Markdown::new(head(cells));
    for method in &cells.methods {
        let row = cells.places.iter().map(|place| cells.get(method, *place).map_or("-".into(), &show));
        table.row([method.clone()].into_iter().chain(row));
    }
    table.text()
}

fn head(cells: &Cells) -> Vec<String> {
    let of_cell = cells.places.iter().map(|place| format!("{}, {}", place.d, place.n_b));
    ["d, n_b".to_string()].into_iter().chain(of_cell).collect()
}

/// Average ranks of the batch methods that are in every cell.
fn rank_table(cells: &Cells) -> String {
    let mut text = String::from("\n## Average ranks of log₁₀ regret\n\n");
    let ranks = Ranks::of(cells);
    if ranks.n_blocks == 0 || ranks.methods.len() < 2 {
        return text + "There are too few results for ranks.\n";
    }
    let mut table = Markdown::new(head(cells).into_iter().chain(["all".into()]));
    for (method, overall) in ranks.ordered() {
        let i = ranks.methods.iter().position(|m| m == method).unwrap_or(0);
        let of_cell =
            cells.places.iter().map(|cell| ranks.by_cell.get(cell).map_or("-".into(), |r| format!("{:.1}", r[i])));
        table.row([method.clone()].into_iter().chain(of_cell).chain([format!("{overall:.2}")]));
    }
    text += &format!(
        "1 is best; batch methods that are in every cell, variants of one that is there left out. Cells of a dimension share \
         their initial points, so a block is a replicate of a dimension, with the mean rank of its cells. Nemenyi's \
         critical difference at 5 % is {} over {} blocks.\n\n",
        ranks.difference.map_or("unknown".into(), |d| format!("{d:.2}")),
        ranks.n_blocks
    );
    text + &table.text()
}

/// Paired differences to LP-UCB and to the best.
fn differences(cells: &Cells) -> String {
    let reference = reference(cells);
    let mut text = format!(
        "\n## Paired differences of log₁₀ regret to {reference}\n\nMean and 95 % interval by Student's t over \
         replicates; below 0 is better than {reference}. A star: Wilcoxon's signed-rank test with Holm's correction \
         within the cell gives p < 0.05.\n\n"
    );
    let mut columns = Vec::new();
    for &place in &cells.places {
        let found: Vec<Option<Vec<f64>>> =
            cells.methods.iter().map(|m| cells.difference(m, reference, place).filter(|_| m != reference)).collect();
        let mut corrected = holm(&found.iter().flatten().map(|d| wilcoxon(d)).collect::<Vec<_>>()).into_iter();
        let shown = found.iter().map(|d| match d {
            None => "".to_string(),
            Some(d) => {
                let star = if corrected.next().is_some_and(|p| p < 0.05) { " *" } else { "" };
                format!("{}{star}", show(interval(d)))
            }
        });
        columns.push(shown.collect::<Vec<_>>());
    }
    let mut table = Markdown::new(head(cells));
    for (i, method) in cells.methods.iter().enumerate() {
        table.row([method.clone()].into_iter().chain(columns.iter().map(|column| column[i].clone())));
    }
    text += &table.text();
    text += "\n## Paired differences of log₁₀ regret to the best batch method of the cell\n\n";
    text +=
        "The best has the least mean log₁₀ regret; since it was chosen after the fact, it is flattered a little.\n\n";
    let (mut table, ranked) = (Markdown::new(head(cells)), cells.ranked());
    for method in &cells.methods {
        let row = cells.places.iter().map(|&place| match cells.best(place, |m| ranked.contains(&m)) {
            Some(best) if best == method => "best".to_string(),
            Some(best) => cells.difference(method, best, place).map_or("-".into(), |d| show(interval(&d))),
            None => "-".into(),
        });
        table.row([method.clone()].into_iter().chain(row));
    }
    text + &table.text()
}

fn show(found: Interval) -> String {
    if found.low.is_finite() {
        format!("{} [{}, {}]", signed(found.mean), signed(found.low), signed(found.high))
    } else {
        signed(found.mean)
    }
}
