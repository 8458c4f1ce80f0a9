//! Linear constraints: parts of a whole, sums that leave next to nothing of a space, and spaces without points.

use std::collections::BTreeSet;

use elbowroom::design::farthest_first;
use elbowroom::domain::{Domain, Narrowing};
use elbowroom::linalg::Points;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace, UnitPoint};
use elbowroom::study::{Ask, Event, InitialDesign, StrategyConfig, Study, StudyConfig, Trial, verify};

fn parts(n: usize) -> Vec<Parameter> {
    (1..=n).map(|i| Parameter::float(format!("x{i}"), 0.0, 1.0)).collect()
}

fn names(n: usize) -> Vec<String> {
    (1..=n).map(|i| format!("x{i}")).collect()
}

/// n parts of a whole, of which at most k are not 0.
fn mixture(n: usize, k: Option<usize>) -> SearchSpace {
    let whole = format!("{} == 1", names(n).join(" + "));
    let few = k.map(|k| format!("nonzero({}) <= {k}", names(n).join(", ")));
    SearchSpace::new(parts(n)).unwrap().with_constraints(std::iter::once(whole).chain(few)).unwrap()
}

fn values(point: &Point) -> Vec<f64> {
    point.iter().map(|(_, value)| value.as_f64().unwrap()).collect()
}

/// Asks in batches and reports the distance to a recipe.
fn drive(study: &mut Study, batches: usize, q: usize) -> Vec<Vec<f64>> {
    let mut asked = Vec::new();
    for _ in 0..batches {
        let batch = study.ask(q).unwrap();
        assert_eq!((batch.trials.len(), batch.shortfall), (q, None));
        for trial in batch.trials {
            let x = values(&trial.point);
            let value = x.iter().enumerate().map(|(i, x)| (x - 0.5 / (i + 1) as f64).powi(2)).sum::<f64>();
            study.tell(trial.id, value).unwrap();
            asked.push(x);
        }
    }
    asked
}

#[test]
fn nine_parts_with_a_sum_below_one_give_every_point_that_is_asked_for() {
    let sum = format!("{} <= 1", names(9).join(" + "));
    let space = SearchSpace::new(parts(9)).unwrap().with_constraints([sum]).unwrap();
    let mut study = Study::new(StudyConfig::new(space.clone()).seed(3)).unwrap();
    for x in drive(&mut study, 2, 15) {
        assert!(x.iter().sum::<f64>() <= 1.0, "{x:?}");
    }
    assert_eq!(study.ask(5).unwrap().trials.len(), 5);
}

#[test]
fn every_proposal_of_a_mixture_sums_to_one() {
    for strategy in [StrategyConfig::default(), StrategyConfig::Random] {
        let config = StudyConfig::new(mixture(4, None)).seed(5).initial(6).strategy(strategy);
        let mut study = Study::new(config).unwrap();
        for x in drive(&mut study, 5, 3) {
            assert!((x.iter().sum::<f64>() - 1.0).abs() < 1e-9 && x.iter().all(|x| (0.0..=1.0).contains(x)), "{x:?}");
        }
        let recommended = study.recommended().expect("there are results");
        let sum: f64 = values(&recommended.point).iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        assert!(verify(study.events()).unwrap().is_empty());
    }
}

#[test]
fn the_model_finds_a_recipe_that_lies_on_the_border_of_the_mixtures() {
    // The nearest mixture to (0.5, 0.25, 1/6, 0.125) has ν = 1/96 more of each, by hand.
    let mut study = Study::new(StudyConfig::new(mixture(4, None)).seed(1)).unwrap();
    let asked = drive(&mut study, 8, 3);
    let value = |x: &Vec<f64>| x.iter().enumerate().map(|(i, x)| (x - 0.5 / (i + 1) as f64).powi(2)).sum::<f64>();
    let best = asked.iter().map(value).fold(f64::INFINITY, f64::min);
    let least = 4.0 / (96.0f64 * 96.0);
    assert!(best - least < 1e-4, "{best}");
}

#[test]
fn at_most_so_many_parts_are_not_zero_to_the_bit() {
    let mut study = Study::new(StudyConfig::new(mixture(7, Some(3))).seed(2).initial(8)).unwrap();
    let asked = drive(&mut study, 5, 4);
    let mut supports = BTreeSet::new();
    for x in &asked {
        let support: Vec<usize> = (0..7).filter(|&i| x[i] != 0.0).collect();
        assert!(support.len() <= 3 && (x.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{x:?}");
        supports.insert(support);
    }
    // The search moves from one choice of parts to others.
    assert!(supports.len() > 5 && supports.iter().any(|support| support.len() == 3), "{supports:?}");
    assert!(verify(study.events()).unwrap().is_empty());
}

#[test]
fn a_climb_in_a_mixture_ends_at_the_nearest_mixture_to_the_top_and_treats_all_parts_alike() {
    let bounds = [(0.05, 0.4), (0.0, 0.5), (0.1, 1.0), (0.05, 1.0)];
    let part = |(i, (low, high)): (usize, (f64, f64))| Parameter::float(format!("x{}", i + 1), low, high);
    let space = SearchSpace::new(bounds.into_iter().enumerate().map(part).collect()).unwrap();
    let space = space.with_constraints(["x1 + x2 + x3 + x4 == 1"]).unwrap();
    // The top of −Σ(x − y)² for y = (0.8, 0.6, 0.1, −0.2) is the projection of y, (0.4, 0.45, 0.1, 0.05) by hand.
    let mut score = |u: &[f64], gradient: &mut [f64]| {
        let mut value = 0.0;
        for (i, y) in [0.8, 0.6, 0.1, -0.2].into_iter().enumerate() {
            let (low, high) = bounds[i];
            let x = low + u[i] * (high - low);
            gradient[i] = -2.0 * (x - y) * (high - low);
            value -= (x - y).powi(2);
        }
        value
    };
    let domain = Domain::whole(&space);
    let mut u = domain.sample(&mut Stream::new(4)).into_vec();
    domain.climber(200).from(&mut score, &mut u);
    let top = values(&domain.decode(&UnitPoint::clamped(u)));
    for (x, expected) in top.iter().zip([0.4, 0.45, 0.1, 0.05]) {
        assert!((x - expected).abs() < 1e-6, "{top:?}");
    }

    // The same climb with two parts exchanged ends at the exchanged point.
    let space = mixture(3, None);
    let domain = Domain::whole(&space);
    let climb = |start: [f64; 3], order: [usize; 3]| {
        let tops = [0.1, 0.5, 0.9];
        let mut score = |u: &[f64], gradient: &mut [f64]| {
            let mut value = 0.0;
            for i in 0..3 {
                let steep = 1.0 + order[i] as f64;
                gradient[i] = -4.0 * steep * (u[i] - tops[order[i]]).powi(3);
                value -= steep * (u[i] - tops[order[i]]).powi(4);
            }
            value
        };
        let mut u = order.map(|i| start[i]).to_vec();
        domain.climber(30).from(&mut score, &mut u);
        u
    };
    let (straight, turned) = (climb([0.2, 0.3, 0.5], [0, 1, 2]), climb([0.2, 0.3, 0.5], [2, 0, 1]));
    for (i, part) in [2, 0, 1].into_iter().enumerate() {
        assert!((turned[i] - straight[part]).abs() < 1e-9, "{straight:?} {turned:?}");
    }
}

#[test]
fn a_point_that_an_equation_forgives_is_still_moved_onto_it() {
    let space = mixture(4, None);
    let domain = Domain::whole(&space);
    let mut u = vec![0.25 + 5e-10, 0.25, 0.25, 0.25];
    assert!(domain.is_feasible(&u));
    domain.snap(&mut u);
    // A rounding of each of four terms.
    assert!((u.iter().sum::<f64>() - 1.0).abs() < 4.0 * f64::EPSILON, "{u:?}");
}

/// The smallest distance between two points.
fn apart(points: &[Vec<f64>]) -> f64 {
    let distance = |a: &Vec<f64>, b: &Vec<f64>| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let pairs = points.iter().enumerate().flat_map(|(i, a)| points[..i].iter().map(move |b| distance(a, b)));
    pairs.fold(f64::INFINITY, f64::min)
}

#[test]
fn a_plate_of_recipes_asked_for_before_any_result_is_one_design() {
    // Random points are the yardstick: blocks that ignored each other came closer together than those.
    for (n, seed) in [(3, 1), (3, 2), (4, 3), (5, 4)] {
        let space = mixture(n, None);
        let mut study = Study::new(StudyConfig::new(space.clone()).seed(seed)).unwrap();
        let mut plate: Vec<Vec<f64>> = study.ask(40).unwrap().trials.iter().map(|t| values(&t.point)).collect();
        let (domain, mut stream) = (Domain::whole(&space), Stream::new(seed));
        let mut sampler = domain.sampler();
        let random: Vec<Vec<f64>> = (0..40).map(|_| sampler.next(&mut stream).into_vec()).collect();
        assert!(apart(&plate) > 2.0 * apart(&random), "{n}, {seed}: {} and {}", apart(&plate), apart(&random));
        // A worker that asks for the rest later gets the same points as in a single ask.
        let rest = |trials: Vec<Trial>| trials.iter().map(|trial| values(&trial.point)).collect::<Vec<_>>();
        plate.extend(rest(study.ask(8).unwrap().trials));
        let mut whole = Study::new(StudyConfig::new(space).seed(seed)).unwrap();
        assert_eq!(rest(whole.ask(48).unwrap().trials), plate);
    }
}

#[test]
fn the_design_of_a_mixture_is_spread_wider_than_random_mixtures() {
    for (n, k) in [(4, None), (9, None), (10, Some(4))] {
        let space = mixture(n, k);
        let study = |design| Study::new(StudyConfig::new(space.clone()).seed(9).initial(16).design(design)).unwrap();
        let asked: Vec<Vec<f64>> =
            study(InitialDesign::Sobol).ask(16).unwrap().trials.iter().map(|trial| values(&trial.point)).collect();
        let (domain, mut stream) = (Domain::whole(&space), Stream::new(9));
        let mut sampler = domain.sampler();
        let random: Vec<Vec<f64>> = (0..16).map(|_| sampler.next(&mut stream).into_vec()).collect();
        assert!(apart(&asked) > 2.0 * apart(&random), "{} and {}", apart(&asked), apart(&random));
    }
    let corners = Points::from_rows(2, vec![0.0, 0.0, 0.4, 0.5, 1.0, 1.0, 0.9, 1.0]).unwrap();
    assert_eq!(farthest_first(&corners, 9).len(), 4);
}

#[test]
fn a_part_held_fixed_leaves_the_rest_to_the_others() {
    let mut study = Study::new(StudyConfig::new(mixture(5, Some(3))).seed(2).initial(3)).unwrap();
    drive(&mut study, 2, 3);
    let batch = study.ask(Ask::new(4).narrowed(Narrowing::new().fix("x2", 0.3).within("x1", 0.0, 0.1))).unwrap();
    assert_eq!(batch.trials.len(), 4);
    for trial in batch.trials {
        let x = values(&trial.point);
        assert!(x[1] == 0.3 && (x.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{x:?}");
        assert!(x[0] <= 0.1 && x.iter().filter(|x| **x != 0.0).count() <= 3, "{x:?}");
    }
    let nothing = study.ask(Ask::new(1).narrowed(Narrowing::new().fix("x1", 0.9).within("x2", 0.2, 1.0))).unwrap();
    let why = nothing.shortfall.unwrap();
    assert!(nothing.trials.is_empty() && why.starts_with("no point within the narrowed ranges keeps"), "{why}");
}

#[test]
fn a_space_that_is_shown_to_be_empty_is_refused_when_a_study_is_made() {
    let refused = |parameters: Vec<Parameter>, constraints: &[&str]| {
        let space = SearchSpace::new(parameters).unwrap().with_constraints(constraints.iter().copied()).unwrap();
        Study::new(StudyConfig::new(space)).unwrap_err().to_string()
    };
    // By a linear program: the first two parts would need 1.2.
    let both = ["x1 + x2 + x3 == 1", "x1 >= 0.6", "x2 >= 0.6"];
    assert!(refused(parts(3), &both).starts_with("no point within the parameters' ranges keeps all of `x1 + x2 + x3"));
    // Inequalities alone: x1 ≥ x2 + 0.5 ≥ x3 + 1 ≥ 1 ≥ x1, and x1 < 0.9.
    let chain = ["x1 >= x2 + 0.5", "x2 >= x3 + 0.5", "x1 < 0.9"];
    assert!(refused(parts(3), &chain).contains("keeps all of"));
    // By every choice of parts: four parts of at most a fifth do not make a whole.
    let fifths: Vec<Parameter> = (1..=8).map(|i| Parameter::float(format!("x{i}"), 0.0, 0.2)).collect();
    let (sum, list) = (names(8).join(" + "), names(8).join(", "));
    let few = [format!("{sum} == 1"), format!("nonzero({list}) <= 4")];
    assert!(refused(fifths.clone(), &few.each_ref().map(|text| text.as_str())).contains("keeps all of"));
    let enough = [format!("{sum} == 1"), format!("nonzero({list}) <= 5")];
    let space = SearchSpace::new(fifths).unwrap().with_constraints(enough).unwrap();
    assert_eq!(Study::new(StudyConfig::new(space)).unwrap().ask(4).unwrap().trials.len(), 4);
    // By intervals.
    assert!(refused(parts(2), &["x1 * x2 > 1.5"]).contains("keeps `x1 * x2 > 1.5`"));
    // By enumerating all points: no two of 0, 1, …, 9 have squares that differ by 2 (mod 4).
    let digits = vec![Parameter::int("m", 0, 9), Parameter::int("n", 0, 9)];
    let text = refused(digits, &["(m * m - n * n) % 4 == 2"]);
    assert!(text.starts_with("none of the 100 points within the parameters' ranges keeps the constraints"), "{text}");
}

#[test]
fn constraints_that_rejection_does_well_with_are_written_and_kept_as_ever() {
    let space = SearchSpace::new(parts(3)).unwrap().with_constraints(["x1 + x2 + x3 <= 1.2"]).unwrap();
    assert!(!Domain::whole(&space).is_constructed());
    assert!(!serde_json::to_string(&space).unwrap().contains("feasible"));

    let constructed = mixture(3, None);
    let text = serde_json::to_string(&constructed).unwrap();
    assert!(text.contains(r#""feasible":"by_construction""#), "{text}");
    assert_eq!(serde_json::from_str::<SearchSpace>(&text).unwrap(), constructed);

    // A log without this setting was written when all points were found by rejection, and continues in that way; a new
    // study created from the same text does not.
    let created = serde_json::to_string(&Event::Created { config: Box::new(StudyConfig::new(constructed)) }).unwrap();
    let old = created.replace(r#","feasible":"by_construction""#, "");
    assert_ne!(old, created);
    let Event::Created { config: old } = serde_json::from_str(&old).unwrap() else { panic!("not created") };
    assert!(!Domain::whole(&old.space).is_constructed());
    let mut study = Study::replay([Event::Created { config: old.clone() }]).unwrap();
    assert!(study.ask(2).unwrap().trials.is_empty());
    let new = StudyConfig::new(mixture(3, None));
    assert!(*old != new && new.with_defaults_of(&old) == *old);
}

#[test]
fn wide_mixtures_are_answered() {
    // A hundred parts, at most ten of them; and two hundred without a limit.
    for (n, k) in [(100, Some(10)), (200, None)] {
        let mut study = Study::new(StudyConfig::new(mixture(n, k)).seed(1).initial(4)).unwrap();
        for x in drive(&mut study, 1, 4) {
            assert!((x.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(x.iter().filter(|x| **x != 0.0).count() <= k.unwrap_or(n));
        }
    }
}

#[test]
fn bounds_that_leave_no_room_between_them_are_said_at_once() {
    for constraints in [["x1 < x2", "x2 < x1"], ["x1 + x2 <= 1", "2 * x1 + 2 * x2 >= 2"]] {
        let space = SearchSpace::new(parts(2)).unwrap().with_constraints(constraints).unwrap();
        let asked = Study::new(StudyConfig::new(space)).unwrap().ask(3).unwrap();
        let why = asked.shortfall.unwrap();
        assert!(asked.trials.is_empty() && why.contains("write two that meet as one `==`"), "{why}");
    }
    // A gap is recognized as empty.
    let space = SearchSpace::new(parts(2)).unwrap().with_constraints(["x1 + x2 <= 0.5", "x1 + x2 >= 0.6"]).unwrap();
    assert!(Study::new(StudyConfig::new(space)).unwrap_err().to_string().contains("keeps all of"));
    // A little room is enough.
    let space = SearchSpace::new(parts(2)).unwrap().with_constraints(["x1 + x2 <= 1", "x1 + x2 >= 0.99999"]).unwrap();
    assert_eq!(Study::new(StudyConfig::new(space)).unwrap().ask(5).unwrap().trials.len(), 5);
}

#[test]
fn parts_that_cannot_be_zero_count_among_those_that_are_not() {
    let part = |name: &String| Parameter::float(name.clone(), 0.1, 1.0);
    let space = SearchSpace::new(names(4).iter().map(part).collect()).unwrap();
    let space = space.with_constraints(["x1 + x2 + x3 + x4 == 1", "nonzero(x1, x2, x3, x4) <= 2"]).unwrap();
    let error = Study::new(StudyConfig::new(space)).unwrap_err().to_string();
    assert!(error.contains("no point within the parameters' ranges keeps `nonzero(x1, x2, x3, x4) <= 2`"), "{error}");
    // The same for parts that an ask holds: one alone cannot be 0.3 of the whole, and two are too many.
    let mut study = Study::new(StudyConfig::new(mixture(3, Some(1)))).unwrap();
    let asked = study.ask(Ask::new(1).fix("x1", 0.3)).unwrap();
    let why = asked.shortfall.unwrap();
    assert!(asked.trials.is_empty() && why.contains("no point within the narrowed ranges keeps all of"), "{why}");
}
