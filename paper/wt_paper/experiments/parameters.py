"""Parameters of all experiments: those of the paper, readings of what it leaves open, and changes for `--quick`.

The defaults of a class are those of the full run. `QUICK` has the changes for a quick run.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

_SPIRAL: dict[str, dict[str, Any]] = {
    "3 turns, by length": {},
    "2 turns, by length": {"turns": 2.0},
    "3 turns, by angle": {"spacing": "angle"},
    "3 turns, noise 0.5": {"noise": 0.5},
}
_CIRCLES: dict[str, dict[str, Any]] = {
    "radii 1 and 1.8, noise 0.1": {},
    "radii 1 and 1.8, noise 0.05": {"noise": 0.05},
}


@dataclass(frozen=True)
class TJunction:
    """ε and τ as in the paper."""

    eps: float = 10.0
    n_iter: int = 2
    methods: tuple[str, ...] = ("MS", "GT-1", "GT-5", "LT-WT2", "LT-WT1")


@dataclass(frozen=True)
class Chaining:
    """ε as in the paper; λ and the layout of the discs are not given there."""

    eps: float = 0.2
    n_iter: int = 4
    lams: tuple[float, ...] = (1.0, 2.0, 5.0)
    layouts: tuple[str, ...] = ("square", "hexagonal", "rings")
    others: tuple[str, ...] = (
        "MS",
        "LT-WT1",
        "LT-WT2",
    )  # not in the paper's figure, but the text says that LT-WT does as well
    others_iter: int = 2


@dataclass(frozen=True)
class Eccentricity:
    """Ratios and τ as in the paper, which gives neither the layout nor whether ε is scaled with the stretch.

    The larger of a1 and a2 is 1. Another normalization corresponds to ε times a power of the smaller one.
    """

    eps: float = 0.2
    ratios: tuple[float, ...] = (1 / 0.2, 1 / 0.4, 1 / 0.6, 1 / 0.8, 1.0, 0.8, 0.6, 0.4, 0.2)
    methods: tuple[str, ...] = ("MS", "GT-1", "GT-5", "LT-WT2", "LT-WT1")
    layouts: tuple[str, ...] = ("square", "hexagonal", "rings")
    scalings: dict[str, float] = field(
        default_factory=lambda: {
            "larger axis kept, ε = 0.2": 0.0,
            "smaller axis kept, ε = 0.2": 1.0,
            "area kept, ε = 0.2": 0.5,
        }
    )  # exponent of the smaller axis in ε
    scan: tuple[float, ...] = (0.06, 0.08, 0.1, 0.12, 0.15)  # further ε at the extreme ratios


@dataclass(frozen=True)
class Denoising:
    """Points near a curve; `variants` are readings of what the paper leaves open, the default first."""

    eps: float
    lam: float
    variants: dict[str, dict[str, Any]]
    n_iter: int = 4
    seeds: int = 3
    more: tuple[str, ...] = ("GT-10", "GT-30")  # beyond the paper

    @property
    def gt(self) -> str:
        """Name of the paper's GT."""
        return f"GT-{self.lam:g}"

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods, in the order of the paper's figures."""
        return ("MS", self.gt, "LT-WT1", "LT-WT2")


@dataclass(frozen=True)
class Anisotropy:
    """ε as in the paper, which uses "various" λ."""

    eps: float = 0.2
    lams: tuple[float, ...] = (0.0, 1.0, 5.0, 10.0, 20.0, 50.0)


class Scene(NamedTuple):
    """A photograph of side × side pixels, the radii of the windows, and λ."""

    side: int
    spatial: float
    range: float
    lam: float


@dataclass(frozen=True)
class Cameraman:
    """Radii and λ as in the paper. Its image is not free: the default is the photograph that scikit-image has instead.

    Attributes
    ----------
    path : str, optional
        Another image, such as the classic one; also the environment variable WT_CAMERAMAN.
    scenes : tuple of Scene
    linkings : tuple of str
        The paper's linking, and a second reading.
    finer : tuple of str
        Methods for the segmentations at twice the resolution, which are used for comparison.
    n_iter : int
        Largest number of iterations: some pixels alternate between two positions forever.
    part : float
        Share of the side of the photograph that is used, around the head and the camera.
    margin : float
        Smallest difference of scores that counts.
    """

    path: str | None = None
    scenes: tuple[Scene, ...] = (Scene(256, 8.0, 8.0, 4.8), Scene(128, 6.0, 6.0, 5.0))
    linkings: tuple[str, ...] = ("paper", "adjacent")
    finer: tuple[str, ...] = ("MS", "GT")
    n_iter: int = 30
    part: float = 1.0
    margin: float = 0.02


@dataclass(frozen=True)
class Words:
    """The paper gives neither λ nor the window. Its data are not part of the package.

    Attributes
    ----------
    vectors, corpus, benchmarks : str, optional
        Files and a folder, from the environment variables WT_WORDS_VECTORS, WT_WORDS_CORPUS and WT_WORDS_BENCHMARKS.
    windows, lams : tuples
        Readings of what the paper leaves open.
    n_boot : int
        Number of resamples of the pairs.
    variants : tuple of str
        Other definitions, which are compared out of sample.
    window : int
        Window of the variants.
    commons : tuple of int or None
        Numbers of common components that are removed from the vectors; None leaves the vectors unchanged.
    study_lams : tuple of float
        Values of λ for the variants.
    n_splits : int
        Number of splits of the pairs into halves.
    """

    vectors: str | None = None
    corpus: str | None = None
    benchmarks: str | None = None
    windows: tuple[int, ...] = (5, 2, 10)
    lams: tuple[float, ...] = (0.5, 0.1, 1.0)
    n_boot: int = 1000
    variants: tuple[str, ...] = (
        "paper", "λ by frequency", "about the mean, pooled", "PPMI, about the mean, pooled", "PPMI, points moved",
        "neighborhoods in the embedding",
    )  # fmt: skip
    window: int = 5
    commons: tuple[int | None, ...] = (None, 3)
    study_lams: tuple[float, ...] = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
    n_splits: int = 20


_WORDS = Words(
    os.environ.get("WT_WORDS_VECTORS"), os.environ.get("WT_WORDS_CORPUS"), os.environ.get("WT_WORDS_BENCHMARKS")
)


@dataclass(frozen=True)
class Acceleration:
    """As in the paper, except for the merge tolerance (in ε), which it does not give."""

    n: int = 200
    eps: float = 0.1
    lam: float = 1.0
    n_iter: int = 5
    merges: tuple[float, ...] = (0.01, 1e-6, 0.1)
    full: bool = True  # whether to time all n⁴/2 distances as well
    n_small: int = 60  # side of the grid for the comparison with the full-matrix algorithm
    repeats: int = 1


class Size(NamedTuple):
    """n points in R^m whose largest ball has N points."""

    n: int
    N: int
    m: int


@dataclass(frozen=True)
class Complexity:
    """Sizes for fitting exponents, by method and variable, and sizes at which all methods are compared.

    When m varies, the balls hold a large share of all points. With small balls the search would visit few candidates in
    the plane and all of them in high dimensions, which would add a power of m that the orders do not count.
    """

    sweeps: dict[tuple[str, str], tuple[Size, ...]] = field(
        default_factory=lambda: {
            ("MS", "n"): tuple(Size(n, 20, 3) for n in (4000, 8000, 16000, 32000)),
            ("MS", "N"): tuple(Size(3000, N, 3) for N in (80, 160, 320, 640)),
            ("MS", "m"): tuple(Size(1000, 300, m) for m in (4, 8, 16, 32)),
            ("GT", "n"): tuple(Size(n, 20, 3) for n in (1000, 2000, 4000, 8000)),
            ("GT", "N"): tuple(Size(1000, N, 3) for N in (50, 100, 200, 400)),
            ("GT", "m"): tuple(Size(400, 100, m) for m in (4, 8, 16, 32)),
            ("GT, all distances", "n"): tuple(Size(n, 20, 3) for n in (250, 500, 1000, 2000)),
            ("GT, all distances", "N"): tuple(Size(300, N, 3) for N in (10, 20, 40, 80)),
            ("GT, all distances", "m"): tuple(Size(200, 100, m) for m in (4, 8, 16, 32)),
            ("LT-WT1", "n"): tuple(Size(n, 20, 3) for n in (100, 200, 400, 800)),
            ("LT-WT1", "N"): tuple(Size(200, N, 3) for N in (10, 20, 40, 80)),
            ("LT-WT1", "m"): tuple(Size(100, 20, m) for m in (4, 8, 16, 32)),
        }
    )
    common: tuple[Size, ...] = (Size(300, 40, 4), Size(300, 40, 2), Size(300, 40, 16))
    lam: float = 1.0
    seed: int = 0
    repeats: int = 2
    tolerance: float = 0.2  # of a fitted exponent: noise, and caches


@dataclass(frozen=True)
class Theory:
    """Number of random spaces, resolution of the limits, and tolerances."""

    seed: int = 0
    spaces: int = 50
    sizes: tuple[int, int] = (20, 30)  # points of a random space
    dims: tuple[int, ...] = (1, 2, 3)
    scales: tuple[float, float] = (
        0.1,
        100.0,
    )  # range of standard deviations of the points: some bounds depend on the unit
    quantiles: tuple[float, float] = (0.1, 0.6)  # range of quantiles of the distances, for ε
    faintest: float = 1e-3  # smallest share of mass by which two weightings differ
    rounding: float = 1e-12  # tolerance of identities and inequalities
    steps: int = 3  # iterations for comparing GT with λ = 0 with mean shift
    half_ball: int = 10  # points on each side of the center of a ball on a segment
    nodes: int = 40  # quadrature nodes on a line
    line_eps: tuple[float, ...] = (0.4, 0.28, 0.2, 0.14, 0.1, 0.07, 0.05)
    line_pairs: tuple[tuple[float, float], ...] = ((-2.0, -0.5), (-1.0, 1.0), (-0.3, 0.8), (0.5, 2.2), (-1.5, 2.5))
    ball_unit: float = 0.5  # scale of the density, so that the limits differ from 1
    ball_eps: tuple[float, ...] = (0.2, 0.1, 0.05, 0.025, 0.0125)
    ball_centers: tuple[float, ...] = (-0.6, -0.1, 0.05, 0.3)
    ball_floor: float = 0.01  # relative error at the smallest ε
    directions: int = 72
    disc_nodes: int = 12
    disc_eps: tuple[float, ...] = (0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
    disc_floor: float = 0.01
    polar_nodes: tuple[dict[int, tuple[int, int]], ...] = ({2: (6, 16), 3: (4, 8)}, {2: (10, 28), 3: (6, 10)})
    # nodes along a radius and around, by dimension; the finer quadrature last
    sphere_points: int = 8000
    sphere_pairs: int = 60
    sample_eps: float = 0.5
    sample_apart: float = 1.0
    bandwidth: float = 0.5  # bandwidth of smooth kernels, in diameters
    outer: float = 1.01  # D of the truncation theorems, in diameters
    lam: float = 1.0
    grid: int = 300  # points of the population from which samples are drawn
    draws: tuple[int, ...] = (25, 100, 400, 1600)
    repeats: int = 24
    small: int = 12  # points of spaces whose Prokhorov distances are computed
    grains: int = 1000  # their total mass, as an integer


@dataclass(frozen=True)
class Kernels:
    """Kernels with their factors of ε, and powers of the number of neighbors as weights."""

    profiles: dict[str, float] = field(
        default_factory=lambda: {"flat": 1.0, "epanechnikov": 1.0, "triangle": 1.0, "gaussian": 0.5}
    )
    far: tuple[str, ...] = ("gaussian",)  # unbounded support: too expensive for exact transport
    weights: dict[str, float] = field(default_factory=lambda: {"∝ neighbors": 1.0, "∝ 1/neighbors": -1.0})
    exact: tuple[str, ...] = ("T-junction", "dumbbell")


@dataclass(frozen=True)
class Convergence:
    """Iterate until the movement is below `tol` (in ε); points within `merge` (in ε) are merged."""

    n_iter: int = 30
    tol: float = 1e-6
    merge: float = 1e-6
    methods: dict[str, tuple[str, ...]] = field(
        default_factory=lambda: {
            "T-junction": ("MS", "GT-5", "LT-WT1", "LT-WT2"),
            "dumbbell": ("MS", "GT-1", "LT-WT1", "LT-WT2"),
            "spiral": ("MS", "GT-1", "LT-WT1"),
            "circles": ("MS", "GT-2.5"),
        }
    )


@dataclass(frozen=True)
class Choosing:
    """Values of ε, relative to the paper's, and of λ."""

    factors: tuple[float, ...] = (0.25, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0)
    lams: tuple[float, ...] = (0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0)


FULL: dict[str, Any] = {
    "t-junction": TJunction(),
    "chaining": Chaining(),
    "eccentricity": Eccentricity(),
    "spiral": Denoising(4.0, 1.0, _SPIRAL),
    "circles": Denoising(0.7, 2.5, _CIRCLES),
    "anisotropy": Anisotropy(),
    "cameraman": Cameraman(path=os.environ.get("WT_CAMERAMAN")),
    "words": _WORDS,
    "acceleration": Acceleration(),
    "complexity": Complexity(),
    "theory": Theory(),
    "kernels": Kernels(),
    "convergence": Convergence(),
    "choosing": Choosing(),
}

QUICK: dict[str, Any] = {
    **FULL,
    "chaining": Chaining(lams=(1.0,), others=("MS",)),
    "eccentricity": Eccentricity(
        ratios=(1 / 0.2, 1.0, 0.2),
        layouts=("square",),
        scalings={"larger axis kept, ε = 0.2": 0.0},
        scan=(),
    ),
    "spiral": Denoising(4.0, 1.0, {"3 turns, by length, 300 points": {"n": 300, "n_outliers": 75}}, n_iter=2, seeds=1),
    "circles": Denoising(0.7, 2.5, {"radii 1 and 1.8, noise 0.1, 250 points": {"n": 250}}, n_iter=2, seeds=1),
    "cameraman": Cameraman(path=os.environ.get("WT_CAMERAMAN"), finer=("MS",), part=0.5),
    "words": replace(_WORDS, windows=(5,), lams=(0.5,), n_boot=200, variants=()),
    "acceleration": Acceleration(n=80, full=False, n_small=40, repeats=1),
    "complexity": Complexity(
        sweeps={key: sizes[:3] for key, sizes in FULL["complexity"].sweeps.items()},
        common=(Size(150, 30, 4),),
        repeats=1,
    ),
    "theory": replace(
        FULL["theory"],
        spaces=6,
        nodes=24,
        directions=36,
        disc_nodes=8,
        disc_eps=(0.8, 0.4, 0.2, 0.1),
        polar_nodes=({2: (4, 12), 3: (3, 6)}, {2: (6, 16), 3: (4, 8)}),
        sphere_points=2000,
        sphere_pairs=20,
        grid=120,
        draws=(25, 100, 400),
        repeats=24,
    ),
    "kernels": Kernels(exact=()),
    "convergence": Convergence(
        methods={"T-junction": ("MS", "GT-5"), "dumbbell": ("MS", "GT-1"), "spiral": ("MS", "GT-1")}
    ),
    "choosing": Choosing(factors=(0.35, 0.7, 1.0, 1.5, 3.0), lams=(0.0, 1.0, 5.0, 30.0)),
}
