"""What determines results to the bit, besides the data: sources, libraries, processor."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib import metadata
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_SHOWS = frozenset({"cli", "explorer", "io", "plotting", "tables"})  # packages that do not affect results
_USED = ("numpy", "scipy", "numba", "llvmlite")


@cache
def code() -> dict[str, str]:
    """Return the versions that determine results to the bit, by name: sources, Python, libraries, processor.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> sorted(wt.engine.code())[:4]
    ['features', 'llvmlite', 'numba', 'numpy']
    """
    import llvmlite.binding as llvm  # noqa: PLC0415  # slow to import, and rarely needed

    features = ",".join(sorted(name for name, there in llvm.get_host_cpu_features().items() if there))
    digest = hashlib.sha256()
    for file in sorted(file for kind in ("*.py", "*.cu", "*.h") for file in _PACKAGE.rglob(kind)):
        inside = file.relative_to(_PACKAGE)
        if inside.parts[0] not in _SHOWS:
            digest.update(f"{inside.as_posix()}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return {
        "source": digest.hexdigest()[:16],
        "python": ".".join(platform.python_version_tuple()[:2]),
        **{name: metadata.version(name) for name in _USED},
        "processor": f"{platform.machine()} {llvm.get_host_cpu_name()}",
        "features": hashlib.sha256(features.encode()).hexdigest()[:16],
    }
