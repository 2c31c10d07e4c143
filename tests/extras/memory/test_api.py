"""User memory as callers see it: chosen, kept through rebuilds and crashes, never lost when a backend fails."""

import importlib.metadata
import itertools
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.extras.memory.flaky import FlakyBackend
from tests.homes import Silent, world_of
from tests.thoroughness import examples

from afterwit.config.world import World
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.archive.upkeep import verify
from afterwit.extras.memory import registry as memory_backends
from afterwit.extras.memory.api import info, memory, user_of
from afterwit.extras.memory.backend import UnreachableError, UnsupportedError
from afterwit.model.errors import ConfigError
from afterwit.model.memory_entry import PERSON, STORED_BY, EntryError
from afterwit.recall.recall import preference_lines
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

_numbers = itertools.count(1)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return made_world(tmp_path)


def made_world(folder: Path, config: str = "", **environ: str) -> World:
    store = folder / "store"
    if config:
        store.mkdir(mode=0o700, exist_ok=True)
        (store / "config.toml").write_text(config, encoding="utf-8")
    return world_of(folder, store, {"USER": "ada", **environ})


def entries(world: World, user: str | None = None) -> dict[str, tuple[object, ...]]:
    with memory(world, user) as mine:
        found = [mine.retrieve(key).entry for key in mine.keys().keys]
    return {one.key: (one.value, one.metadata, one.created_ms, one.updated_ms) for one in found if one}


def test_entries_survive_a_rebuild_of_the_database(world: World) -> None:
    with memory(world) as mine:
        mine.store("shell", "bash")
        mine.store("shell", "fish", {"why": "habit"})
        mine.store("editor", "vi")
        mine.delete("editor")
    with memory(world, "grace") as hers:
        hers.store("shell", "zsh")
    before = entries(world), entries(world, "grace")
    rebuild(world, Silent())
    assert (entries(world), entries(world, "grace")) == before
    with memory(world) as mine:
        assert [hit.entry.value for hit in mine.query("fish").hits] == ["fish"]
    world.layout.database.unlink()
    rebuild(world, Silent())
    assert (entries(world), entries(world, "grace")) == before
    assert list(verify(world.layout)) == []


steps = st.lists(
    st.tuples(st.sampled_from(["store", "delete"]), st.sampled_from("ab"), st.integers(0, 3)), min_size=1, max_size=8
)


@settings(max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_a_clock_that_jumps_changes_nothing_about_a_rebuild(tmp_path: Path, steps: list[tuple[str, str, int]]) -> None:
    folder = tmp_path / str(next(_numbers))
    folder.mkdir()
    world = made_world(folder)
    model: dict[str, str] = {}
    for number, (step, key, at) in enumerate(steps):
        with memory(world, clock=lambda at=at: 1_000 + at) as mine:  # type: ignore[misc]
            if step == "store":
                mine.store(key, str(number))
                model[key] = str(number)
            else:
                mine.delete(key)
                model.pop(key, None)
    before = entries(world)
    assert {key: value[0] for key, value in before.items()} == model
    rebuild(world, Silent())
    assert entries(world) == before


def test_opening_the_memory_reads_the_journal_only_if_something_is_not_applied(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with memory(world) as mine:
        mine.store("shell", "fish")
    with open_store(world.layout) as store:
        store.journal.append("memory-stored", {"user": "ada", "key": "editor", "value": "vi", "metadata": {}}, 5)
    with memory(world) as mine:
        assert mine.keys().keys == ["editor", "shell"]
    monkeypatch.setattr(memory_backends, "catch_up", lambda store: pytest.fail("the journal was read"))
    with memory(world) as mine:
        assert mine.keys().keys == ["editor", "shell"]


def test_users_are_separate(world: World) -> None:
    with memory(world) as mine, memory(world, "grace") as hers:
        mine.store("shell", "fish")
        assert hers.retrieve("shell").entry is None
        assert hers.query("fish").hits == []
        assert hers.keys().keys == []
        assert not hers.delete("shell").is_deleted
        assert mine.keys().keys == ["shell"]


def test_whose_memory_it_is_can_be_said_in_three_ways(tmp_path: Path) -> None:
    world = made_world(tmp_path)
    assert user_of(world) == "ada"
    assert user_of(world, "grace") == "grace"
    configured = made_world(tmp_path, '[memory]\nuser = "joan"')
    assert user_of(configured) == "joan"
    assert user_of(configured, "grace") == "grace"
    with pytest.raises(EntryError, match="control character"):
        user_of(world, "a\nb")


@pytest.mark.parametrize(
    ("key", "value", "metadata", "what"),
    [
        ("", "x", {}, "is empty"),
        (" a", "x", {}, "space at an end"),
        ("k" * 201, "x", {}, "200 is the most"),
        ("a\tb", "x", {}, "control character"),
        ("a", " \n", {}, "The value is empty"),
        ("a", "x" * 20_001, {}, "20,000 is the most"),
        ("a", "x\0y", {}, "NUL"),
        ("a", "x\ud800", {}, "surrogate"),
        ("a", "x", {"n": [1]}, "not a text"),
        ("a", "x", {"n": float("nan")}, "not a number"),
        ("a", "x", {"n": 2**60}, "too large"),
        ("a", "x", {str(n): n for n in range(51)}, "50 is the most"),
    ],
)
def test_what_cannot_be_kept_everywhere_is_refused_before_anything_is_written(
    world: World, key: str, value: str, metadata: Mapping[str, object], what: str
) -> None:
    with memory(world) as mine:
        with pytest.raises(EntryError, match=what):
            mine.store(key, value, metadata)  # type: ignore[arg-type]
        assert mine.keys().keys == []


def test_memory_that_is_off_does_no_work_at_all(tmp_path: Path) -> None:
    world = made_world(tmp_path, AFTERWIT_MEMORY_BACKEND="null")
    with memory(world) as mine:
        assert mine.retrieve("shell").entry is None
        assert mine.query("fish").hits == []
        assert mine.keys().keys == []
        with pytest.raises(UnsupportedError, match="Memory is off"):
            mine.store("shell", "fish")
    assert not (tmp_path / "store").exists()


def test_the_environment_goes_before_the_settings(tmp_path: Path) -> None:
    config = '[memory]\nbackend = "postgres"'
    assert memory_backends.choose_backend(made_world(tmp_path, config)).name == "postgres"
    chosen = memory_backends.choose_backend(made_world(tmp_path, config, AFTERWIT_MEMORY_BACKEND="null"))
    assert chosen == ("null", "environment AFTERWIT_MEMORY_BACKEND")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("postgres", "Set memory.postgres_dsn"),
        ("honcho", "Set HONCHO_API_KEY"),
        ("elsewhere", "There is no memory backend 'elsewhere'"),
    ],
)
def test_a_backend_that_is_missing_falls_back_and_keeps_the_write(tmp_path: Path, name: str, reason: str) -> None:
    with memory(made_world(tmp_path)) as mine:
        mine.store("editor", "vi")
    world = made_world(tmp_path, AFTERWIT_MEMORY_BACKEND=name)
    with memory(world) as mine:
        stored = mine.store("shell", "fish")
        assert stored.is_waiting
        assert reason in stored.reason
        assert mine.keys().keys == ["editor", "shell"]
    found = info(world)
    assert found.waiting == {name: 1}
    assert not found.is_available
    assert reason in found.reason


class Point(importlib.metadata.EntryPoint):
    """An entry point whose backend the test holds."""

    backend = FlakyBackend()

    def load(self) -> object:
        return lambda surroundings: self.backend


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> FlakyBackend:
    backend = FlakyBackend()
    monkeypatch.setattr(Point, "backend", backend)
    point = Point("flaky", "elsewhere:make", memory_backends.GROUP)
    monkeypatch.setattr(memory_backends, "entry_points", lambda group: [point])
    return backend


def test_others_can_register_a_backend(tmp_path: Path, registered: FlakyBackend) -> None:
    world = made_world(tmp_path, AFTERWIT_MEMORY_BACKEND="flaky")
    assert memory_backends.names() == ["null", "local", "postgres", "honcho", "flaky"]
    with memory(world) as mine:
        mine.store("shell", "fish")
    assert registered.arrived == ["fish"]


def test_what_waited_is_delivered_by_the_next_command(tmp_path: Path, registered: FlakyBackend) -> None:
    world = made_world(tmp_path, AFTERWIT_MEMORY_BACKEND="flaky")
    registered.before = UnreachableError("It is gone.")
    with memory(world) as mine:
        assert mine.store("shell", "fish").is_waiting
    registered.before = None
    with memory(world) as mine:
        found = mine.retrieve("shell")
        assert found.entry is not None
        assert (found.entry.value, found.reason) == ("fish", "")
    assert registered.arrived == ["fish"]
    assert info(world).waiting == {}


def test_a_backend_that_cannot_be_loaded_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = importlib.metadata.EntryPoint("broken", "nowhere_at_all:make", memory_backends.GROUP)
    monkeypatch.setattr(memory_backends, "entry_points", lambda group: [point])
    found = info(made_world(tmp_path, AFTERWIT_MEMORY_BACKEND="broken"))
    assert "cannot be loaded" in found.reason


def test_a_password_in_the_configuration_file_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'afterwit[postgres]'")
    secret = ":".join(("postgresql://me", "hush@db.example.org/x"))
    world = made_world(tmp_path, f'[memory]\nbackend = "postgres"\npostgres_dsn = "{secret}"')
    with pytest.raises(ConfigError, match=r"~/.pgpass"), memory(world):
        pass


def test_the_key_for_honcho_can_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("some key\n", encoding="utf-8")
    config = f'[memory]\nhoncho_api_key_file = "{tmp_path / "key"}"'
    assert memory_backends.not_configured(made_world(tmp_path, config), "honcho") == ""
    (tmp_path / "key").unlink()
    with pytest.raises(ConfigError, match="honcho_api_key_file"):
        memory_backends.not_configured(made_world(tmp_path, config), "honcho")


def test_preferences_are_lines_for_the_start_of_a_session_if_asked_for(tmp_path: Path) -> None:
    with memory(made_world(tmp_path)) as mine:
        mine.store("preference.indent", "Two spaces\nin YAML\x1b[31m <!-- hidden -->", {STORED_BY: PERSON})
        mine.store("preference.long", "word " * 100, {STORED_BY: PERSON})
        mine.store("other", "not a preference")
    assert preference_lines(made_world(tmp_path)) == []
    lines = preference_lines(made_world(tmp_path, "[recall]\npreferences = true"))
    assert lines[0] == "Two spaces in YAML"
    assert len(lines) == 2
    assert len(lines[1]) <= 200


def test_a_failing_backend_means_no_preferences_and_no_failure(tmp_path: Path) -> None:
    world = made_world(tmp_path, "[recall]\npreferences = true", AFTERWIT_MEMORY_BACKEND="elsewhere")
    assert preference_lines(world) == []


STORE = """
import sys
from pathlib import Path
from tests.extras.memory.test_api import made_world
from afterwit.extras.memory.api import memory
with memory(made_world(Path(sys.argv[1]))) as mine:
    for number in range(2):
        mine.store("shell", f"fish {number}")
        mine.store(f"key {number}", "value")
        print(number, flush=True)
"""


def run(folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[3]), **more}
    command = [sys.executable, "-c", STORE, str(folder)]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
def test_killed_at_any_step_nothing_acknowledged_is_lost_and_nothing_doubled(tmp_path: Path) -> None:
    steps: set[str] = set()
    for number in range(1, 60):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert entries(made_world(folder)) == {}  # the store is there
        killed = run(folder, AFTERWIT_KILL_AT_STEP=str(number))
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        steps.add(killed.stderr.strip().partition(": ")[2])
        world = made_world(folder)
        before = entries(world)
        acknowledged = [int(line) for line in killed.stdout.split()]
        assert {f"key {one}" for one in acknowledged} <= before.keys()
        if acknowledged:
            assert int(str(before["shell"][0]).split()[1]) >= acknowledged[-1]
        rebuild(world, Silent())
        assert entries(world) == before
        assert list(verify(world.layout)) == []
    assert {
        "a change of the memory is in the journal, not applied",
        "a journal entry is written, not committed",
    } <= steps


def test_on_a_full_disk_a_write_fails_clearly_and_the_rest_stays(tmp_path: Path) -> None:
    world = made_world(tmp_path)
    with memory(world) as mine:
        mine.store("shell", "fish")
    most = max(file.stat().st_size for file in world.layout.root.iterdir() if file.is_file())
    code = f"""
import resource, signal, sys
from pathlib import Path
from tests.extras.memory.test_api import made_world
from afterwit.model.errors import AfterwitError
from afterwit.extras.memory.api import memory
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, resource.RLIM_INFINITY))
done = 0
try:
    with memory(made_world(Path(sys.argv[1]))) as mine:
        for number in range(1_000):
            mine.store(f"key {{number:04}}", "word " * 2_000)
            done = number + 1
except AfterwitError as error:
    print(type(error).__name__, done, error)
"""
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    name, count, _ = done.stdout.split(" ", 2)
    assert name in ("StoreFullError", "StoreError", "PartlyDoneError"), done
    kept = entries(world)
    assert {"shell", *(f"key {number:04}" for number in range(int(count)))} <= kept.keys()
    assert len(kept) == int(count) + (2 if name == "PartlyDoneError" else 1)  # the one that is said to be recorded
    assert list(verify(world.layout)) == []
    with memory(world) as mine:
        mine.store("after", "all is well")
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


@pytest.mark.slow
def test_many_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[3])}
    code = STORE.replace('f"key {number}"', 'f"key {number} {sys.argv[2]}"')
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path), str(number)],
            env=environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(6)
    ]
    said = [process.communicate(timeout=120)[1] for process in started]
    assert [process.returncode for process in started] == [0] * 6, said
    world = made_world(tmp_path)
    before = entries(world)
    assert len(before) == 1 + 2 * 6
    rebuild(world, Silent())
    assert entries(world) == before


def test_entries_stand_in_no_other_table_of_the_database(world: World) -> None:
    with memory(world) as mine:
        mine.store("shell", "zyzzyva")
    with open_store(Layout(world.layout.root)) as store:
        tables = [row[0] for row in store.db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        holding = [name for name in tables if _mentions(store.db.execute(f'SELECT * FROM "{name}"'), "zyzzyva")]
    assert [name for name in holding if not name.startswith("memory_words_")] == ["memory_entries"]


def _mentions(found: object, word: str) -> bool:
    return word in str(list(found))  # type: ignore[call-overload]
