"""What a system needs to be run beside the others: a class `System` with `tell`, `ask` and `version`, as `rival.py` says."""
from systems.base import Cube, versions  # noqa: F401, for the rivals


class Rival(Cube):
    """Remembers what was told, with the space as a unit cube."""

    def __init__(self, space, seed, n_init, reference, n_constraints):
        super().__init__(space, seed, n_init)
        self.reference, self.n_constraints = reference, n_constraints
        self.n_objectives = len(reference) if reference else 1
