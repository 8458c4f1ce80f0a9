//! The log of a study that many trials went into, written without choosing their points.

use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{AskedTrial, Event, InitialDesign, Source, Study, StudyConfig, TrialId, Watched};
use elbowroom_store::{Digest, Entry, Time};

/// Parameters of every study here.
const DIM: usize = 6;

/// Six numbers.
pub fn config() -> StudyConfig {
    let floats = (0..DIM).map(|i| Parameter::float(format!("x{i}"), -5.0, 5.0)).collect();
    StudyConfig::new(SearchSpace::new(floats).unwrap())
}

/// Something smooth to measure.
pub fn objective(point: &Point) -> f64 {
    point.iter().filter_map(|(_, value)| value.as_f64()).map(|x| (x - 1.0) * (x - 1.0) + (2.0 * x).sin()).sum()
}

/// The stored log of a study of so many trials, each asked for and told. Its design goes on for long.
pub fn entries(n_trials: usize) -> Vec<Entry> {
    log_of(n_trials, config().design(InitialDesign::Uniform).initial(1_000_000))
}

/// The same, where asks are past the design.
pub fn with_a_short_design(n_trials: usize) -> Vec<Entry> {
    log_of(n_trials, config())
}

fn log_of(n_trials: usize, config: StudyConfig) -> Vec<Entry> {
    let mut log = Log::default();
    log.push(&Event::Created { config: Box::new(config) });
    let Event::Asked { wanted, provenance, .. } = asked_with_a_model() else { unreachable!("an ask") };
    for id in 0..n_trials {
        let trial = TrialId(id as u64);
        let point = (0..DIM).fold(Point::new(), |point, i| point.with(format!("x{i}"), coordinate(id, i)));
        let mut provenance = provenance.clone();
        (provenance.revision, provenance.data_revision) = (log.entries.len(), log.entries.len());
        provenance.design_next = id as u64 + 1;
        let value = objective(&point);
        let trials = vec![AskedTrial { id: trial, point, source: Source::Model }];
        let request = Some(format!("ask {id:026x}"));
        log.push(&Event::Asked { wanted, trials, again: Vec::new(), shortfall: None, request, provenance });
        let request = Some(format!("tell {id:025x}"));
        log.push(&Event::Told {
            trial,
            value,
            noise: None,
            results: Watched::NONE,
            comment: None,
            correction: false,
            late: false,
            request,
        });
    }
    log.entries
}

/// A real one, for its record.
fn asked_with_a_model() -> Event {
    let mut study = Study::new(config()).unwrap();
    for _ in 0..30 {
        let trial = study.ask(1).unwrap().trials.remove(0);
        study.tell(trial.id, objective(&trial.point)).unwrap();
    }
    study.ask(1).unwrap();
    study.events().last().unwrap().clone()
}

/// Spread over the range, no two alike.
fn coordinate(trial: usize, i: usize) -> f64 {
    10.0 * ((trial + 1) as f64 * (i as f64 + 2.0).sqrt()).fract() - 5.0
}

/// Entries, chained.
#[derive(Default)]
struct Log {
    entries: Vec<Entry>,
}

impl Log {
    fn push(&mut self, event: &Event) {
        let before = self.entries.last().map_or(Digest::EMPTY, |entry| entry.digest);
        let (at, text) = (Time(1_700_000_000_000 + self.entries.len() as i64), serde_json::to_string(event).unwrap());
        self.entries.push(Entry { at, digest: before.then(at, &text), text });
    }
}
