"""The first points of a run."""
import numpy as np

from space import from_cube


def latin_hypercube(space, n, seed):
    """The same for every system, and under every numpy."""
    draw = np.random.RandomState(1000 + seed)
    columns = [(draw.permutation(n) + draw.rand(n)) / n for _ in space]
    return [from_cube(space, u) for u in np.stack(columns, axis=1)]
