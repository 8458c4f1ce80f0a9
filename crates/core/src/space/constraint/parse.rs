//! Parses a constraint's text by recursive descent, resolving names and checking types on the way.
//!
//! ```text
//! or      = and { "or" and }
//! and     = not { "and" not }
//! not     = "not" not | compare
//! compare = sum { ("<" | "<=" | ">" | ">=" | "==" | "!=") sum } | sum "in" "(" sum { "," sum } ")"
//! sum     = product { ("+" | "-") product }
//! product = unary { ("*" | "/" | "%") unary }
//! unary   = "-" unary | "+" unary | power
//! power   = primary [ "^" unary ]
//! primary = number | text | "true" | "false" | name | name "(" or { "," or } ")" | "(" or ")"
//! ```
//!
//! Hostile input cannot exhaust the stack: the text's length, the depth of the descent and the height of the result
//! are all bounded.

use super::expression::{Comparison, Expression, Function, Operator};
use super::kind::Kind;
use super::refusal;
use super::token::{Token, TokenKind, tokenize};
use crate::error::{Error, Result};
use crate::space::nearest::nearest;
use crate::space::parameter::Parameter;
use crate::space::value::Value;

const MAX_LENGTH: usize = 10_000;
const MAX_DEPTH: usize = 64;
const MAX_HEIGHT: usize = 256;

/// Parses a constraint over the given parameters.
pub(super) fn parse(text: &str, parameters: &[Parameter]) -> Result<Expression> {
    parse_as(text, parameters, "parameter", |whole| {
        let what = format!("a constraint must be true or false, but this is {}", whole.describe());
        let hint = "compare it with something, as in `x <= 1`";
        if whole.fits(Kind::Bool) { Ok(()) } else { Err((what, hint)) }
    })
}

/// Parses a formula whose names are numbers; errors call such a name a `sort`.
pub(super) fn parse_formula(text: &str, names: &[Parameter], sort: &'static str) -> Result<Expression> {
    parse_as(text, names, sort, |whole| {
        let what = format!("a formula must be a number, but this is {}", whole.describe());
        if whole.fits(Kind::Number) { Ok(()) } else { Err((what, "write it like `a - 0.2 * b`")) }
    })
}

/// Parses a text over names of a sort, and lets the caller check the kind of the whole.
fn parse_as(
    text: &str,
    parameters: &[Parameter],
    sort: &'static str,
    check: impl FnOnce(Kind) -> std::result::Result<(), (String, &'static str)>,
) -> Result<Expression> {
    let text: Vec<char> = text.chars().take(MAX_LENGTH + 1).collect();
    if text.len() > MAX_LENGTH {
        let what = format!("more than {MAX_LENGTH} characters");
        return Err(refusal(&text, MAX_LENGTH, what, "make it shorter; split a constraint at its `and`s"));
    }
    let tokens = tokenize(&text)?;
    let mut parser = Parser { text: &text, tokens, next: 0, depth: 0, parameters, sort };

    let whole = parser.or()?;
    if parser.peek() != &TokenKind::End {
        return Err(parser.unexpected("an operator"));
    }
    check(whole.kind).map_err(|(what, hint)| refusal(&text, whole.start, what, hint))?;
    Ok(whole.expression)
}

struct Parser<'a> {
    text: &'a [char],
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    parameters: &'a [Parameter],
    /// What errors call a name.
    sort: &'static str,
}

/// An expression with the facts that the checks need.
struct Typed {
    expression: Expression,
    kind: Kind,
    height: usize,
    start: usize,
}

impl Parser<'_> {
    fn or(&mut self) -> Result<Typed> {
        self.descend(|parser| {
            let mut left = parser.and()?;
            while parser.take("or") {
                let right = parser.and()?;
                left = parser.join(left, right, "or", Kind::Bool, Expression::Or)?;
            }
            Ok(left)
        })
    }

    fn and(&mut self) -> Result<Typed> {
        let mut left = self.not()?;
        while self.take("and") {
            let right = self.not()?;
            left = self.join(left, right, "and", Kind::Bool, Expression::And)?;
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Typed> {
        let start = self.start();
        if !self.take("not") {
            return self.compare();
        }
        let inner = self.descend(Self::not)?;
        self.expect_kind(&inner, Kind::Bool, "not")?;
        self.wrap(start, Kind::Bool, inner, Expression::Not)
    }

    fn compare(&mut self) -> Result<Typed> {
        let first = self.sum()?;
        if matches!(self.peek(), TokenKind::Name(name) if name == "in") {
            return self.membership(first);
        }
        let (start, mut height) = (first.start, first.height);
        let mut rest: Vec<(Comparison, Typed)> = Vec::new();
        while let Some((symbol, comparison)) = self.take_comparison() {
            let right = self.sum()?;
            let left = rest.last().map_or(&first, |(_, typed)| typed);
            self.check_comparison(symbol, comparison, left, &right)?;
            height = height.max(right.height);
            rest.push((comparison, right));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        let rest = rest.into_iter().map(|(comparison, typed)| (comparison, typed.expression)).collect();
        let expression = Expression::Compare(Box::new(first.expression), rest);
        self.bounded(Typed { expression, kind: Kind::Bool, height: height + 1, start })
    }

    /// `x in (1, 2)`, starting after the `x`: the same as `x == 1 or x == 2`. A parameter may still be called `in`:
    /// nowhere else can a name follow a value.
    fn membership(&mut self, one: Typed) -> Result<Typed> {
        self.next += 1;
        let open = self.start();
        if !self.take("(") {
            return Err(self.unexpected("`(` and the values"));
        }
        let mut whole: Option<Typed> = None;
        loop {
            let value = self.sum()?;
            self.check_comparison("==", Comparison::Equal, &one, &value)?;
            let height = one.height.max(value.height) + 1;
            let rest = vec![(Comparison::Equal, value.expression)];
            let expression = Expression::Compare(Box::new(one.expression.clone()), rest);
            let equal = self.bounded(Typed { expression, kind: Kind::Bool, height, start: one.start })?;
            whole = Some(match whole {
                None => equal,
                Some(before) => self.join(before, equal, "in", Kind::Bool, Expression::Or)?,
            });
            if !self.take(",") {
                break;
            }
        }
        self.expect_close(open)?;
        whole.ok_or_else(|| self.unexpected("a value"))
    }

    fn sum(&mut self) -> Result<Typed> {
        self.binary(&[("+", Operator::Add), ("-", Operator::Subtract)], Self::product)
    }

    fn product(&mut self) -> Result<Typed> {
        let operators = [("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)];
        self.binary(&operators, Self::unary)
    }

    fn unary(&mut self) -> Result<Typed> {
        let start = self.start();
        if self.take("-") {
            let inner = self.descend(Self::unary)?;
            self.expect_kind(&inner, Kind::Number, "-")?;
            return self.wrap(start, Kind::Number, inner, Expression::Negate);
        }
        if self.take("+") {
            let inner = self.descend(Self::unary)?;
            self.expect_kind(&inner, Kind::Number, "+")?;
            return Ok(inner);
        }
        self.power()
    }

    fn power(&mut self) -> Result<Typed> {
        let left = self.primary()?;
        if !self.take("^") {
            return Ok(left);
        }
        let right = self.descend(Self::unary)?;
        self.join(left, right, "^", Kind::Number, |a, b| Expression::Arithmetic(Operator::Power, a, b))
    }

    fn primary(&mut self) -> Result<Typed> {
        let Token { kind, start } = self.tokens[self.next].clone();
        let (expression, kind) = match kind {
            TokenKind::Number(x) => (Expression::Number(x), Kind::Number),
            TokenKind::Text(text) => (Expression::Text(text), Kind::Text),
            TokenKind::Symbol("true") => (Expression::Bool(true), Kind::Bool),
            TokenKind::Symbol("false") => (Expression::Bool(false), Kind::Bool),
            TokenKind::Symbol("(") => {
                self.next += 1;
                let inner = self.or()?;
                self.expect_close(start)?;
                return Ok(Typed { start, ..inner });
            }
            TokenKind::Name(name) => {
                self.next += 1;
                if self.take("(") {
                    return self.call(&name, start);
                }
                return self.parameter(&name, start);
            }
            TokenKind::Symbol(_) | TokenKind::End => return Err(self.unexpected("a value")),
        };
        self.next += 1;
        Ok(Typed { expression, kind, height: 1, start })
    }

    fn parameter(&self, name: &str, start: usize) -> Result<Typed> {
        let Some(i) = self.parameters.iter().position(|parameter| parameter.name() == name) else {
            let hint = match nearest(name, self.parameters.iter().map(Parameter::name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("use the names of {}s, and put text in quotes", self.sort),
            };
            return Err(self.refusal(start, format!("no {} is called `{name}`", self.sort), hint));
        };
        Ok(Typed { expression: Expression::Parameter(i), kind: Kind::of(&self.parameters[i]), height: 1, start })
    }

    /// A call, starting after its opening bracket.
    fn call(&mut self, name: &str, start: usize) -> Result<Typed> {
        let Some((_, function)) = Function::ALL.iter().find(|(known, _)| *known == name) else {
            let known = Function::ALL.map(|(known, _)| known);
            let hint = match nearest(name, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("use one of {}", known.join(", ")),
            };
            return Err(self.refusal(start, format!("there is no function called `{name}`"), hint));
        };
        let mut arguments = Vec::new();
        let mut height = 0;
        loop {
            let argument = self.or()?;
            self.expect_kind(&argument, Kind::Number, name)?;
            height = height.max(argument.height);
            arguments.push(argument.expression);
            if !self.take(",") {
                break;
            }
        }
        self.expect_close(start)?;
        if arguments.len() > 1 && !function.takes_many() {
            let what = format!("`{name}` takes one number, not {}", arguments.len());
            return Err(self.refusal(start, what, format!("write `{name}(x)`")));
        }
        let expression = Expression::Call(*function, arguments);
        self.bounded(Typed { expression, kind: Kind::Number, height: height + 1, start })
    }

    /// Operands joined from the left by operators of one precedence.
    fn binary(
        &mut self,
        operators: &[(&'static str, Operator)],
        operand: fn(&mut Self) -> Result<Typed>,
    ) -> Result<Typed> {
        let mut left = operand(self)?;
        'next: loop {
            for &(symbol, operator) in operators {
                if self.take(symbol) {
                    let right = operand(self)?;
                    left =
                        self.join(left, right, symbol, Kind::Number, |a, b| Expression::Arithmetic(operator, a, b))?;
                    continue 'next;
                }
            }
            return Ok(left);
        }
    }

    /// Two operands that must both be of one kind, which the result has too.
    fn join(
        &self,
        left: Typed,
        right: Typed,
        symbol: &str,
        kind: Kind,
        build: impl FnOnce(Box<Expression>, Box<Expression>) -> Expression,
    ) -> Result<Typed> {
        self.expect_kind(&left, kind, symbol)?;
        self.expect_kind(&right, kind, symbol)?;
        let height = left.height.max(right.height) + 1;
        let expression = build(Box::new(left.expression), Box::new(right.expression));
        self.bounded(Typed { expression, kind, height, start: left.start })
    }

    fn wrap(
        &self,
        start: usize,
        kind: Kind,
        inner: Typed,
        build: impl FnOnce(Box<Expression>) -> Expression,
    ) -> Result<Typed> {
        let expression = build(Box::new(inner.expression));
        self.bounded(Typed { expression, kind, height: inner.height + 1, start })
    }

    fn expect_kind(&self, typed: &Typed, wanted: Kind, symbol: &str) -> Result<()> {
        if typed.kind.fits(wanted) {
            return Ok(());
        }
        let what = format!("`{symbol}` needs {}, but this is {}", wanted.describe(), typed.kind.describe());
        let hint = match wanted {
            Kind::Bool => "compare it with something, as in `x <= 1`",
            _ => "use a number here",
        };
        Err(self.refusal(typed.start, what, hint))
    }

    fn check_comparison(&self, symbol: &str, comparison: Comparison, left: &Typed, right: &Typed) -> Result<()> {
        if comparison.needs_order() {
            for side in [left, right] {
                if !side.kind.fits(Kind::Number) {
                    let what = format!("`{symbol}` needs a number, but this is {}", side.kind.describe());
                    return Err(self.refusal(side.start, what, "compare it with `==` or `!=`"));
                }
            }
        } else if !left.kind.fits(right.kind) && right.kind != Kind::Mixed {
            let what = format!("{} is compared with {}", left.kind.describe(), right.kind.describe());
            return Err(self.refusal(left.start, what, "compare values of one type"));
        }
        self.check_choice(left, right)?;
        self.check_choice(right, left)
    }

    /// Refuses to compare a list with a text that is not in it: the answer would always be the same, so it must be a
    /// mistake.
    fn check_choice(&self, list: &Typed, text: &Typed) -> Result<()> {
        let (Expression::Parameter(i), Expression::Text(word)) = (&list.expression, &text.expression) else {
            return Ok(());
        };
        let parameter = &self.parameters[*i];
        let choices: Vec<&str> = parameter.listed().iter().filter_map(Value::as_str).collect();
        if choices.contains(&word.as_str()) {
            return Ok(());
        }
        let hint = match nearest(word, choices.iter().copied()) {
            Some(near) => format!("did you mean '{near}'?"),
            None => format!("use one of {}", choices.join(", ")),
        };
        Err(self.refusal(text.start, format!("'{word}' is not a value of `{}`", parameter.name()), hint))
    }

    fn expect_close(&mut self, open: usize) -> Result<()> {
        if self.take(")") {
            return Ok(());
        }
        if self.peek() == &TokenKind::End {
            return Err(self.refusal(open, "a bracket is not closed", "add `)`"));
        }
        Err(self.unexpected("`)` or an operator"))
    }

    fn take_comparison(&mut self) -> Option<(&'static str, Comparison)> {
        const COMPARISONS: [(&str, Comparison); 6] = [
            ("<", Comparison::Less),
            ("<=", Comparison::LessOrEqual),
            (">", Comparison::Greater),
            (">=", Comparison::GreaterOrEqual),
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
        ];
        COMPARISONS.into_iter().find(|(symbol, _)| self.take(symbol))
    }

    /// Parses one level deeper.
    fn descend(&mut self, parse: impl FnOnce(&mut Self) -> Result<Typed>) -> Result<Typed> {
        if self.depth == MAX_DEPTH {
            let what = format!("more than {MAX_DEPTH} levels are nested");
            return Err(self.refusal(self.start(), what, "remove some brackets, or split the constraint"));
        }
        self.depth += 1;
        let parsed = parse(self)?;
        self.depth -= 1;
        Ok(parsed)
    }

    fn bounded(&self, typed: Typed) -> Result<Typed> {
        if typed.height > MAX_HEIGHT {
            let what = format!("more than {MAX_HEIGHT} operations build on each other");
            return Err(self.refusal(typed.start, what, "split the constraint at its `and`s"));
        }
        Ok(typed)
    }

    fn peek(&self) -> &TokenKind {
        &self.tokens[self.next].kind
    }

    fn start(&self) -> usize {
        self.tokens[self.next].start
    }

    /// Consumes a symbol if it comes next. The end is not a symbol, so there is always a next token.
    fn take(&mut self, symbol: &str) -> bool {
        let is_next = matches!(self.peek(), TokenKind::Symbol(next) if *next == symbol);
        self.next += usize::from(is_next);
        is_next
    }

    fn unexpected(&self, wanted: &str) -> Error {
        let found = match self.peek() {
            TokenKind::End => "the end".to_owned(),
            TokenKind::Symbol(symbol) => format!("`{symbol}`"),
            TokenKind::Name(name) => format!("the name `{name}`"),
            TokenKind::Text(text) => format!("the text '{text}'"),
            TokenKind::Number(x) => format!("the number {x}"),
        };
        self.refusal(self.start(), format!("expected {wanted}, found {found}"), "write it like `x + y <= 1 and n != 3`")
    }

    fn refusal(&self, at: usize, what: impl std::fmt::Display, hint: impl Into<String>) -> Error {
        refusal(self.text, at, what, hint)
    }
}
