"""From the Python API to real servers and back: wrong key, server gone, process killed while it delivers."""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.extras.memory import honcho_server
from tests.extras.memory.postgres_server import PostgresServer
from tests.homes import world_of

from afterwit.config.world import World
from afterwit.extras.memory.api import info, memory

DELIVER = """
import os, sys
from pathlib import Path
from tests.homes import world_of
from afterwit.extras.memory.api import memory
with memory(world_of(Path(sys.argv[1]), Path(sys.argv[1], "store"), dict(os.environ))) as mine:
    mine.deliver()
"""


def through_postgres(folder: Path, dsn: str, user: str = "ada") -> World:
    environ = {"USER": user, "AFTERWIT_MEMORY_BACKEND": "postgres", "AFTERWIT_MEMORY_DSN": dsn}
    return world_of(folder, folder / "store", environ)


def values(world: World) -> dict[str, str]:
    with memory(world) as mine:
        found = [mine.retrieve(key).entry for key in mine.keys().keys]
    return {one.key: one.value for one in found if one}


def test_killed_at_any_step_of_a_delivery_every_write_arrives_once(tmp_path: Path, postgres: PostgresServer) -> None:
    steps: set[str] = set()
    for number in range(1, 40):
        folder, user = tmp_path / str(number), f"user {number}"
        folder.mkdir()
        with memory(through_postgres(folder, "host=/nowhere", user)) as mine:
            assert mine.store("shell", "bash").is_waiting
            assert mine.store("shell", "fish").is_waiting
            assert mine.store("editor", "vi").is_waiting
            mine.delete("editor")
        world = through_postgres(folder, postgres.dsn, user)
        environ = {**world.environ, "PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2])}
        killed = subprocess.run(
            [sys.executable, "-c", DELIVER, str(folder)],
            env={**environ, "AFTERWIT_KILL_AT_STEP": str(number)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert values(world) == {"shell": "fish"}
        assert info(world).waiting == {}
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        steps.add(killed.stderr.strip().partition(": ")[2])
    assert steps == {"a write is delivered, and still waits", "a write is delivered and no longer waits"}


def test_a_server_that_goes_and_comes_back_has_everything_in_the_end(tmp_path: Path, postgres: PostgresServer) -> None:
    world = through_postgres(tmp_path, postgres.dsn, "grace")
    with memory(world) as mine:
        assert not mine.store("shell", "bash").is_waiting
        postgres.stop(signal.SIGQUIT)
        try:
            stored = mine.store("shell", "fish")
            assert stored.is_waiting
            assert "PostgreSQL does not answer" in stored.reason
            found = mine.retrieve("shell")
            assert found.entry is not None
            assert found.entry.value == "fish"
            assert "PostgreSQL does not answer" in found.reason
        finally:
            postgres.start()
    assert values(world) == {"shell": "fish"}
    assert info(world).waiting == {}


def test_a_wrong_key_makes_writes_wait_until_it_is_right(tmp_path: Path) -> None:
    if importlib.util.find_spec("honcho") is None:
        pytest.skip("honcho-ai is not installed: pip install 'afterwit[honcho]'")
    with honcho_server.running() as server:
        (tmp_path / "store").mkdir(mode=0o700)
        config = f'[memory]\nbackend = "honcho"\nhoncho_base_url = "{server.base_url}"\n'
        (tmp_path / "store" / "config.toml").write_text(config, encoding="utf-8")
        wrong = world_of(tmp_path, tmp_path / "store", {"USER": "ada", "HONCHO_API_KEY": "wrong"})
        with memory(wrong) as mine:
            stored = mine.store("shell", "fish")
            assert stored.is_waiting
            assert "Check HONCHO_API_KEY" in stored.reason
        assert server.state.sessions == {}
        right = world_of(tmp_path, tmp_path / "store", {"USER": "ada", "HONCHO_API_KEY": honcho_server.KEY})
        assert values(right) == {"shell": "fish"}
        assert len(server.state.sessions) == len(server.state.messages) == 1
        assert info(right).leaves_machine
