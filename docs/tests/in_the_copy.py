"""What must hold where docs/extend.md was followed: `test_extend.py` runs this in the copy that has its additions."""

from __future__ import annotations

import numpy as np
import pytest
import test_laws as laws
from compositions import transports

import wasserstein_transform as wt


@pytest.mark.parametrize("parts", ["Vicinity Exact", "Truncation Cubic", "Vicinity Cubic"])
def test_laws_hold(parts: str, rng: np.random.Generator) -> None:
    localize, transport = parts.split()
    transform = wt.Transform(
        wt.localize.LOCALIZATIONS[localize.lower()](0.7), *transports(wt.transport.TRANSPORTS[transport.lower()])[:1]
    )
    points, weights = rng.normal(size=(laws.N, 2)), rng.uniform(0.2, 1.0, laws.N)
    laws.test_result_is_a_pseudometric(transform, points, weights)
    laws.test_result_does_not_depend_on_the_number_of_threads(transform, points)
    laws.test_order_of_the_points_does_not_matter(transform, points, weights, rng)
    laws.test_weight_k_is_k_copies(transform, points, rng)
    laws.test_coupling_has_the_distance_and_the_marginals(transform, points)
    laws.test_every_composition_takes_new_points_if_its_localization_does(transform, points, rng)


def test_tables_and_messages_know_a_new_part() -> None:
    assert wt.localize.LOCALIZATIONS["vicinity"] is wt.localize.Vicinity
    assert wt.transport.TRANSPORTS["cubic"] is wt.transport.Cubic
    with pytest.raises(TypeError, match="Vicinity"):
        wt.Bures().check(wt.localize.Vicinity(1.0)(wt.Space.from_points([[0.0], [1.0]])))
