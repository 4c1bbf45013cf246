"""Minimum spanning trees (Prim, Borůvka, Kruskal), also of mutual reachability; their cuts; partitions of points."""
