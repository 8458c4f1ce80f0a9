"""A search space as plain data, and two ways to see it as a cube.

A parameter is a dictionary as it stands in a log of elbowroom:

    {"name": "rate", "type": "float", "low": 1e-4, "high": 0.1, "log": true}
    {"name": "depth", "type": "int", "low": 1, "high": 8}
    {"name": "kernel", "type": "category", "choices": ["rbf", "poly"]}

A point is a list of values, in the order of the parameters. Standard library only.
"""
import math


def real(name, low, high, log=False):
    return {"name": name, "type": "float", "low": float(low), "high": float(high), "log": log}


def whole(name, low, high, log=False):
    return {"name": name, "type": "int", "low": low, "high": high, "log": log}


def category(name, choices):
    return {"name": name, "type": "category", "choices": list(choices)}


def box(bounds):
    return [real(f"x{i}", low, high) for i, (low, high) in enumerate(bounds)]


def value_at(parameter, u):
    """The value at u in [0, 1]: integers and categories have an equal share each (integers on a log scale: by ratio)."""
    if parameter["type"] == "category":
        choices = parameter["choices"]
        return choices[min(int(u * len(choices)), len(choices) - 1)]
    low, high = parameter["low"], parameter["high"]
    is_whole = parameter["type"] == "int"
    if is_whole:
        low, high = low - 0.5, high + 0.5
    if parameter["log"]:
        value = low * (high / low) ** u
    else:
        value = low + (high - low) * u
    if is_whole:
        return min(max(round(value), parameter["low"]), parameter["high"])
    return min(max(value, low), high)


def unit_of(parameter, value):
    """The middle of the share of a value: `value_at` undone. Of a category, its number."""
    if parameter["type"] == "category":
        return (parameter["choices"].index(value) + 0.5) / len(parameter["choices"])
    low, high = parameter["low"], parameter["high"]
    if parameter["type"] == "int":
        low, high = low - 0.5, high + 0.5
    if parameter["log"]:
        return math.log(value / low) / math.log(high / low)
    return (value - low) / (high - low)


def from_cube(space, u):
    """The point at u, one coordinate a parameter."""
    return [value_at(parameter, x) for parameter, x in zip(space, u)]


class Relaxed:
    """A space as a cube for systems that know boxes only.

    Integers are rounded, and a category has a coordinate for each choice, of which the largest counts (one-hot). A point
    is told where it really is: at the middle of its integers' shares, and with ones and zeros for its categories.
    """

    def __init__(self, space):
        self.space = space
        self.dim = sum(len(p["choices"]) if p["type"] == "category" else 1 for p in space)

    def point(self, u):
        point, at = [], 0
        for parameter in self.space:
            if parameter["type"] == "category":
                choices = parameter["choices"]
                part = list(u[at:at + len(choices)])
                point.append(choices[part.index(max(part))])
                at += len(choices)
            else:
                point.append(value_at(parameter, float(u[at])))
                at += 1
        return point

    def cube(self, point):
        u = []
        for parameter, value in zip(self.space, point):
            if parameter["type"] == "category":
                u += [float(choice == value) for choice in parameter["choices"]]
            else:
                u.append(unit_of(parameter, value))
        return u
