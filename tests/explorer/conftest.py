from __future__ import annotations

from explorer.browser import chromium

__all__ = ["chromium"]
