"""The paper again: data, run, figures, claims."""

from collections.abc import Mapping
from types import MappingProxyType

from . import (
    acceleration,
    anisotropy,
    cameraman,
    chaining,
    choosing,
    circles,
    complexity,
    convergence,
    eccentricity,
    kernels,
    spiral,
    t_junction,
    theory,
    words,
)
from .claims import Choice, Claim, Verdict
from .experiment import Experiment, Picture, Table

_MODULES = (
    t_junction, chaining, eccentricity, spiral, circles, anisotropy, cameraman, words, acceleration, complexity,
    theory, kernels, convergence, choosing,
)  # fmt: skip
EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(
    {module.EXPERIMENT.name: module.EXPERIMENT for module in _MODULES}
)
"""All experiments, in the order of the report."""

__all__ = ["EXPERIMENTS", "Choice", "Claim", "Experiment", "Picture", "Table", "Verdict"]
