"""Word vectors scored against people: similarities of vectors, plain or adapted, and ratings of pairs of words."""

from .benchmarks import Benchmark, read_benchmark, read_benchmarks, resampled, spearman
from .chart import agreement
from .evaluation import Evaluation, Setting, compare, evaluate
from .study import Study, study

__all__ = [
    "Benchmark",
    "Evaluation",
    "Setting",
    "Study",
    "agreement",
    "compare",
    "evaluate",
    "read_benchmark",
    "read_benchmarks",
    "resampled",
    "spearman",
    "study",
]
