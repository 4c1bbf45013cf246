"""Shapes that cross: lines, arcs, circles, planes and sheets that share points.

Each point becomes (x, Σ), with Σ the second moments of its neighbors within the flat tube that holds most of them: near
a crossing these are the neighbors on its own shape, not those on both. Points are linked if they are near, lie in each
other's tubes, and their Σ agree. Parts of this graph, and tubes that grow along what they hold, start mixtures of bent
pieces and rings of one thickness before a uniform background; the likeliest mixture goes on through crossings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import eigsh

from .._types import Bools, Floats, Ints
from ..compute import lexical_order, sample_evenly
from ..engine import Engine, one_blas_thread
from ..hierarchy.labels import number_by_first
from ..spaces import Euclidean
from .compact import spectral

MOST_SHAPES = 5
"""Shapes that are looked for if their number is not given."""
_SAMPLE = 400  # points to which shapes are fitted
_NEAR = 36  # neighbors in a tube, evenly spread over the nearest
_FEWEST = 8
_TUBES = ((0.03, 0.15), (0.06, 0.08), (0.06, 0.15), (0.12, 0.08), (0.12, 0.15))
"""Share of the points among which a tube lies, and its half width relative to its half length."""
_IS_CURVE = 0.35  # least share of the points of a flat tube that are in a narrow one, too
_TURN = 0.05  # 1 − cosine of two Σ at which a link has weakened by the factor e
_THIN = 1 / 4  # density of a tube, relative to the median, below which it starts nothing
_FLOOR, _COARSE = 0.004, 0.01  # least deviation across a shape, relative to the extent; by the coarse one, the number
_IN_SHAPES = 0.9  # of the mass, when shapes are chosen from the pool
_GROWN, _SEEDS, _GROWS, _MORE = 0.15, 4, 5, 0.15
_BENDS = 8.0  # log-likelihood that a turn by about one radian costs
_TRIPLES, _BAND, _PROPOSED = 1500, 0.02, 6
_KINDS = {2: (1, 0), 3: (1, 2, 0)}  # dimensions of bent pieces, and rings
_GAIN = 0.1  # of log-likelihood per point, that another shape must bring if the number is not given
_FIRST, _STEPS, _KEPT = 5, 30, 3  # steps of all mixtures, then of the best ones
_SETTLED = 1e-4  # gain of log-likelihood per point at which they end


class CrossingPartition(NamedTuple):
    """Labels of all points, and what the mixture is worth: mean log-likelihood less half of BIC's penalty."""

    labels: Ints
    value: float


def crossing_partitions(
    points: Floats, mass: Floats, n_shapes: int | None = None, engine: Engine | None = None
) -> list[CrossingPartition]:
    """Return partitions into shapes that cross, the best first; without a number, none if there is but one shape.

    Points are distinct and have two or three coordinates.
    """
    if points.shape[1] not in (2, 3) or len(points) < 4 * _FEWEST or n_shapes == 1:
        return []
    with one_blas_thread():
        center, axes = _principal(points, mass)
        turned = (points - center) @ axes
        turned *= np.where((turned**3).sum(axis=0) < 0, -1.0, 1.0)
        whole = turned / np.ptp(turned, axis=0).max()
        some = lexical_order(whole)[sample_evenly(len(points), _SAMPLE)]
        taken, weights = whole[some], mass[some] / mass[some].mean()
        counts = [n_shapes] if n_shapes else list(range(2, MOST_SHAPES + 1))
        floor = _FLOOR if n_shapes else _COARSE
        found = _mixtures(taken, weights, counts, floor, engine)
        if n_shapes is None:
            single = _Mixture.of(taken, weights, np.full((len(some), 1), 0.98), floor).improved(_STEPS)
            found = [one for one in found if one.worth > single.worth]
        found.sort(key=lambda one: -one.worth)
        out: dict[bytes, CrossingPartition] = {}
        for one in found[:_KEPT]:
            labels = number_by_first(one.labels(whole))
            out.setdefault(labels.tobytes(), CrossingPartition(labels, one.value))
    return list(out.values())


class _Flats(NamedTuple):
    """For each point: its neighbors, squared distances from its flat and of it from theirs, tube, Σ, density."""

    near: Ints
    off: Floats
    width: Floats
    moments: Floats
    held: Floats
    density: Floats

    @classmethod
    def of(cls, points: Floats, near: Ints, ratio: float, d: int) -> _Flats:
        """The flats of d dimensions through each point that hold most of its neighbors."""
        steps = points[near] - points[:, None]
        squares = (steps**2).sum(axis=2)
        reach = np.sqrt(squares[:, -1])
        width = ratio * reach
        tried = np.maximum(_distances(steps, squares, d), 0.0)
        best = np.exp(-tried / (2 * width[:, None, None] ** 2)).sum(axis=2).argmax(axis=1)
        off = np.take_along_axis(tried, best[:, None, None], axis=1)[:, 0]
        for _ in range(2):
            share = np.exp(-off / (2 * width[:, None] ** 2))
            moments = (steps * share[:, :, None]).transpose(0, 2, 1) @ steps
            axes = np.linalg.eigh(moments)[1][:, :, points.shape[1] - d :]
            off = np.maximum(squares - ((steps @ axes) ** 2).sum(axis=2), 0.0)
        held = np.exp(-off / (2 * width[:, None] ** 2)).mean(axis=1)
        back = squares - (np.einsum("nkm,nkmd->nkd", steps, axes[near]) ** 2).sum(axis=2)
        off = np.stack([off, np.maximum(back, 0.0)])
        moments /= np.linalg.norm(moments, axis=(1, 2), keepdims=True)
        return cls(near, off, width, moments, held, held / reach**d)

    def links(self) -> csr_array:
        """The graph of agreeing points."""
        n, k = self.near.shape
        alike = np.einsum("nij,nkij->nk", self.moments, self.moments[self.near])
        narrow = np.minimum(self.width[:, None], self.width[self.near])
        logs = -self.off.sum(axis=0) / (2 * narrow**2) - (1 - alike) / _TURN
        strengths = np.exp(logs) * self.held[:, None] * self.held[self.near]
        graph = csr_array((strengths.ravel(), (np.repeat(np.arange(n), k), self.near.ravel())), shape=(n, n))
        return graph.maximum(graph.T)


def _distances(steps: Floats, squares: Floats, d: int) -> Floats:
    """Squared distances of the neighbors from lines through each second of them, or planes through pairs."""
    n_near = steps.shape[1]
    if d == 1:
        ends = steps[:, 1::2]
        along = ends / np.linalg.norm(ends, axis=2, keepdims=True) @ steps.transpose(0, 2, 1)
        return np.asarray(squares[:, None] - along**2)
    first = np.tile(np.arange(n_near // 6, n_near), 2)
    second = (first + np.repeat([n_near // 3, n_near // 5 + 1], len(first) // 2)) % n_near
    normals = np.cross(steps[:, first], steps[:, second])
    normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-300)
    return np.asarray((normals @ steps.transpose(0, 2, 1)) ** 2)


def _mixtures(points: Floats, mass: Floats, counts: list[int], floor: float, engine: Engine | None) -> list[_Mixture]:
    """Mixtures for each number of shapes, the best of several starts."""
    parts, pool = _starts(points, mass, counts)
    out = []
    for k in counts:
        if engine:
            engine.check()
        found = [_Mixture.of(points, mass, shares, floor).improved(_FIRST) for shares in parts[k]]
        found.sort(key=lambda one: -one.value)
        some = [*pool, *(fit for one in found for fit in one.fits)]
        logs = np.exp(np.column_stack([fit.logs(points) for fit in some]) - _level(points))
        chosen = [_chosen(logs, mass, k)]
        found += [_Mixture.of(points, mass, _shares(logs[:, one]), floor).improved(_FIRST) for one in chosen]
        found.sort(key=lambda one: -one.value)
        out += [one.improved(_STEPS) for one in found[:_KEPT]]
    return out


def _shares(ratios: Floats) -> Floats:
    """Shares of shapes before the background, from ratios of densities."""
    parts = ratios * (_IN_SHAPES / ratios.shape[1])
    return np.asarray(parts / (1 - _IN_SHAPES + parts.sum(axis=1, keepdims=True)))


def _chosen(ratios: Floats, mass: Floats, k: int) -> list[int]:
    """The k shapes of a pool that make the likeliest mixture: one after another, then exchanged."""
    chosen: list[int] = []
    parts, rest, best = ratios * (_IN_SHAPES / k), 1 - _IN_SHAPES, -np.inf
    for at in [*range(k), *range(k), *range(k)]:
        others = chosen[:at] + chosen[at + 1 :]
        values = mass @ np.log(rest + parts[:, others].sum(axis=1)[:, None] + parts)
        if len(chosen) < k:
            chosen.append(int(values.argmax()))
        elif values.max() > best + 1e-9:
            chosen[at] = int(values.argmax())
        best = float(values.max()) if len(chosen) == k else -np.inf
    return chosen


def _starts(points: Floats, mass: Floats, counts: list[int]) -> tuple[dict[int, list[Floats]], list[_Fit]]:
    """Shares of the points in parts of the graphs of agreeing points; shapes that have grown from tubes."""
    n, m = points.shape
    out: dict[int, list[Floats]] = {k: [] for k in counts}
    pool: list[_Fit] = []
    most = int(max(share for share, _ in _TUBES) * n)
    every = Euclidean(points).neighbors(min(max(most, 2 * _FEWEST), n - 1)).indices
    for share, ratio in _TUBES:
        reach = min(max(int(share * n), _FEWEST), every.shape[1])
        near = every[:, np.unique(np.linspace(0, reach - 1, min(reach, _NEAR)).round().astype(np.intp))]
        flats = _Flats.of(points, near, ratio, 1)
        if m == 3:
            wide = _Flats.of(points, near, ratio, 2)
            flats = flats if np.median(flats.held) > _IS_CURVE * np.median(wide.held) else wide
        dense = flats.density > _THIN * np.median(flats.density)
        vectors, degrees = _axes(csr_array(flats.links()[dense][:, dense]), max(counts))
        for k in counts:
            shares = np.zeros((n, k))
            shares[dense, spectral(vectors, degrees, k)] = 0.98
            out[k].append(shares)
        if ratio == _GROWN:
            for seed in _seeds(points, flats, dense):
                own = np.zeros(n)
                own[flats.near[seed]] = np.exp(-flats.off[0, seed] / (2 * flats.width[seed] ** 2))
                pool.append(_grown(points, mass, own, float(flats.width[seed]) ** 2, _KINDS[m]))
    for d, own in _proposed(points, mass):
        pool.append(_grown(points, mass, own, _BAND**2, _KINDS[m][-1:] if d == 1 else _KINDS[m][1:-1]))
        if m == 2:
            pool.append(_grown(points, mass, own, _BAND**2, _KINDS[m]))
    return out, pool


def _proposed(points: Floats, mass: Floats) -> Iterator[tuple[int, Floats]]:
    """Dimension and shares of circles, and of planes in space, through three points: those with most points."""
    first, second, third = (
        np.random.default_rng(0).permuted(np.tile(np.arange(len(points)), (_TRIPLES, 1)), axis=1)[:, :3].T
    )
    a, b = points[second] - points[first], points[third] - points[first]
    aa, bb, ab = (a * a).sum(axis=1), (b * b).sum(axis=1), (a * b).sum(axis=1)
    area = np.maximum(aa * bb - ab**2, 1e-18)
    middle = points[first] + ((bb * (aa - ab) / area)[:, None] * a + (aa * (bb - ab) / area)[:, None] * b) / 2
    radius = np.linalg.norm(middle - points[first], axis=1)
    squares = (points**2).sum(axis=1) + ((middle**2).sum(axis=1)[:, None] - 2 * middle @ points.T)
    off = np.zeros(squares.shape)
    if points.shape[1] == 3:
        normals = np.cross(a, b) / np.sqrt(area)[:, None]
        off = (normals @ points.T - (normals * points[first]).sum(axis=1)[:, None]) ** 2
    rings = (np.sqrt(np.maximum(squares - off, 0.0)) - radius[:, None]) ** 2 + off
    for d, far in ((1, rings), (2, off))[: points.shape[1] - 1]:
        shares, left = np.exp(-far / (2 * _BAND**2)), mass.copy()
        for _ in range(_PROPOSED):
            best = shares[int((shares @ left).argmax())]
            yield d, best
            left *= 1 - best


def _seeds(points: Floats, flats: _Flats, dense: Bools) -> list[int]:
    """Points whose places and Σ are far from each other, among those that are not in the background."""
    placed = np.column_stack([2 * points, flats.moments.reshape(len(points), -1)])
    weights = np.where(dense, flats.held, 0.0)
    seeds, apart = [int(weights.argmax())], np.full(len(points), np.inf)
    while len(seeds) < _SEEDS:
        apart = np.minimum(apart, ((placed - placed[seeds[-1]]) ** 2).sum(axis=1))
        seeds.append(int((apart * weights).argmax()))
    return seeds


def _axes(graph: csr_array, count: int) -> tuple[Floats, Floats]:
    """The first eigenvectors of a graph, normalized by degrees, and the degrees."""
    n, degrees = graph.shape[0], graph.sum(axis=1)
    degrees = degrees + 1e-3 * np.median(degrees) + 1e-12
    graph = diags_array(degrees**-0.5) @ graph @ diags_array(degrees**-0.5)
    values, vectors = eigsh(graph, count, which="LA", v0=np.ones(n), tol=1e-4, maxiter=20 * n)
    return np.asarray(vectors[:, np.argsort(-values, kind="stable")]), degrees


def _grown(points: Floats, mass: Floats, own: Floats, variance: float, kinds: tuple[int, ...]) -> _Fit:
    """The shape that grows from shares of points along what it holds."""
    own = own + 1e-9
    for _ in range(_GROWS):
        fit = _fit(points, mass * own, kinds)
        fit.variance = min(fit.variance, variance)
        fit.extend()
        part = min(max(float(own.mean()), 0.02), 0.98)
        off = np.log((1 - part) / part) + _level(points) - fit.logs(points)
        own = 1 / (1 + np.exp(np.clip(off, -50, 50))) + 1e-9
    return _fit(points, mass * own, kinds)


def _level(points: Floats) -> float:
    """Log density of the background."""
    return -float(np.log(np.maximum(np.ptp(points, axis=0), 4 * _FLOOR)).sum())


class _Bent:
    """A piece of a curve or sheet: coordinates across are quadratic in those along."""

    def __init__(self, points: Floats, weights: Floats, d: int) -> None:
        self.center, self.axes = _principal(points, weights)
        self.d, self.codim = d, points.shape[1] - d
        self.n_numbers = self.codim * (1 + d + d * (d + 1) // 2) + d * self.codim + 2 * d
        turned = (points - self.center) @ self.axes
        along, across = turned[:, :d], turned[:, d:]
        terms = self._terms(along)
        weighted = (terms * weights[:, None]).T
        ridge = 1e-9 * np.diag(np.diag(weighted @ terms) + 1e-300)
        self.slopes = np.linalg.solve(weighted @ terms + ridge, weighted @ across)
        self.bends = np.zeros((d, d, self.codim))
        for at, (i, j) in enumerate(zip(*np.triu_indices(d), strict=True)):
            self.bends[i, j] += self.slopes[1 + d + at]
            self.bends[j, i] += self.slopes[1 + d + at]
        self.low, self.high = np.array([_ends(one, weights) for one in along.T]).T
        self.size = float(np.prod(np.maximum(self.high - self.low, 1e-6)))
        if d == 2:  # the area of any rectangle with these second moments
            spread = (along * weights[:, None]).T @ along / weights.sum() + (2 * _FLOOR) ** 2 * np.eye(2)
            self.size = min(self.size, 12 * float(np.sqrt(np.abs(np.linalg.det(spread)))))
        self.turn = float((self.slopes[1 + d :] ** 2).sum() * (2 * (self.high - self.low).max()) ** 2)
        self.fitted = self.squares(points)
        self.variance = _variance(self.fitted, weights, self.codim)

    def _terms(self, along: Floats) -> Floats:
        both = [along[:, i] * along[:, j] for i in range(self.d) for j in range(i, self.d)]
        return np.column_stack([np.ones(len(along)), along, *both])

    def extend(self) -> None:
        """Reach beyond both ends."""
        more = _MORE * (self.high - self.low)
        self.low, self.high = self.low - more, self.high + more

    def squares(self, points: Floats) -> Floats:
        """Squared distances, about."""
        turned = (points - self.center) @ self.axes
        along = np.clip(turned[:, : self.d], self.low, self.high)
        off = turned[:, self.d :] - self._terms(along) @ self.slopes
        beyond, squares, steep = ((turned[:, : self.d] - along) ** 2).sum(axis=1), (off**2).sum(axis=1), 0.0
        for i in range(self.d):
            slope = self.slopes[1 + i] + along @ self.bends[i]
            steep = steep + (slope * off).sum(axis=1) ** 2 / np.maximum(squares, 1e-300)
        return np.asarray(squares / (1 + steep) + beyond)

    def logs(self, points: Floats) -> Floats:
        """Log densities."""
        return np.asarray(_normal(self.squares(points), self.variance, self.codim) - np.log(self.size))


class _Ring:
    """A circle."""

    d, turn = 1, 0.0

    def __init__(self, points: Floats, weights: Floats) -> None:
        self.center, self.axes = _principal(points, weights)
        self.codim = points.shape[1] - 1
        self.n_numbers = 3 + 3 * (self.codim - 1)
        flat = ((points - self.center) @ self.axes)[:, :2]
        terms = np.column_stack([2 * flat, np.ones(len(flat))])
        weighted = (terms * weights[:, None]).T
        ridge = 1e-12 * float(np.trace(weighted @ terms)) * np.eye(3)
        *middle, rest = np.linalg.solve(weighted @ terms + ridge, weighted @ (flat**2).sum(axis=1))
        self.middle = np.array(middle)
        self.radius = float(np.sqrt(max(rest + self.middle @ self.middle, 1e-12)))
        self.size = 2 * np.pi * self.radius
        self.fitted = self.squares(points)
        self.variance = _variance(self.fitted, weights, self.codim)

    def extend(self) -> None:
        """It has no ends."""

    def squares(self, points: Floats) -> Floats:
        """Squared distances."""
        turned = (points - self.center) @ self.axes
        inside = np.hypot(*(turned[:, :2] - self.middle).T) - self.radius
        return np.asarray(inside**2 + (turned[:, 2:] ** 2).sum(axis=1))

    def logs(self, points: Floats) -> Floats:
        """Log densities."""
        return np.asarray(_normal(self.squares(points), self.variance, self.codim) - np.log(self.size))


_Fit = _Bent | _Ring


def _principal(points: Floats, weights: Floats) -> tuple[Floats, Floats]:
    center = weights @ points / weights.sum()
    centered = points - center
    return center, np.linalg.eigh((centered * weights[:, None]).T @ centered)[1][:, ::-1]


def _ends(values: Floats, weights: Floats) -> tuple[float, float]:
    """Weighted quantiles near both ends."""
    order = np.argsort(values, kind="stable")
    sums = np.cumsum(weights[order])
    low, high = np.interp([0.01 * sums[-1], 0.99 * sums[-1]], sums - weights[order] / 2, values[order])
    return float(low), float(high)


def _variance(squares: Floats, weights: Floats, codim: int) -> float:
    return max(float(weights @ squares / weights.sum()) / codim, _FLOOR**2)


def _normal(squares: Floats, variance: float, codim: int) -> Floats:
    return np.asarray(-squares / (2 * variance) - codim / 2 * np.log(2 * np.pi * variance))


def _fit(points: Floats, weights: Floats, kinds: tuple[int, ...] = ()) -> _Fit:
    """The likeliest piece or ring."""
    kinds = kinds or _KINDS[points.shape[1]]
    tried: list[_Fit] = [_Bent(points, weights, d) if d else _Ring(points, weights) for d in kinds]
    return max(tried, key=lambda one: _worth(one, weights))


def _worth(fit: _Fit, weights: Floats) -> float:
    """Log-likelihood of the points that it was fitted to, less what its numbers and its turn cost."""
    logs = _normal(fit.fitted, fit.variance, fit.codim) - np.log(fit.size)
    return float(weights @ logs - fit.n_numbers - _BENDS * fit.turn)


class _Mixture(NamedTuple):
    """Shapes with one thickness before a uniform background."""

    points: Floats
    mass: Floats
    shares: Floats
    fits: tuple[_Fit, ...]
    parts: Floats
    value: float
    floor: float

    @classmethod
    def of(cls, points: Floats, mass: Floats, shares: Floats, floor: float) -> _Mixture:
        """One step from shares of the points."""
        held = shares * mass[:, None]
        fits = tuple(_fit(points, own + 1e-9) for own in held.T)
        sums = sum(own @ fit.fitted for own, fit in zip(held.T, fits, strict=True))
        freedom = sum(own.sum() * fit.codim for own, fit in zip(held.T, fits, strict=True))
        for fit in fits:
            fit.variance = max(float(sums / max(freedom, 1e-9)), floor**2)
        parts = np.append(held.sum(axis=0), max(float(mass.sum() - held.sum()), 1e-3 * len(points))) + 1e-9
        parts /= parts.sum()
        logs = np.column_stack([*(fit.logs(points) for fit in fits), np.full(len(points), _level(points))])
        logs += np.log(parts)
        top = logs.max(axis=1, keepdims=True)
        shares = np.exp(logs - top)
        sums = shares.sum(axis=1, keepdims=True)
        penalty = 0.5 * np.log(len(points)) * sum(fit.n_numbers + 1 for fit in fits)
        penalty += _BENDS * sum(fit.turn for fit in fits)
        value = float(mass @ (top + np.log(sums))[:, 0] - penalty) / len(points)
        return cls(points, mass, (shares / sums)[:, :-1], fits, parts, value, floor)

    @property
    def worth(self) -> float:
        """Its value, less the gain that each shape must bring."""
        return float(self.value - _GAIN * len(self.fits))

    def improved(self, n_steps: int) -> _Mixture:
        """The mixture after more steps."""
        best = last = self
        for _ in range(n_steps):
            new = _Mixture.of(self.points, self.mass, last.shares, self.floor)
            best = max(best, new, key=lambda one: one.value)
            if abs(new.value - last.value) < _SETTLED:
                break
            last = new
        return best

    def labels(self, points: Floats) -> Ints:
        """The likeliest shape of each point."""
        logs = [fit.logs(points) + np.log(part) for fit, part in zip(self.fits, self.parts, strict=False)]
        return np.asarray(np.argmax(logs, axis=0))
