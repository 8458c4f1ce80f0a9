//! `elbow deploy`: templates that start workers on a cluster. They are printed, to be read and adapted; nothing is run.

use anyhow::Result;
use serde_json::json;

use super::answer;
use crate::args::{Cluster, Deploy};

/// Prints a template.
pub fn deploy(args: &Deploy, json: bool) -> Result<()> {
    let text = match args.cluster {
        Cluster::Slurm => slurm(args),
        Cluster::Kubernetes => kubernetes(args),
    };
    answer(json, || json!({ "template": text }), || text.clone())
}

fn slurm(args: &Deploy) -> String {
    let (n, study) = (args.workers, word(&args.study));
    format!(
        r#"#!/bin/sh
# {n} workers of an elbow study, as a Slurm array. Start with: sbatch workers.sh
# The study's store must be one that all nodes reach: PostgreSQL, not a file on a network file system.
# Write its address into study.toml as store = "$ELBOW_STORE" and export ELBOW_STORE here or from a file of mode 0600.
#SBATCH --job-name=elbow
#SBATCH --array=1-{n}
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
# Slurm's SIGTERM before the time is up: the worker gives its trial back, and nothing is lost.
#SBATCH --signal=B:TERM@60

export ELBOW_STORE="${{ELBOW_STORE:?set it to postgres://…}}"
exec elbow worker {study}
"#
    )
}

fn kubernetes(args: &Deploy) -> String {
    let (n, study) = (args.workers, &args.study);
    let study = serde_json::Value::String(study.clone());
    format!(
        r#"# {n} workers of an elbow study, as an Indexed Job. Start with: kubectl apply -f workers.yaml
# The image holds elbow, your program and the study.toml, with store = "$ELBOW_STORE".
# The secret: kubectl create secret generic elbow-store --from-literal=address='postgres://…'
apiVersion: batch/v1
kind: Job
metadata:
  name: elbow-workers
spec:
  completionMode: Indexed
  completions: {n}
  parallelism: {n}
  backoffLimitPerIndex: 3
  template:
    spec:
      restartPolicy: Never
      # After SIGTERM the worker gives its trial back.
      terminationGracePeriodSeconds: 30
      containers:
        - name: worker
          image: REPLACE-WITH-YOUR-IMAGE
          command: ["elbow", "worker", {study}]
          env:
            - name: ELBOW_STORE
              valueFrom:
                secretKeyRef: {{ name: elbow-store, key: address }}
          resources:
            requests: {{ cpu: "1", memory: 1Gi }}
"#
    )
}

/// A word as a shell reads it.
fn word(text: &str) -> String {
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
