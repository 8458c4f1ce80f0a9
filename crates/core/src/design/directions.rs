//! The direction numbers of Joe and Kuo, and how they grow into the columns of a generating matrix.
//!
//! A coordinate is given by a primitive polynomial xˢ + a₁xˢ⁻¹ + … + 1 over GF(2) and s odd numbers m₁ … mₛ, mₖ < 2ᵏ.
//! The other mₖ follow from
//!
//! mₖ = 2a₁mₖ₋₁ ⊕ 2²a₂mₖ₋₂ ⊕ … ⊕ 2ˢmₖ₋ₛ ⊕ mₖ₋ₛ,
//!
//! and column k is mₖ/2ᵏ, as a binary fraction. The first coordinate has mₖ = 1 for every k.
//!
//! Reference: S. Joe and F. Y. Kuo, SIAM J. Sci. Comput. 30, 2635–2654 (2008); their license notice is in
//! `new-joe-kuo-6.LICENSE`.

/// The binary digits of a coordinate; also, 2 to this power is the length of the sequence.
///
/// With 52 digits a half can be added to the last one and the sum is still a double.
pub(super) const BITS: usize = 52;

/// How many coordinates the table covers.
pub(super) const TABLE_DIM: usize = 1024;

/// A header, then for each coordinate from the second on: its number, s, the inner coefficients as a number, m₁ … mₛ.
const TABLE: &str = include_str!("new-joe-kuo-6.txt");

/// One generating matrix: column k as an integer of `BITS` digits, the highest standing for one half.
pub(super) type Columns = [u64; BITS];

/// The matrices of the first coordinates, in order: `TABLE_DIM` of them.
pub(super) fn matrices() -> impl Iterator<Item = Columns> {
    let first = std::array::from_fn(|k| 1 << (BITS - 1 - k));
    std::iter::once(first).chain(TABLE.lines().skip(1).map(grow))
}

fn grow(line: &str) -> Columns {
    let mut numbers = line.split(' ').map(|word| word.parse::<u64>().expect("the table holds whole numbers only"));
    let mut next = || numbers.next().expect("a row of the table has 3 + s numbers");
    let (_coordinate, degree, inner) = (next(), next() as usize, next());

    let mut columns = [0; BITS];
    for k in 0..BITS {
        columns[k] = if k < degree {
            next() << (BITS - 1 - k)
        } else {
            // The recurrence, divided by 2ᵏ: the factors 2ⁱ are absorbed, only the last term is moved.
            let mut column = columns[k - degree] ^ (columns[k - degree] >> degree);
            for i in 1..degree {
                if inner >> (degree - 1 - i) & 1 == 1 {
                    column ^= columns[k - i];
                }
            }
            column
        };
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_matrix_of_the_table_is_triangular_with_a_full_diagonal() {
        // mₖ odd and below 2ᵏ is what makes each coordinate by itself a (0, 1)-sequence.
        let mut n = 0;
        for columns in matrices() {
            for (k, column) in columns.iter().enumerate() {
                assert_eq!(column.trailing_zeros() as usize, BITS - 1 - k);
                assert!(*column < 1 << BITS);
            }
            n += 1;
        }
        assert_eq!(n, TABLE_DIM);
    }
}
