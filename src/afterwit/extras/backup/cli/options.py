"""What the commands of `store backup` share: where the backup lies, and with what it is opened."""

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from afterwit.cli.terminal.options import Here
from afterwit.cli.terminal.output import talk
from afterwit.extras.backup.keys import LEAST_CHARS, PASSPHRASE_VARIABLE, BackupKeys, make_key
from afterwit.extras.backup.targets.at import absolute_target, configured_target


class BackupPlace(NamedTuple):
    target: str
    keys: BackupKeys


def placed(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds TARGET, `--key-file` and `--passphrase`, and passes what they lead to as `at`. Goes below `reporting`."""

    @click.argument("target", required=False, metavar="[TARGET]")
    @click.option(
        "--key-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The file with the key of the backup. Default: `backup.key_file` of the configuration.",
    )
    @click.option(
        "--passphrase",
        "has_passphrase",
        is_flag=True,
        help=f"Ask for a passphrase, or take it from {PASSPHRASE_VARIABLE}.",
    )
    @functools.wraps(command)
    def wrapped(
        *args: Any, here: Here, target: str | None, key_file: Path | None, has_passphrase: bool, **options: Any
    ) -> Any:
        place = place_of(here, target, key_file, has_passphrase=has_passphrase)
        return command(*args, here=here, at=place, **options)

    return wrapped


def place_of(here: Here, target: str | None, key_file: Path | None, *, has_passphrase: bool) -> BackupPlace:
    """The settings say where, and with which key, if the command does not."""
    if key_file is not None and has_passphrase:
        raise click.UsageError("--key-file and --passphrase exclude each other.")
    usual = configured_target(here.world)
    if not target and not usual:
        raise click.UsageError(
            "Name a TARGET: a folder, a URL such as s3://bucket/folder, or a git remote such as git+ssh://host/path."
            " `afterwit store backup schedule TARGET` makes it the usual one."
        )
    wanted = absolute_target(target, here.world.user_home, Path.cwd()) if target else usual
    if key_file is None and wanted == usual and not has_passphrase:
        key_file = here.world.settings.backup.key_file
    return BackupPlace(wanted, BackupKeys(key_file, _ask if sys.stdin.isatty() else None, has_passphrase))


def with_new_key(here: Here, at: BackupPlace) -> None:
    """Makes the key file that was named, and says what losing it means."""
    if at.keys.file is None:
        raise click.UsageError("--new-key needs the name of the file to make: --key-file FILE.")
    make_key(at.keys.file, here.world.now_ms)
    talk(f"Made a key in {at.keys.file}. Keep a copy of it elsewhere, as you keep passwords.")


def _ask(is_new: bool) -> str:
    what = f"New passphrase of the backup (at least {LEAST_CHARS} characters)" if is_new else "Passphrase of the backup"
    words: str = click.prompt(what, hide_input=True, confirmation_prompt=is_new, err=True)
    return words
