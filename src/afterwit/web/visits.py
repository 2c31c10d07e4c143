"""When the page was last looked at, so that it can say what is new. A visit is a run of looks with no long gap."""

import msgspec

from afterwit.config.world import World
from afterwit.store.atomic import replace_file
from afterwit.store.regular_files import read_regular

_FILE = "visits.json"  # beside the data; losing it loses nothing but this
_GAP_MS = 30 * 60_000


class Visits(msgspec.Struct, frozen=True, kw_only=True):
    """The last look, and when the visit before this one ended; 0 for none."""

    last_ms: int = 0
    before_ms: int = 0


def visited(world: World) -> Visits:
    """Notes a look, and says when the visit before was."""
    path = world.layout.root / _FILE
    try:
        noted = msgspec.json.decode(read_regular(path), type=Visits)
    except (OSError, msgspec.DecodeError):
        noted = Visits()
    before_ms = noted.last_ms if world.now_ms - noted.last_ms > _GAP_MS else noted.before_ms
    now = Visits(last_ms=world.now_ms, before_ms=before_ms)
    replace_file(path, msgspec.json.encode(now), is_durable=False)
    return now
