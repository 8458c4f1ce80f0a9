//! The model of a study, with the acquisition and the penalizers of what is pending: what its pictures are taken through.

use std::collections::HashSet;
use std::sync::Arc;

use elbowroom::acquisition::LogAcquisition;
use elbowroom::batch::{BatchSize, BatchStrategy, LocalPenalization, Situation};
use elbowroom::domain::Domain;
use elbowroom::error::{Error, Result};
use elbowroom::gp::{Posterior, Scratch};
use elbowroom::penalty::{Ball, Penalizer, PenalizerKind};
use elbowroom::rng::Stream;
use elbowroom::space::UnitPoint;
use elbowroom::study::{Model, StrategyConfig, Trial};

use crate::scene::Scene;

/// The least standard deviation of a pending point, in prior standard deviations: below it lies rounding.
const LEAST_SD: f64 = 1e-6;

/// A study seen through its model.
pub struct Lens<'a> {
    /// The study.
    pub scene: &'a Scene<'a>,
    /// The model of its results.
    pub model: Arc<Model>,
    /// The trials that push others away.
    pub pending: Vec<&'a Trial>,
    /// The penalizer around each of them; none if the strategy has no penalizers.
    pub balls: Vec<Ball>,
    penalty: Option<Penalty>,
    acquisition: Box<dyn LogAcquisition>,
    /// The model once the pending results are in; none if that does not lower the acquisition.
    after: Option<Posterior>,
}

/// What the lens shows at one point, in the user's units; acquisitions as logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// What the model expects.
    pub mean: f64,
    /// How sure it is: the standard deviation.
    pub sd: f64,
    /// The acquisition of the results alone.
    pub ln_before: f64,
    /// The acquisition with all that is pending.
    pub ln_after: f64,
}

impl<'a> Lens<'a> {
    /// Fits the model if that was not done yet. Fails where there is none to fit.
    pub fn new(scene: &'a Scene<'a>) -> Result<Self> {
        let study = scene.study;
        if study.space().dim() == 0 {
            return Err(Error::space("no parameter has more than one value", "search at least one"));
        }
        if study.n_observed() < 2 {
            return Err(Error::data("a model needs two results at least", "run more trials first"));
        }
        let model = study.model()?;
        let (own, penalizes) = match &study.config().strategy {
            StrategyConfig::LocalPenalization(own) => (own.clone(), own.penalizer.is_some()),
            _ => (LocalPenalization { shrink: false, ..LocalPenalization::default() }, false),
        };
        let pending: Vec<&Trial> = scene.pending().collect();
        let penalty = if penalizes { Penalty::of(scene, &model, &own, &pending)? } else { None };
        let around = |trial: &&Trial| penalty.map(|penalty| penalty.around(&model, &trial.unit));
        let balls = pending.iter().filter_map(around).collect();
        let after = own.shrink.then(|| model.posterior.with_phantoms(pending.iter().map(|trial| &trial.unit[..])));
        let acquisition = own.acquisition.bind(&model.posterior);
        Ok(Self { scene, model, pending, balls, penalty, acquisition, after })
    }

    /// What stands at a unit point.
    pub fn at(&self, unit: &[f64], scratch: &mut Scratch) -> Seen {
        let goal = self.scene.study.config().goal;
        let p = self.after.as_ref().unwrap_or(&self.model.posterior).predict_value(unit, scratch);
        let sd = p.variance.sqrt().max(f64::MIN_POSITIVE);
        let outcome = &self.model.outcome;
        let width = 0.5 * (outcome.decode(p.mean + sd) - outcome.decode(p.mean - sd)).abs();
        let before = self.acquisition.ln_score(p.mean, sd).value;
        let pushed: f64 = self.balls.iter().map(|ball| ball.ln_value(&self.model.posterior, unit)).sum();
        let shrunk = if self.after.is_some() { 0.5 * (p.variance_after / p.variance).ln() } else { 0.0 };
        let mean = goal.maximized(outcome.decode(p.mean));
        Seen { mean, sd: width, ln_before: before, ln_after: before + pushed + shrunk }
    }

    /// Lets one more point push others away, as if it were pending.
    pub fn push(&mut self, unit: &[f64]) {
        self.balls.extend(self.penalty.map(|penalty| penalty.around(&self.model, unit)));
        let after = self.after.take().unwrap_or_else(|| self.model.posterior.clone());
        self.after = Some(after.with_phantoms([unit]));
    }

    /// The unit point that pictures go through: the recommended one.
    pub fn center(&self) -> Result<UnitPoint> {
        let study = self.scene.study;
        match study.recommended() {
            Some(found) => study.space().encode(&found.point),
            None => Ok(UnitPoint::clamped(vec![0.5; study.space().dim()])),
        }
    }
}

/// What all penalizers share: the Lipschitz constant and the maximum that the strategy would use now.
#[derive(Debug, Clone, Copy)]
struct Penalty {
    kind: PenalizerKind,
    lipschitz: f64,
    best: f64,
}

impl Penalty {
    fn of(scene: &Scene<'_>, model: &Model, own: &LocalPenalization, pending: &[&Trial]) -> Result<Option<Self>> {
        let Some(kind) = own.penalizer else { return Ok(None) };
        let study = scene.study;
        let units: Vec<UnitPoint> = pending.iter().map(|trial| trial.unit.clone()).collect();
        let taken: HashSet<_> = study.trials().iter().map(|trial| study.space().key(&trial.unit)).collect();
        let stream = Stream::new(study.config().seed).child("picture", study.events().len() as u64);
        let posterior = &model.posterior;
        let domain = Domain::whole(study.space());
        let situation = Situation::new(posterior, &domain, &units, &taken, &stream);
        let info = own.choose(&situation, BatchSize::new(1)?)?.info;
        Ok(info.lipschitz.zip(info.maximum).map(|(lipschitz, best)| Self { kind, lipschitz, best }))
    }

    fn around(self, model: &Model, unit: &[f64]) -> Ball {
        let Self { kind, lipschitz, best } = self;
        let p = model.posterior.predict(unit);
        let sd = p.variance.sqrt().max(LEAST_SD * model.posterior.hyper().variance.sqrt());
        Ball { center: unit.to_vec(), penalizer: Penalizer { kind, lipschitz, best, mean: p.mean, sd } }
    }
}
