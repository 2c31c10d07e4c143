"""Patterns in learned sessions of two agents: what is found, in which order, and what a further session changes."""

from pathlib import Path

from tests.extras.lab.patterns.logs import claude_log, codex_log, learned_world, put_codex
from tests.homes import Silent, learned, rows, world_of

from afterwit.engine.archive.rebuild import rebuild
from afterwit.extras.lab.patterns.detect import detect
from afterwit.extras.lab.patterns.signals import SignalKind
from afterwit.model.knowledge import EVERYWHERE
from afterwit.sessions.filters import Filter

_SIGNALS = "pattern-signals"
_JUNE_MS = 1_780_272_000_000


def test_what_two_agents_show_is_one_pattern_and_says_so(tmp_path: Path) -> None:
    (pattern,) = detect(learned_world(tmp_path), fewest_stories=3)

    assert pattern.title == "`press` is called with the subcommand `bake`, which it does not know."
    assert pattern.is_cross_agent
    assert (pattern.agents, pattern.stories, pattern.failures) == (("claude-code", "codex"), 5, 5)
    assert pattern.scope == EVERYWHERE
    assert {piece.agent for piece in pattern.evidence[:2]} == {"claude-code", "codex"}
    assert all("unrecognized subcommand" in piece.excerpt for piece in pattern.evidence)


def test_what_crosses_agents_comes_before_what_is_more_frequent(tmp_path: Path) -> None:
    home = tmp_path / "home"
    world = learned_world(tmp_path)
    for number in range(20, 26):
        put_codex(home, number, codex_log(number, "cider --dry", "bind: operation not permitted"))
    learned(home, tmp_path / "store")

    patterns = detect(world)

    assert [pattern.kind for pattern in patterns] == [SignalKind.WORD_UNKNOWN, SignalKind.NOT_PERMITTED]
    assert patterns[0].stories < patterns[1].stories


def test_one_more_session_changes_only_the_patterns_that_it_shows(tmp_path: Path) -> None:
    world = learned_world(tmp_path)
    before = {pattern.id: pattern for pattern in detect(world, fewest_stories=1)}
    put_codex(tmp_path / "home", 12, codex_log(12, "cider --dry", "bind: operation not permitted"))
    learned(tmp_path / "home", tmp_path / "store")

    after = {pattern.id: pattern for pattern in detect(world, fewest_stories=1)}

    assert after.keys() == before.keys()
    changed = [after[own].kind for own in after if after[own] != before[own]]
    assert changed == [SignalKind.NOT_PERMITTED]


def test_a_rebuild_changes_nothing(tmp_path: Path) -> None:
    world = learned_world(tmp_path)
    before = detect(world, fewest_stories=1)

    rebuild(world, Silent())

    assert detect(world, fewest_stories=1) == before


def test_filters_and_the_least_frequency_choose(tmp_path: Path) -> None:
    world = learned_world(tmp_path)

    of_codex = detect(world, Filter(agents=("codex",)), fewest_stories=2)

    assert [pattern.is_cross_agent for pattern in of_codex] == [False, False]
    assert detect(world, Filter(agents=("codex",)), fewest_stories=3) == []
    assert len(detect(world, fewest_stories=2)) == 2
    assert [pattern.stories for pattern in detect(world, Filter(since_ms=_JUNE_MS), 1)] == [2, 2]


def test_a_task_that_was_given_again_counts_once(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    task = "Count the apples of every row in the upper orchard and write them down"
    for number, minute in ((0, "00"), (1, "30")):
        log = claude_log(number)
        log.records[0]["message"]["content"] = task
        for record in log.records:
            record["timestamp"] = f"2026-05-01T10:{minute}:{record['timestamp'][17:]}"
        log.put(home)
    learned(home, store)

    (pattern,) = detect(world_of(home, store), fewest_stories=1)

    assert (pattern.sessions, pattern.stories) == (2, 1)


def test_what_a_note_says_is_one_row_in_its_words_with_the_failures_it_is_about(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    for number in range(3):
        log = claude_log(number)
        log.shell("cargo tset --all", "error: no such subcommand: `tset`", fails=True)
        log.shell("cargo test --all", "test result: ok. 3 passed").put(home)
    learned(home, store)

    rows = [pattern for pattern in detect(world_of(home, store)) if "cargo" in pattern.title]

    assert [(row.kind, row.title) for row in rows] == [
        (SignalKind.NOTE, "Instead of `cargo tset …`, which fails, call `cargo test …`.")
    ]
    assert (rows[0].stories, rows[0].failures, rows[0].mended) == (3, 3, 3)
    assert rows[0].triggers == ("command:cargo tset",)


def test_no_note_follows_from_signals(tmp_path: Path) -> None:
    learned_world(tmp_path)

    counts = "SELECT count(*) FROM {} WHERE harvester = ?"
    assert rows(tmp_path / "store", counts.format("sightings"), _SIGNALS) == [(7,)]
    assert rows(tmp_path / "store", counts.format("drafts"), _SIGNALS) == [(0,)]
    assert rows(tmp_path / "store", counts.format("touched"), _SIGNALS) == [(0,)]
