"""Which sessions to read first: scores against a plain parse of the same logs, and what is chosen."""

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.homes import (
    CLAUDE,
    CODEX,
    NOW_MS,
    ORCHARD,
    Silent,
    claude_records,
    codex_records,
    family_home,
    hash_of,
    learned,
    mixed_home,
    put,
    world_of,
)
from tests.plain_points import DAY_MS, first_of, plain_sessions, points
from tests.thoroughness import examples

from afterwit.extras.lab.sample.sample import Sample, Sampled, SampleRequest, Scheme, sample
from afterwit.sessions.filters import Filter
from afterwit.store.store import hold_lease

CORPUS = os.environ.get("AFTERWIT_CORPUS", "")
MAY_1 = 1_777_629_600_000  # ten o'clock, when the invented sessions begin
POINTS = SampleRequest(Scheme.POINTS)


def sampled(home: Path, store: Path, wanted: SampleRequest = POINTS, now_ms: int = NOW_MS) -> Sample:
    return sample(world_of(home, store)._replace(now_ms=now_ms), wanted, Silent())


def by_name(found: Sample) -> dict[tuple[str, str], Sampled]:
    return {(one.session.row.agent, one.session.row.native_id): one for one in found.sessions}


def names(found: Sample) -> list[str]:
    return [one.session.row.native_id for one in found.sessions]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return mixed_home(tmp_path / "home")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


logs = st.lists(
    st.fixed_dictionaries(
        {
            "agent": st.sampled_from(["claude", "codex"]),
            "turns": st.sampled_from([1, 6, 7, 10, 11, 16, 17, 25, 26]),
            "cwd": st.sampled_from([ORCHARD, "/srv/harbour"]),
            "start": st.integers(0, 6).map(lambda hours: hours * 3600),
            "copies": st.booleans(),
        }
    ),
    min_size=1,
    max_size=4,
)


def furnish(home: Path, wanted: list[dict[str, Any]]) -> None:
    """One log for each, in the order in which they began. Where one copies, it starts with the history of the one
    before. Codex works in one folder."""
    before: list[dict[str, Any]] = []
    for number, log in enumerate(sorted(wanted, key=lambda one: int(one["start"]))):
        if log["agent"] == "codex":
            thread = f"01970001-0000-7000-8000-00000000000{number}"
            records = codex_records(thread, log["turns"], start=log["start"])
            put(home / CODEX / f"rollout-2026-05-01T10-00-00-{thread}.jsonl", records)
            continue
        session = f"1111111{number}-aaaa-4aaa-8aaa-000000000000"
        copied = before if log["copies"] else []
        cwd = copied[0]["cwd"] if copied else log["cwd"]
        records = claude_records(session, log["turns"], cwd=cwd, start=log["start"] + number)
        put(home / CLAUDE / f"{session}.jsonl", [*copied, *records])
        before = records


@settings(max_examples=examples(20), deadline=None)
@given(logs, st.sampled_from([0.5, 7.5, 29.9, 30.5]))
def test_points_are_those_of_a_plain_parse(wanted: list[dict[str, Any]], age_days: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        furnish(home, wanted)
        now_ms = MAY_1 + round(age_days * DAY_MS)
        found = by_name(sampled(home, Path(folder) / "store", now_ms=now_ms))
        plain = plain_sessions(home)
    repos = {name: one.place.rpartition("/")[2].removesuffix(".git") for name, one in plain.items()}
    firsts = first_of(plain, repos)
    expected = {
        name: points(one, now_ms, found[name].session.row.outcome, has_repo=bool(repos[name]), is_first=name in firsts)
        for name, one in plain.items()
    }
    assert {name: one.score for name, one in found.items()} == expected
    assert {name: (one.session.messages, one.session.row.actions) for name, one in found.items()} == {
        name: (one.messages, len(one.calls)) for name, one in plain.items()
    }


@pytest.mark.skipif(not CORPUS, reason="AFTERWIT_CORPUS names no home folder with real transcripts")
def test_points_of_real_transcripts_are_those_of_a_plain_parse(corpus_copy: Path) -> None:
    home, store = Path(CORPUS).absolute(), corpus_copy
    plain = plain_sessions(home)
    last = max(max(one.times) for one in plain.values() if one.times)
    for now_ms in (last, last + 20 * DAY_MS, last + 100 * DAY_MS):
        found = {name: one for name, one in by_name(sampled(home, store, now_ms=now_ms)).items() if name in plain}
        assert set(found) == set(plain)
        repos = {name: one.session.row.repo for name, one in found.items()}
        firsts = first_of(plain, repos)
        wrong = {
            name: (one.score, one.breakdown)
            for name, one in found.items()
            if one.score
            != points(
                plain[name],
                now_ms,
                one.session.row.outcome,
                has_repo=bool(one.session.row.repo),
                is_first=name in firsts,
            )
        }
        assert wrong == {}


@pytest.mark.parametrize("scheme", list(Scheme))
def test_logs_that_are_not_learned_are_scored_as_they_will_be(home: Path, store: Path, scheme: Scheme) -> None:
    family_home(home)
    before = sampled(home, store, SampleRequest(scheme))
    assert not store.exists()
    learned(home, store)
    after = sampled(home, store, SampleRequest(scheme))
    assert names(before) == names(after)
    assert [one.breakdown for one in before.sessions] == [one.breakdown for one in after.sessions]
    assert (before.unlearned_files, after.unlearned_files) == (6, 0)
    assert {one.is_learned for one in before.sessions} == {False}
    assert {one.is_learned for one in after.sessions} == {True}


def test_a_log_that_has_grown_is_scored_whole_and_nothing_is_stored(home: Path, store: Path) -> None:
    learned(home, store)
    content = hash_of(store)
    name = "11111111-aaaa-4aaa-8aaa-000000000001"
    put(home / CLAUDE / f"{name}.jsonl", claude_records("s1", 20))
    found = {one.session.row.native_id: one for one in sampled(home, store).sessions}
    assert (found[name].session.messages, found[name].session.row.actions, found[name].is_learned) == (60, 20, False)
    assert [one.is_learned for one in found.values()].count(False) == 1
    assert hash_of(store) == content


def test_while_another_run_is_at_work_what_is_learned_is_scored(home: Path, store: Path) -> None:
    learned(home, store)
    put(home / CLAUDE / "new.jsonl", claude_records("new"))
    with hold_lease(world_of(home, store).layout.lease):
        found = sampled(home, store)
    assert (found.found, found.unlearned_files, found.has_unlearned) == (4, 1, False)


def test_as_many_as_asked_for_are_chosen_the_best_first(home: Path, store: Path) -> None:
    learned(home, store)
    whole = sampled(home, store)
    scores = [one.score for one in whole.sessions]
    assert scores == sorted(scores, reverse=True)
    assert [sum(one.breakdown.values()) for one in whole.sessions] == scores
    for wanted, count in (
        (POINTS._replace(most=3), 3),
        (POINTS._replace(top_percent=25.0), 1),
        (POINTS._replace(top_percent=26.0), 2),
        (POINTS._replace(top_percent=75.0, most=2), 2),
        (POINTS._replace(min_score=scores[0]), scores.count(scores[0])),
        (POINTS._replace(min_score=99.0), 0),
    ):
        assert names(sampled(home, store, wanted)) == names(whole)[:count]


def test_a_share_is_rounded_up_but_not_beyond_what_it_is(tmp_path: Path) -> None:
    for number in range(25):
        put(tmp_path / "home" / CLAUDE / f"s{number}.jsonl", claude_records(f"s{number}", 1))
    assert len(sampled(tmp_path / "home", tmp_path / "store", POINTS._replace(top_percent=28.0)).sessions) == 7


def test_the_first_of_a_repository_is_settled_over_all_sessions(home: Path, store: Path) -> None:
    learned(home, store)
    first = next(one for one in sampled(home, store).sessions if one.breakdown["repo"] == 5)
    late = Filter(since_ms=(first.session.row.started_ms or 0) + 1)
    assert not [
        one for one in sampled(home, store, POINTS._replace(filter=late)).sessions if one.breakdown["repo"] == 5
    ]


def test_by_value_a_second_session_with_the_same_failures_is_worth_less(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    for name in ("a", "b"):
        put(home / CLAUDE / f"{name}.jsonl", claude_records(name, 3))
    first, second = sampled(home, store, SampleRequest()).sessions
    assert first.score > second.score > 0
    alone = sampled(home, store, SampleRequest(filter=Filter(text="row 0"), most=1)).sessions[0]
    assert alone.score == first.score


def test_the_original_is_named_as_long_as_it_is_there(home: Path, store: Path) -> None:
    learned(home, store)
    path = home / CLAUDE / "11111111-aaaa-4aaa-8aaa-000000000001.jsonl"
    assert {one.session.row.native_id: one.paths for one in sampled(home, store).sessions}[path.stem] == [str(path)]
    path.unlink()
    assert {one.session.row.native_id: one.paths for one in sampled(home, store).sessions}[path.stem] == []


def test_what_its_agent_is_about_to_delete_is_worth_more(home: Path, store: Path) -> None:
    path = home / CLAUDE / "11111111-aaaa-4aaa-8aaa-000000000001.jsonl"
    for age_days, is_vanishing in ((10, False), (24, True), (40, True)):
        moment = (NOW_MS - age_days * DAY_MS) / 1000
        os.utime(path, (moment, moment))
        found = {one.session.row.native_id: one for one in sampled(home, store, SampleRequest()).sessions}[path.stem]
        assert found.vanishes_ms == NOW_MS + (30 - age_days) * DAY_MS
        parts = sum(part for name, part in found.breakdown.items() if name != "vanishing")
        assert found.breakdown["vanishing"] == (parts / 4 if is_vanishing else 0)


def test_a_home_without_logs_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    assert sampled(tmp_path / "home", tmp_path / "store", SampleRequest()).found == 0


def test_a_folder_of_logs_is_chosen_from_alone_and_nothing_is_stored(home: Path, store: Path, tmp_path: Path) -> None:
    learned(home, store)
    before = hash_of(store)
    elsewhere = tmp_path / "old-laptop"
    put(elsewhere / "a" / "s9.jsonl", claude_records("s9"))
    put(elsewhere / "rollout-2026-05-01T10-00-00-0190.jsonl", codex_records("0190"))
    found = sampled(home, store, POINTS._replace(folder=elsewhere))
    assert {(name, chosen.is_learned) for name, chosen in by_name(found).items()} == {
        (("claude-code", "s9"), False),
        (("codex", "0190"), False),
    }
    assert {path for chosen in found.sessions for path in chosen.paths} == {
        str(path) for path in elsewhere.rglob("*.jsonl")
    }
    assert (found.found, found.unlearned_files, hash_of(store)) == (2, 2, before)


def test_a_session_of_a_folder_that_the_store_holds_counts_as_learned(home: Path, store: Path) -> None:
    learned(home, store)
    found = sampled(home, store, POINTS._replace(folder=home))
    assert found.found == sampled(home, store).found
    assert all(chosen.is_learned for chosen in found.sessions)
    assert found.unlearned_files == 0


def test_an_empty_folder_has_nothing_to_choose_from(home: Path, store: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert sampled(home, store, POINTS._replace(folder=tmp_path / "empty")).found == 0
