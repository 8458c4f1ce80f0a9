//! A store on another machine, behind `elbow serve`.
//!
//! The address is the one that the server prints, including the token. Keep it in an environment variable and name
//! that, as in `elbow worker '$ELBOW_URL'`, so that it does not show up in lists of processes. If an answer is lost,
//! the request is sent again, which is safe: reports have names and hand-outs have a revision, so a repetition changes
//! nothing.

mod wire;

use std::time::Duration;

use elbowroom::study::Event;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::lease::{Attempt, Hold, Lease};
use crate::log::Entry;
use crate::request::jittered;
use crate::store::{Appended, Handout, Reported, Snapshot, Store, StudyInfo, Ticket};
use crate::time::millis;
pub use wire::{StoreReply, StoreRequest, WireAttempt, WireSnapshot};

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(150);

/// How often a request without an answer is sent in all; the pause after the first time is [`PAUSE`].
const TRIES: u32 = 6;
/// The number of tries on first contact: an address that refuses is more likely wrong than busy.
const FIRST_TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_millis(200);

/// The largest answer: the log of a large study.
const MOST_BYTES: u64 = 4 << 30;

/// A store behind HTTP.
pub struct Http {
    agent: ureq::Agent,
    base: String,
    token: String,
}

impl Http {
    /// Connects to an address that `elbow serve` printed, such as `http://localhost:8642/?token=…`.
    pub fn open(address: &str) -> Result<Self> {
        let (place, query) = address.split_once('?').unwrap_or((address, ""));
        let Some(token) = query.split('&').find_map(|pair| pair.strip_prefix("token=")) else {
            let hint = "give the whole address that `elbow serve` printed, with ?token=…";
            return Err(Error::request("the address of the server has no token", hint));
        };
        let config = ureq::Agent::config_builder().timeout_global(Some(PATIENCE)).http_status_as_error(false);
        let http = Self {
            agent: config.build().into(),
            base: place.trim_end_matches('/').to_owned(),
            token: token.to_owned(),
        };
        let _: Vec<StudyInfo> = http.get("/api/store", FIRST_TRIES)?;
        Ok(http)
    }

    fn get<T: DeserializeOwned>(&self, path: &str, tries: u32) -> Result<T> {
        self.answered(tries, || {
            self.agent.get(format!("{}{path}", self.base)).header("authorization", self.bearer()).call()
        })
    }

    fn request(&self, study: &str, deed: &StoreRequest) -> Result<StoreReply> {
        let body = serde_json::to_string(deed)
            .map_err(|error| Error::request(format!("a request cannot be written: {error}"), "report this as a bug"))?;
        let path = format!("{}/api/store/{}", self.base, in_address(study));
        self.answered(TRIES, || {
            let request = self.agent.post(&path).header("authorization", self.bearer());
            request.header("content-type", "application/json").send(&body)
        })
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Sends a request until there is an answer.
    fn answered<T: DeserializeOwned>(
        &self,
        tries: u32,
        send: impl Fn() -> Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<T> {
        let mut last = String::new();
        for n in 0..tries {
            if n > 0 {
                std::thread::sleep(jittered(PAUSE * 2u32.pow(n - 1)));
            }
            let sent = send().and_then(|mut response| {
                let text = response.body_mut().with_config().limit(MOST_BYTES).read_to_string()?;
                Ok((response.status().as_u16(), text))
            });
            match sent {
                Ok((200, text)) => {
                    return serde_json::from_str(&text).map_err(|error| {
                        let what = format!("{} sent an answer that cannot be read: {error}", self.base);
                        Error::Refused { what, hint: "use the same version of elbowroom on both machines".to_owned() }
                    });
                }
                Ok((status @ (502..=504), _)) => last = format!("status {status}"),
                Ok((status, text)) => return Err(self.refusal(status, &text)),
                Err(error) => last = error.to_string(),
            }
        }
        Err(Error::unreachable(
            format!("{} does not answer: {last}", self.base),
            "check that `elbow serve` is running there",
        ))
    }

    fn refusal(&self, status: u16, text: &str) -> Error {
        #[derive(Default, serde::Deserialize)]
        struct RowError {
            error: String,
            #[serde(rename = "try")]
            hint: String,
            #[serde(default)]
            kind: String,
        }
        let RowError { error, hint, kind } = serde_json::from_str(text).unwrap_or_default();
        let what = format!("{}: {error}", self.base);
        if let Some(kind) = elbowroom::error::Kind::named(&kind) {
            return elbowroom::error::Error::new(kind, what, hint).into();
        }
        match status {
            404 => Error::NoStudy { study: error, place: self.base.clone(), hint },
            409 => Error::Exists { study: error, place: self.base.clone() },
            400 => Error::Request { what, hint },
            410 => Error::Damaged { what, hint },
            _ => Error::Refused { what, hint },
        }
    }

    fn unexpected(&self) -> Error {
        let what = format!("{} sent an unexpected answer", self.base);
        Error::Refused { what, hint: "use the same version of elbowroom on both machines".to_owned() }
    }
}

impl Store for Http {
    fn label(&self) -> String {
        self.base.clone()
    }

    fn create(&self, study: &str, created: &Event) -> Result<()> {
        match self.request(study, &StoreRequest::Create { created: created.clone() }) {
            Ok(_) => Ok(()),
            Err(Error::Exists { .. }) => Err(Error::exists(study, &self.base)),
            Err(error) => Err(error),
        }
    }

    fn import(&self, _: &str, _: &[Entry], _: &[Lease]) -> Result<()> {
        let what = format!("{} does not accept complete logs", self.base);
        Err(Error::Refused { what, hint: "copy the study on the machine where the store is".to_owned() })
    }

    fn studies(&self) -> Result<Vec<StudyInfo>> {
        self.get("/api/store", TRIES)
    }

    fn read(&self, study: &str, from: usize) -> Result<Snapshot> {
        let snapshot: Result<WireSnapshot> = self.get(&format!("/api/store/{}?from={from}", in_address(study)), TRIES);
        match snapshot {
            Ok(snapshot) => snapshot.open().ok_or_else(|| self.unexpected()),
            Err(Error::NoStudy { .. }) => Err(Error::no_study(study, &self.base)),
            Err(error) => Err(error),
        }
    }

    fn append(&self, study: &str, expected: usize, handout: &Handout<'_>) -> Result<Appended> {
        let deed = StoreRequest::Append {
            expected,
            event: handout.event.clone(),
            attempts: handout.attempts.iter().map(|attempt| (*attempt).into()).collect(),
            worker: handout.worker.to_owned(),
            ttl_ms: handout.ttl.map(|ttl| millis(ttl).unsigned_abs()),
            ticket: handout.ticket.map(|ticket| ticket.0),
        };
        match self.request(study, &deed)? {
            StoreReply::Appended { number } => Ok(Appended::Done(number)),
            StoreReply::Newer { revision } => Ok(Appended::Newer(revision)),
            StoreReply::Revived => Ok(Appended::Revived),
            StoreReply::Queued => Ok(Appended::Queued),
            _ => Err(self.unexpected()),
        }
    }

    fn append_all(&self, study: &str, expected: usize, events: &[Event]) -> Result<Appended> {
        match self.request(study, &StoreRequest::AppendAll { expected, events: events.to_vec() })? {
            StoreReply::Appended { number } => Ok(Appended::Done(number)),
            StoreReply::Newer { revision } => Ok(Appended::Newer(revision)),
            _ => Err(self.unexpected()),
        }
    }

    fn report(&self, study: &str, event: &Event, attempt: Option<u32>, seen: usize) -> Result<Reported> {
        match self.request(study, &StoreRequest::Report { event: event.clone(), attempt, seen })? {
            StoreReply::Appended { number } => Ok(Reported::Appended(number)),
            StoreReply::Repeated { number } => Ok(Reported::Repeated(number)),
            StoreReply::Superseded => Ok(Reported::Superseded),
            _ => Err(self.unexpected()),
        }
    }

    fn extend(&self, study: &str, attempts: &[Attempt]) -> Result<Vec<Hold>> {
        let attempts = attempts.iter().map(|attempt| (*attempt).into()).collect();
        match self.request(study, &StoreRequest::Extend { attempts })? {
            StoreReply::Holds { holds } => Ok(holds.into_iter().map(Hold::from).collect()),
            _ => Err(self.unexpected()),
        }
    }

    fn requeue(&self, study: &str, attempts: &[Attempt]) -> Result<()> {
        let attempts = attempts.iter().map(|attempt| (*attempt).into()).collect();
        self.request(study, &StoreRequest::GiveBack { attempts }).map(|_| ())
    }

    fn lose(&self, study: &str, attempts: &[Attempt]) -> Result<()> {
        let attempts = attempts.iter().map(|attempt| (*attempt).into()).collect();
        match self.request(study, &StoreRequest::Lose { attempts }) {
            // On a server that is too old to know this request, the leases run out by themselves.
            Ok(_) | Err(Error::Request { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn queue(&self, study: &str, ticket: Option<Ticket>, ttl: Duration) -> Result<Ticket> {
        let deed = StoreRequest::Queue { ticket: ticket.map(|ticket| ticket.0), ttl_ms: millis(ttl).unsigned_abs() };
        match self.request(study, &deed)? {
            StoreReply::Place { ticket } => Ok(Ticket(ticket)),
            _ => Err(self.unexpected()),
        }
    }

    fn leave(&self, study: &str, ticket: Ticket) -> Result<()> {
        self.request(study, &StoreRequest::Leave { ticket: ticket.0 }).map(|_| ())
    }

    fn pause(&self, study: &str, _ttl: Option<Duration>) -> Result<()> {
        let what = format!("the study `{study}` can only be paused where it is served");
        Err(Error::request(what, "pause it in the dashboard of that server"))
    }
}

/// A name, encoded as part of an address.
fn in_address(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    name.bytes().map(|b| if plain(b) { (b as char).to_string() } else { format!("%{b:02X}") }).collect()
}
