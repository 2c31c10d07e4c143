import apsw
from tests.store.planted_rows import plant

from afterwit.store.rows.parts import part_actions, part_events, parts_of_session


def test_the_rows_of_a_part_come_in_order(db: apsw.Connection) -> None:
    plant(db, "other", "b.jsonl")
    planted = plant(db)
    assert [(part.id, part.file_id) for part in parts_of_session(db, planted.session_id)] == [
        (planted.part_id, planted.file_id)
    ]
    assert [(row.ordinal, row.kind) for row in part_events(db, planted.part_id)] == [
        (0, "prompt"),
        (1, "call"),
        (2, "result"),
    ]
    assert [(row.ordinal, row.call_id, row.error) for row in part_actions(db, planted.part_id)] == [
        (0, "call-1", "make: *** No rule")
    ]
