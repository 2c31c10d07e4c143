"""A matter is concluded from the same sightings in memory and in the store."""

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from tests.thoroughness import examples

from afterwit.harvest import harvester
from afterwit.harvest.environment import Lacked
from afterwit.harvest.harvester import newest
from afterwit.model.knowledge import SessionRef, Sighting
from afterwit.store.rows.sightings import HarvestedRow, MatterKey, SightingRow, put_seen, sightings_of

MATTER = MatterKey("environment", "plume")
MOST_TELLING, MOST_OTHERS = 3, 2


@settings(max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seen=some.lists(some.tuples(some.booleans(), some.integers(0, 6)), max_size=12))
def test_the_newest_sightings_are_the_same_in_memory_and_in_the_store(
    db: apsw.Connection, monkeypatch: pytest.MonkeyPatch, seen: list[tuple[bool, int]]
) -> None:
    monkeypatch.setattr(harvester, "MOST_TELLING", MOST_TELLING)
    monkeypatch.setattr(harvester, "MOST_OTHERS", MOST_OTHERS)
    db.execute("DELETE FROM sightings")
    sightings = []
    for number, (worked, at_ms) in enumerate(seen):
        row = SightingRow(*MATTER, int(not worked), at_ms, number, 0, b"x")
        put_seen(db, HarvestedRow(number, "", "", b"", b""), [row], is_other=True)
        ref = SessionRef(agent="codex", native_id=str(number), story=str(number), at_ms=at_ms)
        sightings.append(Sighting(ref, Lacked(worked=worked)))
    stored = {str(row.session_id) for row in sightings_of(db, MATTER, MOST_TELLING, MOST_OTHERS)}
    assert {sighting.session.native_id for sighting in newest(sightings)} == stored
