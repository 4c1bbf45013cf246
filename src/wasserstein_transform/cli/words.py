"""`wt words`: adapt word vectors to a corpus, and query distances."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .adapting import adapt
from .commands import Command, Group
from .options import AsJson, Force, Jobs, Quiet
from .running import speaking
from .tables import aligned
from .word_options import AsLetters, MinCount, Sample, Seed, Window, check_files, print_facts

if TYPE_CHECKING:
    from ..words import WordTransform

words = typer.Typer(
    help="Adapt pre-trained word vectors to a corpus; compare words as Gaussians.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    cls=Group,
)

_SETTLED = ("window", "min_count", "sample", "seed", "letters", "common", "about_mean")  # fixed by a model

Vectors = Annotated[Path | None, typer.Option("--vectors", help="GloVe or word2vec, text or binary; gz and xz too.")]
Text = Annotated[Path | None, typer.Option("--corpus", help="Text file: plain, gz or xz.")]
Model = Annotated[Path | None, typer.Option("--model", help="File of `wt words fit`, instead of vectors and corpus.")]
Lam = Annotated[float, typer.Option(help="Weight of the contexts; 0 compares only the vectors.")]
LamOrModels = Annotated[
    float | None,
    typer.Option(help="Weight of the contexts.", show_default="1, or the value of the model"),
]
Removed = Annotated[int, typer.Option("--common", help="Remove the mean and N common components; -1: nothing.")]
Centered = Annotated[bool, typer.Option("--about-mean", help="Covariances about the mean of the contexts.")]


words.command(cls=Command)(adapt)


@words.command(cls=Command)
def fit(
    output: Annotated[Path, typer.Option("-o", "--output", help="File to write.")],
    vectors: Vectors = None,
    corpus: Text = None,
    window: Window = 5,
    lam: Lam = 1.0,
    min_count: MinCount = 5,
    sample: Sample = 1e-4,
    seed: Seed = 0,
    letters: AsLetters = False,
    common: Removed = -1,
    about_mean: Centered = False,
    force: Force = False,
    json: AsJson = False,
    quiet: Quiet = False,
    jobs: Jobs = None,
) -> None:
    """Count the contexts in a corpus, and save them with the vectors in one file."""
    with speaking("wt words fit", quiet or json):
        parts = _parts(window, lam, min_count, sample, seed, letters, common, about_mean, jobs)
        check_files(force, output)
        gt = _fitted(vectors, corpus, None, parts)
        gt.save(output)
        n, pairs, kept = len(gt.vectors_), gt.contexts_.matrix.nnz, gt.contexts_.n_kept
        words = [f"{n} words, {pairs} pairs in the windows of {kept} words of text", str(output)]
        print_facts({"words": n, "pairs": pairs, "kept": kept, "written": str(output)}, words, json, quiet)


@words.command(cls=Command)
def similar(
    context: typer.Context,
    word: Annotated[str, typer.Argument(help="A word.")],
    vectors: Vectors = None,
    corpus: Text = None,
    model: Model = None,
    k: Annotated[int, typer.Option("-k", help="Number of words.")] = 10,
    window: Window = 5,
    lam: LamOrModels = None,
    min_count: MinCount = 5,
    sample: Sample = 1e-4,
    seed: Seed = 0,
    letters: AsLetters = False,
    common: Removed = -1,
    about_mean: Centered = False,
    json: AsJson = False,
    jobs: Jobs = None,
) -> None:
    """Find the words nearest to a word, exactly."""
    with speaking("wt words similar", json):
        parts = _parts(window, lam, min_count, sample, seed, letters, common, about_mean, jobs)
        _check_options(context, model)
        found = _fitted(vectors, corpus, model, parts, word).most_similar(word, k)
        facts = {"word": word, "similar": [{"word": name, "distance": distance} for name, distance in found]}
        table = aligned([["word", "distance"], *([name, f"{distance:.4f}"] for name, distance in found)])
        computed = f"{found.n_exact} of {found.n_words} distances computed ({found.share:.1%})"
        print_facts(facts, [*table, computed], json)


@words.command(cls=Command)
def pair(
    context: typer.Context,
    first: Annotated[str, typer.Argument(help="A word.")],
    second: Annotated[str, typer.Argument(help="Another word.")],
    vectors: Vectors = None,
    corpus: Text = None,
    model: Model = None,
    window: Window = 5,
    lam: LamOrModels = None,
    min_count: MinCount = 5,
    sample: Sample = 1e-4,
    seed: Seed = 0,
    letters: AsLetters = False,
    common: Removed = -1,
    about_mean: Centered = False,
    json: AsJson = False,
    jobs: Jobs = None,
) -> None:
    """Print the distance of two words, and the distance of their vectors alone."""
    with speaking("wt words pair", json):
        parts = _parts(window, lam, min_count, sample, seed, letters, common, about_mean, jobs)
        _check_options(context, model)
        gt = _fitted(vectors, corpus, model, parts, first, second)
        own, distance = float(gt.lam), gt.distance(first, second)
        plain_distance = gt.set_params(lam=0.0).distance(first, second)
        counts = {word: _contexts(gt, word) for word in dict.fromkeys((first, second))}
        lines = [f"{distance:.4f} with λ = {own:g}; {plain_distance:.4f} the vectors alone"]
        lines += [f"{word}: {count} times in the corpus, {n:g} contexts" for word, (count, n) in counts.items()]
        facts = {"distance": distance, "lam": own, "plain": plain_distance}
        facts["words"] = {word: {"count": count, "contexts": n} for word, (count, n) in counts.items()}
        print_facts(facts, lines, json)


def _contexts(gt: WordTransform, word: str) -> tuple[int, float]:
    """Number of occurrences of a word in the corpus, and of its contexts."""
    row = gt.vectors_.row(word)
    return int(gt.contexts_.counts[row]), float(gt.contexts_.totals()[row])


def _parts(
    window: int, lam: float | None, min_count: int, sample: float, seed: int, letters: bool, common: int,
    about_mean: bool, jobs: int | None,
) -> dict[str, Any]:  # fmt: skip
    from ..words import Letters, Spaced
    from ..words.cleaning import Common
    from ..words.variants import AboutMean

    return {
        "window": window, "lam": lam, "min_count": min_count, "sample": sample, "rng": seed,
        "tokens": Letters() if letters else Spaced(), "common": Common(common) if common >= 0 else None,
        "about": AboutMean() if about_mean else None, "n_jobs": jobs,
    }  # fmt: skip


def _fitted(
    vectors: Path | None, corpus: Path | None, model: Path | None, parts: dict[str, Any], *asked: str
) -> WordTransform:
    """A fitted transform, from a model or from vectors and a corpus; unknown words raise before the corpus is read."""
    from ..words import WordTransform
    from ..words.reading import as_vectors

    if model is not None:
        if vectors is not None or corpus is not None:
            raise ValueError("a model contains vectors and corpus; give --model, or --vectors and --corpus")
        gt = WordTransform.load(model)
        gt.set_params(lam=gt.lam if parts["lam"] is None else parts["lam"], n_jobs=parts["n_jobs"])
        return gt
    if vectors is None or corpus is None:
        raise ValueError("give --vectors and --corpus, or --model, which `wt words fit` writes")
    known = as_vectors(vectors)
    for word in asked:
        known.row(word)
    lam = 1.0 if parts["lam"] is None else parts["lam"]
    return WordTransform(known, **{**parts, "lam": lam}).fit(corpus)


def _check_options(context: typer.Context, model: Path | None) -> None:
    """Raise for options that cannot be changed after a model was fitted."""
    for name in _SETTLED if model is not None else ():
        source = context.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT":
            raise ValueError(f"--{name.replace('_', '-')} was fixed when the model was fitted; leave it out")
