from tests.harvest.talks import MAY_MS

from afterwit.harvest.stated.recurrence import is_negative, likeness, matters
from afterwit.harvest.stated.statements import StatedBy, stated
from afterwit.model.knowledge import Channel, SessionRef, Sighting


def _seen(text: str, day: int = 0, speaker: StatedBy = StatedBy.USER) -> Sighting:  # type: ignore[type-arg]
    session = SessionRef(agent="codex", native_id=f"{day}", story=f"{day}", at_ms=MAY_MS + day)
    return Sighting(session, stated(text, speaker, MAY_MS + day))


def test_statements_alike_are_one_matter_named_by_the_first() -> None:
    [matter] = matters([_seen("prune the pear trees in deep winter", 2), _seen("prune pear trees in winter", 1)])
    assert matter.first.seen.excerpt == "prune pear trees in winter"
    assert matter.key == ("pear", "prune", "tree", "wint")


def test_a_user_and_an_agent_share_no_matter() -> None:
    found = matters([_seen("prune pears in winter"), _seen("prune pears in winter", 1, StatedBy.AGENT)])
    assert [one.channel for one in found] == [Channel.USER, Channel.ASSISTANT]


def test_words_that_an_agent_repeats_have_one_origin_those_of_a_user_one_for_each_time() -> None:
    text = "prune pears in winter"
    [agents] = matters([_seen(text, 0, StatedBy.AGENT), _seen(text, 1, StatedBy.COMMIT)])
    [users] = matters([_seen(text, 0), _seen(text, 1)])
    assert len({one.origin for one in agents.evidence}) == 1
    assert len({one.origin for one in users.evidence}) == 2


def test_saying_and_denying_differ() -> None:
    assert is_negative("don't prune pears")
    assert not is_negative("prune pears")
    assert len(matters([_seen("prune pears in winter"), _seen("never prune pears in winter", 1)])) == 2


def test_likeness_is_the_share_of_common_words() -> None:
    assert likeness(frozenset("abc"), frozenset("bcd")) == 0.5
    assert likeness(frozenset(), frozenset("a")) == 0.0
