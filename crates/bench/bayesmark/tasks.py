"""A task of Bayesmark as the peers' harness sees a problem: a space and the loss of a point. Standard library only."""
import math
import zlib

import bench  # noqa: F401, the folder of the peers
from space import category, real, whole

# What a setting that does not fit is told as: about ten times the loss of a model that knows nothing.
FAILED = {"breast/nll": 10.0, "wine/nll": 10.0, "boston/mse": 1e3, "diabetes/mse": 1e5}


def logit(share):
    return math.log(share / (1 - share))


def parameter(name, found):
    """A parameter of Bayesmark in our terms. One with a logit scale is a float on that scale for every system."""
    if found["type"] == "bool":
        return category(name, ["false", "true"])
    low, high = found["range"]
    if found["type"] == "int":
        return whole(name, int(low), int(high), log=found["space"] == "log")
    if found["space"] == "logit":
        return real(name, logit(low), logit(high))
    return real(name, low, high, log=found["space"] == "log")


def value(found, chosen):
    """What Bayesmark is given for a value of ours: rounding errors do not leave the range."""
    if found["type"] == "bool":
        return chosen == "true"
    if found["type"] == "int":
        return int(chosen)
    low, high = found["range"]
    return min(max(1 / (1 + math.exp(-chosen)) if found["space"] == "logit" else float(chosen), low), high)


class Task:
    """A task in one run: the models' draws depend on the task, the seed and the number of the evaluation alone."""

    minimum, sigma = None, 0.0

    def __init__(self, objective, name, seed):
        self.objective, self.name, self.seed = objective, name, seed
        reply = objective.call(op="task", name=name)
        self.version, self.parameters = f"bayesmark {reply['version']}", reply["parameters"]
        self.names = sorted(self.parameters)
        self.space = [parameter(name, self.parameters[name]) for name in self.names]
        self.losses, self.tests, self.n_failed = [], [], 0

    def noise(self, _seed, n):
        return [0.0] * n

    def value(self, point):
        values = {name: value(self.parameters[name], chosen) for name, chosen in zip(self.names, point)}
        draw = zlib.crc32(f"{self.name} {self.seed} {len(self.losses)}".encode())
        reply = self.objective.call(op="loss", values=values, draw=draw)
        self.n_failed += reply["loss"] is None
        self.losses.append(FAILED[self.name.partition("/")[2]] if reply["loss"] is None else reply["loss"])
        self.tests.append(reply["test"])
        return self.losses[-1]

    def test(self):
        """The loss on the data held out, of the setting with the least validation loss."""
        return self.tests[min(range(len(self.losses)), key=self.losses.__getitem__)]
