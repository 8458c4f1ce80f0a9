//! `elbow import`: results from a sheet, shown as a difference before anything is written.

use std::io::{BufRead, IsTerminal, Read, Write};
use std::path::Path;

use anyhow::Result;
use elbowroom::study::Study;
use serde_json::{Value, json};

use super::answer;
use crate::address::Address;
use crate::args::Import;
use crate::error::{cli_error, within};
use crate::format::safe;
use crate::intake::{Change, Plan, Wishes, plan};
use crate::sheet::{Sheet, read_sheet};

/// The maximum size of a file.
const MOST_BYTES: u64 = 20 << 20;

/// The maximum number of changes that are listed for a person.
const MOST_SHOWN: usize = 200;

/// Reads the sheet, shows the changes, and writes them on confirmation.
pub fn import(args: &Import, json: bool) -> Result<()> {
    let place = Address::find(&args.study.clone().into())?;
    let there = place.open_if_there()?;
    let begun;
    // A study that does not exist yet is created when something is written into it.
    let study = match (&there, &place.file) {
        (Some(shared), _) => shared.study(),
        (None, Some((file, _))) => {
            begun = Study::new(file.config.clone())?;
            &begun
        }
        (None, None) => return place.open().map(drop),
    };
    let in_file = |error: anyhow::Error| within(format_args!("{}, ", args.file.display()), &error);
    let column = args.value.as_deref();
    let sheet = read_sheet(&bytes(&args.file)?, study.space(), study.outcomes(), column).map_err(in_file)?;
    let wishes = Wishes { correct: args.correct, given: args.given };
    let planned = plan(study, &sheet, wishes).map_err(in_file)?;
    let is_new = planned.news().next().is_some();
    if !json {
        show(&planned, &sheet, args.given)?;
    }
    let write = is_new && (args.yes || (!json && confirmed()?));
    if write {
        let mut shared = place.open_or_create()?;
        shared.append_all(|study| plan(study, &sheet, wishes)?.events(study))?;
    }
    answer(
        json,
        || in_json(&planned, &sheet, write),
        || match (write, is_new) {
            (true, _) => "imported\n".to_owned(),
            (false, false) => "there is nothing to import\n".to_owned(),
            (false, true) => "nothing was imported; add --yes to import it\n".to_owned(),
        },
    )
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    let shown = path.display();
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)
        .map_err(|error| cli_error(format!("{shown} could not be read: {error}"), "name the filled-in sheet"))?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(cli_error(format!("{shown} has more than {} MB", MOST_BYTES >> 20), "import it in parts"));
    }
    Ok(bytes)
}

fn n_blank(sheet: &Sheet) -> usize {
    sheet.rows.iter().filter(|row| row.is_blank()).count()
}

fn show(plan: &Plan, sheet: &Sheet, wished: bool) -> Result<()> {
    let mut text = String::new();
    if plan.given && !wished {
        text += "this is an export of another study: its results are added as new points\n";
    }
    let n_new = plan.news().count();
    for change in plan.news().take(MOST_SHOWN) {
        text += &format!("line {}: {}\n", change.line, safe(&change.words));
    }
    if n_new > MOST_SHOWN {
        text += &format!("and {} more\n", n_new - MOST_SHOWN);
    }
    let known = plan.changes.len() - n_new;
    text += &format!("{n_new} new, {known} already known, {} still blank\n", n_blank(sheet));
    match plan.news().filter(|change| change.breaks.is_some()).count() {
        0 => {}
        1 => text += "1 of them was measured where a known constraint is broken\n",
        n => text += &format!("{n} of them were measured where a known constraint is broken\n"),
    }
    Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
}

fn in_json(plan: &Plan, sheet: &Sheet, written: bool) -> Value {
    let one = |change: &Change| {
        let mut listed = json!({ "line": change.line, "what": change.words });
        if let Some(constraint) = &change.breaks {
            listed["breaks"] = json!(constraint);
        }
        listed
    };
    let listed: Vec<Value> = plan.news().map(one).collect();
    let known = plan.changes.len() - listed.len();
    json!({ "changes": listed, "known": known, "blank": n_blank(sheet), "given": plan.given, "written": written })
}

fn confirmed() -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    print!("import this? [y/N] ");
    std::io::stdout().flush()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}
