"""When the last backup of a store was made, where it lies, and what went wrong since: a small file in the store.

For those who look at the state of things: whether there is a backup at all is not asked of its target, which may be far
away. Every `learn` asks for it, so that what `health` loads for the doctor is left out here.
"""

import msgspec

from afterwit.store.atomic import replace_file
from afterwit.store.layout import Layout
from afterwit.store.regular_files import read_regular


class LastBackup(msgspec.Struct, frozen=True, kw_only=True):
    target: str = ""  # of the last good one
    at_ms: int | None = None
    snapshot: str = ""
    failed_ms: int | None = None  # of a try since then
    failed_target: str = ""
    failure: str = ""


def last_backup(layout: Layout) -> LastBackup:
    """Without any, all of it is empty; also where the file cannot be read."""
    try:
        return msgspec.json.decode(read_regular(layout.last_backup), type=LastBackup)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return LastBackup()


def note_backup(layout: Layout, target: str, snapshot: str, at_ms: int) -> None:
    _write(layout, LastBackup(target=target, at_ms=at_ms, snapshot=snapshot))


def note_failure(layout: Layout, target: str, failure: str, at_ms: int) -> None:
    before = last_backup(layout)
    _write(layout, msgspec.structs.replace(before, failed_ms=at_ms, failed_target=target, failure=failure))


def _write(layout: Layout, last: LastBackup) -> None:
    layout.backups.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(layout.last_backup, msgspec.json.encode(last), is_durable=False)
