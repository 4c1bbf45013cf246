"""The web server of the page. It listens on this computer only, at an address with a secret token."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import socket
import threading
from collections.abc import Collection
from queue import Queue
from typing import Any
from urllib.parse import quote

from bokeh.application import Application
from bokeh.application.handlers.function import FunctionHandler
from bokeh.core.templates import get_env
from bokeh.document import Document
from bokeh.models import CustomJS
from bokeh.server.server import BaseServer
from bokeh.server.tornado import BokehTornado
from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.ioloop import IOLoop
from tornado.web import ErrorHandler, HTTPError, OutputTransform, RequestHandler, stream_request_body

from ..engine import current
from .data import MAX_BYTES, Shelf
from .figures import static
from .page import Page, page_words

HOST = "127.0.0.1"
SECONDS_TO_END = 5.0  # seconds to wait for work to end
MAX_KEPT_FILES = 8  # files kept for download
# milliseconds after which the work of a closed tab is stopped; browsers take a while to connect
UNUSED_SESSION_MS = 10_000
_CONTENT_LENGTH = re.compile("[0-9]{1,12}")
FILE_MEMORY = 3.0  # memory for opening a file, at least, relative to its size
# largest body of a request in bytes, but for files: bodies are held for addresses without token, too
MAX_BODY_BYTES = 64 << 10
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws://127.0.0.1:* ws://localhost:*; "
        "object-src 'none'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self' http://127.0.0.1:* http://localhost:* vscode-webview:"  # of notebooks on this computer
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
MAX_MESSAGE_BYTES = 64 << 20  # largest message from a page in bytes; files are sent by HTTP requests instead


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
        self._downloads: dict[str, tuple[str, bytes]] = {}
        self.pages: dict[str, Page] = {}
        self.port = _find_port(port)
        self._server = self._bind()
        self._loop = self._server.io_loop
        self._ended = threading.Event()

    @property
    def url(self) -> str:
        """Address of the page, with its token."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def serve(self) -> None:
        """Serve in this thread until `stop` is called."""
        self._server.start()
        try:
            self._loop.start()
        finally:
            for page in list(self.pages.values()):
                page.close()
            self._server.unlisten()
            self._server.stop()
            self._loop.close(all_fds=True)
            self._ended.set()

    def wait(self) -> None:
        """Wait until the server has ended."""
        self._ended.wait()

    def stop(self) -> None:
        """Stop all work and the server. Call it from another thread than `serve`."""
        if not self._ended.is_set():
            self._loop.add_callback(self._loop.stop)
            self._ended.wait(SECONDS_TO_END)

    def __repr__(self) -> str:
        return f"<Explorer at {self.url}>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe src="{self.url}" style="width:100%;height:900px;border:0" title="Explorer"></iframe>'
            f'<p><a href="{self.url}" target="_blank" rel="noreferrer">open in a new window</a></p>'
        )

    def keep(self, name: str, content: bytes) -> str:
        """Keep a file for download and return its path, relative to the URL."""
        key = secrets.token_urlsafe(9)
        self._downloads[key] = (name, content)
        while len(self._downloads) > MAX_KEPT_FILES:
            del self._downloads[next(iter(self._downloads))]
        return f"download/{key}"

    def kept(self, key: str) -> tuple[str, bytes]:
        """The file with this key."""
        file = self._downloads.get(key)
        if file is None:
            raise HTTPError(404)
        return file

    def _bind(self) -> BaseServer:
        """A Bokeh server on the port."""
        hosts = {f"{HOST}:{self.port}", f"localhost:{self.port}"}
        handlers = [
            (r"/open", Opening, {"explorer": self}), (r"/download/([\w-]+)", Downloading, {"explorer": self}),
        ]  # fmt: skip
        application = _Application(
            {"/": Application(FunctionHandler(self._set_up))}, prefix=f"/{self.token}", extra_websocket_origins=hosts,
            extra_patterns=handlers, websocket_max_message_size_bytes=MAX_MESSAGE_BYTES,
            unused_session_lifetime_milliseconds=UNUSED_SESSION_MS, check_unused_sessions_milliseconds=1000,
            transforms=[_Headers],
        )  # fmt: skip
        application.hosts = hosts
        server = HTTPServer(application, max_body_size=MAX_BODY_BYTES)
        server.listen(self.port, HOST)
        return BaseServer(IOLoop.current(), application, server)

    def _set_up(self, document: Document) -> None:
        """Set up a new tab."""
        context = document.session_context
        arguments = {} if context is None or context.request is None else context.request.arguments
        query = {name: values[0].decode(errors="replace") for name, values in arguments.items() if values}
        page = Page(document, self.shelf, query, self.keep)
        key = "" if context is None else str(context.id)
        self.pages[key] = page
        document.add_root(page.body)
        document.js_on_event("document_ready", CustomJS(args={"wire": page.wire}, code="window.wtStart(wire)"))
        document.title = "Wasserstein Transform"
        document.template = get_env().from_string(static("page.html"))
        document.template_variables.update(css=static("page.css"), js=static("page.js"))
        document.on_session_destroyed(lambda _: self._leave(key))

    def _leave(self, key: str) -> None:
        page = self.pages.pop(key, None)
        if page is not None:
            page.close()


def _find_port(port: int) -> int:
    """The port if it is free; for 0, any free port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError):
            raise OSError(f"port {port} is not available; choose another one, or 0 for any free port") from None
        return int(probe.getsockname()[1])


class _Headers(OutputTransform):
    """Adds to every answer what browsers may do with it."""

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        headers.update(SECURITY_HEADERS)
        return status_code, headers, chunk


class _Application(BokehTornado):  # type: ignore[misc]
    """Answers those who name this computer, and changes and sockets only from its own pages; logs no address."""

    hosts: Collection[str] = ()

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> Any:
        reads = request.method in ("GET", "HEAD") and "Upgrade" not in request.headers
        origins = [f"http://{host}" for host in self.hosts]
        if request.host in self.hosts and (reads or request.headers.get("Origin") in origins):
            return super().find_handler(request, **kwargs)
        return self.get_handler_delegate(request, ErrorHandler, {"status_code": 403})

    def log_request(self, handler: RequestHandler) -> None:
        """The address has the token."""


class _OfExplorer(RequestHandler):
    def initialize(self, explorer: Explorer, **_: Any) -> None:
        self.explorer = explorer


@stream_request_body
class Opening(_OfExplorer):
    """Receives a file that the user chose on the page, as the body of a POST request."""

    def prepare(self) -> None:
        if self.request.method != "POST":
            raise HTTPError(405)
        size = self.request.headers.get("Content-Length", "")
        if not _CONTENT_LENGTH.fullmatch(size) or int(size) > MAX_BYTES or not current().fits(FILE_MEMORY * int(size)):
            raise HTTPError(413)
        self.request.connection.set_max_body_size(int(size))  # type: ignore[union-attr]
        self._content = bytearray()

    def data_received(self, chunk: bytes) -> None:
        self._content += chunk

    async def post(self) -> None:
        name = self.get_query_argument("name", "file")
        self.set_header("Content-Type", "application/json")
        try:
            added = await IOLoop.current().run_in_executor(None, self.explorer.shelf.open, name, bytes(self._content))
            self.write(json.dumps({"data": added}))
        except Exception as error:  # any error is shown on the page
            self.set_status(400)
            self.write(json.dumps({"error": page_words(error)}))


class Downloading(_OfExplorer):
    """Sends a file that was made for the page."""

    def get(self, key: str) -> None:
        name, content = self.explorer.kept(key)
        self.set_header("Content-Type", "application/octet-stream")
        self.set_header("Content-Disposition", f"attachment; filename*=UTF-8''{quote(name)}")
        self.write(content)


def in_thread(shelf: Shelf, port: int = 0) -> Explorer:
    """Start an Explorer in a new thread."""
    answer: Queue[Explorer | BaseException] = Queue()

    def work() -> None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            explorer = Explorer(shelf, port)
        except BaseException as error:  # raised again in the calling thread
            loop.close()
            answer.put(error)
            return
        answer.put(explorer)
        explorer.serve()

    threading.Thread(target=work, name="explorer", daemon=True).start()
    result = answer.get()
    if isinstance(result, BaseException):
        raise result
    return result
