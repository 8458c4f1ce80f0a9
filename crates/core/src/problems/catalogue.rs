//! The problems by name: each function with its usual box and its minimizers.
//!
//! Why these minima also hold outside the boxes, which [`Problem::shifted`] needs: most are sums of squares and of
//! cosines at their lowest; Hartmann's and Shekel's wells get shallower everywhere as a point leaves the box of their
//! centres; Forrester's and Michalewicz's functions state the reach within which it is true.

use std::f64::consts::PI;

use super::functions::{
    ackley, branin, cosines, forrester, goldstein_price, griewank, gsobol, levy, michalewicz, michalewicz_minimizer,
    rastrigin, rosenbrock, six_hump_camel, styblinski_tang,
};
use super::problem::{Function, Problem};
use super::shekel_hartmann::{hartmann3, hartmann6, shekel};
use crate::error::{Error, Result};

/// The largest norm of the gradient of [`Problem::cosines`] on [0, 1]², taken where both coordinates are 0.8383151….
///
/// The paper prints 8.808636. That is, to within 1.3e-5, another local maximum of the gradient's norm: 8.808648…, with
/// one coordinate at 0.8383151… and the other at 0.2033516… or 0.4216484….
pub const COSINES_LIPSCHITZ: f64 = 10.187_015_055_526_53;

/// The largest norm of the gradient of [`Problem::cosines_wide`] on [0, 5]², taken in the corner (5, 5).
pub const COSINES_WIDE_LIPSCHITZ: f64 = 40.338_876_927_902_33;

/// The constructors that take a dimension: name, smallest dimension, constructor.
type Family = (&'static str, usize, fn(usize) -> Problem);

const FAMILIES: [Family; 8] = [
    ("gsobol", 1, Problem::gsobol),
    ("ackley", 1, Problem::ackley),
    ("levy", 1, Problem::levy),
    ("rosenbrock", 2, Problem::rosenbrock),
    ("michalewicz", 1, Problem::michalewicz),
    ("styblinski_tang", 1, Problem::styblinski_tang),
    ("griewank", 1, Problem::griewank),
    ("rastrigin", 1, Problem::rastrigin),
];

impl Problem {
    /// Every problem of a fixed dimension, and one or more dimensions of the others.
    ///
    /// ```
    /// use elbowroom::problems::Problem;
    /// for problem in Problem::all() {
    ///     assert_eq!(Problem::by_name(&problem.name)?.bounds, problem.bounds);
    /// }
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn all() -> Vec<Problem> {
        let mut problems = Self::of_fixed_dimension();
        problems.extend([2, 5, 10].map(Self::gsobol));
        problems.extend([2, 5].map(Self::ackley));
        problems.extend([2, 10].map(Self::levy));
        problems.extend([2, 4].map(Self::rosenbrock));
        problems.extend([2, 5, 10].map(Self::michalewicz));
        problems.extend([2, 8].map(Self::styblinski_tang));
        problems.extend([2, 6].map(Self::griewank));
        problems.extend([2, 5].map(Self::rastrigin));
        problems
    }

    /// The problem with a name, such as `branin`, or with a name and a dimension, such as `ackley5`.
    ///
    /// ```
    /// use elbowroom::problems::Problem;
    /// assert_eq!(Problem::by_name("levy7")?.dim(), 7);
    /// assert!(Problem::by_name("levy").is_err());
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn by_name(name: &str) -> Result<Problem> {
        if let Some(problem) = Self::of_fixed_dimension().into_iter().find(|p| p.name == name) {
            return Ok(problem);
        }

        let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
        for (known, smallest, build) in FAMILIES {
            if family == known {
                let dim = &name[family.len()..];
                return match dim.parse() {
                    Ok(d) if (smallest..=MAX_DIM).contains(&d) => Ok(build(d)),
                    _ => Err(Error::config(
                        format!("the problem `{known}` cannot have the dimension `{dim}`"),
                        format!("`{known}` and a dimension from {smallest} to {MAX_DIM}, such as `{known}5`"),
                    )),
                };
            }
        }

        let fixed = Self::of_fixed_dimension().into_iter().map(|p| p.name);
        let families = FAMILIES.iter().map(|(known, ..)| format!("{known}5"));
        let names: Vec<String> = fixed.chain(families).collect();
        Err(Error::config(format!("there is no problem called `{name}`"), format!("use one of {}", names.join(", "))))
    }

    fn of_fixed_dimension() -> Vec<Problem> {
        vec![
            Self::forrester(),
            Self::forrester_wide(),
            Self::cosines(),
            Self::cosines_wide(),
            Self::branin(),
            Self::six_hump_camel(),
            Self::goldstein_price(),
            Self::hartmann3(),
            Self::hartmann6(),
            Self::shekel(5),
            Self::shekel(7),
            Self::shekel(10),
        ]
    }

    /// (6x − 2)² sin(12x − 4) on [0, 1]: one local and one global minimum.
    pub fn forrester() -> Problem {
        // Outside, the sine is positive from (4 − 2π)/12 = −0.1903 to 0 and from 1 to (4 + 3π)/12 = 1.1187.
        Self::new("forrester", forrester, vec![(0.0, 1.0)], -6.020_740_055_767_083, vec![vec![0.757_248_757_841_855_9]])
            .reaching(-0.19, 1.118)
    }

    /// The same function on [0.3, 1.4], as in the paper's first figure; its second minimum is deeper.
    pub fn forrester_wide() -> Problem {
        // Above −0.59 the square is below 30.7; from 1.4 to (4 + 5π)/12 = 1.6423 the sine is positive.
        Self::new(
            "forrester_wide",
            forrester,
            vec![(0.3, 1.4)],
            -30.719_043_378_478_965,
            vec![vec![1.264_392_155_694_165_4]],
        )
        .reaching(-0.59, 1.64)
    }

    /// Σᵢ (uᵢ² − 0.3 cos 3πuᵢ) − 1 with u = 1.6x − ½, on [0, 1]²: minus the function that the paper maximizes.
    ///
    /// Its Lipschitz constant is [`COSINES_LIPSCHITZ`].
    pub fn cosines() -> Problem {
        Self::new("cosines", cosines, vec![(0.0, 1.0); 2], -1.6, vec![vec![0.3125; 2]])
    }

    /// The same function on [0, 5]², the box printed in the paper. Its Lipschitz constant is
    /// [`COSINES_WIDE_LIPSCHITZ`].
    pub fn cosines_wide() -> Problem {
        Self::new("cosines_wide", cosines, vec![(0.0, 5.0); 2], -1.6, vec![vec![0.3125; 2]])
    }

    /// Πᵢ (|4xᵢ − 2| + 1)/2 on [−5, 5]ᵈ: kinks in every coordinate, and the minimum 2⁻ᵈ where all are ½.
    pub fn gsobol(d: usize) -> Problem {
        Self::of_dimension("gsobol", gsobol, d, (-5.0, 5.0), 0.5f64.powi(d as i32), vec![0.5; d])
    }

    /// Branin's function on [−5, 10] × [0, 15]: three equal minima.
    pub fn branin() -> Problem {
        // The square vanishes and the cosine is −1; the fourth can enter the box when the function is shifted.
        let on_parabola = |a: f64| vec![a, 5.1 / (4.0 * PI * PI) * a * a - 5.0 / PI * a + 6.0];
        let minimizers = [-PI, PI, 3.0 * PI, 5.0 * PI].map(on_parabola).to_vec();
        Self::new("branin", branin, vec![(-5.0, 10.0), (0.0, 15.0)], 10.0 / (8.0 * PI), minimizers)
    }

    /// The six-hump camel function on [−3, 3] × [−2, 2]: six local minima, two of them global.
    pub fn six_hump_camel() -> Problem {
        let (a, b) = (0.089_842_013_100_318_06, -0.712_656_403_020_739_6);
        Self::new(
            "six_hump_camel",
            six_hump_camel,
            vec![(-3.0, 3.0), (-2.0, 2.0)],
            -1.031_628_453_489_877_4,
            vec![vec![a, b], vec![-a, -b]],
        )
    }

    /// Goldstein and Price's function on [−2, 2]²: values from 3 to a million.
    pub fn goldstein_price() -> Problem {
        Self::new("goldstein_price", goldstein_price, vec![(-2.0, 2.0); 2], 3.0, vec![vec![0.0, -1.0]])
    }

    /// Hartmann's function of 3 coordinates on the unit cube: four local minima.
    pub fn hartmann3() -> Problem {
        let minimizer = vec![0.114_588_876_655_068_97, 0.555_648_894_616_93, 0.852_546_984_686_677_4];
        Self::new("hartmann3", hartmann3, vec![(0.0, 1.0); 3], -3.862_779_787_332_662_5, vec![minimizer])
    }

    /// Hartmann's function of 6 coordinates on the unit cube: six local minima.
    pub fn hartmann6() -> Problem {
        let minimizer = vec![
            0.201_689_511_006_705_42,
            0.150_010_691_823_457_97,
            0.476_873_974_221_897,
            0.275_332_430_494_056_1,
            0.311_651_616_600_113_24,
            0.657_300_534_065_620_3,
        ];
        Self::new("hartmann6", hartmann6, vec![(0.0, 1.0); 6], -3.322_368_011_415_514_8, vec![minimizer])
    }

    /// Shekel's function on [0, 10]⁴ with 5, 7 or 10 wells: narrow ones, on a plain.
    ///
    /// # Panics
    ///
    /// If `wells` is another number.
    pub fn shekel(wells: usize) -> Problem {
        let (function, minimum, a, b): (Function, f64, f64, f64) = match wells {
            5 => (shekel::<5>, -10.153_199_679_058_228, 4.000_037_152_819_676, 4.000_133_276_591_56),
            7 => (shekel::<7>, -10.402_915_336_777_744, 4.000_572_819_251_117, 3.999_606_209_609_689),
            10 => (shekel::<10>, -10.536_443_153_483_528, 4.000_746_868_270_634, 3.999_509_480_085_773_6),
            _ => panic!("Shekel's function has 5, 7 or 10 wells, not {wells}"),
        };
        Self::new(format!("shekel{wells}"), function, vec![(0.0, 10.0); 4], minimum, vec![vec![a, b, a, b]])
    }

    /// Ackley's function on [−32.768, 32.768]ᵈ: a funnel with a kink at its bottom, the centre, and many dents.
    pub fn ackley(d: usize) -> Problem {
        Self::of_dimension("ackley", ackley, d, (-32.768, 32.768), 0.0, vec![0.0; d])
    }

    /// Levy's function on [−10, 10]ᵈ: a wavy bowl around (1, …, 1).
    pub fn levy(d: usize) -> Problem {
        Self::of_dimension("levy", levy, d, (-10.0, 10.0), 0.0, vec![1.0; d])
    }

    /// Rosenbrock's function on [−5, 10]ᵈ, d ≥ 2: a bent valley with the minimum at (1, …, 1).
    ///
    /// # Panics
    ///
    /// If `d` is below 2.
    pub fn rosenbrock(d: usize) -> Problem {
        assert!(d >= 2, "Rosenbrock's function has at least 2 coordinates, not {d}");
        Self::of_dimension("rosenbrock", rosenbrock, d, (-5.0, 10.0), 0.0, vec![1.0; d])
    }

    /// Michalewicz's function with exponent 20 on [0, π]ᵈ: d! ditches in a plain.
    ///
    /// It is a sum of functions of one coordinate each, so its minimum is known in every dimension.
    pub fn michalewicz(d: usize) -> Problem {
        let minimizer: Vec<f64> = (1..=d).map(michalewicz_minimizer).collect();
        let minimum = michalewicz(&minimizer);
        // Up to π outside [0, π] the sine is negative, so the function is not.
        Self::of_dimension("michalewicz", michalewicz, d, (0.0, PI), minimum, minimizer).reaching(-PI, 2.0 * PI)
    }

    /// Styblinski and Tang's function on [−5, 5]ᵈ: 2ᵈ local minima.
    pub fn styblinski_tang(d: usize) -> Problem {
        // The lowest root of 4x³ − 32x + 5.
        let minimizer = vec![-2.903_534_027_771_177; d];
        let minimum = -39.166_165_703_771_41 * d as f64;
        Self::of_dimension("styblinski_tang", styblinski_tang, d, (-5.0, 5.0), minimum, minimizer)
    }

    /// Griewank's function on [−600, 600]ᵈ: a bowl with small waves, lowest at the centre.
    pub fn griewank(d: usize) -> Problem {
        Self::of_dimension("griewank", griewank, d, (-600.0, 600.0), 0.0, vec![0.0; d])
    }

    /// Rastrigin's function on [−5.12, 5.12]ᵈ: a bowl with large waves, lowest at the centre.
    pub fn rastrigin(d: usize) -> Problem {
        Self::of_dimension("rastrigin", rastrigin, d, (-5.12, 5.12), 0.0, vec![0.0; d])
    }

    fn of_dimension(
        family: &str,
        function: Function,
        d: usize,
        interval: (f64, f64),
        minimum: f64,
        minimizer: Vec<f64>,
    ) -> Problem {
        assert!(d > 0, "the problem `{family}` needs at least one coordinate");
        Self::new(format!("{family}{d}"), function, vec![interval; d], minimum, vec![minimizer])
    }
}

/// The largest dimension that a name may ask for: names come from users, and 2⁻ᵈ is still a normal double.
const MAX_DIM: usize = 1000;
