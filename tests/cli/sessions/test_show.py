"""`afterwit sessions show`, `export` and `restore` as commands; what they promise is tested below `sessions`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run, command

CLAUDE = ".claude/projects/-home-ada-src-orchard"


def test_a_transcript_is_readable(learned: Run) -> None:
    done = learned("sessions", "show", "5ea50001")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "Count the trees"
    assert any(line.startswith("10:00 ❯ Count the trees") for line in lines)
    failed = next(place for place, line in enumerate(lines) if "✗ shell    make count" in line)
    assert "exit 2" in lines[failed]
    assert lines[failed + 1].strip() == "no rule to make target"
    assert "● That is all." in done.stdout


def test_full_shows_outputs_and_arguments(learned: Run) -> None:
    assert "42 trees" not in learned("sessions", "show", "5ea50002").stdout
    full = learned("sessions", "show", "5ea50002", "--full").stdout
    assert "↳ 42 trees" in full
    assert "command: make trees" in full


def test_json_holds_records(learned: Run) -> None:
    found = json.loads(learned("sessions", "show", "5ea50001", "--json").stdout)
    assert set(found) == {"session", "records", "subagents"}
    assert [record["type"] for record in found["records"]] == ["event", "event", "action", "event", "event"]


def test_a_digest_is_readable(learned: Run) -> None:
    done = learned("sessions", "show", "5ea50001", "--digest")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "Count the trees"
    assert any(line.startswith("outcome     ") for line in lines)
    assert any("invocation" in line and "no rule to make target" in line for line in lines)


def test_a_digest_as_json_names_every_field(learned: Run) -> None:
    found = json.loads(learned("sessions", "show", "5ea50001", "--digest", "--json").stdout)
    assert found["steps"][0]["target"] == "make count"
    assert found["failures"][0]["failure"] == "invocation"
    assert {"verdict", "measures", "files", "prompts"} <= set(found)


def test_a_digest_has_no_original(learned: Run) -> None:
    assert learned("sessions", "show", "5ea50001", "--digest", "--raw").returncode == 2


def test_raw_is_the_original(learned: Run, home: Path) -> None:
    original = (home / CLAUDE / "5ea50001.jsonl").read_text(encoding="utf-8")
    assert learned("sessions", "show", "5ea50001", "--raw").stdout == original


def test_a_gone_archive_is_said_and_the_rest_is_shown(learned: Run, tmp_path: Path) -> None:
    for path in (tmp_path / "store" / "archive").glob("*/*.zst"):
        path.unlink()
    done = learned("sessions", "show", "5ea50001")
    assert done.returncode == 0
    assert "texts gone from the archive" in done.stdout
    assert "✗ shell    make count" in done.stdout


@pytest.mark.parametrize("name", ["5ea5", "nobody", "%"])
def test_an_ambiguous_or_unknown_session_is_wrong_use(learned: Run, name: str) -> None:
    done = learned("sessions", "show", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("no_colour", ["", "1"])
def test_on_a_terminal_lines_fit_and_colour_can_be_refused(
    learned: Run, environ: dict[str, str], no_colour: str
) -> None:
    text = _on_a_terminal(["sessions", "show", "5ea50001"], environ | {"NO_COLOR": no_colour, "COLUMNS": "60"})
    assert ("\x1b[" in text) == (not no_colour)
    assert "make count" in text


def test_an_export_goes_to_a_file_and_replaces_none(learned: Run, tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    done = learned("sessions", "export", "--agent", "codex", "--output", str(file))
    assert done.returncode == 0
    first = json.loads(file.read_text(encoding="utf-8").splitlines()[0])
    assert (first["type"], first["agent"]) == ("session", "codex")
    assert learned("sessions", "export", "--output", str(file)).returncode == 2
    assert learned("sessions", "export", "--output", str(file), "--force").returncode == 0
    assert learned("sessions", "export").stdout == file.read_text(encoding="utf-8")


def test_a_restore_is_planned_and_done(learned: Run, home: Path, tmp_path: Path) -> None:
    target = tmp_path / "back" / "projects" / "-home-ada-src-orchard" / "5ea50001.jsonl"
    dry = learned("sessions", "restore", "5ea50001", "--to", str(tmp_path / "back"), "--dry-run")
    assert "1 file would be restored" in dry.stderr
    assert not target.exists()
    done = learned("sessions", "restore", "5ea50001", "--to", str(tmp_path / "back"), "--json")
    assert json.loads(done.stdout)["files"][0]["found"] == "new"
    assert target.read_bytes() == (home / CLAUDE / "5ea50001.jsonl").read_bytes()


def test_in_place_asks_and_a_conflict_writes_nothing(learned: Run, home: Path) -> None:
    file = home / CLAUDE / "5ea50001.jsonl"
    original = file.read_bytes()
    file.unlink()
    assert learned("sessions", "restore", "5ea50001").returncode in (1, 3)
    assert not file.exists()
    assert learned("sessions", "restore", "5ea50001", "--yes").returncode == 0
    assert file.read_bytes() == original
    file.write_bytes(b"other\n")
    refused = learned("sessions", "restore", "5ea50001", "--yes")
    assert (refused.returncode, file.read_bytes()) == (2, b"other\n")
    assert learned("sessions", "restore", "5ea50001", "--yes", "--force").returncode == 0
    assert (file.read_bytes(), file.with_name(f"{file.name}.before-restore-1").read_bytes()) == (original, b"other\n")


def test_a_mistyped_session_is_answered_with_the_nearest(learned: Run) -> None:
    done = learned("show", "5ea50003")
    assert done.returncode == 2
    assert "No session '5ea50003'. Did you mean 5ea50002 or 5ea50001? `afterwit sessions list`" in done.stderr


def test_without_a_place_files_go_where_the_agent_looks(learned: Run, home: Path) -> None:
    file = home / CLAUDE / "5ea50001.jsonl"
    there = learned("sessions", "restore", "5ea50001")
    assert (there.returncode, "0 files restored, 1 already there" in there.stderr) == (0, True)
    original = file.read_bytes()
    file.unlink()
    refused = learned("sessions", "restore", "5ea50001")
    assert (refused.returncode, file.exists()) == (1, False)
    assert str(file) in refused.stdout
    assert "Nobody answered. Use --yes to write without being asked." in refused.stderr
    assert learned("sessions", "restore", "5ea50001", "--yes").returncode == 0
    assert file.read_bytes() == original


def _on_a_terminal(arguments: list[str], environ: dict[str, str]) -> str:
    code = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, *command(arguments)],
        env=environ | {"TERM": "xterm", "LINES": "200"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return done.stdout.decode()
