"""Secrets planted in every channel are found nowhere but in the archive, and harmless identifiers stay as they are."""

from pathlib import Path
from typing import Any

import pytest
from tests.homes import CLAUDE, CODEX, THREAD, claude_records, codex_records, learned, put, rows
from tests.secrets_planted import cores, planted

from afterwit.store.archive import Archive

HARMLESS = (
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "9fceb02d0ae598e95dc970b74767f19372d61af8",
    "getUserAccountTokenCount",
    "max_tokens=4096",
    "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
)


def shell(records: list[dict[str, Any]], command: str, output: str) -> None:
    """Puts a command and its failing output into the first turn of a session."""
    records[2]["message"]["content"][0]["input"]["command"] = command
    records[3]["message"]["content"][0]["content"] = f"Exit code 1\nerror: {output}"


def planted_home(home: Path) -> dict[str, str]:
    """One Claude Code and one Codex session per secret, with it in every channel."""
    found = planted()
    for number, secret in enumerate(found.values()):
        records = claude_records(f"c{number}", 1)
        records[0]["message"]["content"] = f"Please use {secret} for the job"
        shell(
            records, f"deploy --with '{secret}' && git commit -m 'add {secret}'", f"could not log in with {secret} now"
        )
        records.append({"type": "ai-title", "aiTitle": f"Fix {secret}", "sessionId": f"c{number}"})
        content = [{"type": "tool_use", "id": f"w{number}", "name": "Write", "input": write(secret)}]
        records.append({**records[2], "uuid": f"w{number}", "message": {**records[2]["message"], "content": content}})
        for record in records:
            record["gitBranch"] = f"fix {secret} soon"
        put(home / CLAUDE / f"c{number}.jsonl", records)
        thread = f"{THREAD[:-4]}{number:04x}"
        rollout = codex_records(thread, 1)
        rollout[2]["payload"]["content"][0]["text"] = f"Please use {secret} for the job"
        rollout[5]["payload"]["output"] = f"Process exited with code 1\nOutput:\nerror: {secret} is wrong"
        put(home / CODEX / f"rollout-2026-05-01T10-00-00-{thread}.jsonl", rollout)
    return found


def write(secret: str) -> dict[str, str]:
    return {"file_path": f"/srv/orchard/{secret}/notes.txt", "content": f"the key is {secret}"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("secrets")
    planted_home(folder / "home")
    learned(folder / "home", folder / "store")
    return folder


def test_there_are_enough_formats() -> None:
    assert len(planted()) >= 60
    assert len({cores(secret) for secret in planted().values()}) == len(planted())


def test_no_planted_secret_is_anywhere_but_in_the_archive(place: Path) -> None:
    store = place / "store"
    files = [path for path in store.rglob("*") if path.is_file() and "archive" not in path.parts]
    assert {"afterwit.db", "journal.db"} <= {path.name for path in files}
    content = b"\n".join(path.read_bytes() for path in files)
    survived = [name for name, secret in planted().items() if cores(secret).encode() in content]
    assert survived == []


def test_the_archive_holds_the_original(place: Path) -> None:
    archive = Archive(place / "store" / "archive")
    content = b"".join(piece for name in archive.names() for piece in archive.read(name))
    assert all(secret.encode() in content for secret in planted().values())


def test_what_was_redacted_is_still_told_apart_by_type(place: Path) -> None:
    prompts = [row[0] for row in rows(place / "store", "SELECT first_prompt FROM sessions WHERE agent = 'claude-code'")]
    assert len(prompts) == len(planted())
    assert all("‹" in prompt and prompt.startswith("Please use") for prompt in prompts)


def test_harmless_identifiers_stay_readable(tmp_path: Path) -> None:
    records = claude_records("s1", 1)
    shell(records, f"git show {HARMLESS[1]}", " ".join(HARMLESS))
    put(tmp_path / "home" / CLAUDE / "s1.jsonl", records)
    learned(tmp_path / "home", tmp_path / "store")
    (target, error), *_ = rows(tmp_path / "store", "SELECT target, error FROM actions")
    assert target == f"git show {HARMLESS[1]}"
    assert error == "error: " + " ".join(HARMLESS)


def test_the_users_of_home_folders_get_pseudonyms(tmp_path: Path) -> None:
    put(tmp_path / "home" / CLAUDE / "s1.jsonl", claude_records("s1", 1, cwd="/home/quentina/orchard"))
    learned(tmp_path / "home", tmp_path / "store")
    ((cwd, user, repo),) = rows(tmp_path / "store", "SELECT cwd, user, repo FROM sessions")
    assert "quentina" not in cwd + user
    assert cwd == f"/home/{user}/orchard"
    assert repo == "orchard"
