#!/usr/bin/env bash
# Every experiment from one program, the short ones first: one.sh PAPER DATA, from the root of the workspace. PAPER is the
# program, built from a clean checkout; DATA has the folders `gene` and `protein`. It can be stopped and goes on where it was.
# One thread and the lowest priority, so that it may run beside other work: what is counted is CPU time.
set -euo pipefail
paper=${1:?the program} data=${2:?the folder of the data} out=crates/paper/results/one
batch="EI,UCB,Rand-EI,Rand-UCB,SM-UCB,B-UCB,PE-UCB,LP-EI,LP-UCB,LP,LP-T-UCB,Thompson,random,PE-UCB-theory,LP-EI-guarded,LP-UCB-guarded"
safeguards="LP-UCB,LP-EI,LP-UCB-guarded,LP-EI-guarded,LP-UCB-floor,LP-UCB-apart,LP-UCB-short,LP-EI-floor,LP-EI-apart,LP-EI-short"
grids="B-UCB,B-UCB-grid,PE-UCB,PE-UCB-grid,PE-UCB-theory,PE-UCB-theory-grid,SM-UCB,SM-UCB-grid,LP-UCB"

run() {
    echo "== $*"
    nice -n 19 "$paper" "$@"
}

for experiment in figure1 figure2 lipschitz intractable; do run "$experiment" --out "$out/$experiment"; done
run cosines --out "$out/cosines" --replicates 20
run table --out "$out/grid" --track R --replicates 20 --methods "$grids"
run gene --out "$out/gene" --data "$data/gene" --replicates 20
run table --out "$out/table" --track R --replicates 20 --methods "$batch"
run table --out "$out/table" --track R --model faithful --replicates 20 --methods "$batch"
run table --out "$out/table" --track R --replicates 60 --methods "$batch"
run table --out "$out/table" --track R --replicates 20 --methods Pred-EI,Pred-UCB,qEI
run table --out "$out/literal" --track R --replicates 20 --methods "$safeguards"
run table --out "$out/table" --track R --shifted --replicates 10
run table --out "$out/table" --track W --replicates 20
run table --out "$out/table" --track R --model faithful --replicates 5 --methods Pred-EI,Pred-UCB
run table --out "$out/table" --track R --model faithful --replicates 20 --methods qEI
run table --out "$out/table" --track E --replicates 10
run svr --out "$out/svr" --data "$data/protein" --replicates 10
run table --out "$out/table" --track T --replicates 1
run svr --out "$out/svr" --data "$data/protein" --paper-size
