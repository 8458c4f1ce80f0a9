//! Columns of text, no wider than the terminal.

use crate::format::brief;

/// The smallest width that is assumed, and the width of a pipe, unless `COLUMNS` says otherwise.
const LEAST: usize = 40;
const USUAL: usize = 80;

/// Words are not cut to less than this, unless nothing else fits.
const WORDS: usize = 16;

/// The gap between two columns.
const GAP: &str = "  ";

/// The width of a line in characters: that of the terminal, or `COLUMNS` if there is none.
pub fn width() -> usize {
    reckoned(terminal_size::terminal_size_of(std::io::stdout()))
}

/// The width of a line on standard error.
pub fn width_of_errors() -> usize {
    reckoned(terminal_size::terminal_size_of(std::io::stderr()))
}

fn reckoned(terminal: Option<(terminal_size::Width, terminal_size::Height)>) -> usize {
    let said = || std::env::var("COLUMNS").ok()?.trim().parse().ok();
    terminal.map(|(width, _)| usize::from(width.0)).filter(|width| *width > 0).or_else(said).unwrap_or(USUAL).max(LEAST)
}

/// Lays rows out in columns, with numbers aligned right; the first row is the head. If they are wider than `most`, long
/// words are cut, and columns that still do not fit follow below in further blocks, each with the first column and
/// without rows that are empty there.
pub fn table(rows: &[Vec<String>], most: usize) -> String {
    let n = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &Vec<String>, i: usize| row.get(i).cloned().unwrap_or_default();
    let is_number = |text: &str| text.is_empty() || text == "-" || text.parse::<f64>().is_ok();
    let columns: Vec<Column> = (0..n)
        .map(|i| Column {
            cells: rows.iter().map(|row| cell(row, i)).collect(),
            width: rows.iter().map(|row| cell(row, i).chars().count()).max().unwrap_or(0),
            right: rows.iter().skip(1).all(|row| is_number(&cell(row, i))),
        })
        .collect();
    let columns = narrowed(columns, most);
    let blocks = blocks(&columns, most);
    let rows_of = |i: usize, block: &[&Column]| -> Vec<usize> {
        let says_something = |row: usize| block.iter().skip(1).any(|column| !column.cells[row].is_empty());
        // The first block has all rows; every block has the head.
        (0..rows.len()).filter(|row| i == 0 || *row == 0 || says_something(*row)).collect()
    };
    let text = blocks.iter().enumerate().map(|(i, block)| lines(block, &rows_of(i, block)));
    text.collect::<Vec<_>>().join("\n")
}

struct Column {
    cells: Vec<String>,
    width: usize,
    right: bool,
}

/// Cuts the widest columns of words if that makes everything fit, and in any case anything wider than a line.
fn narrowed(mut columns: Vec<Column>, most: usize) -> Vec<Column> {
    let total = |widths: &[usize]| widths.iter().map(|width| width + GAP.len()).sum::<usize>();
    let mut widths: Vec<usize> = columns.iter().map(|c| c.width).collect();
    while total(&widths) > most + GAP.len() {
        let can_be_cut = |i: &usize| !columns[*i].right && widths[*i] > WORDS;
        let Some(longest) = (0..columns.len()).filter(can_be_cut).max_by_key(|i| widths[*i]) else { break };
        widths[longest] -= 1;
    }
    let fits = total(&widths) <= most + GAP.len();
    // The first column is in each block, with at least one other.
    let room = most.saturating_sub(columns.first().map_or(0, |c| c.width + GAP.len())).max(1);
    for (i, column) in columns.iter_mut().enumerate() {
        column.width = if fits { widths[i] } else { column.width.min(if i == 0 { most } else { room }) };
    }
    columns
}

/// Columns that fit next to each other; each block starts with the first column.
fn blocks(columns: &[Column], most: usize) -> Vec<Vec<&Column>> {
    let Some((first, others)) = columns.split_first() else { return Vec::new() };
    let mut blocks = vec![vec![first]];
    let mut used = first.width;
    for column in others {
        let last = blocks.len() - 1;
        if used + GAP.len() + column.width > most && blocks[last].len() > 1 {
            blocks.push(vec![first, column]);
            used = first.width + GAP.len() + column.width;
        } else {
            blocks[last].push(column);
            used += GAP.len() + column.width;
        }
    }
    blocks
}

fn lines(columns: &[&Column], rows: &[usize]) -> String {
    let line = |row: usize| {
        let cells = columns.iter().map(|Column { cells, width, right }| {
            let text = match cells[row].chars().count() > *width {
                true => brief(&cells[row], width.saturating_sub(1)),
                false => cells[row].clone(),
            };
            if *right { format!("{text:>width$}") } else { format!("{text:<width$}") }
        });
        cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned() + "\n"
    };
    rows.iter().copied().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right_and_words_to_the_left() {
        let rows = [["n", "word"], ["1", "a"], ["20", "bcd"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&rows, 80), " n  word\n 1  a\n20  bcd\n");
    }

    #[test]
    fn what_follows_below_has_only_rows_that_say_something_there() {
        let rows = [["trial", "value", "reason"], ["0", "1.25", ""], ["1", "-", "it boiled over"], ["2", "3", ""]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        let below = "trial  reason\n    1  it boiled over\n";
        assert_eq!(table(&rows, 24), format!("trial  value\n    0   1.25\n    1      -\n    2      3\n\n{below}"));
    }

    #[test]
    fn a_table_is_no_wider_than_it_may_be_and_loses_no_column() {
        let row = |f: &dyn Fn(usize) -> String| (0..12).map(f).collect::<Vec<String>>();
        let mut rows = vec![row(&|i| format!("parameter_{i}")), row(&|i| format!("{i}.123456"))];
        rows[0].push("reason".to_owned());
        rows[1].push("because it was so, ".repeat(9));
        for most in [40, 80, 132] {
            let text = table(&rows, most);
            assert!(text.lines().all(|line| line.chars().count() <= most), "{text}");
            for i in 0..12 {
                assert!(text.contains(&format!("parameter_{i}")) && text.contains(&format!("{i}.123456")), "{text}");
            }
            assert!(text.contains("because it was"), "{text}");
            let blocks: Vec<&str> = text.split("\n\n").collect();
            assert!(blocks.iter().all(|block| block.contains("parameter_0")), "{text}");
        }
    }
}
