//! Every view by its name, as JSON: what the dashboard draws and a report keeps.

use elbowroom::error::{Error, Result};
use elbowroom::insight::{importance, quality, why};
use elbowroom::study::TrialId;
use elbowroom_store::StatusAnswer;
use serde::Serialize;
use serde_json::Value;

use crate::health::{Health, health};
use crate::history::history;
use crate::map::map;
use crate::model::{parallel, slices, surface};
use crate::scene::Scene;
use crate::timeline::timeline;

/// Values of a history, lines of parallel coordinates, attempts of a timeline: what a browser draws at once.
const VALUES: usize = 4000;
const LINES: usize = 400;
const ATTEMPTS: usize = 3000;

/// A view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Picture {
    /// The value of each trial.
    History,
    /// Where trials are over two parameters.
    Map,
    /// The model over two parameters.
    Surface,
    /// The model along each parameter.
    Slices,
    /// How much each parameter matters.
    Importance,
    /// How well the model predicts.
    Quality,
    /// All parameters at once.
    Parallel,
    /// Who ran what.
    Timeline,
    /// What may be wrong.
    Health,
}

impl Picture {
    /// All of them, with their names in addresses.
    pub const ALL: [(&'static str, Picture); 9] = [
        ("history", Picture::History),
        ("map", Picture::Map),
        ("surface", Picture::Surface),
        ("slices", Picture::Slices),
        ("importance", Picture::Importance),
        ("quality", Picture::Quality),
        ("parallel", Picture::Parallel),
        ("timeline", Picture::Timeline),
        ("health", Picture::Health),
    ];

    /// Whether it looks at the model, which may take a fit.
    pub fn needs_model(self) -> bool {
        !matches!(self, Picture::History | Picture::Parallel | Picture::Timeline)
    }

    /// Whether it is over two parameters.
    pub fn is_over_two(self) -> bool {
        matches!(self, Picture::Map | Picture::Surface)
    }

    /// The view, over coordinates x and y where it is over two. Without `with_model` it shows what it can.
    pub fn draw(self, scene: &Scene<'_>, x: usize, y: usize, with_model: bool) -> Result<Value> {
        let dim = scene.study.space().dim();
        if self.is_over_two() && (x >= dim || y >= dim) {
            let what = format!("coordinates {x} and {y} were asked for, and {dim} parameters are searched");
            return Err(Error::space(what, "count the searched parameters from 0"));
        }
        if self.needs_model() && !with_model && !matches!(self, Picture::Map | Picture::Health) {
            return Err(no_model());
        }
        match self {
            Picture::History => in_json(&history(scene, VALUES)),
            Picture::Map => in_json(&map(scene, with_model, x, y)),
            Picture::Surface => in_json(&surface(scene, x, y)?),
            Picture::Slices => in_json(&slices(scene)?),
            Picture::Importance => in_json(&importance(scene.study)?),
            Picture::Quality => in_json(&quality(scene.study)?),
            Picture::Parallel => in_json(&parallel(scene, LINES)),
            Picture::Timeline => in_json(&timeline(scene, ATTEMPTS)),
            Picture::Health => in_json(&Health { findings: health(scene, with_model) }),
        }
    }
}

/// One trial: how it stands and what was measured, without why it was chosen.
pub fn trial_page(scene: &Scene<'_>, id: TrialId) -> Result<StatusAnswer> {
    Ok(scene.answer(scene.study.trial(id)?))
}

/// Why a trial's point was chosen.
pub fn why_page(scene: &Scene<'_>, id: TrialId) -> Result<Value> {
    in_json(&why(scene.study, id)?)
}

pub(crate) fn no_model() -> Error {
    Error::data("there are too many results for pictures of the model", "look at the history and the trials")
}

fn in_json(view: &impl Serialize) -> Result<Value> {
    serde_json::to_value(view).map_err(|error| Error::data(format!("a view cannot be written: {error}"), "report this"))
}
