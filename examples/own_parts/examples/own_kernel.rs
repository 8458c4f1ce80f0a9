//! A kernel of your own, with a parameter that the fit finds: `cargo run -p own-parts --example own_kernel`.
//!
//! The rational quadratic kernel κ(s) = b^(−α) with b = 1 + s/(2α), of the squared distance s in lengthscales, is a
//! mixture of smooth kernels with many lengthscales (Rasmussen and Williams 2006, equation 4.19): the smaller α, the
//! more the small ones weigh. Its derivatives are κ' = −b^(−α−1)/2, κ'' = (1 + 1/α)/4 b^(−α−2) and
//! ∂κ/∂ln α = κ (s/(2b) − α ln b). When it is handed in, they are compared with differences.

use elbowroom::error::{Error, Result};
use elbowroom::gp::{Kernel, KernelKind, KernelParameter};
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{KernelConfig, PartId, PartSettings, Parts, Study, StudyConfig, verify_with};

/// The part's name and version, as they stand in a log.
fn part() -> Result<PartId> {
    PartId::new("acme/rational_quadratic", "1")
}

/// The kernel at one α.
#[derive(Debug, Clone, Copy)]
struct RationalQuadratic {
    alpha: f64,
    /// The α that is expected before there are results.
    expected: f64,
}

impl RationalQuadratic {
    /// From the settings in a configuration: what it does not know it refuses.
    fn new(settings: &PartSettings) -> Result<Self> {
        if let Some(unknown) = settings.keys().find(|key| *key != "expected") {
            return Err(Error::config(format!("there is no setting `{unknown}`"), "take `expected`"));
        }
        let expected = settings.get("expected").map_or(Some(1.0), |value| value.as_f64());
        let positive = expected.filter(|expected| (0.1..=10.0).contains(expected));
        positive
            .map(|expected| Self { alpha: expected, expected })
            .ok_or_else(|| Error::config("`expected` is no possible α", "give a number from 0.1 to 10"))
    }

    fn base(self, s: f64) -> f64 {
        1.0 + s / (2.0 * self.alpha)
    }
}

impl Kernel for RationalQuadratic {
    fn value_and_slope(self, s: f64) -> (f64, f64) {
        let b = self.base(s);
        let value = b.powf(-self.alpha);
        (value, -0.5 * value / b)
    }

    fn curvature(self, s: f64) -> f64 {
        0.25 * (1.0 + 1.0 / self.alpha) * self.base(s).powf(-self.alpha - 2.0)
    }

    fn parameters(self) -> Vec<KernelParameter> {
        vec![KernelParameter { name: "alpha", ln_mean: self.expected.ln(), ln_sd: 1.0, range: (0.02, 100.0) }]
    }

    fn with(self, values: &[f64]) -> Self {
        Self { alpha: values[0], ..self }
    }

    fn by_parameters(self, s: f64, slopes: &mut [f64]) {
        let b = self.base(s);
        slopes[0] = b.powf(-self.alpha) * (s / (2.0 * b) - self.alpha * b.ln());
    }
}

fn main() -> Result<()> {
    let parts = Parts::new().with_kernel(part()?, RationalQuadratic::new);
    let space = SearchSpace::new(vec![Parameter::float("x", -2.0, 2.0), Parameter::float("y", -2.0, 2.0)])?;
    let settings = PartSettings::from([("expected".to_owned(), 0.5.into())]);
    let mut config = StudyConfig::new(space).seed(1);
    // It competes with one of ours: the one under which the results are most likely makes the model.
    config.model.kernels = vec![KernelConfig::Foreign { part: part()?, settings }, KernelKind::Matern52.into()];
    let mut study = Study::with(config, &parts)?;
    for _ in 0..6 {
        for trial in study.ask(4)?.trials {
            let (x, y) = (trial.point.f64("x")?, trial.point.f64("y")?);
            study.tell(trial.id, (x - 0.5).powi(2) + (y + 1.0).powi(2) + 0.1 * (9.0 * x).sin())?;
        }
    }
    let best = study.best().and_then(|trial| trial.value()).unwrap_or(f64::INFINITY);
    let kernel = study.model()?.posterior.hyper().kernel.clone();
    println!(
        "the best of {} values is {best:.4}; the kernel is {} {:.3?}",
        study.n_observed(),
        kernel.name(),
        kernel.values()
    );
    assert!(best < 0.05, "{best}");

    // The log names the part; with it, every choice can be made again.
    assert!(verify_with(study.events(), &parts)?.is_empty());
    // Without it, a study can be read and told, and says what it lacks when it is asked.
    let read = Study::replay(study.events().to_vec())?;
    assert_eq!(read.best(), study.best());
    println!("{}", read.suggest(1).unwrap_err());
    Ok(())
}

#[test]
fn a_kernel_of_another_crate_is_fitted_and_replays() {
    main().unwrap();
}
