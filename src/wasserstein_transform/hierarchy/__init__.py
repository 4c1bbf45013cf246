"""Hierarchical clustering of a metric: spanning trees, linkage, and cuts."""

from .cut import FewerClustersWarning, cut_tree, cut_tree_each as cut_tree_each
from .labels import adjusted_rand as adjusted_rand
from .tree import Tree, linkage, spanning_tree

__all__ = ("FewerClustersWarning", "Tree", "cut_tree", "linkage", "spanning_tree")
