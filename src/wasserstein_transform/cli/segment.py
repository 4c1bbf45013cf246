"""`wt segment`: regions of a picture in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .expanding import Call, expanded
from .keeping import Folder
from .options import Jobs
from .running import opened
from .summary import as_input

if TYPE_CHECKING:
    from ..image import Merging

_MANY = 300  # segments from which on most are not what people see
_FILES = ("labels.png", "labels.npy", "overlay.png", "filtered.png", "contours.png")
_SOMETIMES = ("labels.png", "labels.npy", "contours.png")
_RADII = "Options of windows"


@expanded
def segment(
    *,
    image: Annotated[Path, typer.Argument(metavar="IMAGE", help="A picture: PNG, JPEG, TIFF, ...")],
    folder: Folder,
    scale: Annotated[
        float | None,
        typer.Option(
            help="From 0, fine, to 1, coarse: boundaries that fewer people would draw go.", show_default="0.6"
        ),
    ] = None,
    n_segments: Annotated[
        int | None, typer.Option("-n", "--n-segments", help="How many, instead of --scale.", show_default=False)
    ] = None,
    min_size: Annotated[int, typer.Option(help="Smaller regions are merged into the one most like them.")] = 0,
    spatial: Annotated[
        float | None,
        typer.Option(help="Radius of the window, in pixels.", show_default="8", rich_help_panel=_RADII),
    ] = None,
    range: Annotated[
        float | None,
        typer.Option(
            help="Radius in values: of L*u*v* for colors, of 0 to 255 for gray pictures.",
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
            help="What colors are compared in: luv, lab, rgb, none.", show_default="luv", rich_help_panel=_RADII
        ),
    ] = None,
    linking: Annotated[
        str | None,
        typer.Option(
            help="Which pixels belong together: adjacent, or paper.", show_default="adjacent", rich_help_panel=_RADII
        ),
    ] = None,
    merge: Annotated[
        bool, typer.Option(help="Merge regions that people would not tell apart.", rich_help_panel=_RADII)
    ] = False,
    share: Annotated[
        float | None,
        typer.Option(help="With --merge: larger leaves fewer regions.", show_default="2", rich_help_panel=_RADII),
    ] = None,
    n_iter: Annotated[
        int | None, typer.Option(help="Most iterations of a pixel.", show_default="100", rich_help_panel=_RADII)
    ] = None,
    jobs: Jobs = None,
    call: Call,
) -> None:
    """Segment a picture along the contours that people would draw; with any option of windows, by mean shift or the
    Gaussian Transform.

    Writes into the folder the label map (labels.png, 16 bits a pixel; labels.npy beyond 65536 segments), overlay.png
    with the boundaries, filtered.png with the mean color of each segment, contours.png with the strength of every
    boundary, if no windows were asked for, and summary.json: all of them or none.
    """  # noqa: D205
    options = {
        "spatial": spatial, "range": range, "lam": lam, "scale": scale, "n_segments": n_segments, "color": color,
        "linking": linking, "min_size": min_size, "n_iter": n_iter,
    }  # fmt: skip
    with opened(call, folder, jobs) as run:
        from ..image import segment as find
        from .pictures import encode, load

        merging = _merging(merge, share)
        place = run.place(*_FILES)
        with run.stage("reading"):
            picture = load(image)
        with run.stage("segmenting"):
            found = find(picture, **options, merging=merging)  # type: ignore[arg-type]
        files = encode(found, picture)
        size = " × ".join(map(str, found.labels.shape))
        words = [f"{found.n_segments} segments of {size} pixels in {run.seconds['segmenting']:.1f} s"]
        if found.n_segments > _MANY and found.tree is None and merging is None and not min_size:
            words.append("so many are texture and noise: leave out the radii, or give --min-size 50")
        if "labels.npy" in files:
            words.append("labels.npy, 32 bits a pixel, as a PNG holds no more than 65536 labels")
        run.about |= {"shape": list(picture.shape)}
        parameters = options | {"merging": None if merging is None else merging.share}
        run.finish_folder(
            place, files, words, parameters, {"segments": found.n_segments}, as_input(str(image)), _SOMETIMES
        )


def _merging(merge: bool, share: float | None) -> Merging | None:
    if share is not None and not merge:
        raise ValueError("share is for merging regions; give --merge too")
    if not merge:
        return None
    from ..image import Merging

    return Merging() if share is None else Merging(share)
