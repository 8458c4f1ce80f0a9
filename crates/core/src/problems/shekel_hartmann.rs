//! Two families of wells around given centres, with the tables they need.
//!
//! A. Törn and A. Žilinskas, Global Optimization, Springer 1989.

const HARTMANN_HEIGHTS: [f64; 4] = [1.0, 1.2, 3.0, 3.2];

const HARTMANN3_WIDTHS: [[f64; 3]; 4] = [[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]];

const HARTMANN3_CENTRES: [[f64; 3]; 4] =
    [[0.3689, 0.1170, 0.2673], [0.4699, 0.4387, 0.7470], [0.1091, 0.8732, 0.5547], [0.0381, 0.5743, 0.8828]];

const HARTMANN6_WIDTHS: [[f64; 6]; 4] = [
    [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
    [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
    [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
    [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
];

const HARTMANN6_CENTRES: [[f64; 6]; 4] = [
    [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
    [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
    [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
    [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
];

const SHEKEL_DEPTHS: [f64; 10] = [0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5];

const SHEKEL_CENTRES: [[f64; 4]; 10] = [
    [4.0, 4.0, 4.0, 4.0],
    [1.0, 1.0, 1.0, 1.0],
    [8.0, 8.0, 8.0, 8.0],
    [6.0, 6.0, 6.0, 6.0],
    [3.0, 7.0, 3.0, 7.0],
    [2.0, 9.0, 2.0, 9.0],
    [5.0, 3.0, 5.0, 3.0],
    [8.0, 1.0, 8.0, 1.0],
    [6.0, 2.0, 6.0, 2.0],
    [7.0, 3.6, 7.0, 3.6],
];

/// −Σₖ cₖ exp(−Σᵢ aₖᵢ(xᵢ − pₖᵢ)²) in 3 dimensions.
pub(super) fn hartmann3(x: &[f64]) -> f64 {
    hartmann(x, &HARTMANN3_WIDTHS, &HARTMANN3_CENTRES)
}

/// Hartmann's function in 6 dimensions.
pub(super) fn hartmann6(x: &[f64]) -> f64 {
    hartmann(x, &HARTMANN6_WIDTHS, &HARTMANN6_CENTRES)
}

fn hartmann<const D: usize>(x: &[f64], widths: &[[f64; D]; 4], centres: &[[f64; D]; 4]) -> f64 {
    let well = |k: usize| {
        let distance: f64 = (0..D).map(|i| widths[k][i] * (x[i] - centres[k][i]).powi(2)).sum();
        HARTMANN_HEIGHTS[k] * (-distance).exp()
    };
    -(0..4).map(well).sum::<f64>()
}

/// −Σₖ 1/(‖x − cₖ‖² + bₖ) over the first `WELLS` of the ten wells.
pub(super) fn shekel<const WELLS: usize>(x: &[f64]) -> f64 {
    let well = |k: usize| {
        let distance: f64 = (0..4).map(|i| (x[i] - SHEKEL_CENTRES[k][i]).powi(2)).sum();
        1.0 / (distance + SHEKEL_DEPTHS[k])
    };
    -(0..WELLS).map(well).sum::<f64>()
}
