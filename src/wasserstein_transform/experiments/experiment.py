"""What an experiment is: parameters, a run, and from its result claims, tables and pictures."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .claims import Claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..engine import Engine


@dataclass(frozen=True)
class Table:
    """Figures in rows, ready to be read."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure that is drawn when somebody wants it.

    Attributes
    ----------
    name : str
        Of its file.
    caption : str
    draw : callable
        Makes the figure.
    """

    name: str
    caption: str
    draw: Callable[[], Figure]


def no_claims(_: Any) -> Sequence[Claim]:
    """For experiments beyond the paper."""
    return ()


def no_tables(_: Any) -> Sequence[Table]:
    """For experiments whose pictures and claims say all."""
    return ()


@dataclass(frozen=True)
class Experiment:
    """One experiment.

    Attributes
    ----------
    name : str
        As typed on the command line; its parameters have it in `parameters.py`.
    title, about : str
        A line, and a paragraph: what is done, what is open in the paper, how it is scored.
    run : callable
        (parameters, engine) → result. All computing happens here.
    claims, pictures, tables : callable
        result → what is reported. Quick.
    needs : tuple of two str, optional
        A module beyond those that drawing needs, and the extra that brings it.
    files : tuple of str
        Environment variables that must name files which are not shipped.
    """

    name: str
    title: str
    about: str
    run: Callable[[Any, Engine], Any]
    claims: Callable[[Any], Sequence[Claim]]
    pictures: Callable[[Any], Sequence[Picture]]
    tables: Callable[[Any], Sequence[Table]] = no_tables
    needs: tuple[str, str] | None = None
    files: tuple[str, ...] = ()

    @property
    def lacks(self) -> str:
        """What is missing to run it, and how to get it; nothing if all is there."""
        unset = [name for name in self.files if not os.environ.get(name)]
        if unset:
            return f"{self.name} needs files that are not shipped; set {', '.join(unset)}"
        if self.needs is None or find_spec(self.needs[0]) is not None:
            return ""
        module, extra = self.needs
        return (
            f"{self.name} needs {module}, which is not installed; "
            f'pip install "wasserstein-transform[{extra}]" brings it'
        )
