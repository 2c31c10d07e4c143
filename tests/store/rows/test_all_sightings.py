"""All that was seen by one look comes in the order of its key, without being sorted."""

import apsw

from afterwit.store.rows.sightings import SightingRow, all_sightings


def test_they_come_matter_by_matter_in_order_of_time_and_only_of_one_look(db: apsw.Connection) -> None:
    rows = [
        SightingRow("signals", "plums", 1, 20, 1, 0, b"b"),
        SightingRow("signals", "apples", 1, 30, 2, 0, b"a"),
        SightingRow("signals", "plums", 1, 10, 3, 0, b"c"),
        SightingRow("others", "plums", 1, 10, 3, 0, b"d"),
    ]
    db.executemany("INSERT INTO sightings VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    assert [row.body for row in all_sightings(db, "signals")] == [b"a", b"c", b"b"]


def test_nothing_is_sorted(db: apsw.Connection) -> None:
    queries: list[str] = []

    def note(_: object, query: str, __: object) -> bool:
        queries.append(query)
        return True

    db.exec_trace = note
    list(all_sightings(db, "signals"))
    db.exec_trace = None

    plan = [str(row) for row in db.execute(f"EXPLAIN QUERY PLAN {queries[0]}", ("signals",))]

    assert not any("TEMP B-TREE" in line for line in plan)
