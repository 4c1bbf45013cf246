"""Photographs cut along the contours that people would draw.

For each picture a row: the picture, its contour map, and regions at three scales, all from one tree.
`python examples/photographs.py [FILE …] [-o FIGURE]`; without files, pictures that come with scikit-image.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

import wasserstein_transform as wt

try:
    import matplotlib as mpl
    import matplotlib.pyplot as plt
    from skimage import data
except ImportError:
    sys.exit('the example needs matplotlib and scikit-image: pip install "wasserstein-transform[plot,image]"')

SCALES = (0.3, 0.6, 0.8)
SHIPPED = ("coffee", "chelsea", "rocket", "coins", "cell")  # photographs, coins in gray, a cell under the microscope


def pictures(files: list[Path]) -> dict[str, np.ndarray]:
    """Pictures by their names."""
    if not files:
        return {name: getattr(data, name)() for name in SHIPPED}
    from wasserstein_transform.image.reading import from_file  # noqa: PLC0415 - only if files are given

    return {file.stem: from_file(file).image for file in files}


def painted(picture: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Each region in its mean color."""
    channels = picture.reshape(labels.size, -1)[:, :3].astype(float)
    sizes = np.bincount(labels.ravel())
    means = np.stack([np.bincount(labels.ravel(), channel) / sizes for channel in channels.T], axis=1)
    return np.asarray(means[labels].squeeze())


def draw_row(axes: np.ndarray, name: str, picture: np.ndarray) -> None:
    """A picture, its contours, and its regions."""
    began = time.perf_counter()
    found = wt.segment(picture)
    seconds = time.perf_counter() - began
    size = " × ".join(map(str, picture.shape[:2]))
    print(f"{name}: {size} pixels, {found.n_segments} regions, {seconds:.1f} s")
    axes[0].imshow(picture, cmap="gray")
    axes[0].set_title(f"{name}, {size}", loc="left", fontsize=7)
    axes[1].imshow(found.tree.contours(), cmap="gray_r", vmin=0, vmax=1)
    axes[1].set_title("contours", loc="left", fontsize=7)
    for ax, scale in zip(axes[2:], SCALES, strict=True):
        labels = found.tree.cut(scale)
        top = float(np.iinfo(picture.dtype).max) if picture.dtype.kind == "u" else float(picture.max())
        wt.plotting.segmentation(painted(picture, labels) / top, labels, ax, edge="white", lw=0.4)
        ax.set_title(f"scale {scale:g}: {labels.max() + 1} regions", loc="left", fontsize=7)
    for ax in axes:
        ax.set_axis_off()


def main() -> None:
    """Draw all pictures into one figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("photographs.png"))
    given = parser.parse_args()
    mpl.use("Agg")
    shown = pictures(given.files)
    heights = [picture.shape[0] / picture.shape[1] for picture in shown.values()]
    figure, axes = plt.subplots(
        len(shown), 5, figsize=(10, 2.05 * sum(heights) + 0.22 * len(heights)), squeeze=False, layout="constrained",
        height_ratios=heights,
    )  # fmt: skip
    for row, (name, picture) in zip(axes, shown.items(), strict=True):
        draw_row(row, name, picture)
    figure.savefig(given.output, dpi=160)
    print(f"{given.output} written")


if __name__ == "__main__":
    main()
