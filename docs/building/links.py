"""Links that work on GitHub and on the site: plain Markdown stays plain Markdown.

Code in text that is a public name leads to its page. Links to files outside of docs/ lead to the pages made of them.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

from .names import written

PAGES = {
    r"\.\./examples/gallery/(plot_\w+)\.py": r"gallery/\1.rst",
    r"\.\./examples/gallery/": "gallery/index.rst",
    r"\.\./CONTRIBUTING\.md": "project/contributing.md",
    r"\.\./ARCHITECTURE\.md": "project/architecture.md",
    r"\.\./CHANGELOG\.md": "project/changes.md",
    r"\.\./README\.md": "index.md",
}
_CALL = re.compile(r"\(.*\)$", re.DOTALL)


class NamesAsLinks(SphinxTransform):
    """`wt.cluster(X)` in a page or docstring leads to the page of wt.cluster."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        known = self._known()
        for literal in list(self.document.findall(nodes.literal)):
            target = known.get(_CALL.sub("", literal.astext()))
            if target and not _inside_link(literal) and not self._own_page(target):
                literal.replace_self(_link(literal, target, self.env.docname))

    def _known(self) -> dict[str, str]:
        if not hasattr(self.app, "_public_names"):
            self.app._public_names = written()
        known: dict[str, str] = self.app._public_names
        if "reference/" in self.env.docname:
            return known
        return {
            text: target for text, target in known.items() if text.startswith(("wt.", "theory.")) or text[0].isupper()
        }

    def _own_page(self, target: str) -> bool:
        return self.env.docname.endswith(f"/{target}")


def to_pages(app: Any, docname: str, source: list[str]) -> None:
    """Turn links to files of the repository into links to pages of the site, as a page is read."""
    for file, page in PAGES.items():
        source[0] = re.sub(rf"\]\({file}\)", rf"]({page})", source[0])


def _inside_link(node: nodes.Node) -> bool:
    while node is not None:
        if isinstance(node, nodes.reference | addnodes.pending_xref | nodes.title):
            return True
        node = node.parent
    return False


def _link(literal: nodes.literal, target: str, docname: str) -> addnodes.pending_xref:
    link = addnodes.pending_xref(
        "", refdomain="py", reftype="obj", reftarget=target, refexplicit=True, refwarn=True, refdoc=docname
    )
    link += literal.deepcopy()
    return link
