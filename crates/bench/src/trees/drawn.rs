//! How a tree is drawn: a shape and a kind of function, with random numbers of branches and parameters.
//!
//! | shape | what it is |
//! |---|---|
//! | `one` | one choice among 2 to 30, and up to three parameters that all of them share |
//! | `deep` | choices below choices, two or three levels |
//! | `chain` | a number of layers, each with its own parameters |
//! | `stages` | two or three choices side by side |
//!
//! | function | in each node, of the node's parameters and those of the node above |
//! |---|---|
//! | `bowl` | a quadratic with products, which may have its minimum anywhere |
//! | `wave` | a draw of a Gaussian process |
//! | `step` | a bowl on a coarse grid, half of whose parameters are whole numbers |
//! | `noisy` | a bowl whose values are told with noise |

use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};

use super::Tree;

/// The shapes of drawn trees.
pub const SHAPES: [&str; 4] = ["one", "deep", "chain", "stages"];

/// Their kinds of functions.
pub const FUNCTIONS: [&str; 4] = ["bowl", "wave", "step", "noisy"];

/// Noise as a share of what a random search leaves.
const NOISE: f64 = 0.2;

/// A part of a tree: a function of some coordinates, and what follows from a choice.
#[derive(Debug, Clone)]
pub struct Node {
    function: Function,
    /// The coordinate of the choice below it, and what each level leads to.
    below: Option<(usize, Vec<Node>)>,
    /// Whether all levels up to the chosen one are present, not only the chosen one.
    is_chain: bool,
}

impl Node {
    /// What the node and everything below it add at a unit point.
    pub fn value(&self, space: &SearchSpace, u: &[f64]) -> f64 {
        let Some((dim, ways)) = &self.below else { return self.function.value(u) };
        let level = space.level(*dim, u[*dim]) as usize;
        let below: f64 = match self.is_chain {
            true => ways[..=level].iter().map(|way| way.value(space, u)).sum::<f64>() / (level + 1) as f64,
            false => ways[level].value(space, u),
        };
        self.function.value(u) + below
    }
}

#[derive(Debug, Clone)]
struct Function {
    dims: Vec<usize>,
    offset: f64,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    /// Minimum, weights, weights of the products of neighbours, steps per unit (0 if there are none).
    Bowl { best: Vec<f64>, weights: Vec<f64>, products: Vec<f64>, steps: f64 },
    /// Frequencies, phase and weight of each feature.
    Wave(Vec<(Vec<f64>, f64, f64)>),
}

impl Function {
    fn draw(dims: Vec<usize>, name: &str, spread: f64, draw: &mut Stream) -> Self {
        let offset = spread * draw.uniform();
        let n = dims.len();
        let kind = if name == "wave" {
            let scales: Vec<f64> = (0..n).map(|_| 0.45 * (n as f64).sqrt() * (0.5 * draw.normal()).exp()).collect();
            let feature = |draw: &mut Stream| {
                let waves = scales.iter().map(|scale| draw.normal() / scale).collect();
                (waves, std::f64::consts::TAU * draw.uniform(), draw.normal() * 0.3 * (2.0 / 60.0f64).sqrt())
            };
            Kind::Wave(if n == 0 { Vec::new() } else { (0..60).map(|_| feature(draw)).collect() })
        } else {
            Kind::Bowl {
                best: (0..n).map(|_| draw.uniform()).collect(),
                weights: (0..n).map(|_| 0.3 + 1.2 * draw.uniform()).collect(),
                products: (1..n).map(|_| 0.8 * (2.0 * draw.uniform() - 1.0)).collect(),
                steps: if name == "step" { (4 + draw.below(9)) as f64 } else { 0.0 },
            }
        };
        Self { dims, offset, kind }
    }

    fn value(&self, u: &[f64]) -> f64 {
        let x: Vec<f64> = self.dims.iter().map(|dim| u[*dim]).collect();
        self.offset
            + match &self.kind {
                Kind::Bowl { best, weights, products, steps } => {
                    let rounded = |x: f64| if *steps > 0.0 { (x * steps).round() / steps } else { x };
                    let apart: Vec<f64> = x.iter().zip(best).map(|(x, best)| rounded(*x) - best).collect();
                    let squares = apart.iter().zip(weights).map(|(a, w)| w * a * a).sum::<f64>();
                    let pairs = apart.windows(2).zip(products);
                    squares + pairs.map(|(a, w)| w * a[0] * a[1]).sum::<f64>()
                }
                Kind::Wave(features) => {
                    let phase = |waves: &[f64]| waves.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>();
                    features.iter().map(|(waves, shift, weight)| weight * (phase(waves) + shift).cos()).sum()
                }
            }
    }
}

/// The tree of a shape and a function with this number.
pub fn drawn(shape: &str, function: &str, number: u64) -> Tree {
    let name = format!("{shape}-{function}{number}");
    let stream = Stream::new(0x7ee5).child(&name, 0);
    let mut growing = Growing { parameters: Vec::new(), draw: stream.child("tree", 0), function };
    let parts = match shape {
        "one" => vec![growing.one()],
        "deep" => {
            let depth = 2 + growing.draw.below(2);
            vec![growing.node(&[], None, "r", depth, depth)]
        }
        "chain" => growing.chain(),
        _ => growing.stages(),
    };
    let space = SearchSpace::new(growing.parameters).expect("a valid space");
    Tree::new(name, space, parts, if function == "noisy" { NOISE } else { 0.0 }, &stream)
}

struct Growing<'a> {
    parameters: Vec<Parameter>,
    draw: Stream,
    function: &'a str,
}

impl Growing<'_> {
    fn add(&mut self, parameter: Parameter, when: Option<&str>) -> usize {
        self.parameters.push(match when {
            Some(when) => parameter.when(when),
            None => parameter,
        });
        self.parameters.len() - 1
    }

    /// Adds some numeric parameters of a node.
    fn numbers(&mut self, n: usize, name: &str, when: Option<&str>) -> Vec<usize> {
        let one = |i: usize, growing: &mut Self| {
            let is_whole = growing.function == "step" && growing.draw.uniform() < 0.5;
            let name = format!("{name}x{i}");
            let parameter = if is_whole { Parameter::int(name, 0, 11) } else { Parameter::float(name, 0.0, 1.0) };
            growing.add(parameter, when)
        };
        (0..n).map(|i| one(i, self)).collect()
    }

    /// A category with this many levels.
    fn choice(&mut self, n: usize, name: &str, when: Option<&str>) -> usize {
        let levels: Vec<String> = (0..n).map(|i| format!("w{i}")).collect();
        self.add(Parameter::category(name, levels), when)
    }

    /// A node with up to three numeric parameters, and a choice below it unless it is at the bottom.
    fn node(&mut self, above: &[usize], when: Option<&str>, name: &str, depth: usize, of: usize) -> Node {
        let n = self.draw.below(if depth == of { 3 } else { 4 });
        let own = self.numbers(n, name, when);
        let dims: Vec<usize> = above.iter().chain(&own).copied().collect();
        let function = Function::draw(dims, self.function, 0.3, &mut self.draw);
        if depth == 0 || (depth < of && self.draw.uniform() < 0.3) {
            return Node { function, below: None, is_chain: false };
        }
        let n = 2 + self.draw.below(if of == 2 { 4 } else { 2 });
        let choice = format!("{name}c");
        let dim = self.choice(n, &choice, when);
        let ways = (0..n)
            .map(|i| self.node(&own, Some(&format!("{choice} == 'w{i}'")), &format!("{name}{i}"), depth - 1, of))
            .collect();
        Node { function, below: Some((dim, ways)), is_chain: false }
    }

    fn one(&mut self) -> Node {
        let n_shared = self.draw.below(4);
        let shared = self.numbers(n_shared, "s", None);
        // Few branches are likelier than many.
        let n = 2 + (28.0 * self.draw.uniform().powi(2)).round() as usize;
        let dim = self.choice(n, "kind", None);
        let one = |i: usize, growing: &mut Self| {
            let n = growing.draw.below(4) + usize::from(n_shared == 0);
            let own = growing.numbers(n, &format!("b{i}"), Some(&format!("kind == 'w{i}'")));
            let dims = shared.iter().chain(&own).copied().collect();
            let function = Function::draw(dims, growing.function, 0.5, &mut growing.draw);
            Node { function, below: None, is_chain: false }
        };
        let ways = (0..n).map(|i| one(i, self)).collect();
        // What all branches share.
        let function = Function::draw(shared.clone(), self.function, 0.0, &mut self.draw);
        Node { function, below: Some((dim, ways)), is_chain: false }
    }

    fn chain(&mut self) -> Vec<Node> {
        let n_shared = 1 + self.draw.below(2);
        let shared = self.numbers(n_shared, "s", None);
        let n = 2 + self.draw.below(4) as i64;
        let dim = self.add(Parameter::int("layers", 1, n), None);
        let each = 1 + self.draw.below(2);
        let (mut ways, mut above) = (Vec::new(), shared.clone());
        for i in 1..=n {
            let own = self.numbers(each, &format!("l{i}"), (i > 1).then(|| format!("layers >= {i}")).as_deref());
            let dims = above.iter().chain(&own).copied().collect();
            let function = Function::draw(dims, self.function, 0.3, &mut self.draw);
            ways.push(Node { function, below: None, is_chain: false });
            above = own;
        }
        let of_shared = Function::draw(shared, self.function, 0.0, &mut self.draw);
        let kind = (self.draw.uniform() < 0.7).then(|| self.stage("activation", &[]));
        let layers = Node { function: of_shared, below: Some((dim, ways)), is_chain: true };
        [layers].into_iter().chain(kind).collect()
    }

    /// A choice between two to four alternatives, each with up to three numeric parameters.
    fn stage(&mut self, name: &str, above: &[usize]) -> Node {
        let n = 2 + self.draw.below(3);
        let dim = self.choice(n, name, None);
        let one = |i: usize, growing: &mut Self| {
            let n = growing.draw.below(4);
            let own = growing.numbers(n, &format!("{name}{i}"), Some(&format!("{name} == 'w{i}'")));
            let dims = above.iter().chain(&own).copied().collect();
            let function = Function::draw(dims, growing.function, 0.3, &mut growing.draw);
            Node { function, below: None, is_chain: false }
        };
        let ways = (0..n).map(|i| one(i, self)).collect();
        Node {
            function: Function::draw(Vec::new(), self.function, 0.0, &mut self.draw),
            below: Some((dim, ways)),
            is_chain: false,
        }
    }

    fn stages(&mut self) -> Vec<Node> {
        let n_shared = self.draw.below(2);
        let shared = self.numbers(n_shared, "s", None);
        let n = 2 + self.draw.below(2);
        (0..n).map(|i| self.stage(&format!("stage{i}"), &shared)).collect()
    }
}
