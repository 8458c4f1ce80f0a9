"""Accuracy against latency: which random forest should read the digits, if every millisecond counts?

    python examples/latency/latency.py [TRIALS]

A forest of more trees is more accurate and slower, and no forest is the best in both. The study looks for the front: the
forests that no other beats in both, among those that fit into the memory of a small device. It prints them, and draws them
into accuracy_latency.png. It needs scikit-learn, pandas and matplotlib.
"""

import pickle
import sys
from statistics import median
from time import perf_counter

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import elbowroom as er

SPACE = {
    "trees": er.Int(1, 200, log=True),
    "depth": er.Int(2, 20),
    "features": er.Float(0.02, 1, log=True),  # the share of the pixels that a split looks at
}

OUTCOMES = {
    "accuracy": er.Maximize(worst=0.7),
    "milliseconds": er.Minimize(worst=10),
    "kilobytes": er.AtMost(4000),
    "leaves": er.Watched(),
}

DATA = train_test_split(*load_digits(return_X_y=True), test_size=0.5, random_state=0)


def measure(trees: int, depth: int, features: float) -> dict[str, float]:
    """Trains a forest, and measures what the study is about."""
    seen, unseen, their_digits, digits = DATA
    forest = RandomForestClassifier(trees, max_depth=depth, max_features=features, random_state=0).fit(seen, their_digits)
    one = unseen[:1]
    times = []
    for _ in range(15):
        start = perf_counter()
        forest.predict(one)
        times.append(1000 * (perf_counter() - start))
    return {
        "accuracy": forest.score(unseen, digits),
        "milliseconds": median(times),
        "kilobytes": len(pickle.dumps(forest)) / 1000,
        "leaves": sum(tree.get_n_leaves() for tree in forest.estimators_),
    }


def main(n: int = 40) -> er.Study:
    """Searches with n trials, one at a time: others beside it would disturb the clock."""
    study = er.Study(SPACE, outcomes=OUTCOMES, seed=1, name="accuracy against latency")
    study.run(measure, n)
    print(study.front.to_pandas().sort_values("results_milliseconds").round(3).to_string(index=False))
    print(f"hypervolume {study.front.hypervolume:.4g} up to {study.front.reference}")
    # Clocks are noisy: the front of what the models expect is less of a matter of luck.
    print(study.recommended.to_pandas().sort_values("mean_milliseconds").round(3).to_string(index=False))
    study.plot_front("milliseconds", "accuracy").figure.savefig("accuracy_latency.png", dpi=100)
    return study


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
