"""`python -m wt_paper` runs the paper's experiments."""

from .command import reproduce

reproduce(prog_name="python -m wt_paper")
