"""`afterwit store`: what it shows, finds and repairs."""

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_stat_shows_sizes_rows_and_the_content_hash(learned: Run) -> None:
    lines = learned("store", "stat").stdout.splitlines()
    assert [line[:13].strip() for line in lines] == [
        *(
            "stored in",
            "database",
            "archive",
            "dropped",
            "journal",
            "hooks",
            "sessions",
            "events",
            "actions",
            "problems",
        ),
        "content hash",
    ]
    assert lines[6].endswith("5 from 5 files")


def test_stat_has_the_documented_shape(learned: Run) -> None:
    sizes = json.loads(learned("store", "stat", "--json").stdout)
    assert set(sizes) == {
        *("root", "database_bytes", "journal_bytes", "archive_bytes", "original_bytes", "spool_files", "spool_bytes"),
        *("journal_entries", "rows", "content_hash", "dropped_files", "remains_bytes"),
    }
    assert set(sizes["rows"]) == {"files", "sessions", "events", "actions", "failures", "problems"}


def test_a_sound_store_is_said_to_be_sound(learned: Run) -> None:
    assert learned("store", "verify").stdout == "Database, archive and journal are sound.\n"
    assert json.loads(learned("store", "verify", "--json").stdout) == []


def test_damage_is_found_and_repaired_as_the_pages_say(learned: Run, tmp_path: Path) -> None:
    before = json.loads(learned("store", "stat", "--json").stdout)["rows"]
    damage(min((tmp_path / "store" / "archive").glob("*/*.zst")))
    verified = learned("store", "verify", "--json")
    assert verified.returncode == 1
    assert [set(finding) for finding in json.loads(verified.stdout)] == [{"where", "what", "is_harmless"}]
    refused = learned("store", "rebuild")
    assert (refused.returncode, "--accept-archive" in refused.stderr) == (1, True)
    assert learned("store", "rebuild", "--accept-archive").returncode == 3
    assert learned("store", "verify").returncode == 1
    learned("learn")
    verified = learned("store", "verify")
    assert verified.returncode == 0
    assert "damaged, and not used" in verified.stdout
    assert json.loads(learned("store", "stat", "--json").stdout)["rows"] == before


def test_what_a_stopped_run_left_is_harmless(learned: Run, tmp_path: Path) -> None:
    archive = tmp_path / "store" / "archive"
    one = min(archive.glob("*/*.zst"))
    (archive / "00").mkdir(exist_ok=True)
    left = archive / "00" / f"{'0' * 32}-0.zst"
    left.write_bytes(one.read_bytes())
    verified = learned("store", "verify")
    assert verified.returncode == 1
    assert "the database does not know it" in verified.stdout
    left.write_bytes(b"")
    verified = learned("store", "verify")
    assert verified.returncode == 0
    assert verified.stdout.startswith("archive (harmless): ")
    assert verified.stdout.endswith("Database, archive and journal are sound.\n")


def damage(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-20] ^= 0xFF
    file.write_bytes(content)


def test_a_store_is_restored_from_archive_journal_and_key(learned: Run, tmp_path: Path) -> None:
    before = json.loads(learned("store", "stat", "--json").stdout)["content_hash"]
    for file in (tmp_path / "store").glob("afterwit.db*"):
        file.unlink()
    done = json.loads(learned("store", "rebuild", "--json").stdout)
    assert done == {"files": 5, "before": "", "after": before, "faults": []}


def test_compact_says_what_it_gained(learned: Run) -> None:
    assert set(json.loads(learned("store", "compact", "--json").stdout)) == {"gained_bytes", "faults"}
    assert learned("store", "compact").stdout.startswith("Gained ")


def test_without_problems_everything_could_be_read(learned: Run) -> None:
    assert learned("store", "problems").stdout == "Everything could be read.\n"
    assert json.loads(learned("store", "problems", "--json").stdout) == []


def test_problems_are_limited_and_say_so(run: Run, home: Path) -> None:
    file = home / ".claude" / "projects" / "-home-ada-src-orchard" / "5ea50001.jsonl"
    file.write_text("not json\nnot json either\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    run("learn")
    done = run("store", "problems", "--limit", "1")
    assert len(done.stdout.splitlines()) == 1
    assert "`--limit 0` shows all" in done.stderr
    rows = json.loads(run("store", "problems", "--limit", "0", "--json").stdout)
    assert [set(row) for row in rows] == [{"agent", "path", "offset", "length", "reason"}] * 2
