"""The paper's claims, as experiments judge them: what is on record must come out again."""

from __future__ import annotations

import pytest

from wasserstein_transform.engine import Engine
from wt_paper.experiments import EXPERIMENTS
from wt_paper.experiments.parameters import FULL, QUICK
from wt_paper.reporting import read_record


def check_claims(name: str, quick: bool) -> None:
    """Run, judge, draw, and compare with the record; what seconds decide is judged, and not compared."""
    experiment, record = EXPERIMENTS[name], read_record(quick)
    if experiment.lacks:
        pytest.skip(experiment.lacks)
    result = experiment.run((QUICK if quick else FULL)[name], Engine())
    claims = experiment.claims(result)
    assert {claim.name for claim in claims} == {claim for claim in record if claim.startswith(f"{name}:")}
    for claim in claims:
        assert all(type(choice.holds) is bool for choice in claim.choices)
        if not claim.timed:
            held = tuple(choice.name for choice in claim.choices if choice.holds)
            assert (claim.name, held) == (claim.name, record[claim.name].held)
    for table in experiment.tables(result):
        assert {len(row) for row in table.rows} == {len(table.header)}
    for picture in experiment.pictures(result):
        assert picture.caption.endswith(".")
        figure = picture.draw()
        figure.canvas.draw()
        assert figure.axes


# some seconds each; other tests look at the same data, claims and reports
LONG = {
    "complexity",
    "circles",
    "t-junction",
    "convergence",
    "acceleration",
    "eccentricity",
    "theory",
    "chaining",
    "spiral",
    "choosing",
    "kernels",
}


@pytest.mark.repeated(1)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in EXPERIMENTS]
)
def test_claims_come_out_as_on_record(name: str) -> None:
    check_claims(name, quick=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_claims_of_the_full_run_come_out_as_on_record(name: str) -> None:
    check_claims(name, quick=False)


def test_every_experiment_has_parameters() -> None:
    assert list(FULL) == list(EXPERIMENTS)
    assert set(QUICK) == set(FULL)
