"""Segmentation of a photograph by MS and GT, at two resolutions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

from wasserstein_transform import plotting
from wasserstein_transform._types import Floats, Ints
from wasserstein_transform.compute.pixels.motion import ConvergedPixels, Motion
from wasserstein_transform.engine import Engine
from wasserstein_transform.image.linking import link_pixels
from wasserstein_transform.image.pixels import read
from wasserstein_transform.image.radii import move
from wasserstein_transform.image.regions import boundaries
from wasserstein_transform.plotting.style import N_COLORS

from .experiment import Choice, Claim, Experiment, Picture, Table
from .layout import bare, mosaic, name_row
from .parameters import Cameraman, Scene
from .scores import differences, explained, information_apart, on_edges, same_regions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("MS", "GT")
_FINER = 2  # relative resolution of the segmentations used for comparison
N_AREAS = 3  # number of areas marked in the figure, where MS and GT differ most
MIN_LARGE_SEGMENT = 20  # smallest size of a large segment in pixels


_NOTE = (
    "There is no ground truth, and the paper judges by eye: these scores are ours. The paper's linking joins near "
    "modes wherever their pixels are, and gradual changes of gray chain them together: one segment can hold most of "
    "the image, and similarity to such a segmentation means little. By eye, GT with the paper's linking separates some "
    "objects at low resolution, such as the tower, that MS joins with their background."
)


class Key(NamedTuple):
    """A method and a way of linking its moved pixels."""

    method: str
    linking: str


@dataclass(frozen=True, eq=False)
class View:
    """The photograph at one resolution.

    Attributes
    ----------
    scene : Scene
    image : array of shape (n, n)
    labels : dict
        Segmentations.
    finer : dict
        Segmentations at twice the resolution, reduced to this one; empty if the photograph is too small.
    restless : dict
        Share of pixels that did not converge, by method.
    """

    scene: Scene
    image: Floats
    labels: dict[Key, Ints]
    finer: dict[Key, Ints]
    restless: dict[str, float]

    def edges(self, key: Key) -> float:
        """F-measure of boundaries and image edges."""
        return on_edges(boundaries(self.labels[key]), self.image)


@dataclass(frozen=True, eq=False)
class Result:
    """The views at all resolutions."""

    parameters: Cameraman
    views: tuple[View, ...]


def run(parameters: Cameraman, engine: Engine) -> Result:
    """Segment the photograph at each resolution, and at twice that for comparison."""
    photo = _photograph(parameters.path)
    return Result(parameters, tuple(_view(photo, scene, parameters, engine) for scene in parameters.scenes))


def _photograph(path: str | None) -> Floats:
    """The photograph as a square of gray levels from 0 to 255."""
    try:
        from skimage import data

        from wasserstein_transform.image.reading import from_file
    except ImportError:
        raise ImportError(
            'cameraman needs scikit-image, which is not installed; run: pip install "wasserstein-transform[image]"'
        ) from None
    camera: Any = data.camera
    photo = np.asarray(camera() if path is None else from_file(Path(path)).image, np.float64)
    if photo.ndim == 3:
        photo = photo[..., :3].mean(axis=2) if photo.shape[2] > 2 else photo[..., 0]
    side = min(photo.shape)
    top, left = ((n - side) // 2 for n in photo.shape)
    return photo[top : top + side, left : left + side]


def _reduced(photo: Floats, side: int, part: float) -> Floats | None:
    """Means over side × side blocks, cropped to a part of them; None if the photograph has too few pixels."""
    k = len(photo) // side
    if k == 0:
        return None
    blocks = photo[: k * side, : k * side].reshape(side, k, side, k).mean(axis=(1, 3))
    n, top, left = int(part * side), int((1 - part) * side / 4), int((1 - part) * side / 2)
    return np.ascontiguousarray(blocks[top : top + n, left : left + n])


def _view(photo: Floats, scene: Scene, parameters: Cameraman, engine: Engine) -> View:
    image = _reduced(photo, scene.side, parameters.part)
    if image is None:
        raise ValueError(
            f"the image must have at least {scene.side} pixels on each side, got {len(photo)}; give a larger image"
        )
    finer = _reduced(photo, _FINER * scene.side, parameters.part)
    labels, above, restless = {}, {}, {}
    for method in METHODS:
        result = _moved(image, scene, method, 1, parameters, engine)
        restless[method] = (result.n_cycling + result.n_unfinished) / len(result.modes)
        labels.update(_linked(result.modes, image.shape, scene, method, 1, parameters, engine))
        if finer is not None and method in parameters.finer:
            result = _moved(finer, scene, method, _FINER, parameters, engine)
            above.update(_linked(result.modes, finer.shape, scene, method, _FINER, parameters, engine))
    return View(scene, image, labels, {key: _brought_down(fine) for key, fine in above.items()}, restless)


def _moved(
    image: Floats, scene: Scene, method: str, scale: int, parameters: Cameraman, engine: Engine
) -> ConvergedPixels:
    """Move the pixels as `segment` does; the result also has the number of pixels that do not converge."""
    pixels = read(image, "luv", None, "auto")
    lam = scene.lam if method == "GT" else 0.0
    motion = Motion(scale * scene.spatial, scene.range, lam, 0.0, parameters.n_iter)
    return move(pixels, pixels.features(engine), motion, engine)


def _linked(
    modes: Floats, shape: tuple[int, ...], scene: Scene, method: str, scale: int, parameters: Cameraman, engine: Engine
) -> dict[Key, Ints]:
    """Segmentations of the moved pixels, for every way of linking."""
    radii = scale * scene.spatial, scene.range
    return {
        Key(method, name): link_pixels(name, modes, None, shape, *radii, engine)[0].reshape(shape)
        for name in parameters.linkings
    }


def _brought_down(labels: Ints) -> Ints:
    """The most frequent label of each block; the first one in a tie."""
    n, k = len(labels) // _FINER, _FINER
    blocks = labels.reshape(n, k, n, k).swapaxes(1, 2).reshape(n, n, k * k)
    often = (blocks[..., :, None] == blocks[..., None, :]).sum(axis=3).argmax(axis=2)
    return np.take_along_axis(blocks, often[..., None], axis=2)[..., 0]


def claims(result: Result) -> Sequence[Claim]:
    """GT is as good as MS at the first resolution, and better at the second."""
    margin = result.parameters.margin
    return [
        _claim(result, 0, "GT segments as well as MS", "GT as good as MS", f"at most {margin:g} worse", -margin),
        _claim(result, 1, "GT segments better than MS", "GT better than MS", f"more than {margin:g} better", margin),
    ]


def _claim(result: Result, at: int, statement: str, name: str, words: str, margin: float) -> Claim:
    view = result.views[at]
    size = f"{view.scene.side} × {view.scene.side}"
    return Claim(
        f"cameraman: {name} at {size}",
        "Image segmentation",
        f"At {size} pixels {statement}.",
        "similarity to the segmentation at twice the resolution with twice the spatial radius, by "
        f"{' and by '.join(result.parameters.finer)}, reduced to this resolution: adjusted Rand index, and variation "
        f"of information; F-measure of boundaries and the steepest tenth of the pixels. GT must be {words} than MS; "
        "for the variation of information, relative to the value of MS",
        tuple(case for linking in result.parameters.linkings for case in _cases(view, linking, margin)),
        _NOTE,
    )


def _cases(view: View, linking: str, margin: float) -> Sequence[Choice]:
    pair = [view.labels[Key(method, linking)] for method in METHODS]
    cases: list[Choice] = []
    for key, finer in view.finer.items():
        if key.linking == linking:
            rand = [same_regions(labels, finer) for labels in pair]
            apart = [information_apart(labels, finer) for labels in pair]
            cases += _likeness(linking, key, rand, apart, margin)
    edges = [view.edges(Key(method, linking)) for method in METHODS]
    return [*cases, _case(f"{linking} linking, boundaries on edges", edges, edges[1] - edges[0], margin)]


def _likeness(linking: str, finer: Key, rand: list[float], apart: list[float], margin: float) -> Sequence[Choice]:
    above = f"{finer.method} above"
    nearer = 1 - apart[1] / apart[0] if apart[0] > 0 else -apart[1]
    return [
        _case(f"{linking} linking, Rand index with {above}", rand, rand[1] - rand[0], margin),
        _case(f"{linking} linking, information from {above}", apart, nearer, margin, " bits"),
    ]


def _case(name: str, scores: Sequence[float], gain: float, margin: float, unit: str = "") -> Choice:
    return Choice(name, bool(gain > margin), f"MS {scores[0]:.3f}{unit}, GT {scores[1]:.3f}{unit}")


def tables(result: Result) -> Sequence[Table]:
    """Properties of the segmentations."""
    rows = []
    for view in result.views:
        for linking in result.parameters.linkings:
            pair = [view.labels[Key(method, linking)] for method in METHODS]
            alike = f"{same_regions(*pair):.3f}, {information_apart(*pair):.2f} bits"
            rows += [_row(view, Key(method, linking), alike) for method in METHODS]
    header = (
        "pixels", "linking", "method", "segments", f"of ≥ {MIN_LARGE_SEGMENT} pixels", "largest",
        "variance of gray explained", "boundaries on edges", "MS and GT: Rand index, information apart",
        "pixels not converged",
    )  # fmt: skip
    return [Table("Segments", header, tuple(rows), "Pixels that do not converge alternate between a few positions.")]


def _row(view: View, key: Key, alike: str) -> tuple[str, ...]:
    sizes = np.bincount(view.labels[key].ravel())
    return (
        " × ".join(map(str, view.image.shape)), key.linking, key.method, str(len(sizes)),
        str(np.count_nonzero(sizes >= MIN_LARGE_SEGMENT)), f"{sizes.max() / sizes.sum():.1%}",
        f"{explained(view.labels[key], view.image):.1%}", f"{view.edges(key):.3f}", alike,
        f"{view.restless[key.method]:.1%}",
    )  # fmt: skip


def pictures(result: Result) -> Sequence[Picture]:
    """The figure of the paper, for each way of linking."""
    return [
        Picture(
            "cameraman" if linking == "paper" else f"cameraman-{linking}",
            f"Test image, MS and GT at two resolutions, {linking} linking. The 21 largest segments are colored, the "
            "others are gray. Frames: the areas in which MS and GT differ most.",
            partial(draw, result, linking),
        )
        for linking in result.parameters.linkings
    ]


def draw(result: Result, linking: str) -> Figure:
    """A row for each resolution."""
    rows = [[f"{kind} {k}" for kind in ("image", *METHODS)] for k in range(len(result.views))]
    figure, axes = mosaic(rows, 2.45 * len(rows))
    for k, view in enumerate(result.views):
        _draw_view(view, linking, [axes[name] for name in rows[k]])
    return figure


def _draw_view(view: View, linking: str, axes: Sequence[Any]) -> None:
    scene, n = view.scene, len(view.image)
    names = (f"MS, ε = {scene.spatial:g}, {scene.range:g}", f"GT, λ = {scene.lam:g}")
    axes[0].imshow(view.image, cmap="gray", vmin=0, vmax=255, interpolation="nearest")
    axes[0].set_title("test image", loc="left", fontsize=8)
    name_row(axes[0], f"{n} × {n}")
    like = view.labels[Key("MS", linking)]
    for ax, method, name in zip(axes[1:], METHODS, names, strict=True):
        labels = view.labels[Key(method, linking)]
        plotting.segmentation(painted(labels, like), labels, ax, edge="white", lw=0.25)
        ax.set_title(f"{name}: {labels.max() + 1} segments", loc="left", fontsize=8)
    areas = _areas(*(view.labels[Key(method, linking)] for method in METHODS))
    for ax in axes:
        bare(ax)
        for number, (top, left, side) in enumerate(areas, 1):
            _frame(ax, top, left, side, str(number))


def painted(labels: Ints, like: Ints) -> NDArray[np.uint8]:
    """The largest regions in colors: each in that of the region of `like` it shares most pixels with; others gray."""
    colors = np.array([list(bytes.fromhex(plotting.color(k)[1:])) for k in (*range(N_COLORS), -1)], np.uint8)
    large, there = _largest(labels), _largest(like)
    free, ranks = set(range(N_COLORS)), np.full(int(labels.max()) + 1, N_COLORS)  # the last color is gray
    alone = []
    for region in large:
        most = int(np.bincount(like[labels == region]).argmax())
        rank = there.index(most) if most in there else -1
        if rank in free:
            ranks[region] = rank
            free.remove(rank)
        else:
            alone.append(region)
    ranks[alone] = sorted(free, reverse=True)[: len(alone)]  # from the end: the colors of the smallest regions
    return np.asarray(colors[ranks[labels]])


def _largest(labels: Ints) -> list[int]:
    """The largest regions, by decreasing size."""
    return [int(k) for k in np.argsort(-np.bincount(labels.ravel()), kind="stable")[:N_COLORS]]


def _areas(one: Ints, other: Ints) -> list[tuple[int, int, int]]:
    """Disjoint squares in which two segmentations differ most: top, left, side."""
    side = len(one) // 7
    seen = uniform_filter(differences(one, other), side, mode="constant", origin=-(side // 2))
    seen = seen[: len(one) - side, : len(one) - side].copy()
    result = []
    for _ in range(N_AREAS):
        top, left = (int(k) for k in np.unravel_index(seen.argmax(), seen.shape))
        result.append((top, left, side))
        seen[max(0, top - side) : top + side + 1, max(0, left - side) : left + side + 1] = -1.0
    return result


def _frame(ax: Any, top: int, left: int, side: int, name: str) -> None:
    from matplotlib.patches import Rectangle

    for color, width in (("black", 1.8), ("#FFE000", 0.9)):
        ax.add_patch(Rectangle((left - 0.5, top - 0.5), side, side, fill=False, ec=color, lw=width))
    ax.text(
        left + side / 20, top + side / 20, name, fontsize=6.5, va="top", color="black",
        bbox={"facecolor": "#FFE000", "edgecolor": "none", "pad": 0.8},
    )  # fmt: skip


EXPERIMENT = Experiment(
    "cameraman",
    "Image segmentation: cameraman",
    "Pixels move to the mean of their window in space and gray value until they converge, then near ones are linked; "
    "GT also compares the shapes of neighborhoods. The paper shows the cameraman at two resolutions and judges by eye. "
    "Its image is not free; this is the photograph that replaced it in scikit-image, reduced by means over blocks. "
    "Radii are in pixels and in gray levels from 0 to 255. The result depends much on how pixels are linked: the paper "
    "joins all near modes; the second reading joins only those of adjacent pixels, within half the range radius.",
    run,
    claims,
    pictures,
    tables,
    ("skimage", "image"),
)
