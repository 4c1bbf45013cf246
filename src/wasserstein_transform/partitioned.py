"""Transforms of points that memory does not hold, on Dask's data frames and arrays.

One shuffle of Dask sorts points into boxes of about equally many. Then a task reads a box and what lies near it in
others, takes an ordinary step in memory, and writes the points of its box. Points stay in the file of their box,
wherever they move: boxes as they are in each iteration, which the footers of their files tell, grow by a reach at most,
and mostly shrink. So nothing is sent between tasks, and nothing is sorted again.

A file gets its name when it is complete, and a run that was stopped goes on with the files that are missing.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _check as check
from ._archive import described, fingerprint
from ._files import PathLike, writing
from ._types import Bools, Floats, Ints
from .compute.cells.rows import sample_evenly
from .engine import Engine, current
from .localize import Extrinsic, Gaussian, Kernel
from .spaces import Euclidean, GaussianMetric, Space
from .tables.columns import chosen
from .transforms import Process, Transform
from .transforms.estimates import reserve_run
from .transforms.folder import open_folder
from .transforms.transform import as_process, warn_of_count

if TYPE_CHECKING:
    from pandas import DataFrame

    from .clustering import Clustering

__all__ = ("denoise", "iterate", "predict")

_BOX_ROWS, _MIN_BOX_ROWS = 250_000, 20_000  # of many points, and of few, of which there are _FEW_BOXES at most
_FEW_BOXES, _MAX_BOXES = 64, 10_000
_PARTS_OF_BOX = 16  # row groups of a file, each a part of the box: neighbors read only those near them
_SAMPLE_ROWS, _BOX_SAMPLE_ROWS = 1_000_000, 10_000  # that boxes are cut by, and parts of them
_KNOWN_ROWS = 1_000  # of the first and the last partition, by which a run is known again
_BYTES_PER_NUMBER = 48.0  # of memory for each number of a box and its surroundings, during a step
_ROW, _BOX, _WEIGHT, _INDEX = "__row", "__box", "__weight", "__index"
_FORMAT = "wasserstein-transform partitioned run 1"


def iterate(
    process: Process | Transform,
    points: Any,
    n_iter: int,
    *,
    columns: Sequence[Any] | None = None,
    weights: Any = None,
    out: PathLike,
) -> Any:
    """Move points that memory does not hold by a transform; in each task, a step is that of `wt.iterate`.

    Parameters
    ----------
    process : Process or Transform
        Mean shift, the Gaussian Transform, ridges: any localization that moves points by kernels of finite reach.
    points : Dask DataFrame, Dask array of shape (n, m), or path
        The points; a path is that of Parquet files or of a Zarr array.
    n_iter : int
        Number of iterations. 0: only the start of the process.
    columns : sequence of str, optional
        The coordinates. None: columns such as x, y and z if there are any, else all numbers.
    weights : str, optional
        The column of the masses. None: uniform.
    out : path
        A folder of this run alone, on a disk that all workers share. The same call goes on where it was.

    Returns
    -------
    Dask DataFrame
        The moved coordinates beside the other columns, with the index of the rows, a partition for each box.

    Notes
    -----
    One shuffle, then in each iteration a task for each box of some 250,000 points. A task holds its box and what
    lies within the reach of a step around it (two reaches for the Gaussian Transform). The results are those of
    `wt.iterate` but for rounding, since sums run in another order.

    Examples
    --------
    >>> import tempfile, dask.array as da, wasserstein_transform as wt
    >>> X = da.from_array([[0.0], [1.0], [5.0]], chunks=(2, 1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     moved = wt.partitioned.iterate(wt.transforms.mean_shift(1.0), X, 1, out=folder).compute()
    >>> moved.to_numpy().ravel()
    array([0.5, 0.5, 5. ])
    """
    process, n_iter = as_process(process), check.count(n_iter, "n_iter", 0)
    steps = [*([] if process.start is None else [process.start]), *(process.at(k) for k in range(n_iter))]
    for step in steps:
        _check_step(step)
    run = _Run.open(points, columns, weights, out, (process, n_iter))
    run.sort(max((_margin(step) for step in steps), default=0.0), any(isinstance(s.localize, Gaussian) for s in steps))
    n_massless = [run.advance(k, _Step(step), _margin(step), len(steps)) for k, step in enumerate(steps)]
    warn_of_count(max(n_massless, default=0), run.n)
    return run.result(len(steps))


def denoise(
    points: Any,
    dim: int = 1,
    *,
    eps: float,
    n_iter: int = 2,
    columns: Sequence[Any] | None = None,
    weights: Any = None,
    out: PathLike,
) -> Any:
    """Move points that memory does not hold onto curves (dim=1) or surfaces (dim=2), as `wt.denoise` does.

    Parameters
    ----------
    points : Dask DataFrame, Dask array of shape (n, m), or path
        As for `iterate`.
    dim : int, default 1
        1 for curves, 2 for surfaces.
    eps : float
        Radius of neighborhoods, in the unit of the points; `wt.denoise` of a part of them proposes one.
    n_iter : int, default 2
        Number of steps.
    columns : sequence of str, optional
        As for `iterate`.
    weights : str, optional
        As for `iterate`.
    out : path
        As for `iterate`.

    Returns
    -------
    Dask DataFrame
        As of `iterate`.

    Notes
    -----
    A task holds its box and what lies within 2·(n_iter + 1) radii around it. The spread of the noise, on which depends
    how far points with few neighbors move, is that of each box, not of the whole.

    Examples
    --------
    >>> import tempfile, dask.array as da, numpy as np, wasserstein_transform as wt
    >>> X, _, circle = wt.datasets.circles(0, n=1000, noise=0.05)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     moved = wt.partitioned.denoise(da.from_array(X), 1, eps=0.3, out=folder).compute().to_numpy()
    >>> bool(np.mean(circle.distance(moved)) < np.mean(circle.distance(X)) / 2)
    True
    """
    dim, eps, n_iter = check.count(dim, "dim", 1), check.eps(eps), check.count(n_iter, "n_iter", 1)
    run = _Run.open(points, columns, weights, out, ("denoise", dim, eps, n_iter))
    margin = 2 * (n_iter + 1) * eps
    run.sort(margin, False)
    run.advance(0, _Denoise(dim, eps, n_iter), margin, 1)
    return run.result(1)


def predict(found: Clustering, points: Any, columns: Sequence[Any] | None = None) -> Any:
    """Return the clusters of points that memory does not hold.

    Parameters
    ----------
    found : Clustering
        What `wt.cluster` found in a part of the points.
    points : Dask DataFrame, Dask array of shape (n, m), or path
        As for `iterate`.
    columns : sequence of str, optional
        As for `iterate`.

    Returns
    -------
    Dask Series
        The cluster of each row, −1 for noise, computed when it is asked for.

    Examples
    --------
    >>> import dask.array as da, wasserstein_transform as wt
    >>> X = wt.datasets.circles(0).points
    >>> found = wt.cluster(X[::2])
    >>> bool((wt.partitioned.predict(found, da.from_array(X)).compute() == found.predict(X)).all())
    True
    """
    frame, names = _as_frame(points, columns, None)
    return frame.map_partitions(_predict_part, found, list(names), meta=("cluster", np.intp))


def _predict_part(part: Any, found: Clustering, names: list[Any]) -> Any:
    labels = found.predict(part[names].to_numpy() if found.features is None else part[names])
    return import_module("pandas").Series(labels, part.index, name="cluster")


def _check_step(step: Transform) -> None:
    localize = step.localize
    if not isinstance(localize, Extrinsic) or not np.isfinite(localize.reach) or not isinstance(localize.base, Kernel):
        raise TypeError(
            f"points in parts need a transform that moves them by neighborhoods of finite reach, such as "
            f"wt.transforms.mean_shift(eps), got {check.shown(localize)}; a gaussian profile needs cut=3 or so"
        )


def _margin(step: Transform) -> float:
    """How far around a box the points lie that its step depends on.

    Covariances are those of moved neighbors, which depend on theirs: that is two reaches. Rounding of coordinates may
    put a point beyond.
    """
    localize = step.localize
    n_reaches = 2 if isinstance(localize, Gaussian) and localize.move else 1
    return n_reaches * localize.reach * (1 + 1e-9)


class _Part(NamedTuple):
    """Points of a box with their weights, and covariances if they are Gaussians; `rows` number all points."""

    rows: Ints
    points: Floats
    weights: Floats
    covs: Floats | None = None

    def take(self, rows: Any) -> _Part:
        covs = None if self.covs is None else self.covs[rows]
        return _Part(self.rows[rows], self.points[rows], self.weights[rows], covs)

    @classmethod
    def read(cls, path: Path, near: _Extent | None = None, margin: float = 0.0) -> _Part:
        """Read the numbers of a file, or only its parts within `margin` of an extent; other columns are left."""
        file = import_module("pyarrow.parquet").ParquetFile(path)
        names = file.schema_arrow.names
        m = sum(name.startswith("__x") for name in names)
        covs = sorted((name for name in names if name.startswith("__cov")), key=lambda name: int(name[5:]))
        extents = _extents_of_groups(file.metadata)
        groups = [g for g, extent in enumerate(extents) if near is None or extent.is_near(near, margin)]
        names = [_ROW, *(f"__x{a}" for a in range(m)), _WEIGHT, *covs]
        table = file.read_row_groups(groups, names, use_threads=False)  # tasks run side by side
        column = {name: table[name].to_numpy() for name in table.column_names}
        points = np.stack([column[f"__x{a}"] for a in range(m)], axis=1)
        matrices = np.stack([column[name] for name in covs], axis=1).reshape(-1, m, m) if covs else None
        return cls(column[_ROW], points, column[_WEIGHT], matrices)

    def write(self, path: Path) -> None:
        arrays = {_ROW: self.rows, **_coordinate_columns(self.points), _WEIGHT: self.weights}
        if self.covs is not None:
            flat = self.covs.reshape(len(self.covs), -1)
            arrays |= {f"__cov{a}": np.ascontiguousarray(flat[:, a]) for a in range(flat.shape[1])}
        _write_table(import_module("pyarrow").table(arrays), path)


def _coordinate_columns(points: Floats) -> dict[str, Floats]:
    return {f"__x{a}": np.ascontiguousarray(points[:, a]) for a in range(points.shape[1])}


def _write_table(table: Any, path: Path) -> None:
    with writing(path) as stream:
        import_module("pyarrow.parquet").write_table(
            table, stream, row_group_size=-(-max(len(table), 1) // _PARTS_OF_BOX)
        )


class _Extent(NamedTuple):
    """The number of rows of a file, and its smallest and largest coordinates."""

    n: int
    low: Floats
    high: Floats

    @classmethod
    def of(cls, path: Path) -> _Extent:
        """Read the footer of a file."""
        metadata = import_module("pyarrow.parquet").read_metadata(path)
        none = np.full(sum(name.startswith("__x") for name in metadata.schema.names), np.inf)
        counts, low, high = zip((0, none, -none), *_extents_of_groups(metadata), strict=True)
        return cls(sum(counts), np.min(low, axis=0), np.max(high, axis=0))

    def is_near(self, other: _Extent, margin: float) -> bool:
        return bool((self.low - margin <= other.high).all() and (other.low - margin <= self.high).all())


def _extents_of_groups(metadata: Any) -> list[_Extent]:
    """The extents of the parts of a file that have rows."""
    axes = [k for k in range(metadata.num_columns) if metadata.schema.column(k).name.startswith("__x")]
    found = []
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        if group.num_rows:
            statistics = [group.column(k).statistics for k in axes]
            low, high = (np.array([getattr(one, end) for one in statistics]) for end in ("min", "max"))
            found.append(_Extent(group.num_rows, low, high))
    return found


class _Step(NamedTuple):
    """A step of a transform, of points in memory."""

    transform: Transform

    def __call__(self, part: _Part, engine: Engine) -> tuple[_Part, Bools]:
        """Return the moved points, and which of them saw no mass."""
        localize: Any = self.transform.localize
        total = part.weights.sum()
        if total == 0:
            return part, np.ones(len(part.points), bool)
        if part.covs is None:
            metric: Any = Euclidean(part.points)
        else:
            metric = GaussianMetric(part.points, part.covs, localize.lam)
        space = Space(metric, part.weights / total, part.points)
        reserve_run([self.transform], space, engine, 1, 1, False, True)
        moved, massless = self.transform.step(space, engine)
        covs = moved.metric.covs if isinstance(moved.metric, GaussianMetric) else None
        return _Part(part.rows, np.asarray(moved.points), part.weights, covs), massless


class _Denoise(NamedTuple):
    """`denoise` of points in memory."""

    dim: int
    eps: float
    n_iter: int

    def __call__(self, part: _Part, engine: Engine) -> tuple[_Part, Bools]:
        from .curves import denoise as denoise_points  # noqa: PLC0415

        none = np.zeros(len(part.points), bool)
        if part.weights.sum() == 0 or len(part.points) < 2:
            return part, none
        found = denoise_points(
            part.points, self.dim, eps=self.eps, n_iter=self.n_iter, sample_weight=part.weights, engine=engine
        )
        return part._replace(points=found.points), none


def _advance_box(
    source: Path, target: Path, near: list[Path], margin: float, compute: Callable[..., Any], memory: float
) -> int:
    """Compute the next state of a box; return how many of its points saw no mass."""
    own, extent = _Part.read(source), _Extent.of(source)
    if len(own.rows) == 0:
        own.write(target)
        return 0
    parts = [own]
    limit = memory / (_BYTES_PER_NUMBER * (own.points.shape[1] + (own.covs is not None) * own.points.shape[1] ** 2))
    for path in near:
        other = _Part.read(path, extent, margin)
        inside = (other.points >= extent.low - margin) & (other.points <= extent.high + margin)
        parts.append(_merged(other.take(inside.all(axis=1))))
        if sum(len(part.rows) for part in parts) > limit:
            raise MemoryError(
                f"{source.name} has {len(own.rows):,} points, and with those within {margin:g} of them more than the "
                f"{limit:,.0f} that the memory of a task holds; use a smaller eps, or workers with more memory"
            )
    rows, points, weights = (np.concatenate([part[k] for part in parts]) for k in range(3))
    covs = None if own.covs is None else np.concatenate([part.covs for part in parts if part.covs is not None])
    both = _Part(rows, points, weights, covs)
    moved, massless = compute(both, Engine(1, progress=False, memory=memory))
    kept = slice(0, len(own.rows))
    moved.take(kept).write(target)
    return int(np.count_nonzero(massless[kept]))


def _merged(part: _Part) -> _Part:
    """One point with the mass of all, if all are in one place: copies in other boxes would fill the memory."""
    arrays = [array for array in (part.points, part.covs) if array is not None]
    if len(part.rows) < 2 or any((array != array[:1]).any() for array in arrays):
        return part
    return part.take(slice(0, 1))._replace(weights=part.weights.sum(keepdims=True))


class _Cut(NamedTuple):
    """A tree that divides space into boxes: points with coordinates up to `at` along an axis go to the first branch.

    A leaf has no branches. Points that share one place go to its `n` boxes in turn.
    """

    n: int
    axis: int = 0
    at: float = 0.0
    branches: tuple[Any, ...] = ()

    @classmethod
    def of(cls, sample: Floats, n: int) -> _Cut:
        """Cut n boxes of about equally many points of a sample, across the widest axis first."""
        low, high = (np.quantile(sample, share, axis=0) for share in (0.05, 0.95)) if len(sample) else np.zeros((2, 1))
        for axis in np.lexsort((-np.ptp(sample, axis=0), low - high)) if n > 1 and len(sample) > 1 else ():
            values = np.sort(sample[:, axis])
            at = values[(n // 2) * len(values) // n - 1]
            at = at if at < values[-1] else values[max(np.searchsorted(values, values[-1]) - 1, 0)]
            if at == values[-1]:
                continue
            first = sample[:, axis] <= at
            n_first = int(np.clip(np.rint(n * first.mean()), 1, n - 1))
            return cls(n, int(axis), float(at), (cls.of(sample[first], n_first), cls.of(sample[~first], n - n_first)))
        return cls(n)

    def number(self, points: Floats, rows: Ints) -> Ints:
        """The box of each point; `rows` number the points."""
        if not self.branches:
            return rows % self.n
        first, boxes = points[:, self.axis] <= self.at, np.empty(len(points), np.intp)
        one, other = self.branches
        boxes[first] = one.number(points[first], rows[first])
        boxes[~first] = one.n + other.number(points[~first], rows[~first])
        return boxes


class _Run(NamedTuple):
    """Points of a collection in boxes, and the folder of their states."""

    frame: Any
    names: tuple[Any, ...]
    weights: Any
    folder: Path
    engine: Engine

    @classmethod
    def open(cls, points: Any, columns: Any, weights: Any, out: PathLike, problem: Any) -> _Run:
        frame, names = _as_frame(points, columns, weights)
        dask, parts = import_module("dask"), frame.to_delayed()
        survey, ends = dask.delayed(_survey, pure=False), {0, len(parts) - 1}  # Dask's tokens differ between processes
        about = dask.compute(*(survey(parts[k], k, names, weights, _KNOWN_ROWS) for k in sorted(ends)))
        told = described(problem), len(parts), about, tuple(map(str, names)), str(weights)
        open_folder(Path(out), _FORMAT, fingerprint(told))
        return cls(frame, names, weights, Path(out), current())

    @property
    def boxes(self) -> list[Path]:
        return sorted((self.folder / "points").iterdir())

    @property
    def n(self) -> int:
        return sum(_Extent.of(path).n for path in self.boxes)

    def state(self, k: int) -> Path:
        return self.folder / (f"{k:05d}" if k else "points")

    def sort(self, margin: float, has_covs: bool) -> None:
        """Sort the points into boxes, unless that was done."""
        if self.state(0).exists():
            return
        dask, frames = import_module("dask"), import_module("dask.dataframe")
        parts, m = self.frame.to_delayed(), len(self.names)
        survey, size = dask.delayed(_survey, pure=False), max(1, _SAMPLE_ROWS // len(parts))
        tasks = [survey(part, k, self.names, self.weights, size) for k, part in enumerate(parts)]
        surveys = self._compute(tasks, "reading")
        n, sample = sum(n for n, _ in surveys), np.concatenate([sample for _, sample in surveys])
        if n == 0:
            raise ValueError("there must be at least one point, got a collection without rows")
        n_threads, memory = self._workers()
        most = int(memory / (4 * _BYTES_PER_NUMBER * (m + has_covs * m * m)))
        usual = max(min(n // _MIN_BOX_ROWS, _FEW_BOXES), min(n // _BOX_ROWS, _MAX_BOXES), 1)
        n_boxes = max(-(-n // most), usual)  # whatever the number of workers is at the time
        if n_boxes > _MAX_BOXES:
            raise MemoryError(f"{n:,} points need {n_boxes:,} boxes of {most:,}; use workers with more memory a thread")
        self.engine.announce(memory * n_threads, f"{n:,} points in {n_boxes:,} boxes: at most")
        cut, firsts = _Cut.of(sample, n_boxes), np.cumsum([0, *(n for n, _ in surveys)])
        tag = dask.delayed(_tag, pure=False)
        tagged = [
            tag(part, first, cut, self.names, self.weights) for part, first in zip(parts, firsts[:-1], strict=True)
        ]
        frame = frames.from_delayed(tagged, meta=_tag(self.frame._meta, 0, cut, self.names, self.weights))
        boxed = frame.set_index(_BOX, divisions=[*range(n_boxes), n_boxes], sorted=False)
        draft = self.folder / "points.part"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        write = dask.delayed(_write_box, pure=False)
        tasks = [write(part, draft / _name(k)) for k, part in enumerate(boxed.to_delayed())]
        self._compute(tasks, "sorting points into boxes")
        draft.rename(self.state(0))

    def advance(self, k: int, compute: Any, margin: float, n_steps: int) -> int:
        """Compute state k + 1 of all boxes from state k; return how many points saw no mass."""
        source, target = self.state(k), self.state(k + 1)
        if any(self.state(later).exists() for later in range(k + 2, n_steps + 1)):
            return 0  # it was complete when a later one was begun
        names = [_name(box) for box in range(len(self.boxes))]
        if all((target / name).exists() for name in names):
            return 0
        if missing := [name for name in names if not (source / name).exists()]:
            raise FileNotFoundError(f"{source} lacks {missing[0]}; delete {self.folder} to begin again")
        target.mkdir(exist_ok=True)
        extents = [_Extent.of(source / name) for name in names]
        low, high = (np.array([extent[side] for extent in extents]) for side in (1, 2))
        _, memory = self._workers()
        step, tasks = import_module("dask").delayed(_advance_box, pure=False), []
        for box, extent in enumerate(extents):
            if (target / _name(box)).exists():
                continue
            near = np.asarray(((low - margin <= extent.high) & (high + margin >= extent.low)).all(axis=1))
            near[box] = False
            others = [source / _name(other) for other in np.flatnonzero(near).tolist()]
            tasks.append(step(source / _name(box), target / _name(box), others, margin, compute, memory))
        n_massless = sum(self._compute(tasks, f"iteration {k + 1} of {n_steps}"))
        if k:
            shutil.rmtree(source)
        return int(n_massless)

    def result(self, k: int) -> Any:
        """The collection with moved coordinates."""
        boxes, like = list(range(len(self.boxes))), self.frame._meta.astype(dict.fromkeys(self.names, np.float64))
        return import_module("dask.dataframe").from_map(
            _read_result, boxes, points=self.state(0), moved=self.state(k), names=self.names, like=like, meta=like
        )

    def _workers(self) -> tuple[int, float]:
        """The number of threads, and the memory of a task."""
        client = _client(self.engine)
        if client is None:
            return self.engine.n_threads, self.engine._limit() / (2 * self.engine.n_threads)
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        n_threads = sum(worker["nthreads"] for worker in workers)
        return max(n_threads, 1), min((w["memory_limit"] / w["nthreads"] / 2 for w in workers), default=1e9)

    def _compute(self, tasks: list[Any], name: str) -> list[Any]:
        """Compute tasks on the workers of the client, or in threads, and report those that are done."""
        client, n_done = _client(self.engine), 0
        with self.engine.progress_scope() as engine:
            if client is not None:
                futures = client.compute(tasks)
                for _ in import_module("distributed").as_completed(futures, raise_errors=False):
                    n_done += 1
                    engine.report(name, n_done, len(tasks))
                return list(client.gather(futures))

            def count(*_: Any) -> None:
                nonlocal n_done
                n_done += 1
                engine.report(name, min(n_done, len(tasks)), len(tasks))

            with import_module("dask.callbacks").Callback(posttask=count):
                return list(import_module("dask").compute(*tasks, scheduler="threads", num_workers=engine.n_threads))


def _client(engine: Engine) -> Any:
    """The Dask client of the engine, or the one that was made last; None if there is none."""
    if engine.client is not None:
        return engine.client
    try:
        return import_module("distributed").get_client()
    except (ImportError, ValueError):
        return None


def _name(box: int) -> str:
    return f"box-{box:05d}.parquet"


def _as_frame(points: Any, columns: Any, weights: Any) -> tuple[Any, tuple[Any, ...]]:
    """A Dask DataFrame of a collection or of files, and the names of its coordinates."""
    frames, arrays, _ = (
        check.import_extra(name, "points in parts need", "dask") for name in ("dask.dataframe", "dask.array", "pyarrow")
    )
    if isinstance(points, str | Path):
        is_zarr = str(points).endswith(".zarr") or (Path(points) / "zarr.json").exists()
        points = arrays.from_zarr(str(points)) if is_zarr else frames.read_parquet(str(points))
    if isinstance(points, arrays.Array):
        if points.ndim != 2:
            raise ValueError(f"an array of points must have shape (n, m), got {points.ndim} axes")
        points = frames.from_dask_array(points.rechunk({1: -1}), [str(axis) for axis in range(points.shape[1])])
    if not isinstance(points, frames.DataFrame):
        raise TypeError(
            "points must be a Dask DataFrame, a Dask array, or the path of Parquet or Zarr, got "
            f"{check.shown(points)}; wt.iterate takes points that fit into memory"
        )
    table = points._meta
    names = chosen(table, columns, () if weights is None else (weights,))
    for name in (*names, *([] if weights is None else [weights])):
        if table[name].dtype.kind not in "iuf":
            raise ValueError(f"column {name} must hold numbers, got {table[name].dtype}")
    return points, tuple(names)


def _survey(part: DataFrame, k: int, names: tuple[Any, ...], weights: Any, size: int) -> tuple[int, Floats]:
    """The number of rows of a partition, and some of its points; raise an error for values that cannot be used."""
    for name in (*names, *([] if weights is None else [weights])):
        if name not in part.columns:
            raise ValueError(f"partition {k} has no column {name!s:.60}; its columns are {list(part.columns)!s:.200}")
        values = part[name].to_numpy(np.float64, na_value=np.nan)
        if not np.isfinite(values).all():
            n_bad, row = np.count_nonzero(~np.isfinite(values)), int(np.argmin(np.isfinite(values)))
            raise ValueError(
                f"column {name} must be finite, got {values[row]} in row {row} of partition {k}, and {n_bad:,} such "
                "values there; drop or fill them"
            )
        if name == weights and (values < 0).any():
            raise ValueError(f"weights must not be negative, got {values.min():g} in partition {k}")
    return len(part), _coordinates(part.iloc[sample_evenly(len(part), size)], names)


def _coordinates(part: DataFrame, names: tuple[Any, ...]) -> Floats:
    return np.stack([part[name].to_numpy(np.float64) for name in names], axis=1)


def _tag(part: DataFrame, first: int, cut: _Cut, names: tuple[Any, ...], weights: Any) -> DataFrame:
    """A partition with the box, the number (from `first`), the coordinates and the weight of each row."""
    points, rows = _coordinates(part, names), np.arange(first, first + len(part))
    new = {_BOX: cut.number(points, rows), _ROW: rows, **_coordinate_columns(points)}
    new[_WEIGHT] = np.ones(len(part)) if weights is None else part[weights].to_numpy(np.float64)
    others = part.drop(columns=list(names))
    others.index.name = None
    return others.reset_index(names=_INDEX).assign(**new)


def _write_box(part: DataFrame, path: Path) -> None:
    """Write the rows of a box by its parts and their numbers: the shuffle brings them in any order."""
    table = part.reset_index(drop=True).sort_values(_ROW, ignore_index=True)
    points = _coordinates(table, tuple(name for name in table if str(name).startswith("__x")))
    cut = _Cut.of(points[sample_evenly(len(points), _BOX_SAMPLE_ROWS)], _PARTS_OF_BOX)
    groups = cut.number(points, table[_ROW].to_numpy())
    table = table.iloc[np.argsort(groups, kind="stable")]
    _write_table(import_module("pyarrow").Table.from_pandas(table, preserve_index=False), path)


def _read_result(box: int, points: Path, moved: Path, names: tuple[Any, ...], like: DataFrame) -> DataFrame:
    """The rows of a box with moved coordinates, beside the columns that stay."""
    table = import_module("pandas").read_parquet(points / _name(box))
    state = _Part.read(moved / _name(box))
    table = table.assign(**{str(name): state.points[:, a] for a, name in enumerate(names)}).set_index(_INDEX)
    table.index.name = like.index.name
    return table[[str(name) for name in like.columns]].set_axis(like.columns, axis=1)
