"""The paper, computed: its theorems as functions (`theory`), its experiments with their claims and figures
(`experiments`), words as Gaussians (`words`), and scores of word vectors against people (`ratings`).

It lies in the folder `paper` of the repository, is importable where the repository is installed editable, and is no
part of the wheel.
"""  # noqa: D205
