//! A chart of points and lines: as text for a terminal, and as a panel of a picture.

use elbowroom_view::plot::{Axis, BLUE, Figure, GREY, Key, Layer, Marker, ORANGE, Panel, SKY, Stroke, VERMILLION};

use crate::words::number;

/// A chart.
#[derive(Debug, Clone)]
pub struct Chart {
    /// Above it.
    pub title: String,
    /// Across.
    pub x: Scale,
    /// Upwards.
    pub y: Scale,
    /// What is in it; later ones lie above.
    pub series: Vec<Series>,
}

/// One of its axes.
#[derive(Debug, Clone, Default)]
pub struct Scale {
    /// What it shows.
    pub label: String,
    /// Whether it is logarithmic; values that are not positive are then left out.
    pub log: bool,
    /// Whether it counts.
    pub whole: bool,
}

/// Points of one kind.
#[derive(Debug, Clone)]
pub struct Series {
    /// What they are.
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
    /// The rim of a band; the next series is its other rim.
    Rim,
    /// Small marks.
    Dots,
    /// Marks of what is under way.
    Rings,
    /// Marks of what went wrong.
    Crosses,
    /// A mark to look at first.
    Star,
}

impl Kind {
    fn character(self) -> char {
        match self {
            Kind::Line | Kind::Steps => '─',
            Kind::Rim | Kind::Dots => '·',
            Kind::Rings => 'o',
            Kind::Crosses => 'x',
            Kind::Star => '★',
        }
    }

    /// Shape, colour and size, which differ all three.
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
            marks => {
                let (marker, colour, size) = marks.marker();
                key.mark(marker, colour, size)
            }
        }
    }
}

/// How much of a band is seen.
const BAND: f64 = 0.3;

/// Both axes: the range of all points, never empty.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

impl Scale {
    /// A linear one.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), log: false, whole: false }
    }

    fn shown(&self, v: f64) -> f64 {
        if self.log { v.log10() } else { v }
    }

    fn number(&self, shown: f64) -> String {
        number(if self.log { 10f64.powf(shown) } else { shown })
    }

    fn axis(&self) -> Axis {
        let axis = if self.log { Axis::log(&self.label) } else { Axis::linear(&self.label) };
        if self.whole { axis.whole() } else { axis }
    }
}

impl Chart {
    /// Those points of a series that can be shown, as they are.
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

    /// A picture of several charts, which have the same kinds of series.
    pub fn figure(charts: &[Chart], title: &str, subtitle: &str) -> Figure {
        let first: &[Series] = charts.first().map_or(&[], |chart| &chart.series);
        let is_other_rim = |i: usize| i > 0 && first[i].kind == Kind::Rim && first[i - 1].kind == Kind::Rim;
        let legend = (0..first.len()).filter(|i| !is_other_rim(*i)).map(|i| first[i].kind.key(first[i].name));
        let columns = if charts.len() > 1 { 2 } else { 1 };
        let mut panels: Vec<Panel> = charts.iter().map(Chart::panel).collect();
        if let [only] = &mut panels[..] {
            // The figure's title and the axes say it.
            only.title.clear();
        }
        Figure {
            title: title.to_owned(),
            subtitle: subtitle.to_owned(),
            legend: legend.collect(),
            panels,
            columns,
            panel_size: if columns > 1 { (360.0, 220.0) } else { (640.0, 380.0) },
        }
    }

    fn panel(&self) -> Panel {
        let mut panel = Panel::new(self.title.clone(), self.x.axis(), self.y.axis());
        let mut rim: Option<Vec<(f64, f64)>> = None;
        for series in &self.series {
            let points = self.seen(series);
            panel.layers.push(match series.kind {
                Kind::Line => Layer::Line { points, stroke: Stroke::solid(BLUE).width(2.2) },
                Kind::Steps => Layer::Line { points: steps(&points), stroke: Stroke::solid(BLUE).width(2.2) },
                Kind::Rim => match rim.take() {
                    None => {
                        rim = Some(points);
                        continue;
                    }
                    Some(low) => {
                        let points = low.iter().zip(points).map(|((x, low), (_, high))| (*x, *low, high)).collect();
                        Layer::Band { points, colour: SKY, opacity: BAND }
                    }
                },
                marks => {
                    let (marker, colour, size) = marks.marker();
                    Layer::Marks { points, marker, colour, size }
                }
            });
        }
        panel
    }

    /// As text of so many columns and rows.
    pub fn text(&self, columns: usize, rows: usize) -> String {
        let frame = self.frame();
        let mut grid = vec![vec![' '; columns]; rows];
        let column = |x: f64| (share(x, frame.x) * (columns - 1) as f64).round() as usize;
        let row = |y: f64| rows - 1 - (share(y, frame.y) * (rows - 1) as f64).round() as usize;
        for series in &self.series {
            let points = self.on_paper(series).into_iter().map(|(x, y)| (column(x), row(y)));
            let (points, mark) = (points.collect::<Vec<_>>(), series.kind.character());
            for (i, (x, y)) in points.iter().enumerate() {
                grid[*y][*x] = mark;
                if let (true, Some((next, _))) = (mark == '─', points.get(i + 1)) {
                    (*x..*next).for_each(|x| grid[*y][x] = '─');
                }
            }
        }
        let labels = [self.y.number(frame.y.1), self.y.number(frame.y.0)];
        let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let mut text = format!("{}\n", self.title);
        for (i, line) in grid.iter().enumerate() {
            let label = match i {
                0 => labels[0].as_str(),
                i if i + 1 == rows => labels[1].as_str(),
                _ => "",
            };
            let line: String = line.iter().collect();
            text += format!("{label:>width$} │{line}").trim_end();
            text.push('\n');
        }
        let (low, high) = (self.x.number(frame.x.0), self.x.number(frame.x.1));
        let gap = columns.saturating_sub(low.chars().count() + high.chars().count() + self.x.label.chars().count()) / 2;
        let gap = " ".repeat(gap.max(1));
        text += &format!("{:>width$} └{}\n", "", "─".repeat(columns));
        text += format!("{:>width$}  {low}{gap}{}{gap}{high}", "", self.x.label).trim_end();
        let key: Vec<String> =
            self.series.iter().map(|series| format!("{} {}", series.kind.character(), series.name)).collect();
        text + &format!("\n{:>width$}  {}\n", "", key.join("   "))
    }
}

/// The corners of a line that stays at each value until the next.
fn steps(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let corner = |pair: &[(f64, f64)]| [(pair[1].0, pair[0].1), pair[1]];
    points.first().copied().into_iter().chain(points.windows(2).flat_map(corner)).collect()
}

fn share(v: f64, (low, high): (f64, f64)) -> f64 {
    // Halved first: the difference of 1e308 and -1e308 is infinite.
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
        let chart = chart(Kind::Crosses, vec![(0.0, 0.0), (4.0, 2.0)], false);
        assert_eq!(chart.text(5, 3), "t\n2 │    x\n  │\n0 │x\n  └─────\n   0 x 4\n   x v\n");
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
