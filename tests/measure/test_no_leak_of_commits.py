"""A replay sees repositories as they were: whatever was committed at or after a session's beginning can be replaced by
noise, on the default branch and on the session's own."""

import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.homes import learned, world_of
from tests.measure.histories import Log
from tests.measure.replaying import notes_of
from tests.sources.repositories import commit_on_top, repository
from tests.thoroughness import examples

from afterwit.engine.replay import PastCheckout
from afterwit.measure.replay import Notes
from afterwit.model.settings import RepositorySettings

_WORDS = ("press", "row", "barrel", "gate", "crate", "frost")
_PROMPTS = [f"Mend the {word} of the mill" for word in _WORDS]
_NAMES = [f"src/{word}.ts" for word in _WORDS]
_BRANCH = "cellar"
_FILES = st.dictionaries(st.sampled_from(_NAMES), st.sampled_from(_WORDS), min_size=1, max_size=4)
_COMMIT = st.tuples(st.integers(0, 3_000), st.booleans(), st.sampled_from(_PROMPTS), _FILES)
_SESSION = st.tuples(st.integers(0, 3_000), st.booleans(), st.sampled_from(_PROMPTS), st.sampled_from(_NAMES))

Commit = tuple[int, bool, str, dict[str, str]]
Session = tuple[int, bool, str, str]


def _at(second: int) -> str:
    """The same clock as that of the logs."""
    at = 36_000 + second
    return f"2026-05-01T{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}Z"


def _commit_all(git_dir: Path, commits: list[Commit], noise_from: int | None) -> None:
    """In the order of time. What is noise has other words, other files and other messages."""
    trees: dict[str, dict[str, bytes]] = {"main": {}, _BRANCH: {}}
    for number, (second, is_aside, message, files) in enumerate(sorted(commits, key=lambda made: made[0])):
        branch = _BRANCH if is_aside else "main"
        is_noise = noise_from is not None and second >= noise_from
        changed = {f"noise/{number}.ts": b"turnip beet"} if is_noise else _contents(files, number)
        trees[branch] |= changed
        said = f"Noise {number}" if is_noise else message
        commit_on_top(git_dir, trees[branch], said, _at(second), f"refs/heads/{branch}")


def _contents(files: dict[str, str], number: int) -> dict[str, bytes]:
    return {path: f"function {word}() {{ return {number} }} // {word} {word}".encode() for path, word in files.items()}


def _logs(sessions: list[Session]) -> list[Log]:
    logs = []
    for number, (second, is_aside, prompt, path) in enumerate(sessions):
        log = Log(number, second).prompt(prompt).edit(path)
        for record in log.records:
            record["gitBranch"] = _BRANCH if is_aside else "main"
        logs.append(log)
    return logs


def _notes(sessions: list[Session], commits: list[Commit], noise_from: int | None = None) -> dict[str, Notes]:
    with tempfile.TemporaryDirectory() as folder:
        home, store, git_dir = Path(folder, "home"), Path(folder, "store"), repository(Path(folder, "checkout"))
        for log in _logs(sessions):
            log.put(home)
        _commit_all(git_dir, commits, noise_from)
        learned(home, store)
        world = world_of(home, store)
        repositories = RepositorySettings(checkouts={"orchard": git_dir.parent})
        settings = msgspec.structs.replace(world.settings, repositories=repositories)
        return notes_of(world._replace(settings=settings), "places", "afterwit")


@pytest.mark.slow
@settings(
    max_examples=examples(6), deadline=None, suppress_health_check=[HealthCheck.too_slow], phases=[Phase.generate]
)
@given(st.lists(_SESSION, min_size=2, max_size=4), st.lists(_COMMIT, min_size=3, max_size=9), st.data())
def test_noise_in_later_commits_changes_no_note(
    sessions: list[Session], commits: list[Commit], data: st.DataObject
) -> None:
    chosen = data.draw(st.integers(0, len(sessions) - 1))
    session = _logs(sessions)[chosen].session
    before, after = _notes(sessions, commits), _notes(sessions, commits, sessions[chosen][0])
    assert msgspec.json.encode(before[session]) == msgspec.json.encode(after[session])


_HISTORY: list[Commit] = [
    (10 * number, False, f"Work on {word}", {f"src/{word}.ts": word}) for number, word in enumerate(_WORDS)
]


def _named(sessions: list[Session], commits: list[Commit], noise_from: int | None = None) -> str:
    (notes,) = _notes(sessions, commits, noise_from).values()
    return "".join(note.text for note in notes["places"])


def test_earlier_commits_alone_name_the_place() -> None:
    asked: list[Session] = [(900, False, "Mend the frost of the mill", "src/frost.ts")]
    assert _named(asked, _HISTORY).startswith("A guess at the files: src/frost.ts")
    assert "src/frost.ts" not in _named(asked, _HISTORY, 0)


def test_a_commit_in_the_very_second_of_the_beginning_is_not_known() -> None:
    late: list[Commit] = [*_HISTORY, (900, False, "Pour the cider", {"src/cider.ts": "press"})]
    assert "cider" not in _named([(900, False, "Pour the cider into src/cider.ts", "src/row.ts")], late)


def test_work_on_the_branch_of_the_session_is_known_and_that_of_another_is_not() -> None:
    aside: list[Commit] = [*_HISTORY, (100, True, "Dig", {"src/cellar.ts": "crate"})]
    assert "src/cellar.ts" in _named([(900, True, "Go on with the cellar", "src/row.ts")], aside)
    assert "src/cellar.ts" not in _named([(900, False, "Go on with the cellar", "src/row.ts")], aside)


def test_a_file_that_was_deleted_before_is_not_there_and_one_deleted_later_is(tmp_path: Path) -> None:
    git_dir = repository(tmp_path / "real")
    commit_on_top(git_dir, {"a.ts": b"barrel"}, "Add", _at(0))
    commit_on_top(git_dir, {"b.ts": b"gate"}, "Drop", _at(100))
    past = PastCheckout(tmp_path / "past", git_dir)
    there = []
    for second in (50, 150):
        past.stand(1_777_629_600_000 + second * 1000, "main")
        there.append(sorted(file.name for file in past.root.glob("*.ts")))
    assert there == [["a.ts"], ["b.ts"]]


def test_what_earlier_sessions_wrote_on_the_same_branch_is_there_and_on_another_not() -> None:
    asked = "Go on with the cellar of the mill"
    sessions: list[Session] = [(800, True, "Dig the cellar", "src/cellar.ts"), (900, True, asked, "src/row.ts")]
    notes = _notes(sessions, _HISTORY)
    assert "src/cellar.ts" in notes[_logs(sessions)[1].session]["places"][0].text
    sessions[1] = (900, False, asked, "src/row.ts")
    later = _notes(sessions, _HISTORY)[_logs(sessions)[1].session]["places"]
    assert all("src/cellar.ts" not in note.text for note in later)


def test_what_sessions_wrote_lies_nowhere_but_in_the_past_and_goes_with_the_branch(tmp_path: Path) -> None:
    git_dir = repository(tmp_path / "real")
    commit_on_top(git_dir, {"a.ts": b"barrel"}, "Add", _at(0))
    past, now_ms = PastCheckout(tmp_path / "past", git_dir), 1_777_629_650_000
    past.stand(now_ms, "cellar")
    (past.root / "out").symlink_to(tmp_path, target_is_directory=True)
    written = ["new/b.ts", "a.ts", "../up.ts", "out/link.ts", ".git/hooks/pre-commit", "a.ts/below.ts", "\0"]
    past.stand(now_ms, "cellar", written)
    assert (past.root / "new/b.ts").read_bytes() == b""
    assert (past.root / "a.ts").read_bytes() == b"barrel"
    assert not list(tmp_path.rglob("up.ts")) + list(tmp_path.rglob("link.ts")) + list(tmp_path.rglob("pre-commit"))
    past.stand(now_ms, "main")
    assert not (past.root / "new/b.ts").exists()
