//! The picture as SVG.

use std::fmt::Write;

use super::font::FAMILY;
use super::layer::{Anchor, Frame};
use super::picture::{Element, Picture, Place, Text};
use super::style::INK;

/// Writes a picture as SVG.
pub(super) fn svg(picture: &Picture) -> String {
    let (width, height, label) = (picture.width, picture.height, escape(&picture.description));
    let head = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}" font-family="{FAMILY}" fill="{INK}" role="img" aria-label="{label}">"#
    );
    let mut lines = vec![head, format!(r#"<rect width="{width:.0}" height="{height:.0}" fill="white"/>"#)];
    let mut n_clips = 0;
    for element in &picture.elements {
        if let Element::Clip(frame) = element {
            lines.push(clip(n_clips, frame));
            n_clips += 1;
        } else {
            lines.push(line(element));
        }
    }
    lines.push("</svg>\n".to_owned());
    lines.join("\n")
}

fn clip(id: usize, frame: &Frame) -> String {
    let (width, height) = (frame.right - frame.left, frame.bottom - frame.top);
    format!(
        r#"<clipPath id="c{id}"><rect x="{:.1}" y="{:.1}" width="{width:.1}" height="{height:.1}"/></clipPath><g clip-path="url(#c{id})">"#,
        frame.left, frame.top
    )
}

const RIM: &str = r#"stroke="white" stroke-width="0.8""#;

/// The line of an element.
fn line(element: &Element) -> String {
    match element {
        Element::Clip(frame) => clip(0, frame),
        Element::Unclip => "</g>".to_owned(),
        Element::Line { points, stroke } => {
            let dash = stroke.dash.pattern(stroke.width);
            let dash = dash.map_or(String::new(), |[on, off]| format!(r#" stroke-dasharray="{on:.1} {off:.1}""#));
            let (path, colour, width) = (path(points), stroke.colour, stroke.width);
            format!(
                r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"{dash}/>"#
            )
        }
        Element::Area { corners, colour, opacity } => {
            format!(r#"<path d="{}Z" fill="{colour}" fill-opacity="{opacity}"/>"#, path(corners))
        }
        Element::Mark { corners, colour } => format!(r#"<path d="{}Z" fill="{colour}" {RIM}/>"#, path(corners)),
        Element::Cross { strokes: [a, b], colour, width } => {
            format!(r#"<path d="{}{}" fill="none" stroke="{colour}" stroke-width="{width:.1}"/>"#, path(a), path(b))
        }
        Element::Dot { centre: (x, y), radius, colour } => {
            format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{colour}" {RIM}/>"#)
        }
        Element::Text(text) => words(text),
    }
}

fn words(text: &Text) -> String {
    let (x, y) = text.at;
    let place = if text.upward {
        format!(r#"transform="translate({x:.1} {y:.1}) rotate(-90)""#)
    } else {
        format!(r#"x="{x:.1}" y="{y:.1}""#)
    };
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => r#" text-anchor="middle""#,
        Anchor::End => r#" text-anchor="end""#,
    };
    let weight = if text.bold { r#" font-weight="bold""# } else { "" };
    let fill = if text.colour == INK { String::new() } else { format!(r#" fill="{}""#, text.colour) };
    format!(r#"<text {place} font-size="{}"{anchor}{weight}{fill}>{}</text>"#, text.size, escape(&text.text))
}

fn path(points: &[Place]) -> String {
    let mut path = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let command = if i == 0 { 'M' } else { 'L' };
        write!(path, "{command}{x:.1} {y:.1}").expect("a string takes everything");
    }
    path
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
