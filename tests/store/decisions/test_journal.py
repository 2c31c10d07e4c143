"""Decisions while the disk is nearly full: what the command says is what holds later."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.homes import claude_records, learned, put, world_of

from afterwit.engine.archive.upkeep import verify
from afterwit.engine.curation import curate as curating
from afterwit.knowledge.door.list import all_items
from afterwit.measure.experiment import set_skipping
from afterwit.model.errors import PartlyDoneError, StoreFullError
from afterwit.model.knowledge import EVERYWHERE, PERSON, Category
from afterwit.sessions import pin as pinning
from afterwit.store.database import transaction
from afterwit.store.decide import SESSION_PINNED, decide_all
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

ADDED = "Run make prune before every commit in this orchard"

# Each limit in a child of its own, of one interpreter that has everything loaded: starting one anew takes longer.
LIMITED = """
import json, os, resource, shutil, signal, sys
from afterwit.cli.main import main
import afterwit.cli.knowledge.curate, afterwit.cli.sessions.originals, afterwit.cli.measure.experiment
source, words, *limits = json.loads(sys.stdin.read())
for limit in limits:
    place = f"{source}-{limit}"
    shutil.copytree(source, place)
    child = os.fork()
    if not child:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        os.environ["AFTERWIT_HOME"] = place
        sys.argv = ["afterwit", *words]
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            main()
        except SystemExit as end:
            os._exit(end.code or 0)
        os._exit(99)
    print(limit, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for number in range(6):
        put(tmp_path / "home/.claude/projects/-srv-orchard" / f"s{number}.jsonl", claude_records(f"s{number}", 6))
    learned(tmp_path / "home", tmp_path / "store")
    return tmp_path / "home"


def entries(store: Path) -> list[str]:
    with open_store(Layout(store)) as one:
        return [entry.kind for entry in one.journal.entries()]


def limited(home: Path, store: Path, words: list[str], limits: range) -> dict[int, int]:
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", LIMITED],
        input=json.dumps([str(store), words, *limits]),
        env=environ,
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    assert "Traceback" not in done.stderr
    assert "fault of Afterwit" not in done.stderr
    return {int(limit): int(code) for limit, code in (line.split() for line in done.stdout.splitlines())}


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on file sizes")
@pytest.mark.parametrize(
    "words", [["knowledge", "add", ADDED], ["sessions", "pin", "s1", "s2"], ["measure", "skipping", "--notes", "0.5"]]
)
def test_on_a_nearly_full_disk_the_exit_code_says_whether_it_is_recorded(
    home: Path, tmp_path: Path, words: list[str]
) -> None:
    store = tmp_path / "store"
    before, codes = entries(store), limited(home, store, words, range(20_480, 73_728, 6_000))
    for limit, code in codes.items():
        place = Path(f"{store}-{limit}")
        recorded = len(entries(place)) - len(before)
        assert code in (0, 1, 3), limit
        assert bool(recorded) is (code in (0, 3)), (limit, code, recorded)
        assert recorded in (0, 1 if words[0] == "measure" else 2), limit
        shutil.rmtree(place)
    assert Counter(codes.values())[1], "no limit was too small"


def full(world: object) -> None:
    raise StoreFullError("No space left.")


def test_what_was_journalled_and_not_applied_is_said_and_applied_by_the_next_learn(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = world_of(home, tmp_path / "store")
    with monkeypatch.context() as patch:
        patch.setattr(curating, "settle", lambda *_, **__: full(world))
        with pytest.raises(PartlyDoneError, match="is recorded, and the next `afterwit learn` applies it"):
            curating.add(world, words())
    assert entries(tmp_path / "store").count("item-decided") == 1
    learned(home, tmp_path / "store")
    with open_store(world.layout) as store:
        assert [item.sentence for item in all_items(store.db) if item.harvester == PERSON] == [ADDED]


def test_what_cannot_be_journalled_is_an_error_and_never_comes_later(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = world_of(home, tmp_path / "store")
    before = entries(tmp_path / "store")
    with monkeypatch.context() as patch:
        patch.setattr("afterwit.store.journal.step", lambda _: full(world))
        with pytest.raises(StoreFullError):
            curating.add(world, words())
        with pytest.raises(StoreFullError):
            pinning.pin(world, ["s1", "s2"])
        with pytest.raises(StoreFullError):
            set_skipping(world, 0.5, None)
    assert entries(tmp_path / "store") == before


def test_several_entries_are_journalled_together_or_not_at_all(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    def second_fails(name: str) -> None:
        written.append(name)
        if len(written) == 2:
            raise StoreFullError("No space left.")

    before = entries(tmp_path / "store")
    with open_store(Layout(tmp_path / "store")) as store, monkeypatch.context() as patch:
        patch.setattr("afterwit.store.journal.step", second_fails)
        bodies = [{"agent": "claude-code", "session": name} for name in ("s1", "s2", "s3")]
        with pytest.raises(StoreFullError):
            decide_all(store, ((SESSION_PINNED, body) for body in bodies), 1)
    assert entries(tmp_path / "store") == before
    assert list(verify(Layout(tmp_path / "store"))) == []


def test_an_error_before_anything_is_recorded_stays_what_it_is(home: Path, tmp_path: Path) -> None:
    world = world_of(home, tmp_path / "store")
    with pytest.raises(StoreFullError), curating.decision_desk(world) as place, transaction(place.store.db):
        full(world)


def words() -> curating.Words:
    return curating.Words(sentence=ADDED, category=Category.FACT, scope=EVERYWHERE)
