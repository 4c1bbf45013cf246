"""`wt segment`: regions of a picture in a file."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .door import door
from .options import Jobs
from .printing import say

if TYPE_CHECKING:
    from ..image import Merging

_LONG = 200_000  # pixels from which on progress is shown


def segment(
    image: Annotated[Path, typer.Argument(help="A picture: PNG, JPEG, TIFF, ...")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for labels, overlay and filtered picture.")],
    spatial: Annotated[float, typer.Option(help="Radius of the window, in pixels.")] = 8.0,
    range: Annotated[
        float, typer.Option(help="Radius in values: of L*u*v* for colors, of 0 to 255 for gray pictures.")
    ] = 8.0,
    lam: Annotated[float, typer.Option(help="Weight of the shape of neighborhoods; 0 is mean shift.")] = 0.0,
    color: Annotated[str, typer.Option(help="What colors are compared in: luv, lab, rgb, none.")] = "luv",
    linking: Annotated[str, typer.Option(help="Which pixels belong together: adjacent, or paper.")] = "adjacent",
    min_size: Annotated[int, typer.Option(help="Smaller regions are merged into the one most like them.")] = 0,
    merge: Annotated[bool, typer.Option(help="Merge regions that people would not tell apart.")] = False,
    share: Annotated[
        float | None,
        typer.Option(help="With --merge: larger leaves fewer regions.", show_default="2"),
    ] = None,
    n_iter: Annotated[int, typer.Option(help="Most iterations of a pixel.")] = 100,
    jobs: Jobs = None,
) -> None:
    """Segment a picture by mean shift, or with --lam by the Gaussian Transform.

    Writes into the folder the label map (labels.png, 16 bits a pixel; labels.npy beyond 65536 segments), overlay.png
    with the boundaries and filtered.png with the mean color of each segment: all of them or none.
    """
    options: dict[str, Any] = {
        "color": color, "linking": linking, "min_size": min_size, "n_iter": n_iter, "n_jobs": jobs,
    }  # fmt: skip
    with door("wt segment"):
        from ..image import segment as run
        from .pictures import Place, encode, load

        merging = _merging(merge, share)
        place = Place(output, "labels.png", "labels.npy", "overlay.png", "filtered.png")
        picture = load(image)
        long = picture.shape[0] * picture.shape[1] >= _LONG
        start = time.perf_counter()
        found = run(picture, spatial, range, lam, **options, merging=merging, verbose=long and sys.stderr.isatty())
        seconds = time.perf_counter() - start
        files = encode(found, picture)
        place.write(files, stale=("labels.png", "labels.npy"))
    size = " × ".join(map(str, found.labels.shape))
    say(f"{found.n_segments} segments of {size} pixels in {seconds:.1f} s")
    say(f"{output}: {', '.join(files)}")
    if "labels.npy" in files:
        say("labels.npy, 32 bits a pixel, as a PNG holds no more than 65536 labels")


def _merging(merge: bool, share: float | None) -> Merging | None:
    if share is not None and not merge:
        raise ValueError("share is for merging regions; give --merge too")
    if not merge:
        return None
    from ..image import Merging

    return Merging() if share is None else Merging(share)
