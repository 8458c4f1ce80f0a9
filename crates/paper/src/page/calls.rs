//! The calls between `{{` and `}}`.
//!
//! `NAME ARGUMENT… :FORMAT` is a number; `least`, `most` and `mean-of` before it take the smallest, the largest and the
//! mean over all combinations of comma-separated arguments, where `*` stands for all that exist; `count … < 3` counts
//! the combinations that satisfy a condition. `text NAME ARGUMENT…` is a text. `assert A < B` compares two numbers,
//! each a call or a constant, and gives an empty text if the comparison holds.
//!
//! Formats: `.2` this many decimals; `n` as in tables; `%` a share; `10^` the power of ten; `x` a factor; none for an
//! integer.

use super::facts::Facts;
use crate::Result;
use crate::markdown::number;

const OPERATORS: [&str; 5] = ["<=", ">=", "<", ">", "="];

/// The answer to a call.
pub fn answer(facts: &Facts, call: &str) -> Result<String> {
    let words: Vec<&str> = call.split_whitespace().collect();
    match words.split_first() {
        Some((&"assert", rest)) => assert(facts, rest).map(|()| String::new()),
        Some((&"text", [name, arguments @ ..])) => facts.text(name, arguments),
        Some(_) => {
            let (format, words) = match words.split_last() {
                Some((last, rest)) if last.starts_with(':') => (&last[1..], rest),
                _ => ("", &words[..]),
            };
            formatted(value(facts, words)?, format)
        }
        None => Err("nothing is asked".into()),
    }
}

fn assert(facts: &Facts, words: &[&str]) -> Result<()> {
    let (left, operator, right) = compared(words)?;
    let (a, b) = (value(facts, left)?, value(facts, right)?);
    if holds(a, operator, b) { Ok(()) } else { Err(format!("does not hold: {a:.4} {operator} {b:.4}").into()) }
}

/// Both sides of the last comparison: a `count` on the left may contain another one.
fn compared<'a>(words: &'a [&'a str]) -> Result<(&'a [&'a str], &'a str, &'a [&'a str])> {
    let at = words.iter().rposition(|word| OPERATORS.contains(word)).ok_or("a comparison needs one of < <= > >= =")?;
    Ok((&words[..at], words[at], &words[at + 1..]))
}

fn holds(a: f64, operator: &str, b: f64) -> bool {
    match operator {
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        _ => a == b,
    }
}

/// The number of a call.
fn value(facts: &Facts, words: &[&str]) -> Result<f64> {
    match words {
        [] => Err("a number is missing".into()),
        [constant] if constant.parse::<f64>().is_ok() => Ok(constant.parse()?),
        ["count", rest @ ..] => {
            let (left, operator, right) = compared(rest)?;
            let bound = value(facts, right)?;
            Ok(all(facts, left)?.into_iter().filter(|v| holds(*v, operator, bound)).count() as f64)
        }
        [fold @ ("least" | "most" | "mean-of"), rest @ ..] => {
            let values = all(facts, rest)?;
            if values.is_empty() {
                return Err("there is nothing to compare".into());
            }
            Ok(match *fold {
                "least" => values.into_iter().fold(f64::INFINITY, f64::min),
                "most" => values.into_iter().fold(f64::NEG_INFINITY, f64::max),
                _ => crate::stats::mean(&values),
            })
        }
        [name, arguments @ ..] => {
            let found = facts.number(name, arguments)?;
            if found.is_nan() { Err("there are no rows for that".into()) } else { Ok(found) }
        }
    }
}

/// The numbers for all combinations of arguments; combinations without rows are left out.
fn all(facts: &Facts, words: &[&str]) -> Result<Vec<f64>> {
    let (name, arguments) = words.split_first().ok_or("a number is missing")?;
    let mut combinations: Vec<Vec<String>> = vec![Vec::new()];
    for (i, argument) in arguments.iter().enumerate() {
        let levels: Vec<String> = match *argument {
            "*" => facts.levels(arguments[0], i)?,
            list => list.split(',').map(String::from).collect(),
        };
        let with = |before: &Vec<String>| {
            levels.iter().map(|level| [&before[..], std::slice::from_ref(level)].concat()).collect::<Vec<_>>()
        };
        combinations = combinations.iter().flat_map(with).collect();
    }
    let of = |arguments: Vec<String>| facts.number(name, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let found = combinations.into_iter().map(of).collect::<Result<Vec<f64>>>()?;
    Ok(found.into_iter().filter(|v| !v.is_nan()).collect())
}

fn formatted(value: f64, format: &str) -> Result<String> {
    let fixed = |value: f64, digits: usize| format!("{value:.digits$}").replace('-', "−");
    Ok(match format {
        "" => fixed(value, 0),
        "n" => number(value).replace('-', "−"),
        "%" => format!("{} %", fixed(100.0 * value, 0)),
        "10^" => number(10f64.powf(value)).replace('-', "−"),
        "," => thousands(value),
        decimals => fixed(
            value,
            decimals.trim_start_matches('.').parse().map_err(|_| format!("no format is called {decimals}"))?,
        ),
    })
}

/// An integer with commas between groups of three digits.
fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_in_the_format_that_is_asked_for() {
        let shown = |value: f64, format: &str| formatted(value, format).unwrap();
        assert_eq!(shown(-1.826, ".2"), "−1.83");
        assert_eq!([shown(3.0, ""), shown(0.214, "%"), shown(12345.0, ",")], ["3", "21 %", "12,345"]);
        assert_eq!([shown(-2.0, "10^"), shown(999.0, ",")], ["0.0100", "999"]);
        assert!(formatted(1.0, "wide").is_err());
    }

    #[test]
    fn comparisons_are_split_at_their_operator() {
        let words = ["rank", "R", ">=", "2"];
        assert_eq!(compared(&words).unwrap(), (&words[..2], ">=", &words[3..]));
        let counted = ["count", "rank", "R", "<", "3", "=", "2"];
        assert_eq!(compared(&counted).unwrap(), (&counted[..5], "=", &counted[6..]));
        assert!(compared(&words[..2]).is_err());
        assert!(holds(1.0, "<=", 1.0) && !holds(1.0, "<", 1.0) && holds(2.0, "=", 2.0));
    }
}
