//! Kernels of a user: fitted with their own parameters, named in the log, and missed when they are needed.

use elbowroom::batch::{Believer, Refit};
use elbowroom::data::Dataset;
use elbowroom::error::{Error, Kind, Result};
use elbowroom::gp::{
    AnyKernel, FitParams, Hyperparameters, Kernel, KernelKind, KernelParameter, Likelihood, Matern52, Posterior, Shape,
    fit,
};
use elbowroom::insight::{Level, findings};
use elbowroom::linalg::Points;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{
    Event, KernelConfig, ModelRecord, PartId, PartSettings, Parts, StrategyConfig, Study, StudyConfig, verify,
    verify_with,
};

/// κ(s) = b^(−α) with b = 1 + s/(2α): a mixture of lengthscales, by Rasmussen & Williams (2006), 4.19.
#[derive(Debug, Clone, Copy)]
struct Rational {
    alpha: f64,
}

impl Rational {
    fn make(settings: &PartSettings) -> Result<Self> {
        match settings.keys().next() {
            Some(unknown) => Err(Error::config(format!("there is no setting `{unknown}`"), "take it away")),
            None => Ok(Self { alpha: 1.0 }),
        }
    }
}

impl Kernel for Rational {
    fn value_and_slope(self, s: f64) -> (f64, f64) {
        let b = 1.0 + s / (2.0 * self.alpha);
        let value = b.powf(-self.alpha);
        (value, -0.5 * value / b)
    }

    fn curvature(self, s: f64) -> f64 {
        let b = 1.0 + s / (2.0 * self.alpha);
        0.25 * (1.0 + 1.0 / self.alpha) * b.powf(-self.alpha - 2.0)
    }

    fn parameters(self) -> Vec<KernelParameter> {
        vec![KernelParameter { name: "alpha", ln_mean: 0.0, ln_sd: 1.0, range: (0.05, 50.0) }]
    }

    fn with(self, values: &[f64]) -> Self {
        Self { alpha: values[0] }
    }

    fn by_parameters(self, s: f64, slopes: &mut [f64]) {
        let b = 1.0 + s / (2.0 * self.alpha);
        slopes[0] = b.powf(-self.alpha) * (s / (2.0 * b) - self.alpha * b.ln());
    }
}

fn rational() -> AnyKernel {
    AnyKernel::own("acme/rational", Rational { alpha: 1.0 }).unwrap()
}

fn id(version: &str) -> PartId {
    PartId::new("acme/rational", version).unwrap()
}

fn parts(version: &str) -> Parts {
    Parts::new().with_kernel(id(version), Rational::make)
}

fn config(kernels: Vec<KernelConfig>) -> StudyConfig {
    let space = SearchSpace::new(vec![Parameter::float("x", -1.0, 1.0), Parameter::float("y", -1.0, 1.0)]).unwrap();
    let mut config = StudyConfig::new(space).seed(3).initial(4);
    config.model.kernels = kernels;
    config
}

fn own() -> Vec<KernelConfig> {
    vec![KernelConfig::foreign(id("1"))]
}

/// Three rounds of four points, and a batch that is pending.
fn driven(mut study: Study) -> Study {
    for _ in 0..3 {
        for trial in study.ask(4).unwrap().trials {
            let [x, y] = [trial.unit[0], trial.unit[1]];
            study.tell(trial.id, (x - 0.3).powi(2) + (y - 0.7).abs()).unwrap();
        }
    }
    study.ask(3).unwrap();
    study
}

fn last_record(study: &Study) -> ModelRecord {
    let Some(Event::Asked { provenance, .. }) = study.events().last() else { panic!("the log ends with an ask") };
    provenance.model.clone().unwrap()
}

fn points(study: &Study) -> Vec<String> {
    study.trials().iter().map(|trial| trial.point.to_string()).collect()
}

fn waves(n: usize) -> Dataset {
    let x = Points::from_rows(2, (0..2 * n).map(|i| (0.618 * i as f64).fract()).collect()).unwrap();
    let y = x.iter().map(|p| (7.0 * p[0]).sin() + (3.0 * p[1]).cos() + 0.2 * (40.0 * p[0]).sin()).collect();
    Dataset::new(x, y).unwrap()
}

#[test]
fn a_kernel_of_ours_under_a_foreign_name_chooses_the_same_to_the_bit() {
    let parts = Parts::new().with_kernel(id("1"), |_| Ok(Matern52));
    let theirs = driven(Study::with(config(own()), &parts).unwrap());
    let ours = driven(Study::new(config(vec![KernelKind::Matern52.into()])).unwrap());
    assert_eq!(points(&theirs), points(&ours));
    assert_eq!(last_record(&theirs).theta, last_record(&ours).theta);
}

#[test]
fn the_likelihoods_gradient_by_a_kernels_own_parameter_is_that_of_differences() {
    let data = waves(15);
    let mut likelihood = Likelihood::new(&data, Shape::new(rational(), 2));
    let theta = [-1.0, -0.6, 0.3, -4.0, 0.4];
    let mut gradient = vec![0.0; theta.len()];
    likelihood.evaluate(&theta, &mut gradient);
    for i in 0..theta.len() {
        let mut at = |by: f64| {
            let mut moved = theta;
            moved[i] += by;
            likelihood.evaluate(&moved, &mut [0.0; 5])
        };
        // Central differences of a smooth function of size 10: off by 1e-8 or so.
        let difference = (at(1e-4) - at(-1e-4)) / 2e-4;
        assert!(
            (gradient[i] - difference).abs() < 1e-6 * (1.0 + difference.abs()),
            "{i}: {} {difference}",
            gradient[i]
        );
    }
}

#[test]
fn a_fit_finds_a_kernels_own_parameter_and_the_posterior_has_it() {
    // Draws from two processes, one with all lengthscales and one with almost a single one, made from the same random
    // numbers. A draw says little about how small a small α is.
    let x = Points::from_rows(1, (0..120).map(|i| f64::from(i) / 15.0).collect()).unwrap();
    let none = Dataset::new(Points::new(1), Vec::new()).unwrap();
    let found = [0.1, 20.0].map(|alpha| {
        let truth = Hyperparameters::new(rational().at(&[alpha]), 1.0, vec![0.5], 1e-6);
        let draw = Posterior::new(&none, truth).unwrap().sample(&x, 1, &mut Stream::new(5)).unwrap();
        let data = Dataset::new(x.clone(), draw.row(0).to_vec()).unwrap();
        let found = fit(&data, &FitParams::map(Shape::new(rational(), 1)), &Stream::new(1)).unwrap();
        let alpha = found.posterior.hyper().kernel.values()[0];
        assert_eq!(alpha, found.theta[3].exp());
        alpha
    });
    // The typical value is 1.
    assert!(found[0] < 2.0 && found[1] > 5.0, "{found:?}");
}

#[test]
fn a_study_with_a_kernel_of_its_own_replays_to_the_bit_and_names_it() {
    let study = driven(Study::with(config(own()), &parts("1")).unwrap());
    assert_eq!(verify_with(study.events(), &parts("1")).unwrap(), []);
    let record = last_record(&study);
    assert_eq!(record.kernel, KernelConfig::foreign(id("1")));
    // Two lengthscales, the variance, the noise, and α.
    assert_eq!(record.theta.len(), 5);
    let wire = serde_json::to_value(&record).unwrap();
    assert_eq!(wire["kernel"], serde_json::json!({ "part": { "name": "acme/rational", "version": "1" } }));
    assert_eq!(serde_json::from_value::<ModelRecord>(wire).unwrap(), record);
}

#[test]
fn kernels_of_ours_and_of_the_users_own_compete_and_warm_starts_keep_them_apart() {
    for kernels in [[KernelKind::Rbf.into(), own()[0].clone()], [own()[0].clone(), KernelKind::Rbf.into()]] {
        let study = driven(Study::with(config(kernels.to_vec()), &parts("1")).unwrap());
        assert_eq!(verify_with(study.events(), &parts("1")).unwrap(), []);
        let record = last_record(&study);
        assert_eq!(record.theta.len(), if record.kernel.part().is_some() { 5 } else { 4 });
    }
}

#[test]
fn a_believer_that_fits_again_keeps_the_kernels_own_parameter() {
    let refit = Refit::MaximumLikelihood { ard: true, starts: 1 };
    let believer = Believer { refit, ..Believer::default() };
    let config = config(own()).strategy(StrategyConfig::Believer(believer));
    let study = driven(Study::with(config, &parts("1")).unwrap());
    assert_eq!(verify_with(study.events(), &parts("1")).unwrap(), []);
}

#[test]
fn without_the_kernel_a_study_is_read_and_told_and_asks_say_what_is_missing() {
    let events = driven(Study::with(config(own()), &parts("1")).unwrap()).events().to_vec();
    let mut study = Study::replay(events.clone()).unwrap();
    assert_eq!((study.trials().len(), study.best().is_some()), (15, true));
    let pending = study.pending().next().unwrap().id;
    study.tell(pending, 0.0).unwrap();
    assert_eq!(study.best().unwrap().id, pending);
    let fresh = Study::new(config(own())).unwrap();
    let missing = [
        study.ask(1).unwrap_err(),
        study.model().unwrap_err(),
        study.belief().model().unwrap_err(),
        // Not only once a model is needed.
        fresh.suggest(1).unwrap_err(),
        verify(&events).unwrap_err(),
    ];
    for error in missing {
        assert_eq!(error.kind(), Kind::MissingPart);
        assert!(error.what().contains("kernel is the part `acme/rational 1`"), "{error}");
        assert!(error.hint().contains("replay_with"), "{error}");
    }
    // Everything that needs no model still works, and says so.
    let without = study.recommended().unwrap();
    assert_eq!((without.trial, without.fallback.unwrap().contains("acme/rational 1")), (Some(pending), true));
    let said = findings(&study, true);
    assert!(said.iter().any(|finding| finding.what.contains("acme/rational 1") && finding.level == Level::Note));
    // When handed in later, it is used at once.
    study.set_parts(&parts("1")).unwrap();
    assert!(study.model().is_ok() && study.ask(1).is_ok());
}

#[test]
fn another_version_of_a_kernel_replays_and_a_difference_says_which_versions() {
    let study = driven(Study::with(config(own()), &parts("1")).unwrap());
    assert_eq!(verify_with(study.events(), &parts("2")).unwrap(), []);
    let other = Parts::new().with_kernel(id("2"), |_| Ok(Matern52));
    let differences = verify_with(study.events(), &other).unwrap();
    let said = &differences.first().unwrap().what;
    assert!(said.contains("acme/rational 1") && said.contains("acme/rational 2"), "{said}");
}

#[test]
fn what_a_kernel_refuses_and_what_it_is_not_named_is_refused() {
    let settings = PartSettings::from([("alfa".to_owned(), 1.0.into())]);
    let error = Study::with(config(vec![KernelConfig::Foreign { part: id("1"), settings }]), &parts("1")).unwrap_err();
    assert_eq!((error.kind(), error.hint()), (Kind::Config, "take it away"));
    assert!(error.what().contains("acme/rational 1") && error.what().contains("alfa"), "{error}");
    let unnamed = serde_json::from_str(r#"{"part":{"name":"rational","version":"1"}}"#).unwrap();
    assert!(Study::new(config(vec![unnamed])).unwrap_err().hint().contains("acme/greedy"));
}

/// A Matérn-5/2 kernel with one of its functions wrong.
#[derive(Debug, Clone, Copy)]
struct Wrong(&'static str);

impl Kernel for Wrong {
    fn value_and_slope(self, s: f64) -> (f64, f64) {
        let (value, slope) = Matern52.value_and_slope(s);
        match self.0 {
            "at distance 0" => (2.0 * value, 2.0 * slope),
            "κ' is" => (value, -slope),
            _ => (value, slope),
        }
    }

    fn curvature(self, s: f64) -> f64 {
        if self.0 == "κ'' is" { 0.0 } else { Matern52.curvature(s) }
    }

    fn gradient_variance(self) -> f64 {
        if self.0 == "gradient variance" { 1.0 } else { Matern52.gradient_variance() }
    }

    fn parameters(self) -> Vec<KernelParameter> {
        let range = if self.0 == "has the law" { (2.0, 3.0) } else { (0.1, 10.0) };
        vec![KernelParameter { name: "p", ln_mean: 0.0, ln_sd: 1.0, range }]
    }

    fn by_parameters(self, _: f64, slopes: &mut [f64]) {
        slopes[0] = if self.0 == "∂κ/∂ln p" { 0.1 } else { 0.0 };
    }
}

#[test]
fn a_kernel_whose_functions_contradict_each_other_is_refused_with_the_numbers() {
    assert!(AnyKernel::own("acme/right", Wrong("")).is_ok());
    for what in ["at distance 0", "κ'' is", "gradient variance", "has the law", "∂κ/∂ln p"] {
        let error = AnyKernel::own("acme/wrong", Wrong(what)).unwrap_err();
        assert!(error.what().contains("acme/wrong") && error.what().contains(what), "{error}");
    }
    assert!(AnyKernel::own("acme/wrong", Wrong("κ' is")).is_err());
    for kind in KernelKind::all() {
        assert!(AnyKernel::own("acme/ours", kind).is_ok(), "{kind:?}");
    }
}

#[test]
fn parameters_that_no_kernel_can_use_are_refused_by_name() {
    for values in [&[][..], &[0.0], &[f64::NAN], &[1.0, 1.0]] {
        let hyper = Hyperparameters::new(rational().at(values), 1.0, vec![0.5, 0.5], 1e-6);
        let error = Posterior::new(&waves(3), hyper).unwrap_err();
        assert_eq!(error.kind(), Kind::Config, "{values:?}");
        assert!(error.what().contains("alpha") || values.len() != 1, "{error}");
    }
}
