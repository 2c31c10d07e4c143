"""A session that was told something is learned from like any other, and what it was told is not taken for its own."""

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.e2e.delivery import Scene
from tests.e2e.history import BARE, PLANTED, TASK, WRAPPED

pytestmark = pytest.mark.e2e


@pytest.fixture
def store(scene: Scene, tmp_path: Path) -> Path:
    """A copy of the store, in which the client's session is learned."""
    scene.whole_session()
    copy = tmp_path / "store"
    shutil.copytree(scene.store, copy)
    scene.afterwit("learn", store=copy)
    return copy


def test_the_session_is_captured_without_what_it_was_told(scene: Scene, store: Path) -> None:
    _, records = captured(scene, store)
    assert [record["text"] for record in records if record.get("kind") == "prompt"] == [TASK]
    assert commands(records) == ["echo good morning", WRAPPED, BARE]


def test_nothing_that_it_was_told_is_in_its_digest_or_became_an_item(scene: Scene, store: Path) -> None:
    session, _ = captured(scene, store)
    digest = scene.afterwit("sessions", "show", session, "--digest", "--json", store=store)
    notes = [line.removeprefix("- ") for line in f"{scene.start_block}\n{scene.prompt_block}".splitlines()]
    assert [note for note in notes if note in digest] == []
    assert stated(scene, store) == stated(scene, scene.store)


def test_it_is_no_evidence_for_what_it_was_told(scene: Scene, store: Path) -> None:
    before, after = reasons(scene, scene.store), reasons(scene, store)
    assert scene.told
    assert {item: after[item] for item in scene.told} == {item: before[item] for item in scene.told}


class Captured(NamedTuple):
    """A session in the store."""

    name: str
    records: list[Any]


def captured(scene: Scene, store: Path) -> Captured:
    """The session, as it was captured: none but it has both greeted and run the command that works."""
    listed = scene.asked("sessions", "list", "--limit", "0", store=store)["sessions"]
    own = [one["native_id"] for one in listed if one["agent"] == scene.client.name]
    names = [name for name in own if not name.startswith(PLANTED)]
    shown = (Captured(name, scene.asked("sessions", "show", name, store=store)["records"]) for name in names)
    return next(one for one in shown if {"echo good morning", BARE} <= {*commands(one.records)})


def commands(records: list[Any]) -> list[str]:
    return [record["target"] for record in records if record["type"] == "action" and record["kind"] == "shell"]


def stated(scene: Scene, store: Path) -> set[str]:
    """What was learned from words, not from what was seen to happen."""
    return {item["fact"] for item in known(scene, store) if item["channel"] != "verified-outcome"}


def reasons(scene: Scene, store: Path) -> dict[str, tuple[str, str]]:
    return {item["id"]: (item["status"], item["reason"]) for item in known(scene, store)}


def known(scene: Scene, store: Path) -> list[Any]:
    items: list[Any] = scene.asked("knowledge", "list", "--all", "--limit", "0", store=store)["items"]
    return items
