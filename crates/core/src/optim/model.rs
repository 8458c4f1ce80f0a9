//! The interface of the solver's quadratic model, `g ᵀ z + zᵀ B z / 2` around the current point.

/// A positive definite model `B` of the Hessian, learned from pairs of steps `s` and gradient changes `y`.
///
/// Two files implement it: `dense` for few variables, `compact` for many.
///
/// The solver walks a path of straight pieces; `z` is the step so far and `d` the direction. It calls `start_path`,
/// then `advance` and `bend` alternately, then `end_path`.
pub(super) trait Model {
    /// Forgets all pairs: `B = θ I`.
    fn reset(&mut self, theta: f64);

    /// How many pairs `B` has learned from.
    fn n_pairs(&self) -> usize;

    /// Learns from a pair with `sᵀy > 0`; `false` if `B` cannot be trusted afterwards.
    fn update(&mut self, s: &[f64], y: &[f64]) -> bool;

    /// Starts at `z = 0` in direction `d` and returns `dᵀB d`.
    fn start_path(&mut self, d: &[f64]) -> f64;

    /// `z <- z + t d`.
    fn advance(&mut self, t: f64);

    /// Returns row `i` of the products, then sets `dᵢ`, which was `d`, to zero; `z` is `zᵢ`.
    fn bend(&mut self, i: usize, d: f64, z: f64) -> Bent;

    /// Writes `B z`.
    fn end_path(&mut self, z: &[f64], bz: &mut [f64]);

    /// Replaces `r` by `B_FF⁻¹ r`, on the free variables `F`; `false` if `B` turns out not to be positive definite.
    fn solve_free(&mut self, free: &[usize], r: &mut [f64]) -> bool;
}

/// `(B z)ᵢ`, `(B d)ᵢ` and `Bᵢᵢ` before a bend.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bent {
    pub(super) bz: f64,
    pub(super) bd: f64,
    pub(super) b: f64,
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
