//! A store of your own: `cargo run -p own-parts --example own_store`.
//!
//! It says how rows are kept and what a transaction is, and is a store by that: here the rows lie in a table of this
//! process, which several handles share. In the place of the table there could be any database with transactions.
//! Whether it keeps what a store promises, the tests of `elbowroom_store::testing` show.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{StudyConfig, TrialId};
use elbowroom_store::{
    Backend, Clock, Digest, Entry, Error, Filed, Key, Lease, Result, Rows, Scope, SharedStudy, StudyInfo, Ticket, Time,
    Waiting,
};

/// A handle of the table. Those that were cloned share it.
#[derive(Clone, Default)]
struct Table {
    rows: Arc<Mutex<AllRows>>,
    clock: Clock,
}

/// What is kept of all studies. A study's number is its place in the list of names.
#[derive(Clone, Default)]
struct AllRows {
    names: Vec<String>,
    entries: BTreeMap<(i64, usize), Entry>,
    requests: BTreeMap<(i64, bool, String), (usize, Option<TrialId>)>,
    leases: BTreeMap<(i64, TrialId), Lease>,
    queue: BTreeMap<(i64, Ticket), Waiting>,
    last_ticket: i64,
}

impl Backend for Table {
    type RowError = Error;

    fn label(&self) -> String {
        "a table of this process".to_owned()
    }

    fn transact<T>(&self, writes: bool, work: impl Fn(&mut dyn Rows<RowError = Error>) -> Result<T>) -> Result<T> {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        // Work on a copy: what fails leaves no trace.
        let mut transaction = Transaction { rows: rows.clone(), now: self.clock.now() };
        let done = work(&mut transaction)?;
        if writes {
            *rows = transaction.rows;
        }
        Ok(done)
    }
}

/// The rows within a transaction.
struct Transaction {
    rows: AllRows,
    now: Time,
}

impl Rows for Transaction {
    type RowError = Error;

    fn now(&mut self) -> Result<Time> {
        Ok(self.now)
    }

    fn study(&mut self, name: &str) -> Result<i64> {
        let at = self.rows.names.iter().position(|known| known == name);
        at.map(|at| at as i64).ok_or_else(|| Error::no_study(name, "a table of this process"))
    }

    fn new_study(&mut self, name: &str) -> Result<Option<i64>> {
        if self.study(name).is_ok() {
            return Ok(None);
        }
        self.rows.names.push(name.to_owned());
        Ok(Some(self.rows.names.len() as i64 - 1))
    }

    fn studies(&mut self) -> Result<Vec<StudyInfo>> {
        let mut found = Vec::new();
        for (study, name) in (0..).zip(&self.rows.names) {
            let mut entries = self.rows.entries.range((study, 0)..(study + 1, 0)).map(|(_, entry)| entry);
            let Some(first) = entries.next() else { continue };
            let (revision, last) = entries.fold((1, first), |(n, _), entry| (n + 1, entry));
            found.push(StudyInfo { name: name.clone(), revision, created: first.at, changed: last.at });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    fn end(&mut self, study: i64) -> Result<(usize, Digest)> {
        let last = self.rows.entries.range((study, 0)..(study + 1, 0)).next_back();
        Ok(last.map_or((0, Digest::EMPTY), |((_, number), entry)| (number + 1, entry.digest)))
    }

    fn entries(&mut self, study: i64, from: usize) -> Result<Vec<Entry>> {
        Ok(self.rows.entries.range((study, from)..(study + 1, 0)).map(|(_, entry)| entry.clone()).collect())
    }

    fn push(&mut self, study: i64, number: usize, entry: &Entry, about: &Filed<'_>) -> Result<()> {
        if let Some(Key { scope, request }) = &about.key {
            let key = (study, *scope == Scope::Ask, (*request).to_owned());
            self.rows.requests.insert(key, (number, about.trial));
        }
        self.rows.entries.insert((study, number), entry.clone());
        Ok(())
    }

    fn seen(&mut self, study: i64, key: &Key<'_>) -> Result<Option<(usize, Option<TrialId>)>> {
        Ok(self.rows.requests.get(&(study, key.scope == Scope::Ask, key.request.to_owned())).copied())
    }

    fn leases(&mut self, study: i64) -> Result<Vec<Lease>> {
        let own = self.rows.leases.range((study, TrialId(0))..(study + 1, TrialId(0)));
        Ok(own.map(|(_, lease)| lease.clone()).collect())
    }

    fn lease(&mut self, study: i64, trial: TrialId) -> Result<Option<Lease>> {
        Ok(self.rows.leases.get(&(study, trial)).cloned())
    }

    fn put_lease(&mut self, study: i64, lease: &Lease) -> Result<()> {
        self.rows.leases.insert((study, lease.attempt.trial), lease.clone());
        Ok(())
    }

    fn drop_lease(&mut self, study: i64, trial: TrialId) -> Result<()> {
        self.rows.leases.remove(&(study, trial));
        Ok(())
    }

    fn queue(&mut self, study: i64) -> Result<Vec<Waiting>> {
        let all = Ticket(i64::MIN)..=Ticket(i64::MAX);
        let own = self.rows.queue.range((study, *all.start())..=(study, *all.end()));
        Ok(own.map(|(_, waiting)| *waiting).collect())
    }

    fn new_ticket(&mut self, study: i64, expires: Time, ttl: Duration) -> Result<Ticket> {
        self.rows.last_ticket += 1;
        let ticket = Ticket(self.rows.last_ticket);
        self.rows.queue.insert((study, ticket), Waiting { ticket, expires, ttl });
        Ok(ticket)
    }

    fn put_ticket(&mut self, study: i64, waiting: &Waiting) -> Result<()> {
        self.rows.queue.entry((study, waiting.ticket)).and_modify(|place| *place = *waiting);
        Ok(())
    }

    fn drop_ticket(&mut self, study: i64, ticket: Ticket) -> Result<()> {
        self.rows.queue.remove(&(study, ticket));
        Ok(())
    }

    fn put_pause(&mut self, study: i64, waiting: &Waiting) -> Result<()> {
        // Its ticket is negative, and so before all others.
        self.rows.queue.insert((study, waiting.ticket), *waiting);
        Ok(())
    }
}

fn main() -> Result<()> {
    let table = Table::default();
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    let config = StudyConfig::new(space).budget(12);
    let mut ours = SharedStudy::create(Arc::new(table.clone()), "plate", config)?.worker("ours");
    let mut theirs = SharedStudy::open(Arc::new(table), "plate")?.worker("theirs");
    loop {
        let trials = [ours.ask(1)?.trials, theirs.ask(1)?.trials].concat();
        if trials.is_empty() {
            break;
        }
        for trial in trials {
            let x = trial.point().get("x").and_then(|value| value.as_f64()).unwrap_or(f64::NAN);
            ours.tell(&trial, (x - 0.25).abs())?;
        }
    }
    theirs.refresh()?;
    assert_eq!((theirs.counts().complete, theirs.stored().digest()), (12, ours.stored().digest()));
    println!("two workers told {} values", ours.counts().complete);
    Ok(())
}

#[test]
fn a_store_of_another_crate_serves_two_workers() {
    main().unwrap();
}

#[cfg(test)]
fn bench() -> elbowroom_store::testing::Bench {
    let table = Table { clock: Clock::manual(1_700_000_000_000), ..Table::default() };
    let clock = table.clock.clone();
    elbowroom_store::testing::Bench::new(move || Arc::new(table.clone())).with_clock(clock)
}

#[cfg(test)]
elbowroom_store::store_contract!(promises, bench());
