//! Counted work: the closed forms of `gp/work.rs`, composed by hand for small cases.

use std::collections::HashSet;

use elbowroom::batch::{
    Batch, BatchSize, BatchStrategy, Believer, Candidates, HallucinatedUcb, Lie, Refit, SimulationMatching, Situation,
    Thompson,
};
use elbowroom::data::Dataset;
use elbowroom::domain::Domain;
use elbowroom::gp::{FitParams, Hyperparameters, KernelKind, Posterior, Shape, fit};
use elbowroom::linalg::Points;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Ask, HyperparameterRule, ModelConfig, StrategyConfig, Study, StudyConfig, Work};

fn plane() -> SearchSpace {
    SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap()
}

fn data(n: usize) -> Dataset {
    let mut draw = Stream::new(n as u64);
    let x = Points::from_rows(2, (0..2 * n).map(|_| draw.uniform()).collect()).unwrap();
    Dataset::new(x, (0..n).map(|_| draw.normal()).collect()).unwrap()
}

fn choose(strategy: &dyn BatchStrategy, n: usize, q: usize) -> Batch {
    let hyper = Hyperparameters::new(KernelKind::Matern52, 1.0, vec![0.3, 0.3], 1e-4);
    let posterior = Posterior::new(&data(n), hyper).unwrap();
    let (space, taken, stream) = (plane(), HashSet::new(), Stream::new(1));
    let domain = Domain::whole(&space);
    let situation = Situation::new(&posterior, &domain, &[], &taken, &stream);
    strategy.choose(&situation, BatchSize::new(q).unwrap()).unwrap()
}

fn grid(m: usize) -> Candidates {
    Candidates::Grid { n: m.try_into().unwrap(), seed: 3 }
}

/// Equal up to the rounding of some hundred additions.
fn assert_close(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-12 * want, "{got} {want}");
}

#[test]
fn a_fit_counts_its_likelihoods_and_the_posterior() {
    for n in [5usize, 12, 24] {
        let found = fit(&data(n), &FitParams::map(Shape::new(KernelKind::Rbf, 2)), &Stream::new(1)).unwrap();
        let each = (n.pow(3) + 2 * n.pow(2)) as f64;
        let posterior = n.pow(3) as f64 / 3.0;
        assert!(found.info.evaluations > 0);
        assert_close(found.info.work, found.info.evaluations as f64 * each + posterior);
    }
}

#[test]
fn hallucinated_bounds_on_a_grid_count_predictions_and_phantoms() {
    let (m, d) = (40, 2);
    let strategy = HallucinatedUcb { candidates: grid(m), ..HallucinatedUcb::default() };
    for (n, q) in [(5, 1), (5, 4), (30, 3)] {
        // m predictions; for each point a row of the factor, its own prediction, and m covariances.
        let each = |n: usize| n * n + n * d;
        let phantoms: usize = (n..n + q).map(|n| 2 * each(n) + m * (n + d)).sum();
        assert_close(choose(&strategy, n, q).info.work, (m * each(n) + phantoms) as f64);
    }
}

#[test]
fn thompson_sampling_counts_its_joint_law_and_its_draws() {
    let (m, d) = (30, 2);
    for (n, q) in [(5, 1), (5, 4), (30, 3)] {
        let joint = m * (n * n + n * d) + m * m * n;
        let want = joint as f64 + (m * m * m) as f64 / 3.0 + (q * m * m) as f64;
        assert_close(choose(&Thompson { candidates: grid(m) }, n, q).info.work, want);
    }
}

#[test]
fn simulations_and_refits_are_counted() {
    let (m, n, q, d) = (25, 6, 2, 2);
    let matching = |simulations: usize| {
        let strategy = SimulationMatching {
            simulations: simulations.try_into().ok(),
            candidates: grid(m),
            ..SimulationMatching::default()
        };
        choose(&strategy, n, q).info.work
    };
    // For each simulation: q columns of m numbers less those before, and 200 draws at q points. Matching then needs the
    // distances between at most q simulated points per simulation, at most once per deletion.
    let draws = (q * (n * n + n * d) + q * q * n) as f64 + (q * q * q) as f64 / 3.0 + (200 * q * q) as f64;
    let each = (m * q * q) as f64 + draws;
    let more = matching(9) - matching(4);
    let at_most = (9 * q * 9 * q * 9 * q * d) as f64;
    assert!(more >= 5.0 * each - at_most && more <= 5.0 * each + at_most, "{more} {each}");

    let believer = |refit| Believer { lie: Lie::Mean, refit, ..Believer::default() };
    let kept = choose(&believer(Refit::Never), 20, 3).info.work;
    let refitted = choose(&believer(Refit::MaximumLikelihood { ard: true, starts: 2 }), 20, 3).info.work;
    // At least one evaluation from each of three or more starts for two lies, on 21 and 22 observations.
    assert!(refitted > kept + 3.0 * (21f64.powi(3) + 22f64.powi(3)), "{refitted} {kept}");
}

#[test]
fn more_data_take_more_work() {
    for strategy in StrategyConfig::all() {
        let (few, many) = (choose(&strategy, 20, 3).info.work, choose(&strategy, 80, 3).info.work);
        if strategy == StrategyConfig::Random {
            assert_eq!((few, many), (0.0, 0.0));
        } else {
            // At most cubic in n; the growth depends on the terms without n.
            assert!(many > few && many < 64.0 * few, "{strategy:?}: {few} {many}");
        }
    }
}

fn bowl(study: &mut Study, q: usize) -> Work {
    let asked = study.ask(q).unwrap();
    for trial in &asked.trials {
        let at = |name: &str| trial.point.get(name).unwrap().as_f64().unwrap();
        study.tell(trial.id, (at("x") - 0.3).powi(2) + at("y")).unwrap();
    }
    asked.work
}

#[test]
fn an_ask_says_what_it_cost() {
    let given = HyperparameterRule::Fixed { variance: 1.0, lengthscales: vec![0.3, 0.3], noise: 1e-6 };
    let model = ModelConfig { hyperparameters: given, ..ModelConfig::default() };
    let mut study = Study::new(StudyConfig::new(plane()).model(model)).unwrap();
    let n = study.config().n_initial();
    assert_eq!(bowl(&mut study, n), Work::default());
    let work = bowl(&mut study, 2);
    assert_close(work.model, (n as f64).powi(3) / 3.0);
    assert!(work.choice > 0.0);
    // An answer that was given before costs nothing.
    let first = study.ask(Ask::new(2).named("worker 1")).unwrap();
    assert!(first.work.total() > 0.0);
    let again = study.ask(Ask::new(2).named("worker 1")).unwrap();
    assert_eq!((again.work, again.trials), (Work::default(), first.trials));
}

#[test]
fn the_count_is_the_same_in_every_run_and_thread() {
    let run = || {
        let mut study = Study::new(StudyConfig::new(plane()).seed(4)).unwrap();
        let work: Vec<Work> = (0..4).map(|_| bowl(&mut study, 5)).collect();
        // Also if the model exists already.
        let model = study.model().unwrap();
        let next = study.suggest(3).unwrap();
        assert_eq!(next.work.model, model.work);
        assert_eq!(Study::replay(study.events().to_vec()).unwrap().suggest(3).unwrap(), next);
        (work, next.work)
    };
    let here = run();
    let elsewhere = std::thread::scope(|s| [s.spawn(run), s.spawn(run)].map(|t| t.join().unwrap()));
    assert_eq!(elsewhere, [here.clone(), here]);
}

#[test]
fn a_joint_draw_is_not_made_over_every_point_of_a_large_finite_space() {
    // The cube of 20,000 would be 3·10¹² operations, a minute or more.
    let space = SearchSpace::new(vec![Parameter::int("n", 1, 200), Parameter::int("m", 1, 100)]).unwrap();
    let strategy = StrategyConfig::Thompson(Thompson::default());
    let mut study = Study::new(StudyConfig::new(space).strategy(strategy).initial(3)).unwrap();
    for trial in study.ask(3).unwrap().trials {
        study.tell(trial.id, trial.point.f64("n").unwrap()).unwrap();
    }
    let asked = study.ask(2).unwrap();
    assert!(asked.trials.len() == 2 && asked.work.choice < 1e10, "{:?}", asked.work);
}
