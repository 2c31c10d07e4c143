from pathlib import Path

import pytest

from afterwit.engine.faults import LEARN, note_faults
from afterwit.model.errors import BusyError, StoreError
from afterwit.store import spool
from afterwit.store.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    found = Layout(tmp_path / "store")
    found.create()
    return found


def noted(layout: Layout) -> list[tuple[object, ...]]:
    bodies = [record.body for batch in spool.drain(layout.spool) for record in batch.records]
    return [tuple(body.get(name) for name in ("kind", "agent", "event", "error", "said")) for body in bodies]


def test_what_ends_a_run_is_noted_and_goes_on_its_way(layout: Layout) -> None:
    for error in (StoreError("the words of a log"), PermissionError(13, "Permission denied", "/srv/x")):
        with pytest.raises(type(error)), note_faults(layout):
            raise error
    assert noted(layout) == [
        ("fault", LEARN, "end", "StoreError", None),
        ("fault", LEARN, "end", "PermissionError", "Permission denied"),
    ]
    assert b"words" not in b"".join(path.read_bytes() for path in layout.spool.iterdir())


@pytest.mark.parametrize("stop", [BusyError("at work"), KeyboardInterrupt()])
def test_a_run_that_leaves_or_is_stopped_has_not_failed(layout: Layout, stop: BaseException) -> None:
    with pytest.raises(type(stop)), note_faults(layout):
        raise stop
    assert noted(layout) == []


def test_without_a_place_for_notes_the_error_is_what_is_raised(tmp_path: Path) -> None:
    with pytest.raises(StoreError), note_faults(Layout(tmp_path / "nowhere")):
        raise StoreError("gone")
