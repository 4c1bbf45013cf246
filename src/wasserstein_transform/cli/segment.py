"""`wt segment`: find the regions of pictures in files."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from .._display import counted
from .errors import in_a_line
from .options import JOBS, command, folder_output
from .running import running
from .summary import describe_input

FILE_NAMES = (
    "labels.png", "labels.npy", "overlay.png", "filtered.png", "contours.png", "regions.csv", "regions.geojson",
)  # fmt: skip
WINDOW_ARGUMENTS = {
    "spatial": "spatial_radius", "range": "range_radius", "lam": "lam", "color": "color", "n_iter": "n_iter",
}  # fmt: skip


@command
@click.argument("images", metavar="IMAGE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-n", "--n-segments", type=int, metavar="N", help="Number of segments, instead of --scale.")
@click.option(
    "--scale", type=float, metavar="X", show_default="for each picture, 0.25 to 0.61",
    help="From 0 (fine) to 1 (coarse): removes weaker boundaries.",
)  # fmt: skip
@click.option(
    "--min-size",
    type=int,
    default=0,
    metavar="PIXELS",
    help="Smaller regions are merged into the most similar neighbor.",
)
@click.option("--masks", is_flag=True, help="Write a black and white picture for each segment, too.")
@click.option("--spatial", type=float, metavar="RADIUS", help="Windows: radius in pixels.", show_default="8")
@click.option(
    "--range", type=float, metavar="RADIUS", show_default="8, or 8/255 of the values",
    help="Windows: radius in values, L*u*v* for colors, the unit of the file for gray levels and channels.",
)  # fmt: skip
@click.option(
    "--lam", type=float, metavar="WEIGHT", show_default="0",
    help="Windows: weight of the shape of neighborhoods; 0 is mean shift.",
)  # fmt: skip
@click.option("--color", metavar="SPACE", show_default="luv", help="Windows: color space, luv, lab, rgb or none.")
@click.option("--n-iter", type=int, metavar="N", help="Windows: most iterations per pixel.", show_default="100")
@folder_output
@JOBS
def segment(**options: Any) -> None:
    """Find the regions of an image.

    IMAGE is a picture (PNG, JPEG, TIFF, ...), or a folder of pictures. They are cut along their contours, or with an
    option of windows by windows that move (mean shift, the Gaussian Transform).

    Writes these files into the folder: labels.png (the segments in colors), labels.npy (their numbers, for programs),
    overlay.png (the picture with boundaries), filtered.png (the mean color of each segment), contours.png (the strength
    of every boundary; not with windows), regions.csv (area, box, mean color, ... of each segment), regions.geojson
    (outlines, in pixels) and summary.json. With several pictures each has a folder of its name, and the regions.csv
    above them has the segments of all. Transparent pixels belong to no segment: their label is -1.
    """
    with running(options) as run:
        import pandas as pd

        from ..image import picture_files
        from .pictures import encode

        given, several = run.given, len(run.given.images) > 1 or run.given.images[0].is_dir()
        work = _work(options)
        files = picture_files(given.images)
        plan = run.plan_folder("segments", ("regions.csv",) if several else FILE_NAMES)
        folders = _folders(files, Path(given.output))
        parts = {file: replace(plan, folder=folders[file], more=FILE_NAMES) if several else plan for file in files}
        for file, part in parts.items():
            part.check(file)
        tables, lines, pictures, contents = [], [], dict[str, Any](), dict[str, bytes]()
        for file, part in parts.items():
            run.bar.stage(f"segmenting {file.name}")
            try:
                result = work(file)
                if result.labels.ndim != 2:
                    raise ValueError(f"{file} has shape {result.image.shape}, which is not one picture; give one frame")
            except ValueError as error:
                if not several:
                    raise
                run.note(f"left out: {in_a_line(error)}")
                continue
            contents = encode(result, given.masks)
            if several:
                part.write({folders[file] / name: content for name, content in contents.items()})
            size = " × ".join(map(str, result.labels.shape))
            at = "" if result.scale is None else f", at scale {result.scale:.2f}"
            lines.append(f"{file}: {counted(result.n_segments, 'segment')} of {size} pixels{at}")
            pictures[str(file)] = {"segments": result.n_segments, "scale": result.scale}
            tables.append(result.regions().assign(image=str(file)))
        if several:
            if not tables:
                raise ValueError(f"none of {counted(len(files), 'picture')} could be segmented")
            table = pd.concat(tables)
            table.insert(0, "image", table.pop("image"))
            contents = {"regions.csv": table.to_csv(index=False).encode()}
            lines.append(f"{counted(len(table), 'segment')} in {counted(len(tables), 'picture')}")
        more = {name: partial(bytes, content) for name, content in contents.items()}
        run.finish(plan, describe_input(str(files[0])), lines, {"pictures": pictures}, more=more)


def _work(options: dict[str, Any]) -> Any:
    """The function that segments a file: along contours, or by windows if one of their options is given."""
    from .. import image

    cut = {name: options[name] for name in ("scale", "n_segments") if options[name] is not None}
    windows = {name: options[option] for option, name in WINDOW_ARGUMENTS.items() if options[option] is not None}
    if cut and windows:
        option = next(iter(cut)).replace("_", "-")
        raise ValueError(f"--{option} is for contours; leave out --spatial, --range and the options of windows")
    return partial(image.segment_by_radii if windows else image.segment, min_size=options["min_size"], **cut, **windows)


def _folders(files: list[Path], above: Path) -> dict[Path, Path]:
    """A folder for each picture: its name without suffix, or with a number if several have that name."""
    used, folders = set[str](), dict[Path, Path]()
    for file in files:
        tries = [file.stem, *(f"{file.stem}-{k}" for k in range(2, len(files) + 1))]
        name = next(name for name in tries if name.lower() not in used)
        used.add(name.lower())
        folders[file] = above / name
    return folders
