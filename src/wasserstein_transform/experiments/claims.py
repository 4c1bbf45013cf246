"""A claim of the paper, and what came out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What became of a claim, over all cases."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT = "not reproduced"


@dataclass(frozen=True)
class Choice:
    """One case of a claim, and what came out: a reading of what the paper leaves open, a score, a method.

    Attributes
    ----------
    name : str
        What was chosen.
    holds : bool
        Whether the claim came out.
    measured : str
        The figures.
    """

    name: str
    holds: bool
    measured: str


@dataclass(frozen=True)
class Claim:
    """A statement, the quantity that decides it, and its verdict.

    Attributes
    ----------
    name : str
        Unique among all claims, the experiment first: "t-junction: two segments".
    where : str
        Its place in the paper.
    statement : str
        In our words.
    quantity : str
        What is measured, and when the statement counts as true.
    choices : tuple of Choice
        All cases tried, the nearest to the text first.
    note : str
        What a reader should know besides: a slip in the paper, the closest setting that was tried.
    timed : bool
        Whether seconds decide it. Such a verdict depends on the machine and is never held against the library.
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
        """Reproduced if the claim holds in all cases, not if in none."""
        held = [choice.holds for choice in self.choices]
        if all(held):
            return Verdict.REPRODUCED
        return Verdict.PARTLY if any(held) else Verdict.NOT

    @property
    def measured(self) -> str:
        """The figures of the case nearest to the text."""
        return self.choices[0].measured

    @property
    def share(self) -> str:
        """In how many cases it holds."""
        return f"{sum(choice.holds for choice in self.choices)} of {len(self.choices)}"
