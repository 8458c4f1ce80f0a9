//! Whether a domain can be shown to hold no feasible point.
//!
//! There are three ways, starting with the cheapest: the linear constraints leave nothing of the box; one constraint is
//! false wherever the parameters are in their ranges; or there are few points, and each of them breaks a constraint. If
//! none of them decides, there may be feasible points.

use super::Domain;

/// Spaces of up to this many points are enumerated.
const FEW: u128 = 100_000;

impl Domain<'_> {
    /// A sentence that says why no point of the domain is feasible; none if that could not be shown.
    ///
    /// ```
    /// use elbowroom::domain::Domain;
    /// use elbowroom::space::{Parameter, SearchSpace};
    /// let space = SearchSpace::new(vec![Parameter::float("a", 0.0, 0.4), Parameter::float("b", 0.0, 0.5)])?;
    /// let mixtures = space.with_constraints(["a + b == 1"])?;
    /// let why = Domain::whole(&mixtures).why_empty().expect("0.4 + 0.5 < 1");
    /// assert_eq!(why, "no point within the parameters' ranges keeps `a + b == 1`");
    /// # Ok::<(), elbowroom::error::Error>(())
    /// ```
    pub fn why_empty(&self) -> Option<String> {
        let space = self.space();
        if self.is_listed() && self.n_points() == Some(0) {
            return Some("no candidate is within the narrowed ranges".to_owned());
        }
        if space.constraints().is_empty() {
            return None;
        }
        let ranges = if self.is_whole() { "the parameters' ranges" } else { "the narrowed ranges" };
        if let Some(constraint) = space.never_kept() {
            return Some(format!("no point within {ranges} keeps `{}`", constraint.text()));
        }
        if self.is_cut_off() {
            let linear: Vec<String> = space.linear_constraints().map(|c| format!("`{}`", c.text())).collect();
            return Some(match linear.as_slice() {
                [one] => format!("no point within {ranges} keeps {one}"),
                all => format!("no point within {ranges} keeps all of {}", all.join(", ")),
            });
        }
        if self.few_points().is_some_and(<[_]>::is_empty) {
            return Some(format!("no point within {ranges} keeps all constraints"));
        }
        let n = self.n_points().filter(|n| *n <= FEW)?;
        let is_any = self.enumerate()?.any(|u| self.is_feasible(&u));
        (!is_any).then(|| format!("none of the {n} points within {ranges} keeps the constraints"))
    }
}
