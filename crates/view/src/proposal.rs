//! Points with some parameters held fixed: the best of many candidates by the acquisition, lowered by those before.

use std::collections::{BTreeMap, HashSet};

use elbowroom::error::{Error, Result};
use elbowroom::gp::Scratch;
use elbowroom::rng::Stream;
use elbowroom::space::{Point, UnitPoint, Value};

use crate::lens::Lens;
use crate::scene::Scene;

/// Candidates that are drawn at random, and those drawn ever closer around the best of them.
const CANDIDATES: usize = 600;
const CLOSER: usize = 120;

/// Up to n points that are feasible and free, with these values. Before there is a model they are drawn at random.
///
/// ```
/// use elbowroom::space::{Parameter, SearchSpace, Value};
/// use elbowroom::study::{Study, StudyConfig};
/// use elbowroom_view::{Scene, proposal::propose};
/// use std::collections::BTreeMap;
///
/// let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::int("n", 1, 9)])?;
/// let study = Study::new(StudyConfig::new(space))?;
/// let fixed = BTreeMap::from([("n".to_owned(), Value::Int(4))]);
/// let points = propose(&Scene::alone("plate", &study), &fixed, 3)?;
/// assert!(points.len() == 3 && points.iter().all(|point| point.get("n") == Some(&Value::Int(4))));
/// # Ok::<(), elbowroom::error::Error>(())
/// ```
pub fn propose(scene: &Scene<'_>, fixed: &BTreeMap<String, Value>, n: usize) -> Result<Vec<Point>> {
    let space = scene.study.space();
    let held = coordinates(scene, fixed)?;
    let mut stream = Stream::new(scene.study.config().seed).child("held fixed", scene.study.events().len() as u64);
    let mut taken: HashSet<_> = scene.study.trials().iter().map(|trial| space.key(&trial.unit)).collect();
    let mut lens = Lens::new(scene).ok();
    let mut scratch = Scratch::default();
    let mut points = Vec::new();
    for _ in 0..n {
        let mut best: Option<(f64, UnitPoint)> = None;
        for i in 0..CANDIDATES + CLOSER {
            let mut unit = space.sample(&mut stream).into_vec();
            if let (Some((_, around)), CANDIDATES..) = (&best, i) {
                // From a tenth of the range down to a thousandth.
                let reach = 0.1 * 0.01f64.powf((i - CANDIDATES) as f64 / CLOSER as f64);
                unit = around.iter().map(|u| u + reach * stream.normal()).collect();
            }
            held.iter().for_each(|(dim, u)| unit[*dim] = *u);
            let unit = UnitPoint::clamped(unit);
            let mut snapped = unit.to_vec();
            space.snap(&mut snapped);
            let unit = UnitPoint::clamped(snapped);
            if !space.is_feasible(&unit) || taken.contains(&space.key(&unit)) {
                continue;
            }
            let score = lens.as_ref().map_or(0.0, |lens| lens.at(&unit, &mut scratch).ln_after);
            if best.as_ref().is_none_or(|(known, _)| score > *known) {
                best = Some((score, unit));
            }
            // Without a model the first that is free will do.
            if lens.is_none() && best.is_some() {
                break;
            }
        }
        let Some((_, unit)) = best else { break };
        taken.insert(space.key(&unit));
        lens.iter_mut().for_each(|lens| lens.push(&unit));
        points.push(exactly(space.decode(&unit), fixed));
    }
    Ok(points)
}

/// The coordinates of the values that are held. Fails, naming the parameter, where one cannot be.
fn coordinates(scene: &Scene<'_>, fixed: &BTreeMap<String, Value>) -> Result<Vec<(usize, f64)>> {
    let space = scene.study.space();
    let anywhere = space.decode(&UnitPoint::clamped(vec![0.5; space.dim()]));
    let unit = space.encode(&exactly(anywhere, fixed))?;
    let dim = |name: &String| {
        (0..space.dim()).find(|dim| space.searched(*dim).name() == name).ok_or_else(|| {
            Error::space(format!("no parameter that is searched is called `{name}`"), "hold one that is searched")
        })
    };
    fixed.keys().map(|name| dim(name).map(|dim| (dim, unit[dim]))).collect()
}

/// The point with these values as they were given.
fn exactly(point: Point, fixed: &BTreeMap<String, Value>) -> Point {
    let value = |name: &str, own: &Value| fixed.get(name).unwrap_or(own).clone();
    let known = point.iter().fold(Point::new(), |new, (name, own)| new.with(name, value(name, own)));
    let unknown = fixed.iter().filter(|(name, _)| point.get(name).is_none());
    unknown.fold(known, |new, (name, value)| new.with(name, value.clone()))
}
