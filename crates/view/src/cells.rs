//! Cells of CSV files that spreadsheets do not run as formulas.
//!
//! Spreadsheets run cells that begin with `=`, `+`, `-`, `@`, a tab or a carriage return as formulas. Such a text gets
//! a leading apostrophe, unless it is a plain number; [`unguarded`] removes it.

use elbowroom::study::Outcomes;

/// Columns that are not parameters.
const OWN: [&str; 11] =
    ["trial", "well", "state", "value", "noise", "source", "attempts", "worker", "reason", "comment", "notes"];

/// A text as a cell.
pub fn guarded(text: &str) -> String {
    if begins_a_formula(text) && text.parse::<f64>().is_err() { format!("'{text}") } else { text.to_owned() }
}

/// The text that a cell was made from.
pub fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| begins_a_formula(text)).unwrap_or(cell)
}

fn begins_a_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r'])
}

/// The column of a parameter.
pub fn column(parameter: &str) -> String {
    if OWN.contains(&parameter) { format!("parameter {parameter}") } else { parameter.to_owned() }
}

/// The column of a result that is not the optimized one, which has the column `value`.
///
/// ```
/// use elbowroom_view::cells::result_column;
/// assert_eq!((result_column("minutes"), result_column("noise")), ("minutes".to_owned(), "result noise".to_owned()));
/// ```
pub fn result_column(result: &str) -> String {
    if OWN.contains(&result) || result == "sd" { format!("{RESULT}{result}") } else { result.to_owned() }
}

/// The column of the first objective: `value` if only its name and watched results are declared, its own name if there
/// are several objectives or limits. `None` if it is computed from others.
///
/// ```
/// use elbowroom::study::{Goal, Outcome, Outcomes};
/// use elbowroom_view::cells::value_column;
///
/// let amount = || Outcome::objective("amount", Goal::Maximize);
/// let column = |list: Vec<Outcome>| Outcomes::new(list).map(|outcomes| value_column(&outcomes));
/// assert_eq!(column(vec![amount(), Outcome::watched("minutes")])?.as_deref(), Some("value"));
/// assert_eq!(column(vec![amount(), Outcome::watched("purity").at_least(95.0)])?.as_deref(), Some("amount"));
/// assert_eq!(column(vec![Outcome::target("viscosity", 4.2)])?, None);
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn value_column(outcomes: &Outcomes) -> Option<String> {
    let metric = outcomes.metric();
    let is_named = outcomes.has_several_objectives() || outcomes.has_limits();
    match outcomes.is_computed(metric) {
        true => None,
        false if is_named => Some(result_column(metric)),
        false => Some("value".to_owned()),
    }
}

/// The result that a column names explicitly.
pub fn named_result(column: &str) -> Option<&str> {
    column.strip_prefix(RESULT).map(str::trim).filter(|name| !name.is_empty())
}

const RESULT: &str = "result ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_guarded_and_numbers_are_not() {
        for text in ["=1+1", "+cmd", "-x", "@sum", "\tx", "\rx", "-", "=", "--1", "+1+2"] {
            assert_eq!(guarded(text), format!("'{text}"));
            assert_eq!(unguarded(&guarded(text)), text);
        }
        for text in ["-1.5", "+2", "-1e-3", "a=b", "", "'", "'a", "3"] {
            assert_eq!((guarded(text).as_str(), unguarded(text)), (text, text));
        }
        assert_eq!((column("value"), column("x")), ("parameter value".to_owned(), "x".to_owned()));
    }
}
