"""The key of an encrypted backup: a file that holds an age identity, or a passphrase. Never a text on a command line.

A passphrase takes seconds to become a key, on purpose. So it protects one identity that lies with the backup, and that
identity protects everything else.
"""

import datetime as dt
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from afterwit.model.errors import BackupError, UsageError
from afterwit.model.extras import install_command
from afterwit.store.atomic import create_file
from afterwit.store.regular_files import read_regular

PASSPHRASE_VARIABLE = "AFTERWIT_BACKUP_PASSPHRASE"  # noqa: S105 - its name, not its value
_MOST_BYTES = 64 << 10
_SECRET = "AGE-SECRET-KEY-1"  # noqa: S105 - how every such key begins
LEAST_CHARS = 8


class BackupKeys(NamedTuple):
    """What there is to open a backup with."""

    file: Path | None = None
    ask: Callable[[bool], str] | None = None  # asks for a passphrase; for a new one if told so
    wants_passphrase: bool = False  # where a new backup is made


def age() -> Any:
    """The library, which is an extra."""
    try:
        import pyrage
    except ImportError:
        raise BackupError(
            f"An encrypted backup needs pyrage, which is not installed. Install it: `{install_command('backup')}`."
        ) from None
    return pyrage


def identity_in(path: Path) -> Any:
    """The age identity that a key file holds."""
    try:
        text = read_regular(path, _MOST_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        raise BackupError(
            f"There is no key file at {path}. `--new-key` makes one; a backup that was made with another key cannot be"
            " read without that key."
        ) from None
    except OSError as error:
        raise BackupError(f"The key file {path} cannot be read: {error.strerror or error}.") from error
    secrets = [line.strip() for line in text.splitlines() if line.strip().startswith(_SECRET)]
    if len(secrets) != 1:
        raise BackupError(
            f"{path} holds {len(secrets)} age identities instead of one (a line that begins with {_SECRET}). Name a"
            " file that `--new-key` or `age-keygen` wrote."
        )
    library = age()
    try:
        return library.x25519.Identity.from_str(secrets[0])
    except library.IdentityError as error:
        raise BackupError(f"The identity in {path} is damaged ({error}). Use a copy of the file.") from error


def make_key(path: Path, now_ms: int) -> None:
    """A new key file, for the user alone, as `age-keygen` would write it."""
    identity = age().x25519.Identity.generate()
    day = dt.datetime.fromtimestamp(now_ms / 1000, dt.UTC).date().isoformat()
    text = f"# created: {day}, for backups of afterwit\n# public key: {identity.to_public()}\n{identity}\n"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not create_file(path, text.encode()):
        raise UsageError(f"{path} is there already, and a key is never overwritten. Use it without --new-key.")


def new_passphrase(keys: BackupKeys) -> str:
    text = _asked(keys, is_new=True)
    if len(text) < LEAST_CHARS:
        raise BackupError(f"The passphrase has fewer than {LEAST_CHARS} characters. Choose a longer one.")
    return text


def _asked(keys: BackupKeys, *, is_new: bool) -> str:
    text = os.environ.get(PASSPHRASE_VARIABLE, "")
    if not text and keys.ask is not None:
        text = keys.ask(is_new)
    if not text:
        raise BackupError(
            f"This backup is encrypted with a passphrase, and there is nobody to ask for it. Set {PASSPHRASE_VARIABLE}."
        )
    return text


def passphrase(keys: BackupKeys) -> str:
    return _asked(keys, is_new=False)
