//! A strategy explains a point by the score with which it chose it.

use std::collections::HashSet;

use elbowroom::batch::{
    AcquisitionKind, Adaptive, BatchSize, BatchStrategy, Believer, Beta, Chooser, HallucinatedUcb, Lie, LipschitzRule,
    LocalPenalization, Plain, Situation, StopRule, terms,
};
use elbowroom::chance::Chance;
use elbowroom::data::Dataset;
use elbowroom::domain::Domain;
use elbowroom::gp::{Hyperparameters, KernelKind, Metric, Posterior};
use elbowroom::linalg::Points;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, PointKey, SearchSpace, UnitPoint};
use elbowroom::study::StrategyConfig;

/// A model of twelve results in two coordinates, two points under way, and a chance of success.
struct Setting {
    domain: Domain<'static>,
    posterior: Posterior,
    pending: Vec<UnitPoint>,
    taken: HashSet<PointKey>,
    chance: Chance,
    stream: Stream,
}

impl Setting {
    fn new(seed: u64) -> Self {
        let mut draw = Stream::new(seed);
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap();
        // For as long as the test runs.
        let domain = Domain::whole(Box::leak(Box::new(space)));
        let x = Points::from_rows(2, (0..24).map(|_| draw.uniform()).collect()).unwrap();
        let succeeded: Vec<bool> = x.iter().map(|u| u[0] < 0.7).collect();
        let chance = Chance::learn(&x, &succeeded, &[Metric::Distance; 2]).unwrap().expect("some failed");
        let values = x.iter().map(|u| (5.0 * u[0]).sin() + (4.0 * u[1]).cos()).collect();
        let data = Dataset::new(x, values).unwrap();
        let hyper = Hyperparameters::new(KernelKind::Matern52, 1.0, vec![0.3, 0.4], 1e-3);
        let posterior = Posterior::new(&data, hyper).unwrap();
        let pending: Vec<UnitPoint> = (0..2).map(|_| domain.sample(&mut draw)).collect();
        let taken = pending.iter().map(|u| domain.key(u)).collect();
        Self { domain, posterior, pending, taken, chance, stream: Stream::new(seed) }
    }

    fn situation(&self, with_pending: bool, with_chance: bool) -> Situation<'_> {
        let pending = if with_pending { self.pending.as_slice() } else { &[] };
        let situation = Situation::new(&self.posterior, &self.domain, pending, &self.taken, &self.stream);
        Situation { chance: with_chance.then_some(&self.chance), ..situation }
    }
}

/// Every strategy, and settings that change what is explained.
fn strategies() -> Vec<StrategyConfig> {
    let mut all = StrategyConfig::all();
    let ucb = AcquisitionKind::Ucb { kappa: 2.0 };
    let local = LocalPenalization { lipschitz: LipschitzRule::Local, ..LocalPenalization::paper_ucb() };
    all.push(StrategyConfig::LocalPenalization(local));
    all.push(StrategyConfig::Plain(Plain { acquisition: ucb }));
    let beta = Beta::Srinivas { delta: 0.1 };
    all.push(StrategyConfig::HallucinatedUcb(HallucinatedUcb { beta, ..HallucinatedUcb::default() }));
    all.push(StrategyConfig::Believer(Believer { lie: Lie::Optimistic, ..Believer::default() }));
    all.push(StrategyConfig::Believer(Believer { acquisition: ucb, ..Believer::default() }));
    all.push(StrategyConfig::Believer(Believer { lie: Lie::Mix, ..Believer::default() }));
    let stop = StopRule::ScoreDrop { most: 50.0 };
    all.push(StrategyConfig::Adaptive(Adaptive { stop, ..Adaptive::default() }));
    all
}

fn for_every_case(mut test: impl FnMut(&StrategyConfig, &Situation<'_>, BatchSize)) {
    for seed in 0..3 {
        let setting = Setting::new(seed);
        for (with_pending, with_chance) in [(false, false), (true, false), (false, true), (true, true)] {
            let situation = setting.situation(with_pending, with_chance);
            for strategy in strategies() {
                test(&strategy, &situation, BatchSize::new(3).unwrap());
            }
        }
    }
}

#[test]
fn the_terms_of_every_strategy_add_up_to_the_score_it_chose_by() {
    let mut n_compared = std::collections::BTreeMap::new();
    for_every_case(|strategy, situation, q| {
        let name = strategy.name();
        let mut chooser = strategy.bind(situation, q).unwrap();
        for k in 0..q.get() {
            let Some(proposal) = chooser.propose().unwrap() else { break };
            let explanation = chooser.explain(&proposal.point);
            let sum = explanation.terms.iter().fold(0.0, |sum, term| sum + term.value);
            assert_eq!(sum.to_bits(), explanation.total.to_bits(), "{name}");
            assert!(!explanation.terms.is_empty(), "{name}");
            // A point that is taken because no other is free has no score.
            if let Some(score) = proposal.score.filter(|score| score.is_finite() && explanation.is_score) {
                let error = (explanation.total - score).abs();
                assert!(error <= 1e-9 * score.abs().max(1.0), "{name} point {k}: {score} {explanation:?}");
                *n_compared.entry(name.to_owned()).or_insert(0) += 1;
            }
            // A strategy that explains points by its score has a score for the points it proposes.
            assert!(!explanation.is_score || proposal.score.is_some(), "{name} point {k}: {explanation:?}");
            chooser.join(&proposal.point).unwrap();
        }
    });
    let without: Vec<_> = StrategyConfig::names().into_iter().filter(|name| !n_compared.contains_key(*name)).collect();
    assert_eq!(without, ["simulation_matching", "multipoint"]);
}

#[test]
fn a_chance_of_success_is_a_term_where_failures_are_known_and_nowhere_else() {
    for_every_case(|strategy, situation, q| {
        let mut chooser = strategy.bind(situation, q).unwrap();
        for _ in 0..2 {
            let Some(proposal) = chooser.propose().unwrap() else { break };
            let said = chooser.explain(&proposal.point);
            let has_chance = said.term(terms::LN_CHANCE).is_some() || said.term(terms::BY_CHANCE).is_some();
            assert_eq!(has_chance, situation.chance.is_some(), "{}: {said:?}", strategy.name());
            chooser.join(&proposal.point).unwrap();
        }
    });
}

#[test]
fn each_pending_or_joined_point_has_a_penalty_of_its_own() {
    let setting = Setting::new(1);
    let situation = setting.situation(true, false);
    for strategy in [
        StrategyConfig::LocalPenalization(LocalPenalization::penalized_only()),
        StrategyConfig::Adaptive(Adaptive { stop: StopRule::ScoreDrop { most: 50.0 }, ..Adaptive::default() }),
    ] {
        let mut chooser = strategy.bind(&situation, BatchSize::new(3).unwrap()).unwrap();
        for k in 0..3 {
            let proposal = chooser.propose().unwrap().unwrap();
            let said = chooser.explain(&proposal.point);
            let about: Vec<usize> = said.terms.iter().filter_map(|term| term.point).collect();
            assert_eq!(about, (0..2 + k).collect::<Vec<_>>(), "{}", strategy.name());
            let centers = chooser.penalizers();
            assert_eq!(centers.len(), 2 + k);
            assert_eq!(centers[0].center, setting.pending[0].to_vec());
            chooser.join(&proposal.point).unwrap();
        }
    }
}

#[test]
fn a_point_is_explained_alike_whether_those_before_it_were_proposed_or_only_joined() {
    let explained = |chooser: &dyn Chooser, u: &UnitPoint| chooser.explain(u).total;
    for_every_case(|strategy, situation, q| {
        let mut chooser = strategy.bind(situation, q).unwrap();
        let mut joined = strategy.bind(situation, q).unwrap();
        for k in 0..q.get() {
            let Some(proposal) = chooser.propose().unwrap() else { break };
            let u = &proposal.point;
            let (a, b) = (explained(chooser.as_ref(), u), explained(joined.as_ref(), u));
            assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{} point {k}: {a} {b}", strategy.name());
            chooser.join(u).unwrap();
            joined.join(u).unwrap();
        }
    });
}
