//! From plain data to a picture: a [`Figure`] of panels becomes a list of lines, areas, marks and words, and that
//! becomes SVG or PNG.
//!
//! Legends stand above the panels and never cover data. Colours are those of Okabe and Ito, which colour-blind readers
//! can tell apart; dashes and markers repeat the distinction.

mod axis;
mod figure;
mod font;
mod layer;
mod legend;
mod picture;
mod png;
mod style;
mod svg;

pub use axis::{Axis, Scale};
pub use figure::{Figure, Panel};
pub use layer::{Anchor, Layer};
pub use legend::Key;
pub use style::{BLACK, BLUE, Dash, GREEN, GREY, INK, Look, Marker, ORANGE, PURPLE, SKY, Stroke, VERMILLION};
