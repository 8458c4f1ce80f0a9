//! Several objectives: fronts, the volume they dominate, and what one more point is expected to add to it.
//!
//! All objectives are maximized. The *reference point* is the worst value that counts in each of them. A point
//! dominates another if it is no worse in any objective and better in one; the *front* consists of the points that no
//! other point dominates. The volume between the reference point and the front, the hypervolume, measures how good the
//! front is.
//!
//! | file | what |
//! |---|---|
//! | `front` | dominance, fronts, and the reference point where none is given |
//! | `hypervolume` | the dominated volume, by sections |
//! | `cells` | the space that a front leaves undominated, cut into boxes |
//! | `strip` | E(min(Y, b) − a)₊ and its slopes, in logarithms |
//! | `improvement` | ln of the expected improvement of the hypervolume: exact by boxes, or by directions where these are too many |
//! | `polar` | the same as a mean over directions |
//! | `dominated` | the chance that a point is not dominated |

mod cells;
mod dominated;
mod front;
mod hypervolume;
mod improvement;
mod polar;
mod strip;

pub use dominated::Undominated;
pub use front::{Front, dominates, non_dominated, reference_point};
pub use hypervolume::hypervolume;
pub use improvement::{HypervolumeImprovement, Slopes};
