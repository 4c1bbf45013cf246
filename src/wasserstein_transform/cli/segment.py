"""`wt segment`: find the regions of pictures in files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._shown import counted
from .errors import in_a_line
from .options import Computation, Output, argument, command, folder_output, option, threads
from .output import Plan
from .printing import tell
from .running import Run, running
from .summary import describe_input

if TYPE_CHECKING:
    from ..image import Segmentation

_MANY = 300  # with more segments than this, most are texture or noise
_FILES = (
    "labels.png", "labels.npy", "overlay.png", "filtered.png", "contours.png", "regions.csv", "regions.geojson",
)  # fmt: skip
_ARGUMENTS = {"spatial": "spatial_radius", "range": "range_radius"}


@command
@argument(
    "images", "Pictures (PNG, JPEG, TIFF, ...), or folders of pictures.", metavar="IMAGE...", nargs=-1, required=True,
    type=click.Path(path_type=Path),
)  # fmt: skip
@option("-n", "--n-segments", type=int, metavar="N", help="Number of segments, instead of --scale.", show_default=False)
@option(
    "--scale", type=float, metavar="X", show_default="for each picture, 0.25 to 0.61",
    help="From 0 (fine) to 1 (coarse): removes weaker boundaries.",
)  # fmt: skip
@option(
    "--min-size", type=int, default=0, metavar="PIXELS",
    help="Smaller regions are merged into the most similar neighbor.",
)  # fmt: skip
@option("--masks/--no-masks", default=False, help="Write a black and white picture for each segment, too.")
@option(
    "--spatial", section="Windows", type=float, metavar="RADIUS", help="Radius of the window, in pixels.",
    show_default="8",
)  # fmt: skip
@option(
    "--range", section="Windows", type=float, metavar="RADIUS", show_default="8, or 8/255 of the values",
    help="Radius in values: L*u*v* for colors, the unit of the file for gray levels and channels.",
)  # fmt: skip
@option(
    "--lam", section="Windows", type=float, metavar="WEIGHT", show_default="0",
    help="Weight of the shape of neighborhoods; 0 is mean shift.",
)  # fmt: skip
@option(
    "--color", section="Windows", metavar="SPACE", show_default="luv",
    help="Color space for comparisons: luv, lab, rgb, none.",
)  # fmt: skip
@option(
    "--n-iter", section="Windows", type=int, metavar="N", help="Largest number of iterations per pixel.",
    show_default="100",
)  # fmt: skip
@folder_output
@threads
def segment(
    images: tuple[Path, ...], n_segments: int | None, scale: float | None, min_size: int, masks: bool, output: Output,
    computation: Computation, **windows: Any,
) -> None:  # fmt: skip
    """Segment pictures along their contours, or by windows that move (mean shift, the Gaussian Transform).

    Writes these files into the folder: labels.png (the segments in colors), labels.npy (their numbers, for programs),
    overlay.png (the picture with boundaries), filtered.png (the mean color of each segment), contours.png (the strength
    of every boundary; not with windows), regions.csv (area, box, mean color, ... of each segment), regions.geojson
    (outlines, in pixels) and summary.json. With several pictures each has a folder of its name, and the regions.csv
    above them has the segments of all. Transparent pixels belong to no segment: their label is -1.
    """
    cut = {"scale": scale, "n_segments": n_segments}
    given = {_ARGUMENTS.get(name, name): value for name, value in windows.items() if value is not None}
    with running(output, computation) as run:
        from .. import image as methods
        from ..image.reading import picture_files

        if given and (wrong := [name for name, value in cut.items() if value is not None]):
            option = wrong[0].replace("_", "-")
            raise ValueError(f"--{option} is for contours; leave out --spatial, --range and the options of windows")
        files = picture_files(images)
        work = (
            partial(methods.segment_by_radii, min_size=min_size, **given)
            if given
            else partial(methods.segment, min_size=min_size, **cut)
        )
        parameters = cut | windows | {"min_size": min_size, "masks": masks}
        if len(images) == 1 and images[0].is_file():
            _segment_one(run, files[0], work, masks, parameters)
        else:
            _segment_several(run, files, work, masks, parameters)


def _segment_one(run: Run, file: Path, work: Callable[..., Any], masks: bool, parameters: dict[str, Any]) -> None:
    plan = run.plan_folder("segments", _FILES, file=file)
    with run.stage("segmenting"):
        segments = work(file)
    run.about |= {"shape": list(segments.image.shape)}
    contents = _contents(segments, masks)
    plan = replace(plan, more=tuple(dict.fromkeys([*_FILES, *contents])))
    lines = [f"{_describe(segments)} in {run.seconds['segmenting']:.1f} s"]
    if segments.n_segments > _MANY and segments.tree is None and not parameters["min_size"]:
        lines.append("most of these are texture and noise: leave out --spatial and --range, or add --min-size 50")
    more: dict[str, Callable[[], bytes]] = {name: partial(bytes, content) for name, content in contents.items()}
    facts = {"segments": segments.n_segments, "scale": segments.scale}
    run.finish(plan, describe_input(str(file)), lines, facts, parameters, more=more)


def _segment_several(
    run: Run, files: list[Path], work: Callable[..., Any], masks: bool, parameters: dict[str, Any]
) -> None:
    """Segment each picture into its folder, and put all regions into one table; damaged pictures are left out."""
    import pandas as pd

    plan = run.plan_folder("segments", ("regions.csv",))
    assert plan.folder is not None
    parts = {file: replace(plan, folder=plan.folder / name, more=_FILES) for file, name in _folders(files).items()}
    for file, part in parts.items():
        part.check(file)
    tables, counts = [], {}
    with run.stage("segmenting"):
        for k, (file, part) in enumerate(parts.items()):
            run.bar.stage(f"segmenting {k + 1} of {len(files)}, {file.name}")
            try:
                segments = work(file)
            except ValueError as error:
                run.note(f"left out: {in_a_line(error)}")
                continue
            _write(part, _contents(segments, masks))
            counts[file.name] = segments.n_segments
            tables.append(segments.regions().assign(image=str(file)))
            if not (run.output.quiet or run.output.json):
                tell(f"{file}: {_describe(segments).rstrip(',')}")
    if not tables:
        raise ValueError(f"none of {counted(len(files), 'picture')} could be segmented")
    table = pd.concat(tables)
    table = table[["image", *(name for name in table if name != "image")]]
    lines = [f"{counted(len(table), 'segment')} in {counted(len(tables), 'picture')}"]
    more: dict[str, Callable[[], bytes]] = {"regions.csv": lambda: table.to_csv(index=False).encode()}
    run.finish(plan, describe_input(str(files[0])), lines, {"segments": counts}, parameters, more=more)


def _describe(segments: Segmentation) -> str:
    size = " × ".join(map(str, segments.labels.shape))
    scale = "" if segments.scale is None else f", at scale {segments.scale:.2f},"
    return f"{counted(segments.n_segments, 'segment')} of {size} pixels{scale}"


def _contents(segments: Segmentation, masks: bool) -> dict[str, bytes]:
    from .pictures import encode

    return encode(segments, masks)


def _folders(files: list[Path]) -> dict[Path, str]:
    """A folder for each picture: its name without suffix, or with a number if several have that name."""
    used, names = set[str](), dict[Path, str]()
    for file in files:
        tries = [file.stem, *(f"{file.stem}-{k}" for k in range(2, len(files) + 1))]
        names[file] = next(name for name in tries if name.lower() not in used)
        used.add(names[file].lower())
    return names


def _write(plan: Plan, contents: dict[str, bytes]) -> None:
    assert plan.folder is not None
    replace(plan, more=tuple(contents)).write({plan.folder / name: content for name, content in contents.items()})
