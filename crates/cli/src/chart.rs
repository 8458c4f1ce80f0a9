//! A chart of points and lines, as text for a terminal and as SVG for a file.

use crate::words::number;

/// A chart.
#[derive(Debug, Clone)]
pub struct Chart {
    /// Above it.
    pub title: String,
    /// Below it.
    pub x_label: String,
    /// Whether its vertical axis is logarithmic; values that are not positive are then left out.
    pub log_y: bool,
    /// What is in it; later ones lie above.
    pub series: Vec<Series>,
}

/// Points of one kind.
#[derive(Debug, Clone)]
pub struct Series {
    /// What they are.
    pub name: &'static str,
    /// How they look in a terminal; a line if it is `─`.
    pub mark: char,
    /// Where they are.
    pub points: Vec<(f64, f64)>,
}

const COLORS: [&str; 4] = ["#6b7280", "#2563eb", "#d97706", "#dc2626"];

/// Both axes: the range of all points, never empty.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

impl Chart {
    fn seen<'a>(&'a self, series: &'a Series) -> impl Iterator<Item = (f64, f64)> + 'a {
        let height = |y: f64| if self.log_y { y.log10() } else { y };
        series.points.iter().map(move |(x, y)| (*x, height(*y))).filter(|(x, y)| x.is_finite() && y.is_finite())
    }

    fn frame(&self) -> Frame {
        let all: Vec<(f64, f64)> = self.series.iter().flat_map(|series| self.seen(series)).collect();
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

    fn label(&self, y: f64) -> String {
        number(if self.log_y { 10f64.powf(y) } else { y })
    }

    /// As text of so many columns and rows.
    pub fn text(&self, columns: usize, rows: usize) -> String {
        let frame = self.frame();
        let mut grid = vec![vec![' '; columns]; rows];
        let column = |x: f64| (share(x, frame.x) * (columns - 1) as f64).round() as usize;
        let row = |y: f64| rows - 1 - (share(y, frame.y) * (rows - 1) as f64).round() as usize;
        for series in &self.series {
            let points: Vec<(usize, usize)> = self.seen(series).map(|(x, y)| (column(x), row(y))).collect();
            for (i, (x, y)) in points.iter().enumerate() {
                grid[*y][*x] = series.mark;
                if let (true, Some((next, _))) = (series.mark == '─', points.get(i + 1)) {
                    (*x..*next).for_each(|x| grid[*y][x] = '─');
                }
            }
        }
        let labels = [self.label(frame.y.1), self.label(frame.y.0)];
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
        let (low, high) = (number(frame.x.0), number(frame.x.1));
        let gap = columns.saturating_sub(low.chars().count() + high.chars().count() + self.x_label.chars().count()) / 2;
        let gap = " ".repeat(gap.max(1));
        text += &format!("{:>width$} └{}\n", "", "─".repeat(columns));
        text += format!("{:>width$}  {low}{gap}{}{gap}{high}", "", self.x_label).trim_end();
        let key: Vec<String> = self.series.iter().map(|series| format!("{} {}", series.mark, series.name)).collect();
        text + &format!("\n{:>width$}  {}\n", "", key.join("   "))
    }

    /// The SVG of several charts, one below the other.
    pub fn svg(charts: &[Chart]) -> String {
        const HEIGHT: usize = 260;
        let height = HEIGHT * charts.len();
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"640\" height=\"{height}\" fill=\"white\"/>\n"
        );
        for (i, chart) in charts.iter().enumerate() {
            text += &format!("<g transform=\"translate(0 {})\">\n{}</g>\n", i * HEIGHT, chart.svg_group());
        }
        text + "</svg>\n"
    }

    fn svg_group(&self) -> String {
        let frame = self.frame();
        let (left, top, width, height) = (80.0, 30.0, 540.0, 180.0);
        let at = |(x, y): (f64, f64)| (left + share(x, frame.x) * width, top + (1.0 - share(y, frame.y)) * height);
        let mut text = format!("<text x=\"{left}\" y=\"18\" font-weight=\"bold\">{}</text>\n", escaped(&self.title));
        text += &format!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#d1d5db\"/>\n"
        );
        for (i, series) in self.series.iter().enumerate() {
            let color = COLORS[i % COLORS.len()];
            let points: Vec<(f64, f64)> = self.seen(series).map(at).collect();
            if series.mark == '─' {
                let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                let path = path.join(" ");
                text += &format!("<polyline points=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\n");
            } else {
                for (x, y) in points {
                    text += &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"/>\n");
                }
            }
            let x = left + 130.0 * i as f64;
            text += &format!("<text x=\"{x}\" y=\"248\" fill=\"{color}\">{}</text>\n", escaped(series.name));
        }
        let corner = |x: f64, y: f64, anchor: &str, label: &str| {
            format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{}</text>\n", escaped(label))
        };
        text += &corner(left - 6.0, top + 10.0, "end", &self.label(frame.y.1));
        text += &corner(left - 6.0, top + height, "end", &self.label(frame.y.0));
        text += &corner(left, top + height + 16.0, "start", &number(frame.x.0));
        text += &corner(left + width / 2.0, top + height + 16.0, "middle", &self.x_label);
        text + &corner(left + width, top + height + 16.0, "end", &number(frame.x.1))
    }
}

fn share(v: f64, (low, high): (f64, f64)) -> f64 {
    // Halved first: the difference of 1e308 and -1e308 is infinite.
    ((v / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)).clamp(0.0, 1.0)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_stand_where_they_belong() {
        let series = Series { name: "v", mark: '*', points: vec![(0.0, 0.0), (4.0, 2.0)] };
        let chart = Chart { title: "t".into(), x_label: "x".into(), log_y: false, series: vec![series] };
        assert_eq!(chart.text(5, 3), "t\n2 │    *\n  │\n0 │*\n  └─────\n   0 x 4\n   * v\n");
        assert!(Chart::svg(&[chart]).contains("<circle cx=\"620.0\" cy=\"30.0\""));
    }

    #[test]
    fn nothing_one_point_and_extremes_do_no_harm() {
        for points in [vec![], vec![(1.0, 1.0)], vec![(0.0, f64::NAN)], vec![(0.0, 1e308), (1.0, -1e308)]] {
            for log_y in [false, true] {
                let series = vec![Series { name: "v", mark: '─', points: points.clone() }];
                let chart = Chart { title: "<".into(), x_label: String::new(), log_y, series };
                assert!(!chart.text(10, 4).is_empty() && !Chart::svg(&[chart]).contains("<<"));
            }
        }
    }
}
