//! The table as a picture: a panel for every cell, a line for every method.

use std::path::Path;

use super::cells::{Cell, Cells};
use crate::Result;
use crate::stats::quantile;
use crate::style::look_of_method;
use elbowroom_view::plot::{Axis, Dash, Figure, Layer, Panel, Stroke};

/// The smallest regret that a figure shows.
const FLOOR: f64 = 1e-7;

/// Writes the figure of a page next to the page.
pub fn write(dir: &Path, name: &str, title: &str, budget: &str, cells: &Cells) -> Result<()> {
    let mut sizes: Vec<usize> = cells.places.iter().map(|place| place.n_b).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let figure = Figure {
        title: title.into(),
        subtitle: format!(
            "Regret at the end (the best value less the minimum), less is better: median, with a bar from quartile to \
             quartile. All methods get {budget}; sequential ones take one point per round. Methods that \
             the paper has not are variants, descendants and yardsticks."
        ),
        legend: Vec::new(),
        panels: cells.places.iter().map(|place| panel(cells, *place)).collect(),
        columns: sizes.len(),
        panel_size: (250.0, 17.0 * cells.methods.len() as f64),
    };
    Ok(figure.write(dir, name)?)
}

fn panel(cells: &Cells, place: Cell) -> Panel {
    let title = format!("d = {}, n_b = {}", place.d, place.n_b);
    let mut panel = Panel::new(title, Axis::log("regret"), Axis::named(cells.methods.clone()));
    for (i, method) in cells.methods.iter().enumerate() {
        let Some(values) = cells.get(method, place) else { continue };
        let (logs, look, at) = (values.logs(), look_of_method(method), i as f64);
        let [low, middle, high] = [0.25, 0.5, 0.75].map(|p| 10f64.powf(quantile(&logs, p)).max(FLOOR));
        let stroke = Stroke { dash: Dash::Solid, ..look.stroke };
        panel.layers.push(Layer::Interval { low, high, at, stroke });
        let (points, colour) = (vec![(middle, at)], look.stroke.colour);
        panel.layers.push(Layer::Marks { points, marker: look.marker, colour, size: 5.0 });
    }
    panel
}
