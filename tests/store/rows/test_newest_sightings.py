"""A matter is concluded from its newest sightings."""

import apsw
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from tests.thoroughness import examples

from afterwit.store.rows.sightings import HarvestedRow, MatterKey, SightingRow, put_seen, sightings_of

MATTER = MatterKey("environment", "plume")
MOST_TELLING, MOST_OTHERS = 3, 2


def _newest(times: list[int], most: int) -> list[int]:
    last = sorted(times)[-most] if len(times) > most else 0
    return sorted(time for time in times if time >= last)


@settings(max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seen=some.lists(some.tuples(some.booleans(), some.integers(0, 6)), max_size=12))
def test_the_newest_count_with_all_that_are_as_old_as_the_last_of_them(
    db: apsw.Connection, seen: list[tuple[bool, int]]
) -> None:
    db.execute("DELETE FROM sightings")
    for number, (is_telling, at_ms) in enumerate(seen):
        row = SightingRow(*MATTER, int(is_telling), at_ms, number, 0, b"x")
        put_seen(db, HarvestedRow(number, "", "", b"", b""), [row], is_other=True)
    telling = _newest([at_ms for is_telling, at_ms in seen if is_telling], MOST_TELLING)
    others = _newest([at_ms for is_telling, at_ms in seen if not is_telling], MOST_OTHERS)
    found = sightings_of(db, MATTER, MOST_TELLING, MOST_OTHERS)
    assert sorted(row.at_ms for row in found if row.is_telling) == telling
    assert sorted(row.at_ms for row in found if not row.is_telling) == (others if telling else [])
