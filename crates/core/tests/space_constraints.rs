//! Constraints: what they mean, and how they are refused.

use elbowroom::domain::Domain;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, Point, SearchSpace, Value};
use proptest::prelude::*;

fn parameters() -> Vec<Parameter> {
    vec![
        Parameter::float("x", -10.0, 10.0),
        Parameter::float("y", -10.0, 10.0),
        Parameter::int("n", 0, 100),
        Parameter::category("kind", ["adam", "sgd"]),
        Parameter::category("fast", [true, false]),
        Parameter::ordered("depth", [Value::from(1), Value::from(2), Value::from("auto")]),
        Parameter::float("layer-1", 0.0, 1.0),
        Parameter::fixed("epochs", 20),
    ]
}

fn space(constraint: &str) -> SearchSpace {
    SearchSpace::new(parameters()).unwrap().with_constraints([constraint]).unwrap_or_else(|error| panic!("{error}"))
}

fn point() -> Point {
    let point = Point::new().with("x", 2.0).with("y", -3.0).with("n", 7).with("kind", "adam").with("fast", true);
    point.with("depth", "auto").with("layer-1", 0.5).with("epochs", 20)
}

/// Whether a constraint holds at the point above, checked in both ways.
fn holds(constraint: &str) -> bool {
    let space = space(constraint);
    let directly = space.broken_constraint(&point()).unwrap().is_none();
    assert_eq!(space.is_feasible(&space.encode(&point()).unwrap()), directly, "{constraint}");
    directly
}

fn refusal(constraint: &str) -> String {
    SearchSpace::new(parameters()).unwrap().with_constraints([constraint]).unwrap_err().to_string()
}

#[test]
fn expressions_mean_what_mathematics_says() {
    // x = 2, y = -3, n = 7, kind = adam, fast = true, depth = auto, layer-1 = 0.5, epochs = 20; truth by hand.
    for truth in [
        "x + y <= 1",
        "x + y == -1",
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "10 - 4 - 3 == 3",
        "24 / 4 / 2 == 3",
        "-2 ^ 2 == -4",
        "2 ^ 3 ^ 2 == 512",
        "2 ** -1 == .5",
        "- -x == 2",
        "+x == 2e0",
        "7 % 3 == 1 and -7 % 3 == 2 and 7 % -3 == -2",
        "abs(y) == 3",
        "min(x, y, 1) == -3 and max(x, y, 1) == 2 and max(5) == 5",
        "log(exp(1)) == 1 and ln(1) == 0 and log10(1000) == 3",
        "sqrt(9) == 3 and floor(-1.5) == -2 and ceil(-1.5) == -1",
        "-4 < y < x < 7",
        "1 < x == 2",
        "kind == 'adam' and kind != \"sgd\"",
        "'adam' == kind",
        "fast",
        "fast == true and fast != False",
        "not (x > 3) or n == 3",
        "not x > 3",
        "!(x > 3) && n == 7 || false",
        "true or false and false",
        "not false and true",
        "depth == 'auto' or depth > 1",
        "depth != 1",
        "`layer-1` == 0.5 and epochs == 20",
        "1 / 0 > 1e308",
        "  x<3  ",
    ] {
        assert!(holds(truth), "{truth}");
        assert!(!holds(&format!("not ({truth})")), "not {truth}");
    }
}

#[test]
fn what_has_no_value_does_not_hold_either_way() {
    for undefined in ["sqrt(y) > 1", "log(y) < 0", "0 / 0 == 0", "min(x, sqrt(y)) < 9", "depth > 1", "depth + 1 == 2"] {
        assert!(!holds(undefined), "{undefined}");
        assert!(!holds(&format!("not ({undefined})")), "{undefined}");
        assert!(!holds(&format!("true and {undefined}")), "{undefined}");
        assert!(holds(&format!("{undefined} or true")), "{undefined}");
        assert!(holds(&format!("true or {undefined}")), "{undefined}");
        assert!(holds(&format!("not ({undefined} and false)")), "{undefined}");
    }
}

#[test]
fn a_fault_is_shown_with_a_caret_below_it() {
    assert_eq!(
        refusal("x + * y < 1"),
        "constraint: expected a value, found `*`, at column 5\n    x + * y < 1\n        ^\n  try: write it like `x + y <= 1 and n != 3`"
    );
}

#[test]
fn each_fault_says_what_it_is_and_where() {
    for (text, what, column) in [
        ("", "expected a value, found the end", 1),
        ("x <", "expected a value, found the end", 4),
        ("x", "a constraint must be true or false, but this is a number", 1),
        ("x = 1", "write `==`", 3),
        ("x < 1 & y < 1", "write `and`", 7),
        ("x < 1 | y < 1", "write `or`", 7),
        ("x < $1", "'$' has no meaning", 5),
        ("(x < 1", "a bracket is not closed", 1),
        ("x < 1)", "expected an operator, found `)`", 6),
        ("min(x y) < 1", "expected `)` or an operator, found the name `y`", 7),
        ("abs() < 1", "expected a value, found `)`", 5),
        ("abs(x, y) < 1", "`abs` takes one number, not 2", 1),
        ("sqr(x) < 1", "did you mean `sqrt`?", 1),
        ("kind == 'adam", "a quote is opened but not closed", 9),
        ("kind == adam", "put text in quotes", 9),
        ("kind == 'adm'", "did you mean 'adam'?", 9),
        ("kind < 'adam'", "`<` needs a number, but this is a text", 1),
        ("kind == 3", "a text is compared with a number", 1),
        ("x == true", "a number is compared with true or false", 1),
        ("x + kind < 1", "`+` needs a number, but this is a text", 5),
        ("-fast < 1", "`-` needs a number, but this is true or false", 2),
        ("x and y < 1", "`and` needs true or false, but this is a number", 1),
        ("not x", "`not` needs true or false", 5),
        ("abs(kind) < 1", "`abs` needs a number, but this is a text", 5),
        ("kynd == 'adam'", "did you mean `kind`?", 1),
        ("x < 1e999", "too large a number", 5),
        ("2 x < 1", "expected an operator, found the name `x`", 3),
    ] {
        let message = refusal(text);
        assert!(message.contains(what) && message.contains(&format!("at column {column}\n")), "{text}: {message}");
    }
}

#[test]
fn deep_and_long_constraints_are_refused_and_do_not_overflow_the_stack() {
    let many = 4_000;
    for text in [
        format!("{}x{} < 1", "(".repeat(many), ")".repeat(many)),
        format!("{}x < 1", "-".repeat(many)),
        format!("{}fast", "not ".repeat(many / 2)),
        format!("{}fast", "!".repeat(many)),
        format!("x{} < 1", "^x".repeat(many)),
        format!("x{} < 1", "+x".repeat(many)),
        format!("fast{}", " or fast".repeat(many / 4)),
        format!("{}x{} < 1", "abs(".repeat(many / 4), ")".repeat(many / 4)),
    ] {
        let message = refusal(&text);
        assert!(message.contains("nested") || message.contains("build on each other"), "{message}");
    }
    assert!(refusal(&"x".repeat(1_000_000)).contains("more than"));
}

#[test]
fn feasible_samples_are_feasible_and_impossible_ones_are_none() {
    let space = space("x + y <= 1 and n % 2 == 0 and kind != 'sgd'");
    let mut stream = Stream::new(5);
    for _ in 0..100 {
        let u = space.sample_feasible(&mut stream, 1000).unwrap();
        let point = space.decode(&u);
        let number = |name: &str| point.get(name).unwrap().as_f64().unwrap();
        assert!(number("x") + number("y") <= 1.0 && number("n") % 2.0 == 0.0);
        assert_eq!(point.get("kind"), Some(&Value::from("adam")));
    }
    assert_eq!(self::space("x > 11").sample_feasible(&mut stream, 1000), None);
    assert_eq!(self::space("true").sample_feasible(&mut stream, 0), None);
}

/// An expression as text, with its value computed independently in plain Rust. There is no division by 0, so all is
/// defined.
fn arithmetic() -> impl Strategy<Value = (String, f64)> {
    // At the point above: x = 2, y = -3, n = 7.
    let leaf = prop_oneof![
        Just(("x".to_owned(), 2.0)),
        Just(("y".to_owned(), -3.0)),
        Just(("n".to_owned(), 7.0)),
        (0u32..1000).prop_map(|k| (format!("{}", f64::from(k) / 8.0), f64::from(k) / 8.0)),
    ];
    leaf.prop_recursive(5, 40, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            pair.clone().prop_map(|((a, x), (b, y))| (format!("({a} + {b})"), x + y)),
            pair.clone().prop_map(|((a, x), (b, y))| (format!("({a}-{b})"), x - y)),
            pair.clone().prop_map(|((a, x), (b, y))| (format!("({a} * {b})"), x * y)),
            pair.clone().prop_map(|((a, x), (b, y))| (format!("({a}/(1 + abs({b})))"), x / (1.0 + y.abs()))),
            pair.clone().prop_map(|((a, x), (b, y))| (format!("min({a}, {b})"), if x <= y { x } else { y })),
            pair.prop_map(|((a, x), (b, y))| (format!("max({a}, {b})"), if x >= y { x } else { y })),
            inner.clone().prop_map(|(a, x)| (format!("(-{a})"), -x)),
            inner.prop_map(|(a, x)| (format!("abs({a})"), x.abs())),
        ]
    })
}

/// A truth value as text, with its value computed independently in plain Rust.
fn logic() -> impl Strategy<Value = (String, bool)> {
    let compare = (arithmetic(), arithmetic(), 0usize..6).prop_map(|((a, x), (b, y), which)| match which {
        0 => (format!("{a} < {b}"), x < y),
        1 => (format!("{a} <= {b}"), x <= y),
        2 => (format!("{a} > {b}"), x > y),
        3 => (format!("{a} >= {b}"), x >= y),
        4 => (format!("{a} == {b}"), x == y),
        _ => (format!("{a} != {b}"), x != y),
    });
    let leaf =
        prop_oneof![4 => compare, 1 => Just(("fast".to_owned(), true)), 1 => Just(("kind == 'sgd'".to_owned(), false))];
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|((a, p), (b, q))| (format!("({a} and {b})"), p && q)),
            (inner.clone(), inner.clone()).prop_map(|((a, p), (b, q))| (format!("({a} || {b})"), p || q)),
            inner.prop_map(|(a, p)| (format!("not ({a})"), !p)),
        ]
    })
}

proptest! {
    #[test]
    fn generated_expressions_have_the_value_that_rust_gives_them((text, expected) in logic()) {
        let space = SearchSpace::new(parameters()).unwrap().with_constraints([text.clone()]);
        let space = match space {
            Ok(space) => space,
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        let truth = space.broken_constraint(&point()).unwrap().is_none();
        prop_assert_eq!(truth, expected, "{}", text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>()) {
        let _ = SearchSpace::new(parameters()).unwrap().with_constraints([text]);
    }

    #[test]
    fn no_sequence_of_tokens_makes_the_parser_panic(
        words in prop::collection::vec(prop::sample::select(vec![
            "x", "kind", "'adam'", "fast", "depth", "1", "2.5e3", "(", ")", ",", "+", "-", "*", "/", "%", "^", "<",
            "<=", "==", "!=", "and", "or", "not", "!", "min(", "abs(", "`layer-1`", "true", "'", "`", "é", "\t",
        ]), 0..30),
    ) {
        let built = SearchSpace::new(parameters()).unwrap().with_constraints([words.join(" ")]);
        if let Ok(space) = built {
            space.broken_constraint(&point()).unwrap();
        }
    }
}

#[test]
fn sums_of_steps_and_ladders_are_what_they_are_on_paper() {
    let kept = |parameters: Vec<Parameter>, constraint: &str| {
        let space = SearchSpace::new(parameters).unwrap().with_constraints([constraint]).unwrap();
        let domain = Domain::whole(&space);
        domain.enumerate().unwrap().filter(|u| domain.is_feasible(u)).count()
    };
    let steps = |n: usize, step: f64| (0..n).map(|i| Parameter::float(format!("x{i}"), 0.0, 1.0).step(step)).collect();
    // There are C(12, 2) ways to divide ten tenths into three parts, and C(13, 3) for at most ten; in binary, some sums
    // are not 1.
    assert_eq!(kept(steps(3, 0.1), "x0 + x1 + x2 == 1"), 66);
    assert_eq!(kept(steps(3, 0.1), "x0 + x1 + x2 <= 1"), 286);
    assert_eq!(kept(steps(3, 0.1), "1 >= x0 + x1 + x2"), 286);
    assert_eq!(kept(steps(2, 0.05), "0.3 <= x0 + x1 <= 0.3"), 7);
    assert_eq!(kept(vec![Parameter::ladder("a", [0.1, 0.4]), Parameter::ladder("b", [0.2, 0.5])], "a + b == 0.3"), 1);
    // Integers are exact, however large.
    let whole = |name: &str| Parameter::int(name, 1_000_000_000_000, 1_000_000_000_009);
    assert_eq!(kept(vec![whole("n"), whole("m")], "n == m"), 10);
}
