"""Some points of a cloud with all points that their step depends on."""

from __future__ import annotations

import numpy as np

from wasserstein_transform import Engine, Space
from wasserstein_transform.compute.records import Frame
from wasserstein_transform.transforms.subsets import Subset, cells_of, halo, near_cells


def subset_of(space: Space, core: np.ndarray, frame: Frame, engine: Engine) -> Subset:
    """The subset of a space with this core; its context consists of whole cells."""
    core = np.sort(core)
    cells = cells_of(space.metric, frame)
    return Subset(core, np.flatnonzero(near_cells(cells, cells[core], halo(frame))), frame)
