"""Names lead to ways, and what cannot be loaded says so instead of failing."""

import sys
from pathlib import Path

import pytest
from tests.reader.entry_points import told_way

from afterwit.reader.ways import way as ways
from afterwit.reader.ways.way import ModelQuestion, WaySurroundings, usable_ways, way_names, way_of


@pytest.fixture
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WaySurroundings:
    monkeypatch.syspath_prepend(told_way(tmp_path / "site"))
    monkeypatch.delitem(sys.modules, "told_way", raising=False)
    return WaySurroundings({"PATH": ""}, tmp_path, tmp_path / "reading")


def test_a_name_without_a_way_is_reached_by_files_alone(surroundings: WaySurroundings) -> None:
    assert way_of("gpt-5-mini", surroundings) is None
    assert way_of("some/told", surroundings) is None


def test_a_way_can_come_from_elsewhere_and_gets_the_models_own_name(surroundings: WaySurroundings) -> None:
    way = way_of("told:apple", surroundings)
    assert way is not None
    assert way.refusal() == ""
    gone = way_of("told:gone", surroundings)
    assert gone is not None
    assert "Plant one" in gone.refusal()
    assert set(way_names()) >= {"claude-code", "codex", "gemini", "llm", "told", "broken"}


def test_what_cannot_be_loaded_stands_in_with_the_reason(
    surroundings: WaySurroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ways, "_OWN", {"llm": ("afterwit.reader.ways.nothing", "llm")})
    for name, remedy in (("llm:orca", "afterwit[llm]"), ("broken", "Install it again")):
        way = way_of(name, surroundings)
        assert way is not None
        assert remedy in way.refusal()
        answer = way.answer(ModelQuestion("1", "", ""), 1.0)
        assert (answer.request, answer.tokens_in, answer.fault) == ("1", 0, way.refusal())
    assert list(usable_ways(surroundings)) == ["told"]
