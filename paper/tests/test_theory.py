"""The experiment `theory`: what comes out of a quick run."""

from __future__ import annotations

import numpy as np
import pytest

from wasserstein_transform.engine import Engine
from wt_paper.experiments import Verdict
from wt_paper.experiments.parameters import QUICK
from wt_paper.experiments.theorems import EXPERIMENT, TheoryResult
from wt_paper.experiments.theorems.identities import bounds_claims, run_bounds
from wt_paper.experiments.theorems.inequalities import run_stability, stability_claims
from wt_paper.experiments.theorems.trials import Sides


@pytest.fixture(scope="module")
def found() -> TheoryResult:
    return EXPERIMENT.run(QUICK["theory"], Engine())


@pytest.mark.slow
def test_every_statement_comes_out_but_the_constant_that_is_a_slip(found: TheoryResult) -> None:
    claims = EXPERIMENT.claims(found)
    missed = {claim.name: claim.verdict for claim in claims if claim.verdict != Verdict.REPRODUCED}
    assert missed == {"theory: limit of GT balls on a line, as printed": Verdict.NOT}


@pytest.mark.slow
def test_claims_have_names_of_their_own_and_figures(found: TheoryResult) -> None:
    claims = EXPERIMENT.claims(found)
    assert len({claim.name for claim in claims}) == len(claims)
    for claim in claims:
        assert claim.name.startswith("theory: ")
        assert claim.where
        assert "true if" in claim.quantity
        assert all(any(sign.isdigit() for sign in choice.measured) for choice in claim.choices)


@pytest.mark.slow
def test_pictures_can_be_drawn(found: TheoryResult) -> None:
    pytest.importorskip("matplotlib")
    pictures = EXPERIMENT.pictures(found)
    assert pictures
    for picture in pictures:
        picture.draw().canvas.draw()


@pytest.mark.slow
def test_tables_are_rectangular(found: TheoryResult) -> None:
    tables = EXPERIMENT.tables(found)
    assert tables
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.header)}


@pytest.mark.slow
def test_the_same_seed_gives_the_same_claims_on_one_thread(found: TheoryResult) -> None:
    alone = [run(QUICK["theory"], Engine(1)) for run in (run_bounds, run_stability)]
    assert bounds_claims(alone[0]) == bounds_claims(found.bounds)
    assert stability_claims(alone[1]) == stability_claims(found.stability)


def test_unmoved_centres_break_the_upper_bound(found: TheoryResult) -> None:
    assert found.bounds.pair == (1.0, 0.0)
    assert found.bounds.unmoved.excess > 0.1


def test_sides_of_known_answer() -> None:
    sides = Sides(np.array([1.0, 2.0, 0.0]), np.array([2.0, 3.0, 0.0]))
    assert sides.worst == pytest.approx(2 / 3)
    assert sides.excess == 0.0
    assert sides.choice("any", 0.0).holds
    assert not Sides(np.array([1.1]), np.array([1.0])).choice("any", 1e-12).holds
