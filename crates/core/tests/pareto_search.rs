//! The search for a front of several objectives, as a strategy.

use std::collections::HashSet;

use elbowroom::batch::{
    Aims, BatchSize, BatchStrategy, Limit, Measured, Objective, ParetoSearch, ShareRule, Situation, terms,
};
use elbowroom::chance::Chance;
use elbowroom::data::Dataset;
use elbowroom::domain::Domain;
use elbowroom::gp::{Hyperparameters, KernelKind, Metric, Posterior};
use elbowroom::linalg::Points;
use elbowroom::pareto::hypervolume;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, PointKey, SearchSpace, UnitPoint};

/// Two objectives that disagree, and a third result that is 1 at one corner and falls from there.
fn truth(u: &[f64]) -> [f64; 3] {
    let to = |a: f64, b: f64| -((u[0] - a).powi(2) + (u[1] - b).powi(2));
    [to(0.2, 0.3), to(0.8, 0.6), 1.0 + to(1.0, 1.0)]
}

/// Results at some points of a space of two numbers, with a model of each.
struct Setting {
    space: SearchSpace,
    points: Vec<Vec<f64>>,
    posteriors: Vec<Posterior>,
    chance: Chance,
}

impl Setting {
    fn new(space: SearchSpace, seed: u64, n: usize) -> Self {
        let mut draw = Stream::new(seed);
        let domain = Domain::whole(&space);
        let points: Vec<Vec<f64>> =
            (0..n).map(|_| domain.sample_feasible(&mut draw, 1000).expect("a feasible point").to_vec()).collect();
        Self::with(space, points)
    }

    fn with(space: SearchSpace, points: Vec<Vec<f64>>) -> Self {
        let x = Points::from_rows(2, points.concat()).unwrap();
        let model = |k: usize| {
            let data = Dataset::new(x.clone(), points.iter().map(|u| truth(u)[k]).collect()).unwrap();
            let hyper = Hyperparameters::new(KernelKind::Matern52, 0.3, vec![0.5, 0.6 + 0.1 * k as f64], 1e-8);
            Posterior::new(&data, hyper).unwrap()
        };
        let succeeded: Vec<bool> = (0..points.len()).map(|i| i > 0).collect();
        let chance = Chance::learn(&x, &succeeded, &[Metric::Distance; 2]).unwrap().expect("one failed");
        Self { space, posteriors: (0..3).map(model).collect(), points, chance }
    }

    fn plain(seed: u64, n: usize) -> Self {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]);
        Self::new(space.unwrap(), seed, n)
    }

    /// Two objectives, with a lower limit on the third result if one is given.
    fn aims(&self, at_least: Option<f64>) -> Aims<'_> {
        let [first, second, third] = &self.posteriors[..] else { unreachable!() };
        let limit = |at_least| Limit { posterior: third, at_least, at_most: f64::INFINITY };
        let measured = self.points.iter().map(|point| {
            let y = truth(point);
            Measured { point, values: y[..2].to_vec(), limited: at_least.iter().map(|_| y[2]).collect() }
        });
        Aims {
            objectives: [first, second].map(|posterior| Objective { posterior, reference: Some(-0.8) }).to_vec(),
            limits: at_least.into_iter().map(limit).collect(),
            measured: measured.collect(),
            ..Aims::default()
        }
    }

    fn taken(&self) -> HashSet<PointKey> {
        self.points.iter().map(|u| self.space.key(u)).collect()
    }
}

fn rules() -> Vec<ParetoSearch> {
    let mut all = Vec::new();
    for (believe, penalize) in [(false, false), (true, false), (false, true), (true, true)] {
        for share in [None, Some(ShareRule::Sum), Some(ShareRule::Least), Some(ShareRule::Mean)] {
            all.push(ParetoSearch { believe, share, penalize });
        }
    }
    all
}

/// Every rule with and without limits, failures and points under way.
fn for_every_case(mut test: impl FnMut(&ParetoSearch, &Situation<'_>)) {
    let setting = Setting::plain(3, 12);
    let (domain, stream) = (Domain::whole(&setting.space), Stream::new(9));
    let mut draw = Stream::new(10);
    let pending: Vec<UnitPoint> = (0..2).map(|_| domain.sample(&mut draw)).collect();
    let mut taken = setting.taken();
    taken.extend(pending.iter().map(|u| domain.key(u)));
    for at_least in [None, Some(0.3), Some(5.0)] {
        let aims = setting.aims(at_least);
        for (with_pending, with_chance) in [(false, false), (true, false), (true, true)] {
            let pending = if with_pending { pending.as_slice() } else { &[] };
            let situation = Situation::new(&setting.posteriors[0], &domain, pending, &taken, &stream);
            let chance = with_chance.then_some(&setting.chance);
            let situation = Situation { chance, aims: Some(&aims), ..situation };
            rules().iter().for_each(|rule| test(rule, &situation));
        }
    }
}

#[test]
fn the_terms_of_a_point_for_a_front_add_up_to_the_score_it_was_chosen_by() {
    let mut n_compared = 0;
    for_every_case(|rule, situation| {
        let mut chooser = rule.bind(situation, BatchSize::new(3).unwrap()).unwrap();
        for _ in 0..3 {
            let proposal = chooser.propose().unwrap().expect("a point");
            let said = chooser.explain(&proposal.point);
            let sum = said.terms.iter().fold(0.0, |sum, term| sum + term.value);
            assert!(said.is_score && said.is_log());
            assert_eq!(sum.to_bits(), said.total.to_bits());
            let score = proposal.score.expect("a score");
            assert!((said.total - score).abs() <= 1e-9 * score.abs().max(1.0), "{rule:?}: {score} {said:?}");
            assert_eq!(said.term(terms::LN_CHANCE).is_some(), situation.chance.is_some());
            let has_limits = situation.aims.is_some_and(|aims| !aims.limits.is_empty());
            assert_eq!(said.term(terms::LN_LIMITS).is_some(), has_limits);
            chooser.join(&proposal.point).unwrap();
            n_compared += 1;
        }
    });
    assert_eq!(n_compared, 3 * 3 * 3 * 16);
}

#[test]
fn points_for_a_front_are_new_and_apart_from_each_other() {
    for_every_case(|rule, situation| {
        let batch = rule.choose(situation, BatchSize::new(6).unwrap()).unwrap();
        assert_eq!(batch.points.len(), 6);
        for (i, a) in batch.points.iter().enumerate() {
            assert!(!situation.taken.contains(&situation.domain.key(a)), "{rule:?}");
            let apart = |b: &UnitPoint| a.iter().zip(b.iter()).any(|(a, b)| (a - b).abs() > 1e-4);
            assert!(batch.points[..i].iter().chain(situation.pending).all(apart), "{rule:?}: {:?}", batch.points);
        }
    });
}

#[test]
fn a_front_of_one_objective_is_refused() {
    let setting = Setting::plain(1, 6);
    let (domain, taken, stream) = (Domain::whole(&setting.space), setting.taken(), Stream::new(0));
    let situation = Situation::new(&setting.posteriors[0], &domain, &[], &taken, &stream);
    let error = ParetoSearch::default().choose(&situation, BatchSize::new(1).unwrap()).unwrap_err();
    assert!(error.to_string().contains("one objective"), "{error}");
}

#[test]
fn a_search_for_a_front_keeps_to_grids_and_constraints() {
    let parameters = vec![Parameter::int("x", 0, 20), Parameter::float("y", 0.0, 1.0)];
    let space = SearchSpace::new(parameters).unwrap().with_constraints(["x + 20 * y <= 22"]).unwrap();
    let setting = Setting::new(space, 4, 10);
    let (domain, taken, stream) = (Domain::whole(&setting.space), setting.taken(), Stream::new(2));
    let aims = setting.aims(None);
    let situation = Situation::new(&setting.posteriors[0], &domain, &[], &taken, &stream);
    let situation = Situation { aims: Some(&aims), ..situation };
    let batch = ParetoSearch::default().choose(&situation, BatchSize::new(8).unwrap()).unwrap();
    assert_eq!(batch.points.len(), 8);
    for u in &batch.points {
        let mut snapped = u.to_vec();
        domain.snap(&mut snapped);
        assert!(snapped == u.to_vec() && domain.is_feasible(u), "{u:?}");
    }
}

/// While nothing is feasible, the search is for feasible points: the model knows the third result, which is largest in
/// a corner.
#[test]
fn while_nothing_keeps_the_limits_the_search_goes_where_they_are_likely_kept() {
    let setting = Setting::plain(6, 20);
    let (domain, taken, stream) = (Domain::whole(&setting.space), setting.taken(), Stream::new(2));
    // Larger than at any measured point, but reached in the corner.
    let largest = setting.points.iter().map(|u| truth(u)[2]).fold(f64::NEG_INFINITY, f64::max);
    let at_least = 0.5 * (largest + 1.0);
    let aims = setting.aims(Some(at_least));
    let situation = Situation::new(&setting.posteriors[0], &domain, &[], &taken, &stream);
    let situation = Situation { aims: Some(&aims), ..situation };
    let batch = ParetoSearch::default().choose(&situation, BatchSize::new(1).unwrap()).unwrap();
    assert!(truth(&batch.points[0])[2] >= at_least, "{:?}", batch.points);
}

/// The front of these objectives is the segment between their optima: points that a search adds are near it.
#[test]
fn a_search_finds_more_volume_than_points_at_random() {
    let volume = |points: &[Vec<f64>]| {
        let values: Vec<Vec<f64>> = points.iter().map(|u| truth(u)[..2].to_vec()).collect();
        hypervolume(&values, &[-0.8, -0.8])
    };
    let nothing = ParetoSearch { believe: false, share: None, penalize: false };
    for rule in rules().into_iter().filter(|rule| *rule != nothing) {
        let mut setting = Setting::plain(8, 6);
        let random: Vec<Vec<f64>> = Setting::plain(8, 26).points;
        for round in 0..4 {
            let stream = Stream::new(round);
            let (domain, taken, aims) = (Domain::whole(&setting.space), setting.taken(), setting.aims(None));
            let situation = Situation::new(&setting.posteriors[0], &domain, &[], &taken, &stream);
            let situation = Situation { aims: Some(&aims), ..situation };
            let batch = rule.choose(&situation, BatchSize::new(5).unwrap()).unwrap();
            let mut points = setting.points.clone();
            points.extend(batch.points.iter().map(|u| u.to_vec()));
            setting = Setting::with(setting.space.clone(), points);
        }
        // Points along the segment, as dense as possible.
        let whole: Vec<Vec<f64>> =
            (0..=1000).map(|i| i as f64 / 1000.0).map(|t| vec![0.2 + 0.6 * t, 0.3 + 0.3 * t]).collect();
        let (found, by_chance, best) = (volume(&setting.points), volume(&random), volume(&whole));
        assert!(best - found < 0.5 * (best - by_chance), "{rule:?}: {found} {by_chance} {best}");
    }
}
