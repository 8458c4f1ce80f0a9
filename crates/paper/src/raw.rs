//! `raw.csv`: the measurements of an experiment, one row per job, appended as jobs finish.
//!
//! Lines that start with `#` say how the rows below them were produced: the command, the commit, versions, the machine.
//! A resumed run adds such lines and continues. A truncated last line is dropped. The last column of every row is the
//! commit from which the program was built, so that rows of two programs can be distinguished.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use elbowroom::study::Build;

use crate::Result;

/// The file's name in the folder of an experiment.
pub const NAME: &str = "raw.csv";

/// The last column: the commit of a row.
pub const COMMIT: &str = "commit";

/// Digits of a commit in a row.
const DIGITS: usize = 12;

/// The names of the columns: those that identify jobs come first.
#[derive(Debug, Clone, Copy)]
pub struct Columns {
    /// Which job it is.
    pub keys: &'static [&'static str],
    /// What it measured.
    pub values: &'static [&'static str],
}

impl Columns {
    fn names(&self) -> Vec<String> {
        self.keys.iter().chain(self.values).chain(&[COMMIT]).map(|name| name.to_string()).collect()
    }
}

/// An open `raw.csv`, to append to.
#[derive(Debug)]
pub struct RawFile {
    file: File,
    columns: Columns,
    done: HashSet<Vec<String>>,
}

impl RawFile {
    /// Opens the file of a folder, which is created if necessary. Existing rows count as done.
    pub fn open(dir: &Path, columns: Columns) -> Result<Self> {
        std::fs::create_dir_all(dir)?;
        let path = dir.join(NAME);
        let mut done = HashSet::new();
        let is_new = !path.exists();
        if !is_new {
            drop_cut_line(&path)?;
            let table = Table::read(dir)?;
            if !table.columns.is_empty() && table.columns != columns.names() {
                let found = table.columns.join(",");
                return Err(format!(
                    "{} has the columns {found}\n  try: another folder with --out, or remove the file",
                    path.display()
                )
                .into());
            }
            done.extend(table.rows.into_iter().map(|row| row[..columns.keys.len()].to_vec()));
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        let mut head = provenance();
        if is_new {
            head.push_str(&line(&columns.names())?);
        }
        file.write_all(head.as_bytes())?;
        file.flush()?;
        Ok(Self { file, columns, done })
    }

    /// Whether the job with this key has a row.
    pub fn is_done(&self, key: &[String]) -> bool {
        self.done.contains(key)
    }

    /// Writes a row: the key of a job and its measurements.
    pub fn append(&mut self, key: &[String], values: &[String]) -> Result<()> {
        assert_eq!(key.len(), self.columns.keys.len(), "a key has the columns {:?}", self.columns.keys);
        assert_eq!(values.len(), self.columns.values.len(), "a row has the columns {:?}", self.columns.values);
        let row: Vec<String> = key.iter().chain(values).cloned().chain([commit()]).collect();
        self.file.write_all(line(&row)?.as_bytes())?;
        self.file.flush()?;
        self.done.insert(key.to_vec());
        Ok(())
    }
}

/// The rows of a `raw.csv`, as text.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows, each with a value for every column.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads the file of a folder.
    pub fn read(dir: &Path) -> Result<Self> {
        let path = dir.join(NAME);
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        let columns = reader.headers()?.iter().map(String::from).collect();
        let rows = reader.records().map(|row| Ok(row?.iter().map(String::from).collect())).collect::<Result<_>>()?;
        Ok(Self { columns, rows })
    }

    /// The index of a column.
    pub fn column(&self, name: &str) -> Result<usize> {
        let found = self.columns.iter().position(|column| column == name);
        found.ok_or_else(|| format!("raw.csv has no column {name}; it has {}", self.columns.join(",")).into())
    }

    /// The distinct commits of its rows, in the order of the file.
    pub fn commits(&self) -> Vec<&str> {
        let mut commits = Vec::new();
        for commit in self.rows.iter().filter_map(|row| row.last()) {
            if !commits.contains(&commit.as_str()) {
                commits.push(commit.as_str());
            }
        }
        commits
    }

    /// A column as numbers; anything that is not a number is NaN.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>> {
        let i = self.column(name)?;
        Ok(self.rows.iter().map(|row| row[i].parse().unwrap_or(f64::NAN)).collect())
    }
}

/// A list of numbers in one field, and back.
pub fn join(values: &[f64]) -> String {
    values.iter().map(|v| format!("{v:.6e}")).collect::<Vec<_>>().join(";")
}

/// The numbers of a field made by [`join`].
pub fn split(field: &str) -> Vec<f64> {
    field.split(';').filter(|v| !v.is_empty()).map(|v| v.parse().unwrap_or(f64::NAN)).collect()
}

/// The lines that say where rows come from: everything that a row depends on besides its key, and the machine of the
/// CPU times.
///
/// The commit is that of the sources from which this program was built, not the one that is checked out while it runs.
pub fn provenance() -> String {
    let command = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let (commit, rustc, version) = (env!("PAPER_COMMIT"), env!("PAPER_RUSTC"), env!("CARGO_PKG_VERSION"));
    let (machine, level) = (machine(), Build::current().cpu);
    format!(
        "# command: paper {command}\n# commit: {commit}\n# elbowroom {version}, {rustc}\n# machine: {machine}, {level}\n"
    )
}

/// The commit from which this program was built, as in the rows.
pub fn commit() -> String {
    let (whole, dirty) = env!("PAPER_COMMIT").split_once('-').unwrap_or((env!("PAPER_COMMIT"), ""));
    let short: String = whole.chars().take(DIGITS).collect();
    if dirty.is_empty() { short } else { format!("{short}-{dirty}") }
}

fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(':').nth(1));
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    format!("{}, {cores} cores", model.unwrap_or("unknown CPU").trim())
}

/// One line of CSV with its line end.
fn line(row: &[String]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(row)?;
    Ok(String::from_utf8(writer.into_inner().map_err(|e| e.to_string())?)?)
}

/// Drops everything after the last line end.
fn drop_cut_line(path: &PathBuf) -> Result<()> {
    let text = std::fs::read(path)?;
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |i| i + 1);
    if whole < text.len() {
        OpenOptions::new().write(true).open(path)?.set_len(whole as u64)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Columns = Columns { keys: &["method", "replicate"], values: &["best", "curve"] };

    fn folder(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("elbowroom-paper-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        dir
    }

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|v| v.to_string()).collect()
    }

    #[test]
    fn rows_that_are_there_count_as_done() {
        let dir = folder("done");
        let mut raw = RawFile::open(&dir, COLUMNS).unwrap();
        raw.append(&texts(&["LP, soft", "0"]), &texts(&["1.5", &join(&[2.0, 1.5])])).unwrap();
        let raw = RawFile::open(&dir, COLUMNS).unwrap();
        assert!(raw.is_done(&texts(&["LP, soft", "0"])));
        assert!(!raw.is_done(&texts(&["LP, soft", "1"])));
        let table = Table::read(&dir).unwrap();
        assert_eq!(table.numbers("best").unwrap(), [1.5]);
        assert_eq!(split(&table.rows[0][3]), [2.0, 1.5]);
        assert_eq!(table.commits(), [commit()]);
        assert!(env!("PAPER_COMMIT").starts_with(commit().trim_end_matches("-dirty")));
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_line_that_was_cut_off_is_dropped() {
        let dir = folder("cut");
        let mut raw = RawFile::open(&dir, COLUMNS).unwrap();
        raw.append(&texts(&["EI", "0"]), &texts(&["1", ""])).unwrap();
        let mut file = OpenOptions::new().append(true).open(dir.join(NAME)).unwrap();
        file.write_all(b"EI,1,0.").unwrap();
        let raw = RawFile::open(&dir, COLUMNS).unwrap();
        assert!(raw.is_done(&texts(&["EI", "0"])) && !raw.is_done(&texts(&["EI", "1"])));
        assert_eq!(Table::read(&dir).unwrap().rows.len(), 1);
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_file_of_other_columns_is_refused() {
        let dir = folder("other");
        RawFile::open(&dir, COLUMNS).unwrap();
        let other = Columns { keys: &["method"], values: &["best"] };
        assert!(RawFile::open(&dir, other).unwrap_err().to_string().contains("method,replicate"));
        std::fs::remove_dir_all(dir).unwrap();
    }
}
