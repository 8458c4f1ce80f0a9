//! Filters trials by an expression, for `elbow trials --where` and the dashboard.

use elbowroom::error::{Error, Result};
use elbowroom::space::Condition;
use elbowroom::study::{Study, Trial};

/// The first objective's name in every expression, whatever the study calls it.
const VALUE: &str = "value";

/// An expression over the parameters and the results of a study's trials.
#[derive(Debug, Clone)]
pub struct Filter {
    condition: Condition,
    results: Vec<String>,
}

impl Filter {
    /// Reads an expression such as `rate < 0.01 and value < 3`.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    /// use elbowroom_view::filter::Filter;
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let mut study = Study::new(StudyConfig::new(space))?;
    /// for (trial, value) in study.ask(3)?.trials.iter().zip([2.0, 3.0]) {
    ///     study.tell(trial.id, value)?;
    /// }
    /// let filter = Filter::parse("value < 3 and x <= 1", &study)?;
    /// let kept: Vec<bool> = study.trials().iter().map(|trial| filter.keeps(trial)).collect();
    /// assert_eq!(kept, [true, false, false]);
    /// assert!(Filter::parse("y < 1", &study).is_err());
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is not an expression, or names something that the study does not have.
    pub fn parse(text: &str, study: &Study) -> Result<Self> {
        let named = study.outcomes().names().filter(|name| *name != VALUE);
        let results: Vec<&str> = std::iter::once(VALUE).chain(named).collect();
        let condition = Condition::parse(text, study.space(), &results).map_err(not_a_constraint)?;
        Ok(Self { condition, results: results.into_iter().map(str::to_owned).collect() })
    }

    /// Whether the expression is true for a trial. A missing result matters only if the expression depends on it.
    pub fn keeps(&self, trial: &Trial) -> bool {
        let result = |name: &String| if name == VALUE { trial.value() } else { trial.result(name) };
        let known: Vec<Option<f64>> = self.results.iter().map(result).collect();
        self.condition.holds(&trial.point, &known)
    }
}

/// The error of a constraint, reworded for a filter.
fn not_a_constraint(error: Error) -> Error {
    let what = error.what().strip_prefix("constraint: ").unwrap_or(error.what()).to_owned();
    Error::space(what, error.hint())
}
