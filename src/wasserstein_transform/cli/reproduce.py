"""`wt reproduce`: the paper's experiments, which lie in the folder `paper` of the repository and not in the wheel."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from .commands import UsageError

if find_spec("wt_paper") is None:
    raise UsageError(
        "reproduce needs the folder paper of the repository, which is not part of the installed package; "
        "clone the repository and run there: make reproduce"
    )
reproduce = import_module("wt_paper.command").reproduce
