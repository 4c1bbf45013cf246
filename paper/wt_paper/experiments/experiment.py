"""Experiments: a run, and functions from its result to claims with verdicts, tables and figures."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wasserstein_transform.engine import Engine


class Verdict(StrEnum):
    """The verdict on a claim over all its cases; a str.

    Attributes
    ----------
    REPRODUCED, PARTLY, NOT : Verdict
        "reproduced", "partly" and "not reproduced": the claim holds in all, some or none of its cases.

    Examples
    --------
    >>> from wt_paper import experiments
    >>> [str(verdict) for verdict in experiments.Verdict]
    ['reproduced', 'partly', 'not reproduced']
    """

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT = "not reproduced"


@dataclass(frozen=True)
class Choice:
    """One case of a claim and its result. A case is a setting that the paper leaves open, a score, or a method.

    Attributes
    ----------
    name : str
        Name of the case.
    holds : bool
        Whether the claim holds in this case.
    measured : str
        The measured values.

    Examples
    --------
    >>> from wt_paper import experiments
    >>> experiments.Choice("square layout", True, "gap 60 %").holds
    True
    """

    name: str
    holds: bool
    measured: str


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, the quantity that decides it, and its verdict.

    Attributes
    ----------
    name : str
        Unique among all claims, with the experiment in front: "t-junction: two segments".
    where : str
        Its place in the paper.
    statement : str
        The statement in our words.
    quantity : str
        What is measured, and when the statement counts as true.
    choices : tuple of Choice
        All cases, the one closest to the text of the paper first.
    note : str, default ""
        Remarks: an error in the paper, the closest setting that was tried.
    timed : bool, default False
        Whether running times decide. Such a verdict depends on the machine, and a change of it is not a failure.

    Examples
    --------
    >>> from wt_paper.experiments import Choice, Claim
    >>> cases = (Choice("GT-1", False, "gap 3 %"), Choice("GT-5", True, "gap 41 %"))
    >>> claim = Claim("demo: separated", "Section 1", "Two clusters.", "a relative gap above 10 %", cases)
    >>> str(claim.verdict), claim.share, claim.measured
    ('partly', '1 of 2', 'gap 3 %')
    """

    name: str
    where: str
    statement: str
    quantity: str
    choices: tuple[Choice, ...]
    note: str = ""
    timed: bool = False

    @property
    def verdict(self) -> Verdict:
        """Reproduced if the claim holds in all cases, not reproduced if in none, else partly."""
        held = [choice.holds for choice in self.choices]
        if all(held):
            return Verdict.REPRODUCED
        return Verdict.PARTLY if any(held) else Verdict.NOT

    @property
    def measured(self) -> str:
        """The measured values of the case closest to the text of the paper."""
        return self.choices[0].measured

    @property
    def share(self) -> str:
        """The number of cases in which it holds, as "1 of 2"."""
        return f"{sum(choice.holds for choice in self.choices)} of {len(self.choices)}"


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
    >>> from wt_paper import experiments
    >>> table = experiments.Table("Gaps", ("method", "gap"), (("MS", "3 %"), ("GT-5", "41 %")))
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
    >>> from wt_paper import experiments
    >>> picture = experiments.Picture("empty", "An empty panel.", lambda: wt.plotting.panels()[0])
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
    """An experiment of the reproduction, as `python -m wt_paper` runs it.

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
    >>> from wt_paper import experiments
    >>> experiment = experiments.EXPERIMENTS["t-junction"]
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
