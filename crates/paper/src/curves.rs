//! The paper's figure of six panels: for each problem the best value against batches, and against time.
//!
//! Time is a parallel clock: the seconds that a method takes to choose a batch, and for the batch the seconds of one
//! evaluation, its slowest, since all of them run at once. Every mark is a moment at which a batch has been evaluated.

use std::fmt::Write;

use crate::methods::is_lp;
use crate::plot::{Axis, Key, Layer, Panel, Scale, look_of_method};

/// One run of one method.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The method's name.
    pub method: String,
    /// The best value after the initial points and after every batch.
    pub best: Vec<f64>,
    /// The parallel clock at the same moments, in seconds.
    pub seconds: Vec<f64>,
    /// The true value at the final recommendation.
    pub recommended: f64,
}

/// How replicates are summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Average {
    /// Mean, and a standard error on either side.
    Mean,
    /// Median, and the quartiles: for values over many decades.
    Median,
}

/// A number of replicates summed up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Middle {
    /// Mean or median.
    pub value: f64,
    /// Below it.
    pub low: f64,
    /// Above it.
    pub high: f64,
}

impl Average {
    /// Sums up values.
    pub fn of(self, values: &[f64]) -> Middle {
        let n = values.len() as f64;
        match self {
            Average::Mean => {
                let mean = values.iter().sum::<f64>() / n;
                let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
                let error = (variance / n).sqrt();
                Middle { value: mean, low: mean - error, high: mean + error }
            }
            Average::Median => {
                let mut sorted = values.to_vec();
                sorted.sort_by(f64::total_cmp);
                Middle { value: quantile(&sorted, 0.5), low: quantile(&sorted, 0.25), high: quantile(&sorted, 0.75) }
            }
        }
    }
}

/// The quantile of sorted values, linear between them.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (i, rest) = (at.floor() as usize, at.fract());
    sorted[i] + rest * (sorted[(i + 1).min(sorted.len() - 1)] - sorted[i])
}

/// The methods of some curves, in the order of their first appearance.
pub fn methods_of(curves: &[Curve]) -> Vec<&str> {
    let mut methods: Vec<&str> = Vec::new();
    for curve in curves {
        if !methods.contains(&curve.method.as_str()) {
            methods.push(&curve.method);
        }
    }
    methods
}

/// The legend of some curves.
pub fn legend(curves: &[Curve]) -> Vec<Key> {
    methods_of(curves).into_iter().map(|method| Key::of_look(method, look_of_method(method))).collect()
}

/// Two panels, by batches and by time. Replicates of a method must have equally many batches; `value` is the axis of the
/// best value. Bands are drawn for local penalization alone: with all of them nothing could be seen.
pub fn panels(curves: &[Curve], average: Average, value: &Axis, clock: &Axis, titles: [&str; 2]) -> [Panel; 2] {
    let batches = Axis::linear("batches (for EI and UCB, single points)").whole();
    let mut by_batch = Panel::new(titles[0], batches, value.clone());
    let mut by_time = Panel::new(titles[1], clock.clone(), value.clone());
    for method in methods_of(curves) {
        let runs: Vec<&Curve> = curves.iter().filter(|curve| curve.method == method).collect();
        let n = runs.iter().map(|run| run.best.len()).min().unwrap_or(0);
        let at = |pick: fn(&Curve) -> &[f64], k: usize| runs.iter().map(|run| pick(run)[k]).collect::<Vec<f64>>();
        let best: Vec<Middle> = (0..n).map(|k| average.of(&at(|run| &run.best, k))).collect();
        let seconds: Vec<f64> = (0..n).map(|k| average.of(&at(|run| &run.seconds, k)).value).collect();
        let look = look_of_method(method);
        // The clock starts at 0 after the initial points, which are the same for all; a logarithm cannot show that.
        let from = usize::from(clock.scale == Scale::Log).min(n);
        let counted: Vec<f64> = (0..n).map(|k| k as f64).collect();
        for (panel, x, best) in
            [(&mut by_batch, &counted[..], &best[..]), (&mut by_time, &seconds[from..], &best[from..])]
        {
            if is_lp(method) {
                let points = x.iter().zip(best).map(|(&x, b)| (x, b.low, b.high)).collect();
                panel.layers.insert(0, Layer::Band { points, colour: look.stroke.colour, opacity: 0.13 });
            }
            let points: Vec<(f64, f64)> = x.iter().zip(best).map(|(&x, b)| (x, b.value)).collect();
            panel.layers.push(Layer::Line { points: points.clone(), stroke: look.stroke });
            let marks = Layer::Marks { points, marker: look.marker, colour: look.stroke.colour, size: 3.4 };
            panel.layers.push(marks);
        }
    }
    [by_batch, by_time]
}

/// A Markdown table of how every method ended: mean ± standard deviation of the best value, mean of the true value at the
/// recommendation, and mean of the clock; `sign` is −1 where the negative of a value is what is reported.
pub fn table(curves: &[Curve], sign: f64) -> String {
    let mut text = String::from(
        "| method | replicates | batches | best observed | at the recommendation | clock, s |\n|---|---:|---:|---:|---:|---:|\n",
    );
    for method in methods_of(curves) {
        let runs: Vec<&Curve> = curves.iter().filter(|curve| curve.method == method).collect();
        let last = |values: &[f64]| values.last().copied().unwrap_or(f64::NAN);
        let best: Vec<f64> = runs.iter().map(|run| sign * last(&run.best)).collect();
        let (n, mean) = (best.len() as f64, Average::Mean.of(&best).value);
        let deviation = (best.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0)).sqrt();
        let recommended = Average::Mean.of(&runs.iter().map(|run| sign * run.recommended).collect::<Vec<_>>()).value;
        let clock = Average::Mean.of(&runs.iter().map(|run| last(&run.seconds)).collect::<Vec<_>>()).value;
        let batches = runs.iter().map(|run| run.best.len()).min().unwrap_or(1) - 1;
        writeln!(text, "| {method} | {n} | {batches} | {mean:.4} ± {deviation:.4} | {recommended:.4} | {clock:.1} |")
            .expect("a string takes everything");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_those_of_the_textbook() {
        let values = [1.0, 2.0, 3.0, 10.0];
        let mean = Average::Mean.of(&values);
        // The standard deviation of these four numbers is √(50/3).
        assert!((mean.value - 4.0).abs() < 1e-12 && (mean.high - 4.0 - (50.0f64 / 12.0).sqrt()).abs() < 1e-12);
        assert_eq!(Average::Median.of(&values), Middle { value: 2.5, low: 1.75, high: 4.75 });
    }

    #[test]
    fn every_method_has_a_line_and_a_row() {
        let curve = |method: &str, last: f64| Curve {
            method: method.into(),
            best: vec![3.0, last],
            seconds: vec![0.0, 1.5],
            recommended: last,
        };
        let curves = [curve("EI", 2.0), curve("LP-UCB", 1.0), curve("LP-UCB", 0.0)];
        let [left, right] = panels(&curves, Average::Mean, &Axis::linear("y"), &Axis::linear("t"), ["a", "b"]);
        let lines = |panel: &Panel| panel.layers.iter().filter(|l| matches!(l, Layer::Line { .. })).count();
        assert_eq!((lines(&left), lines(&right), legend(&curves).len()), (2, 2, 2));
        assert!(table(&curves, 1.0).contains("| LP-UCB | 2 | 1 | 0.5000 ± 0.7071 | 0.5000 | 1.5 |"));
    }
}
