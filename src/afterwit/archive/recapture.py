"""Which originals that were lost to the storage budget `learn` may take in again.

Only those that gave no session: of all others the rows are there. One may come back if it fits under the hard cap
beside everything that the archive holds now. Nothing is lost below the hard cap, so what comes back stays; if it turns
out larger than it was, its new size decides the next time. Whether the agent still has the file is not asked here.
"""

from afterwit.archive.evict import packed_originals
from afterwit.archive.remove import PACKED_BYTES
from afterwit.model.errors import DamagedError
from afterwit.model.settings import RetentionSettings
from afterwit.store.archive import archive_name
from afterwit.store.rows import originals as raw
from afterwit.store.rows.files import FileRow, files_by_id
from afterwit.store.store import Store


def recapturable(store: Store, limits: RetentionSettings) -> dict[bytes, str]:
    """The keys of lost originals for which there is room, each with its agent. The newest come first, because
    agents delete the old ones."""
    lost = files_by_id(store.db, raw.lost_unread(store.db)).values()
    if not lost:
        return {}
    room = limits.hard_cap_bytes - packed_originals(store)
    fitting: dict[bytes, str] = {}
    for row in sorted(lost, key=lambda row: (-row.mtime_ns, row.key)):
        size = _packed_bytes(store, row)
        if size <= room:
            room -= size
            fitting[row.key] = row.agent
    return fitting


def _packed_bytes(store: Store, row: FileRow) -> int:
    """What it took in the archive. Where the remains do not say, no more than its unpacked bytes."""
    try:
        header = store.archive.header(archive_name(row.key, row.generation))
    except DamagedError:
        return row.dropped_bytes
    return int(header.get(PACKED_BYTES, row.dropped_bytes))
