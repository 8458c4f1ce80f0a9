//! Parameters that are observed, not chosen, such as today's humidity.
//!
//! To the model a context is a parameter like any other, so what was learned at one of its values helps at others; but
//! no search changes it. Every ask holds it at a value, which is recorded in the ask's event.

use crate::domain::Narrowing;
use crate::error::{Error, Result};
use crate::space::{SearchSpace, nearest};

/// Refuses contexts that are not in the space, or that leave nothing to choose.
pub(super) fn check_contexts(contexts: &[String], space: &SearchSpace) -> Result<()> {
    for (i, name) in contexts.iter().enumerate() {
        let known = || space.parameters().iter().map(|parameter| parameter.name());
        if !known().any(|known| known == name) {
            let hint = nearest(name, known()).map_or_else(
                || "declare it as a parameter too, with the range of its values".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(Error::config(format!("the context `{name}` is not a parameter"), hint));
        }
        if let Some(condition) =
            space.parameters().iter().find(|one| one.name() == name).and_then(|one| one.condition())
        {
            let what = format!("the context `{name}` has a condition, `{condition}`");
            return Err(Error::config(what, "a context is observed with every trial: leave its condition out"));
        }
        if contexts[..i].contains(name) {
            return Err(Error::config(format!("the context `{name}` appears twice"), "name it once"));
        }
    }
    let is_context = |dim: usize| contexts.iter().any(|name| name == space.searched(dim).name());
    if !contexts.is_empty() && (0..space.dim()).all(is_context) {
        return Err(Error::config(
            "every parameter that has more than one value is a context",
            "leave at least one to be chosen",
        ));
    }
    Ok(())
}

/// How an ask is narrowed. Refused if it does not state the value of every context.
pub(super) fn check_given(contexts: &[String], narrowing: Narrowing) -> Result<Narrowing> {
    match contexts.iter().find(|name| !narrowing.fixed.contains_key(*name)) {
        None => Ok(narrowing),
        Some(name) => Err(Error::config(
            format!("parameter `{name}` is observed, not chosen, and this ask does not give its value"),
            format!("hold it at its value: `--fix {name}=VALUE`, `fixed={{\"{name}\": value}}` or `Narrowing::fix`"),
        )),
    }
}
