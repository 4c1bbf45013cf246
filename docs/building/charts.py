"""Flow charts as SVG within the page: colors follow the theme, and every answer is a link."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import ClassVar

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from .names import written


@dataclass(frozen=True)
class Question:
    """A question, what to use if the answer is yes, and a word of explanation for each."""

    text: str
    answers: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Chart:
    """Questions from top to bottom: yes leads to the right, no leads down."""

    title: str
    start: str
    questions: tuple[Question, ...]
    otherwise: tuple[tuple[str, str], ...]


CHARTS = {
    "methods": Chart(
        "Which function to use",
        "Your data",
        (
            Question(
                "An image, a graph, or words?",
                (("wt.segment", "image"), ("wt.graphs.communities", "graph"), ("wt.words.adapt", "words")),
            ),
            Question("More points than memory holds?", (("wt.clouds.iterate", "from file to file"),)),
            Question(
                "Noisy curves or surfaces to clean up?",
                (("wt.denoise", "move the points"), ("wt.skeleton", "then draw lines")),
            ),
            Question("Clusters, without choosing parameters?", (("wt.cluster", "points or distances"),)),
            Question(
                "Distances only, no coordinates?",
                (("wt.LocalTruncation", "balls"), ("wt.KernelTransform", "soft neighborhoods")),
            ),
            Question("The modes of a density?", (("wt.MeanShift", "points move to modes"),)),
            Question("Neighborhoods of your own?", (("wt.WassersteinTransform", "any parts"),)),
        ),
        (("wt.GaussianTransform", "points; shape and direction count"),),
    ),
    "parameters": Chart(
        "Which ε, λ and τ to use",
        "A first value",
        (
            Question("Noisy curves or surfaces?", (('wt.suggest(X, "curve")', "ε from the noise; λ = 1, τ = 1"),)),
            Question("Modes?", (('wt.suggest(X, "modes")', "a steady ε; λ = 0, until rest"),)),
            Question("Clusters?", (('wt.suggest(X, "clusters")', "ε from the spacing; λ = 10, τ = 0"),)),
        ),
        (("wt.suggest_eps(X)", "ε from the spacing, for any distance"),),
    ),
    "changes": Chart(
        "What to change when a result looks wrong",
        "The result",
        (
            Question("Nearly every point alone?", (("ε", "double it"),)),
            Question("Everything in one cluster?", (("ε", "halve it"),)),
            Question("Crossing shapes still joined?", (("λ", "raise it, up to 10"),)),
            Question("Parts break off at odd places?", (("λ", "lower it, down to 1"),)),
            Question("Curves shrink or clump?", (("τ", "1, or use ridge=1"), ("wt.denoise", "stops in time"))),
            Question("Compact clusters not yet apart?", (("τ", "2 or 3"),)),
        ),
        (("wt.suggest", "look at the radii it compared"),),
    ),
}

_BOX, _LINE = 14, 17  # heights, in pixels


@dataclass(frozen=True)
class _Shape:
    """Where things are, for one width of the page."""

    name: str
    width: int
    question: int  # width of a question
    letters: int  # in a line of a question
    beside: bool  # answers stand beside their question, or below it


_SHAPES = (_Shape("wide-only", 680, 285, 34, beside=True), _Shape("narrow-only", 340, 340, 42, beside=False))


def svg(chart: Chart, shape: _Shape, links: dict[str, str]) -> str:
    """One drawing."""
    parts, y = [], 8
    y = _box(parts, 0, y, shape.question, [chart.start], "start") + 30
    above, middle = y - 30, 24
    for question in chart.questions:
        lines = wrap(question.text, shape.letters)
        height = _BOX * 2 + _LINE * (len(lines) - 1) + 12
        tall = len(question.answers) * 50 - 8
        top = y + max(0, (tall - height) // 2) if shape.beside else y
        parts.append(_arrow(middle, above, middle, top, "no" if above > 60 else ""))
        bottom = _box(parts, 0, top, shape.question, lines, "question")
        if shape.beside:
            first = at = y + max(0, (height - tall) // 2)
            x = shape.question + 62
            for answer in question.answers:
                parts.append(
                    _arrow(shape.question, (top + bottom) / 2, x, at + 21, "yes" if at == first else "", across=True)
                )
                at = _answer(parts, x, at, shape.width - x, answer, links) + 8
            above, y = bottom, max(at - 8, bottom) + 30
        else:
            at, x = bottom + 12, 84
            for answer in question.answers:
                parts.append(_arrow(middle + 18, bottom, x, at + 21, "yes" if at == bottom + 12 else "", bent=True))
                at = _answer(parts, x, at, shape.width - x, answer, links) + 8
            above, y = bottom, at + 14
    parts.append(_arrow(middle, above, middle, y, "no"))
    for answer in chart.otherwise:
        y = _answer(parts, 0, y, min(shape.width, shape.question + 40), answer, links) + 8
    head = f'<svg class="chart {shape.name}" viewBox="0 0 {shape.width} {y}" style="max-width: {shape.width}px"'
    body = (_HEAD + "".join(parts)).replace("tip-NAME", f"tip-{chart.start.split()[-1]}-{shape.name}")
    return f'{head} role="group" aria-label="{escape(chart.title)}">{body}</svg>'


_HEAD = (
    '<defs><marker id="tip-NAME" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 L8 4 L0 8 z" class="tip"/></marker></defs>'
)


def _box(parts: list[str], x: float, y: float, width: float, lines: list[str], kind: str) -> float:
    height = _BOX * 2 + _LINE * (len(lines) - 1) + 12
    parts.append(f'<rect class="{kind}" x="{x + 1}" y="{y}" width="{width - 2}" height="{height}" rx="9"/>')
    for k, line in enumerate(lines):
        parts.append(f'<text class="{kind}" x="{x + 14}" y="{y + 25 + _LINE * k}">{escape(line)}</text>')
    return y + height


def _answer(
    parts: list[str], x: float, y: float, width: float, answer: tuple[str, str], links: dict[str, str]
) -> float:
    name, says = answer
    body = (
        f'<rect class="answer" x="{x}" y="{y}" width="{width - 1}" height="42" rx="4"/>'
        f'<text class="name" x="{x + 10}" y="{y + 18}">{escape(name)}</text>'
        f'<text class="says" x="{x + 10}" y="{y + 34}">{escape(says)}</text>'
    )
    link = links.get(name.split("(")[0])
    parts.append(f'<a href="{link}">{body}</a>' if link else body)
    return y + 42


def _arrow(x: float, y: float, to_x: float, to_y: float, word: str, *, across: bool = False, bent: bool = False) -> str:
    if across:
        turn = x + 34
        path, at = f"M{x} {y} H{turn} V{to_y} H{to_x}", (x + 6, y - 5)
    elif bent:
        path, at = f"M{x} {y} V{to_y} H{to_x}", (x + 8, to_y - 5)
    else:
        path, at = f"M{x} {y} V{to_y}", (x + 7, to_y - 6)
    text = f'<text class="word" x="{at[0]}" y="{at[1]}">{word}</text>' if word else ""
    return f'<path class="way" d="{path}" marker-end="url(#tip-NAME)"/>{text}'


class FlowChart(SphinxDirective):
    """`{chart} NAME` draws a chart of CHARTS, in a wide and in a narrow form."""

    required_arguments = 1
    option_spec: ClassVar = {}

    def run(self) -> list[nodes.Node]:
        """Called by Sphinx."""
        chart = CHARTS[self.arguments[0]]
        up = "../" * self.env.docname.count("/")
        links = {text: f"{up}reference/{full}.html" for text, full in written().items() if text.startswith("wt.")}
        drawings = "".join(svg(chart, shape, links) for shape in _SHAPES)
        only = addnodes.only(expr="html")
        only += nodes.raw("", f'<div class="charts">{drawings}</div>', format="html")
        return [only]
