//! The paper's figure of six panels: for each problem the best value against batches, and against time.
//!
//! Time is a parallel clock: for each batch it adds the seconds that a method takes to choose it, and the seconds of
//! its slowest evaluation, since all of them run at once. Every mark is a moment at which a batch has been evaluated.

use crate::markdown::Markdown;
use crate::methods::is_lp;
use crate::stats::{mean, quantile, sd};
use crate::style::look_of_method;
use elbowroom_view::plot::{Axis, Key, Layer, Panel, Scale};

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

/// How replicates are summarized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Average {
    /// Mean, and a standard error on either side.
    Mean,
    /// Median, and the quartiles: for values over many decades.
    Median,
}

/// A summary of some replicates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Middle {
    /// Mean or median.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Average {
    /// Summarizes values.
    pub fn of(self, values: &[f64]) -> Middle {
        match self {
            Average::Mean => {
                let (value, error) = (mean(values), sd(values) / (values.len() as f64).sqrt());
                Middle { value, low: value - error, high: value + error }
            }
            Average::Median => {
                let [low, value, high] = [0.25, 0.5, 0.75].map(|p| quantile(values, p));
                Middle { value, low, high }
            }
        }
    }
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

/// Two panels, by batches and by time. All replicates of a method must have the same number of batches; `value` is the
/// axis of the best value. Bands are drawn for local penalization alone: with all of them the panels would be
/// unreadable.
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
        // The clock starts at 0 after the initial points, which are the same for all; a logarithmic axis cannot show
        // that.
        let from = if clock.scale == Scale::Log { seconds.iter().take_while(|s| **s <= 0.0).count() } else { 0 };
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

/// A table of the final results of every method: mean ± standard deviation of the best value, mean of the true value at
/// the recommendation, and mean of the clock.
pub fn table(curves: &[Curve]) -> String {
    let mut table =
        Markdown::new(["method", "replicates", "batches", "best observed", "at the recommendation", "clock, s"]);
    for method in methods_of(curves) {
        let runs: Vec<&Curve> = curves.iter().filter(|curve| curve.method == method).collect();
        let of = |pick: fn(&Curve) -> f64| runs.iter().map(|run| pick(run)).collect::<Vec<f64>>();
        let best = of(|run| last(&run.best));
        let batches = runs.iter().map(|run| run.best.len()).min().unwrap_or(1) - 1;
        table.row([
            method.to_owned(),
            runs.len().to_string(),
            batches.to_string(),
            format!("{:.4} ± {:.4}", mean(&best), sd(&best)),
            format!("{:.4}", mean(&of(|run| run.recommended))),
            format!("{:.1}", mean(&of(|run| last(&run.seconds)))),
        ]);
    }
    table.text()
}

fn last(values: &[f64]) -> f64 {
    values.last().copied().unwrap_or(f64::NAN)
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
        let row: Vec<String> =
            table(&curves).lines().nth(3).unwrap().split('|').map(|cell| cell.trim().into()).collect();
        assert_eq!(row[1..7], ["LP-UCB", "2", "1", "0.5000 ± 0.7071", "0.5000", "1.5"]);
    }
}
