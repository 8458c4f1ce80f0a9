//! elbowroom for Python: converts and forwards.
//!
//! The module `elbowroom._elbowroom` contains what needs Rust; the package `elbowroom` around it is Python, and is
//! typed and documented there. Nothing is decided here: defaults, checks and messages are those of the core and of the
//! store.

mod array;
mod blocks;
mod error;
mod gp;
mod interrupt;
mod problems;
mod settings;
mod space;
mod study;
mod suggest;
mod trial;
mod value;

/// The Rust part of the package.
#[pyo3::pymodule(gil_used = false)]
mod _elbowroom {
    #[pymodule_export]
    const KAPPA: f64 = elbowroom::batch::DEFAULT_KAPPA;
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use crate::blocks::{ln_expected_improvement, ln_penalizer, qei};
    #[pymodule_export]
    use crate::gp::GaussianProcess;
    #[pymodule_export]
    use crate::problems::{Problem, problem_names};
    #[pymodule_export]
    use crate::settings::{nearest, strategies};
    #[pymodule_export]
    use crate::study::{Study, studies};
    #[pymodule_export]
    use crate::suggest::suggest;
}
