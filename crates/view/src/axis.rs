//! A searched parameter as an axis: where its values are in the unit cube, and the labels.

pub use elbowroom::space::brief as number;
use elbowroom::space::{Dimension, Parameter, SearchSpace, UnitPoint, Value};
use serde::Serialize;

/// About how many ticks an axis should have.
const TICKS: usize = 5;

/// An axis over one coordinate of the unit cube.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Axis {
    /// The parameter's name.
    pub name: String,
    /// The parameter's coordinate.
    pub dim: usize,
    /// Whether it is logarithmic.
    pub log: bool,
    /// Whether the values have no order.
    pub category: bool,
    /// The ticks with their labels.
    pub ticks: Vec<Tick>,
}

/// A mark on an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tick {
    /// The position, from 0 to 1.
    pub at: f64,
    /// The label.
    pub label: String,
}

/// The axes of all searched parameters.
pub fn axes(space: &SearchSpace) -> Vec<Axis> {
    (0..space.dim()).map(|dim| axis(space, dim)).collect()
}

/// The axis of one coordinate.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace};
/// use elbowroom_view::axis::axis;
///
/// let space = SearchSpace::new(vec![Parameter::float("rate", 1e-4, 1.0).log()])?;
/// let ticks: Vec<(f64, String)> = axis(&space, 0).ticks.into_iter().map(|tick| (tick.at, tick.label)).collect();
/// assert_eq!(ticks[2], (0.5, "0.01".to_owned()));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn axis(space: &SearchSpace, dim: usize) -> Axis {
    let parameter = space.searched(dim);
    let (log, ticks) = match parameter {
        Parameter::Float { low, high, log, step: None, .. } => (*log, float_ticks(*low, *high, *log)),
        Parameter::Float { .. } => (false, step_ticks(space, dim)),
        Parameter::Int { low, high, log, .. } => {
            let at = |value: i64| space.coordinate(dim, value.abs_diff(*low));
            let tick = |value: i64| Tick { at: at(value), label: value.to_string() };
            let wanted = nice(*low as f64, *high as f64, *log).into_iter().map(|x| x.round() as i64);
            let mut values: Vec<i64> = wanted.filter(|value| (*low..=*high).contains(value)).collect();
            values.dedup();
            (*log, values.into_iter().map(tick).collect())
        }
        Parameter::Ordered { .. } | Parameter::Ladder { .. } | Parameter::Category { .. } => {
            let list = parameter.listed();
            let every = list.len().div_ceil(12).max(1);
            let tick = |(i, value): (usize, &Value)| Tick { at: space.coordinate(dim, i as u64), label: text(value) };
            let log = matches!(parameter, Parameter::Ladder { log: true, .. });
            (log, list.iter().enumerate().step_by(every).map(tick).collect())
        }
        Parameter::Fixed { .. } => (false, Vec::new()),
    };
    let category = matches!(space.dimensions()[dim], Dimension::Category { .. });
    Axis { name: parameter.name().to_owned(), dim, log, category, ticks }
}

/// A value without quotes, a float cut to six digits.
pub fn text(value: &Value) -> String {
    match value {
        Value::Float(x) => number(*x),
        Value::Text(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The ticks of a range of numbers.
pub(crate) fn float_ticks(low: f64, high: f64, log: bool) -> Vec<Tick> {
    let at = |x: f64| if log { (x / low).ln() / (high / low).ln() } else { (x - low) / (high - low) };
    nice(low, high, log).into_iter().map(|x| Tick { at: at(x), label: number(x) }).collect()
}

/// The ticks of a float with a step: every few values, at their true distances.
fn step_ticks(space: &SearchSpace, dim: usize) -> Vec<Tick> {
    let n = space.dimensions()[dim].levels().unwrap_or(1);
    let mut unit = vec![0.5; space.dim()];
    let tick = |level: u64| {
        let at = space.coordinate(dim, level);
        unit[dim] = at;
        let point = space.decode(&UnitPoint::clamped(unit.clone()));
        Tick { at, label: point.get(space.searched(dim).name()).map_or_else(String::new, text) }
    };
    (0..n).step_by((n.div_ceil(2 * TICKS as u64 + 1)).max(1) as usize).map(tick).collect()
}

/// Round numbers in a range: steps of 1, 2 or 5 times a power of ten, or powers of ten.
fn nice(low: f64, high: f64, log: bool) -> Vec<f64> {
    if log && high / low >= 10.0 {
        let slack = 1e-9;
        let (first, last) = ((low.log10() - slack).ceil() as i32, (high.log10() + slack).floor() as i32);
        let every = ((last - first) as usize / TICKS + 1).max(1);
        // 10^-4 by powi is not 1e-4 to the last bit; the text is.
        let power = |k: i32| format!("1e{k}").parse().unwrap_or(f64::NAN);
        return (first..=last).step_by(every).map(power).collect();
    }
    let span = high - low;
    if !(span.is_finite() && span > 0.0) {
        return vec![low];
    }
    let rough = span / TICKS as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|step| *step >= rough).unwrap_or(rough);
    let first = (low / step - 1e-9).ceil();
    let marks = (0..=2 * TICKS).map(|i| (first + i as f64) * step);
    marks.take_while(|x| *x <= high + 1e-9 * span).map(|x| x.clamp(low, high)).collect()
}

/// Values that span more than this ratio are better seen on a log scale, if all are positive.
const DECADES: f64 = 30.0;

/// Whether a log scale shows more of some values than a linear one.
///
/// ```
/// use elbowroom_view::axis::spans_decades;
///
/// assert!(spans_decades([0.01, 3.0, 1.0]) && !spans_decades([1.0, 3.0]));
/// assert!(!spans_decades([-1.0, 1000.0]), "there is no logarithm of it");
/// ```
pub fn spans_decades(values: impl IntoIterator<Item = f64>) -> bool {
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = values.into_iter().fold(ends, |(low, high), value| (low.min(value), high.max(value)));
    low > 0.0 && high / low > DECADES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tick_stands_where_its_value_is_encoded() {
        use elbowroom::space::Point;
        let space = SearchSpace::new(vec![
            Parameter::float("a", -3.0, 7.5),
            Parameter::float("b", 1e-5, 0.1).log(),
            Parameter::int("c", 1, 40),
            Parameter::int("d", 1, 1000).log(),
            Parameter::category("e", ["x", "y", "z"]),
            Parameter::ladder("f", [1, 2, 50, 1000]).log(),
            Parameter::float("g", 0.0, 1.0).step(0.05),
        ])
        .unwrap();
        let numbers = Point::new().with("a", 0.0).with("b", 1e-3).with("c", 1).with("d", 1);
        let base = numbers.with("e", "x").with("f", 2).with("g", 0.5);
        for axis in axes(&space) {
            assert!(axis.ticks.len() >= 2, "{axis:?}");
            for tick in &axis.ticks {
                let value = tick.label.parse().map_or_else(|_| Value::from(tick.label.as_str()), Value::Float);
                let mut point = Point::new();
                for (name, own) in base.iter() {
                    point = point.with(name, if name == axis.name { value.clone() } else { own.clone() });
                }
                // The label has six digits.
                let unit = space.encode(&point).unwrap();
                assert!((unit[axis.dim] - tick.at).abs() < 1e-5, "{} {tick:?} {}", axis.name, unit[axis.dim]);
            }
        }
    }
}
