"""`wt parts`: list the parts of transforms."""

from __future__ import annotations

import inspect

from .printing import say


def parts() -> None:
    """List all localizations and transports, with a description of each."""
    from ..localize import LOCALIZATIONS, takes_new_points
    from ..transport import TRANSPORTS

    say("localizations, and the measures they make:")
    for localize in LOCALIZATIONS.values():
        new = "" if takes_new_points(localize.examples(3, 1.0)[0]) else "; not for new points"
        _describe(localize, f"{localize.makes.__name__}{new}")
    say("\ntransports, and the measures they compare:")
    for transport in TRANSPORTS.values():
        kinds = dict.fromkeys(example.accepts.__name__ for example in transport.examples())
        _describe(transport, ", ".join(kinds))


def _describe(part: type, kinds: str) -> None:
    what = (inspect.getdoc(part) or "").partition("\n")[0]
    say(f"  {part.__name__}({', '.join(inspect.signature(part).parameters)}): {kinds}\n      {what}")
