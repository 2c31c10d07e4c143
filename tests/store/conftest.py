"""A store on disk, empty, with its schema in place."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from afterwit.store.archive import Archive
from afterwit.store.database import connect, migrate, migrations
from afterwit.store.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    found = Layout(tmp_path / "store")
    found.create()
    return found


@pytest.fixture
def db(layout: Layout) -> Iterator[apsw.Connection]:
    connection = connect(layout.database)
    connection.pragma("synchronous", 0)
    migrate(connection, migrations(), layout.backups)
    yield connection
    connection.close()


@pytest.fixture
def archive(layout: Layout) -> Archive:
    return Archive(layout.archive)
