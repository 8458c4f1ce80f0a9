//! Studies and trials in words.

use elbowroom::space::Point;
use elbowroom::study::Trial;
use elbowroom_store::{Counts, SharedStudy};
pub use elbowroom_view::axis::number;

/// A remark about a trial whose point breaks a known constraint.
pub fn breaks(study: &SharedStudy, trial: &Trial) -> String {
    let words = |constraint| format!("; it breaks the constraint `{constraint}`");
    study.study().broken_constraint(trial).map_or_else(String::new, words)
}

/// The results of a trial besides the optimized one, on one line; empty if there are none.
pub fn watched(trial: &Trial) -> String {
    trial.watched().map(|(name, value)| format!("{name}={}", number(value))).collect::<Vec<_>>().join(" ")
}

/// The counts that are not zero, in words.
pub fn count(counts: &Counts) -> String {
    let all = [
        (counts.complete, "complete"),
        (counts.running, "running"),
        (counts.queued, "queued"),
        (counts.failed, "failed"),
        (counts.infeasible, "infeasible"),
        (counts.lost, "lost"),
        (counts.withdrawn, "released"),
    ];
    let some: Vec<String> = all.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    if some.is_empty() { "none yet".to_owned() } else { some.join(", ") }
}

/// A number of trials, in words.
pub fn trials(n: usize) -> String {
    if n == 1 { "1 trial".to_owned() } else { format!("{n} trials") }
}

/// A standard deviation or an error: digits of an uncertainty beyond the second mean nothing.
pub fn deviation(sd: f64) -> String {
    format!("{sd:.1e}").parse().map_or_else(|_| number(sd), number)
}

/// A prediction with its standard deviation, without digits beyond the deviation's last one.
pub fn expected(mean: f64, sd: f64) -> String {
    // The position of the deviation's second digit; a deviation that is 0 or not finite does not limit the digits.
    let step = 10f64.powf(sd.log10().floor() - 1.0);
    let rounded = (mean / step).round() * step;
    // Adding 0 turns -0 into 0.
    let shown = if step > 0.0 && rounded.is_finite() { rounded + 0.0 } else { mean };
    format!("{} ± {}", number(shown), deviation(sd))
}

/// A distance in lengthscales, of which two digits are enough.
pub fn distance(x: f64) -> String {
    deviation(x)
}

/// A point, one parameter per line, with floats cut to six digits.
pub fn point_lines(point: &Point) -> String {
    let width = point.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let line =
        |(name, value): (&str, &elbowroom::space::Value)| format!("    {name:width$} = {}\n", brief_value(value));
    point.iter().map(line).collect()
}

/// A point on one line, with floats cut to six digits.
pub fn point(point: &Point) -> String {
    point.iter().map(|(name, value)| format!("{name}={}", brief_value(value))).collect::<Vec<_>>().join(" ")
}

/// A value, a float cut to six digits.
pub fn brief_value(value: &elbowroom::space::Value) -> String {
    match value {
        elbowroom::space::Value::Float(x) => number(*x),
        other => other.to_string(),
    }
}

/// A text that cannot control a terminal: names and reasons may come from anybody.
pub fn safe(text: &str) -> String {
    let shown = |c: char| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c };
    text.chars().map(shown).collect()
}

/// A text on one line, cut to a length.
pub fn brief(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// A text in lines of at most `most` characters, broken at spaces; all but the first are indented by this many spaces.
pub fn wrap(text: &str, indent: usize, most: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    // Consecutive spaces stay together.
    for word in text.split_inclusive(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.trim_end().chars().count() <= most => *line += word,
            Some(_) => lines.push(" ".repeat(indent) + word.trim_start()),
            None => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_at_spaces_and_go_on_further_in() {
        assert_eq!(wrap("best    1  x=1 y=2 z=3", 8, 16), "best    1  x=1\n        y=2 z=3\n");
        assert_eq!(wrap("short", 8, 16), "short\n");
    }

    #[test]
    fn what_is_expected_has_no_more_digits_than_are_known() {
        let cases = [
            (-4.60326e-8, 3.2e-6, "0 ± 3.2e-6"),
            (-0.0, 0.00034, "0 ± 0.00034"),
            (0.00101433, 0.0018, "0.001 ± 0.0018"),
            (97.80423, 0.00011, "97.8042 ± 0.00011"),
            (1234567.0, 3100.0, "1234600 ± 3100"),
            (38.2, 160000.0, "0 ± 160000"),
            (2.5, 0.0, "2.5 ± 0"),
        ];
        for (mean, sd, text) in cases {
            assert_eq!(expected(mean, sd), text);
        }
    }

    #[test]
    fn numbers_are_short_and_right_to_six_digits() {
        let cases =
            [(0.0, "0"), (1.0, "1"), (0.1 + 0.2, "0.3"), (1234567.0, "1234567"), (-0.00123456789, "-0.00123457")];
        for (x, text) in cases {
            assert_eq!(number(x), text);
        }
        assert_eq!((number(1.5e-7), number(-1e12)), ("1.5e-7".to_owned(), "-1e12".to_owned()));
        assert_eq!(number(f64::NAN), "NaN");
    }
}
