"""The directive `drawn`: a picture made at build time, one file for light pages and one for dark pages."""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from .inks import INKS

FOLDER = "drawn"


class Drawn(SphinxDirective):
    """`{drawn} NAME` shows drawn/NAME-light.svg or drawn/NAME-dark.svg; with `narrow`, NAME-narrow on small screens."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"alt": directives.unchanged_required, "narrow": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Called by Sphinx."""
        name = self.arguments[0]
        shapes = {f"{name}": "wide-only", f"{name}-narrow": "narrow-only"} if "narrow" in self.options else {name: ""}
        return [
            nodes.image(
                uri=f"/{FOLDER}/{file}-{theme}.svg",
                alt=self.options["alt"],
                classes=["drawn", f"only-{theme}", *filter(None, [shape])],
            )
            for file, shape in shapes.items()
            for theme in INKS
        ]
