//! A figure: title, legend, panels in a grid.

use std::fs;
use std::path::Path;

use super::axis::{Axis, Ruler, Scale, ticks};
use super::layer::{Anchor, Frame, Layer};
use super::legend::{self, Key};
use super::picture::Picture;
use super::style::{Dash, INK, Stroke};
use super::{font, png, svg};

/// Two axes and what is drawn between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The title above the panel.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The layers, from the lowest to the uppermost.
    pub layers: Vec<Layer>,
}

impl Panel {
    /// An empty panel.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self { title: title.into(), x, y, layers: Vec::new() }
    }

    /// The width in pixels of the names of the vertical axis.
    fn left(&self) -> f64 {
        let widest = self.y.names.iter().map(|name| font::width(name, TICK, false)).fold(0.0, f64::max);
        if self.y.label.is_empty() { widest + 12.0 } else { widest + 32.0 }
    }

    /// The smallest and the largest finite values in x and in y that can be shown.
    fn data_range(&self) -> ((f64, f64), (f64, f64)) {
        let empty = (f64::INFINITY, f64::NEG_INFINITY);
        let wider = |range: (f64, f64), value: Option<f64>, axis: &Axis| match value {
            Some(v) if v.is_finite() && (v > 0.0 || axis.scale == Scale::Linear) => (range.0.min(v), range.1.max(v)),
            _ => range,
        };
        let places = self.layers.iter().flat_map(Layer::extent);
        places.fold((empty, empty), |(x, y), (px, py)| (wider(x, px, &self.x), wider(y, py, &self.y)))
    }
}

/// Panels in a grid with a title, a subtitle and one legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What the figure shows, in one line.
    pub title: String,
    /// What a reader needs to know: budget, replicates, the meaning of bands.
    pub subtitle: String,
    /// Entries of the legend.
    pub legend: Vec<Key>,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// The number of panels in a row.
    pub columns: usize,
    /// Width and height of the inside of a panel in pixels.
    pub panel_size: (f64, f64),
}

const EDGE: f64 = 18.0;
const LEFT_OF_PANEL: f64 = 62.0;
const RIGHT_OF_PANEL: f64 = 20.0;
const ABOVE_PANEL: f64 = 30.0;
const BELOW_PANEL: f64 = 48.0;
const TITLE: f64 = 18.0;
const TICK: f64 = 12.0;
const SUBTITLE: f64 = 12.5;

impl Figure {
    /// The picture as SVG.
    pub fn svg(&self) -> String {
        svg::svg(&self.picture())
    }

    /// Draws all elements at their positions.
    fn picture(&self) -> Picture {
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        let n_rows = self.panels.len().div_ceil(columns);
        let left_of_panel = self.panels.iter().map(Panel::left).fold(LEFT_OF_PANEL, f64::max);
        let cell = (left_of_panel + self.panel_size.0 + RIGHT_OF_PANEL, ABOVE_PANEL + self.panel_size.1 + BELOW_PANEL);
        let inside = columns as f64 * cell.0;
        let subtitle = font::wrap(&self.subtitle, SUBTITLE, inside);
        let legend_top = EDGE + TITLE + 10.0 + (SUBTITLE + 4.5) * subtitle.len() as f64 + 4.0;
        let panels_top = legend_top + legend::height(&self.legend, inside) + 4.0;
        let height = panels_top + n_rows as f64 * cell.1 + EDGE - 8.0;

        let mut out = Picture::new(inside + 2.0 * EDGE, height, format!("{}. {}", self.title, self.subtitle));
        out.text((EDGE, EDGE + TITLE - 2.0), &self.title, Anchor::Start, TITLE, true, INK);
        for (i, line) in subtitle.iter().enumerate() {
            let y = EDGE + TITLE + 8.0 + (SUBTITLE + 4.5) * (i as f64 + 0.8);
            out.text((EDGE, y), line, Anchor::Start, SUBTITLE, false, FAINT);
        }
        legend::draw(&mut out, &self.legend, (EDGE, legend_top), inside);
        for (i, panel) in self.panels.iter().enumerate() {
            let left = EDGE + (i % columns) as f64 * cell.0 + left_of_panel;
            let top = panels_top + (i / columns) as f64 * cell.1 + ABOVE_PANEL;
            let frame = Frame { left, right: left + self.panel_size.0, top, bottom: top + self.panel_size.1 };
            draw_panel(&mut out, panel, frame);
        }
        out
    }

    /// The picture as the bytes of a PNG file, of twice the size.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        png::png(&self.picture())
    }

    /// Writes `NAME.svg` and `NAME.png` into a folder.
    pub fn write(&self, folder: &Path, name: &str) -> Result<(), String> {
        let picture = self.picture();
        let save = |ending: &str, bytes: &[u8]| {
            let path = folder.join(format!("{name}.{ending}"));
            fs::write(&path, bytes).map_err(|error| format!("{} cannot be written: {error}", path.display()))
        };
        save("svg", svg::svg(&picture).as_bytes())?;
        save("png", &png::png(&picture)?)
    }
}

const FAINT: &str = "#55606d";
const GRID: Stroke = Stroke { colour: "#e4e8ed", width: 1.0, dash: Dash::Solid };
const RIM: Stroke = Stroke { colour: INK, width: 1.0, dash: Dash::Solid };

fn draw_panel(out: &mut Picture, panel: &Panel, frame: Frame) {
    let (data_x, data_y) = panel.data_range();
    let x = Ruler::new(&panel.x, data_x, frame.left, frame.right);
    let y = Ruler::new(&panel.y, data_y, frame.bottom, frame.top);
    let (x_ticks, y_ticks) = (ticks(&panel.x, &x), ticks(&panel.y, &y));
    if panel.x.numbers {
        for (value, text) in &x_ticks {
            let at = x.position(*value);
            out.line((at, frame.top), (at, frame.bottom), GRID);
            out.text((at, frame.bottom + 17.0), text, Anchor::Middle, TICK, false, INK);
        }
    }
    if panel.y.numbers {
        for (value, text) in &y_ticks {
            let at = y.position(*value);
            out.line((frame.left, at), (frame.right, at), GRID);
            out.text((frame.left - 7.0, at + 4.2), text, Anchor::End, TICK, false, INK);
        }
    }
    out.clip(frame);
    for layer in &panel.layers {
        layer.draw(out, &x, &y, frame);
    }
    out.unclip();
    let corner = (frame.left, frame.bottom);
    out.line((frame.left, frame.top), corner, RIM);
    out.line(corner, (frame.right, frame.bottom), RIM);
    let middle = 0.5 * (frame.left + frame.right);
    out.text((frame.left, frame.top - 10.0), &panel.title, Anchor::Start, 13.5, true, INK);
    out.text((middle, frame.bottom + 36.0), &panel.x.label, Anchor::Middle, 12.5, false, INK);
    let widest = y_ticks.iter().map(|(_, t)| font::width(t, TICK, false)).fold(0.0, f64::max);
    let from_axis =
        if panel.y.numbers { (widest + 16.0).clamp(32.0, panel.left().max(LEFT_OF_PANEL) - 10.0) } else { 14.0 };
    out.upward_text((frame.left - from_axis, 0.5 * (frame.top + frame.bottom)), &panel.y.label, 12.5);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Marker, VERMILLION};

    #[test]
    fn a_figure_becomes_svg_and_a_png_of_twice_its_size() {
        let mut panel = Panel::new("a & b", Axis::linear("x < y"), Axis::log("y"));
        panel.layers = vec![
            Layer::Line { points: vec![(0.0, 1.0), (1.0, 100.0)], stroke: Stroke::dashed(VERMILLION) },
            Layer::Marks { points: vec![(0.5, 10.0)], marker: Marker::Star, colour: VERMILLION, size: 4.0 },
        ];
        let figure = Figure {
            title: "title".into(),
            subtitle: "subtitle".into(),
            legend: vec![Key::new("key").line(Stroke::solid(VERMILLION))],
            panels: vec![panel],
            columns: 1,
            panel_size: (300.0, 200.0),
        };
        let svg = figure.svg();
        assert!(svg.contains("a &amp; b") && svg.contains("x &lt; y"));
        let bytes = figure.png().unwrap();
        // The header of a PNG holds its width in bytes 16 to 19.
        let width = u32::from_be_bytes([bytes[16], bytes[17], bytes[18], bytes[19]]);
        assert_eq!(width, 2 * (300 + 62 + 20 + 36));
    }
}
