//! The figure and the tables of the tuning experiment, from its files.

use std::fmt::Write;
use std::path::Path;

use super::cache;
use crate::Result;
use crate::curves::{Average, Curve, legend, panels, table as ending_table};
use crate::markdown::Markdown;
use crate::raw::{Table, split};
use elbowroom_view::plot::{Axis, Figure};

/// The number of rows in the paper.
const PAPER_SIZE: &str = "22000";

/// Writes `svr.svg`, `svr.png` and `svr.md`.
pub fn report(dir: &Path, table: &Table) -> Result<()> {
    let (data, rows, tests) = (table.column("data")?, table.column("rows")?, table.column("tests")?);
    let comparison: Vec<&Vec<String>> = table.rows.iter().filter(|row| row[rows] != PAPER_SIZE).collect();
    let mut text = String::new();
    if let Some(first) = comparison.first() {
        let curves = curves(table)?;
        let n = curves.iter().filter(|c| c.method == curves[0].method).count();
        let source =
            if first[data] == "protein" { "the protein data" } else { "GENERATED rows that stand in for no real data" };
        let value = Axis::linear("test error (RMSE), best so far");
        let clock = Axis::linear("parallel clock, CPU seconds");
        let titles = ["(a) SVR: by batches", "(b) SVR: by time"];
        let figure = Figure {
            title: "Tuning a support vector regression, batches of 10".into(),
            subtitle: format!(
                "C, ε and γ on {source}: {} training rows, {} test rows, {n} replicates, 9 initial points. Mean; the \
                 band is a standard error, for LP alone. The clock counts choosing, and the slowest training of a batch.",
                first[rows], first[tests]
            ),
            legend: legend(&curves),
            panels: panels(&curves, Average::Mean, &value, &clock, titles).to_vec(),
            columns: 2,
            panel_size: (430.0, 300.0),
        };
        figure.write(dir, "svr")?;
        write!(text, "## {} training rows of {source}\n\n{}", first[rows], ending_table(&curves))?;
        costs(&mut text, dir, table, &first[rows])?;
    }
    let (batches, n_batches) =
        (table.column("batches")?, |row: &&Vec<String>, at: usize| row[at].parse().unwrap_or(0u32));
    let large = table.rows.iter().filter(|row| row[rows] == PAPER_SIZE);
    if let Some(first) = large.max_by_key(|row| n_batches(row, batches)) {
        let (method, at) = (table.column("method")?, table.column("log10_parameters")?);
        let one = curve(table, first)?;
        writeln!(text, "\n## {} training rows, as in the paper: one run of {}\n", first[rows], first[method])?;
        let mut curve = Markdown::new(["batches", "best test error (RMSE)", "parallel clock, s"]);
        for (k, (best, seconds)) in one.best.iter().zip(&one.seconds).enumerate() {
            curve.row([k.to_string(), format!("{best:.4}"), format!("{seconds:.1}")]);
        }
        text += &curve.text();
        let parameters: Vec<String> = split(&first[at]).iter().map(|v| format!("{:.3}", 10f64.powf(*v))).collect();
        let [c, epsilon, gamma] = [0, 1, 2].map(|k| parameters.get(k).cloned().unwrap_or_default());
        writeln!(
            text,
            "\nRecommended: C = {c}, ε = {epsilon}, γ = {gamma}, with a test error of {:.4}.",
            one.recommended
        )?;
        costs(&mut text, dir, table, &first[rows])?;
    }
    std::fs::write(dir.join("svr.md"), text)?;
    Ok(())
}

/// The runs of the comparison.
pub fn curves(table: &Table) -> Result<Vec<Curve>> {
    let rows = table.column("rows")?;
    table.rows.iter().filter(|row| row[rows] != PAPER_SIZE).map(|row| curve(table, row)).collect()
}

fn curve(table: &Table, row: &[String]) -> Result<Curve> {
    Ok(Curve {
        method: row[table.column("method")?].clone(),
        best: split(&row[table.column("best")?]),
        seconds: split(&row[table.column("clock")?]),
        recommended: row[table.column("recommended")?].parse()?,
    })
}

/// The cost of all runs, in CPU time.
fn costs(text: &mut String, dir: &Path, table: &Table, rows: &str) -> Result<()> {
    let at = table.column("rows")?;
    let choosing: f64 =
        table.rows.iter().zip(table.numbers("choosing")?).filter(|(row, _)| row[at] == rows).map(|(_, s)| s).sum();
    let (n, trained) = cache::total(dir, rows)?;
    let hours = (trained + choosing) / 3600.0;
    writeln!(
        text,
        "\n{n} trainings took {trained:.0} CPU seconds ({:.2} s each), choosing points {choosing:.0} s: {hours:.2} CPU hours.",
        trained / n.max(1) as f64
    )?;
    Ok(())
}
