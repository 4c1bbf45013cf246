"""Whether categories help: tables of numbers and categories, clustered without the categories and with them.

`python -m benchmarks.quality.mixed [CSV LABELS]…` prints the mean adjusted Rand index by the separation of the groups
and by how many of two categories follow the groups; the others are independent of them. A table in a file comes with a
text file of labels, a number for each row.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt

N, GROUPS, SEEDS = 400, 3, 4
SEPARATIONS = (3.0, 4.5, 6.0)  # of the centers, in standard deviations of a group
FOLLOWS = 0.9  # probability that a category that follows the groups is that of the group


def generate(separation: float, informative: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Three numbers in different units, and two categories, of which some follow the groups."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(GROUPS, N, p=(0.5, 0.3, 0.2))
    centers = separation * np.linalg.qr(rng.normal(size=(3, 3)))[0][:GROUPS] / np.sqrt(2)
    numbers = (centers[labels] + rng.normal(size=(N, 3))) * (1.0, 30.0, 1000.0)
    table = pd.DataFrame(numbers, columns=["size_mm", "mass_g", "price_eur"])
    for k, name in enumerate(("plan", "region")):
        own = (rng.random(N) < FOLLOWS) & (k < informative)
        table[name] = np.array(["a", "b", "c"])[np.where(own, labels, rng.choice(3, N))]
    return table, labels


def scores(table: pd.DataFrame, labels: np.ndarray, names: list[str]) -> Iterator[float]:
    """The adjusted Rand index without and with the columns `names`, each with and without the number of clusters."""
    found = wt.tables.features(table)
    numbers = [one.name for one in found.used]
    for columns in (numbers, [*numbers, *names]):
        for k in (len(np.unique(labels)), None):
            clusters = wt.cluster(table, k, columns=columns)
            rows = clusters.features.rows if clusters.features is not None else slice(None)
            yield adjusted_rand_score(labels[rows], clusters.labels[rows])


def main(files: list[str]) -> None:
    """Print the scores."""
    print("groups are    categories   without categories    with categories")
    print("apart by      that follow  k given     no k      k given     no k")
    for separation in SEPARATIONS:
        for informative in (0, 1, 2):
            rows = [list(scores(*generate(separation, informative, seed), ["plan", "region"])) for seed in range(SEEDS)]
            print(
                f"{separation:10} {informative:14}",
                "".join(f"{one:11.2f}" for one in np.mean(rows, axis=0)),
                flush=True,
            )
    for file, known in zip(files[::2], files[1::2], strict=True):
        table = wt.read(file)
        names = [one.name for one in wt.tables.features(table).columns if one.kind in ("category", "boolean")]
        one = list(scores(table, np.loadtxt(known), names))
        print(f"{file[-25:]:25}", "".join(f"{each:11.2f}" for each in one), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
