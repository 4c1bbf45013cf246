"""Word vectors adapted to a corpus, compared with human ratings; and variants of the definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from wasserstein_transform import plotting
from wasserstein_transform._types import Floats, Ints
from wasserstein_transform.engine import Engine, using

from .. import ratings
from ..ratings.evaluation import gaps_of
from ..words import Corpus, Definition, WordVectors, count_contexts, read_corpus, read_vectors
from ..words.definition import without_components
from .experiment import Choice, Claim, Experiment, Picture, Table
from .parameters import Words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLOCK_ROWS = 1024  # words whose neighbors are searched at a time

# Spearman correlations of the paper: GloVe, GloVe+GT
PAPER = {
    "MC-30": (0.56, 0.67), "MEN-TR-3k": (0.65, 0.65), "MTurk-287": (0.61, 0.62), "MTurk-771": (0.55, 0.56),
    "RG-65": (0.60, 0.62), "RW-STANFORD": (0.34, 0.38), "SIMLEX-999": (0.26, 0.27), "SimVerb-3500": (0.15, 0.14),
    "VERB-143": (0.25, 0.24), "WS-353-ALL": (0.49, 0.51), "WS-353-REL": (0.46, 0.47), "WS-353-SIM": (0.57, 0.60),
    "YP-130": (0.37, 0.37),
}  # fmt: skip

VARIANTS: Mapping[str, Definition] = {
    "paper": Definition(),
    "λ by frequency": Definition(shrinkage=300.0, pooled=False),
    "about the mean, pooled": Definition(about_mean=True, shrinkage=300.0),
    "PPMI, about the mean, pooled": Definition(by_ppmi=True, about_mean=True, shrinkage=300.0),
    "PPMI, points moved": Definition(by_ppmi=True, share=0.2),
    "neighborhoods in the embedding": Definition(about_mean=True, neighbors=30),
}
"""Variants of the definition, apart from λ and common components."""


@dataclass(frozen=True, eq=False)
class Result:
    """The paper's table, and out-of-sample studies by the set of candidates."""

    parameters: Words
    evaluation: ratings.Evaluation
    means: dict[str, float]
    studies: dict[str, ratings.Study]


def run(parameters: Words, engine: Engine) -> Result:
    """Evaluate the paper's definition for all windows, then all variants for one window."""
    for name in ("vectors", "corpus", "benchmarks"):
        if getattr(parameters, name) is None:
            raise ValueError(f"words needs {name}; set WT_WORDS_{name.upper()}")
    with using(engine):
        return _run(parameters)


def _run(parameters: Words) -> Result:
    vectors = read_vectors(str(parameters.vectors))
    corpus = read_corpus(str(parameters.corpus), str)
    sets = ratings.read_benchmarks(str(parameters.benchmarks))
    evaluation = ratings.evaluate(vectors, corpus, sets, parameters.windows, parameters.lams, n_boot=parameters.n_boot)
    if not parameters.variants:
        return Result(parameters, evaluation, {}, {})
    predictions = _predictions(vectors, corpus, sets, parameters)
    means = {name: _mean_score(sets, values) for name, values in predictions.items()}
    return Result(parameters, evaluation, means, _studies(sets, predictions, parameters))


def _predictions(
    vectors: WordVectors, corpus: Corpus, sets: Sequence[ratings.Benchmark], parameters: Words
) -> dict[str, Floats]:
    """Similarities of all pairs for all variants, with and without common components, and every λ."""
    out: dict[str, Floats] = {}
    for n_components in parameters.commons:
        prefix = "vectors" if n_components is None else f"without {n_components} components"
        cleaned = vectors if n_components is None else without_components(vectors, n_components)
        contexts = count_contexts(corpus, cleaned, parameters.window)
        rows = np.unique([row for one in sets for row in one.rows(cleaned).ravel() if row >= 0])
        for name in parameters.variants:
            variant, some = VARIANTS[name], contexts
            if variant.neighbors:
                some = nearest_contexts(cleaned, variant.neighbors, rows)
            squares, gaps = gaps_of(cleaned, sets, partial(variant.gaps, cleaned, some))
            for lam in (0.0, *parameters.study_lams):
                setting = prefix if lam == 0 and not variant.share else f"{prefix}, {name}, λ = {lam:g}"
                out[setting] = -(squares + lam * gaps)
    return out


def nearest_contexts(vectors: WordVectors, k: int, rows: Ints) -> csr_array:
    """Find the k nearest words by angle of the words of some sorted rows, as their contexts; others get none."""
    n, unit = len(vectors), vectors.unit
    columns = np.empty((len(rows), k), np.int32)
    for start in range(0, len(rows), BLOCK_ROWS):
        part = rows[start : start + BLOCK_ROWS]
        angles = unit[part] @ unit.T
        angles[np.arange(len(part)), part] = -np.inf
        columns[start : start + BLOCK_ROWS] = np.sort(np.argpartition(angles, -k, axis=1)[:, -k:], axis=1)
    sizes = np.zeros(n, np.int64)
    sizes[rows] = k
    return csr_array((np.ones(columns.size, np.float32), columns.ravel(), np.append(0, np.cumsum(sizes))), shape=(n, n))


def _mean_score(sets: Sequence[ratings.Benchmark], values: Floats) -> float:
    scores, at = [], 0
    for one in sets:
        part = values[at : at + len(one)]
        at += len(one)
        result = np.isfinite(part)
        scores.append(ratings.spearman(one.scores[result], part[result]))
    return float(np.nanmean(scores))


def _studies(
    sets: Sequence[ratings.Benchmark], predictions: dict[str, Floats], parameters: Words
) -> dict[str, ratings.Study]:
    """Studies by candidates: GT of the plain vectors, all settings, and GT after removing common components."""
    plain = {name: values for name, values in predictions.items() if name.startswith("vectors")}
    paper = {name: values for name, values in plain.items() if name == "vectors" or ", paper," in name}
    run = partial(ratings.study, n_splits=parameters.n_splits)
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
    evaluation = result.evaluation
    higher = (evaluation.scores > evaluation.scores[:, :1])[:, 1:].sum(axis=0)
    worse = evaluation.worse[:, 1:]
    n = int(np.isfinite(evaluation.scores[:, 0]).sum())
    where, note = "Boosting word embeddings in NLP", "The paper gives neither λ nor the window: these are readings."
    means = evaluation.means
    most = tuple(
        Choice(
            setting.name,
            bool(2 * higher[s] > n),
            f"higher on {higher[s]} of {n}; mean {means[0]:.3f} plain, {means[s + 1]:.3f} GT",
        )
        for s, setting in enumerate(evaluation.settings[1:])
    )
    comparable = tuple(
        Choice(setting.name, not worse[:, s].any(), f"significantly lower on {int(worse[:, s].sum())} of {n}")
        for s, setting in enumerate(evaluation.settings[1:])
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
    for name, one in result.studies.items():
        low, high = one.intervals[-1]
        favorite, times = one.favorites[0]
        rows.append(
            (name, one.baseline, f"{favorite} ({times} of {len(one.chosen)})", f"{one.plain.mean():.3f}",
             f"{one.best.mean():.3f}", f"{one.gain.mean():+.4f} [{low:+.4f}, {high:+.4f}]")
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
    evaluation = result.evaluation
    figure, ax = plotting.panels(height=0.9 + 0.09 * len(evaluation.names) * (len(evaluation.settings) + 2))
    ratings.agreement(evaluation, ax=ax)
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
