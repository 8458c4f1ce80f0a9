//! The font of all figures: how wide text in it is, and the outlines of its letters.
//!
//! It is part of the program, so that a PNG looks the same on a machine without fonts. An SVG only names it: viewers
//! have it, or Verdana, whose letters are as wide, or a narrower font.

use std::collections::HashMap;
use std::sync::LazyLock;

/// For an SVG's `font-family`.
pub(super) const FAMILY: &str = "'DejaVu Sans', Verdana, Geneva, sans-serif";

/// Units of an outline per font size.
const UNITS: f64 = 2048.0;

/// One of the two weights, as `font/outlines.py` writes it.
#[derive(Default)]
pub(super) struct Font {
    signs: HashMap<char, Sign>,
    none: Sign,
    kerning: HashMap<(char, char), f64>,
}

#[derive(Default)]
struct Sign {
    advance: f64,
    /// Where an accent stands; of an accent, what stands there.
    accent: (f64, f64),
    outline: &'static str,
}

static REGULAR: LazyLock<Font> = LazyLock::new(|| read(include_str!("font/regular.txt")));
static BOLD: LazyLock<Font> = LazyLock::new(|| read(include_str!("font/bold.txt")));

pub(super) fn font(bold: bool) -> &'static Font {
    if bold { &BOLD } else { &REGULAR }
}

fn read(text: &'static str) -> Font {
    let mut font = Font::default();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        read_line(&mut font, line).expect("the font of this program is sound");
    }
    font
}

fn read_line(font: &mut Font, line: &'static str) -> Option<()> {
    let (kind, rest) = line.split_once(' ')?;
    match kind {
        "none" => font.none = sign(rest)?,
        "sign" => {
            let (code, rest) = rest.split_once(' ')?;
            font.signs.insert(letter(code)?, sign(rest)?);
        }
        _ => {
            let mut words = rest.split(' ');
            let pair = (letter(words.next()?)?, letter(words.next()?)?);
            font.kerning.insert(pair, words.next()?.parse().ok()?);
        }
    }
    Some(())
}

fn letter(code: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(code, 16).ok()?)
}

fn sign(words: &'static str) -> Option<Sign> {
    let mut words = words.splitn(4, ' ');
    let mut number = || words.next()?.parse().ok();
    let (advance, accent) = (number()?, (number()?, number()?));
    Some(Sign { advance, accent, outline: words.next().unwrap_or("") })
}

/// A part of an outline, in units of the font, upwards.
pub(super) enum Part {
    Move([f64; 2]),
    Line([f64; 2]),
    /// Past a control point.
    Curve([f64; 4]),
    Close,
}

impl Font {
    fn sign(&self, letter: char) -> &Sign {
        self.signs.get(&letter).unwrap_or(&self.none)
    }

    /// The letters of a text, each with its position in pixels from the beginning of the text, rightwards and upwards,
    /// and the width of the text as drawn.
    pub(super) fn typeset(&self, text: &str, size: f64) -> (Vec<(char, [f64; 2])>, f64) {
        let mut pen = 0.0;
        let mut before: Option<(char, f64)> = None;
        let mut letters = Vec::new();
        for letter in text.chars() {
            let sign = self.sign(letter);
            let mut at = [pen, 0.0];
            if let Some((last, last_at)) = before {
                let shift = self.kerning.get(&(last, letter)).copied().unwrap_or(0.0);
                pen += shift;
                at[0] += shift;
                let under = self.sign(last).accent;
                if sign.advance == 0.0 && under != (0.0, 0.0) {
                    at = [last_at + under.0 - sign.accent.0, under.1 - sign.accent.1];
                }
            }
            letters.push((letter, at.map(|v| v * size / UNITS)));
            before = Some((letter, at[0]));
            pen += sign.advance;
        }
        (letters, pen * size / UNITS)
    }

    /// The outline of a letter, scaled to a font size.
    pub(super) fn outline(&self, letter: char, size: f64) -> Vec<Part> {
        let outline = self.sign(letter).outline;
        let starts = outline.char_indices().filter(|(_, c)| c.is_ascii_uppercase()).map(|(i, _)| i);
        let ends = starts.clone().skip(1).chain([outline.len()]);
        starts.zip(ends).map(|(start, end)| part(&outline[start..end], size / UNITS)).collect()
    }
}

fn part(text: &str, scale: f64) -> Part {
    let mut numbers = text[1..].split(' ').map(|word| scale * word.parse().unwrap_or(0.0));
    let mut next = || numbers.next().unwrap_or(0.0);
    match &text[..1] {
        "M" => Part::Move([next(), next()]),
        "L" => Part::Line([next(), next()]),
        "Q" => Part::Curve([next(), next(), next(), next()]),
        _ => Part::Close,
    }
}

/// How many pixels wide a text is, without kerning.
pub(super) fn width(text: &str, size: f64, bold: bool) -> f64 {
    let font = font(bold);
    size * text.chars().map(|c| font.sign(c).advance).sum::<f64>() / UNITS
}

/// Breaks a text into lines that are not wider than this many pixels.
pub(super) fn wrap(text: &str, size: f64, limit: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size, false) + width(word, size, false) + 0.3 * size <= limit => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_every_sign_that_figures_use() {
        let signs = "aZ09 −±×·²³¹⁰⁴⁵⁶⁷⁸⁹⁻₀₁₂₃αγεκμσφΦ∇≤≥≈√∞‖∈ⱼᵢₖ";
        for font in [&REGULAR, &BOLD] {
            let missing: String = signs.chars().filter(|c| !font.signs.contains_key(c)).collect();
            assert_eq!(missing, "");
        }
    }

    #[test]
    fn every_outline_is_made_of_closed_contours() {
        for font in [&REGULAR, &BOLD] {
            for letter in font.signs.keys() {
                let parts = font.outline(*letter, UNITS);
                let count = |kind: fn(&Part) -> bool| parts.iter().filter(|part| kind(part)).count();
                assert_eq!(count(|p| matches!(p, Part::Move(_))), count(|p| matches!(p, Part::Close)), "{letter}");
                assert!(!parts.is_empty() || letter.is_whitespace(), "{letter}");
            }
        }
    }

    #[test]
    fn letters_stand_side_by_side_with_kerning_and_accents() {
        let (letters, width) = REGULAR.typeset("nn", UNITS);
        assert_eq!((letters[1].1, width), ([1298.0, 0.0], 2596.0));
        let (pair, apart) = (REGULAR.typeset("AV", UNITS).1, super::width("AV", UNITS, false));
        assert!(pair < apart, "{pair} {apart}");
        // The accent of an L is above the L, and takes no room.
        let (letters, width) = REGULAR.typeset("L\u{302}", UNITS);
        assert_eq!((letters[1].1, width), ([298.0 + 512.0, 1520.0 - 1147.0], 1141.0));
    }

    #[test]
    fn a_sign_that_the_font_does_not_have_takes_room() {
        assert_eq!(width("字", 10.0, false), 10.0 * 1229.0 / UNITS);
    }

    #[test]
    fn wrapped_lines_keep_all_words_and_the_limit() {
        let text = "local penalization gives every point of a batch some elbow room";
        let lines = wrap(text, 12.0, 150.0);
        assert_eq!(lines.join(" "), text);
        assert!(lines.len() > 2 && lines.iter().all(|l| width(l, 12.0, false) <= 150.0));
    }
}
