//! The best of several starts.

use super::{Bounds, Lbfgsb, LbfgsbInfo, Objective, Stop};

/// Maximizes from each start in turn and returns the best point; ties go to the earlier start.
///
/// Each start is independent of those before it. `None` if there is no start with a finite value and gradient.
///
/// # Panics
///
/// If the solver, a start and the box differ in dimension.
pub fn multistart<S: AsRef<[f64]>>(
    solver: &mut Lbfgsb,
    f: &mut (impl Objective + ?Sized),
    starts: impl IntoIterator<Item = S>,
    bounds: &Bounds,
) -> Option<(Vec<f64>, LbfgsbInfo)> {
    let mut best: Option<(Vec<f64>, LbfgsbInfo)> = None;
    let mut x = vec![0.0; bounds.dim()];
    for start in starts {
        x.copy_from_slice(start.as_ref());
        let info = solver.maximize(f, &mut x, bounds);
        if info.stop == Stop::NotFinite {
            continue;
        }
        match &mut best {
            Some((_, so_far)) if info.value <= so_far.value => {}
            Some((point, so_far)) => {
                point.copy_from_slice(&x);
                *so_far = info;
            }
            None => best = Some((x.clone(), info)),
        }
    }
    best
}
