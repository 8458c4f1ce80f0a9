"""Numbers for the module `normal`, from arbitrary precision (mpmath, 80 digits).

    python normal.py values   writes the tables that tests/normal.rs reads: normal.csv, normal_quantile.csv, normal_log1mexp.csv
    python normal.py table    writes src/normal/mills_table.rs, the coefficients of the Mills ratio and of its gap
    python normal.py start    prints the coefficients that start src/normal/quantile.rs

Nothing here is fitted to what the Rust code gives. Each value is rounded once, to the nearest double.
"""

import math
import pathlib
import sys

import mpmath as mp

mp.mp.dps = 80
HERE = pathlib.Path(__file__).resolve().parent
ROOT_2PI = mp.sqrt(2 * mp.pi)


def mills(x):
    """R(x) = Phi(-x)/phi(x), x >= 0."""
    if x < 50:
        return mp.sqrt(mp.pi / 2) * mp.exp(x * x / 2) * mp.erfc(x / mp.sqrt(2))
    return 1 / (x + 1 / fraction(x))


def gap(x):
    """G(x) = 1 - x R(x), x >= 0, with all its digits."""
    if x < 50:
        return 1 - x * mills(x)  # loses 4 of 80 digits
    return 1 / (x * fraction(x) + 1)


def fraction(x):
    """The tail x + 2/(x + 3/(x + ...)) of Laplace's continued fraction R(x) = 1/(x + 1/(x + 2/(x + ...)))."""
    f = mp.mpf(x)
    for k in range(300, 1, -1):
        f = x + k / f
    return f


def exp(x):
    """e^x, 0 where no double could tell."""
    return mp.mpf(0) if x < -2000 else mp.exp(x)


def pdf(z):
    return exp(-z * z / 2) / ROOT_2PI


def cdf(z):
    tail = pdf(z) * mills(abs(z))
    return tail if z <= 0 else 1 - tail


def ln_pdf(z):
    return -z * z / 2 - mp.log(ROOT_2PI)


def ln_cdf(z):
    return ln_pdf(z) + mp.log(mills(-z)) if z <= 0 else mp.log1p(-pdf(z) * mills(z))


def inverse_mills(z):
    return 1 / mills(-z) if z <= 0 else pdf(z) / cdf(z)


def erfcx(x):
    if x >= 0:
        return mp.sqrt(2 / mp.pi) * mills(x * mp.sqrt(2))
    return mp.inf if x < -30 else mp.exp(x * x) * mp.erfc(x)


def ln_ei(u):
    return ln_pdf(u) + mp.log(gap(-u)) if u <= 0 else mp.log(pdf(u) + u * cdf(u))


def ei_slope_mean(u):
    return mills(-u) / gap(-u) if u <= 0 else cdf(u) / (pdf(u) + u * cdf(u))


def ei_slope_sd(u):
    return 1 / gap(-u) if u <= 0 else pdf(u) / (pdf(u) + u * cdf(u))


def softplus(a):
    return a + mp.log1p(exp(-a)) if a > 0 else mp.log1p(exp(a))


def ln_softplus(a):
    return a if a < -1000 else mp.log(softplus(a))


def sigmoid(a):
    return 1 / (1 + exp(-a)) if a > 0 else exp(a) / (1 + exp(a))


def ln_softplus_slope(a):
    return mp.mpf(1) if a < -1000 else sigmoid(a) / softplus(a)


def log1mexp(x):
    return mp.log(-mp.expm1(-x)) if x < 1 else (mp.mpf(0) if x > 2000 else mp.log1p(-mp.exp(-x)))


def quantile(p):
    if p > 0.5:
        return -quantile(1 - p)
    if p == 0.5:
        return mp.mpf(0)
    z = -mp.sqrt(-2 * mp.log(p)) if p < 0.01 else mp.mpf(0)
    for _ in range(200):
        step = (ln_cdf(z) - mp.log(p)) / inverse_mills(z)  # ln Phi is concave: Newton goes up to the root, and stays
        z -= step
        if abs(step) <= abs(z) * mp.mpf(10) ** -(mp.mp.dps - 15):
            return z
    raise ArithmeticError(f"quantile({p}) did not settle")


COLUMNS = [
    pdf, ln_pdf, cdf, ln_cdf, inverse_mills, erfcx, ln_ei, ei_slope_mean, ei_slope_sd,
    softplus, ln_softplus, ln_softplus_slope, sigmoid,
]  # fmt: skip


def double(v):
    """The shortest text of the double nearest to v."""
    v = mp.mpf(v)
    if abs(v) > mp.mpf(2) ** 1024:
        v = mp.sign(v) * mp.inf
    text = repr(float(v))
    return text[:-2] if text.endswith(".0") else text


def arguments():
    """Both signs: a fine grid, decades to 1e150, and clusters where the code or the function turns."""
    xs = {0.0}
    xs |= {i / 8 + 0.013 for i in range(0, 110)}
    xs |= {14 + i * 1.37 for i in range(0, 30)}
    xs |= {10.0 ** (-i * 3.7) for i in range(1, 60)}
    xs |= {10.0 ** (i / 2 + 0.07) for i in range(3, 40)} | {10.0**i for i in range(20, 151, 5)}
    xs |= {1.0, 10.0, 30.0, 38.0, 50.0, 1e3, 1e4, 1e6, 1e7, 1e8, 8.0, 708.3, 745.0, 36.99, 37.0, 37.01, 26.6, 26.62, 38.4}
    # The zeros of ln EI and of ln softplus.
    xs |= {s + d for s in (0.27612, 0.54132) for d in (-0.1, -1e-2, -1e-4, -1e-6, 0, 1e-6, 1e-4, 1e-2, 0.1)}
    # Where the largest errors among 6000 random arguments were found: 4 + x rounds worst near zero.
    xs |= {1.2532973058089236e-5, 4.88220198270836e-4, 3.4748410805777747e-3}
    # The edges of the 16 pieces, for the Mills ratio and for erfcx: 4/(4 + x) = k/16.
    for k in (1, 2, 3, 5, 8, 11, 15):
        x = 64 / k - 4
        xs |= {x, math.nextafter(x, 0), math.nextafter(x, 1e9), x / math.sqrt(2)}
    return sorted({-x for x in xs} | xs)


def probabilities():
    ps = {5e-324, 2.3e-308, 0.1, 0.9, 0.5, 0.02, 0.98}
    ps |= {10.0 ** (-i * 2.9) for i in range(1, 110)}
    ps |= {i / 128 for i in range(1, 128)}
    ps |= {0.5 + s * 2.0**-i for i in range(2, 53) for s in (-1, 1)}
    ps |= {1 - 2.0**-i for i in range(2, 54)} | {math.nextafter(p, q) for p in (0.1, 0.9) for q in (0, 1)}
    return sorted(ps)


def positives():
    xs = {10.0 ** (-i * 1.43) for i in range(0, 215)} | {i / 16 for i in range(1, 80)}
    xs |= {math.log(2), math.nextafter(math.log(2), 0), math.nextafter(math.log(2), 1)}
    xs |= {5.0 + 9.7 * i for i in range(0, 72)}
    return sorted(xs)


def write_values():
    def write(name, header, xs, functions):
        with open(HERE / name, "w") as out:
            print(",".join(header), file=out)
            for x in xs:
                print(",".join([double(x)] + [double(f(mp.mpf(x))) for f in functions]), file=out)

    write("normal.csv", ["x"] + [f.__name__ for f in COLUMNS], arguments(), COLUMNS)
    write("normal_quantile.csv", ["x", "quantile"], probabilities(), [quantile])
    write("normal_log1mexp.csv", ["x", "log1mexp"], positives(), [log1mexp])


PIECES, DEGREE, SHIFT = 16, 9, 4


def piece(function, k):
    """The polynomial in t, -1 <= t <= 1, through the function at the Chebyshev points of piece k."""
    n = DEGREE + 1
    ts = [mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    values = []
    for t in ts:
        y = (2 * k + 1 + t) / mp.mpf(2 * PIECES)
        values.append(function(SHIFT / y - SHIFT))
    return mp.lu_solve(mp.matrix([[t**j for j in range(n)] for t in ts]), mp.matrix(values))


def write_table():
    lines = [
        "//! Coefficients of the Mills ratio and of its gap; written by `tests/data/normal.py table`, not by hand.",
        "",
    ]
    for name, text, function in (
        ("MILLS", "(4 + x) R(x)", lambda x: (x + SHIFT) * mills(x)),
        ("GAP", "(4 + x)² (1 - x R(x))", lambda x: (x + SHIFT) ** 2 * gap(x)),
    ):
        lines.append(f"/// {text} on each of {PIECES} pieces: the coefficients of t⁰ … t⁹.")
        lines.append("#[rustfmt::skip]")
        lines.append(f"pub const {name}: [[f64; {DEGREE + 1}]; {PIECES}] = [")
        for k in range(PIECES):
            c = [repr(float(v)) for v in piece(function, k)]
            lines.append("    [" + ", ".join(c[:5]) + ",")
            lines.append("     " + ", ".join(c[5:]) + "],")
        lines.append("];")
        lines.append("")
    (HERE.parent.parent / "src/normal/mills_table.rs").write_text("\n".join(lines[:-1]) + "\n")


def rational(function, a, b, m, n):
    """P/Q of degrees m/n, Q = 1 + ..., through the function at the Chebyshev points of [a, b] (of its logarithm if a > 1)."""
    count = m + n + 1
    along = [(1 + mp.cos(mp.pi * (2 * i + 1) / (2 * count))) / 2 for i in range(count)]
    xs = [a * (b / a) ** t if a > 1 else a + (b - a) * t for t in along]
    fs = [function(x) for x in xs]
    rows = [[x**j for j in range(m + 1)] + [-f * x**j for j in range(1, n + 1)] for x, f in zip(xs, fs)]
    c = mp.lu_solve(mp.matrix(rows), mp.matrix(fs))
    p, q = list(c[: m + 1]), [mp.mpf(1)] + list(c[m + 1 :])
    worst = 0
    for i in range(401):
        x = a + (b - a) * mp.mpf(i) / 400
        value = mp.polyval(p[::-1], x) / mp.polyval(q[::-1], x)
        worst = max(worst, abs(value / function(x) - 1))
    return p, q, worst


def print_start():
    mp.mp.dps = 40
    centre = rational(lambda v: quantile(0.5 - mp.sqrt(v)) / -mp.sqrt(v), mp.mpf("1e-12"), mp.mpf("0.16"), 3, 3)
    low, high = mp.sqrt(-2 * mp.log(mp.mpf("0.1"))), mp.mpf("38.61")
    tail = rational(lambda s: -quantile(mp.exp(-s * s / 2)), low, high, 4, 3)
    for name, (p, q, worst) in (("CENTRE", centre), ("TAIL", tail)):
        print(name, "relative error", mp.nstr(worst, 3))
        print("  P", [float(v) for v in p])
        print("  Q", [float(v) for v in q])


if __name__ == "__main__":
    {"values": write_values, "table": write_table, "start": print_start}[sys.argv[1]]()
