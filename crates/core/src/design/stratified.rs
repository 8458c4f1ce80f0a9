//! Sequences of one coordinate, for dimensions beyond the table of direction numbers.
//!
//! Any first 2ᵐ numbers visit each of the 2ᵐ equal intervals once, like a coordinate of a Sobol sequence; but two such
//! coordinates are unrelated, like those of a Latin hypercube.
//!
//! The i-th number is scramble(reverse(shuffle(i))): the van der Corput sequence, visited in an order that keeps
//! aligned blocks of 2ᵐ indices together, its digits then permuted, each depending on those before it (Owen's nested
//! scrambling). Both permutations are hashes in which a digit depends only on the digits on one side of it.
//!
//! Reference: B. Burley, Practical hash-based Owen scrambling, J. Comput. Graph. Tech. 10(4), 2020.

use super::directions::BITS;
use crate::rng::Stream;

/// The seeds of one coordinate.
#[derive(Debug, Clone)]
pub(super) struct Stratified {
    shuffle: [u64; 2],
    scramble: [u64; 2],
}

impl Stratified {
    pub(super) fn new(stream: &mut Stream) -> Self {
        Self { shuffle: [stream.bits(), stream.bits()], scramble: [stream.bits(), stream.bits()] }
    }

    /// Digits of the number at an index, as an integer below 2^`BITS`.
    pub(super) fn digits(&self, index: u64) -> u64 {
        // Shuffling works on the index from its highest bit down, which is upwards once its bits are reversed:
        // reverse(shuffle(i)) = upwards(reverse(i)).
        let visited = upwards(index.reverse_bits(), self.shuffle);
        let scrambled = upwards(visited.reverse_bits(), self.scramble).reverse_bits();
        scrambled >> (64 - BITS)
    }
}

/// A permutation of 64-bit numbers in which a bit depends on itself and on lower bits only.
///
/// Adding, multiplying by an odd number, and x ⊕ cx with c even are such permutations; after four rounds of them (Laine
/// and Karras's construction) every lower bit has an effect.
fn upwards(mut x: u64, seed: [u64; 2]) -> u64 {
    x = x.wrapping_add(seed[0]);
    for (even, odd) in [
        (0x6c50_b47c_9a1f_3d5e, 0xb82f_1e52_5c3a_9d17),
        (0xc7af_e638_3b79_d2c4, 0x8d22_f6e6_71b5_04eb),
        (0x9e37_79b9_7f4a_7c16, 0xd1b5_4a32_d192_ed03),
        (0x3c6e_f372_fe94_f82a, 0xa24b_aed4_963e_e407),
    ] {
        x ^= x.wrapping_mul(even);
        x = x.wrapping_mul(odd ^ (seed[1] & !1)).wrapping_add(seed[1]);
    }
    x
}
