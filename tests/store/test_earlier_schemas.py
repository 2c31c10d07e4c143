"""A store of every schema that there ever was opens, with all that a person decided; migrations stay what they were.

Stores of every earlier schema are made here: the tables of then, with what the store of now has of their rows. Those in
`earlier/` were made by the program of then (`make_earlier.py`).
"""

import hashlib
import re
import shutil
import tarfile
from contextlib import closing
from importlib import resources
from pathlib import Path

import apsw
import pytest
from tests.homes import Silent, hash_of, learned, world_of
from tests.knowledge_home import FACT
from tests.store.make_earlier import COMMITS, EARLIER, EDITED, OWN, PRUNE, WEIGH, home_with_rules
from tests.thoroughness import STRIDE

from afterwit.config.world import World
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.archive.upkeep import verify
from afterwit.engine.curation.curate import Words, add, edit, judge
from afterwit.knowledge.door.list import all_items
from afterwit.model.errors import DamagedError
from afterwit.model.knowledge import EVERYWHERE, Category, Item, ItemStatus
from afterwit.store.database import Migration, migrate, migrations, transaction
from afterwit.store.decisions import DecisionKind, ItemChanges
from afterwit.store.store import open_store

FIRST_WITH_NOTES, FIRST_WITH_MARKS = 5, 9
NEWEST = migrations()[-1].number


def test_no_migration_was_edited_since_it_was_recorded() -> None:
    recorded = dict(line.split()[::-1] for line in (EARLIER / "SHA256SUMS").read_text("utf-8").splitlines())
    place = Path(str(resources.files("afterwit.store")))
    now = {
        str(file.relative_to(place)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in place.glob("*migrations/*.sql")
    }
    assert now == recorded, "Write another migration; a new one gets its line in SHA256SUMS (`sha256sum FILE`)."


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A note that is pinned, one that is edited, one that is rejected, and one of a person's own."""
    folder = tmp_path_factory.mktemp("made")
    home = home_with_rules(folder / "home")
    learned(home, folder / "store")
    world = world_of(home, folder / "store")
    ids = notes(world)
    judge(world, DecisionKind.PIN, [ids[FACT].id])
    edit(world, ids[WEIGH].id, ItemChanges(sentence=EDITED))
    judge(world, DecisionKind.REJECT, [ids[PRUNE].id])
    add(world, Words(sentence=OWN, category=Category.FACT, scope=EVERYWHERE))
    learned(home, folder / "store")
    return world


def notes(world: World) -> dict[str, Item]:
    with open_store(world.layout) as store:
        items = list(all_items(store.db))
    return {match[1] if (match := re.search('"(.+)"', item.sentence)) else item.sentence: item for item in items}


def earlier(made: World, folder: Path, steps: list[Migration]) -> World:
    """The same store, as these migrations would have left it."""
    shutil.copytree(made.user_home, folder / "home", symlinks=True)
    shutil.copytree(made.layout.root, folder / "store")
    world = world_of(folder / "home", folder / "store")
    place, now = world.layout.database, folder / "now.db"
    with closing(apsw.Connection(str(place))) as db:
        db.pragma("journal_mode", "delete")
    place.rename(now)
    with closing(apsw.Connection(str(place))) as db:
        migrate(db, steps, folder)
        db.execute("ATTACH ? AS now", (str(now),))
        with transaction(db):
            for table in tables(db, "main") & tables(db, "now"):
                copy(db, table)
    if len(steps) < FIRST_WITH_MARKS:
        world.layout.archive.with_suffix(".mark").unlink()
    return world


def tables(db: apsw.Connection, schema: str) -> set[str]:
    query = """SELECT name FROM pragma_table_list
               WHERE schema = ? AND type IN ('table', 'shadow') AND name NOT LIKE 'sqlite%'"""
    return {name for (name,) in db.execute(query, (schema,))}


def copy(db: apsw.Connection, table: str) -> None:
    def columns(schema: str) -> list[str]:
        return [name for (name,) in db.execute("SELECT name FROM pragma_table_info(?, ?)", (table, schema))]

    shared = ", ".join(f'"{name}"' for name in columns("main") if name in columns("now"))
    db.execute(f'DELETE FROM main."{table}"; INSERT INTO main."{table}" ({shared}) SELECT {shared} FROM now."{table}"')


def assert_decisions_stand(world: World) -> None:
    found = notes(world)
    assert found.keys() == {FACT, EDITED, PRUNE, OWN}
    assert found[FACT].is_pinned
    in_use = {name for name, item in found.items() if item.status is ItemStatus.ACTIVE}
    assert in_use == {FACT, EDITED, OWN}


@pytest.mark.parametrize("version", range(FIRST_WITH_NOTES, NEWEST + 1)[::STRIDE])
def test_a_store_of_every_earlier_schema_opens_with_all_that_was_decided(
    made: World, tmp_path: Path, version: int
) -> None:
    world = earlier(made, tmp_path, migrations()[:version])
    learned(world.user_home, world.layout.root)
    assert_decisions_stand(world)
    learned(world.user_home, world.layout.root)
    assert_decisions_stand(world)


@pytest.mark.parametrize("schema", COMMITS)
def test_a_store_that_a_version_of_then_made_opens_with_all_that_was_decided(tmp_path: Path, schema: int) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    home.mkdir()
    with tarfile.open(EARLIER / f"schema_{schema:02}.tar.xz") as packed:
        packed.extractall(store, filter="tar")  # with the rights that the folders had
    world = world_of(home, store)
    with closing(apsw.Connection(str(world.layout.database))) as db:
        assert db.pragma("user_version") == schema
    for _ in range(2):
        learned(home, store)
        assert_decisions_stand(world)
    assert list(verify(world.layout)) == []
    before = hash_of(store)
    rebuild(world, Silent())
    assert hash_of(store) == before


def test_a_store_from_between_two_states_of_a_migration_says_what_to_do_and_that_helps(
    made: World, tmp_path: Path
) -> None:
    edited = EARLIER / "0017_scale.sql"
    steps = [*migrations()[:16], Migration(17, "0017_scale", edited.read_text("utf-8"))]
    world = earlier(made, tmp_path, steps)
    for call in (lambda: learned(world.user_home, world.layout.root), lambda: list(verify(world.layout))):
        with pytest.raises(DamagedError, match=r"made by a version between two releases.*`afterwit store rebuild`"):
            call()
    rebuild(world, Silent())
    assert list(verify(world.layout)) == []
    learned(world.user_home, world.layout.root)
    assert_decisions_stand(world)
