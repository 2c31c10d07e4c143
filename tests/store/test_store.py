import os
import subprocess
import sys
from pathlib import Path

import pytest

from afterwit.model.errors import DamagedError, StoreError
from afterwit.store import frames
from afterwit.store.archive import archive_name
from afterwit.store.layout import Layout
from afterwit.store.rows.repos import aliases, put_alias
from afterwit.store.store import open_store, readonly_database, rehearse_store, require

OPEN = """
import sys
from pathlib import Path
from afterwit.store.layout import Layout
from afterwit.store.store import open_store
sys.stdin.readline()
with open_store(Layout(Path(sys.argv[1]))) as store:
    print(store.journal.machine)
"""
NAME = archive_name(bytes(16), 0)


def test_a_store_is_made_where_there_is_none(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "store")
    with open_store(layout) as store:
        assert store.journal.count() == 0
        machine, key = store.journal.machine, store.key
    with open_store(layout) as store:
        assert (store.journal.machine, store.key) == (machine, key)


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_nobody_else_can_read_any_file_of_a_store(tmp_path: Path) -> None:
    with open_store(Layout(tmp_path / "store")) as store:
        store.journal.append("note", {}, 1)
        put_alias(store.db, "repo", "a", "b")
        store.archive.append(NAME, {}, 0, list(frames.pack([b"content"])))
        loose = [path for path in (tmp_path / "store").rglob("*") if path.stat().st_mode & 0o077]
    assert loose == []


def test_processes_that_make_a_store_at_once_make_one(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OPEN, str(tmp_path / "store")]
    racing = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for process in racing:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    machines = {process.communicate()[0] for process in racing}
    assert [process.returncode for process in racing] == [0] * 4
    assert len(machines) == 1


def test_a_lost_database_is_not_started_over_on_top_of_the_archive(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "store")
    with open_store(layout) as store:
        store.archive.append(NAME, {}, 0, list(frames.pack([b"precious"])))
    for path in layout.root.glob("afterwit.db*"):
        path.unlink()
    with pytest.raises(DamagedError, match="afterwit store rebuild"), open_store(layout):
        pass
    assert not layout.database.exists()


def test_a_rehearsal_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "store")
    with open_store(layout) as store:
        put_alias(store.db, "repo", "a", "b")
        store.archive.append(NAME, {}, 0, list(frames.pack([b"old"])))
    with rehearse_store(layout) as store:
        put_alias(store.db, "repo", "a", "c")
        store.archive.append(NAME, {}, 3, list(frames.pack([b"new"])))
        store.archive.flush()
        assert aliases(store.db, "repo") == {"a": "c"}
        assert b"".join(store.archive.read(NAME)) == b"oldnew"
    with open_store(layout) as store:
        assert aliases(store.db, "repo") == {"a": "b"}
        assert b"".join(store.archive.read(NAME)) == b"old"


def test_a_rehearsal_that_fails_leaves_the_store_as_it_was_too(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "store")
    with open_store(layout) as store:
        put_alias(store.db, "repo", "a", "b")

    def rehearse_and_fail() -> None:
        with rehearse_store(layout) as store:
            put_alias(store.db, "repo", "a", "c")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rehearse_and_fail()
    with open_store(layout) as store:
        assert aliases(store.db, "repo") == {"a": "b"}


def test_a_rehearsal_without_a_store_makes_none(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "store")
    with rehearse_store(layout) as store:
        put_alias(store.db, "repo", "a", "b")
    assert list(tmp_path.iterdir()) == []


def test_asking_where_nothing_was_learned_says_what_to_do(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "store")
    with pytest.raises(StoreError, match="Run `afterwit learn` first"):
        require(layout)
    with pytest.raises(StoreError, match="Run `afterwit learn` first"), readonly_database(layout):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_store_can_be_looked_at_without_writing(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "store")
    with open_store(layout) as store:
        put_alias(store.db, "repo", "a", "b")
    with readonly_database(layout) as db:
        assert aliases(db, "repo") == {"a": "b"}
