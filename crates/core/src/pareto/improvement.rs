//! The expected improvement of the hypervolume by one more point, in logarithms with its slopes.
//!
//! The results Y of the point are independent and normal, with means μ_k and deviations s_k. What they add is the volume of
//! the undominated boxes below them, so
//!
//! EHVI = Σ_boxes Π_k E(min(Y_k, b_k) − a_k)₊,
//!
//! one product of strips for each box from a to b (`cells.rs`, `strip.rs`), exact for any number of objectives.
//! Everything is kept in logarithms and summed relative to its largest term: far from the front every product
//! underflows, and a search still needs a slope there. Where the boxes are too many, it is a mean over directions
//! instead (`polar.rs`).
//!
//! References: Emmerich, Yang, Deutz, Wang and Fonseca, "A multicriteria generalization of Bayesian global optimization",
//! 2016; Yang, Emmerich, Deutz and Bäck, "Efficient computation of expected hypervolume improvement using box
//! decomposition algorithms", 2019; Ament et al., "Unexpected improvements to expected improvement", 2023.

use std::collections::BTreeMap;

use super::Front;
use super::cells::{Cells, UNBOUNDED};
use super::polar::Polar;
use super::strip::{Ln, excess, strip};

/// With more boxes than this, directions are faster.
const MAX_BOXES: usize = 4000;

/// The expected improvement of a front's hypervolume.
///
/// ```
/// use elbowroom::pareto::{Front, HypervolumeImprovement, Slopes};
/// let front = Front::new(&[vec![1.0, 4.0], vec![2.0, 3.0], vec![4.0, 1.0]], vec![0.0, 0.0]);
/// let improvement = HypervolumeImprovement::new(&front);
/// let mut slopes = Slopes::default();
/// let ln = improvement.ln_value(&[2.5, 2.0], &[0.8, 0.6], &mut slopes);
/// assert!((ln.exp() - 0.65688164469451).abs() < 1e-13);
/// assert!((slopes.by_mean[0] - 1.18071133859).abs() < 1e-10);
/// ```
#[derive(Debug, Clone)]
pub struct HypervolumeImprovement(Way);

#[derive(Debug, Clone)]
enum Way {
    Boxes(Boxes),
    Directions(Polar),
}

/// The slopes of a logarithm in the means and deviations of all objectives, with storage to reuse for the next one.
#[derive(Debug, Clone, Default)]
pub struct Slopes {
    /// The slope in each mean.
    pub by_mean: Vec<f64>,
    /// The slope in each standard deviation.
    pub by_sd: Vec<f64>,
    levels: Vec<Ln>,
    strips: Vec<Ln>,
    terms: Vec<f64>,
}

impl Slopes {
    /// Sets all slopes to 0.
    pub(super) fn reset(&mut self, m: usize) {
        self.by_mean.clear();
        self.by_mean.resize(m, 0.0);
        self.by_sd.clear();
        self.by_sd.resize(m, 0.0);
    }
}

impl HypervolumeImprovement {
    /// The improvement over a front, which may be empty.
    pub fn new(front: &Front) -> Self {
        match Cells::new(front, MAX_BOXES) {
            Some(cells) => Self(Way::Boxes(Boxes::new(&cells))),
            None => Self(Way::Directions(Polar::new(front))),
        }
    }

    /// The logarithm for the means and positive standard deviations of a point; writes its slopes to `slopes`.
    pub fn ln_value(&self, mean: &[f64], sd: &[f64], slopes: &mut Slopes) -> f64 {
        slopes.reset(mean.len());
        match &self.0 {
            Way::Boxes(boxes) => boxes.ln_value(mean, sd, slopes),
            Way::Directions(polar) => polar.ln_value(mean, sd, slopes),
        }
    }
}

/// The undominated boxes, by the strips they have in common.
#[derive(Debug, Clone)]
struct Boxes {
    /// The levels of all objectives, one after another.
    levels: Vec<f64>,
    /// Where the levels of each objective begin, and the end.
    begins: Vec<usize>,
    /// The objective, the lower level and the upper level, if there is one.
    strips: Vec<(usize, usize, Option<usize>)>,
    /// One strip of each objective, box after box.
    boxes: Vec<usize>,
}

impl Boxes {
    fn new(cells: &Cells) -> Self {
        let mut begins = vec![0];
        for levels in &cells.levels {
            begins.push(begins[begins.len() - 1] + levels.len());
        }
        let mut numbers = BTreeMap::new();
        let (mut strips, mut boxes) = (Vec::new(), Vec::new());
        for cell in &cells.boxes {
            for (k, &(from, to)) in cell.iter().enumerate() {
                let number = *numbers.entry((k, from, to)).or_insert_with(|| {
                    let upper = (to != UNBOUNDED).then(|| begins[k] + to as usize);
                    strips.push((k, begins[k] + from as usize, upper));
                    strips.len() - 1
                });
                boxes.push(number);
            }
        }
        Self { levels: cells.levels.concat(), begins, strips, boxes }
    }

    fn ln_value(&self, mean: &[f64], sd: &[f64], slopes: &mut Slopes) -> f64 {
        let Slopes { by_mean, by_sd, levels, strips, terms } = slopes;
        let m = mean.len();
        levels.clear();
        for k in 0..m {
            let (mean, sd, ln_sd) = (mean[k], sd[k], sd[k].ln());
            levels.extend(self.levels[self.begins[k]..self.begins[k + 1]].iter().map(|&c| excess(mean, sd, ln_sd, c)));
        }
        strips.clear();
        strips.extend(self.strips.iter().map(|&(k, from, to)| match to {
            None => levels[from],
            Some(to) => strip(mean[k], sd[k], (self.levels[from], levels[from]), (self.levels[to], levels[to])),
        }));
        terms.clear();
        terms.extend(self.boxes.chunks_exact(m).map(|of| of.iter().map(|&s| strips[s].value).sum::<f64>()));
        let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for (term, of) in terms.iter().zip(self.boxes.chunks_exact(m)) {
            let share = (term - most).exp();
            sum += share;
            for (k, &s) in of.iter().enumerate() {
                by_mean[k] += share * strips[s].by_mean;
                by_sd[k] += share * strips[s].by_sd;
            }
        }
        by_mean.iter_mut().chain(by_sd).for_each(|slope| *slope /= sum);
        most + sum.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal;
    use crate::pareto::hypervolume;
    use crate::rng::Stream;

    const TWO: [[f64; 2]; 3] = [[1.0, 4.0], [2.0, 3.0], [4.0, 1.0]];
    const THREE: [[f64; 3]; 5] = [[1.0, 3.0, 2.0], [3.0, 1.0, 1.0], [2.0, 2.0, 3.0], [1.5, 2.5, 2.5], [0.5, 0.5, 4.0]];

    fn over<const M: usize>(points: &[[f64; M]]) -> Front {
        Front::new(&points.iter().map(|p| p.to_vec()).collect::<Vec<_>>(), vec![0.0; M])
    }

    fn check(front: &Front, mean: &[f64], sd: &[f64], ln: f64, slopes: &[f64]) {
        let mut found = Slopes::default();
        let value = HypervolumeImprovement::new(front).ln_value(mean, sd, &mut found);
        assert!((value - ln).abs() <= 1e-12 * ln.abs().max(1.0), "{mean:?}: {value} {ln}");
        for (found, expected) in found.by_mean.iter().chain(&found.by_sd).zip(slopes) {
            // Twelve digits are given.
            let tolerance = 1e-11 * expected.abs() + 1e-13;
            assert!((found - expected).abs() <= tolerance, "{mean:?}: {found} {expected}");
        }
    }

    /// Values in arbitrary precision (mpmath, 25 digits), by sums over strips.
    #[test]
    fn the_improvement_of_two_objectives_and_its_slopes_have_their_digits_also_far_below_the_front() {
        let front = over(&TWO);
        check(
            &front,
            &[2.5, 2.0],
            &[0.8, 0.6],
            -0.420251421787226,
            &[1.18071133859, 0.977912612949, 0.604290667611, 0.22950601455],
        );
        check(
            &front,
            &[4.5, 3.5],
            &[0.3, 0.2],
            1.98193201789193,
            &[0.475723957464, 0.482309599076, 0.013708222551, 0.00483089576203],
        );
        check(
            &front,
            &[-3.0, -2.5],
            &[0.5, 0.4],
            -100.738385994484,
            &[20.3887660668, 22.4258570306, 205.887660668, 198.726249018],
        );
        check(
            &front,
            &[-4.0, 0.0],
            &[0.35, 0.6],
            -99.6785652030563,
            &[33.1421498105, 11.5817448195, 381.624569263, 78.8782987969],
        );
        check(&front, &[1.5, 3.2], &[0.001, 0.001], 0.1f64.ln(), &[2.0, 5.0, 0.0, 0.0]);
    }

    /// As above.
    #[test]
    fn the_improvement_of_three_objectives_and_its_slopes_have_their_digits_also_far_below_the_front() {
        let front = over(&THREE);
        check(
            &front,
            &[1.8, 1.7, 1.9],
            &[0.6, 0.5, 0.7],
            -0.780934015760281,
            &[2.053370711, 1.14243254832, 0.954628758493, 1.94595864037, 0.73597221015, 0.742294656633],
        );
        check(
            &front,
            &[2.5, 2.5, 3.0],
            &[0.1, 0.2, 0.15],
            1.55618501793617,
            &[1.37110500523, 0.975426041863, 0.87015192876, 1.84374217819e-6, 0.162536471494, 0.315710014488],
        );
        check(
            &front,
            &[-1.5, -1.0, -2.0],
            &[0.25, 0.2, 0.4],
            -141.744964465609,
            &[31.8964213196, 28.4535402382, 31.6426428467, 252.231156763, 160.593694151, 398.033027207],
        );
    }

    /// The volume that results add, summed over a grid of deviations from −6 to 6, each with its density.
    fn by_brute_force(front: &Front, mean: &[f64], sd: &[f64], n: usize) -> f64 {
        let (m, before) = (mean.len(), front.hypervolume());
        let step = 12.0 / n as f64;
        let z: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5) * step - 6.0).collect();
        let mut total = 0.0;
        for i in 0..n.pow(m as u32) {
            let at = |k: usize| z[i / n.pow(k as u32) % n];
            let mut points = front.points().to_vec();
            points.push((0..m).map(|k| mean[k] + sd[k] * at(k)).collect());
            let weight: f64 = (0..m).map(|k| step * normal::pdf(at(k))).product();
            total += weight * (hypervolume(&points, front.reference()) - before);
        }
        total
    }

    #[test]
    fn the_improvement_is_the_mean_of_the_volumes_that_results_add() {
        let mut draw = Stream::new(2);
        for (m, n) in [(1, 2000), (2, 200), (3, 50), (4, 20)] {
            for size in [0, 1, 6] {
                let points: Vec<Vec<f64>> = (0..size).map(|_| (0..m).map(|_| draw.normal()).collect()).collect();
                let front = Front::new(&points, vec![-1.0; m]);
                let mean: Vec<f64> = (0..m).map(|_| 0.5 + 0.5 * draw.normal()).collect();
                let sd: Vec<f64> = (0..m).map(|_| 0.3 + 0.5 * draw.uniform()).collect();
                let found = HypervolumeImprovement::new(&front).ln_value(&mean, &sd, &mut Slopes::default()).exp();
                let expected = by_brute_force(&front, &mean, &sd, n);
                // The volume has a kink at every level, where a midpoint rule is off by up to step²/8 of the slope's jump.
                let tolerance = 0.25 * m as f64 * (12.0 / n as f64).powi(2);
                assert!((found / expected - 1.0).abs() < tolerance, "m {m}, {size}: {found} {expected}");
            }
        }
    }

    #[test]
    fn the_improvement_over_one_objective_is_the_expected_improvement() {
        let front = Front::new(&[vec![0.7], vec![0.2]], vec![-3.0]);
        let mut slopes = Slopes::default();
        let found = HypervolumeImprovement::new(&front).ln_value(&[0.1], &[0.4], &mut slopes);
        let u: f64 = (0.1 - 0.7) / 0.4;
        // ln(s τ(u)) and its slopes Φ/(s τ) and φ/(s τ).
        let tau = normal::pdf(u) + u * normal::cdf(u);
        assert!((found - (0.4 * tau).ln()).abs() < 1e-14);
        assert!((slopes.by_mean[0] - normal::cdf(u) / (0.4 * tau)).abs() < 1e-13);
        assert!((slopes.by_sd[0] - normal::pdf(u) / (0.4 * tau)).abs() < 1e-13);
    }

    /// Improvements of a front, by boxes and by directions.
    fn both_ways(front: &Front) -> [HypervolumeImprovement; 2] {
        [HypervolumeImprovement::new(front), HypervolumeImprovement(Way::Directions(Polar::new(front)))]
    }

    #[test]
    fn slopes_of_the_improvement_agree_with_central_differences() {
        let mut draw = Stream::new(9);
        for m in 1..=5 {
            for trial in 0..6 {
                let points: Vec<Vec<f64>> = (0..8).map(|_| (0..m).map(|_| draw.normal()).collect()).collect();
                let front = Front::new(&points, vec![-1.5; m]);
                let mean: Vec<f64> = (0..m).map(|_| 2.0 * draw.normal() - trial as f64).collect();
                let sd: Vec<f64> = (0..m).map(|_| 10f64.powf(-draw.uniform())).collect();
                for (way, improvement) in both_ways(&front).iter().enumerate() {
                    let mut slopes = Slopes::default();
                    let value = improvement.ln_value(&mean, &sd, &mut slopes);
                    for k in 0..m {
                        let h = 1e-5 * sd[k];
                        let at = |by: f64, of_sd: bool| {
                            let (mut mean, mut sd) = (mean.clone(), sd.clone());
                            if of_sd {
                                sd[k] += by
                            } else {
                                mean[k] += by
                            }
                            improvement.ln_value(&mean, &sd, &mut Slopes::default())
                        };
                        for (of_sd, slope) in [(false, slopes.by_mean[k]), (true, slopes.by_sd[k])] {
                            let difference = (at(h, of_sd) - at(-h, of_sd)) / (2.0 * h);
                            // Differences lose digits of the value over h, and h² of a third derivative of up to u⁴.
                            // Nodes along directions move, and have an error of 10⁻⁹, which is divided by h.
                            let error = (difference - slope).abs() * sd[k];
                            let tolerance = [1e-6, 1e-4][way] * (1.0 + value.abs() + slope.abs() * sd[k]);
                            assert!(error < tolerance, "way {way}, m {m}: {difference} {slope}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_mean_over_directions_is_near_the_sum_over_boxes_where_much_is_to_be_gained() {
        let mut draw = Stream::new(4);
        for m in 2..=5 {
            let (mut errors, mut largest): (Vec<f64>, f64) = (Vec::new(), 0.0);
            for _ in 0..40 {
                let points: Vec<Vec<f64>> = (0..10).map(|_| (0..m).map(|_| draw.normal()).collect()).collect();
                let front = Front::new(&points, vec![-1.0; m]);
                let mean: Vec<f64> = (0..m).map(|_| 0.5 * draw.normal()).collect();
                let sd: Vec<f64> = (0..m).map(|_| 0.3 + 0.5 * draw.uniform()).collect();
                let [exact, along] = both_ways(&front).map(|way| way.ln_value(&mean, &sd, &mut Slopes::default()));
                let error = (along - exact).abs();
                errors.push(error);
                if exact > -1.0 {
                    largest = largest.max(error);
                }
            }
            errors.sort_by(f64::total_cmp);
            // Of 64 directions, only a few see a point that adds little: a standard error of 0.3 for ten.
            assert!(largest < 0.25 && errors[20] < 0.1, "m {m}: {largest}, {}", errors[20]);
        }
    }

    #[test]
    fn dominated_points_and_the_order_of_objectives_change_nothing() {
        let mut draw = Stream::new(6);
        for m in 2..=4 {
            let points: Vec<Vec<f64>> = (0..12).map(|_| (0..m).map(|_| draw.normal()).collect()).collect();
            let mean: Vec<f64> = (0..m).map(|_| draw.normal()).collect();
            let sd: Vec<f64> = (0..m).map(|_| 0.2 + draw.uniform()).collect();
            let ln = |points: &[Vec<f64>], mean: &[f64], sd: &[f64]| {
                let front = Front::new(points, vec![-2.0; m]);
                HypervolumeImprovement::new(&front).ln_value(mean, sd, &mut Slopes::default())
            };
            let plain = ln(&points, &mean, &sd);
            let mut more = points.clone();
            more.push(points[0].iter().map(|v| v - 0.1).collect());
            assert_eq!(plain, ln(&more, &mean, &sd));
            let turn = |v: &[f64]| v.iter().skip(1).chain(&v[..1]).copied().collect::<Vec<f64>>();
            let turned: Vec<Vec<f64>> = points.iter().map(|p| turn(p)).collect();
            // Sums of positive terms in another order.
            assert!((plain - ln(&turned, &turn(&mean), &turn(&sd))).abs() < 1e-12);
        }
    }

    #[test]
    fn the_improvement_falls_as_the_front_grows_and_rises_with_every_deviation() {
        let mut draw = Stream::new(8);
        for m in 2..=4 {
            let mut points: Vec<Vec<f64>> = Vec::new();
            let mean: Vec<f64> = (0..m).map(|_| draw.normal()).collect();
            let sd: Vec<f64> = (0..m).map(|_| 0.2 + draw.uniform()).collect();
            let mut last = f64::INFINITY;
            for _ in 0..10 {
                let front = Front::new(&points, vec![-2.0; m]);
                let mut slopes = Slopes::default();
                let ln = HypervolumeImprovement::new(&front).ln_value(&mean, &sd, &mut slopes);
                // At most what it would be over the empty front, and never more than before.
                assert!(ln <= last + 1e-12, "m {m}: {ln} {last}");
                assert!(slopes.by_sd.iter().chain(&slopes.by_mean).all(|slope| *slope >= 0.0));
                last = ln;
                points.push((0..m).map(|_| draw.normal()).collect());
            }
        }
    }

    #[test]
    fn the_improvement_is_a_number_however_small_or_large_deviations_are() {
        let front = over(&TWO);
        for sd in [1e-12, 1e-7, 1e-3, 1.0, 1e6] {
            for mean in [-1e3, -3.0, 0.5, 3.9, 50.0] {
                let mut slopes = Slopes::default();
                let ln = HypervolumeImprovement::new(&front).ln_value(&[mean, 1.0], &[sd, sd], &mut slopes);
                assert!(ln.is_finite() && slopes.by_mean.iter().chain(&slopes.by_sd).all(|s| s.is_finite()));
            }
        }
    }
}
