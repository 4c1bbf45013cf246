"""The Experiment class: a run, and functions from its result to claims, tables and figures."""

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
    """A table of a report, with cells as text.

    Attributes
    ----------
    title : str
        Title of the table.
    header : tuple of str
        Names of the columns.
    rows : tuple of tuple of str
        Cells, as many in each row as there are columns.
    note : str, default ""
        Remark below the table.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> table = wt.experiments.Table("Gaps", ("method", "gap"), (("MS", "3 %"), ("GT-5", "41 %")))
    >>> dict(table.rows)["GT-5"]
    '41 %'
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure of a report, drawn only when `draw` is called.

    Attributes
    ----------
    name : str
        Name of its file, without suffix.
    caption : str
        Text below the figure.
    draw : callable
        Function without arguments that returns a matplotlib Figure.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> picture = wt.experiments.Picture("empty", "An empty panel.", lambda: wt.plotting.panels()[0])
    >>> len(picture.draw().axes)
    1
    """

    name: str
    caption: str
    draw: Callable[[], Figure]


def no_claims(_: Any) -> Sequence[Claim]:
    """No claims, for experiments beyond the paper."""
    return ()


def no_tables(_: Any) -> Sequence[Table]:
    """No tables."""
    return ()


@dataclass(frozen=True)
class Experiment:
    """An experiment of the reproduction, as `wt reproduce` runs it.

    Attributes
    ----------
    name : str
        Name on the command line, and key of its parameters in `parameters.py`.
    title, about : str
        A title, and a paragraph: what is done, what the paper leaves open, how it is scored.
    run : callable
        Function (parameters, engine) → result, which does all the computation.
    claims, pictures, tables : callable
        Functions from the result to sequences of Claim, Picture and Table. They are fast.
    needs : tuple of two str, optional
        A module that is needed besides matplotlib, and the extra that installs it.
    files : tuple of str, default ()
        Environment variables that must be set to files that the package does not contain.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> experiment = wt.experiments.EXPERIMENTS["t-junction"]
    >>> experiment.title
    'T-junction: two segments that meet'
    >>> experiment.lacks  # nothing is missing
    ''
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
        """What is missing for running it, and how to get it; "" if nothing is missing."""
        unset = [name for name in self.files if not os.environ.get(name)]
        if unset:
            return f"{self.name} needs files that are not shipped; set {', '.join(unset)}"
        if self.needs is None or find_spec(self.needs[0]) is not None:
            return ""
        module, extra = self.needs
        return f'{self.name} needs {module}, which is not installed; run: pip install "wasserstein-transform[{extra}]"'
