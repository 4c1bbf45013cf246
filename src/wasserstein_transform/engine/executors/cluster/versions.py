"""Whether a worker computes the same bits: its versions, its processor."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

_PACKAGE = Path(__file__).parents[3]


class Versions(NamedTuple):
    """What results depend on beside inputs; `processor` touches last bits only."""

    package: str
    python: str
    numpy: str
    numba: str
    llvmlite: str
    processor: str


@cache
def versions() -> Versions:
    """Those of this process."""
    return Versions(
        f"wasserstein-transform with sources {hash_of_package()}",
        f"Python {'.'.join(platform.python_version_tuple()[:2])}",
        f"numpy {version('numpy')}",
        f"numba {version('numba')}",
        f"llvmlite {version('llvmlite')}",
        _processor(),
    )


@cache
def hash_of_package() -> str:
    """A hash of all sources of the package."""
    digest = hashlib.sha256()
    for file in sorted(_PACKAGE.rglob("*.py")):
        digest.update(
            f"{file.relative_to(_PACKAGE).as_posix()}\0".encode() + hashlib.sha256(file.read_bytes()).digest()
        )
    return digest.hexdigest()[:12]


def _processor() -> str:
    """Its name and a hash of its features, as the compiler sees them."""
    from llvmlite import binding  # noqa: PLC0415  # takes a while, and only clusters ask

    features = ",".join(sorted(name for name, there in binding.get_host_cpu_features().items() if there))
    return f"{platform.machine()} {binding.get_host_cpu_name()} {hashlib.sha256(features.encode()).hexdigest()[:8]}"


def check_worker(address: str, there: Any, here: Versions) -> str:
    """Refuse a worker with other code than here; if its processor is another, what to warn of, else nothing."""
    if isinstance(there, ModuleNotFoundError):
        raise RuntimeError(
            f"the worker {address} cannot import what it is to run ({there}); install {here.package.split()[0]} there"
        )
    if isinstance(there, BaseException):
        raise RuntimeError(f"the worker {address} could not say what it runs: {there!r}") from there
    if tuple(there[:-1]) != here[:-1]:
        mine, its = zip(*((a, b) for a, b in zip(here[:-1], there[:-1], strict=True) if a != b), strict=True)
        raise RuntimeError(
            f"the worker {address} has {', '.join(its)}, and this process {', '.join(mine)}: results would depend on "
            "who computes them; install the same versions on all machines"
        )
    if there[-1] != here.processor:
        return (
            f"the worker {address} has another processor ({there[-1]}) than this machine ({here.processor}): the last "
            "bits of results may depend on who computes them"
        )
    return ""
