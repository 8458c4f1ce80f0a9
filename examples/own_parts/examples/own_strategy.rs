//! A batch strategy of your own: `cargo run -p own-parts --example own_strategy`.
//!
//! It draws candidates, ranks them by the posterior's mean and deviation, and keeps the points of a batch apart by
//! counting each as measured at the posterior's mean as soon as it joins, which shrinks the deviation around it.

use std::collections::HashSet;

use elbowroom::batch::{BatchInfo, BatchSize, BatchStrategy, Chooser, Explanation, Proposal, Situation, Term};
use elbowroom::error::{Error, Result};
use elbowroom::gp::Posterior;
use elbowroom::space::{Parameter, PointKey, SearchSpace, UnitPoint};
use elbowroom::study::{PartId, PartSettings, Parts, StrategyConfig, Study, StudyConfig, verify_with};

/// The part's name and version, as they stand in a log.
fn part_id() -> Result<PartId> {
    PartId::new("acme/greedy", "1")
}

/// The strategy, with one setting.
#[derive(Debug)]
struct Greedy {
    /// How many deviations a point is worth more for being unknown.
    kappa: f64,
}

impl Greedy {
    /// From the settings in a configuration: what it does not know it refuses.
    fn new(settings: &PartSettings) -> Result<Self> {
        if let Some(unknown) = settings.keys().find(|key| *key != "kappa") {
            return Err(Error::config(format!("there is no setting `{unknown}`"), "take `kappa`"));
        }
        let kappa = settings.get("kappa").map_or(Some(2.0), |value| value.as_f64());
        kappa.map(|kappa| Self { kappa }).ok_or_else(|| Error::config("`kappa` is not a number", "give a number"))
    }
}

impl BatchStrategy for Greedy {
    fn bind<'a>(&'a self, situation: &'a Situation<'a>, _: BatchSize) -> Result<Box<dyn Chooser + 'a>> {
        // Random numbers come from the situation's stream, so that a replay draws the same ones.
        let mut stream = situation.stream.child("acme/greedy", 0);
        let candidates = (0..500).filter_map(|_| situation.domain.sample_feasible(&mut stream, 100)).collect();
        let posterior = situation.posterior.with_phantoms(situation.pending.iter().map(UnitPoint::as_slice));
        Ok(Box::new(Bound { kappa: self.kappa, situation, candidates, posterior, joined: HashSet::new(), n_scored: 0 }))
    }

    fn validate(&self) -> Result<()> {
        if self.kappa.is_finite() {
            return Ok(());
        }
        Err(Error::config(format!("kappa is {}", self.kappa), "give a finite number"))
    }
}

/// The strategy in a situation.
struct Bound<'a> {
    kappa: f64,
    situation: &'a Situation<'a>,
    candidates: Vec<UnitPoint>,
    /// Given the results, with pending and joined points as phantoms.
    posterior: Posterior,
    joined: HashSet<PointKey>,
    n_scored: usize,
}

impl Bound<'_> {
    fn score(&self, u: &[f64]) -> f64 {
        self.explain(u).total
    }

    /// Points are proposed once, and not beside failed ones.
    fn is_free(&self, u: &UnitPoint) -> bool {
        let (situation, key) = (self.situation, self.situation.domain.key(u));
        !situation.taken.contains(&key)
            && !self.joined.contains(&key)
            && !situation.tried.is_beside_failure(situation.domain.space(), u)
    }
}

impl Chooser for Bound<'_> {
    fn propose(&mut self) -> Result<Option<Proposal>> {
        self.n_scored += self.candidates.len();
        let free = self.candidates.iter().filter(|u| self.is_free(u));
        let scored = free.map(|u| (self.score(u), u));
        let best = scored.max_by(|a, b| a.0.total_cmp(&b.0));
        Ok(best.map(|(score, point)| Proposal { point: point.clone(), score: Some(score) }))
    }

    fn join(&mut self, u: &UnitPoint) -> Result<()> {
        self.joined.insert(self.situation.domain.key(u));
        self.posterior = self.posterior.with_phantoms([u.as_slice()]);
        Ok(())
    }

    fn explain(&self, u: &[f64]) -> Explanation {
        let predicted = self.posterior.predict(u);
        let term = |name: &'static str, value| Term { name: name.into(), value, point: None };
        let mut terms =
            vec![term("mean", predicted.mean), term("kappa deviations", self.kappa * predicted.variance.sqrt())];
        if let Some(chance) = self.situation.chance {
            terms.push(term("ln success", chance.ln_p(u)));
        }
        Explanation::new(terms, true)
    }

    fn info(&self) -> BatchInfo {
        BatchInfo { evaluations: self.n_scored, ..BatchInfo::default() }
    }
}

fn main() -> Result<()> {
    let parts = Parts::new().with_strategy(part_id()?, Greedy::new);
    let space = SearchSpace::new(vec![Parameter::float("x", -2.0, 2.0), Parameter::float("y", -2.0, 2.0)])?;
    let settings = PartSettings::from([("kappa".to_owned(), 1.5.into())]);
    let strategy = StrategyConfig::Foreign { part: part_id()?, settings };
    let mut study = Study::with(StudyConfig::new(space).seed(1).strategy(strategy), &parts)?;
    for _ in 0..6 {
        for trial in study.ask(4)?.trials {
            let at = |name: &str| trial.point.get(name).and_then(|value| value.as_f64()).unwrap_or(f64::NAN);
            study.tell(trial.id, (at("x") - 0.5).powi(2) + (at("y") + 1.0).powi(2))?;
        }
    }
    let best = study.best().and_then(|trial| trial.value()).unwrap_or(f64::INFINITY);
    println!("the best of {} values is {best:.4}", study.n_observed());
    assert!(best < 0.05, "{best}");

    // The log names the part; with it, every choice can be made again.
    assert!(verify_with(study.events(), &parts)?.is_empty());
    // Without it, a study can be read and told, and says what it lacks when it is asked.
    let read = Study::replay(study.events().to_vec())?;
    assert_eq!(read.best(), study.best());
    println!("{}", read.suggest(1).unwrap_err());
    Ok(())
}

#[test]
fn a_strategy_of_another_crate_searches_and_replays() {
    main().unwrap();
}
