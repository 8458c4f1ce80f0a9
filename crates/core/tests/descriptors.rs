//! Categories whose levels have descriptors, from outside.

use elbowroom::data::Dataset;
use elbowroom::gp::{
    Described, Hyperparameters, Kernel, KernelKind, Likelihood, Matern52, MeanRule, Metric, Posterior, Shape,
};
use elbowroom::linalg::Points;
use elbowroom::rng::Stream;
use elbowroom::space::{Descriptors, Parameter, Point, SearchSpace, Value};
use elbowroom::study::{Event, Goal, Study, StudyConfig, verify};

/// Five levels on a line, whose names are not in their order.
const PLACES: [(&str, f64); 5] = [("d", 0.0), ("a", 1.0), ("e", 2.0), ("b", 3.0), ("c", 4.0)];

fn described() -> Parameter {
    let rows = PLACES.map(|(_, place)| vec![place, -2.0 * place + 1.0]);
    Parameter::category("kind", PLACES.map(|(name, _)| name)).described(["place", "again"], rows)
}

fn data(n: usize, levels: usize, seed: u64) -> Dataset {
    let mut draw = Stream::new(seed);
    let mut x = Points::new(2);
    for _ in 0..n {
        x.push(&[draw.uniform(), (draw.below(levels) as f64 + 0.5) / levels as f64]);
    }
    Dataset::new(x, (0..n).map(|_| draw.normal()).collect()).unwrap()
}

fn shape() -> Shape {
    let places: Vec<Vec<f64>> = vec![vec![0.1, 1.0], vec![0.4, 1.5], vec![2.0, 0.5], vec![0.4, 1.5]];
    let mut shape = Shape::new(KernelKind::Matern52, 2);
    shape.metric[1] = Metric::Mismatch;
    shape.described = vec![Described::new(1, &places)];
    shape
}

#[test]
fn the_likelihood_has_its_slope_in_the_weight_of_mismatch() {
    // θ = (ln ℓ₁, ln ℓ₂, logit w, ln σ_f², ln σ_n²), against central differences.
    for kernel in KernelKind::all() {
        let shape = Shape { kernel: kernel.into(), ..shape() };
        let data = data(14, 4, 3);
        let mut likelihood = Likelihood::new(&data, shape.clone());
        let mut theta = vec![-0.5, 0.2, -0.6, 0.1, -3.0];
        theta.extend(shape.kernel.values().iter().map(|value| value.ln()));
        assert_eq!(theta.len(), shape.n_parameters());
        let (mut gradient, mut unused) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
        likelihood.evaluate(&theta, &mut gradient);
        for i in 0..theta.len() {
            let h = 1e-4;
            let mut at = |t: f64| {
                let mut moved = theta.clone();
                moved[i] = t;
                likelihood.evaluate(&moved, &mut unused)
            };
            let difference = (at(theta[i] + h) - at(theta[i] - h)) / (2.0 * h);
            // The error of the difference is h² times a third derivative of order 10².
            assert!((difference - gradient[i]).abs() < 1e-5, "{kernel:?} {i}: {difference} {}", gradient[i]);
        }
        assert!(gradient[2].abs() > 1e-3, "the weight matters here");
    }
}

#[test]
fn a_posterior_has_the_covariances_of_the_formula() {
    // Levels 0, 1, 2 with δ² of .27156549520767, 1.1150159744409, 1.6134185303514 and w = .25, ℓ = .8 (mpmath); x apart.
    let rows = [[0.1, 1.0], [0.4, 1.5], [2.0, 0.5]];
    let column = |k: usize| {
        let mean = rows.iter().map(|row| row[k]).sum::<f64>() / 3.0;
        let sd = (rows.iter().map(|row| (row[k] - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
        rows.map(|row| (row[k] - mean) / sd)
    };
    let (a, b) = (column(0), column(1));
    let places: Vec<Vec<f64>> = (0..3).map(|i| vec![a[i], b[i]]).collect();
    let mut hyper = Hyperparameters::new(KernelKind::Matern52, 1.0, vec![0.8], 0.0);
    hyper.metric = vec![Metric::Mismatch];
    hyper.described = vec![Described::new(0, &places).with_weight(0.25)];
    let at = |level: f64| [(level + 0.5) / 3.0];
    let data = Dataset::new(Points::from_rows(1, at(0.0).to_vec()).unwrap(), vec![1.0]).unwrap();
    let posterior = Posterior::new(&data, hyper).unwrap();
    // With one observation of 1 the mean is the correlation itself.
    for (level, correlation) in [(0.0, 1.0), (1.0, 0.61850438314396), (2.0, 0.36611908607527)] {
        let mean = posterior.predict(&at(level)).mean;
        assert!((mean - correlation).abs() < 1e-8, "{level}: {mean}");
        let s = posterior.squared_distance(&at(0.0), &at(level));
        assert!((Matern52.value_and_slope(s).0 - correlation).abs() < 1e-12);
    }
}

#[test]
fn levels_that_are_alike_are_expected_to_give_alike_results() {
    // The value is the position on the line; the level at 2 is never measured.
    let space = SearchSpace::new(vec![described(), Parameter::float("x", 0.0, 1.0)]).unwrap();
    let mut study = Study::new(StudyConfig::new(space).goal(Goal::Maximize)).unwrap();
    for x in [0.1, 0.5, 0.9] {
        for (name, place) in PLACES.into_iter().filter(|(name, _)| *name != "e") {
            study.add(&Point::new().with("kind", name).with("x", x), place + 0.01 * x).unwrap();
        }
    }
    let model = study.model().unwrap();
    let unmeasured = study.space().encode(&Point::new().with("kind", "e").with("x", 0.5)).unwrap();
    let (value, _) = model.predict_value(&unmeasured);
    assert!((value - 2.0).abs() < 0.3, "{value}");
}

#[test]
fn a_study_with_descriptors_replays_from_its_log_alone() {
    let space = SearchSpace::new(vec![described(), Parameter::float("x", 0.0, 1.0)]).unwrap();
    let mut study = Study::new(StudyConfig::new(space).seed(2).initial(4)).unwrap();
    for q in [4, 3, 2] {
        for trial in study.ask(q).unwrap().trials {
            let Some(Value::Text(kind)) = trial.point.get("kind") else { panic!("a text") };
            let place = PLACES.iter().find(|(name, _)| name == kind).unwrap().1;
            study.tell(trial.id, (place - 2.8).powi(2) + trial.point.f64("x").unwrap()).unwrap();
        }
    }
    let text: Vec<String> = study.events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    assert!(text[0].contains(r#""descriptors":{"columns":["place","again"],"rows":[[0.0,1.0],"#), "{}", text[0]);
    let events: Vec<Event> = text.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(verify(&events).unwrap().is_empty());
}

#[test]
fn tables_that_do_not_fit_are_refused_with_the_level_or_the_column() {
    let levels = ["a", "b"].map(Value::from);
    let missing = Descriptors::of_levels(&levels, ["p"], [("a", vec![1.0])]).unwrap_err().to_string();
    assert!(missing.contains("the text \"b\" has no descriptors"), "{missing}");
    let twice = Descriptors::of_levels(&levels, ["p"], [("a", vec![1.0]), ("a", vec![2.0])]).unwrap_err().to_string();
    assert!(twice.contains("two rows"), "{twice}");
    for (rows, wanted) in [
        (vec![vec![1.0]], "2 levels and 1 rows"),
        (vec![vec![1.0], vec![f64::INFINITY]], "inf in the column `p`"),
        (vec![vec![1.0], vec![1.0]], "the same for all levels"),
        (vec![vec![1.0], vec![1.0, 2.0]], "level 2 has 2 descriptors"),
    ] {
        let parameter = Parameter::category("kind", ["a", "b"]).described(["p"], rows);
        let error = SearchSpace::new(vec![parameter]).unwrap_err().to_string();
        assert!(error.contains("`kind`") && error.contains(wanted) && error.contains("try: "), "{error}");
    }
    let many = Parameter::category("kind", 0..1001i64).described(["p"], (0..1001).map(|i| vec![f64::from(i)]));
    let error = SearchSpace::new(vec![many]).unwrap_err().to_string();
    assert!(error.contains("1001 levels"), "{error}");
}

#[test]
fn a_mean_that_is_known_does_not_change_the_place_of_the_weight() {
    let shape = Shape { mean: MeanRule::Known(0.0), ..shape() };
    let data = data(6, 4, 1);
    let mut likelihood = Likelihood::new(&data, shape);
    let hyper = likelihood.hyperparameters(&[0.0, 0.0, 0.0, 0.0, -4.0]);
    assert_eq!((hyper.described[0].weight, hyper.variance), (0.5, 1.0));
}
