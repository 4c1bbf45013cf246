"""Move the points of files that do not fit into memory, in parts, from file to file."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .methods import METHODS, Method, parse_radii
from .options import Output, Source
from .output import check_free
from .printing import say, tell
from .summary import command_line, encode_json, versions

if TYPE_CHECKING:
    from ..clouds import StoredTrajectory
    from ..clouds.sources import CloudSource as Cloud
    from ..transforms import Process
    from .running import Run

_READ = (".npy", ".parquet", ".pq", ".zarr")
_WRITTEN = (".parquet", ".npy", ".zarr")
_SMALL = 1 << 26  # smaller files, in bytes, always fit into memory
_TABLE = 3  # memory of a table relative to its coordinates


def large_cloud(how: Method, source: Source, run: Run) -> Cloud | None:
    """The points of a file as a source for reading in parts, if they do not fit into memory; else None."""
    path = Path(source.file)
    kind = path.suffix.lower()
    if kind not in _READ or not path.exists() or source.distances or how.method in ("lt", "kernel"):
        return None
    if path.is_file() and path.stat().st_size < _SMALL and run.engine.memory is None:
        return None
    from ..clouds.sources import open_source
    from ..clouds.state import job_bytes

    names = None if source.columns is None else [name.strip() for name in source.columns.split(",")]
    cloud = open_source(path, names, source.weight)
    n, m = n_points(cloud), len(cloud.names())
    process = _process(how, 1.0)
    needed = job_bytes(n, process, m, source.weight is not None, run.engine) + 8.0 * _TABLE * n * m
    return cloud if kind == ".zarr" or not run.engine.fits(needed) else None


def n_points(cloud: Cloud) -> int:
    """Number of points according to the header of the file."""
    return sum(rows.n for rows in cloud.ranges())


def move_large(cloud: Cloud, how: Method, source: Source, given: Output, run: Run) -> None:
    """Move the points of a file, write them to another file, and print the result."""
    from .. import clouds

    n = n_points(cloud)
    output = _output(n, source, given)
    check_free(output, given.force)
    eps = parse_radii(how.eps)
    if eps == "auto":
        raise ValueError(f"{source.file} has {n:,} points, too many for memory, and --eps auto needs all of them; "
        "give a number, such as wt suggest finds for a part of them")  # fmt: skip
    process, n_iter = _process(how, eps), how.n_iter if how.n_iter is not None else 1
    store: Any = run.engine.store
    folder = (output.with_name(f"{output.name}.unfinished") if store is None else store.folder) / "cloud"
    run.release_notes()
    try:
        with run.stage("transforming"):
            walk = clouds.iterate(process, cloud, folder=folder, n_iter=n_iter, engine=run.engine)
        with run.stage("writing"):
            if given.force and output.is_dir():
                shutil.rmtree(output)
            walk.write(output, run.engine)
    except BaseException:
        if (folder / "run.json").exists():
            run.note(f"finished work is in {folder.parent}, and the same command continues from there")
        raise
    shutil.rmtree(folder.parent if store is None else folder, ignore_errors=True)
    run.bar.stop()
    _say(walk, how, process, source, given, run, output)


def _output(n: int, source: Source, given: Output) -> Path:
    several = f"{source.file} has {n:,} points, too many for memory, and is processed in parts, from file to file"
    if given.output is None or Path(given.output).suffix not in _WRITTEN:
        raise ValueError(f"{several}: give a file to write to, -o NAME{', -o NAME'.join(_WRITTEN)}")
    for option, value in (("--label", source.label), ("--figure", given.figure), ("--format", given.format)):
        if value is not None:
            raise ValueError(f"{several}: leave {option} out")
    if source.scale != "none":
        raise ValueError(f"{several}, without scaling: leave --scale out")
    return Path(given.output)


def _process(how: Method, eps: Any) -> Process:
    from ..transforms import gaussian_transform, mean_shift

    if how.method == "ms":
        return mean_shift(eps)
    lam = 1.0 if how.lam in (None, "auto") else float(how.lam)
    return gaussian_transform(eps, lam, ridge=how.ridge)


def _say(
    walk: StoredTrajectory, how: Method, process: Process, source: Source, given: Output, run: Run, output: Path
) -> None:
    name = how.method or "gt"
    lam = getattr(process.at(0).localize, "lam", None)
    summary = {
        "summary": 1, "command_line": command_line(), "file": {"name": source.file}, "rows": walk.n,
        "columns": list(walk.names), "parameters": {"method": name, "eps": parse_radii(how.eps), "lam": lam,
        "n_iter": walk.n_iter, "ridge": how.ridge}, "result": {"outcome": walk.outcome, "movements": walk.movements},
        "notes": run.notes, "written": [str(output)], "seconds": run.seconds, "versions": versions(),
    }  # fmt: skip
    if given.json:
        say(encode_json(summary).decode().rstrip("\n"))
    elif not given.quiet:
        tell(f"{walk.n:,} points, columns {', '.join(walk.names)}, processed in parts")
        tell(f"{METHODS[name]}, eps {how.eps}{'' if lam is None else f', lam {lam:g}'}; {walk.outcome}")
        tell(str(output))
