//! Tables in Markdown, padded so that they can be read as text.

/// A table: a head, and rows with the same number of cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Markdown {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Markdown {
    /// A table without rows.
    pub fn new<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Self {
        Self { head: head.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row. Missing cells are left empty.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).collect();
        row.resize(self.head.len(), String::new());
        self.rows.push(row);
    }

    /// The table as text, with the first column aligned left and the others aligned right.
    pub fn text(&self) -> String {
        let all = || std::iter::once(&self.head).chain(&self.rows);
        let width = |i: usize| all().map(|row| row[i].chars().count()).max().unwrap_or(0).max(3);
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| match i {
                0 => format!("{cell:width$}"),
                _ => format!("{cell:>width$}"),
            });
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule = widths.iter().enumerate().map(|(i, &width)| match i {
            0 => "-".repeat(width + 2),
            _ => "-".repeat(width + 1) + ":",
        });
        let mut text = line(&self.head);
        text += &format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
        self.rows.iter().for_each(|row| text += &line(row));
        text
    }
}

/// A number with about three significant digits.
pub fn number(value: f64) -> String {
    match value.abs() {
        v if v.is_nan() => "-".into(),
        v if v >= 1e5 => format!("{value:.1e}"),
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 0.1 || v == 0.0 => format!("{value:.2}"),
        v if v >= 0.001 => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    }
}

/// A difference with its sign.
pub fn signed(value: f64) -> String {
    let text = format!("{:.2}", value.abs());
    match text.as_str() {
        "0.00" => text,
        _ if value < 0.0 => format!("−{text}"),
        _ => format!("+{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_padded_and_missing_cells_are_empty() {
        let mut table = Markdown::new(["method", "f"]);
        table.row(["LP", "0.25"]);
        table.row(["EI"]);
        assert_eq!(table.text(), "| method |    f |\n|--------|-----:|\n| LP     | 0.25 |\n| EI     |      |\n");
    }

    #[test]
    fn numbers_keep_three_digits_or_so() {
        let texts = [0.2534, 0.0312, 8.84, 57.7, 1463.2, 2e5, 1e-5, f64::NAN].map(number);
        assert_eq!(texts, ["0.25", "0.0312", "8.84", "57.7", "1463", "2.0e5", "1.0e-5", "-"]);
        assert_eq!([0.123, -0.5, -0.001].map(signed), ["+0.12", "−0.50", "0.00"]);
    }
}
