"""Whether archived files are what was archived: some of them with every run, all of them within a week.

Agents delete their logs, so damage must be seen while they still have them. A run goes on where the last one ended, and
reads a bounded number of bytes; the first run of a day reads at least a seventh of the archive. What is not as it
should be is noted, and the next reading of the agent's log brings it again, as a new generation.
"""

from collections.abc import Iterator

from afterwit.model.errors import DamagedError
from afterwit.store.database import UNREADABLE, transaction
from afterwit.store.frames import REMAINS
from afterwit.store.marks import CHECKED, forget_last_run, mark, put_mark
from afterwit.store.rows import files, parts
from afterwit.store.rows.files import DAMAGED, FileRow, file_key
from afterwit.store.store import Store

_MOST_BYTES = 16_000_000  # of originals, in one run
_OPENING_BYTES = 64_000  # that opening a file counts for
_DAYS = 7
_DAY_MS = 86_400_000


def check_some(store: Store, now_ms: int) -> bool:
    """Reads as much of the archive as one run may, and notes what is damaged. Whether anything was found that was not
    noted before."""
    day, last = now_ms // _DAY_MS, mark(store.db, CHECKED).split()
    before, after = (int(number) for number in last) if len(last) == 2 else (0, 0)
    share = files.original_bytes_held(store.db) // _DAYS
    left = max(_MOST_BYTES, share) if day != before else _MOST_BYTES
    has_found = False
    while left >= 0 and (row := files.object_after(store.db, after)) is not None:
        has_found |= bool(checked(store, row)) and row.state != DAMAGED
        after, left = row.id, left - max(row.held_bytes, _OPENING_BYTES)
    put_mark(store.db, CHECKED, f"{day} {after if left < 0 else 0}")
    return has_found


def checked(store: Store, row: FileRow) -> str:
    """The same, noted, so that the next run reads the log again, if the agent still has it. What somebody restored is
    noted, too."""
    fault = object_fault(store, row)
    if bool(fault) == (row.state == DAMAGED):
        return row.error if fault else ""
    fault = f"{fault}. {files.REMEDY}" if fault else ""
    with transaction(store.db):
        files.note_state(store.db, row.id, DAMAGED if fault else files.EVICTED if row.is_dropped else "read", fault)
        if fault and row.role != "transcript":
            files.forget_companion(store.db, row)
        forget_last_run(store.db)
    return fault


def object_fault(store: Store, row: FileRow) -> str:
    """What is wrong with what the archive holds of a file; "" where it is what was archived."""
    if row.id in files.files_leaving(store.db):
        from afterwit.engine.archive.remove import is_leaving  # with all that reads

        if is_leaving(store, row):
            return ""
    try:
        if row.is_dropped:
            from afterwit.model.captured import unpack_remains

            unpack_remains(store.archive.remains(row.object_name))
        elif store.archive.digest(row.object_name, row.held_bytes) != row.sha256:
            return "the bytes are not those that were archived"
        return "" if _has_its_header(store, row) else "the header is not the one that was written"
    except (DamagedError, *UNREADABLE) as error:
        return str(error).rstrip(".")


def _has_its_header(store: Store, row: FileRow) -> bool:
    """Where only the header of a sound original was hit, and the row still names the file, it is written anew."""
    header = store.archive.header(row.object_name)
    agent, label, path = (str(header[name]) for name in ("agent", "label", "path"))
    if is_named := file_key(agent, label + path) == row.key:
        if (header["role"], header["generation"]) == (REMAINS if row.is_dropped else row.role, row.generation):
            return True
    else:
        agent, path = row.agent, row.path
    if row.is_dropped or not (is_named or file_key(agent, label + path) == row.key):
        return False
    names = {"agent": agent, "label": label, "path": path, "role": row.role, "generation": row.generation}
    is_tracked = any(part.facts.is_tracked for part in parts.parts_of_file(store.db, row.id))
    store.archive.compact(row.object_name, row.held_bytes, names | ({"tracked": 1} if is_tracked else {}))
    return True


def still_damaged(store: Store, before: list[FileRow]) -> Iterator[str]:
    """What a run says of files that were damaged before it: which are whole again, and which are not."""
    for row in before:
        now = files.live_file(store.db, row.key)
        if now is not None and now.generation > row.generation and now.state != DAMAGED:
            fault = row.error.removesuffix(files.REMEDY).strip()
            yield f"{row.path} was damaged in the archive ({fault.rstrip('.')}), and was read again from the log."
        elif row.has_object or store.archive.has(row.object_name):
            yield f"{row.path} is damaged in the archive: {row.error}"
