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
_FILES = ("labels.png", "labels.npy", "overlay.png", "filtered.png")


@expanded
def segment(
    *,
    image: Annotated[Path, typer.Argument(metavar="IMAGE", help="A picture: PNG, JPEG, TIFF, ...")],
    folder: Folder,
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
    call: Call,
) -> None:
    """Segment a picture by mean shift, or with --lam by the Gaussian Transform.

    Writes into the folder the label map (labels.png, 16 bits a pixel; labels.npy beyond 65536 segments), overlay.png
    with the boundaries, filtered.png with the mean color of each segment and summary.json: all of them or none.
    """
    options = {
        "spatial": spatial, "range": range, "lam": lam, "color": color, "linking": linking, "min_size": min_size,
        "n_iter": n_iter,
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
        if found.n_segments > _MANY and merging is None and not min_size:
            words.append("so many are texture and noise: --merge, or --min-size 50, leaves fewer")
        if "labels.npy" in files:
            words.append("labels.npy, 32 bits a pixel, as a PNG holds no more than 65536 labels")
        run.about |= {"shape": list(picture.shape)}
        parameters = options | {"merging": None if merging is None else merging.share}
        run.finish_folder(
            place, files, words, parameters, {"segments": found.n_segments}, as_input(str(image)), _FILES[:2]
        )


def _merging(merge: bool, share: float | None) -> Merging | None:
    if share is not None and not merge:
        raise ValueError("share is for merging regions; give --merge too")
    if not merge:
        return None
    from ..image import Merging

    return Merging() if share is None else Merging(share)
