"""The README as package indexes show it, where the other files of the repository are missing.

Links to those files become links to the repository if `[project.urls]` names one as `Repository`, and text if not.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|#)([^)]*)\)")


class CustomMetadataHook(MetadataHookInterface):
    """Sets `readme`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called by hatchling."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        home = metadata.get("urls", {}).get("Repository")
        metadata["readme"] = {"content-type": "text/markdown", "text": shown(text, home)}


def shown(text: str, home: str | None) -> str:
    """The text without links that lead nowhere; pictures that cannot be shown are left out."""

    def linked(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        if home is not None:
            return f"{picture}[{words}]({home.rstrip('/')}/{'raw' if picture else 'blob'}/main/{target})"
        return "" if picture else words

    return _LINK.sub(linked, text)
