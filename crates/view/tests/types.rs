//! The types that the page's JavaScript is checked with, against what Rust writes.

use std::collections::BTreeMap;

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Study, StudyConfig};
use elbowroom_store::BestAnswer;
use elbowroom_view::overview::overview;
use elbowroom_view::picture::{trial_page, why_page};
use elbowroom_view::table::{Query, listing, table};
use elbowroom_view::{Picture, Scene};
use serde_json::{Value, json};

const DECLARED: &str = include_str!("../assets/api.d.ts");

/// A field of an interface: its type without `null` and `[]`, and whether it may be missing.
struct Field {
    kind: String,
    is_optional: bool,
}

type Interfaces = BTreeMap<String, BTreeMap<String, Field>>;

/// The interfaces of api.d.ts, which the formatter leaves with one field a line.
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
            for (field, Field { kind, is_optional }) in &all[base] {
                fields.insert(field.clone(), Field { kind: kind.clone(), is_optional: *is_optional });
            }
        }
        all.insert(name, fields);
    }
    all
}

/// Checks the names of all fields, all the way down; lists of such values one by one.
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

#[test]
fn the_types_of_the_page_are_those_that_rust_writes() {
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
    let best = BestAnswer { observed: study.best().map(|best| scene.answer(best)), recommended: study.recommended() };
    let views = [
        ("Overview", json!(overview(&scene))),
        ("Best", json!(best)),
        ("Table", json!(table(&scene, &Query::default()))),
        ("Listing", json!(listing(&scene, &ids))),
        ("TrialAnswer", json!(trial_page(&scene, chosen).unwrap())),
        ("Why", why_page(&scene, chosen).unwrap()),
    ];
    let drawn = Picture::ALL.map(|(name, picture)| {
        let kind = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
        (kind, picture.draw(&scene, 0, 1, true).unwrap())
    });
    let all = interfaces();
    let views = views.into_iter().map(|(kind, view)| (kind.to_owned(), view)).chain(drawn);
    for (kind, view) in views {
        assert!(all.contains_key(&kind), "api.d.ts has no {kind}");
        check(&all, &kind, &view, &kind);
    }
}
