"""Makes the modules of the comparison with one objective importable: `import bench` before them."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.path.join(os.path.dirname(HERE), "peers")
if PEERS not in sys.path:
    sys.path.append(PEERS)
