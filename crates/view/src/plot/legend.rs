//! The legend: samples of lines, bands and marks with their names, in rows above the panels.

use super::font;
use super::layer::Anchor;
use super::picture::Picture;
use super::style::{INK, Look, Marker, Stroke};

/// One entry of the legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    name: String,
    stroke: Option<Stroke>,
    band: Option<(&'static str, f64)>,
    mark: Option<(Marker, &'static str, f64)>,
}

impl Key {
    /// An entry with a name and no sample yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), stroke: None, band: None, mark: None }
    }

    /// The entry of a method.
    pub fn of_look(name: impl Into<String>, look: Look) -> Self {
        Self::new(name).line(look.stroke).mark(look.marker, look.stroke.colour, 4.0)
    }

    /// With a line.
    pub fn line(self, stroke: Stroke) -> Self {
        Self { stroke: Some(stroke), ..self }
    }

    /// With a band of a colour and opacity.
    pub fn band(self, colour: &'static str, opacity: f64) -> Self {
        Self { band: Some((colour, opacity)), ..self }
    }

    /// With a mark.
    pub fn mark(self, marker: Marker, colour: &'static str, size: f64) -> Self {
        Self { mark: Some((marker, colour, size)), ..self }
    }

    fn sample_width(&self) -> f64 {
        if self.stroke.is_some() || self.band.is_some() { 34.0 } else { 14.0 }
    }

    fn width(&self) -> f64 {
        self.sample_width() + 6.0 + font::width(&self.name, TEXT, false) + 22.0
    }
}

const TEXT: f64 = 12.5;
const ROW: f64 = 21.0;

/// Entries in rows that are not wider than this many pixels.
fn rows(keys: &[Key], limit: f64) -> Vec<Vec<&Key>> {
    let mut rows: Vec<(f64, Vec<&Key>)> = Vec::new();
    for key in keys {
        match rows.last_mut() {
            Some((used, row)) if *used + key.width() <= limit => {
                *used += key.width();
                row.push(key);
            }
            _ => rows.push((key.width(), vec![key])),
        }
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The height of the legend.
pub(super) fn height(keys: &[Key], limit: f64) -> f64 {
    ROW * rows(keys, limit).len() as f64
}

/// Draws the legend with its upper left corner at a position.
pub(super) fn draw(out: &mut Picture, keys: &[Key], (left, top): (f64, f64), limit: f64) {
    for (i, row) in rows(keys, limit).into_iter().enumerate() {
        let middle = top + ROW * (i as f64 + 0.5);
        let mut x = left;
        for key in row {
            let width = key.sample_width();
            if let Some((colour, opacity)) = key.band {
                let corners =
                    [(x, middle - 6.0), (x + width, middle - 6.0), (x + width, middle + 6.0), (x, middle + 6.0)];
                out.polygon(corners.into_iter(), colour, opacity);
            }
            if let Some(stroke) = key.stroke {
                out.line((x, middle), (x + width, middle), stroke);
            }
            if let Some((marker, colour, size)) = key.mark {
                out.marker((x + 0.5 * width, middle), marker, colour, size);
            }
            out.text((x + width + 6.0, middle + 0.36 * TEXT), &key.name, Anchor::Start, TEXT, false, INK);
            x += key.width();
        }
    }
}
