//! Named, independent streams of random numbers from one seed.
//!
//! A stream is named by a path of (purpose, index) pairs below a seed. Its numbers depend on that name alone, never on
//! how many numbers another stream gave or on which thread asked first: this is what makes a batch reproducible.
//! The transforms to uniforms and normals are written here, so that an upgrade of the generator's crate cannot change
//! a study.

use rand_core::Rng;
use rand_pcg::Pcg64;

/// A named stream of random numbers.
///
/// ```
/// use elbowroom::rng::Stream;
/// let study = Stream::new(7);
/// let mut a = study.child("fit", 3);
/// let mut b = Stream::new(7).child("fit", 3);
/// assert_eq!(a.uniform(), b.uniform());
/// assert_ne!(study.child("fit", 4).uniform(), study.child("search", 3).uniform());
/// ```
#[derive(Debug, Clone)]
pub struct Stream {
    key: [u64; 2],
    source: Pcg64,
}

impl Stream {
    /// The root stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self::from_key([mix(seed ^ 0x9e37_79b9_7f4a_7c15), mix(seed.rotate_left(32) ^ 0xd1b5_4a32_d192_ed03)])
    }

    /// The stream for a purpose below this one; it depends on the names only, not on what was drawn before.
    pub fn child(&self, purpose: &str, index: u64) -> Self {
        let [mut a, mut b] = self.key;
        for byte in purpose.bytes() {
            a = mix(a ^ u64::from(byte));
            b = mix(b.wrapping_add(a));
        }
        // A separator that no byte can produce, so that ("ab", …) and ("a", …) give different streams.
        a = mix(a ^ 0x1_0000 ^ index.rotate_left(17));
        b = mix(b ^ a ^ index);
        Self::from_key([a, b])
    }

    fn from_key(key: [u64; 2]) -> Self {
        let state = (u128::from(key[0]) << 64) | u128::from(key[1]);
        let stream = (u128::from(mix(key[0] ^ key[1])) << 64) | u128::from(mix(key[1].wrapping_add(key[0])));
        Self { key, source: Pcg64::new(state, stream) }
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.source.next_u64()
    }

    /// A number in [0, 1): one of the 2⁵³ multiples of 2⁻⁵³.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A whole number below `n`, without bias. `n` must be positive.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "a whole number below 0 does not exist");
        let n = n as u64;
        // Lemire's method: reject the few values that would favour small results.
        let threshold = n.wrapping_neg() % n;
        loop {
            let wide = u128::from(self.bits()) * u128::from(n);
            if wide as u64 >= threshold {
                return (wide >> 64) as usize;
            }
        }
    }

    /// A standard normal number (Marsaglia's polar method; only one of each pair is used).
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                return u * (-2.0 * s.ln() / s).sqrt();
            }
        }
    }

    /// Puts a slice in random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// The finalizer of SplitMix64: a bijection in which every input bit moves every output bit.
fn mix(z: u64) -> u64 {
    let z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_does_not_depend_on_what_was_drawn_before() {
        let fresh = Stream::new(1);
        let mut used = Stream::new(1);
        for _ in 0..100 {
            used.bits();
        }
        assert_eq!(fresh.child("x", 0).bits(), used.child("x", 0).bits());
    }

    #[test]
    fn names_and_indices_separate_streams() {
        let root = Stream::new(0);
        let mut seen = std::collections::HashSet::new();
        for purpose in ["a", "b", "ab", "ba", ""] {
            for index in 0..1000 {
                assert!(seen.insert(root.child(purpose, index).bits()), "{purpose} {index}");
            }
        }
    }

    #[test]
    fn uniforms_and_normals_have_their_moments() {
        // Mean and variance of U(0,1) are 1/2 and 1/12, of N(0,1) 0 and 1; the bands are five standard errors wide.
        let n = 200_000;
        let mut s = Stream::new(42);
        let u: Vec<f64> = (0..n).map(|_| s.uniform()).collect();
        let z: Vec<f64> = (0..n).map(|_| s.normal()).collect();
        let mean = |v: &[f64]| v.iter().sum::<f64>() / n as f64;
        let var = |v: &[f64]| v.iter().map(|a| a * a).sum::<f64>() / n as f64 - mean(v).powi(2);
        let root_n = (n as f64).sqrt();
        assert!((mean(&u) - 0.5).abs() < 5.0 * (1.0f64 / 12.0).sqrt() / root_n);
        assert!((var(&u) - 1.0 / 12.0).abs() < 5.0 * (1.0f64 / 180.0).sqrt() / root_n);
        assert!(mean(&z).abs() < 5.0 / root_n);
        assert!((var(&z) - 1.0).abs() < 5.0 * 2.0f64.sqrt() / root_n);
        // The fourth moment of the normal law is 3 (its estimate has variance 96/n).
        let fourth = z.iter().map(|a| a.powi(4)).sum::<f64>() / n as f64;
        assert!((fourth - 3.0).abs() < 5.0 * 96.0f64.sqrt() / root_n);
    }

    #[test]
    fn every_value_below_n_is_equally_likely() {
        let mut s = Stream::new(3);
        let mut counts = [0usize; 7];
        for _ in 0..70_000 {
            counts[s.below(7)] += 1;
        }
        for c in counts {
            assert!((c as f64 - 10_000.0).abs() < 5.0 * (70_000.0f64 * 6.0 / 49.0).sqrt());
        }
    }
}
