"""Words as Gaussians: pre-trained vectors, and the contexts of a corpus (GT for word embeddings)."""

from .contexts import Contexts, Flat, Harmonic, Linear, Nearness, count_contexts
from .corpus import Corpus, Letters, Spaced, Tokens
from .reading import read_vectors
from .search import Neighbors
from .transform import Pairs, WordTransform
from .variants import PPMI, About, AboutMean, AboutWord, Common, Counts, Shift, Shrinkage, Weighting
from .vectors import WordVectors

__all__ = [
    "PPMI", "About", "AboutMean", "AboutWord", "Common", "Contexts", "Corpus", "Counts", "Flat", "Harmonic", "Letters",
    "Linear", "Nearness", "Neighbors", "Pairs", "Shift", "Shrinkage", "Spaced", "Tokens", "Weighting", "WordTransform",
    "WordVectors", "count_contexts", "read_vectors",
]  # fmt: skip
