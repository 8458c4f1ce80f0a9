//! `docs/paper.md`, generated from `crates/paper/page.md` and the rows, and the check that it agrees with them.
//!
//! In the text of the page a number is written in one of two ways:
//!
//! * `{{median R-modern LP-UCB 5 10 :.2}}` is computed from a `raw.csv`; `calls` describes the syntax;
//! * `{=137.2=}` is a constant: from the paper, of a setting, or of mathematics.
//!
//! Any other digit is refused, so that no measured number is ever written by hand. A sentence may be tied to its
//! evidence: `{{assert rank R-modern LP-UCB > rank R-modern B-UCB}}` prints nothing, and fails if this is not so.

mod calls;
mod facts;
mod table_facts;

use std::path::Path;

use crate::Result;
use facts::Facts;

/// The text from which the page is generated, and the page, relative to the root of the workspace.
const SOURCE: &str = "crates/paper/page.md";
const PAGE: &str = "docs/paper.md";

/// The folder of results, relative to the root of the workspace.
const RESULTS: &str = "crates/paper/results";

/// Writes the page.
pub fn write(root: &Path) -> Result<()> {
    std::fs::write(root.join(PAGE), render(root)?)?;
    println!("written: {PAGE}");
    Ok(())
}

/// Generates the page again and compares it with the existing one.
pub fn verify(root: &Path) -> Result<()> {
    let expected = render(root)?;
    let found = std::fs::read_to_string(root.join(PAGE)).map_err(|e| format!("{PAGE} cannot be read: {e}"))?;
    let differences = differences(&expected, &found);
    if !differences.is_empty() {
        return Err(format!(
            "{PAGE} does not say what the rows say:\n{}\n  try: `paper page` writes it anew from {SOURCE}",
            differences.join("\n")
        )
        .into());
    }
    let source = std::fs::read_to_string(root.join(SOURCE))?;
    let (computed, asserted) = (source.matches("{{").count(), source.matches("{{assert ").count());
    println!("{PAGE}: {} numbers and {asserted} statements follow from the rows", computed - asserted);
    Ok(())
}

fn render(root: &Path) -> Result<String> {
    let path = root.join(SOURCE);
    let source = std::fs::read_to_string(&path).map_err(|e| format!("{SOURCE} cannot be read: {e}"))?;
    let facts = Facts::new(&root.join(RESULTS));
    fill(&source, |call| calls::answer(&facts, call))
}

/// The text with every call answered and every constant copied.
fn fill(source: &str, answer: impl Fn(&str) -> Result<String>) -> Result<String> {
    let (mut text, mut rest, mut errors) = (String::new(), source, Vec::new());
    let line_of = |rest: &str| source[..source.len() - rest.len()].matches('\n').count() + 1;
    loop {
        let next = ["{{", "{="].iter().filter_map(|mark| rest.find(mark)).min().unwrap_or(rest.len());
        let (plain, marked) = rest.split_at(next);
        if let Some(found) = bare_number(plain) {
            let line = line_of(&rest[plain.find(&found).unwrap_or(0)..]);
            errors.push(format!(
                "  {SOURCE}:{line}: {found} comes from nowhere; write {{{{call}}}}, or {{={found}=}} for a constant"
            ));
        }
        text += plain;
        let (open, close) = if marked.starts_with("{{") { ("{{", "}}") } else { ("{=", "=}") };
        let Some(inside) = marked.strip_prefix(open) else { break };
        let Some(end) = inside.find(close) else {
            return Err(format!("{SOURCE}:{}: {open} has no {close}", line_of(marked)).into());
        };
        let inside_text = &inside[..end];
        if open == "{=" {
            text += inside_text;
        } else {
            match answer(inside_text) {
                Ok(answered) => text += &answered,
                Err(error) => errors.push(format!("  {SOURCE}:{}: {inside_text}: {error}", line_of(marked))),
            }
        }
        rest = &inside[end + close.len()..];
    }
    if errors.is_empty() { Ok(text) } else { Err(errors.join("\n").into()) }
}

/// The first number in a text that is not part of code, of the address of a link, or of a name.
fn bare_number(text: &str) -> Option<String> {
    let (mut in_code, mut in_address, mut before) = (false, false, ' ');
    let mut found = String::new();
    for c in text.chars() {
        match c {
            '`' => in_code = !in_code,
            '(' if before == ']' => in_address = true,
            ')' if in_address => in_address = false,
            _ => {}
        }
        let is_digit = c.is_ascii_digit() && !in_code && !in_address;
        if is_digit && (!before.is_alphanumeric() || !found.is_empty()) {
            found.push(c);
        } else if !found.is_empty() {
            return Some(found);
        }
        before = c;
    }
    Some(found).filter(|found| !found.is_empty())
}

/// The lines in which a page differs from the expected one, at most ten of them.
fn differences(expected: &str, found: &str) -> Vec<String> {
    let (expected, found): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let n = expected.len().max(found.len());
    let line = |lines: &[&str], i: usize| lines.get(i).map_or("(no line)".to_owned(), |line| (*line).to_owned());
    let differing = (0..n).filter(|&i| expected.get(i) != found.get(i));
    let show = |i: usize| {
        let (expected, found) = (line(&expected, i), line(&found, i));
        let same = expected.chars().zip(found.chars()).take_while(|(a, b)| a == b).count();
        let part = |text: &str| text.chars().skip(same.saturating_sub(30)).take(70).collect::<String>();
        format!("  {PAGE}:{}: …{}… should be …{}…", i + 1, part(&found), part(&expected))
    };
    differing.take(10).map(show).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo(call: &str) -> Result<String> {
        if call == "wrong" { Err("not so".into()) } else { Ok(format!("<{call}>")) }
    }

    #[test]
    fn calls_are_answered_and_constants_are_kept() {
        let text = "d = {=5=}: {{median x}}, `code 7`, [table](R-2.md), x0, log10.\n";
        assert_eq!(fill(text, echo).unwrap(), "d = 5: <median x>, `code 7`, [table](R-2.md), x0, log10.\n");
    }

    #[test]
    fn a_number_that_comes_from_nowhere_is_refused_with_its_line() {
        let error = fill("one\ntwo {=2=}\nbest by 17 %\n", echo).unwrap_err().to_string();
        assert!(error.contains("page.md:3: 17 comes from nowhere"), "{error}");
    }

    #[test]
    fn a_statement_that_does_not_hold_is_refused_with_its_line() {
        let error = fill("one\n{{wrong}}\n", echo).unwrap_err().to_string();
        assert!(error.contains("page.md:2: wrong: not so"), "{error}");
        assert!(fill("{{open", echo).is_err());
    }

    #[test]
    fn a_changed_digit_is_found_with_its_line() {
        let found = differences("a\nregret 0.25 here\n", "a\nregret 0.26 here\n");
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("paper.md:2") && found[0].contains("0.26") && found[0].contains("0.25"), "{found:?}");
        assert!(differences("a\n", "a\n").is_empty());
        assert_eq!(differences("a\nb\n", "a\n").len(), 1);
    }
}
