"""A deck in parts: only what changed is written, nothing that is gone stays, and a broken part is like none."""

import os
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.homes import CLAUDE, claude_records, learned, put, world_of
from tests.knowledge_home import FACT, learnable_home
from tests.recall.works import content_of

from afterwit.digest.door import load_digest
from afterwit.engine.curation.curate import judge
from afterwit.knowledge.door.list import all_items
from afterwit.recall.deck import compile as compiling
from afterwit.recall.deck.compile import compile_deck
from afterwit.recall.deck.first_prompt import files_at_prompt
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck, opened_immutable
from afterwit.redaction.redaction import Redactor
from afterwit.store.database import transaction
from afterwit.store.decisions import DecisionKind
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

HARBOUR = "/srv/harbour"
_FAILURE = {"rtk", "make", "unrecognized", "subcommand"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = learnable_home(tmp_path / "home", 6)
    for name in ("h1", "h2"):
        put(home / CLAUDE / f"{name}.jsonl", claude_records(name, cwd=HARBOUR))
    learned(home, tmp_path / "store")
    return home


@pytest.fixture
def layout(home: Path, tmp_path: Path) -> Layout:
    assert home.is_dir()
    return Layout(tmp_path / "store")


def parts(layout: Layout) -> dict[str, Path]:
    db = opened_immutable(str(layout.deck))
    named = {repo: layout.deck_parts / file for repo, file in db.execute("SELECT repo, file FROM parts")}
    assert {path.name for path in layout.deck_parts.iterdir()} == {path.name for path in named.values()}
    return named


def stamps(layout: Layout) -> dict[str, tuple[str, int, int]]:
    """By repository, what tells whether its part was written anew."""
    about = {repo: (path.name, path.stat()) for repo, path in parts(layout).items()}
    return {repo: (name, stat.st_ino, stat.st_ctime_ns) for repo, (name, stat) in about.items()}


def contents(layout: Layout) -> dict[str, object]:
    return {repo: content_of(opened_immutable(str(path))) for repo, path in parts(layout).items()}


def grow(home: Path, session: str, cwd: str, turns: int = 5) -> None:
    put(home / CLAUDE / f"{session}.jsonl", claude_records(session, turns, cwd=cwd))


def advice(deck: Deck) -> set[str]:
    return {line.advice for _, line in deck.lines("failure", _FAILURE, "orchard", "codex")}


def test_each_repository_has_a_part(layout: Layout) -> None:
    assert parts(layout).keys() == {"orchard", "harbour"}
    deck = Deck(str(layout.deck))
    assert advice(deck) == {"rtk make → make"}
    assert deck.lines("failure", _FAILURE, "harbour", "codex") == []
    assert deck.faults == []


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_only_the_user_can_read_the_parts(layout: Layout) -> None:
    assert layout.deck_parts.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in layout.deck_parts.iterdir()} == {0o600}


def test_only_the_part_of_the_repository_that_changed_is_written(home: Path, layout: Layout) -> None:
    before, core = stamps(layout), layout.deck.read_bytes()
    grow(home, "h2", HARBOUR)
    learned(home, layout.root)
    after = stamps(layout)
    assert after["orchard"] == before["orchard"]
    assert after["harbour"] != before["harbour"]
    assert layout.deck.read_bytes() != core


def test_where_nothing_changed_nothing_is_written_anew(home: Path, layout: Layout) -> None:
    before, core = stamps(layout), layout.deck.read_bytes()
    learned(home, layout.root)
    assert (stamps(layout), layout.deck.read_bytes()) == (before, core)


def test_only_sessions_that_changed_are_read_again(home: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def load(db: apsw.Connection, row: Any) -> object:
        read.append(row.native_id)
        return load_digest(db, row)

    monkeypatch.setattr(compiling, "load_digest", load)
    grow(home, "h2", HARBOUR)
    learned(home, layout.root)
    assert read == ["h2"]
    read.clear()
    with open_store(layout) as store:
        compile_deck(store, world_of(home, layout.root))
    assert read == []


def test_where_nothing_is_said_anew_nothing_is_redacted(
    home: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> str:
        raise AssertionError("nothing has to be redacted")

    with open_store(layout) as store:
        monkeypatch.setattr(Redactor, "text", refuse)
        compile_deck(store, world_of(home, layout.root))


def test_a_part_that_grew_says_what_one_made_from_nothing_says(home: Path, layout: Layout) -> None:
    grow(home, "h2", HARBOUR)
    grow(home, "h3", HARBOUR, 2)
    (home / CLAUDE / "s6.jsonl").unlink()
    learned(home, layout.root)
    grown = contents(layout)
    layout.deck.unlink()
    learned(home, layout.root)
    assert contents(layout) == grown


def test_a_repository_that_is_gone_has_no_part(home: Path, layout: Layout) -> None:
    with open_store(layout) as store:
        with transaction(store.db):
            store.db.execute("UPDATE sessions SET repo = 'orchard'")
            store.db.execute("DELETE FROM items WHERE scope = 'repo:harbour'")
        compile_deck(store, world_of(home, layout.root))
    assert parts(layout).keys() == {"orchard"}
    assert "prune" in str(contents(layout)["orchard"])


def test_other_rules_of_redaction_make_every_part_anew(
    home: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = stamps(layout)
    monkeypatch.setattr("afterwit.redaction.ruleset.fingerprint", lambda: "other rules")
    learned(home, layout.root)
    after = stamps(layout)
    assert all(after[repo][2] != before[repo][2] for repo in before)


def test_what_people_retire_is_in_no_file_of_the_deck(home: Path, layout: Layout) -> None:
    assert FACT.encode() in parts(layout)["orchard"].read_bytes()
    with open_store(layout) as store:
        note = next(item for item in all_items(store.db) if item.sentence == FACT)
    judge(world_of(home, layout.root), DecisionKind.RETIRE, [note.id])
    assert all(FACT.encode() not in path.read_bytes() for path in (layout.deck, *parts(layout).values()))


def test_a_run_that_is_killed_before_the_deck_has_its_place_is_finished_by_the_next(
    home: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(home, "h2", HARBOUR)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            learned(home, layout.root)
    assert len(list(layout.deck_parts.iterdir())) == 3
    assert advice(Deck(str(layout.deck))) == {"rtk make → make"}
    learned(home, layout.root)
    assert "h2" in str(contents(layout)["harbour"])


def killed(path: Path, target: Path) -> None:
    if target.name == "deck.db":
        raise KeyboardInterrupt
    os.replace(path, target)  # noqa: PTH105


def remove(part: Path) -> None:
    part.unlink()


def cut(part: Path) -> None:
    part.write_bytes(part.read_bytes()[:3000])


def fill_with_something_else(part: Path) -> None:
    part.write_bytes(b"no database")


def take_the_part_of_another(part: Path) -> None:
    other = next(path for path in part.parent.iterdir() if path != part)
    part.write_bytes(other.read_bytes())


@pytest.mark.parametrize("harm", [remove, cut, fill_with_something_else, take_the_part_of_another])
def test_a_part_that_cannot_be_read_is_like_none_and_the_next_run_mends_it(
    home: Path, layout: Layout, harm: Any
) -> None:
    before = contents(layout)
    harm(parts(layout)["orchard"])
    deck = Deck(str(layout.deck))
    assert advice(deck) == set()
    assert files_at_prompt(deck, "codex", "Count the trees of the orchard", Location("orchard", "")) == []
    assert FACT in str(deck.block("orchard", "codex"))
    assert len(deck.faults) == 1
    learned(home, layout.root)
    assert contents(layout) == before
    assert advice(Deck(str(layout.deck))) == {"rtk make → make"}


def test_a_deck_that_was_replaced_meanwhile_is_asked_anew_for_a_part(home: Path, layout: Layout) -> None:
    old = Deck(str(layout.deck))
    put(home / CLAUDE / "s9.jsonl", claude_records("s9"))
    learned(home, layout.root)
    assert advice(old) == {"rtk make → make"}
    assert old.faults == []


def test_parts_of_a_restored_store_are_taken_as_they_are(home: Path, layout: Layout) -> None:
    for path in layout.deck_parts.iterdir():
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(content)
        path.chmod(0o600)
    before = stamps(layout)
    learned(home, layout.root)
    assert stamps(layout) == before
