//! The numbers that the paper prints in its table, mean ± standard deviation of 20 replicates.

/// The table as printed: a line for each dimension and batch size, a column for each method. Sequential methods have
/// one value per dimension; `-` means that not even one batch was finished in the time allowed.
const PRINTED: &str = "
d  n_b EI          UCB         Rand-EI      Rand-UCB    SM-UCB      B-UCB      PE-UCB      Pred-EI     Pred-UCB    qEI        LP-EI      LP-UCB
2  5   0.31±0.03   0.32±0.06   0.32±0.05    0.31±0.05   1.86±1.06   0.56±0.03  0.99±0.74   0.41±0.15   0.45±0.16   1.53±0.86  0.35±0.11  0.31±0.06
2  10  0.31±0.03   0.32±0.06   0.65±0.32    0.79±0.42   4.40±2.97   0.59±0.00  0.66±0.29   1.16±0.70   1.26±0.81   3.82±2.09  0.66±0.48  0.69±0.51
2  20  0.31±0.03   0.32±0.06   0.67±0.31    0.75±0.32   -           0.57±0.01  0.75±0.44   1.28±0.93   1.34±0.77   -          0.50±0.21  0.58±0.21
5  5   8.84±3.69   11.89±9.44  9.19±5.32    10.59±5.04  137.2±113.0 6.01±0.00  123.5±81.43 10.43±4.88  11.77±9.44  15.70±8.90 11.85±5.68 10.85±8.08
5  10  8.84±3.69   11.89±9.44  1.74±1.47    2.20±1.85   108.7±74.38 3.77±0.00  120.8±78.56 9.58±7.85   11.66±11.48 17.69±9.04 3.88±4.15  1.88±2.46
5  20  8.84±3.69   11.89±9.44  2.18±2.30    2.76±3.06   -           2.53±0.00  98.60±82.60 8.58±8.13   10.86±10.89 -          6.53±4.12  1.44±1.93
10 5   559.1±1014  1463±1803   690.5±947.5  1825±2149   9e+04±7e+04 2098±0.00  2e+05±2e+05 793.0±1226  1412±3032   -          1881±1176  1194±1428
10 10  559.1±1014  1463±1803   200.9±455.9  1149±1830   9e+04±1e+05 857.8±0.00 6e+04±8e+04 442.6±717.9 1725±3205   -          1042±1562  100.4±338.7
10 20  559.1±1014  1463±1803   639.4±1204   385.9±642.9 -           1656±0.00  5e+04±4e+04 1091±1724   2231±3110   -          1249±1570  20.75±50.12
";

/// What the paper prints for a method, as text; `None` if the method or the cell is not in its table.
pub fn text(method: &str, d: usize, n_b: usize) -> Option<&'static str> {
    let mut lines = PRINTED.trim().lines();
    let column = lines.next()?.split_whitespace().position(|name| name == method)?;
    let fields = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mut of_cell = fields.filter(|f| f[0].parse() == Ok(d) && (f[1].parse() == Ok(n_b) || n_b == 1));
    of_cell.next().map(|fields| fields[column])
}

/// The mean that the paper prints.
pub fn mean(method: &str, d: usize, n_b: usize) -> Option<f64> {
    text(method, d, n_b)?.split('±').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::PAPER;

    #[test]
    fn every_cell_has_a_mean_or_a_dash() {
        for method in PAPER {
            for d in [2, 5, 10] {
                for n_b in [5, 10, 20] {
                    let text = text(method, d, n_b).unwrap();
                    assert!(text == "-" || mean(method, d, n_b).is_some(), "{method} {d} {n_b}: {text}");
                }
            }
        }
        assert_eq!(mean("LP-UCB", 10, 20), Some(20.75));
        assert_eq!(mean("EI", 5, 1), Some(8.84));
        assert_eq!(mean("LP", 5, 5), None);
    }
}
