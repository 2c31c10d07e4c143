"""`afterwit store backup`: what it says, asks and returns."""

import json
import os
import pty
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run


def test_a_backup_is_made_listed_checked_and_restored(learned: Run, tmp_path: Path) -> None:
    target, other = str(tmp_path / "backup"), str(tmp_path / "other")
    created = learned("store", "backup", "create", target)
    assert created.returncode == 0, created.stderr
    assert created.stdout.startswith("Snapshot 20")
    assert created.stdout.rstrip().endswith(f"to {target}, read back.")
    assert "not encrypted" in created.stderr
    assert "5" in learned("store", "backup", "list", target).stdout
    assert "all sound" in learned("store", "backup", "verify", target).stdout
    restored = learned("store", "backup", "restore", target, "--to", other)
    assert restored.returncode == 0, restored.stderr
    stat = json.loads(learned("store", "stat", "--json").stdout)
    again = json.loads(learned("store", "stat", "--json", AFTERWIT_HOME=other).stdout)
    assert again["content_hash"] == stat["content_hash"]
    assert learned("store", "verify", AFTERWIT_HOME=other).returncode == 0


def test_json_has_the_documented_shapes(learned: Run, tmp_path: Path) -> None:
    target = str(tmp_path / "backup")
    created = json.loads(learned("store", "backup", "create", target, "--json").stdout)
    assert set(created) == {
        *("target", "snapshot", "created_at", "sessions", "content_hash", "files", "total_bytes", "sent_objects"),
        *("sent_bytes", "is_encrypted", "is_read_back", "is_first", "skipped"),
    }
    listed = json.loads(learned("store", "backup", "list", target, "--json").stdout)
    assert set(listed) == {"target", "encryption", "is_open", "objects", "object_bytes", "snapshots"}
    assert set(listed["snapshots"][0]) == {
        *("id", "created_at", "sessions", "files", "total_bytes", "new_bytes", "content_hash", "machine", "problem"),
    }
    verified = json.loads(learned("store", "backup", "verify", target, "--json").stdout)
    assert set(verified) == {"target", "snapshots", "objects", "read_bytes", "unused_objects", "faults"}
    pruned = json.loads(learned("store", "backup", "prune", target, "--dry-run", "--json").stdout)
    assert set(pruned) == {"target", "snapshots", "removed_objects", "young_objects", "freed_bytes", "is_dry_run"}
    assert set(pruned["snapshots"][0]) == {"id", "created_at", "is_kept", "problem"}
    to = str(tmp_path / "other")
    restored = json.loads(learned("store", "backup", "restore", target, "--to", to, "--json").stdout)
    assert set(restored) == {
        *("root", "snapshot", "created_at", "sessions", "content_hash", "files", "total_bytes", "present", "set_aside"),
        *("config_beside", "is_dry_run"),
    }
    assert set(restored["present"]) == {"is_there", "is_same_machine", "sessions", "content_hash"}
    ended = json.loads(learned("store", "backup", "restore", "--finish", "--json").stdout)
    assert ended == {"root": str(tmp_path / "store"), "is_changed": False, "set_aside": ""}


def test_a_flipped_bit_makes_verify_fail_and_names_the_object(learned: Run, tmp_path: Path) -> None:
    learned("store", "backup", "create", str(tmp_path / "backup"))
    victim = min((tmp_path / "backup/objects").glob("*/*"))
    content = bytearray(victim.read_bytes())
    content[len(content) // 2] ^= 1
    victim.write_bytes(content)
    verified = learned("store", "backup", "verify", str(tmp_path / "backup"))
    assert (verified.returncode, victim.name in verified.stdout, "1 fault" in verified.stdout) == (1, True, True)


def test_a_store_is_replaced_only_if_somebody_says_so(learned: Run, tmp_path: Path) -> None:
    target = str(tmp_path / "backup")
    learned("store", "backup", "create", target)
    refused = learned("store", "backup", "restore", target)
    assert (refused.returncode, "--replace" in refused.stderr) == (1, True)
    unanswered = learned("store", "backup", "restore", target, "--replace")
    assert (unanswered.returncode, "Nothing was changed" in unanswered.stderr) == (1, True)
    replaced = learned("store", "backup", "restore", target, "--replace", "--yes")
    assert (replaced.returncode, "--undo" in replaced.stdout) == (0, True)
    back = learned("store", "backup", "restore", "--undo", "--yes")
    assert (back.returncode, back.stdout[:9]) == (0, "Put back.")
    assert learned("store", "verify").returncode == 0


def test_keys_are_made_and_needed(learned: Run, tmp_path: Path) -> None:
    target, key = str(tmp_path / "backup"), str(tmp_path / "backup.key")
    without = learned("store", "backup", "create", target, "--key-file", key)
    assert (without.returncode, "--new-key" in without.stderr) == (1, True)
    created = learned("store", "backup", "create", target, "--key-file", key, "--new-key")
    assert (created.returncode, "Without its key nobody can read this backup" in created.stderr) == (0, True)
    assert "AGE-SECRET-KEY" not in created.stdout + created.stderr
    locked = learned("store", "backup", "list", target)
    assert (locked.returncode, "Without the key only the moments are known" in locked.stderr) == (0, True)
    assert learned("store", "backup", "verify", target).returncode == 1
    assert learned("store", "backup", "verify", target, "--key-file", key).returncode == 0
    both = learned("store", "backup", "verify", target, "--key-file", key, "--passphrase")
    assert (both.returncode, "exclude each other" in both.stderr) == (2, True)


def typed(command: list[str], environ: dict[str, str], *answers: tuple[bytes, str]) -> tuple[bytes, int]:
    """Runs a command on a terminal of its own, and answers each question when it is asked. What the terminal shows."""
    child, terminal = pty.fork()
    if not child:
        os.execve(command[0], command, environ)
    shown, waiting = b"", list(answers)
    try:
        while piece := os.read(terminal, 4096):
            shown += piece
            if waiting and waiting[0][0] in shown.rpartition(b"\n")[2]:
                os.write(terminal, f"{waiting.pop(0)[1]}\n".encode())
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(terminal)
    return shown, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.slow
def test_a_passphrase_is_asked_for_on_a_terminal_and_not_shown(
    learned: Run, environ: dict[str, str], tmp_path: Path
) -> None:
    words = "seven apple trees"
    command = [sys.executable, "-m", "afterwit", "store", "backup", "create", str(tmp_path / "backup"), "--passphrase"]
    shown, code = typed(command, environ, (b"passphrase", words), (b"confirmation", words))
    assert (code, b"Snapshot 20" in shown, words.encode() in shown) == (0, True, False), shown
    environ_given = {"AFTERWIT_BACKUP_PASSPHRASE": words}
    assert learned("store", "backup", "verify", str(tmp_path / "backup"), **environ_given).returncode == 0
    assert learned("store", "backup", "verify", str(tmp_path / "backup")).returncode == 1


def test_what_leaves_the_machine_needs_a_key(learned: Run, tmp_path: Path) -> None:
    config = tmp_path / "store/config.toml"
    refused = learned("store", "backup", "create", "s3://orchard/backups")
    assert refused.returncode == 1
    unnamed = learned("store", "backup", "create")
    assert (unnamed.returncode, "Name a TARGET" in unnamed.stderr) == (2, True)
    secret = learned("store", "backup", "create", "sftp://ada:hunter2@example.com/b")
    assert (secret.returncode, "hunter2" in secret.stderr) == (2, False)
    config.write_text('[backup]\ntarget = "git+https://ada:hunter2@example.com/b.git"\n')
    refused = learned("status")
    assert (refused.returncode, "backup.target" in refused.stderr, "hunter2" in refused.stderr) == (2, True, False)


def test_prune_shows_its_plan_and_asks(learned: Run, tmp_path: Path) -> None:
    target = str(tmp_path / "backup")
    for _ in range(2):
        learned("store", "backup", "create", target)
    planned = learned("store", "backup", "prune", target, "--dry-run")
    assert planned.stdout.splitlines()[0].startswith("keep")
    assert planned.stdout.splitlines()[1].startswith("remove")
    unanswered = learned("store", "backup", "prune", target)
    assert (unanswered.returncode, "Nothing was removed" in unanswered.stderr) == (1, True)
    done = learned("store", "backup", "prune", target, "--yes")
    assert (done.returncode, "1 snapshot kept" in done.stdout) == (0, True)


def test_the_settings_let_learn_make_a_backup_each_day(learned: Run, tmp_path: Path) -> None:
    target, config = str(tmp_path / "backup"), tmp_path / "store/config.toml"
    config.write_text(f"[learn]\njobs = 1\n\n[backup]\ntarget = '{target}'\ndaily = true\n")
    assert f"Backed up to {target}" in learned("learn").stderr
    assert "Backed up" not in learned("learn").stderr
    assert len(list((tmp_path / "backup/snapshots").iterdir())) == 1
    assert "last backup" in learned("status").stdout
    assert learned("store", "backup", "create").returncode == 0


def test_a_failing_daily_backup_fails_no_learn_and_is_told(learned: Run, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos/tree.jpg").write_bytes(b"tree")
    (tmp_path / "store/config.toml").write_text(f"[backup]\ntarget = '{tmp_path / 'photos'}'\ndaily = true\n")
    done = learned("learn")
    assert (done.returncode, "No backup was made" in done.stderr) == (0, True)
    findings = json.loads(learned("doctor", "--json").stdout)["findings"]
    assert [finding["code"] for finding in findings if finding["code"].startswith("backup")] == ["backup-failed"]
    shown = json.loads(learned("status", "--json").stdout)
    assert shown["backup"]["made_at"] == ""
    assert "holds other files" in shown["backup"]["failure"]
