//! The dashboard's files, embedded: no path of a request ever reaches a disk.

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
const STYLE: &str = "text/css; charset=utf-8";

macro_rules! asset {
    ($path:literal, $kind:expr, $file:literal) => {
        Asset { path: $path, kind: $kind, text: include_str!(concat!("../assets/", $file)) }
    };
}

/// All of them. Scripts stand in the order in which they are loaded.
pub const ASSETS: &[Asset] = &[
    asset!("/", HTML, "index.html"),
    asset!("/style.css", STYLE, "style.css"),
    asset!("/uplot.css", STYLE, "uplot/uPlot.min.css"),
    asset!("/uplot.js", SCRIPT, "uplot/uPlot.iife.min.js"),
    asset!("/dom.js", SCRIPT, "dom.js"),
    asset!("/source.js", SCRIPT, "source.js"),
    asset!("/charts.js", SCRIPT, "charts.js"),
    asset!("/panels.js", SCRIPT, "panels.js"),
    asset!("/trials.js", SCRIPT, "trials.js"),
    asset!("/app.js", SCRIPT, "app.js"),
];

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_page_loads_every_script_in_order() {
        let page = ASSETS[0].text;
        let places: Vec<Option<usize>> =
            ASSETS[1..].iter().map(|asset| page.find(&format!("\"{}\"", asset.path))).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    }
}
