"""One browser tab: its state, its requests, and the computations for it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.core.properties import String
from bokeh.layouts import column
from bokeh.model import DataModel
from bokeh.models import Div

from .._check import redirect_warnings
from .._shown import counted
from ..engine import Engine
from ..spaces import rim
from .making import points_of, run
from .newest import Newest, in_words
from .pictures import Brushes, Painted, Picture, as_npy, segmented
from .scene import Curve, Scene
from .seeing import curve_of, seen
from .sets import DataSet
from .settings import METHODS, Settings
from .shelf import Choice, Shelf
from .views import Views
from .views.images import ImageViews

if TYPE_CHECKING:
    from bokeh.document import Document

    from ..transforms import Trajectory


class Wire(DataModel):  # type: ignore[misc]
    """Messages between browser and server, as JSON; `Page` handles them."""

    wanted = String(default="")
    pointed = String(default="")
    reply = String(default="")


@dataclass(frozen=True, eq=False)
class Shown:
    """The state of a tab. It is immutable; a change replaces it."""

    name: str
    choice: Choice
    data: DataSet | None = None
    picture: Picture | None = None
    settings: Settings | None = None
    brushes: Brushes | None = None
    curve: Curve | None = None
    scene: Scene | Painted | None = None
    walk: Trajectory | None = None
    walk_key: tuple[Any, ...] = ()
    labels: Any = None


class Page:
    """A tab of the explorer.

    The browser sends requests in `wire.wanted`: open a data set, apply settings while a slider is dragged or when it is
    released, find clusters, make a snapshot. A thread computes the newest request. The event loop of the server puts
    the result on the page and sends a reply with the id of the request.
    """

    def __init__(self, document: Document, shelf: Shelf, asked: Mapping[str, str], keep: Any) -> None:
        self.shelf, self._document, self._keep = shelf, document, keep
        self.wire = Wire()
        self.wire.on_change("wanted", self._heard)
        self.wire.on_change("pointed", self._pointed)
        self.body = column(Div(text="computing …"), name="views", sizing_mode="stretch_width", tags=[self.wire])
        self._views: Views | ImageViews | None = None
        name = asked.get("data", "")
        self._shown = Shown(name if name in shelf.names else shelf.names[0], Choice())
        self._asked = dict(asked)
        self.newest: Newest[dict[str, Any]] = Newest(self._work, self._failed)
        self._balls: Newest[dict[str, Any]] = Newest(self._surround, lambda *_: None)
        self.newest.ask({"id": 0, "what": "open", "data": self._shown.name})

    def close(self) -> None:
        """Stop all work for this tab."""
        self.newest.close()
        self._balls.close()

    def _heard(self, _name: str, _old: str, new: str) -> None:
        request = json.loads(new)
        if isinstance(request, dict):
            self.newest.ask(request)

    def _pointed(self, _name: str, _old: str, new: str) -> None:
        self._balls.ask(json.loads(new))

    def _surround(self, request: dict[str, Any], engine: Engine) -> None:
        """Compute the ball of a point in a frame if the browser cannot find it from the drawn positions."""
        shown = self._shown
        if shown.walk is None or shown.settings is None:
            return
        point, frame, eps = int(request["point"]), int(request["frame"]), shown.settings.eps
        metric = shown.walk.states[frame].metric
        row = metric.block(np.array([point]), np.arange(metric.n), engine)[0]
        ball = np.flatnonzero(row <= rim(eps)).tolist()
        self._document.add_next_tick_callback(
            partial(self._tell, {"ball": ball, "point": point, "frame": frame, "eps": eps})
        )

    def _widened(self, _name: str, _old: float, new: float) -> None:
        """Apply a new radius after its line or its slider was dragged."""
        shown = self._shown
        if shown.settings is not None and abs(10**new / shown.settings.eps - 1) > 1e-6:
            settings = {**asdict(shown.settings), "eps": float(f"{10**new:.4g}")}
            self.newest.ask({"what": "settings", "settings": settings, "released": True})

    def _work(self, request: dict[str, Any], engine: Engine) -> None:
        notes: list[str] = []
        began = time.perf_counter()
        with redirect_warnings(notes.append):
            answers = {
                "open": self._open, "settings": self._settle, "clusters": self._cluster, "snapshot": self._snapshot,
                "labels": self._labels,
            }  # fmt: skip
            answer = answers.get(str(request.get("what")))
            if answer is None:
                raise ValueError(f"unknown request {request.get('what')!r:.40} from the page; reload it")
            for shown, extra in answer(request, engine):
                engine.check()
                self._shown = shown
                seconds = time.perf_counter() - began
                self._document.add_next_tick_callback(
                    partial(
                        self._show, shown, {"id": request.get("id"), "seconds": seconds, "warnings": notes, **extra}
                    )
                )

    def _failed(self, request: dict[str, Any], error: BaseException) -> None:
        reply = {"id": request.get("id"), "error": in_words(error), "final": True}
        self._document.add_next_tick_callback(partial(self._tell, reply))

    def _open(self, request: dict[str, Any], engine: Engine) -> Any:
        """Show a data set with the suggested settings; when the page is loaded, with those of the URL."""
        name = str(request.get("data") or self._shown.name)
        choice = self.shelf.choice(name)
        if "columns" in request:
            choice = Choice(tuple(request["columns"]), str(request.get("label", "")), str(request.get("weight", "")))
        found = self.shelf.get(name, choice)
        asked = self._asked if not request.get("id") else {}
        about = {
            "names": self.shelf.names, "data": name, "columns": self.shelf.columns(name), "choice": asdict(choice),
            "kind": "picture" if isinstance(found, Picture) else "points",
        }  # fmt: skip
        if isinstance(found, Picture):
            shown = Shown(name, choice, picture=found, brushes=Brushes.read(asked))
            yield from self._paint(shown, engine, about)
            return
        curve = curve_of(found.at_most(METHODS["gt"].most).space, engine)
        suggested = 1.0 if curve is None else curve.suggested
        radii = (suggested / 10, suggested * 10) if curve is None else (float(curve.radii[0]), float(curve.radii[-1]))
        has_points = found.space.points is not None
        settings = Settings.read(asked, Settings(suggested, "gt" if has_points else "lt"))
        if not has_points and settings.rule.moves:
            settings = replace(settings, method="lt")
        shown = Shown(name, choice, data=found, settings=settings, curve=curve)
        limits = {
            "eps": radii, "suggested": suggested, "reason": "" if curve is None else curve.reason,
            "has_points": has_points, "n": found.n_all,
        }  # fmt: skip
        yield from self._compute(shown, engine, True, {**about, **limits})

    def _settle(self, request: dict[str, Any], engine: Engine) -> Any:
        asked = {str(name): str(value) for name, value in dict(request.get("settings", {})).items()}
        shown = self._shown
        if shown.picture is not None:
            if request.get("released"):
                yield from self._paint(replace(shown, brushes=Brushes.read(asked)), engine, {})
            return
        if shown.settings is None:
            raise ValueError("no data set is open yet; choose one")
        settings = Settings.read(asked, shown.settings)
        released = bool(request.get("released"))
        if released or settings.rule.moves:
            yield from self._compute(replace(shown, settings=settings), engine, released, {})

    def _compute(self, shown: Shown, engine: Engine, whole: bool, extra: dict[str, Any]) -> Any:
        """Yield the moved points first; then, if `whole`, the scene with tree, embedding and distances."""
        assert shown.data is not None
        assert shown.settings is not None
        settings = shown.settings
        data = shown.data.at_most(settings.rule.most)
        known = shown.walk if shown.walk_key == (shown.data, settings.key) else None
        walk = run(data, settings, engine, known)
        scene = replace(points_of(data, settings, walk), curve=shown.curve, labels=_on(shown.labels, data))
        shown = replace(shown, walk=walk, walk_key=(shown.data, settings.key), scene=scene)
        told = {**extra, "settings": asdict(settings), "code": scene.code, "query": settings.query}
        yield shown, {**told, "final": not whole}
        if whole:
            scene = seen(scene, walk.states[settings.n_iter], engine)
            yield replace(shown, scene=scene), {**told, "final": True}

    def _cluster(self, request: dict[str, Any], engine: Engine) -> Any:
        """Find clusters without parameters, as an alternative to the cut."""
        shown = self._shown
        if shown.data is None or not isinstance(shown.scene, Scene):
            raise ValueError("an image has regions, not clusters; choose a data set of points")
        from ..auto import cluster

        found = cluster(shown.data.space, engine=engine)
        labels = np.full(shown.data.n_all, -1)
        labels[shown.data.rows] = found.labels
        data = shown.data.at_most(shown.settings.rule.most if shown.settings else shown.data.n)
        scene = replace(shown.scene, labels=_on(labels, data))
        yield replace(shown, scene=scene, labels=labels), {"clusters": ". ".join(found.lines), "final": True}

    def _paint(self, shown: Shown, engine: Engine, extra: dict[str, Any]) -> Any:
        assert shown.picture is not None
        assert shown.brushes is not None
        painted = segmented(shown.picture, shown.brushes, engine)
        told = {
            "settings": asdict(shown.brushes), "code": painted.code, "query": shown.brushes.query,
            "said": counted(painted.n_regions, "region"),
        }  # fmt: skip
        yield replace(shown, scene=painted), {**extra, **told, "final": True}

    def _labels(self, request: dict[str, Any], engine: Engine) -> Any:
        """Offer the labels of the regions of an image as an NPY file."""
        shown = self._shown
        if not isinstance(shown.scene, Painted):
            raise ValueError("labels of points are saved by the page itself; this request is for images")
        yield shown, {"download": self._keep("labels.npy", as_npy(shown.scene.labels)), "final": True}

    def _snapshot(self, request: dict[str, Any], engine: Engine) -> Any:
        """Offer the current page as one HTML file that needs no server."""
        from .report import page_of

        shown = self._shown
        if not isinstance(shown.scene, Scene):
            raise ValueError("a snapshot shows points; choose a data set of points")
        content = page_of(shown.scene).encode()
        yield shown, {"download": self._keep(f"{shown.name}.html", content), "final": True}

    def _show(self, shown: Shown, reply: dict[str, Any]) -> None:
        """Update the page, or show the error. Runs in the event loop of the server."""
        try:
            self._draw(shown.scene)
        except Exception as error:
            self._tell({"id": reply.get("id"), "error": in_words(error), "final": True})
            return
        notes = [*(shown.scene.notes if shown.scene is not None else ()), *reply.pop("warnings", ())]
        self._tell({**reply, "notes": notes})

    def _draw(self, scene: Scene | Painted | None) -> None:
        views = self._views
        if isinstance(scene, Painted):
            if isinstance(views, ImageViews):
                views.show(scene)
            else:
                self._put(ImageViews(scene))
        elif scene is not None:
            if isinstance(views, Views):
                views.show(scene)
            else:
                self._put(new := Views(scene, beside=True))
                new.radius.on_change("value_throttled", self._widened)

    def _put(self, views: Views | ImageViews) -> None:
        self._views = views
        self.body.children = [views.layout]

    def _tell(self, reply: dict[str, Any]) -> None:
        self.wire.reply = json.dumps(reply)


def _on(labels: Any, data: DataSet) -> Any:
    """The labels of the rows that are shown."""
    return None if labels is None else labels[data.rows]
