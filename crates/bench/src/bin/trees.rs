//! Searches in random trees, on which rules for spaces with conditions are chosen: `trees [--trees 2] [--from 0]
//! [--shapes one,deep,chain,stages] [--functions bowl,wave,step,noisy] [--methods elbowroom,random] [--seeds 4]
//! [--threads 1] [--out FILE] [--summary]`. `--trees` is the number for each shape and function.
//!
//! Runs that have a row already are not run again.

use elbowroom_bench::options::Options;
use elbowroom_bench::rows::Rows;
use elbowroom_bench::trees::drawn::{FUNCTIONS, SHAPES, drawn};
use elbowroom_bench::trees::race::{AT, race};
use elbowroom_bench::trees::{Tree, summary};

fn main() {
    let (mut n_trees, mut from, mut seeds, mut threads, mut is_summary) = (2u64, 0u64, 4u64, 1usize, false);
    let mut shapes = SHAPES.map(String::from).to_vec();
    let mut functions = FUNCTIONS.map(String::from).to_vec();
    let mut methods = ["elbowroom", "random"].map(String::from).to_vec();
    let mut out = "target/trees.csv".to_owned();
    let mut options = Options::of_this_program(
        "usage: trees [--trees 2] [--from 0] [--shapes one,deep,chain,stages] [--functions bowl,wave,step,noisy] [--methods elbowroom,random] [--seeds 4] [--threads 1] [--out FILE] [--summary]",
    );
    while let Some(name) = options.next() {
        match name.as_str() {
            "--trees" => n_trees = options.number(&name),
            "--from" => from = options.number(&name),
            "--shapes" => shapes = options.names(&name),
            "--functions" => functions = options.names(&name),
            "--methods" => methods = options.names(&name),
            "--seeds" => seeds = options.number(&name),
            "--threads" => threads = options.number(&name),
            "--out" => out = options.text(&name),
            "--summary" => is_summary = true,
            other => options.unknown(other),
        }
    }
    let mut names = Vec::new();
    for number in from..from + n_trees {
        for shape in &shapes {
            names.extend(functions.iter().map(|function| (shape.as_str(), function.as_str(), number)));
        }
    }
    let columns: Vec<String> = AT.iter().map(|n| format!("after{n}")).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let rows = Rows::open(&out, &["tree", "method", "seed"], &columns);
    let trees: Vec<Tree> = match is_summary {
        true => Vec::new(),
        false => names.iter().map(|(shape, function, number)| drawn(shape, function, *number)).collect(),
    };
    let mut jobs: Vec<(&Tree, &str, u64)> = Vec::new();
    for seed in 0..seeds {
        for tree in &trees {
            jobs.extend(methods.iter().map(|method| (tree, method.as_str(), seed)));
        }
    }
    let key = |(tree, method, seed): &(&Tree, &str, u64)| summary::key(&tree.name, method, *seed);
    let curves = rows.run(&jobs, threads, key, |(tree, method, seed)| race(tree, method, *seed));
    let names: Vec<String> =
        names.iter().map(|(shape, function, number)| format!("{shape}-{function}{number}")).collect();
    println!("{}", summary::table(&names, &methods, seeds, &curves));
}
