//! Sheets for the laboratory: a CSV with trials to fill in, and reading it back.
//!
//! A person may sort the rows, leave results blank, repeat a row for a replicate, write the actual settings instead of
//! the planned ones, use semicolons and decimal commas as their spreadsheet does, and add new rows and columns.

mod complaint;
mod read;
mod well;
mod write;

use elbowroom::space::Value;

pub use complaint::{Complaint, all_of};
pub use read::{Row, RowResult, Sheet, delimiter, read, read_sheet, text, with_point, without_announcement};
pub use well::{is_same_well, well};
pub use write::{Planned, write};

/// Whether the actual setting is the planned one: the same, or the plan rounded to three digits or more.
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
    use elbowroom::space::{Parameter, Point, SearchSpace};
    use elbowroom::study::{Goal, Outcome, Outcomes, TrialId, outcomes_of};

    use super::*;

    fn space() -> SearchSpace {
        let kind = Parameter::category("kind", ["=a", "b"]);
        SearchSpace::new(vec![Parameter::float("x", 0.0, 9.0), kind, Parameter::int("value", 1, 9)]).unwrap()
    }

    #[test]
    fn a_sheet_is_read_back_as_it_was_written() {
        let point = Point::new().with("x", 1.0 / 3.0).with("kind", "=a").with("value", 3);
        let planned = [Planned { trial: TrialId(7), point: &point, well: well(96, 12) }];
        let text = write(&space(), &outcomes_of(None, None, None).unwrap(), &planned).unwrap();
        assert_eq!(text, "trial,well,x,kind,parameter value,value,sd,comment\n7,B1,0.333333,'=a,3,,,\n");
        let rows = read(text.as_bytes(), &space()).unwrap();
        assert_eq!((rows[0].trial, rows[0].result), (Some(TrialId(7)), RowResult::Blank));
        let read = rows[0].point.as_ref().unwrap();
        assert!(point.iter().all(|(name, plan)| as_planned(plan, read.get(name).unwrap())));
    }

    #[test]
    fn a_parameter_that_a_trial_does_not_have_is_an_empty_cell() {
        let kind = Parameter::category("kind", ["adam", "sgd"]);
        let momentum = Parameter::float("momentum", 0.0, 1.0).when("kind == 'sgd'");
        let space = SearchSpace::new(vec![kind, momentum]).unwrap();
        let point = Point::new().with("kind", "adam");
        let planned = [Planned { trial: TrialId(7), point: &point, well: None }];
        let text = write(&space, &outcomes_of(None, None, None).unwrap(), &planned).unwrap();
        assert_eq!(text, "trial,kind,momentum,value,sd,comment\n7,adam,,,,\n");
        assert_eq!(read(text.as_bytes(), &space).unwrap()[0].point.as_ref(), Some(&point));
    }

    #[test]
    fn a_sheet_of_several_results_has_a_column_for_each_by_its_name() {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 9.0)]).unwrap();
        let columns = |list: Vec<Outcome>| {
            let outcomes = Outcomes::new(list).unwrap();
            let text = write(&space, &outcomes, &[]).unwrap();
            // A sheet that was written can be read.
            read_sheet(text.as_bytes(), &space, &outcomes, None).unwrap();
            text
        };
        let amount = || Outcome::objective("amount", Goal::Maximize);
        let purity = || Outcome::watched("purity").at_least(95.0);
        assert_eq!(columns(vec![amount(), Outcome::watched("hours")]), "trial,x,value,sd,comment,hours\n");
        assert_eq!(columns(vec![amount(), purity()]), "trial,x,amount,sd,purity,comment\n");
        // The distance is computed, and so is the profit: neither is filled in.
        assert_eq!(columns(vec![Outcome::target("viscosity", 4.2), purity()]), "trial,x,viscosity,purity,comment\n");
        let profit = Outcome::objective("profit", Goal::Maximize).computed("amount - cost");
        let parts = [Outcome::watched("amount"), Outcome::watched("cost")];
        assert_eq!(columns([vec![profit], parts.into()].concat()), "trial,x,amount,cost,comment\n");
    }

    #[test]
    fn a_read_out_that_comes_later_may_have_a_sheet_of_its_own() {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 9.0)]).unwrap();
        let purity = Outcome::watched("purity").at_least(95.0);
        let outcomes = Outcomes::new(vec![Outcome::objective("amount", Goal::Maximize), purity]).unwrap();
        let read = |text: &str| read_sheet(text.as_bytes(), &space, &outcomes, None);
        let rows = read("trial,purity\n3,97.5\n4,failed\n").unwrap().rows;
        assert_eq!((rows[0].result, &rows[0].others[..]), (RowResult::Blank, &[("purity".to_owned(), 97.5)][..]));
        assert_eq!(rows[1].result, RowResult::Failed);
        let error = read("trial,clarity\n3,97.5\n").unwrap_err().to_string();
        assert!(error.contains("no column `amount`") && error.contains("trial, clarity"), "{error}");
    }

    #[test]
    fn cells_that_have_no_column_of_their_own_are_refused() {
        let error = |text: &str| read(text.as_bytes(), &space()).unwrap_err().to_string();
        assert!(error("trial,value\n0,0,5\n").starts_with("line 2: there is a cell \"5\" beyond"));
        assert!(error("trial,value,value\n0,1,2\n").starts_with("line 1: the column `value` appears twice"));
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
    fn what_other_spreadsheets_do_to_a_file_is_understood_too() {
        // A line that names the separator, blank lines above the head, and a name in other capitals.
        let rows = read(b"sep=;\r\ntrial;X;kind;value\r\n2;1,5;b;0,25\r\nx;;;\r\n", &space());
        assert!(rows.unwrap_err().to_string().starts_with("line 4: \"x\" is not a trial"));
        for text in ["sep=;\ntrial;X;value\n2;1,5;0,25\n", "\n\ntrial;x;value\n2;1,5;0,25\n"] {
            let rows = read(text.as_bytes(), &space()).unwrap();
            assert_eq!((rows[0].result, &rows[0].point), (RowResult::Value(0.25), &Some(Point::new().with("x", 1.5))));
        }
        // A column with the exact name wins; of two others neither is used.
        let point = |text: &str| read(text.as_bytes(), &space()).unwrap()[0].point.clone();
        assert_eq!(point("trial,X,x,value\n2,1,2,3\n"), Some(Point::new().with("x", 2)));
        assert_eq!(point("trial,KIND,Kind,value\n2,b,b,3\n"), None);
        for (bytes, what) in [(&b" \r\n"[..], "is empty"), (b"\xff\xfet\0r\0", "UTF-16")] {
            assert!(read(bytes, &space()).unwrap_err().to_string().contains(what));
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
    fn roundings_of_what_was_planned_are_known() {
        let plan = Value::from(0.342_159);
        assert!(as_planned(&plan, &Value::from(0.342)) && as_planned(&plan, &Value::from(0.342_16)));
        assert!(!as_planned(&plan, &Value::from(0.34)) && !as_planned(&plan, &Value::from(0.343)));
        assert!(as_planned(&Value::from(3), &Value::from(3.0)) && !as_planned(&Value::from("a"), &Value::from("b")));
    }
}
