//! The initial design as an endless list of unit points, each known by its index.
//!
//! If points are constructed, they come in blocks: the most scattered of eight times as many random points, also away
//! from those of earlier blocks, so that a plate of recipes that is requested before any result is one design.

use super::branched::Branched;
use super::config::{InitialDesign, StudyConfig};
use crate::design::{Sobol, farthest_first, farthest_from, latin_hypercube};
use crate::domain::Domain;
use crate::linalg::Points;
use crate::rng::Stream;
use crate::space::UnitPoint;

/// The largest block, and how many random points each of its points is picked from.
const MAX_BLOCK: usize = 64;
const PER_POINT: usize = 8;

/// Blocks that start before this index avoid earlier ones; for later blocks, comparing with all would be too slow.
const MAX_SEEN: u64 = 512;

/// The points of the design from some index on.
pub(super) struct Initial<'a> {
    domain: &'a Domain<'a>,
    stream: Stream,
    next: u64,
    kind: Kind,
}

enum Kind {
    Sobol(Box<Sobol>),
    LatinHypercube(Points),
    Uniform,
    Constructed(Block),
    Branched(Branched),
}

/// Scattered points of a polytope.
struct Block {
    number: Option<u64>,
    size: u64,
    points: Vec<UnitPoint>,
    /// The points of the blocks so far, in order.
    seen: Points,
}

impl<'a> Initial<'a> {
    pub fn starting_at(config: &StudyConfig, domain: &'a Domain<'a>, next: u64) -> Self {
        let stream = Stream::new(config.seed).child("design", 0);
        let dim = config.space.dim();
        let kind = match config.design {
            _ if domain.is_constructed() => {
                let size = config.n_initial().clamp(1, MAX_BLOCK) as u64;
                Kind::Constructed(Block { number: None, size, points: Vec::new(), seen: Points::new(dim) })
            }
            design if config.space.is_conditional() && !domain.is_listed() => {
                Kind::Branched(Branched::new(domain, design, config.n_initial(), &stream))
            }
            InitialDesign::Sobol => {
                let mut sobol = Sobol::scrambled(dim, &stream);
                sobol.skip(next);
                Kind::Sobol(Box::new(sobol))
            }
            InitialDesign::LatinHypercube if next < config.n_initial() as u64 => {
                Kind::LatinHypercube(latin_hypercube(config.n_initial(), dim, &mut stream.child("hypercube", 0)))
            }
            InitialDesign::LatinHypercube | InitialDesign::Uniform => Kind::Uniform,
        };
        Self { domain, stream, next, kind }
    }

    /// The index of the next point.
    pub fn next_index(&self) -> u64 {
        self.next
    }

    /// The next point, stretched and snapped to the domain.
    pub fn point(&mut self) -> UnitPoint {
        if let Kind::Constructed(block) = &mut self.kind {
            let point = block.point(self.domain, &self.stream, self.next);
            self.next = self.next.saturating_add(1);
            return point;
        }
        if let Kind::Branched(branched) = &self.kind {
            let point = branched.point(self.domain, self.next);
            self.next = self.next.saturating_add(1);
            return point;
        }
        let mut u = vec![0.0; self.domain.dim()];
        match &mut self.kind {
            Kind::Sobol(sobol) => sobol.next_into(&mut u),
            Kind::LatinHypercube(points) if self.next < points.len() as u64 => {
                u.copy_from_slice(points.row(self.next as usize));
            }
            Kind::LatinHypercube(_) | Kind::Uniform | Kind::Constructed(_) | Kind::Branched(_) => {
                let mut stream = self.stream.child("uniform", self.next);
                u.fill_with(|| stream.uniform());
            }
        }
        self.next = self.next.saturating_add(1);
        self.domain.stretch(&mut u);
        self.domain.snap(&mut u);
        UnitPoint::clamped(u)
    }
}

impl Block {
    /// The point with this index, from its block.
    fn point(&mut self, domain: &Domain<'_>, stream: &Stream, index: u64) -> UnitPoint {
        let number = index / self.size;
        if self.number != Some(number) {
            let is_apart = number * self.size < MAX_SEEN;
            let first = if is_apart { self.seen.len() as u64 / self.size } else { number };
            for number in first..=number {
                self.fill(domain, &mut stream.child("polytope", number), is_apart);
            }
            self.number = Some(number);
        }
        self.points[(index % self.size) as usize].clone()
    }

    /// Makes the next block, away from earlier ones or on its own.
    fn fill(&mut self, domain: &Domain<'_>, draw: &mut Stream, is_apart: bool) {
        let mut sampler = domain.sampler();
        let mut pool = Points::new(domain.dim());
        for _ in 0..PER_POINT * self.size as usize {
            let drawn = sampler.next(draw);
            if domain.is_feasible(&drawn) {
                pool.push(&drawn);
            }
        }
        let chosen = match is_apart {
            true => farthest_from(&self.seen, &pool, self.size as usize),
            false => farthest_first(&pool, self.size as usize),
        };
        self.points = chosen.into_iter().map(|i| UnitPoint::clamped(pool.row(i).to_vec())).collect();
        // If other constraints leave fewer points, the rest may be refused like any point of a design.
        self.points.resize_with(self.size as usize, || sampler.next(draw));
        if is_apart {
            self.points.iter().for_each(|point| self.seen.push(point));
        }
    }
}
