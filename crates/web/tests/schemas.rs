//! The schemas of the OpenAPI document are those of the Rust types, and answers match them.

use std::path::Path;

use elbowroom::insight::Why;
use elbowroom_store::wire::{StoreReply, StoreRequest, WireSnapshot};
use elbowroom_store::{
    AskAnswer, BestAnswer, BudgetAnswer, EventsAnswer, HeartbeatAnswer, PauseAnswer, ReportAnswer, StatusAnswer,
    TellAnswer,
};
use elbowroom_view::overview::{Overview, Studies};
use elbowroom_view::table::Table;
use elbowroom_view::views::VIEWS;
use elbowroom_web::document;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::common::{Served, study};

/// Every answer that has its own type, and the types that it contains.
fn made() -> Value {
    let generator = |settings: SchemaSettings| {
        settings.with(|s| s.definitions_path = "/components/schemas".into()).into_generator()
    };
    let mut generated = generator(SchemaSettings::draft2020_12().for_serialize());
    let g = &mut generated;
    drop(g.subschema_for::<(AskAnswer, BestAnswer, Overview, ReportAnswer, StatusAnswer, Studies, Table, TellAnswer, Why)>());
    drop(g.subschema_for::<(BudgetAnswer, EventsAnswer<'_>, HeartbeatAnswer, PauseAnswer, StoreReply, WireSnapshot)>());
    VIEWS.iter().for_each(|view| view.add_schema(g));
    let mut all = generated.take_definitions(true);
    // Requests may omit fields that have a default.
    let mut sent = generator(SchemaSettings::draft2020_12().for_deserialize());
    drop(sent.subschema_for::<StoreRequest>());
    for (name, schema) in sent.take_definitions(true) {
        assert!(all.get(&name).is_none_or(|known| *known == schema), "{name} is sent and answered in two ways");
        all.insert(name, schema);
    }
    Value::Object(all)
}

/// `ELBOWROOM_WRITE_SCHEMAS=1` writes them.
#[test]
fn the_schemas_of_the_document_are_those_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/schemas.json");
    let text = serde_json::to_string_pretty(&made()).unwrap() + "\n";
    if std::env::var_os("ELBOWROOM_WRITE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let hint = "write it anew: ELBOWROOM_WRITE_SCHEMAS=1 cargo test -p elbowroom-web --test all schemas::";
    assert!(std::fs::read_to_string(&path).unwrap() == text, "src/schemas.json is not what the types say; {hint}");
}

/// Whether a value matches a schema, for the features that our schemas use.
fn check(all: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        return check(all, &all[name.rsplit('/').next().unwrap()], value, at);
    }
    if let Some(several) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        let tried: Vec<_> = several.iter().map(|one| check(all, one, value, at)).collect();
        return if tried.iter().any(Result::is_ok) { Ok(()) } else { tried.into_iter().next().unwrap() };
    }
    if schema.get("const").is_some_and(|only| only != value)
        || schema["enum"].as_array().is_some_and(|words| !words.contains(value))
    {
        return Err(format!("{at}: {value} is not one of {schema}"));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is = |wanted: &Value| wanted == kind || (kind == "integer" && wanted == "number");
    let fits = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().any(is),
        Value::Null => true,
        one => is(one),
    };
    if !fits {
        return Err(format!("{at}: {value} is no {}", schema["type"]));
    }
    if let (Value::Array(list), Some(items)) = (value, schema.get("items")) {
        list.iter().enumerate().try_for_each(|(i, one)| check(all, items, one, &format!("{at}[{i}]")))?;
    }
    let Value::Object(fields) = value else { return Ok(()) };
    for name in schema["required"].as_array().into_iter().flatten() {
        if !fields.contains_key(name.as_str().unwrap()) {
            return Err(format!("{at}: there is no {name}"));
        }
    }
    for (name, value) in fields {
        let known = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
        let known = known.ok_or_else(|| format!("{at}: the schema has no `{name}`"))?;
        if known.is_object() {
            check(all, known, value, &format!("{at}.{name}"))?;
        }
    }
    Ok(())
}

#[test]
fn what_is_answered_is_what_the_document_says() {
    let served = Served::start(true);
    study(&served.store, "plate", 12);
    let document = document();
    let all = &document["components"]["schemas"];
    let mut n_checked = 0;
    let mut see = |path: &str, method: &str, answer: Value| {
        let schema = &document["paths"][path][method]["responses"]["200"]["content"]["application/json"]["schema"];
        if schema.get("$ref").is_some() || schema.get("items").is_some() {
            check(all, schema, &answer, path).unwrap_or_else(|what| panic!("{what}"));
            n_checked += 1;
        }
    };
    for (path, methods) in document["paths"].as_object().unwrap() {
        let at = path.replace("{study}", "plate").replace("{trial}", "11");
        let schema = &methods["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        if schema.get("$ref").is_some() || schema.get("items").is_some() {
            let over =
                if methods["get"]["parameters"].to_string().contains("\"name\":\"x\"") { "?x=0&y=1" } else { "" };
            see(path, "get", served.get(&(at + over)).json());
        }
    }
    let mut post = |what: &str, body: Value| {
        see(
            &format!("/api/studies/{{study}}/{what}"),
            "post",
            served.post(&format!("/api/studies/plate/{what}"), &body).json(),
        );
    };
    post("ask", json!({ "n": 2 }));
    post("tell", json!({ "trial": 12, "results": { "minutes": 3 } }));
    post("tell", json!({ "trial": 12, "value": 0.5 }));
    post("fail", json!({ "trial": 13 }));
    post("release", json!({ "trial": 14 }));
    post("add", json!({ "point": { "temperature": 30, "rate": 0.1, "steps": 2, "gas": "N2" } }));
    post("heartbeat", json!({ "attempts": [{ "trial": 15, "attempt": 1 }, { "trial": 3, "attempt": 1 }] }));
    post("budget", json!({ "trials": 40 }));
    post("budget", json!({ "trials": null }));
    post("pause", json!({ "paused": true }));
    post("pause", json!({ "paused": false }));
    let mut post = |body: Value| see("/api/store/{study}", "post", served.post("/api/store/plate", &body).json());
    post(json!({ "do": "queue", "ticket": null, "ttl_ms": 1000 }));
    post(json!({ "do": "extend", "attempts": [{ "trial": 15, "attempt": 1 }, { "trial": 3, "attempt": 1 }] }));
    post(json!({ "do": "report", "event": { "v": 1, "event": "released", "trial": 15 }, "attempt": null }));
    assert_eq!(n_checked, VIEWS.len() + 23);
    // Every JSON answer has a type, except the document itself and its stream.
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
            assert!(*schema != json!({}) || path == "/api/openapi.json", "{method} {path}");
        }
    }
}
