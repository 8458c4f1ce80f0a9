//! The few SVG elements that figures are made of.

use std::fmt::Write;

use super::font::FAMILY;
use super::layer::{Anchor, Frame};
use super::style::{INK, Marker, Stroke};

/// A picture in the making.
pub(super) struct Svg {
    text: String,
    n_clips: usize,
}

impl Svg {
    /// A white picture of a size, with words for those who cannot see it.
    pub(super) fn new(width: f64, height: f64, description: &str) -> Self {
        let mut svg = Self { text: String::new(), n_clips: 0 };
        let label = escape(description);
        svg.push(&format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}" font-family="{FAMILY}" fill="{INK}" role="img" aria-label="{label}">"#
        ));
        svg.push(&format!(r#"<rect width="{width:.0}" height="{height:.0}" fill="white"/>"#));
        svg
    }

    /// The finished text.
    pub(super) fn finish(mut self) -> String {
        self.push("</svg>");
        self.text
    }

    /// What follows is cut at a frame, until [`Svg::unclip`].
    pub(super) fn clip(&mut self, frame: Frame) {
        let id = self.n_clips;
        self.n_clips += 1;
        let (width, height) = (frame.right - frame.left, frame.bottom - frame.top);
        self.push(&format!(
            r#"<clipPath id="c{id}"><rect x="{:.1}" y="{:.1}" width="{width:.1}" height="{height:.1}"/></clipPath><g clip-path="url(#c{id})">"#,
            frame.left, frame.top
        ));
    }

    /// Ends a cut.
    pub(super) fn unclip(&mut self) {
        self.push("</g>");
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        self.polyline([from, to].into_iter(), stroke);
    }

    pub(super) fn polyline(&mut self, points: impl Iterator<Item = (f64, f64)>, stroke: Stroke) {
        let path = path(points);
        let dash = stroke.dash.pattern(stroke.width).map_or(String::new(), |d| format!(r#" stroke-dasharray="{d}""#));
        self.push(&format!(
            r#"<path d="{path}" fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round"{dash}/>"#,
            stroke.colour, stroke.width
        ));
    }

    pub(super) fn polygon(&mut self, points: impl Iterator<Item = (f64, f64)>, colour: &str, opacity: f64) {
        let path = path(points);
        self.push(&format!(r#"<path d="{path}Z" fill="{colour}" fill-opacity="{opacity}"/>"#));
    }

    pub(super) fn marker(&mut self, (x, y): (f64, f64), marker: Marker, colour: &str, size: f64) {
        let at = |points: &[(f64, f64)]| path(points.iter().map(|p| (x + size * p.0, y + size * p.1)));
        let rim = r#"stroke="white" stroke-width="0.8""#;
        let filled = |points: &[(f64, f64)]| format!(r#"<path d="{}Z" fill="{colour}" {rim}/>"#, at(points));
        let crossed = |a: [(f64, f64); 2], b: [(f64, f64); 2]| {
            let width = 0.55 * size;
            format!(r#"<path d="{}{}" fill="none" stroke="{colour}" stroke-width="{width:.1}"/>"#, at(&a), at(&b))
        };
        let mark = match marker {
            Marker::Circle => format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{size}" fill="{colour}" {rim}/>"#),
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
        };
        self.push(&mark);
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), text: &str, anchor: Anchor, size: f64, bold: bool, colour: &str) {
        self.text_with(&format!(r#"x="{x:.1}" y="{y:.1}""#), text, anchor, size, bold, colour);
    }

    /// Text that reads upwards.
    pub(super) fn upward_text(&mut self, (x, y): (f64, f64), text: &str, size: f64) {
        let place = format!(r#"transform="translate({x:.1} {y:.1}) rotate(-90)""#);
        self.text_with(&place, text, Anchor::Middle, size, false, INK);
    }

    fn text_with(&mut self, place: &str, text: &str, anchor: Anchor, size: f64, bold: bool, colour: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let weight = if bold { r#" font-weight="bold""# } else { "" };
        let fill = if colour == INK { String::new() } else { format!(r#" fill="{colour}""#) };
        self.push(&format!(r#"<text {place} font-size="{size}"{anchor}{weight}{fill}>{}</text>"#, escape(text)));
    }

    fn push(&mut self, element: &str) {
        self.text.push_str(element);
        self.text.push('\n');
    }
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (i, (x, y)) in points.enumerate() {
        let command = if i == 0 { 'M' } else { 'L' };
        write!(path, "{command}{x:.1} {y:.1}").expect("a string takes everything");
    }
    path
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
