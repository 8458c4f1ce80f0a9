//! Sheets for the laboratory: a CSV with trials to fill in, and reading it back.
//!
//! A person may sort the rows, leave results blank, repeat a row for a replicate, write what was really set instead of what
//! was planned, use semicolons and decimal commas as their spreadsheet does, and add rows and columns of their own.

use anyhow::Result;
use elbowroom::space::{Parameter, Point, SearchSpace, Value};
use elbowroom::study::TrialId;
use elbowroom_view::cells::{column, guarded, unguarded};

use crate::commands::value;
use crate::fault::fault;
use crate::words::number;

/// One row that has something to say.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its line in the file, from 1 on.
    pub line: usize,
    /// The trial; none for a result at a point of one's own.
    pub trial: Option<TrialId>,
    /// The point as the row has it; none if it has none.
    pub point: Option<Point>,
    /// What came of it.
    pub result: RowResult,
    /// The variance of the value's noise.
    pub noise: Option<f64>,
    /// The row's comment.
    pub comment: String,
    /// Whether the file is an export: its values are the means of what the trials have.
    pub exported: bool,
}

/// What a row says came of its trial.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RowResult {
    /// Nothing yet.
    Blank,
    /// A value.
    Value(f64),
    /// The word `failed`.
    Failed,
    /// The word `infeasible`.
    Infeasible,
}

/// A planned trial.
pub struct Planned<'a> {
    /// Its number.
    pub trial: TrialId,
    /// Its point.
    pub point: &'a Point,
    /// Its place on a plate.
    pub well: Option<String>,
}

/// Writes a sheet.
pub fn write(space: &SearchSpace, planned: &[Planned<'_>]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let with_wells = planned.iter().any(|planned| planned.well.is_some());
    let names: Vec<&str> = space.parameters().iter().map(Parameter::name).collect();
    let mut head = vec!["trial".to_owned()];
    head.extend(with_wells.then(|| "well".to_owned()));
    head.extend(names.iter().map(|name| guarded(&column(name))));
    head.extend(["value", "noise", "comment"].map(str::to_owned));
    writer.write_record(&head)?;
    for planned in planned {
        let mut row = vec![planned.trial.to_string()];
        row.extend(with_wells.then(|| planned.well.clone().unwrap_or_default()));
        row.extend(names.iter().map(|name| planned.point.get(name).map_or_else(String::new, settable)));
        row.extend([String::new(), String::new(), String::new()]);
        writer.write_record(&row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// A value as a person can set it: floats to six digits.
fn settable(value: &Value) -> String {
    match value {
        Value::Float(x) => number(*x),
        Value::Text(text) => guarded(text),
        other => other.to_string(),
    }
}

/// The name of a well, row by row: A1, A2 … of a plate with so many wells.
pub fn well(plate: usize, index: usize) -> Option<String> {
    let columns = match plate {
        6 => 3,
        12 => 4,
        24 => 6,
        48 => 8,
        96 => 12,
        384 => 24,
        1536 => 48,
        _ => return None,
    };
    let (row, column) = (index / columns, index % columns);
    let letter = |i: usize| char::from(b'A' + (i % 26) as u8);
    // A 1536-well plate has 32 rows: after Z comes AA.
    let name = if row < 26 { letter(row).to_string() } else { format!("A{}", letter(row - 26)) };
    (index < plate).then(|| format!("{name}{}", column + 1))
}

/// Reads a sheet back. A complaint names its line.
pub fn read(bytes: &[u8], space: &SearchSpace) -> Result<Vec<Row>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let delimiter = delimiter(bytes);
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder.delimiter(delimiter).flexible(true).trim(csv::Trim::Headers).from_reader(bytes);
    let head: Vec<String> = match reader.byte_headers() {
        Ok(head) => head.iter().map(|cell| unguarded(&text(cell)).to_owned()).collect(),
        Err(error) => return Err(fault(format!("line 1: {error}"), "save it as CSV")),
    };
    let at = |name: &str| head.iter().position(|column| column.eq_ignore_ascii_case(name));
    let Some(values) = at("value") else {
        let hint = "keep the head of the sheet: trial, the parameters, value";
        return Err(fault(format!("line 1: there is no column `value`; there are {}", head.join(", ")), hint));
    };
    let is_named = |name: &String| !name.is_empty();
    if let Some(twice) = (1..head.len()).find(|i| is_named(&head[*i]) && head[..*i].contains(&head[*i])) {
        let hint = "keep one of them, or rename the other";
        return Err(fault(format!("line 1: the column `{}` is there twice", head[twice]), hint));
    }
    let columns = Columns {
        width: head.len(),
        trial: at("trial"),
        values,
        noise: at("noise"),
        comment: at("comment"),
        parameters: space.parameters().iter().map(|p| head.iter().position(|h| *h == column(p.name()))).collect(),
        decimal_comma: delimiter == b';',
        exported: ["state", "source", "attempts"].iter().all(|name| at(name).is_some()),
    };
    let mut rows = Vec::new();
    let mut lines = Lines { bytes, at: 0, line: 1 };
    for record in reader.byte_records() {
        let record = record.map_err(|error| fault(format!("the file cannot be read: {error}"), "save it as CSV"))?;
        let line = lines.line(record.position().map_or(0, |position| position.byte() as usize));
        rows.extend(columns.row(line, &record, space)?);
    }
    Ok(rows)
}

/// Counts lines; the reader's own count is off by one where a line ends with a carriage return.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line of the first byte from here on that ends no line; asked in order.
    fn line(&mut self, byte: usize) -> usize {
        let ends = |b: &u8| matches!(b, b'\r' | b'\n');
        let start = byte.min(self.bytes.len());
        let start = start + self.bytes[start..].iter().take_while(|b| ends(b)).count();
        if start > self.at {
            self.line += self.bytes[self.at..start].iter().filter(|b| **b == b'\n').count();
            self.at = start;
        }
        self.line
    }
}

/// What separates cells: whichever of comma, semicolon and tab the head has most of.
fn delimiter(bytes: &[u8]) -> u8 {
    let head = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
    let count = |d: u8| head.iter().filter(|b| **b == d).count();
    [b',', b';', b'\t'].into_iter().rev().max_by_key(|d| count(*d)).unwrap_or(b',')
}

struct Columns {
    width: usize,
    trial: Option<usize>,
    values: usize,
    noise: Option<usize>,
    comment: Option<usize>,
    /// One for each parameter.
    parameters: Vec<Option<usize>>,
    decimal_comma: bool,
    exported: bool,
}

impl Columns {
    fn row(&self, line: usize, record: &csv::ByteRecord, space: &SearchSpace) -> Result<Option<Row>> {
        let whole = |at: Option<usize>| text(at.and_then(|i| record.get(i)).unwrap_or_default());
        let cell = |at: Option<usize>| unguarded(whole(at).trim()).to_owned();
        let is_blank = |cell: &[u8]| cell.trim_ascii().is_empty();
        if record.iter().all(is_blank) {
            return Ok(None);
        }
        let wrong = |what: String, hint: &str| fault(format!("line {line}: {what}"), hint);
        if let Some(surplus) = record.iter().skip(self.width).find(|cell| !is_blank(cell)) {
            let what = format!("there is a cell {:?} beyond the last column", text(surplus));
            return Err(wrong(what, "write decimal points, or separate cells by semicolons or tabs"));
        }
        let trial = match cell(self.trial).as_str() {
            "" => None,
            written => Some(TrialId(written.parse().map_err(|_| {
                wrong(
                    format!("{written:?} is no trial"),
                    "keep the trial's number, or leave it blank for a point of your own",
                )
            })?)),
        };
        let number = |written: &str| self.number(written);
        let result = match cell(Some(self.values)).as_str() {
            "" => RowResult::Blank,
            word if word.eq_ignore_ascii_case("failed") => RowResult::Failed,
            word if word.eq_ignore_ascii_case("infeasible") => RowResult::Infeasible,
            written => RowResult::Value(number(written).ok_or_else(|| {
                let hint = "write a number, failed or infeasible, or leave it blank; words go into the comment";
                wrong(format!("the value {written:?} is no number"), hint)
            })?),
        };
        let noise = match cell(self.noise).as_str() {
            "" => None,
            written => Some(number(written).filter(|v| *v >= 0.0 && v.is_finite()).ok_or_else(|| {
                wrong(format!("the noise {written:?} is no variance"), "write a number that is not negative")
            })?),
        };
        let mut point = Point::new();
        for (parameter, at) in space.parameters().iter().zip(&self.parameters) {
            let written = unguarded(&whole(*at)).to_owned();
            if !written.trim().is_empty() {
                let number = number(written.trim()).filter(|_| self.decimal_comma);
                let written = number.map_or(written, |x| x.to_string());
                point = point.with(parameter.name(), value(Some(parameter), &written));
            }
        }
        let point = (!point.is_empty()).then_some(point);
        if trial.is_none() && point.is_none() && result != RowResult::Blank {
            return Err(wrong("there is a value without a trial or a point".to_owned(), "write the trial's number"));
        }
        Ok(Some(Row { line, trial, point, result, noise, comment: cell(self.comment), exported: self.exported }))
    }

    fn number(&self, written: &str) -> Option<f64> {
        let comma = self.decimal_comma && written.matches(',').count() == 1 && !written.contains('.');
        if comma { written.replace(',', ".").parse().ok() } else { written.parse().ok() }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether what was really set is what was planned: the same, or the plan rounded to three digits or more.
pub fn as_planned(planned: &Value, set: &Value) -> bool {
    match (planned, set.as_f64()) {
        (Value::Float(plan), Some(set)) => {
            let rounded = |digits: usize| format!("{plan:.digits$e}").parse() == Ok(set);
            *plan == set || (2..=16).any(rounded)
        }
        _ => planned.is_same_as(set),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> SearchSpace {
        let kind = Parameter::category("kind", ["=a", "b"]);
        SearchSpace::new(vec![Parameter::float("x", 0.0, 9.0), kind, Parameter::int("value", 1, 9)]).unwrap()
    }

    #[test]
    fn a_sheet_is_read_back_as_it_was_written() {
        let point = Point::new().with("x", 1.0 / 3.0).with("kind", "=a").with("value", 3);
        let planned = [Planned { trial: TrialId(7), point: &point, well: well(96, 12) }];
        let text = write(&space(), &planned).unwrap();
        assert_eq!(text, "trial,well,x,kind,parameter value,value,noise,comment\n7,B1,0.333333,'=a,3,,,\n");
        let rows = read(text.as_bytes(), &space()).unwrap();
        assert_eq!((rows[0].trial, rows[0].result), (Some(TrialId(7)), RowResult::Blank));
        let read = rows[0].point.as_ref().unwrap();
        assert!(point.iter().all(|(name, plan)| as_planned(plan, read.get(name).unwrap())));
    }

    #[test]
    fn cells_that_have_no_column_of_their_own_are_refused() {
        let error = |text: &str| read(text.as_bytes(), &space()).unwrap_err().to_string();
        assert!(error("trial,value\n0,0,5\n").starts_with("line 2: there is a cell \"5\" beyond"));
        assert!(error("trial,value,value\n0,1,2\n").starts_with("line 1: the column `value` is there twice"));
        assert_eq!(read(b"trial,value\n0,1,,\n", &space()).unwrap().len(), 1);
    }

    #[test]
    fn what_spreadsheets_do_to_a_file_is_understood() {
        let text = "\u{feff}comment;value;trial;x;mine\nwarm;0,25;2;\"1,5\";\n\n;FAILED;3;;9\n;;4\n";
        let rows = read(text.as_bytes(), &space()).unwrap();
        assert_eq!(rows.len(), 3);
        assert_eq!((rows[0].result, rows[0].trial), (RowResult::Value(0.25), Some(TrialId(2))));
        assert_eq!(rows[0].point, Some(Point::new().with("x", 1.5)));
        assert_eq!((rows[1].result, rows[1].line), (RowResult::Failed, 4));
        assert_eq!(rows[2].result, RowResult::Blank);
        let windows = read(text.replace('\n', "\r\n").as_bytes(), &space()).unwrap();
        assert_eq!(windows, rows);
        for (bad, line) in [("trial,x\n1,2\n", 1), ("trial,value\n0,1\nx,1\n", 3), ("trial,value\n0,about 3\n", 2)] {
            let error = read(bad.as_bytes(), &space()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("line {line}: ")) && error.contains("try:"), "{error}");
        }
    }

    #[test]
    fn spaces_are_left_where_a_choice_has_them() {
        let space = SearchSpace::new(vec![Parameter::category("k", [" a", "b"])]).unwrap();
        let rows = read(b"trial, k ,value\n0, a, 1 \n1, b ,2\n , ,\n", &space).unwrap();
        let read: Vec<_> = rows.iter().map(|row| row.point.as_ref().unwrap().get("k").unwrap().clone()).collect();
        assert_eq!(read, [" a".into(), "b".into()]);
        assert_eq!(rows[0].result, RowResult::Value(1.0));
    }

    #[test]
    fn wells_are_named_and_roundings_are_known() {
        assert_eq!(well(96, 95), Some("H12".to_owned()));
        assert_eq!(well(1536, 1535), Some("AF48".to_owned()));
        assert_eq!((well(96, 96), well(7, 0)), (None, None));
        let plan = Value::from(0.342_159);
        assert!(as_planned(&plan, &Value::from(0.342)) && as_planned(&plan, &Value::from(0.342_16)));
        assert!(!as_planned(&plan, &Value::from(0.34)) && !as_planned(&plan, &Value::from(0.343)));
        assert!(as_planned(&Value::from(3), &Value::from(3.0)) && !as_planned(&Value::from("a"), &Value::from("b")));
    }
}
