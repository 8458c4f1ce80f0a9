//! A drive whose store fails, and one that is asked to stop.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Event, StudyConfig, TrialId};
use elbowroom_run::{DriveEvent, Error, Plan, Stop, Summary, Template, Urgency, drive};
use elbowroom_store::{
    Appended, Attempt, Entry, Error as StoreError, Handout, Hold, Lease, Memory, Reported, SharedStudy, Snapshot,
    Store, StudyInfo, Ticket,
};

/// A store in memory whose disk is full for reports on some trials.
#[derive(Default)]
struct Full {
    store: Memory,
    /// Nothing can be reported on trials below this number.
    below: u64,
    /// Whether this is permanent.
    for_good: bool,
    n_give_backs: AtomicUsize,
}

impl Store for Full {
    fn label(&self) -> String {
        self.store.label()
    }
    fn create(&self, study: &str, created: &Event) -> Result<(), StoreError> {
        self.store.create(study, created)
    }
    fn import(&self, study: &str, entries: &[Entry], leases: &[Lease]) -> Result<(), StoreError> {
        self.store.import(study, entries, leases)
    }
    fn studies(&self) -> Result<Vec<StudyInfo>, StoreError> {
        self.store.studies()
    }
    fn read(&self, study: &str, from: usize) -> Result<Snapshot, StoreError> {
        self.store.read(study, from)
    }
    fn append(&self, study: &str, expected: usize, handout: &Handout<'_>) -> Result<Appended, StoreError> {
        self.store.append(study, expected, handout)
    }
    fn append_all(&self, study: &str, expected: usize, events: &[Event]) -> Result<Appended, StoreError> {
        self.store.append_all(study, expected, events)
    }
    fn pause(&self, study: &str, ttl: Option<Duration>) -> Result<(), StoreError> {
        self.store.pause(study, ttl)
    }
    fn report(&self, study: &str, event: &Event, attempt: Option<u32>, seen: usize) -> Result<Reported, StoreError> {
        match event {
            Event::Told { trial, .. } if trial.0 < self.below => {
                let (what, hint) = ("no space left".to_owned(), "free some".to_owned());
                Err(if self.for_good {
                    StoreError::Refused { what, hint }
                } else {
                    StoreError::NotWritten { what, hint }
                })
            }
            _ => self.store.report(study, event, attempt, seen),
        }
    }
    fn extend(&self, study: &str, attempts: &[Attempt]) -> Result<Vec<Hold>, StoreError> {
        self.store.extend(study, attempts)
    }
    fn requeue(&self, study: &str, attempts: &[Attempt]) -> Result<(), StoreError> {
        self.n_give_backs.fetch_add(1, Ordering::SeqCst);
        self.store.requeue(study, attempts)
    }
    fn lose(&self, study: &str, attempts: &[Attempt]) -> Result<(), StoreError> {
        self.store.lose(study, attempts)
    }
    fn queue(&self, study: &str, ticket: Option<Ticket>, ttl: Duration) -> Result<Ticket, StoreError> {
        self.store.queue(study, ticket, ttl)
    }
    fn leave(&self, study: &str, ticket: Ticket) -> Result<(), StoreError> {
        self.store.leave(study, ticket)
    }
}

/// A study of eight trials.
fn plate(store: Arc<dyn Store>) -> SharedStudy {
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
    SharedStudy::create(store, "plate", StudyConfig::new(space).budget(8)).unwrap()
}

/// Drives eight trials with four workers; returns which trials ended, in order, and the outcome. Stops once
/// `stop_after` trials have ended.
fn run(store: Arc<Full>, command: &str, stop_after: usize) -> (Vec<TrialId>, Result<Summary, Error>) {
    let mut study = plate(store);
    let (stop, ended) = (Stop::new(), Mutex::new(Vec::new()));
    let plan = Plan::new(Template::parse(command).unwrap()).workers(4);
    let summary = drive(&mut study, &plan, &stop, &mut |_, happening| {
        let mut ended = ended.lock().unwrap();
        if let DriveEvent::Ended(trial, ..) = happening {
            ended.push(trial.id());
        }
        if ended.len() >= stop_after {
            stop.set(Urgency::Release);
        }
    });
    (ended.into_inner().unwrap(), summary)
}

#[test]
fn retries_of_one_result_hold_up_neither_the_others_nor_a_stop() {
    let began = Instant::now();
    let store = Arc::new(Full { below: 1, ..Full::default() });
    let (ended, summary) = run(store, "echo {x}", 3);
    // One result waits for the disk, up to half a minute; three others are stored, and then the drive should stop.
    assert!(ended.len() >= 3 && !ended.contains(&TrialId(0)), "{ended:?}");
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
    let Err(Error::Untold { results, .. }) = summary else { panic!("{summary:?}") };
    assert!(results.contains("elbow tell 0 "), "{results}");
}

#[test]
fn values_that_could_not_be_stored_are_not_shown_as_done() {
    let store = Arc::new(Full { below: 4, for_good: true, ..Full::default() });
    let (ended, summary) = run(store, "echo {x}", 1);
    assert_eq!(ended, [], "they are not in the store");
    let Err(Error::Untold { results, .. }) = summary else { panic!("{summary:?}") };
    assert_eq!(results.lines().count(), 4, "{results}");
}

#[test]
fn giving_back_many_trials_is_one_commit() {
    let store = Arc::new(Full::default());
    let (ended, summary) = run(store.clone(), "sleep 60", 0);
    assert_eq!((ended.len(), summary.unwrap().n_given_back), (4, 4));
    assert_eq!(store.n_give_backs.load(Ordering::SeqCst), 1);
}

/// A plan that does not wait before it hands out trials again that asked to be run later.
fn at_once(command: &str) -> Plan {
    Plan { wait: Duration::ZERO, ..Plan::new(Template::parse(command).unwrap()) }
}

#[test]
fn a_trial_that_asks_often_to_be_run_later_does_not_fail() {
    let folder = tempfile::tempdir().unwrap();
    let tries = folder.path().join("tries");
    let script = "echo {trial} >> \"$0\"; test $(grep -c {trial} \"$0\") -gt 6 || exit 75; echo {x}";
    let plan = at_once(&format!("sh -c '{script}' '{}'", tries.display()));
    let summary = drive(&mut plate(Arc::new(Memory::default())), &plan, &Stop::new(), &mut |_, _| {}).unwrap();
    // 48 in total, and never ten in a row.
    assert_eq!((summary.n_told, summary.n_failed, summary.n_given_back), (8, 0, 48));
}

#[test]
fn a_drive_whose_commands_all_ask_to_be_run_later_gives_up_and_leaves_them_to_others() {
    let mut study = plate(Arc::new(Memory::default()));
    let plan = at_once("sh -c 'exit 75'");
    let error = drive(&mut study, &plan, &Stop::new(), &mut |_, _| {}).unwrap_err();
    assert!(error.to_string().contains("asked to be run later (exit code 75) 10 times in a row"), "{error}");
    let counts = study.counts();
    assert_eq!((counts.failed, counts.running), (0, 0));
    assert_eq!(study.ask(1).unwrap().trials[0].id(), TrialId(0));
}

#[test]
fn a_drive_that_waits_to_run_trials_later_asks_for_none_and_can_be_stopped() {
    let (mut study, stop) = (plate(Arc::new(Memory::default())), Stop::new());
    let plan = Plan { wait: Duration::from_secs(60), ..at_once("sh -c 'exit 75'") };
    let summary = drive(&mut study, &plan, &stop, &mut |study, happening| {
        if matches!(happening, DriveEvent::Tick) && study.counts().queued > 0 {
            stop.set(Urgency::Finish);
        }
    });
    assert_eq!(summary.unwrap().n_given_back, 1);
}

#[test]
fn a_trial_that_ends_otherwise_ends_the_wait() {
    // The first one asks to run later, with the longest possible wait, while the second one runs.
    let script = "case {trial}.$ELBOW_ATTEMPT in 0.1) exit 75;; 1.*) sleep 1;; esac; echo {x}";
    let plan = Plan {
        wait: Duration::from_secs(60),
        time: Some(Duration::from_secs(40)),
        ..at_once(&format!("sh -c '{script}'")).workers(2)
    };
    let summary = drive(&mut plate(Arc::new(Memory::default())), &plan, &Stop::new(), &mut |_, _| {}).unwrap();
    assert_eq!((summary.n_told, summary.n_given_back), (8, 1), "{:?}", summary.ended);
}
