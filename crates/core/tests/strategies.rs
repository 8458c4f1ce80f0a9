//! Every batch strategy: its behaviour with one point, its invariants, and where two of them agree.

use std::collections::HashSet;

use elbowroom::acquisition::{LogAcquisition, q_expected_improvement};
use elbowroom::batch::{
    AcquisitionKind, Adaptive, Batch, BatchSize, BatchStrategy, Believer, Beta, Candidates, HallucinatedUcb, Lie,
    LocalPenalization, Plain, PureExploration, RandomRest, Refit, RegionRule, SimulationMatching, Situation, StopRule,
    Thompson, best_mean_at_data,
};
use elbowroom::data::Dataset;
use elbowroom::domain::Domain;
use elbowroom::gp::{Hyperparameters, KernelKind, Metric, Noise, Posterior};
use elbowroom::linalg::Points;
use elbowroom::normal;
use elbowroom::rng::Stream;
use elbowroom::space::{Dimension, Parameter, PointKey, SearchSpace, UnitPoint};
use elbowroom::study::{StrategyConfig, Study, StudyConfig, verify};
use proptest::prelude::*;

const UCB: AcquisitionKind = AcquisitionKind::Ucb { kappa: 2.0 };

fn floats(d: usize) -> SearchSpace {
    SearchSpace::new((0..d).map(|k| Parameter::float(format!("x{k}"), -1.0, 3.0)).collect()).unwrap()
}

fn lattice() -> SearchSpace {
    SearchSpace::new(vec![Parameter::int("i", 0, 11), Parameter::int("j", 0, 9), Parameter::category("c", ["a", "b"])])
        .unwrap()
}

/// A posterior of n observations at random feasible points of a space.
fn posterior(space: &SearchSpace, n: usize, lengthscale: f64, noise: f64, seed: u64) -> Posterior {
    let mut s = Stream::new(seed).child("posterior", 0);
    let mut x = Points::new(space.dim());
    for _ in 0..n {
        x.push(&space.sample_feasible(&mut s, 10_000).unwrap());
    }
    let y = (0..n).map(|_| s.normal()).collect();
    let metric = space.dimensions().iter().map(|dimension| match dimension {
        Dimension::Category { .. } => Metric::Mismatch,
        _ => Metric::Distance,
    });
    let hyper = Hyperparameters {
        kernel: [KernelKind::Matern52, KernelKind::Rbf][seed as usize % 2].into(),
        variance: 1.0,
        lengthscales: (0..space.dim()).map(|_| lengthscale * (0.7 + 0.6 * s.uniform())).collect(),
        noise: Noise::Equal(noise),
        mean: 0.0,
        metric: metric.collect(),
        described: Vec::new(),
    };
    Posterior::new(&Dataset::new(x, y).unwrap(), hyper).unwrap()
}

fn observed_keys(space: &SearchSpace, gp: &Posterior) -> HashSet<PointKey> {
    gp.observed().map(|x| space.key(x)).collect()
}

fn choose(
    strategy: &dyn BatchStrategy,
    space: &SearchSpace,
    gp: &Posterior,
    pending: &[UnitPoint],
    q: usize,
    seed: u64,
) -> Batch {
    let mut taken = observed_keys(space, gp);
    taken.extend(pending.iter().map(|u| space.key(u)));
    let stream = Stream::new(seed);
    let domain = Domain::whole(space);
    let situation = Situation::new(gp, &domain, pending, &taken, &stream);
    strategy.choose(&situation, BatchSize::new(q).unwrap()).unwrap()
}

fn some_points(space: &SearchSpace, n: usize, seed: u64) -> Vec<UnitPoint> {
    let mut draw = Stream::new(seed).child("pending", 0);
    (0..n).map(|_| space.sample_feasible(&mut draw, 10_000).unwrap()).collect()
}

/// The points of a finite space that are neither observed nor in `gone`.
fn free(space: &SearchSpace, gp: &Posterior, gone: &[UnitPoint]) -> Vec<UnitPoint> {
    let mut taken = observed_keys(space, gp);
    taken.extend(gone.iter().map(|u| space.key(u)));
    Domain::whole(space)
        .enumerate()
        .unwrap()
        .filter(|u| space.is_feasible(u) && !taken.contains(&space.key(u)))
        .collect()
}

/// The maximizer of a score, found by trying all points.
fn best_of(points: Vec<UnitPoint>, score: impl Fn(&[f64]) -> f64) -> UnitPoint {
    points.into_iter().max_by(|a, b| score(a).total_cmp(&score(b))).unwrap()
}

fn grid(n: usize) -> Candidates {
    Candidates::Grid { n: n.try_into().unwrap(), seed: 3 }
}

fn simulations(n: usize) -> SimulationMatching {
    SimulationMatching { simulations: n.try_into().ok(), ..SimulationMatching::default() }
}

/// The joint expected improvement of some points, by draws that are the same for the first of many points as for a few.
fn drawn_improvement(gp: &Posterior, points: &[UnitPoint]) -> f64 {
    if points.is_empty() {
        return 0.0;
    }
    let mut at = Points::new(gp.dim());
    points.iter().for_each(|u| at.push(u));
    let (joint, n) = (gp.joint(&at), points.len());
    // A Cholesky factor, row by row.
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let rest = joint.covariance(i, j) - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            l[i][j] = if i == j { rest.max(1e-12).sqrt() } else { rest / l[j][j] };
        }
    }
    let best = best_mean_at_data(gp);
    let n_draws = 20_000;
    let mut sum = 0.0;
    for s in 0..n_draws {
        let mut draw = Stream::new(99).child("draw", s);
        let z: Vec<f64> = (0..n).map(|_| draw.normal()).collect();
        let value = |i: usize| joint.mean[i] - best + (0..=i).map(|k| l[i][k] * z[k]).sum::<f64>();
        sum += (0..n).map(value).fold(0.0, f64::max);
    }
    sum / n_draws as f64
}

/// Every strategy in several settings.
fn all() -> Vec<StrategyConfig> {
    let lies = [Lie::Optimistic, Lie::Pessimistic, Lie::MeanOfValues, Lie::Constant(0.3), Lie::Mix];
    let believer = |lie| StrategyConfig::Believer(Believer { lie, acquisition: UCB, refit: Refit::Never });
    let mut all = StrategyConfig::all();
    all.extend(lies.map(believer));
    all.extend([
        StrategyConfig::Believer(Believer { refit: Refit::Map { ard: true }, ..Believer::default() }),
        StrategyConfig::Believer(Believer {
            refit: Refit::MaximumLikelihood { ard: false, starts: 2 },
            acquisition: UCB,
            ..Believer::default()
        }),
        StrategyConfig::Plain(Plain { acquisition: UCB }),
        StrategyConfig::RandomRest(RandomRest { acquisition: UCB }),
        StrategyConfig::HallucinatedUcb(HallucinatedUcb {
            beta: Beta::Desautels { delta: 0.1, c: 0.2 },
            candidates: Candidates::Continuous,
        }),
        StrategyConfig::HallucinatedUcb(HallucinatedUcb { beta: Beta::Srinivas { delta: 0.1 }, candidates: grid(40) }),
        StrategyConfig::PureExploration(PureExploration {
            region: RegionRule::Program,
            candidates: grid(50),
            ..PureExploration::default()
        }),
        StrategyConfig::SimulationMatching(SimulationMatching {
            whitened: true,
            candidates: grid(60),
            ..simulations(9)
        }),
        StrategyConfig::Adaptive(Adaptive {
            stop: StopRule::ScoreDrop { most: 4.0 },
            strategy: LocalPenalization::paper_ucb(),
        }),
        StrategyConfig::Adaptive(Adaptive { stop: StopRule::Information { most: 3.0 }, ..Adaptive::default() }),
        StrategyConfig::Adaptive(Adaptive { stop: StopRule::Gain { least: 0.05 }, ..Adaptive::default() }),
        StrategyConfig::Thompson(Thompson { candidates: grid(30) }),
    ]);
    all
}

mod one_point {
    use super::*;

    /// Strategies with the acquisition that each is a batch form of.
    fn with_base() -> Vec<(StrategyConfig, AcquisitionKind)> {
        let ei = AcquisitionKind::Ei;
        let believer = |lie, acquisition| StrategyConfig::Believer(Believer { lie, acquisition, refit: Refit::Never });
        let adaptive =
            Adaptive { strategy: LocalPenalization::penalized_only(), stop: StopRule::MeanShift { most: 0.0 } };
        vec![
            (StrategyConfig::LocalPenalization(LocalPenalization::default()), ei),
            (StrategyConfig::LocalPenalization(LocalPenalization::paper_ucb()), UCB),
            (StrategyConfig::Adaptive(adaptive), ei),
            (StrategyConfig::Plain(Plain { acquisition: ei }), ei),
            (StrategyConfig::Plain(Plain { acquisition: UCB }), UCB),
            (StrategyConfig::RandomRest(RandomRest { acquisition: ei }), ei),
            (StrategyConfig::RandomRest(RandomRest { acquisition: UCB }), UCB),
            (StrategyConfig::HallucinatedUcb(HallucinatedUcb::default()), UCB),
            (StrategyConfig::PureExploration(PureExploration::default()), UCB),
            (StrategyConfig::SimulationMatching(simulations(5)), UCB),
            (believer(Lie::Mean, ei), ei),
            (believer(Lie::Mean, UCB), UCB),
            (believer(Lie::Mix, ei), ei),
            (believer(Lie::Constant(1.0), UCB), UCB),
            (StrategyConfig::Believer(Believer { refit: Refit::Map { ard: true }, ..Believer::default() }), ei),
            (StrategyConfig::Multipoint, ei),
        ]
    }

    #[test]
    fn of_every_strategy_is_the_sequential_choice_in_a_finite_space() {
        let space = lattice();
        for seed in 0..6 {
            let gp = posterior(&space, 7, 0.4, 0.01, seed);
            for (strategy, acquisition) in with_base() {
                let alpha = acquisition.bind(&gp);
                let score = |u: &[f64]| {
                    let p = gp.predict(u);
                    alpha.ln_score(p.mean, p.variance.sqrt()).value
                };
                let want = best_of(free(&space, &gp, &[]), score);
                let got = choose(&strategy, &space, &gp, &[], 1, seed);
                assert_eq!(got.points, [want], "{strategy:?}, seed {seed}");
            }
        }
    }

    #[test]
    fn of_every_strategy_reaches_the_best_of_a_dense_grid_on_a_line() {
        let space = floats(1);
        for seed in 0..5 {
            let gp = posterior(&space, 6, 0.2, 1e-4, seed);
            for (strategy, acquisition) in with_base() {
                let alpha = acquisition.bind(&gp);
                let score = |u: &[f64]| {
                    let p = gp.predict(u);
                    alpha.ln_score(p.mean, p.variance.sqrt()).value
                };
                let want = (0..=2000).map(|i| score(&[f64::from(i) / 2000.0])).fold(f64::MIN, f64::max);
                let got = score(&choose(&strategy, &space, &gp, &[], 1, seed).points[0]);
                // The climb stops at a relative change of 10⁻⁹ or a slope of 10⁻⁵.
                assert!(got >= want - 1e-4, "{strategy:?}, seed {seed}: {got} below {want}");
            }
        }
    }

    #[test]
    fn does_not_depend_on_how_many_follow() {
        // Strategies that choose points one after another; others consider the whole batch.
        let space = floats(2);
        let gp = posterior(&space, 8, 0.3, 1e-3, 1);
        for (strategy, _) in with_base() {
            let whole = matches!(&strategy, StrategyConfig::SimulationMatching(_) | StrategyConfig::Multipoint)
                || matches!(&strategy, StrategyConfig::Believer(b) if b.lie == Lie::Mix);
            if !whole {
                let (one, four) =
                    (choose(&strategy, &space, &gp, &[], 1, 1), choose(&strategy, &space, &gp, &[], 4, 1));
                assert_eq!(one.points[0], four.points[0], "{strategy:?}");
            }
        }
    }
}

mod confidence_bounds {
    use super::*;

    #[test]
    fn the_believer_of_the_mean_under_a_confidence_bound_is_the_hallucinated_one() {
        let believer = Believer { acquisition: UCB, lie: Lie::Mean, refit: Refit::Never };
        let hallucinated = HallucinatedUcb::default();
        for (space, tolerance) in [(lattice(), 0.0), (floats(1), 1e-4), (floats(2), 1e-3)] {
            for seed in 0..6 {
                let gp = posterior(&space, 7, 0.3, 0.01, seed);
                let pending = some_points(&space, 2, seed);
                let a = choose(&believer, &space, &gp, &pending, 5, seed);
                let b = choose(&hallucinated, &space, &gp, &pending, 5, seed);
                for (a, b) in a.points.iter().zip(&b.points) {
                    // Both climb the same function, up to rounding, until its slope is 10⁻⁵.
                    let apart = a.iter().zip(b.iter()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    assert!(apart <= tolerance, "seed {seed}: {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn each_hallucinated_choice_maximizes_the_bound_given_all_points_before_it() {
        let space = lattice();
        for seed in 0..4 {
            let gp = posterior(&space, 7, 0.4, 0.01, seed);
            let pending = some_points(&space, 2, seed);
            let batch = choose(&HallucinatedUcb::default(), &space, &gp, &pending, 4, seed);
            let mut before = pending.clone();
            for x in &batch.points {
                // The variance after conditioning on any values at the same points: the values do not matter.
                let mut at = Points::new(space.dim());
                before.iter().for_each(|u| at.push(u));
                let values = vec![17.0; before.len()];
                let conditioned = gp.condition(&Dataset::new(at, values).unwrap()).unwrap();
                let bound = |u: &[f64]| gp.predict(u).mean + 2.0 * conditioned.predict(u).variance.sqrt();
                let want = best_of(free(&space, &gp, &before), bound);
                assert!((bound(x) - bound(&want)).abs() < 1e-9, "seed {seed}");
                before.push(x.clone());
            }
        }
    }

    #[test]
    fn without_weight_on_the_deviation_they_are_the_highest_means() {
        let space = lattice();
        let gp = posterior(&space, 7, 0.4, 0.01, 3);
        let strategy = HallucinatedUcb { beta: Beta::Fixed { beta: 0.0 }, candidates: Candidates::Continuous };
        let batch = choose(&strategy, &space, &gp, &[], 5, 3);
        let mut means: Vec<f64> = free(&space, &gp, &[]).iter().map(|u| gp.predict(u).mean).collect();
        means.sort_by(|a, b| b.total_cmp(a));
        for (x, mean) in batch.points.iter().zip(means) {
            assert!((gp.predict(x).mean - mean).abs() < 1e-12);
        }
        // With κ = 0, plain UCB, which hallucinates nothing, is the same.
        let plain = Plain { acquisition: AcquisitionKind::Ucb { kappa: 0.0 } };
        assert_eq!(choose(&plain, &space, &gp, &[], 5, 3).points, batch.points);
    }

    #[test]
    fn the_weights_are_those_of_the_formulas() {
        // 2 ln(50·3²·π²/(6·0.1)), by hand: the argument is 7402.203300817018, its logarithm 8.909533015.
        let beta = 2.0 * 7_402.203_300_817_018f64.ln();
        assert!((Beta::Srinivas { delta: 0.1 }.kappa(50, 3).powi(2) - beta).abs() < 1e-9);
        let desautels = Beta::Desautels { delta: 0.1, c: 0.5 }.kappa(50, 3).powi(2);
        assert!((desautels - std::f64::consts::E * beta).abs() < 1e-9);
        assert_eq!(Beta::Desautels { delta: 0.1, c: 0.0 }.kappa(50, 3), Beta::Srinivas { delta: 0.1 }.kappa(50, 3));
    }

    #[test]
    fn exploring_points_are_in_the_relevant_region_and_have_the_largest_variance_there() {
        let space = lattice();
        for seed in 0..6 {
            for (region, factor) in [(RegionRule::Theory, 2.0), (RegionRule::Program, 1.0)] {
                let gp = posterior(&space, 25, 0.6, 0.01, seed);
                let strategy = PureExploration { region, ..PureExploration::default() };
                let batch = choose(&strategy, &space, &gp, &[], 4, seed);
                let bound = |u: &[f64], kappa: f64| {
                    let p = gp.predict(u);
                    p.mean + kappa * p.variance.sqrt()
                };
                // The threshold over all points of the space, observed ones included.
                let domain = Domain::whole(&space);
                let everything = domain.enumerate().unwrap();
                let threshold = everything.map(|u| bound(&u, -2.0)).fold(f64::MIN, f64::max);
                let inside = |u: &[f64]| bound(u, factor * 2.0) >= threshold;
                for k in 1..4 {
                    let before = &batch.points[..k];
                    let with = gp.with_phantoms(before.iter().map(|u| u.as_slice()));
                    let mut room = free(&space, &gp, before);
                    room.retain(|u| inside(u));
                    if room.is_empty() {
                        continue;
                    }
                    assert!(inside(&batch.points[k]), "{region:?} seed {seed} element {k}");
                    let most = room.iter().map(|u| with.predict(u).variance_after).fold(0.0, f64::max);
                    let got = with.predict(&batch.points[k]).variance_after;
                    assert!(got >= most - 1e-9, "{region:?} seed {seed} element {k}: {got} below {most}");
                }
            }
        }
    }

    #[test]
    fn exploring_points_of_a_plane_are_inside_the_region_and_near_its_largest_variance() {
        let space = floats(2);
        for seed in 0..4 {
            let gp = posterior(&space, 30, 0.4, 1e-3, seed);
            let strategy = PureExploration { region: RegionRule::Program, ..PureExploration::default() };
            let batch = choose(&strategy, &space, &gp, &[], 4, seed);
            let bound = |u: &[f64], kappa: f64| {
                let p = gp.predict(u);
                p.mean + kappa * p.variance.sqrt()
            };
            let dense: Vec<Vec<f64>> =
                (0..101 * 101).map(|i| vec![f64::from(i % 101) / 100.0, f64::from(i / 101) / 100.0]).collect();
            // A lower bound has its peaks at the data, between the points of the grid.
            let everywhere = dense.iter().map(Vec::as_slice).chain(gp.observed());
            let threshold = everywhere.map(|u| bound(u, -2.0)).fold(f64::MIN, f64::max);
            for k in 1..4 {
                // The library's own threshold is at least as high, up to the error of a climb.
                assert!(bound(&batch.points[k], 2.0) >= threshold - 1e-3, "seed {seed} element {k}");
                let with = gp.with_phantoms(batch.points[..k].iter().map(|u| u.as_slice()));
                let inside = dense.iter().filter(|u| bound(u, 2.0) >= threshold + 1e-3);
                let most = inside.map(|u| with.predict(u).variance_after.sqrt()).fold(0.0, f64::max);
                let got = with.predict(&batch.points[k]).variance_after.sqrt();
                // Three climbs along the edge of a disconnected region may miss a little: at most a tenth, measured
                // 0.91.
                assert!(got >= 0.9 * most, "seed {seed} element {k}: {got} of {most}");
            }
        }
    }

    #[test]
    fn a_grid_is_the_same_for_every_batch_and_all_that_is_chosen_from() {
        let space = floats(2);
        let gp = posterior(&space, 6, 0.3, 1e-3, 2);
        let strategies: [Box<dyn BatchStrategy>; 3] = [
            Box::new(HallucinatedUcb { candidates: grid(12), ..HallucinatedUcb::default() }),
            Box::new(PureExploration { candidates: grid(12), ..PureExploration::default() }),
            Box::new(SimulationMatching { candidates: grid(12), ..simulations(5) }),
        ];
        let sorted = |batch: Batch| {
            let mut points: Vec<Vec<u64>> =
                batch.points.iter().map(|u| u.iter().map(|c| c.to_bits()).collect()).collect();
            points.sort();
            points
        };
        // The space has only twelve points, whatever the ask and the strategy.
        let want = sorted(choose(strategies[0].as_ref(), &space, &gp, &[], 12, 1));
        for strategy in &strategies {
            for seed in [1, 2] {
                assert_eq!(sorted(choose(strategy.as_ref(), &space, &gp, &[], 12, seed)), want);
            }
        }
    }
}

mod liars {
    use super::*;

    #[test]
    fn believing_the_mean_leaves_the_mean_as_it_was() {
        let space = floats(2);
        let gp = posterior(&space, 8, 0.3, 0.01, 1);
        let mut at = Points::new(2);
        some_points(&space, 4, 1).iter().for_each(|u| at.push(u));
        let means = at.iter().map(|u| gp.predict(u).mean).collect();
        let believed = gp.condition(&Dataset::new(at, means).unwrap()).unwrap();
        for u in some_points(&space, 50, 2) {
            assert!((believed.predict(&u).mean - gp.predict(&u).mean).abs() < 1e-10);
        }
    }

    #[test]
    fn each_choice_is_the_best_under_the_lies_told_before_it() {
        let space = lattice();
        for seed in 0..4 {
            let gp = posterior(&space, 7, 0.4, 0.01, seed);
            let y = gp.values();
            let (low, high) = (y.iter().copied().fold(f64::MAX, f64::min), y.iter().copied().fold(f64::MIN, f64::max));
            let mean = y.iter().sum::<f64>() / y.len() as f64;
            let lies = [
                (Lie::Optimistic, high),
                (Lie::Pessimistic, low),
                (Lie::MeanOfValues, mean),
                (Lie::Constant(0.7), 0.7),
            ];
            for (lie, value) in lies {
                let strategy = Believer { lie, ..Believer::default() };
                let pending = some_points(&space, 1, seed);
                let batch = choose(&strategy, &space, &gp, &pending, 4, seed);
                let mut before = pending.clone();
                for x in &batch.points {
                    let mut rows = Points::new(space.dim());
                    gp.observed().for_each(|u| rows.push(u));
                    before.iter().for_each(|u| rows.push(u));
                    let values = [y, &vec![value; before.len()]].concat();
                    // Factored from scratch, not extended row by row.
                    let lied = Posterior::new(&Dataset::new(rows, values).unwrap(), gp.hyper().clone()).unwrap();
                    let alpha = AcquisitionKind::Ei.bind(&lied);
                    let score = |u: &[f64]| {
                        let p = lied.predict(u);
                        alpha.ln_score(p.mean, p.variance.sqrt()).value
                    };
                    let want = score(&best_of(free(&space, &gp, &before), score));
                    assert!(score(x) >= want - 1e-7 * want.abs(), "{lie:?} seed {seed}: {} below {want}", score(x));
                    before.push(x.clone());
                }
            }
        }
    }

    #[test]
    fn a_pessimist_goes_further_from_its_first_point_than_an_optimist() {
        // With several models: a low lie lowers the mean around the first point, a high one raises it.
        let space = floats(2);
        let apart = |lie| {
            let of = |seed| {
                let gp = posterior(&space, 10, 0.3, 1e-3, seed);
                let batch = choose(&Believer { lie, ..Believer::default() }, &space, &gp, &[], 2, seed);
                gp.squared_distance(&batch.points[0], &batch.points[1]).sqrt()
            };
            (0..12).map(of).sum::<f64>()
        };
        let (pessimist, optimist) = (apart(Lie::Pessimistic), apart(Lie::Optimistic));
        assert!(pessimist > optimist, "{pessimist} {optimist}");
    }

    #[test]
    fn the_mix_is_the_batch_that_promises_more() {
        let space = floats(2);
        for seed in 0..5 {
            let gp = posterior(&space, 10, 0.3, 1e-3, seed);
            let batch = |lie| choose(&Believer { lie, ..Believer::default() }, &space, &gp, &[], 3, seed).points;
            let promise = |points: &[UnitPoint]| {
                let mut at = Points::new(2);
                points.iter().for_each(|u| at.push(u));
                let best = best_mean_at_data(&gp);
                let draws = gp.sample(&at, 100_000, &mut Stream::new(99)).unwrap();
                draws.iter().map(|f| f.iter().fold(0.0f64, |a, f| a.max(f - best))).sum::<f64>() / 100_000.0
            };
            let (optimistic, pessimistic) = (batch(Lie::Optimistic), batch(Lie::Pessimistic));
            let mix = batch(Lie::Mix);
            assert!(mix == optimistic || mix == pessimistic);
            let (a, b) = (promise(&optimistic), promise(&pessimistic));
            // Three points have a closed form; the error is that of the draws here: improvements spread up to a few
            // times as wide as they are large, so 10⁵ draws can resolve a difference of a twentieth.
            if (a - b).abs() > 0.05 * a.max(b) {
                assert_eq!(mix, if a > b { optimistic } else { pessimistic }, "seed {seed}: {a} {b}");
            }
        }
    }

    #[test]
    fn a_refit_changes_the_batch_but_not_its_first_point() {
        let space = floats(2);
        let gp = posterior(&space, 10, 0.3, 1e-3, 4);
        let kept = choose(&Believer::default(), &space, &gp, &[], 3, 4).points;
        let refit = Refit::MaximumLikelihood { ard: false, starts: 3 };
        let refitted = choose(&Believer { refit, ..Believer::default() }, &space, &gp, &[], 3, 4).points;
        assert_eq!(kept[0], refitted[0]);
        assert_ne!(kept[1..], refitted[1..]);
    }
}

mod draws {
    use super::*;

    #[test]
    fn thompson_chooses_a_point_as_often_as_it_is_the_best() {
        // Two points left, a and b: f(a) − f(b) is normal, so a is the best with probability Φ(mean/sd).
        let space = SearchSpace::new(vec![Parameter::int("i", 0, 4)]).unwrap();
        let mut x = Points::new(1);
        for i in [0, 2, 4] {
            x.push(&[space.coordinate(0, i)]);
        }
        let hyper = Hyperparameters::new(KernelKind::Rbf, 1.0, vec![0.3], 0.01);
        let gp = Posterior::new(&Dataset::new(x, vec![0.5, 0.2, -0.1]).unwrap(), hyper).unwrap();
        let at = Points::from_rows(1, vec![space.coordinate(0, 1), space.coordinate(0, 3)]).unwrap();
        let joint = gp.joint(&at);
        let sd = (joint.covariance(0, 0) + joint.covariance(1, 1) - 2.0 * joint.covariance(0, 1)).sqrt();
        let want = normal::cdf((joint.mean[0] - joint.mean[1]) / sd);
        let n = 2000;
        let first = |seed| choose(&Thompson::default(), &space, &gp, &[], 1, seed).points[0].as_slice() == at.row(0);
        let got = (0..n).filter(|&seed| first(seed)).count() as f64 / n as f64;
        // Five standard errors of a share.
        assert!((got - want).abs() < 5.0 * (want * (1.0 - want) / n as f64).sqrt(), "{got} {want}");
        assert!(want > 0.55 && want < 0.95, "the test should not be trivial: {want}");
    }

    #[test]
    fn a_certain_model_makes_draws_and_simulations_choose_the_highest_means() {
        // Long lengthscales and many exact data: hardly any doubt is left, and all policies agree.
        let space = SearchSpace::new(vec![Parameter::int("i", 0, 60)]).unwrap();
        let mut x = Points::new(1);
        let mut y = Vec::new();
        for i in (0..=60).step_by(4) {
            x.push(&[space.coordinate(0, i)]);
            y.push((i as f64 / 10.0).sin());
        }
        let hyper = Hyperparameters::new(KernelKind::Rbf, 1.0, vec![0.3], 1e-8);
        let gp = Posterior::new(&Dataset::new(x, y).unwrap(), hyper).unwrap();
        let highest = best_of(free(&space, &gp, &[]), |u| gp.predict(u).mean);
        assert_eq!(choose(&Thompson::default(), &space, &gp, &[], 1, 5).points[0], highest);
        assert!(choose(&simulations(10), &space, &gp, &[], 3, 5).points.contains(&highest));
    }

    #[test]
    fn simulations_put_their_points_where_the_maximum_may_be() {
        // A batch of q covers the maximizers of posterior draws better than q uniform points do, which is its purpose.
        let space = lattice();
        let mut ratio = 0.0;
        for seed in 0..5 {
            let gp = posterior(&space, 12, 0.5, 0.01, seed);
            let batch = choose(&simulations(40), &space, &gp, &[], 4, seed).points;
            let random = choose(&StrategyConfig::Random, &space, &gp, &[], 4, seed).points;
            let everything: Vec<UnitPoint> = free(&space, &gp, &[]);
            let mut at = Points::new(space.dim());
            everything.iter().for_each(|u| at.push(u));
            let draws = gp.sample(&at, 400, &mut Stream::new(7)).unwrap();
            let cover = |batch: &[UnitPoint]| {
                let nearest = |f: &[f64]| {
                    let best = (0..f.len()).max_by(|&a, &b| f[a].total_cmp(&f[b])).unwrap();
                    let squared = |u: &UnitPoint| u.iter().zip(at.row(best)).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
                    batch.iter().map(squared).fold(f64::MAX, f64::min)
                };
                draws.iter().map(nearest).sum::<f64>()
            };
            ratio += (cover(&batch) / cover(&random)).ln();
        }
        assert!(ratio < 0.0, "{ratio}");
    }
}

mod multipoint {
    use super::*;

    #[test]
    fn promises_more_together_than_the_batches_of_others() {
        let space = floats(2);
        let others = [
            StrategyConfig::LocalPenalization(LocalPenalization::default()),
            StrategyConfig::Believer(Believer { lie: Lie::Mix, ..Believer::default() }),
            StrategyConfig::Believer(Believer::default()),
            StrategyConfig::PureExploration(PureExploration::default()),
        ];
        let mut gained = vec![0.0; others.len()];
        for (seed, q) in [(0, 2), (1, 3), (2, 3), (3, 4), (4, 4), (5, 12)] {
            let gp = posterior(&space, 10, 0.3, 1e-3, seed);
            let pending = some_points(&space, seed as usize % 2, seed);
            let promise = |strategy: &StrategyConfig| {
                let batch = choose(strategy, &space, &gp, &pending, q, seed).points;
                let all: Vec<UnitPoint> = pending.iter().chain(&batch).cloned().collect();
                drawn_improvement(&gp, &all)
            };
            let most = promise(&StrategyConfig::Multipoint);
            for (other, gained) in others.iter().zip(&mut gained) {
                let theirs = promise(other);
                // 20 000 draws of a number that spreads up to three times as wide as it is large: a standard error of
                // 0.02, and much less for the difference of two batches under the same draws.
                assert!(most > 0.98 * theirs, "seed {seed}: {most} below {theirs} of {other:?}");
                *gained += (most / theirs).ln() / 6.0;
            }
        }
        assert!(gained.iter().all(|g| *g > 0.01), "{gained:?}");
    }

    #[test]
    fn beside_a_pending_point_is_the_best_of_a_dense_grid() {
        // Two points have a closed form: the whole line is examined. Noise keeps the mean of these random values
        // smooth.
        let space = floats(1);
        let lattice = normal::Lattice::new(256, 1, &Stream::new(1));
        for seed in 0..8 {
            let gp = posterior(&space, 6, 0.2, 0.3, seed);
            let pending = choose(&StrategyConfig::Multipoint, &space, &gp, &[], 1, seed).points;
            let promise = |u: f64| {
                let mut at = Points::new(1);
                at.push(&pending[0]);
                at.push(&[u]);
                let joint = gp.joint(&at);
                q_expected_improvement(&joint.mean, &joint.covariance, best_mean_at_data(&gp), &lattice).value
            };
            let got = choose(&StrategyConfig::Multipoint, &space, &gp, &pending, 1, seed).points.remove(0);
            // The pending point is the maximizer of EI alone; another point right there would add nothing.
            let alone = promise(pending[0][0]);
            let most = (0..=2000).map(|i| promise(f64::from(i) / 2000.0)).fold(0.0, f64::max) - alone;
            let gain = promise(got[0]) - alone;
            assert!(gain >= most * (1.0 - 1e-4), "seed {seed}: {gain} below {most}");
            assert!(gp.squared_distance(&got, &pending[0]) > 0.01, "seed {seed}");
        }
    }
}

mod adaptive {
    use super::*;

    #[test]
    fn a_batch_ends_before_the_point_that_results_under_way_would_move() {
        let space = floats(2);
        let most = 0.15;
        let mut cut = 0;
        for seed in 0..8 {
            let gp = posterior(&space, 8, 0.4, 1e-3, seed);
            let whole = choose(&LocalPenalization::penalized_only(), &space, &gp, &[], 8, seed);
            let strategy = Adaptive { stop: StopRule::MeanShift { most }, ..Adaptive::default() };
            let batch = choose(&strategy, &space, &gp, &[], 8, seed);
            let n = batch.points.len();
            assert_eq!(batch.points, whole.points[..n]);
            assert!(n >= 1, "nothing is under way before the first point");
            assert_eq!(batch.info.ended.is_some(), n < 8);
            cut += usize::from(n < 8);
            for (k, z) in whole.points.iter().enumerate().take(n + 1) {
                // E|N(0, v)| by conditioning on draws: √(2v/π), v the variance explained, from the joint law itself.
                let mut before = Points::new(2);
                whole.points[..k].iter().for_each(|u| before.push(u));
                let after = gp.condition(&Dataset::new(before, vec![0.0; k]).unwrap()).unwrap().predict(z).variance;
                let shift = (2.0 * (gp.predict(z).variance - after).max(0.0) / std::f64::consts::PI).sqrt();
                assert_eq!(shift > most, k == n && n < 8, "seed {seed} element {k}: {shift}");
            }
        }
        assert!(cut > 0);
    }

    /// ½ ln det(I + Σ/σ²): the information from noisy values at points with the joint covariance Σ, by elimination.
    fn information(gp: &Posterior, points: &[UnitPoint], noise: f64) -> f64 {
        let mut at = Points::new(gp.dim());
        points.iter().for_each(|u| at.push(u));
        let joint = gp.joint(&at);
        let n = points.len();
        let entry = |i: usize, j: usize| joint.covariance(i, j) / noise + f64::from(u8::from(i == j));
        let mut a: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        let mut ln_det = 0.0;
        for k in 0..n {
            ln_det += a[k][k].ln();
            for i in k + 1..n {
                let factor = a[i][k] / a[k][k];
                let pivot = a[k].clone();
                a[i].iter_mut().zip(&pivot).for_each(|(a, p)| *a -= factor * p);
            }
        }
        0.5 * ln_det
    }

    #[test]
    fn a_batch_ends_once_the_results_under_way_bring_enough_information() {
        let (space, noise) = (floats(2), 0.01);
        for seed in 0..6 {
            for n_pending in [0, 2] {
                let gp = posterior(&space, 8, 0.4, noise, seed);
                let pending = some_points(&space, n_pending, seed);
                let whole = choose(&LocalPenalization::penalized_only(), &space, &gp, &pending, 7, seed).points;
                let under_way: Vec<UnitPoint> = pending.iter().chain(&whole).cloned().collect();
                // By the chain rule the sum in the rule is a determinant. Choose limits between two of its values.
                let steps: Vec<f64> = (0..7).map(|k| information(&gp, &under_way[..n_pending + k], noise)).collect();
                assert!(steps.windows(2).all(|w| w[0] < w[1]));
                for k in 1..7 {
                    let most = 0.5 * (steps[k - 1] + steps[k]);
                    let strategy = Adaptive { stop: StopRule::Information { most }, ..Adaptive::default() };
                    let batch = choose(&strategy, &space, &gp, &pending, 7, seed);
                    assert_eq!(batch.points, whole[..k], "seed {seed}, {n_pending} pending, {most} of {steps:?}");
                }
                let none = Adaptive { stop: StopRule::Information { most: 0.0 }, ..Adaptive::default() };
                let batch = choose(&none, &space, &gp, &pending, 7, seed);
                assert_eq!(batch.points.len(), usize::from(n_pending == 0));
            }
        }
    }

    #[test]
    fn a_batch_ends_before_a_point_that_adds_little() {
        let space = floats(2);
        for seed in 0..4 {
            for (q, n_pending) in [(3, 0), (2, 1), (12, 0)] {
                let gp = posterior(&space, 8, 0.4, 1e-3, seed);
                let pending = some_points(&space, n_pending, seed);
                let whole = choose(&LocalPenalization::penalized_only(), &space, &gp, &pending, q, seed).points;
                let under_way: Vec<UnitPoint> = pending.iter().chain(&whole).cloned().collect();
                let promised = |k: usize| drawn_improvement(&gp, &under_way[..n_pending + k]);
                let alone = drawn_improvement(&gp, &whole[..1]);
                let shares: Vec<f64> = (0..q).map(|k| (promised(k + 1) - promised(k)) / alone).collect();
                for least in [0.02, 0.1, 0.3, 0.6] {
                    // The draws here, the same for all, are accurate to about a hundredth: not too close to a limit.
                    if shares.iter().any(|s| (s - least).abs() < 0.02) {
                        continue;
                    }
                    let n = shares.iter().position(|s| *s < least).unwrap_or(q);
                    let strategy = Adaptive { stop: StopRule::Gain { least }, ..Adaptive::default() };
                    let batch = choose(&strategy, &space, &gp, &pending, q, seed);
                    assert_eq!(batch.points, whole[..n], "seed {seed}, {least} of {shares:?}");
                }
            }
        }
    }

    #[test]
    fn a_study_does_not_fill_a_batch_that_ended_with_random_points() {
        let space = floats(1);
        let stop = StopRule::ScoreDrop { most: 0.0 };
        let strategy = StrategyConfig::Adaptive(Adaptive { stop, ..Adaptive::default() });
        let mut study = Study::new(StudyConfig::new(space).initial(4).strategy(strategy)).unwrap();
        for trial in study.ask(4).unwrap().trials {
            let x = trial.point.get("x0").unwrap().as_f64().unwrap();
            study.tell(trial.id, x.sin()).unwrap();
        }
        // No later point has as high a score as the first.
        let asked = study.ask(6).unwrap();
        assert_eq!(asked.trials.len(), 1);
        assert!(asked.shortfall.unwrap().starts_with("the batch ended after 1 of 6 points"));
        assert!(verify(study.events()).unwrap().is_empty());
    }

    #[test]
    fn rules_that_never_apply_change_nothing() {
        let space = floats(2);
        let gp = posterior(&space, 8, 0.4, 1e-3, 1);
        let whole = choose(&LocalPenalization::penalized_only(), &space, &gp, &[], 6, 1);
        for stop in [
            StopRule::MeanShift { most: f64::MAX },
            StopRule::ScoreDrop { most: f64::MAX },
            StopRule::Information { most: f64::MAX },
            StopRule::Gain { least: f64::NEG_INFINITY },
        ] {
            let batch = choose(&Adaptive { stop, ..Adaptive::default() }, &space, &gp, &[], 6, 1);
            assert_eq!((batch.points, batch.info.ended), (whole.points.clone(), None));
        }
    }
}

mod every_strategy {
    use super::*;

    fn spaces() -> Vec<SearchSpace> {
        let space = |parameters: Vec<Parameter>, constraints: &[&str]| {
            SearchSpace::new(parameters).unwrap().with_constraints(constraints.iter().copied()).unwrap()
        };
        vec![
            floats(2),
            space(
                vec![
                    Parameter::int("n", 1, 1000).log(),
                    Parameter::ordered("size", [0.1, 0.5, 2.0, 7.0]),
                    Parameter::category("kind", ["red", "green", "blue"]),
                    Parameter::float("x", 0.0, 1.0),
                ],
                &["n > 2 or kind == 'red'", "size + x <= 7.5"],
            ),
            space(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)], &["x + y <= 0.4"]),
            space(vec![Parameter::int("i", 0, 9), Parameter::int("j", 0, 9)], &["i != j"]),
            space(vec![Parameter::category("a", ["p", "q"]), Parameter::int("n", 0, 100_000)], &["n >= 10"]),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

        #[test]
        fn proposes_feasible_distinct_points_that_are_not_taken(seed in 0u64..1000, n_pending in 0usize..4) {
            for (i, space) in spaces().into_iter().enumerate() {
                let gp = posterior(&space, 9, 0.4, 0.01, seed + i as u64);
                let pending = some_points(&space, n_pending, seed);
                for strategy in all() {
                    let batch = choose(&strategy, &space, &gp, &pending, 4, seed);
                    if batch.info.ended.is_none() {
                        prop_assert_eq!(batch.points.len(), 4, "space {} {:?}", i, strategy);
                    }
                    let mut keys = observed_keys(&space, &gp);
                    keys.extend(pending.iter().map(|u| space.key(u)));
                    for u in &batch.points {
                        prop_assert!(space.is_feasible(u), "space {} {:?}", i, strategy);
                        prop_assert!(keys.insert(space.key(u)), "space {} {:?}: a point again", i, strategy);
                        let mut snapped = u.to_vec();
                        space.snap(&mut snapped);
                        prop_assert_eq!(&snapped, &u.to_vec(), "space {}: between two levels", i);
                    }
                }
            }
        }
    }

    #[test]
    fn gives_the_same_batch_for_the_same_stream() {
        let space = floats(2);
        let gp = posterior(&space, 8, 0.3, 1e-3, 2);
        let pending = some_points(&space, 2, 2);
        for strategy in all() {
            let batch = || choose(&strategy, &space, &gp, &pending, 3, 7);
            let (a, b) = (batch(), std::thread::scope(|scope| scope.spawn(batch).join().unwrap()));
            assert_eq!((a.points, a.info), (b.points, b.info), "{strategy:?}");
        }
    }

    #[test]
    fn takes_what_is_left_of_a_small_space() {
        let space = SearchSpace::new(vec![Parameter::int("n", 1, 12)]).unwrap();
        let gp = posterior(&space, 4, 0.5, 0.01, 1);
        let left = free(&space, &gp, &[]).len();
        for strategy in all() {
            let batch = choose(&strategy, &space, &gp, &[], 30, 1);
            if batch.info.ended.is_none() {
                assert_eq!(batch.points.len(), left, "{strategy:?}");
            }
        }
    }

    #[test]
    fn comes_back_from_json_and_by_its_name() {
        for strategy in all() {
            let text = serde_json::to_string(&strategy).unwrap();
            assert_eq!(serde_json::from_str::<StrategyConfig>(&text).unwrap(), strategy, "{text}");
            assert!(text.starts_with(&format!("{{\"name\":\"{}\"", strategy.name())), "{text}");
        }
        for strategy in StrategyConfig::all() {
            assert_eq!(StrategyConfig::named(strategy.name()).unwrap(), strategy);
            // A name alone is a configuration: everything else has defaults.
            let bare = format!("{{\"name\":\"{}\"}}", strategy.name());
            let config = StudyConfig::new(SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap());
            assert_eq!(config.strategy(serde_json::from_str(&bare).unwrap()).strategy, strategy);
        }
        let distinct: HashSet<&str> = StrategyConfig::names().into_iter().collect();
        assert_eq!(distinct.len(), StrategyConfig::all().len());
    }

    #[test]
    fn serves_a_study_of_a_mixed_space_for_three_batches() {
        let parameters = vec![
            Parameter::float("x", 0.0, 1.0),
            Parameter::int("n", 1, 20),
            Parameter::category("kind", ["red", "green"]),
        ];
        let space = SearchSpace::new(parameters).unwrap();
        for strategy in all() {
            let config = StudyConfig::new(space.clone()).seed(3).initial(5).strategy(strategy.clone());
            let mut study = Study::new(config).unwrap();
            for round in 0..4 {
                let asked = study.ask(if round == 0 { 5 } else { 3 }).unwrap();
                // The first trial of every batch stays pending.
                for trial in asked.trials.iter().skip(usize::from(round > 0)) {
                    let at = |name: &str| trial.point.get(name).unwrap().as_f64().unwrap();
                    study.tell(trial.id, (at("x") - 0.3).powi(2) + (at("n") / 20.0 - 0.5).powi(2)).unwrap();
                }
            }
            assert!(study.n_observed() >= 5, "{strategy:?}");
            assert!(
                study.trials().iter().filter(|t| t.id.0 >= 5).all(|t| t.source != elbowroom::study::Source::Random)
            );
            assert!(verify(study.events()).unwrap().is_empty(), "{strategy:?}");
        }
    }
}
