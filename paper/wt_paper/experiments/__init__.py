"""Reproduction of the paper: experiments with their data, figures and claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from .experiment import Choice, Claim, Experiment, Picture, Table, Verdict

_HOMES = {  # by name, in the order of the report: the module, and what it is called there
    "t-junction": ("t_junction", "EXPERIMENT"),
    "chaining": ("chaining", "EXPERIMENT"),
    "eccentricity": ("eccentricity", "EXPERIMENT"),
    "spiral": ("denoising", "SPIRAL"),
    "circles": ("denoising", "CIRCLES"),
    "anisotropy": ("anisotropy", "EXPERIMENT"),
    "cameraman": ("cameraman", "EXPERIMENT"),
    "words": ("words", "EXPERIMENT"),
    "acceleration": ("acceleration", "EXPERIMENT"),
    "complexity": ("complexity", "EXPERIMENT"),
    "theory": ("theorems", "EXPERIMENT"),
    "kernels": ("kernels", "EXPERIMENT"),
    "convergence": ("convergence", "EXPERIMENT"),
    "choosing": ("choosing", "EXPERIMENT"),
}


class _Experiments(Mapping[str, Experiment]):
    """Experiments by name; each is imported on first access."""

    def __getitem__(self, name: str) -> Experiment:
        module, attribute = _HOMES[name]
        experiment: Experiment = getattr(import_module(f".{module}", __name__), attribute)
        return experiment

    def __iter__(self) -> Iterator[str]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)


EXPERIMENTS: Mapping[str, Experiment] = _Experiments()
"""All experiments by name, in the order of the report; each is imported on first access."""

__all__ = ["EXPERIMENTS", "Choice", "Claim", "Experiment", "Picture", "Table", "Verdict"]
