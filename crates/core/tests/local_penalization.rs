//! Local penalization as a whole: each choice compared with brute force, and the properties of every batch.

use std::collections::HashSet;

use elbowroom::acquisition::{ExpectedImprovement, LogAcquisition};
use elbowroom::batch::{
    AcquisitionKind, Batch, BatchSize, BatchStrategy, LipschitzRule, LocalPenalization, MaximumRule, RefineRule,
    Safeguards, Situation, best_mean_at_data, terms,
};
use elbowroom::data::Dataset;
use elbowroom::domain::Domain;
use elbowroom::gp::{Hyperparameters, KernelKind, Metric, Noise, Panel, Posterior, Scratch};
use elbowroom::linalg::Points;
use elbowroom::optim::Objective;
use elbowroom::penalty::{Ball, Penalized, Penalizer, PenalizerKind};
use elbowroom::rng::Stream;
use elbowroom::space::{Dimension, Parameter, PointKey, SearchSpace, UnitPoint};

const KINDS: [PenalizerKind; 3] = [PenalizerKind::Soft, PenalizerKind::Hard, PenalizerKind::Truncated];
const ACQUISITIONS: [AcquisitionKind; 5] = [
    AcquisitionKind::Ei,
    AcquisitionKind::Ucb { kappa: 2.0 },
    AcquisitionKind::PaperUcb { kappa: 2.0 },
    AcquisitionKind::Pi,
    AcquisitionKind::Mean,
];

fn floats(d: usize) -> SearchSpace {
    SearchSpace::new((0..d).map(|k| Parameter::float(format!("x{k}"), -1.0, 3.0)).collect()).unwrap()
}

/// A posterior of n observations at random feasible points of a space, with noise of 1 % of the variance.
fn posterior(space: &SearchSpace, n: usize, lengthscale: f64, seed: u64) -> Posterior {
    let mut s = Stream::new(seed).child("posterior", 0);
    let d = space.dim();
    let mut x = Points::new(d);
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
        lengthscales: (0..d).map(|_| lengthscale * (0.7 + 0.6 * s.uniform())).collect(),
        noise: Noise::Equal(0.01),
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
    strategy: &LocalPenalization,
    space: &SearchSpace,
    gp: &Posterior,
    pending: &[UnitPoint],
    taken: &HashSet<PointKey>,
    q: usize,
    seed: u64,
) -> Batch {
    let stream = Stream::new(seed);
    let domain = Domain::whole(space);
    let situation = Situation::new(gp, &domain, pending, taken, &stream);
    strategy.choose(&situation, BatchSize::new(q).unwrap()).unwrap()
}

/// The penalizer around a point by its definition, with the global constant of a batch or the point's own.
fn ball(strategy: &LocalPenalization, gp: &Posterior, batch: &Batch, x: &[f64]) -> Option<Ball> {
    let kind = strategy.penalizer?;
    let p = gp.predict(x);
    let global = batch.info.lipschitz.unwrap();
    let lipschitz = match strategy.lipschitz {
        LipschitzRule::Point => {
            // ‖∇_u μ‖ with u = x/ℓ: distances are counted in lengthscales, and so is the slope.
            let mut scratch = Scratch::default();
            gp.mean_gradient(x, &mut scratch);
            let squares = scratch.d_mean.iter().zip(&gp.hyper().lengthscales).map(|(g, l)| (g * l).powi(2));
            squares.sum::<f64>().sqrt().max(1e-6 * global)
        }
        _ => global,
    };
    let sd = p.variance.sqrt().max(1e-6 * gp.hyper().variance.sqrt());
    let penalizer = Penalizer { kind, lipschitz, best: batch.info.maximum.unwrap(), mean: p.mean, sd };
    Some(Ball { center: x.to_vec(), penalizer })
}

/// ln α̃ at many points, with penalizers around `around`.
fn scores(
    strategy: &LocalPenalization,
    gp: &Posterior,
    batch: &Batch,
    around: &[UnitPoint],
    at: impl Iterator<Item = Vec<f64>>,
) -> Vec<(f64, Vec<f64>)> {
    let balls: Vec<Ball> = around.iter().filter_map(|x| ball(strategy, gp, batch, x)).collect();
    let with = gp.with_phantoms(around.iter().map(|x| x.as_slice()));
    let mut objective = Penalized::new(strategy.acquisition.bind(gp), &with, &balls, strategy.shrink);
    let mut gradient = vec![0.0; gp.dim()];
    at.map(|x| (objective.value_and_gradient(&x, &mut gradient), x)).collect()
}

fn highest(scores: &[(f64, Vec<f64>)]) -> f64 {
    scores.iter().map(|s| s.0).fold(f64::NEG_INFINITY, f64::max)
}

fn grid(d: usize, m: usize) -> impl Iterator<Item = Vec<f64>> {
    let at = move |i: usize| i as f64 / (m - 1) as f64;
    (0..m.pow(d as u32)).map(move |i| if d == 1 { vec![at(i)] } else { vec![at(i % m), at(i / m)] })
}

/// The smallest distance in lengthscales between two of the points.
fn separation(gp: &Posterior, points: &[UnitPoint]) -> f64 {
    let mut smallest = f64::INFINITY;
    for (i, a) in points.iter().enumerate() {
        for b in &points[..i] {
            smallest = smallest.min(gp.squared_distance(a, b).sqrt());
        }
    }
    smallest
}

#[test]
fn one_point_with_nothing_pending_is_the_unpenalized_maximizer() {
    for acquisition in ACQUISITIONS {
        for (d, m) in [(1, 2001), (2, 151)] {
            let space = floats(d);
            for seed in 0..6 {
                let gp = posterior(&space, 4 * d + 2, 0.25, seed);
                let strategy = LocalPenalization { acquisition, ..LocalPenalization::penalized_only() };
                let batch = choose(&strategy, &space, &gp, &[], &HashSet::new(), 1, seed);
                let alpha = acquisition.bind(&gp);
                let ln = |x: &[f64]| {
                    let p = gp.predict(x);
                    alpha.ln_score(p.mean, p.variance.sqrt()).value
                };
                let want = grid(d, m).map(|x| ln(&x)).fold(f64::NEG_INFINITY, f64::max);
                let got = ln(&batch.points[0]);
                // The climb stops at a relative change of 10⁻⁹ or a slope of 10⁻⁵.
                assert!(got >= want - 1e-4, "{acquisition:?} d={d} seed={seed}: {got} below the grid's {want}");
            }
        }
    }
}

#[test]
fn the_first_of_a_batch_is_the_choice_of_one() {
    let space = floats(3);
    for seed in 0..5 {
        let gp = posterior(&space, 12, 0.4, seed);
        let taken = observed_keys(&space, &gp);
        for strategy in
            [LocalPenalization::penalized_only(), LocalPenalization::paper_ei(), LocalPenalization::paper_ucb()]
        {
            let one = choose(&strategy, &space, &gp, &[], &taken, 1, seed);
            let five = choose(&strategy, &space, &gp, &[], &taken, 5, seed);
            assert_eq!(one.points[0], five.points[0]);
            assert_eq!(five.points.len(), 5);
            // The quantities that a batch is based on do not depend on its size either.
            assert_eq!(one.info.lipschitz, five.info.lipschitz);
            assert_eq!(one.info.maximum, five.info.maximum);
        }
    }
}

#[test]
fn each_element_maximizes_the_penalized_score_of_a_grid() {
    for kind in [None, Some(KINDS[0]), Some(KINDS[1]), Some(KINDS[2])] {
        for lipschitz in [LipschitzRule::Global, LipschitzRule::Point] {
            // Without any penalizer the same point would be chosen again and again.
            let terms: &[bool] = if kind.is_none() { &[true] } else { &[false, true] };
            for &shrink in terms {
                let strategy =
                    LocalPenalization { penalizer: kind, lipschitz, shrink, ..LocalPenalization::penalized_only() };
                // A constant near 0 makes huge balls and many faint modes: in the plane four climbs may miss some.
                let plane = (lipschitz == LipschitzRule::Global).then_some((2, 81, 3));
                for (d, m, seed) in [(1, 1001, 1), (1, 1001, 2)].into_iter().chain(plane) {
                    let space = floats(d);
                    let gp = posterior(&space, 3 + 3 * d, 0.2, seed);
                    let pending = [UnitPoint::new(vec![0.3; d]).unwrap()];
                    let batch = choose(&strategy, &space, &gp, &pending, &HashSet::new(), 3, seed);
                    let mut around = pending.to_vec();
                    for x in &batch.points {
                        let want = highest(&scores(&strategy, &gp, &batch, &around, grid(d, m)));
                        let got = scores(&strategy, &gp, &batch, &around, std::iter::once(x.to_vec()))[0].0;
                        // Along a line the search is practically exact; points closer than 10⁻³ lengthscales to others
                        // are not allowed, which the grid ignores: a step of that length changes ln α̃ by less than
                        // 0.02 here. In the plane a few climbs may miss at most a tenth of α̃.
                        let slack = if d == 1 { 0.02 } else { 0.1 };
                        assert!(got >= want - slack, "{strategy:?} d={d} seed={seed}: {got} below the grid's {want}");
                        around.push(x.clone());
                    }
                }
            }
        }
    }
}

#[test]
fn the_maximum_rule_is_what_it_says() {
    let space = floats(1);
    for seed in 0..6 {
        let gp = posterior(&space, 5, 0.15, seed);
        let of = |maximum| {
            let strategy = LocalPenalization { maximum, ..LocalPenalization::penalized_only() };
            choose(&strategy, &space, &gp, &[], &HashSet::new(), 1, seed).info.maximum.unwrap()
        };
        assert_eq!(of(MaximumRule::Given(3.25)), 3.25);
        assert_eq!(of(MaximumRule::MaxObserved), gp.values().iter().copied().fold(f64::MIN, f64::max));
        let want = grid(1, 4001).map(|x| gp.predict(&x).mean).fold(f64::MIN, f64::max);
        let got = of(MaximumRule::MaxMean);
        // Between grid points 1/4000 apart the mean rises by at most half of its curvature times (1/8000)².
        assert!(got >= want - 1e-9 && got <= want + 1e-4, "{seed}: {got} {want}");
        // The incumbent of expected improvement is the best mean at the data.
        let at_data = gp.observed().map(|x| gp.predict(x).mean).fold(f64::MIN, f64::max);
        assert!((best_mean_at_data(&gp) - at_data).abs() < 1e-12);
    }
}

#[test]
fn batches_of_truncated_penalizers_keep_a_twentieth_of_a_lengthscale() {
    // Points closer than that carry almost the same information: a batch of the truncated penalizer should not have any
    // as long as there is space left, with and without the variance term.
    for shrink in [false, true] {
        let strategy = LocalPenalization { shrink, ..LocalPenalization::penalized_only() };
        // An interval of five lengthscales has room for a few points where improvement is likely, not for six.
        for (d, q) in [(1, 3), (2, 6), (4, 6)] {
            let space = floats(d);
            for seed in 0..6 {
                let gp = posterior(&space, 4 * d + 2, 0.2, seed);
                let taken = observed_keys(&space, &gp);
                let batch = choose(&strategy, &space, &gp, &[], &taken, q, seed);
                let apart = separation(&gp, &batch.points);
                assert!(apart >= 0.05, "shrink={shrink} d={d} seed={seed}: {apart}");
            }
        }
    }
}

#[test]
fn asking_one_by_one_with_the_others_pending_keeps_the_same_distance() {
    let strategy = LocalPenalization::penalized_only();
    let space = floats(2);
    for seed in 0..6 {
        let gp = posterior(&space, 10, 0.25, seed);
        let mut taken = observed_keys(&space, &gp);
        let together = choose(&strategy, &space, &gp, &[], &taken, 4, seed);
        let mut pending: Vec<UnitPoint> = Vec::new();
        for i in 0..4 {
            let batch = choose(&strategy, &space, &gp, &pending, &taken, 1, seed);
            // The same definition is maximized: no choice is worse than that of the batch, except for errors of the
            // search.
            if i == 1 {
                let at = [batch.points[0].to_vec(), together.points[1].to_vec()];
                let s = scores(&strategy, &gp, &batch, &pending, at.into_iter());
                assert!((s[0].0 - s[1].0).abs() < 1e-2, "{seed}: {s:?}");
            }
            taken.insert(space.key(&batch.points[0]));
            pending.push(batch.points[0].clone());
        }
        assert_eq!(pending[0], together.points[0]);
        assert!(separation(&gp, &pending) >= 0.05, "{seed}");
    }
}

#[test]
fn a_pending_point_is_penalized_from_the_first_element_on() {
    let space = floats(2);
    for seed in 0..5 {
        let gp = posterior(&space, 10, 0.3, seed);
        for penalizer in [None, Some(KINDS[1]), Some(KINDS[2])] {
            let strategy = LocalPenalization { penalizer, ..LocalPenalization::penalized_only() };
            let free = choose(&strategy, &space, &gp, &[], &HashSet::new(), 1, seed);
            // It is not marked as taken: the penalizer alone must keep the next choice away.
            let next = choose(&strategy, &space, &gp, &free.points, &HashSet::new(), 1, seed);
            let apart = gp.squared_distance(&free.points[0], &next.points[0]).sqrt();
            assert!(apart >= 0.05, "{penalizer:?} {seed}: {apart}");
        }
    }
}

#[test]
fn the_same_stream_gives_the_same_batch_in_any_thread() {
    let space = floats(3);
    let gp = posterior(&space, 20, 0.4, 1);
    let taken = observed_keys(&space, &gp);
    let batch = |seed| {
        let batch = choose(&LocalPenalization::penalized_only(), &space, &gp, &[], &taken, 5, seed);
        (batch.points.clone(), batch.info)
    };
    let want = batch(7);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| batch(7))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), want);
        }
    });
    // A stream from which numbers were drawn is the same stream: only its name counts.
    let mut used = Stream::new(7);
    used.bits();
    let domain = Domain::whole(&space);
    let situation = Situation::new(&gp, &domain, &[], &taken, &used);
    let again = LocalPenalization::penalized_only().choose(&situation, BatchSize::new(5).unwrap()).unwrap();
    assert_eq!(again.points, want.0);
}

#[test]
fn a_soft_penalizer_with_an_infinite_constant_penalizes_nothing_but_its_centre() {
    // L → ∞ makes the balls vanish: Φ((L d − M + μ)/s) → 1 for all d > 0.
    let space = floats(2);
    let gp = posterior(&space, 10, 0.3, 3);
    let acquisition = ExpectedImprovement { best: best_mean_at_data(&gp) };
    let center = vec![0.4, 0.7];
    let p = gp.predict(&center);
    let penalizer =
        Penalizer { kind: PenalizerKind::Soft, lipschitz: 1e12, best: 2.0, mean: p.mean, sd: p.variance.sqrt() };
    let balls = vec![Ball { center: center.clone(), penalizer }; 5];
    let mut penalized = Penalized::new(&acquisition, &gp, &balls, false);
    let mut gradient = [0.0; 2];
    for x in grid(2, 30) {
        let p = gp.predict(&x);
        let want = acquisition.ln_score(p.mean, p.variance.sqrt()).value;
        let got = penalized.value_and_gradient(&x, &mut gradient);
        assert!((got - want).abs() <= 1e-12 * want.abs(), "{x:?}");
    }
    // The ball's radius is (M − μ)/L.
    assert!((penalizer.radius() - (2.0 - penalizer.mean) / 1e12).abs() < 1e-24);
}

#[test]
fn further_elements_do_not_score_the_candidates_again() {
    let space = floats(6);
    let gp = posterior(&space, 30, 0.5, 2);
    let evaluations =
        |q| choose(&LocalPenalization::penalized_only(), &space, &gp, &[], &HashSet::new(), q, 1).info.evaluations;
    let (one, nine) = (evaluations(1), evaluations(9));
    // A few hundred evaluations of climbs for each further element; more than a thousand candidates are scored once.
    assert!(one > 500, "{one}");
    assert!((nine - one) / 8 < one * 2 / 3, "{one} {nine}");
}

#[test]
fn a_panel_agrees_with_the_posterior_it_stands_for() {
    // Also if factoring needed jitter: two equal points without noise.
    let space = floats(2);
    for jitter in [false, true] {
        let mut gp = posterior(&space, 8, 0.3, 4);
        if jitter {
            let mut x = Points::new(2);
            for row in gp.observed().chain(gp.observed()) {
                x.push(row);
            }
            let y = [gp.values(), gp.values()].concat();
            let hyper = Hyperparameters { noise: Noise::Equal(0.0), ..gp.hyper().clone() };
            gp = Posterior::new(&Dataset::new(x, y).unwrap(), hyper).unwrap();
            assert!(gp.jitter() > 0.0);
        }
        let mut points = Points::new(2);
        grid(2, 9).for_each(|x| points.push(&x));
        let pending = [[0.31, 0.72], [0.32, 0.71], [0.9, 0.1]];
        let with = gp.with_phantoms(pending.iter().map(|p| p.as_slice()));
        let panel = Panel::new(&with, points.clone());
        for (i, x) in points.iter().enumerate() {
            let p = with.predict(x);
            assert!((panel.mean(i) - p.mean).abs() < 1e-9 && (panel.variance(i) - p.variance).abs() < 1e-9);
            assert!((panel.variance_after(i) - p.variance_after).abs() < 1e-9, "{jitter} {x:?}");
        }
    }
}

#[test]
fn settings_come_back_from_json() {
    let mut all = vec![LocalPenalization::default(), LocalPenalization::paper_ei(), LocalPenalization::paper_ucb()];
    for acquisition in ACQUISITIONS {
        for lipschitz in [LipschitzRule::Global, LipschitzRule::Local, LipschitzRule::Point] {
            for maximum in [MaximumRule::MaxMean, MaximumRule::MaxObserved, MaximumRule::Given(-2.5)] {
                for penalizer in [None, Some(KINDS[0]), Some(KINDS[1]), Some(KINDS[2])] {
                    let refine = Some(RefineRule::Alternate { kappa: 1.5 });
                    let (shrink, safeguards) = (false, Safeguards::none());
                    all.push(LocalPenalization {
                        acquisition,
                        penalizer,
                        shrink,
                        lipschitz,
                        maximum,
                        refine,
                        safeguards,
                    });
                }
            }
        }
    }
    for strategy in all {
        let text = serde_json::to_string(&strategy).unwrap();
        assert_eq!(serde_json::from_str::<LocalPenalization>(&text).unwrap(), strategy, "{text}");
    }
    assert!(!serde_json::to_string(&LocalPenalization::paper_ei()).unwrap().contains("safeguards"));
    let unsaid = LocalPenalization { refine: None, ..LocalPenalization::default() };
    assert_eq!(serde_json::from_str::<LocalPenalization>("{}").unwrap(), unsaid);
}

/// Spaces of many kinds: floats and logarithms, integers short and long, lists, categories, fixed values, constraints.
fn spaces() -> Vec<SearchSpace> {
    let space = |parameters: Vec<Parameter>, constraints: &[&str]| {
        SearchSpace::new(parameters).unwrap().with_constraints(constraints.iter().copied()).unwrap()
    };
    vec![
        floats(2),
        space(
            vec![Parameter::float("a", 1e-6, 1e3).log(), Parameter::float("b", -5.0, 5.0), Parameter::fixed("c", 3)],
            &["a * b < 10"],
        ),
        space(
            vec![
                Parameter::int("n", 1, 1000).log(),
                Parameter::int("m", -3, 8),
                Parameter::ordered("size", [0.1, 0.5, 2.0, 7.0]),
                Parameter::category("kind", ["red", "green", "blue"]),
                Parameter::float("x", 0.0, 1.0),
            ],
            &["n > 2 or kind == 'red'", "m + x <= 7"],
        ),
        space(
            vec![
                Parameter::category("a", ["p", "q"]),
                Parameter::category("b", [1, 2, 3, 4]),
                Parameter::int("n", 0, 100_000),
            ],
            &["n >= 10"],
        ),
        space(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)], &["x + y <= 0.2", "x > 0.05"]),
        space(vec![Parameter::int("i", 0, 9), Parameter::int("j", 0, 9)], &["i != j"]),
    ]
}

#[test]
fn whatever_the_space_points_are_feasible_distinct_and_not_taken() {
    let all = [
        LocalPenalization::penalized_only(),
        LocalPenalization::paper_ei(),
        LocalPenalization::paper_ucb(),
        LocalPenalization { lipschitz: LipschitzRule::Local, ..LocalPenalization::penalized_only() },
        LocalPenalization {
            lipschitz: LipschitzRule::Point,
            maximum: MaximumRule::Given(4.0),
            penalizer: Some(PenalizerKind::Hard),
            ..LocalPenalization::penalized_only()
        },
        LocalPenalization { penalizer: None, acquisition: AcquisitionKind::Pi, ..LocalPenalization::penalized_only() },
        LocalPenalization { acquisition: AcquisitionKind::Mean, ..LocalPenalization::penalized_only() },
        LocalPenalization { acquisition: AcquisitionKind::Ucb { kappa: 1.0 }, ..LocalPenalization::penalized_only() },
    ];
    for (i, space) in spaces().into_iter().enumerate() {
        for (seed, strategy) in all.iter().enumerate() {
            let seed = seed as u64;
            let gp = posterior(&space, 9, 0.4, seed + 100 * i as u64);
            let mut taken = observed_keys(&space, &gp);
            let mut draw = Stream::new(seed).child("pending", 0);
            let pending: Vec<UnitPoint> = (0..3).map(|_| space.sample_feasible(&mut draw, 10_000).unwrap()).collect();
            taken.extend(pending.iter().map(|u| space.key(u)));
            let batch = choose(strategy, &space, &gp, &pending, &taken, 5, seed);
            assert_eq!(batch.points.len(), 5, "space {i} {strategy:?}");
            let mut keys = taken.clone();
            for u in &batch.points {
                assert!(space.is_feasible(u), "space {i} {strategy:?}: {}", space.decode(u));
                assert!(keys.insert(space.key(u)), "space {i} {strategy:?}: {} comes twice", space.decode(u));
                let mut snapped = u.to_vec();
                space.snap(&mut snapped);
                assert_eq!(snapped, u.to_vec(), "space {i}: a coordinate between two levels");
                assert!(space.broken_constraint(&space.decode(u)).unwrap().is_none());
            }
        }
    }
}

/// Finite spaces of at most 2000 points.
fn finite_spaces() -> Vec<SearchSpace> {
    let space = |parameters: Vec<Parameter>, constraints: &[&str]| {
        SearchSpace::new(parameters).unwrap().with_constraints(constraints.iter().copied()).unwrap()
    };
    vec![
        space(vec![Parameter::int("i", 0, 11)], &[]),
        space(vec![Parameter::int("i", 0, 9), Parameter::int("j", 0, 9)], &["i != j"]),
        space(
            vec![
                Parameter::int("i", 0, 7),
                Parameter::category("kind", ["a", "b", "c"]),
                Parameter::ordered("size", [1, 2, 4, 8]),
            ],
            &[],
        ),
        space(vec![Parameter::category("p", 0..6), Parameter::category("q", 0..7)], &["p + q > 2"]),
        space(vec![Parameter::int("long", 0, 40), Parameter::int("longer", 0, 30)], &[]),
    ]
}

#[test]
fn in_a_small_finite_space_each_choice_is_the_true_maximizer() {
    for (i, space) in finite_spaces().into_iter().enumerate() {
        for (j, acquisition) in ACQUISITIONS.into_iter().enumerate() {
            for (k, penalizer) in [None, Some(KINDS[0]), Some(KINDS[1]), Some(KINDS[2])].into_iter().enumerate() {
                let seed = (100 * i + 10 * j + k) as u64;
                let lengthscale = [0.2, 0.6][(j + k) % 2];
                let gp = posterior(&space, 6, lengthscale, seed);
                let shrink = penalizer.is_none() || seed.is_multiple_of(2);
                let strategy =
                    LocalPenalization { acquisition, penalizer, shrink, ..LocalPenalization::penalized_only() };
                let taken = observed_keys(&space, &gp);
                let batch = choose(&strategy, &space, &gp, &[], &taken, 3, seed);
                let mut gone = taken;
                for (n, u) in batch.points.iter().enumerate() {
                    let domain = Domain::whole(&space);
                    let free = domain.enumerate().unwrap();
                    let free = free.filter(|u| space.is_feasible(u) && !gone.contains(&space.key(u)));
                    let free: Vec<Vec<f64>> = free.map(UnitPoint::into_vec).collect();
                    let all = scores(&strategy, &gp, &batch, &batch.points[..n], free.into_iter());
                    let got = scores(&strategy, &gp, &batch, &batch.points[..n], std::iter::once(u.to_vec()))[0].0;
                    let want = highest(&all);
                    assert!(
                        got >= want - 1e-9 * want.abs().max(1.0),
                        "space {i} {strategy:?}, element {n}: {got} at {} where {want} is possible",
                        space.decode(u)
                    );
                    gone.insert(space.key(u));
                }
            }
        }
    }
}

#[test]
fn long_lengthscales_do_not_make_the_choice_in_a_finite_space_random() {
    // Neighbours are 1/(12·200) lengthscales apart, closer than the separation required of continuous points.
    let space = SearchSpace::new(vec![Parameter::int("i", 0, 11)]).unwrap();
    let gp = posterior(&space, 4, 200.0, 1);
    let strategy = LocalPenalization::penalized_only();
    let batch = choose(&strategy, &space, &gp, &[], &observed_keys(&space, &gp), 3, 1);
    let mut gone = observed_keys(&space, &gp);
    for (n, u) in batch.points.iter().enumerate() {
        let domain = Domain::whole(&space);
        let free = domain.enumerate().unwrap().filter(|u| !gone.contains(&space.key(u))).map(UnitPoint::into_vec);
        let want = highest(&scores(&strategy, &gp, &batch, &batch.points[..n], free));
        let got = scores(&strategy, &gp, &batch, &batch.points[..n], std::iter::once(u.to_vec()))[0].0;
        assert!(got >= want - 1e-6 * want.abs(), "element {n}: {got} where {want} is possible");
        gone.insert(space.key(u));
    }
}

#[test]
fn a_batch_larger_than_what_is_left_is_what_is_left() {
    for (space, n_feasible) in [
        (SearchSpace::new(vec![Parameter::int("n", 1, 12)]).unwrap(), 12),
        (
            SearchSpace::new(vec![Parameter::int("i", 0, 4), Parameter::category("c", ["a", "b"])])
                .unwrap()
                .with_constraints(["i != 2 or c == 'a'"])
                .unwrap(),
            9,
        ),
    ] {
        for seed in 0..3 {
            let gp = posterior(&space, 4, 0.5, seed);
            let taken = observed_keys(&space, &gp);
            let batch = choose(&LocalPenalization::penalized_only(), &space, &gp, &[], &taken, 30, seed);
            assert_eq!(batch.points.len(), n_feasible - taken.len());
            let keys: HashSet<PointKey> = batch.points.iter().map(|u| space.key(u)).collect();
            assert_eq!(keys.len(), batch.points.len());
            assert!(keys.is_disjoint(&taken) && batch.points.iter().all(|u| space.is_feasible(u)));
        }
    }
}

#[test]
fn a_climb_ends_where_no_single_coordinate_can_do_better() {
    // Scores of two categories (and an integer) by table: the second coordinate must move before the first can.
    use elbowroom::domain::Domain;
    let space = SearchSpace::new(vec![
        Parameter::category("a", 0..6),
        Parameter::category("b", 0..5),
        Parameter::int("n", 0, 3),
    ])
    .unwrap();
    for seed in 0..200 {
        let mut s = Stream::new(seed);
        let table: Vec<f64> = (0..6 * 5 * 4).map(|_| s.normal()).collect();
        let mut score = |u: &[f64], gradient: &mut [f64]| {
            gradient.fill(0.0);
            let level = |k: usize| space.level(k, u[k]) as usize;
            table[(level(0) * 5 + level(1)) * 4 + level(2)]
        };
        let mut u = space.sample(&mut s).into_vec();
        let reached = Domain::whole(&space).climber(50).from(&mut score, &mut u);
        for k in 0..3 {
            for level in 0..space.dimensions()[k].levels().unwrap() {
                let mut moved = u.clone();
                moved[k] = space.coordinate(k, level);
                assert!(score(&moved, &mut [0.0; 3]) <= reached, "seed {seed}: coordinate {k} has a better level");
            }
        }
    }
}

#[test]
fn the_maximum_is_that_of_points_that_can_be_proposed() {
    // The mean is highest between two levels of n, and where a + b is too large: no point can be there.
    let parameters = vec![Parameter::int("n", 1, 3), Parameter::float("a", 0.0, 1.0), Parameter::float("b", 0.0, 1.0)];
    let space = SearchSpace::new(parameters).unwrap().with_constraints(["a + b <= 0.5"]).unwrap();
    let x = Points::from_rows(3, vec![0.3, 0.1, 0.1, 0.35, 0.3, 0.1, 0.7, 0.1, 0.4, 0.8, 0.2, 0.2]).unwrap();
    let data = Dataset::new(x, vec![1.0, 2.0, 2.1, 0.5]).unwrap();
    let gp = Posterior::new(&data, Hyperparameters::new(KernelKind::Rbf, 1.0, vec![0.3, 0.4, 0.4], 1e-6)).unwrap();
    let strategy = LocalPenalization { maximum: MaximumRule::MaxMean, ..LocalPenalization::penalized_only() };
    let (domain, taken, stream) = (Domain::whole(&space), HashSet::new(), Stream::new(1));
    let situation = Situation::new(&gp, &domain, &[], &taken, &stream);
    let found = strategy.choose(&situation, BatchSize::new(1).unwrap()).unwrap().info.maximum.unwrap();
    // By brute force: a fine grid of all points that may be proposed, and the observations.
    let mut highest = gp.observed().map(|u| gp.predict(u).mean).fold(f64::NEG_INFINITY, f64::max);
    for (n, i, j) in (0..3).flat_map(|n| (0..=200).flat_map(move |i| (0..=200).map(move |j| (n, i, j)))) {
        let u = [(f64::from(n) + 0.5) / 3.0, f64::from(i) / 200.0, f64::from(j) / 200.0];
        if u[1] + u[2] <= 0.5 {
            highest = highest.max(gp.predict(&u).mean);
        }
    }
    // A climb may end at a border short of the best point on it; it must not end beyond the border.
    assert!(found <= highest + 1e-6 && found > highest - 0.01, "{found} {highest}");
}

/// μ + κ s_after at a point, with phantoms at others.
fn bound(gp: &Posterior, kappa: f64, around: &[UnitPoint], x: &[f64]) -> f64 {
    let p = gp.with_phantoms(around.iter().map(|x| x.as_slice())).predict(x);
    p.mean + kappa * p.variance_after.sqrt()
}

#[test]
fn every_second_point_has_the_largest_bound_after_pending_results() {
    let space = floats(2);
    for seed in 0..6 {
        let gp = posterior(&space, 12, 0.4, seed);
        let kappa = [1.0, 2.0][seed as usize % 2];
        let strategy =
            LocalPenalization { refine: Some(RefineRule::Alternate { kappa }), ..LocalPenalization::default() };
        let taken = observed_keys(&space, &gp);
        let batch = choose(&strategy, &space, &gp, &[], &taken, 5, seed);
        let plain = choose(&LocalPenalization::penalized_only(), &space, &gp, &[], &taken, 5, seed);
        assert_eq!(batch.points[0], plain.points[0], "{seed}: the first one is the penalized acquisition's");
        for k in [1, 3] {
            let before = &batch.points[..k];
            let reached = bound(&gp, kappa, before, &batch.points[k]);
            let best = grid(2, 101).map(|x| bound(&gp, kappa, before, &x)).fold(f64::NEG_INFINITY, f64::max);
            assert!(reached >= best - 2e-3, "{seed}, point {k}: {reached} < {best}");
            assert!((batch.info.scores[k] - reached).abs() < 1e-9, "{seed}, point {k}");
        }
    }
}

#[test]
fn a_single_point_refines_half_of_the_time_while_others_are_pending_and_never_alone() {
    let space = floats(2);
    let gp = posterior(&space, 12, 0.4, 1);
    let (domain, taken) = (Domain::whole(&space), observed_keys(&space, &gp));
    let pending = [UnitPoint::clamped(vec![0.4, 0.7])];
    let refines = |pending: &[UnitPoint], seed: u64| {
        let stream = Stream::new(seed);
        let situation = Situation::new(&gp, &domain, pending, &taken, &stream);
        let strategy = LocalPenalization::default();
        let chooser = strategy.bind(&situation, BatchSize::new(1).unwrap()).unwrap();
        chooser.explain(&[0.3, 0.3]).term(terms::WEIGHTED_DEVIATION).is_some()
    };
    let n = (0..60).filter(|seed| refines(&pending, *seed)).count();
    // A fair coin would be outside with a probability of 1e-5.
    assert!((13..=47).contains(&n), "{n} of 60");
    assert!((0..20).all(|seed| !refines(&[], seed)));
}
