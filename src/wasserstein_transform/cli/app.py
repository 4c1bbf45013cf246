"""The command `wt` and its commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from .. import __version__
from .cluster import cluster
from .communities import communities
from .denoise import denoise
from .errors import PIPE_STATUS, STOPPED_STATUS
from .explore import explore
from .info import info
from .printing import say
from .segment import segment
from .skeleton import skeleton
from .transform import transform
from .warmup import warmup


class Commands(click.Group):
    """The commands of `wt`."""

    def list_commands(self, _: click.Context) -> list[str]:
        """The names of all commands, those that most people need first."""
        return list(self.commands)

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command; a usage error is one line, with exit status 2."""
        try:
            status = super().main(args, prog_name, **(extra | {"standalone_mode": False}))
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(error.exit_code)
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx is not None else "wt"
            message = " ".join(error.format_message().split()).rstrip(".")
            say(f"{path}: {message[:1].lower()}{message[1:]} (see {path} --help)", err=True)
            sys.exit(error.exit_code)
        except click.Abort:
            sys.exit(STOPPED_STATUS)
        except SystemExit as end:  # click ends with 1 if the reader of the output has gone
            sys.exit(PIPE_STATUS if end.code == 1 else end.code)
        sys.exit(status if isinstance(status, int) else 0)


_COMMANDS = (cluster, denoise, skeleton, segment, communities, explore, transform, info, warmup)


@click.group(
    cls=Commands, name="wt", commands={str(command.name): command for command in _COMMANDS},
    epilog="Exit status: 0 done; 2 wrong input or options, a line says why; 3 not enough memory; 70 internal error; "
    "130 stopped by Ctrl-C; 141 the reader of the output has gone; 143 terminated by a signal.",
)  # fmt: skip
@click.version_option(__version__, message="%(version)s", help="Print the version.")
def app() -> None:
    """The Wasserstein Transform on the command line. To start: wt cluster points.csv -o clusters."""
