"""A glance tells whether there is anything to learn."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.homes import CLAUDE, NOW_MS, claude_records, learned, mixed_home, put, rows, world_of
from tests.measure.histories import Log
from tests.sources.checkouts import Worked, worked

from afterwit.config.world import World
from afterwit.engine import sweep as sweeping
from afterwit.engine import unchanged
from afterwit.engine.archive.evict import evict
from afterwit.engine.curation.curate import LessonSource, Words, record
from afterwit.engine.unchanged import nothing_new
from afterwit.model.knowledge import EVERYWHERE, Category
from afterwit.model.learn_run import Report
from afterwit.recall.deck.compile import compile_deck
from afterwit.store import spool
from afterwit.store.decide import SESSION_PINNED, decide
from afterwit.store.layout import Layout
from afterwit.store.store import Store, hold_lease, open_store

DAY_MS = 86_400_000


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return mixed_home(tmp_path / "home")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def glanced(home: Path, store: Path) -> Report | None:
    return nothing_new(world_of(home, store))


def test_where_nothing_was_learned_there_is_something_to_do(home: Path, store: Path) -> None:
    assert glanced(home, store) is None
    assert not store.exists()


def test_a_glance_reports_what_a_run_without_news_reports(home: Path, store: Path) -> None:
    learned(home, store)
    assert glanced(home, store) == learned(home, store)


def _grow(home: Path, store: Path) -> None:
    with next((home / CLAUDE).glob("*.jsonl")).open("ab") as file:
        file.write(b"{}\n")


def _come(home: Path, store: Path) -> None:
    put(home / CLAUDE / "new.jsonl", claude_records("new"))


def _go(home: Path, store: Path) -> None:
    next((home / CLAUDE).glob("*.jsonl")).unlink()


def _configure(home: Path, store: Path) -> None:
    (store / "config.toml").write_text('[aliases.repos]\norchard = "grove"\n')


def _decide(home: Path, store: Path) -> None:
    with open_store(Layout(store)) as one:
        decide(one, SESSION_PINNED, {"agent": "codex", "session": "s"}, NOW_MS)


def _spool(home: Path, store: Path) -> None:
    spool.append(Layout(store).spool, "codex", "s1", {"kind": "ended"})


def _lose_deck(home: Path, store: Path) -> None:
    Layout(store).deck.unlink()


def _instruct(home: Path, store: Path) -> None:
    put(home / ".claude" / "CLAUDE.md", b"Always prune in winter.\n")


@pytest.mark.parametrize(
    "change",
    [_grow, _come, _go, _configure, _decide, _spool, _lose_deck, _instruct],
    ids=lambda one: one.__name__,
)
def test_whatever_a_run_is_made_from_is_seen_to_change(
    home: Path, store: Path, change: Callable[[Path, Path], None]
) -> None:
    learned(home, store)
    assert glanced(home, store) is not None
    change(home, store)
    assert glanced(home, store) is None


def test_a_new_day_lets_knowledge_age(home: Path, store: Path) -> None:
    learned(home, store)
    world = world_of(home, store)
    midnight = NOW_MS // DAY_MS * DAY_MS
    assert nothing_new(world._replace(now_ms=midnight)) is not None
    assert nothing_new(world._replace(now_ms=midnight + DAY_MS - 1)) is not None
    assert nothing_new(world._replace(now_ms=midnight + DAY_MS)) is None


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a file that this user cannot read")
def test_what_could_not_be_read_is_tried_again(home: Path, store: Path) -> None:
    place = next((home / CLAUDE).glob("*.jsonl"))
    place.chmod(0)
    learned(home, store)
    assert glanced(home, store) is None


def test_a_run_of_a_part_leaves_no_mark(home: Path, store: Path) -> None:
    learned(home, store)
    learned(home, store, agents=frozenset({"codex"}))
    assert glanced(home, store) is None


def test_a_rehearsal_leaves_the_mark_alone(home: Path, store: Path) -> None:
    learned(home, store)
    learned(home, store, is_dry_run=True)
    assert glanced(home, store) is not None


def test_a_run_that_dies_leaves_no_mark(home: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learned(home, store)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("afterwit.engine.sweep.resolve_repos", die)
    with pytest.raises(KeyboardInterrupt):
        learned(home, store)
    assert rows(store, "SELECT count(*) FROM standing") == [(0,)]


def test_giving_originals_up_leaves_no_mark(home: Path, store: Path) -> None:
    learned(home, store)
    evict(world_of(home, store), lambda _: True, soft_cap_bytes=0)
    assert glanced(home, store) is None


def _tell(home: Path, store: Path) -> None:
    words = Words(sentence="Prune in March; never after the first blossom.", category=Category.FACT, scope=EVERYWHERE)
    record(world_of(home, store), LessonSource("codex", "mcp-1"), words)


def _instruct_here(home: Path, store: Path) -> None:
    put(home / "orchard" / "AGENTS.md", b"Always prune in winter.\n")


@pytest.mark.parametrize("change", [_tell, _instruct_here], ids=lambda one: one.__name__)
def test_what_comes_after_the_items_were_settled_leaves_no_mark(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path, Path], None]
) -> None:
    (home / "orchard" / ".git").mkdir(parents=True)
    Log(1, 0, str(home / "orchard")).prompt("Count the trees").shell("make count").put(home)
    learned(home, store)

    def dealt(opened_store: Store, world: World) -> None:
        compile_deck(opened_store, world)
        change(home, store)

    with monkeypatch.context() as patched:
        patched.setattr(sweeping, "compile_deck", dealt)
        learned(home, store)
    assert glanced(home, store) is None
    learned(home, store)
    assert glanced(home, store) is not None


@pytest.mark.parametrize("body", ["{}", "not JSON", '{"report": {"agents": 3}, "named": {}}'])
def test_a_mark_of_another_version_is_none(home: Path, store: Path, body: str) -> None:
    learned(home, store)
    rows(store, "UPDATE standing SET body = CAST(? AS BLOB)", body)
    assert glanced(home, store) is None


def test_code_that_is_replaced_while_a_run_is_at_work_is_new(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = [("learn.py", 1, 1)]
    monkeypatch.setattr(unchanged, "_sources", lambda _: iter(ours))
    sweep_into = sweeping.sweep_into

    def swept(*given: object) -> Report:
        ours[0] = ("learn.py", 2, 2)
        return sweep_into(*given)  # type: ignore[arg-type]

    unchanged._code.cache_clear()
    monkeypatch.setattr(sweeping, "sweep_into", swept)
    learned(home, store)
    unchanged._code.cache_clear()
    assert glanced(home, store) is None
    monkeypatch.undo()
    unchanged._code.cache_clear()


def test_above_the_soft_cap_a_glance_tells_as_well(home: Path, store: Path) -> None:
    store.mkdir()
    (store / "config.toml").write_text("[retention]\nraw_soft_cap_bytes = 6000\n")
    learned(home, store)
    told = glanced(home, store)
    assert told is not None
    assert told.evicted is not None
    assert (told.evicted.dropped, told.evicted.soft_cap_bytes) == ([], 6000)


def test_a_run_that_gives_originals_up_leaves_no_mark(home: Path, store: Path) -> None:
    store.mkdir()
    (store / "config.toml").write_text("[retention]\nraw_soft_cap_bytes = 1\nraw_hard_cap_bytes = 1000000\n")
    report = learned(home, store)
    assert report.evicted is not None
    assert report.evicted.dropped
    assert glanced(home, store) is None
    learned(home, store)
    assert glanced(home, store) is not None


def test_a_session_that_ends_during_a_glance_is_learned(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own run finds the lease held and leaves."""
    learned(home, store)

    @contextmanager
    def held_while_one_ends(place: Path) -> Iterator[None]:
        with hold_lease(place):
            yield
            _spool(home, store)

    monkeypatch.setattr(unchanged, "hold_lease", held_while_one_ends)
    assert glanced(home, store) is None


def test_a_glance_loads_nothing_that_only_a_run_needs(home: Path, store: Path) -> None:
    """Readers, redaction, harvesters: half a second of imports and patterns."""
    program = "import sys; from afterwit.cli.main import main\ntry: main()\nfinally: print(*sys.modules)"
    environ = {**os.environ, "HOME": str(home), "AFTERWIT_HOME": str(store)}
    for _ in range(2):
        command = [sys.executable, "-c", program, "learn"]
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith("afterwit.")}
    heavy = ("harvest", "digest", "capture.assembly", "capture.derive", "capture.plan", "actions", "recall")
    assert sorted(name for name in loaded if name.removeprefix("afterwit.").startswith(heavy)) == []
    assert not loaded & {"afterwit.engine.sweep", "afterwit.capture.derive", "afterwit.redaction.redaction"}
    assert "rich" not in done.stdout.split()


@pytest.fixture
def orchard(home: Path) -> Worked:
    """A checkout in which a session ran."""
    place = worked(home / "grove")
    place.commit({"press.py": "quince"}, "Plant")
    Log(40, 0, str(place.root)).prompt("Turn the press").edit("press.py").put(home)
    return place


@pytest.mark.parametrize("change", ["commit", "checkout", "add", "index"])
def test_there_is_something_to_learn_where_git_or_the_index_of_files_has_changed(
    home: Path, store: Path, orchard: Worked, change: str
) -> None:
    learned(home, store)
    assert glanced(home, store) is not None
    if change == "commit":
        orchard.commit({"press.py": "pear"}, "Press pears", 60)
    elif change == "checkout":
        orchard.git("checkout", "-q", "-b", "pears")
    elif change == "add":
        (orchard.root / "mill.py").write_text("turn")
        orchard.git("add", "mill.py")
    else:
        next((store / "trees").glob("*.db")).unlink()
    assert glanced(home, store) is None
    learned(home, store)
    assert glanced(home, store) is not None
    assert len(list((store / "trees").glob("*.db"))) == 1


@pytest.mark.usefixtures("orchard")
def test_an_index_that_was_given_up_on_is_gone_on_with(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("afterwit.recall.repository._MOST_SECONDS", -1)
    learned(home, store)
    assert [path.suffix for path in (store / "trees").iterdir()] == [".new"]
    assert glanced(home, store) is None
    monkeypatch.undo()
    learned(home, store)
    assert [path.suffix for path in (store / "trees").iterdir()] == [".db"]
    assert glanced(home, store) is not None
