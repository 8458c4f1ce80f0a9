//! Drawn pools, on which defaults for spaces that are mostly categorical are chosen: of nine kinds, with 3 to 8 parameters
//! of 2 to 20 levels, some of them ordered, and 300 to 20,000 points.
//!
//! | kind | its values |
//! |---|---|
//! | `additive` | an effect of each level, and weaker ones of pairs of levels |
//! | `product` | a yield: the product of what each level leaves of it, with a few pairs that do not agree |
//! | `smooth`, `rough` | a draw of a Gaussian process over hidden coordinates of the levels, two for each parameter |
//! | `saturated` | the same between its 60th percentile and its top, so that most points have the same poor value |
//! | `potts` | a sum over pairs of parameters, which depends on whether their levels agree |
//! | `trees` | a sum of decision trees |
//! | `pests` | a chain of stations, each of which may be treated at a price against what the last one left over |
//! | `few` | effects of two parameters and their pairs; the others hardly matter |

use elbowroom::domain::Domain;
use elbowroom::rng::Stream;
use elbowroom::space::{Dimension, Parameter, SearchSpace};

use super::Pool;

/// The kinds of drawn pools.
pub const KINDS: [&str; 9] = ["additive", "product", "smooth", "rough", "saturated", "potts", "trees", "pests", "few"];

/// The least and the largest number of points.
const SIZES: (u128, u128) = (300, 20_000);

/// The pool of a kind with this number.
pub fn drawn(kind: &str, number: u64) -> Pool {
    let stream = Stream::new(0x9001).child(kind, number);
    let space = space(kind, &stream);
    let levels: Vec<usize> = space.dimensions().iter().map(|d| d.levels().unwrap_or(1) as usize).collect();
    let domain = Domain::whole(&space);
    let points: Vec<(Vec<usize>, Vec<f64>)> = domain
        .enumerate()
        .into_iter()
        .flatten()
        .map(|u| (u.iter().enumerate().map(|(k, u)| space.level(k, *u) as usize).collect(), u.into_vec()))
        .collect();
    let values = values(kind, &space, &levels, &points, &stream);
    let units = points.into_iter().map(|(_, u)| elbowroom::space::UnitPoint::clamped(u));
    let rows: Vec<_> = units.zip(values).map(|(u, value)| (space.decode(&u), value)).collect();
    Pool::new(&format!("{kind}{number}"), space.clone(), rows)
}

/// Random parameters and levels: a pool of a suitable size, with at least one category.
fn space(kind: &str, stream: &Stream) -> SearchSpace {
    let mut draw = stream.child("space", 0);
    loop {
        let n = 3 + draw.below(6);
        let parameters: Vec<Parameter> = (0..n)
            .map(|k| {
                // Few levels are likelier than many.
                let levels = 2 + (18.0 * draw.uniform().powi(2)).round() as i64;
                let is_ordered = draw.uniform() < 0.3 && k > 0;
                match (kind, is_ordered) {
                    ("pests", _) => Parameter::category(format!("x{k}"), 0..5i64),
                    (_, true) => Parameter::ordered(format!("x{k}"), 0..levels.min(8)),
                    (_, false) => Parameter::category(format!("x{k}"), 0..levels),
                }
            })
            .collect();
        let space = SearchSpace::new(parameters).expect("a valid space");
        if space.n_points().is_some_and(|n| (SIZES.0..=SIZES.1).contains(&n)) {
            return space;
        }
    }
}

fn values(
    kind: &str,
    space: &SearchSpace,
    levels: &[usize],
    points: &[(Vec<usize>, Vec<f64>)],
    stream: &Stream,
) -> Vec<f64> {
    let mut draw = stream.child("values", 0);
    let by_levels = |value: &dyn Fn(&[usize]) -> f64| points.iter().map(|(levels, _)| value(levels)).collect();
    match kind {
        "additive" => {
            let effects = Effects::draw(levels, 0.35, &|_| 1.0, &mut draw);
            by_levels(&|at| effects.sum(at))
        }
        "few" => {
            let effects = Effects::draw(levels, 1.0, &|k| if k < 2 { 1.0 } else { 0.1 }, &mut draw);
            by_levels(&|at| effects.sum(at))
        }
        "product" => {
            let effects = Effects::draw(levels, 0.5, &|_| 1.2, &mut draw);
            by_levels(&|at| 100.0 / (1.0 + (-effects.sum(at)).exp()))
        }
        "smooth" | "saturated" => field(space, levels, points, 1.2, &mut draw, kind == "saturated"),
        "rough" => field(space, levels, points, 0.5, &mut draw, false),
        "potts" => {
            let pairs = Effects::draw(&vec![2; levels.len()], 1.0, &|_| 0.0, &mut draw);
            let own = Effects::draw(levels, 0.0, &|_| 0.3, &mut draw);
            by_levels(&|at| {
                let agreeing = |j: usize, k: usize| usize::from(at[j] * levels[k] / levels[j] == at[k]);
                let all = (0..at.len()).flat_map(|k| (0..k).map(move |j| (j, k)));
                own.sum(at) + all.map(|(j, k)| pairs.pair(j, k, agreeing(j, k), 0)).sum::<f64>()
            })
        }
        "trees" => {
            let trees: Vec<Tree> = (0..8).map(|_| Tree::draw(levels, 4, &mut draw)).collect();
            by_levels(&|at| trees.iter().map(|tree| tree.value(at)).sum())
        }
        _ => {
            let stations: Vec<[f64; 5]> = (0..levels.len())
                .map(|_| std::array::from_fn(|l| if l == 0 { 0.0 } else { 0.3 + 0.6 * draw.uniform() }))
                .collect();
            let prices: [f64; 5] = std::array::from_fn(|l| if l == 0 { 0.0 } else { 0.05 + 0.15 * draw.uniform() });
            by_levels(&|at| -pests(at, &stations, &prices))
        }
    }
}

/// Cost and damage along a chain: what is left over spreads, and a repeated treatment works less well.
fn pests(at: &[usize], stations: &[[f64; 5]], prices: &[f64; 5]) -> f64 {
    let (mut left, mut cost, mut used) = (0.1, 0.0, [0u32; 5]);
    for (level, effects) in at.iter().zip(stations) {
        left += 0.3 * (1.0 - left);
        left *= 1.0 - effects[*level] * 0.8f64.powi(used[*level] as i32);
        cost += prices[*level] * if used[*level] > 0 { 0.8 } else { 1.0 } + left;
        used[*level] += 1;
    }
    cost
}

/// Effects of levels and of pairs of levels.
struct Effects {
    own: Vec<Vec<f64>>,
    /// By the two parameters, then by their levels.
    pairs: Vec<Vec<Vec<f64>>>,
    levels: Vec<usize>,
}

impl Effects {
    fn draw(levels: &[usize], of_pairs: f64, weight: &dyn Fn(usize) -> f64, draw: &mut Stream) -> Self {
        // Parameters differ in how much they matter, by a factor of e or so.
        let weights: Vec<f64> = (0..levels.len()).map(|k| weight(k) * (0.7 * draw.normal()).exp()).collect();
        let own = levels.iter().zip(&weights).map(|(n, w)| (0..*n).map(|_| w * draw.normal()).collect()).collect();
        let pairs = (0..levels.len())
            .map(|k| {
                let of = |j: usize, draw: &mut Stream| {
                    let scale = of_pairs * if weights[j] == 0.0 { 1.0 } else { (weights[j] * weights[k]).sqrt() };
                    (0..levels[j] * levels[k]).map(|_| scale * draw.normal()).collect()
                };
                (0..k).map(|j| of(j, draw)).collect()
            })
            .collect();
        Self { own, pairs, levels: levels.to_vec() }
    }

    fn pair(&self, j: usize, k: usize, a: usize, b: usize) -> f64 {
        self.pairs[k][j][a * self.levels[k] + b]
    }

    fn sum(&self, at: &[usize]) -> f64 {
        let own: f64 = at.iter().zip(&self.own).map(|(level, own)| own[*level]).sum();
        let pairs = (0..at.len()).flat_map(|k| (0..k).map(move |j| (j, k)));
        own + pairs.map(|(j, k)| self.pair(j, k, at[j], at[k])).sum::<f64>()
    }
}

/// A draw of a Gaussian process over hidden coordinates: two for each level of a category, the value itself for an
/// ordered parameter. It uses 200 random features, with lengthscales that grow with the number of coordinates.
fn field(
    space: &SearchSpace,
    levels: &[usize],
    points: &[(Vec<usize>, Vec<f64>)],
    lengthscale: f64,
    draw: &mut Stream,
    is_cut: bool,
) -> Vec<f64> {
    let hidden: Vec<Vec<[f64; 2]>> = space
        .dimensions()
        .iter()
        .zip(levels)
        .map(|(dimension, n)| {
            let of = |l: usize, draw: &mut Stream| match dimension {
                Dimension::Category { .. } => [draw.uniform(), draw.uniform()],
                _ => [l as f64 / (*n as f64 - 1.0), 0.0],
            };
            (0..*n).map(|l| of(l, draw)).collect()
        })
        .collect();
    let scales: Vec<f64> =
        levels.iter().map(|_| lengthscale * (levels.len() as f64 / 4.0).sqrt() * (0.7 * draw.normal()).exp()).collect();
    let features: Vec<(Vec<f64>, f64, f64)> = (0..200)
        .map(|_| {
            let waves = (0..2 * levels.len()).map(|i| draw.normal() / scales[i / 2]).collect();
            (waves, std::f64::consts::TAU * draw.uniform(), draw.normal())
        })
        .collect();
    let value = |at: &[usize]| -> f64 {
        let x: Vec<f64> = at.iter().zip(&hidden).flat_map(|(level, of)| of[*level]).collect();
        let wave = |(waves, phase, weight): &(Vec<f64>, f64, f64)| {
            weight * (waves.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>() + phase).cos()
        };
        features.iter().map(wave).sum::<f64>() * 0.1
    };
    let mut values: Vec<f64> = points.iter().map(|(at, _)| value(at)).collect();
    if is_cut {
        let floor = crate::rows::quantile(&values, 0.6);
        values.iter_mut().for_each(|v| *v = v.max(floor));
    }
    values
}

/// A decision tree: each fork divides the levels of one parameter.
enum Tree {
    Leaf(f64),
    Fork { parameter: usize, left: Vec<bool>, ways: Box<[Tree; 2]> },
}

impl Tree {
    fn draw(levels: &[usize], depth: usize, draw: &mut Stream) -> Self {
        if depth == 0 {
            return Tree::Leaf(draw.normal());
        }
        let parameter = draw.below(levels.len());
        let left = (0..levels[parameter]).map(|_| draw.uniform() < 0.5).collect();
        let ways = Box::new([Self::draw(levels, depth - 1, draw), Self::draw(levels, depth - 1, draw)]);
        Tree::Fork { parameter, left, ways }
    }

    fn value(&self, at: &[usize]) -> f64 {
        match self {
            Tree::Leaf(value) => *value,
            Tree::Fork { parameter, left, ways } => ways[usize::from(left[at[*parameter]])].value(at),
        }
    }
}
