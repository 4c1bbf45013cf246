"""
Communities of a graph
======================

Edges inside a community have positive curvature, and bridges between communities have negative curvature. Ricci flow
shortens the first and stretches the second, until the bridges are long enough to cut.
"""

# %%
# Zachary's karate club comes with networkx: 34 people who split into two clubs. The numbers at its edges, how
# often two people met, are strengths.

import networkx as nx
import numpy as np

import wasserstein_transform as wt

club = nx.karate_club_graph()
bent = wt.graphs.curvature(club, weight="strength")
print(f"curvature of {len(bent.values)} edges, from {bent.values.min():.2f} to {bent.values.max():.2f}")

# %%

figure, (left, right) = wt.plotting.panels(1, 2, width=10, height=3.9)
wt.plotting.curvature(bent, ax=left, title="curvature of the edges")
flow = wt.graphs.ricci_flow(club, n_iter=20, weight="strength")
wt.plotting.communities(flow.communities(), ax=right, title="communities after 20 iterations")

# %%
# Nearly all members of a community chose the same club.

groups = flow.communities().labels
clubs = np.array([club.nodes[node]["club"] == "Officer" for node in club], dtype=int)
counts = np.array([np.bincount(clubs[groups == k], minlength=2) for k in range(groups.max() + 1)])
for k, (first, second) in enumerate(counts):
    print(f"community {k}: {first} people of one club, {second} of the other")
print(f"{counts.max(axis=1).sum()} of {len(clubs)} people are with the majority of their community")

# %%
# :doc:`More on curvature, flow and communities </graphs>`.
