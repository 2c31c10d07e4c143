"""Versions of a published pattern are told apart where effects are measured: notes by draws, skills by their uses."""

from pathlib import Path

from tests.extras.lab.patterns.logs import learned_world
from tests.homes import Silent
from tests.measure.histories import HOUR_S, Log
from tests.measure.live.drawn import case, draw

from afterwit.config.world import World
from afterwit.engine.sweep import sweep
from afterwit.extras.lab.patterns.catalog import CatalogDecision
from afterwit.extras.lab.patterns.curate import EntryChanges, catalog_of, edit, judge
from afterwit.extras.lab.patterns.detect import detect
from afterwit.extras.lab.patterns.publish import PublishRequest, find_published, publish
from afterwit.extras.lab.skills.figures import skill_history
from afterwit.measure.cases import Cases, ItemDraw, cases_of
from afterwit.measure.effect import effect_of
from afterwit.model.learn_run import Options
from afterwit.sessions.filters import Filter
from afterwit.store.rows.extras import PublishedForm

_DAY_MS = 86_400_000


def two_versions(world: World, form: PublishedForm) -> tuple[str, list[str]]:
    """Publishes a pattern, and ten days later another version of it. Returns its id, and its names in sessions."""
    own = detect(world)[0].id
    judge(world, CatalogDecision.APPROVE, [own])
    names = []
    for request in (PublishRequest((own,), (form,)), PublishRequest((own,))):
        assert publish(world, request, lambda _: True) is not None
        names.append(find_published(world, catalog_of(world))[own][0].name)
        world = world._replace(now_ms=world.now_ms + 10 * _DAY_MS)
        edit(world, own, EntryChanges(text="Look at the help of the press before calling it."))
    return own, names


def test_notes_of_two_versions_are_two_groups(tmp_path: Path) -> None:
    world = learned_world(tmp_path)
    own, (first, second) = two_versions(world, PublishedForm.NOTE)
    assert first != second
    log = Log(40, 40 * 24 * HOUR_S).prompt("Count the pears").shell("ls docs", "rows.md")
    log.put(tmp_path / "home")
    draw(tmp_path, log.session, items={first: 1, second: 0, "rule-1": 1})
    sweep(world, Options(), Silent())

    (drawn,) = cases_of(world).drawn

    assert {(told.item, told.pattern) for told in drawn.items} == {
        (first, f"{own} 1.0.0"),
        (second, f"{own} 1.0.1"),
        ("rule-1", ""),
    }


def test_the_effect_of_each_version_is_its_own() -> None:
    drawn = [
        case(
            number,
            40.0 if number % 2 else 20.0,
            odds={"told": 1.0},
            items=(
                ItemDraw(
                    item="a", harvester="", moment="start", is_told=number % 2 == 0, chance=0.5, pattern="p 1.0.0"
                ),
                ItemDraw(item="b", harvester="", moment="start", is_told=number % 4 < 2, chance=0.5, pattern="p 1.0.1"),
                ItemDraw(item="c", harvester="", moment="start", is_told=True, chance=0.5),
            ),
        )
        for number in range(400)
    ]
    groups = {group.name: group for group in effect_of(Cases(past=[], drawn=drawn, lost=[])).patterns}
    assert set(groups) == {"p 1.0.0", "p 1.0.1"}
    assert (groups["p 1.0.0"].estimate.effect or 0) < -10
    assert abs(groups["p 1.0.1"].estimate.effect or 0) < 5


def test_a_use_of_a_skill_has_the_version_that_was_there_when_its_session_began(tmp_path: Path) -> None:
    world = learned_world(tmp_path)
    _, (name, _) = two_versions(world, PublishedForm.SKILL)
    for number, (month, day) in enumerate((("2026-05", 20), ("2026-06", 2), ("2026-06", 12)), 30):
        log = Log(number, day * 24 * HOUR_S).prompt(f"Count the pears of row {number}")
        log.shell(f"cat ~/.agents/skills/{name}/SKILL.md", "# Folders").shell("ls docs", "rows.md")
        for record in log.records:
            record["timestamp"] = record["timestamp"].replace("2026-05", month)
        log.put(tmp_path / "home")
    sweep(world._replace(now_ms=world.now_ms + 30 * _DAY_MS), Options(), Silent())

    uses = sorted(skill_history(world, Filter()).uses[name], key=lambda use: use.session.at_ms)

    assert [use.use.version for use in uses] == ["", "1.0.0", "1.0.1"]
