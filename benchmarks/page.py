"""The page in a real browser: time from the event of a slider to the finished picture."""

from __future__ import annotations

import shutil

import numpy as np
from playwright.sync_api import sync_playwright

import wasserstein_transform as wt

from .timing import Row

_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
_READY = "() => window.wtPage && wtPage.answers.some((a) => a.final) && wtPage.queue.answered >= wtPage.queue.sent"
_MOVES = """async () => {
  const slider = document.getElementById("eps"), start = Number(slider.value), out = [];
  const views = wassersteinPage, load = views.load.bind(views);
  let drawn = 0;
  views.load = () => { load(); requestAnimationFrame(() => setTimeout(() => { drawn = performance.now(); })); };
  for (let k = 1; k <= 25; k++) {
    const n = wtPage.answers.length, began = performance.now();
    drawn = 0;
    slider.value = start - k;
    slider.dispatchEvent(new Event("input"));
    while (wtPage.answers.length === n || !drawn) await new Promise((done) => setTimeout(done, 1));
    out.push([drawn - began, 1000 * wtPage.answers.at(-1).seconds]);
    await new Promise((done) => setTimeout(done, 100));
  }
  return out;
}"""


def run() -> list[Row]:
    rows = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=_ARGUMENTS)
        for n in (1_000, 2_000, 20_000, 100_000):
            explorer = wt.explore(wt.datasets.spiral(0, n=n, n_outliers=0, noise=0.5).points)
            page = browser.new_page(viewport={"width": 1400, "height": 1000})
            page.goto(explorer.url)
            page.wait_for_function(_READY, timeout=120_000)
            page.wait_for_timeout(1500)
            found = np.array(page.evaluate(_MOVES))
            (whole, server), (late, _) = np.median(found, axis=0), np.percentile(found, 90, axis=0)
            rows.append(Row(f"the page, {n:,} points", f"{whole:.0f} ms ({late:.0f})", f"server {server:.0f} ms", "–"))
            page.close()
            explorer.stop()
        browser.close()
    return rows
