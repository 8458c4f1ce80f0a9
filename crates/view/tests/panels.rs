//! The parts of a panel of the dashboard: a view, a module that draws it, and one entry in the list of views.

use std::path::{Path, PathBuf};

/// Our files in the two crates, except the views, their panels, and files generated from the types.
fn files() -> Vec<PathBuf> {
    fn visit(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_apart =
                ["views", "panels", "uplot", "schemas.json", "api.d.ts"].iter().any(|end| path.ends_with(end));
            match () {
                () if is_apart => {}
                () if path.is_dir() => visit(&path, found),
                () => found.push(path),
            }
        }
    }
    let view = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    [view.join("src"), view.join("assets"), view.join("../web/src")]
        .iter()
        .for_each(|folder| visit(folder, &mut found));
    found
}

#[test]
fn nothing_but_the_list_of_views_names_a_panel_that_needs_nothing_else() {
    let files = files();
    assert!(
        files.iter().any(|file| file.ends_with("index.html")) && files.iter().any(|file| file.ends_with("openapi.rs"))
    );
    let names = |file: &PathBuf| {
        // A font is not text.
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).to_lowercase();
        ["importance", "quality"].iter().any(|view| text.contains(view))
    };
    let naming: Vec<_> = files.iter().filter(|file| names(file)).collect();
    assert!(naming.is_empty(), "these name the panels of importance or quality: {naming:?}");
}
