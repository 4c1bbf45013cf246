"""Check the sections of public docstrings by numpydoc: they document the parameters that the signature has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

from .names import Name

FAULTS = ("GL01", "GL06", "GL07", "GL08", "PR02", "PR03", "PR05", "PR06", "PR10")
"""Errors of numpydoc that may not be: no docstring, unknown or misplaced sections, parameters that there are not."""
COUNTED = ("PR01", "PR04", "PR07", "RT01", "RT03", "YD01")
"""Errors that are counted as long as there are some: parameters and results without a type or a description."""


def faults(names: Iterable[Name]) -> tuple[list[str], Counter[str]]:
    """What numpydoc finds in docstrings: faults as text, and counts of the rest."""
    wrong, counted = [], Counter[str]()
    for name in names:
        for code, message in _errors(name):
            if code in FAULTS:
                wrong.append(f"{name.shown}: {code} {message}")
            elif code in COUNTED:
                counted[code] += 1
    return wrong, counted


def _errors(name: Name) -> Iterator[tuple[str, str]]:
    """Errors of numpydoc; what a class lists as attributes is documented, too."""
    attributes = {one.name for one in NumpyDocString(name.value.__doc__ or "")["Attributes"]}
    listed = {word for text in attributes for word in re.split(r"[,\s:]+", text)}
    for code, message in validate(name.full)["errors"]:
        missing = set(re.findall(r"'(\w+)'", message)) - listed if code == "PR01" else {code}
        if missing:
            yield code, message
