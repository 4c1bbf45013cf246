"""Trees of a metric: spanning trees, linkage, cuts."""

from .cut import FewerClustersWarning, cut_tree
from .methods import linkage
from .tree import Tree, spanning_tree

__all__ = ["FewerClustersWarning", "Tree", "cut_tree", "linkage", "spanning_tree"]
