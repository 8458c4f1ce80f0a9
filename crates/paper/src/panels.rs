//! The paper's figure of six panels: a cheap, a moderate and an expensive function, each by batches and by time.
//!
//! It measures nothing: it is drawn from the files that `cosines`, `gene` and `svr` have left in their folders.

use std::path::Path;

use crate::Result;
use crate::curves::{Average, Curve, legend, methods_of, panels};
use crate::methods::{PAPER, is_sequential, variant_of};
use crate::options::Options;
use crate::raw::{Table, split};
use elbowroom_view::plot::{Axis, Figure};

/// The smallest regret that a figure shows.
const FLOOR: f64 = 1e-6;

/// Draws the figure.
pub fn run(options: &Options) -> Result<()> {
    let dir = options.prepare("panels")?;
    let folder = |experiment: &str| Options { out: None, ..options.clone() }.dir(experiment);
    let cosines = paper_only(cosines(&folder("cosines"))?);
    let genes = paper_only(crate::gene::curves(&folder("gene"))?);
    let svr = paper_only(crate::svr::curves(&folder("svr"))?);

    let choosing = Axis::log("CPU seconds of choosing; evaluations cost nothing");
    let plate = Axis::linear("1 s for each batch, and CPU seconds of choosing it");
    let training = Axis::linear("CPU seconds of choosing, and of a batch's slowest training");
    let quick = if options.quick { ": a quick run, with GENERATED data in (c) to (f)" } else { "" };
    let figure = Figure {
        title: format!("A cheap, a moderate and an expensive function{quick}"),
        subtitle: "Cosines on [0, 1]², batches of 5 (median regret); a surrogate of 71 dimensions trained on yeast genes, not \
                   the paper's data, batches of 10 (mean, larger is better); a support vector regression on 5,000 rows of \
                   the protein data, batches of 10 (mean). Marks are evaluated batches; bands, quartiles or a standard \
                   error, are drawn for LP alone."
            .into(),
        // Cosines has the longest list of methods.
        legend: legend(&cosines),
        panels: [
            panels(&cosines, Average::Median, &Axis::log("regret"), &choosing, ["(a) Cosines: by batches", "(b) Cosines: by time"]),
            panels(&genes, Average::Mean, &Axis::linear("predicted log10 protein"), &plate, ["(c) genes: by batches", "(d) genes: by time"]),
            panels(&svr, Average::Mean, &Axis::linear("test error (RMSE)"), &training, ["(e) SVR: by batches", "(f) SVR: by time"]),
        ]
        .concat(),
        columns: 2,
        panel_size: (430.0, 270.0),
    };
    Ok(figure.write(&dir, "panels")?)
}

/// The paper's methods: with more of them the figure would be unreadable. If one is missing, its variant stands for it.
fn paper_only(mut curves: Vec<Curve>) -> Vec<Curve> {
    let there: Vec<String> = methods_of(&curves).into_iter().map(String::from).collect();
    let place = |name: &str| {
        let base = variant_of(name).filter(|base| !there.iter().any(|m| m == base)).unwrap_or(name);
        PAPER.iter().position(|method| *method == base)
    };
    curves.retain(|curve| place(&curve.method).is_some());
    curves.sort_by_key(|curve| place(&curve.method));
    curves
}

/// The runs on [0, 1]² under the library's model. Sequential methods ran for longer; here they are cut to as many
/// rounds as the others.
fn cosines(dir: &Path) -> Result<Vec<Curve>> {
    let table = Table::read(dir)?;
    let [domain, model, method] = [table.column("domain")?, table.column("model")?, table.column("method")?];
    let [regret, cpu, recommended] =
        [table.column("regret_curve")?, table.column("cpu_curve")?, table.column("recommended")?];
    let rows: Vec<&Vec<String>> =
        table.rows.iter().filter(|row| row[domain] == "[0,1]" && row[model] == "modern").collect();
    let batches = rows.iter().filter(|row| !is_sequential(&row[method]));
    let n = batches.map(|row| split(&row[regret]).len()).max().unwrap_or(usize::MAX);
    let curve = |row: &&Vec<String>| Curve {
        method: row[method].clone(),
        best: split(&row[regret]).into_iter().take(n).map(|r| r.max(FLOOR)).collect(),
        seconds: split(&row[cpu]).into_iter().take(n).collect(),
        recommended: row[recommended].parse().unwrap_or(f64::NAN),
    };
    Ok(rows.iter().map(curve).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_stands_for_a_method_of_the_paper_that_is_not_there() {
        let curve = |method: &str| Curve { method: method.into(), best: vec![], seconds: vec![], recommended: 0.0 };
        let names = |all: &[&str]| -> Vec<String> {
            paper_only(all.iter().map(|m| curve(m)).collect()).into_iter().map(|c| c.method).collect()
        };
        assert_eq!(names(&["LP-UCB-guarded", "LP", "EI"]), ["EI", "LP-UCB-guarded"]);
        assert_eq!(names(&["LP-UCB-guarded", "LP-UCB"]), ["LP-UCB"]);
    }
}
