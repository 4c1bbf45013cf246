"""Bounds of distances between covariances, against the distances."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import wasserstein_transform as wt
from wasserstein_transform import words
from wasserstein_transform.words.pinching import Frame, along_one, along_two, between

M = 7


def made(rank: int, rng: np.random.Generator, size: float = 1.0) -> np.ndarray:
    factor = rng.normal(size=(M, rank)) * np.sqrt(size)
    return factor @ factor.T


def gap(A: np.ndarray, B: np.ndarray) -> float:
    return float(wt.gaussian_wasserstein(None, A[None], None, B[None])[0, 0]) ** 2


def directions(A: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Along what A is largest, along nothing of it, random, tiny, and none."""
    _, vectors = np.linalg.eigh(A)
    some = rng.normal(size=(n, M))
    some[0], some[1], some[2], some[3] = vectors[:, -1], vectors[:, 0], 1e-9 * some[2], 0.0
    return some


@pytest.mark.parametrize("rank_a", [0, 1, 4, 7])
@pytest.mark.parametrize("rank_b", [0, 1, 4, 7])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_bounds_are_never_above_the_distance(rank_a: int, rank_b: int, size: float, rng: np.random.Generator) -> None:
    A, B = made(rank_a, rng), made(rank_b, rng, size)
    exact, U = gap(A, B), directions(B, 12, rng)
    traces, forms = np.full(12, np.trace(B)), np.einsum("ij,jk,ik->i", U, B, U)
    most = exact + 1e-9 * (np.trace(A) + np.trace(B))
    for share in (0.0, 0.5, 1.0):  # uᵀBu itself, or what it is at least
        alpha = np.einsum("ij,jk,ik->i", U, A, U)
        assert (along_one(np.trace(A), traces, alpha, share * forms, (U * U).sum(axis=1)) <= most).all()
    for a in (rng.normal(size=M), U[4], U[0], np.zeros(M)):  # of its own, and that of a word
        X = np.stack([forms, U @ B @ a, np.full(12, a @ B @ a)], axis=1)
        assert (along_two(Frame.plain(A, a), U, U, X, traces, traces) <= most).all()
        if rank_a + rank_b > 0:
            middle, inverse = between(A, made(5, rng))
            moved = U @ inverse
            X = np.stack([np.einsum("ij,jk,ik->i", moved, B, moved), moved @ B @ a, X[:, 2]], axis=1)
            inner = np.full(12, np.sum(B * inverse))
            assert (along_two(Frame.of(A, a, middle), U, moved, X, inner, traces) <= most).all()


def test_two_directions_decide_where_they_are_all_there_is(rng: np.random.Generator) -> None:
    a, u = rng.normal(size=M), rng.normal(size=(1, M))
    A, B = np.outer(a, a), np.outer(u[0], u[0])
    forms = np.array([[(u[0] @ u[0]) ** 2, (u[0] @ u[0]) * (u[0] @ a), (u[0] @ a) ** 2]])
    traces = np.array([np.trace(B)])
    found = along_two(Frame.plain(A, a), u, u, forms, traces, traces)[0]
    assert found == pytest.approx(gap(A, B), rel=0.02)  # less what rounding might take


@pytest.mark.parametrize("about", [words.variants.AboutWord(), words.variants.AboutMean()])
@pytest.mark.parametrize(
    "shrinkage", [None, words.variants.Shrinkage(5.0), words.variants.Shrinkage(5.0, pooled=False)]
)
def test_outlines_and_forms_are_those_of_the_covariances(about, shrinkage, rng: np.random.Generator) -> None:
    n = 60
    vectors = wt.words.WordVectors.of([f"w{k}" for k in range(n)], rng.normal(size=(n, M)))
    matrix = csr_array(rng.integers(0, 3, (n, n)) * (rng.random((n, 1)) < 0.9))
    gt = wt.words.WordTransform(vectors, about=about, shrinkage=shrinkage).fit(matrix)
    rows, fixed = np.array([3, 0, 41, 17]), rng.normal(size=M)
    outlines, engine = gt._search.outlines, wt.Engine()
    outlines.look_up(rows, engine)
    covs = np.stack([gt.covariance(f"w{row}") for row in rows])
    assert outlines.known.sum() == 4
    np.testing.assert_allclose(outlines.traces[rows], np.trace(covs, axis1=1, axis2=2), rtol=1e-5)
    u = outlines.directions[rows].astype(float)
    assert (outlines.along[rows] <= np.einsum("ij,ijk,ik->i", u, covs, u) * (1 + 1e-6)).all()
    expected = np.stack(
        [np.einsum("ij,ijk,ik->i", u, covs, u), np.einsum("ij,ijk,k->i", u, covs, fixed),
         np.einsum("j,ijk,k->i", fixed, covs, fixed)], axis=1
    )  # fmt: skip
    for prepared in (False, True):
        if prepared:
            gt.prepare()
        forms = gt._forms(rows, outlines.centers(rows), u, fixed, engine)
        np.testing.assert_allclose(forms, expected, rtol=1e-4, atol=1e-5)
    N = np.eye(M) + 0.1 * np.outer(fixed, fixed)
    products = gt._covariances.products(N, rows, outlines.centers(rows), outlines.means(rows))
    np.testing.assert_allclose(products, np.einsum("ijk,jk->i", covs, N), rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_words_are_looked_up_as_they_are_needed(rng: np.random.Generator) -> None:
    n = 4000
    points = np.repeat(np.eye(8), n // 8, axis=0) + 0.02 * rng.normal(size=(n, 8))
    vectors = wt.words.WordVectors.of([f"w{k}" for k in range(n)], points)
    near = np.repeat(np.arange(n) // (n // 8) * (n // 8), 9) + rng.integers(0, n // 8, 9 * n)
    matrix = csr_array((np.ones(9 * n), (np.repeat(np.arange(n), 9), near)), shape=(n, n))
    gt = wt.words.WordTransform(vectors).fit(matrix)
    found = gt.most_similar("w7")
    assert gt._search.outlines.known.sum() < n / 2
    ends = np.stack([np.full(n, 7), np.arange(n)], axis=1)
    squares, gaps = gt.gaps(ends[np.arange(n) != 7])
    np.testing.assert_allclose(found.distances, np.sort(np.sqrt(squares + gaps))[:10], atol=1e-6)
