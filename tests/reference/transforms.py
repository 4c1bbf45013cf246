"""The paper's algorithms, slow and obvious: full matrices, loops, one line per formula."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.optimize import linprog


def euclidean(X: np.ndarray) -> np.ndarray:
    return np.linalg.norm(X[:, None] - X[None], axis=-1)


def inside(D: np.ndarray, eps: float) -> np.ndarray:
    return eps * (1 + 1e-12) >= D


def mean_shift(X: np.ndarray, alpha: np.ndarray, eps: float, n_iter: int, profile=lambda t: 1.0 * (t <= 1)):
    for _ in range(n_iter):
        K = profile((euclidean(X) / (eps * (1 + 1e-12))) ** 2) * alpha
        X = (K @ X) / K.sum(axis=1, keepdims=True)
    return X


def bures_squared(A: np.ndarray, B: np.ndarray) -> float:
    a, b = (scipy.linalg.eigh(M) for M in (A, B))
    root_a, root_b = (v * np.sqrt(np.maximum(w, 0)) @ v.T for w, v in (a, b))
    fidelity = np.linalg.svd(root_a @ root_b, compute_uv=False).sum()
    return max(np.trace(A) + np.trace(B) - 2 * fidelity, 0.0)


def gaussian_transform(X: np.ndarray, alpha: np.ndarray, eps: float, lam: float, n_iter: int):
    """Alg. 3 as it must be read: same balls for the means and for the covariances of the moved points."""

    def covariances(balls: np.ndarray, Y: np.ndarray) -> list[np.ndarray]:
        return [np.cov(Y[ball].T, aweights=alpha[ball], ddof=0).reshape(X.shape[1], -1) for ball in balls]

    def distances(Y: np.ndarray, covs: list[np.ndarray]) -> np.ndarray:
        n = len(Y)
        D = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                if i != j:
                    D[i, j] = np.sqrt(np.sum((Y[i] - Y[j]) ** 2) + lam * bures_squared(covs[i], covs[j]))
        return D

    D = distances(X, covariances(inside(euclidean(X), eps), X))
    for _ in range(n_iter):
        balls = inside(D, eps)
        X = np.array([np.average(X[ball], axis=0, weights=alpha[ball]) for ball in balls])
        D = distances(X, covariances(balls, X))
    return X, D


def wasserstein(a: np.ndarray, b: np.ndarray, D: np.ndarray, p: float) -> float:
    """W_p of two weight vectors on the same points, as a linear program."""
    n = len(a)
    rows = np.kron(np.eye(n), np.ones(n))
    cols = np.kron(np.ones(n), np.eye(n))
    result = linprog((D**p).ravel(), A_eq=np.vstack([rows, cols]), b_eq=np.concatenate([a, b]))
    return max(result.fun, 0.0) ** (1 / p)


def kernel_transform(
    D: np.ndarray, alpha: np.ndarray, eps: float, p: float, n_iter: int, profile=lambda t: 1.0 * (t <= 1)
) -> np.ndarray:
    """W_p between kernels around the points; with the flat profile LT-WT."""
    for _ in range(n_iter):
        M = profile((D / (eps * (1 + 1e-12))) ** 2) * alpha
        M = M / M.sum(axis=1, keepdims=True)
        n = len(D)
        new = np.zeros((n, n))
        for i in range(n):
            for j in range(i):
                new[i, j] = new[j, i] = wasserstein(M[i], M[j], D, p)
        D = new
    return D
