"""The two halves of the sets, by family, as `split.json` has them: written down before anything was scored."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from pathlib import Path

HALVES = ("A", "B")


def family_of(name: str) -> str:
    """The name up to its first character that is not a letter: a1, a2 are `a`, ring_noisy is `ring`."""
    found = re.match("[a-z]+", name.lower())
    return found[0] if found else name


def half_of(family: str) -> str:
    """The half as listed; a family that is not goes by the parity of its SHA-256."""
    listed = _listed().get(family)
    return listed or HALVES[int(hashlib.sha256(family.encode()).hexdigest()[-1], 16) % 2]


@cache
def _listed() -> dict[str, str]:
    halves = json.loads(Path(__file__).with_name("split.json").read_text())["halves"]
    return {family: half for half, families in halves.items() for family in families}
