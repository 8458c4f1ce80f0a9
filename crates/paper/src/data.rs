//! Reads a table of data: `NAME.csv` in a folder, or `NAME.csv.gz`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::Result;

/// The header and the rows, as text.
pub fn read(dir: &Path, name: &str) -> Result<(Vec<String>, Vec<Vec<String>>)> {
    let (plain, packed) = (dir.join(format!("{name}.csv")), dir.join(format!("{name}.csv.gz")));
    let source: Box<dyn Read> = match (File::open(&plain), File::open(&packed)) {
        (Ok(file), _) => Box::new(file),
        (_, Ok(file)) => Box::new(MultiGzDecoder::new(file)),
        _ => {
            return Err(
                format!("{} is not there, packed or not\n  try: --data with its folder", plain.display()).into()
            );
        }
    };
    let mut reader = csv::Reader::from_reader(source);
    let header = reader.headers()?.iter().map(String::from).collect();
    let rows = reader.records().map(|row| Ok(row?.iter().map(String::from).collect())).collect::<Result<_>>()?;
    Ok((header, rows))
}

/// A field as a number.
pub fn number(field: &str) -> Result<f64> {
    field.trim().parse().map_err(|_| format!("the data hold {field:?} where a number belongs").into())
}

/// The mean and the standard deviation of every column.
pub fn moments(rows: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let n = rows.len() as f64;
    (0..rows.first().map_or(0, Vec::len))
        .map(|k| {
            let mean = rows.iter().map(|row| row[k]).sum::<f64>() / n;
            let variance = rows.iter().map(|row| (row[k] - mean).powi(2)).sum::<f64>() / n;
            // A column of equal values carries no information; any scale leaves it at 0.
            (mean, if variance > 0.0 { variance.sqrt() } else { 1.0 })
        })
        .collect()
}

/// Columns scaled by given moments.
pub fn standardized(rows: &[Vec<f64>], moments: &[(f64, f64)]) -> Vec<Vec<f64>> {
    rows.iter().map(|row| row.iter().zip(moments).map(|(v, (mean, sd))| (v - mean) / sd).collect()).collect()
}
