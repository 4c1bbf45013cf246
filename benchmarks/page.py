"""The page in a real browser: first picture, all views, and steps of the ε slider, until the new frame is drawn."""

from __future__ import annotations

import shutil
import time
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

import wasserstein_transform as wt

from .timing import Row

_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
_STEPS = 5
_DRAWN = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
_PICTURE = "() => window.wassersteinPage?.begun && wtPage.answers.length > 0"
_DONE = "(n) => wtPage.answers.slice(n).some((a) => a.final) && wtPage.queue.answered >= wtPage.queue.sent"
_STEP = """() => {
  const slider = document.getElementById("eps"), n = wtPage.answers.length;
  slider.value = Number(slider.value) - 10;
  for (const kind of ["input", "change"]) slider.dispatchEvent(new Event(kind));
  return n;
}"""


def run() -> list[Row]:
    """Times of the page; the peer is what the server and its threads computed."""
    rows = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=_ARGUMENTS)
        for n in (1_000, 20_000, 100_000):
            explorer = wt.explore(wt.datasets.spiral(0, n=n, n_outliers=0, noise=0.5).points)
            page = browser.new_page(viewport={"width": 1400, "height": 1000})
            start = _clock()
            page.goto(explorer.url)
            found = {"first picture": [_wait(page, _PICTURE, None, start)]}
            found["all views"] = [_wait(page, _DONE, 0, start)]
            for _ in range(_STEPS):
                start = _clock()
                before = page.evaluate(_STEP)
                moved = "(n) => wtPage.answers.slice(n).some((a) => a.settings)"
                found.setdefault("a step, first points", []).append(_wait(page, moved, before, start))
                found.setdefault("a step, all views", []).append(_wait(page, _DONE, before, start))
            for name, times in found.items():
                wall, work = np.median(times, axis=0)
                rows.append(Row(f"the page, {n:,} points: {name}", f"{wall:.2f} s", f"server {work:.2f} s", "–"))
            page.close()
            explorer.stop()
        browser.close()
    return rows


def _clock() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _wait(page: Any, condition: str, argument: Any, start: tuple[float, float]) -> list[float]:
    """Seconds from the start, and processor time of this process, until the condition holds and a frame is drawn."""
    page.wait_for_function(condition, arg=argument, timeout=120_000)
    page.evaluate(_DRAWN)
    return [now - then for now, then in zip(_clock(), start, strict=True)]
