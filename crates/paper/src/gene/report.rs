//! The figure and the table of the gene experiment, from its files.

use std::path::Path;

use super::surrogate::{QUANTILES, Record};
use super::{EVALUATION, N_INITIAL};
use crate::Result;
use crate::curves::{Average, Curve, legend, panels, table as ending_table};
use crate::methods::PAPER;
use crate::raw::{Table, split};
use elbowroom_view::plot::{Axis, Figure};

/// Writes `gene.svg`, `gene.png` and `gene.md`.
pub fn report(dir: &Path, table: &Table) -> Result<()> {
    let record: Record = serde_json::from_slice(&std::fs::read(dir.join("model.json"))?)?;
    let curves = curves(table)?;
    let Some(first) = curves.first() else { return Err("raw.csv has no rows yet".into()) };
    let replicates = curves.iter().filter(|c| c.method == first.method).count();
    let Record { data, n_train, n_valid, hyperparameters, r_squared, rmse } = &record;
    let (low, high) = (100.0 * QUANTILES.0, 100.0 * QUANTILES.1);
    let figure = Figure {
        title: "Gene design on a surrogate, batches of 10".into(),
        subtitle: format!(
            "Posterior mean trained on {n_train} genes ({data}; not the paper's data, which were not published), \
             R² = {r_squared:.2} on {n_valid} others; box: {low} % to {high} % quantiles. {N_INITIAL} initial points, mean \
             over {replicates} replicates; the band is a standard error, for LP alone."
        ),
        legend: legend(&curves),
        panels: panels(
            &curves,
            Average::Mean,
            &Axis::linear("predicted log10 protein, best so far"),
            &Axis::linear(format!("parallel clock: {EVALUATION} s for a batch, and choosing it, s")),
            ["(a) genes: by batches", "(b) genes: by time"],
        )
        .to_vec(),
        columns: 2,
        panel_size: (430.0, 310.0),
    };
    figure.write(dir, "gene")?;
    let mut text = format!(
        "Surrogate: {data}; trained on {n_train} genes, R² = {r_squared:.3} and RMSE = {rmse:.3} on {n_valid} others. \
         Lengthscale {:.2} standard deviations, noise variance {:.3}, signal variance {:.3}.\n\n",
        hyperparameters.lengthscales[0],
        hyperparameters.noise.typical(),
        hyperparameters.variance
    );
    text += &ending_table(&curves);
    std::fs::write(dir.join("gene.md"), text)?;
    Ok(())
}

/// The runs, method by method in the paper's order.
pub fn curves(table: &Table) -> Result<Vec<Curve>> {
    let mut curves = table.rows.iter().map(|row| curve(table, row)).collect::<Result<Vec<_>>>()?;
    curves.sort_by_key(|curve| PAPER.iter().position(|m| *m == curve.method).unwrap_or(PAPER.len()));
    Ok(curves)
}

fn curve(table: &Table, row: &[String]) -> Result<Curve> {
    Ok(Curve {
        method: row[table.column("method")?].clone(),
        best: split(&row[table.column("best")?]),
        seconds: split(&row[table.column("clock")?]),
        recommended: row[table.column("recommended")?].parse()?,
    })
}
