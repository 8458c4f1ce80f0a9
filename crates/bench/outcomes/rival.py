"""One system of `rivals` behind JSON lines, as the peers' `serve.py` has them: `rival.py SYSTEM`, in its environment.

`init` also says what is measured, and a result is a list: the objectives, then the constraints.

    {"op": "init", "space": [...], "seed": 0, "n_init": 14, "reference": [18.0, 6.0], "n_constraints": 1}
    {"op": "tell", "x": [[...], ...], "y": [[f1, f2, g1], ...]}

Without a reference point there is one objective. All objectives are minimized; a constraint holds where it is at most 0.
"""
import sys

import bench  # noqa: F401, the folder of the peers
from serve import serve

serve(f"rivals.{sys.argv[1]}")
