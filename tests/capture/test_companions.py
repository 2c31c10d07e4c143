"""Files that many transcripts share: each transcript keeps what it used of them."""

import hashlib
import json
from pathlib import Path, PurePosixPath

import pytest
from tests.agents.contract_cases import Case, all_cases
from tests.homes import ORCHARD, Silent, hash_of, learned, put, rows, world_of

from afterwit.capture.logs import archive_path, owner_of
from afterwit.engine.archive.rebuild import rebuild

AGENTS = Path(__file__).parents[1] / "agents"
HASH = hashlib.sha256(ORCHARD.encode()).hexdigest()
FOLDER = hashlib.md5(ORCHARD.encode(), usedforsecurity=False).hexdigest()
FOLDERS = "SELECT cwd, repo FROM sessions"
SHARING = [case for case in all_cases() if case.reader.shared(case.file.path)]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def gemini(home: Path, project: str = HASH) -> Path:
    document = (AGENTS / "gemini/fixtures/document.json").read_bytes()
    return put(home / f".gemini/tmp/{project}/chats/session-2026-03-01T10-00-00000001.json", document)


def kimi(home: Path) -> Path:
    context = (AGENTS / "kimi/fixtures/context.jsonl").read_bytes()
    return put(home / f".kimi/sessions/{FOLDER}/a1b2/context.jsonl", context)


def put_folders(home: Path, *folders: str) -> None:
    folders_known = {"work_dirs": [{"path": folder, "last_session_id": None} for folder in folders]}
    put(home / ".kimi/kimi.json", json.dumps(folders_known).encode())


def put_projects(home: Path, **projects: str) -> None:
    put(home / ".gemini/projects.json", json.dumps({"projects": {projects[name]: name for name in projects}}).encode())


@pytest.mark.parametrize("case", SHARING, ids=str)
def test_the_copy_of_a_shared_file_is_known_as_the_transcripts_own(case: Case) -> None:
    path = case.file.path
    for shared in case.reader.shared(path):
        assert owner_of(case.reader, archive_path(path, shared)) == (path, shared)
        assert case.reader.primary(shared) != path


def test_a_companion_belongs_to_its_transcript_under_its_own_path() -> None:
    case = next(case for case in SHARING if case.agent == "kimi" and case.file.path.name == "wire.jsonl")
    state = case.file.path.with_name("state.json")
    assert owner_of(case.reader, state) == (case.file.path, state)


def test_the_folder_of_an_old_gemini_document_is_the_one_its_hash_stands_for(home: Path, store: Path) -> None:
    gemini(home)
    put_projects(home, orchard=ORCHARD, field="/srv/field")
    learned(home, store)
    assert rows(store, FOLDERS) == [(ORCHARD, "orchard")]


def test_the_folder_of_a_gemini_project_stands_beside_its_sessions(home: Path, store: Path) -> None:
    gemini(home, "orchard-2")
    put(home / ".gemini/tmp/orchard-2/.project_root", f"{ORCHARD}\n".encode())
    learned(home, store)
    assert rows(store, FOLDERS) == [(ORCHARD, "orchard")]


def test_the_folder_of_a_kimi_session_is_the_one_its_hash_stands_for(home: Path, store: Path) -> None:
    kimi(home)
    put_folders(home, "/srv/field", ORCHARD)
    learned(home, store)
    assert rows(store, FOLDERS) == [(ORCHARD, "orchard")]


def test_a_rebuild_finds_the_folder_when_all_else_is_gone(home: Path, store: Path) -> None:
    gemini(home).touch()
    kimi(home)
    put_projects(home, orchard=ORCHARD)
    put_folders(home, ORCHARD)
    learned(home, store)
    (home / ".gemini/projects.json").unlink()
    (home / ".kimi/kimi.json").unlink()
    assert rebuild(world_of(home, store), Silent()).after == hash_of(store)
    assert rows(store, FOLDERS) == [(ORCHARD, "orchard")] * 2


def test_what_others_add_to_a_shared_file_costs_nothing_and_changes_nothing(home: Path, store: Path) -> None:
    kimi(home)
    put_folders(home, ORCHARD)
    learned(home, store)
    before = hash_of(store)
    put_folders(home, "/srv/field")
    (report,) = learned(home, store).agents
    assert (report.unchanged, report.read) == (1, 0)
    assert rebuild(world_of(home, store), Silent()).after == hash_of(store) == before


def test_a_document_written_anew_keeps_the_folder_it_had(home: Path, store: Path) -> None:
    path = gemini(home)
    put_projects(home, orchard=ORCHARD)
    learned(home, store)
    put_projects(home, field="/srv/field")
    path.write_bytes(path.read_bytes().replace(b'"messages"', b' "messages"'))
    learned(home, store)
    assert rows(store, FOLDERS) == [(ORCHARD, "orchard")]
    assert rebuild(world_of(home, store), Silent()).after == hash_of(store)


def test_files_that_no_reader_asks_for_are_not_kept(home: Path, store: Path) -> None:
    put(home / ".gemini/tmp/orchard-2/.project_root", ORCHARD.encode())
    put_projects(home, orchard=ORCHARD)
    gemini(home, "orchard-2")
    learned(home, store)
    kept = [PurePosixPath(path).name for (path,) in rows(store, "SELECT path FROM files WHERE role = 'companion'")]
    assert kept == [".project_root"]


def test_a_subagent_knows_the_state_that_belongs_to_its_parent(home: Path, store: Path) -> None:
    folder = home / ".kimi-code/sessions/wd_orchard_01/session_1"
    for agent, fixture in (("main", "main.jsonl"), ("agent-1", "subagent.jsonl")):
        put(folder / f"agents/{agent}/wire.jsonl", (AGENTS / "kimi_code/fixtures" / fixture).read_bytes())
    put(folder / "state.json", json.dumps({"workDir": ORCHARD}).encode())
    learned(home, store)
    assert rows(store, FOLDERS) == [(ORCHARD, "orchard")] * 2
    assert rebuild(world_of(home, store), Silent()).after == hash_of(store)
