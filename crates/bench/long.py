#!/usr/bin/env python3
"""Regret after 300 and 500 evaluations of builds of the program `peer`, which speak JSON lines.

    long.py --out results/long.csv NAME=PATH [NAME=PATH ...]

Problems are shifted by the seed, batches have ten points. Rows that are in the file are not run again.
"""
import argparse
import csv
import json
import math
import os
import random
import subprocess


def ackley(x):
    n = len(x)
    return (20 + math.e - 20 * math.exp(-0.2 * math.sqrt(sum(v * v for v in x) / n))
            - math.exp(sum(math.cos(2 * math.pi * v) for v in x) / n))


def levy(x):
    w = [1 + v / 4 for v in x]
    middle = sum((a - 1) ** 2 * (1 + 10 * math.sin(math.pi * a + 1) ** 2) for a in w[:-1])
    return math.sin(math.pi * w[0]) ** 2 + middle + (w[-1] - 1) ** 2 * (1 + math.sin(2 * math.pi * w[-1]) ** 2)


def rosenbrock(x):
    return sum(100 * ((b + 1) - (a + 1) ** 2) ** 2 + a * a for a, b in zip(x, x[1:]))


def styblinski(x):
    least = -39.16616570377142 * len(x)
    return sum(0.5 * (w ** 4 - 16 * w * w + 5 * w) for w in (v - 2.903534 for v in x)) - least


def griewank(x):
    return 1 + sum(v * v for v in x) / 4000 - math.prod(math.cos(v / math.sqrt(i + 1)) for i, v in enumerate(x))


def rastrigin(x):
    return sum(v * v - 10 * math.cos(2 * math.pi * v) + 10 for v in x)


# The function with its minimum of 0 at the origin, the dimension, and half the width of the box.
PROBLEMS = {"ackley5": (ackley, 5, 8.0), "levy10": (levy, 10, 5.0), "rosenbrock4": (rosenbrock, 4, 2.0),
            "styblinski8": (styblinski, 8, 5.0), "griewank6": (griewank, 6, 50.0), "rastrigin4": (rastrigin, 4, 3.0)}


def run(path, name, seed, sizes, q=10):
    function, d, half = PROBLEMS[name]
    draw = random.Random(f"{name} {seed}")
    shift = [half * draw.uniform(-0.4, 0.4) for _ in range(d)]
    process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def call(**request):
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    call(op="init", box=[[-half, half]] * d, seed=seed, n_init=q)
    best, found, told = math.inf, {}, 0
    while told < max(sizes):
        x = call(op="ask", q=q)["x"]
        y = [function([a - s for a, s in zip(point, shift)]) for point in x]
        call(op="tell", x=x, y=y)
        told, best = told + len(y), min([best, *y])
        if told in sizes:
            found[told] = best
    process.stdin.close()
    process.wait()
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--problems", default=",".join(PROBLEMS))
    parser.add_argument("builds", nargs="+")
    args = parser.parse_args()
    done = set()
    if os.path.exists(args.out):
        with open(args.out) as file:
            done = {(r["build"], r["problem"], r["seed"]) for r in csv.DictReader(file)}
    else:
        with open(args.out, "w") as file:
            file.write("build,problem,seed,regret_300,regret_500\n")
    for seed in range(args.seeds):
        for problem in args.problems.split(","):
            for build in args.builds:
                name, path = build.split("=", 1)
                if (name, problem, str(seed)) not in done:
                    found = run(path, problem, seed, (300, 500))
                    with open(args.out, "a") as file:
                        file.write(f"{name},{problem},{seed},{found[300]!r},{found[500]!r}\n")


if __name__ == "__main__":
    main()
