"""Word vectors adapted to a corpus, and words as Gaussians by the contexts of words in it."""

from .adapting import adapt
from .corpus import Corpus
from .reading import read_vectors
from .transform import WordTransform
from .vectors import WordVectors

__all__ = ("Corpus", "WordTransform", "WordVectors", "adapt", "read_vectors")
