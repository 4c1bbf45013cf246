"""Every public name of the package and of the paper's theory, and the page of the reference that has it."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import wasserstein_transform as wt

PACKAGE = "wasserstein_transform"
PACKAGES: tuple[str, ...] = wt._PACKAGES
PAPER = "wt_paper"  # of the folder paper, beside the package
PAPER_PACKAGES = ("theory",)


@dataclass(frozen=True)
class Name:
    """A public name: the subpackage that lists it ("" is the top of the package), and the object."""

    package: str
    short: str
    value: Any

    @property
    def full(self) -> str:
        """The name with the package and the subpackage in front."""
        return f"{home(self.package)}.{self.short}"

    @property
    def shown(self) -> str:
        """The name as users write it: wt.image.segment."""
        return self.full.replace(PACKAGE, "wt", 1)

    @property
    def kind(self) -> str:
        """The template of its page: class, function or data."""
        if hasattr(self.value, "__origin__") or self.value is Any:
            return "data"
        if isinstance(self.value, type):
            return "class"
        return "function" if hasattr(self.value, "__code__") or hasattr(self.value, "__wrapped__") else "data"


def home(package: str) -> str:
    """The full name of a subpackage; "" is the top of the package."""
    return ".".join(filter(None, (PAPER if package in PAPER_PACKAGES else PACKAGE, package)))


def listed(module: ModuleType) -> list[str]:
    """What a subpackage lists: its `__all__`, or what it imports by name."""
    names = vars(module).get("__all__") or getattr(module, "__all__", None)
    if names is None:
        names = [name for name in vars(module) if not name.startswith("_") and not _is_module(module, name)]
    return sorted(set(names), key=str.lower)


def _is_module(module: ModuleType, name: str) -> bool:
    return isinstance(vars(module)[name], ModuleType)


def of_package(package: str) -> list[Name]:
    """All names of a subpackage; "" is the top of the package."""
    module = importlib.import_module(home(package))
    return [Name(package, name, getattr(module, name)) for name in listed(module)]


def every_name() -> Iterator[Name]:
    """All public names of the package; a name that two subpackages list comes twice."""
    for package in ("", *PACKAGES):
        yield from of_package(package)


def in_the_reference() -> Iterator[Name]:
    """All names that have a page: those of the package and of the paper's theory."""
    yield from every_name()
    for package in PAPER_PACKAGES:
        yield from of_package(package)


def homes() -> dict[tuple[str, int], Name]:
    """The place that documents each name and object: the top of the package if it is there, else a subpackage."""
    found: dict[tuple[str, int], Name] = {}
    for name in in_the_reference():
        found.setdefault((name.short, id(name.value)), name)
    return found


def documented() -> list[Name]:
    """Public classes and functions, each once, where they are documented."""
    return [name for name in homes().values() if name.kind != "data"]


def without_example(names: Iterable[Name]) -> list[str]:
    """Names whose docstring has no `>>>`."""
    return [name.shown for name in names if ">>>" not in (name.value.__doc__ or "")]


def written() -> dict[str, str]:
    """How a public name may be written in text, and its full name: wt.cluster, wt.clustering.cluster, theory.prokhorov.

    A short name alone is known if only one object has it.
    """
    known, shorts, at = {}, {}, homes()
    for name in in_the_reference():
        target = at[name.short, id(name.value)].full
        known[name.shown] = known[name.full] = known[re.sub(r"^(wt|wt_paper)\.", "", name.shown)] = target
        shorts.setdefault(name.short, set()).add(target)
    return {short: full for short, (full, *others) in ((s, sorted(f)) for s, f in shorts.items()) if not others} | known
