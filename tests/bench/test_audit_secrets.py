"""The audit for secrets: what is scanned and how, what is said of a finding. A stand-in plays kingfisher."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench.audit_secrets import audit_secrets
from tests.homes import claude_records, learned, put, world_of

from afterwit.connect.foreign_files import keep_copy
from afterwit.engine.doctor.findings import DoctorFinding
from afterwit.model.errors import AfterwitError
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

SECRET = "ghp_" + "0123456789" * 3 + "abcdef"
STAND_IN = """#!{python}
import json, pathlib, sys
asked = sys.argv[1:]
stage = pathlib.Path(asked[-1])
output = pathlib.Path(asked[asked.index("--output") + 1])
texts = {{str(path): path.read_text(errors="replace") for path in sorted(stage.rglob("*")) if path.is_file()}}
pathlib.Path({log!r}).write_text(json.dumps({{"asked": asked, "files": [p[len(str(stage)) + 1:] for p in texts]}}))
hits = [
    {{"rule": {{"id": "test.token", "name": "Token"}}, "finding": {{"path": path, "line": at, "snippet": line}}}}
    for path, text in texts.items()
    for at, line in enumerate(text.splitlines(), 1)
    if {secret!r} in line
]
output.write_text(json.dumps({{"findings": hits}}))
sys.exit({code} if {code} else 200 if hits else 0)
"""


class Kingfisher:
    """A program that reports every line with the planted secret, and notes how it was called."""

    def __init__(self, folder: Path, code: int = 0) -> None:
        self._log = folder / "log.json"
        self.folder = folder / "bin"
        self.folder.mkdir()
        program = self.folder / "kingfisher"
        text = STAND_IN.format(python=sys.executable, log=str(self._log), secret=SECRET, code=code)
        program.write_text(text, encoding="utf-8")
        program.chmod(0o755)

    @property
    def asked(self) -> Sequence[str]:
        found: list[str] = json.loads(self._log.read_text(encoding="utf-8"))["asked"]
        return found

    @property
    def files(self) -> set[str]:
        return set(json.loads(self._log.read_text(encoding="utf-8"))["files"])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    put(tmp_path / "home/.claude/projects/-srv-orchard/s1.jsonl", claude_records("s1"))
    learned(tmp_path / "home", tmp_path / "store")
    return tmp_path / "home"


def audit(home: Path, path: Path | str) -> list[DoctorFinding]:
    return audit_secrets(world_of(home, home.parent / "store", {"PATH": str(path)}))


def test_it_is_asked_to_stay_offline_and_to_redact(home: Path, tmp_path: Path) -> None:
    program = Kingfisher(tmp_path)
    assert audit(home, program.folder) == []
    assert program.asked[0] == "scan"
    assert {"--no-validate", "--no-update-check", "--redact"} <= set(program.asked)


def test_all_but_the_archive_and_the_key_is_looked_at(home: Path, tmp_path: Path) -> None:
    layout = Layout(tmp_path / "store")
    put(layout.spool / "s1.jsonl", [{"shown": "x"}])
    (layout.root / "config.toml").write_text("")
    program = Kingfisher(tmp_path)
    audit(home, program.folder)
    tops = {file.split("/")[0] for file in program.files}
    assert tops == {"afterwit.db", "archive.mark", "deck", "deck.db", "journal.db", "config.toml", "spool"}
    assert {"afterwit.db/actions.txt", "afterwit.db/digests.txt", "afterwit.db/notes.txt"} <= program.files


def test_copies_of_other_programs_settings_are_left_out(home: Path, tmp_path: Path) -> None:
    layout = Layout(tmp_path / "store")
    keep_copy(layout.connect_copies, f'{{"env": {{"TOKEN": "{SECRET}"}}}}'.encode())
    put(layout.backups / "journal-1.txt", b"x")
    program = Kingfisher(tmp_path)
    assert audit(home, program.folder) == []
    assert [file for file in program.files if file.startswith("backups")] == ["backups/journal-1.txt"]


def test_a_finding_says_where_it_is_and_never_what_it_is(home: Path, tmp_path: Path) -> None:
    layout = Layout(tmp_path / "store")
    put(layout.spool / "s1.jsonl", [{"shown": SECRET}])
    found = audit(home, Kingfisher(tmp_path).folder)
    assert [(one.level, one.code) for one in found] == [("alarm", "secret-stored")]
    assert "spool/s1.jsonl, line 1: something looks like a secret (kingfisher's rule test.token)" in found[0].what
    assert SECRET not in found[0].what


def test_a_finding_in_a_database_names_table_and_row(home: Path, tmp_path: Path) -> None:
    with open_store(Layout(tmp_path / "store")) as store:
        store.journal.append("checkouts-seen", {"remotes": {"/srv/orchard": f"https://{SECRET}@host/x"}}, 1)
        store.db.execute("UPDATE sessions SET title = ? WHERE id = 1", (f"two lines\n{SECRET}",))
    places = [one.what.partition(":")[0] for one in audit(home, Kingfisher(tmp_path).folder)]
    assert places == ["afterwit.db, table sessions, id 1", "journal.db, table entries, row 1"]


def test_nothing_of_it_stays_behind(home: Path, tmp_path: Path) -> None:
    before = sorted(path.name for path in (tmp_path / "store").iterdir() if not path.name.endswith(("-wal", "-shm")))
    audit(home, Kingfisher(tmp_path).folder)
    after = sorted(path.name for path in (tmp_path / "store").iterdir() if not path.name.endswith(("-wal", "-shm")))
    assert after == before


def test_without_the_program_it_says_how_to_install_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "nowhere" / "python"))
    with pytest.raises(AfterwitError, match=r"not installed\. Install it with `uv tool install kingfisher-bin`"):
        audit(home, tmp_path / "nowhere")


def test_a_program_that_fails_is_no_clean_bill(home: Path, tmp_path: Path) -> None:
    with pytest.raises(AfterwitError, match="ended with exit code 3, and nothing was audited"):
        audit(home, Kingfisher(tmp_path, code=3).folder)


def test_a_report_that_cannot_be_read_is_no_clean_bill(home: Path, tmp_path: Path) -> None:
    program = Kingfisher(tmp_path)
    (program.folder / "kingfisher").write_text("#!/bin/sh\nexit 200\n", encoding="utf-8")
    with pytest.raises(AfterwitError, match="its report cannot be read"):
        audit(home, program.folder)
