//! The dashboard's files, embedded: no path of a request ever reaches a disk.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::bundle::{Module, bundle};
use crate::views::VIEWS;

/// A file of the dashboard.
#[derive(Debug, Clone)]
pub struct Asset {
    /// Where it is served.
    pub path: &'static str,
    /// Its media type.
    pub kind: &'static str,
    /// Its text.
    pub text: Cow<'static, str>,
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
pub(crate) const STYLE: &str = "text/css; charset=utf-8";

/// All files: the page first, then the files it loads, in order.
pub static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let style = |path, text: &'static str| Asset { path, kind: STYLE, text: text.into() };
    let mut all = vec![
        Asset { path: "/", kind: HTML, text: page().into() },
        style("/style.css", include_str!("../assets/style.css")),
        style("/uplot.css", include_str!("../assets/uplot/uPlot.min.css")),
        script("/uplot.js", UPLOT.into()),
    ];
    all.extend(modules().into_iter().map(|(path, text)| script(path, text)));
    all
});

/// The library that draws lines, which is a separate script, not a module.
pub(crate) const UPLOT: &str = include_str!("../assets/uplot/uPlot.iife.min.js");

/// The module that starts the page.
pub const ENTRY: &str = "/app.js";

/// One of our modules, by its path in `assets`.
macro_rules! module {
    ($path:literal) => {
        ($path, include_str!(concat!("../assets", $path)))
    };
}

/// Our own scripts that are not panels of a view. The panels of views follow from the list of views.
const MODULES: &[(&str, &str)] = &[
    module!("/app.js"),
    module!("/changes.js"),
    module!("/charts.js"),
    module!("/columns.js"),
    module!("/dom.js"),
    module!("/frame.js"),
    module!("/panels/about.js"),
    module!("/panels/panel.js"),
    module!("/panels/points.js"),
    module!("/panels/tiles.js"),
    module!("/planes.js"),
    module!("/scale.js"),
    module!("/source.js"),
    module!("/state.js"),
    module!("/studies.js"),
    module!("/tips.js"),
    module!("/trial.js"),
    module!("/trials.js"),
];

/// Our own scripts: modules, with their paths and texts.
pub fn modules() -> Vec<(&'static str, Cow<'static, str>)> {
    let panels = VIEWS.iter().map(|view| view.panel);
    let written = MODULES.iter().copied().chain(panels).map(|(path, text)| (path, Cow::Borrowed(text)));
    written.chain([("/panels/all.js", Cow::Owned(all_panels()))]).collect()
}

/// All modules as one script.
pub(crate) fn bundled() -> Result<String, String> {
    let modules = modules();
    bundle(&modules.iter().map(|(path, text)| (*path, &**text)).collect::<Vec<Module<'_>>>(), ENTRY)
}

/// The module that imports the panel of every view, which the types in `panels/all.d.ts` describe.
fn all_panels() -> String {
    let names: Vec<&str> = VIEWS.iter().map(|view| view.name).collect();
    let imports: String = names.iter().map(|name| format!("import {{ {name} }} from \"./{name}.js\";\n")).collect();
    format!("{imports}export const panels = [{}];\n", names.join(", "))
}

/// The page. It names all modules, so that a browser requests them at once instead of one after the other.
fn page() -> String {
    let others = modules().into_iter().map(|(path, _)| path).filter(|path| *path != ENTRY);
    let links: String = others.map(|path| format!("<link rel=\"modulepreload\" href=\"{path}\">\n")).collect();
    include_str!("../assets/index.html").replace("<!-- modules -->\n", &links)
}

fn script(path: &'static str, text: Cow<'static, str>) -> Asset {
    Asset { path, kind: SCRIPT, text }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let page = &ASSETS[0].text;
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
        found.push("/panels/all.js".to_owned());
        found.sort();
        let mut served: Vec<&str> = modules().iter().map(|module| module.0).collect();
        served.sort_unstable();
        assert_eq!(served, found, "ASSETS on the left, the folder on the right");
        let script = bundled().unwrap();
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
