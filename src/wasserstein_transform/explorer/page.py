"""One browser tab: its state, its requests, and the computations for it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.core.properties import String
from bokeh.layouts import column
from bokeh.model import DataModel
from bokeh.models import Div

from .._check import redirect_warnings, use_option_texts
from .._display import counted
from .._types import Ints
from ..engine import Engine
from ..parameters import suggestion_of
from ..spaces import Space, rim
from ..transforms import iterate
from .data import Choice, DataSet, Shelf
from .newest import Newest
from .report import page_of
from .scene import Scene, add_metric, scene_of
from .settings import Settings
from .views import Views

if TYPE_CHECKING:
    from bokeh.document import Document

    from ..transforms import Trajectory

MAX_FIRST_POINTS = 5_000  # of more points, a sample of this many is computed and shown first
CONTROL_OF_ARGUMENT = {
    "columns": "Coordinates", "label": "Known labels", "weight": "Weights", "scale": "Scale",
    "missing": "Rows with gaps", "method": "Method", "eps": "ε", "lam": "λ", "n_iter": "τ", "p": "p",
}  # fmt: skip
CHOICE_OF_VALUE = {"None": "none", "'drop'": "leave out"}


class Wire(DataModel):  # type: ignore[misc]
    """Messages between browser and server, as JSON: a request, a point that is pointed at, the answer."""

    wanted = String(default="")
    pointed = String(default="")
    reply = String(default="")


@dataclass(frozen=True, eq=False)
class Shown:
    """The state of a tab. It is immutable; a change replaces it."""

    data: DataSet
    settings: Settings
    scene: Scene | None = None
    states: Sequence[Space] = ()
    is_partial: bool = False
    labels: Ints | None = None
    walks: dict[tuple[str, int], Trajectory] = field(default_factory=dict)
    """Trajectories for these settings, by estimator without iterations, and number of points: of a sample, of all."""


class Page:
    """A tab of the explorer.

    The browser sends requests in `wire.wanted`: open a data set, apply settings while a slider is dragged or when it is
    released, find clusters, save a file. A thread computes the newest request, in steps: a sample of the points, all
    points, then tree and distances. The event loop of the server puts each on the page and sends a reply with the id of
    the request and a sentence about what is computed next.
    """

    def __init__(self, document: Document, shelf: Shelf, query: Mapping[str, str]) -> None:
        self.shelf, self._document, self.wire = shelf, document, Wire()
        self._newest = Newest(self._work, self._fail)
        self.wire.on_change("wanted", lambda _name, _old, new: self._newest.ask(json.loads(new)))
        self.wire.on_change("pointed", lambda _name, _old, new: self._find_ball(**json.loads(new)))
        self.body = column(Div(text="reading the data …"), name="views", sizing_mode="stretch_width", tags=[self.wire])
        self._views: Views | None = None
        self._is_closed = False
        self._shown: Shown | None = None
        name = query.get("data", "")
        first = name if name in shelf.names else shelf.names[0]
        self._newest.ask({"id": 0, "what": "open", "data": first, "settings": dict(query)})

    def close(self) -> None:
        """Stop all work for this tab."""
        self._is_closed = True
        self._newest.close()

    def _find_ball(self, point: int, frame: int) -> None:
        """Tell the ball of a point in a frame, which the browser cannot find from the drawn positions."""
        shown = self._shown
        if shown is not None and frame < len(shown.states) and point < shown.states[frame].n:
            metric, eps = shown.states[frame].metric, shown.settings.eps
            ball = np.flatnonzero(metric.block(np.array([point]), np.arange(metric.n))[0] <= rim(eps))
            self._reply({"ball": ball.tolist(), "point": point, "frame": frame, "eps": eps})

    def _work(self, request: dict[str, Any], engine: Engine) -> None:
        notes: list[str] = []
        began = time.perf_counter()
        answers = {
            "open": self._open, "settings": self._apply, "clusters": self._cluster, "snapshot": self._save_snapshot,
        }  # fmt: skip
        with redirect_warnings(notes.append), naming_controls():
            for shown, extra in answers[request["what"]](request, engine):
                engine.check()
                scene = None if shown is self._shown else shown.scene
                self._shown = shown
                all_notes = [] if shown.scene is None else [*shown.scene.notes, *notes]
                reply = {"id": request["id"], "seconds": time.perf_counter() - began, "notes": all_notes, **extra}
                self._later(self._show, scene, shown.is_partial, reply)

    def _fail(self, request: dict[str, Any], error: BaseException) -> None:
        self._later(self._reply, {"id": request["id"], "error": in_a_line(error), "final": True})

    def _later(self, function: Any, *arguments: Any) -> None:
        if not self._is_closed:
            self._document.add_next_tick_callback(partial(function, *arguments))

    def _open(self, request: dict[str, Any], engine: Engine) -> Iterator[Any]:
        """Show a data set with the suggested settings; when the page is loaded, with those of the URL."""
        name = request["data"]
        choices = self.shelf.choices(name)
        choices["choice"] = Choice(**request["choice"]) if "choice" in request else choices["choice"]
        data = self.shelf.get(name, choices["choice"])
        has_points = data.space.points is not None
        suggested, few = Settings(1.0, "gt" if has_points else "lt"), data.at_most(MAX_FIRST_POINTS)
        scene = replace(scene_of([few.space], few.plane, name, few.columns), rows=few.rows, truth=few.truth)
        state = f"{counted(data.n, 'point')} · looking for a radius …"
        yield Shown(data, suggested, scene, is_partial=True), {"data": name, "state": state, "final": False}
        suggestion = suggestion_of(data.at_most(suggested.max_points).space, "clusters", engine)
        suggested = replace(suggested, eps=float(suggestion.eps))
        settings = Settings.read(request.get("settings", {}), suggested)
        if not has_points:
            settings = replace(settings, method="lt")
        about = {
            **choices, "choice": asdict(choices["choice"]), "names": self.shelf.names, "data": name,
            "used": data.columns, "suggested": suggested.eps, "reason": suggestion.reason, "has_points": has_points,
        }  # fmt: skip
        yield from self._compute(Shown(data, settings), engine, released=True, extra=about)

    def _apply(self, request: dict[str, Any], engine: Engine) -> Iterator[Any]:
        """Apply the settings of the sliders."""
        assert self._shown is not None
        settings = Settings.read(request["settings"], self._shown.settings)
        if request["released"] or settings.moves_points:
            yield from self._compute(replace(self._shown, settings=settings), engine, request["released"], {})

    def _compute(self, shown: Shown, engine: Engine, released: bool, extra: dict[str, Any]) -> Iterator[Any]:
        """Yield moved points of a sample; then, if `released`, all points, and the scene with tree and distances."""
        settings = shown.settings
        data = shown.data.at_most(settings.max_points)
        reply = {**extra, "settings": asdict(settings), "code": shown.data.code(settings.estimator)}
        parts = [data] if data.n <= MAX_FIRST_POINTS else [data.at_most(MAX_FIRST_POINTS), data]
        for part in parts if released else parts[:1]:
            shown = move_points(shown, part, engine)
            n = f"{part.n:,} of {counted(data.n, 'point')}" if part.n < data.n else counted(part.n, "point")
            then = "tree and distances" if part is parts[-1] else f"all {data.n:,}"
            state = f"{n} · computing {then} …" if released else n
            yield shown, {**reply, "state": state, "final": not released}
        if released:
            assert shown.scene is not None
            scene = add_metric(shown.scene, shown.states[-1], engine)
            yield replace(shown, scene=scene, is_partial=False), {**reply, "state": n, "final": True}

    def _cluster(self, request: dict[str, Any], engine: Engine) -> Iterator[Any]:
        """Find clusters without parameters, as an alternative to the cut."""
        from ..clustering import cluster

        shown = self._shown
        assert shown is not None
        assert shown.scene is not None
        clustering = cluster(shown.data.space, engine=engine)
        labels = np.full(shown.data.n_all, -1)
        labels[shown.data.rows] = clustering.labels
        scene = replace(shown.scene, labels=labels[shown.scene.rows])
        yield replace(shown, scene=scene, labels=labels), {"clusters": ". ".join(clustering.lines), "final": True}

    def _save_snapshot(self, request: dict[str, Any], engine: Engine) -> Iterator[Any]:
        """Offer the current page as one HTML file that needs no server."""
        assert self._shown is not None
        assert self._shown.scene is not None
        scene = self._shown.scene
        yield self._shown, {"file": f"{scene.title}.html", "content": page_of(scene, scene.title), "final": True}

    def _show(self, scene: Scene | None, is_partial: bool, reply: dict[str, Any]) -> None:
        """Update the page. Runs in the event loop of the server."""
        if scene is not None and self._views is None:
            self._views = Views(scene, is_partial=is_partial)
            self.body.children = [self._views.layout]
        elif scene is not None and self._views is not None:
            self._views.show(scene, is_partial=is_partial)
        self._reply(reply)

    def _reply(self, reply: dict[str, Any]) -> None:
        self.wire.reply = json.dumps(reply)


def move_points(shown: Shown, part: DataSet, engine: Engine) -> Shown:
    """The state with the moved points of a part of the data, without tree and distances."""
    settings = shown.settings
    key = replace(settings, n_iter=0).estimator, part.n
    walks = {other: walk for other, walk in shown.walks.items() if other[0] == key[0]}
    walk = walks.get(key)
    if walk is None or walk.n_iter < settings.n_iter:
        space, n_iter = part.space, settings.n_iter
        walk = iterate(settings.process(), space, n_iter=n_iter, keep="all", resume=walk, engine=engine)
    states = walk.states[: settings.n_iter + 1]
    scene = scene_of(states, part.plane, part.name, part.columns)
    scene = replace(
        scene, rows=part.rows, eps=settings.eps, truth=part.truth, code=shown.data.code(settings.estimator),
        labels=None if shown.labels is None else shown.labels[part.rows], notes=(*part.notes, *scene.notes),
    )  # fmt: skip
    return replace(shown, scene=scene, states=states, is_partial=True, walks={**walks, key: walk})


def in_a_line(error: BaseException) -> str:
    """The message of an error in one line."""
    return " ".join(str(error).split()) or type(error).__name__


def naming_controls() -> AbstractContextManager[None]:
    """Let messages name the controls of the page instead of parameters."""
    return use_option_texts(_control)


def _control(python: str, argument: str) -> str:
    name, _, value = argument.partition("=")
    if name not in CONTROL_OF_ARGUMENT:
        return python
    choice = CHOICE_OF_VALUE.get(value, value.strip("'"))
    return (
        f"“{CONTROL_OF_ARGUMENT[name]}: {choice}”" if choice and value != "[...]" else f"“{CONTROL_OF_ARGUMENT[name]}”"
    )
