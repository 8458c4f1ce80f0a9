//! Values that stand for "bad" do not blind the search, and fits of many data converge.

use elbowroom::data::Dataset;
use elbowroom::gp::{FitParams, MeanRule, NoiseRule, Shape, fit};
use elbowroom::linalg::Points;
use elbowroom::problems::Problem;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Gauge, KernelConfig, Model, ModelConfig, Observations, Study, StudyConfig};

fn space(d: usize) -> SearchSpace {
    SearchSpace::new((0..d).map(|i| Parameter::float(format!("x{i}"), 0.0, 1.0)).collect()).unwrap()
}

/// log10 of the best of 30 trials on a shifted bowl, where x + y > 1.5 gives a penalty, or where the first trial does.
fn search(penalty: f64, early: bool, seed: u64) -> f64 {
    let mut study = Study::new(StudyConfig::new(space(2)).seed(seed)).unwrap();
    let (mut best, mut first) = (f64::INFINITY, true);
    while study.n_observed() < 30 {
        for trial in study.ask(3).unwrap().trials {
            let x: Vec<f64> = trial.point.iter().filter_map(|(_, v)| v.as_f64()).collect();
            let value = (x[0] - 0.3).powi(2) + (x[1] - 0.6).powi(2);
            let bad = if early { first } else { x[0] + x[1] > 1.5 };
            first = false;
            if !bad {
                best = best.min(value);
            }
            study.tell(trial.id, if bad { penalty } else { value }).unwrap();
        }
    }
    best.max(1e-12).log10()
}

#[test]
fn penalties_of_any_size_leave_the_search_its_digits() {
    for early in [false, true] {
        for penalty in [1e3, 1e9, 1e300] {
            let mean = (0..4).map(|seed| search(penalty, early, seed)).sum::<f64>() / 4.0;
            // Without penalties it is −9.6 over ten seeds; with a scale that follows the penalties it is −3.6 from 10⁹
            // on.
            assert!(mean < -5.5, "{penalty:e} {early}: {mean}");
        }
    }
}

#[test]
fn a_fit_of_more_data_than_a_contest_has_arrives() {
    let problem = Problem::rosenbrock(4);
    let x = elbowroom::design::sobol(150, 4, &Stream::new(3));
    let at = |u: &[f64]| -> Vec<f64> { u.iter().zip(&problem.bounds).map(|(u, b)| b.0 + u * (b.1 - b.0)).collect() };
    let values: Vec<f64> = x.iter().map(|u| -problem.value(&at(u))).collect();
    let mut points = Points::new(4);
    x.iter().for_each(|u| points.push(u));
    let all = Observations { x: points.clone(), values: values.clone(), noise: None };
    let config = ModelConfig::default();
    let model = Model::fit(&config, &space(4), &all, None, &Stream::new(1)).unwrap();

    // The same data with the same bend: from the recorded θ alone, and from many starts.
    let data = Dataset::new(points, values.iter().map(|&v| model.scale.encode(v)).collect()).unwrap();
    let KernelConfig::Ours(kernel) = model.record.kernel else { panic!("{:?}", model.record.kernel) };
    let mut shape = Shape::new(kernel, 4);
    shape.mean = MeanRule::Estimated { prior_sd: 1.0 };
    shape.noise = NoiseRule::Fitted { floor: config.noise_floor };
    let mut params = FitParams::map(shape);
    params.priors.noise = config.noise_prior;
    params.warm = Some(model.record.theta.clone());
    (params.random_starts, params.max_evaluations) = (0, 1);
    let recorded = fit(&data, &params, &Stream::new(1)).unwrap().value;
    (params.random_starts, params.max_evaluations) = (5, 300);
    let best = fit(&data, &params, &Stream::new(1)).unwrap().value;
    assert!(best - recorded < 1.0, "{best} {recorded}");
}

/// How many nats the recorded fit of a study is below the best of 20 starts on all observations with the same bend,
/// after this many evaluations of a shifted problem.
fn nats_below_the_best(name: &str, evaluations: usize) -> f64 {
    let problem = Problem::by_name(name).unwrap().shifted(&mut Stream::new(0xf175).child(name, 0));
    let d = problem.bounds.len();
    let parameters = problem.bounds.iter().enumerate().map(|(i, b)| Parameter::float(format!("x{i}"), b.0, b.1));
    let space = SearchSpace::new(parameters.collect()).unwrap();
    let mut study = Study::new(StudyConfig::new(space).seed(0).initial(10)).unwrap();
    let (mut x, mut y) = (Points::new(d), Vec::new());
    while study.n_observed() < evaluations {
        for trial in study.ask(10).unwrap().trials {
            let at: Vec<f64> = trial.point.iter().filter_map(|(_, v)| v.as_f64()).collect();
            x.push(&trial.unit);
            y.push(-problem.value(&at));
            study.tell(trial.id, problem.value(&at)).unwrap();
        }
    }
    let model = study.model().unwrap();
    let data = Dataset::new(x, y.iter().map(|&v| model.scale.encode(v)).collect()).unwrap();
    let KernelConfig::Ours(kernel) = model.record.kernel else { panic!("{:?}", model.record.kernel) };
    let mut shape = Shape::new(kernel, d);
    shape.mean = MeanRule::Estimated { prior_sd: 1.0 };
    shape.noise = NoiseRule::Fitted { floor: ModelConfig::default().noise_floor };
    let mut params = FitParams::map(shape);
    params.priors.noise = ModelConfig::default().noise_prior;
    params.warm = Some(model.record.theta.clone());
    (params.random_starts, params.max_evaluations) = (0, 1);
    let recorded = fit(&data, &params, &Stream::new(7)).unwrap().value;
    (params.random_starts, params.max_evaluations) = (20, 300);
    fit(&data, &params, &Stream::new(7)).unwrap().value - recorded
}

#[test]
fn fits_with_a_kernel_of_two_scales_leave_the_maximum_that_they_were_in() {
    // Seven nats: no detail, and a shorter trend. Ten: detail that is next to white noise.
    for (name, evaluations) in [("rastrigin4", 70), ("griewank6", 150)] {
        let nats = nats_below_the_best(name, evaluations);
        assert!(nats < 1.0, "{name}: {nats}");
    }
}

#[test]
fn a_bad_result_that_made_the_model_rough_is_told_from_the_others() {
    // Branin's values are at most 308.
    let problem = Problem::branin();
    let x = elbowroom::design::sobol(24, 2, &Stream::new(5));
    let at = |u: &[f64]| -> Vec<f64> { u.iter().zip(&problem.bounds).map(|(u, b)| b.0 + u * (b.1 - b.0)).collect() };
    let mut points = Points::new(2);
    x.iter().for_each(|u| points.push(u));
    let values: Vec<f64> = x.iter().map(|u| -problem.value(&at(u))).collect();
    let mut wrong = values.clone();
    let fitted = |values: Vec<f64>| {
        let all = Observations { x: points.clone(), values, noise: None };
        Model::fit(&ModelConfig::default(), &space(2), &all, None, &Stream::new(1)).unwrap()
    };
    for i in [0, 4] {
        wrong[i] = -1e3;
        let gauge = *fitted(wrong.clone()).scale.gauge();
        assert!(gauge.is_wild(-1e3) && !values.iter().any(|&v| v != values[i] && gauge.is_wild(v)), "{i}");
        wrong[i] = values[i];
    }
    let right = fitted(values.clone());
    assert!(!values.iter().any(|&v| right.scale.gauge().is_wild(v)));
}

#[test]
fn whole_numbers_and_repeated_measurements_are_not_wild() {
    // Levels from 1 to 10, each several times: the worst may stand for "bad", the others may not.
    let y: Vec<f64> = (0..60).map(|i| -f64::from(1 + i % 10)).collect();
    let all: Vec<usize> = (0..30).collect();
    let gauge = Gauge::new(&y, &all);
    assert!((1..10).all(|level| !gauge.is_wild(-f64::from(level))));
    // Sixty different results, the worst of which was measured twice at one point.
    let mut y: Vec<f64> = (0..60).map(|i| -(f64::from(i) / 59.0).powi(2)).collect();
    y.push(-1.0);
    assert!(!Gauge::new(&y, &(0..30).map(|i| 2 * i + 1).collect::<Vec<_>>()).is_wild(-1.0));
}
