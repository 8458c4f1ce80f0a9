//! How things look: colours, dashes, markers, and one look for every method of the paper.

/// Text and axes.
pub const INK: &str = "#1d2733";
/// The palette of Okabe and Ito, without its yellow, which is hard to see on white.
pub const BLACK: &str = "#000000";
/// Of the palette.
pub const ORANGE: &str = "#E69F00";
/// Of the palette.
pub const SKY: &str = "#56B4E9";
/// Of the palette.
pub const GREEN: &str = "#009E73";
/// Of the palette.
pub const BLUE: &str = "#0072B2";
/// Of the palette.
pub const VERMILLION: &str = "#D55E00";
/// Of the palette.
pub const PURPLE: &str = "#CC79A7";
/// For elements that are only for comparison.
pub const GREY: &str = "#7a8490";

/// How a line is dashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dash {
    /// Not at all.
    Solid,
    /// Into strokes.
    Dashed,
    /// Into dots.
    Dotted,
}

impl Dash {
    /// The lengths of strokes and gaps, in pixels.
    pub(super) fn pattern(self, width: f64) -> Option<[f64; 2]> {
        match self {
            Dash::Solid => None,
            Dash::Dashed => Some([4.0 * width, 2.5 * width]),
            Dash::Dotted => Some([1.2 * width, 1.8 * width]),
        }
    }
}

/// A line's look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub colour: &'static str,
    /// Its width in pixels.
    pub width: f64,
    /// How it is broken.
    pub dash: Dash,
}

impl Stroke {
    /// An unbroken line of usual width.
    pub fn solid(colour: &'static str) -> Self {
        Self { colour, width: 1.8, dash: Dash::Solid }
    }

    /// A dashed line of usual width.
    pub fn dashed(colour: &'static str) -> Self {
        Self { dash: Dash::Dashed, ..Self::solid(colour) }
    }

    /// The same line with another width.
    pub fn width(self, width: f64) -> Self {
        Self { width, ..self }
    }
}

/// A mark's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// ●
    Circle,
    /// ■
    Square,
    /// ▲
    Triangle,
    /// ▼
    Down,
    /// ◆
    Diamond,
    /// ✚
    Plus,
    /// ✖
    Cross,
    /// ★
    Star,
    /// A short vertical line.
    Tick,
}

/// The look of one method in all figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Its line.
    pub stroke: Stroke,
    /// Its mark.
    pub marker: Marker,
}
