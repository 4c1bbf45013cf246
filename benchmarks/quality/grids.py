"""The settings that methods are tried with, the first one its defaults; small on purpose.

They were written down before their scores were looked at; those of spectral and GMM were made fewer for their time. One
fixed setting serves all sets: the best on one half is reported on the other (`lines`), and the table says how many were
tried.
"""

from __future__ import annotations

from itertools import product
from typing import Any

Setting = dict[str, Any]


def _grid(*choices: dict[str, list[Any]], default: Setting) -> tuple[Setting, ...]:
    """The defaults of a method, {}, then all combinations of each of the choices; the defaults only once."""
    every = (dict(zip(one, values, strict=True)) for one in choices for values in product(*one.values()))
    return ({}, *(setting for setting in every if setting != default))


_GT = _grid({"lam": [1.0, 5.0], "tau": [1, 2]}, default={"lam": 1.0, "tau": 1})

WITH_K: dict[str, tuple[Setting, ...]] = {
    "spectral": _grid(
        {"affinity": ["nearest_neighbors"], "n_neighbors": [5, 10, 20]},
        {"gamma": [10.0, 100.0]},
        default={},
    ),
    "GMM": _grid(
        {"covariance_type": ["full", "tied", "diag", "spherical"]},
        {"n_init": [10]},
        default={"covariance_type": "full"},
    ),
    "HDBSCAN": _grid({"min_samples": [5, 10, 20], "cluster_selection_method": ["eom", "leaf"]}, default={}),
    "PLSCAN": _grid(
        {"min_samples": [5, 10, 20], "persistence_measure": ["size", "size-distance"]},
        default={"min_samples": 5, "persistence_measure": "size"},
    ),
    "SHiP": _grid({"hierarchy": [0, 1, 2], "min_points": [5, 10]}, default={"hierarchy": 1, "min_points": 5}),
    "Genie": _grid(
        {"gini_threshold": [0.1, 0.3, 0.5, 0.7], "M": [0, 5]},
        default={"gini_threshold": 0.3, "M": 0},
    ),
    "Lumbermark": _grid(
        {"min_cluster_factor": [0.15, 0.25, 0.35], "M": [0, 5, 10]},
        default={"min_cluster_factor": 0.25, "M": 5},
    ),
    "raw tree": _grid(
        {"share": [0.15, 0.25, 0.35], "reachability": [0, 5, 10]},
        default={"share": 0.25, "reachability": 0},
    ),
    "GT": _GT,
}

WITHOUT_K: dict[str, tuple[Setting, ...]] = {
    "GMM": _grid({"covariance_type": ["full", "spherical"]}, default={"covariance_type": "full"}),
    "HDBSCAN": _grid(
        {"min_cluster_size": [5, 10, 20, 40], "cluster_selection_method": ["eom", "leaf"]},
        default={"min_cluster_size": 5, "cluster_selection_method": "eom"},
    ),
    "PLSCAN": _grid(
        {"min_samples": [3, 5, 10, 20], "persistence_measure": ["size", "distance", "size-distance"]},
        default={"min_samples": 5, "persistence_measure": "size"},
    ),
    "SHiP": _grid(
        {"hierarchy": [0, 1, 2], "partitioning": ["Stability", "MedianOfElbows", "Elbow"]},
        default={"hierarchy": 1, "partitioning": "MedianOfElbows"},
    ),
}


def settings(method: str, with_k: bool) -> tuple[Setting, ...]:
    """The settings of a method."""
    return (WITH_K if with_k else WITHOUT_K).get(method, ({},))
