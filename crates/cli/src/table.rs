//! Columns of text.

/// Lays rows out in columns, numbers to the right; the first row is the head.
pub fn table(rows: &[Vec<String>]) -> String {
    let n = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &Vec<String>, i: usize| row.get(i).cloned().unwrap_or_default();
    let width = |i: usize| rows.iter().map(|row| cell(row, i).chars().count()).max().unwrap_or(0);
    let is_number = |text: &str| text.is_empty() || text == "-" || text.parse::<f64>().is_ok();
    let right: Vec<bool> = (0..n).map(|i| rows.iter().skip(1).all(|row| is_number(&cell(row, i)))).collect();
    let widths: Vec<usize> = (0..n).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = (0..n).map(|i| {
            let (text, width) = (cell(row, i), widths[i]);
            if right[i] { format!("{text:>width$}") } else { format!("{text:<width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right_and_words_to_the_left() {
        let rows = [["n", "word"], ["1", "a"], ["20", "bcd"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&rows), " n  word\n 1  a\n20  bcd\n");
    }
}
