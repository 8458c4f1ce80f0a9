//! The methods by the names of the paper, on spaces so small that everything can be tried.

use std::collections::HashSet;

use elbowroom::acquisition::LogAcquisition;
use elbowroom::batch::{AcquisitionKind, Batch, BatchSize, BatchStrategy, Situation};
use elbowroom::data::Dataset;
use elbowroom::domain::Domain;
use elbowroom::gp::{FitParams, Hyperparameters, KernelKind, MeanRule, NoiseRule, Posterior, Shape, fit};
use elbowroom::linalg::Points;
use elbowroom::normal;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace, UnitPoint};
use elbowroom_paper::methods::{Track, strategy};

const KAPPA: f64 = 2.0;

/// A lattice of 12 × 10 points.
fn lattice() -> SearchSpace {
    SearchSpace::new(vec![Parameter::int("i", 0, 11), Parameter::int("j", 0, 9)]).unwrap()
}

/// A posterior of n normal values at random points.
fn posterior(space: &SearchSpace, n: usize, lengthscale: f64, noise: f64, seed: u64) -> Posterior {
    let mut draw = Stream::new(seed).child("posterior", 0);
    let mut x = Points::new(space.dim());
    let mut seen = HashSet::new();
    while x.len() < n {
        let u = space.sample_feasible(&mut draw, 10_000).unwrap();
        if seen.insert(space.key(&u)) {
            x.push(&u);
        }
    }
    let y = (0..n).map(|_| draw.normal()).collect();
    let hyper = Hyperparameters::new(KernelKind::Rbf, 1.0, vec![lengthscale; space.dim()], noise);
    Posterior::new(&Dataset::new(x, y).unwrap(), hyper).unwrap()
}

fn choose(name: &str, space: &SearchSpace, gp: &Posterior, q: usize, seed: u64) -> Batch {
    let (taken, stream, domain) =
        (gp.observed().map(|x| space.key(x)).collect(), Stream::new(seed), Domain::whole(space));
    let situation = Situation::new(gp, &domain, &[], &taken, &stream);
    strategy(name, Track::Faithful).unwrap().choose(&situation, BatchSize::new(q).unwrap()).unwrap()
}

/// The points that are neither observed nor in the batch so far.
fn free(space: &SearchSpace, gp: &Posterior, batch: &[UnitPoint]) -> Vec<UnitPoint> {
    let mut taken: HashSet<_> = gp.observed().map(|x| space.key(x)).collect();
    taken.extend(batch.iter().map(|u| space.key(u)));
    Domain::whole(space).enumerate().unwrap().filter(|u| !taken.contains(&space.key(u))).collect()
}

fn bound(gp: &Posterior, u: &[f64], kappa: f64) -> f64 {
    let p = gp.predict(u);
    p.mean + kappa * p.variance.sqrt()
}

#[test]
fn pe_ucb_explores_the_region_of_its_program_and_the_row_of_the_theory_a_wider_one() {
    let space = lattice();
    let mut n_wider = 0;
    for seed in 0..8 {
        let gp = posterior(&space, 30, 0.25, 0.01, seed);
        let all: Vec<UnitPoint> = Domain::whole(&space).enumerate().unwrap().collect();
        let threshold = all.iter().map(|u| bound(&gp, u, -KAPPA)).fold(f64::MIN, f64::max);
        for (name, factor) in [("PE-UCB", 1.0), ("PE-UCB-theory", 2.0)] {
            let inside = |u: &[f64]| bound(&gp, u, factor * KAPPA) >= threshold;
            let batch = choose(name, &space, &gp, 4, seed).points;
            let highest = free(&space, &gp, &[]).iter().map(|u| bound(&gp, u, KAPPA)).fold(f64::MIN, f64::max);
            assert!((bound(&gp, &batch[0], KAPPA) - highest).abs() < 1e-9, "{name}, seed {seed}");
            for k in 1..4 {
                let with = gp.with_phantoms(batch[..k].iter().map(|u| u.as_slice()));
                let room: Vec<UnitPoint> = free(&space, &gp, &batch[..k]).into_iter().filter(|u| inside(u)).collect();
                if room.is_empty() {
                    continue;
                }
                let most = room.iter().map(|u| with.predict(u).variance_after).fold(0.0, f64::max);
                let got = with.predict(&batch[k]).variance_after;
                assert!(inside(&batch[k]) && got >= most - 1e-9, "{name}, seed {seed}, point {k}: {got} of {most}");
                n_wider += usize::from(factor > 1.0 && bound(&gp, &batch[k], KAPPA) < threshold);
            }
        }
    }
    // The two regions differ where it matters: some points of the wider one are outside the other.
    assert!(n_wider > 0);
}

#[test]
fn pred_lies_the_mean_of_the_data_alone_and_fits_all_anew_for_every_point() {
    let space = lattice();
    for seed in 0..3 {
        // Hyperparameters that are the likeliest, as those of a study are.
        let raw = posterior(&space, 14, 0.3, 0.01, seed);
        let mut x = Points::new(2);
        raw.observed().for_each(|u| x.push(u));
        let data = Dataset::new(x.clone(), raw.values().to_vec()).unwrap();
        let gp = likeliest(&data);
        let batch = choose("Pred-EI", &space, &gp, 3, seed).points;
        for k in 0..3 {
            let mut with_lies = x.clone();
            batch[..k].iter().for_each(|u| with_lies.push(u));
            let lies: Vec<f64> = batch[..k].iter().map(|u| gp.predict(u).mean).collect();
            let believed = likeliest(&Dataset::new(with_lies, [raw.values(), &lies].concat()).unwrap());
            let acquisition = AcquisitionKind::Ei.bind(&believed);
            let score = |u: &[f64]| {
                let p = believed.predict(u);
                acquisition.ln_score(p.mean, p.variance.sqrt()).value
            };
            let best = free(&space, &gp, &batch[..k]).iter().map(|u| score(u)).fold(f64::MIN, f64::max);
            let got = score(&batch[k]);
            // Two searches for hyperparameters end within 1e-9 of the logarithm, which leaves θ four digits or so.
            assert!(got >= best - 1e-2 * best.abs().max(1.0), "seed {seed}, point {k}: {got} below {best}");
        }
    }
}

/// The paper's fit of values as they are: one lengthscale, ten starts, noise of at least 1e-6 of the mean square.
fn likeliest(data: &Dataset) -> Posterior {
    let square = data.y().iter().map(|y| y * y).sum::<f64>() / data.len() as f64;
    let shape = Shape {
        ard: false,
        mean: MeanRule::Known(0.0),
        noise: NoiseRule::Fitted { floor: 1e-6 * square },
        ..Shape::new(KernelKind::Rbf, data.dim())
    };
    let params = FitParams::maximum_likelihood_of(shape, vec![1.0; data.dim()], 10);
    fit(data, &params, &Stream::new(99)).unwrap().posterior
}

#[test]
fn the_second_step_of_simulation_matching_falls_where_the_bound_is_highest_after_a_drawn_value() {
    // Six values on a line of nine points leave three, and a batch of two is one simulated path where one is asked for.
    let space = SearchSpace::new(vec![Parameter::int("i", 0, 8)]).unwrap();
    let gp = posterior(&space, 5, 0.15, 0.05, 4);
    let free = free(&space, &gp, &[]);
    let first = free.iter().max_by(|a, b| bound(&gp, a, KAPPA).total_cmp(&bound(&gp, b, KAPPA))).unwrap();
    let second_after = |y: f64| {
        let told = Dataset::new(Points::from_rows(1, first.to_vec()).unwrap(), vec![y]).unwrap();
        let next = gp.condition(&told).unwrap();
        let others = free.iter().enumerate().filter(|(_, u)| u.as_slice() != first.as_slice());
        others.max_by(|a, b| bound(&next, a.1, KAPPA).total_cmp(&bound(&next, b.1, KAPPA))).unwrap().0
    };
    // The probability of each second point: the value is normal with the noise, tried at the middles of 2,000 equal parts.
    let p = gp.predict(first);
    let sd = (p.variance + 0.05).sqrt();
    let parts = 2000;
    let mut expected = vec![0.0; free.len()];
    for k in 0..parts {
        let y = p.mean + sd * normal::quantile((f64::from(k) + 0.5) / f64::from(parts));
        expected[second_after(y)] += 1.0 / f64::from(parts);
    }
    let runs = 600;
    let mut found = vec![0.0; free.len()];
    for seed in 0..runs {
        let batch = one_simulation(&space, &gp, seed);
        assert!(batch.contains(first), "seed {seed}: the first step is not the highest bound");
        let second = batch.iter().find(|u| *u != first).unwrap();
        found[free.iter().position(|u| u == second).unwrap()] += 1.0 / f64::from(u32::try_from(runs).unwrap());
    }
    for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
        // Five standard errors of a share, and the width of a part.
        let error = 5.0 * (expected * (1.0 - expected) / runs as f64).sqrt() + 1e-3;
        assert!((found - expected).abs() <= error, "point {i}: {found} of {expected}");
    }
    let likely = expected.iter().filter(|p| **p > 0.1).count();
    assert!(likely > 1, "the test should not be trivial: {expected:?}");
}

/// A batch of two by one simulation.
fn one_simulation(space: &SearchSpace, gp: &Posterior, seed: u64) -> Vec<UnitPoint> {
    let matching = elbowroom::batch::SimulationMatching { simulations: 1.try_into().ok(), ..Default::default() };
    let (taken, stream, domain) =
        (gp.observed().map(|x| space.key(x)).collect(), Stream::new(seed), Domain::whole(space));
    let situation = Situation::new(gp, &domain, &[], &taken, &stream);
    matching.choose(&situation, BatchSize::new(2).unwrap()).unwrap().points
}

#[test]
fn local_penalization_to_the_letter_takes_the_constant_as_it_is_found_and_lets_points_lie_together() {
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
    // Both values are equal, so the mean is flat: L̂ is 0 as the paper has it, and the floor is what keeps it up.
    let flat = Dataset::new(Points::from_rows(1, vec![0.0, 1.0]).unwrap(), vec![0.0; 2]).unwrap();
    let hyper = Hyperparameters::new(KernelKind::Rbf, 1.0, vec![0.3], 1e-6);
    let gp = Posterior::new(&flat, hyper).unwrap();
    let constant = |name: &str| choose(name, &space, &gp, 2, 1).info.lipschitz.unwrap();
    assert!(constant("LP-UCB") < 1e-9 && constant("LP-UCB-apart") < 1e-9 && constant("LP-UCB-short") < 1e-9);
    assert!(constant("LP-UCB-floor") > 0.2 && constant("LP-UCB-guarded") > 0.2);

    // Then the penalizer is ½ everywhere, and the middle of the line is found again and again: as near as climbs end, or a
    // thousandth of a lengthscale away.
    let nearest = |name: &str| {
        let batch = choose(name, &space, &gp, 4, 1).points;
        let squared = |a: &UnitPoint, b: &UnitPoint| a.iter().zip(b.iter()).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let pairs = (0..4).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs.map(|(i, j)| squared(&batch[i], &batch[j]).sqrt() / 0.3).fold(f64::MAX, f64::min)
    };
    assert!(nearest("LP-UCB-apart") >= 1e-3 * (1.0 - 1e-9));
    assert!(nearest("LP-UCB") < 1e-3, "{}", nearest("LP-UCB"));
}
