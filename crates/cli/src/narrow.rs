//! `--fix` and `--within`: from words to the part of the space in which points are wanted.

use anyhow::Result;
use elbowroom::domain::Narrowing;
use elbowroom::space::SearchSpace;

use crate::args::Narrow;
use crate::commands::tell::value;
use crate::error::cli_error;

/// The meaning of the two options, checked against the space.
pub fn narrowing(space: &SearchSpace, args: &Narrow) -> Result<Narrowing> {
    let mut narrowing = Narrowing::new();
    let parameter = |name: &str| space.parameters().iter().find(|parameter| parameter.name() == name);
    for entry in &args.fix {
        let Some((name, text)) = entry.split_once('=') else {
            return Err(cli_error(format!("--fix {entry:?} has no `=`"), "write it as --fix name=value"));
        };
        if narrowing.fixed.insert(name.to_owned(), value(parameter(name), text)).is_some() {
            return Err(cli_error(format!("--fix gives `{name}` twice"), "give each parameter once"));
        }
    }
    for entry in &args.within {
        let Some((name, (low, high))) =
            entry.split_once('=').and_then(|(name, range)| Some((name, range.split_once("..")?)))
        else {
            return Err(cli_error(format!("--within {entry:?} is not a range"), "write it as --within name=low..high"));
        };
        let ends = [low, high].map(|text| value(parameter(name), text));
        if narrowing.within.insert(name.to_owned(), ends).is_some() {
            return Err(cli_error(format!("--within gives `{name}` twice"), "give each parameter once"));
        }
    }
    Ok(narrowing.check(space)?)
}
