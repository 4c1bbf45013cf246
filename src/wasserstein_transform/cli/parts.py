"""`wt parts`: list the parts of transforms."""

from __future__ import annotations

import inspect

from .printing import say


def parts() -> None:
    """List all localizations and transports, with a description of each."""
    from ..localize import LOCALIZATIONS, Extrinsic, Inductive
    from ..transport import TRANSPORTS

    say("localizations, and the measures they make:")
    for localize in LOCALIZATIONS.values():
        new = "" if issubclass(localize, Inductive | Extrinsic) else "; not for new points"
        _describe(localize, f"{localize.makes.__name__}{new}")
    say("\ntransports, and the measures they compare:")
    for transport in TRANSPORTS.values():
        _describe(transport, transport.accepts.__name__)


def _describe(part: type, kinds: str) -> None:
    what = (inspect.getdoc(part) or "").partition("\n")[0]
    say(f"  {part.__name__}({', '.join(inspect.signature(part).parameters)}): {kinds}\n      {what}")
