//! What every store promises: a function for each promise, whose name says it.

use std::sync::Arc;
use std::time::Duration;

use super::{Bench, LONG, TTL, assert_sound, grid, random};
use crate::{
    Appended, Assignment, Attempt, Digest, Entry, Error, Handout, Heartbeat, Hold, Lease, Reclaimed, Reported,
    SharedStudy, Snapshot, Store, StudyInfo, Ticket, Time, TrialStatus, copy, worker_name,
};
use elbowroom::domain::Narrowing;
use elbowroom::space::Point;
use elbowroom::study::{
    Ask, Event, MeasurementKind, PlacedTrial, Study, StudyConfig, Tell, Told, TrialId, TrialState, Watched, verify,
};

pub fn studies_are_created_once_and_listed(bench: &Bench) {
    let store = bench.open();
    assert!(matches!(SharedStudy::open(store.clone(), "a"), Err(Error::NoStudy { .. })));
    for name in ["b", "a"] {
        SharedStudy::create(store.clone(), name, random(3)).unwrap().ask(1).unwrap();
    }
    assert!(matches!(SharedStudy::create(store.clone(), "a", random(3)), Err(Error::Exists { .. })));
    let listed: Vec<(String, usize)> =
        bench.open().studies().unwrap().into_iter().map(|info| (info.name, info.revision)).collect();
    assert_eq!(listed, [("a".to_owned(), 2), ("b".to_owned(), 2)]);

    SharedStudy::open_or_create(store.clone(), "a", random(3)).unwrap();
    // A budget may have changed since, and does not count as a different configuration.
    let other = SharedStudy::open_or_create(store.clone(), "a", random(4)).unwrap();
    assert_eq!(other.study().config().budget, Some(3));
    let other = SharedStudy::open_or_create(store.clone(), "a", random(3).seed(5));
    assert!(other.err().unwrap().to_string().contains("was created with a different"));
    assert!(SharedStudy::create(store, "line\nbreak", random(3)).is_err());
}

pub fn an_append_at_an_old_revision_is_refused_with_the_newer_one(bench: &Bench) {
    let mut study = bench.create(random(9));
    study.ask(1).unwrap();
    let store = bench.open();
    let event = Event::Added {
        trial: TrialId(1),
        point: Point::new().with("a", 1).with("b", 2),
        value: None,
        noise: None,
        results: Watched::NONE,
        comment: None,
        request: None,
    };
    let handout = Handout { event: &event, attempts: &[], worker: "w", ttl: None, ticket: None };
    assert_eq!(store.append("study", 1, &handout).unwrap(), Appended::Newer(2));
    assert_eq!(store.append("study", 7, &handout).unwrap(), Appended::Newer(2));
    assert_eq!(store.read("study", 0).unwrap().entries.len(), 2);
    assert_eq!(store.append("study", 2, &handout).unwrap(), Appended::Done(3));
    // Events that are neither reports nor hand-outs are refused.
    assert!(store.report("study", &event, None, 0).is_err());
    let told = Tell::new(1.0).into_event(TrialId(0), study.study().outcomes()).unwrap();
    assert!(store.append("study", 3, &Handout { event: &told, ..handout }).is_err());
}

pub fn the_same_request_has_the_same_answer(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create(random(9)), bench.join());
    let first = ours.ask(Ask::new(2).named("ask 1")).unwrap();
    ours.ask(Ask::new(1).named("ask 2")).unwrap();
    assert_eq!(theirs.ask(Ask::new(2).named("ask 1")).unwrap(), first);
    assert_eq!(theirs.ask(Ask::new(5).named("ask 1")).unwrap(), first);

    let trial = first.trials[0].id();
    let report = Tell::new(0.5).request("tell 1");
    assert_eq!(ours.tell(trial, report.clone()).unwrap(), Told::Recorded);
    assert_eq!(theirs.tell(trial, report.clone()).unwrap(), Told::Repeated);
    assert_eq!(ours.tell(trial, report).unwrap(), Told::Repeated);
    assert_eq!(ours.study().trial(trial).unwrap().measurements().len(), 1);
    // Without a name it is another measurement.
    assert_eq!(ours.tell(trial, 0.7).unwrap(), Told::Replicate);

    let about = crate::About::from(first.trials[1].id()).request("end");
    assert!(matches!(ours.fail(about.clone(), "it broke").unwrap(), Reported::Appended(_)));
    assert!(matches!(theirs.fail(about.clone(), "it broke").unwrap(), Reported::Repeated(_)));
    assert!(matches!(theirs.infeasible(about, "too hot").unwrap(), Reported::Repeated(_)));
    assert_eq!(theirs.study(), {
        ours.refresh().unwrap();
        ours.study()
    });
}

pub fn a_request_cannot_be_used_for_two_things(bench: &Bench) {
    let mut study = bench.create(random(9));
    let trials = study.ask(2).unwrap().trials;
    study.tell(&trials[0], Tell::new(1.0).request("r")).unwrap();
    assert!(study.tell(&trials[1], Tell::new(1.0).request("r")).is_err());
    // Nor without the study's own check.
    let event = Tell::new(1.0).request("r").into_event(trials[1].id(), study.study().outcomes()).unwrap();
    assert!(matches!(bench.open().report("study", &event, None, 0), Err(Error::Request { .. })));
    assert!(study.ask(Ask::new(1).named("")).is_err());
    assert_eq!(bench.join().study().events().len(), 3);
}

pub fn workers_get_distinct_points_and_never_more_than_the_budget(bench: &Bench) {
    bench.create(random(40));
    let n_told: usize = std::thread::scope(|scope| {
        let work = |_| {
            scope.spawn(|| {
                let mut study = bench.join();
                let mut n = 0;
                while let Some(handed) = study.ask(1).unwrap().trials.pop() {
                    study.tell(&handed, n as f64).unwrap();
                    n += 1;
                }
                n
            })
        };
        let workers: Vec<_> = (0..4).map(work).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    let study = bench.join();
    assert_eq!((n_told, study.counts().complete), (40, 40));
    assert_sound(&study);
    assert!(study.study().budget_left() == Some(0));
    assert_eq!(verify(study.study().events()).unwrap(), []);
}

pub fn a_silent_worker_loses_its_trial_to_the_next_who_asks(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create_brief(random(9)), bench.join());
    let lost = ours.ask(1).unwrap().trials.remove(0);
    bench.pass(LONG);
    let handed = theirs.ask(Ask::new(2).named("retry")).unwrap().trials;
    assert_eq!((handed[0].id(), handed[0].attempt.number), (lost.id(), 2));
    assert_eq!((handed[0].point(), handed[1].attempt.number), (lost.point(), 1));
    assert_eq!(theirs.ask(Ask::new(2).named("retry")).unwrap().trials, handed);
    assert_eq!(theirs.study().trials().len(), 2);
    assert_eq!(theirs.study().trial(lost.id()).unwrap().attempts, 2);
    assert_eq!(verify(theirs.study().events()).unwrap(), []);
    // The time and what counted as pending are in the log.
    let Some(Event::Asked { provenance, again, .. }) = theirs.study().events().last() else { panic!() };
    assert!(provenance.time.is_some() && provenance.pending.is_empty() && again[0].attempt == 2);
}

pub fn lost_trials_outside_what_is_asked_for_are_not_handed_out(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create_brief(random(9)), bench.join());
    let lost = ours.ask(2).unwrap().trials;
    bench.pass(LONG);
    let a = |handed: &Assignment| handed.point().i64("a").unwrap();
    // A range with one of the two inside.
    assert_ne!(a(&lost[0]), a(&lost[1]));
    let within = Narrowing::new().within("a", a(&lost[1]), a(&lost[1]));
    let handed = theirs.ask(Ask::new(2).narrowed(within.clone())).unwrap().trials;
    assert_eq!((handed[0].id(), handed[0].attempt.number), (lost[1].id(), 2));
    assert_eq!((handed[1].id(), handed[1].attempt.number), (TrialId(2), 1));
    assert!(handed.iter().all(|handed| within.holds_at(handed.point())));
    // The other trial goes to whoever asks for the whole space.
    assert_eq!(theirs.ask(1).unwrap().trials[0].id(), lost[0].id());
    assert_eq!(verify(theirs.study().events()).unwrap(), []);
}

pub fn a_trial_that_is_lost_three_times_is_given_up_but_its_value_is_welcome(bench: &Bench) {
    let mut study = bench.create_brief(random(2));
    let first = study.ask(1).unwrap().trials.remove(0);
    for attempt in [2, 3] {
        bench.pass(LONG);
        let again = study.ask(1).unwrap().trials.remove(0);
        assert_eq!((again.id(), again.attempt.number), (first.id(), attempt));
    }
    bench.pass(LONG);
    study.refresh().unwrap();
    assert_eq!(study.status(study.study().trial(first.id()).unwrap()), TrialStatus::Lost);
    // It is not pending for a choice, counts, and its point is not proposed again.
    let other = study.ask(2).unwrap();
    assert_eq!((other.trials.len(), other.trials[0].id()), (1, TrialId(1)));
    assert!(other.shortfall.unwrap().contains("budget of 2"));
    let Some(Event::Asked { provenance, .. }) = study.study().events().last() else { panic!() };
    assert!(provenance.pending.is_empty());
    assert_eq!(study.tell(&first, 1.0).unwrap(), Told::Late);
    assert_eq!(study.counts().complete, 1);
}

pub fn a_late_value_is_kept_and_cancels_the_retry(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create_brief(random(9)), bench.join());
    let late = ours.ask(1).unwrap().trials.remove(0);
    bench.pass(LONG);
    theirs.refresh().unwrap();
    assert_eq!(theirs.counts().queued, 1);
    assert_eq!(ours.tell(&late, 0.5).unwrap(), Told::Late);
    let next = theirs.ask(1).unwrap().trials.remove(0);
    assert_ne!(next.id(), late.id());
    let trial = theirs.study().trial(late.id()).unwrap();
    assert_eq!(trial.measurements()[0].kind, MeasurementKind::Late);
    assert_eq!(trial.value(), Some(0.5));
}

pub fn a_late_value_beside_a_retry_is_a_replicate(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create_brief(random(9)), bench.join());
    let late = ours.ask(1).unwrap().trials.remove(0);
    bench.pass(LONG);
    let retry = theirs.ask(1).unwrap().trials.remove(0);
    assert_eq!(retry.id(), late.id());
    assert_eq!(ours.tell(&late, 0.5).unwrap(), Told::Late);
    assert_eq!(theirs.stored().heartbeat(&[retry.attempt]).unwrap(), [Hold::Ended]);
    assert_eq!(theirs.tell(&retry, 0.7).unwrap(), Told::Replicate);
    assert_eq!(theirs.study().trial(late.id()).unwrap().value(), Some(0.6));
}

pub fn a_failure_of_a_superseded_worker_says_nothing(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create_brief(random(9)), bench.join());
    let old = ours.ask(1).unwrap().trials.remove(0);
    bench.pass(LONG);
    let new = theirs.ask(1).unwrap().trials.remove(0);
    assert_eq!(ours.fail(&old, "the cable was cut").unwrap(), Reported::Superseded);
    assert_eq!(ours.withdraw(&old).unwrap(), Reported::Superseded);
    assert_eq!(ours.stored().heartbeat(&[old.attempt]).unwrap(), [Hold::Superseded]);
    ours.stored().requeue(&[old.attempt]).unwrap();
    assert!(matches!(theirs.stored().heartbeat(&[new.attempt]).unwrap()[..], [Hold::Held(_)]));
    assert!(theirs.study().trial(new.id()).unwrap().is_pending());
    assert!(matches!(theirs.fail(&new, "it broke").unwrap(), Reported::Appended(_)));
    assert_eq!(theirs.counts().failed, 1);
}

pub fn heartbeats_keep_a_trial_and_say_when_it_is_gone(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create_brief(random(9)), bench.join());
    let held = ours.ask(2).unwrap().trials;
    for _ in 0..3 {
        bench.pass(TTL * 2 / 3);
        assert!(matches!(ours.stored().heartbeat(&[held[0].attempt]).unwrap()[..], [Hold::Held(_)]));
    }
    theirs.refresh().unwrap();
    assert_eq!((theirs.counts().running, theirs.counts().queued), (1, 1));
    // A worker that was silent for too long gets its trial back if nobody took it.
    assert!(matches!(ours.stored().heartbeat(&[held[1].attempt]).unwrap()[..], [Hold::Held(_)]));
    assert_eq!(theirs.ask(1).unwrap().trials[0].attempt.number, 1);
    ours.tell(&held[0], 1.0).unwrap();
    assert_eq!(ours.stored().heartbeat(&[held[0].attempt]).unwrap(), [Hold::Ended]);
}

pub fn a_trial_given_back_is_handed_out_at_once_and_nothing_is_charged(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create(random(9)), bench.join());
    let mut held = ours.ask(1).unwrap().trials.remove(0);
    for round in 2..7 {
        ours.stored().requeue(&[held.attempt]).unwrap();
        let again = theirs.ask(1).unwrap().trials.remove(0);
        assert_eq!((again.id(), again.attempt.number), (held.id(), round));
        held = again;
    }
    assert_eq!(theirs.stored().leases().next().unwrap().faults, 0);
    assert_eq!(theirs.study().trials().len(), 1);
}

pub fn a_trial_whose_workers_are_known_to_be_dead_is_handed_out_three_times_in_all(bench: &Bench) {
    // No process has a number above the kernel's limit of 2^22, so this one of our machine is gone.
    let own = worker_name();
    let dead = format!("{}/4194305-7", own.rsplit_once('/').unwrap().0);
    let (mut ours, mut theirs) = (bench.create(random(9)).worker(dead), bench.join());
    for number in 1..=3 {
        let held = ours.ask(1).unwrap().trials.remove(0);
        assert_eq!((held.id(), held.attempt.number), (TrialId(0), number));
        theirs.refresh().unwrap();
        let reclaimed = theirs.reclaim_from_the_dead().unwrap();
        assert_eq!((reclaimed.again.len(), reclaimed.given_up.len()), if number < 3 { (1, 0) } else { (0, 1) });
        // A dead worker is noticed once.
        assert_eq!(theirs.reclaim_from_the_dead().unwrap(), Reclaimed::default());
    }
    assert_eq!(theirs.counts().lost, 1);
    assert_eq!(theirs.ask(1).unwrap().trials[0].id(), TrialId(1));
}

pub fn a_released_trial_no_longer_counts(bench: &Bench) {
    let mut study = bench.create(random(1));
    let trial = study.ask(1).unwrap().trials.remove(0);
    assert!(study.ask(1).unwrap().shortfall.unwrap().contains("budget"));
    study.withdraw(&trial).unwrap();
    assert_eq!(study.ask(1).unwrap().trials[0].id(), TrialId(1));
    assert_eq!(study.tell(&trial, 3.0).unwrap(), Told::Late);
    assert_eq!(study.stored().leases().count(), 1);
}

pub fn points_of_ones_own_are_added_once(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create(random(9)), bench.join());
    let point = Point::new().with("a", 3).with("b", 4);
    let added = ours.add(&point, Tell::new(2.0).noise(0.1).request("row 1")).unwrap();
    assert_eq!(theirs.add(&point, Tell::new(2.0).noise(0.1).request("row 1")).unwrap(), added);
    assert_eq!((added.value(), added.noise()), (Some(2.0), Some(0.1)));
    let failed = theirs.add(&point, f64::NAN).unwrap();
    assert!(matches!(failed.state, TrialState::Failed { .. }));

    let started = ours.start(&point, None, Some("by hand")).unwrap();
    assert_eq!(ours.start(&point, None, Some("by hand")).unwrap(), started);
    bench.pass(LONG);
    ours.refresh().unwrap();
    // Without a due time it is never lost; with one it is.
    assert_eq!(ours.status(&started.trial), TrialStatus::Running);
    let due = theirs.start(&point, Some(TTL), None).unwrap();
    bench.pass(LONG);
    theirs.refresh().unwrap();
    assert_eq!(theirs.status(&due.trial), TrialStatus::Queued);
    assert_eq!(theirs.study().trials().len(), 4);
}

pub fn what_cannot_follow_is_refused_before_it_is_stored(bench: &Bench) {
    let mut study = bench.create(random(9));
    let trial = study.ask(1).unwrap().trials.remove(0);
    assert!(study.tell(TrialId(7), 1.0).unwrap_err().to_string().contains("trial 7 does not exist"));
    assert!(study.tell(&trial, Tell::new(1.0).noise(-1.0)).is_err());
    assert!(study.add(&Point::new().with("a", 77), 1.0).is_err());
    assert!(study.add(&Point::new().with("a", 1).with("b", 1), Tell::new(1.0).noise(f64::NAN)).is_err());
    assert!(study.ask(0).is_err());
    assert_eq!(bench.join().study().events().len(), 2);
    assert_eq!(study.tell(&trial, f64::INFINITY).unwrap(), Told::NotFinite);
    assert_eq!(bench.join().counts().failed, 1);
}

/// A store in which others do something just before the first append.
struct Meanwhile<F> {
    store: Arc<dyn Store>,
    before: std::sync::Mutex<Option<F>>,
    read: std::sync::Mutex<Vec<usize>>,
}

impl<F: FnOnce() + Send> Meanwhile<F> {
    fn new(store: Arc<dyn Store>, before: F) -> Arc<Self> {
        Arc::new(Self { store, before: Some(before).into(), read: Vec::new().into() })
    }
}

impl<F: FnOnce() + Send> Store for Meanwhile<F> {
    fn label(&self) -> String {
        self.store.label()
    }
    fn create(&self, study: &str, created: &Event) -> Result<(), Error> {
        self.store.create(study, created)
    }
    fn import(&self, study: &str, entries: &[crate::Entry], leases: &[Lease]) -> Result<(), Error> {
        self.store.import(study, entries, leases)
    }
    fn studies(&self) -> Result<Vec<StudyInfo>, Error> {
        self.store.studies()
    }
    fn read(&self, study: &str, from: usize) -> Result<Snapshot, Error> {
        let snapshot = self.store.read(study, from)?;
        self.read.lock().unwrap().push(snapshot.entries.len());
        Ok(snapshot)
    }
    fn append(&self, study: &str, expected: usize, handout: &Handout<'_>) -> Result<Appended, Error> {
        if let Some(before) = self.before.lock().unwrap().take() {
            before();
        }
        self.store.append(study, expected, handout)
    }
    fn append_all(&self, study: &str, expected: usize, events: &[Event]) -> Result<Appended, Error> {
        self.store.append_all(study, expected, events)
    }
    fn report(&self, study: &str, event: &Event, attempt: Option<u32>, seen: usize) -> Result<Reported, Error> {
        self.store.report(study, event, attempt, seen)
    }
    fn extend(&self, study: &str, attempts: &[Attempt]) -> Result<Vec<Hold>, Error> {
        self.store.extend(study, attempts)
    }
    fn requeue(&self, study: &str, attempts: &[Attempt]) -> Result<(), Error> {
        self.store.requeue(study, attempts)
    }
    fn lose(&self, study: &str, attempts: &[Attempt]) -> Result<(), Error> {
        self.store.lose(study, attempts)
    }
    fn queue(&self, study: &str, ticket: Option<Ticket>, ttl: Duration) -> Result<Ticket, Error> {
        self.store.queue(study, ticket, ttl)
    }
    fn leave(&self, study: &str, ticket: Ticket) -> Result<(), Error> {
        self.store.leave(study, ticket)
    }
    fn pause(&self, study: &str, ttl: Option<Duration>) -> Result<(), Error> {
        self.store.pause(study, ttl)
    }
}

/// A study with a model: its design is done and observed.
fn modelled(bench: &Bench) -> SharedStudy {
    let mut study = bench.create(StudyConfig::new(grid()).initial(4).budget(30));
    for trial in study.ask(4).unwrap().trials {
        let x = trial.point().get("a").unwrap().as_f64().unwrap() - 7.0;
        study.tell(&trial, x * x).unwrap();
    }
    study
}

pub fn points_taken_meanwhile_are_avoided_without_another_fit(bench: &Bench) {
    let mut theirs = modelled(bench);
    let running = theirs.ask(1).unwrap().trials.remove(0);
    let before = theirs.study().events().len();
    let meanwhile = Meanwhile::new(bench.open(), move || {
        theirs.tell(&running, 1.0).unwrap();
        theirs.ask(2).unwrap();
    });
    let mut ours = SharedStudy::open(meanwhile, "study").unwrap();
    let handed = ours.ask(1).unwrap();
    assert_eq!(handed.trials[0].id(), TrialId(7));
    let Some(Event::Asked { provenance, .. }) = ours.study().events().last() else { panic!() };
    // It has read the new events, and kept the earlier model.
    assert_eq!(provenance.pending, [TrialId(5), TrialId(6)]);
    assert_eq!((provenance.revision, provenance.data_revision), (before + 2, before - 1));
    assert_sound(&ours);
    assert_eq!(verify(ours.study().events()).unwrap(), []);
}

pub fn failures_that_come_meanwhile_do_not_cost_a_choice_or_a_fit(bench: &Bench) {
    let mut theirs = modelled(bench);
    let mut running = theirs.ask(2).unwrap().trials.into_iter();
    let before = theirs.study().events().len();
    let (one, other) = (running.next().unwrap(), running.next().unwrap());
    // A failure alone: the points are as good as before.
    let meanwhile = Meanwhile::new(bench.open(), move || {
        theirs.fail(&one, "burst").unwrap();
    });
    let mut ours = SharedStudy::open(meanwhile, "study").unwrap();
    ours.ask(1).unwrap();
    let Some(Event::Asked { provenance, .. }) = ours.study().events().last() else { panic!() };
    assert_eq!((provenance.revision, provenance.data_revision), (before, before - 1));

    // Models learn from failures: the next choice takes it into account.
    let mut theirs = SharedStudy::open(bench.open(), "study").unwrap();
    let last = theirs.ask(1).unwrap().trials.remove(0);
    let Some(Event::Asked { provenance, .. }) = theirs.study().events().last() else { panic!() };
    assert_eq!(provenance.data_revision, before + 1);
    theirs.withdraw(&last).unwrap();

    // A failure and a point that was taken: the point is avoided, with the model from before the failure.
    let model_of = theirs.study().events().len();
    let meanwhile = Meanwhile::new(bench.open(), move || {
        theirs.fail(&other, "burst too").unwrap();
        theirs.ask(1).unwrap();
    });
    let mut ours = SharedStudy::open(meanwhile, "study").unwrap();
    ours.ask(1).unwrap();
    let Some(Event::Asked { provenance, .. }) = ours.study().events().last() else { panic!() };
    assert_eq!((provenance.revision, provenance.data_revision), (model_of + 2, before + 1));
    assert_sound(&ours);
    assert_eq!(verify(ours.study().events()).unwrap(), []);
}

pub fn results_that_come_meanwhile_do_not_cost_a_choice(bench: &Bench) {
    let mut theirs = modelled(bench);
    let running = theirs.ask(1).unwrap().trials.remove(0);
    let before = theirs.study().events().len();
    let meanwhile = Meanwhile::new(bench.open(), move || {
        theirs.tell(&running, 1.0).unwrap();
    });
    let mut ours = SharedStudy::open(meanwhile, "study").unwrap();
    ours.ask(1).unwrap();
    let Some(Event::Asked { provenance, .. }) = ours.study().events().last() else { panic!() };
    assert_eq!((provenance.revision, ours.study().events().len()), (before, before + 2));
    assert_eq!(verify(ours.study().events()).unwrap(), []);
}

pub fn a_worker_that_comes_back_just_in_time_keeps_its_trial(bench: &Bench) {
    let mut theirs = bench.create_brief(random(9));
    let silent = theirs.ask(1).unwrap().trials.remove(0);
    bench.pass(LONG);
    let meanwhile = Meanwhile::new(bench.open(), move || {
        assert!(matches!(theirs.stored().heartbeat(&[silent.attempt]).unwrap()[..], [Hold::Held(_)]));
    });
    let mut ours = SharedStudy::open(meanwhile, "study").unwrap();
    let handed = ours.ask(1).unwrap().trials.remove(0);
    assert_eq!(handed.attempt, Attempt::first(TrialId(1)));
}

pub fn the_queue_of_askers_has_an_order_and_forgets_the_dead(bench: &Bench) {
    let (mut ours, store) = (bench.create(random(9)), bench.open());
    let first = store.queue("study", None, TTL).unwrap();
    let second = store.queue("study", None, TTL * 10).unwrap();
    assert!(first < second);
    assert_eq!(store.read("study", 1).unwrap().queue, [first, second]);
    assert_eq!(store.queue("study", Some(first), TTL).unwrap(), first);

    // An asker without a place waits until those in front are gone; here the first dies and the second leaves.
    let waiter = std::thread::scope(|scope| {
        let waiter = scope.spawn(|| ours.ask(1).unwrap().trials.len());
        std::thread::sleep(Duration::from_millis(60));
        bench.pass(LONG);
        std::thread::sleep(Duration::from_millis(30));
        assert!(!waiter.is_finished());
        store.leave("study", second).unwrap();
        waiter.join().unwrap()
    });
    assert_eq!(waiter, 1);
    assert!(store.read("study", 1).unwrap().queue.is_empty());
}

pub fn a_pause_holds_for_all_who_ask_and_ends_with_whoever_made_it(bench: &Bench) {
    let (mut ours, store) = (bench.create(random(9)), bench.open());
    let mut theirs = SharedStudy::open(bench.open(), "study").unwrap().worker("theirs");
    let running = ours.ask(1).unwrap().trials.remove(0);
    // An asker is already waiting, and other studies of the store are not affected.
    let ticket = store.queue("study", None, LONG * 100).unwrap();
    store.create("other", &Event::Created { config: Box::new(random(9)) }).unwrap();
    let revision = ours.study().events().len();
    store.pause("study", Some(LONG)).unwrap();
    store.pause("study", Some(LONG)).unwrap();
    for study in [&mut ours, &mut theirs] {
        assert!(study.ask_unless_paused(1).unwrap().is_none() && study.stored().is_paused());
    }
    assert_eq!(store.read("study", revision).unwrap().entries.len(), 0, "a pause is no event");
    assert_eq!(store.queue("study", Some(ticket), LONG * 100).unwrap(), ticket);
    assert_eq!(SharedStudy::open(bench.open(), "other").unwrap().ask(1).unwrap().trials.len(), 1);
    // Results are still accepted.
    ours.tell(&running, 1.0).unwrap();
    store.leave("study", ticket).unwrap();
    store.pause("study", None).unwrap();
    assert_eq!(theirs.ask(1).unwrap().trials.len(), 1);
    assert!(!theirs.stored().is_paused());

    store.pause("study", Some(LONG)).unwrap();
    assert!(theirs.ask_unless_paused(1).unwrap().is_none());
    bench.pass(LONG * 2);
    assert_eq!(theirs.ask(1).unwrap().trials.len(), 1, "nobody said it again");
}

pub fn only_new_events_are_read(bench: &Bench) {
    let mut theirs = bench.create(random(50));
    let store = Meanwhile::new(bench.open(), || {});
    let mut ours = SharedStudy::open(store.clone(), "study").unwrap();
    for _ in 0..10 {
        let trial = theirs.ask(1).unwrap().trials.remove(0);
        theirs.tell(&trial, 1.0).unwrap();
        ours.ask(1).unwrap();
    }
    // One event when it was opened, and then each event once.
    assert_eq!(store.read.lock().unwrap().iter().sum::<usize>(), ours.study().events().len());
}

pub fn reports_in_any_order_and_number_mean_the_same(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create(random(9)), bench.join());
    let trials = ours.ask(4).unwrap().trials;
    let report = |i: usize| Tell::new(i as f64).request(format!("row {i}"));
    // Each at least once, some three times, from both sides, in mixed order.
    for i in [3, 1, 3, 0, 2, 1, 0, 3, 2] {
        let teller = if i % 2 == 0 { &mut ours } else { &mut theirs };
        teller.tell(trials[i].id(), report(i)).unwrap();
    }
    for (i, handed) in trials.iter().enumerate() {
        assert!(matches!(theirs.tell(handed, report(i)).unwrap(), Told::Repeated));
        let trial = theirs.study().trial(handed.id()).unwrap();
        assert_eq!((trial.value(), trial.measurements().len()), (Some(i as f64), 1));
    }
    assert_eq!(theirs.study().events().len(), 6);
}

pub fn a_clock_that_is_stepped_by_a_day_costs_no_result_and_no_more_than_a_lease(bench: &Bench) {
    // A database's clock cannot be set here.
    let Some(clock) = bench.clock() else { return };
    let day = 86_400_000;
    let (mut ours, mut theirs) = (bench.create(random(99)), bench.join());
    for step in [day, -day, -day, day] {
        let trials = ours.ask(2).unwrap().trials;
        clock.step(step);
        theirs.refresh().unwrap();
        // Whichever way the clock was set: at once, and so within one lease, they count as lost and are no longer
        // penalized.
        assert_eq!((theirs.counts().running, theirs.counts().queued), (0, 2));
        // A worker that is alive gets its trial back with its next sign of life.
        assert!(matches!(ours.stored().heartbeat(&[trials[0].attempt]).unwrap()[..], [Hold::Held(_)]));
        theirs.refresh().unwrap();
        assert_eq!((theirs.counts().running, theirs.counts().queued), (1, 1));
        assert_eq!(ours.tell(&trials[0], 1.0).unwrap(), Told::Recorded);
        assert_eq!(ours.tell(&trials[1], 2.0).unwrap(), Told::Late);
        // A dead asker from before the step does not hold up others.
        bench.open().queue("study", None, Duration::from_secs(10)).unwrap();
        clock.step(step);
    }
    assert_eq!(ours.counts().complete, 8);
}

pub fn a_heartbeat_thread_keeps_a_trial(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create_brief(random(9)), bench.join());
    let trials = ours.ask(2).unwrap().trials;
    let heartbeat = Heartbeat::start(bench.open(), "study", TTL / 20);
    heartbeat.hold(trials[0].attempt);
    for _ in 0..4 {
        bench.pass(LONG / 4);
        // Long enough for a beat of the thread, which uses the machine's clock.
        std::thread::sleep(TTL / 8);
    }
    theirs.refresh().unwrap();
    assert_eq!((theirs.counts().running, theirs.counts().queued), (1, 1));
    assert!(matches!(heartbeat.last(trials[0].attempt), Some(Hold::Held(_))));
    assert_eq!((heartbeat.last(trials[1].attempt), heartbeat.trouble()), (None, None));
    theirs.tell(&trials[0], 1.0).unwrap();
    std::thread::sleep(TTL / 8);
    assert_eq!(heartbeat.last(trials[0].attempt), Some(Hold::Ended));
    heartbeat.let_go(trials[0].attempt);
}

pub fn a_copy_is_the_same_log(bench: &Bench) {
    let mut study = bench.create(random(9));
    let trials = study.ask(3).unwrap().trials;
    study.tell(&trials[0], 0.1 + 0.2).unwrap();
    let to = crate::Memory::new();
    let copied = copy(&*bench.open(), "study", &to, "copied").unwrap();
    assert_eq!((copied.n_events, copied.digest), (3, study.stored().digest()));
    // And back, under another name; the leases came along.
    copy(&to, "copied", &*bench.open(), "back").unwrap();
    let back = SharedStudy::open(bench.open(), "back").unwrap();
    assert_eq!(back.study(), study.study());
    assert_eq!((back.stored().digest(), back.stored().times()), (study.stored().digest(), study.stored().times()));
    assert_eq!((back.stored().leases().count(), back.counts().running), (2, 2));
    assert!(matches!(copy(&to, "copied", &*bench.open(), "back"), Err(Error::Exists { .. })));
}

pub fn a_configuration_that_cannot_be_opened_is_not_let_in(bench: &Bench) {
    let store = bench.open();
    let refused = |config: StudyConfig| {
        let created = Event::Created { config: Box::new(config) };
        let text = serde_json::to_string(&created).unwrap();
        let at = Time(1);
        let entry = Entry { at, digest: Digest::EMPTY.then(at, &text), text };
        (store.create("study", &created).is_err(), store.import("study", &[entry], &[]).is_err())
    };
    assert_eq!(refused(random(9).initial(1_000_001)), (true, true));
    assert_eq!(refused(random(9).initial(0)), (true, true));
    assert!(store.studies().unwrap().is_empty());
}

pub fn a_budget_changes_for_everybody_and_never_falls_below_what_was_handed_out(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create(random(2)), bench.join());
    let first = ours.ask(9).unwrap();
    assert_eq!(first.trials.len(), 2);
    assert!(theirs.set_budget(Some(5)).unwrap());
    assert!(!ours.set_budget(Some(5)).unwrap());
    assert_eq!(ours.ask(9).unwrap().trials.len(), 3);
    let refused = theirs.set_budget(Some(4)).unwrap_err().to_string();
    assert!(refused.contains("5 were handed out"), "{refused}");
    ours.withdraw(&first.trials[0]).unwrap();
    assert!(theirs.set_budget(Some(4)).unwrap());
    assert_eq!(ours.ask(1).unwrap().trials.len(), 0);
    assert!(theirs.set_budget(None).unwrap());
    assert_eq!(ours.ask(9).unwrap().trials.len(), 9);
    let study = bench.join();
    assert_eq!(study.study().config().budget, None);
    assert_eq!(verify(study.study().events()).unwrap(), []);
}

pub fn a_budget_that_moves_while_workers_ask_is_never_overshot(bench: &Bench) {
    bench.create(random(1));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut study = bench.join();
                for _ in 0..12 {
                    study.ask(1).unwrap();
                }
            });
        }
        let mut study = bench.join();
        // Down as far as it goes, and up by three.
        for _ in 0..12 {
            study.refresh().unwrap();
            let handed = study.study().trials().len().max(1);
            let _ = study.set_budget(Some(handed));
            study.set_budget(Some(study.study().trials().len() + 3)).unwrap();
        }
    });
    let mut after = None;
    for event in bench.join().study().events() {
        match &mut after {
            None => after = Some(elbowroom::study::Study::replay([event.clone()]).unwrap()),
            Some(study) => {
                study.apply(event.clone()).unwrap();
                assert!(study.trials().len() <= study.config().budget.unwrap(), "{event:?}");
            }
        }
    }
}

pub fn many_events_are_appended_together_or_not_at_all(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create(random(9)), bench.join());
    let pending = theirs.ask(1).unwrap().trials.remove(0);
    let added = |number: u64, request: &str| Event::Added {
        trial: TrialId(number),
        point: Point::new().with("a", 3).with("b", number as i64),
        value: Some(0.5),
        noise: None,
        results: Watched::NONE,
        comment: None,
        request: Some(request.to_owned()),
    };
    let told = Tell::new(1.0).request("told").into_event(pending.id(), ours.study().outcomes()).unwrap();
    // Events that cannot follow, or that repeat a name, leave nothing behind.
    let store = bench.open();
    assert!(store.append_all("study", 2, &[added(1, "a"), added(2, "a")]).is_err());
    assert!(ours.append_all(|_| Ok::<_, Error>(vec![added(1, "a"), added(7, "b")])).is_err());
    assert_eq!(store.append_all("study", 1, &[added(1, "a")]).unwrap(), Appended::Newer(2));
    assert_eq!(store.read("study", 0).unwrap().entries.len(), 2);
    // All are appended, and the lease of the trial that was told has ended.
    let events = [added(1, "a"), told, added(2, "b")];
    assert_eq!(
        ours.append_all(|study| Ok::<_, Error>(if study.reported("a").is_some() { vec![] } else { events.to_vec() }))
            .unwrap(),
        3
    );
    theirs.refresh().unwrap();
    assert_eq!((theirs.counts().complete, theirs.stored().leases().count()), (3, 0));
    assert!(store.append_all("study", 5, &[added(3, "b")]).is_err());
}

pub fn places_are_remembered_by_everybody(bench: &Bench) {
    let mut study = bench.create(random(9));
    let trials = study.ask(2).unwrap().trials;
    let placed = |i: usize, well: &str| PlacedTrial { trial: trials[i].id(), well: well.to_owned() };
    study.place_trials(&[placed(0, "A1"), placed(1, "B7")]).unwrap();
    let revision = study.study().events().len();
    study.place_trials(&[placed(1, "B7")]).unwrap();
    assert_eq!(study.study().events().len(), revision);
    study.place_trials(&[placed(0, "H12")]).unwrap();
    let other = bench.join();
    assert_eq!((other.study().well(trials[0].id()), other.study().well(trials[1].id())), (Some("H12"), Some("B7")));
}

pub fn results_told_aside_leave_a_trial_with_its_worker(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create_brief(random(9).metric("loss")), bench.join());
    let handed = ours.ask(1).unwrap().trials.remove(0);
    let lease = |study: &mut SharedStudy| {
        study.refresh().unwrap();
        study.stored().leases().next().cloned()
    };
    let before = lease(&mut ours).unwrap();
    assert_eq!(theirs.tell(handed.id(), [("minutes", 12.0)]).unwrap(), Told::Aside);
    // The lease is neither ended nor renewed: only its worker says that it is alive.
    assert_eq!(lease(&mut ours), Some(before));
    assert!(matches!(ours.stored().heartbeat(&[handed.attempt]).unwrap()[..], [Hold::Held(_)]));
    assert_eq!((ours.counts().running, ours.counts().complete), (1, 0));
    let aside = Tell::new([("joules", 3.0)]).request("aside").into_event(handed.id(), ours.study().outcomes());
    let events = [aside.unwrap()];
    let plan = |study: &elbowroom::study::Study| match study.reported("aside") {
        None => Ok::<_, Error>(events.to_vec()),
        Some(_) => Ok(Vec::new()),
    };
    assert_eq!(theirs.append_all(plan).unwrap(), 1);
    assert!(lease(&mut ours).is_some());
    assert_eq!(ours.tell(&handed, [("loss", 0.3), ("minutes", 14.0)]).unwrap(), Told::Recorded);
    assert_eq!((lease(&mut ours), ours.counts().complete), (None, 1));
    let trial = ours.study().trial(handed.id()).unwrap();
    let results: Vec<(&str, f64)> = trial.results().collect();
    // 13 is the mean of 12 and 14.
    assert_eq!(results, [("loss", 0.3), ("minutes", 13.0), ("joules", 3.0)]);
    assert_eq!(ours.tell(&handed, [("kelvin", 300.0)]).unwrap(), Told::Aside);
}

pub fn results_told_aside_of_a_lost_trial_do_not_bring_it_back(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create_brief(random(9)), bench.join());
    let lost = ours.ask(1).unwrap().trials.remove(0);
    bench.pass(LONG);
    assert_eq!(ours.tell(&lost, [("minutes", 12.0)]).unwrap(), Told::Aside);
    assert_eq!(ours.counts().queued, 1);
    let retry = theirs.ask(1).unwrap().trials.remove(0);
    assert_eq!((retry.id(), retry.attempt.number), (lost.id(), 2));
    // Measurements of a worker that was given up are still valid.
    assert_eq!(ours.tell(&lost, [("joules", 1.0)]).unwrap(), Told::Aside);
    assert!(matches!(theirs.stored().heartbeat(&[retry.attempt]).unwrap()[..], [Hold::Held(_)]));
}

pub fn named_results_are_stored_once_and_copied_byte_by_byte(bench: &Bench) {
    let (mut ours, mut theirs) = (bench.create(random(9).metric("loss")), bench.join());
    let trials = ours.ask(3).unwrap().trials;
    let report = || Tell::new([("loss", f64::NAN), ("minutes", 3.0)]).request("r");
    assert_eq!(ours.tell(&trials[0], report()).unwrap(), Told::NotFinite);
    assert_eq!(theirs.tell(&trials[0], report()).unwrap(), Told::Repeated);
    let aside = || Tell::new([("minutes", 4.0)]).request("a");
    assert_eq!(theirs.tell(&trials[1], aside()).unwrap(), Told::Aside);
    assert_eq!(ours.tell(&trials[1], aside()).unwrap(), Told::Repeated);
    let point = Point::new().with("a", 1).with("b", 2);
    let added = ours.add(&point, [("loss", 1.0), ("minutes", 5.0)]).unwrap();
    assert_eq!((added.value(), added.result("minutes")), (Some(1.0), Some(5.0)));
    let failed = ours.add(&point, [("loss", f64::NAN), ("minutes", 6.0)]).unwrap();
    assert_eq!((failed.value(), failed.result("minutes")), (None, Some(6.0)));
    assert!(ours.tell(&trials[2], [("a", 1.0)]).unwrap_err().to_string().contains("name of a parameter"));

    let to = crate::Memory::new();
    let copied = copy(&*bench.open(), "study", &to, "copied").unwrap();
    assert_eq!(copied.digest, ours.stored().digest());
    let texts = |store: &dyn Store, name: &str| -> Vec<String> {
        store.read(name, 0).unwrap().entries.into_iter().map(|entry| entry.text).collect()
    };
    assert_eq!(texts(&to, "copied"), texts(&*bench.open(), "study"));
    assert_eq!(SharedStudy::open(Arc::new(to), "copied").unwrap().study(), ours.study());
}

pub fn results_told_aside_cost_no_choice_and_no_fit(bench: &Bench) {
    let mut ours = bench.create(StudyConfig::new(grid()));
    let mut plain = Study::new(StudyConfig::new(grid())).unwrap();
    for round in 0..4 {
        let (handed, trials) = (ours.ask(2).unwrap().trials, plain.ask(2).unwrap().trials);
        for (handed, trial) in handed.iter().zip(trials) {
            assert_eq!(handed.point(), &trial.point, "round {round}");
            let value = trial.id.0 as f64;
            bench.join().tell(handed.id(), [("minutes", value)]).unwrap();
            ours.tell(handed, [("joules", 1.0), ("value", value)]).unwrap();
            plain.tell(trial.id, value).unwrap();
        }
    }
    assert!(verify(ours.study().events()).unwrap().is_empty());
}
