"""
Communities of a graph
======================

Edges inside of a community are positively curved, bridges between communities negatively. Ricci flow shrinks the
first and stretches the second until the bridges are long enough to be cut.
"""

# %%
# Zachary's karate club: 34 people who split into two clubs. Numbers at its edges say how often two people met, so
# they are strengths.

import networkx as nx
import numpy as np

import wasserstein_transform as wt

club = nx.karate_club_graph()
bent = wt.graphs.curvature(club, weight="strength")
print(f"curvature of {len(bent.values)} edges, from {bent.values.min():.2f} to {bent.values.max():.2f}")

# %%

figure, (left, right) = wt.plotting.panels(1, 2, width=10, height=4.5)
wt.plotting.curvature(bent, ax=left, title="curvature of the edges")
flow = wt.graphs.ricci_flow(club, n_iter=20, weight="strength")
wt.plotting.communities(flow.communities(), ax=right, title="communities after 20 iterations")

# %%
# Communities are finer than the two clubs: groups of friends. None of them mixes the clubs much.

groups = flow.communities().labels
clubs = np.array([club.nodes[node]["club"] == "Officer" for node in club], dtype=int)
for group in range(groups.max() + 1):
    print(f"community {group}: {np.bincount(clubs[groups == group], minlength=2)} people of the two clubs")
