"""Results that go to a file instead of standard output: whole or not at all, private, and never over another."""

import os
import secrets
from pathlib import Path

from afterwit.model.errors import UsageError


def refuse_existing(output: Path | None, *, is_forced: bool) -> None:
    """To be asked before the work begins."""
    if output is not None and output.exists() and not is_forced:
        raise UsageError(f"{output} is there already. --force replaces it.")


def write_whole(output: Path, text: str) -> None:
    """Writes beside, then gives the file its name."""
    beside = output.with_name(f".{output.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        beside.replace(output)
    finally:
        beside.unlink(missing_ok=True)
