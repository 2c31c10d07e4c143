"""Sessions whose logs name no folder belong to the repository in which most was done, and teach like others."""

import json
from pathlib import Path

import pytest
from tests.engine.hermes_sessions import Message, Ran, messages, put_lines
from tests.homes import Silent, claude_records, hash_of, learned, put, rows, world_of

from afterwit.engine.archive.rebuild import rebuild
from afterwit.extras.lab.sample.sample import SampleRequest, sample
from afterwit.model.errors import UsageError
from afterwit.recall.recall import recalled
from afterwit.sessions.filters import Filter

IN_ORCHARD = [Ran("cd ~/orchard && make press", "pressed"), Ran("git -C ~/orchard log -1", "1f2e3d4 Press"), Ran("ls")]
REMOTES = "origin\tgit@git.example:fruit/orchard.git (fetch)\norigin\tgit@git.example:fruit/orchard.git (push)"


def repos(store: Path) -> list[str]:
    return [repo for (repo,) in rows(store, "SELECT repo FROM sessions ORDER BY native_id")]


def session(*ran: Ran, prompt: str = "Press the fruit", day: int = 0) -> list[Message]:
    return messages(prompt, ran, day)


def about(home: Path, store: Path, *names: str) -> dict[str, float | None]:
    """The sessions of a sample of these repositories, by agent and repository, each with its share."""
    wanted = SampleRequest(filter=Filter(repos=names))
    chosen = sample(world_of(home, store), wanted, Silent()).sessions
    return {f"{one.session.row.agent} in {one.session.row.repo or 'nowhere'}": one.repo_share for one in chosen}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def test_a_session_belongs_to_the_folder_in_which_most_was_done(home: Path, store: Path) -> None:
    put_lines(home, [session(*IN_ORCHARD, Ran("cd ~/harbour && ls"))])
    learned(home, store)
    assert repos(store) == ["orchard"]


def test_a_remote_that_git_printed_names_the_repository(home: Path, store: Path) -> None:
    put_lines(home, [session(*IN_ORCHARD, Ran("cd ~/orchard && git remote -v", REMOTES)), session(*IN_ORCHARD, day=1)])
    learned(home, store)
    assert repos(store) == ["git.example/fruit/orchard"] * 2


def test_a_home_folder_says_as_little_as_none(home: Path, store: Path) -> None:
    meta = {"role": "session_meta", "model": "m-1", "cwd": "/home/ann", "timestamp": 1_777_630_000}
    put_lines(home, [[meta, *session(*IN_ORCHARD)]])
    learned(home, store)
    assert repos(store) == ["orchard"]


def test_a_folder_that_the_log_names_stands_whatever_was_done_elsewhere(home: Path, store: Path) -> None:
    meta = {"role": "session_meta", "model": "m-1", "cwd": "/srv/harbour", "timestamp": 1_777_630_000}
    put_lines(home, [[meta, *session(*IN_ORCHARD)]])
    learned(home, store)
    assert repos(store) == ["harbour"]


def test_a_log_that_is_read_in_pieces_gives_the_same_place(home: Path, store: Path, tmp_path: Path) -> None:
    log = session(Ran("cd ~/harbour && ls"), *IN_ORCHARD)
    for end in (3, 6, len(log)):
        put_lines(home, [log[:end]])
        learned(home, store)
    learned(home, tmp_path / "at once")
    assert repos(store) == ["orchard"]
    assert hash_of(store) == hash_of(tmp_path / "at once")


def test_a_rebuilt_store_has_the_same_places(home: Path, store: Path) -> None:
    put_lines(home, [session(*IN_ORCHARD, Ran("cd ~/orchard && git remote -v", REMOTES)), session(Ran("ls"), day=1)])
    learned(home, store)
    before = hash_of(store)
    rebuild(world_of(home, store), Silent())
    assert hash_of(store) == before
    assert repos(store) == ["git.example/fruit/orchard", ""]


@pytest.mark.parametrize("entry", ["repo:orchard", "folder:~/orchard"])
def test_what_is_left_out_is_left_out_by_the_place_that_was_worked_in(home: Path, store: Path, entry: str) -> None:
    store.mkdir()
    (store / "config.toml").write_text(f"[learn]\nexclude = {json.dumps([entry])}\n", encoding="utf-8")
    put_lines(home, [session(*IN_ORCHARD), session(Ran("cd ~/harbour && ls"), day=1)])
    learned(home, store)
    assert repos(store) == ["harbour"]


def test_what_was_learned_nowhere_is_told_to_the_agent(home: Path, store: Path, tmp_path: Path) -> None:
    wrong = Ran("rtk make count", "error: unrecognized subcommand 'make'", 2)
    put_lines(home, [session(wrong, Ran("make count", "42"), prompt=f"Count {day}", day=day) for day in range(6)])
    learned(home, store)
    world = world_of(home, store)
    fact = "Instead of `rtk make …`, which fails, call `make …`."
    assert fact in recalled(world, tmp_path, None, "hermes", "", None).start.text
    assert fact not in recalled(world, tmp_path, None, "codex", "", None).start.text


def test_a_sample_of_a_repository_has_the_sessions_that_are_about_it(home: Path, store: Path) -> None:
    put(home / ".claude" / "projects" / "o" / "a.jsonl", claude_records("a", cwd="/srv/orchard"))
    put_lines(
        home,
        [
            session(Ran("ls"), Ran("pwd"), prompt="What is new in the orchard?"),
            session(Ran("cd ~/harbour && make"), Ran("gh pr view 3 --repo fruit/orchard"), prompt="Tidy up", day=1),
            session(Ran("cd ~/meadow && make"), prompt="Mow", day=2),
        ],
    )
    learned(home, store)
    expected = {"claude-code in orchard": 1.0, "hermes in nowhere": 1.0, "hermes in harbour": 0.5}
    assert about(home, store, "orchard") == expected


def test_a_sample_of_a_name_that_nobody_knows_is_refused(home: Path, store: Path) -> None:
    put_lines(home, [session(*IN_ORCHARD)])
    learned(home, store)
    with pytest.raises(UsageError, match="No repository 'orchad'"):
        about(home, store, "orchad")
