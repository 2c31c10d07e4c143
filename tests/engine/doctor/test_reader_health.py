"""When transcripts without sessions, actions or known records are a break, and when they are an accident."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.engine.doctor.agent_health import Sign, Transcript, breaks, unknown_share, version_order, versions


def sound(at: int, version: str = "1.0") -> Transcript:
    return Transcript(at, version, sessions=1, replies=4, events=20, actions=8, known=40, unknown=0)


def silent(at: int, version: str = "1.0") -> Transcript:
    return sound(at, version)._replace(actions=0)


def lost(at: int, version: str = "") -> Transcript:
    return Transcript(at, version, sessions=0, replies=0, events=0, actions=0, known=0, unknown=4)


def noise(at: int) -> Transcript:
    return lost(at)._replace(known=2, unknown=0)


def signs(transcripts: list[Transcript]) -> list[Sign]:
    return [found.sign for found in breaks(transcripts)]


def many(count: int, version: str = "1.0") -> list[Transcript]:
    return [sound(at, version) for at in range(count)]


def test_sound_transcripts_show_no_sign() -> None:
    assert breaks(many(9)) == []
    assert breaks([]) == []


def test_transcripts_without_any_session_mean_a_blind_reader() -> None:
    assert signs([lost(1)]) == [Sign.BLIND]


def test_an_agent_that_was_only_opened_and_closed_is_no_blind_reader() -> None:
    assert signs([noise(1), noise(2)]) == []
    assert signs([noise(at) for at in range(5)]) == [Sign.BLIND]


def test_the_newest_transcripts_without_a_session_are_a_break() -> None:
    (found,) = breaks([*many(12), lost(100), lost(101)])
    assert (found.sign, found.transcripts, found.before, found.sound) == (Sign.LOST, 2, 12, 12)


def test_one_transcript_without_a_session_is_odd_while_it_is_new() -> None:
    (found,) = breaks([*many(12), lost(100)._replace(path="a.jsonl"), sound(101)])
    assert (found.sign, found.path, found.before, found.sound) == (Sign.ODD, "a.jsonl", 13, 13)
    assert breaks([*many(12), lost(100), *(sound(101 + at) for at in range(5))]) == []


def test_transcripts_without_a_session_that_are_older_are_history() -> None:
    assert breaks([lost(-2), lost(-1), *many(12)]) == []


def test_noise_is_a_break_only_in_a_long_run() -> None:
    assert breaks([*many(12), noise(100), noise(101)]) == []
    assert signs([*many(12), *(noise(100 + at) for at in range(5))]) == [Sign.LOST]


def test_text_without_a_single_action_is_a_break_where_actions_were_usual() -> None:
    (found,) = breaks([*many(20), *(silent(100 + at, "2.0") for at in range(2))])
    assert (found.sign, found.version, found.transcripts, found.sound) == (Sign.SILENT, "2.0", 2, 20)


def test_text_without_actions_is_no_break_for_a_user_who_often_chats() -> None:
    before = [silent(at) if at % 2 else sound(at) for at in range(20)]
    assert breaks([*before, silent(100), silent(101), silent(102)]) == []


def test_text_without_actions_is_no_break_for_an_agent_that_never_had_any() -> None:
    assert breaks([silent(at) for at in range(20)]) == []


def test_a_new_version_is_judged_by_itself_where_an_old_one_is_still_in_use() -> None:
    mixed = [*many(20), *(silent(100 + at, "2.0") for at in range(3)), sound(200)]
    (found,) = breaks(mixed)
    assert (found.sign, found.version) == (Sign.SILENT, "2.0")


def test_many_unknown_records_in_a_new_version_are_a_break() -> None:
    renamed = sound(100, "2.0")._replace(known=30, unknown=12)
    (found,) = breaks([*many(9), renamed])
    assert (found.sign, found.version, found.sound) == (Sign.UNKNOWN, "2.0", 9)
    assert found.share == pytest.approx(12 / 42)


def test_unknown_records_that_were_always_there_are_no_break() -> None:
    assert breaks([sound(at)._replace(known=30, unknown=12) for at in range(9)]) == []


def test_unknown_records_that_are_most_of_all_are_a_break_without_anything_before() -> None:
    assert signs([sound(1)._replace(known=10, unknown=30)]) == [Sign.UNKNOWN]


def test_a_few_unknown_records_are_no_break() -> None:
    assert breaks([*many(9), sound(100, "2.0")._replace(known=10, unknown=9)]) == []


def test_the_highest_version_comes_first_whenever_it_was_seen() -> None:
    found = versions([sound(1, "2.1.10"), sound(2, "2.1.9"), sound(3, "2.1.9"), sound(4, "")])
    assert [(version, len(group)) for version, group in found.items()] == [("2.1.10", 1), ("2.1.9", 2), ("", 1)]


@given(st.permutations(["", "dev", "0.9", "0.10", "0.46.0-alpha.2", "0.46.0-alpha.10", "0.46.0", "1", "1.0", "1.0.1"]))
def test_versions_are_ordered_as_versions(found: list[str]) -> None:
    ordered = ["", "dev", "0.9", "0.10", "0.46.0-alpha.2", "0.46.0-alpha.10", "0.46.0", "1", "1.0", "1.0.1"]
    assert sorted(found, key=version_order) == ordered


@given(st.lists(st.text(max_size=12)))
def test_any_versions_can_be_ordered(found: list[str]) -> None:
    assert sorted(sorted(found, key=version_order)) == sorted(found)


def test_the_share_of_unknown_records_is_over_all_records() -> None:
    assert unknown_share([sound(1)._replace(known=30, unknown=10), sound(2)._replace(known=60)]) == 0.1
    assert unknown_share([]) == 0.0
