"""The machine on which a report was made."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from ...engine import current

_PACKAGES = ("wasserstein-transform", "numpy", "scipy", "numba", "scikit-learn", "matplotlib")


@dataclass(frozen=True)
class Machine:
    """System, number of cores, and versions of packages."""

    system: str
    n_cores: int
    versions: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        cores = f"{self.n_cores} core{'s' if self.n_cores > 1 else ''}"
        return f"{self.system}, {cores}; " + ", ".join(f"{name} {number}" for name, number in self.versions)


def this_machine() -> Machine:
    """The machine that runs this, without its host name."""
    versions = [("Python", platform.python_version())]
    for name in _PACKAGES:
        try:
            versions.append((name, version(name)))
        except PackageNotFoundError:  # not installed, but run from a source folder
            continue
    return Machine(f"{platform.system()} {platform.machine()}", current().n_threads, tuple(versions))
