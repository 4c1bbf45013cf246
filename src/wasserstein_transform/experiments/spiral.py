"""A spiral with outliers."""

from __future__ import annotations

from functools import partial

from ..datasets import spiral
from . import denoising
from .experiment import Experiment

EXPERIMENT = Experiment(
    "spiral",
    "Spiral: a curve among outliers",
    "600 points on a spiral in [−30, 30]² and 150 uniform outliers, ε = 4. The paper gives neither the formula of the "
    "spiral nor its noise: an Archimedean spiral with two or three turns is sampled uniformly by length or by angle, "
    "with or without noise, with several seeds each. Scores are taken at the best τ of each method.",
    partial(denoising.run, "spiral", spiral),
    denoising.claims,
    denoising.pictures,
    denoising.tables,
)
