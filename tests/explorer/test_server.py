"""Who may talk to the server, and what it gives away."""

import asyncio
import json
import socket
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import numpy as np
import pytest
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

import wasserstein_transform as wt
from wasserstein_transform.explorer.data import Shelf


@pytest.fixture(scope="module")
def explorer():
    found = wt.explore(wt.datasets.dumbbell().points[::20], name="mine")
    yield found
    found.stop()


def _get(url, method="GET", data=None, **headers):
    request = urllib.request.Request(url, data=data, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def _origin(explorer):
    return f"http://127.0.0.1:{explorer.port}"


def test_only_this_machine_is_listened_to(explorer):
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in addresses - {"127.0.0.1"}:
        with socket.socket() as other:
            other.settimeout(1)
            if not address.startswith("127."):
                assert other.connect_ex((address, explorer.port)) != 0


def test_without_the_token_there_is_nothing(explorer):
    base = _origin(explorer)
    for path in (
        "/",
        "/static/js/bokeh.min.js",
        "/ws",
        "/autoload.js",
        "/metadata",
        "/open",
        "/wrong/",
        f"/{explorer.token[:-1]}/",
    ):
        assert _get(base + path)[0] == 404
    assert len(explorer.token) >= 24
    assert _get(explorer.url)[0] == 200


@pytest.mark.slow
def test_no_file_of_the_machine_is_given_away(explorer):
    for path in (
        "static/../../../../../../../etc/passwd", "static/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "open?name=/etc/passwd",
        "static/js/../../../server.py",
    ):  # fmt: skip
        status, content = _get(explorer.url + path)
        assert status in (403, 404, 405)
        assert b"root:" not in content
    assert _get(explorer.url + "?data=/etc/passwd")[0] == 200  # a name, and no such data set


def test_other_names_of_this_computer_are_not_answered(explorer):
    """A page of others may have its name lead here (DNS rebinding)."""
    for host in ("example.org", f"example.org:{explorer.port}", "127.0.0.1", f"localhost:{explorer.port + 1}"):
        assert _get(explorer.url, Host=host)[0] == 403
    assert _get(explorer.url, Host=f"localhost:{explorer.port}")[0] == 200


def test_browsers_are_told_what_the_page_may_do(explorer):
    with urllib.request.urlopen(explorer.url) as answer:
        page, headers = answer.read().decode(), answer.headers
    assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'self'; script-src" in page
    assert '<meta name="referrer" content="no-referrer">' in page


def test_the_token_is_not_logged(explorer, caplog):
    for path, method in (("open?name=a.csv", "POST"), ("nothing", "GET"), ("ws", "GET")):
        assert _get(explorer.url + path, method, Origin=_origin(explorer))[0] >= 400
        assert _get(explorer.url + path, method)[0] >= 400
    _get(explorer.url + "open?name=a.csv", "POST", b"", Origin=_origin(explorer))
    assert explorer.token not in caplog.text


def test_files_come_from_pages_of_this_server_only(explorer):
    url, table = explorer.url + "open?name=a.csv", b"x,y\n1,2\n3,4\n"
    for foreign in (
        "http://example.org",
        "null",
        "",
        f"http://127.0.0.1:{explorer.port + 1}",
        f"https://127.0.0.1:{explorer.port}",
    ):
        assert _get(url, "POST", table, Origin=foreign)[0] == 403
    assert _get(url, "POST", table)[0] == 403
    status, answer = _get(url, "POST", table, Origin=_origin(explorer))
    assert (status, json.loads(answer)) == (200, {"data": "a.csv"})


@pytest.mark.slow
def test_pages_of_others_cannot_open_a_socket(explorer):
    async def attempt(origin):
        url = explorer.url.replace("http", "ws", 1) + "ws"
        request = HTTPRequest(url, headers={"Origin": origin, "Sec-WebSocket-Protocol": "bokeh, none"})
        return await websocket_connect(request)

    for foreign in ("http://example.org", f"http://example.org:{explorer.port}", "null"):
        with ThreadPoolExecutor(1) as pool, pytest.raises(HTTPClientError, match="403"):
            pool.submit(asyncio.run, attempt(foreign)).result()  # a browser of another test may run a loop here


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.csv", b"", "empty"),
        ("words.csv", b"a,b\nc,d\ne,f\n", "no column to cluster"),
        ("..\\..\\evil.csv", b"a\nb\n", "evil.csv"),
    ],
)
def test_a_file_that_cannot_be_shown_is_refused_in_a_line(explorer, name, content, said):
    status, answer = _get(f"{explorer.url}open?name={quote(name)}", "POST", content, Origin=_origin(explorer))
    assert status == 400
    assert said in json.loads(answer)["error"]


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(explorer):
    with socket.create_connection(("127.0.0.1", explorer.port), timeout=10) as raw:
        raw.sendall(
            f"POST /{explorer.token}/open?name=a.csv HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: {_origin(explorer)}\r\n"
            f"Content-Length: {2 << 30}\r\n\r\n".encode()
        )
        assert raw.recv(100).split()[1:2] in ([b"413"], [b"400"], [])


@pytest.mark.parametrize("path", ["nothing", "{token}/", "{token}/nothing"])
def test_a_large_body_is_refused_where_no_file_is_expected(explorer, path):
    """Bodies are held in memory until they are complete, for addresses without the token, too."""
    with socket.create_connection(("127.0.0.1", explorer.port), timeout=10) as raw:
        raw.sendall(
            f"POST /{path.format(token=explorer.token)} HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: {_origin(explorer)}\r\n"
            f"Content-Length: {1 << 20}\r\n\r\n".encode()
        )
        assert raw.recv(100).split()[1:2] in ([b"413"], [b"400"], [])


def test_a_file_may_be_larger_than_other_bodies(explorer):
    table = b"x,y\n" + b"1.5,2.5\n" * 20_000
    status, answer = _get(explorer.url + "open?name=large.csv", "POST", table, Origin=_origin(explorer))
    assert (status, json.loads(answer)) == (200, {"data": "large.csv"})


def test_a_port_that_is_taken_is_said(explorer):
    with pytest.raises(OSError, match=f"port {explorer.port} is not available"):
        wt.explore(port=explorer.port)


def test_names_on_the_shelf_are_never_taken_twice():
    shelf = Shelf()
    assert [shelf.open("a.csv", b"x,y\n1,2\n") for _ in range(3)] == ["a.csv", "a.csv (2)", "a.csv (3)"]
    with pytest.raises(ValueError, match=r"the data set 'b\.csv' does not exist any more"):
        shelf.get("b.csv")


def test_arrays_frames_distances_and_files_can_be_explored(tmp_path):
    pandas = pytest.importorskip("pandas")
    X = np.random.default_rng(0).random((20, 2))
    (tmp_path / "x.csv").write_text("x,y\n1,2\n3,4\n")
    for given in (X, pandas.DataFrame(X, columns=["a", "b"]), wt.Space.from_points(X), tmp_path / "x.csv"):
        wt.explore(given).stop()
    distances = np.abs(X[:, :1] - X[:, 0])
    wt.explore(distances, metric="precomputed").stop()
    with pytest.raises(FileNotFoundError, match=r"nothere\.csv does not exist"):
        wt.explore(tmp_path / "nothere.csv")
    with pytest.raises(ValueError, match="labels must hold one label for each of the 20 points, got 3"):
        wt.explore(X, labels=[1, 2, 3])


def test_in_a_notebook_the_page_is_shown_below_the_cell(explorer):
    assert f'<iframe src="{explorer.url}"' in explorer._repr_html_()
