"""Rewrite the advice in library messages from Python arguments to options of the command line."""

from __future__ import annotations

import re

_IN_SHELLS = {
    r"wt\.suggest(_eps)?\(X\)": "wt suggest",
    r", and wt\.sweep compares them": "",
    r"use Space\.from_distances\(D\), or metric='precomputed' in an estimator": "use --distances",
    r"use dtype='float32', out='distances\.npy' for a file on disk, fewer points, or block\(\)": "take fewer rows",
    r"use fewer points, or GaussianTransform": "take fewer rows, or --method gt",
    r"use fewer points, or output='points'": "take fewer rows",
    r"wt\.image\.segment_by_radii takes": "--spatial 8 takes",
    r"\b(spatial|range)_radius must be": r"--\1 must be",
    r"\(StandardScaler\)": "(--scale standard)",
    r"\bn_clusters=(\w+)": r"--clusters \1",
    r"\bkind='(\w+)'": r"--kind \1",
    r"\b(order|trip)=False": "--trip none",
    r"\bcolumns=\[\.\.\.\]": "--columns",
    r"\bdim=(\d)": r"--dim \1",
    r"\bn_iter=(\d+)": r"--n-iter \1",
    r"\btake fewer points\b": "take fewer rows",
    r"\blower min_count, use sample=0\b": "lower --min-count, use --sample 0",
    r"\bmin_count must be": "--min-count must be",
    r"\brng must be": "--seed must be",
    r"\b(window|sample|share|power) must be": r"--\1 must be",
    r"give its encoding, such as Corpus\.read\([^)]*\), or convert": "convert",
    r"give its encoding, such as encoding=\S+": "convert it to UTF-8",
}


def typed(words: str) -> str:
    """The message with options instead of arguments."""
    for of_python, of_shells in _IN_SHELLS.items():
        words = re.sub(of_python, of_shells, words)
    return words
