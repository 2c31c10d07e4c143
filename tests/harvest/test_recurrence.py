from tests.harvest.talks import MAY_MS

from afterwit.harvest.standing_rules import last_words, matters
from afterwit.harvest.statements import is_negative, likeness
from afterwit.model.knowledge import Seen, SessionRef, Sighting

PRUNE, LEAVE = "always prune pears in winter", "never prune pears in winter"


def _seen(text: str, day: int = 0, user: str = "") -> Sighting[Seen]:
    session = SessionRef(agent="codex", native_id=f"{day}", story=f"{day}", user=user, at_ms=MAY_MS + day)
    return Sighting(session, Seen(excerpt=text, at_ms=MAY_MS + day))


def _days(sightings: list[Sighting[Seen]]) -> list[str]:
    return [sighting.session.native_id for sighting in sightings]


def test_statements_alike_are_one_matter_named_by_the_first() -> None:
    [matter] = matters([_seen("prune the pear trees in deep winter", 2), _seen("prune pear trees in winter", 1)])
    assert matter.sightings[0].seen.excerpt == "prune pear trees in winter"
    assert matter.key == ("pear", "prune", "tree", "wint")


def test_words_of_two_people_are_one_matter_only_where_they_are_the_same() -> None:
    mira, jonas = "prune the pear trees in deep winter", "prune the pear trees in winter"
    assert len(matters([_seen(mira, 1, "mira"), _seen(jonas, 2, "jonas")])) == 2
    assert len(matters([_seen(mira, 1, "mira"), _seen(mira, 2, "jonas")])) == 1


def test_saying_and_denying_differ() -> None:
    assert is_negative("don't prune pears")
    assert not is_negative("prune pears")
    assert len(matters([_seen(PRUNE), _seen(LEAVE, 1)])) == 2


def test_the_last_word_replaces_its_opposite() -> None:
    prune, leave = last_words(matters([_seen(PRUNE, 1), _seen(PRUNE, 2), _seen(LEAVE, 3)]))
    assert prune[1] == []
    assert [matter.key for matter in leave[1]] == [prune[0].key]


def test_who_returns_to_an_earlier_word_begins_anew() -> None:
    prune, leave = last_words(matters([_seen(PRUNE, 1), _seen(PRUNE, 2), _seen(LEAVE, 3), _seen(PRUNE, 4)]))
    assert _days(prune[0].sightings) == ["4"]
    assert [matter.key for matter in prune[1]] == [leave[0].key]
    assert leave[1] == []


def test_nobody_changes_the_mind_of_another() -> None:
    said = [_seen(PRUNE, 1, "mira"), _seen(PRUNE, 2, "jonas"), _seen(LEAVE, 3, "mira")]
    prune, _ = last_words(matters(said))
    assert _days(prune[0].sightings) == ["2"]


def test_likeness_is_the_share_of_common_words() -> None:
    assert likeness(frozenset("abc"), frozenset("bcd")) == 0.5
    assert likeness(frozenset(), frozenset("a")) == 0.0
