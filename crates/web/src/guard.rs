//! The one layer around every route and every method: a request that it refuses reaches nothing behind it.
//!
//! It checks, in order: the name by which the server was called (a page that rebinds its name to this address uses
//! another), whether a browser sends the request from another site's page, whether the request carries the token, and
//! whether it may change anything.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::error::HttpError;
use crate::limits::{MAX_BODY, MAX_TIME};
use crate::lobby::Visitor;
use crate::token::Lock;

/// A page may load things from this server only, except for pictures from `data:` addresses; no page may frame this
/// one.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; object-src 'none'";

/// Who is let in, and to do what.
pub struct Guard {
    lock: Lock,
    /// Names that the server may be called by, without a port.
    names: Vec<String>,
    port: u16,
    write: bool,
}

impl Guard {
    /// A guard for the address that the server listens on, and further names that lead to it.
    pub fn new(lock: Lock, address: SocketAddr, names: &[String], write: bool) -> Self {
        let mut all: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            all.extend(["127.0.0.1", "localhost", "[::1]"].map(str::to_owned));
        }
        if !address.ip().is_unspecified() {
            all.push(match address.ip() {
                IpAddr::V4(ip) => ip.to_string(),
                IpAddr::V6(ip) => format!("[{ip}]"),
            });
        }
        Self { lock, names: all, port: address.port(), write }
    }

    /// The name of the cookie. Cookies are shared between ports, so the name contains the port.
    fn cookie(&self) -> String {
        format!("elbow_{}", self.port)
    }

    fn check(&self, request: &Request) -> Result<Option<Response>, HttpError> {
        let headers = request.headers();
        let host = self.host(headers, request.uri())?;
        let looks = matches!(*request.method(), Method::GET | Method::HEAD);
        if !looks {
            if !matches!(*request.method(), Method::POST | Method::PUT | Method::PATCH | Method::DELETE) {
                return Err(HttpError::new(
                    StatusCode::METHOD_NOT_ALLOWED,
                    "this method is not supported",
                    "use GET or POST",
                ));
            }
            same_origin(headers, &host)?;
        }
        if looks
            && request.uri().path() == "/"
            && let Some(given) = query_token(request.uri())
        {
            return if self.lock.opens(given) { Ok(Some(self.welcome(given))) } else { Err(stranger()) };
        }
        if !self.knows(headers) {
            return Err(stranger());
        }
        if !looks {
            if !self.write {
                let what = "this server shows studies and changes nothing";
                return Err(HttpError::new(StatusCode::FORBIDDEN, what, "start it with --write"));
            }
            json_only(headers)?;
        }
        Ok(None)
    }

    /// The name by which the server was called, if it is one of its names.
    fn host(&self, headers: &HeaderMap, uri: &Uri) -> Result<String, HttpError> {
        let refuse = || {
            let what = "this server does not answer to that host name";
            HttpError::new(
                StatusCode::MISDIRECTED_REQUEST,
                what,
                "use the address it printed, or start it with --host NAME",
            )
        };
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok()).ok_or_else(refuse)?.to_ascii_lowercase();
        if hosts.next().is_some() || !self.is_own(&host) {
            return Err(refuse());
        }
        match uri.authority() {
            Some(authority) if !self.is_own(&authority.as_str().to_ascii_lowercase()) => Err(refuse()),
            _ => Ok(host),
        }
    }

    fn is_own(&self, host: &str) -> bool {
        self.names.iter().any(|name| match host.strip_prefix(name.as_str()) {
            Some("") => true,
            Some(port) => port.strip_prefix(':').is_some_and(|port| port == self.port.to_string()),
            None => false,
        })
    }

    fn knows(&self, headers: &HeaderMap) -> bool {
        let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        if let Some(token) = bearer {
            return self.lock.opens(token);
        }
        let name = self.cookie();
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(key, value)| key == name && self.lock.opens(value))
    }

    /// Takes the token out of the address bar and into a cookie that no script can read.
    fn welcome(&self, token: &str) -> Response {
        let cookie = format!("{}={token}; HttpOnly; SameSite=Strict; Path=/", self.cookie());
        let headers = [(header::LOCATION, "/".to_owned()), (header::SET_COOKIE, cookie)];
        (StatusCode::SEE_OTHER, headers).into_response()
    }
}

/// The layer itself.
pub async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let wants_page =
        request.headers().get(header::ACCEPT).is_some_and(|accept| accept.as_bytes().starts_with(b"text/html"));
    let too_large = request.headers().get(header::CONTENT_LENGTH).is_some_and(|length| {
        length.to_str().ok().and_then(|text| text.parse::<usize>().ok()).is_none_or(|length| length > MAX_BODY)
    });
    let checked = guard.check(&request);
    if let (Ok(_), Some(visitor)) = (&checked, request.extensions().get::<Arc<Visitor>>()) {
        visitor.clone().known().await;
    }
    let mut response = match checked {
        Ok(Some(response)) => response,
        Ok(None) if too_large => {
            HttpError::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large", "send at most 1 MB").into_response()
        }
        Ok(None) => match tokio::time::timeout(MAX_TIME, next.run(request)).await {
            Ok(response) => response,
            Err(_) => {
                let what = "the answer took too long";
                let hint = "try again; an ask under the same request name gets the same trials";
                HttpError::new(StatusCode::SERVICE_UNAVAILABLE, what, hint).into_response()
            }
        },
        Err(error) if error.status == StatusCode::UNAUTHORIZED && wants_page => closed_door(),
        Err(error) => error.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("x-frame-options", "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// Browsers say where a request comes from; programs do not, and only the token protects against them.
fn same_origin(headers: &HeaderMap, host: &str) -> Result<(), HttpError> {
    let refuse =
        || HttpError::new(StatusCode::FORBIDDEN, "another page sent this request", "send it from the dashboard");
    if let Some(site) = headers.get("sec-fetch-site")
        && !matches!(site.as_bytes(), b"same-origin" | b"none")
    {
        return Err(refuse());
    }
    for origin in headers.get_all(header::ORIGIN) {
        let origin = origin.to_str().map_err(|_| refuse())?.to_ascii_lowercase();
        let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if own != Some(host) {
            return Err(refuse());
        }
    }
    Ok(())
}

/// Requires JSON, which a form of another page cannot send without a preflight request.
fn json_only(headers: &HeaderMap) -> Result<(), HttpError> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let what = "the body is not declared as JSON";
    Err(HttpError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, what, "send content-type: application/json"))
}

fn query_token(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

fn stranger() -> HttpError {
    let hint = "open the address that `elbow serve` printed, or send authorization: Bearer TOKEN";
    HttpError::new(StatusCode::UNAUTHORIZED, "this needs the server's token", hint)
}

fn closed_door() -> Response {
    const PAGE: &str = "<!doctype html><meta charset=utf-8><title>elbowroom</title><h1>This dashboard needs its token</h1>\
                        <p>Open the whole address that <code>elbow serve</code> printed, with <code>?token=…</code> at its end.";
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (StatusCode::UNAUTHORIZED, headers, Body::from(PAGE)).into_response()
}
