"""`wt segment`: find the regions of an image in a file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from .._shown import counted
from .options import Computation, Output, argument, command, folder_output, option, threads
from .output import Offer
from .running import Result, running
from .summary import describe_input

_MANY = 300  # with more segments than this, most are texture or noise
_OFFER = Offer(
    "segments", more=("labels.png", "labels.npy", "overlay.png", "filtered.png", "contours.png"), draws=False
)
_ARGUMENTS = {"spatial": "spatial_radius", "range": "range_radius"}
_TUNED = {"spatial": 5.0, "range": 3.0, "lam": 5.0}


@command
@argument("image", "An image: PNG, JPEG, TIFF, ...", metavar="IMAGE", type=click.Path(path_type=Path))
@option("-n", "--n-segments", type=int, metavar="N", help="Number of segments, instead of --scale.", show_default=False)
@option(
    "--scale",
    type=float,
    metavar="X",
    help="From 0 (fine) to 1 (coarse): removes weaker boundaries.",
    show_default="0.6",
)
@option(
    "--min-size",
    type=int,
    default=0,
    metavar="PIXELS",
    help="Smaller regions are merged into the most similar neighbor.",
)
@option(
    "--spatial",
    section="Windows",
    type=float,
    metavar="RADIUS",
    help="Radius of the window, in pixels.",
    show_default="8",
)
@option(
    "--range", section="Windows", type=float, metavar="RADIUS", show_default="8",
    help="Radius in values: L*u*v* for colors, 0 to 255 for gray images.",
)  # fmt: skip
@option(
    "--lam", section="Windows", type=float, metavar="WEIGHT", show_default="0",
    help="Weight of the shape of neighborhoods; 0 is mean shift.",
)  # fmt: skip
@option(
    "--color", section="Windows", metavar="SPACE", show_default="luv",
    help="Color space for comparisons: luv, lab, rgb, none.",
)  # fmt: skip
@option("--merge/--no-merge", section="Windows", default=False, help="Merge regions that differ little.")
@option(
    "--n-iter", section="Windows", type=int, metavar="N", help="Largest number of iterations per pixel.",
    show_default="100",
)  # fmt: skip
@folder_output
@threads
def segment(
    image: Path, n_segments: int | None, scale: float | None, min_size: int, merge: bool, output: Output,
    computation: Computation, **windows: Any,
) -> None:  # fmt: skip
    """Segment an image along its contours, or by windows that move (mean shift, the Gaussian Transform).

    Writes these files into the folder: labels.png (the label map, 16 bits per pixel; labels.npy for more than 65536
    segments), overlay.png (with the boundaries), filtered.png (the mean color of each segment), contours.png (the
    strength of every boundary; not with windows) and summary.json. If an error occurs, no file is written.
    """
    cut = {"scale": scale, "n_segments": n_segments}
    with running(output, computation) as run:
        from .. import image as images
        from .pictures import encode, load

        by_radii = merge or any(value is not None for value in windows.values())
        if by_radii and (given := [name for name, value in cut.items() if value is not None]):
            option = given[0].replace("_", "-")
            raise ValueError(f"--{option} is for contours; leave out --spatial, --range and the options of windows")
        plan = run.plan_folder(_OFFER, image)
        with run.stage("reading"):
            picture = load(image)
        merging = images.Merging() if merge else None
        with run.stage("segmenting"):
            if by_radii:
                known = {_ARGUMENTS.get(name, name): value for name, value in _defaults(windows, merge).items()}
                segments = images.segment_by_radii(picture, merging=merging, min_size=min_size, **known)
            else:
                segments = images.segment(picture, n_segments, scale=scale, min_size=min_size)
        files = encode(segments, picture)
        size = " × ".join(map(str, segments.labels.shape))
        lines = [f"{counted(segments.n_segments, 'segment')} of {size} pixels in {run.seconds['segmenting']:.1f} s"]
        if segments.n_segments > _MANY and segments.tree is None and merging is None and not min_size:
            lines.append("most of these are texture and noise: leave out --spatial and --range, or add --min-size 50")
        if "labels.npy" in files:
            lines.append("labels.npy has 32 bits per pixel, because a PNG holds at most 65536 labels")
        run.about |= {"shape": list(picture.shape)}
        parameters = cut | windows | {"min_size": min_size, "merge": merge}
        more: dict[str, Callable[[], bytes]] = {name: partial(bytes, content) for name, content in files.items()}
        result = Result(lines, {"segments": segments.n_segments}, parameters, more=more)
        run.finish(plan, result, describe_input(str(image)))


def _defaults(radii: dict[str, Any], merge: bool) -> dict[str, Any]:
    """The given options; radii and λ that --merge was tuned for, if none of them is given."""
    given = {name: value for name, value in radii.items() if value is not None}
    return (_TUNED if merge and not given.keys() & _TUNED.keys() else {}) | given
