"""Words as Gaussians, by their vectors and the contexts of words in a text; and word vectors adapted to a text."""

from .adapting import adapt
from .contexts import Corpus, count_contexts, ppmi, read_corpus
from .definition import Definition
from .vectors import WordVectors, read_vectors

__all__ = ["Corpus", "Definition", "WordVectors", "adapt", "count_contexts", "ppmi", "read_corpus", "read_vectors"]
