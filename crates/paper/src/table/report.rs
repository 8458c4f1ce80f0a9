//! From `raw.csv` to Markdown.

use std::path::Path;

use crate::Result;

/// Writes the tables.
pub fn write(_dir: &Path) -> Result<()> {
    Ok(())
}
