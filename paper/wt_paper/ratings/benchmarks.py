"""Pairs of words that people have rated by similarity, and Spearman's correlation with their ratings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from wasserstein_transform import _check as check
from wasserstein_transform._types import Floats, Ints

from ..words.vectors import WordVectors, open_text

BLOCK_NUMBERS = 1 << 22  # numbers in a block of resamples


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Pairs of words with human similarity ratings.

    Parameters
    ----------
    name : str
        Name of the benchmark in tables.
    pairs : tuple of pairs of str, length n
        The pairs of words.
    scores : array of shape (n,)
        The rating of each pair; larger means more similar. Any unit: only ranks count.

    Examples
    --------
    >>> from wt_paper import ratings
    >>> people = ratings.Benchmark("people", (("cat", "dog"), ("cat", "car")), [8.0, 1.5])
    >>> len(people), people.pairs[0]
    (2, ('cat', 'dog'))
    """

    name: str
    pairs: tuple[tuple[str, str], ...]
    scores: Floats

    def __post_init__(self) -> None:
        scores = check.floats(self.scores, "scores")
        pairs = tuple(tuple(pair) for pair in self.pairs)
        if any(len(pair) != 2 or not all(isinstance(word, str) for word in pair) for pair in pairs):
            raise ValueError("pairs of a benchmark must be of two words each, such as [('cat', 'dog')]")
        if scores.shape != (len(pairs),):
            raise ValueError(f"each pair of a benchmark needs a score, got {len(pairs)} pairs and shape {scores.shape}")
        object.__setattr__(self, "pairs", pairs)
        object.__setattr__(self, "scores", scores)

    def __len__(self) -> int:
        return len(self.pairs)

    def rows(self, vectors: WordVectors) -> Ints:
        """Return the rows of both words of each pair, shape (n, 2): as written, else in lower case, else −1."""
        result = vectors.find(word for pair in self.pairs for word in pair)
        lower = vectors.find(word.lower() for pair in self.pairs for word in pair)
        return np.where(result >= 0, result, lower).reshape(-1, 2)


def read_benchmark(file: str | Path) -> Benchmark:
    r"""Read a benchmark from a text file with two words and a score per line.

    Parameters
    ----------
    file : path
        UTF-8 text, plain or packed (gz, xz). Columns are separated by white space; further columns, empty lines and
        lines that start with # are skipped.

    Returns
    -------
    Benchmark
        Named after the file, without its extension and without a leading "EN-".

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wt_paper import ratings
    >>> file = pathlib.Path(tempfile.mkdtemp(), "EN-MINI.txt")
    >>> _ = file.write_text("# word word score\ncat dog 8.0\ncat car 1.5\n")
    >>> people = ratings.read_benchmark(file)
    >>> people.name, people.scores
    ('MINI', array([8. , 1.5]))
    """
    pairs, scores = [], []
    with open_text(file) as lines:
        for number, line in enumerate(lines, 1):
            fields = line.split()
            if not fields or fields[0].startswith("#"):
                continue
            try:
                first, second, score = fields[0], fields[1], float(fields[2])
            except (IndexError, ValueError):
                raise ValueError(f"{file}, line {number} must hold two words and a number, got {line[:60]!r}") from None
            pairs.append((first, second))
            scores.append(score)
    if not pairs:
        raise ValueError(f"{file} must hold at least one pair of words, it holds none")
    name = Path(file).name.split(".")[0].removeprefix("EN-")
    return Benchmark(name, tuple(pairs), np.array(scores))


def read_benchmarks(folder: str | Path) -> tuple[Benchmark, ...]:
    r"""Read all benchmarks of a folder.

    Parameters
    ----------
    folder : path
        A folder, whose .txt files are read in alphabetical order; or a single file.

    Returns
    -------
    tuple of Benchmark

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wt_paper import ratings
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "animals.txt").write_text("cat dog 8.0\ncat cow 5.0\n")
    >>> _ = (folder / "verbs.txt").write_text("run walk 7.0\n")
    >>> [one.name for one in ratings.read_benchmarks(folder)]
    ['animals', 'verbs']
    """
    path = Path(folder)
    files = [path] if path.is_file() else sorted(path.glob("*.txt"), key=lambda file: file.name.lower())
    if not files:
        raise ValueError(f"{path} must hold benchmarks as .txt files, it holds none")
    return tuple(map(read_benchmark, files))


def spearman(x: Floats, y: Floats) -> float:
    """Return Spearman's rank correlation; NaN for fewer than three pairs, or if one side is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from wt_paper.ratings import spearman
    >>> round(spearman(np.array([1.0, 2.0, 3.0, 3.0]), np.array([0.1, 5.0, 7.0, 9.0])), 9)
    0.948683298
    """
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(spearmanr(x, y).statistic)


def resampled(scores: Floats, predictions: Floats, n_boot: int, rng: np.random.Generator) -> Floats:
    """Bootstrap the correlation of scores with each row of predictions; resamples are the same for all rows.

    Returns
    -------
    array of shape (n_boot, n predictions)
        Ranks are recomputed in each resample: a pair drawn k times counts as k equal pairs.
    """
    n = len(scores)
    out = np.full((n_boot, len(predictions)), np.nan)
    if n < 3:
        return out
    sides = [_levels(values) for values in (scores, *predictions)]
    piece = max(1, BLOCK_NUMBERS // n)
    for start in range(0, n_boot, piece):
        size = min(piece, n_boot - start)
        times = rng.multinomial(n, np.full(n, 1.0 / n), size=size).astype(np.float64)
        ranks = _ranks(times, *sides[0])
        for k, side in enumerate(sides[1:]):
            out[start : start + size, k] = _correlation(ranks, _ranks(times, *side), times)
    return out


def _levels(values: Floats) -> tuple[Ints, Ints, Ints]:
    """Return an order that sorts the values, where in it each group of equal values begins, and each value's group."""
    _, level = np.unique(values, return_inverse=True)
    order = np.argsort(level, kind="stable")
    starts = np.searchsorted(level[order], np.arange(level.max() + 1))
    return order, starts, level


def _ranks(times: Floats, order: Ints, starts: Ints, level: Ints) -> Floats:
    """Return mean ranks when each value occurs `times` times: a cumulative sum in the order of the values."""
    sizes = np.add.reduceat(times[:, order], starts, axis=1)
    middles = np.cumsum(sizes, axis=1) - (sizes - 1.0) / 2.0
    return np.asarray(middles[:, level])


def _correlation(x: Floats, y: Floats, weights: Floats) -> Floats:
    n = weights.sum(axis=1, keepdims=True)
    x = x - (weights * x).sum(axis=1, keepdims=True) / n
    y = y - (weights * y).sum(axis=1, keepdims=True) / n
    wx = weights * x
    both = (wx * y).sum(axis=1)
    sizes = (wx * x).sum(axis=1) * (weights * y * y).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sizes > 0, both / np.sqrt(sizes), np.nan)
