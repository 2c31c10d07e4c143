"""A key, an id or a deck that is not what it was: noticed, with the remedy, and mended by it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from tests.homes import claude_records, learned, put, rows, world_of

from afterwit.engine.archive.upkeep import is_deck_sound, verify
from afterwit.engine.doctor.doctor import examine
from afterwit.engine.unchanged import nothing_new
from afterwit.model.learn_run import Report
from afterwit.recall.deck.write import DealtPart
from afterwit.store.layout import KEY_BYTES, Layout
from afterwit.store.store import open_store

CLAUDE = ".claude/projects/-srv-orchard"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for number in range(3):
        put(tmp_path / "home" / CLAUDE / f"s{number}.jsonl", claude_records(f"s{number}"))
    learned(tmp_path / "home", tmp_path / "store")
    return tmp_path / "home"


@pytest.fixture
def layout(home: Path, tmp_path: Path) -> Layout:
    assert home.is_dir()
    return Layout(tmp_path / "store")


def said(home: Path, layout: Layout) -> dict[str, str]:
    """What `store verify` and `doctor` find, which must be the same."""
    by_verify = {finding.where: finding.what for finding in verify(layout)}
    by_doctor = {one.code: one.what for one in examine(world_of(home, layout.root)).findings if one.level == "alarm"}
    assert by_verify.keys() == by_doctor.keys()
    return by_verify


def glanced(home: Path, layout: Layout) -> Report | None:
    return nothing_new(world_of(home, layout.root))


def test_a_sound_store_has_what_belongs_to_it(home: Path, layout: Layout) -> None:
    assert said(home, layout) == {}
    marks = {name for (name,) in rows(layout.root, "SELECT name FROM marks")}
    assert marks == {"redaction-key", "machine", "deck", "exclude", "learned", "in-use", "checked"}


@pytest.mark.parametrize("key", [None, b"k" * KEY_BYTES])
def test_a_lost_or_changed_redaction_key_is_an_alarm_until_the_rebuild(
    home: Path, layout: Layout, key: bytes | None
) -> None:
    layout.key.unlink()
    if key is not None:
        layout.key.write_bytes(key)
        layout.key.chmod(0o600)
    found = said(home, layout)
    assert list(found) == ["redaction-key"]
    assert "Restore it from a backup; else `afterwit store rebuild`" in found["redaction-key"]
    learned(home, layout.root)
    assert list(said(home, layout)) == ["redaction-key"]
    rebuilt(home, layout)
    assert said(home, layout) == {}


def test_a_redaction_key_that_is_restored_is_well_again(home: Path, layout: Layout, tmp_path: Path) -> None:
    shutil.copy2(layout.key, tmp_path / "backup")
    layout.key.unlink()
    assert list(said(home, layout)) == ["redaction-key"]
    shutil.copy2(tmp_path / "backup", layout.key)
    assert said(home, layout) == {}


@pytest.mark.parametrize("change", ["UPDATE machine SET id = 'feedfacefeedface'", "DELETE FROM machine"])
def test_a_changed_machine_id_is_an_alarm_until_the_rebuild(home: Path, layout: Layout, change: str) -> None:
    db = apsw.Connection(str(layout.journal))
    db.execute(change)
    db.close()
    found = said(home, layout)
    assert list(found) == ["machine"]
    assert "Restore journal.db from a backup; else `afterwit store rebuild`" in found["machine"]
    rebuilt(home, layout)
    assert said(home, layout) == {}


def cut(deck: Path) -> None:
    deck.write_bytes(deck.read_bytes()[:5000])


def emptied(deck: Path) -> None:
    deck.write_bytes(b"")


def flipped(deck: Path) -> None:
    content = bytearray(deck.read_bytes())
    content[len(content) // 2] ^= 0x10
    about = deck.stat()
    deck.write_bytes(bytes(content))
    os.utime(deck, ns=(about.st_atime_ns, about.st_mtime_ns))


def flipped_everywhere(deck: Path) -> None:
    content = bytearray(deck.read_bytes())
    for at in range(4096 + 3, len(content), 64):  # the counts of cells at the beginnings of pages too
        content[at] ^= 0xFF
    deck.write_bytes(bytes(content))


def older(deck: Path) -> None:
    db = apsw.Connection(str(deck))
    db.pragma("user_version", 0)
    db.close()


def gone(deck: Path) -> None:
    deck.unlink()


def without_a_table(deck: Path) -> None:
    db = apsw.Connection(str(deck))
    for table in ("dealt", "settings", "indexes"):
        db.execute(f"DROP TABLE IF EXISTS {table}")
    db.close()


@pytest.mark.parametrize("harm", [without_a_table, flipped_everywhere, cut])
def test_a_broken_deck_stops_no_learn_after_a_rebuild_and_is_no_fault_of_the_database(
    home: Path, layout: Layout, harm: object
) -> None:
    harm(layout.deck)  # type: ignore[operator]
    rebuilt(home, layout)
    assert list(said(home, layout)) == ["deck"]
    learned(home, layout.root)
    assert said(home, layout) == {}


@pytest.mark.parametrize("harm", [without_a_table, flipped_everywhere, cut])
def test_a_part_that_rots_unseen_is_written_anew_where_the_next_run_stumbles_over_it(
    home: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch, harm: object
) -> None:
    (part,) = layout.deck_parts.iterdir()
    put(home / CLAUDE / "late.jsonl", claude_records("late"))
    with monkeypatch.context() as patch:
        patch.setattr(DealtPart, "found_in", lambda row, _: row)
        harm(part)  # type: ignore[operator]
        learned(home, layout.root)
    assert said(home, layout) == {}


@pytest.mark.parametrize("harm", [cut, emptied, flipped, flipped_everywhere, older, gone, without_a_table])
def test_a_broken_deck_is_an_alarm_and_the_next_learn_writes_it_anew(home: Path, layout: Layout, harm: object) -> None:
    whole = layout.deck.read_bytes()
    assert glanced(home, layout) is not None
    harm(layout.deck)  # type: ignore[operator]
    found = said(home, layout)
    assert list(found) == ["deck"]
    assert "`afterwit learn` writes it anew" in found["deck"]
    assert glanced(home, layout) is None
    learned(home, layout.root)
    assert said(home, layout) == {}
    assert len(layout.deck.read_bytes()) == len(whole)
    assert glanced(home, layout) is not None


@pytest.mark.parametrize("harm", [cut, emptied, flipped, flipped_everywhere, older, gone, without_a_table])
def test_a_broken_part_is_an_alarm_and_the_next_learn_writes_it_anew(home: Path, layout: Layout, harm: object) -> None:
    (part,) = layout.deck_parts.iterdir()
    whole = part.read_bytes()
    assert glanced(home, layout) is not None
    harm(part)  # type: ignore[operator]
    assert list(said(home, layout)) == ["deck"]
    assert glanced(home, layout) is None
    learned(home, layout.root)
    assert said(home, layout) == {}
    assert [path.read_bytes() for path in layout.deck_parts.iterdir()] == [whole]
    assert glanced(home, layout) is not None


def test_a_part_that_rots_unseen_is_found_by_reading_it_and_mended(
    home: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    (part,) = layout.deck_parts.iterdir()
    with monkeypatch.context() as patch:
        patch.setattr(DealtPart, "found_in", lambda row, _: row)
        flipped(part)
        assert [fault.where for fault in verify(layout)] == ["deck"]
    learned(home, layout.root)
    assert said(home, layout) == {}


@pytest.mark.parametrize("harm", [cut, emptied, older, gone, without_a_table])
def test_hooks_stay_silent_with_a_broken_deck(home: Path, layout: Layout, harm: object) -> None:
    harm(layout.deck)  # type: ignore[operator]
    done = subprocess.run(
        [sys.executable, "-m", "afterwit.hook", "claude-code", "start"],
        input=b'{"session_id": "5ea50009", "cwd": "/srv/orchard", "source": "startup"}',
        env={"PATH": os.environ["PATH"], "HOME": str(home), "AFTERWIT_HOME": str(layout.root)},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_run_that_is_killed_while_it_writes_the_deck_leaves_a_sound_one(
    home: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(home / CLAUDE / "late.jsonl", claude_records("late"))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            learned(home, layout.root)
    with open_store(layout) as store:
        assert is_deck_sound(store)


def killed(path: Path, target: Path) -> None:
    if target.name == "deck.db":
        raise KeyboardInterrupt
    os.replace(path, target)  # noqa: PTH105


def rebuilt(home: Path, layout: Layout) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "afterwit", "store", "rebuild"],
        env={"PATH": os.environ["PATH"], "HOME": str(home), "AFTERWIT_HOME": str(layout.root)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
