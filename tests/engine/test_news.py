"""What a run was good for, and what is kept of that for later."""

import os
from pathlib import Path

import pytest
from tests.homes import CLAUDE, NOW_MS, claude_records, learned, mixed_home, put, world_of
from tests.knowledge_home import FACT, learnable_home
from tests.recall.people import JONAS, MIRA, claude_session, codex_session

from afterwit.engine.unchanged import nothing_new
from afterwit.knowledge.door.list import new_items
from afterwit.model.learn_run import Find, News
from afterwit.store.layout import Layout
from afterwit.store.marks import LastLearned, last_learned
from afterwit.store.store import open_store


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def noted(store: Path) -> LastLearned | None:
    with open_store(Layout(store)) as one:
        return last_learned(one.db)


def test_the_first_run_names_agents_and_its_best_finds(tmp_path: Path, store: Path) -> None:
    news = learned(learnable_home(tmp_path / "home"), store).news
    assert news is not None
    assert (news.sessions, news.new_sessions, news.agents) == (3, 3, ["claude-code"])
    assert [(find.sentence, find.is_new) for find in news.finds] == [(FACT, True)]


def test_what_sessions_cost_is_counted_for_those_that_were_read(tmp_path: Path, store: Path) -> None:
    home = mixed_home(tmp_path / "home")
    first = learned(home, store).news
    put(home / CLAUDE / "new.jsonl", claude_records("new"))
    second = learned(home, store).news
    assert first is not None
    assert second is not None
    assert (second.sessions, second.new_sessions) == (1, 1)
    assert 0 < second.tokens < first.tokens


def test_logs_are_rescued_from_the_day_on_which_the_first_would_have_gone(tmp_path: Path, store: Path) -> None:
    for name, written_s in (("new", 3_000_000), ("old", 1_000_000), ("mid", 2_000_000)):
        log = put(tmp_path / "home" / CLAUDE / f"{name}.jsonl", claude_records(name))
        os.utime(log, (written_s, written_s))
    news = learned(tmp_path / "home", store).news
    assert news is not None
    assert (news.rescued, news.rescued_from_ms) == (3, 1_000_000_000 + 30 * 86_400_000)


def test_where_nothing_was_read_there_is_no_news(tmp_path: Path, store: Path) -> None:
    home = mixed_home(tmp_path / "home")
    learned(home, store)
    assert learned(home, store).news is None


def test_without_a_new_note_those_believed_most_are_named(tmp_path: Path, store: Path) -> None:
    home = learnable_home(tmp_path / "home")
    learned(home, store)
    put(home / CLAUDE / "new.jsonl", claude_records("new"))
    news = learned(home, store).news
    assert news is not None
    assert [(find.sentence, find.is_new) for find in news.finds] == [(FACT, False)]


def test_a_best_find_is_one_that_sessions_here_are_told(tmp_path: Path, store: Path) -> None:
    home = tmp_path / MIRA
    for day, task in enumerate(("Count the trees", "Mow the meadow"), 1):
        claude_session(home, MIRA, f"m{day}", day, [task, "From now on, weigh the crates before you load them."])
        codex_session(home, JONAS, str(day), day, [f"{task}, too", "From now on, answer me in Swedish about ladders."])
    news = learned(home, store).news
    assert news is not None
    assert ["weigh the crates" in find.sentence for find in news.finds] == [True]


def test_a_note_is_new_since_the_run_that_found_it_however_old_its_sessions_are(tmp_path: Path, store: Path) -> None:
    home = learnable_home(tmp_path / "home")
    learned(home, store)
    world = world_of(home, store)
    (item,) = new_items(world, NOW_MS)
    assert item.first_ms < NOW_MS
    put(home / CLAUDE / "new.jsonl", claude_records("new"))
    learned(home, store)
    assert new_items(world, NOW_MS) == [item]
    assert new_items(world, NOW_MS + 1) == []


def test_the_store_remembers_the_last_run_and_the_last_news(tmp_path: Path, store: Path) -> None:
    home = learnable_home(tmp_path / "home")
    learned(home, store)
    assert noted(store) == LastLearned(NOW_MS, NOW_MS, 3, 3, 1)
    later = world_of(home, store)._replace(now_ms=NOW_MS + 60_000)
    assert nothing_new(later) is not None
    assert noted(store) == LastLearned(NOW_MS + 60_000, NOW_MS, 3, 3, 1)


def test_a_rehearsal_is_not_remembered(tmp_path: Path, store: Path) -> None:
    home = learnable_home(tmp_path / "home")
    learned(home, store)
    put(home / CLAUDE / "new.jsonl", claude_records("new"))
    learned(home, store, is_dry_run=True)
    assert noted(store) == LastLearned(NOW_MS, NOW_MS, 3, 3, 1)


def test_two_rounds_of_a_run_are_told_as_one() -> None:
    old = Find(id="a", sentence="a", applies_to="", confidence=0.9, is_new=True)
    first = News(sessions=2, new_sessions=1, agents=["codex"], tokens=5, cost_usd=1.0, rescued_from_ms=9, finds=[old])
    second = News(sessions=1, agents=["codex", "pi"], tokens=1, rescued=1, rescued_from_ms=7)
    assert first.followed_by(second) == News(
        sessions=3,
        new_sessions=1,
        agents=["codex", "pi"],
        tokens=6,
        cost_usd=1.0,
        is_cost_partial=True,
        rescued=1,
        rescued_from_ms=7,
        finds=[old],
    )
