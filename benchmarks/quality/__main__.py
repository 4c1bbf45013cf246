"""`python -m benchmarks.quality`, on one thread whatever a library would take by itself."""

import os
import sys

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before any of them looks

if __name__ == "__main__":
    from .command import main

    main(sys.argv[1:])
