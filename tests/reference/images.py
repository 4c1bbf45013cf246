"""Segmentation by the book: every pixel asks every other."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .transforms import dcov_squared


def moved(
    image: np.ndarray, spatial: float, range_: float, lam: float, max_iter: int, inside: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Where pixels go: place and values of each, in the order of memory.

    A pixel that has the neighbors it had after 1, 2, 4, 8 … iterations goes around in a circle: it is stopped where it
    has most of them; of several such, where values are least, then entries of the covariance.
    """
    shape = image.shape[:-1]
    places = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1).reshape(-1, len(shape)).astype(float)
    values = image.reshape(len(places), -1).astype(float)
    inside = np.ones(len(places), bool) if inside is None else inside.ravel()
    near = np.linalg.norm(places[:, None] - places, axis=-1) <= spatial * (1 + 1e-12)
    near &= inside
    covs = np.zeros((len(places), len(shape), len(shape)))
    if lam > 0:
        for i in np.flatnonzero(inside):
            who = near[i] & (np.linalg.norm(values - values[i], axis=1) <= range_ * (1 + 1e-12))
            covs[i] = np.cov(places[who].T, bias=True)
    place, value = places.copy(), values.copy()
    for i in np.flatnonzero(inside):
        own, way, past = covs[i], [], []
        for done in range(1, max_iter + 1):
            who = near[i] & (np.linalg.norm(values - value[i], axis=1) <= range_ * (1 + 1e-12))
            if lam > 0:
                gaps = np.array([dcov_squared(covs[j], own) if who[j] else 0.0 for j in range(len(places))])
                who &= np.linalg.norm(places - places[i], axis=1) ** 2 + lam * gaps <= spatial**2 * (1 + 1e-9)
            if not who.any():
                break
            before = value[i].copy()
            place[i], value[i] = places[who].mean(axis=0), values[who].mean(axis=0)
            own = np.cov(places[who].T, bias=True) if lam > 0 else own
            if lam == 0 and (value[i] == before).all():
                break
            met = 2 ** int(np.log2(max(done - 1, 1)))
            way.append((-who.sum(), *value[i], *own[np.triu_indices(len(shape))], place[i].copy(), value[i].copy()))
            past.append(who)
            if done > 1 and (who == past[met - 1]).all():
                *_, place[i], value[i] = min(way[met:], key=lambda state: state[:-2])
                break
    return place, value


def linked(place: np.ndarray, value: np.ndarray, pairs: np.ndarray, spatial: float, range_: float) -> np.ndarray:
    """Components of the given pairs that are within both radii."""
    i, j = pairs.T
    near = (np.linalg.norm(place[i] - place[j], axis=1) <= spatial * (1 + 1e-12)) & (
        np.linalg.norm(value[i] - value[j], axis=1) <= range_ * (1 + 1e-12)
    )
    n = len(place)
    return connected_components(coo_array((np.ones(near.sum()), (i[near], j[near])), shape=(n, n)), directed=False)[1]
