"""Choose the number of communities: try increasing numbers, then numbers between the best ones."""

from __future__ import annotations

from collections.abc import Callable

_GROWTH = 1.5  # factor from one number tried to the next
_MISSES = 2  # numbers in a row without improvement, before the search refines
_FINE = 6  # the search ends when neighbors of the best number differ by at most 1/_FINE of it


def best_number(score: Callable[[int], float], first: int, most: int, at_one: float, margin: float = 0.0) -> int:
    """Return the smallest number whose score is within `margin` of the largest score found.

    Parameters
    ----------
    score : callable
        Maps a number of communities, 2 or more, to its score. Called once for each number tried.
    first, most : int
        Number to begin with, and the largest number to try.
    at_one : float
        The score of one community.
    """
    scores = {1: at_one}
    _upwards(score, scores, first, most)
    while True:
        open_ = _between(scores)
        if not open_:
            break
        for k in open_:
            scores[k] = score(k)
    top = max(scores.values())
    return min(k for k, value in scores.items() if value >= top - margin)


def _upwards(score: Callable[[int], float], scores: dict[int, float], k: int, most: int) -> None:
    misses = 0
    while k <= most and misses < _MISSES:
        before = max(scores.values())
        scores[k] = score(k)
        misses = 0 if scores[k] > before else misses + 1
        k = max(k + 1, round(_GROWTH * k))


def _between(scores: dict[int, float]) -> list[int]:
    """Return the numbers halfway between the best one and its neighbors among those tried."""
    best = max(scores, key=lambda k: (scores[k], -k))
    tried = sorted(scores)
    at = tried.index(best)
    next_ = [tried[at + step] for step in (-1, 1) if 0 <= at + step < len(tried)]
    return [(best + other) // 2 for other in next_ if abs(best - other) > max(1, best // _FINE)]
