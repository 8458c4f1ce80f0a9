//! `elbow report`: a study as one file that opens anywhere.

use anyhow::Result;
use elbowroom_view::Scene;
use elbowroom_view::report::report as page;
use serde_json::json;

use super::answer;
use crate::address::Address;
use crate::args::Report;
use crate::error::cli_error;

/// The number of results above which no model is fitted for a report.
const MOST_MODELLED: usize = 20_000;

/// Writes it.
pub fn report(args: &Report, json: bool) -> Result<()> {
    let study = Address::find(&args.study.clone().into())?.open()?;
    let with_model = study.study().n_observed() <= MOST_MODELLED;
    let text = page(&Scene::of(&study), &study.stored().digest().to_string(), with_model);
    let shown = args.file.display();
    std::fs::write(&args.file, text)
        .map_err(|error| cli_error(format!("{shown} could not be written: {error}"), "choose another path"))?;
    answer(json, || json!({ "written": shown.to_string() }), || format!("wrote {shown}\n"))
}
