"""Word vectors adapted to a corpus, compared with human ratings; and variants of the definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import plotting, words as app
from .._types import Floats
from ..engine import Engine, using
from .claims import Choice, Claim
from .experiment import Experiment, Picture, Table
from .parameters import Words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Spearman correlations of the paper: GloVe, GloVe+GT
PAPER = {
    "MC-30": (0.56, 0.67), "MEN-TR-3k": (0.65, 0.65), "MTurk-287": (0.61, 0.62), "MTurk-771": (0.55, 0.56),
    "RG-65": (0.60, 0.62), "RW-STANFORD": (0.34, 0.38), "SIMLEX-999": (0.26, 0.27), "SimVerb-3500": (0.15, 0.14),
    "VERB-143": (0.25, 0.24), "WS-353-ALL": (0.49, 0.51), "WS-353-REL": (0.46, 0.47), "WS-353-SIM": (0.57, 0.60),
    "YP-130": (0.37, 0.37),
}  # fmt: skip

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "paper": {},
    "λ by frequency": {"shrinkage": app.Shrinkage(300.0, pooled=False)},
    "about the mean, pooled": {"about": app.AboutMean(), "shrinkage": app.Shrinkage(300.0)},
    "PPMI, about the mean, pooled": {
        "about": app.AboutMean(), "shrinkage": app.Shrinkage(300.0), "weighting": app.PPMI(),
    },
    "PPMI, points moved": {"weighting": app.PPMI(), "shift": app.Shift(0.2)},
    "neighborhoods in the embedding": {"about": app.AboutMean(), "neighbors": 30},
}  # fmt: skip
"""Variants of the definition, apart from λ and common components."""


@dataclass(frozen=True, eq=False)
class Result:
    """The paper's table, and out-of-sample studies by the set of candidates."""

    parameters: Words
    evaluation: app.Evaluation
    means: dict[str, float]
    studies: dict[str, app.Study]


def run(parameters: Words, engine: Engine) -> Result:
    """Evaluate the paper's definition for all windows, then all variants for one window."""
    for name in ("vectors", "corpus", "benchmarks"):
        if getattr(parameters, name) is None:
            raise ValueError(f"words needs {name}; set WT_WORDS_{name.upper()}")
    with using(engine):
        return _run(parameters)


def _run(parameters: Words) -> Result:
    vectors = app.read_vectors(str(parameters.vectors))
    corpus = app.Corpus.read(str(parameters.corpus))
    sets = app.read_benchmarks(str(parameters.benchmarks))
    found = app.evaluate(vectors, corpus, sets, parameters.windows, parameters.lams, n_boot=parameters.n_boot)
    if not parameters.variants:
        return Result(parameters, found, {}, {})
    predictions = _predictions(vectors, corpus, sets, parameters)
    means = {name: _mean_score(sets, values) for name, values in predictions.items()}
    return Result(parameters, found, means, _studies(sets, predictions, parameters))


def _predictions(
    vectors: app.WordVectors, corpus: app.Corpus, sets: Sequence[app.Benchmark], parameters: Words
) -> dict[str, Floats]:
    """Similarities of all pairs for all variants, with and without common components, and every λ."""
    out: dict[str, Floats] = {}
    for n_components in parameters.commons:
        common = app.Common(n_components) if n_components is not None else None
        prefix = "vectors" if common is None else f"without {n_components} components"
        cleaned = vectors if common is None else common(vectors)
        contexts = app.count_contexts(corpus, cleaned, parameters.window)
        asked = np.unique([row for one in sets for row in one.rows(cleaned).ravel() if row >= 0])
        for name in parameters.variants:
            parts = dict(VARIANTS[name])
            neighbors = parts.pop("neighbors", None)
            gt = app.WordTransform(cleaned, **parts)
            gt.fit(contexts.matrix if neighbors is None else app.nearest_contexts(cleaned, neighbors, asked))
            squares, gaps = app.evaluation.gaps_of(gt, sets)
            for lam in (0.0, *parameters.study_lams):
                setting = prefix if lam == 0 and "shift" not in parts else f"{prefix}, {name}, λ = {lam:g}"
                out[setting] = -(squares + lam * gaps)
    return out


def _mean_score(sets: Sequence[app.Benchmark], values: Floats) -> float:
    scores, at = [], 0
    for one in sets:
        part = values[at : at + len(one)]
        at += len(one)
        found = np.isfinite(part)
        scores.append(app.spearman.spearman(one.scores[found], part[found]))
    return float(np.nanmean(scores))


def _studies(sets: Sequence[app.Benchmark], predictions: dict[str, Floats], parameters: Words) -> dict[str, app.Study]:
    """Studies by candidates: GT of the plain vectors, all settings, and GT after removing common components."""
    plain = {name: values for name, values in predictions.items() if name.startswith("vectors")}
    paper = {name: values for name, values in plain.items() if name == "vectors" or ", paper," in name}
    run = partial(app.study, n_splits=parameters.n_splits)
    out = {
        "the paper's GT, all λ": run(sets, paper, "vectors"),
        "GT of the vectors, all variants": run(sets, plain, "vectors"),
        "all": run(sets, predictions, "vectors"),
    }
    for n_components in parameters.commons:
        if n_components is not None:
            name = f"without {n_components} components"
            some = {key: values for key, values in predictions.items() if key.startswith(name)}
            out[f"GT of the vectors {name}"] = run(sets, some, name)
    return out


def claims(result: Result) -> Sequence[Claim]:
    """GT is better on most benchmarks, and comparable on the others."""
    found = result.evaluation
    higher = (found.scores > found.scores[:, :1])[:, 1:].sum(axis=0)
    worse = found.worse[:, 1:]
    n = int(np.isfinite(found.scores[:, 0]).sum())
    where, note = "Boosting word embeddings in NLP", "The paper gives neither λ nor the window: these are readings."
    means = found.means
    most = tuple(
        Choice(
            setting.name,
            bool(2 * higher[s] > n),
            f"higher on {higher[s]} of {n}; mean {means[0]:.3f} plain, {means[s + 1]:.3f} GT",
        )
        for s, setting in enumerate(found.settings[1:])
    )
    comparable = tuple(
        Choice(setting.name, not worse[:, s].any(), f"significantly lower on {int(worse[:, s].sum())} of {n}")
        for s, setting in enumerate(found.settings[1:])
    )
    return [
        Claim(
            "words: better on most benchmarks",
            where,
            "GT with a small corpus improves the agreement of GloVe vectors with human ratings on most benchmarks.",
            "Spearman correlation of scores and −distances; higher on more than half of the benchmarks",
            most,
            note,
        ),
        Claim(
            "words: comparable on the others",
            where,
            "On the other benchmarks GT is comparable with the plain vectors.",
            "differences of Spearman correlations, by bootstrap over pairs; no 95 % interval lies below 0",
            comparable,
            note,
        ),
    ]


def tables(result: Result) -> Sequence[Table]:
    """The paper's table, and the studies."""
    head, *rows = result.evaluation.rows()
    filled = tuple((*row, *(f"{value:.2f}" if value else "" for value in PAPER.get(row[0], (0, 0)))) for row in rows)
    note = (
        "95 % intervals; + and − mark significant differences from the plain vectors. The last columns are the paper's."
    )
    return [
        Table("Spearman correlation with people", (*head, "paper, GloVe", "paper, GloVe+GT"), filled, note),
        *_study_tables(result),
    ]


def _study_tables(result: Result) -> Sequence[Table]:
    if not result.studies:
        return ()
    rows = []
    for name, found in result.studies.items():
        low, high = found.intervals[-1]
        favorite, times = found.favorites[0]
        rows.append(
            (name, found.baseline, f"{favorite} ({times} of {len(found.chosen)})", f"{found.plain.mean():.3f}",
             f"{found.best.mean():.3f}", f"{found.gain.mean():+.4f} [{low:+.4f}, {high:+.4f}]")
        )  # fmt: skip
    best = sorted(result.means.items(), key=lambda item: -item[1])
    return [
        Table(
            "Out of sample",
            ("chosen among", "against", "chosen most often", "its score", "score of the chosen", "gain"),
            tuple(rows),
            "A setting is chosen by its mean score over one half of the pairs of each benchmark, and scored on the "
            "other half; means over splits and benchmarks, 95 % intervals over splits and resamples of the pairs.",
        ),
        Table(
            "Mean scores in sample",
            ("setting", "mean Spearman correlation"),
            tuple((name, f"{value:.4f}") for name, value in best),
        ),
    ]


def pictures(result: Result) -> Sequence[Picture]:
    """The table as a chart."""
    return [
        Picture(
            "words",
            "Spearman correlations with human ratings, with 95 % intervals; filled dots differ significantly from the "
            "plain vectors.",
            partial(draw, result),
        )
    ]


def draw(result: Result) -> Figure:
    """A row of dots for each benchmark."""
    found = result.evaluation
    figure, ax = plotting.panels(height=0.9 + 0.09 * len(found.names) * (len(found.settings) + 2))
    plotting.agreement(found, ax=ax)
    return figure


EXPERIMENT = Experiment(
    "words",
    "Words as Gaussians",
    "Pre-trained word vectors are compared by the GT distance, with the covariance of the contexts of each word in a "
    "corpus, and the distances are compared with human ratings. The paper uses GloVe vectors and the corpus text8; it "
    "gives neither λ nor the window. Beyond the paper, variants of the definition are compared out of sample.",
    run,
    claims,
    pictures,
    tables,
    files=("WT_WORDS_VECTORS", "WT_WORDS_CORPUS", "WT_WORDS_BENCHMARKS"),
)
