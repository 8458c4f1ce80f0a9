//! The OpenAPI document of the API.

use elbowroom_view::TrialStatus;
use elbowroom_view::views::{VIEWS, View};
use serde_json::{Map, Value, json};

use crate::limits::{MAX_ASK, MAX_ATTEMPTS, MAX_EVENTS, MAX_TEXT};

/// The document: OpenAPI 3.1, generated from one table.
///
/// ```
/// let document = elbowroom_web::document();
/// assert!(document["paths"]["/api/studies/{study}/ask"]["post"].is_object());
/// ```
pub fn document() -> Value {
    let mut paths = Map::new();
    for look in queries() {
        paths.insert(look.path.clone(), json!({ "get": look.in_json() }));
    }
    for (word, summary, body) in actions() {
        paths.insert(format!("/api/studies/{{study}}/{word}"), json!({ "post": action(word, summary, body) }));
    }
    let summary = "Change the log as a store does: for workers that choose points themselves.";
    paths["/api/store/{study}"]["post"] = action("store", summary, answer(Some("StoreRequest")));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "elbowroom",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Studies over HTTP. An ask or a report with a `request` may be sent again: it gets the same answer \
                            and changes nothing more. Errors are answered with `error`, `try` and `kind`, a stable word.",
        },
        "security": [{ "token": [] }],
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas(),
        },
        "paths": paths,
    })
}

/// What trials can be sorted by.
const SORTS: [&str; 7] = ["trial", "value", "state", "parameter", "result", "duration", "worker"];

/// The schemas of answers that have named types. A test, `web/tests/schemas.rs`, generates them from those types and
/// checks that they are up to date: the crate that makes schemas would cost every build of the command some seconds.
const ANSWERS: &str = include_str!("schemas.json");

fn schemas() -> Map<String, Value> {
    let mut schemas: Map<String, Value> = serde_json::from_str(ANSWERS).unwrap_or_default();
    let error = json!({
        "type": "object",
        "properties": { "error": text(), "try": text(), "kind": text() },
        "required": ["error", "try", "kind"],
    });
    schemas.insert("HttpError".to_owned(), error);
    // Pictures of the model are cached, and say which state of the study they show.
    for view in VIEWS.iter().filter(|view| view.looks_at_model()) {
        schemas[view.type_name]["properties"]["revision"] = json!({ "type": "integer", "minimum": 0 });
    }
    schemas
}

/// The schema of an answer: that of its type, if it has one.
fn answer(name: Option<&str>) -> Value {
    name.map_or_else(|| json!({}), |name| json!({ "$ref": format!("#/components/schemas/{name}") }))
}

struct Look {
    path: String,
    summary: &'static str,
    query: Vec<(&'static str, Value)>,
    kind: &'static str,
    /// The type of the answer.
    answer: Option<&'static str>,
    /// Whether the answer is a list of that type.
    is_list: bool,
}

impl Look {
    fn at(path: impl Into<String>, summary: &'static str) -> Self {
        Self { path: path.into(), summary, query: Vec::new(), kind: "application/json", answer: None, is_list: false }
    }

    /// Answered with a type of this name.
    fn of(self, answer: &'static str) -> Self {
        Self { answer: Some(answer), ..self }
    }

    /// Answered with a list of that type.
    fn listed(self) -> Self {
        Self { is_list: true, ..self }
    }

    fn in_json(&self) -> Value {
        let in_path = self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).map(|name| {
            let schema = if name == "trial" { json!({ "type": "integer", "minimum": 0 }) } else { text() };
            json!({ "name": name, "in": "path", "required": true, "schema": schema })
        });
        let in_query = self.query.iter().map(|(name, schema)| json!({ "name": name, "in": "query", "schema": schema }));
        let one = answer(self.answer);
        let schema = if self.is_list { json!({ "type": "array", "items": one }) } else { one };
        let mut content = Map::new();
        content.insert(self.kind.to_owned(), json!({ "schema": schema }));
        json!({
            "operationId": format!("get_{}", identifier(&self.path)),
            "summary": self.summary,
            "parameters": in_path.chain(in_query).collect::<Vec<_>>(),
            "responses": responses(Value::Object(content)),
        })
    }
}

/// The views that a browser draws.
fn views() -> Vec<Look> {
    let whole = || json!({ "type": "integer", "minimum": 0 });
    let look = |view: &'static View| Look {
        query: if view.is_over_two { vec![("x", whole()), ("y", whole())] } else { Vec::new() },
        ..Look::at(format!("/api/studies/{{study}}/{}", view.name), view.summary).of(view.type_name)
    };
    VIEWS.iter().map(look).collect()
}

fn queries() -> Vec<Look> {
    let look = |path: &str, summary| Look::at(path, summary);
    let of = |name: &'static str, look: Look| look.of(name);
    let count = |most: usize| json!({ "type": "integer", "minimum": 0, "maximum": most });
    let whole = || json!({ "type": "integer", "minimum": 0 });
    let states: Vec<&str> = TrialStatus::ALL.iter().map(|status| status.word()).collect();
    let states = json!({ "type": "string", "enum": states });
    let mut all = views();
    all.extend([
        look("/api/openapi.json", "This document."),
        of("StudyInfo", look("/api/store", "All studies of the store, for workers that choose points themselves."))
            .listed(),
        Look {
            query: vec![("from", whole())],
            ..of("WireSnapshot", look("/api/store/{study}", "The log from some event on, with leases and queue."))
        },
        of("Studies", look("/api/studies", "All studies of the store.")),
        of(
            "Overview",
            look("/api/studies/{study}", "A study at a glance: goal, counts, best trial, axes, who has which trial."),
        ),
        of("BestAnswer", look("/api/studies/{study}/best", "The best observed point and the recommended one.")),
        Look {
            query: vec![
                ("state", states),
                ("text", text()),
                ("where", text()),
                ("sort", json!({ "type": "string", "enum": SORTS })),
                ("parameter", text()),
                ("result", text()),
                ("reverse", json!({ "type": "boolean" })),
                ("from", whole()),
                ("rows", count(elbowroom_view::table::MAX_ROWS)),
            ],
            ..of("Table", look("/api/studies/{study}/trials", "A page of trials, filtered and sorted."))
        },
        of("StatusAnswer", look("/api/studies/{study}/trials/{trial}", "One trial: its state and what was measured.")),
        of(
            "Why",
            look(
                "/api/studies/{study}/trials/{trial}/why",
                "Why a trial's point was chosen: prediction, acquisition, neighbours.",
            ),
        ),
        Look { kind: "text/csv", ..look("/api/studies/{study}/trials.csv", "All trials; formulas are neutralized.") },
        Look {
            query: vec![("from", whole()), ("events", count(MAX_EVENTS))],
            ..of("EventsAnswer", look("/api/studies/{study}/events", "A part of the log."))
        },
        Look {
            kind: "text/event-stream",
            ..look("/api/studies/{study}/live", "The study at a glance, again whenever it changed: server-sent events.")
        },
    ]);
    all
}

fn actions() -> Vec<(&'static str, &'static str, Value)> {
    let request = || json!({ "type": "string", "minLength": 1, "maxLength": 200, "description": "A name for the request, so that it can be sent again." });
    let trial = || json!({ "type": "integer", "minimum": 0 });
    let attempt = || json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX });
    let seconds = || json!({ "type": "number", "minimum": 1, "maximum": 31_622_400 });
    let truth = || json!({ "type": "boolean" });
    let variance = || json!({ "type": "number", "minimum": 0, "description": "The variance of the value's noise." });
    let sd = || json!({ "type": "number", "minimum": 0, "maximum": 1e150, "description": "The standard deviation, instead of `noise`." });
    let settings = || json!({ "type": "object", "additionalProperties": { "type": ["number", "string", "boolean"] } });
    let ask = ask_fields(request(), seconds(), settings());
    let tell = json!({
        "trial": trial(),
        "value": { "type": ["number", "null"] },
        "results": named_results(),
        "noise": variance(),
        "sd": sd(),
        "correction": truth(),
        "attempt": attempt(),
        "request": request(),
    });
    let fail = json!({
        "trial": trial(),
        "reason": text(),
        "infeasible": truth(),
        "attempt": attempt(),
        "request": request(),
    });
    let release = json!({ "trial": trial(), "again": truth(), "attempt": attempt(), "request": request() });
    let alive = object(json!({ "trial": trial(), "attempt": attempt() }), &["trial", "attempt"]);
    let heartbeat = json!({ "attempts": { "type": "array", "maxItems": MAX_ATTEMPTS, "items": alive } });
    let add = json!({
        "point": settings(),
        "value": { "type": "number" },
        "results": named_results(),
        "noise": variance(),
        "sd": sd(),
        "instead_of": trial(),
        "due_seconds": seconds(),
        "request": request(),
    });
    vec![
        (
            "ask",
            "Take points to evaluate: pending, and leased to the worker. Parameters in `fixed` keep their values, and those in `within` stay between two.",
            object(ask, &[]),
        ),
        (
            "tell",
            "Report the value of a trial, null if it is not finite, or results by name. Late and further values are kept; \
             results without the optimized one change nothing else.",
            object(tell, &["trial"]),
        ),
        (
            "fail",
            "Report that a trial ended without a value, or that its point is infeasible.",
            object(fail, &["trial"]),
        ),
        ("release", "Give up a trial, or with `again` hand it to whoever asks next.", object(release, &["trial"])),
        ("heartbeat", "Report that attempts are alive: each lease is renewed.", object(heartbeat, &["attempts"])),
        (
            "add",
            "Add a point of your choice: an earlier result, or a running trial, optionally in place of another one.",
            object(add, &["point"]),
        ),
        (
            "budget",
            "Set how many trials may be handed out, including earlier ones; null for no limit.",
            object(json!({ "trials": { "type": ["integer", "null"], "minimum": 1 } }), &["trials"]),
        ),
        ("pause", "Stop handing out points, or resume.", object(json!({ "paused": truth() }), &["paused"])),
    ]
}

fn ask_fields(request: Value, lease_seconds: Value, fixed: Value) -> Value {
    json!({
        "n": { "type": "integer", "minimum": 1, "maximum": MAX_ASK },
        "worker": { "type": "string", "minLength": 1, "maxLength": 200 },
        "request": request,
        "lease_seconds": lease_seconds,
        "fixed": fixed,
        "within": {
            "type": "object",
            "additionalProperties": { "type": "array", "minItems": 2, "maxItems": 2, "items": { "type": "number" } },
        },
    })
}

fn named_results() -> Value {
    json!({
        "type": "object",
        "additionalProperties": { "type": ["number", "null", "object"] },
        "description": "Results by name; the study's metric is the one that is optimized, and ends the trial.",
    })
}

/// The type that an action is answered with.
fn answered(word: &str) -> Option<&'static str> {
    match word {
        "ask" => Some("AskAnswer"),
        "tell" => Some("TellAnswer"),
        "fail" | "release" => Some("ReportAnswer"),
        "add" => Some("StatusAnswer"),
        "heartbeat" => Some("HeartbeatAnswer"),
        "budget" => Some("BudgetAnswer"),
        "pause" => Some("PauseAnswer"),
        "store" => Some("StoreReply"),
        _ => None,
    }
}

fn action(word: &str, summary: &str, body: Value) -> Value {
    json!({
        "operationId": word,
        "summary": summary,
        "parameters": [{ "name": "study", "in": "path", "required": true, "schema": text() }],
        "requestBody": { "required": true, "content": { "application/json": { "schema": body } } },
        "responses": responses(json!({ "application/json": { "schema": answer(answered(word)) } })),
    })
}

fn responses(content: Value) -> Value {
    let refusal = |what: &str| {
        let schema = json!({ "$ref": "#/components/schemas/HttpError" });
        json!({ "description": what, "content": { "application/json": { "schema": schema } } })
    };
    json!({
        "200": { "description": "Done.", "content": content },
        "400": refusal("The request cannot be understood."),
        "401": refusal("The token is missing or wrong."),
        "403": refusal("Changes are not allowed, or another page sent the request."),
        "404": refusal("There is no such study or trial."),
        "409": refusal("It conflicts with the state of the trial or the study."),
        "413": refusal("The body is too large."),
        "415": refusal("The body is not declared as JSON."),
        "421": refusal("The server does not answer to this host name."),
        "422": refusal("The study refuses it, and says why."),
    })
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn text() -> Value {
    json!({ "type": "string", "maxLength": MAX_TEXT })
}

fn identifier(path: &str) -> String {
    path.trim_start_matches("/api/")
        .chars()
        .filter(|c| !"{}".contains(*c))
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .collect()
}
