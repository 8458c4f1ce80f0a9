//! A table of candidates as the space: only its rows are points.
//!
//! Each row is a point of the parameters' own space, so models, keys and logs are the same as elsewhere; the table says
//! which of these points exist. Unless a column is described, numbers are a ladder at their true distances, and everything
//! else is a category.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::value::Value;
use super::{Dimension, Parameter, Point, PointKey, SearchSpace, UnitPoint};
use crate::error::{Error, Result};

/// The most rows of a table: more could not all be scored.
const MAX_ROWS: usize = 100_000;

/// The rows of a table, and the index of each.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    pub rows: Vec<UnitPoint>,
    numbers: HashMap<PointKey, usize>,
}

impl Table {
    pub fn contains(&self, key: &PointKey) -> bool {
        self.numbers.contains_key(key)
    }
}

impl SearchSpace {
    /// The space of these points alone: a column that holds only numbers is a ladder, and any other a category.
    ///
    /// ```
    /// use elbowroom::space::{Point, SearchSpace};
    /// let row = |kind: &str, dose: f64| Point::new().with("kind", kind).with("dose", dose);
    /// let space = SearchSpace::of_candidates([row("a", 0.1), row("a", 3.0), row("b", 0.5)])?;
    /// assert_eq!(space.n_points(), Some(3));
    /// assert!(space.encode(&row("b", 0.5)).is_ok());
    /// let error = space.encode(&row("b", 3.0)).unwrap_err().to_string();
    /// assert!(error.contains("kind=b dose=3 is not among the 3 candidates"));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn of_candidates(rows: impl IntoIterator<Item = Point>) -> Result<Self> {
        Self::of_described_candidates(rows, Vec::new())
    }

    /// Like [`of_candidates`](Self::of_candidates), with some columns described by parameters of the same names; a
    /// parameter with a condition is in the rows in which the condition holds. Parameters without a column must be
    /// fixed.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, Point, SearchSpace};
    /// let rows = [Point::new().with("kind", "a").with("dose", 0.1), Point::new().with("kind", "b")];
    /// let dose = Parameter::float("dose", 0.0, 1.0).when("kind == 'a'");
    /// let space = SearchSpace::of_described_candidates(rows, vec![dose])?;
    /// assert_eq!(space.n_points(), Some(2));
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn of_described_candidates(rows: impl IntoIterator<Item = Point>, described: Vec<Parameter>) -> Result<Self> {
        let rows = few(rows)?;
        let (mut names, mut seen): (Vec<&str>, HashSet<&str>) = (Vec::new(), HashSet::new());
        names.extend(rows.iter().flat_map(Point::iter).map(|(name, _)| name).filter(|name| seen.insert(name)));
        if names.is_empty() {
            return Err(none());
        }
        let own = |name: &str| described.iter().find(|parameter| parameter.name() == name).cloned();
        let mut parameters: Vec<Parameter> =
            names.iter().map(|name| own(name).unwrap_or_else(|| column(name, &rows))).collect();
        parameters.extend(described.iter().filter(|parameter| !seen.contains(parameter.name())).cloned());
        Self::new(parameters)?.with_candidates(rows)
    }

    /// The same space with only these points. Fails, naming the row, if a row is not a point of the space or is a
    /// duplicate.
    pub fn with_candidates(mut self, rows: impl IntoIterator<Item = Point>) -> Result<Self> {
        self.table = None;
        let (mut units, mut numbers) = (Vec::new(), HashMap::new());
        for (i, row) in few(rows)?.into_iter().enumerate() {
            let unit = self.encode(&row).map_err(|error| error.within(format_args!("candidate {}", i + 1)))?;
            if let Some(earlier) = numbers.insert(self.key(&unit), i) {
                return Err(Error::space(
                    format!("candidates {} and {} are the same: {}", earlier + 1, i + 1, self.decode(&unit)),
                    "leave one of them out",
                ));
            }
            units.push(unit);
        }
        if units.is_empty() {
            return Err(none());
        }
        self.table = Some(Arc::new(Table { rows: units, numbers }));
        Ok(self)
    }

    /// The only points of the space, if it is a table.
    pub fn candidates(&self) -> Option<&[UnitPoint]> {
        self.table.as_ref().map(|table| table.rows.as_slice())
    }

    /// The candidate nearest to a point of the unit cube, among those with some indices; `None` if there are none.
    /// Different values without order are as far apart as two ends of a range.
    pub(crate) fn nearest_candidate(&self, u: &[f64], among: &[usize]) -> Option<&UnitPoint> {
        let rows = self.candidates()?;
        let distance = |row: &UnitPoint| -> f64 {
            let coordinates = self.dimensions.iter().zip(row.iter().zip(u)).enumerate();
            coordinates
                .map(|(k, (dimension, (a, b)))| match dimension {
                    Dimension::Category { .. } => f64::from(u8::from(self.level(k, *a) != self.level(k, *b))),
                    _ => (a - b) * (a - b),
                })
                .sum()
        };
        let nearest = among.iter().map(|&i| (distance(&rows[i]), i)).min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(&rows[nearest.1])
    }

    /// Refuses a point that is not in the table.
    pub(super) fn refuse_unlisted(&self, u: &UnitPoint) -> Result<()> {
        let Some(table) = &self.table else { return Ok(()) };
        if table.contains(&self.key(u)) {
            return Ok(());
        }
        let all: Vec<usize> = (0..table.rows.len()).collect();
        let hint = self.nearest_candidate(u, &all).map(|row| format!("use one of them; {} is near", self.decode(row)));
        Err(Error::space(
            format!("{} is not among the {} candidates", self.decode(u), table.rows.len()),
            hint.unwrap_or_default(),
        ))
    }

    /// The table in written form: the values of each row, and `None` where a row does not have a parameter.
    pub(super) fn written_candidates(&self) -> Option<Vec<Vec<Option<Value>>>> {
        let values = |row: &UnitPoint| {
            let mut own = self.decode(row).into_iter().peekable();
            let value =
                |parameter: &Parameter| own.next_if(|(name, _)| name == parameter.name()).map(|(_, value)| value);
            self.parameters.iter().map(value).collect()
        };
        self.candidates().map(|rows| rows.iter().map(values).collect())
    }

    /// The same space with a table in written form.
    pub(super) fn with_written_candidates(self, written: Option<Vec<Vec<Option<Value>>>>) -> Result<Self> {
        let Some(written) = written else { return Ok(self) };
        let names: Vec<String> = self.parameters.iter().map(|parameter| parameter.name().to_owned()).collect();
        let point = |(i, row): (usize, Vec<Option<Value>>)| {
            if row.len() != names.len() {
                let what = format!("candidate {} has {} values for {} parameters", i + 1, row.len(), names.len());
                return Err(Error::space(what, "give a value for each parameter"));
            }
            let named = names.iter().cloned().zip(row);
            Ok(named.filter_map(|(name, value)| Some((name, value?))).collect::<Point>())
        };
        let rows = written.into_iter().enumerate().map(point).collect::<Result<Vec<_>>>()?;
        self.with_candidates(rows)
    }
}

/// All rows, unless there are too many.
fn few(rows: impl IntoIterator<Item = Point>) -> Result<Vec<Point>> {
    let rows: Vec<Point> = rows.into_iter().take(MAX_ROWS + 1).collect();
    if rows.len() <= MAX_ROWS {
        return Ok(rows);
    }
    let what = format!("there are more than {MAX_ROWS} candidates");
    Err(Error::space(what, "leave some of them out, or describe the space by its parameters"))
}

fn none() -> Error {
    Error::space("there are no candidates", "list at least one")
}

/// The parameter of a column: a ladder of numbers, or a category.
fn column(name: &str, rows: &[Point]) -> Parameter {
    let mut values: Vec<&Value> = Vec::new();
    let mut seen = HashSet::new();
    for value in rows.iter().filter_map(|row| row.get(name)) {
        if seen.insert(value.identity()) {
            values.push(value);
        }
    }
    let is_number = |value: &&Value| value.as_f64().is_some_and(f64::is_finite);
    if values.iter().all(is_number) {
        values.sort_by(|a, b| a.as_f64().unwrap_or(0.0).total_cmp(&b.as_f64().unwrap_or(0.0)));
        return Parameter::ladder(name, values.into_iter().cloned());
    }
    Parameter::category(name, values.into_iter().cloned())
}
