"""The site: `make docs` builds it into build/docs. Nothing is downloaded."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS))

from building import architecture, drawn, gallery, inks, links, reference, root_pages, theory_pictures  # noqa: E402

import wasserstein_transform as wt  # noqa: E402

project = "wasserstein-transform"
version = release = wt.__version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
]
exclude_patterns = ["building", "tests", "templates", "**/sg_execution_times.rst", "sg_execution_times.rst"]
templates_path = ["templates"]
nitpicky = True
smartquotes = False  # "precomputed" in a list of parameters is code
suppress_warnings = ["config.cache"]  # settings of the gallery are functions, which are not kept

# Markdown: headings can be linked to as on GitHub
myst_enable_extensions = ["colon_fence", "attrs_inline"]
myst_heading_anchors = 4

# docstrings: types stand in the lists of parameters, not in signatures
default_role = "literal"
add_module_names = False
autodoc_typehints = "none"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
autosummary_generate = True
autosummary_imported_members = True
autosummary_context = {"others": "object, tuple, int, str, dict, Enum, Exception, Protocol, Generic"}
numpydoc_show_class_members = False
numpydoc_attributes_as_param_list = True
maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"

sphinx_gallery_conf = gallery.settings(ROOT) | {"parallel": os.cpu_count() or 1}

html_theme = "pydata_sphinx_theme"
html_title = "wasserstein-transform"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options: dict[str, Any] = {
    "navbar_center": [],  # the sidebar has all pages
    "collapse_navigation": True,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_end": ["theme-switcher"],
    "footer_start": ["license.html"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"**": ["pages.html"]}


def write_pages(*_: Any) -> None:
    """Pages and pictures that are made of the code, before Sphinx looks for files."""
    reference.write(DOCS / "reference")
    root_pages.write(ROOT, DOCS / "project")
    architecture.draw(ROOT / "src" / "wasserstein_transform", DOCS / "project")
    inks.save(theory_pictures.PICTURES, DOCS / drawn.FOLDER)


def escape(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Bars and stars of docstrings are mathematics and L*u*v*, not markup; code is left alone."""
    code = False
    for k, line in enumerate(lines):
        code = line.lstrip().startswith(">>>") or (code and bool(line.strip()))
        if not code and "`" not in line:
            lines[k] = re.sub(r"(?<!\\)\|(?=.)|(?<=[\w(])\*", r"\\\g<0>", line)


def skip(app: Any, what: str, name: str, obj: Any, skipped: bool, options: Any) -> bool | None:
    """Members that are scikit-learn's own are documented there."""
    module = str(getattr(obj, "__module__", ""))
    return True if module.startswith("sklearn") or re.fullmatch(r"set_\w+_request", name) else None


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-docstring", escape, priority=400)
    app.add_transform(links.NamesAsLinks)
    app.add_directive("drawn", drawn.Drawn)
    app.connect("source-read", links.to_pages)
    app.connect("config-inited", write_pages)
