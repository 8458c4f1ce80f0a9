//! `elbow doctor`: looks for problems with a store and with a study.

use std::io::{self, Read};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use elbowroom::insight::steepness;
use elbowroom_store::{SharedStudy, check, open, salvage};
use elbowroom_view::Scene;
use elbowroom_view::views::health::{Finding, Level, health};
use serde_json::json;

use super::answer;
use crate::address::{Address, is_file, path_of};
use crate::args::Doctor;
use crate::differ::{TRY, words_of};
use crate::error::cli_error;
use crate::format::wrap;
use crate::table::width;

/// Looks for problems; the exit code is 1 if one of them is serious.
pub fn doctor(args: &Doctor, json: bool) -> Result<ExitCode> {
    let place = Address::find(&args.study)?;
    let mut findings = Vec::new();
    if is_file(&place.address) {
        if !path_of(&place.address).exists() {
            place.store()?;
        }
        match no_store(&place.address)? {
            Some(finding) => findings.push(finding),
            None => {
                findings.push(file(&place.address)?);
                findings.extend(args.save.as_ref().map(|to| save(&place.address, to)).transpose()?);
            }
        }
    }
    if !findings.iter().any(|finding| finding.level == Level::Bad) {
        let shared = place.open()?;
        let differ = place.disagreement(&shared);
        if !differ.is_empty() {
            findings.insert(0, Finding::note(words_of(&differ).trim_end(), TRY));
        }
        findings.extend(clock(&shared));
        findings.extend(health(&Scene::of(&shared), true));
        findings.extend(steepness(shared.study()));
    }
    let any_bad = findings.iter().any(|finding| finding.level == Level::Bad);
    answer(
        json,
        || {
            let one = |f: &Finding| json!({ "level": f.level.word(), "what": f.what, "try": f.hint });
            json!({ "findings": findings.iter().map(one).collect::<Vec<_>>() })
        },
        || findings.iter().map(in_words).collect(),
    )?;
    Ok(if any_bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn in_words(finding: &Finding) -> String {
    // Text with line breaks keeps them.
    let wrapped = |text: String| match text.contains('\n') {
        true => text + "\n",
        false => wrap(&text, 8, width()),
    };
    let hint = if finding.hint.is_empty() { String::new() } else { wrapped(format!("        try: {}", finding.hint)) };
    wrapped(format!("{:5}   {}", finding.level.word(), finding.what)) + &hint
}

/// The start of every SQLite file.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// What to report about a file from which nothing can be saved.
fn no_store(address: &str) -> Result<Option<Finding>> {
    let path = path_of(address);
    let unreadable = |error: io::Error| cli_error(format!("{address} could not be read: {error}"), "name a store file");
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(cli_error(format!("{address} is not a file"), "name a store file"));
    }
    let mut start = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAGIC.len() as u64).read_to_end(&mut start).map_err(unreadable)?;
    Ok(if start.is_empty() {
        let what = format!("the file {address} is empty: no study was ever written to it");
        Some(Finding::bad(what, "name another file, or delete it and start over with `elbow run`"))
    } else if start != MAGIC {
        let what = format!("the file {address} is not a store, or its beginning is damaged");
        Some(Finding::bad(what, "check the name of the file; if it was a store, restore an older copy"))
    } else {
        None
    })
}

fn file(address: &str) -> Result<Finding> {
    let health = check(path_of(address))?;
    Ok(match health.faults.as_slice() {
        [] => Finding::fine(format!(
            "the store file {address} is intact, on a local disk: every page and every event was checked"
        )),
        faults => {
            let whole: Vec<String> =
                health.studies.iter().map(|study| format!("{} events of `{}`", study.n_events, study.study)).collect();
            let whole = if whole.is_empty() {
                "saving it will show what is intact".into()
            } else {
                format!("intact: {}", whole.join(", "))
            };
            let what = format!("the store file {address}: {}; {whole}", faults.join("; "));
            Finding::bad(
                what,
                "keep the file as it is; save what is intact with `elbow doctor FILE --save NEW.elbow`, or take a backup, \
                 which `elbow copy` makes of a store in use",
            )
        }
    })
}

fn save(address: &str, to: &str) -> Result<Finding> {
    let store = open(to)?;
    let saved = salvage(path_of(address), &*store)?;
    let list: Vec<String> =
        saved.iter().map(|study| format!("{} events of `{}`", study.n_events, study.study)).collect();
    let list = if list.is_empty() { "nothing; no study could be read".to_owned() } else { list.join(", ") };
    Ok(Finding::note(
        format!("saved into {}: {list}", store.label()),
        "check it with `elbow status`, and continue with that store",
    ))
}

/// Whether this machine's clock differs from the store's.
fn clock(shared: &SharedStudy) -> Option<Finding> {
    let here = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64);
    let apart = (here - shared.stored().now().0).abs() as f64 / 1000.0;
    (apart > 30.0).then(|| {
        Finding::note(
            format!("this machine's clock and the store's are {apart:.0} s apart"),
            "synchronize the clocks with NTP",
        )
    })
}
