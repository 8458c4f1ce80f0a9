//! The types with which the page's JavaScript is checked: generated from the schemas of the Rust types, and compared
//! with what Rust writes.

use std::collections::BTreeMap;
use std::path::Path;

use elbowroom::insight::Why;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Study, StudyConfig};
use elbowroom_store::{BestAnswer, StatusAnswer};
use elbowroom_view::Scene;
use elbowroom_view::overview::{Overview, Studies, overview};
use elbowroom_view::table::{Listing, Query, Table, listing, table};
use elbowroom_view::views::{Look, VIEWS, trial_page, why_page};
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

const DECLARED: &str = include_str!("../assets/api.d.ts");

/// A field of an interface: its type without `null` and `[]`, and whether it may be missing.
#[derive(Clone)]
struct Field {
    kind: String,
    is_optional: bool,
}

type Interfaces = BTreeMap<String, BTreeMap<String, Field>>;

/// The interfaces in api.d.ts, which the formatter leaves with one field per line.
fn interfaces() -> Interfaces {
    let mut all = Interfaces::new();
    for block in DECLARED.split("export interface ").skip(1) {
        let (head, rest) = block.split_once(" {\n").unwrap();
        let mut words = head.split(' ');
        let name = words.next().unwrap().to_owned();
        let mut fields = BTreeMap::new();
        for line in rest.split("\n}").next().unwrap().lines() {
            let (field, kind) = line.trim().trim_end_matches(';').split_once(": ").unwrap();
            let kind = kind.split(" | ").next().unwrap().trim_end_matches("[]").to_owned();
            let is_optional = field.ends_with('?');
            fields.insert(field.trim_end_matches('?').to_owned(), Field { kind, is_optional });
        }
        if let Some(base) = words.nth(1) {
            fields.extend(all[base].clone());
        }
        all.insert(name, fields);
    }
    all
}

/// Checks the names of all fields recursively; lists of such values one by one.
fn check(all: &Interfaces, kind: &str, value: &Value, at: &str) {
    let Some(fields) = all.get(kind) else { return };
    match value {
        Value::Null => {}
        Value::Array(list) => list.iter().for_each(|one| check(all, kind, one, at)),
        Value::Object(object) => {
            for (name, value) in object {
                let field = fields.get(name).unwrap_or_else(|| panic!("{at}: {kind} of api.d.ts has no `{name}`"));
                check(all, &field.kind, value, &format!("{at}.{name}"));
            }
            for (name, _) in fields.iter().filter(|(_, field)| !field.is_optional) {
                assert!(object.contains_key(name), "{at}: Rust writes no `{name}`, which {kind} of api.d.ts has");
            }
        }
        other => panic!("{at}: {other} is no {kind}"),
    }
}

/// Whether the types are being rewritten: then the compiled ones are outdated.
fn is_writing() -> bool {
    std::env::var_os("ELBOWROOM_WRITE_SCHEMAS").is_some()
}

#[test]
fn the_types_of_the_page_are_those_that_rust_writes() {
    if is_writing() {
        return;
    }
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::category("gas", ["N2", "Ar"])]);
    let mut study = Study::new(StudyConfig::new(space.unwrap()).initial(6)).unwrap();
    for (i, trial) in study.ask(6).unwrap().trials.iter().enumerate() {
        match i {
            4 => study.fail(trial.id, "broke").unwrap(),
            5 => study.infeasible(trial.id, "does not dissolve").unwrap(),
            _ => drop(study.tell(trial.id, i as f64).unwrap()),
        }
    }
    let chosen = study.ask(2).unwrap().trials[0].id;
    study.tell(chosen, [("value", 0.5), ("minutes", 12.0)]).unwrap();
    let scene = Scene::alone("plate", &study);
    let ids: Vec<_> = study.trials().iter().map(|trial| trial.id).collect();
    let best = BestAnswer::new(&study, |trial| scene.answer(trial), study.recommended());
    let views = [
        ("Overview", json!(overview(&scene))),
        ("Best", json!(best)),
        ("Table", json!(table(&scene, &Query::default()).unwrap())),
        ("Listing", json!(listing(&scene, &ids))),
        ("TrialAnswer", json!(trial_page(&scene, chosen).unwrap())),
        ("Why", why_page(&scene, chosen).unwrap()),
    ];
    let look = Look { x: 0, y: 1, with_model: true };
    let drawn = VIEWS.iter().map(|view| (view.type_name.to_owned(), view.draw(&scene, look).unwrap()));
    let all = interfaces();
    let views = views.into_iter().map(|(kind, view)| (kind.to_owned(), view)).chain(drawn);
    for (kind, view) in views {
        assert!(all.contains_key(&kind), "api.d.ts has no {kind}");
        check(&all, &kind, &view, &kind);
    }
}

/// Names that are different, or shorter, on the page.
const RENAMED: [(&str, &str); 6] = [
    ("BestAnswer", "Best"),
    ("MapPoint", "Place"),
    ("MeasurementKind", "Kind"),
    ("StatusAnswer", "TrialAnswer"),
    ("TrialStatus", "State"),
    ("Value", "Setting"),
];

fn in_page(name: &str) -> &str {
    RENAMED.iter().find(|(rust, _)| *rust == name).map_or(name, |(_, page)| page)
}

/// A schema in the form that the page's checker reads.
fn declared(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return in_page(name.rsplit('/').next().unwrap()).to_owned();
    }
    if let Some(several) = schema["anyOf"].as_array() {
        return several.iter().map(declared).collect::<Vec<_>>().join(" | ");
    }
    let one = |kind: &Value| match kind.as_str().unwrap() {
        "integer" => "number".to_owned(),
        "array" => match declared(&schema["items"]) {
            item if item.contains(' ') => format!("Array<{item}>"),
            item => format!("{item}[]"),
        },
        "object" => format!("Record<string, {}>", declared(&schema["additionalProperties"])),
        other => other.to_owned(),
    };
    match &schema["type"] {
        Value::Array(kinds) => kinds.iter().map(one).collect::<Vec<_>>().join(" | "),
        kind => one(kind),
    }
}

/// The schemas of everything that is sent to the page.
fn schemas() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    drop(generator.subschema_for::<(Overview, Studies, BestAnswer, Table, Listing, StatusAnswer, Why)>());
    VIEWS.iter().for_each(|view| view.add_schema(&mut generator));
    Value::Object(generator.take_definitions(true))
}

/// The meaning of a schema without its own fields: one of some words, or another type.
fn alias(schema: &Value) -> String {
    let words = schema["enum"]
        .as_array()
        .cloned()
        .unwrap_or_else(|| schema["oneOf"].as_array().into_iter().flatten().map(|one| one["const"].clone()).collect());
    let words: Vec<String> = words.iter().map(Value::to_string).collect();
    if words.is_empty() { declared(schema) } else { words.join(" | ") }
}

/// A type of the page, in the form that the formatter leaves.
fn written(name: &str, schema: &Value) -> String {
    let said = schema["description"].as_str().and_then(|text| text.lines().next()).unwrap_or_default();
    let said = format!("/** {said} */\n");
    let Some(properties) = schema["properties"].as_object() else {
        let (line, alias) = (format!("export type {name} = {};\n", alias(schema)), alias(schema));
        let broken = || format!("export type {name} =\n  | {};\n", alias.replace(" | ", "\n  | "));
        return said + &if line.chars().count() > 120 { broken() } else { line };
    };
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let fields = properties.iter().map(|(field, schema)| {
        let kind = declared(schema);
        // A field that is omitted when empty is never null.
        if required.contains(&json!(field)) {
            format!("  {field}: {kind};\n")
        } else {
            format!("  {field}?: {};\n", kind.trim_end_matches(" | null"))
        }
    });
    format!("{said}export interface {name} {{\n{}}}\n", fields.collect::<String>())
}

/// `ELBOWROOM_WRITE_SCHEMAS=1` writes them.
#[test]
fn the_types_of_the_page_are_made_from_the_types_of_rust() {
    let mut text =
        "// What the server answers, and what a report holds. Made from the Rust types by a test of this crate:\n\
                    // ELBOWROOM_WRITE_SCHEMAS=1 cargo test -p elbowroom-view --test all types::\n"
            .to_owned();
    for (name, schema) in schemas().as_object().unwrap() {
        text.push('\n');
        text.push_str(&written(in_page(name), schema));
    }
    if is_writing() {
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/api.d.ts"), &text).unwrap();
        return;
    }
    let hint = "write it anew: ELBOWROOM_WRITE_SCHEMAS=1 cargo test -p elbowroom-view --test all types::";
    assert!(DECLARED == text, "assets/api.d.ts is not what the types say; {hint}");
}
