"""The theorems of the paper as functions: stability, quotients, expansions and curvature.

Functions for inequalities return an `Inequality`: both sides, the constants, and the slack between the sides.
"""

from .continuity import SamplingConvergence, continuity, sampling_convergence
from .curvature import contraction, predicted, sampled_contractions
from .densities import Density, Jet, Mixture, UnitBall, disc, interval
from .expansions import Ellipsoid, Taylor, ball_radii, covariance_term, limit_ellipsoid, taylor_1d
from .forms import HYPERBOLIC, SPHERE, TORUS, Form, Sample, sample
from .functions import Exponents, Phi, Psi, Upsilon, phi, psi
from .gromov import GromovWasserstein, distortion, gromov_wasserstein_bounds, gromov_wasserstein_plan
from .growth import BishopGromov, Witness, bishop_gromov
from .inequality import Inequality, order
from .prokhorov import prokhorov
from .smooth import BELL, KERNELS, RATIONAL, SmoothKernel
from .stability import (
    stability_gaussian,
    stability_gaussian_smooth,
    stability_kernel,
    stability_mean_shift,
    stability_truncation,
)
from .ultrametric import closed_quotient, is_ultrametric, subdominant_ultrametric

__all__ = [
    "BELL",
    "HYPERBOLIC",
    "KERNELS",
    "RATIONAL",
    "SPHERE",
    "TORUS",
    "BishopGromov",
    "Density",
    "Ellipsoid",
    "Exponents",
    "Form",
    "GromovWasserstein",
    "Inequality",
    "Jet",
    "Mixture",
    "Phi",
    "Psi",
    "Sample",
    "SamplingConvergence",
    "SmoothKernel",
    "Taylor",
    "UnitBall",
    "Upsilon",
    "Witness",
    "ball_radii",
    "bishop_gromov",
    "closed_quotient",
    "continuity",
    "contraction",
    "covariance_term",
    "disc",
    "distortion",
    "gromov_wasserstein_bounds",
    "gromov_wasserstein_plan",
    "interval",
    "is_ultrametric",
    "limit_ellipsoid",
    "order",
    "phi",
    "predicted",
    "prokhorov",
    "psi",
    "sample",
    "sampled_contractions",
    "sampling_convergence",
    "stability_gaussian",
    "stability_gaussian_smooth",
    "stability_kernel",
    "stability_mean_shift",
    "stability_truncation",
    "subdominant_ultrametric",
    "taylor_1d",
]
