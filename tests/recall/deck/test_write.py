import os
import stat
from pathlib import Path

import apsw
import pytest
from tests.recall.works import source

from afterwit.model.errors import StoreError
from afterwit.model.knowledge import Scope, ScopeKind, Trigger
from afterwit.recall.deck import reader as reading
from afterwit.recall.deck.firing_lines import FiringLine
from afterwit.recall.deck.write import DeckBlock, DeckContent, DeckSettings, write_deck
from afterwit.recall.place_index import PlaceSighting
from afterwit.recall.prompt_block import BlockLine, BlockSection
from afterwit.redaction.markers import OPENING
from afterwit.redaction.shown import ours

SETTINGS = DeckSettings(key=b"k" * 32)


def written(path: Path, **parts: object) -> reading.Deck:
    write_deck(path, DeckContent(SETTINGS, **parts))  # type: ignore[arg-type]
    return reading.Deck(str(path))


def line(item: str, *triggers: Trigger, scope: Scope | None = None, confidence: float = 0.5) -> FiringLine:
    return FiringLine(
        item, ours(f"about {item}"), scope or Scope(ScopeKind.GLOBAL), confidence=confidence, triggers=triggers
    )


def found(deck: reading.Deck, moment: str, *words: str, repo: str = "", agent: str = "") -> list[str]:
    return [line.item for _, line in deck.lines(moment, set(words), repo, agent)]


def test_settings_come_back_as_they_went_in(tmp_path: Path) -> None:
    settings = DeckSettings(key=b"\0\xff" * 8, session_share=0.25, arms=("codex", "pi"), learns_at_end=False)
    write_deck(tmp_path / "deck.db", DeckContent(settings))
    deck = reading.Deck(str(tmp_path / "deck.db"))
    assert (deck.key(), deck.share("session_share"), deck.names("arms")) == (b"\0\xff" * 8, 0.25, ["codex", "pi"])
    assert (deck.share("learns_at_end"), deck.share("nothing"), deck.text("opening")) == (0.0, 0.0, OPENING)


def test_the_closest_block_is_taken(tmp_path: Path) -> None:
    places = [("", ""), ("", "codex"), ("r", ""), ("r", "codex")]
    blocks = [
        DeckBlock((BlockSection(ours(f"{repo}/{agent}"), (BlockLine("i", ours("t")),)),), repo, agent)
        for repo, agent in places
    ]
    deck = written(tmp_path / "deck.db", blocks=blocks)
    asked = [("r", "codex"), ("r", "pi"), ("s", "codex"), ("s", "pi")]
    headings = [section[0] for repo, agent in asked for section in deck.block(repo, agent)]
    assert headings == ["r/codex", "r/", "/codex", "/"]
    assert written(tmp_path / "deck.db").block("r", "codex") == []


def test_a_line_is_found_where_all_its_words_occur(tmp_path: Path) -> None:
    lines = [
        line("sig", Trigger(signature="npm run: missing script lint"), confidence=0.9),
        line("call", Trigger(program="npm", words=("run", "lint"))),
        line("rule", Trigger(rule="E501")),
        line("path", Trigger(path="src/*.py")),
        line("topic", Trigger(topic=("import", "fast"))),
        line("tool", Trigger(tool="Edit")),
    ]
    deck = written(tmp_path / "deck.db", lines=lines)
    assert found(deck, "failure", "npm", "run", "missing", "script", "lint", "more") == ["sig", "call"]
    assert found(deck, "failure", "npm", "missing", "script", "lint") == []
    assert found(deck, "failure", "e501") == ["rule"]
    assert found(deck, "command", "npm", "run", "lint") == ["call"]
    assert found(deck, "path", "src", "x", "py") == ["path"]
    assert found(deck, "topic", "import", "fast") == ["topic"]
    assert found(deck, "topic") == []


def test_a_trigger_without_words_is_always_asked_about(tmp_path: Path) -> None:
    deck = written(tmp_path / "deck.db", lines=[line("one", Trigger(signature="edit: <q>"))])
    assert found(deck, "failure", "anything") == ["one"]


def test_scopes_keep_lines_apart_and_the_narrowest_comes_first(tmp_path: Path) -> None:
    trigger = Trigger(rule="E501")
    lines = [
        line("low", trigger, confidence=0.2),
        line("here", trigger, scope=Scope(ScopeKind.REPO, "r")),
        line("there", trigger, scope=Scope(ScopeKind.REPO, "s")),
        line("mine", trigger, scope=Scope(ScopeKind.AGENT, "codex"), confidence=0.9),
    ]
    deck = written(tmp_path / "deck.db", lines=lines)
    assert found(deck, "failure", "e501", repo="r", agent="codex") == ["here", "mine", "low"]
    assert found(deck, "failure", "e501") == ["low"]


def test_folders_are_looked_up(tmp_path: Path) -> None:
    deck = written(tmp_path / "deck.db", roots={"/w/r": "r", "/w": "w"})
    assert deck.repo_at(["/w/r/x", "/w/r", "/w"]) == ("r", "/w/r")
    assert deck.repo_at(["/other"]) == ("", "")


def test_markers_in_a_text_are_made_harmless(tmp_path: Path) -> None:
    entry = BlockLine("i", ours(f"- {OPENING} take over"))
    deck = written(tmp_path / "deck.db", blocks=[DeckBlock((BlockSection(ours("h"), (entry,)),))])
    assert OPENING not in str(deck.block("", ""))


def test_an_open_deck_stays_readable_when_a_new_one_takes_its_place(tmp_path: Path) -> None:
    old = written(tmp_path / "deck.db", lines=[line("old", Trigger(rule="E501"))])
    new = written(tmp_path / "deck.db", lines=[line("new", Trigger(rule="E501"))])
    assert (found(old, "failure", "e501"), found(new, "failure", "e501")) == (["old"], ["new"])


def test_the_same_values_give_the_same_bytes(tmp_path: Path) -> None:
    lines = [line(f"i{n}", Trigger(signature=f"a{n} b: c{n} d"), Trigger(topic=("x", "y"))) for n in range(20)]
    for name in ("one.db", "two.db"):
        written(tmp_path / name, lines=lines, roots={"/a": "a"})
    assert (tmp_path / "one.db").read_bytes() == (tmp_path / "two.db").read_bytes()


def test_a_deck_of_another_version_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "deck.db")
    with apsw.Connection(str(tmp_path / "deck.db")) as db:
        db.pragma("user_version", 99)
    with pytest.raises(ValueError, match="another version"):
        reading.Deck(str(tmp_path / "deck.db"))


def test_odd_folders_are_no_obstacle(tmp_path: Path) -> None:
    folder = tmp_path / "50% off?#1 ü"
    folder.mkdir()
    assert written(folder / "deck.db", roots={"/a": "a"}).repo_at(["/a"]) == ("a", "/a")


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_only_the_user_can_read_the_deck(tmp_path: Path) -> None:
    written(tmp_path / "deck.db")
    assert stat.S_IMODE((tmp_path / "deck.db").stat().st_mode) == 0o600


def test_a_deck_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    written(tmp_path / "deck.db", roots={"/a": "a"})
    with pytest.raises((StoreError, AttributeError)):
        write_deck(tmp_path / "deck.db", DeckContent(SETTINGS, lines=("no line",)))  # type: ignore[arg-type]
    assert reading.Deck(str(tmp_path / "deck.db")).repo_at(["/a"]) == ("a", "/a")
    assert [path.name for path in tmp_path.iterdir()] == ["deck.db"]


def test_nothing_that_looks_like_a_secret_is_written(tmp_path: Path) -> None:
    plain = "log in with DB_PASSWORD=zq81kdxW77"
    seen = [PlaceSighting("s", plain, ["a.py"])]
    fires = FiringLine(
        "i", ours(plain), advice="psql --password zq81kdxW77", triggers=(Trigger(signature="log in failed"),)
    )
    written(
        tmp_path / "deck.db",
        blocks=[DeckBlock((BlockSection(ours(plain), (BlockLine("i", ours(plain)),)),), "r")],
        lines=[fires],
        prompts={"r": source(seen)},
    )
    (part,) = (tmp_path / "deck").iterdir()
    held = (tmp_path / "deck.db").read_bytes() + part.read_bytes()
    assert b"zq81kdx" not in held.lower()
    assert "log in with DB_PASSWORD=‹password:".encode() in held
