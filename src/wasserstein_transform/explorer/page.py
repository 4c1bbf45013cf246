"""One browser tab: its state, its requests, and the computations for it."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.core.properties import Bool, String
from bokeh.layouts import column
from bokeh.model import DataModel
from bokeh.models import Div

from .._check import redirect_warnings
from .._display import counted
from .._types import Ints
from ..engine import Engine
from ..spaces import rim
from .compute import add_metric, curve_of, run, scene_of, with_labels
from .data import Choice, DataSet, Shelf
from .newest import Newest
from .scene import NeighborCounts, Scene, frames_of
from .settings import METHODS, Settings
from .views import Views

if TYPE_CHECKING:
    from bokeh.document import Document

    from ..transforms import Trajectory

MAX_FIRST_POINTS = 5_000  # of more points, a sample of this many is computed and shown first
SECONDS_FOR_FIRST_PICTURE = 3.0  # seconds to wait for the first picture of a page
CONTROL_OF_ARGUMENT = {
    "columns": "Coordinates", "label": "Known labels", "weight": "Weights", "scale": "Scale",
    "missing": "Rows with gaps", "method": "Method", "eps": "ε", "lam": "λ", "n_iter": "τ", "p": "p",
}  # fmt: skip
VALUE_WORDS = {"None": "none", "drop": "leave out"}


class Wire(DataModel):  # type: ignore[misc]
    """Messages between browser and server, as JSON; `Page` handles them."""

    wanted = String(default="")
    pointed = String(default="")
    reply = String(default="")
    is_drawn = Bool(default=False)


@dataclass(frozen=True, eq=False)
class Shown:
    """The state of a tab. It is immutable; a change replaces it."""

    name: str
    choice: Choice
    data: DataSet | None = None
    settings: Settings | None = None
    curve: NeighborCounts | None = None
    scene: Scene | None = None
    is_partial: bool = False
    walk: Trajectory | None = None
    walks: dict[int, Trajectory] = field(default_factory=dict)
    """Trajectories of the sample and of all points, by their number of points, for the settings in `walks_of`."""
    walks_of: tuple[Any, ...] = ()
    labels: Ints | None = None


class Page:
    """A tab of the explorer.

    The browser sends requests in `wire.wanted`: open a data set, apply settings while a slider is dragged or when it is
    released, find clusters, save a file. A thread computes the newest request, in steps: a sample of the points, all
    points, then tree and distances. The event loop of the server puts each on the page and sends a reply with the id of
    the request and a sentence about what is computed next.
    """

    def __init__(self, document: Document, shelf: Shelf, query: Mapping[str, str], keep: Any) -> None:
        self.shelf, self._document, self._keep, self._query = shelf, document, keep, dict(query)
        self.wire, self._drawn = Wire(), threading.Event()
        self.wire.on_change("wanted", lambda _name, _old, new: self._receive(new))
        self.wire.on_change("is_drawn", lambda _name, _old, _new: self._drawn.set())
        self.wire.on_change("pointed", lambda _name, _old, new: self._balls.ask(json.loads(new)))
        self.body = column(Div(text="reading the data …"), name="views", sizing_mode="stretch_width", tags=[self.wire])
        self._views: Views | None = None
        self._is_closed = False
        name = query.get("data", "")
        self._shown = Shown(name if name in shelf.names else shelf.names[0], Choice())
        self.newest: Newest[dict[str, Any]] = Newest(self._work, self._fail)
        self._balls: Newest[dict[str, Any]] = Newest(self._find_ball, lambda *_: None)
        self.newest.ask({"id": 0, "what": "open", "data": self._shown.name})

    def close(self) -> None:
        """Stop all work for this tab."""
        self._is_closed = True
        self._drawn.set()
        self.newest.close()
        self._balls.close()

    def _receive(self, message: str) -> None:
        request = json.loads(message)
        if isinstance(request, dict):
            self.newest.ask(request)

    def _find_ball(self, request: dict[str, Any], engine: Engine) -> None:
        """Compute the ball of a point in a frame if the browser cannot find it from the drawn positions."""
        shown = self._shown
        if shown.walk is None or shown.settings is None:
            return
        point, frame, eps = int(request["point"]), int(request["frame"]), shown.settings.eps
        metric = shown.walk.states[frame].metric
        row = metric.block(np.array([point]), np.arange(metric.n), engine)[0]
        ball = np.flatnonzero(row <= rim(eps)).tolist()
        self._later(self._reply, {"ball": ball, "point": point, "frame": frame, "eps": eps})

    def _change_radius(self, _name: str, _old: float, new: float) -> None:
        """Apply a new radius after its line or its slider was dragged."""
        shown = self._shown
        if shown.settings is not None and abs(10**new / shown.settings.eps - 1) > 1e-6:
            settings = {**asdict(shown.settings), "eps": float(f"{10**new:.4g}")}
            self.newest.ask({"what": "settings", "settings": settings, "released": True})

    def _work(self, request: dict[str, Any], engine: Engine) -> None:
        notes: list[str] = []
        began = time.perf_counter()
        answers = {
            "open": self._open, "settings": self._apply, "clusters": self._cluster, "snapshot": self._save_snapshot,
        }  # fmt: skip
        answer = answers.get(str(request.get("what")))
        if answer is None:
            raise ValueError(f"unknown request {request.get('what')!r:.40} from the page; reload it")
        with redirect_warnings(notes.append):
            for shown, extra in answer(request, engine):
                engine.check()
                self._shown = shown
                reply = {"id": request.get("id"), "seconds": time.perf_counter() - began, "warnings": notes, **extra}
                self._later(self._show, shown, reply)

    def _fail(self, request: dict[str, Any], error: BaseException) -> None:
        self._later(self._reply, {"id": request.get("id"), "error": page_words(error), "final": True})

    def _later(self, function: Any, *arguments: Any) -> None:
        if not self._is_closed:
            self._document.add_next_tick_callback(partial(function, *arguments))

    def _open(self, request: dict[str, Any], engine: Engine) -> Iterator[Any]:
        """Show a data set with the suggested settings; when the page is loaded, with those of the URL."""
        name = str(request.get("data") or self._shown.name)
        choice = self.shelf.choice(name)
        if "choice" in request:
            choice = Choice(**{**request["choice"], "columns": tuple(request["choice"]["columns"])})
        data = self.shelf.get(name, choice)
        query = self._query if not request.get("id") else {}
        about = {
            "names": self.shelf.names, "data": name, "columns": self.shelf.columns(name), "choice": asdict(choice),
            "used": data.columns,
        }  # fmt: skip
        max_points = METHODS["gt"].most
        few = data.at_most(MAX_FIRST_POINTS)
        scene = frames_of([few.space], few.plane, few.columns)
        scene = replace(scene, title=name, rows=few.rows, truth=few.truth)
        shown = Shown(name, choice, data=data, scene=scene)
        yield shown, {"data": name, "state": f"{_part(few, data)} · looking for a radius …", "final": False}
        # computing would take the processors from a browser that draws its first picture
        self._drawn.wait(SECONDS_FOR_FIRST_PICTURE)
        curve = curve_of(data.at_most(max_points).space, engine)
        suggested = 1.0 if curve is None else curve.suggested
        radii = (suggested / 10, suggested * 10) if curve is None else (float(curve.radii[0]), float(curve.radii[-1]))
        has_points = data.space.points is not None
        settings = Settings.read(query, Settings(suggested, "gt" if has_points else "lt"))
        if not has_points and settings.rule.moves:
            settings = replace(settings, method="lt")
        limits = {
            "eps": radii, "suggested": suggested, "reason": "" if curve is None else curve.reason,
            "has_points": has_points,
        }  # fmt: skip
        yield from self._compute(replace(shown, settings=settings, curve=curve), engine, True, {**about, **limits})

    def _apply(self, request: dict[str, Any], engine: Engine) -> Iterator[Any]:
        """Apply the settings of the sliders."""
        given = {str(name): str(value) for name, value in dict(request.get("settings", {})).items()}
        shown, released = self._shown, bool(request.get("released"))
        if shown.settings is None:
            raise ValueError("no data set is open yet; choose one")
        settings = Settings.read(given, shown.settings)
        if released or settings.rule.moves:
            yield from self._compute(replace(shown, settings=settings), engine, released, {})

    def _compute(self, shown: Shown, engine: Engine, released: bool, extra: dict[str, Any]) -> Iterator[Any]:
        """Yield moved points of a sample; then, if `released`, all points, and the scene with tree and distances."""
        assert shown.data is not None
        assert shown.settings is not None
        settings = shown.settings
        data = shown.data.at_most(settings.rule.most)
        key = (shown.data, settings.key)
        shown = replace(shown, walks=dict(shown.walks) if shown.walks_of == key else {}, walks_of=key)
        reply = {**extra, "settings": asdict(settings), "query": settings.query}
        parts = [data] if data.n <= MAX_FIRST_POINTS else [data.at_most(MAX_FIRST_POINTS), data]
        for part in parts if released else parts[:1]:
            trajectory = shown.walks[part.n] = run(part, settings, engine, shown.walks.get(part.n))
            scene = replace(scene_of(part, settings, trajectory), title=shown.name, curve=shown.curve)
            scene = replace(scene, labels=None if shown.labels is None else shown.labels[part.rows])
            shown, is_last = replace(shown, walk=trajectory, scene=scene, is_partial=True), part is parts[-1]
            reply |= {"code": scene.code, "final": not released}
            next_step = "computing tree and distances …" if is_last else f"computing all {data.n:,} …"
            state = f"{_part(part, data)} · {next_step}" if released else _part(part, data)
            yield shown, {**reply, "state": state}
            if released and (is_last or extra):  # a new data set shows all views of its sample first
                scene = add_metric(scene, trajectory.states[settings.n_iter], engine)
                scene = scene if scene.labels is None else with_labels(scene, scene.labels, "new")
                shown = replace(shown, scene=scene, is_partial=False)
                state = _part(part, data) if is_last else f"{_part(part, data)} · {next_step}"
                yield shown, {**reply, "state": state, "final": is_last}

    def _cluster(self, request: dict[str, Any], engine: Engine) -> Iterator[Any]:
        """Find clusters without parameters, as an alternative to the cut."""
        shown = self._shown
        if shown.data is None or shown.scene is None:
            raise ValueError("no data set is open yet; choose one")
        from ..clustering import cluster

        clustering = cluster(shown.data.space, engine=engine)
        labels = np.full(shown.data.n_all, -1)
        labels[shown.data.rows] = clustering.labels
        scene = with_labels(shown.scene, labels[shown.scene.rows], "new")
        yield replace(shown, scene=scene, labels=labels), {"clusters": ". ".join(clustering.lines), "final": True}

    def _save_snapshot(self, request: dict[str, Any], engine: Engine) -> Iterator[Any]:
        """Offer the current page as one HTML file that needs no server."""
        from .report import page_of

        if self._shown.scene is not None:
            content = page_of(self._shown.scene).encode()
            yield self._shown, {"download": self._keep(f"{self._shown.name}.html", content), "final": True}

    def _show(self, shown: Shown, reply: dict[str, Any]) -> None:
        """Update the page, or show the error. Runs in the event loop of the server."""
        assert shown.scene is not None
        try:
            if self._views is None:
                self._views = Views(shown.scene, beside=True)
                self._views.neighbors.radius.on_change("value_throttled", self._change_radius)
                self.body.children = [self._views.layout]
            elif "download" not in reply:
                self._views.show(shown.scene, is_partial=shown.is_partial)
        except Exception as error:
            self._reply({"id": reply.get("id"), "error": page_words(error), "final": True})
            return
        notes = [*shown.scene.notes, *reply.pop("warnings", ())]
        self._reply({**reply, "notes": [page_words(note) for note in notes]})

    def _reply(self, reply: dict[str, Any]) -> None:
        self.wire.reply = json.dumps(reply)


def _part(part: DataSet, data: DataSet) -> str:
    return f"{part.n:,} of {counted(data.n, 'point')}" if part.n < data.n else counted(part.n, "point")


def page_words(error: BaseException | str) -> str:
    """The message of an error or a note in one line, with the controls of the page instead of parameters."""
    text = " ".join(str(error).split()) or type(error).__name__
    for name, control in CONTROL_OF_ARGUMENT.items():
        text = re.sub(rf"--{name}\b|\b{name}=\[\.\.\.\]", f"“{control}”", text)
        text = re.sub(rf"\b{name}=(None|'\w+'|\"\w+\")", lambda match: _setting(*match[0].split("=")), text)
    return text


def _setting(name: str, value: str) -> str:
    value = value.strip("'\"")
    return f"“{CONTROL_OF_ARGUMENT[name]}: {VALUE_WORDS.get(value, value)}”"
