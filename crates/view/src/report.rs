//! A study as one file that opens anywhere: the dashboard's page, with its scripts and its data inside.

use elbowroom::study::{Source, Trial, TrialId};
use elbowroom_store::BestAnswer;
use serde_json::{Map, Value, json};

use crate::assets::{ASSETS, STYLE, UPLOT, bundled};
use crate::overview::{Overview, builds, overview};
use crate::scene::{Scene, TrialStatus};
use crate::table::{MAX_ROWS, Query, Sort, listing, table};
use crate::views::{Look, VIEWS, trial_page, why_page};

/// The most pairs of parameters to draw.
const PAIRS: usize = 15;

/// The number of rows for each kind of trial without a value, if there are too many trials for all.
const KIND: usize = 50;

/// The number of trials whose choice is explained: the best one, and the last ones that the model chose.
const EXPLAINED: usize = 4;

/// Nothing is loaded and nothing is sent: everything that the file shows is in it.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/// The page. `log_hash` identifies the log that it was made from; without `with_model` no model is fitted.
pub fn report(scene: &Scene<'_>, log_hash: &str, with_model: bool) -> String {
    let kept = json!({ "about": { "study": scene.name }, "views": views(scene, log_hash, with_model) });
    // A `<` could end the script element that holds the data.
    let data = kept.to_string().replace('<', "\\u003c");
    let inside = |tag: &str, text: &str| format!("<{tag}>\n{text}\n</{tag}>\n");
    let styles: String =
        ASSETS.iter().filter(|asset| asset.kind == STYLE).map(|asset| inside("style", &asset.text)).collect();
    let script = bundled().expect("a test sees to it that the modules can be bundled");
    let title = escaped(scene.name);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n{styles}</head>\n<body>\n<header id=\"bar\"></header>\n<nav id=\"tabs\"></nav>\n\
         <main id=\"main\" tabindex=\"-1\"></main>\n<script type=\"application/json\" id=\"kept\">{data}</script>\n{}{}\
         <!-- uPlot: {} -->\n</body>\n</html>\n",
        inside("script", UPLOT),
        inside("script", &script),
        include_str!("../assets/uplot/LICENSE").replace("--", "- -"),
    )
}

/// Every view by the address under which the page asks for it.
fn views(scene: &Scene<'_>, log_hash: &str, with_model: bool) -> Map<String, Value> {
    let base = format!("/api/studies/{}", in_address(scene.name));
    let mut views = Map::new();
    let mut about = Overview { builds: Some(builds(scene.study)), ..overview(scene) };
    about.status.log_hash = Some(log_hash.to_owned());
    views.insert(base.clone(), json!(about));
    let recommended = with_model.then(|| scene.study.recommended()).flatten();
    let several = with_model && scene.study.outcomes().has_several_objectives();
    let recommended_front = several.then(|| scene.study.recommended_front().ok()).flatten();
    let best =
        BestAnswer { recommended_front, ..BestAnswer::new(scene.study, |trial| scene.answer(trial), recommended) };
    views.insert(format!("{base}/best"), json!(best));
    let dim = scene.study.space().dim();
    for view in VIEWS {
        let whole = [(Look { with_model, ..Look::default() }, String::new())];
        let over_two = |(x, y)| (Look { x, y, with_model }, format!("?x={x}&y={y}"));
        let looks = if view.is_over_two { pairs(dim).into_iter().map(over_two).collect() } else { Vec::from(whole) };
        for (look, query) in looks {
            if let Ok(drawn) = view.draw(scene, look) {
                views.insert(format!("{base}/{}{query}", view.name), drawn);
            }
        }
    }
    let listed = listed(scene);
    for id in &listed {
        if let Ok(page) = trial_page(scene, *id) {
            views.insert(format!("{base}/trials/{id}"), json!(page));
        }
    }
    views.insert(format!("{base}/trials"), serde_json::to_value(listing(scene, &listed)).unwrap_or_default());
    for id in explained(scene).into_iter().filter(|_| with_model) {
        if let Ok(why) = why_page(scene, id) {
            views.insert(format!("{base}/trials/{id}/why"), why);
        }
    }
    views
}

/// The best trials; if there are many, also some of each kind without a value.
fn listed(scene: &Scene<'_>) -> Vec<TrialId> {
    let ids = |query: Query| -> Vec<TrialId> {
        // A query without a condition is never refused.
        let rows = table(scene, &query).map_or_else(|_| Vec::new(), |table| table.rows);
        rows.into_iter().map(|row| TrialId(row.trial)).collect()
    };
    let mut listed = ids(Query { sort: Sort::Value, rows: Some(MAX_ROWS), ..Query::default() });
    if scene.study.trials().len() > listed.len() {
        let without_value = TrialStatus::ALL.into_iter().filter(|state| *state != TrialStatus::Complete);
        let those = |state| ids(Query { state: Some(state), rows: Some(KIND), ..Query::default() });
        let others: Vec<TrialId> = without_value.flat_map(those).collect();
        listed.truncate(MAX_ROWS.saturating_sub(others.len()));
        listed.extend(others);
        listed.sort_unstable();
        listed.dedup();
    }
    listed
}

/// All pairs of parameters, or the first ones if there are many.
fn pairs(dim: usize) -> Vec<(usize, usize)> {
    let all = (0..dim).flat_map(|x| (0..dim).map(move |y| (x, y)));
    let mut all: Vec<(usize, usize)> = all.filter(|(x, y)| x < y || dim == 1).collect();
    // The page begins with the first two.
    all.truncate(PAIRS);
    all
}

fn explained(scene: &Scene<'_>) -> Vec<TrialId> {
    let chosen = |trial: &&Trial| trial.source == Source::Model;
    let last = scene.study.trials().iter().rev().filter(chosen).map(|trial| trial.id).take(EXPLAINED - 1);
    let mut all: Vec<TrialId> = scene.study.best().map(|best| best.id).into_iter().chain(last).collect();
    all.sort();
    all.dedup();
    all
}

/// A name as `encodeURIComponent` writes it, which is how the page has it in its addresses.
///
/// ```
/// assert_eq!(elbowroom_view::report::in_address("plate 2/b"), "plate%202%2Fb");
/// ```
pub fn in_address(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte);
    text.bytes().map(|b| if plain(b) { (b as char).to_string() } else { format!("%{b:02X}") }).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::View;
    use elbowroom::space::{Parameter, SearchSpace};
    use elbowroom::study::{Study, StudyConfig};

    #[test]
    fn a_report_holds_its_views_and_lets_no_name_out_of_its_data() {
        let evil = "</script><script>alert(1)</script>";
        let space = SearchSpace::new(vec![Parameter::float(evil, 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap();
        let mut study = Study::new(StudyConfig::new(space)).unwrap();
        for (i, trial) in study.ask(6).unwrap().trials.iter().enumerate() {
            study.tell(trial.id, i as f64).unwrap();
        }
        study.ask(1).unwrap();
        let page = report(&Scene::alone(evil, &study), "c0ffee", true);
        assert!(!page.contains(evil) && page.contains("c0ffee"));
        // The data, uPlot, and our own modules as one.
        assert_eq!(page.matches("</script>").count(), 3);
        let data = page.split_once("id=\"kept\">").unwrap().1.split_once("</script>").unwrap().0;
        let data: Value = serde_json::from_str(data).unwrap();
        let base = "/api/studies/%3C%2Fscript%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E";
        let over = |view: &View| if view.is_over_two { "?x=0&y=1" } else { "" };
        let drawn = VIEWS.iter().map(|view| format!("/{}{}", view.name, over(view)));
        let others = ["", "/best", "/trials", "/trials/6", "/trials/6/why"].map(str::to_owned);
        for view in drawn.chain(others) {
            assert!(data["views"].get(format!("{base}{view}")).is_some(), "{view}");
        }
    }
}
