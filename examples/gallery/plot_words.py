"""
Words adapted to a text
=======================

Word vectors know the texts they were trained on. ``wt.words.adapt`` moves them toward a new text: each word goes a
part of the way to the mean of its contexts, as in one step of mean shift.
"""

# %%
# **The text** is the language reference that ``help()`` shows. One sentence in six trains the vectors, the rest is the
# text to adapt to.

import re
from pydoc_data.topics import topics

import numpy as np
from scipy.sparse.linalg import svds
from scipy.stats import rankdata

import wasserstein_transform as wt

pages = (re.sub(r"\s+", " ", topics[name]) for name in sorted(topics))
sentences = [s for page in pages for s in re.split(r"(?<=[.:]) ", page) if len(s) > 20]
known, new = sentences[::6], [s for k, s in enumerate(sentences) if k % 6]
print(f"{len(known)} sentences to train on, {len(new)} to adapt to")

# %%
# **The vectors** come from counts of contexts (positive pointwise mutual information), reduced to 50 dimensions. With
# vectors of your own, such as GloVe or word2vec, this step is ``wt.words.adapt("vectors.txt", "corpus.txt")``.

options = {"window": 5, "sample": 0}
corpus = wt.words.Corpus.read(known)
blank = wt.words.WordVectors.of(corpus.words, np.ones((len(corpus.words), 1)))
counts = wt.words.contexts.count_contexts(corpus, blank, window=5, min_count=2, sample=0)
u, s, _ = svds(wt.words.adapting.ppmi(counts).matrix.astype(float), k=50, random_state=0)
rows = u * np.sqrt(s)
seen = np.linalg.norm(rows, axis=1) > 1e-9
vectors = wt.words.WordVectors.of([word for word, ok in zip(corpus.words, seen, strict=True) if ok], rows[seen])
print(f"{len(vectors)} words in {vectors.m} dimensions")

# %%
# **Three sets of distances**: the vectors alone, the Gaussian Transform as in the paper (Section 6.5), and ``adapt``.

methods = {
    "vectors alone": vectors,
    "GT of the paper": wt.words.WordTransform(vectors, lam=0.5, min_count=3, **options).fit(new),
    "wt.words.adapt": wt.words.adapt(vectors, new, min_count=3, **options),
}
for name, method in methods.items():
    print(name.ljust(16), "| exception:", ", ".join(word for word, _ in method.most_similar("exception", 5)))

# %%
# **The score**: words of seven topics of the language. How often is a word of the same topic nearer than a word of
# another topic? Chance is 50 %.

topics_of = {
    "numbers": "int float complex integer decimal",
    "containers": "list tuple dict set sequence",
    "text": "str string bytes unicode characters",
    "control flow": "if while for else try",
    "classes": "class instance subclass metaclass inheritance",
    "operators": "addition multiplication division remainder negation",
    "errors": "raise exception error handler traceback",
}
words = [word for line in topics_of.values() for word in line.split() if word in vectors.words]
topic = np.array([k for k, line in enumerate(topics_of.values()) for word in line.split() if word in vectors.words])
same = topic[:, None] == topic
np.fill_diagonal(same, False)
other = topic[:, None] != topic

scores, tables = {}, {}
for name, method in methods.items():
    table = method.pairs([(a, b) for a in words for b in words]).reshape(len(words), -1)
    rows = zip(table, same, other, strict=True)
    scores[name] = np.mean([np.mean(row[near][:, None] < row[far]) for row, near, far in rows])
    tables[name] = table
    print(f"{name}: {scores[name]:.0%}")

# %%
# Distances of all these words, topic by topic. Dark is near; blocks on the diagonal are topics.

figure, axes = wt.plotting.panels(1, 2, width=11, height=5)
for ax, name in zip(axes, ("vectors alone", "wt.words.adapt"), strict=True):
    ranks = rankdata(tables[name]).reshape(same.shape) * ~np.eye(len(words), dtype=bool)
    wt.plotting.heatmap(ranks, ax=ax, colorbar=False, title=f"{name}: {scores[name]:.0%}")

# %%
# **Read with care.** The topics are ours, and there are few words. Vectors that know the text well gain little. On
# benchmarks the paper's covariances lower the scores, while ``adapt`` raises them. :doc:`The figures </measured>`.
