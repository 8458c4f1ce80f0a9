//! Drawn pools whose categories have descriptors, on which the rules for descriptors are chosen: two or three
//! categories of 4 to 15 levels and one or two short ladders, 300 to 6,000 points.
//!
//! Each level has three hidden numbers. Of its 60 descriptors, 20 are bent mixtures of them with some noise, and 40 are
//! mixtures of four numbers that nothing depends on, so that most of a table is irrelevant.
//!
//! | kind | its values, each as a yield from 0 to 100 |
//! |---|---|
//! | `told` | a draw of a Gaussian process over the hidden numbers |
//! | `partly` | half of it that, half of it an effect of each level that no descriptor shows |
//! | `untold` | effects of levels alone: all descriptors are irrelevant |

use elbowroom::domain::Domain;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};

use super::Pool;

/// The kinds of drawn pools with descriptors.
pub const KINDS: [&str; 3] = ["told", "partly", "untold"];

/// Numbers that the values depend on, and numbers that only descriptors depend on.
const HIDDEN: usize = 3;
const IDLE: usize = 4;

/// The numbers of descriptors of either kind.
const TELLING: usize = 20;
const BESIDE: usize = 40;

/// The pool of a kind with this number.
pub fn drawn(kind: &str, number: u64) -> Pool {
    let stream = Stream::new(0xde5c).child(kind, number);
    let (parameters, hidden) = parameters(&mut stream.child("space", 0));
    let space = SearchSpace::new(parameters).expect("a valid space");
    let share = match kind {
        "told" => 1.0,
        "partly" => 0.5,
        _ => 0.0,
    };
    let mut draw = stream.child("values", 0);
    let features = Features::draw(space.dim(), &mut draw);
    let effects: Vec<Vec<f64>> = hidden.iter().map(|of| of.iter().map(|_| draw.normal()).collect()).collect();
    let domain = Domain::whole(&space);
    let rows = domain.enumerate().into_iter().flatten().map(|u| {
        let levels: Vec<usize> = u.iter().enumerate().map(|(k, u)| space.level(k, *u) as usize).collect();
        let at: Vec<f64> = levels.iter().zip(&hidden).flat_map(|(level, of)| of[*level]).collect();
        let own: f64 = levels.iter().zip(&effects).map(|(level, of)| of[*level]).sum();
        let score = share * 1.5 * features.value(&at) + (1.0 - share) * own / (levels.len() as f64).sqrt() * 1.5;
        (space.decode(&u), 100.0 / (1.0 + (-1.5 * score).exp()))
    });
    let rows: Vec<_> = rows.collect();
    Pool::new(&format!("{kind}{number}"), space.clone(), rows)
}

/// Parameters, and for each of them the hidden numbers of its levels.
fn parameters(draw: &mut Stream) -> (Vec<Parameter>, Vec<Vec<[f64; HIDDEN]>>) {
    loop {
        let (n_categories, n_ladders) = (2 + draw.below(2), 1 + draw.below(2));
        let mut all = (Vec::new(), Vec::new());
        let mut size = 1;
        for k in 0..n_categories {
            let n = 4 + draw.below(12);
            let hidden: Vec<[f64; HIDDEN]> = (0..n).map(|_| std::array::from_fn(|_| draw.normal())).collect();
            let columns: Vec<String> = (0..TELLING + BESIDE).map(|c| format!("c{c}")).collect();
            let rows = table(&hidden, draw);
            all.0.push(Parameter::category(format!("x{k}"), 0..n as i64).described(columns, rows));
            all.1.push(hidden);
            size *= n;
        }
        for k in 0..n_ladders {
            all.0.push(Parameter::ladder(format!("y{k}"), 0..3i64));
            all.1.push((0..3).map(|l| [l as f64 - 1.0, 0.0, 0.0]).collect());
            size *= 3;
        }
        if (300..=6000).contains(&size) {
            return all;
        }
    }
}

/// The descriptors of levels with these hidden numbers.
fn table(hidden: &[[f64; HIDDEN]], draw: &mut Stream) -> Vec<Vec<f64>> {
    let idle: Vec<[f64; IDLE]> = hidden.iter().map(|_| std::array::from_fn(|_| draw.normal())).collect();
    let mut rows = vec![Vec::new(); hidden.len()];
    for column in 0..TELLING + BESIDE {
        let weights: [f64; IDLE] = std::array::from_fn(|_| draw.normal());
        for (row, (hidden, idle)) in rows.iter_mut().zip(hidden.iter().zip(&idle)) {
            let of: &[f64] = if column < TELLING { hidden } else { idle };
            let sum: f64 = of.iter().zip(&weights).map(|(x, w)| x * w).sum();
            row.push(sum + 0.3 * sum.abs().sqrt().copysign(sum) + 0.3 * draw.normal());
        }
    }
    rows
}

/// A draw of a Gaussian process, by waves.
struct Features(Vec<(Vec<f64>, f64, f64)>);

impl Features {
    fn draw(n_parameters: usize, draw: &mut Stream) -> Self {
        let scales: Vec<f64> =
            (0..n_parameters).map(|_| 1.5 * (n_parameters as f64).sqrt() * (0.5 * draw.normal()).exp()).collect();
        let wave = |_| {
            let waves = (0..HIDDEN * n_parameters).map(|i| draw.normal() / scales[i / HIDDEN]).collect();
            (waves, std::f64::consts::TAU * draw.uniform(), draw.normal())
        };
        Self((0..200).map(wave).collect())
    }

    fn value(&self, at: &[f64]) -> f64 {
        let wave = |(waves, phase, weight): &(Vec<f64>, f64, f64)| {
            weight * (waves.iter().zip(at).map(|(w, x)| w * x).sum::<f64>() + phase).cos()
        };
        self.0.iter().map(wave).sum::<f64>() * 0.1
    }
}

#[cfg(test)]
mod tests {
    use elbowroom::space::Dimension;

    use super::*;

    #[test]
    fn a_drawn_pool_is_the_same_each_time_and_its_categories_are_described() {
        for kind in KINDS {
            let (pool, again) = (drawn(kind, 1), drawn(kind, 1));
            assert_eq!((pool.len(), pool.best()), (again.len(), again.best()));
            for (parameter, dimension) in pool.space.parameters().iter().zip(pool.space.dimensions()) {
                let is_described = matches!(parameter, Parameter::Category { descriptors: Some(_), .. });
                assert_eq!(is_described, matches!(dimension, Dimension::Category { .. }));
            }
        }
    }
}
