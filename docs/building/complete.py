"""Check that every public name has a page and a docstring with an example, and that every link on the site works.

`PYTHONPATH=docs python -m building.complete FOLDER`, after the site was built there.
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from . import constants, docstrings
from .names import documented, homes, in_the_reference, without_example


@cache
def read(file: Path) -> Page:
    """A page, parsed once."""
    return Page(file)


class Page(HTMLParser):
    """The links of a page, and what can be linked to on it."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep ids, and the targets of links and pictures."""
        for key, value in attrs:
            if key == "id" and value:
                self.anchors.add(value)
            if value and (tag, key) in {("a", "href"), ("img", "src"), ("script", "src"), ("link", "href")}:
                self.links.add(value)


def missing_names(site: Path) -> list[str]:
    """Public names without a docstring, a page, or a place on it."""
    at, faults, pages = homes(), [], {}
    for name in in_the_reference():
        home = at[name.short, id(name.value)]
        file = site / "reference" / f"{home.full}.html"
        if file not in pages:
            pages[file] = read(file.resolve()).anchors if file.is_file() else None
        if pages[file] is None or home.full not in pages[file]:
            faults.append(f"{name.shown}: no page")
        text = constants.about(home) if name.kind == "data" else name.value.__doc__
        if not (text or "").strip():
            faults.append(f"{name.shown}: no docstring")
    return faults


def broken_links(site: Path) -> list[str]:
    """Links within the site that lead nowhere, and pictures that are not there."""
    pages = {file.resolve(): read(file.resolve()) for file in site.rglob("*.html") if "_static" not in file.parts}
    faults = []
    for file, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            anchor = unquote(parts.fragment)
            lost = anchor and target in pages and anchor not in pages[target].anchors
            if not target.exists() or lost:
                faults.append(f"{file.relative_to(site.resolve())}: {link}")
    return faults


def foreign(site: Path) -> list[str]:
    """Scripts, styles and pictures that a reader's browser would fetch from elsewhere."""
    loaded = []
    for file in sorted(site.rglob("*.html")):
        text = file.read_text("utf-8")
        loaded += [f"{file.name}: {tag}" for tag in ('src="http', '<link rel="stylesheet" href="http') if tag in text]
    return loaded


def main(folder: str) -> int:
    """Say what is missing, and return how much."""
    site, n_names, objects = Path(folder), sum(1 for _ in in_the_reference()), documented()
    wrong, counted = docstrings.faults(objects)
    without = [f"{name}: no example in the docstring" for name in without_example(objects)]
    faults = missing_names(site) + without + wrong + broken_links(site) + foreign(site)
    print("counted by numpydoc:", ", ".join(f"{code} {n}" for code, n in sorted(counted.items())) or "nothing")
    for fault in faults:
        print(fault, file=sys.stderr)
    pages = sum(1 for _ in site.rglob("*.html"))
    print(f"{n_names} public names, {len(homes())} objects, {pages} pages: {len(faults)} faults")
    return len(faults)


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1]), 1))
