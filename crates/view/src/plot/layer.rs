//! What a panel shows, in the units of its axes.

use super::axis::Ruler;
use super::picture::Picture;
use super::style::{Marker, Stroke};

/// Which part of a text is at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// One element of a panel; later ones cover earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    /// A line through points.
    Line {
        /// The points, in order.
        points: Vec<(f64, f64)>,
        /// Its look.
        stroke: Stroke,
    },
    /// The area between a lower and an upper curve: x, low, high.
    Band {
        /// The two curves.
        points: Vec<(f64, f64, f64)>,
        /// Its colour.
        colour: &'static str,
        /// From 0, not seen, to 1.
        opacity: f64,
    },
    /// Marks at points.
    Marks {
        /// Where.
        points: Vec<(f64, f64)>,
        /// Their shape.
        marker: Marker,
        /// Their colour.
        colour: &'static str,
        /// Their radius in pixels.
        size: f64,
    },
    /// Vertical bars: x, low, high.
    Bars {
        /// Where.
        points: Vec<(f64, f64, f64)>,
        /// Their look.
        stroke: Stroke,
    },
    /// A horizontal bar with caps, such as a ball on a line: low and high in x, and its y.
    Interval {
        /// Where it begins.
        low: f64,
        /// Where it ends.
        high: f64,
        /// At which height.
        at: f64,
        /// Its look.
        stroke: Stroke,
    },
    /// A strip of the panel between two values of x.
    Strip {
        /// Where it begins.
        low: f64,
        /// Where it ends.
        high: f64,
        /// Its colour.
        colour: &'static str,
        /// From 0, not seen, to 1.
        opacity: f64,
    },
    /// A round mark of a radius in the units of the axes.
    Circle {
        /// Its centre.
        centre: (f64, f64),
        /// Its radius in each axis.
        radius: (f64, f64),
        /// Its look.
        stroke: Stroke,
    },
    /// A horizontal line through the whole panel.
    Level {
        /// Its height.
        at: f64,
        /// Its look.
        stroke: Stroke,
    },
    /// A vertical line through the whole panel.
    Upright {
        /// Its position.
        at: f64,
        /// Its look.
        stroke: Stroke,
    },
    /// Words.
    Text {
        /// Where.
        at: (f64, f64),
        /// Moved by this many pixels, right and down.
        shift: (f64, f64),
        /// What they say.
        text: String,
        /// Which part of the text is there.
        anchor: Anchor,
        /// Their colour.
        colour: &'static str,
    },
}

impl Layer {
    /// All positions that the axes have to include.
    pub(super) fn extent(&self) -> Vec<(Option<f64>, Option<f64>)> {
        let pair = |&(x, y): &(f64, f64)| (Some(x), Some(y));
        let both = |&(x, low, high): &(f64, f64, f64)| [(Some(x), Some(low)), (Some(x), Some(high))];
        match self {
            Layer::Line { points, .. } | Layer::Marks { points, .. } => points.iter().map(pair).collect(),
            Layer::Band { points, .. } | Layer::Bars { points, .. } => points.iter().flat_map(both).collect(),
            Layer::Interval { low, high, at, .. } => vec![(Some(*low), Some(*at)), (Some(*high), Some(*at))],
            Layer::Level { at, .. } => vec![(None, Some(*at))],
            Layer::Upright { at, .. } => vec![(Some(*at), None)],
            Layer::Strip { .. } | Layer::Circle { .. } | Layer::Text { .. } => Vec::new(),
        }
    }

    /// Draws the layer at the positions that the rulers give.
    pub(super) fn draw(&self, out: &mut Picture, x: &Ruler, y: &Ruler, frame: Frame) {
        let place = |&(a, b): &(f64, f64)| (x.position(a), y.position(b));
        match self {
            Layer::Line { points, stroke } => out.polyline(points.iter().map(place), *stroke),
            Layer::Band { points, colour, opacity } => {
                let there = points.iter().map(|p| (x.position(p.0), y.position(p.2)));
                let back = points.iter().rev().map(|p| (x.position(p.0), y.position(p.1)));
                out.polygon(there.chain(back), colour, *opacity);
            }
            Layer::Marks { points, marker, colour, size } => {
                for point in points {
                    out.marker(place(point), *marker, colour, *size);
                }
            }
            Layer::Bars { points, stroke } => {
                for &(at, low, high) in points {
                    let (at, low, high) = (x.position(at), y.position(low), y.position(high));
                    out.line((at, low), (at, high), *stroke);
                    for end in [low, high] {
                        out.line((at - 3.0, end), (at + 3.0, end), *stroke);
                    }
                }
            }
            Layer::Interval { low, high, at, stroke } => {
                let (low, high, at) = (x.position(*low), x.position(*high), y.position(*at));
                out.line((low, at), (high, at), *stroke);
                for end in [low, high] {
                    out.line((end, at - 5.0), (end, at + 5.0), *stroke);
                }
            }
            Layer::Strip { low, high, colour, opacity } => {
                let (low, high) = (x.position(*low), x.position(*high));
                let corners = [(low, frame.top), (high, frame.top), (high, frame.bottom), (low, frame.bottom)];
                out.polygon(corners.into_iter(), colour, *opacity);
            }
            Layer::Circle { centre, radius, stroke } => {
                let around = (0..=72).map(|k| (k as f64 * 5.0).to_radians());
                let round = around.map(|a| place(&(centre.0 + radius.0 * a.cos(), centre.1 + radius.1 * a.sin())));
                out.polyline(round, *stroke);
            }
            Layer::Level { at, stroke } => {
                out.line((frame.left, y.position(*at)), (frame.right, y.position(*at)), *stroke);
            }
            Layer::Upright { at, stroke } => {
                out.line((x.position(*at), frame.top), (x.position(*at), frame.bottom), *stroke);
            }
            Layer::Text { at, shift, text, anchor, colour } => {
                let (px, py) = place(at);
                out.text((px + shift.0, py + shift.1), text, *anchor, 12.0, false, colour);
            }
        }
    }
}

/// The edges of a panel in pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}
