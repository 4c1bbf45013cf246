"""Segmentation of images: seconds compared with scikit-image and OpenCV, and a photograph of twelve megapixels."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import warnings

import cv2
import numpy as np
from skimage import data
from skimage.segmentation import quickshift

import wasserstein_transform as wt

from .timing import Row, median_seconds

_CHILD = """
import json, os, time
import numpy as np, wasserstein_transform as wt
from skimage import data
from skimage.transform import resize
photo = data.astronaut()
wt.image.segment_by_radii(photo[:40, :40], 8, 8)  # compiles
side = {side}
image = (255 * resize(photo, (3 * side, 4 * side), anti_aliasing=False)).astype(np.uint8)
del photo
def memory(name):
    lines = open("/proc/self/status") if os.path.exists("/proc/self/status") else []
    return ([float(line.split()[1]) / 1024 for line in lines if line.startswith(name)] or [float("nan")])[0]
if os.path.exists("/proc/self/clear_refs"):
    open("/proc/self/clear_refs", "w").write("5")  # the peak begins here
before = memory("VmRSS")
begun = time.perf_counter()
found = wt.image.segment_by_radii(image, 8, 8)
done = time.perf_counter()
print(json.dumps([done - begun, memory("VmHWM"), before, image.nbytes / 2**20, float(found.n_iter.mean())]))
"""


def run() -> list[Row]:
    warnings.simplefilter("ignore")  # pixels are stopped on purpose after as many iterations as the peer's
    return [*_gray(), _volume(), _color(), *_large()]


def _gray() -> list[Row]:
    image = data.camera().reshape(256, 2, 256, 2).mean(axis=(1, 3)).round().astype(np.uint8)
    stacked = np.dstack([image / 255.0] * 3)
    # σ of its Gaussian; its window has three σ, 8 pixels, on each side
    peer = median_seconds(lambda: quickshift(stacked, kernel_size=8 / 3, max_dist=8, convert2lab=False), 3)
    rows = []
    for lam, name in ((0.0, "mean shift"), (5.0, "GT, λ = 5")):
        ours = median_seconds(functools.partial(wt.image.segment_by_radii, image, 8, 8, lam), 7)
        work = f"{name}: segmentation of 256×256 gray pixels, radii 8 and 8, to rest, with labels"
        theirs = f"scikit-image's quickshift, window of 8: {peer:.2f} s"
        rows.append(Row(work, f"{ours:.3f} s", theirs, f"{peer / ours:.1f}×"))
    return rows


def _volume() -> Row:
    """A volume of noisy blocks. No peer segments volumes by shapes: the comparison is with mean shift."""
    rng = np.random.default_rng(0)
    image = np.kron(20.0 * rng.integers(0, 4, (6, 6, 6)), np.ones((5, 5, 5))) + rng.normal(size=(30, 30, 30))
    work = functools.partial(wt.image.segment_by_radii, image, 4, 8, channel_axis=None)
    ours, plain = (median_seconds(functools.partial(work, lam=lam), 3) for lam in (5.0, 0.0))
    name = "GT, λ = 5: segmentation of a volume of 30×30×30, radii 4 and 8, to rest, with labels"
    return Row(name, f"{ours:.3f} s", f"mean shift, here: {plain:.3f} s", f"{plain / ours:.2f}×")


def _color() -> Row:
    image = np.ascontiguousarray(data.astronaut()[:321, :481])
    stop = (cv2.TERM_CRITERIA_COUNT, 5, 0)
    peer = median_seconds(lambda: cv2.pyrMeanShiftFiltering(image, 8, 8, maxLevel=0, termcrit=stop), 5)
    found = wt.image.segment_by_radii(image, 8, 8, color="rgb", n_iter=5)
    ours = median_seconds(lambda: wt.image.segment_by_radii(image, 8, 8, color="rgb", n_iter=5), 5)
    each = image.shape[0] * image.shape[1]
    work = "481×321 colors, radii 8 and 8, 5 iterations at most, per pixel and iteration; ours with labels, all cores"
    per = 1e9 * ours / float(found.n_iter.sum())
    # its number of iterations is unknown: five for each pixel are assumed, which favors it
    theirs = 1e9 * peer / (5 * each)
    return Row(
        work, f"{per:.0f} ns", f"OpenCV's pyrMeanShiftFiltering: {theirs:.0f} ns at least", f"{theirs / per:.1f}×"
    )


def _large() -> list[Row]:
    rows, before = [], None
    for side in (500, 1000):
        spent, peak, held, size, steps = _measure(side)
        growth = "" if before is None else f"{spent / before:.1f}× for 4×"
        size_of = f"{12 * (side / 1000) ** 2:.0f} megapixels"
        work = f"a photograph of {size_of}, L*u*v*, radii 8 and 8, to rest ({steps:.1f} steps)"
        taken = f"{peak - held:.0f} MiB taken ({(peak - held) / size:.1f} images), peak of the process {peak:.0f} MiB"
        rows.append(Row(work, f"{spent:.0f} s, {taken}", f"the image: {size:.0f} MiB", growth))
        before = spent
    return rows


def _measure(side: int) -> tuple[float, ...]:
    done = subprocess.run([sys.executable, "-c", _CHILD.format(side=side)], capture_output=True, check=True, text=True)
    return tuple(json.loads(done.stdout))
