"""`skeleton`: polylines from denoised points along curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import cKDTree

from .. import _check as check
from .._types import Bools, Floats, Ints
from ..engine import Engine, current
from ..tables import Tracks
from ..tables.features import is_frame
from .denoised import Denoised
from .denoising import denoise
from .joining import Forest, Net, add_where_missing, chains, gather, join, melt, prune
from .net import Skeleton, length_of, simplified, smoothed

if TYPE_CHECKING:
    from pandas import DataFrame

_KNOT = 0.25  # times eps: points this close form one knot
_NEAR = 2.0  # times eps: longest edge, and longest leg of a track that may turn at its ends
_REACH = 3.0  # times eps: longest edge that continues the curve at both ends
_SPUR = 2.0  # times eps: shorter dead ends are noise
_LOOP = 8.0  # times eps: shorter loops are a thick line
_MELT = 1.0  # times eps: junctions closer than this are merged
_LEAST = 2.0  # times eps: shorter components are left out
_SMOOTH = 0.5  # times eps: width of smoothing
_TRUE = 0.5  # times the noise: largest distance of removed vertices from a line
_LEG = 5.0  # times eps: longest leg of a track that goes straight on at both ends
_STRAIGHT = 0.97  # cosine of the turn, from which on it does
_BESIDE = 0.5  # times eps: a leg runs through knots as close as this
_DETOUR = 1.5  # a leg of a track is added if the path in the net is longer than this many times its length


def skeleton(
    result: Denoised | DataFrame | Tracks,
    *,
    detail: float | None = None,
    spur: float | None = None,
    outliers: bool = False,
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
) -> Skeleton:
    """Extract the curves along which denoised points lie: a graph of ends, junctions and polylines between them.

    Points that are not outliers are gathered into knots of width ε/4. Knots within 2 ε (3 ε if both point straight
    toward each other) are joined, the straightest and shortest edges first, each if the path around it is more than
    four times as long: lines are thin, and loops remain. Dead ends shorter than `spur` are removed, junctions that
    nearly touch are merged, lines are smoothed over ε/2, and superfluous vertices are removed (Douglas and Peucker).

    If trips are known, legs of a track join knots that have no other path of about that length: legs up to 2 ε, and up
    to 5 ε those that go straight on at both ends.

    Parameters
    ----------
    result : Denoised, DataFrame, GeoDataFrame or Tracks
        The result of `wt.denoise(X, dim=1)` for n points in two or more dimensions; a table is denoised first.
    detail : float, optional
        Largest distance of removed vertices from a line, in units of `result.scale`; None means half of the noise.
    spur : float, optional
        Length up to which dead ends are removed, in the same unit; None means 2 ε.
    outliers : bool, default False
        Whether lines also pass through outliers.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of the engine.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.
    engine : Engine, optional
        Threads, memory limit and progress; None means the setting of `wt.using`.

    Returns
    -------
    Skeleton
        Nodes, lines and their lengths, in the unit of the points; lengths of lines in degrees are in meters.

    Notes
    -----
    Knots need a search of neighbors within ε/4; an edge outside the spanning forest may need a shortest-path search.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> found = wt.skeleton(wt.denoise(wt.datasets.circles(0, n=1000, noise=0.05).points))
    >>> found
    <Skeleton: 2 lines, total length 17.6, 0 junctions, 0 ends>
    """
    if is_frame(result) or isinstance(result, Tracks):
        result = denoise(result, 1, n_jobs=n_jobs, verbose=verbose, engine=engine)
    if not isinstance(result, Denoised):
        raise TypeError(f"a Denoised is needed, got {type(result).__name__}; wt.denoise(X, dim=1) makes one")
    if result.points.shape[1] < 2:
        raise ValueError("lines need points with at least two coordinates, got one")
    if result.dim != 1:
        raise ValueError(f"lines come from curves, but this result is of dimension {result.dim}; use wt.denoise(X, 1)")
    if result.earth is not None:
        flat = skeleton(
            result.in_meters(), detail=detail, spur=spur, outliers=outliers, n_jobs=n_jobs,
            verbose=verbose, engine=engine,
        )  # fmt: skip
        return flat.in_degrees(result)
    detail = _TRUE * result.sigma if detail is None else check.tolerance(detail, "detail")
    spur = _SPUR * result.eps if spur is None else check.tolerance(spur, "spur")
    track = result.track
    with current(engine, n_jobs=n_jobs, verbose=verbose).progress_scope() as engine:
        points, ways = result.points / result.scale, _units(result.axes[:, :, 0] / result.scale)
        loop = _LOOP * result.eps
        keep = (result.weights > 0) & (bool(outliers) | ~result.outliers)
        knots = gather(points, ways, result.weights, result.evidence, keep, _KNOT * result.eps, engine)
        net, forest = join(knots, result.eps, _NEAR * result.eps, _REACH * result.eps, loop, engine)
        places = knots.points.copy()
        if track is not None:
            legs = knots.of[track[_are_plain(points, track, _NEAR * result.eps, _LEG * result.eps)]]
            _add_legs(net, forest, places, legs, _BESIDE * result.eps, loop, engine)
        prune(net, spur)
        melt(net, places, _MELT * result.eps)
        lines = [
            smoothed(places[chain], knots.mass[chain], _SMOOTH * result.eps, len(net[chain[0]]) == 2)
            for chain in _long_enough(chains(net), net, places, _LEAST * result.eps)
        ]
        return Skeleton.of([simplified(line, detail) * result.scale for line in lines], result, detail)


def _units(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _are_plain(points: Floats, track: Ints, near: float, leg: float) -> Bools:
    """Tell which legs of a track are known to be straight: the short ones, and those in line with the legs around."""
    legs = points[track[:, 1]] - points[track[:, 0]]
    lengths = np.linalg.norm(legs, axis=1)
    units = legs / np.where(lengths > 0, lengths, 1.0)[:, None]
    arriving, leaving = np.full((2, len(points)), -1)
    arriving[track[:, 1]] = leaving[track[:, 0]] = np.arange(len(track))
    straight = np.ones(len(track), bool)
    for other in (arriving[track[:, 0]], leaving[track[:, 1]]):
        straight &= (other >= 0) & ((units * units[other]).sum(axis=1) >= _STRAIGHT)
    return np.asarray((lengths <= near) | (straight & (lengths <= leg)))


def _add_legs(net: Net, forest: Forest, places: Floats, ends: Ints, beside: float, loop: float, engine: Engine) -> None:
    """Join knots by legs of tracks, through the knots beside them, where the net has no path of about that length."""
    ends = _distinct_pairs(ends[(ends >= 0).all(axis=1)])
    if not len(ends):
        return
    starts, legs = places[ends[:, 0]], places[ends[:, 1]] - places[ends[:, 0]]
    pieces = np.maximum(np.linalg.norm(legs, axis=1) // beside, 1).astype(np.intp)
    leg = np.repeat(np.arange(len(ends)), pieces + 1)
    at = (np.arange(len(leg)) - np.repeat(np.cumsum(pieces + 1) - pieces - 1, pieces + 1)) / pieces[leg]
    samples = starts[leg] + at[:, None] * legs[leg]
    far, knots = engine.run_single(lambda stop: cKDTree(places).query(samples, distance_upper_bound=beside), "legs")
    knots = np.where(at == 0, ends[leg, 0], np.where(at == 1, ends[leg, 1], knots))
    there = np.isfinite(far) | (at == 0) | (at == 1)
    knots, leg = knots[there], leg[there]
    pairs = _distinct_pairs(np.column_stack([knots[:-1], knots[1:]])[leg[1:] == leg[:-1]])
    lengths = np.linalg.norm(places[pairs[:, 1]] - places[pairs[:, 0]], axis=1)
    shortest = np.argsort(lengths, kind="stable")
    add_where_missing(net, forest, pairs[shortest], lengths[shortest], _DETOUR, loop, engine)


def _distinct_pairs(pairs: Ints) -> Ints:
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    return np.asarray(pairs[pairs[:, 0] != pairs[:, 1]])


def _long_enough(lines: list[list[int]], net: Net, places: Floats, least: float) -> list[list[int]]:
    """Return the lines in connected components of at least the length `least`."""
    root = {knot: knot for knot in net}

    def top(knot: int) -> int:
        while root[knot] != knot:
            root[knot] = knot = root[root[knot]]
        return knot

    for line in lines:
        root[top(line[0])] = top(line[-1])
    total: dict[int, float] = {}
    for line in lines:
        total[top(line[0])] = total.get(top(line[0]), 0.0) + length_of(places[line])
    return [line for line in lines if total[top(line[0])] >= least]
