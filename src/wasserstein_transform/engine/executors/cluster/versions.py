"""Whether a worker computes the same bits: its versions, its processor."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...store import code


class Versions(NamedTuple):
    """What results depend on beside inputs; `processor` touches last bits only."""

    package: str
    python: str
    numpy: str
    numba: str
    llvmlite: str
    processor: str


def versions() -> Versions:
    """Those of this process."""
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
