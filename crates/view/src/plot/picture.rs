//! A picture as a list of the few things that figures are made of, before it is SVG or pixels.

use super::layer::{Anchor, Frame};
use super::style::{INK, Marker, Stroke};

/// A position in pixels, from the upper left corner.
pub(super) type Pixel = (f64, f64);

/// A white background with elements on top of each other.
pub(super) struct Picture {
    pub width: f64,
    pub height: f64,
    /// A text for readers who cannot see the picture.
    pub description: String,
    pub elements: Vec<Element>,
}

pub(super) enum Element {
    /// What follows is cut at a frame.
    Clip(Frame),
    /// Ends a cut.
    Unclip,
    Line {
        points: Vec<Pixel>,
        stroke: Stroke,
    },
    Area {
        corners: Vec<Pixel>,
        colour: &'static str,
        opacity: f64,
    },
    /// A mark with corners and a white rim.
    Mark {
        corners: Vec<Pixel>,
        colour: &'static str,
    },
    /// A mark of two strokes.
    Cross {
        strokes: [[Pixel; 2]; 2],
        colour: &'static str,
        width: f64,
    },
    /// A round mark with a white rim.
    Dot {
        centre: Pixel,
        radius: f64,
        colour: &'static str,
    },
    Text(Text),
}

pub(super) struct Text {
    /// The position of the baseline, at the end that `anchor` says.
    pub at: Pixel,
    pub text: String,
    pub anchor: Anchor,
    pub size: f64,
    pub bold: bool,
    /// Whether it reads upwards.
    pub upward: bool,
    pub colour: &'static str,
}

impl Picture {
    pub(super) fn new(width: f64, height: f64, description: String) -> Self {
        Self { width, height, description, elements: Vec::new() }
    }

    /// What follows is cut at a frame, until [`Picture::unclip`].
    pub(super) fn clip(&mut self, frame: Frame) {
        self.elements.push(Element::Clip(frame));
    }

    /// Ends a cut.
    pub(super) fn unclip(&mut self) {
        self.elements.push(Element::Unclip);
    }

    pub(super) fn line(&mut self, from: Pixel, to: Pixel, stroke: Stroke) {
        self.polyline([from, to].into_iter(), stroke);
    }

    pub(super) fn polyline(&mut self, points: impl Iterator<Item = Pixel>, stroke: Stroke) {
        self.elements.push(Element::Line { points: points.collect(), stroke });
    }

    pub(super) fn polygon(&mut self, corners: impl Iterator<Item = Pixel>, colour: &'static str, opacity: f64) {
        self.elements.push(Element::Area { corners: corners.collect(), colour, opacity });
    }

    pub(super) fn marker(&mut self, (x, y): Pixel, marker: Marker, colour: &'static str, size: f64) {
        let at = |p: &Pixel| (x + size * p.0, y + size * p.1);
        let filled = |corners: &[Pixel]| Element::Mark { corners: corners.iter().map(at).collect(), colour };
        let crossed = |a: [Pixel; 2], b: [Pixel; 2]| Element::Cross {
            strokes: [a, b].map(|ends| ends.map(|end| at(&end))),
            colour,
            width: 0.55 * size,
        };
        self.elements.push(match marker {
            Marker::Circle => Element::Dot { centre: (x, y), radius: size, colour },
            Marker::Square => filled(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Marker::Triangle => filled(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
            Marker::Down => filled(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]),
            Marker::Diamond => filled(&[(0.0, -1.3), (1.0, 0.0), (0.0, 1.3), (-1.0, 0.0)]),
            Marker::Plus => crossed([(-1.1, 0.0), (1.1, 0.0)], [(0.0, -1.1), (0.0, 1.1)]),
            Marker::Cross => crossed([(-0.85, -0.85), (0.85, 0.85)], [(-0.85, 0.85), (0.85, -0.85)]),
            Marker::Tick => crossed([(0.0, -1.0), (0.0, 1.0)], [(0.0, 0.0), (0.0, 0.0)]),
            Marker::Star => {
                let radius = |k: usize| if k.is_multiple_of(2) { 1.5 } else { 0.62 };
                let corner = |k: usize| (k as f64 * 36.0).to_radians();
                let star: Vec<_> =
                    (0..10).map(|k| (radius(k) * corner(k).sin(), -radius(k) * corner(k).cos())).collect();
                filled(&star)
            }
        });
    }

    pub(super) fn text(&mut self, at: Pixel, text: &str, anchor: Anchor, size: f64, bold: bool, colour: &'static str) {
        let text = text.to_owned();
        self.elements.push(Element::Text(Text { at, text, anchor, size, bold, upward: false, colour }));
    }

    /// Text that reads upwards.
    pub(super) fn upward_text(&mut self, at: Pixel, text: &str, size: f64) {
        let text = text.to_owned();
        let (anchor, colour) = (Anchor::Middle, INK);
        self.elements.push(Element::Text(Text { at, text, anchor, size, bold: false, upward: true, colour }));
    }
}
