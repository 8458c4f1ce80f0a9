//! Lowering a positive acquisition around given points: Lipschitz constant, penalizers, penalized acquisition.

mod front_ball;
mod lipschitz;
mod penalized;
mod penalizer;

pub use front_ball::FrontBall;
pub(crate) use lipschitz::power_and_direction;
pub use lipschitz::{
    Lipschitz, Norm, bare_lipschitz, gradient_certificate, lipschitz, lipschitz_at, whitened_lipschitz,
    whitened_lipschitz_at,
};
pub use penalized::{Ball, Penalized, raw_score, shrinkage};
pub use penalizer::{Penalizer, PenalizerKind, ln_penalizer};
