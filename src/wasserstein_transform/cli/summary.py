"""Facts for the summary of a run: the input, the command line, versions."""

from __future__ import annotations

import hashlib
import json
import math
import platform
import shlex
import sys
from pathlib import Path
from typing import Any, NamedTuple

from .. import __version__

_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")


class Input(NamedTuple):
    """A file that was read: its name as given, its size and its hash."""

    name: str
    bytes: int
    sha256: str

    @property
    def path(self) -> Path | None:
        """The path; None for standard input."""
        return None if self.name == "-" else Path(self.name)


def describe_input(name: str, content: bytes | None = None) -> Input:
    """Facts about a file, or about the content of a pipe."""
    if content is not None:
        return Input(name, len(content), hashlib.sha256(content).hexdigest())
    with Path(name).open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return Input(name, stream.tell(), digest)


def versions() -> dict[str, str]:
    """Versions of the packages that a result may depend on."""
    from importlib.metadata import PackageNotFoundError, version

    known = {"wasserstein-transform": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            known[name] = version(name)
        except PackageNotFoundError:  # not installed, but run from a source folder
            continue
    return known


def command_line() -> str:
    """The command line as typed."""
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])


def encode_json(summary: dict[str, Any]) -> bytes:
    """Encode as JSON, with null for NaN and infinity."""
    return (json.dumps(plain(summary), indent=2, allow_nan=False, ensure_ascii=False) + "\n").encode()


def plain(value: Any) -> Any:
    """Convert to types of JSON; NaN and infinity become None."""
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return plain(value.tolist())
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
