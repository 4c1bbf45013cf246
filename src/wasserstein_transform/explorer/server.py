"""The web server of the page. It listens on this computer only, at an address with a secret token."""

from __future__ import annotations

import secrets
import socket
import threading
from collections.abc import Collection
from typing import Any

from bokeh.application import Application
from bokeh.application.handlers.function import FunctionHandler
from bokeh.core.templates import get_env
from bokeh.document import Document
from bokeh.models import CustomJS
from bokeh.server.server import BaseServer
from bokeh.server.tornado import BokehTornado
from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPServerRequest
from tornado.ioloop import IOLoop
from tornado.web import ErrorHandler, HTTPError, OutputTransform, RequestHandler, stream_request_body

from ..engine import current
from .data import MAX_BYTES, Shelf
from .figures import static
from .page import Page, in_a_line, naming_controls

HOST = "127.0.0.1"
HEADERS = {  # other rules are in the page, which cannot say this one
    "Content-Security-Policy": "frame-ancestors 'self' http://127.0.0.1:* http://localhost:* vscode-webview:",
    "X-Content-Type-Options": "nosniff",
}
SECONDS_TO_END = 5.0  # seconds to wait for work to end
UNUSED_SESSION_MS = 10_000
"""Milliseconds after which the work of a closed tab is stopped; browsers take a while to connect."""
FILE_MEMORY = 3.0  # memory for opening a file, at least, relative to its size
MAX_BODY_BYTES = 64 << 10
"""Largest body of a request in bytes, but for files: bodies are held in memory for addresses without token, too."""


class Explorer:
    """A running server, as `wt.explore` returns it.

    Attributes
    ----------
    url : str
        Address of the page.
    port : int
        Port of the server.
    shelf : Shelf
        Data sets that the page offers.
    pages : dict
        The open tabs.
    """

    def __init__(self, shelf: Shelf, port: int = 0) -> None:
        self.shelf, self.token = shelf, secrets.token_urlsafe(24)
        self.pages: dict[str, Page] = {}
        try:
            listening = socket.create_server((HOST, port))
        except (OSError, OverflowError):
            raise OSError(f"port {port} is not available; choose another one, or 0 for any free port") from None
        listening.setblocking(False)
        self.port = listening.getsockname()[1]
        is_started = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(listening, is_started), name="explorer", daemon=True)
        self._thread.start()
        is_started.wait()

    @property
    def url(self) -> str:
        """Address of the page, with its token."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def wait(self) -> None:
        """Wait until the server has ended."""
        self._thread.join()

    def stop(self) -> None:
        """Stop all work and the server."""
        if self._thread.is_alive():
            self._loop.add_callback(self._loop.stop)
            self._thread.join(SECONDS_TO_END)

    def __repr__(self) -> str:
        return f"<Explorer at {self.url}>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe src="{self.url}" style="width:100%;height:900px;border:0" title="Explorer"></iframe>'
            f'<p><a href="{self.url}" target="_blank" rel="noreferrer">open in a new window</a></p>'
        )

    def _serve(self, listening: socket.socket, is_started: threading.Event) -> None:
        """Serve in this thread until `stop` is called."""
        self._loop = IOLoop(make_current=True)
        hosts = {f"{HOST}:{self.port}", f"localhost:{self.port}"}
        application = _Application(
            {"/": Application(FunctionHandler(self._set_up))}, prefix=f"/{self.token}", extra_websocket_origins=hosts,
            extra_patterns=[(r"/open", Opening, {"shelf": self.shelf})],
            unused_session_lifetime_milliseconds=UNUSED_SESSION_MS, check_unused_sessions_milliseconds=1000,
            log_function=lambda _: None,  # the address has the token
        )  # fmt: skip
        application.hosts = hosts
        application.add_transform(_Headers)
        http = HTTPServer(application, max_body_size=MAX_BODY_BYTES)
        http.add_socket(listening)
        server = BaseServer(self._loop, application, http)
        server.start()
        is_started.set()
        self._loop.start()
        for page in self.pages.values():
            page.close()
        server.unlisten()
        server.stop()
        self._loop.close(all_fds=True)

    def _set_up(self, document: Document) -> None:
        """Set up a new tab."""
        context: Any = document.session_context
        arguments = {} if context.request is None else context.request.arguments
        page = Page(
            document, self.shelf, {name: values[0].decode(errors="replace") for name, values in arguments.items()}
        )
        self.pages[context.id] = page
        document.add_root(page.body)
        document.js_on_event("document_ready", CustomJS(args={"wire": page.wire}, code="window.wtStart(wire)"))
        document.title = "Wasserstein Transform"
        document.template = get_env().from_string(static("page.html"))
        document.template_variables.update(css=static("page.css"), js=static("page.js"))
        document.on_session_destroyed(lambda _: self.pages.pop(context.id).close())


class _Headers(OutputTransform):
    def transform_first_chunk(self, status_code: int, headers: Any, chunk: bytes, finishing: bool) -> Any:
        headers.update(HEADERS)
        return status_code, headers, chunk


class _Application(BokehTornado):  # type: ignore[misc]
    """Answers those who name this computer, and requests that change something only from its own pages."""

    hosts: Collection[str] = ()

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> Any:
        is_own = request.headers.get("Origin") in [f"http://{host}" for host in self.hosts]
        if request.host in self.hosts and (request.method in ("GET", "HEAD") or is_own):
            return super().find_handler(request, **kwargs)
        return self.get_handler_delegate(request, ErrorHandler, {"status_code": 403})


@stream_request_body
class Opening(RequestHandler):
    """Receives a file that the user chose on the page, as the body of a POST request."""

    def initialize(self, shelf: Shelf, **_: Any) -> None:
        self.shelf = shelf

    def prepare(self) -> None:
        if self.request.method != "POST":
            raise HTTPError(405)
        size = int(self.request.headers.get("Content-Length", MAX_BYTES + 1))
        if size > MAX_BYTES or not current().fits(FILE_MEMORY * size):
            raise HTTPError(413)
        self.request.connection.set_max_body_size(size)  # type: ignore[union-attr]
        self._content = bytearray()

    def data_received(self, chunk: bytes) -> None:
        self._content += chunk

    async def post(self) -> None:
        try:
            self.write({"data": await IOLoop.current().run_in_executor(None, self._put)})
        except Exception as error:  # any error is shown on the page
            self.set_status(400)
            self.write({"error": in_a_line(error)})

    def _put(self) -> str:
        with naming_controls():
            return self.shelf.open(self.get_query_argument("name", "file"), bytes(self._content))
