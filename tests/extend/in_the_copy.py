"""What must hold where docs/extend.md was followed: `test_extend.py` runs this in the copy that has its additions."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
import test_laws as laws

import wasserstein_transform as wt
from docs.building import names, reference, snippets

ROOT = Path(wt.__file__).parents[2]


@pytest.mark.parametrize("device", ["cpu", "direct"])
@pytest.mark.parametrize("parts", ["Vicinity Exact", "Truncation Cubic", "Vicinity Cubic"])
def test_laws_hold(parts: str, device: str, rng: np.random.Generator) -> None:
    localize, transport = parts.split()
    examples = wt.transport.TRANSPORTS[transport.lower()].examples()
    transform = wt.Transform(wt.localize.LOCALIZATIONS[localize.lower()](0.7), examples[0])
    points, weights = rng.normal(size=(laws.N, 2)), rng.uniform(0.2, 1.0, laws.N)
    with wt.using(device=device):
        laws.test_result_is_a_pseudometric(transform, points, weights)
        laws.test_result_does_not_depend_on_the_number_of_threads(transform, points)
        laws.test_order_of_the_points_does_not_matter(transform, points, weights, rng)
        laws.test_weight_k_is_k_copies(transform, points, rng)
        laws.test_coupling_has_the_distance_and_the_marginals(transform, points)
        laws.test_every_composition_takes_new_points_if_its_localization_does(transform, points, rng)


def test_exports_tables_and_messages_know_a_new_part() -> None:
    assert {"Vicinity", "Cubic"} <= set(wt.__all__) & set(dir(wt))
    assert wt.localize.LOCALIZATIONS["vicinity"] is wt.Vicinity
    assert wt.transport.TRANSPORTS["cubic"] is wt.Cubic
    with pytest.raises(TypeError, match="Vicinity"):
        wt.Bures().check(wt.Vicinity(1.0)(wt.Space.from_points([[0.0], [1.0]])))


def test_page_gallery_and_reference_know_a_new_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = snippets.check(ROOT / "docs" / "outliers.md")
    assert found.faults == ()
    assert found.n_run == 1
    shown = runpy.run_path(str(ROOT / "examples" / "gallery" / "plot_outliers.py"))
    assert shown["figure"].axes
    assert {room for rooms in reference.GROUPS.values() for room in rooms} == set(names.ROOMS) == {*wt._ROOMS}
    assert "wasserstein_transform.outliers.score" in [name.full for name in names.of_room("outliers")]
