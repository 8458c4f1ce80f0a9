//! Random spaces of every kind of parameter, with conditions, sums, tables and contexts, whose trials end in every way:
//! each proposed point is in the space, keeps its constraints and was not tried before; a shortfall has a reason; and
//! the log reproduces the study.

use std::collections::HashSet;

use elbowroom::domain::Narrowing;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, PointKey, SearchSpace, Value};
use elbowroom::study::{
    Ask, Event, FailureRule, Goal, Outcome, Outcomes, Results, StrategyConfig, Study, StudyConfig, Tell, TrialId,
    verify,
};

fn one_of<T: Clone>(draw: &mut Stream, all: &[T]) -> T {
    all[draw.below(all.len())].clone()
}

fn parameter(draw: &mut Stream, i: usize) -> Parameter {
    let name = format!("p{i}");
    match draw.below(11) {
        0 => Parameter::float(name, -1.0, 2.0),
        1 => Parameter::float(name, 1e-6, 1e3).log(),
        2 => Parameter::float(name, 0.0, 1.0).step(one_of(draw, &[0.1, 0.25, 0.05])),
        3 => Parameter::int(name, -3, one_of(draw, &[-3, 5, 1000, 1 << 49])),
        4 => Parameter::int(name, 1, one_of(draw, &[2, 64, 1 << 40])).log(),
        5 => Parameter::ladder(name, [0.0, 0.1, 3.0]),
        6 => Parameter::ladder(name, [1e-9, 1.0, 2.0, 1e6]).log(),
        7 => Parameter::ordered(name, ["lo", "mid", "hi"]),
        8 => Parameter::category(name, (0..one_of(draw, &[1, 2, 17])).map(|k| format!("c{k}"))),
        9 => Parameter::fixed(name, 3.5),
        _ => Parameter::category(name, ["a", "b", "c"]).described(["x", "y"], [[1.0, 2.0], [1.0, 2.0], [1.0, 1e9]]),
    }
}

/// A condition on this parameter, if there can be one.
fn condition(draw: &mut Stream, on: &Parameter) -> Option<String> {
    let name = on.name();
    if let Parameter::Int { low, high, .. } = on {
        let at = low + (draw.uniform() * (high - low) as f64) as i64;
        return Some(one_of(draw, &[format!("{name} <= {at}"), format!("{name} == {at}")]));
    }
    let listed = on.listed();
    if listed.len() < 2 {
        return None;
    }
    Some(match one_of(draw, listed) {
        Value::Text(text) => format!("{name} == '{text}'"),
        value => format!("{name} == {value}"),
    })
}

fn space(draw: &mut Stream) -> Option<SearchSpace> {
    let mut parameters: Vec<Parameter> = Vec::new();
    let is_conditional = draw.below(2) == 0;
    for i in 0..1 + draw.below(6) {
        let mut parameter = parameter(draw, i);
        if is_conditional && i > 0 && draw.below(2) == 0 {
            let on = one_of(draw, &parameters);
            parameter = condition(draw, &on).into_iter().fold(parameter, |parameter, text| parameter.when(text));
        }
        parameters.push(parameter);
    }
    let mut constraints = Vec::new();
    if draw.below(3) == 0 {
        let names: Vec<String> = (0..2 + draw.below(4)).map(|i| format!("m{i}")).collect();
        parameters.extend(names.iter().map(|name| Parameter::float(name.clone(), 0.0, 1.0)));
        constraints.push(format!("{} {} 1", names.join(" + "), one_of(draw, &["==", "<=", "=="])));
        constraints.push(format!("nonzero({}) <= {}", names.join(", "), 1 + draw.below(names.len())));
    }
    let space = SearchSpace::new(parameters).ok()?;
    if !constraints.is_empty() || draw.below(5) > 0 {
        return Some(space.with_constraints(constraints).unwrap());
    }
    let mut seen = HashSet::new();
    let drawn: Vec<_> = (0..20).map(|_| space.sample(draw)).filter(|u| seen.insert(space.key(u))).collect();
    let rows: Vec<Point> = drawn.iter().map(|u| space.decode(u)).collect();
    Some(space.with_candidates(rows).unwrap())
}

fn config(draw: &mut Stream, space: SearchSpace) -> StudyConfig {
    let mut config = StudyConfig::new(space).seed(draw.bits()).initial(1 + draw.below(6));
    if draw.below(2) == 0 {
        let goal = [Goal::Minimize, Goal::Maximize][draw.below(2)];
        let mut outcomes = vec![Outcome::objective("o0", goal), Outcome::watched("limited").at_least(0.5)];
        outcomes.extend((0..draw.below(3)).map(|i| Outcome::objective(format!("more{i}"), goal)));
        config = config.outcomes(Outcomes::new(outcomes).unwrap());
    } else if draw.below(3) == 0 {
        config = config.strategy(StrategyConfig::named(one_of(draw, &StrategyConfig::names())).unwrap());
    }
    if draw.below(4) == 0 { config.failures(FailureRule::Ignore) } else { config }
}

fn value(draw: &mut Stream, point: &Point) -> f64 {
    let size = |(_, value): (&str, &Value)| value.as_f64().map_or(1.0, |x| x.abs().ln_1p());
    let wild = [1e300, -1e300, f64::NAN, f64::INFINITY];
    if draw.below(10) == 0 { one_of(draw, &wild) } else { point.iter().map(size).sum() }
}

/// Ends a trial in one of many ways, or leaves it.
fn end(draw: &mut Stream, study: &mut Study, id: TrialId) {
    let point = study.trial(id).unwrap().point.clone();
    let names: Vec<String> = study.outcomes().declared().iter().map(|one| one.name.clone()).collect();
    match draw.below(12) {
        0 => study.fail(id, "broken").unwrap(),
        1 => study.infeasible(id, "no").unwrap(),
        2 => {}
        3 => drop(study.tell(id, Tell::new(value(draw, &point)).correction()).unwrap()),
        _ if names.is_empty() => drop(study.tell(id, value(draw, &point)).unwrap()),
        _ => {
            let mut results = Results::default();
            for name in names {
                // The other results come late, or never.
                if draw.below(5) > 0 {
                    results = results.with(name, value(draw, &point));
                }
            }
            if !results.is_empty() {
                study.tell(id, results).unwrap();
            }
        }
    }
}

/// The whole space, or with a parameter held at the value of some point.
fn narrowing(draw: &mut Stream, space: &SearchSpace) -> Narrowing {
    let point = space.decode(&space.sample(draw));
    let all: Vec<(&str, &Value)> = point.iter().collect();
    if draw.below(4) > 0 || all.is_empty() {
        return Narrowing::new();
    }
    let (name, value) = one_of(draw, &all);
    match value.as_f64().filter(|_| draw.below(2) == 0) {
        Some(_) => Narrowing::new().within(name, value.clone(), value.clone()),
        None => Narrowing::new().fix(name, value.clone()),
    }
}

fn check(study: &Study, narrowing: &Narrowing, point: &Point, seen: &mut HashSet<PointKey>) {
    let space = study.space();
    let u = space.encode(point).unwrap();
    assert!(space.broken_constraint(point).unwrap().is_none(), "{point}");
    assert!(narrowing.holds_at(point), "{point} for {narrowing:?}");
    assert!(seen.insert(space.key(&u)), "{point} again");
    let parts: Vec<f64> =
        point.iter().filter(|(name, _)| name.starts_with('m')).filter_map(|(_, x)| x.as_f64()).collect();
    if space.constraints().iter().any(|constraint| constraint.text().ends_with("== 1")) {
        assert!((parts.iter().sum::<f64>() - 1.0).abs() <= 1e-9, "{point}");
    }
}

#[test]
fn any_space_is_asked_and_told_whatever_happens_to_its_trials() {
    for seed in 0..45 {
        let mut draw = Stream::new(seed).child("any space", 0);
        let Some(space) = space(&mut draw) else { continue };
        let read: SearchSpace = serde_json::from_str(&serde_json::to_string(&space).unwrap()).unwrap();
        assert_eq!(read, space, "{seed}");
        let config = config(&mut draw, space);
        // Some strategies support a single objective only, and some spaces are provably empty.
        let Ok(mut study) = Study::new(config) else { continue };
        let mut seen = HashSet::new();
        for _ in 0..5 {
            let (q, narrowing) = (one_of(&mut draw, &[1, 2, 6]), narrowing(&mut draw, study.space()));
            let asked = study.ask(Ask::new(q).narrowed(narrowing.clone())).unwrap();
            assert!(asked.trials.len() == q || asked.shortfall.is_some(), "{seed}");
            asked.trials.iter().for_each(|trial| check(&study, &narrowing, &trial.point, &mut seen));
            let mut open: Vec<TrialId> = study.pending().map(|trial| trial.id).collect();
            draw.shuffle(&mut open);
            open.into_iter().for_each(|id| end(&mut draw, &mut study, id));
        }
        let recommended = study.recommended();
        assert!(recommended.is_none_or(|found| study.space().encode(&found.point).is_ok()), "{seed}");
        let written: Vec<String> = study.events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        let read: Vec<Event> = written.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(verify(&read).unwrap().is_empty(), "{seed}");
    }
}
