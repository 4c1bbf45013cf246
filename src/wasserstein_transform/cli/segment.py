"""`wt segment`: find the regions of an image in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .expanding import Call, expanded
from .keeping import Folder
from .options import Jobs
from .running import opened
from .summary import as_input

if TYPE_CHECKING:
    from ..image import Merging

_MANY = 300  # with more segments than this, most are texture or noise
_FILES = ("labels.png", "labels.npy", "overlay.png", "filtered.png", "contours.png")
_SOMETIMES = ("labels.png", "labels.npy", "contours.png")
_RADII = "Options of windows"
_ARGUMENTS = {"spatial": "spatial_radius", "range": "range_radius"}
_TUNED = {"spatial": 5.0, "range": 3.0, "lam": 5.0}


@expanded
def segment(
    *,
    image: Annotated[Path, typer.Argument(metavar="IMAGE", help="An image: PNG, JPEG, TIFF, ...")],
    folder: Folder,
    scale: Annotated[
        float | None,
        typer.Option(help="From 0 (fine) to 1 (coarse): removes weaker boundaries.", show_default="0.6"),
    ] = None,
    n_segments: Annotated[
        int | None,
        typer.Option("-n", "--n-segments", help="Number of segments, instead of --scale.", show_default=False),
    ] = None,
    min_size: Annotated[int, typer.Option(help="Smaller regions are merged into the most similar neighbor.")] = 0,
    spatial: Annotated[
        float | None,
        typer.Option(help="Radius of the window, in pixels.", show_default="8", rich_help_panel=_RADII),
    ] = None,
    range: Annotated[
        float | None,
        typer.Option(
            help="Radius in values: L*u*v* for colors, 0 to 255 for gray images.",
            show_default="8",
            rich_help_panel=_RADII,
        ),
    ] = None,
    lam: Annotated[
        float | None,
        typer.Option(
            help="Weight of the shape of neighborhoods; 0 is mean shift.", show_default="0", rich_help_panel=_RADII
        ),
    ] = None,
    color: Annotated[
        str | None,
        typer.Option(
            help="Color space for comparisons: luv, lab, rgb, none.", show_default="luv", rich_help_panel=_RADII
        ),
    ] = None,
    linking: Annotated[
        str | None,
        typer.Option(
            help="Pixels that are linked: adjacent, or paper (all near modes).",
            show_default="adjacent",
            rich_help_panel=_RADII,
        ),
    ] = None,
    merge: Annotated[bool, typer.Option(help="Merge regions that differ little.", rich_help_panel=_RADII)] = False,
    share: Annotated[
        float | None,
        typer.Option(help="With --merge: larger values leave fewer regions.", show_default="2", rich_help_panel=_RADII),
    ] = None,
    n_iter: Annotated[
        int | None,
        typer.Option(help="Largest number of iterations per pixel.", show_default="100", rich_help_panel=_RADII),
    ] = None,
    jobs: Jobs = None,
    call: Call,
) -> None:
    """Segment an image along its contours; with --spatial, --range or a similar option, by mean shift or the
    Gaussian Transform.

    Writes these files into the folder: labels.png (the label map, 16 bits per pixel; labels.npy for more than 65536
    segments), overlay.png (with the boundaries), filtered.png (the mean color of each segment), contours.png (the
    strength of every boundary; not with mean shift) and summary.json. If an error occurs, no file is written.
    """  # noqa: D205
    cut = {"scale": scale, "n_segments": n_segments}
    radii = {"spatial": spatial, "range": range, "lam": lam, "color": color, "linking": linking, "n_iter": n_iter}
    with opened(call, folder, jobs) as run:
        from .. import image as images
        from .pictures import encode, load

        merging = _merging(merge, share)
        by_radii = merge or any(value is not None for value in radii.values())
        if by_radii and (given := [name for name, value in cut.items() if value is not None]):
            option = given[0].replace("_", "-")
            raise ValueError(f"--{option} is for contours; leave out --spatial, --range and the options of windows")
        place = run.place(*_FILES)
        with run.stage("reading"):
            picture = load(image)
        with run.stage("segmenting"):
            if by_radii:
                known = {_ARGUMENTS.get(name, name): value for name, value in _defaults(radii, merge).items()}
                found = images.segment_by_radii(picture, merging=merging, min_size=min_size, **known)
            else:
                found = images.segment(picture, n_segments, scale=scale, min_size=min_size)
        files = encode(found, picture)
        size = " × ".join(map(str, found.labels.shape))
        words = [f"{found.n_segments} segments of {size} pixels in {run.seconds['segmenting']:.1f} s"]
        if found.n_segments > _MANY and found.tree is None and merging is None and not min_size:
            words.append("most of these are texture and noise: leave out --spatial and --range, or add --min-size 50")
        if "labels.npy" in files:
            words.append("labels.npy has 32 bits per pixel, because a PNG holds at most 65536 labels")
        run.about |= {"shape": list(picture.shape)}
        parameters = cut | radii | {"min_size": min_size} | {"merging": None if merging is None else merging.share}
        run.finish_folder(
            place, files, words, parameters, {"segments": found.n_segments}, as_input(str(image)), _SOMETIMES
        )


def _defaults(radii: dict[str, Any], merge: bool) -> dict[str, Any]:
    """The given options; radii and λ that --merge was tuned for, if none of them is given."""
    given = {name: value for name, value in radii.items() if value is not None}
    return (_TUNED if merge and not given.keys() & _TUNED.keys() else {}) | given


def _merging(merge: bool, share: float | None) -> Merging | None:
    if share is not None and not merge:
        raise ValueError("--share needs --merge; add --merge, or leave --share out")
    if not merge:
        return None
    from ..image import Merging

    return Merging() if share is None else Merging(share)
