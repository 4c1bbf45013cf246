"""Nuclear norms side by side, against NumPy's singular values and against themselves alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from repeated import mostly_slow
from scipy.stats import ortho_group

import wasserstein_transform as wt
from wasserstein_transform.kernels import lanes
from wasserstein_transform.kernels.qd_lanes import LANES

Floats = NDArray[np.float64]

SIZES = (4, 5, 7, 8, 12, 17)


def norms(matrices: Floats) -> Floats:
    """‖G‖_* of `LANES` matrices; what lies in the scratch before must not matter."""
    m = matrices.shape[1]
    wide = -(-m // 4) * 4
    G, out = np.zeros((wide, wide, LANES)), np.empty(LANES)
    G[:m, :m] = matrices.transpose(1, 2, 0)
    lanes.nuclear_norms(G.reshape(-1), m, np.full(lanes.scratch_size(m), np.nan), out, LANES)
    return out


def families(rng: np.random.Generator, m: int) -> Floats:
    """Matrices of many kinds: random, graded, of low rank, orthogonal, diagonal, zero, tiny."""
    found = [rng.normal(size=(m, m)) for _ in range(10)]
    found += [10.0 ** rng.uniform(-8, 0, (m, 1)) * G for G in found[:4]] + [
        G * 10.0 ** rng.uniform(-8, 0, m) for G in found[:4]
    ]
    found += [found[0][:, :rank] @ found[1][:rank] for rank in (1, 2, m - 1)]
    found += [ortho_group.rvs(m, random_state=rng), np.eye(m), np.eye(m, k=1), np.ones((m, m)), np.zeros((m, m))]
    found += [1e-200 * found[2], 1e150 * found[3], np.diag(rng.random(m)), np.triu(np.ones((m, m)))]
    return np.array([*found, *found])[:LANES]


@pytest.mark.parametrize("m", SIZES)
def test_norms_agree_with_numpy(m: int, rng: np.random.Generator) -> None:
    matrices = families(rng, m)
    found, values = norms(matrices), np.linalg.svd(matrices, compute_uv=False)
    known = found >= 0  # the others are left to the loop over single matrices
    assert known.mean() > 0.8
    assert (np.abs(found - values.sum(axis=1)) <= 1e-15 * (values.sum(axis=1) + m * values[:, 0]))[known].all()


@pytest.mark.parametrize("m", SIZES)
def test_a_lane_does_not_depend_on_the_others(m: int, rng: np.random.Generator) -> None:
    matrices = families(rng, m)
    together, order = norms(matrices), rng.permutation(LANES)
    assert (norms(matrices[order]) == together[order]).all()
    for k in (0, 9, 20):
        assert (norms(np.repeat(matrices[k : k + 1], LANES, axis=0)) == together[k]).all()


@pytest.mark.slow
@pytest.mark.parametrize("m", mostly_slow([4, 5, 9, 24, 25], quick=[5, 25]))
def test_runs_of_any_length_agree_with_single_pairs(m: int, rng: np.random.Generator) -> None:
    n = 70
    factors = rng.normal(size=(n, m, m + 1))
    factors[10:20, :, 2:] = 0.0
    covs = factors @ factors.transpose(0, 2, 1)
    covs[30], covs[31], covs[32] = covs[3], covs[4] * (1 + 1e-9), 0.0
    metric = wt.spaces.GaussianMetric(rng.normal(size=(n, m)) * (rng.random((n, 1)) > 0.5), covs, 0.7)
    whole, (i, j) = metric.dense(), np.triu_indices(n, 1)
    np.testing.assert_allclose(metric.pairs(i, j), whole[i, j], rtol=1e-9, atol=1e-7)
    assert whole[3, 30] == pytest.approx(np.linalg.norm(metric.means[3] - metric.means[30]))
    assert (metric.condensed() == whole[i, j]).all()
    everybody = np.arange(n)
    assert (metric.block(everybody, everybody) == whole).all()
    for start, end in ((0, 1), (3, 30), (35, 70)):
        assert (metric.block(everybody[::-1], everybody[start:end]) == whole[::-1, start:end]).all()
    reach = float(np.quantile(whole, 0.3))
    balls = metric.balls(reach)
    assert balls.indices.tolist() == [k for row in whole for k in np.flatnonzero(row <= reach)]
