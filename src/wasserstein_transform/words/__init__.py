"""Word embeddings as Gaussians: pre-trained vectors, adapted by the contexts of words in a corpus."""

from .adapting import adapt
from .corpus import Corpus, Letters, Spaced
from .reading import read_vectors
from .transform import WordTransform
from .vectors import WordVectors

__all__ = (
    "Corpus",
    "Letters",
    "Spaced",
    "WordTransform",
    "WordVectors",
    "adapt",
    "read_vectors",
)
