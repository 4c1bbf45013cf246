"""Claims of the paper, and their verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """The verdict on a claim over all its cases; a str.

    Attributes
    ----------
    REPRODUCED, PARTLY, NOT : Verdict
        "reproduced", "partly" and "not reproduced": the claim holds in all, some or none of its cases.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> [str(verdict) for verdict in wt.experiments.Verdict]
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
    >>> import wasserstein_transform as wt
    >>> wt.experiments.Choice("square layout", True, "gap 60 %").holds
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
    >>> from wasserstein_transform.experiments import Choice, Claim
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
