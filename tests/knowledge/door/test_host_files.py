"""What sessions are told already, from files on this machine and from transcripts of other machines."""

from pathlib import Path
from typing import Any

import pytest
from tests.homes import CODEX, ORCHARD, THREAD, Silent, codex_records, hash_of, learned, put, rows, world_of
from tests.measure.histories import HOUR_S, Log

from afterwit.capture.checkouts import checkouts
from afterwit.config.world import World
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.curation.curate import Words, add, edit
from afterwit.knowledge.door.host_files import instructions
from afterwit.knowledge.door.list import all_items, find_item
from afterwit.knowledge.gone import RETURNS
from afterwit.model.knowledge import EVERYWHERE, Category, Item, ItemStatus, Scope, ScopeKind
from afterwit.store.decisions import ItemChanges
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

ORCHARDS = "git.example/fruit/orchard"
TEXT = "# Orchard\n\nRun the tests with `make test`."
HERE = Scope(ScopeKind.REPO, "orchard")
PASSED = "test result: ok. 12 passed"
FAILED = "Exit code 2\nassertion failed: juice == 3\ntest result: FAILED. 11 passed; 1 failed"


def known(store: Path) -> dict[str, bool]:
    """Whether the host knows them, by advice."""
    with open_store(Layout(store)) as one:
        return {item.advice: item.is_known_to_host for item in all_items(one.db) if item.advice}


def told(home: Path, store: Path) -> dict[str, dict[str, str]]:
    world = world_of(home, store)
    with open_store(world.layout) as one:
        return instructions(one, world, checkouts(one, world))


def run_of(number: int, cwd: str = ORCHARD) -> Log:
    log = Log(number, number * HOUR_S, cwd).prompt(f"Press the apples of row {number}")
    log.shell("make test", FAILED, fails=True).edit(f"src/row{number}.rs")
    return log.shell("make test", PASSED)


def edited(log: Log, original: str, old: str, new: str) -> Log:
    """An edit of CLAUDE.md, with the text that Claude Code notes beside it."""
    path = f"{ORCHARD}/CLAUDE.md"
    log._call("Edit", {"file_path": path, "old_string": old, "new_string": new}, "The file has been updated.")
    outcome = {"filePath": path, "originalFile": original, "oldString": old, "newString": new}
    log.records[-1]["toolUseResult"] = outcome
    return log


def codex_told(text: str, start: int = 0) -> list[dict[str, Any]]:
    """A Codex rollout that begins with the instruction file."""
    given = f"# AGENTS.md instructions for {ORCHARD}\n\n<INSTRUCTIONS>\n{text}\n</INSTRUCTIONS>"
    message = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": given}]}
    records = codex_records(THREAD, start=start)
    stamp = records[0]["timestamp"]
    return [records[0], {"timestamp": stamp, "type": "response_item", "payload": message}, *records[1:]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Three Claude Code sessions in a checkout that is not on this machine."""
    for number in range(3):
        run_of(number).put(tmp_path / "home")
    return tmp_path / "home"


def test_without_the_file_nothing_is_known(home: Path, tmp_path: Path) -> None:
    learned(home, tmp_path / "store")
    assert known(tmp_path / "store")["make test"] is False


def test_what_a_claude_code_session_showed_is_known(home: Path, tmp_path: Path) -> None:
    edited(run_of(4), TEXT, "# Orchard", "# The orchard").put(home)
    learned(home, tmp_path / "store")
    assert known(tmp_path / "store")["make test"] is True
    assert told(home, tmp_path / "store")["orchard"] == {"CLAUDE.md": TEXT.replace("# Orchard", "# The orchard")}


def test_what_codex_was_given_is_known_to_all_agents(home: Path, tmp_path: Path) -> None:
    put(home / CODEX / f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl", codex_told(TEXT))
    learned(home, tmp_path / "store")
    assert known(tmp_path / "store")["make test"] is True
    assert told(home, tmp_path / "store") == {ORCHARDS: {"AGENTS.md": TEXT}}


def test_the_newest_state_counts_with_what_was_added_later(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    edited(run_of(4), TEXT, "make test", "just test").put(home)
    run_of(5)._call("Read", {"file_path": f"{ORCHARD}/CLAUDE.md", "offset": 9}, "Weigh baskets.").put(home)
    learned(home, store)
    assert told(home, store)["orchard"]["CLAUDE.md"] == f"{TEXT.replace('make', 'just')}\n\nWeigh baskets."
    assert known(store)["make test"] is False
    edited(run_of(6), TEXT, "# Orchard", "# Orchards").put(home)
    learned(home, store)
    assert "Weigh baskets." not in told(home, store)["orchard"]["CLAUDE.md"]
    assert known(store)["make test"] is True


def test_a_file_on_this_machine_stands_before_what_transcripts_showed(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    checkout = home / "orchard"
    (checkout / ".git").mkdir(parents=True)
    (checkout / "CLAUDE.md").write_text("Pick plums.\n", "utf-8")
    log = run_of(0, str(checkout))
    log._call("Read", {"file_path": f"{checkout}/CLAUDE.md"}, TEXT)._call("Read", {"file_path": "AGENTS.md"}, TEXT)
    log.put(home)
    learned(home, store)
    assert told(home, store)["orchard"] == {"CLAUDE.md": "Pick plums.\n", "AGENTS.md": TEXT}


@pytest.mark.parametrize("last", ["quillon", "bob"])
def test_only_the_users_own_home_speaks_for_every_session(tmp_path: Path, last: str) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    run_of(0)._call("Read", {"file_path": f"/home/{last}/.claude/CLAUDE.md"}, "Be brief.").put(home)
    learned(home, store)
    assert told(home, store) == {}
    for name in ("quillon", "bob"):
        world = world_of(home, store)._replace(user_home=Path(f"/home/{name}"))
        with open_store(world.layout) as one:
            found = instructions(one, world, [])
        assert found == ({"": {".claude/CLAUDE.md": "Be brief."}} if name == last else {})


def test_sessions_with_the_same_text_keep_it_once(home: Path, tmp_path: Path) -> None:
    for number in range(4, 8):
        run_of(number)._call("Read", {"file_path": f"{ORCHARD}/CLAUDE.md"}, TEXT).put(home)
    learned(home, tmp_path / "store")
    assert rows(tmp_path / "store", "SELECT count(*) FROM shared_texts") == [(1,)]
    assert rows(tmp_path / "store", "SELECT count(*) FROM notes WHERE shared IS NOT NULL") == [(4,)]


def test_a_store_of_an_older_capture_learns_them_from_its_archive(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    edited(run_of(4), TEXT, "# Orchard", "# The orchard").put(home)
    learned(home, store)
    before = hash_of(store)
    rows(store, "DELETE FROM notes WHERE kind = 'instructions'")
    rows(store, "DELETE FROM shared_texts")
    rows(store, "UPDATE files SET capture_version = 1")
    learned(home, store)
    assert hash_of(store) == before
    assert known(store)["make test"] is True


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A repository with a checkout on this machine, in which one file lies."""
    checkout = tmp_path / "home" / "orchard"
    (checkout / ".git").mkdir(parents=True)
    (checkout / "press.py").write_text("turn()\n", "utf-8")
    Log(0, 0, str(checkout)).prompt("Count the trees").shell("make count").put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "store")
    return world_of(tmp_path / "home", tmp_path / "store")


def about(*files: str, scope: Scope = HERE) -> Words:
    sentence = "The press is turned in one place; change it there."
    return Words(sentence=sentence, category=Category.FACT, scope=scope, files=files)


def item_of(world: World, name: str) -> Item:
    with open_store(world.layout) as store:
        return find_item(store.db, name)


def test_a_file_that_a_person_named_is_seen_to_go(world: World) -> None:
    name = add(world, about("press.py")).id
    learned(world.user_home, world.layout.root)
    assert item_of(world, name).status is ItemStatus.ACTIVE
    (world.user_home / "orchard" / "press.py").unlink()
    learned(world.user_home, world.layout.root)
    gone = item_of(world, name)
    assert (gone.status, gone.reason) == (ItemStatus.STALE, f"`press.py` is gone from the repository; {RETURNS}")
    rebuild(world, Silent())
    assert item_of(world, name) == gone


def test_a_file_that_an_edit_names_is_looked_for_at_once(world: World) -> None:
    name = add(world, about("press.py", scope=EVERYWHERE)).id
    assert edit(world, name, ItemChanges(files=("mill.py",))).status == "active"
    assert edit(world, name, ItemChanges(scope=HERE)).reason == f"`mill.py` is gone from the repository; {RETURNS}"
    assert edit(world, name, ItemChanges(files=("press.py",))).status == "active"


def test_a_path_that_was_redacted_is_not_called_gone(world: World) -> None:
    done = add(world, about("/home/quillon/press.py"))
    assert "quillon" not in item_of(world, done.id).files[0]
    assert done.status == "active"
