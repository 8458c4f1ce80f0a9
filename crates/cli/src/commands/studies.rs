//! `elbow studies`: what a store holds.

use anyhow::Result;
use elbowroom_run::format_duration;
use elbowroom_store::{Clock, StudiesAnswer};
use serde_json::json;

use super::answer;
use crate::address::Address;
use crate::args::{Studies, Where};
use crate::table::{table, width};

/// Lists them.
pub fn studies(args: &Studies, json: bool) -> Result<()> {
    let store = Address::find(&Where::of(&args.place))?.store()?;
    let found = StudiesAnswer::of(&*store)?;
    answer(json, || json!(found), || in_words(&found))
}

fn in_words(found: &StudiesAnswer) -> String {
    if found.studies.is_empty() {
        return format!("there is no study in {}\n", found.store);
    }
    let now = Clock::system().now();
    let mut rows = vec![["study", "events", "started", "last event"].map(str::to_owned).to_vec()];
    for study in &found.studies {
        let ago = |time| format!("{} ago", format_duration(now.since(time)));
        rows.push(vec![study.name.clone(), study.revision.to_string(), ago(study.created), ago(study.changed)]);
    }
    table(&rows, width())
}
