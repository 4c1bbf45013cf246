"""Word embeddings as Gaussians: pre-trained vectors, adapted by the contexts of words in a corpus."""

from .adapting import adapt
from .benchmarks import Benchmark, read_benchmark, read_benchmarks
from .cleaning import Cleaning, Common, Whiten
from .comparing import compare
from .contexts import Contexts, Flat, Harmonic, Linear, Nearness, count_contexts
from .corpus import Corpus, Letters, Spaced, Tokens
from .evaluation import Evaluation, Setting, evaluate
from .neighborhoods import nearest_contexts
from .reading import read_vectors
from .search import Neighbors
from .study import Study, study
from .transform import Pairs, WordTransform
from .variants import PPMI, About, AboutMean, AboutWord, Counts, Shift, Shrinkage, Weighting
from .vectors import WordVectors

__all__ = [
    "PPMI",
    "About",
    "AboutMean",
    "AboutWord",
    "Benchmark",
    "Cleaning",
    "Common",
    "Contexts",
    "Corpus",
    "Counts",
    "Evaluation",
    "Flat",
    "Harmonic",
    "Letters",
    "Linear",
    "Nearness",
    "Neighbors",
    "Pairs",
    "Setting",
    "Shift",
    "Shrinkage",
    "Spaced",
    "Study",
    "Tokens",
    "Weighting",
    "Whiten",
    "WordTransform",
    "WordVectors",
    "adapt",
    "compare",
    "count_contexts",
    "evaluate",
    "nearest_contexts",
    "read_benchmark",
    "read_benchmarks",
    "read_vectors",
    "study",
]
