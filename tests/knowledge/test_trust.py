import pytest
from tests.knowledge.drafting import piece, pieces

from afterwit.knowledge.belief import authority_of, backing, quorum
from afterwit.model.knowledge import Authority, Channel

_FOREIGN = [
    Channel.ASSISTANT,
    Channel.TOOL,
    Channel.FILE,
    Channel.WEB,
    Channel.MCP,
    Channel.IMPORTED,
    Channel.HOST,
]


@pytest.mark.parametrize("channel", _FOREIGN)
def test_foreign_words_never_become_guidance_by_repetition(channel: Channel) -> None:
    assert authority_of(channel, pieces(50, channel=channel)) is Authority.OBSERVATION


@pytest.mark.parametrize("channel", _FOREIGN)
def test_foreign_words_gain_nothing_from_trusted_evidence(channel: Channel) -> None:
    evidence = (*pieces(3), *pieces(3, channel=Channel.USER), *pieces(3, channel=channel))
    assert authority_of(channel, evidence) is Authority.OBSERVATION


def test_words_of_a_user_are_guidance() -> None:
    assert authority_of(Channel.USER, pieces(1, channel=Channel.USER)) is Authority.GUIDANCE


def test_words_said_to_be_a_users_need_a_user_who_said_them() -> None:
    assert authority_of(Channel.USER, pieces(5, channel=Channel.ASSISTANT)) is Authority.OBSERVATION


def test_a_verified_outcome_is_guidance_from_its_second_origin_on() -> None:
    assert authority_of(Channel.OUTCOME, pieces(1)) is Authority.OBSERVATION
    assert authority_of(Channel.OUTCOME, pieces(2)) is Authority.GUIDANCE


def test_an_outcome_is_not_repeated_by_what_an_agent_says() -> None:
    evidence = (*pieces(1), *pieces(9, channel=Channel.ASSISTANT))
    assert authority_of(Channel.OUTCOME, evidence) is Authority.OBSERVATION


def test_an_outcome_seen_only_after_it_was_shown_is_not_repeated() -> None:
    assert authority_of(Channel.OUTCOME, pieces(2), echoes={"story 1"}) is Authority.OBSERVATION


def test_a_decision_of_a_person_makes_guidance() -> None:
    assert authority_of(Channel.WEB, (), is_decided=True) is Authority.GUIDANCE


def test_a_page_read_in_five_stories_is_one_origin() -> None:
    assert quorum(pieces(5, channel=Channel.WEB, source="https://pears.example")) == 1


def test_five_pages_read_in_one_story_are_one_origin() -> None:
    assert quorum([piece("story", at=at, source=f"page {at}") for at in range(5)]) == 1


def test_what_speaks_against_is_not_part_of_the_quorum() -> None:
    assert quorum((*pieces(2), piece("other", is_against=True))) == 2


def test_only_evidence_as_trusted_as_the_words_backs_them() -> None:
    mixed = [piece(channel, channel=channel) for channel in Channel]
    assert {one.channel for one in backing(Channel.USER, mixed)} == {Channel.USER, Channel.OUTCOME}
    assert Channel.ASSISTANT not in {one.channel for one in backing(Channel.TOOL, mixed)}


def test_two_sessions_that_were_told_a_fix_and_saw_it_work_stand_for_one_that_found_it() -> None:
    told = {"story 1", "story 2"}
    assert quorum(pieces(3), echoes=told, is_tested=True) == 2
    assert quorum(pieces(3), echoes=told) == 1
    assert authority_of(Channel.OUTCOME, pieces(3), echoes=told, is_tested=True) is Authority.GUIDANCE


def test_told_sessions_alone_are_no_origin() -> None:
    assert quorum(pieces(9), echoes={f"story {at}" for at in range(9)}, is_tested=True) == 0


def test_a_page_that_told_sessions_read_stays_one_origin() -> None:
    read = pieces(9, channel=Channel.WEB, source="https://pears.example")
    assert quorum(read, echoes={f"story {at}" for at in range(1, 9)}, is_tested=True) == 1
    copied = pieces(9, source="https://pears.example")
    assert quorum(copied, echoes={f"story {at}" for at in range(1, 9)}, is_tested=True) == 1
