//! A chart of points and lines: as text for a terminal, or as a panel of a picture.

use elbowroom_view::TrialStatus;
use elbowroom_view::plot::{
    Axis, BLUE, Figure, GREEN, GREY, Key, Layer, Marker, ORANGE, PURPLE, Panel, SKY, Stroke, VERMILLION,
};

use crate::format::{brief, number};

/// A chart.
#[derive(Debug, Clone)]
pub struct Chart {
    /// The title above it.
    pub title: String,
    /// The horizontal axis.
    pub x: Scale,
    /// The vertical axis.
    pub y: Scale,
    /// The contents; later ones are drawn on top.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Debug, Clone, Default)]
pub struct Scale {
    /// What the axis shows.
    pub label: String,
    /// Whether it is logarithmic; values that are not positive are then left out.
    pub log: bool,
    /// Whether it shows counts.
    pub whole: bool,
    /// Names at 0, 1, 2 … instead of numbers; on a vertical axis the first is on top.
    pub names: Vec<String>,
    /// Whether there is nothing between its values, as with categories: then no line joins them.
    pub apart: bool,
}

/// Points of one kind.
#[derive(Debug, Clone)]
pub struct Series {
    /// What the points are.
    pub name: &'static str,
    /// How they are drawn.
    pub kind: Kind,
    /// Where they are.
    pub points: Vec<(f64, f64)>,
}

/// How points are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A line through them.
    Line,
    /// A line that stays at each value until the next.
    Steps,
    /// The edge of a band; the next series is its other edge.
    Rim,
    /// Small marks.
    Dots,
    /// Marks for what is under way.
    Rings,
    /// Marks for what went wrong.
    Crosses,
    /// A mark that stands out.
    Star,
    /// A limit: dashed lines.
    Limit,
    /// Horizontal bars, each from one point to the next: trials with this status.
    Spans(TrialStatus),
}

impl Kind {
    fn character(self) -> char {
        match self {
            Kind::Line | Kind::Steps => '─',
            Kind::Rim | Kind::Dots => '·',
            Kind::Rings => 'o',
            Kind::Crosses => 'x',
            Kind::Star => '★',
            Kind::Limit => '┊',
            Kind::Spans(TrialStatus::Complete) => '█',
            Kind::Spans(TrialStatus::Running) => '▒',
            Kind::Spans(TrialStatus::Failed) => 'x',
            Kind::Spans(TrialStatus::Infeasible) => '#',
            Kind::Spans(TrialStatus::Lost | TrialStatus::Queued) => '~',
            Kind::Spans(TrialStatus::Withdrawn) => '-',
        }
    }

    /// The style of horizontal bars.
    fn bar(standing: TrialStatus) -> Stroke {
        let colour = match standing {
            TrialStatus::Complete => BLUE,
            TrialStatus::Running => GREEN,
            TrialStatus::Failed => VERMILLION,
            TrialStatus::Infeasible => PURPLE,
            TrialStatus::Lost | TrialStatus::Queued => ORANGE,
            TrialStatus::Withdrawn => GREY,
        };
        Stroke::solid(colour).width(BAR)
    }

    /// Shape, colour and size; all three differ between kinds.
    fn marker(self) -> (Marker, &'static str, f64) {
        match self {
            Kind::Rings => (Marker::Diamond, ORANGE, 5.0),
            Kind::Crosses => (Marker::Cross, VERMILLION, 4.0),
            Kind::Star => (Marker::Star, BLUE, 6.5),
            _ => (Marker::Circle, GREY, 2.6),
        }
    }

    fn key(self, name: &str) -> Key {
        let key = Key::new(name);
        match self {
            Kind::Line | Kind::Steps => key.line(Stroke::solid(BLUE)),
            Kind::Rim => key.band(SKY, BAND),
            Kind::Limit => key.line(Stroke::dashed(GREEN)),
            Kind::Spans(standing) => key.line(Kind::bar(standing)),
            marks => {
                let (marker, colour, size) = marks.marker();
                key.mark(marker, colour, size)
            }
        }
    }
}

/// The opacity of a band.
const BAND: f64 = 0.3;

/// The height in pixels of a horizontal bar, and of its lane.
const BAR: f64 = 12.0;
const LANE: f64 = 20.0;

/// The series in a legend: the first of the two edges of a band stands for both.
fn in_legend(series: &[Series]) -> impl Iterator<Item = &Series> {
    let is_other_rim = |i: usize| i > 0 && series[i].kind == Kind::Rim && series[i - 1].kind == Kind::Rim;
    series.iter().enumerate().filter(move |(i, _)| !is_other_rim(*i)).map(|(_, one)| one)
}

/// The maximum length of a name next to an axis.
const NAME: usize = 22;

/// Both axes: the range of all points, which is never empty.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

impl Scale {
    /// A linear one.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    fn shown(&self, v: f64) -> f64 {
        if self.log { v.log10() } else { v }
    }

    fn number(&self, shown: f64) -> String {
        number(if self.log { 10f64.powf(shown) } else { shown })
    }

    fn axis(&self) -> Axis {
        if !self.names.is_empty() {
            return Axis { label: self.label.clone(), ..Axis::named(self.names.clone()) };
        }
        let axis = if self.log { Axis::log(&self.label) } else { Axis::linear(&self.label) };
        if self.whole { axis.whole() } else { axis }
    }

    /// The index, among `n` cells in a row, of a value in a range.
    fn cell(&self, shown: f64, range: (f64, f64), n: usize) -> usize {
        match self.names.len() {
            0 => (share(shown, range) * (n - 1) as f64).round() as usize,
            names => (((shown + 0.5) / names as f64 * n as f64) as usize).min(n - 1),
        }
    }
}

impl Chart {
    /// The points of a series that can be shown.
    fn seen(&self, series: &Series) -> Vec<(f64, f64)> {
        let can_be = |scale: &Scale, v: f64| scale.shown(v).is_finite();
        let points = series.points.iter().copied();
        points.filter(|(x, y)| can_be(&self.x, *x) && can_be(&self.y, *y)).collect()
    }

    fn on_paper(&self, series: &Series) -> Vec<(f64, f64)> {
        self.seen(series).into_iter().map(|(x, y)| (self.x.shown(x), self.y.shown(y))).collect()
    }

    fn frame(&self) -> Frame {
        let all: Vec<(f64, f64)> = self.series.iter().flat_map(|series| self.on_paper(series)).collect();
        let range = |values: Vec<f64>| {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if low < high {
                (low, high)
            } else if low == high {
                (low - 0.5, high + 0.5)
            } else {
                (0.0, 1.0)
            }
        };
        Frame { x: range(all.iter().map(|p| p.0).collect()), y: range(all.iter().map(|p| p.1).collect()) }
    }

    /// A picture of several charts with the same kinds of series.
    pub fn figure(charts: &[Chart], title: &str, subtitle: &str) -> Figure {
        let first: &[Series] = charts.first().map_or(&[], |chart| &chart.series);
        let legend = in_legend(first).map(|series| series.kind.key(series.name));
        let columns = if charts.len() > 1 { 2 } else { 1 };
        let mut panels: Vec<Panel> = charts.iter().map(Chart::panel).collect();
        if let [only] = &mut panels[..] {
            // The figure's title and the axes say the same.
            only.title.clear();
        }
        Figure {
            title: title.to_owned(),
            subtitle: subtitle.to_owned(),
            legend: legend.collect(),
            panels,
            columns,
            panel_size: match charts {
                [only] if !only.y.names.is_empty() => (640.0, LANE * only.y.names.len().max(3) as f64),
                [_] => (640.0, 380.0),
                _ => (360.0, 220.0),
            },
        }
    }

    fn panel(&self) -> Panel {
        let mut x = self.x.axis();
        if !self.x.names.is_empty() {
            // From left to right.
            x = x.range(-0.6, self.x.names.len() as f64 - 0.4);
        }
        let mut panel = Panel::new(self.title.clone(), x, self.y.axis());
        let mut rim: Option<Vec<(f64, f64)>> = None;
        for series in &self.series {
            let points = self.seen(series);
            if series.kind == Kind::Rim && rim.is_none() {
                rim = Some(points);
                continue;
            }
            panel.layers.extend(self.layers(series.kind, points, rim.take().unwrap_or_default()));
        }
        panel
    }

    /// A series as layers; a band also needs its lower edge.
    fn layers(&self, kind: Kind, points: Vec<(f64, f64)>, low: Vec<(f64, f64)>) -> Vec<Layer> {
        let between = || low.iter().zip(&points).map(|((x, low), (_, high))| (*x, *low, *high)).collect();
        let marks = |kind: Kind, points| {
            let (marker, colour, size) = kind.marker();
            Layer::Marks { points, marker, colour, size }
        };
        vec![match kind {
            Kind::Line if self.x.apart => Layer::Marks { points, marker: Marker::Circle, colour: BLUE, size: 4.5 },
            Kind::Rim if self.x.apart => Layer::Bars { points: between(), stroke: Stroke::solid(SKY).width(2.2) },
            Kind::Line => Layer::Line { points, stroke: Stroke::solid(BLUE).width(2.2) },
            Kind::Steps => Layer::Line { points: steps(&points), stroke: Stroke::solid(BLUE).width(2.2) },
            Kind::Limit => return limits(&points),
            Kind::Rim => Layer::Band { points: between(), colour: SKY, opacity: BAND },
            Kind::Spans(standing) => {
                let bar = |ends: &[(f64, f64)]| Layer::Line { points: ends.to_vec(), stroke: Kind::bar(standing) };
                return points.chunks(2).map(bar).collect();
            }
            kind => marks(kind, points),
        }]
    }

    /// The chart as text, with this total width in columns and this many rows of points.
    pub fn text(&self, width: usize, rows: usize) -> String {
        let frame = self.frame();
        let labels = self.labels(&frame, rows);
        let beside = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let columns = width.saturating_sub(beside + 2).max(10);
        let margin = " ".repeat(beside + 2);
        let mut text = format!("{}\n", brief(&self.title, width - 1));
        for (label, line) in labels.iter().zip(self.grid(&frame, columns, rows)) {
            let line: String = line.iter().collect();
            text += format!("{label:>beside$} │{line}").trim_end();
            text.push('\n');
        }
        text += &format!("{:>beside$} └{}\n", "", "─".repeat(columns));
        text += format!("{margin}{}", self.below(&frame, columns)).trim_end();
        text.push('\n');
        let key: Vec<String> =
            in_legend(&self.series).map(|series| format!("{} {}", self.character(series.kind), series.name)).collect();
        text + &wrapped(&key, "   ", &margin, width)
    }

    /// The character that marks a series in text.
    fn character(&self, kind: Kind) -> char {
        match kind {
            Kind::Line if self.x.apart => 'o',
            kind => kind.character(),
        }
    }

    /// The label next to each row.
    fn labels(&self, frame: &Frame, rows: usize) -> Vec<String> {
        let mut labels = vec![String::new(); rows];
        if self.y.names.is_empty() {
            labels[rows - 1] = self.y.number(frame.y.0);
            labels[0] = self.y.number(frame.y.1);
        }
        for (i, name) in self.y.names.iter().enumerate() {
            labels[self.y.cell(i as f64, frame.y, rows)] = brief(name, NAME - 1);
        }
        labels
    }

    /// The points in rows of characters, the topmost first.
    fn grid(&self, frame: &Frame, columns: usize, rows: usize) -> Vec<Vec<char>> {
        let mut grid = vec![vec![' '; columns]; rows];
        let column = |x: f64| self.x.cell(x, frame.x, columns);
        let row = |y: f64| match self.y.names.is_empty() {
            true => rows - 1 - self.y.cell(y, frame.y, rows),
            false => self.y.cell(y, frame.y, rows),
        };
        for series in &self.series {
            let points: Vec<_> = self.on_paper(series).into_iter().map(|(x, y)| (column(x), row(y))).collect();
            let mark = self.character(series.kind);
            for (i, (x, y)) in points.iter().enumerate() {
                let next = points.get(i + 1).map_or(*x, |next| next.0);
                let (drawn, until) = match series.kind {
                    // A bar ends a little early, so that the start of the next one is visible.
                    Kind::Spans(_) => (i.is_multiple_of(2), next.saturating_sub(2)),
                    _ if mark == '─' => (true, next),
                    _ => (true, *x),
                };
                if drawn {
                    grid[*y][*x..=until.max(*x)].fill(mark);
                }
            }
        }
        grid
    }

    /// The lines below: the ends of a range with its label between them, or names.
    fn below(&self, frame: &Frame, columns: usize) -> String {
        let n_names = self.x.names.len();
        if n_names == 0 {
            let (low, high) = (self.x.number(frame.x.0), self.x.number(frame.x.1));
            let room = columns.saturating_sub(low.chars().count() + high.chars().count() + 2);
            let label = brief(&self.x.label, room.saturating_sub(1));
            let left = room.saturating_sub(label.chars().count());
            return format!("{low} {}{label}{} {high}", " ".repeat(left / 2), " ".repeat(left - left / 2));
        }
        // Each name gets an equal share of the width; if that is too little, some are left out.
        let every = (4 * n_names).div_ceil(columns).max(1);
        let mut line = vec![' '; columns];
        for (i, name) in self.x.names.iter().enumerate().step_by(every) {
            let room = (columns * every / n_names).saturating_sub(2).max(1);
            let name: Vec<char> = brief(name, room).chars().collect();
            let middle = self.x.cell(i as f64, frame.x, columns);
            let start = middle.saturating_sub(name.len() / 2).min(columns.saturating_sub(name.len()));
            line[start..].iter_mut().zip(name).for_each(|(place, c)| *place = c);
        }
        line.into_iter().collect()
    }
}

/// Parts in lines of at most `width` columns, each after a margin.
fn wrapped(parts: &[String], gap: &str, margin: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if (line.chars().count() + gap.len() + part.chars().count()) <= width => {
                *line += gap;
                *line += part;
            }
            _ => lines.push(format!("{margin}{part}")),
        }
    }
    lines.join("\n") + "\n"
}

/// A separate layer for each vertical and each horizontal line of points.
fn limits(points: &[(f64, f64)]) -> Vec<Layer> {
    let is_same_line = |a: &(f64, f64), b: &(f64, f64)| a.0 == b.0 || a.1 == b.1;
    let line = |points: &[(f64, f64)]| Layer::Line { points: points.to_vec(), stroke: Stroke::dashed(GREEN) };
    points.chunk_by(is_same_line).map(line).collect()
}

/// The corners of a line that stays at each value until the next.
fn steps(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let corner = |pair: &[(f64, f64)]| [(pair[1].0, pair[0].1), pair[1]];
    points.first().copied().into_iter().chain(points.windows(2).flat_map(corner)).collect()
}

fn share(v: f64, (low, high): (f64, f64)) -> f64 {
    // Halve first: the difference of 1e308 and -1e308 is infinite.
    ((v / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(kind: Kind, points: Vec<(f64, f64)>, log: bool) -> Chart {
        let y = Scale { log, ..Scale::default() };
        Chart { title: "t".into(), x: Scale::new("x"), y, series: vec![Series { name: "v", kind, points }] }
    }

    #[test]
    fn points_stand_where_they_belong() {
        let chart = chart(Kind::Crosses, vec![(0.0, 0.0), (9.0, 2.0)], false);
        assert_eq!(chart.text(13, 3), "t\n2 │         x\n  │\n0 │x\n  └──────────\n   0   x    9\n   x v\n");
    }

    #[test]
    fn a_text_is_no_wider_than_it_may_be() {
        let names = |n: usize| (0..n).map(|i| format!("a long name of number {i}")).collect::<Vec<String>>();
        for (width, n) in [(80, 0), (80, 3), (80, 40), (60, 7)] {
            let x = Scale { names: names(n), ..Scale::new("a parameter with a name as long as a whole sentence") };
            let y = Scale { names: names(n), log: n == 0, ..Scale::new("y") };
            let points = vec![(0.0, -1.234_567_89e-300), (0.0, 1.234_567_89e-300), (2.0, 1.0)];
            let series = ["value", "one standard deviation", "another one that takes much room", "and one more"]
                .map(|name| Series { name, kind: Kind::Dots, points: points.clone() });
            let chart = Chart { title: "word ".repeat(40), x, y, series: series.into() };
            for line in chart.text(width, 16.max(n)).lines() {
                assert!(line.chars().count() <= width, "{line}");
            }
        }
    }

    #[test]
    fn categories_are_not_joined_by_lines() {
        let x = Scale { names: vec!["a".into(), "b".into()], apart: true, ..Scale::new("kind") };
        let series = |kind, y: f64| Series { name: "s", kind, points: vec![(0.0, y), (1.0, y)] };
        let series = vec![series(Kind::Rim, 1.0), series(Kind::Rim, 3.0), series(Kind::Line, 2.0)];
        let apart = Chart { title: "t".into(), x, y: Scale::new("value"), series };
        let text = apart.text(30, 5);
        assert_eq!(text.matches('o').count(), 3, "two marks and the key: {text}");
        assert_eq!(text.matches('─').count(), 27, "the axis alone: {text}");
        assert!(text.lines().any(|line| line.split_whitespace().eq(["a", "b"])), "{text}");
        let joins = |layer: &Layer| matches!(layer, Layer::Line { .. } | Layer::Band { .. });
        assert!(!apart.panel().layers.iter().any(joins), "{apart:?}");
        let joined = Chart { x: Scale { apart: false, ..apart.x.clone() }, ..apart };
        assert!(joined.panel().layers.iter().all(joins), "{joined:?}");
    }

    #[test]
    fn a_best_value_holds_until_the_next() {
        assert_eq!(steps(&[(0.0, 5.0), (2.0, 1.0)]), [(0.0, 5.0), (2.0, 5.0), (2.0, 1.0)]);
    }

    #[test]
    fn nothing_one_point_and_extremes_do_no_harm() {
        for points in [vec![], vec![(1.0, 1.0)], vec![(0.0, f64::NAN)], vec![(0.0, 1e308), (1.0, -1e308)]] {
            for log in [false, true] {
                let chart = chart(Kind::Steps, points.clone(), log);
                assert!(!chart.text(10, 4).is_empty());
                let svg = Chart::figure(&[chart], "<", "").svg();
                assert!(!svg.contains("<<") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }
}
