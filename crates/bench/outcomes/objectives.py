"""Functions with several objectives, all minimized: from a point as a list of numbers to a list of values.

They are those of BoTorch's test functions, checked against them by `verify.py`. Standard library only.
"""
import math


def branin(a, b):
    bent = b - 5.1 / (4 * math.pi**2) * a * a + 5 / math.pi * a - 6
    return bent**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10


def branin_currin(x):
    """Branin on the unit square beside Currin's function. At b = 0 the exponential has its limit, 0."""
    a, b = x
    rise = 1.0 if b == 0 else 1 - math.exp(-1 / (2 * b))
    above = 2300 * a**3 + 1900 * a**2 + 2092 * a + 60
    below = 100 * a**3 + 500 * a**2 + 4 * a + 20
    return [branin(15 * a - 5, 15 * b), rise * above / below]


def dtlz2(x):
    """Two objectives: the front is a quarter of the unit circle, which bulges towards the worse."""
    far = 1 + sum((v - 0.5) ** 2 for v in x[1:])
    return [far * math.cos(x[0] * math.pi / 2), far * math.sin(x[0] * math.pi / 2)]


def slope(x):
    """What all of ZDT multiply by: 1 on the front, 10 where every other coordinate is 1."""
    return 1 + 9 * sum(x[1:]) / (len(x) - 1)


def zdt1(x):
    g = slope(x)
    return [x[0], g * (1 - math.sqrt(x[0] / g))]


def zdt2(x):
    g = slope(x)
    return [x[0], g * (1 - (x[0] / g) ** 2)]


def zdt3(x):
    """With BoTorch's second objective, which does not multiply by g: the front is the same."""
    g = slope(x)
    return [x[0], 1 - math.sqrt(x[0] / g) - x[0] / g * math.sin(10 * math.pi * x[0])]


def vehicle_safety(x):
    """Mass, acceleration and intrusion of a car's front (Tanabe and Ishibuchi 2020)."""
    a, b, c, d, e = x
    mass = 1640.2823 + 2.3573285 * a + 2.3220035 * b + 4.5688768 * c + 7.7213633 * d + 4.4559504 * e
    acceleration = (6.5856 + 1.15 * a - 1.0427 * b + 0.9738 * c + 0.8364 * d - 0.3695 * a * d + 0.0861 * a * e
                    + 0.3628 * b * d - 0.1106 * a**2 - 0.3437 * c**2 + 0.1764 * d**2)
    intrusion = (-0.0551 + 0.0181 * a + 0.1024 * b + 0.0421 * c - 0.0073 * a * b + 0.024 * b * c - 0.0118 * b * d
                 - 0.0204 * c * d - 0.008 * c * e - 0.0241 * b**2 + 0.0109 * d**2)
    return [mass, acceleration, intrusion]


def car_side_impact(x):
    """Weight, load, velocity, and the sum of what ten limits are exceeded by (Tanabe and Ishibuchi 2020)."""
    a, b, c, d, e, f, g = x
    weight = 1.98 + 4.9 * a + 6.67 * b + 6.98 * c + 4.01 * d + 1.78 * e + 1e-5 * f + 2.73 * g
    load = 4.72 - 0.5 * d - 0.19 * b * c
    pillar = 10.58 - 0.674 * a * b - 0.67275 * b
    door = 16.45 - 0.489 * c * g - 0.843 * e * f
    limits = [
        1 - 1.16 + 0.3717 * b * d + 0.0092928 * c,
        0.32 - 0.261 + 0.0159 * a * b + 0.06486 * a + 0.019 * b * g - 0.0144 * c * e - 0.0154464 * f,
        0.32 - 0.214 - 0.00817 * e + 0.045195 * a + 0.0135168 * a - 0.03099 * b * f + 0.018 * b * g - 0.007176 * c
        - 0.023232 * c + 0.00364 * e * f + 0.018 * b**2,
        0.32 - 0.74 + 0.61 * b + 0.031296 * c + 0.031872 * g - 0.227 * b**2,
        32 - 28.98 - 3.818 * c + 4.2 * a * b - 1.27296 * f + 2.68065 * g,
        32 - 33.86 - 2.95 * c + 5.057 * a * b + 3.795 * b + 3.4431 * g - 1.45728,
        32 - 46.36 + 9.9 * b + 4.4505 * a,
        4 - load, 9.9 - pillar, 15.7 - door,
    ]
    return [weight, load, 0.5 * (pillar + door), sum(-v for v in limits if v < 0)]


def penicillin(x):
    """Yield (negated), carbon dioxide and hours of a fermenter, hour by hour (Liang and Lai 2021)."""
    volume, biomass, kelvin, sugar, feed, fed, acid = x
    hydrogen, product, gas = 10.0**-acid, 0.0, 0.0
    loss = 2.5e-4 * math.expm1(5 * (kelvin - 373.0) / (273.0 - 373.0))
    heat = 7.0e3 * math.exp(-5100.0 / (1.9872 * kelvin)) - 1e33 * math.exp(-50000.0 / (1.9872 * kelvin))
    most = 0.092 / (1 + 1e-10 / hydrogen + hydrogen / 7e-5)
    for hour in range(1, 2501):
        grown = feed - volume * loss
        growth = most * sugar / (0.15 * biomass + sugar) * heat
        making = 0.005 * sugar / (0.0002 + sugar + sugar**2 / 0.10)
        more_biomass = growth * biomass - biomass / volume * grown
        more_sugar = (-growth / 0.45 * biomass - making / 0.90 * biomass - 0.014 * biomass + feed * fed / volume
                      - sugar / volume * grown)
        more_product = making * biomass - 0.04 * product - product / volume * grown
        gas += 0.143 * more_biomass + 4e-7 * biomass + 1e-4
        product, volume = product + more_product, volume + grown
        biomass, sugar = biomass + more_biomass, sugar + more_sugar
        if volume > 180.0 or sugar < 0 or more_product < 10e-12:
            break
    return [-product, gas, float(hour)]
