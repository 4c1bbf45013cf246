"""How the gallery is made: which scripts run, and where their figures come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

FOLDER = "gallery"
ORDER = ("clusters", "errors", "gps", "surface", "image", "graph", "distances", "topology")


def settings(root: Path) -> dict[str, Any]:
    """For sphinx-gallery: scripts in cells run; those that are programs of their own are shown."""
    return {
        "examples_dirs": str(root / "examples" / FOLDER),
        "gallery_dirs": FOLDER,
        "filename_pattern": "gallery/plot_",
        "within_subsection_order": "building.gallery.as_listed",
        "image_scrapers": ("building.gallery.new_figures",),
        "reset_modules": (),
        "capture_repr": (),
        "run_stale_examples": True,  # the library may have changed where the script has not
        "abort_on_example_error": True,
        "show_memory": False,
        "show_signature": False,
        "download_all_examples": False,
        "min_reported_time": 1,
        "remove_config_comments": True,
    }


def as_listed(file: str) -> int:
    """The place of a script among the others."""
    name = Path(file).stem.removeprefix("plot_")
    return ORDER.index(name) if name in ORDER else len(ORDER)


def new_figures(block: Any, variables: dict[str, Any], conf: dict[str, Any], **_: Any) -> str:
    """Save the figure that a cell leaves as `figure`: the library draws without pyplot, so there is no list of them."""
    found = variables["example_globals"].pop("figure", None)
    if not isinstance(found, Figure):
        return ""
    path = next(variables["image_path_iterator"])
    if not hasattr(found.canvas, "print_png"):
        FigureCanvasAgg(found)
    found.savefig(path, dpi=130, facecolor="white")
    return str(figure_rst([path], conf["src_dir"]))
