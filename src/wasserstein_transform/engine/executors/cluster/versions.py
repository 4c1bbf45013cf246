"""Check that a worker computes the same bits: its versions and its processor."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...store import code


class Versions(NamedTuple):
    """What results depend on besides inputs; `processor` affects the last bits only."""

    package: str
    python: str
    numpy: str
    numba: str
    llvmlite: str
    processor: str


def versions() -> Versions:
    """Return the versions of this process."""
    known = code()
    return Versions(
        f"wasserstein-transform with sources {known['source']}",
        f"Python {known['python']}",
        f"numpy {known['numpy']}",
        f"numba {known['numba']}",
        f"llvmlite {known['llvmlite']}",
        f"{known['processor']} {known['features'][:8]}",
    )


def check_worker(address: str, there: Any, here: Versions) -> str:
    """Reject a worker with other versions; return a warning if its processor differs, else an empty string."""
    if isinstance(there, ModuleNotFoundError):
        raise RuntimeError(
            f"the worker {address} cannot import a module it needs ({there}); install {here.package.split()[0]} there"
        )
    if isinstance(there, BaseException):
        raise RuntimeError(f"the worker {address} could not report its versions: {there!r}") from there
    if tuple(there[:-1]) != here[:-1]:
        mine, its = zip(*((a, b) for a, b in zip(here[:-1], there[:-1], strict=True) if a != b), strict=True)
        raise RuntimeError(
            f"the worker {address} has {', '.join(its)}, and this process {', '.join(mine)}: results would depend on "
            "the machine; install the same versions on all machines"
        )
    if there[-1] != here.processor:
        return (
            f"the worker {address} has another processor ({there[-1]}) than this machine ({here.processor}): the last "
            "bits of results may depend on the machine"
        )
    return ""
