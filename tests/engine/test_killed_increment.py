"""A run for one more session that is killed at any step: the next one knows, and lets hooks say, what one that was not
disturbed does."""

import shutil
from pathlib import Path

import pytest
from tests.engine.killed_runs import killed_and_completed, run
from tests.homes import ORCHARD, rows
from tests.measure.histories import HOUR_S, MISSING, RULE, Log, planted
from tests.thoroughness import IS_WHOLE

from afterwit.recall.deck.first_prompt import files_at_prompt, lines_at_prompt
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck, words_in
from afterwit.store.layout import Layout

PROMPT = "Let the cider press turn faster"
_WAITING = "SELECT harvester FROM touched UNION ALL SELECT scope FROM unsettled UNION ALL SELECT scope FROM undealt"
_KNOWN = (
    "SELECT id, scope, status, round(confidence, 6) FROM items ORDER BY id",
    "SELECT harvester, matter, id FROM drafts ORDER BY 1, 2, 3",
    "SELECT harvester, matter, is_telling, at_ms, body FROM sightings ORDER BY 1, 2, 3, 4, 5",
)


def one_more(home: Path) -> None:
    """A session that makes a known mistake again, and breaks a known rule."""
    log = Log(9, 9 * HOUR_S).prompt(PROMPT).search("press").edit("src/cider/press.ts")
    log.shell("npm run tset", MISSING, fails=True).shell("npm run test", "12 passing")
    log.shell("npx tsc --noEmit", RULE, fails=True).put(home)


def known(store: Path) -> list[object]:
    """What was learned, and what hooks say; nothing waits any more."""
    assert rows(store, _WAITING) == []
    deck = Deck(str(Layout(store).deck))
    place = Location(deck.repo_at([ORCHARD])[0], ORCHARD)
    fixes = deck.lines("failure", words_in(f"npm run tset {MISSING}"), place.repo, "claude-code")
    files = files_at_prompt(deck, "claude-code", PROMPT, place)
    lines = [line.text for line in lines_at_prompt(deck, "claude-code", PROMPT, place)]
    told = [deck.block(place.repo, "claude-code"), files, lines, [line.text for _, line in fixes]]
    return [*(rows(store, query) for query in _KNOWN), told]


@pytest.mark.slow
def test_a_run_for_one_more_session_killed_at_any_step_is_completed_by_the_next(tmp_path: Path) -> None:
    home, learned = tmp_path / "home", tmp_path / "learned"
    planted(home)
    assert run(home, learned).returncode == 0
    before = known(learned)
    one_more(home)
    shutil.copytree(learned, tmp_path / "whole")
    assert run(home, tmp_path / "whole").returncode == 0
    expected = known(tmp_path / "whole")
    assert expected != before

    def prepared(name: str) -> tuple[Path, Path]:
        return home, shutil.copytree(learned, tmp_path / name)

    steps: set[str] = set()
    for step, completed in killed_and_completed(prepared):
        assert known(completed) == expected, step
        steps.add(step)
    assert not IS_WHOLE or steps >= {
        "digests are written, not committed",
        "sightings are written, not committed",
        "drafts are written, not committed",
        "items are written, not committed",
    }
