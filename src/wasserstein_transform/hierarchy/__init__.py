"""Hierarchical clustering of a metric: spanning trees, linkage, and cuts."""

from .cut import FewerClustersWarning, cut_tree, cut_tree_each
from .lazy import LazyTree, lazy_spanning_tree
from .methods import linkage
from .tree import Tree, spanning_tree

__all__ = [
    "FewerClustersWarning",
    "LazyTree",
    "Tree",
    "cut_tree",
    "cut_tree_each",
    "lazy_spanning_tree",
    "linkage",
    "spanning_tree",
]
