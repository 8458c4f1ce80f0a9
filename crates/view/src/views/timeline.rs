//! Who ran which attempt of which trial, from when to when.

pub use elbowroom_store::{Span, Timeline, Worker};

use crate::scene::Scene;

/// The last `most` attempts.
pub fn timeline(scene: &Scene<'_>, most: usize) -> Timeline {
    Timeline::new(scene.study.events(), &scene.times, &scene.statuses, scene.now, most)
}
