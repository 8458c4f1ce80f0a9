//! The initial design as an endless list of unit points, each known by its index.

use super::config::{InitialDesign, StudyConfig};
use crate::design::{Sobol, latin_hypercube};
use crate::domain::Domain;
use crate::linalg::Points;
use crate::rng::Stream;
use crate::space::UnitPoint;

/// The design's points from some index on.
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
}

impl<'a> Initial<'a> {
    pub fn starting_at(config: &StudyConfig, domain: &'a Domain<'a>, next: u64) -> Self {
        let stream = Stream::new(config.seed).child("design", 0);
        let dim = config.space.dim();
        let kind = match config.design {
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

    /// The index of the point that comes next.
    pub fn next_index(&self) -> u64 {
        self.next
    }

    /// The next point, stretched and snapped to the domain.
    pub fn point(&mut self) -> UnitPoint {
        let mut u = vec![0.0; self.domain.dim()];
        match &mut self.kind {
            Kind::Sobol(sobol) => sobol.next_into(&mut u),
            Kind::LatinHypercube(points) if self.next < points.len() as u64 => {
                u.copy_from_slice(points.row(self.next as usize));
            }
            Kind::LatinHypercube(_) | Kind::Uniform => {
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
