"""Naming one session by the beginning of its id."""

import apsw
import pytest

from afterwit.model.errors import UsageError
from afterwit.sessions.filters import find_session, one_line
from afterwit.store.database import connect, migrate, migrations
from afterwit.store.layout import Layout
from afterwit.store.rows.sessions import session_id


@pytest.fixture
def db(tmp_path_factory: pytest.TempPathFactory) -> apsw.Connection:
    layout = Layout(tmp_path_factory.mktemp("store"))
    layout.create()
    found = connect(layout.database)
    migrate(found, migrations(), layout.backups)
    for agent, native_id in (
        ("codex", "0197aaaa-1"),
        ("codex", "0197aaaa-2"),
        ("claude-code", "5ea5"),
        ("claude-code", "5ea5/agent-f00d"),
        ("claude-code", "same"),
        ("codex", "same"),
    ):
        session_id(found, agent, native_id)
    return found


@pytest.mark.parametrize(
    ("name", "native_id"),
    [
        ("0197aaaa-1", "0197aaaa-1"),
        ("5e", "5ea5"),
        ("5ea5", "5ea5"),
        ("f00", "5ea5/agent-f00d"),
        ("agent-f", "5ea5/agent-f00d"),
    ],
)
def test_a_beginning_is_enough(db: apsw.Connection, name: str, native_id: str) -> None:
    assert find_session(db, name).native_id == native_id


def test_an_ambiguous_beginning_shows_the_candidates(db: apsw.Connection) -> None:
    with pytest.raises(UsageError) as caught:
        find_session(db, "0197")
    assert "0197aaaa-1" in str(caught.value)
    assert "0197aaaa-2" in str(caught.value)


@pytest.mark.parametrize("name", ["", "nothing", "%", "' OR 1 --"])
def test_no_such_session_says_where_to_look(db: apsw.Connection, name: str) -> None:
    with pytest.raises(UsageError, match="sessions list"):
        find_session(db, name)


def test_one_id_of_two_agents_is_said(db: apsw.Connection) -> None:
    with pytest.raises(UsageError, match="claude-code and codex"):
        find_session(db, "same")


def test_one_line_is_one_line() -> None:
    assert one_line("a\n\n b\tc", 20) == "a b c"
    assert one_line("abcdef", 4) == "abc…"
