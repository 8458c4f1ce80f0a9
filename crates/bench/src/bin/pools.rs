//! Searches in pools with known values: `pools --data DIR [--pools arylation,buchwald] [--methods elbowroom,random]
//! [--seeds 50] [--threads 1] [--out crates/bench/results/pools.csv] [--summary]`.
//!
//! `--tuning 4` instead uses this many drawn pools of each kind, on which defaults are chosen; `--kinds` names some
//! kinds, including those with descriptors (told, partly, untold), and `--first 100` counts them from 100 instead of 0,
//! for pools that chose nothing yet. Runs that have a row already are not run again. `--write DIR` only writes the pools
//! to files there, one for each, for other programs.

use std::path::PathBuf;

use elbowroom_bench::options::{Options, stop};
use elbowroom_bench::pools::race::{BATCH, BUDGET, race};
use elbowroom_bench::pools::{Pool, data, described, summary, tuning};
use elbowroom_bench::rows::Rows;

struct Plan {
    data: Option<PathBuf>,
    pools: Vec<String>,
    tuning: u64,
    first: u64,
    kinds: Vec<String>,
    methods: Vec<String>,
    seeds: u64,
    threads: usize,
    out: String,
    is_summary: bool,
    write: Option<PathBuf>,
}

impl Plan {
    fn read() -> Self {
        let mut plan = Self {
            data: None,
            pools: ["arylation", "buchwald"].map(String::from).to_vec(),
            tuning: 0,
            first: 0,
            kinds: tuning::KINDS.map(String::from).to_vec(),
            methods: ["elbowroom", "random"].map(String::from).to_vec(),
            seeds: 50,
            threads: 1,
            out: "crates/bench/results/pools.csv".into(),
            is_summary: false,
            write: None,
        };
        let mut options = Options::of_this_program(
            "usage: pools (--data DIR [--pools arylation,buchwald] | --tuning 4 [--first 0] [--kinds additive,potts]) [--methods elbowroom,random] [--seeds 50] [--threads 1] [--out FILE] [--summary] [--write DIR]",
        );
        while let Some(name) = options.next() {
            match name.as_str() {
                "--data" => plan.data = Some(options.text(&name).into()),
                "--pools" => plan.pools = options.names(&name),
                "--tuning" => plan.tuning = options.number(&name),
                "--first" => plan.first = options.number(&name),
                "--kinds" => plan.kinds = options.names(&name),
                "--methods" => plan.methods = options.names(&name),
                "--seeds" => plan.seeds = options.number(&name),
                "--threads" => plan.threads = options.number(&name),
                "--out" => plan.out = options.text(&name),
                "--write" => plan.write = Some(options.text(&name).into()),
                "--summary" => plan.is_summary = true,
                other => options.unknown(other),
            }
        }
        if plan.data.is_none() && plan.tuning == 0 {
            options.refuse("--data is missing");
        }
        plan
    }

    fn pools(&self) -> Vec<Pool> {
        match &self.data {
            Some(dir) => self.pools.iter().map(|name| data::read(dir, name).unwrap_or_else(|why| stop(&why))).collect(),
            None => {
                let one = |kind: &str, i: u64| match described::KINDS.contains(&kind) {
                    true => described::drawn(kind, i),
                    false => tuning::drawn(kind, i),
                };
                let numbered =
                    |kind: &String| (self.first..self.first + self.tuning).map(|i| one(kind, i)).collect::<Vec<_>>();
                self.kinds.iter().flat_map(numbered).collect()
            }
        }
    }
}

fn main() {
    let plan = Plan::read();
    let pools = plan.pools();
    if let Some(dir) = &plan.write {
        for pool in &pools {
            let path = dir.join(format!("{}.csv", pool.name));
            let written = std::fs::create_dir_all(dir).and_then(|()| std::fs::write(&path, pool.to_csv()));
            written.unwrap_or_else(|error| stop(&format!("{}: {error}", path.display())));
        }
        return;
    }
    let mut jobs: Vec<(&Pool, &str, u64)> = Vec::new();
    for seed in (0..plan.seeds).filter(|_| !plan.is_summary) {
        for pool in &pools {
            jobs.extend(plan.methods.iter().map(|method| (pool, method.as_str(), seed)));
        }
    }
    let columns: Vec<String> = (1..=BUDGET / BATCH).map(|batch| format!("after{}", batch * BATCH)).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let rows = Rows::open(&plan.out, &["pool", "method", "seed"], &columns);
    let key = |(pool, method, seed): &(&Pool, &str, u64)| summary::key(&pool.name, method, *seed);
    let curves = rows.run(&jobs, plan.threads, key, |(pool, method, seed)| race(pool, method, *seed));

    let Some(dir) = &plan.data else {
        println!("{}", summary::tuning(&pools, &plan.methods, &curves));
        return;
    };
    for pool in &pools {
        let mut methods: Vec<String> = plan.methods.clone();
        methods.extend(["optuna_tpe", "optuna_gp"].map(String::from));
        let mut lines: Vec<_> =
            methods.into_iter().map(|method| (method.clone(), summary::of(&curves, &pool.name, &method))).collect();
        if pool.name.starts_with("arylation") {
            lines.push(("EDBO, published".into(), summary::edbo(dir).unwrap_or_else(|why| stop(&why))));
        }
        println!("{}", summary::table(pool, &lines));
    }
}
