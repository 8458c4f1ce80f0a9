//! The search space: its checks, and the map to the unit cube and back.

use std::collections::HashSet;

use elbowroom::domain::Domain;
use elbowroom::error::Kind;
use elbowroom::rng::Stream;
use elbowroom::space::{Dimension, Parameter, Point, SearchSpace, UnitPoint, Value};
use proptest::prelude::*;

fn space(parameters: Vec<Parameter>) -> SearchSpace {
    SearchSpace::new(parameters).unwrap()
}

fn one(parameter: Parameter) -> SearchSpace {
    space(vec![parameter])
}

fn unit(coordinates: &[f64]) -> UnitPoint {
    UnitPoint::clamped(coordinates.to_vec())
}

/// The value of `x` at a coordinate.
fn x_at(space: &SearchSpace, u: f64) -> Value {
    space.decode(&unit(&[u])).get("x").unwrap().clone()
}

fn float_at(space: &SearchSpace, u: f64) -> f64 {
    x_at(space, u).as_f64().unwrap()
}

fn refusal(parameters: Vec<Parameter>) -> String {
    match SearchSpace::new(parameters) {
        Err(error) if error.kind() == Kind::Space => error.to_string(),
        other => panic!("not refused: {other:?}"),
    }
}

fn encode_refusal(space: &SearchSpace, point: Point) -> String {
    space.encode(&point).unwrap_err().to_string()
}

mod checks {
    use super::*;

    #[test]
    fn reversed_bounds_are_refused_by_name() {
        let message = refusal(vec![Parameter::float("x", 3.0, 1.0)]);
        assert_eq!(message, "parameter `x`: low 3 is above high 1\n  try: swap the two bounds");
        assert!(refusal(vec![Parameter::int("n", 3, 1)]).contains("parameter `n`"));
    }

    #[test]
    fn bounds_that_are_not_finite_are_refused() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(refusal(vec![Parameter::float("x", bad, 1.0)]).contains("`x`: low is"));
            assert!(refusal(vec![Parameter::float("x", 1.0, bad)]).contains("`x`: high is"));
            assert!(refusal(vec![Parameter::fixed("x", bad)]).contains("`x`"));
            assert!(refusal(vec![Parameter::ordered("x", [0.0, bad])]).contains("`x`"));
        }
    }

    #[test]
    fn a_log_scale_needs_a_positive_low_bound() {
        for low in [0.0, -0.0, -1.0] {
            assert!(refusal(vec![Parameter::float("x", low, 1.0).log()]).contains("above 0"));
        }
        assert!(refusal(vec![Parameter::int("x", 0, 9).log()]).contains("at least 1"));
    }

    #[test]
    fn ranges_too_wide_to_tell_integers_apart_are_refused() {
        assert!(refusal(vec![Parameter::int("x", i64::MIN, i64::MAX)]).contains("whole numbers"));
        assert!(refusal(vec![Parameter::int("x", 1, i64::MAX).log()]).contains("log scale"));
        assert!(SearchSpace::new(vec![Parameter::int("x", i64::MAX - 5, i64::MAX)]).is_ok());
    }

    #[test]
    fn empty_lists_and_lists_with_repeats_are_refused() {
        assert!(refusal(vec![Parameter::category("x", Vec::<Value>::new())]).contains("empty"));
        assert!(refusal(vec![Parameter::ordered("x", Vec::<Value>::new())]).contains("empty"));
        assert!(refusal(vec![Parameter::category("x", ["a", "b", "a"])]).contains("\"a\" is listed twice"));
        assert!(refusal(vec![Parameter::ordered("x", [Value::from(1), Value::from(1.0)])]).contains("twice"));
        assert!(refusal(vec![Parameter::ordered("x", [0.0, -0.0])]).contains("twice"));
    }

    #[test]
    fn values_of_different_types_are_no_repeats() {
        let choices = [Value::from(1), Value::from("1"), Value::from(true), Value::from("true")];
        assert_eq!(one(Parameter::category("x", choices)).n_points(), Some(4));
    }

    #[test]
    fn names_must_be_there_and_differ() {
        assert!(refusal(vec![Parameter::int("", 0, 1)]).contains("parameter 1 has no name"));
        assert!(refusal(vec![Parameter::int("a", 0, 1), Parameter::int(" ", 0, 1)]).contains("parameter 2"));
        assert!(refusal(vec![Parameter::int("a", 0, 1), Parameter::fixed("a", 1)]).contains("`a` appears twice"));
    }

    #[test]
    fn a_space_without_parameters_is_refused() {
        assert!(refusal(vec![]).contains("no parameters"));
    }
}

mod one_value {
    use super::*;

    #[test]
    fn a_category_with_one_value_takes_no_coordinate() {
        let space = space(vec![Parameter::category("kind", ["relu"]), Parameter::float("x", 0.0, 1.0)]);
        assert_eq!(space.dim(), 1);
        assert_eq!(space.searched(0).name(), "x");
        assert_eq!(space.decode(&unit(&[0.25])).to_string(), "kind=relu x=0.25");
    }

    #[test]
    fn equal_bounds_behave_as_a_fixed_value() {
        let space = space(vec![
            Parameter::float("a", 0.5, 0.5),
            Parameter::int("b", 7, 7),
            Parameter::float("c", 2.0, 2.0).log(),
            Parameter::fixed("d", true),
        ]);
        assert_eq!((space.dim(), space.n_points()), (0, Some(1)));
        let point = space.decode(&unit(&[]));
        assert_eq!(point.to_string(), "a=0.5 b=7 c=2 d=true");
        assert_eq!(space.encode(&point).unwrap().len(), 0);
        assert_eq!(Domain::whole(&space).enumerate().unwrap().count(), 1);
        assert!(encode_refusal(&space, point.with("b", 8)).contains("`b`: 8 is not between 7 and 7"));
    }
}

mod coordinates {
    use super::*;

    #[test]
    fn floats_lie_where_the_formulas_say() {
        let linear = one(Parameter::float("x", -1.0, 3.0));
        assert_eq!(float_at(&linear, 0.25), 0.0);
        assert_eq!(linear.encode(&Point::new().with("x", 1)).unwrap().as_slice(), [0.5]);

        // 1e-2 is half way from 1e-4 to 1 on a log scale; ln 1e-4 is exact to 1e-15, and so is the value.
        let log = one(Parameter::float("x", 1e-4, 1.0).log());
        assert!((float_at(&log, 0.5) / 1e-2 - 1.0).abs() < 1e-14);
        assert!((log.encode(&Point::new().with("x", 1e-2)).unwrap()[0] - 0.5).abs() < 1e-15);
    }

    #[test]
    fn bounds_are_reached_exactly() {
        for (low, high) in [(0.1, 0.3), (-1e308, 1e308), (1e-320, 1.7e308), (-0.3, 0.1), (0.9, 0.9000000000000001)] {
            let linear = one(Parameter::float("x", low, high));
            assert_eq!((float_at(&linear, 0.0), float_at(&linear, 1.0)), (low, high));
            if low > 0.0 {
                let log = one(Parameter::float("x", low, high).log());
                assert_eq!((float_at(&log, 0.0), float_at(&log, 1.0)), (low, high));
            }
        }
    }

    #[test]
    fn a_range_whose_width_overflows_is_searched_all_the_same() {
        let space = one(Parameter::float("x", -1e308, 1e308));
        assert_eq!(float_at(&space, 0.5), 0.0);
        assert_eq!(float_at(&space, 0.75), 5e307);
        assert_eq!(space.encode(&Point::new().with("x", 5e307)).unwrap().as_slice(), [0.75]);
        assert!(encode_refusal(&space, Point::new().with("x", 1.1e308)).contains("not between -1e308 and 1e308"));
    }

    #[test]
    fn levels_lie_at_the_centres_of_equal_cells() {
        let spaces = [
            one(Parameter::int("x", -1, 2)),
            one(Parameter::ordered("x", [16, 32, 64, 128])),
            one(Parameter::category("x", ["a", "b", "c", "d"])),
        ];
        for space in spaces {
            let centres: Vec<f64> = Domain::whole(&space).enumerate().unwrap().map(|u| u[0]).collect();
            assert_eq!(centres, [0.125, 0.375, 0.625, 0.875]);
            for (u, level) in [(0.0, 0), (0.24, 0), (0.26, 1), (0.99, 3), (1.0, 3), (7.0, 3), (-1.0, 0), (f64::NAN, 0)]
            {
                assert_eq!(space.level(0, u), level);
            }
            assert_eq!(space.coordinate(0, 99), 0.875);
        }
    }

    #[test]
    fn dimensions_tell_what_each_coordinate_is() {
        let space = space(vec![
            Parameter::float("a", 0.0, 1.0),
            Parameter::int("b", 1, 1_000_000),
            Parameter::fixed("c", 1),
            Parameter::ordered("d", ["s", "m", "l"]),
            Parameter::category("e", [true, false]),
        ]);
        let expected = [
            Dimension::Continuous,
            Dimension::Grid { levels: 1_000_000 },
            Dimension::Grid { levels: 3 },
            Dimension::Category { levels: 2 },
        ];
        assert_eq!(space.dimensions(), expected);
        assert_eq!(space.n_points(), None);
        assert!(Domain::whole(&space).enumerate().is_none());
    }

    #[test]
    fn the_number_of_points_is_the_product_of_the_levels() {
        let two = space(vec![Parameter::int("a", 1, 6), Parameter::category("b", ["x", "y"])]);
        assert_eq!(two.n_points(), Some(12));
        let keys: HashSet<_> = Domain::whole(&two).enumerate().unwrap().map(|u| two.key(&u)).collect();
        assert_eq!(keys.len(), 12);

        // 2⁵⁰ levels three times is 2¹⁵⁰: beyond u128, but the first points can still be listed.
        let vast = space(["a", "b", "c"].map(|name| Parameter::int(name, 1, 1 << 50)).to_vec());
        assert_eq!(vast.n_points(), None);
        assert_eq!(Domain::whole(&vast).enumerate().unwrap().take(3).count(), 3);
    }

    #[test]
    fn uniform_coordinates_give_uniform_levels() {
        let space = one(Parameter::int("x", 1, 5));
        let mut stream = Stream::new(11);
        let mut counts = [0usize; 5];
        for _ in 0..50_000 {
            counts[space.level(0, space.sample(&mut stream)[0]) as usize] += 1;
        }
        // Binomial(50000, 1/5), five standard deviations wide.
        for count in counts {
            assert!((count as f64 - 10_000.0).abs() < 5.0 * 8_000f64.sqrt(), "{counts:?}");
        }
    }
}

mod values {
    use super::*;

    fn mixed() -> SearchSpace {
        space(vec![
            Parameter::float("lr", 0.0, 1.0),
            Parameter::int("layers", 1, 4),
            Parameter::category("kind", ["adam", "sgd"]),
        ])
    }

    fn good() -> Point {
        Point::new().with("lr", 0.5).with("layers", 2).with("kind", "sgd")
    }

    #[test]
    fn each_fault_of_a_point_names_the_parameter() {
        let space = mixed();
        let missing = Point::new().with("lr", 0.5).with("kind", "sgd");
        assert!(encode_refusal(&space, missing).contains("parameter `layers` has no value"));
        let extra = encode_refusal(&space, good().with("layer", 1));
        assert!(extra.contains("`layer` is not in the search space") && extra.contains("did you mean `layers`?"));
        for (name, value, expected) in [
            ("lr", Value::from("a"), "parameter `lr`: takes a number, not the text \"a\""),
            ("lr", Value::from(true), "takes a number, not true"),
            ("lr", Value::from(1.5), "1.5 is not between 0 and 1"),
            ("lr", Value::from(f64::NAN), "NaN is not between"),
            ("layers", Value::from(2.5), "parameter `layers`: takes a whole number, not the number 2.5"),
            ("layers", Value::from(f64::INFINITY), "`layers`"),
            ("layers", Value::from(1e300), "1e300 is not between 1 and 4"),
            ("layers", Value::from(5), "5 is not between 1 and 4"),
            ("kind", Value::from("rmsprop"), "parameter `kind`: the text \"rmsprop\" is not one of its values"),
            ("kind", Value::from(1), "the number 1 is not one of its values\n  try: give one of adam, sgd"),
        ] {
            let message = encode_refusal(&space, good().with(name, value));
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn a_whole_float_will_do_for_an_integer() {
        let space = mixed();
        let given = good().with("layers", 2.0).with("lr", 1);
        assert_eq!(space.check(&given).unwrap().to_string(), "lr=1 layers=2 kind=sgd");
        assert_eq!(space.check(&given).unwrap().get("layers"), Some(&Value::Int(2)));
        assert_eq!(space.encode(&given), space.encode(&good().with("lr", 1.0)));
    }

    #[test]
    fn a_float_just_beyond_a_bound_counts_as_the_bound() {
        let linear = one(Parameter::float("x", -1.0, 1.0));
        assert_eq!(linear.encode(&Point::new().with("x", 1.0 + 1e-9)).unwrap().as_slice(), [1.0]);
        assert!(linear.encode(&Point::new().with("x", 1.0 + 1e-8)).is_err());
        let log = one(Parameter::float("x", 1e-6, 1.0).log());
        assert_eq!(log.encode(&Point::new().with("x", 1e-6 - 5e-16)).unwrap().as_slice(), [0.0]);
        assert!(log.encode(&Point::new().with("x", 1e-6 - 1e-13)).is_err());
    }

    #[test]
    fn the_order_of_a_users_values_does_not_matter() {
        let shuffled = Point::new().with("kind", "sgd").with("lr", 0.5).with("layers", 2);
        assert_eq!(mixed().encode(&shuffled), mixed().encode(&good()));
        assert_eq!(mixed().check(&shuffled).unwrap(), good());
    }

    #[test]
    fn zero_and_minus_zero_have_one_key() {
        // There is nothing between the smallest negative float and 0: 0.9 of the distance rounds to 0.
        let space = one(Parameter::float("x", -5e-324, 0.0));
        assert_eq!(space.key(&[1.0]), space.key(&[0.9]));
        let zero = one(Parameter::float("x", -0.0, 1.0));
        assert_eq!(zero.key(&[0.0]), zero.key(&[-0.0]));
        assert_ne!(zero.key(&[0.0]), zero.key(&[0.5]));
    }

    #[test]
    fn points_print_shortly_and_without_doubt() {
        let point = Point::new().with("x", 0.25).with("n", 3).with("kind", "relu").with("t", "a b").with("r", 1e-9);
        assert_eq!(point.to_string(), "x=0.25 n=3 kind=relu t=\"a b\" r=1e-9");
    }

    #[test]
    fn a_unit_point_of_another_dimension_is_a_fault_of_the_program() {
        let caught = std::panic::catch_unwind(|| mixed().is_feasible(&[0.5]));
        assert!(caught.is_err());
    }
}

mod json {
    use super::*;

    #[test]
    fn a_space_is_read_and_written_plainly() {
        let text = r#"{
            "parameters": [
                {"name": "lr", "type": "float", "low": 1e-5, "high": 1, "log": true},
                {"name": "n", "type": "int", "low": 1, "high": 8},
                {"name": "batch", "type": "ordered", "values": [16, 32, 64]},
                {"name": "kind", "type": "category", "choices": ["adam", true, 0.5]},
                {"name": "epochs", "type": "fixed", "value": 20}
            ],
            "constraints": ["n * batch <= 256"]
        }"#;
        let read: SearchSpace = serde_json::from_str(text).unwrap();
        let expected = space(vec![
            Parameter::float("lr", 1e-5, 1.0).log(),
            Parameter::int("n", 1, 8),
            Parameter::ordered("batch", [16, 32, 64]),
            Parameter::category("kind", [Value::from("adam"), Value::from(true), Value::from(0.5)]),
            Parameter::fixed("epochs", 20),
        ])
        .with_constraints(["n * batch <= 256"])
        .unwrap();
        assert_eq!(read, expected);
        let written = serde_json::to_string(&read).unwrap();
        assert!(written.contains(r#"{"type":"int","name":"n","low":1,"high":8}"#), "{written}");
        assert_eq!(serde_json::from_str::<SearchSpace>(&written).unwrap(), read);
    }

    #[test]
    fn a_space_from_json_is_checked() {
        for (text, expected) in [
            (r#"{"parameters": []}"#, "no parameters"),
            (r#"{"parameters": [{"name": "x", "type": "float", "low": 2, "high": 1}]}"#, "above high"),
            (r#"{"parameters": [{"name": "x", "type": "float", "low": 0, "high": 1, "lgo": true}]}"#, "lgo"),
            (r#"{"parameters": [{"name": "x", "type": "real", "low": 0, "high": 1}]}"#, "real"),
            (
                r#"{"parameters": [{"name": "x", "type": "int", "low": 0, "high": 1}], "constraints": ["y < 1"]}"#,
                "no parameter is called `y`",
            ),
        ] {
            let message = serde_json::from_str::<SearchSpace>(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn a_point_with_a_name_twice_is_refused() {
        assert!(serde_json::from_str::<Point>(r#"{"x": 1, "x": 2}"#).is_err());
        assert!(serde_json::from_str::<Point>(r#"{"x": null}"#).is_err());
        assert!(serde_json::from_str::<Point>(r#"{"x": [1]}"#).is_err());
    }

    #[test]
    fn a_unit_point_from_json_is_in_the_cube() {
        assert_eq!(serde_json::from_str::<UnitPoint>("[0.5, 1]").unwrap().as_slice(), [0.5, 1.0]);
        assert!(serde_json::from_str::<UnitPoint>("[0.5, 1.5]").is_err());
    }
}

/// A finite float of any magnitude.
fn any_float() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |x| x.is_finite()),
        -1e3..1e3,
        (-1.0..1.0, -12..12).prop_map(|(x, e): (f64, i32)| x * 10f64.powi(e)),
    ]
}

/// A coordinate, including values near the ends.
fn any_unit() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..=1.0, Just(0.0), Just(1.0), (0.0..1e-12), (0.0..1e-12).prop_map(|u: f64| 1.0 - u)]
}

fn float_parameter() -> impl Strategy<Value = Parameter> {
    (any_float(), any_float(), any::<bool>(), any::<bool>()).prop_map(|(a, b, log, near)| {
        // Bounds that are nearly equal, where cancellation matters.
        let b = if near { a + a.abs() * 1e-10 } else { b };
        let (low, high) = (a.min(b), a.max(b));
        if log {
            let (low, high) = (low.abs().min(high.abs()), low.abs().max(high.abs()));
            Parameter::float("x", low.max(1e-320), high.max(1e-319)).log()
        } else {
            Parameter::float("x", low, high)
        }
    })
}

fn level_parameter() -> impl Strategy<Value = Parameter> {
    let values = prop_oneof![
        any_float().prop_map(Value::Float),
        any::<i64>().prop_map(Value::Int),
        ".{0,6}".prop_map(Value::Text),
        any::<bool>().prop_map(Value::Bool),
    ];
    let list = prop::collection::vec(values, 1..9).prop_map(|mut list: Vec<Value>| {
        let mut kept: Vec<Value> = Vec::new();
        list.retain(|value| {
            !kept.iter().any(|known| known.is_same_as(value)) && {
                kept.push(value.clone());
                true
            }
        });
        list
    });
    prop_oneof![
        (-1_000_000_000_000i64..1_000_000_000_000, 0i64..1_000_000_000).prop_map(|(low, n)| Parameter::int(
            "n",
            low,
            low + n
        )),
        (1i64..1000, 0i64..1 << 39).prop_map(|(low, n)| Parameter::int("n", low, low + n).log()),
        list.clone().prop_map(|list| Parameter::ordered("n", list)),
        list.prop_map(|list| Parameter::category("n", list)),
    ]
}

fn coordinates(space: &SearchSpace, u: [f64; 2]) -> Vec<f64> {
    u[..space.dim()].to_vec()
}

/// How many times each property of floats is tried; tries are cheap, and rounding errors are rare.
const MANY: u32 = 20_000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(MANY))]

    #[test]
    fn a_float_that_was_decoded_comes_back_exactly(parameter in float_parameter(), u in any_unit()) {
        let space = one(parameter);
        let u = unit(&vec![u; space.dim()]);
        let point = space.decode(&u);
        let again = space.encode(&point).unwrap();
        prop_assert_eq!(&space.decode(&again), &point);
        prop_assert_eq!(space.key(&again), space.key(&u));
    }

    #[test]
    fn any_float_comes_back_to_the_resolution_of_the_range(parameter in float_parameter(), t in 0.0..=1.0f64) {
        let Parameter::Float { low, high, log, .. } = parameter else { unreachable!() };
        prop_assume!(high < 1e300 && low > -1e300);
        let x = (low + t * (high - low)).clamp(low, high);
        let space = one(parameter);
        let y = space.decode(&space.encode(&Point::new().with("x", x)).unwrap()).get("x").unwrap().as_f64().unwrap();
        // Neighbouring coordinates are at most 2⁻⁵³ apart, and each of the map's operations rounds once: linear, to
        // half an ulp of the width or of x; log, to half an ulp of the logarithms. Five times that is room enough.
        let eps = f64::EPSILON;
        let tolerance = if log {
            x * (5.0 * eps * (1.0 + low.ln().abs().max(high.ln().abs()))) + 5e-324
        } else {
            5.0 * eps * ((high - low) + x.abs()) + 5e-324
        };
        prop_assert!((y - x).abs() <= tolerance, "{x} became {y}");
    }

    #[test]
    fn decoding_is_monotone_and_within_bounds(parameter in float_parameter(), a in any_unit(), b in any_unit(), steps in 0usize..4) {
        let Parameter::Float { low, high, log, .. } = parameter else { unreachable!() };
        let space = one(parameter);
        prop_assume!(space.dim() == 1);
        let near = (0..steps).fold(a, |u, _| u.next_up()).min(1.0);
        for b in [b, near] {
            let (x, y) = (float_at(&space, a.min(b)), float_at(&space, a.max(b)));
            // On a log scale exp may be off by one ulp, in either direction.
            prop_assert!(x <= y || (log && x <= y.next_up()), "{x} {y}");
            prop_assert!(low <= x && y <= high);
        }
    }
}

proptest! {
    #[test]
    fn values_of_lists_and_integers_come_back_exactly(parameter in level_parameter(), u in any_unit()) {
        let space = one(parameter);
        let point = space.decode(&unit(&vec![u; space.dim()]));
        let encoded = space.encode(&point).unwrap();
        prop_assert_eq!(&space.decode(&encoded), &point);
        prop_assert_eq!(&space.check(&point).unwrap(), &point);
        for (dim, u) in encoded.iter().enumerate() {
            prop_assert_eq!(space.coordinate(dim, space.level(dim, *u)), *u);
        }
    }

    #[test]
    fn snapping_twice_is_snapping_once(x in float_parameter(), n in level_parameter(), u in [-0.5..1.5, -0.5..1.5]) {
        let space = space(vec![x, n]);
        let raw = coordinates(&space, u);
        let mut once = raw.clone();
        space.snap(&mut once);
        let mut twice = once.clone();
        space.snap(&mut twice);
        prop_assert_eq!(&once, &twice);
        prop_assert_eq!(space.decode(&unit(&raw)), space.decode(&unit(&once)));
    }

    #[test]
    fn keys_are_equal_exactly_if_the_points_are(
        n in level_parameter(), u in [any_unit(), any_unit()], v in [any_unit(), any_unit()], same in [any::<bool>(), any::<bool>()],
    ) {
        let space = space(vec![Parameter::int("k", -1, 1), n]);
        let (u, mut v) = (coordinates(&space, u), coordinates(&space, v));
        for dim in 0..space.dim() {
            if same[dim] {
                v[dim] = u[dim];
            }
        }
        let points_agree = space.decode(&unit(&u)) == space.decode(&unit(&v));
        prop_assert_eq!(space.key(&u) == space.key(&v), points_agree);
    }

    #[test]
    fn levels_grow_with_the_coordinate(parameter in level_parameter(), a in any_unit(), b in any_unit()) {
        let space = one(parameter);
        prop_assume!(space.dim() == 1);
        prop_assert!(space.level(0, a.min(b)) <= space.level(0, a.max(b)));
    }

    #[test]
    fn a_written_float_is_read_back_to_the_last_bit(x in any_float()) {
        // Read by the standard library, whose parser rounds correctly.
        let written = serde_json::to_string(&Value::Float(x)).unwrap();
        prop_assert_eq!(written.parse::<f64>().unwrap().to_bits(), x.to_bits());
        prop_assert!(matches!(serde_json::from_str::<Value>(&written).unwrap(), Value::Float(_)));
    }

    #[test]
    fn other_values_survive_json_exactly(k in any::<i64>(), text in ".*", truth in any::<bool>(), m in -1_000_000i32..1_000_000) {
        // m/1024 has at most 13 digits, all of which every reader keeps.
        let point = Point::new().with("k", k).with("t", text).with("b", truth).with("x", f64::from(m) / 1024.0);
        let written = serde_json::to_string(&point).unwrap();
        prop_assert_eq!(serde_json::from_str::<Point>(&written).unwrap(), point);
    }

    #[test]
    fn spaces_survive_json(low in -1000i32..1000, n in level_parameter().prop_filter("a reader may lose a float's last bit", |n| {
        !format!("{n:?}").contains("Float(")
    })) {
        let space = space(vec![Parameter::float("x", f64::from(low), f64::from(low) + 0.5), n])
            .with_constraints([format!("x >= {low}")]).unwrap();
        let written = serde_json::to_string(&space).unwrap();
        prop_assert_eq!(serde_json::from_str::<SearchSpace>(&written).unwrap(), space);
    }
}
