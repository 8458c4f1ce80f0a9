//! `elbow copy`: a study from one store to another.

use anyhow::Result;
use elbowroom_store::open;
use serde_json::json;

use super::answer;
use crate::args::{Copy, Where};
use crate::fault::fault;
use crate::place::Place;

/// Copies it, every event as it was written.
pub fn copy(args: &Copy, json: bool) -> Result<()> {
    let from = Place::find(&Where { place: args.from.clone(), name: args.name.clone() })?;
    if args.to.ends_with(".toml") {
        return Err(fault(
            format!("{} is no store", args.to),
            "name a store file, such as copy.elbow, or postgres://…",
        ));
    }
    let study = from.open()?;
    let name = args.new_name.as_deref().unwrap_or(study.name());
    let to = open(&args.to)?;
    let copied = elbowroom_store::copy(&**study.store(), study.name(), &*to, name)?;
    let (place, n) = (to.place(), copied.n_events);
    answer(
        json,
        || json!({ "study": name, "store": place, "events": n, "digest": copied.digest.to_string() }),
        || format!("{n} events of `{}` are in {place} as `{name}`, and were compared\n", study.name()),
    )
}
