"""Functions to be minimized, of numpy arrays. Where nothing else is said, the least value is 0, at the origin."""
import math

import numpy as np

# --- those of the 17 recorded problems ---


def branin(x):
    a, b = x
    bent = b - 5.1 / (4 * math.pi**2) * a * a + 5 / math.pi * a - 6
    return bent**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10


def cosines(x):
    """The paper's, upside down: −1.6 at 0.3125."""
    u = 1.6 * x - 0.5
    return np.sum(u * u - 0.3 * np.cos(3 * math.pi * u)) - 1.0


def gsobol(x):
    """With a = 1: 2⁻ᵈ at 0.5."""
    return np.prod((np.abs(4 * x - 2) + 1.0) / 2.0)


HARTMANN_A = np.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14],
                       [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]])
HARTMANN_P = 1e-4 * np.array([[1312, 1696, 5569, 124, 8283, 5886], [2329, 4135, 8307, 3736, 1004, 9991],
                              [2348, 1451, 3522, 2883, 3047, 6650], [4047, 8828, 8732, 5743, 1091, 381]])


def hartmann6(x):
    weights = np.array([1.0, 1.2, 3.0, 3.2])
    return -np.sum(weights * np.exp(-np.sum(HARTMANN_A * (x - HARTMANN_P) ** 2, axis=1)))


def ackley(x):
    waves = np.exp(np.mean(np.cos(2 * math.pi * x)))
    return -20 * np.exp(-0.2 * np.sqrt(np.mean(x * x))) - waves + 20 + math.e


def levy(x):
    """0 at 1."""
    w = 1 + (x - 1) / 4
    middle = np.sum((w[:-1] - 1) ** 2 * (1 + 10 * np.sin(math.pi * w[:-1] + 1) ** 2))
    last = (w[-1] - 1) ** 2 * (1 + np.sin(2 * math.pi * w[-1]) ** 2)
    return np.sin(math.pi * w[0]) ** 2 + middle + last


def rosenbrock(x):
    """0 at 1."""
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def michalewicz(x):
    """−4.687658 for d = 5."""
    i = np.arange(1, len(x) + 1)
    return -np.sum(np.sin(x) * np.sin(i * x * x / math.pi) ** 20)


def styblinski(x):
    """−39.16617 d at −2.903534."""
    return 0.5 * np.sum(x**4 - 16 * x * x + 5 * x)


def griewank(x):
    return np.sum(x * x) / 4000 - np.prod(np.cos(x / np.sqrt(np.arange(1, len(x) + 1)))) + 1


# --- of other kinds ---


def eggholder(x):
    """−959.640663 at (512, 404.2319)."""
    a, b = x
    return (-(b + 47) * math.sin(math.sqrt(abs(b + a / 2 + 47)))
            - a * math.sin(math.sqrt(abs(a - (b + 47)))))


def schwefel(x):
    """0 at 420.968746, far from the second best."""
    return 418.9828872724338 * len(x) - np.sum(x * np.sin(np.sqrt(np.abs(x))))


def borehole(x):
    """Minus the water that flows through a borehole (Morris, Mitchell, Ylvisaker 1993)."""
    radius, reach, upper, high, lower, low, length, k = x
    ln = math.log(reach / radius)
    bottom = ln * (1 + 2 * length * upper / (ln * radius**2 * k) + upper / lower)
    return -2 * math.pi * upper * (high - low) / bottom


def schaffer(x):
    """Schaffer's F7: ripples that get finer and higher outwards."""
    s = np.sqrt(x[:-1] ** 2 + x[1:] ** 2)
    return np.mean(np.sqrt(s) * (1 + np.sin(50 * s**0.2) ** 2)) ** 2


def powers(x):
    """A sum of different powers, 2 to 6."""
    return np.sum(np.abs(x) ** np.linspace(2, 6, len(x)))


def sector(x):
    """Steep on one side of the optimum in each coordinate, flat on the other (after Hansen's attractive sector)."""
    return np.sum(np.where(x > 0, 10 * x, x) ** 2) ** 0.9


class Peaks:
    """Gaussian holes of different widths and depths (after Gallagher's): −1 near the middle of the deepest."""

    def __init__(self, n, d, salt):
        draw = np.random.RandomState(salt)
        self.middles = draw.uniform(0.08, 0.92, (n, d))
        self.depths = np.concatenate([[1.0], np.linspace(0.85, 0.2, n - 1)])
        self.widths = 0.12 + 0.3 * draw.rand(n, d)

    def __call__(self, x):
        holes = np.exp(-0.5 * np.sum(((x - self.middles) / self.widths) ** 2, axis=1))
        return -np.max(self.depths * holes)


# --- moved ---


def shifted(f, d, half, salt):
    """f with its optimum moved by a fixed random vector, so that it is not at the centre of the box."""
    move = np.random.RandomState(salt).uniform(-half, half, d)
    return lambda x: f(x - move)


def turned(f, d, half, salt, centre=0.0):
    """f, whose optimum is at `centre` in each coordinate, turned by a random rotation and moved."""
    draw = np.random.RandomState(salt)
    move = draw.uniform(-half, half, d)
    rotation, _ = np.linalg.qr(draw.normal(size=(d, d)))
    return lambda x: f(rotation @ (x - move) + centre)
