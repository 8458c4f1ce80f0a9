//! Measured pools, read from files that are not part of the tree.
//!
//! | pool | file | points | what is measured |
//! |---|---|---:|---|
//! | `arylation` | `arylation/experiments.csv` | 1,728 | yields of a direct arylation (Shields et al. 2021) |
//! | `arylation_described` | the same, and `arylation/*_mordred.csv` | 1,728 | the same, with descriptors of base, ligand and solvent |
//! | `buchwald` | `DreherDoyle.csv` | 3,955 | yields of Buchwald–Hartwig aminations (Ahneman et al. 2018) |
//! | `hplc` | `hplc/hplc.csv` | 1,007 | peaks of a sampling line (Roch et al. 2018): a table of candidates, no grid |
//! | `suzuki` | `SuzukiMiyaura.csv` | 5,760 | yields of Suzuki–Miyaura couplings (Perera et al. 2018); for tuning |

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use elbowroom::space::{Descriptors, Parameter, Point, SearchSpace, Value};

use super::Pool;

/// The measured pools.
pub const POOLS: [&str; 5] = ["arylation", "arylation_described", "buchwald", "hplc", "suzuki"];

/// How a column of a file is searched.
#[derive(Clone, Copy)]
enum Column {
    Category,
    /// Numbers in order.
    Ordered,
    /// Two columns whose pairs are the levels.
    Pair(&'static str),
}

/// The pool with this name, from a folder. An error names the file that cannot be read.
pub fn read(dir: &Path, name: &str) -> Result<Pool, String> {
    use Column::{Category, Ordered, Pair};
    if name == "hplc" {
        return read_table(&dir.join("hplc/hplc.csv"), name);
    }
    let (file, columns): (&str, &[(&str, Column)]) = match name {
        "arylation" | "arylation_described" => (
            "arylation/experiments.csv",
            &[
                ("Base_SMILES", Category),
                ("Ligand_SMILES", Category),
                ("Solvent_SMILES", Category),
                ("Concentration", Ordered),
                ("Temp_C", Ordered),
            ],
        ),
        "buchwald" => (
            "DreherDoyle.csv",
            &[("ligand", Category), ("additive", Category), ("base", Category), ("aryl halide", Category)],
        ),
        "suzuki" => (
            "SuzukiMiyaura.csv",
            &[
                ("reactant_1_smiles", Pair("reactant_2_smiles")),
                ("ligand_smiles", Category),
                ("reagent_1_smiles", Category),
                ("solvent_1_smiles", Category),
            ],
        ),
        _ => return Err(format!("there is no pool {name}; take one of {}", POOLS.join(", "))),
    };
    let table = Table::read(&dir.join(file))?;
    let cells: Vec<Vec<String>> = columns
        .iter()
        .map(|(column, kind)| match kind {
            Pair(other) => {
                let pair = |(a, b): (&str, &str)| format!("{a} + {b}");
                Ok(table.column(column)?.into_iter().zip(table.column(other)?).map(pair).collect())
            }
            _ => Ok(table.column(column)?.into_iter().map(str::to_owned).collect()),
        })
        .collect::<Result<_, String>>()?;
    let values: Vec<f64> =
        table.column("yield")?.into_iter().map(|cell| table.number(cell)).collect::<Result<_, String>>()?;
    let parameters: Vec<Parameter> = columns
        .iter()
        .zip(&cells)
        .map(|((column, kind), cells)| match kind {
            Ordered => {
                let mut numbers = cells.iter().map(|cell| table.number(cell)).collect::<Result<Vec<f64>, _>>()?;
                numbers.sort_by(f64::total_cmp);
                numbers.dedup();
                Ok(Parameter::ordered(*column, numbers))
            }
            _ => {
                let levels: BTreeSet<&str> = cells.iter().map(String::as_str).collect();
                Ok(Parameter::category(*column, levels))
            }
        })
        .collect::<Result<_, String>>()?;
    let parameters = match name {
        "arylation_described" => described(dir, parameters)?,
        _ => parameters,
    };
    let space = SearchSpace::new(parameters).map_err(|error| error.to_string())?;
    let rows = values.iter().enumerate().map(|(i, value)| {
        let named = columns.iter().zip(&cells).map(|((column, kind), cells)| match kind {
            Ordered => (*column, table.number(&cells[i]).map_or_else(|_| cells[i].as_str().into(), Into::into)),
            _ => (*column, Value::from(cells[i].as_str())),
        });
        (named.collect::<Point>(), *value)
    });
    Ok(Pool::new(name, space, rows))
}

/// A pool of candidates: every column is a number, the last one the value. A candidate that was measured several times
/// appears once.
fn read_table(path: &Path, name: &str) -> Result<Pool, String> {
    let table = Table::read(path)?;
    let Some((_, names)) = table.header.split_last() else { return Err(format!("{}: no columns", path.display())) };
    let (mut candidates, mut rows) = (Vec::new(), Vec::new());
    for row in &table.rows {
        let numbers = row.iter().map(|cell| table.number(cell)).collect::<Result<Vec<f64>, _>>()?;
        let point: Point = names.iter().map(String::as_str).zip(numbers.iter().map(|v| Value::from(*v))).collect();
        if !candidates.contains(&point) {
            candidates.push(point.clone());
        }
        rows.push((point, numbers[names.len()]));
    }
    let space = SearchSpace::of_candidates(candidates).map_err(|error| error.to_string())?;
    Ok(Pool::new(name, space, rows))
}

/// The categories of arylation with their published descriptors.
fn described(dir: &Path, parameters: Vec<Parameter>) -> Result<Vec<Parameter>, String> {
    let with_descriptors = |parameter: Parameter| {
        let Parameter::Category { name, choices, .. } = &parameter else { return Ok(parameter) };
        let kind = name.to_lowercase().replace("_smiles", "");
        let table = Table::read(&dir.join(format!("arylation/{kind}_mordred.csv")))?;
        let row = |row: &Vec<String>| {
            let numbers = row[1..].iter().map(|cell| table.number(cell)).collect::<Result<Vec<f64>, _>>();
            numbers.map(|numbers| (row[0].clone(), numbers))
        };
        let rows = table.rows.iter().map(row).collect::<Result<Vec<_>, _>>()?;
        let found = Descriptors::of_levels(choices, table.header[1..].to_vec(), rows);
        found.map(|found| parameter.clone().with_descriptors(found)).map_err(|error| error.to_string())
    };
    parameters.into_iter().map(with_descriptors).collect()
}

/// A file of comma-separated cells without quotes.
struct Table {
    path: PathBuf,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("{}: {error}; name its folder with --data", path.display()))?;
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        let header = lines.next().unwrap_or_default();
        let rows: Vec<Vec<String>> = lines.collect();
        match rows.iter().position(|row| row.len() != header.len()) {
            Some(i) => Err(format!("{}: line {} has other columns than the header", path.display(), i + 2)),
            None => Ok(Self { path: path.to_owned(), header, rows }),
        }
    }

    fn column(&self, name: &str) -> Result<Vec<&str>, String> {
        let place = self.header.iter().position(|column| column == name);
        let place = place.ok_or_else(|| format!("{}: there is no column {name}", self.path.display()))?;
        Ok(self.rows.iter().map(|row| row[place].as_str()).collect())
    }

    fn number(&self, cell: &str) -> Result<f64, String> {
        // This is how Mordred writes a count of one or none.
        let cell = match cell {
            "True" => "1",
            "False" => "0",
            other => other,
        };
        cell.parse().map_err(|_| format!("{}: {cell:?} is not a number", self.path.display()))
    }
}
