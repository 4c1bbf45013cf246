"""`wt words`: adapt word vectors to a corpus."""

from __future__ import annotations

import time
from pathlib import Path

import click

from .._files import check_target
from .._shown import counted
from .options import FORCE, JSON, QUIET, Computation, Output, command, option, threads
from .output import check_free
from .printing import say, tell
from .running import running
from .summary import encode_json

_PATH = click.Path(path_type=Path)


@command
@option(
    "--vectors", required=True, type=_PATH, metavar="FILE", help="GloVe or word2vec, text or binary; gz and xz too."
)
@option("--corpus", type=_PATH, metavar="FILE", help="Text file: plain, gz or xz. Without it words do not move.")
@option("-o", "--output", required=True, metavar="FILE", help="File to write: .txt as GloVe's, .bin as word2vec's.")
@option("--share", type=float, default=0.2, metavar="X", help="How far words move toward their contexts, 0 to 1.")
@option("--power", type=float, default=0.75, metavar="X", help="How much variances are equalized, 0 to 1.")
@option(
    "--window",
    section="Corpus",
    type=int,
    default=5,
    metavar="N",
    help="Contexts of a word are at most this many words away.",
)
@option("--min-count", section="Corpus", type=int, default=5, metavar="N", help="Rarer words are dropped.")
@option(
    "--sample", section="Corpus", type=float, default=1e-4, metavar="X",
    help="Frequent words are dropped at random by word2vec's rule; 0 keeps all.",
)  # fmt: skip
@option("--seed", section="Corpus", type=int, default=0, metavar="N", help="Seed for dropping words at random.")
@option(
    "--spaces", section="Corpus", is_flag=True,
    help="Words are what white space separates. Else they are runs of letters, in lower case if the vectors are.",
)  # fmt: skip
@FORCE
@JSON
@QUIET
@threads
def words(
    vectors: Path, corpus: Path | None, output: str, share: float, power: float, window: int, min_count: int,
    sample: float, seed: int, spaces: bool, force: bool, json: bool, quiet: bool, computation: Computation,
) -> None:  # fmt: skip
    """Improve word vectors by a corpus.

    Directions with large variance get less weight; then words move toward their contexts in the corpus.
    """
    with running(Output(output, force=force, json=json, quiet=quiet), computation) as run:
        from ..words import adapt
        from ..words.vectors import check_kind

        path = Path(output)
        check_kind(path)
        check_target(path)
        check_free(path, force)
        run.release_notes()
        start = time.perf_counter()
        adapted = adapt(
            vectors, corpus, share=share, power=power, window=window, min_count=min_count, sample=sample, rng=seed,
            tokens=str if spaces else None,
        )  # fmt: skip
        adapted.write(path)
        n, moved = len(adapted), adapted.n_moved
        seconds = time.perf_counter() - start
        if json:
            facts = {"words": n, "moved": moved, "written": output, "seconds": seconds}
            say(encode_json(facts).decode().rstrip("\n"))
        elif not quiet:
            for line in (f"{counted(n, 'word')}, of which {moved:,} moved", output, f"{seconds:.1f} s"):
                tell(line)
