"""`wt words adapt`: adapt word vectors to a corpus."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import AsJson, Force, Jobs, Quiet
from .running import speaking
from .word_options import AsLetters, MinCount, Sample, Seed, Window, check_files, print_facts


def adapt(
    output: Annotated[Path, typer.Option("-o", "--output", help="File to write: vectors (.txt, .bin), or .npz.")],
    vectors: Annotated[Path, typer.Option(help="GloVe or word2vec, text or binary; gz and xz too.")],
    corpus: Annotated[
        Path | None, typer.Option(help="Text file: plain, gz or xz. Without it words do not move.")
    ] = None,
    share: Annotated[float, typer.Option(help="How far words move toward their contexts, 0 to 1.")] = 0.2,
    power: Annotated[float, typer.Option(help="How much variances are equalized, 0 to 1.")] = 0.75,
    window: Window = 5,
    min_count: MinCount = 5,
    sample: Sample = 1e-4,
    seed: Seed = 0,
    letters: AsLetters = False,
    force: Force = False,
    json: AsJson = False,
    quiet: Quiet = False,
    jobs: Jobs = None,
) -> None:
    """Improve word vectors by a corpus. This is the recommended command.

    Directions with large variance get less weight; then words move toward their contexts in the corpus. An output file
    that ends in .npz also keeps the contexts, for `similar` and `pair`.
    """
    with speaking("wt words adapt", quiet or json):
        from ..words import Letters, adapt as run
        from ..words.writing import check_kind

        keeps_all = output.suffix.lower() == ".npz"
        if not keeps_all:
            check_kind(output)
        check_files(force, output)
        start = time.perf_counter()
        gt = run(
            vectors, corpus, share=share, power=power, window=window, min_count=min_count, sample=sample, rng=seed,
            tokens=Letters() if letters else None, n_jobs=jobs,
        )  # fmt: skip
        (gt.save if keeps_all else gt.adapted.write)(output)
        moved = int((gt.contexts_.totals() > 0).sum())
        lines = [f"{len(gt.vectors_)} words, of which {moved} moved", str(output)]
        facts: dict[str, Any] = {"words": len(gt.vectors_), "moved": moved, "written": str(output)}
        facts["seconds"] = time.perf_counter() - start
        print_facts(facts, [*lines, f"{facts['seconds']:.1f} s"], json, quiet)
