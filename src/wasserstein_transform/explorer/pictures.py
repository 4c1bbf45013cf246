"""Images on the page: settings, segmentation, and views of the regions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from io import BytesIO
from typing import Any, ClassVar
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from .. import _check as check
from ..engine import Engine

_MAX_SIDE = 600  # larger images are reduced to at most this many pixels on the longer side


@dataclass(frozen=True, eq=False)
class Picture:
    """An image to segment."""

    name: str
    pixels: Any
    reading: str


@dataclass(frozen=True)
class Brushes:
    """The parameters of `image.segment_by_radii` that have sliders."""

    spatial: float = 8.0
    range: float = 12.0
    lam: float = 0.0
    min_size: int = 20

    def __post_init__(self) -> None:
        check.positive(self.spatial, "spatial")
        check.positive(self.range, "range")
        check.lam(self.lam)
        check.count(self.min_size, "min_size", 0)

    @classmethod
    def read(cls, asked: Mapping[str, str]) -> Brushes:
        """Read parameters from the query of a URL; invalid ones are ignored."""
        known = asdict(cls())
        for name in asked.keys() & known.keys():
            try:
                known = asdict(cls(**{**known, name: type(known[name])(float(asked[name]))}))
            except (TypeError, ValueError, OverflowError):
                continue
        return cls(**known)

    @property
    def query(self) -> str:
        """The parameters as the query of a URL."""
        return urlencode(asdict(self))

    def code(self, reading: str) -> str:
        """Python code that computes the same."""
        given = ", ".join(f"{name}={value!r}" for name, value in self.arguments().items())
        return f"import wasserstein_transform as wt\n\n{reading}\nfound = wt.image.segment_by_radii(picture, {given})\n"

    def arguments(self) -> dict[str, Any]:
        """The arguments of `segment_by_radii`."""
        return {
            "spatial_radius": self.spatial, "range_radius": self.range, "lam": self.lam, "min_size": self.min_size
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Painted:
    """Images of a segmentation, as RGBA bytes of shape (h, w, 4), with rows from bottom to top as Bokeh expects."""

    n_regions: int
    before: NDArray[np.uint8]
    outlined: NDArray[np.uint8]
    filtered: NDArray[np.uint8]
    labels: NDArray[Any]
    code: str
    notes: tuple[str, ...]


def decode(content: bytes, name: str) -> Picture:
    """Decode an image from the bytes of a file."""
    from ..image.reading import from_bytes

    reading = f"import imageio.v3 as imageio\n\npicture = imageio.imread({name!r})"
    return Picture(name, from_bytes(content, name), reading)


def draw_shapes() -> Picture:
    """The built-in image: three shapes on a gray background, with noise."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:180, :240]
    colors = np.full((180, 240, 3), 90.0)
    colors[(x - 70) ** 2 + (y - 80) ** 2 < 45**2] = (210, 90, 60)
    colors[(abs(x - 165) < 45) & (abs(y - 60) < 35)] = (60, 130, 200)
    colors[(y > 120) & (x - 2 * (y - 120) > 60) & (x + (y - 120) < 220)] = (230, 200, 80)
    noisy = np.clip(colors + rng.normal(scale=9, size=colors.shape), 0, 255).astype(np.uint8)
    return Picture("painted shapes", noisy, "picture = …  # an array of shape (h, w, 3)")


def segment_picture(picture: Picture, brushes: Brushes, engine: Engine) -> Painted:
    """Segment an image and draw its regions."""
    from ..image import segment_by_radii
    from ..plotting.images import as_rgb, outlined

    pixels = picture.pixels
    notes: tuple[str, ...] = ()
    step = -(-max(pixels.shape[:2]) // _MAX_SIDE)
    if step > 1:
        notes = (f"every {step}th pixel of {pixels.shape[1]} × {pixels.shape[0]} is used",)
        pixels = pixels[::step, ::step]
    found = segment_by_radii(pixels, **brushes.arguments(), engine=engine)
    filtered = np.clip(np.rint(found.filtered), 0, 255).astype(np.uint8)
    return Painted(
        found.n_segments, _bytes(as_rgb(pixels)), _bytes(outlined(as_rgb(pixels), found.labels)),
        _bytes(as_rgb(filtered)), found.labels, brushes.code(picture.reading), notes,
    )  # fmt: skip


def as_npy(labels: NDArray[Any]) -> bytes:
    """Labels as the bytes of an NPY file."""
    out = BytesIO()
    np.save(out, labels.astype(np.int32), allow_pickle=False)
    return out.getvalue()


def _bytes(rgb: NDArray[Any]) -> NDArray[np.uint8]:
    opaque = np.full((*rgb.shape[:2], 4), 255, np.uint8)
    opaque[..., :3] = rgb[..., :3]
    return np.ascontiguousarray(opaque[::-1])


class ImageViews:
    """Linked images: outlines of the regions, the filtered image, the original. Zooming into one zooms into all."""

    _TITLES: ClassVar = {
        "outlined": ("Regions", "outlines of the regions"),
        "filtered": ("Filtered", "each pixel where it moved to"),
        "before": ("Picture", "as it is"),
    }

    def __init__(self, painted: Painted) -> None:
        from bokeh.models import ColumnDataSource, Row

        from .figures import card, style_sheet

        style = style_sheet()
        self.sources = {part: ColumnDataSource(name=f"picture-{part}") for part in self._TITLES}
        self._figures = {part: self._figure(part, style) for part in self._TITLES}
        first = self._figures["outlined"]
        for other in self._figures.values():
            other.x_range, other.y_range = first.x_range, first.y_range
        cards = [
            card(*self._TITLES[part], [figure], style, "picture") for part, figure in self._figures.items()
        ]  # fmt: skip
        self.layout: Any = Row(
            children=cards, sizing_mode="stretch_width", css_classes=["views"], stylesheets=[style], name="views"
        )
        self.show(painted)

    def _figure(self, part: str, style: Any) -> Any:
        from .figures import empty_figure

        drawn = empty_figure(
            f"figure-{part}", self._TITLES[part][1], 340, style, match_aspect=True,
            tools="pan,wheel_zoom,box_zoom,reset,save",
        )  # fmt: skip
        drawn.image_rgba("image", x=0, y=0, dw="w", dh="h", source=self.sources[part])
        drawn.axis.visible = False
        drawn.grid.visible = False
        drawn.x_range.range_padding = drawn.y_range.range_padding = 0.0
        return drawn

    def show(self, painted: Painted) -> None:
        """Show other regions, or another image, in the same figures."""
        height, width = painted.before.shape[:2]
        for part, source in self.sources.items():
            pixels = getattr(painted, part).view("uint32")[..., 0]
            source.data = {"image": [pixels], "w": [width], "h": [height]}
            self._figures[part].update(sizing_mode="scale_width", aspect_ratio=max(0.4, width / (height + 30)))
