"""A fix that sessions found, or were told and saw work, is believed; what they merely heard from us is not."""

from pathlib import Path

from tests.homes import learned
from tests.knowledge_home import learnable_home

from afterwit.knowledge.door.list import all_items
from afterwit.store import spool
from afterwit.store.layout import Layout
from afterwit.store.store import open_store


def correction(store: Path) -> tuple[str, str, str, float]:
    with open_store(Layout(store)) as one:
        (found,) = [item for item in all_items(one.db) if item.harvester == "corrections"]
    return found.id, found.status, found.authority, found.confidence


def tell(store: Path, item: str, session: str) -> None:
    """What the hook writes when it says a line after a failure."""
    record = {"kind": "draw", "at": 1_777_629_600_000, "agent": "claude-code", "session": session, "moment": "after"}
    spool.append(Layout(store).spool, "claude-code", session, record | {"items": {item: 1}, "held": 0, "text": "x"})


def test_eight_sessions_that_found_the_same_fix_leave_little_doubt(tmp_path: Path) -> None:
    learned(learnable_home(tmp_path / "home", 8), tmp_path / "store")
    _, status, authority, confidence = correction(tmp_path / "store")
    assert (status, authority) == ("active", "guidance")
    assert confidence > 0.8


def test_eight_sessions_of_which_seven_were_told_the_fix_leave_little_doubt_too(tmp_path: Path) -> None:
    """The note after the first failure of each must not keep the item where it was after one session."""
    home, store = tmp_path / "home", tmp_path / "store"
    learned(learnable_home(home, 1), store)
    item, status, authority, first = correction(store)
    assert (status, authority, first) == ("candidate", "observation", 0.61)
    for number in range(2, 9):
        tell(store, item, f"s{number}")
        learned(learnable_home(home, number), store)
    _, status, authority, confidence = correction(store)
    assert (status, authority) == ("active", "guidance")
    assert confidence > 0.75


def test_one_told_session_makes_no_guidance(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    learned(learnable_home(home, 1), store)
    item = correction(store)[0]
    tell(store, item, "s2")
    learned(learnable_home(home, 2), store)
    assert correction(store)[1:3] == ("candidate", "observation")
