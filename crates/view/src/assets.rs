//! The dashboard's files, embedded: no path of a request ever reaches a disk.

use crate::bundle::Module;

/// A file of the dashboard.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    /// Where it is served.
    pub path: &'static str,
    /// Its media type.
    pub kind: &'static str,
    /// Its text.
    pub text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
pub(crate) const STYLE: &str = "text/css; charset=utf-8";

macro_rules! asset {
    ($path:literal, $kind:expr, $file:literal) => {
        Asset { path: $path, kind: $kind, text: include_str!(concat!("../assets/", $file)) }
    };
}

/// The library that draws lines, which is a script of its own and no module.
pub(crate) const UPLOT: Asset = asset!("/uplot.js", SCRIPT, "uplot/uPlot.iife.min.js");

/// All of them.
pub const ASSETS: &[Asset] = &[
    asset!("/", HTML, "index.html"),
    asset!("/style.css", STYLE, "style.css"),
    asset!("/uplot.css", STYLE, "uplot/uPlot.min.css"),
    UPLOT,
    asset!("/app.js", SCRIPT, "app.js"),
    asset!("/changes.js", SCRIPT, "changes.js"),
    asset!("/charts.js", SCRIPT, "charts.js"),
    asset!("/dom.js", SCRIPT, "dom.js"),
    asset!("/frame.js", SCRIPT, "frame.js"),
    asset!("/panels/about.js", SCRIPT, "panels/about.js"),
    asset!("/panels/health.js", SCRIPT, "panels/health.js"),
    asset!("/panels/history.js", SCRIPT, "panels/history.js"),
    asset!("/panels/importance.js", SCRIPT, "panels/importance.js"),
    asset!("/panels/map.js", SCRIPT, "panels/map.js"),
    asset!("/panels/panel.js", SCRIPT, "panels/panel.js"),
    asset!("/panels/parallel.js", SCRIPT, "panels/parallel.js"),
    asset!("/panels/points.js", SCRIPT, "panels/points.js"),
    asset!("/panels/quality.js", SCRIPT, "panels/quality.js"),
    asset!("/panels/slices.js", SCRIPT, "panels/slices.js"),
    asset!("/panels/surfaces.js", SCRIPT, "panels/surfaces.js"),
    asset!("/panels/tiles.js", SCRIPT, "panels/tiles.js"),
    asset!("/panels/timeline.js", SCRIPT, "panels/timeline.js"),
    asset!("/planes.js", SCRIPT, "planes.js"),
    asset!("/source.js", SCRIPT, "source.js"),
    asset!("/state.js", SCRIPT, "state.js"),
    asset!("/studies.js", SCRIPT, "studies.js"),
    asset!("/trial.js", SCRIPT, "trial.js"),
    asset!("/trials.js", SCRIPT, "trials.js"),
];

/// The module that starts the page.
pub const ENTRY: &str = "/app.js";

/// Our own scripts: modules, with their paths and texts.
pub fn modules() -> Vec<Module<'static>> {
    let own = ASSETS.iter().filter(|asset| asset.kind == SCRIPT && asset.path != UPLOT.path);
    own.map(|asset| (asset.path, asset.text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::bundle;
    use std::path::Path;

    /// The most characters of a line.
    const WIDTH: usize = 120;

    #[test]
    fn no_asset_asks_anybody_else_for_anything_or_writes_markup() {
        for asset in ASSETS.iter().filter(|asset| !asset.path.starts_with("/uplot")) {
            for word in
                ["http://", "https://", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("]
            {
                let found = asset.text.matches(word).count();
                let names = asset.text.matches("http://www.w3.org/2000/svg").count();
                assert_eq!(found, if word == "http://" { names } else { 0 }, "{word} in {}", asset.path);
            }
        }
    }

    #[test]
    fn the_page_loads_every_asset_and_no_other() {
        let page = ASSETS[0].text;
        let named: Vec<&str> = page.split(['"']).filter(|word| word.starts_with('/')).collect();
        let served: Vec<&str> = ASSETS[1..].iter().map(|asset| asset.path).collect();
        assert_eq!(named, served, "index.html on the left, ASSETS on the right");
    }

    #[test]
    fn every_module_is_served_and_belongs_to_the_one_script_of_a_report() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        let mut found = Vec::new();
        for (folder, prefix) in [(folder.clone(), "/"), (folder.join("panels"), "/panels/")] {
            let names =
                std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            found.extend(names.filter(|name| name.ends_with(".js")).map(|name| format!("{prefix}{name}")));
        }
        found.sort();
        let mut served: Vec<&str> = modules().iter().map(|module| module.0).collect();
        served.sort_unstable();
        assert_eq!(served, found, "ASSETS on the left, the folder on the right");
        let script = bundle(&modules(), ENTRY).unwrap();
        assert_eq!(script.matches("\n})();\n").count(), served.len(), "a module that nobody imports, or one twice");
    }

    #[test]
    fn no_line_of_our_own_scripts_is_longer_than_a_person_reads() {
        for (path, text) in modules() {
            for (i, line) in text.lines().enumerate() {
                assert!(line.chars().count() <= WIDTH, "{path}, line {}: over {WIDTH} characters", i + 1);
            }
        }
    }
}
