//! Reading a sheet back.

use anyhow::Result;
use elbowroom::space::{Point, SearchSpace};
use elbowroom::study::{Outcomes, TrialId, outcomes_of};
use elbowroom_view::cells::{column, named_result, result_column, unguarded, value_column};

use super::complaint::{Complaint, all_of};
use crate::commands::value;

/// A file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// Its rows.
    pub rows: Vec<Row>,
    /// Whether it is an export: its values are the means of what the trials have.
    pub exported: bool,
    /// Parameters without a column.
    pub lacks: Vec<String>,
    /// What could not be read.
    pub complaints: Vec<Complaint>,
}

/// One row that is not empty.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its line in the file, counted from 1.
    pub line: usize,
    /// The trial; `None` for a result at a new point.
    pub trial: Option<TrialId>,
    /// Where the trial is, such as the well of a plate.
    pub well: Option<String>,
    /// The point as the row has it, if it has one.
    pub point: Option<Point>,
    /// The outcome of the trial.
    pub result: RowResult,
    /// The variance of the value's noise.
    pub noise: Option<f64>,
    /// The other results, by name.
    pub others: Vec<(String, f64)>,
    /// The row's comment.
    pub comment: String,
}

impl Row {
    /// Whether the row says nothing about its trial.
    pub fn is_blank(&self) -> bool {
        self.result == RowResult::Blank && self.others.is_empty()
    }
}

/// The outcome of a trial according to its row.
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

/// Reads a sheet of a study whose results have no names. Each complaint names its line, and all are reported at once.
pub fn read(bytes: &[u8], space: &SearchSpace) -> Result<Vec<Row>> {
    let sheet = read_sheet(bytes, space, &outcomes_of(None, None, None)?, None)?;
    if sheet.complaints.is_empty() { Ok(sheet.rows) } else { Err(all_of(sheet.complaints)) }
}

/// Reads a sheet with the values in a column of this name, and collects complaints along with the rows. Without a name,
/// the column is `value`, or the study's name for it; a sheet may also have only other results. Fails if the head of
/// the file means that no row can be understood.
pub fn read_sheet(bytes: &[u8], space: &SearchSpace, outcomes: &Outcomes, values: Option<&str>) -> Result<Sheet> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(all_of(vec![Complaint::new(1, "the file is in UTF-16", "save it as CSV in UTF-8")]));
    }
    if bytes.trim_ascii().is_empty() {
        return Err(all_of(vec![Complaint::new(1, "the file is empty", "save the filled-in sheet as CSV")]));
    }
    let (bytes, announced) = without_announcement(bytes);
    let first = if announced.is_some() { 2 } else { 1 };
    let delimiter = announced.unwrap_or_else(|| delimiter(bytes));
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder.delimiter(delimiter).flexible(true).trim(csv::Trim::Headers).from_reader(bytes);
    let head: Vec<String> = match reader.byte_headers() {
        Ok(head) => head.iter().map(|cell| unguarded(&text(cell)).to_owned()).collect(),
        Err(error) => return Err(all_of(vec![Complaint::new(first, error.to_string(), "save it as CSV")])),
    };
    let columns = Columns::find(&head, space, outcomes, values, delimiter == b';')
        .map_err(|one| all_of(vec![Complaint { line: first, ..one }]))?;
    let (mut rows, mut complaints) = (Vec::new(), Vec::new());
    let mut lines = Lines { bytes, at: 0, line: first };
    for record in reader.byte_records() {
        let record = record.map_err(|error| {
            let what = format!("the file cannot be read: {error}");
            all_of(vec![Complaint::new(lines.line, what, "save it as CSV")])
        })?;
        let line = lines.line(record.position().map_or(0, |position| position.byte() as usize));
        let before = complaints.len();
        let row = columns.row(line, &record, space, &mut complaints);
        rows.extend(row.filter(|_| complaints.len() == before));
    }
    let has_none = space.parameters().iter().zip(&columns.parameters).filter(|(_, at)| at.is_none());
    let lacks = has_none.map(|(parameter, _)| parameter.name().to_owned()).collect();
    Ok(Sheet { rows, exported: columns.exported.is_some(), lacks, complaints })
}

/// What follows the line `sep=;` at the start of a file by some spreadsheets, and the separator that it names.
pub fn without_announcement(bytes: &[u8]) -> (&[u8], Option<u8>) {
    let named = bytes.strip_prefix(b"sep=").and_then(|rest| rest.split_first());
    let Some((&separator, rest)) = named else { return (bytes, None) };
    let rest = rest.strip_prefix(b"\r").unwrap_or(rest);
    rest.strip_prefix(b"\n").map_or((bytes, None), |rest| (rest, Some(separator)))
}

/// Counts lines; the reader's own count is off by one if a line ends with a carriage return.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line of the first byte from here on that does not end a line; to be asked in order.
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

/// A number written with a decimal comma, with a point instead; `None` for any other text.
pub fn with_point(written: &str) -> Option<String> {
    let is_one = written.matches(',').count() == 1 && !written.contains('.');
    Some(written.replace(',', ".")).filter(|number| is_one && number.parse::<f64>().is_ok())
}

/// The separator of cells: whichever of comma, semicolon and tab is most frequent in the head.
pub fn delimiter(bytes: &[u8]) -> u8 {
    let head = bytes.split(|b| *b == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let count = |d: u8| head.iter().filter(|b| **b == d).count();
    [b',', b';', b'\t'].into_iter().rev().max_by_key(|d| count(*d)).unwrap_or(b',')
}

struct Columns {
    width: usize,
    trial: Option<usize>,
    well: Option<usize>,
    /// The column of the first objective, or of a number without a name; `None` if each result has its own column.
    values: Option<usize>,
    noise: Option<usize>,
    sd: Option<usize>,
    comment: Option<usize>,
    /// One for each parameter.
    parameters: Vec<Option<usize>>,
    /// The other results.
    results: Vec<(String, usize)>,
    decimal_comma: bool,
    /// State and reason of an export.
    exported: Option<(usize, Option<usize>)>,
}

impl Columns {
    fn find(
        head: &[String],
        space: &SearchSpace,
        outcomes: &Outcomes,
        value_name: Option<&str>,
        decimal_comma: bool,
    ) -> Result<Columns, Complaint> {
        let is_named = |name: &String| !name.is_empty();
        if let Some(twice) = (1..head.len()).find(|i| is_named(&head[*i]) && head[..*i].contains(&head[*i])) {
            let what = format!("the column `{}` appears twice", head[twice]);
            return Err(Complaint::new(1, what, "keep one of them, or rename the other"));
        }
        let at = |name: &str| head.iter().position(|column| column.eq_ignore_ascii_case(name));
        let values = Self::values(outcomes, value_name, at);
        let missing = |name: &str| {
            let hint = "keep the header line of the sheet, or name the column that holds the values: --value NAME";
            Complaint::new(1, format!("there is no column `{name}`; the columns are {}", head.join(", ")), hint)
        };
        if let (None, Some(name)) = (values, value_name) {
            return Err(missing(name));
        }
        let parameters = of_parameters(head, space);
        let is_free = |i: &usize| Some(*i) != values && !parameters.contains(&Some(*i));
        if let Some(values) = values.filter(|values| parameters.contains(&Some(*values))) {
            let what = format!("the column `{}` holds a parameter, not values", head[values]);
            return Err(Complaint::new(1, what, "name the column that holds the values: --value NAME"));
        }
        let own = |name: &str| at(name).filter(is_free);
        let known = outcomes.watched().filter_map(|name| Some((name.to_owned(), own(&result_column(name))?)));
        let mut results: Vec<(String, usize)> = known.collect();
        // A column may itself say that it is a result; other columns are left to the user.
        for (i, name) in head.iter().enumerate().filter_map(|(i, column)| Some((i, named_result(column)?))) {
            let is_new = results.iter().all(|(known, at)| known != name && *at != i) && name != outcomes.metric();
            if is_new && is_free(&i) {
                results.push((name.to_owned(), i));
            }
        }
        if values.is_none() && results.is_empty() {
            let named = has_names(outcomes).then(|| outcomes.names().find(|name| !outcomes.is_computed(name)));
            return Err(missing(named.flatten().unwrap_or("value")));
        }
        let is_export = ["state", "source", "attempts"].iter().all(|name| own(name).is_some());
        Ok(Columns {
            width: head.len(),
            trial: own("trial"),
            well: own("well"),
            values,
            noise: own("noise"),
            sd: own("sd"),
            comment: own("comment"),
            exported: own("state").filter(|_| is_export).map(|state| (state, own("reason"))),
            parameters,
            results,
            decimal_comma,
        })
    }

    /// The column of the first objective. Computed results are not read.
    fn values(outcomes: &Outcomes, named: Option<&str>, at: impl Fn(&str) -> Option<usize>) -> Option<usize> {
        let (metric, is_computed) = (outcomes.metric(), outcomes.is_computed(outcomes.metric()));
        match named {
            Some(name) => at(name),
            None if is_computed => at("value").filter(|_| at(&result_column(metric)).is_none()),
            None => at("value").or_else(|| at(&result_column(metric))).or_else(|| at(metric)),
        }
    }

    fn row(
        &self,
        line: usize,
        record: &csv::ByteRecord,
        space: &SearchSpace,
        complaints: &mut Vec<Complaint>,
    ) -> Option<Row> {
        let whole = |at: Option<usize>| text(at.and_then(|i| record.get(i)).unwrap_or_default());
        let cell = |at: Option<usize>| unguarded(whole(at).trim()).to_owned();
        let is_blank = |cell: &[u8]| cell.trim_ascii().is_empty();
        if record.iter().all(is_blank) {
            return None;
        }
        let mut wrong = |what: String, hint: &str| complaints.push(Complaint::new(line, what, hint));
        if let Some(surplus) = record.iter().skip(self.width).find(|cell| !is_blank(cell)) {
            let what = format!("there is a cell {:?} beyond the last column", text(surplus));
            wrong(what, "use decimal points, or separate cells by semicolons or tabs");
        }
        let written = cell(self.trial);
        let trial = written.parse().ok().map(TrialId);
        if trial.is_none() && !written.is_empty() {
            let hint = "keep the trial's number, or leave it blank for a new point";
            wrong(format!("{written:?} is not a trial"), hint);
        }
        let (mut result, mut comment) = (RowResult::Blank, cell(self.comment));
        match cell(self.values).as_str() {
            "" => {}
            word if ended_badly(word).is_some() => result = ended_badly(word).unwrap_or(result),
            written => match self.number(written) {
                Some(value) => result = RowResult::Value(value),
                None => {
                    let hint = "write a number with a decimal point, failed or infeasible, or leave it blank; put words into the comment";
                    wrong(format!("the value {written:?} is not a number"), hint);
                }
            },
        }
        if let (Some((state, reason)), RowResult::Blank) = (self.exported, result) {
            match cell(Some(state)).as_str() {
                "failed" => result = RowResult::Failed,
                "infeasible" => result = RowResult::Infeasible,
                _ => {}
            }
            comment = cell(reason);
        }
        let noise = self.noise(&cell(self.noise), &cell(self.sd)).unwrap_or_else(|(what, hint)| {
            wrong(what, hint);
            None
        });
        let mut others = Vec::new();
        for (name, at) in &self.results {
            match cell(Some(*at)).as_str() {
                "" => {}
                word if ended_badly(word).is_some() => {
                    if let RowResult::Value(value) = result {
                        // A trial with this outcome has no value, so the number is kept in words.
                        let written = format!("its value was {value}");
                        comment = if comment.is_empty() { written } else { format!("{comment}; {written}") };
                    }
                    result = ended_badly(word).unwrap_or(result);
                }
                written => match self.number(written).filter(|value| value.is_finite()) {
                    Some(value) => others.push((name.clone(), value)),
                    None => {
                        let hint = "write a number with a decimal point, failed or infeasible, or leave it blank; put words into the comment";
                        wrong(format!("the result {name:?} is {written:?}, which is not a number"), hint);
                    }
                },
            }
        }
        let point = self.point(space, whole);
        let well = Some(cell(self.well)).filter(|well| !well.is_empty());
        if trial.is_none() && well.is_none() && point.is_none() && result != RowResult::Blank {
            let hint = "write the trial's number, or a value for each parameter in a column of its name";
            wrong("there is a value without a trial or a point".to_owned(), hint);
        }
        Some(Row { line, trial, well, point, result, noise, others, comment })
    }

    /// The point of the row, as far as it has one.
    fn point(&self, space: &SearchSpace, whole: impl Fn(Option<usize>) -> String) -> Option<Point> {
        let mut point = Point::new();
        for (parameter, at) in space.parameters().iter().zip(&self.parameters) {
            let written = unguarded(&whole(*at)).to_owned();
            if !written.trim().is_empty() {
                let number = self.number(written.trim()).filter(|_| self.decimal_comma);
                let written = number.map_or(written, |x| x.to_string());
                point = point.with(parameter.name(), value(Some(parameter), &written));
            }
        }
        (!point.is_empty()).then_some(point)
    }

    /// The variance of the noise, given directly or as a standard deviation.
    fn noise(&self, noise: &str, sd: &str) -> Result<Option<f64>, (String, &'static str)> {
        let read = |written: &str| self.number(written).filter(|v| *v >= 0.0 && v.is_finite());
        match (noise, sd) {
            ("", "") => Ok(None),
            ("", sd) => match read(sd).map(|sd| sd * sd).filter(|v| v.is_finite()) {
                Some(variance) => Ok(Some(variance)),
                None => {
                    let what = format!("the sd {sd:?} is not a standard deviation");
                    Err((what, "write a number that is not negative"))
                }
            },
            (noise, "") => match read(noise) {
                Some(variance) => Ok(Some(variance)),
                None => {
                    let hint = "write a number that is not negative; a standard deviation goes into a column `sd`";
                    Err((format!("the noise {noise:?} is not a variance"), hint))
                }
            },
            _ => Err((
                format!("the row has both a noise of {noise} and an sd of {sd}"),
                "keep one of them: noise is the variance, sd its square root",
            )),
        }
    }

    fn number(&self, written: &str) -> Option<f64> {
        let with_comma = with_point(written).filter(|_| self.decimal_comma);
        with_comma.as_deref().unwrap_or(written).parse().ok()
    }
}

/// The column of each parameter: with its name, or else the only one with its name in other capitals.
fn of_parameters(head: &[String], space: &SearchSpace) -> Vec<Option<usize>> {
    let names: Vec<String> = space.parameters().iter().map(|parameter| column(parameter.name())).collect();
    let of = |name: &String| {
        let alike = |i: &usize| head[*i].eq_ignore_ascii_case(name) && !names.contains(&head[*i]);
        let mut others = (0..head.len()).filter(alike);
        let only = others.next().filter(|_| others.next().is_none());
        head.iter().position(|column| column == name).or(only)
    };
    names.iter().map(of).collect()
}

/// Whether results have their own names: then `value` would be ambiguous.
fn has_names(outcomes: &Outcomes) -> bool {
    value_column(outcomes).as_deref() != Some("value")
}

/// The outcome that a word in place of a number stands for.
fn ended_badly(word: &str) -> Option<RowResult> {
    match word {
        word if word.eq_ignore_ascii_case("failed") => Some(RowResult::Failed),
        word if word.eq_ignore_ascii_case("infeasible") => Some(RowResult::Infeasible),
        _ => None,
    }
}

/// A cell as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
