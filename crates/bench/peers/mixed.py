"""Problems with integers and categories. Each is a pair: the space, and a function of a point; the least value is known."""
import math

import numpy as np

import functions
from space import category, real, whole


def ackley5m():
    """Ackley in two floats and three integers, its optimum away from the centre: 0."""
    space = [real("a", -32.768, 32.768), real("b", -32.768, 32.768)]
    space += [whole(name, -16, 16) for name in ("i", "j", "k")]
    move = np.array([7.3, -11.9, 5, -9, 3])
    return space, lambda x: functions.ackley(np.array(x, float) - move)


def switch4():
    """Four wells, one of each mode. The deepest is the narrowest, and leans: 0 in mode a."""
    wells = {  # depth lost, middle, width, lean, the best n
        "a": (0.0, (0.71, 0.23), 0.12, 0.8, 9), "b": (0.15, (0.30, 0.60), 0.45, 0.0, 4),
        "c": (0.30, (0.52, 0.81), 0.60, -0.5, 6), "d": (0.50, (0.15, 0.15), 0.80, 0.0, 2)}
    space = [category("mode", wells), whole("n", 1, 12), real("x", 0, 1), real("y", 0, 1)]

    def value(point):
        mode, n, x, y = point
        lost, (cx, cy), width, lean, best_n = wells[mode]
        far = ((x - cx) / width) ** 2 + ((y - cy - lean * (x - cx)) / width) ** 2
        return lost + 1 - math.exp(-0.5 * far) + 0.02 * abs(n - best_n)

    return space, value


def gear4():
    """The gear train: a ratio of 1/6.931 from teeth of four wheels (Sandgren 1990), the error in thousandths."""
    space = [whole(name, 12, 60) for name in ("a", "b", "c", "d")]
    return space, lambda x: 1000 * abs(1 / 6.931 - x[0] * x[1] / (x[2] * x[3]))


GEAR_LEAST = 1000 * abs(1 / 6.931 - 16 * 19 / (43 * 49))


def forge5():
    """A made-up forge: alloy and cooling move the best heat and pressure, passes are on a log scale. 0 at the best."""
    alloys = {"plain": (0.0, 0.0), "chrome": (0.05, 0.12), "nickel": (0.08, -0.2)}
    coolings = {"air": (0.04, 0.1), "oil": (0.0, 0.0)}
    space = [category("alloy", alloys), category("cooling", coolings), real("heat", 600, 1300, log=True),
             real("pressure", 0, 100), whole("passes", 1, 64, log=True)]

    def value(point):
        alloy, cooling, heat, pressure, passes = point
        (dear, hotter), (slow, firmer) = alloys[alloy], coolings[cooling]
        h = math.log(heat / 600) / math.log(1300 / 600) - 0.62
        p = pressure / 100 - 0.35
        n = math.log(passes / 20) / math.log(64)
        ripple = 0.05 * (1 - math.cos(6 * math.pi * p))
        return (dear + slow + 3 * (h - hotter) ** 2 + 2 * (p - 0.5 * h - firmer) ** 2
                + 1.5 * n * n * (1 + 4 * abs(h)) + ripple)

    return space, value
