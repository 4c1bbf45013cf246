"""The experiments on cost: what they measure is right; how long it takes is nobody's promise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import wasserstein_transform as wt
from wt_paper.experiments import Claim, Experiment, Verdict, acceleration, complexity
from wt_paper.experiments.complexity import ORDERS, Sweep, fit_power, radius_of, sphere
from wt_paper.experiments.methods import V1, V2, V3, V4, VARIANTS, accelerated, time_steps
from wt_paper.experiments.parameters import FULL, QUICK, Acceleration, Complexity, Size

pytestmark = pytest.mark.slow

SMALL = Acceleration(n=12, eps=0.3, n_iter=3, merges=(0.01, 0.0), n_small=10, repeats=1)
TINY = Complexity(
    sweeps={
        (method, variable): tuple(Size(**{"n": 24, "N": 8, "m": 3} | {variable: v}) for v in values)
        for method in ORDERS
        for variable, values in {"n": (16, 32), "N": (4, 8), "m": (3, 4)}.items()
    },
    common=(Size(20, 6, 3),),
    repeats=1,
)


@pytest.fixture(scope="module")
def accelerations() -> acceleration.Result:
    return acceleration.run(SMALL, wt.Engine(n_jobs=1))


@pytest.fixture(scope="module")
def costs() -> complexity.Result:
    return complexity.run(TINY, wt.Engine(n_jobs=1))


def verdicts(claims: tuple[Claim, ...]) -> dict[str, Verdict]:
    return {claim.name: claim.verdict for claim in claims}


def well_formed(experiment: Experiment, result: object) -> None:
    claims = experiment.claims(result)
    assert len({claim.name for claim in claims}) == len(claims)
    for claim in claims:
        assert claim.name.startswith(f"{experiment.name}: ")
        assert claim.choices
        assert all((claim.where, claim.statement, claim.quantity, claim.measured))
    for table in experiment.tables(result):
        assert {len(row) for row in table.rows} == {len(table.header)}
    for picture in experiment.pictures(result):
        figure = picture.draw()
        figure.canvas.draw()
        assert all(ax.lines for ax in figure.axes)


def test_variant_without_merging_is_the_gaussian_transform():
    assert accelerated(0.1, 2.0) == wt.transforms.gaussian_transform(0.1, 2.0)


def test_variants_give_the_points_of_the_full_matrix(accelerations):
    gaps = {(variant.name, merge): gap for variant, merge, gap in accelerations.differences}
    assert set(gaps) == {("v1", None), ("v2", None), *((v, m) for v in ("v3", "v4") for m in (0.01, 0.0))}
    for name in ("v1", "v2"):
        assert gaps[name, None] <= 1e-12
    for name in ("v3", "v4"):
        assert gaps[name, 0.0] <= 1e-12
    found = verdicts(acceleration.claims(accelerations))
    assert found["acceleration: same points"] is Verdict.REPRODUCED


def test_timed_steps_walk_the_same_way_as_iterate():
    space = wt.Space.from_points(wt.datasets.grid(20).points)
    process = accelerated(0.3, 1.0)
    seconds, sizes = time_steps(process, space, 5, 0.01, 1, wt.Engine(n_jobs=1))
    walk = wt.iterate(process, space, n_iter=5, merge=0.01, keep="all")
    assert len(seconds) == 5
    assert sizes == tuple(q.space.n for q in walk.quotients[:-1])
    assert sizes[-1] < sizes[0]


def test_variants_combine_two_ideas():
    assert [(v.once, v.merges) for v in (V1, V2, V3, V4)] == [
        (False, False),
        (True, False),
        (False, True),
        (True, True),
    ]
    assert all(len(v.paper) == 5 for v in VARIANTS)


def test_full_matrix_that_does_not_fit_is_left_out():
    result = acceleration.run(replace(SMALL, n=40), wt.Engine(n_jobs=1, memory=5e6))
    assert result.full is None
    well_formed(acceleration.EXPERIMENT, result)


def test_acceleration_reports(accelerations):
    assert accelerations.full is not None
    well_formed(acceleration.EXPERIMENT, accelerations)


@pytest.mark.parametrize("power", [0.0, 1.0, 2.5])
def test_fit_recovers_the_exponent_of_a_power(power):
    values = np.array([10.0, 20.0, 40.0, 80.0])
    b, a = fit_power(values, 3e-4 * values**power)
    assert b == pytest.approx(power, abs=1e-12)
    assert a == pytest.approx(3e-4)


def test_fit_of_noisy_times_is_near(rng):
    values = 2.0 ** np.arange(4, 12)
    b, _ = fit_power(values, values**2 * np.exp(0.05 * rng.normal(size=8)))
    assert b == pytest.approx(2.0, abs=0.05)


def test_last_exponent_sees_the_largest_sizes_only():
    sizes = tuple(Size(n, 10, 2) for n in (10, 20, 40))
    sweep = Sweep("MS", "n", sizes, (1.0, 1.0, 4.0))
    assert sweep.last == pytest.approx(2.0)
    assert sweep.exponent == pytest.approx(1.0)


def test_orders_are_the_papers():
    sizes = tuple(Size(100 * k, 10 * k, 2 * k) for k in (1, 2, 4))
    exponent = {(name, v): Sweep(name, v, sizes, (1.0, 1.0, 1.0)).order for name in ORDERS for v in "nNm"}
    assert [exponent["MS", v] for v in "nNm"] == pytest.approx([2, 1, 1])
    assert [exponent["GT", v] for v in "nNm"] == pytest.approx([2, 1, 3])
    assert [exponent["LT-WT1", v] for v in "nm"] == pytest.approx([2, 0])
    assert 3 < exponent["LT-WT1", "N"] < 3.5  # N³ log N


@pytest.mark.parametrize("size", [Size(200, 10, 2), Size(200, 40, 3), Size(300, 100, 16)])
def test_largest_ball_has_the_size_asked_for(size):
    points = sphere(size.n, size.m)
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.ones(size.n))
    balls = wt.spaces.Euclidean(points).balls(radius_of(points, size.N))
    sizes = np.diff(balls.indptr)
    assert sizes.max() == size.N
    assert sizes.mean() > 0.3 * size.N  # the usual ball is not far from it


def test_seconds_beyond_an_order_are_not_reproduced():
    sizes = tuple(Size(n, 10, 2) for n in (10, 20, 40))
    fast, slow = (Sweep("MS", "n", sizes, tuple(float(s.n) ** b for s in sizes)) for b in (1.0, 3.0))
    seconds = {"MS": 1.0, "GT": 2.0, "GT, all distances": 3.0, "LT-WT1": 2.5}
    result = complexity.Result(TINY, (fast, slow), {sizes[0]: seconds})
    orders, ranking = complexity.claims(result)
    assert [choice.holds for choice in orders.choices] == [True, False]
    assert orders.verdict is Verdict.PARTLY
    assert ranking.verdict is Verdict.NOT


def test_complexity_reports(costs):
    assert {(s.method, s.variable) for s in costs.sweeps} == {(name, v) for name in ORDERS for v in "nNm"}
    assert all(second > 0 for s in costs.sweeps for second in s.seconds)
    well_formed(complexity.EXPERIMENT, costs)


@pytest.mark.parametrize("table", [FULL, QUICK], ids=["full", "quick"])
def test_sizes_have_balls_larger_than_the_dimension(table):
    parameters = table["complexity"]
    sizes = [size for (_, variable), sizes in parameters.sweeps.items() if variable != "m" for size in sizes]
    assert all(size.m < size.N < size.n for size in [*sizes, *parameters.common])
