//! The function to maximize: the posterior mean of a Gaussian process trained on measured genes.

use std::path::Path;

use elbowroom::data::Dataset;
use elbowroom::gp::{FitParams, Hyperparameters, KernelKind, NoiseRule, Posterior, Scratch, Shape, fit};
use elbowroom::linalg::Points;
use elbowroom::rng::Stream;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::data::{moments, number, read, standardized};
use crate::stats::quantile;

/// Features and targets of genes, for training and validation.
#[derive(Debug, Clone, PartialEq)]
pub struct Genes {
    /// A description of the data, for captions.
    pub name: String,
    /// The features for training.
    pub x: Vec<Vec<f64>>,
    /// Their targets.
    pub y: Vec<f64>,
    /// The features for validation.
    pub valid_x: Vec<Vec<f64>>,
    /// Their targets.
    pub valid_y: Vec<f64>,
}

/// The file of yeast genes, without its extension.
const FILE: &str = "yeast_codon71";
const TARGET: &str = "log10_protein_ppm";

/// Columns that are not features of the sequence.
const NOT_FEATURES: [&str; 5] = ["orf", "gene", "split", "log10_mrna_rpkm", TARGET];

impl Genes {
    /// Yeast genes: the shares of 61 codons and ten more features, and the amount of protein that the cell makes.
    pub fn yeast(dir: &Path) -> Result<Self> {
        let (header, rows) = read(dir, FILE)?;
        let column =
            |name: &str| header.iter().position(|h| h == name).ok_or_else(|| format!("{FILE} has no column {name}"));
        let (split, target) = (column("split")?, column(TARGET)?);
        let features: Vec<usize> = (0..header.len()).filter(|&k| !NOT_FEATURES.contains(&header[k].as_str())).collect();
        let part = |name: &str| -> Result<(Vec<Vec<f64>>, Vec<f64>)> {
            let these: Vec<&Vec<String>> = rows.iter().filter(|row| row[split] == name).collect();
            let x =
                these.iter().map(|row| features.iter().map(|&k| number(&row[k])).collect()).collect::<Result<_>>()?;
            Ok((x, these.iter().map(|row| number(&row[target])).collect::<Result<_>>()?))
        };
        let ((x, y), (valid_x, valid_y)) = (part("train")?, part("valid")?);
        Ok(Self { name: format!("{} features of yeast genes", features.len()), x, y, valid_x, valid_y })
    }

    /// Generated genes for a quick run; they do not represent real data.
    pub fn generated(n_train: usize, n_valid: usize) -> Self {
        let dim = 6;
        let mut stream = Stream::new(0).child("generated genes", 0);
        let mut part = |n: usize| {
            let x: Vec<Vec<f64>> = (0..n).map(|_| (0..dim).map(|_| stream.normal()).collect()).collect();
            let y = x.iter().map(|x| x[0] - 0.5 * x[1] * x[1] + x[2].sin() + 0.3 * stream.normal()).collect();
            (x, y)
        };
        let ((x, y), (valid_x, valid_y)) = (part(n_train), part(n_valid));
        Self { name: format!("{dim} GENERATED features that stand in for no real data"), x, y, valid_x, valid_y }
    }
}

/// What is saved of a surrogate: enough to recreate it without a search, and how good it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// A description of the data.
    pub data: String,
    /// The number of genes for training.
    pub n_train: usize,
    /// The number of genes for validation.
    pub n_valid: usize,
    /// Found by maximum likelihood, in standard deviations of each feature.
    pub hyperparameters: Hyperparameters,
    /// The share of the variance of the validation genes that it explains.
    pub r_squared: f64,
    /// The root mean square error there.
    pub rmse: f64,
}

/// The function, on a box of standardized features.
pub struct Surrogate {
    posterior: Posterior,
    /// The lowest and the highest value searched, in standard deviations of each feature from its mean.
    pub bounds: Vec<(f64, f64)>,
    /// How it was trained.
    pub record: Record,
}

/// The box: between these quantiles of the training genes in every feature.
pub const QUANTILES: (f64, f64) = (0.01, 0.99);

impl Surrogate {
    /// Trains the process, or recreates it from `model.json` in a folder if that file is for the same data.
    pub fn load(genes: &Genes, dir: &Path) -> Result<Self> {
        let scale = moments(&genes.x);
        let x = standardized(&genes.x, &scale);
        let dim = scale.len();
        let data = Dataset::new(Points::from_rows(dim, x.concat())?, genes.y.clone())?;
        let path = dir.join("model.json");
        let kept: Option<Record> = std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let (posterior, record) = match kept.filter(|r| r.data == genes.name && r.n_train == genes.y.len()) {
            Some(record) => (Posterior::new(&data, record.hyperparameters.clone())?, record),
            None => {
                let posterior = train(&data)?;
                let (r_squared, rmse) = validate(&posterior, &standardized(&genes.valid_x, &scale), &genes.valid_y);
                let (n_train, n_valid) = (genes.y.len(), genes.valid_y.len());
                let hyperparameters = posterior.hyper().clone();
                let record = Record { data: genes.name.clone(), n_train, n_valid, hyperparameters, r_squared, rmse };
                std::fs::write(&path, serde_json::to_string_pretty(&record)?)?;
                (posterior, record)
            }
        };
        let side = |k: usize| {
            let column: Vec<f64> = x.iter().map(|row| row[k]).collect();
            (quantile(&column, QUANTILES.0), quantile(&column, QUANTILES.1))
        };
        Ok(Self { posterior, bounds: (0..dim).map(side).collect(), record })
    }

    /// The value at a point of the box: larger is better.
    pub fn value(&self, x: &[f64]) -> f64 {
        self.posterior.mean_gradient(x, &mut Scratch::default())
    }
}

/// An exponentiated quadratic kernel with one lengthscale for all features, and noise: maximum likelihood.
fn train(data: &Dataset) -> Result<Posterior> {
    let noise = NoiseRule::Fitted { floor: 1e-4 };
    let shape = Shape { ard: false, noise, ..Shape::new(KernelKind::Rbf, data.dim()) };
    // In this many dimensions typical distances grow like the square root of their number, and so does a sensible
    // lengthscale.
    let extent = vec![(data.dim() as f64).sqrt(); data.dim()];
    let params = FitParams::maximum_likelihood(shape, extent, 5);
    Ok(fit(data, &params, &Stream::new(0).child("surrogate", 0))?.posterior)
}

/// R² and the root mean square error on other genes.
fn validate(posterior: &Posterior, x: &[Vec<f64>], y: &[f64]) -> (f64, f64) {
    let mut scratch = Scratch::default();
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let total: f64 = y.iter().map(|v| (v - mean).powi(2)).sum();
    let left: f64 = x.iter().zip(y).map(|(x, v)| (posterior.mean_gradient(x, &mut scratch) - v).powi(2)).sum();
    (1.0 - left / total, (left / y.len() as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surrogate_is_made_again_from_its_record() {
        let dir = std::env::temp_dir().join(format!("elbowroom-paper-gene-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let genes = Genes::generated(80, 60);
        let first = Surrogate::load(&genes, &dir).unwrap();
        let again = Surrogate::load(&genes, &dir).unwrap();
        assert!(first.record.r_squared > 0.5, "{:?}", first.record);
        let x = vec![0.3; 6];
        assert!((first.value(&x) - again.value(&x)).abs() < 1e-9);
        std::fs::remove_dir_all(dir).unwrap();
    }
}
