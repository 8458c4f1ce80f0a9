//! Loops over slices, compiled for the widest vectors of the machine and chosen at run time.
//!
//! Sums run over a fixed number of lanes and nothing is contracted to a fused multiply-add, so the numbers do not
//! depend on which version runs.

use pulp::{Arch, WithSimd};

const LANES: usize = 8;

/// Storage that is padded to a multiple of this size can be processed in whole groups.
pub(crate) const GROUP: usize = LANES;

/// Runs `f` compiled for the machine's vector unit. `f` and everything it calls must be `#[inline(always)]` to benefit,
/// including closures and `for_each`, which compilers may otherwise leave as calls to code without vectors.
#[inline(always)]
pub fn vectorized<R>(f: impl FnOnce() -> R) -> R {
    struct Op<F>(F);
    impl<R, F: FnOnce() -> R> WithSimd for Op<F> {
        type Output = R;
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, _simd: S) -> R {
            (self.0)()
        }
    }
    Arch::new().dispatch(Op(f))
}

/// Σ aᵢbᵢ.
///
/// ```
/// assert_eq!(elbowroom::linalg::dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
/// ```
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    vectorized(
        #[inline(always)]
        || dot_lanes(a, b),
    )
}

/// y ← y + t·x.
pub fn axpy(t: f64, x: &[f64], y: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || axpy_lanes(t, x, y),
    );
}

/// [`dot`], to be inlined into a larger vectorized loop.
#[inline(always)]
pub(crate) fn dot_lanes(a: &[f64], b: &[f64]) -> f64 {
    sum_lanes(
        a,
        b,
        #[inline(always)]
        |x, y| x * y,
    )
}

/// Σ tᵢ(a − cᵢ)² over whole groups, before [`add_lanes`] adds up the lanes. With many short sums, it is faster to store
/// the lanes of each and add them up later.
#[inline(always)]
pub(crate) fn dot_squares_by_lane(t: &[f64], a: f64, c: &[f64]) -> [f64; GROUP] {
    let by_lane = sums_by_lane(
        t,
        c,
        #[inline(always)]
        |t, c| t * ((a - c) * (a - c)),
    );
    by_lane.0
}

/// Σ f(aᵢ, bᵢ).
#[inline(always)]
fn sum_lanes(a: &[f64], b: &[f64], f: impl Fn(f64, f64) -> f64) -> f64 {
    let n = a.len().min(b.len());
    let (sum, a_rest, b_rest) = sums_by_lane(&a[..n], &b[..n], &f);
    let mut rest = 0.0;
    for (x, y) in a_rest.iter().zip(b_rest) {
        rest += f(*x, *y);
    }
    add_lanes(&sum) + rest
}

/// The sum of the lanes.
#[inline(always)]
pub(crate) fn add_lanes(sum: &[f64; GROUP]) -> f64 {
    ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]))
}

/// Σ f(aᵢ, bᵢ) over whole groups, by lane, and the remainders of both slices.
#[inline(always)]
fn sums_by_lane<'a>(a: &'a [f64], b: &'a [f64], f: impl Fn(f64, f64) -> f64) -> ([f64; LANES], &'a [f64], &'a [f64]) {
    let (a_wide, a_rest) = a.as_chunks::<{ 4 * LANES }>();
    let (b_wide, b_rest) = b.as_chunks::<{ 4 * LANES }>();
    // Four names instead of one array: compilers keep these in registers.
    let [mut first, mut second, mut third, mut fourth] = [[0.0; LANES]; 4];
    for (x, y) in a_wide.iter().zip(b_wide) {
        for l in 0..LANES {
            first[l] += f(x[l], y[l]);
            second[l] += f(x[l + LANES], y[l + LANES]);
            third[l] += f(x[l + 2 * LANES], y[l + 2 * LANES]);
            fourth[l] += f(x[l + 3 * LANES], y[l + 3 * LANES]);
        }
    }
    let (a_narrow, a_rest) = a_rest.as_chunks::<LANES>();
    let (b_narrow, b_rest) = b_rest.as_chunks::<LANES>();
    for (x, y) in a_narrow.iter().zip(b_narrow) {
        for l in 0..LANES {
            first[l] += f(x[l], y[l]);
        }
    }
    let mut sum = [0.0; LANES];
    for l in 0..LANES {
        sum[l] = (first[l] + second[l]) + (third[l] + fourth[l]);
    }
    (sum, a_rest, b_rest)
}

/// Σ tᵢ(a − cᵢ), to be inlined into a larger vectorized loop. (Not a·Σt − Σtc: near data the two would cancel.)
#[inline(always)]
pub(crate) fn dot_difference_lanes(t: &[f64], a: f64, c: &[f64]) -> f64 {
    let n = t.len().min(c.len());
    let (t_wide, t_rest) = t[..n].as_chunks::<{ 2 * LANES }>();
    let (c_wide, c_rest) = c[..n].as_chunks::<{ 2 * LANES }>();
    let mut lanes = [0.0; 2 * LANES];
    for (x, y) in t_wide.iter().zip(c_wide) {
        for l in 0..2 * LANES {
            lanes[l] += x[l] * (a - y[l]);
        }
    }
    let mut rest = 0.0;
    for (x, y) in t_rest.iter().zip(c_rest) {
        rest += x * (a - y);
    }
    lanes.iter().sum::<f64>() + rest
}

/// [`axpy`], to be inlined into a larger vectorized loop.
#[inline(always)]
pub(crate) fn axpy_lanes(t: f64, x: &[f64], y: &mut [f64]) {
    for (a, b) in y.iter_mut().zip(x) {
        *a += t * b;
    }
}

/// eˣ for x ≤ 0, without branches, so that loops over it become vector code.
///
/// Cody and Waite: x = k ln 2 + r with |r| ≤ ln 2 / 2, eʳ by a polynomial of degree 12, 2ᵏ put into the exponent.
/// Below −708 (results under 3·10⁻³⁰⁸) it is 0. Relative error below 4·10⁻¹⁶ against arbitrary precision.
#[inline(always)]
pub fn exp_nonpositive(x: f64) -> f64 {
    // 1.5·2⁵²: adding it rounds to a whole number and leaves that number in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let normal = if x > -708.0 { 1.0 } else { 0.0 };
    let x = if x > -708.0 { x } else { -708.0 };
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * LN2_HIGH) - k * LN2_LOW;
    let mut p = 1.0 / 479_001_600.0;
    p = p * r + 1.0 / 39_916_800.0;
    p = p * r + 1.0 / 3_628_800.0;
    p = p * r + 1.0 / 362_880.0;
    p = p * r + 1.0 / 40_320.0;
    p = p * r + 1.0 / 5_040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r * r + r + 1.0;
    normal * p * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_and_axpy_agree_with_plain_sums_at_every_length() {
        for n in 0..150 {
            let a: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
            let b: Vec<f64> = (0..n).map(|i| (i as f64 * 1.3).cos()).collect();
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            assert!((dot(&a, &b) - plain).abs() < 1e-13);
            let mut y = b.clone();
            axpy(2.0, &a, &mut y);
            for i in 0..n {
                assert_eq!(y[i], b[i] + 2.0 * a[i]);
            }
        }
    }

    #[test]
    fn weighted_squares_are_the_sum_of_products_to_the_bit() {
        let wave = |by: f64, n: usize| (0..n).map(|i| (i as f64 * by).sin()).collect::<Vec<f64>>();
        for n in 0..80 {
            let (a, b) = (wave(0.7, n), wave(1.3, n));
            let squares: Vec<f64> = b.iter().map(|b| (0.2 - b) * (0.2 - b)).collect();
            let whole = n - n % GROUP;
            let rest: f64 = a[whole..].iter().zip(&squares[whole..]).fold(0.0, |sum, (a, b)| sum + a * b);
            let by_lane = dot_squares_by_lane(&a[..whole], 0.2, &b[..whole]);
            assert_eq!(add_lanes(&by_lane) + rest, dot(&a, &squares));
        }
    }

    #[test]
    fn exp_keeps_its_digits() {
        // The standard library's exp is within one unit in the last place; ours adds at most one more.
        for i in 0..708_000 {
            let x = -(i as f64) * 1e-3;
            let (ours, std) = (exp_nonpositive(x), x.exp());
            assert!((ours - std).abs() <= 6e-16 * std, "{x}: {ours} {std}");
        }
        assert_eq!(exp_nonpositive(0.0), 1.0);
        assert_eq!(exp_nonpositive(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp_nonpositive(-1e300), 0.0);
    }
}
