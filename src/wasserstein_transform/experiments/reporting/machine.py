"""On what a report was made."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from ...engine import current

_PACKAGES = ("wasserstein-transform", "numpy", "scipy", "numba", "scikit-learn", "matplotlib")


@dataclass(frozen=True)
class Machine:
    """Kind and number of processors, and the versions of what was used."""

    system: str
    n_cores: int
    versions: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        cores = f"{self.n_cores} core{'s' if self.n_cores > 1 else ''}"
        return f"{self.system}, {cores}; " + ", ".join(f"{name} {number}" for name, number in self.versions)


def this_machine() -> Machine:
    """The one this runs on; its name stays private."""
    versions = [("Python", platform.python_version())]
    for name in _PACKAGES:
        try:
            versions.append((name, version(name)))
        except PackageNotFoundError:  # run from a folder that was never installed
            continue
    return Machine(f"{platform.system()} {platform.machine()}", current().n_threads, tuple(versions))
