"""What results depend on beside their inputs: this code, the libraries it uses, the processor it is compiled for."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib import metadata
from pathlib import Path

_PACKAGE = Path(__file__).parents[2]
_SHOWS = frozenset({"cli", "explorer", "experiments", "plotting", "tables"})  # rooms that compute nothing
_USED = ("numpy", "scipy", "numba", "llvmlite")


@cache
def code() -> dict[str, str]:
    """Versions by name: the same ones give the same bits."""
    import llvmlite.binding as llvm  # noqa: PLC0415  # takes a while, and few ask

    features = ",".join(sorted(name for name, there in llvm.get_host_cpu_features().items() if there))
    return {
        "source": _source(),
        "python": ".".join(platform.python_version_tuple()[:2]),
        **{name: metadata.version(name) for name in _USED},
        "processor": f"{platform.machine()} {llvm.get_host_cpu_name()}",
        "features": hashlib.sha256(features.encode()).hexdigest()[:16],
    }


def _source() -> str:
    digest = hashlib.sha256()
    for file in sorted(file for kind in ("*.py", "*.cu", "*.h") for file in _PACKAGE.rglob(kind)):
        inside = file.relative_to(_PACKAGE)
        if inside.parts[0] not in _SHOWS:
            digest.update(f"{inside.as_posix()}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]
