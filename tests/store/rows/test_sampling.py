import apsw
from tests.store.planted_rows import AGENT, plant

from afterwit.store.rows.files import file_key, files_by_session, retire_file


def test_the_file_with_the_beginning_of_a_session_comes_first(db: apsw.Connection) -> None:
    late, early = plant(db, "one", "b.jsonl", precedence="2"), plant(db, "one", "a.jsonl", precedence="1")
    other = plant(db, "other", "c.jsonl")
    assert late.session_id == early.session_id
    assert files_by_session(db) == {
        early.session_id: [file_key(AGENT, "a.jsonl"), file_key(AGENT, "b.jsonl")],
        other.session_id: [file_key(AGENT, "c.jsonl")],
    }


def test_an_earlier_state_of_a_rewritten_file_is_none_of_the_present_ones(db: apsw.Connection) -> None:
    planted = plant(db)
    retire_file(db, planted.file_id)
    assert files_by_session(db) == {}
