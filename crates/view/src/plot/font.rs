//! The font of all figures, and how wide text in it is.
//!
//! It is part of the program, so that a PNG looks the same on a machine without fonts. An SVG only names it: its readers
//! have it, or Verdana, whose letters are as wide, or something narrower.

use resvg::usvg::fontdb::Database;
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// For an SVG's `font-family`.
pub(super) const FAMILY: &str = "'DejaVu Sans', Verdana, Geneva, sans-serif";

const REGULAR: &[u8] = include_bytes!("font/DejaVuSans.ttf");
const BOLD: &[u8] = include_bytes!("font/DejaVuSans-Bold.ttf");

/// The fonts to draw a PNG with.
pub(super) fn database() -> Database {
    let mut fonts = Database::new();
    fonts.load_font_data(REGULAR.to_vec());
    fonts.load_font_data(BOLD.to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    fonts
}

/// How many pixels wide a text is.
pub(super) fn width(text: &str, size: f64, bold: bool) -> f64 {
    let font = font(if bold { BOLD } else { REGULAR });
    let (glyphs, widths) = (font.charmap(), font.glyph_metrics(Size::new(1000.0), LocationRef::default()));
    let advance = |c: char| glyphs.map(c).and_then(|glyph| widths.advance_width(glyph)).unwrap_or(600.0);
    size * text.chars().map(|c| f64::from(advance(c))).sum::<f64>() / 1000.0
}

fn font(bytes: &[u8]) -> FontRef<'_> {
    FontRef::new(bytes).expect("the font of this program is sound")
}

/// Breaks a text into lines that are not wider than so many pixels.
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
        for bytes in [REGULAR, BOLD] {
            let glyphs = font(bytes).charmap();
            let missing: String = signs.chars().filter(|c| glyphs.map(*c).is_none()).collect();
            assert_eq!(missing, "");
        }
    }

    #[test]
    fn wrapped_lines_keep_all_words_and_the_limit() {
        let text = "local penalization gives every point of a batch some elbow room";
        let lines = wrap(text, 12.0, 150.0);
        assert_eq!(lines.join(" "), text);
        assert!(lines.len() > 2 && lines.iter().all(|l| width(l, 12.0, false) <= 150.0));
    }
}
