"""Rewrite the advice in library messages from Python arguments to options of the command line."""

from __future__ import annotations

import re

_IN_SHELLS = {
    r"wt\.suggest(_eps)?\(X\)": "wt suggest",
    r"use metric='precomputed' or Space\.from_distances\(D\) \(.*\)": "use --distances",
    r"use dtype='float32', out='distances\.npy' for a file on disk, fewer points, or block\(\)": "take fewer rows",
    r"use fewer points, or GaussianTransform": "take fewer rows, or --method gt",
    r"use fewer points, or output='points'": "take fewer rows",
    r"read it as an array, and give one frame of it to wt\.segment, or a volume to .*": "give one frame of it",
    r"\b(spatial|range)_radius=": r"--\1 ",
    r"\b(spatial|range)_radius must be": r"--\1 must be",
    r"\(StandardScaler\)": "(--scale standard)",
    r"\bn_clusters=(\w+)": r"--clusters \1",
    r"\bkind='(\w+)'": r"--kind \1",
    r"\b(order|trip)=False": "--trip none",
    r"\bcolumns=\[\.\.\.\]": "--columns",
    r"\bdim=(\d)": r"--dim \1",
    r"\bn_iter=(\d+)": r"--n-iter \1",
    r"\btake fewer points\b": "take fewer rows",
}


def typed(words: str) -> str:
    """The message with options instead of arguments."""
    for of_python, of_shells in _IN_SHELLS.items():
        words = re.sub(of_python, of_shells, words)
    return words
