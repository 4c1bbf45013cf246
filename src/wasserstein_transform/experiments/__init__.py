"""Reproduction of the paper: experiments with their data, figures and claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from .claims import Choice, Claim, Verdict
from .experiment import Experiment, Picture, Table

_MODULES = (
    "t_junction", "chaining", "eccentricity", "spiral", "circles", "anisotropy", "cameraman", "words", "acceleration",
    "complexity", "theory", "kernels", "convergence", "choosing",
)  # fmt: skip


class _Table(Mapping[str, Experiment]):
    """Experiments by name; each is imported on first access."""

    def __init__(self, modules: tuple[str, ...]) -> None:
        self._homes = {module.replace("_", "-"): f"{__name__}.{module}" for module in modules}

    def __getitem__(self, name: str) -> Experiment:
        experiment: Experiment = import_module(self._homes[name]).EXPERIMENT
        return experiment

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)


EXPERIMENTS: Mapping[str, Experiment] = _Table(_MODULES)
"""All experiments by name, in the order of the report; each is imported on first access."""

__all__ = ["EXPERIMENTS", "Choice", "Claim", "Experiment", "Picture", "Table", "Verdict"]
