//! Random requests generated from the OpenAPI document, valid and invalid ones: none causes a server error, none leaves
//! an unreadable log, and the answers to valid requests match the document.

use crate::common::{Served, study};
use elbowroom::rng::Stream;
use elbowroom_store::SharedStudy;
use elbowroom_web::document;
use serde_json::{Map, Value, json};

const ROUNDS: usize = 60;

#[test]
fn no_request_of_the_document_or_beside_it_is_a_fault_of_the_server() {
    let served = Served::start(true);
    study(&served.store, "plate", 8);
    let document = document();
    let mut random = Stream::new(1);
    let mut n = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            if path.ends_with("/live") {
                continue;
            }
            for _ in 0..ROUNDS {
                let address = address(path, operation, &mut random);
                let body = operation.pointer("/requestBody/content/application~1json/schema");
                let body = body.map(|schema| resolved(&document["components"]["schemas"], schema));
                let body = body.map(|schema| spoiled(value(&schema, &mut random), &mut random)).unwrap_or_default();
                let kind = if body.is_empty() { "" } else { "content-type: application/json\r\n" };
                let answer = served.send(&method.to_uppercase(), &address, kind, &body);
                n += 1;
                assert!(answer.status < 500, "{method} {address} {body}\n{answer:?}");
                let status = answer.status.to_string();
                assert!(
                    operation["responses"].get(&status).is_some(),
                    "{status} of {method} {address} {body}\n{answer:?}"
                );
                if answer.status >= 400 {
                    assert!(answer.json()["error"].is_string(), "{answer:?}");
                }
            }
        }
    }
    assert!(n > 500, "{n}");
    let again = SharedStudy::open(served.store.clone(), "plate").unwrap();
    assert!(again.study().trials().len() >= 11);
    assert_eq!(served.get("/api/studies/plate").status, 200);
}

/// An address with its parameters filled in: mostly with existing values, sometimes with anything.
fn address(path: &str, operation: &Value, random: &mut Stream) -> String {
    let mut address = path.to_owned();
    let mut query = Vec::new();
    for parameter in operation["parameters"].as_array().unwrap() {
        let name = parameter["name"].as_str().unwrap();
        let text = match (name, random.below(5)) {
            ("study", 0) => odd(random),
            ("study", _) => "plate".to_owned(),
            ("trial", 1..) => random.below(12).to_string(),
            (_, 0) => odd(random),
            _ => match value(&parameter["schema"], random) {
                Value::String(text) => text,
                other => other.to_string(),
            },
        };
        let escaped: String = text.bytes().map(|b| format!("%{b:02X}")).collect();
        let escaped = if escaped.is_empty() { "%20".to_owned() } else { escaped };
        match parameter["in"].as_str() {
            Some("path") => address = address.replace(&format!("{{{name}}}"), &escaped),
            _ if random.below(2) == 0 => query.push(format!("{name}={escaped}")),
            _ => {}
        }
    }
    if query.is_empty() { address } else { format!("{address}?{}", query.join("&")) }
}

fn odd(random: &mut Stream) -> String {
    let all = [
        "",
        "-1",
        "1e400",
        "NaN",
        "'; drop table events; --",
        "../..",
        "\u{202e}",
        "\0",
        "☃",
        "18446744073709551616",
        "null",
        "{}",
        "%",
        "a&b=c",
    ];
    all[random.below(all.len())].to_owned()
}

/// A schema with the schemas that it refers to inserted.
fn resolved(all: &Value, schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => match fields.get("$ref").and_then(Value::as_str) {
            Some(name) => resolved(all, &all[name.rsplit('/').next().unwrap()]),
            None => fields.iter().map(|(name, field)| (name.clone(), resolved(all, field))).collect(),
        },
        Value::Array(several) => several.iter().map(|one| resolved(all, one)).collect(),
        other => other.clone(),
    }
}

/// A value that matches a schema.
fn value(schema: &Value, random: &mut Stream) -> Value {
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    if let Some(several) = schema["oneOf"].as_array() {
        return value(&several[random.below(several.len())], random);
    }
    if let Some(all) = schema["enum"].as_array() {
        return all[random.below(all.len())].clone();
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec!["string"],
    };
    match kinds[random.below(kinds.len())] {
        "integer" => json!(schema["minimum"].as_u64().unwrap_or(0) + random.below(9) as u64),
        "number" => json!([0.0, 1.5, 3.0, 1e300, 1e-300][random.below(5)]),
        "boolean" => json!(random.below(2) == 0),
        "null" => Value::Null,
        "array" => Value::Array((0..random.below(4)).map(|_| value(&schema["items"], random)).collect()),
        "object" => {
            let mut object = Map::new();
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
                if required.contains(&json!(name)) || random.below(3) == 0 {
                    object.insert(name.clone(), value(schema, random));
                }
            }
            if schema.get("properties").is_none() {
                for (name, own) in
                    [("temperature", json!(50)), ("rate", json!(0.1)), ("steps", json!(2.0)), ("gas", json!("Ar"))]
                {
                    if random.below(6) > 0 {
                        object.insert(name.to_owned(), own);
                    }
                }
            }
            Value::Object(object)
        }
        _ => json!(["r1", "r2", "Säule 3", "x"][random.below(4)]),
    }
}

/// A body, either unchanged or with an error in it.
fn spoiled(mut body: Value, random: &mut Stream) -> String {
    match random.below(8) {
        0 => odd(random) + "x",
        1 => {
            let text = body.to_string();
            text.chars().take(random.below(text.chars().count().max(1))).collect::<String>() + " "
        }
        2 | 3 => {
            if let Some(object) = body.as_object_mut() {
                let wrong = [
                    json!(null),
                    json!(-1),
                    json!(1e308),
                    json!("x"),
                    json!([[]]),
                    json!({ "a": {} }),
                    json!(u64::MAX),
                ];
                let keys: Vec<String> = object.keys().cloned().collect();
                if !keys.is_empty() {
                    object.insert(keys[random.below(keys.len())].clone(), wrong[random.below(wrong.len())].clone());
                }
            }
            body.to_string()
        }
        _ => body.to_string(),
    }
}
