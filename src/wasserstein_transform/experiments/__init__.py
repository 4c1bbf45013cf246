"""The paper again: data, run, figures, claims."""

from .claims import Choice, Claim, Verdict
from .experiment import Experiment, Picture, Table

__all__ = ["Choice", "Claim", "Experiment", "Picture", "Table", "Verdict"]
