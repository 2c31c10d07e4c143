"""Forgetting: what came from there counts no longer, nor what comes later from there, until it is undone."""

from pathlib import Path

import pytest
from tests.homes import ORCHARD, Silent, learned, world_of
from tests.knowledge_home import learnable_home

from afterwit.config.world import World
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.curation.undo import ForgetRequest, Forgetting, forget, undo
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.model.errors import UsageError


@pytest.fixture
def world(tmp_path: Path) -> World:
    learned(learnable_home(tmp_path / "home"), tmp_path / "store")
    return world_of(tmp_path / "home", tmp_path / "store")


def sessions(world: World) -> list[str]:
    """Those that the only item stands on."""
    return sorted(piece.session.native_id for item in listed(world, ItemFilter()).items for piece in item.evidence)


def forgotten(world: World, **wanted: str) -> Forgetting:
    done = forget(world, ForgetRequest(**wanted), lambda _: True)
    assert done is not None
    return done


def test_a_session_is_taken_out_of_the_evidence(world: World) -> None:
    done = forgotten(world, session="s2")
    assert [(loss.evidence, loss.left) for loss in done.losses] == [(3, 2)]
    assert sessions(world) == ["s1", "s3"]


def test_what_stands_on_nothing_else_is_gone_and_stays_gone(world: World) -> None:
    repo = listed(world, ItemFilter()).items[0].scope.name
    done = forgotten(world, repo=repo)
    assert (done.what, [loss.left for loss in done.losses]) == ("repo", [0])
    assert sessions(world) == []
    learnable_home(world.user_home, 5)
    learned(world.user_home, world.layout.root)
    assert sessions(world) == []
    rebuild(world, Silent())
    assert sessions(world) == []


@pytest.mark.parametrize("origin", ["verified-outcome", "claude-code"])
def test_an_origin_can_be_a_channel_or_an_agent(world: World, origin: str) -> None:
    forgotten(world, origin=origin)
    assert sessions(world) == []


def test_undoing_brings_it_all_back(world: World) -> None:
    before = listed(world, ItemFilter()).items
    forgotten(world, session="s1")
    undo(world)
    assert listed(world, ItemFilter()).items == before


def test_a_dry_run_shows_the_loss_and_forgets_nothing(world: World) -> None:
    done = forget(world, ForgetRequest(session="s1"), lambda _: pytest.fail("nobody is asked"), is_dry_run=True)
    assert done is not None
    assert [loss.left for loss in done.losses] == [2]
    assert sessions(world) == ["s1", "s2", "s3"]


def test_no_means_no(world: World) -> None:
    assert forget(world, ForgetRequest(session="s1"), lambda _: False) is None
    assert sessions(world) == ["s1", "s2", "s3"]


@pytest.mark.parametrize("wanted", [{"session": "zz"}, {"repo": "harbour"}, {"origin": ORCHARD}])
def test_what_is_not_there_cannot_be_forgotten(world: World, wanted: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="No "):
        forgotten(world, **wanted)
