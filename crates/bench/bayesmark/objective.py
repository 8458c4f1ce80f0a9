"""Tasks of Bayesmark behind JSON lines, in an environment that has it.

    {"op": "task", "name": "DT/wine/nll"}                {"parameters": {...}}, as Bayesmark writes them, and the version
    {"op": "loss", "values": {...}, "draw": 17}          {"loss": 0.31, "test": 0.35}, or nulls if the model did not fit

The models draw from numpy's own stream, which starts at `draw`: equal questions have equal answers. `objective.py FOLDER` also
has the tables of a folder as data.
"""
import json
import os
import sys
import warnings
from importlib.metadata import version

# Models print: what is written to stdout goes to stderr, and the answers have a channel of their own.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
warnings.simplefilter("ignore")

import numpy as np  # noqa: E402
from bayesmark.sklearn_funcs import SklearnModel  # noqa: E402


def loss(task, values, draw):
    np.random.seed(draw)
    try:
        validation, test = task.evaluate(values)
    except Exception:  # whatever scikit-learn throws, this setting has no loss
        return {"loss": None, "test": None}
    return {"loss": validation, "test": test}


def main():
    task = None
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "task":
            task = SklearnModel(*request["name"].split("/"), data_root=sys.argv[1] if len(sys.argv) > 1 else None)
            reply = {"parameters": task.get_api_config(), "version": version("bayesmark")}
        else:
            reply = loss(task, request["values"], request["draw"])
        answers.write(json.dumps(reply) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
