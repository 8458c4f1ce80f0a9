//! Sobol's sequence, scrambled.
//!
//! With the columns v₀, v₁, … of a coordinate's generating matrix and the binary digits gₖ of the Gray code i ⊕ ⌊i/2⌋,
//! the i-th number is
//!
//! xᵢ = g₀v₀ ⊕ g₁v₁ ⊕ …, so that xᵢ₊₁ = xᵢ ⊕ v_c, where c counts the ones at the end of i (Antonov and Saleev).
//!
//! Scrambling multiplies each matrix from the left by a random lower triangular matrix with ones on its diagonal, and
//! then adds a random vector: x ↦ Lx ⊕ e (Matoušek, J. Complexity 14, 1998). It keeps every net property, makes each
//! point uniform in the cube, and for integration has the variance of Owen's nested scrambling, yet costs nothing per
//! point.
//!
//! Numerics: scrambled digits stand for the middle of their cell of width 2⁻⁵², so a coordinate is never 0, ½ or 1 and
//! may be passed to the quantile function of the normal law.

use super::directions::{BITS, Columns, TABLE_DIM, matrices};
use super::stratified::Stratified;
use crate::linalg::Points;
use crate::rng::Stream;

/// How many coordinates of a [`Sobol`] sequence come from Joe and Kuo's table.
///
/// Further coordinates are stratified individually: the first 2ᵐ points visit each of the 2ᵐ equal intervals once, but
/// pairs of coordinates are no more even than those of a Latin hypercube.
pub const SOBOL_TABLE_DIM: usize = TABLE_DIM;

/// The first `n` points of a scrambled Sobol sequence, in (0, 1)ᵈ.
///
/// The points depend on the stream's name only, not on what was drawn from it. They are most even when `n` is a power
/// of two.
///
/// ```
/// use elbowroom::{design, rng::Stream};
/// let points = design::sobol(8, 2, &Stream::new(7).child("design", 0));
/// let mut eighths: Vec<usize> = points.iter().map(|x| (8.0 * x[0]) as usize).collect();
/// eighths.sort();
/// assert_eq!(eighths, [0, 1, 2, 3, 4, 5, 6, 7]);
/// ```
pub fn sobol(n: usize, dim: usize, stream: &Stream) -> Points {
    let mut sequence = Sobol::scrambled(dim, stream);
    let mut points = Points::new(dim);
    let mut x = vec![0.0; dim];
    for _ in 0..n {
        sequence.next_into(&mut x);
        points.push(&x);
    }
    points
}

/// A Sobol sequence, one point at a time. After 2⁵² points it begins again.
///
/// ```
/// use elbowroom::{design::Sobol, rng::Stream};
/// let stream = Stream::new(7);
/// let (mut walked, mut jumped) = (Sobol::scrambled(3, &stream), Sobol::scrambled(3, &stream));
/// let (mut x, mut y) = ([0.0; 3], [0.0; 3]);
/// for _ in 0..=100 {
///     walked.next_into(&mut x);
/// }
/// jumped.skip(100);
/// jumped.next_into(&mut y);
/// assert_eq!(x, y);
/// ```
#[derive(Debug, Clone)]
pub struct Sobol {
    dim: usize,
    index: u64,
    /// The digits of the next point, and of the point at index 0; both without the coordinates beyond the table.
    digits: Vec<u64>,
    start: Vec<u64>,
    /// Column k of every coordinate's matrix, then column k + 1 of every coordinate's …
    columns: Vec<u64>,
    beyond: Vec<Stratified>,
    /// Where in its cell of width 2⁻⁵² a number lies: 0 or ½.
    offset: f64,
}

impl Sobol {
    /// The sequence in `dim` dimensions, scrambled by a stream.
    ///
    /// A coordinate depends on the stream's name and on its own position, not on `dim`: a study that gains a parameter
    /// keeps the others.
    pub fn scrambled(dim: usize, stream: &Stream) -> Self {
        let in_table = dim.min(TABLE_DIM);
        let mut start = Vec::with_capacity(in_table);
        let scrambled = matrices().take(in_table).enumerate().map(|(j, matrix)| {
            let mut random = stream.child("sobol", j as u64);
            start.push(random.bits() >> (64 - BITS));
            scramble(&matrix, &mut random)
        });
        let columns = interleave(in_table, scrambled);
        let beyond =
            (in_table..dim).map(|j| Stratified::new(&mut stream.child("sobol beyond the table", j as u64))).collect();
        Self { dim, index: 0, digits: start.clone(), start, columns, beyond, offset: 0.5 }
    }

    /// The sequence as in textbooks, starting at the origin, for comparison with other programs.
    ///
    /// As a design it is poor: its first two points are the corner 0 and the centre of the cube.
    ///
    /// # Panics
    ///
    /// If `dim` is above [`SOBOL_TABLE_DIM`].
    ///
    /// ```
    /// use elbowroom::design::Sobol;
    /// let mut sequence = Sobol::unscrambled(2);
    /// let mut x = [0.0; 2];
    /// sequence.skip(2);
    /// sequence.next_into(&mut x);
    /// assert_eq!(x, [0.75, 0.25]);
    /// ```
    pub fn unscrambled(dim: usize) -> Self {
        assert!(dim <= TABLE_DIM, "Sobol's sequence is available in up to {TABLE_DIM} dimensions, not in {dim}");
        let columns = interleave(dim, matrices().take(dim));
        let start = vec![0; dim];
        Self { dim, index: 0, digits: start.clone(), start, columns, beyond: Vec::new(), offset: 0.0 }
    }

    /// The number of coordinates of a point.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Writes the next point.
    ///
    /// # Panics
    ///
    /// If the length of `x` is not the dimension.
    pub fn next_into(&mut self, x: &mut [f64]) {
        assert_eq!(x.len(), self.dim, "a point of another dimension");
        let in_table = self.digits.len();
        let (known, beyond) = x.split_at_mut(in_table);

        // The Gray code is cyclic: after the last index, the last column leads back to the first point.
        let k = (self.index.trailing_ones() as usize).min(BITS - 1);
        let column = &self.columns[k * in_table..(k + 1) * in_table];
        for ((coordinate, digits), step) in known.iter_mut().zip(&mut self.digits).zip(column) {
            *coordinate = number(*digits, self.offset);
            *digits ^= step;
        }
        for (coordinate, sequence) in beyond.iter_mut().zip(&self.beyond) {
            *coordinate = number(sequence.digits(self.index), self.offset);
        }
        self.index = (self.index + 1) % (1 << BITS);
    }

    /// Skips the next `n` points, in a time that does not depend on `n`.
    pub fn skip(&mut self, n: u64) {
        self.index = self.index.wrapping_add(n) % (1 << BITS);
        let gray = self.index ^ (self.index >> 1);
        let in_table = self.digits.len();
        self.digits.copy_from_slice(&self.start);
        for k in (0..BITS).filter(|k| gray >> k & 1 == 1) {
            let column = &self.columns[k * in_table..(k + 1) * in_table];
            for (digits, step) in self.digits.iter_mut().zip(column) {
                *digits ^= step;
            }
        }
    }
}

/// The number in [0, 1) with these digits, `offset` cells further.
fn number(digits: u64, offset: f64) -> f64 {
    (digits as f64 + offset) * (1.0 / (1u64 << BITS) as f64)
}

/// L times a generating matrix, for a random lower triangular L with ones on its diagonal.
fn scramble(matrix: &Columns, random: &mut Stream) -> Columns {
    // Column j of L: digit j (from the highest down) is one, and the digits after it are random.
    let l: Columns = std::array::from_fn(|j| {
        let one = 1 << (BITS - 1 - j);
        one | (random.bits() & (one - 1))
    });
    std::array::from_fn(|k| {
        // Column k of the matrix has digits 0 … k only.
        (0..=k).filter(|j| matrix[k] >> (BITS - 1 - j) & 1 == 1).fold(0, |sum, j| sum ^ l[j])
    })
}

/// Puts column k of all coordinates next to each other, so that a step reads contiguous memory.
fn interleave(dim: usize, matrices: impl Iterator<Item = Columns>) -> Vec<u64> {
    let mut columns = vec![0; BITS * dim];
    for (j, matrix) in matrices.enumerate() {
        for (k, column) in matrix.into_iter().enumerate() {
            columns[k * dim + j] = column;
        }
    }
    columns
}
