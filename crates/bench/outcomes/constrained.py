"""Functions with constraints: from a point to its objectives and to what must be at most 0. Minimized.

Welded beam, pressure vessel, speed reducer and the disk are those of BoTorch's test functions, checked by `verify.py`.
Standard library only.
"""
import math

from objectives import branin_currin


def waves(x):
    """Gardner et al. 2014, the first: feasible in bands."""
    a, b = x
    return [math.cos(2 * a) * math.cos(b) + math.sin(a)], [math.cos(a) * math.cos(b) - math.sin(a) * math.sin(b) - 0.5]


def islands(x):
    """Gardner et al. 2014, the second: feasible in two small spots, 1.6 % of the square."""
    a, b = x
    return [math.sin(a) + b], [math.sin(a) * math.sin(b) + 0.95]


def welded_beam(x):
    """With BoTorch's buckling load, which is 36 times the book's."""
    a, b, c, d = x
    load, length, young, shear = 6000.0, 14.0, 30e6, 12e6
    cost = 1.10471 * a**2 * b + 0.04811 * c * d * (14.0 + b)
    radius = math.sqrt(0.25 * (b**2 + (a + c) ** 2))
    moment = load * (length + b / 2) * radius / (2 * math.sqrt(2) * a * b * (b**2 / 12 + 0.25 * (a + c) ** 2))
    direct = load / (math.sqrt(2) * a * b)
    stress = math.sqrt(direct**2 + direct * moment * b / radius + moment**2)
    buckling = 4.013 * young * c * d**3 * 6 / length**2 * (1 - 0.25 * c * math.sqrt(young / shear) / length)
    return [cost], [
        stress - 13600.0,
        6 * load * length / (d * c**2) - 30000.0,
        a - d,
        0.10471 * a**2 + 0.04811 * c * d * (14.0 + b) - 5.0,
        4 * load * length**3 / (young * c**3 * d) - 0.25,
        load - buckling,
    ]


def pressure_vessel(x):
    """Shell and head come in sixteenths of an inch, which the cost alone knows."""
    a, b, radius, length = x
    shell, head = (min(max(round(v / 0.0625) * 0.0625, 0.0), 10.0) for v in (a, b))
    cost = (0.6224 * shell * radius * length + 1.7781 * head * radius**2 + 3.1661 * shell**2 * length
            + 19.84 * shell**2 * radius)
    return [cost], [
        -a + 0.0193 * radius,
        -b + 0.00954 * radius,
        -math.pi * radius**2 * length - 4 / 3 * math.pi * radius**3 + 1296000.0,
        length - 240.0,
    ]


def speed_reducer(x):
    a, b, c, d, e, f, g = x
    weight = (0.7854 * a * b**2 * (3.3333 * c**2 + 14.9334 * c - 43.0934) - 1.508 * a * (f**2 + g**2)
              + 7.4777 * (f**3 + g**3) + 0.7854 * (d * f**2 + e * g**2))
    return [weight], [
        27.0 / (a * b**2 * c) - 1,
        397.5 / (a * b**2 * c**2) - 1,
        1.93 * d**3 / (b * c * f**4) - 1,
        1.93 * e**3 / (b * c * g**4) - 1,
        math.sqrt((745 * d / (b * c)) ** 2 + 16.9e6) / (0.1 * f**3) - 1100,
        math.sqrt((745 * e / (b * c)) ** 2 + 157.5e6) / (0.1 * g**3) - 850,
        b * c - 40,
        5 - a / b,
        a / b - 12,
        (1.5 * f + 1.9) / d - 1,
        (1.1 * g + 1.9) / e - 1,
    ]


def disk_branin_currin(x):
    """Branin and Currin inside a disk (Gelbart et al. 2014)."""
    a, b = x
    return branin_currin(x), [(15 * a - 5 - 2.5) ** 2 + (15 * b - 7.5) ** 2 - 50]
