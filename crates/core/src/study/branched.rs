//! The initial design if parameters have conditions: every branch gets its own points.
//!
//! Of n points, a branch with d coordinates gets a share in proportion to 1 + d, by largest remainders, and at least two
//! if there are enough. Its points are the first ones of a design in d dimensions, so that a branch is filled evenly
//! whatever the others get. Points come in blocks of n, each divided in the same way. With more branches than points,
//! every block has one point from each of n branches, drawn again for each block.

use super::config::InitialDesign;
use crate::design::{Sobol, latin_hypercube};
use crate::domain::{Branch, Domain};
use crate::rng::Stream;
use crate::space::UnitPoint;

/// The fewest points of a branch, if there are enough for all.
const LEAST: usize = 2;

/// The design of a domain with branches.
pub(super) struct Branched {
    branches: Vec<Branch>,
    design: InitialDesign,
    /// The number of points in a block.
    n: usize,
    stream: Stream,
}

/// The position of a point in the design.
struct Seat {
    branch: usize,
    /// The index among the branch's points.
    index: u64,
    /// The number of points of the branch in a block.
    count: usize,
}

impl Branched {
    pub fn new(domain: &Domain<'_>, design: InitialDesign, n: usize, stream: &Stream) -> Self {
        let branches = domain.branches().open().cloned().collect();
        Self { branches, design, n: n.max(1), stream: stream.clone() }
    }

    /// The point with this index, snapped to the domain.
    pub fn point(&self, domain: &Domain<'_>, index: u64) -> UnitPoint {
        let mut u = vec![0.0; domain.dim()];
        match self.seat(index) {
            Some(seat) => {
                let branch = &self.branches[seat.branch];
                branch.put(domain, &self.own_point(&seat, branch.dim()), &mut u);
            }
            // The constraints leave nothing, so this point will be refused too.
            None => domain.stretch(&mut u),
        }
        domain.snap(&mut u);
        UnitPoint::clamped(u)
    }

    /// The position of a point in the design.
    fn seat(&self, index: u64) -> Option<Seat> {
        let (block, at) = (index / self.n as u64, (index % self.n as u64) as usize);
        if self.branches.len() > self.n {
            let mut drawn: Vec<usize> = (0..self.branches.len()).collect();
            self.stream.child("branches", block).shuffle(&mut drawn);
            return Some(Seat { branch: drawn[at], index: block, count: 1 });
        }
        let dims: Vec<usize> = self.branches.iter().map(Branch::dim).collect();
        let counts = shares(self.n, &dims);
        // The k-th of c points is at (k + ½)/c of the block, so that every first part of a block is balanced too.
        let mut seats: Vec<(f64, usize, usize)> = Vec::with_capacity(self.n);
        for (branch, &count) in counts.iter().enumerate() {
            seats.extend((0..count).map(|k| ((k as f64 + 0.5) / count as f64, branch, k)));
        }
        seats.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let &(_, branch, k) = seats.get(at)?;
        Some(Seat { branch, index: block * counts[branch] as u64 + k as u64, count: counts[branch] })
    }

    /// A point of the cube of a branch's dimension.
    fn own_point(&self, seat: &Seat, dim: usize) -> Vec<f64> {
        let stream = self.stream.child("branch", seat.branch as u64);
        let mut v = vec![0.0; dim];
        match self.design {
            InitialDesign::Sobol => {
                let mut sobol = Sobol::scrambled(dim, &stream);
                sobol.skip(seat.index);
                sobol.next_into(&mut v);
            }
            InitialDesign::LatinHypercube if seat.index < seat.count as u64 => {
                let points = latin_hypercube(seat.count, dim, &mut stream.child("hypercube", 0));
                v.copy_from_slice(points.row(seat.index as usize));
            }
            InitialDesign::LatinHypercube | InitialDesign::Uniform => {
                let mut stream = stream.child("uniform", seat.index);
                v.fill_with(|| stream.uniform());
            }
        }
        v
    }
}

/// How many of n points go to branches with these numbers of coordinates; at most as many branches as points.
fn shares(n: usize, dims: &[usize]) -> Vec<usize> {
    let least = (n / dims.len().max(1)).min(LEAST);
    let total: usize = dims.iter().map(|dim| 1 + dim).sum();
    let exact: Vec<f64> = dims.iter().map(|dim| n as f64 * (1 + dim) as f64 / total as f64).collect();
    let mut counts: Vec<usize> = exact.iter().map(|share| (share.floor() as usize).max(least)).collect();
    // Take from the largest branches what the smallest got in excess.
    while counts.iter().sum::<usize>() > n {
        let above = |b: usize| counts[b] as f64 - exact[b];
        let most = (0..dims.len())
            .filter(|b| counts[*b] > least)
            .max_by(|&a, &b| above(a).total_cmp(&above(b)).then(b.cmp(&a)));
        let Some(most) = most else { break };
        counts[most] -= 1;
    }
    while !counts.is_empty() && counts.iter().sum::<usize>() < n {
        let below = |b: usize| exact[b] - counts[b] as f64;
        let most = (0..dims.len()).max_by(|&a, &b| below(a).total_cmp(&below(b)).then(b.cmp(&a)));
        let Some(most) = most else { break };
        counts[most] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_get_points_in_proportion_to_one_more_than_their_coordinates() {
        // By hand: 14 × 4/7 and 14 × 3/7; 13 × 4/7 = 7.43 and 5.57, of which the larger remainder is rounded up.
        assert_eq!(shares(14, &[3, 2]), [8, 6]);
        assert_eq!(shares(13, &[3, 2]), [7, 6]);
        // 10 × 10/13 = 7.7, 0.77, 1.5, 0: at least two each, and four are left for the large one.
        assert_eq!(shares(10, &[9, 0, 1, 0]), [4, 2, 2, 2]);
        // Not enough for two each.
        assert_eq!(shares(5, &[9, 0, 1, 0]), [2, 1, 1, 1]);
        assert_eq!(shares(3, &[]), [] as [usize; 0]);
    }
}
