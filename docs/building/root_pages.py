"""Pages made of the Markdown files in the root of the repository, with their links turned to the site."""

from __future__ import annotations

import re
from pathlib import Path

from . import figures

_PAGES = {"CONTRIBUTING.md": "contributing.md", "ARCHITECTURE.md": "architecture.md", "CHANGELOG.md": "changes.md"}
_PACKAGES = """\
```{image} packages-light.svg
:alt: The packages of the package and what they import
:class: only-light
```

```{image} packages-dark.svg
:alt: The packages of the package and what they import
:class: only-dark
```
"""


def write(root: Path, folder: Path) -> None:
    """Write all of them into a folder of the documentation; tables of figures are rendered from their records first."""
    figures.write(root)
    folder.mkdir(parents=True, exist_ok=True)
    for source, page in _PAGES.items():
        text = (root / source).read_text("utf-8")
        if page == "architecture.md":
            text = re.sub(r"^!\[.*\]\(docs/images/architecture\.svg\)\n", _PACKAGES, text, flags=re.MULTILINE)
        (folder / page).write_text(turned(text), "utf-8")


def turned(text: str) -> str:
    """Links as they are seen from the folder of these pages; files that are no pages become plain code."""
    text = re.sub(r"\]\(docs/", "](../", text)
    for source, page in _PAGES.items():
        text = text.replace(f"]({source}", f"]({page}")
    return re.sub(r"\[[^\]]*\]\(([A-Z]+(?:\.cff|\.md)?)\)", r"`\1`", text)
