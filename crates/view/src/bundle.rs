//! The dashboard's modules as one script: a report is one file, and its policy lets no script load another.
//!
//! Each module becomes a function that is called once, in the order of imports, and whose result holds its exports:
//! `import { a } from "./dom.js";` becomes `const { a } = $dom;`. Only a few forms are supported: named imports, and
//! `export` in front of a declaration. Everything else is refused. A test ensures that our modules use only these.

use std::collections::BTreeSet;

/// A module: its path from the root, such as `/panels/map.js`, and its text.
pub type Module<'a> = (&'a str, &'a str);

/// One script of the module at the path `entry` and all modules that it imports.
///
/// ```
/// use elbowroom_view::bundle::bundle;
///
/// let modules = [
///     ("/app.js", "import { greet } from \"./words.js\";\ngreet();\n"),
///     ("/words.js", "export const greet = () => console.log(\"hello\");\n"),
/// ];
/// let script = bundle(&modules, "/app.js").unwrap();
/// assert!(script.find("const $words =").unwrap() < script.find("const { greet } = $words;").unwrap());
/// assert!(bundle(&[("/app.js", "export default 1;\n")], "/app.js").is_err());
/// ```
///
/// # Errors
/// What cannot be bundled, with the module and the line: a module that is missing or imports itself, directly or
/// through others; a default, a renamed or a whole import; a name that the other module does not export.
pub fn bundle(modules: &[Module<'_>], entry: &str) -> Result<String, String> {
    let mut bundle = Bundle { modules, script: String::from("\"use strict\";\n"), done: BTreeSet::new() };
    bundle.add(entry, &mut Vec::new())?;
    Ok(bundle.script)
}

struct Bundle<'a> {
    modules: &'a [Module<'a>],
    script: String,
    done: BTreeSet<String>,
}

impl Bundle<'_> {
    /// Adds a module after those it imports. `path` leads from the entry to it.
    fn add(&mut self, name: &str, path: &mut Vec<String>) -> Result<(), String> {
        if path.iter().any(|earlier| earlier == name) {
            return Err(format!("{} -> {name}: modules import each other in a circle", path.join(" -> ")));
        }
        if self.done.contains(name) {
            return Ok(());
        }
        let parsed = parse(name, self.text(name)?)?;
        path.push(name.to_owned());
        for import in &parsed.imports {
            self.add(&import.from, path)?;
            let exports = parse(&import.from, self.text(&import.from)?)?.exports;
            if let Some(missing) = import.names.iter().find(|name| !exports.contains(name)) {
                return Err(format!("{name}: {} exports no `{missing}`", import.from));
            }
        }
        path.pop();
        let (binding, exports) = (binding(name), parsed.exports.join(", "));
        let imports: String = parsed
            .imports
            .iter()
            .map(|import| format!("const {{ {} }} = {};\n", import.names.join(", "), self::binding(&import.from)))
            .collect();
        let body = parsed.body;
        self.script.push_str(&format!("const {binding} = (() => {{\n{imports}{body}return {{ {exports} }};\n}})();\n"));
        self.done.insert(name.to_owned());
        Ok(())
    }

    fn text(&self, name: &str) -> Result<&str, String> {
        let found = self.modules.iter().find(|(path, _)| *path == name);
        found.map(|(_, text)| *text).ok_or_else(|| format!("{name}: there is no such module"))
    }
}

/// The name of the constant that holds a module's exports.
fn binding(path: &str) -> String {
    let stem = path.trim_start_matches('/').trim_end_matches(".js");
    format!("${}", stem.replace(|c: char| !c.is_ascii_alphanumeric(), "_"))
}

struct Import {
    names: Vec<String>,
    from: String,
}

#[derive(Default)]
struct Parsed {
    imports: Vec<Import>,
    exports: Vec<String>,
    body: String,
}

/// The statements that begin at the start of a line, as the formatter leaves them: indented lines belong to another
/// statement.
fn parse(name: &str, text: &str) -> Result<Parsed, String> {
    let mut parsed = Parsed::default();
    let mut lines = text.lines().enumerate();
    while let Some((i, line)) = lines.next() {
        let refuse = |what: &str| Err(format!("{name}, line {}: {what}: {line}", i + 1));
        if line.contains("import(") {
            return refuse("an import while the page runs");
        } else if line.starts_with("import") && !line.starts_with("import ") {
            return refuse("not a named import");
        } else if line.starts_with("import ") {
            let mut statement = line.to_owned();
            while !statement.ends_with(';') {
                let Some((_, more)) = lines.next() else { return refuse("an import without an end") };
                statement.push_str(more);
            }
            match named_import(name, &statement) {
                Some(import) => parsed.imports.push(import),
                None => return refuse("not a named import"),
            }
        } else if let Some(declaration) = line.strip_prefix("export ") {
            let Some(export) = declared(declaration) else { return refuse("not an export of a declaration") };
            parsed.exports.push(export);
            parsed.body.push_str(declaration);
            parsed.body.push('\n');
        } else if line.starts_with("export") {
            return refuse("not an export of a declaration");
        } else {
            parsed.body.push_str(line);
            parsed.body.push('\n');
        }
    }
    Ok(parsed)
}

/// `import { a, b } from "./dom.js";`
fn named_import(importer: &str, statement: &str) -> Option<Import> {
    let (names, from) = statement.strip_prefix("import {")?.strip_suffix("\";")?.split_once("} from \"")?;
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    let names = names.map(|name| is_name(name).then(|| name.to_owned())).collect::<Option<Vec<_>>>()?;
    Some(Import { names, from: resolved(importer, from)? })
}

/// The path from the root that `./x.js` or `../x.js` means in a module.
fn resolved(importer: &str, from: &str) -> Option<String> {
    let folder = importer.rsplit_once('/')?.0;
    match from.strip_prefix("./") {
        Some(rest) => Some(format!("{folder}/{rest}")),
        None => Some(format!("{}/{}", folder.rsplit_once('/')?.0, from.strip_prefix("../")?)),
    }
    .filter(|path| !path.contains("./"))
}

/// The name that `const a = …`, `function a(…)`, `async function a(…)` or `class A …` declares.
fn declared(declaration: &str) -> Option<String> {
    let kinds = ["const ", "function ", "async function ", "class "];
    let rest = kinds.iter().find_map(|kind| declaration.strip_prefix(kind))?;
    let end = rest.find(|c: char| !is_part_of_name(c)).unwrap_or(rest.len());
    (end > 0).then(|| rest[..end].to_owned())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_part_of_name)
}

fn is_part_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        bundle(&[("/app.js", text), ("/dom.js", "export const el = 1;\n")], "/app.js").unwrap_err()
    }

    #[test]
    fn modules_stand_in_the_order_of_their_imports_and_each_one_once() {
        let modules = [
            ("/app.js", "import { a } from \"./a.js\";\nimport { el } from \"./dom.js\";\nel(a);\n"),
            ("/a.js", "import {\n  el,\n} from \"./dom.js\";\nexport function a() {\n  return el;\n}\n"),
            ("/dom.js", "export const el = 1;\nexport class Refusal extends Error {}\n"),
            ("/unused.js", "export const unused = 1;\n"),
        ];
        let expected = "\"use strict\";\n\
            const $dom = (() => {\nconst el = 1;\nclass Refusal extends Error {}\nreturn { el, Refusal };\n})();\n\
            const $a = (() => {\nconst { el } = $dom;\nfunction a() {\n  return el;\n}\nreturn { a };\n})();\n\
            const $app = (() => {\nconst { a } = $a;\nconst { el } = $dom;\nel(a);\nreturn {  };\n})();\n";
        assert_eq!(bundle(&modules, "/app.js").unwrap(), expected);
    }

    #[test]
    fn a_module_in_a_folder_imports_from_its_folder_and_from_above() {
        let modules = [
            ("/app.js", "import { map } from \"./panels/map.js\";\nmap();\n"),
            (
                "/panels/map.js",
                "import { el } from \"../dom.js\";\nimport { p } from \"./p.js\";\nexport const map = el;\n",
            ),
            ("/panels/p.js", "export const p = 1;\n"),
            ("/dom.js", "export const el = 1;\n"),
        ];
        let script = bundle(&modules, "/app.js").unwrap();
        assert!(script.contains("const { el } = $dom;\nconst { p } = $panels_p;\nconst map = el;"), "{script}");
    }

    #[test]
    fn circles_are_refused_with_the_way_round() {
        let modules = [
            ("/app.js", "import { a } from \"./a.js\";\n"),
            ("/a.js", "import { b } from \"./b.js\";\nexport const a = 1;\n"),
            ("/b.js", "import { a } from \"./a.js\";\nexport const b = 1;\n"),
        ];
        let said = bundle(&modules, "/app.js").unwrap_err();
        assert_eq!(said, "/app.js -> /a.js -> /b.js -> /a.js: modules import each other in a circle");
    }

    #[test]
    fn only_named_imports_and_exported_declarations_are_understood() {
        for text in [
            "import el from \"./dom.js\";",
            "import * as dom from \"./dom.js\";",
            "import { el as make } from \"./dom.js\";",
            "import \"./dom.js\";",
            "import {el} from 'dom.js';",
            "import { el } from \"dom\";",
            "import { el } from \"./../../dom.js\";",
            "const dom = await import(\"./dom.js\");",
            "export default 1;",
            "export { el };",
            "export * from \"./dom.js\";",
            "export const { a, b } = pair;",
            "export let a = 1;",
            "export{a};",
        ] {
            assert!(refused(text).starts_with("/app.js, line 1: "), "{text}: {}", refused(text));
        }
        assert_eq!(refused("import { svg } from \"./dom.js\";"), "/app.js: /dom.js exports no `svg`");
        assert_eq!(refused("import { a } from \"./a.js\";"), "/a.js: there is no such module");
    }
}
