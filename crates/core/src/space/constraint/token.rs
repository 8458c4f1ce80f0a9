//! A constraint's text, cut into tokens.

use super::refusal;
use crate::error::Result;

/// A piece of a constraint, and where it starts, counted in characters from 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    Number(f64),
    Text(String),
    Name(String),
    /// An operator, a word of the grammar or a bracket, in its first spelling (`and` also for `&&`).
    Symbol(&'static str),
    End,
}

/// Spellings and their meanings; longer spellings come before their prefixes.
const SYMBOLS: [(&str, &str); 19] = [
    ("**", "^"),
    ("<=", "<="),
    (">=", ">="),
    ("==", "=="),
    ("!=", "!="),
    ("&&", "and"),
    ("||", "or"),
    ("!", "not"),
    ("<", "<"),
    (">", ">"),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("%", "%"),
    ("^", "^"),
    ("(", "("),
    (")", ")"),
    (",", ","),
];

const WORDS: [(&str, &str); 7] = [
    ("and", "and"),
    ("or", "or"),
    ("not", "not"),
    ("true", "true"),
    ("false", "false"),
    ("True", "true"),
    ("False", "false"),
];

/// The tokens of a text, [`TokenKind::End`] last.
pub(super) fn tokenize(text: &[char]) -> Result<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if text[at].is_whitespace() {
            at += 1;
            continue;
        }
        let (kind, end) = read_token(text, at)?;
        tokens.push(Token { kind, start: at });
        at = end;
    }
    tokens.push(Token { kind: TokenKind::End, start: text.len() });
    Ok(tokens)
}

/// The token that starts here, and where it ends.
fn read_token(text: &[char], at: usize) -> Result<(TokenKind, usize)> {
    let c = text[at];
    let next_is_digit = text.get(at + 1).is_some_and(char::is_ascii_digit);
    if c.is_ascii_digit() || (c == '.' && next_is_digit) {
        return read_number(text, at);
    }
    if c == '\'' || c == '"' {
        return read_quoted(text, at).map(|(text, end)| (TokenKind::Text(text), end));
    }
    if c == '`' {
        return read_quoted(text, at).map(|(name, end)| (TokenKind::Name(name), end));
    }
    if is_name_start(c) {
        let end = end_of(text, at, |c| is_name_start(c) || c.is_numeric());
        let name: String = text[at..end].iter().collect();
        let word = WORDS.iter().find(|(written, _)| *written == name);
        return Ok((word.map_or(TokenKind::Name(name), |(_, word)| TokenKind::Symbol(word)), end));
    }
    for (written, symbol) in SYMBOLS {
        let length = written.chars().count();
        if text[at..].iter().copied().take(length).eq(written.chars()) {
            return Ok((TokenKind::Symbol(symbol), at + length));
        }
    }
    Err(match c {
        '=' => refusal(text, at, "`=` is not a comparison", "write `==`"),
        '&' => refusal(text, at, "`&` is not an operator", "write `and`"),
        '|' => refusal(text, at, "`|` is not an operator", "write `or`"),
        _ => refusal(text, at, format!("{c:?} has no meaning here"), "put names with unusual characters in backticks"),
    })
}

fn read_number(text: &[char], at: usize) -> Result<(TokenKind, usize)> {
    let is_digit = |c: char| c.is_ascii_digit();
    let mut end = end_of(text, at, is_digit);
    if text.get(end) == Some(&'.') {
        end = end_of(text, end + 1, is_digit);
    }
    if matches!(text.get(end), Some('e' | 'E')) {
        let sign = usize::from(matches!(text.get(end + 1), Some('+' | '-')));
        let digits = end + 1 + sign;
        // Without digits the letter is not an exponent; it starts the next token.
        if text.get(digits).is_some_and(char::is_ascii_digit) {
            end = end_of(text, digits, is_digit);
        }
    }
    let written: String = text[at..end].iter().collect();
    match written.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok((TokenKind::Number(x), end)),
        _ => Err(refusal(text, at, format!("{written} is too large a number"), "keep numbers below 1.7e308")),
    }
}

fn read_quoted(text: &[char], at: usize) -> Result<(String, usize)> {
    let quote = text[at];
    let end = end_of(text, at + 1, |c| c != quote);
    if end == text.len() {
        return Err(refusal(text, at, "a quote is opened but not closed", format!("close it with {quote}")));
    }
    Ok((text[at + 1..end].iter().collect(), end + 1))
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// The end of the run of characters that `belongs` accepts.
fn end_of(text: &[char], start: usize, belongs: impl Fn(char) -> bool) -> usize {
    text[start..].iter().position(|c| !belongs(*c)).map_or(text.len(), |n| start + n)
}
