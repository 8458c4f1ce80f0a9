//! Spaces with a finite number of points: all points are scored if time allows.

use std::collections::HashSet;

use elbowroom::batch::{BatchSize, BatchStrategy, LocalPenalization, Situation};
use elbowroom::data::Dataset;
use elbowroom::domain::Domain;
use elbowroom::gp::{Hyperparameters, KernelKind, Metric, Posterior};
use elbowroom::linalg::Points;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, PointKey, SearchSpace};

/// By how much the best of all points is better than the proposed one, if this many points may be scored.
fn shortfall(seed: u64, score_all: u64) -> f64 {
    let categories = (0..4).map(|k| Parameter::category(format!("c{k}"), 0..9i64)).collect();
    let space = SearchSpace::new(categories).unwrap();
    let (domain, mut draw) = (Domain::whole(&space), Stream::new(seed));
    let mut x = Points::new(4);
    (0..40).for_each(|_| x.push(&domain.sample(&mut draw)));
    let taken: HashSet<PointKey> = x.iter().map(|u| domain.key(u)).collect();
    let y = (0..40).map(|_| draw.normal()).collect();
    let mut hyper = Hyperparameters::new(KernelKind::Matern52, 1.0, vec![0.7; 4], 1e-4);
    hyper.metric = vec![Metric::Mismatch; 4];
    let posterior = Posterior::new(&Dataset::new(x, y).unwrap(), hyper).unwrap();
    let stream = Stream::new(seed);
    let situation = Situation { score_all, ..Situation::new(&posterior, &domain, &[], &taken, &stream) };
    let strategy = LocalPenalization::penalized_only();
    let mut chooser = strategy.bind(&situation, BatchSize::new(1).unwrap()).unwrap();
    let proposed = chooser.propose().unwrap().unwrap().point;
    let free = domain.enumerate().unwrap().filter(|u| !taken.contains(&domain.key(u)));
    let best = free.map(|u| chooser.explain(&u).total).fold(f64::NEG_INFINITY, f64::max);
    best - chooser.explain(&proposed).total
}

#[test]
fn the_best_of_all_points_is_proposed_where_all_are_scored_and_sometimes_missed_where_they_are_not() {
    // 6,561 points; the panel and a single prediction differ by rounding.
    let missed = |score_all: u64| (0..12).filter(|seed| shortfall(*seed, score_all) > 1e-9).count();
    assert_eq!(missed(100_000), 0);
    assert!(missed(2000) > 0);
}
