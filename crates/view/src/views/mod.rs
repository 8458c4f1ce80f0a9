//! Every view that a panel of the dashboard draws: the data it shows, as JSON.
//!
//! A view is a function of a scene, in a file here or in the core's `insight`, and one entry of the list [`VIEWS`]. From
//! that entry come its address, its place in the OpenAPI document and in a report, and the JavaScript that draws it:
//! `assets/panels/NAME.js`, which exports a panel of the same name and says on which page it is.

pub mod front;
pub mod health;
pub mod history;
pub mod map;
pub mod model;
pub mod timeline;

use elbowroom::error::{Error, Result};
use elbowroom::insight::{Importance, Quality, importance, quality, why};
use elbowroom::study::TrialId;
use elbowroom_store::StatusAnswer;
use serde::Serialize;
use serde_json::Value;

use self::front::{Front, front};
use self::health::{Health, health};
use self::history::{History, history};
use self::map::{Map, map};
use self::model::{Parallel, Slices, Surface, parallel, slices, surface};
use self::timeline::{Timeline, timeline};
use crate::scene::Scene;

/// Values of a history, lines of parallel coordinates, attempts of a timeline: as many as a browser can draw at once.
const VALUES: usize = 4000;
const LINES: usize = 400;
const ATTEMPTS: usize = 3000;

/// A view by its name and its type, with a sentence that says what it shows, and how it is made from a scene and a
/// [`Look`].
macro_rules! view {
    ($name:ident: $type:ident, $summary:literal, |$scene:pat_param, $look:pat_param| $made:expr) => {
        View {
            name: stringify!($name),
            type_name: stringify!($type),
            summary: $summary,
            model: Model::Unused,
            is_over_two: false,
            panel: (
                concat!("/panels/", stringify!($name), ".js"),
                include_str!(concat!("../../assets/panels/", stringify!($name), ".js")),
            ),
            make: |$scene, $look| in_json::<$type>($made),
            #[cfg(feature = "schema")]
            add_schema: |generator| drop(generator.subschema_for::<$type>()),
        }
    };
}

/// All views, in the order of their panels on a page.
pub static VIEWS: &[View] = &[
    view!(history: History, "The value of each trial, and the best so far.", |scene, _| &history(scene, VALUES)),
    view!(front: Front, "The front of several objectives, and any two results of each trial.", |scene, _| &front(
        scene, VALUES
    )),
    view!(
        map: Map,
        "Trials over two coordinates, with the exclusion radius of each pending point.",
        |scene, look| &map(scene, look.with_model, look.x, look.y)
    )
    .over_two()
    .better_with_model(),
    view!(importance: Importance, "How much each parameter matters, with uncertainty.", |scene, _| &importance(
        scene.study
    )?)
    .of_model(),
    view!(
        surface: Surface,
        "The model over two coordinates, the acquisition before and after penalization.",
        |scene, look| &surface(scene, look.x, look.y)?
    )
    .over_two()
    .of_model(),
    view!(slices: Slices, "The model along each parameter, through the recommended point.", |scene, _| &slices(scene)?)
        .of_model(),
    view!(quality: Quality, "Leave-one-out predictions and their calibration.", |scene, _| &quality(scene.study)?)
        .of_model(),
    view!(parallel: Parallel, "All parameters of the better trials.", |scene, _| &parallel(scene, LINES)),
    view!(timeline: Timeline, "Who ran which attempt, from when to when.", |scene, _| &timeline(scene, ATTEMPTS)),
    view!(health: Health, "What may be wrong with the study.", |scene, look| &Health {
        findings: health(scene, look.with_model)
    })
    .better_with_model(),
];

/// A view: what a panel of the dashboard draws.
#[derive(Debug)]
pub struct View {
    /// Its name in addresses, and the name of its panel.
    pub name: &'static str,
    /// The name of the type that it serializes.
    pub type_name: &'static str,
    /// What it shows, in a sentence.
    pub summary: &'static str,
    /// Whether it is over two parameters.
    pub is_over_two: bool,
    /// Where its panel is served, and the panel's text.
    pub(crate) panel: (&'static str, &'static str),
    model: Model,
    make: fn(&Scene<'_>, Look) -> Result<Value>,
    #[cfg(feature = "schema")]
    add_schema: fn(&mut schemars::SchemaGenerator),
}

/// What a view does with the model, which may take a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Model {
    Unused,
    /// The view shows more with a model.
    Helps,
    Needed,
}

/// The options of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// The index of the horizontal parameter among the searched ones, from 0, for a view over two.
    pub x: usize,
    /// The index of the vertical parameter.
    pub y: usize,
    /// Whether the model may be used, which may take a fit.
    pub with_model: bool,
}

impl View {
    const fn over_two(self) -> Self {
        Self { is_over_two: true, ..self }
    }

    const fn better_with_model(self) -> Self {
        Self { model: Model::Helps, ..self }
    }

    const fn of_model(self) -> Self {
        Self { model: Model::Needed, ..self }
    }

    /// The view with a name.
    ///
    /// ```
    /// use elbowroom_view::views::View;
    ///
    /// assert_eq!(View::named("slices").unwrap().type_name, "Slices");
    /// assert!(View::named("weather").is_none());
    /// ```
    pub fn named(name: &str) -> Option<&'static Self> {
        VIEWS.iter().find(|view| view.name == name)
    }

    /// Whether it uses the model if there is one.
    pub fn looks_at_model(&self) -> bool {
        self.model != Model::Unused
    }

    /// The view as JSON. Without a model it shows what it can.
    ///
    /// ```
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// use elbowroom::study::{Study, StudyConfig};
    /// use elbowroom_view::views::{Look, View};
    /// use elbowroom_view::Scene;
    ///
    /// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    /// let study = Study::new(StudyConfig::new(space))?;
    /// let history = View::named("history").unwrap().draw(&Scene::alone("plate", &study), Look::default())?;
    /// assert_eq!(history["n_values"], 0);
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are no such parameters, or no model of the study can be fitted.
    pub fn draw(&self, scene: &Scene<'_>, look: Look) -> Result<Value> {
        let (dim, Look { x, y, with_model }) = (scene.study.space().dim(), look);
        if self.is_over_two && (x >= dim || y >= dim) {
            let what = format!("coordinates {x} and {y} were asked for, and {dim} parameters are searched");
            return Err(Error::space(what, "count the searched parameters from 0"));
        }
        if self.model == Model::Needed && !with_model {
            return Err(no_model());
        }
        (self.make)(scene, look)
    }

    /// Adds the schemas of its type, and of the types that this contains.
    #[cfg(feature = "schema")]
    pub fn add_schema(&self, generator: &mut schemars::SchemaGenerator) {
        (self.add_schema)(generator);
    }
}

/// One trial: its status and its results, without the reason why it was chosen.
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

fn in_json<T: Serialize>(view: &T) -> Result<Value> {
    serde_json::to_value(view).map_err(|error| Error::data(format!("a view cannot be written: {error}"), "report this"))
}
