"""A real browser for tests: headless Chromium, driven by Playwright; every request and every error is kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
_OWN = ("file:", "data:", "blob:", "about:")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; tests are skipped, with what is missing, where it cannot be had."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright (pip install playwright)")
    program = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"needs a browser: none of {', '.join(_NAMES)} is installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=_ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page, the requests it made to others, and what went wrong."""

    page: Any
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def run(self, code: str, argument: Any = None) -> Any:
        """The value of a JavaScript expression, or of a function of the argument."""
        return self.page.evaluate(code, argument)

    def place(self, figure: str, x: float, y: float) -> tuple[float, float]:
        """Where a point of a figure is in the window, which is scrolled there if need be."""
        found = self.run(
            """([name, x, y]) => {
              const view = Bokeh.index.find_one(wassersteinPage.m[name]), {x_scale, y_scale} = view.frame;
              view.el.scrollIntoView({block: "center"});
              const box = view.canvas_view.el.getBoundingClientRect();
              return [box.left + x_scale.compute(x), box.top + y_scale.compute(y)];
            }""",
            [figure, x, y],
        )
        return found[0], found[1]

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press, move in some steps, release."""
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=4)
        self.page.mouse.up()


@contextmanager
def opened(chromium: Any, path: Path, *, width: int = 1400, height: int = 900, **options: Any) -> Iterator[Opened]:
    """A file in a window of its own, once it is ready; options are those of a Playwright context."""
    context = chromium.new_context(viewport={"width": width, "height": height}, **options)
    try:
        seen = Opened(context.new_page())
        seen.page.on("console", lambda said: seen.errors.append(said.text) if _is_bad(said) else None)
        seen.page.on("pageerror", lambda error: seen.errors.append(str(error)))
        seen.page.on("request", lambda asked: None if asked.url.startswith(_OWN) else seen.requests.append(asked.url))
        seen.page.goto(path.as_uri())
        seen.page.wait_for_selector("html[data-ready=yes]", timeout=20_000)
        settle(seen)
        yield seen
    finally:
        context.close()


def settle(seen: Opened) -> None:
    """Let what was asked for be drawn."""
    seen.run("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60)))")


def _is_bad(said: Any) -> bool:
    """Errors and warnings, but no advice of the browser on speed."""
    return said.type in ("error", "warning") and not said.text.startswith(("Canvas2D:", "[.WebGL"))
