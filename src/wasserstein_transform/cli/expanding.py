"""Share options between commands: a parameter that is a dataclass is replaced by its fields."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import typer

from .commands import UsageError


@dataclass(frozen=True)
class Call:
    """How a command was called; a parameter of this type receives it, for repeating the call.

    Attributes
    ----------
    command : str
        Such as "wt cluster".
    options : tuple of str
        All options that are not None, including defaults, without the file and the options for output.
    """

    command: str
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The command without `wt`."""
        return self.command.partition(" ")[2] or self.command


def expanded(function: Callable[..., None]) -> Callable[..., None]:
    """Turn a function into a command: its dataclass parameters are replaced by their fields.

    Fields that a dataclass lists in `keeps` are options for output, and are not part of a `Call`.
    """
    hints, own = get_type_hints(function, include_extras=True), inspect.signature(function).parameters
    records = {name: hints[name] for name in own if is_dataclass(hints[name]) and hints[name] is not Call}
    calls = [name for name in own if hints[name] is Call]
    flat = [
        inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        *(one for name, given in own.items() if name not in calls for one in _parameters(name, given, hints, records)),
    ]
    kept = {name for record in records.values() for name in getattr(record, "keeps", ())}

    needed = {parameter.name for parameter in flat[1:] if parameter.default is inspect.Parameter.empty}

    def command(ctx: typer.Context, **given: Any) -> None:
        _check_needed(ctx, needed, given)
        for name, record in records.items():
            given[name] = record(**{field.name: given.pop(field.name) for field in fields(record)})
        for name in calls:
            given[name] = Call(str(ctx.command_path), tuple(_words(ctx, kept)))
        function(**given)

    command.__name__, command.__doc__, command.__module__ = function.__name__, function.__doc__, function.__module__
    command.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return command


def _parameters(name: str, given: inspect.Parameter, hints: dict[str, Any], records: dict[str, Any]) -> Any:
    if name not in records:
        return [given.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)]
    types = get_type_hints(records[name], include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=types[field.name],
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
        )
        for field in fields(records[name])
    ]


def _check_needed(ctx: Any, needed: set[str], given: dict[str, Any]) -> None:
    """Raise if a required parameter is missing: some versions of click and typer let None pass."""
    for parameter in ctx.command.params:
        if parameter.name in needed and given.get(parameter.name) is None:
            kind, hint = parameter.param_type_name, parameter.get_error_hint(ctx)
            raise UsageError(f"Missing {kind} {hint}.", ctx)


def _words(ctx: Any, kept: set[str]) -> list[str]:
    """The options as words of a command line."""
    words = []
    for parameter in ctx.command.params:
        value = ctx.params.get(parameter.name)
        if parameter.param_type_name != "option" or parameter.name in kept or value is None:
            continue
        long = next((word for word in parameter.opts if word.startswith("--")), parameter.opts[0])
        if isinstance(value, bool):
            words += [long] if value else list(parameter.secondary_opts[:1])
        else:
            words += [f"{long}={_written(one)}" for one in (value if isinstance(value, list | tuple) else [value])]
    return words


def _written(value: Any) -> str:
    return str(value) if isinstance(value, str | Path) else repr(value)
