//! Named curves in a `raw.csv`, from which a picture of a formula or of a small model is drawn.

use std::collections::HashMap;
use std::path::Path;

use crate::Result;
use crate::raw::{Columns, NAME, RawFile, Table, join, split};

const COLUMNS: Columns = Columns { keys: &["series"], values: &["x", "y"] };

/// A curve with its name: points (x, y) in order.
pub type Curve = (String, Vec<(f64, f64)>);

/// Curves by name: points (x, y) in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series(HashMap<String, Vec<(f64, f64)>>);

impl Series {
    /// The points of a curve.
    pub fn get(&self, name: &str) -> Result<&[(f64, f64)]> {
        let found = self.0.get(name).ok_or_else(|| format!("raw.csv has no series {name}\n  try: without --report"))?;
        Ok(found)
    }

    /// The y of a series with a single point.
    pub fn number(&self, name: &str) -> Result<f64> {
        Ok(self.get(name)?.first().map_or(f64::NAN, |p| p.1))
    }

    /// Reads the file of a folder.
    pub fn read(dir: &Path) -> Result<Self> {
        let rows = Table::read(dir)?.rows;
        let points = |row: &[String]| split(&row[1]).into_iter().zip(split(&row[2])).collect();
        Ok(Self(rows.iter().map(|row| (row[0].clone(), points(row))).collect()))
    }

    /// Replaces the file of a folder: such curves are quickly recomputed.
    pub fn write(dir: &Path, curves: &[Curve]) -> Result<()> {
        let path = dir.join(NAME);
        if path.exists() {
            std::fs::remove_file(path)?;
        }
        let mut raw = RawFile::open(dir, COLUMNS)?;
        for (name, points) in curves {
            let (x, y): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
            raw.append(std::slice::from_ref(name), &[join(&x), join(&y)])?;
        }
        Ok(())
    }
}

/// `n` numbers from `low` to `high`, equally spaced, both ends included.
pub fn grid(low: f64, high: f64, n: usize) -> Vec<f64> {
    (0..n).map(|i| low + (high - low) * i as f64 / (n - 1) as f64).collect()
}
