//! Evaluations are expensive, and methods share their initial points: each evaluation is done once and kept in a file.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use crate::Result;
use crate::race::cpu_seconds;
use crate::raw::{Columns, NAME, RawFile, Table};

const COLUMNS: Columns = Columns {
    keys: &["data", "rows", "replicate", "log10_c", "log10_epsilon", "log10_gamma"],
    values: &["rmse", "seconds"],
};

/// Errors and CPU seconds of trainings, by their keys.
pub struct Cache {
    inner: Mutex<Inner>,
}

struct Inner {
    known: HashMap<Vec<String>, (f64, f64)>,
    file: RawFile,
}

impl Cache {
    /// Opens the file `evaluations/raw.csv` of a folder, or starts it anew.
    pub fn open(dir: &Path, anew: bool) -> Result<Self> {
        let dir = dir.join("evaluations");
        let path = dir.join(NAME);
        if anew && path.exists() {
            std::fs::remove_file(&path)?;
        }
        let file = RawFile::open(&dir, COLUMNS)?;
        let table = Table::read(&dir)?;
        let (errors, seconds) = (table.numbers("rmse")?, table.numbers("seconds")?);
        let keys = table.rows.into_iter().map(|row| row[..COLUMNS.keys.len()].to_vec());
        let known = keys.zip(errors.into_iter().zip(seconds)).collect();
        Ok(Self { inner: Mutex::new(Inner { known, file }) })
    }

    /// The key of a training with these rows at this point.
    pub fn key(&self, data: &str, rows: usize, replicate: u64, x: &[f64]) -> Vec<String> {
        let mut key = vec![data.to_owned(), rows.to_string(), replicate.to_string()];
        key.extend(x.iter().map(f64::to_string));
        key
    }

    /// The error and the CPU seconds of a training, which is run now if they are not known.
    pub fn get_or(&self, key: Vec<String>, train: impl FnOnce() -> Result<f64>) -> Result<(f64, f64)> {
        if let Some(known) = self.inner.lock().expect("no panic").known.get(&key) {
            return Ok(*known);
        }
        let before = cpu_seconds();
        let error = train()?;
        let found = (error, cpu_seconds() - before);
        let mut inner = self.inner.lock().expect("no panic");
        inner.file.append(&key, &[format!("{:.9}", found.0), format!("{:.3}", found.1)])?;
        inner.known.insert(key, found);
        Ok(found)
    }
}

/// The number of all trainings of a folder with this many rows, and their CPU seconds.
pub fn total(dir: &Path, rows: &str) -> Result<(usize, f64)> {
    let table = Table::read(&dir.join("evaluations"))?;
    let (at, seconds) = (table.column("rows")?, table.numbers("seconds")?);
    let these: Vec<f64> = table.rows.iter().zip(seconds).filter(|(row, _)| row[at] == rows).map(|(_, s)| s).collect();
    Ok((these.len(), these.iter().sum()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_trained_once_is_not_trained_again_even_after_a_restart() {
        let dir = std::env::temp_dir().join(format!("elbowroom-paper-cache-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        let cache = Cache::open(&dir, false).unwrap();
        let key = cache.key("made up", 10, 0, &[0.1, 1.0 / 3.0, -2.0]);
        assert_eq!(cache.get_or(key.clone(), || Ok(4.5)).unwrap().0, 4.5);
        let cache = Cache::open(&dir, false).unwrap();
        assert_eq!(cache.get_or(key, || Err("trained again".into())).unwrap().0, 4.5);
        assert_eq!(total(&dir, "10").unwrap().0, 1);
        std::fs::remove_dir_all(dir).unwrap();
    }
}
