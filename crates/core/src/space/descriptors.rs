//! Numbers that say which levels of a category are alike: a row for each level.
//!
//! Columns are standardized and constant ones dropped. Programs produce hundreds of descriptors, many of them
//! redundant, so the levels are placed by principal components: those that hold 99 % of the variance, each weighted by
//! the root of its share. With equal weights, n − 1 components of n levels would put all levels equally far apart;
//! without weights, a property that fifty columns repeat would count fifty times.

use serde::{Deserialize, Serialize};

use super::value::Value;
use crate::error::{Error, Result};

/// The share of the variance that the kept components hold.
const KEPT: f64 = 0.99;

/// More levels than this cannot have descriptors: the distances of all pairs are kept.
const MAX_LEVELS: usize = 1000;

/// More numbers than this are not kept in a log.
const MAX_NUMBERS: usize = 1_000_000;

/// The side of the largest matrix that is decomposed; beyond it the columns are used unchanged.
const MAX_SIDE: usize = 256;

/// Numbers for each level of a category.
///
/// ```
/// use elbowroom::space::{Descriptors, Value};
/// let levels = ["water", "ethanol"].map(Value::from);
/// let table = [("ethanol", vec![24.5, 0.79]), ("acetone", vec![20.7, 0.78]), ("water", vec![80.1, 1.0])];
/// let of_levels = Descriptors::of_levels(&levels, ["permittivity", "density"], table)?;
/// assert_eq!(of_levels.rows, [[80.1, 1.0], [24.5, 0.79]]);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Descriptors {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// For each level, in the order of the category, a number for each column.
    pub rows: Vec<Vec<f64>>,
}

impl Descriptors {
    /// Descriptors for the levels of a category, from a table that may have other rows too. Fails, naming the level, if
    /// a level is not in the table or is in it twice.
    pub fn of_levels<C: Into<String>, L: Into<Value>>(
        levels: &[Value],
        columns: impl IntoIterator<Item = C>,
        table: impl IntoIterator<Item = (L, Vec<f64>)>,
    ) -> Result<Self> {
        let table: Vec<(Value, Vec<f64>)> = table.into_iter().map(|(level, row)| (level.into(), row)).collect();
        let of_level = |level: &Value| {
            // A file has no quotes around texts: `2` stands for the text "2" as well.
            let is_same = |(other, _): &&(Value, Vec<f64>)| other.is_same_as(level) || plain(other) == plain(level);
            let mut found = table.iter().filter(is_same);
            match (found.next(), found.next()) {
                (Some((_, row)), None) => Ok(row.clone()),
                (Some(_), Some(_)) => Err(Error::space(
                    format!("{} has two rows of descriptors", level.describe()),
                    "leave one of them out",
                )),
                (None, _) => Err(Error::space(
                    format!("{} has no descriptors", level.describe()),
                    "add a row for it: each level needs one",
                )),
            }
        };
        let rows = levels.iter().map(of_level).collect::<Result<_>>()?;
        Ok(Self { columns: columns.into_iter().map(Into::into).collect(), rows })
    }

    /// What is wrong with them for this many levels, and what to try.
    pub(super) fn complaint(&self, n_levels: usize) -> Option<(String, String)> {
        let (n, m) = (self.rows.len(), self.columns.len());
        let said = |what: String, hint: &str| Some((what, hint.to_owned()));
        if n != n_levels {
            return said(format!("it has {n_levels} levels and {n} rows of descriptors"), "give a row for each level");
        }
        if n > MAX_LEVELS || n * m > MAX_NUMBERS {
            let what = format!("it has {n} levels with {m} descriptors each");
            return said(what, "leave the descriptors out, or give at most 1000 levels and a million numbers");
        }
        for (i, row) in self.rows.iter().enumerate() {
            if row.len() != m {
                let what = format!("level {} has {} descriptors, but there are {m} columns", i + 1, row.len());
                return said(what, "give a number for each column");
            }
            if let Some(k) = row.iter().position(|x| !x.is_finite()) {
                let what = format!("level {} has {} in the column `{}`", i + 1, row[k], self.columns[k]);
                return said(what, "give finite numbers, or leave the column out");
            }
        }
        if n > 1 && self.standardized().is_empty() {
            let hint = "give a column in which levels differ, or leave the descriptors out";
            return said("its descriptors are the same for all levels".to_owned(), hint);
        }
        None
    }

    /// The positions of the levels in a Euclidean space in which levels with similar descriptors are close.
    pub(crate) fn places(&self) -> Vec<Vec<f64>> {
        let (n, columns) = (self.rows.len(), self.standardized());
        let m = columns.len();
        if n.min(m) > MAX_SIDE {
            return (0..n).map(|i| columns.iter().map(|column| column[i]).collect()).collect();
        }
        // The scores X v of components v are √λ times the eigenvectors of X Xᵀ, whichever of the two matrices is smaller.
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let row = |i: usize| columns.iter().map(|column| column[i]).collect::<Vec<f64>>();
        let rows: Vec<Vec<f64>> = (0..n).map(row).collect();
        let of = if n <= m { &rows } else { &columns };
        let (values, vectors) = eigen(of.iter().map(|a| of.iter().map(|b| dot(a, b)).collect()).collect());
        let total: f64 = values.iter().sum();
        let mut places = vec![Vec::new(); n];
        let mut held = 0.0;
        for (value, vector) in values.iter().zip(&vectors) {
            if held >= KEPT * total {
                break;
            }
            held += value;
            // The scores have length √value; they are shortened to its root.
            let shortened = value.sqrt().sqrt();
            for (i, place) in places.iter_mut().enumerate() {
                let unit = if n <= m { vector[i] } else { dot(&rows[i], vector) / value.sqrt() };
                place.push(unit * shortened);
            }
        }
        places
    }

    /// The columns that are not constant, with mean 0 and standard deviation 1 over the levels.
    fn standardized(&self) -> Vec<Vec<f64>> {
        let n = self.rows.len() as f64;
        let column = |k: usize| {
            let column: Vec<f64> = self.rows.iter().map(|row| row[k]).collect();
            let size = column.iter().fold(0.0f64, |size, x| size.max(x.abs()));
            // In units of the largest, so that squares neither overflow nor vanish.
            let scaled: Vec<f64> = column.iter().map(|x| x / size).collect();
            let mean = scaled.iter().sum::<f64>() / n;
            let sd = (scaled.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
            (sd > 1e-12).then(|| scaled.iter().map(|x| (x - mean) / sd).collect())
        };
        (0..self.columns.len()).filter_map(column).collect()
    }
}

/// A value as a plain-text file contains it.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Eigenvalues of a symmetric positive semidefinite matrix, the largest first, with their eigenvectors, by Jacobi
/// rotations.
fn eigen(mut a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = a.len();
    // The vectors, row by row.
    let mut v: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let size: f64 = a.iter().flatten().map(|x| x * x).sum();
    for _ in 0..60 {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j] * a[i][j]).sum();
        if off <= 1e-26 * size {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut v, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| a[*j][*j].total_cmp(&a[*i][*i]).then(i.cmp(j)));
    (order.iter().map(|i| a[*i][*i].max(0.0)).collect(), order.iter().map(|i| v[*i].clone()).collect())
}

/// Rotates two axes so that their off-diagonal element of the matrix becomes 0.
fn rotate(a: &mut [Vec<f64>], v: &mut [Vec<f64>], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..a.len() {
        (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
    }
    for k in 0..a.len() {
        (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
        (v[p][k], v[q][k]) = (c * v[p][k] - s * v[q][k], s * v[p][k] + c * v[q][k]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[f64]]) -> Descriptors {
        let columns = (0..rows[0].len()).map(|k| format!("c{k}")).collect();
        Descriptors { columns, rows: rows.iter().map(|row| row.to_vec()).collect() }
    }

    fn squared(places: &[Vec<f64>], a: usize, b: usize) -> f64 {
        places[a].iter().zip(&places[b]).map(|(a, b)| (a - b).powi(2)).sum()
    }

    #[test]
    fn eigenvalues_and_vectors_are_those_of_the_matrix() {
        // By hand: (2 1; 1 2) has 3 along (1, 1) and 1 along (1, −1).
        let (values, vectors) = eigen(vec![vec![2.0, 1.0], vec![1.0, 2.0]]);
        assert!((values[0] - 3.0).abs() < 1e-14 && (values[1] - 1.0).abs() < 1e-14);
        assert!((vectors[0][0] - vectors[0][1]).abs() < 1e-14 && (vectors[1][0] + vectors[1][1]).abs() < 1e-14);
    }

    #[test]
    fn one_column_keeps_its_distances_whatever_its_units_and_constants_beside_it() {
        for factor in [1e-200, 1.0, -3.0, 1e200] {
            let places = table(&[&[0.0, 7.0], &[factor, 7.0], &[3.0 * factor, 7.0]]).places();
            let ratio = squared(&places, 0, 2) / squared(&places, 0, 1);
            assert!((ratio - 9.0).abs() < 1e-12, "{factor}: {ratio}");
        }
    }

    #[test]
    fn a_column_that_is_repeated_does_not_drown_the_others() {
        // Two independent columns of ±1: distances 4 and 4. With the first one sixteen times, the components have 16 and 1
        // times the variance, their roots are 4 and 1, and so is the ratio of squared distances, not 16.
        let row = |a: f64, b: f64| {
            let mut row = vec![a; 16];
            row.push(b);
            row
        };
        let rows = vec![row(-1.0, -1.0), row(-1.0, 1.0), row(1.0, -1.0), row(1.0, 1.0)];
        let columns = (0..17).map(|k| format!("c{k}")).collect();
        let places = Descriptors { columns, rows }.places();
        let ratio = squared(&places, 0, 2) / squared(&places, 0, 1);
        assert!((ratio - 4.0).abs() < 1e-10, "{ratio}");
    }

    #[test]
    fn many_levels_and_many_columns_are_placed_alike() {
        // More columns than levels, and the same with fewer: the two matrices have the same components.
        let wide = table(&[&[1.0, 2.0, 0.5, 3.0], &[0.0, 1.0, 2.5, 1.0], &[2.0, 0.0, 1.0, 0.3]]);
        let tall = Descriptors {
            columns: wide.columns[..2].to_vec(),
            rows: wide.rows.iter().map(|r| r[..2].to_vec()).collect(),
        };
        let by_hand = |d: &Descriptors| {
            // By the other matrix: the smaller side is forced by transposing what is decomposed.
            let columns = d.standardized();
            let dot = |i: usize, j: usize| columns.iter().map(|c| c[i] * c[j]).sum::<f64>();
            let (values, vectors) = eigen((0..3).map(|i| (0..3).map(|j| dot(i, j)).collect()).collect());
            (0..3).map(|i| (0..2).map(|k| vectors[k][i] * values[k].sqrt().sqrt()).collect()).collect::<Vec<Vec<f64>>>()
        };
        for descriptors in [wide, tall] {
            let (found, want) = (descriptors.places(), by_hand(&descriptors));
            for (a, b) in [(0, 1), (0, 2), (1, 2)] {
                assert!((squared(&found, a, b) - squared(&want, a, b)).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_table_is_said() {
        let complaint = |rows: &[&[f64]], n| table(rows).complaint(n).unwrap().0;
        assert!(complaint(&[&[1.0], &[2.0]], 3).contains("3 levels and 2 rows"));
        assert!(complaint(&[&[1.0, 2.0], &[1.0]], 2).contains("level 2 has 1 descriptors"));
        assert!(complaint(&[&[1.0], &[f64::NAN]], 2).contains("NaN in the column `c0`"));
        assert!(complaint(&[&[1.0], &[1.0]], 2).contains("the same for all levels"));
        let many = Descriptors { columns: vec!["c".into()], rows: (0..1001).map(|i| vec![f64::from(i)]).collect() };
        assert!(many.complaint(1001).unwrap().0.contains("1001 levels"));
    }
}
