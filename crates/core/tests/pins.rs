//! Logs written by the last commit before strategies explained themselves, replayed to the bit.
//!
//! Every strategy and every rule of one has a short study in `data/pins/`: `NAME.jsonl` is its log, `NAME.facts` has
//! the facts that are not in a log (the recommendation, the highest mean, one more batch with its counts), with floats
//! as bit patterns. They must never be rewritten: `record` writes only missing ones. (There were exceptions: nine cases
//! with grids or constraints, when M̂ became the largest mean of points that can be proposed; two with declared noise,
//! when that no longer chose the bend; the facts of those with a noise of two laws, not their logs, when the ± of a
//! recommendation began to allow for noise that results do not rule out; those with failures, when borders became sharp
//! a priori, when the gate no longer opened with the belief in a place, when some failures could be chance while others
//! have a place, and when failures by chance no longer made a search careful; and that of a thousand results, when fits
//! beyond 80 came closer to their maximum. Those named `now` were added with kernels that compete and points that
//! refine, `limits` and `front` with several outcomes, `conditions` with parameters that not every point has.) Results
//! depend on the processor level, so a log of another level is read, folded and continued, but not compared.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use elbowroom::batch::{
    AcquisitionKind, Adaptive, BatchSize, BatchStrategy, Believer, Beta, Candidates, HallucinatedUcb, Lie,
    LipschitzRule, LocalPenalization, MaximumRule, Plain, PureExploration, RandomRest, Refit, RegionRule,
    SimulationMatching, Situation, StopRule, Thompson, Tried,
};
use elbowroom::domain::Domain;
use elbowroom::gp::{KernelKind, Prior};
use elbowroom::penalty::PenalizerKind;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace, UnitPoint};
use elbowroom::study::{
    Ask, Build, Event, Goal, HyperparameterRule, InitialDesign, ModelConfig, Outcome, Outcomes, Recommendation,
    StrategyConfig, Study, StudyConfig, Tell, Trial, TrialState, Watched, verify,
};

/// A study to record: a name, a configuration, and how it is run.
struct Case {
    name: String,
    config: StudyConfig,
    drive: fn(&mut Study),
}

/// With the defaults of that time: one kernel, a noise of one law, and no points that refine.
fn case(name: impl Into<String>, config: StudyConfig, drive: fn(&mut Study)) -> Case {
    let mut config = of_one_law(config);
    if config.model.kernels == ModelConfig::default().kernels {
        config.model.kernels = vec![KernelKind::Matern52.into()];
    }
    match &mut config.strategy {
        StrategyConfig::LocalPenalization(strategy) => strategy.refine = None,
        StrategyConfig::Adaptive(strategy) => strategy.strategy.refine = None,
        _ => {}
    }
    Case { name: name.into(), config, drive }
}

fn of_one_law(config: StudyConfig) -> StudyConfig {
    let mut config = of_six(config);
    config.model.noise_prior = Prior::ONCE_OF_NOISE;
    config
}

/// With the defaults up to 0.6.0, when categories had the prior of numbers and 2,000 points were scored.
fn of_six(mut config: StudyConfig) -> StudyConfig {
    config.model.category_prior = None;
    config.score_all = None;
    config
}

/// Two floats, one of them on a logarithmic scale.
fn floats() -> StudyConfig {
    let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 2.0), Parameter::float("r", 1e-4, 1.0).log()]);
    StudyConfig::new(space.unwrap()).seed(7).initial(5)
}

/// Floats, short and long integers, a category, and a constraint.
fn mixed() -> StudyConfig {
    let space = SearchSpace::new(vec![
        Parameter::float("x", 0.0, 1.0),
        Parameter::int("n", 1, 5),
        Parameter::int("m", 0, 300),
        Parameter::category("kind", ["a", "b", "c"]),
    ]);
    StudyConfig::new(space.unwrap().with_constraints(["x + 0.002 * m <= 1.2"]).unwrap()).seed(11).initial(5)
}

/// Twelve points.
fn finite() -> StudyConfig {
    let space = SearchSpace::new(vec![Parameter::int("n", 1, 4), Parameter::category("kind", ["a", "b", "c"])]);
    StudyConfig::new(space.unwrap()).seed(3).initial(4)
}

/// Numbers of a list at their distances, floats with a step, a category with descriptors, and a table.
fn lists() -> [(&'static str, SearchSpace); 4] {
    let ladder = Parameter::ladder("batch", [16, 32, 64, 128, 1024]).log();
    let heights = Parameter::ladder("height", [0.5, 1.0, 4.0, 4.5, 9.0]);
    let step = Parameter::float("rate", 0.0, 1.0).step(0.05);
    let fine = Parameter::float("shift", -0.3, 0.3).step(0.001);
    let solvent = Parameter::category("solvent", ["water", "methanol", "ethanol", "hexane"])
        .described(["permittivity", "density"], [[80.1, 1.0], [32.7, 0.79], [24.5, 0.79], [1.9, 0.66]]);
    let row = |i: i64| Point::new().with("dose", 0.1 * (i * i % 17) as f64).with("kind", i % 3).with("n", i);
    let of = |parameters| SearchSpace::new(parameters).unwrap();
    [
        ("ladder", of(vec![ladder, heights, Parameter::float("x", 0.0, 1.0)])),
        ("step", of(vec![step, fine, Parameter::int("n", 1, 5)])),
        ("descriptors", of(vec![solvent, Parameter::float("x", 0.0, 1.0)])),
        ("table", SearchSpace::of_candidates((0..40).map(row)).unwrap()),
    ]
}

/// Two levels of conditions, with a constraint on parameters of a single branch.
fn conditional() -> StudyConfig {
    let space = SearchSpace::new(vec![
        Parameter::float("x", 0.0, 1.0),
        Parameter::category("kind", ["a", "b", "c"]),
        Parameter::int("n", 1, 5).when("kind != 'c'"),
        Parameter::float("y", -1.0, 1.0).when("kind == 'a' or n >= 4"),
        Parameter::category("mode", ["s", "t", "u"]).when("n in (2, 3)"),
    ]);
    StudyConfig::new(space.unwrap().with_constraints(["x + y <= 1.2"]).unwrap()).seed(13).initial(5)
}

/// A smooth value of any of these points.
fn value(point: &Point) -> f64 {
    let mut sum = 0.0;
    for (k, (_, v)) in point.iter().enumerate() {
        let v = v.as_f64().unwrap_or_else(|| v.to_string().len() as f64 + f64::from(v.to_string().as_bytes()[0] % 7));
        let z = v / (1.0 + v.abs()) - 0.2 * (k as f64 + 1.0);
        sum += z * z + 0.1 * (5.0 * z).sin();
    }
    sum
}

fn tell(study: &mut Study, trial: &Trial) {
    study.tell(trial.id, value(&trial.point)).unwrap();
}

/// The design, then two batches of three, the last of which stays pending in part.
fn batches(study: &mut Study) {
    for q in [5, 3, 3] {
        for trial in &study.ask(q).unwrap().trials {
            tell(study, trial);
        }
    }
    study.ask(2).unwrap();
}

/// One batch after the design, for expensive strategies.
fn one_batch(study: &mut Study) {
    for trial in &study.ask(5).unwrap().trials {
        tell(study, trial);
    }
    study.ask(3).unwrap();
}

/// Until nothing is left, and once more.
fn to_the_end(study: &mut Study) {
    loop {
        let asked = study.ask(4).unwrap();
        if asked.trials.is_empty() {
            break;
        }
        asked.trials.iter().for_each(|trial| tell(study, trial));
    }
}

/// Three workers: the second oldest finishes first.
fn workers(study: &mut Study) {
    for trial in &study.ask(4).unwrap().trials {
        tell(study, trial);
    }
    study.ask(3).unwrap();
    for _ in 0..6 {
        // A batch that ends early may leave one worker, or none.
        if let Some(next) = study.pending().take(2).last().cloned() {
            tell(study, &next);
        }
        study.ask(1).unwrap();
    }
}

/// Workers of which some are lost, some are late, and some choose with older results.
fn lost(study: &mut Study) {
    for trial in &study.ask(5).unwrap().trials {
        tell(study, trial);
    }
    let first = study.ask(3).unwrap().trials;
    let belief = study.belief();
    tell(study, &first[0]);
    // The second is lost and handed out once more, next to a new one that is based on the older results.
    let again =
        study.suggest_with(Ask::new(2).with_pending(vec![first[2].id]).retrying(vec![first[1].id]), &belief).unwrap();
    study.apply(again.into_event(None)).unwrap();
    tell(study, &first[2]);
    let late = Event::Told {
        trial: first[1].id,
        value: value(&first[1].point),
        noise: None,
        results: Watched::NONE,
        comment: None,
        correction: false,
        late: true,
        request: None,
    };
    study.apply(late).unwrap();
    study.ask(2).unwrap();
}

/// Half of the points give no value.
fn failing(study: &mut Study) {
    for q in [5, 2, 2, 2, 2] {
        for trial in &study.ask(q).unwrap().trials {
            let first = trial.point.iter().next().unwrap().1.as_f64().unwrap();
            match trial.id.0 % 5 {
                _ if first > 0.7 => study.infeasible(trial.id, "too much").unwrap(),
                3 => study.fail(trial.id, "diverged").unwrap(),
                _ => tell(study, trial),
            }
        }
    }
    study.ask(2).unwrap();
}

/// Every result has its noise.
fn noisy(study: &mut Study) {
    for q in [5, 3, 3] {
        for trial in &study.ask(q).unwrap().trials {
            let noise = 0.01 + 0.005 * (trial.id.0 % 3) as f64;
            study.tell(trial.id, Tell::new(value(&trial.point)).noise(noise)).unwrap();
        }
    }
    study.ask(2).unwrap();
}

/// More results than a model may have, all given.
fn thousand(study: &mut Study) {
    let mut draw = Stream::new(5);
    for _ in 0..1000 {
        let point = Point::new().with("x", draw.uniform()).with("y", draw.uniform());
        study.add(&point, value(&point)).unwrap();
    }
    let trials = study.ask(2).unwrap().trials;
    tell(study, &trials[0]);
    study.ask(2).unwrap();
}

/// Two results of each trial, the second of which comes a batch later for the first trial of a batch.
fn late_results(study: &mut Study) {
    let second = |trial: &Trial| ("second", (3.0 * value(&trial.point)).cos());
    let mut late: Option<Trial> = None;
    for q in [5, 3, 3] {
        let trials = study.ask(q).unwrap().trials;
        study.tell(trials[0].id, value(&trials[0].point)).unwrap();
        for trial in &trials[1..] {
            study.tell(trial.id, [("value", value(&trial.point)), second(trial)]).unwrap();
        }
        if let Some(trial) = late.replace(trials[0].clone()) {
            study.tell(trial.id, [second(&trial)]).unwrap();
        }
    }
    study.ask(2).unwrap();
}

/// A limit on a second result, or a second objective.
fn cases_of_outcomes() -> Vec<Case> {
    let mut cases = Vec::new();
    let first = || Outcome::objective("value", Goal::Minimize);
    let limited = Outcomes::new(vec![first(), Outcome::watched("second").at_least(0.5)]).unwrap();
    let second = Outcome::objective("second", Goal::Maximize).worst(-1.0);
    let both = Outcomes::new(vec![first().worst(3.0), second]).unwrap();
    for (name, config) in [("floats", floats()), ("mixed", mixed())] {
        let (limited, both) = (limited.clone(), both.clone());
        // As up to 0.7.0, and as it is now.
        let since = config.clone().outcomes(limited);
        let mut once = since.clone();
        once.limited = None;
        cases.push(Case { name: format!("limits-{name}"), config: once, drive: late_results });
        cases.push(Case { name: format!("distance-{name}"), config: since, drive: late_results });
        let believer = config.outcomes(both).strategy(StrategyConfig::Believer(Believer::default()));
        cases.push(Case { name: format!("front-{name}"), config: believer, drive: late_results });
    }
    cases
}

fn with(strategy: StrategyConfig) -> StudyConfig {
    floats().strategy(strategy)
}

fn penalized(change: impl FnOnce(&mut LocalPenalization)) -> StudyConfig {
    let mut strategy = LocalPenalization::default();
    change(&mut strategy);
    with(StrategyConfig::LocalPenalization(strategy))
}

/// Each strategy in each kind of space, and with failures.
fn cases_of_strategies() -> Vec<Case> {
    let mut cases = Vec::new();
    for strategy in StrategyConfig::all() {
        let name = strategy.name();
        let dear = matches!(strategy, StrategyConfig::Multipoint);
        let drive = if dear { one_batch } else { batches };
        cases.push(case(format!("{name}-floats"), floats().strategy(strategy.clone()), drive));
        cases.push(case(format!("{name}-mixed"), mixed().strategy(strategy.clone()), drive));
        cases.push(case(format!("{name}-finite"), finite().strategy(strategy.clone()), to_the_end));
        cases.push(case(format!("{name}-workers"), floats().strategy(strategy.clone()), workers));
        cases.push(case(format!("{name}-failures"), floats().seed(2).strategy(strategy), failing));
    }
    cases
}

/// With the defaults of 0.5.0, whose noise had one law, and with the current ones.
fn cases_of_now() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, config, drive) in [
        ("floats", floats(), batches as fn(&mut Study)),
        ("mixed", mixed(), batches),
        ("finite", finite(), to_the_end),
        ("workers", floats(), workers),
        ("failures", floats().seed(2), failing),
    ] {
        cases.push(Case { name: format!("now-{name}"), config: of_one_law(config.clone()), drive });
        cases.push(Case { name: format!("six-{name}"), config: of_six(config), drive });
    }
    for (name, space) in lists() {
        let config = StudyConfig::new(space).seed(13).initial(5);
        cases.push(Case { name: name.into(), config, drive: batches });
    }
    // With the rules for categories.
    cases.push(Case { name: "categories-mixed".into(), config: mixed(), drive: batches });
    cases.push(Case { name: "categories-finite".into(), config: finite(), drive: to_the_end });
    // With parameters that not every point has.
    cases.push(Case { name: "conditions-batches".into(), config: conditional(), drive: batches });
    cases.push(Case { name: "conditions-workers".into(), config: conditional(), drive: workers });
    cases.push(Case { name: "conditions-failures".into(), config: conditional(), drive: failing });
    cases
}

/// Each rule that a strategy has.
fn cases_of_rules() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, stop) in [
        ("mean_shift", StopRule::MeanShift { most: 0.02 }),
        ("score_drop", StopRule::ScoreDrop { most: 0.5 }),
        ("information", StopRule::Information { most: 6.0 }),
        ("gain", StopRule::Gain { least: 0.3 }),
    ] {
        let strategy = Adaptive { stop, ..Adaptive::default() };
        cases.push(case(format!("stop-{name}"), with(StrategyConfig::Adaptive(strategy.clone())), batches));
        cases.push(case(format!("stop-{name}-workers"), with(StrategyConfig::Adaptive(strategy)), workers));
    }
    for (name, lie) in [
        ("optimistic", Lie::Optimistic),
        ("pessimistic", Lie::Pessimistic),
        ("mean_of_values", Lie::MeanOfValues),
        ("constant", Lie::Constant(0.5)),
        ("mix", Lie::Mix),
    ] {
        let strategy = Believer { lie, ..Believer::default() };
        cases.push(case(format!("lie-{name}"), with(StrategyConfig::Believer(strategy)), batches));
    }
    for (name, refit) in
        [("map", Refit::Map { ard: true }), ("likelihood", Refit::MaximumLikelihood { ard: false, starts: 2 })]
    {
        let strategy = Believer { refit, ..Believer::default() };
        cases.push(case(format!("refit-{name}"), with(StrategyConfig::Believer(strategy)), batches));
    }
    for (name, rule) in [("local", LipschitzRule::Local), ("point", LipschitzRule::Point)] {
        cases.push(case(format!("lipschitz-{name}"), penalized(|s| s.lipschitz = rule), batches));
    }
    cases.push(case(
        "lipschitz-local-mixed",
        {
            let strategy = LocalPenalization { lipschitz: LipschitzRule::Local, ..LocalPenalization::default() };
            mixed().strategy(StrategyConfig::LocalPenalization(strategy))
        },
        batches,
    ));
    for (name, rule) in [("observed", MaximumRule::MaxObserved), ("given", MaximumRule::Given(1.5))] {
        cases.push(case(format!("maximum-{name}"), penalized(|s| s.maximum = rule), batches));
    }
    for (name, kind) in [("soft", Some(PenalizerKind::Soft)), ("hard", Some(PenalizerKind::Hard)), ("none", None)] {
        cases.push(case(format!("penalizer-{name}"), penalized(|s| s.penalizer = kind), batches));
    }
    for (name, kind) in [
        ("ucb", AcquisitionKind::Ucb { kappa: 2.0 }),
        ("paper_ucb", AcquisitionKind::PaperUcb { kappa: 2.0 }),
        ("pi", AcquisitionKind::Pi),
        ("mean", AcquisitionKind::Mean),
    ] {
        cases.push(case(format!("acquisition-{name}"), penalized(|s| s.acquisition = kind), batches));
        let plain = StrategyConfig::Plain(Plain { acquisition: kind });
        cases.push(case(format!("acquisition-{name}-plain"), with(plain), batches));
    }
    let rest = RandomRest { acquisition: AcquisitionKind::Ucb { kappa: 1.0 } };
    cases.push(case("random_rest-ucb", with(StrategyConfig::RandomRest(rest)), batches));
    for (name, beta) in
        [("srinivas", Beta::Srinivas { delta: 0.1 }), ("desautels", Beta::Desautels { delta: 0.1, c: 0.3 })]
    {
        let hallucinated = HallucinatedUcb { beta, ..HallucinatedUcb::default() };
        cases.push(case(format!("beta-{name}"), with(StrategyConfig::HallucinatedUcb(hallucinated)), batches));
        let exploring = PureExploration { beta, region: RegionRule::Program, ..PureExploration::default() };
        cases.push(case(format!("beta-{name}-explore"), with(StrategyConfig::PureExploration(exploring)), batches));
    }
    cases
}

/// Candidates of a grid, paper settings, designs, models, and the ways in which a study can proceed.
fn cases_of_studies() -> Vec<Case> {
    let candidates = Candidates::Grid { n: 64.try_into().unwrap(), seed: 9 };
    let (paper_ei, paper_ucb) = (LocalPenalization::paper_ei(), LocalPenalization::paper_ucb());
    let hallucinated = HallucinatedUcb { candidates, ..HallucinatedUcb::default() };
    let exploring = PureExploration { candidates, ..PureExploration::default() };
    let matching = SimulationMatching { candidates, whitened: true, ..SimulationMatching::default() };
    let likelihood = HyperparameterRule::MaximumLikelihood { starts: 3 };
    let fixed = HyperparameterRule::Fixed { variance: 1.0, lengthscales: vec![0.3, 0.4], noise: 1e-4 };
    let model = |rule| ModelConfig { hyperparameters: rule, ..ModelConfig::default() };
    let known = ModelConfig { noise: Some(0.02), ..ModelConfig::default() };
    let square = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::float("y", 0.0, 1.0)]).unwrap();
    let few = ModelConfig { max_observations: 200, ..ModelConfig::default() };
    vec![
        case("paper_ei", with(StrategyConfig::LocalPenalization(paper_ei)), batches),
        case("paper_ucb", with(StrategyConfig::LocalPenalization(paper_ucb)), batches),
        case("grid-hallucinated", with(StrategyConfig::HallucinatedUcb(hallucinated)), batches),
        case("grid-explore", with(StrategyConfig::PureExploration(exploring)), batches),
        case("grid-matching", with(StrategyConfig::SimulationMatching(matching)), batches),
        case("grid-thompson", with(StrategyConfig::Thompson(Thompson { candidates })), batches),
        case("design-hypercube", floats().design(InitialDesign::LatinHypercube), batches),
        case("design-uniform", floats().design(InitialDesign::Uniform), batches),
        case("model-likelihood", floats().model(model(likelihood)), batches),
        case("model-fixed", floats().model(model(fixed)), batches),
        case("lost", floats(), lost),
        case("failures-mixed", mixed().seed(4), failing),
        case("noise", floats(), noisy),
        case("noise-known", floats().model(known), batches),
        case("repeats", finite().repeats(true).budget(18), to_the_end),
        case("budget", floats().budget(10), to_the_end),
        case("thousand", StudyConfig::new(square).seed(1).initial(5).model(few), thousand),
    ]
}

fn cases() -> Vec<Case> {
    let mut cases = cases_of_strategies();
    cases.extend(cases_of_rules());
    cases.extend(cases_of_studies());
    cases.extend(cases_of_now());
    cases.extend(cases_of_outcomes());
    cases
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/pins")
}

fn read(name: &str) -> Vec<Event> {
    let text = std::fs::read_to_string(folder().join(format!("{name}.jsonl"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The processor level that a log was written on.
fn level(events: &[Event]) -> &str {
    let found = events.iter().find_map(|event| match event {
        Event::Asked { provenance, .. } => Some(provenance.build.cpu.as_str()),
        _ => None,
    });
    found.expect("every study was asked")
}

fn bits(values: &[f64]) -> String {
    values.iter().map(|v| format!("{:016x}", v.to_bits())).collect::<Vec<_>>().join(" ")
}

fn recommendation(found: Option<Recommendation>) -> String {
    found.map_or("none".to_owned(), |found| {
        format!("{:?} {} {} {:?}", found.trial, found.point, bits(&[found.mean, found.sd]), found.fallback)
    })
}

/// Facts that are not in the log, in lines.
fn facts(study: &Study) -> String {
    let mut text = format!("recommended {}\n", recommendation(study.recommended()));
    writeln!(text, "highest_mean {}", recommendation(study.highest_mean())).unwrap();
    let (Ok(model), Ok(chance)) = (study.model(), study.chance()) else { return text + "no model\n" };
    let pending: Vec<UnitPoint> = study.pending().map(|trial| trial.unit.clone()).collect();
    let taken: HashSet<_> = study.trials().iter().map(|trial| study.space().key(&trial.unit)).collect();
    let has_failed = |t: &&Trial| matches!(t.state, TrialState::Failed { .. } | TrialState::Infeasible { .. });
    let failed = study.trials().iter().filter(has_failed).map(|trial| trial.unit.as_slice()).collect();
    let tried = Tried { points: study.trials().iter().map(|trial| trial.unit.as_slice()).collect(), failed };
    let stream = Stream::new(99);
    let domain = Domain::whole(study.space());
    let situation = Situation::new(&model.posterior, &domain, &pending, &taken, &stream);
    let situation = Situation { tried: &tried, chance: chance.as_deref(), ..situation };
    for q in [1, 3] {
        let batch = study.config().strategy.choose(&situation, BatchSize::new(q).unwrap()).unwrap();
        let info = &batch.info;
        writeln!(text, "batch {q}: evaluations {} work {}", info.evaluations, bits(&[info.work])).unwrap();
        let estimates: Vec<f64> = info.lipschitz.into_iter().chain(info.maximum).collect();
        writeln!(text, "  estimates {} scores {} ended {:?}", bits(&estimates), bits(&info.scores), info.ended)
            .unwrap();
        batch.points.iter().for_each(|u| writeln!(text, "  point {}", bits(u)).unwrap());
    }
    text
}

#[test]
#[ignore = "writes the data of the other tests, where it is missing"]
fn record() {
    for case in cases() {
        let path = folder().join(format!("{}.jsonl", case.name));
        if path.exists() {
            let beside = path.with_extension("facts");
            if !beside.exists() {
                std::fs::write(beside, facts(&Study::replay(read(&case.name)).unwrap())).unwrap();
            }
            continue;
        }
        let mut study = Study::new(case.config).unwrap();
        (case.drive)(&mut study);
        let lines: Vec<String> = study.events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        std::fs::write(path.with_extension("facts"), facts(&study)).unwrap();
        std::fs::write(path, lines.join("\n") + "\n").unwrap();
    }
}

#[test]
fn every_case_has_a_log_and_every_log_a_case() {
    let names: BTreeSet<String> = cases().into_iter().map(|case| case.name).collect();
    let stems = |extension: &str| -> BTreeSet<String> {
        let files = std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path());
        let wanted = files.filter(|path| path.extension().is_some_and(|found| found == extension));
        wanted.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(stems("jsonl"), names);
    assert_eq!(stems("facts"), names);
}

#[test]
fn logs_of_the_start_are_chosen_again_to_the_bit() {
    let current = Build::current();
    let (mut n_compared, mut differing) = (0, Vec::new());
    for case in cases() {
        let mut events = read(&case.name);
        let is_ours = level(&events) == current.cpu;
        let study = Study::replay(events.clone()).unwrap();
        assert_eq!(study.config(), &case.config, "{}", case.name);
        if !is_ours {
            study.suggest(1).unwrap();
            continue;
        }
        // Later versions choose the same until one declares that it does not.
        for event in &mut events {
            if let Event::Asked { provenance, .. } = event {
                provenance.build.version.clone_from(&current.version);
            }
        }
        differing.extend(verify(&events).unwrap().into_iter().map(|difference| (case.name.clone(), difference.what)));
        let recorded = std::fs::read_to_string(folder().join(format!("{}.facts", case.name))).unwrap();
        if facts(&study) != recorded {
            differing.push((case.name, "its facts".to_owned()));
        }
        n_compared += 1;
    }
    assert!(differing.is_empty(), "{differing:#?}");
    // All were recorded on one level.
    assert!(n_compared == cases().len() || n_compared == 0, "{n_compared}");
}

/// The text of all sources of the core, except their tests.
fn sources(folder: &Path, text: &mut String) {
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        if file.is_dir() {
            sources(&file, text);
        } else {
            let source = std::fs::read_to_string(file).unwrap();
            let code = source.split("#[cfg(test)]").next().unwrap_or_default();
            code.lines().filter(|line| !line.trim_start().starts_with("//")).for_each(|line| {
                text.push_str(line);
                text.push('\n');
            });
        }
    }
}

#[test]
fn names_of_random_streams_are_those_that_logs_rest_on() {
    let mut text = String::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../src"), &mut text);
    let named = text.split("child(\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default());
    let names: BTreeSet<&str> = named.collect();
    // Another name draws other numbers: every suggestion based on them would change. `doubt`, `importance`, `outlook`
    // and `steepest` belong to answers on which no log depends.
    let known = "ask|branch|branches|candidates|contest|design|detail|doubt|fill|fit|free|grid|hypercube|hyperparameter start|importance|\
                 joint improvement|lattice|likely|lipschitz|outcome|outlook|polytope|probe|random|recommend|refine|refit|\
                 simulation|sobol|sobol beyond the table|steepest|strategy|success|thompson|uniform|walk";
    assert_eq!(names.into_iter().collect::<Vec<_>>().join("|"), known);
}
