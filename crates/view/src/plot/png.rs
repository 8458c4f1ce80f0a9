//! The picture as pixels.

use tiny_skia::{
    Color, FillRule, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Rect, Shader, Stroke as Pen, StrokeDash,
    Transform,
};

use super::font::{self, Part};
use super::layer::{Anchor, Frame};
use super::picture::{Element, Picture, Pixel, Text};
use super::style::Stroke;

/// Pixels of the PNG per pixel of the SVG.
const ZOOM: f32 = 2.0;

/// Draws a picture and returns the bytes of a PNG file.
pub(super) fn png(picture: &Picture) -> Result<Vec<u8>, String> {
    let pixels_of = |length: f64| (ZOOM * length.round() as f32).ceil() as u32;
    let mut pixels =
        Pixmap::new(pixels_of(picture.width), pixels_of(picture.height)).ok_or("the picture has no area")?;
    pixels.fill(Color::WHITE);
    let mut canvas = Canvas { pixels, cut: None };
    for element in &picture.elements {
        canvas.draw(element);
    }
    canvas.pixels.encode_png().map_err(|error| format!("the PNG cannot be written: {error}"))
}

struct Canvas {
    pixels: Pixmap,
    cut: Option<Mask>,
}

impl Canvas {
    fn draw(&mut self, element: &Element) {
        match element {
            Element::Clip(frame) => self.cut = self.mask(frame),
            Element::Unclip => self.cut = None,
            Element::Line { points, stroke } => self.stroke(outline(&[points], false), &line(stroke), stroke.colour),
            Element::Area { corners, colour, opacity } => self.fill(outline(&[corners], true), colour, *opacity),
            Element::Mark { corners, colour } => self.mark(outline(&[corners], true), colour),
            Element::Dot { centre: (x, y), radius, colour } => {
                self.mark(PathBuilder::from_circle(rounded(*x), rounded(*y), *radius as f32), colour);
            }
            Element::Cross { strokes: [a, b], colour, width } => {
                self.stroke(outline(&[a, b], false), &pen(rounded(*width)), colour);
            }
            Element::Text(text) => self.fill(letters(text), text.colour, 1.0),
        }
    }

    /// The mask of a frame.
    fn mask(&self, frame: &Frame) -> Option<Mask> {
        let size = [frame.right - frame.left, frame.bottom - frame.top].map(rounded);
        let inside = Rect::from_xywh(rounded(frame.left), rounded(frame.top), size[0], size[1])?;
        let mut mask = Mask::new(self.pixels.width(), self.pixels.height())?;
        mask.fill_path(&PathBuilder::from_rect(inside), FillRule::Winding, true, zoom());
        Some(mask)
    }

    /// Draws a filled mark with a white rim.
    fn mark(&mut self, path: Option<Path>, colour: &str) {
        self.fill(path.clone(), colour, 1.0);
        self.stroke(path, &pen(0.8), "#ffffff");
    }

    fn fill(&mut self, path: Option<Path>, colour: &str, opacity: f64) {
        if let Some(path) = path {
            self.pixels.fill_path(&path, &paint(colour, opacity), FillRule::Winding, zoom(), self.cut.as_ref());
        }
    }

    fn stroke(&mut self, path: Option<Path>, pen: &Pen, colour: &str) {
        if let Some(path) = path {
            self.pixels.stroke_path(&path, &paint(colour, 1.0), pen, zoom(), self.cut.as_ref());
        }
    }
}

fn zoom() -> Transform {
    Transform::from_scale(ZOOM, ZOOM)
}

/// A length as the SVG has it, which has one decimal.
fn rounded(length: f64) -> f32 {
    ((10.0 * length).round_ties_even() / 10.0) as f32
}

/// Contours through points, each up to the first that is not finite.
fn outline(contours: &[&[Pixel]], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for points in contours {
        let places = points.iter().map(|p| (rounded(p.0), rounded(p.1)));
        for (i, (x, y)) in places.take_while(|(x, y)| x.is_finite() && y.is_finite()).enumerate() {
            if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
        }
        if closed {
            path.close();
        }
    }
    path.finish()
}

fn line(stroke: &Stroke) -> Pen {
    let dash = stroke.dash.pattern(stroke.width).and_then(|d| StrokeDash::new(d.map(rounded).to_vec(), 0.0));
    Pen { line_join: LineJoin::Round, dash, ..pen(stroke.width as f32) }
}

fn pen(width: f32) -> Pen {
    Pen { width, ..Pen::default() }
}

/// A colour such as `#1d2733`, with an opacity from 0 (invisible) to 1.
fn paint(colour: &str, opacity: f64) -> Paint<'static> {
    let part = |from: usize| {
        colour.get(from..from + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).unwrap_or_default()
    };
    let alpha = (255.0 * opacity).round() as u8;
    let colour = Color::from_rgba8(part(1), part(3), part(5), alpha);
    Paint { shader: Shader::SolidColor(colour), anti_alias: true, ..Paint::default() }
}

/// The outlines of a text's letters, at their positions.
fn letters(text: &Text) -> Option<Path> {
    let font = font::font(text.bold);
    let (letters, width) = font.typeset(&text.text, text.size);
    let before = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => 0.5 * width,
        Anchor::End => width,
    };
    let (left, foot) = (rounded(text.at.0), rounded(text.at.1));
    let turned = |x: f64, y: f64| {
        if text.upward { (left - y as f32, foot - x as f32) } else { (left + x as f32, foot - y as f32) }
    };
    let mut path = PathBuilder::new();
    for (letter, [right, up]) in letters {
        let at = |x: f64, y: f64| turned(right - before + x, up + y);
        for part in font.outline(letter, text.size) {
            match part {
                Part::Move([x, y]) => {
                    let (x, y) = at(x, y);
                    path.move_to(x, y);
                }
                Part::Line([x, y]) => {
                    let (x, y) = at(x, y);
                    path.line_to(x, y);
                }
                Part::Curve([a, b, x, y]) => {
                    let ((a, b), (x, y)) = (at(a, b), at(x, y));
                    path.quad_to(a, b, x, y);
                }
                Part::Close => path.close(),
            }
        }
    }
    path.finish()
}
