//! What a study wants of its results, and what came of it, in words.

use elbowroom::study::{DEFAULT_METRIC, FrontAnswer, Goal, Limits, Outcome, Role, Study, Trial, TrialId};

use crate::format::{brief_value, number};
use crate::table::{table, width};

/// What is wanted: `minimize`, `maximize yield`, or `maximize yield, minimize cost, purity at least 95`.
pub fn goals(study: &Study) -> String {
    let outcomes = study.outcomes();
    match outcomes.declared() {
        [only] if only.name == DEFAULT_METRIC && only.limits.is_empty() => word(outcomes.goal()).to_owned(),
        all => all.iter().filter_map(wanted).collect::<Vec<_>>().join(", "),
    }
}

fn word(goal: Goal) -> &'static str {
    match goal {
        Goal::Minimize => "minimize",
        Goal::Maximize => "maximize",
    }
}

/// What is wanted of a result; `None` for one that is only recorded.
fn wanted(outcome: &Outcome) -> Option<String> {
    let Outcome { name, role, limits, .. } = outcome;
    let limited = if limits.is_empty() { String::new() } else { format!(" {}", limits_in_words(limits)) };
    match role {
        Role::Objective { goal, .. } => Some(format!("{} {name}{limited}", word(*goal))),
        Role::Target { near, .. } => Some(format!("{name} near {}{limited}", number(*near))),
        Role::Constraint => Some(format!("{name}{limited}")),
        _ => None,
    }
}

/// A band in words.
pub fn limits_in_words(limits: &Limits) -> String {
    let ends = [("at least", limits.at_least), ("at most", limits.at_most)];
    let words = ends.into_iter().filter_map(|(word, limit)| Some(format!("{word} {}", number(limit?))));
    words.collect::<Vec<_>>().join(" and ")
}

/// The limits that a trial breaks: `purity is 91, but should be at least 95`.
pub fn broken(study: &Study, trial: &Trial) -> String {
    let words = study
        .broken_limits(trial)
        .into_iter()
        .map(|one| format!("{} is {}, but should be {}", one.outcome, number(one.value), limits_in_words(&one.limits)));
    words.collect::<Vec<_>>().join("; ")
}

/// What a trial waits for, after a comma and a space; empty if it waits for nothing.
pub fn awaited(study: &Study, trial: &Trial) -> String {
    match study.awaited_results(trial).as_slice() {
        [] => String::new(),
        names => format!(", waiting for {}", names.join(", ")),
    }
}

/// Where the volume of a front is measured from: `yield 50 (inferred), cost 10`.
pub fn reference(front: &FrontAnswer) -> String {
    let one = |objective: &elbowroom::study::FrontObjective| {
        let inferred = if objective.is_inferred { " (inferred)" } else { "" };
        Some(format!("{} {}{inferred}", objective.name, number(objective.reference?)))
    };
    front.objectives.iter().filter_map(one).collect::<Vec<_>>().join(", ")
}

/// Trials as rows: their objectives as cells, their other results, and their points.
pub fn trials_table(study: &Study, rows: &[(TrialId, Vec<String>)]) -> String {
    let objectives: Vec<&str> = study.outcomes().objectives().iter().map(|one| one.name.as_str()).collect();
    let others: Vec<&str> = study.outcomes().names().filter(|name| !objectives.contains(name)).collect();
    let parameters: Vec<&str> = study.space().parameters().iter().map(|parameter| parameter.name()).collect();
    let head =
        std::iter::once("trial").chain(objectives).chain(others.iter().copied()).chain(parameters.iter().copied());
    let mut lines = vec![head.map(str::to_owned).collect::<Vec<String>>()];
    for (id, cells) in rows {
        let Ok(trial) = study.trial(*id) else { continue };
        let other = |name: &&str| trial.result(name).map_or_else(|| "-".to_owned(), number);
        let setting = |name: &&str| trial.point.get(name).map_or_else(String::new, brief_value);
        let row = std::iter::once(id.to_string()).chain(cells.iter().cloned());
        lines.push(row.chain(others.iter().map(other)).chain(parameters.iter().map(setting)).collect());
    }
    table(&lines, width())
}

#[cfg(test)]
mod tests {
    use elbowroom::space::{Parameter, SearchSpace};
    use elbowroom::study::{Outcomes, StudyConfig};

    use super::*;

    fn goals_of(list: Vec<Outcome>) -> String {
        let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)]).unwrap();
        let config = StudyConfig::new(space).outcomes(Outcomes::new(list).unwrap());
        goals(&Study::new(config).unwrap())
    }

    #[test]
    fn goals_are_said_as_people_say_them() {
        let amount = || Outcome::objective("amount", Goal::Maximize);
        assert_eq!(goals_of(vec![Outcome::objective("value", Goal::Minimize)]), "minimize");
        assert_eq!(goals_of(vec![amount(), Outcome::watched("hours")]), "maximize amount");
        let purity = Outcome::watched("purity").at_least(95.0).at_most(100.0);
        let said = goals_of(vec![amount(), Outcome::target("viscosity", 4.2), purity]);
        assert_eq!(said, "maximize amount, viscosity near 4.2, purity at least 95 and at most 100");
    }
}
