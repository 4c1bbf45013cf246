"""The paper's claims, as experiments judge them: what is on record must come out again."""

from __future__ import annotations

import pytest

from wasserstein_transform.engine import Engine
from wasserstein_transform.experiments import EXPERIMENTS
from wasserstein_transform.experiments.parameters import FULL, QUICK
from wasserstein_transform.experiments.reporting import read_record


def check_claims(name: str, quick: bool) -> None:
    """Run, judge, and compare with the record; verdicts that seconds decide are judged, and not compared."""
    experiment, record = EXPERIMENTS[name], read_record(quick)
    result = experiment.run((QUICK if quick else FULL)[name], Engine())
    claims = experiment.claims(result)
    found = {claim.name: str(claim.verdict) for claim in claims if not claim.timed}
    assert found == {claim: str(record[claim].verdict) for claim in found}
    assert all(claim.name in record for claim in claims)
    assert all(type(choice.holds) is bool for claim in claims for choice in claim.choices)
    for table in experiment.tables(result):
        assert {len(row) for row in table.rows} == {len(table.header)}
    assert all(picture.caption.endswith(".") for picture in experiment.pictures(result))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_claims_come_out_as_on_record(name: str) -> None:
    check_claims(name, quick=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_claims_of_the_full_run_come_out_as_on_record(name: str) -> None:
    check_claims(name, quick=False)


@pytest.mark.parametrize("name", ["t-junction", "chaining", "anisotropy"])
def test_pictures_are_drawn(name: str) -> None:
    experiment = EXPERIMENTS[name]
    result = experiment.run(QUICK[name], Engine())
    for picture in experiment.pictures(result):
        figure = picture.draw()
        assert figure.axes
        figure.canvas.draw()


def test_every_experiment_has_parameters_and_the_record_knows_all_claims() -> None:
    assert set(FULL) == set(QUICK) == set(EXPERIMENTS)
    named = {name.partition(":")[0] for name in (*read_record(), *read_record(quick=True))}
    assert named <= set(EXPERIMENTS)
