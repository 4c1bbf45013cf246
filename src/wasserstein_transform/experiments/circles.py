"""Two concentric circles with noise."""

from __future__ import annotations

from functools import partial

from ..datasets import circles
from . import denoising
from .experiment import Experiment

EXPERIMENT = Experiment(
    "circles",
    "Circles: two noisy rings",
    "250 points on each of two concentric circles in [−2, 2]², with normal noise, ε = 0.7. The paper gives neither the "
    "radii nor the noise: several of both are run, with several seeds each. Scores are taken at the best τ of each "
    "method.",
    partial(denoising.run, "circles", circles),
    denoising.claims,
    denoising.pictures,
    denoising.tables,
)
