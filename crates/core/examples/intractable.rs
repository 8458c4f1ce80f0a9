//! How near local penalization comes to what it stands in for: Eq. 2 of the paper, on a line.
//!
//! For a few random posteriors and two points, the average of the expected improvement over the first result is
//! integrated, and its maximizer compared with the second point of local penalization.
//!
//! ```sh
//! cargo run --release -p elbowroom --example intractable
//! ```

use std::collections::HashSet;

use elbowroom::batch::{
    AcquisitionKind, BatchSize, BatchStrategy, LocalPenalization, Marginalized, MaximumRule, Situation,
};
use elbowroom::data::Dataset;
use elbowroom::error::Result;
use elbowroom::gp::{Hyperparameters, KernelKind, Posterior};
use elbowroom::linalg::Points;
use elbowroom::penalty::PenalizerKind;
use elbowroom::rng::Stream;
use elbowroom::space::{Parameter, SearchSpace};

const POSTERIORS: u64 = 20;
const NODES: usize = 64;
const GRID: usize = 1000;

fn main() -> Result<()> {
    let plain = LocalPenalization { maximum: MaximumRule::MaxMean, ..LocalPenalization::paper_ei() };
    let settings = [
        ("soft", plain.clone()),
        ("truncated", LocalPenalization { penalizer: Some(PenalizerKind::Truncated), ..plain }),
        ("default", LocalPenalization::default()),
    ];
    println!("{:9}  {:>22}  {:>22}", "", "distance, lengthscales", "share of the maximum");
    println!("{:9}  {:>10}  {:>10}  {:>10}  {:>10}", "penalizer", "median", "largest", "median", "least");
    for (name, strategy) in settings {
        let (mut distances, mut shares) = (Vec::new(), Vec::new());
        for seed in 0..POSTERIORS {
            let (distance, share) = compare(&strategy, &random_posterior(seed)?, seed)?;
            distances.push(distance);
            shares.push(share);
        }
        distances.sort_by(f64::total_cmp);
        shares.sort_by(f64::total_cmp);
        let middle = POSTERIORS as usize / 2;
        let (far, least) = (distances[distances.len() - 1], shares[0]);
        println!("{name:9}  {:10.3}  {far:10.3}  {:10.3}  {least:10.3}", distances[middle], shares[middle]);
    }
    Ok(())
}

/// Six values of a function drawn from the prior.
fn random_posterior(seed: u64) -> Result<Posterior> {
    let hyper = Hyperparameters::new(KernelKind::Matern52, 1.0, vec![0.15], 1e-4);
    let mut draw = Stream::new(seed).child("posterior", 0);
    let x = Points::from_rows(1, (0..6).map(|_| draw.uniform()).collect())?;
    let far_away = Dataset::new(Points::from_rows(1, vec![1e3])?, vec![0.0])?;
    let y = Posterior::new(&far_away, hyper.clone())?.sample(&x, 1, &mut draw)?.row(0).to_vec();
    Posterior::new(&Dataset::new(x, y)?, hyper)
}

/// How far the second point is from the maximizer, and its share of the maximum.
fn compare(strategy: &LocalPenalization, posterior: &Posterior, seed: u64) -> Result<(f64, f64)> {
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0)])?;
    let (taken, stream) = (HashSet::new(), Stream::new(seed));
    let situation = Situation { posterior, space: &space, pending: &[], taken: &taken, stream: &stream };
    let points = strategy.choose(&situation, BatchSize::new(2)?)?.points;
    let exact = Marginalized::new(posterior, &points[0], AcquisitionKind::Ei, NODES)?;
    let grid = (0..=GRID).map(|i| i as f64 / GRID as f64).map(|x| (x, exact.value(&[x])));
    let (at, most) = grid.fold((0.0, 0.0), |best, next| if next.1 > best.1 { next } else { best });
    Ok((posterior.squared_distance(&points[1], &[at]).sqrt(), exact.value(&points[1]) / most))
}
