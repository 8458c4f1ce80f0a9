//! Axes: their range, the map to pixels, and ticks at round numbers.

/// How values are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally long.
    Linear,
    /// Equal ratios are equally long; all values are positive.
    Log,
}

/// One axis of a panel.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it shows, with units.
    pub label: String,
    /// How values are spread.
    pub scale: Scale,
    /// Its ends; taken from the data if none.
    pub range: Option<(f64, f64)>,
    /// Whether ticks have numbers. Without them the axis shows shapes, not values.
    pub numbers: bool,
    /// Whether it counts things, so that ticks between whole numbers make no sense.
    pub whole: bool,
    /// Names at 0, 1, 2 … instead of numbers.
    pub names: Vec<String>,
}

impl Axis {
    /// A linear axis that fits its data.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear, range: None, numbers: true, whole: false, names: Vec::new() }
    }

    /// A logarithmic axis that fits its data.
    pub fn log(label: impl Into<String>) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label) }
    }

    /// An axis with a name at each of 0, 1, 2 …; on a vertical axis, the first is on top.
    pub fn named(names: Vec<String>) -> Self {
        Self { range: Some((names.len() as f64 - 0.4, -0.6)), names, ..Self::linear("") }
    }

    /// The same axis with these ends.
    pub fn range(self, low: f64, high: f64) -> Self {
        Self { range: Some((low, high)), ..self }
    }

    /// The same axis with ticks at whole numbers only.
    pub fn whole(self) -> Self {
        Self { whole: true, ..self }
    }

    /// The same axis without numbers.
    pub fn bare(self) -> Self {
        Self { numbers: false, ..self }
    }
}

/// An axis with fixed ends and a known position in pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ruler {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    least_step: f64,
}

/// Ticks of an axis on a ruler: at its names, or at round numbers.
pub(super) fn ticks(axis: &Axis, ruler: &Ruler) -> Vec<(f64, String)> {
    match &axis.names[..] {
        [] => ruler.ticks(),
        names => names.iter().enumerate().map(|(i, name)| (i as f64, name.clone())).collect(),
    }
}

impl Ruler {
    /// Lays an axis from one pixel to another; `data` are the smallest and the largest value shown.
    pub(super) fn new(axis: &Axis, data: (f64, f64), from: f64, to: f64) -> Self {
        let (low, high) = axis.range.unwrap_or_else(|| padded(axis.scale, data));
        Self { scale: axis.scale, low, high, from, to, least_step: if axis.whole { 1.0 } else { 0.0 } }
    }

    /// The pixel of a value. Values off a logarithmic axis are far away.
    pub(super) fn position(&self, value: f64) -> f64 {
        let share = match self.scale {
            // Halved first: the difference of 1e308 and -1e308 is infinite.
            Scale::Linear => (value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0),
            Scale::Log => (value.max(1e-300) / self.low).ln() / (self.high / self.low).ln(),
        };
        self.from + share.clamp(-20.0, 20.0) * (self.to - self.from)
    }

    /// Values of ticks with their text.
    fn ticks(&self) -> Vec<(f64, String)> {
        let length = (self.to - self.from).abs();
        match self.scale {
            Scale::Linear => linear_ticks(self.low, self.high, (length / 45.0).clamp(2.0, 9.0), self.least_step),
            Scale::Log => log_ticks(self.low, self.high, length),
        }
    }
}

/// The data's range with a little room.
fn padded(scale: Scale, (low, high): (f64, f64)) -> (f64, f64) {
    match scale {
        Scale::Log if low > high => (0.1, 1.0),
        _ if low > high => (0.0, 1.0),
        Scale::Linear => {
            let room = if high > low { 0.08 * (high / 2.0 - low / 2.0) } else { 0.5 * high.abs().max(1.0) };
            ((low - room).max(f64::MIN), (high + room).min(f64::MAX))
        }
        Scale::Log => {
            let room = (high / low).powf(0.04).max(1.1);
            ((low / room).max(f64::MIN_POSITIVE), (high * room).min(f64::MAX))
        }
    }
}

/// About `wanted` multiples of 1, 2 or 5 times a power of ten, which is not below a least step.
fn linear_ticks(low: f64, high: f64, wanted: f64, least: f64) -> Vec<(f64, String)> {
    let rough = (high / wanted - low / wanted).max(least);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough * 0.999).unwrap_or(rough);
    let decimals = (-(step.log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize;
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    let plain = step > 1e-5 && low.abs().max(high.abs()) < 1e6;
    let text = |v: f64| if plain { signed(v, decimals) } else { scientific(v, step) };
    (first..=last).map(|k| k as f64 * step).map(|v| (v, text(v))).collect()
}

/// A number in scientific notation, as precise as a step needs.
fn scientific(value: f64, step: f64) -> String {
    if value.abs() < 0.5 * step {
        return "0".to_owned();
    }
    let decimals = (value.abs().log10().floor() - (step.log10() + 1e-9).floor()).clamp(0.0, 15.0) as usize;
    let text = format!("{:.decimals$e}", value.abs());
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: String = exponent.chars().map(superscript).collect();
    let minus = if value < 0.0 { "−" } else { "" };
    if exponent == "⁰" { format!("{minus}{digits}") } else { format!("{minus}{digits}·10{exponent}") }
}

/// Powers of ten; also 2 and 5 times these if there are few.
fn log_ticks(low: f64, high: f64, length: f64) -> Vec<(f64, String)> {
    let decades = (high / low).log10();
    let (first, last) = ((low.log10() - 1e-9).floor() as i32, (high.log10() + 1e-9).floor() as i32);
    let stride = (decades * 26.0 / length).ceil().max(1.0) as i32;
    let factors: &[f64] = if decades < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let inside = |v: &f64| *v >= low * 0.999_999 && *v <= high * 1.000_001;
    let powers = (first..=last).filter(|e| e.rem_euclid(stride) == 0);
    powers
        .flat_map(|e| factors.iter().map(move |f| f * 10f64.powi(e)))
        .filter(inside)
        .map(|v| (v, power_text(v)))
        .collect()
}

/// A number with a typographic minus sign.
fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let zero = text.chars().all(|c| c == '0' || c == '.');
    if value < 0.0 && !zero { format!("−{text}") } else { text }
}

/// Plain between a thousandth and a thousand, else a power of ten.
fn power_text(value: f64) -> String {
    let exponent = (value.log10() + 1e-9).floor() as i32;
    if (-3..=3).contains(&exponent) {
        return format!("{:.*}", (-exponent).max(0) as usize, value);
    }
    let digits: String = exponent.to_string().chars().map(superscript).collect();
    let factor = (value / 10f64.powi(exponent)).round();
    if factor == 1.0 { format!("10{digits}") } else { format!("{factor}·10{digits}") }
}

fn superscript(c: char) -> char {
    match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        digit => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: Vec<(f64, String)>) -> Vec<String> {
        ticks.into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn ticks_are_round_numbers_inside_the_range() {
        assert_eq!(texts(linear_ticks(-0.31, 1.02, 6.0, 0.0)), ["0.0", "0.5", "1.0"]);
        assert_eq!(texts(linear_ticks(-12.0, 12.0, 5.0, 0.0)), ["−10", "−5", "0", "5", "10"]);
        assert_eq!(texts(linear_ticks(-0.1, 3.1, 8.0, 1.0)), ["0", "1", "2", "3"]);
        assert_eq!(texts(log_ticks(0.9e-6, 1.1, 400.0)), ["10⁻⁶", "10⁻⁵", "10⁻⁴", "0.001", "0.01", "0.1", "1"]);
        assert_eq!(texts(log_ticks(4.0, 30.0, 300.0)), ["5", "10", "20"]);
    }

    #[test]
    fn ticks_of_large_and_small_numbers_are_short() {
        assert_eq!(texts(linear_ticks(0.0, 3e7, 3.0, 0.0)), ["0", "1·10⁷", "2·10⁷", "3·10⁷"]);
        assert_eq!(texts(linear_ticks(-1e-7, 1e-7, 2.0, 0.0)), ["−1·10⁻⁷", "0", "1·10⁻⁷"]);
        assert_eq!(texts(linear_ticks(1e6, 1_000_002.0, 2.0, 0.0)), ["1.000000·10⁶", "1.000001·10⁶", "1.000002·10⁶"]);
    }

    #[test]
    fn no_range_is_too_wide_or_too_narrow() {
        let (linear, log) = (Axis::linear(""), Axis::log(""));
        let ranges = [(&linear, (-f64::MAX, f64::MAX)), (&linear, (1e300, 1e300)), (&log, (1e-300, 1e300))];
        for (axis, range) in ranges {
            let ruler = Ruler::new(axis, range, 0.0, 100.0);
            assert!((-1.0..=101.0).contains(&ruler.position(range.0)), "{range:?}");
            assert!(ruler.ticks().len() < 50, "{range:?}");
        }
    }

    #[test]
    fn the_ends_of_an_axis_are_the_ends_of_its_pixels() {
        for axis in [Axis::linear("").range(2.0, 8.0), Axis::log("").range(2.0, 8.0)] {
            let ruler = Ruler::new(&axis, (0.0, 0.0), 100.0, 40.0);
            assert!((ruler.position(2.0) - 100.0).abs() < 1e-9 && (ruler.position(8.0) - 40.0).abs() < 1e-9);
        }
        let middle = Ruler::new(&Axis::log("").range(2.0, 8.0), (0.0, 0.0), 0.0, 1.0).position(4.0);
        assert!((middle - 0.5).abs() < 1e-12);
    }
}
