//! What may be wrong with a study, judging by its results and its model.

use serde::Serialize;

use super::{results_ahead, steepest};
use crate::error::Kind;
use crate::optim::Bounds;
use crate::penalty::{Norm, lipschitz};
use crate::rng::Stream;
use crate::space::Dimension;
use crate::study::{Errors, Model, Streak, Study, TrialState, TrialStatus};

/// The severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Everything is fine.
    Fine,
    /// Worth knowing.
    Note,
    /// Something is broken.
    Bad,
}

impl Level {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Level::Fine => "fine",
            Level::Note => "note",
            Level::Bad => "bad",
        }
    }
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The severity.
    pub level: Level,
    /// What was found.
    pub what: String,
    /// What to try.
    #[serde(rename = "try")]
    pub hint: &'static str,
}

impl Finding {
    /// Everything is fine.
    pub fn fine(what: impl Into<String>) -> Self {
        Self { level: Level::Fine, what: what.into(), hint: "" }
    }

    /// Worth knowing.
    pub fn note(what: impl Into<String>, hint: &'static str) -> Self {
        Self { level: Level::Note, what: what.into(), hint }
    }

    /// Something is broken.
    pub fn bad(what: impl Into<String>, hint: &'static str) -> Self {
        Self { level: Level::Bad, what: what.into(), hint }
    }
}

/// Checks a study. Without `with_model` the model is not checked, which would take a fit.
///
/// ```
/// use elbowroom::insight::{Level, findings};
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space))?;
/// for trial in study.ask(3)?.trials {
///     study.fail(trial.id, "no power")?;
/// }
/// assert!(findings(&study, false).iter().any(|finding| finding.level == Level::Note));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn findings(study: &Study, with_model: bool) -> Vec<Finding> {
    let found = [streak(study), failures(study), beyond_a_constraint(study), on_a_bound(study)];
    let mut findings: Vec<Finding> = found.into_iter().flatten().collect();
    if with_model {
        findings.extend(model(study));
    }
    findings
}

fn failures(study: &Study) -> Option<Finding> {
    let trials = study.trials();
    let count = |status: TrialStatus| trials.iter().filter(|trial| TrialStatus::of(trial) == status).count();
    let (n_failed, n_infeasible) = (count(TrialStatus::Failed), count(TrialStatus::Infeasible));
    ((n_failed + n_infeasible) * 4 > trials.len()).then(|| {
        let what = format!("{n_failed} of {} trials failed, and {n_infeasible} were infeasible", trials.len());
        Finding::note(what, "see `elbow trials --state failed,infeasible`; then narrow the space or add a constraint")
    })
}

/// Many trials in a row without a value: this is more often one error in the set-up than many bad points.
fn streak(study: &Study) -> Option<Finding> {
    let streak = study.streak().filter(Streak::is_long)?;
    Some(Finding::note(streak.to_string(), "check that the evaluation still works, for example by running it by hand"))
}

/// Whether the best point was measured where a known constraint forbids it.
fn beyond_a_constraint(study: &Study) -> Option<Finding> {
    let best = study.best()?;
    let broken = study.space().broken_constraint(&best.point).ok()??;
    let what = format!("the best point, trial {}, breaks the constraint `{}`", best.id, broken.text());
    Some(Finding::note(
        what,
        "mark it infeasible with `elbow fail --infeasible`, or correct the constraint in a new study",
    ))
}

/// Parameters whose best value is at the end of their range.
fn on_a_bound(study: &Study) -> Option<Finding> {
    let best = study.best()?;
    let space = study.space();
    let active = space.active(&best.unit);
    let at_end = |dim: usize| match space.dimensions()[dim] {
        _ if !active[dim] => false,
        Dimension::Continuous => best.unit[dim] < 0.005 || best.unit[dim] > 0.995,
        Dimension::Grid { levels } => levels > 2 && [0, levels - 1].contains(&space.level(dim, best.unit[dim])),
        Dimension::Category { .. } => false,
    };
    let ends: Vec<&str> = (0..space.dim()).filter(|dim| at_end(*dim)).map(|dim| space.searched(dim).name()).collect();
    (!ends.is_empty()).then(|| {
        let what = format!("the best point is on a bound of {}", ends.join(", "));
        Finding::note(what, "if values beyond it are possible, start a study with wider bounds")
    })
}

/// The share of the steepest slope that a quick search should find.
const FOUND: f64 = 0.8;

/// Results that a diagnosis needs, for each parameter.
const ENOUGH: usize = 4;

fn model(study: &Study) -> Vec<Finding> {
    let needed = ENOUGH * study.space().dim().max(1);
    if study.n_observed() < needed {
        let what = format!("too few results to judge the model: {} of at least {needed}", study.n_observed());
        return vec![Finding::fine(what)];
    }
    match study.model() {
        Ok(model) => {
            let subset = model.record.subset.map(|subset| Finding::fine(format!("the model is fitted to {subset}")));
            let mut findings: Vec<Finding> = subset.into_iter().collect();
            let before = findings.len();
            findings.extend(dead_parameters(study, &model));
            findings.extend(noise(&model));
            findings.extend(unknown_noise(study));
            findings.extend(validation(study, &model));
            if findings.len() == before {
                findings.push(Finding::fine("the model predicts held-out results as accurately as it claims"));
            }
            findings
        }
        Err(error) if error.kind() == Kind::MissingPart => {
            let hint = "open the study from Rust, with the part: `Study::replay_with(events, &parts)`";
            vec![Finding::note(format!("no model can be fitted here: {}", error.what()), hint)]
        }
        Err(error) => vec![Finding::bad(format!("no model can be fitted: {error}"), "check the values for outliers")],
    }
}

/// Whether a search for the model's steepest slope that is as quick as that of an ask finds what a thorough one finds.
/// It takes a few seconds if there are many results.
///
/// ```
/// use elbowroom::insight::steepness;
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom::study::{Study, StudyConfig};
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
/// let mut study = Study::new(StudyConfig::new(space).initial(8))?;
/// assert!(steepness(&study).is_none());
/// for trial in study.ask(8)?.trials {
///     study.tell(trial.id, trial.unit[0].sin())?;
/// }
/// assert!(steepness(&study).expect("a model").what.contains("steepest slope"));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn steepness(study: &Study) -> Option<Finding> {
    if study.n_observed() < ENOUGH * study.space().dim().max(1) {
        return None;
    }
    let model = study.model().ok()?;
    let (bounds, stream) = (Bounds::unit(study.space().dim()), Stream::new(study.config().seed));
    let quick = lipschitz(&model.posterior, &bounds, Norm::Two, &stream).value;
    let thorough = steepest(&model.posterior, &bounds, Norm::Two, &stream).value;
    if thorough == 0.0 {
        return None;
    }
    let what = format!("a quick search finds {} % of the model's steepest slope", (100.0 * quick / thorough).round());
    Some(if quick < FOUND * thorough {
        Finding::note(what, "expect the points of a batch to be further apart than they need to be")
    } else {
        Finding::fine(what)
    })
}

/// Parameters on which, according to the model, nothing depends.
fn dead_parameters(study: &Study, model: &Model) -> Option<Finding> {
    let lengthscales = &model.posterior.hyper().lengthscales;
    let dead: Vec<&str> = (0..study.space().dim())
        .filter(|dim| lengthscales.get(*dim).is_some_and(|l| *l > 20.0))
        .map(|dim| study.space().searched(dim).name())
        .collect();
    (!dead.is_empty()).then(|| {
        let dead = dead.join(", ");
        if study.trials().iter().all(|trial| !matches!(trial.state, TrialState::Failed { .. })) {
            let what = format!("nothing seems to depend on {dead}");
            return Finding::note(what, "use `fixed` in study.toml to search fewer dimensions");
        }
        let what = format!("no value seems to depend on {dead}, though failures may");
        Finding::note(what, "look at the failed trials before you fix it: `elbow trials --state failed`")
    })
}

fn noise(model: &Model) -> Option<Finding> {
    let hyper = model.posterior.hyper();
    let (noise, signal) = (hyper.noise.typical().sqrt(), hyper.variance.sqrt());
    (noise > signal).then(|| {
        let what = format!("the noise is {} times the effect of the parameters", digits(noise / signal));
        Finding::note(what, "measure longer, or allow repeats in study.toml")
    })
}

/// Whether the search treats results as exact although they may be noisy.
fn unknown_noise(study: &Study) -> Option<Finding> {
    let weight = study.outlook().ok()?.possible_noise()?;
    let what = format!(
        "results may be noisy: the search treats them as exact, and the chance that they are not is {} %; expected values allow for this",
        (100.0 * weight).round()
    );
    let hint = "measure a point again (`repeats = true` lets the search do so), or start a new study with `sd` under [model] in study.toml if you know it: 0 if results are exact";
    Some(Finding::note(what, hint))
}

/// Whether the model is overconfident: on held-out results, and on the last results predicted from those before them.
fn validation(study: &Study, model: &Model) -> Option<Finding> {
    let left_out = model.leave_one_out();
    if left_out.errors.misses_too_often() {
        let what = format!("the model is overconfident: {}", missed("held-out results", &left_out.errors));
        return Some(Finding::note(what, "the function may have steps, or the noise may vary across the space"));
    }
    let ahead = results_ahead(study)?;
    ahead.misses_too_often().then(|| {
        let what = format!("the model is overconfident: {}", missed("the results that came next", &ahead));
        Finding::note(what, "trust the best observed point, and state the noise of results if you know it")
    })
}

fn missed(which: &str, errors: &Errors) -> String {
    let (size, percent) = (digits(errors.mean_square.sqrt()), |share: f64| (100.0 * share).round());
    let (two, three) = (percent(errors.beyond_two), percent(errors.beyond_three));
    format!(
        "{which} are typically off by {size} predicted standard deviations; {two} % are off by more than 2 (5 % expected), {three} % by more than 3"
    )
}

/// A ratio to three significant digits, or to two from a hundred on.
fn digits(x: f64) -> String {
    if x >= 100.0 {
        return format!("{x:.1e}").parse().map_or_else(|_| x.to_string(), |cut: f64| cut.to_string());
    }
    let places = (2 - x.abs().log10().floor() as i32).clamp(0, 9) as usize;
    format!("{x:.places$}")
}
