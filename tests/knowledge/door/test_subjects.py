"""Items go with what they rely on in the checkouts of their repository, and are back with it."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.homes import hash_of, learned, world_of
from tests.measure.histories import HOUR_S, Log
from tests.processes import COMMAND, run_text

from afterwit.capture.checkouts import checkouts
from afterwit.config.world import World
from afterwit.engine.curation.curate import Words, add, judge
from afterwit.engine.unchanged import nothing_new
from afterwit.knowledge.door.list import all_items, find_item
from afterwit.knowledge.gone import RETURNS
from afterwit.model.knowledge import Category, Item, ItemStatus, Scope, ScopeKind
from afterwit.store.decisions import DecisionKind
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

HERE = Scope(ScopeKind.REPO, "orchard")
PASSED = "test result: ok. 12 passed"
FAILED = "Exit code 2\nassertion failed: juice == 3\ntest result: FAILED. 11 passed; 1 failed"
MAKEFILE = "test:\n\tcargo test\n"
NO_TARGET = f"`Makefile` has no target `test` any more; {RETURNS}"


def session(home: Path, number: int, checkout: Path) -> None:
    log = Log(number, number * HOUR_S, str(checkout)).prompt(f"Press the apples of row {number}")
    log.shell("make test", FAILED, fails=True).edit(f"src/row{number}.rs").shell("make test", PASSED).put(home)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Three sessions in a checkout on this machine, in which a target is called."""
    checkout = tmp_path / "home" / "orchard"
    (checkout / ".git").mkdir(parents=True)
    (checkout / "Makefile").write_text(MAKEFILE, "utf-8")
    for number in range(3):
        session(tmp_path / "home", number, checkout)
    return tmp_path / "home"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def makefile(home: Path) -> Path:
    return home / "orchard" / "Makefile"


def proven(store: Path) -> Item:
    with open_store(Layout(store)) as one:
        return next(item for item in all_items(one.db) if item.advice == "make test")


def in_deck(store: Path) -> bool:
    with sqlite3.connect(f"file:{Layout(store).deck}?mode=ro", uri=True) as db:
        return any("make test" in str(row) for row in db.execute("SELECT body FROM blocks"))


def named(world: World, name: str) -> Item:
    with open_store(world.layout) as one:
        return find_item(one.db, name)


def _renamed(place: Path) -> None:
    place.write_text(MAKEFILE.replace("test:", "check:"), "utf-8")


@pytest.mark.parametrize(
    ("go", "reason"), [(_renamed, NO_TARGET), (Path.unlink, f"`Makefile` is gone from the repository; {RETURNS}")]
)
def test_an_item_goes_with_its_target_at_the_next_run_and_is_back_as_it_was(
    home: Path, store: Path, makefile: Path, go: Callable[[Path], None], reason: str
) -> None:
    learned(home, store)
    before, content = proven(store), hash_of(store)
    assert before.status is ItemStatus.ACTIVE
    assert in_deck(store)
    assert nothing_new(world_of(home, store)) is not None

    go(makefile)
    learned(home, store)
    assert (proven(store).status, proven(store).reason) == (ItemStatus.STALE, reason)
    assert proven(store).belief == before.belief
    assert not in_deck(store)
    assert nothing_new(world_of(home, store)) is not None

    makefile.write_text(MAKEFILE, "utf-8")
    learned(home, store)
    assert proven(store) == before
    assert hash_of(store) == content
    assert in_deck(store)


def test_a_target_that_comes_back_in_another_folder_is_seen(home: Path, store: Path, makefile: Path) -> None:
    makefile.unlink()
    learned(home, store)
    assert proven(store).status is ItemStatus.STALE
    (home / "orchard" / "core").mkdir()
    (home / "orchard" / "core" / "Makefile").write_text(MAKEFILE, "utf-8")
    learned(home, store)
    assert proven(store).status is ItemStatus.ACTIVE


def test_what_another_checkout_has_is_not_gone(home: Path, store: Path, makefile: Path) -> None:
    branch = home / "branch"
    branch.mkdir()
    (branch / "Makefile").write_text(MAKEFILE, "utf-8")
    learned(home, store)
    (store / "config.toml").write_text('[repositories.checkouts]\norchard = "~/branch"\n', "utf-8")
    makefile.unlink()
    learned(home, store)
    world = world_of(home, store)
    with open_store(world.layout) as one:
        assert [place.repo for place in checkouts(one, world)] == ["orchard", "orchard"]
    assert proven(store).status is ItemStatus.ACTIVE
    (branch / "Makefile").unlink()
    learned(home, store)
    assert proven(store).status is ItemStatus.STALE


def test_a_linked_work_tree_counts_although_no_session_ran_in_it(home: Path, store: Path, makefile: Path) -> None:
    folder = makefile.parent / ".git"
    (folder / "objects").mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    (folder / "config").write_text("[core]\n\tbare = false\n", "utf-8")
    own, branch = folder / "worktrees" / "branch", home / "branch"
    own.mkdir(parents=True)
    branch.mkdir()
    (own / "gitdir").write_text(f"{branch}/.git\n", "utf-8")
    (own / "commondir").write_text("../..\n", "utf-8")
    (branch / ".git").write_text(f"gitdir: {own}\n", "utf-8")
    (branch / "Makefile").write_text(MAKEFILE, "utf-8")
    makefile.unlink()
    learned(home, store)
    assert proven(store).status is ItemStatus.ACTIVE
    (branch / "Makefile").unlink()
    learned(home, store)
    assert proven(store).status is ItemStatus.STALE


def test_where_there_is_no_checkout_nothing_is_gone(home: Path, store: Path, makefile: Path) -> None:
    makefile.unlink()
    makefile.parent.rename(home / "moved")
    learned(home, store)
    assert proven(store).status is ItemStatus.ACTIVE


def test_what_a_person_pinned_stays(home: Path, store: Path, makefile: Path) -> None:
    learned(home, store)
    judge(world_of(home, store), DecisionKind.PIN, [proven(store).id])
    makefile.unlink()
    learned(home, store)
    assert (proven(store).status, proven(store).reason) == (ItemStatus.ACTIVE, "pinned by a person")


@pytest.mark.parametrize(
    "settings", ["[repositories]\nread = false\n", '[learn]\nexclude = ["folder:~/orchard"]\n'], ids=["read", "exclude"]
)
def test_where_the_settings_forbid_it_definitions_are_not_read(
    home: Path, store: Path, makefile: Path, settings: str
) -> None:
    learned(home, store)
    (store / "config.toml").write_text(settings, "utf-8")
    makefile.unlink()
    learned(home, store)
    assert proven(store).status is ItemStatus.ACTIVE


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_the_place_of_the_makefile_stops_nobody(home: Path, store: Path, makefile: Path) -> None:
    makefile.unlink()
    os.mkfifo(makefile)
    learned(home, store)
    assert proven(store).status is ItemStatus.ACTIVE


def test_what_a_person_wrote_down_goes_with_its_script(home: Path, store: Path) -> None:
    learned(home, store)
    script = home / "orchard" / "scripts" / "weigh.sh"
    script.parent.mkdir()
    script.touch()
    sentence, advice = "Weigh the baskets before a release.", "scripts/weigh.sh --all"
    done = add(world_of(home, store), Words(sentence=sentence, category=Category.FACT, scope=HERE, advice=advice))
    assert done.status == "active"
    script.unlink()
    learned(home, store)
    item = named(world_of(home, store), done.id)
    assert item.reason == f"`scripts/weigh.sh` is gone from the repository; {RETURNS}"
    script.touch()
    learned(home, store)
    assert named(world_of(home, store), done.id).status is ItemStatus.ACTIVE


def test_people_read_why_it_is_outdated_and_that_it_comes_back(home: Path, store: Path, makefile: Path) -> None:
    makefile.unlink()
    learned(home, store)
    environ = {**os.environ, "HOME": str(home), "AFTERWIT_HOME": str(store)}
    for command in ("why", "show"):
        told = run_text(COMMAND, ["knowledge", command, proven(store).id], environ).stdout
        assert "outdated, worked in 3 sessions" in told or "outdated:" in told
        assert f"`Makefile` is gone from the repository; {RETURNS}" in " ".join(told.split())
    listed = run_text(COMMAND, ["knowledge", "list", "--status", "outdated"], environ).stdout
    assert "[`Makefile` is gone from the repository] In `orchard`: tests" in listed
