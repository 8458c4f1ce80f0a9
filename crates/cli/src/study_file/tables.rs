//! Tables next to a study.toml: descriptors of categories, and candidates.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use anyhow::Result;
use elbowroom::space::{Descriptors, Parameter, Point, SearchSpace, Value};
use toml::Spanned;

use super::page::Page;
use crate::commands::tell::value;
use crate::sheet::{delimiter, text, with_point, without_announcement};

/// Descriptors as a study.toml has them: a file beside it, or numbers by level and name.
#[derive(Debug, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "descriptors"))]
#[serde(
    untagged,
    expecting = "expected the name of a CSV file, or a table of levels such as { water = { density = 1.0 } }"
)]
pub enum WrittenDescriptors {
    /// The path of a CSV file, relative to the study.toml.
    File(String),
    /// Numbers by level and name.
    Inline(BTreeMap<String, BTreeMap<String, f64>>),
}

/// The descriptors of these levels.
pub fn descriptors(
    written: &WrittenDescriptors,
    levels: &[Value],
    span: Range<usize>,
    page: &Page<'_>,
) -> Result<Descriptors> {
    let found = match written {
        WrittenDescriptors::File(name) => {
            let table = Table::read(name, span.clone(), page)?;
            let mut rows = Vec::new();
            for (line, cells) in &table.rows {
                let number = |(cell, column): (&String, &String)| {
                    // This is how programs that compute descriptors write truth values.
                    let truth = ["false", "true"].iter().position(|word| cell.eq_ignore_ascii_case(word));
                    if let Some(truth) = truth {
                        return Ok(truth as f64);
                    }
                    cell.parse::<f64>().map_err(|_| {
                        let what = format!("{name}, line {line}: {cell:?} in the column `{column}` is not a number");
                        page.cli_error(
                            Some(span.clone()),
                            &what,
                            "give numbers after the level, or leave the column out",
                        )
                    })
                };
                let numbers = cells[1..].iter().zip(&table.head[1..]).map(number).collect::<Result<Vec<f64>>>()?;
                rows.push((Value::from(cells[0].as_str()), numbers));
            }
            Descriptors::of_levels(levels, table.head[1..].to_vec(), rows)
        }
        WrittenDescriptors::Inline(by_level) => {
            let columns: Vec<&String> = by_level.values().next().map_or_else(Vec::new, |row| row.keys().collect());
            let other = by_level.iter().find(|(_, row)| !row.keys().eq(columns.iter().copied()));
            if let Some((level, _)) = other {
                let what =
                    format!("the descriptors of `{level}` do not have the same names as those of the first level");
                return Err(page.cli_error(Some(span), &what, "give every level descriptors with the same names"));
            }
            let rows = by_level.iter().map(|(level, row)| (level.as_str(), row.values().copied().collect()));
            Descriptors::of_levels(levels, columns.into_iter().cloned(), rows)
        }
    };
    found.map_err(|error| page.core(span, &error))
}

/// The space whose only points are the rows of a file. A column that no parameter describes is a ladder if all its
/// cells are numbers, and otherwise a category.
pub fn candidates(name: &Spanned<String>, described: Vec<Parameter>, page: &Page<'_>) -> Result<SearchSpace> {
    let table = Table::read(name.get_ref(), name.span(), page)?;
    let of_column = |column: &String| described.iter().find(|parameter| parameter.name() == column);
    // An empty cell of a parameter with a condition: the parameter does not apply in this row.
    let may_lack = |column: &String| of_column(column).is_some_and(|own| own.condition().is_some());
    for (line, cells) in &table.rows {
        let mut empty = table.head.iter().zip(cells).filter(|(column, cell)| cell.is_empty() && !may_lack(column));
        if let Some((column, _)) = empty.next() {
            let what = format!("{}, line {line}: the cell of `{column}` is empty", name.get_ref());
            let hint = "fill it, leave the row out, or give the parameter a condition under `[parameters]`";
            return Err(page.cli_error(Some(name.span()), &what, hint));
        }
    }
    let point = |(_, cells): &(usize, Vec<String>)| {
        let there = table.head.iter().zip(cells).filter(|(_, cell)| !cell.is_empty());
        there.map(|(column, cell)| (column.clone(), value(of_column(column), cell))).collect::<Point>()
    };
    let rows: Vec<Point> = table.rows.iter().map(point).collect();
    let found = SearchSpace::of_described_candidates(rows, described.clone());
    found.map_err(|error| page.core(name.span(), &error))
}

/// A CSV file with a head: cells as text, and the line of each row.
struct Table {
    head: Vec<String>,
    rows: Vec<(usize, Vec<String>)>,
}

impl Table {
    fn read(name: &str, span: Range<usize>, page: &Page<'_>) -> Result<Self> {
        let path = Path::new(page.shown).parent().unwrap_or(Path::new("")).join(name);
        let complain = |what: String, hint: &str| page.cli_error(Some(span.clone()), &what, hint);
        let bytes = std::fs::read(&path).map_err(|error| {
            complain(format!("{name} could not be read: {error}"), "name a CSV file, relative to this one")
        })?;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let (bytes, announced) = without_announcement(bytes);
        let delimiter = announced.unwrap_or_else(|| delimiter(bytes));
        let mut builder = csv::ReaderBuilder::new();
        let mut reader = builder.delimiter(delimiter).flexible(true).trim(csv::Trim::All).from_reader(bytes);
        let unreadable = |error: csv::Error| complain(format!("{name} cannot be read: {error}"), "save it as CSV");
        // Where cells are separated by semicolons, numbers may have decimal commas.
        let cell = |cell: &[u8]| {
            let text = text(cell);
            with_point(&text).filter(|_| delimiter == b';').unwrap_or(text)
        };
        let cells = |record: &csv::ByteRecord| record.iter().map(text).collect::<Vec<String>>();
        let head = cells(reader.byte_headers().map_err(unreadable)?);
        if let Some(i) = (0..head.len()).find(|&i| head[i].is_empty() || head[..i].contains(&head[i])) {
            let what = format!("{name}: column {} has no name, or the same name as another column", i + 1);
            return Err(complain(what, "give each column its own name in the first line"));
        }
        let mut rows = Vec::new();
        for record in reader.byte_records() {
            let record = record.map_err(unreadable)?;
            let line = record.position().map_or(0, |position| position.line() as usize);
            if record.len() != head.len() {
                let what = format!("{name}, line {line}: {} cells for {} columns", record.len(), head.len());
                return Err(complain(what, "give each row one cell for each column"));
            }
            rows.push((line, record.iter().map(cell).collect()));
        }
        match rows.is_empty() {
            true => Err(complain(format!("{name} has no rows"), "add one below the names of the columns")),
            false => Ok(Self { head, rows }),
        }
    }
}
