//! The same picture as pixels.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::sync::Arc;

use super::font;

/// Pixels of the PNG to one of the SVG.
const ZOOM: f32 = 2.0;

/// Draws an SVG and returns the bytes of a PNG file.
pub(super) fn png(svg: &str) -> Result<Vec<u8>, String> {
    let options = Options { fontdb: Arc::new(font::database()), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| format!("the SVG cannot be read: {error}"))?;
    let size = tree.size();
    let (width, height) = ((size.width() * ZOOM).ceil() as u32, (size.height() * ZOOM).ceil() as u32);
    let mut pixels = Pixmap::new(width, height).ok_or("the picture has no area")?;
    resvg::render(&tree, Transform::from_scale(ZOOM, ZOOM), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| format!("the PNG cannot be written: {error}"))
}
