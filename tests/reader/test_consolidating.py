"""What a model says of notes by id: what is taken, and what the checks refuse."""

import json
from typing import Any

import pytest
from tests.knowledge.drafting import NOW_MS, draft, piece

from afterwit.harvest.harvester import id_of
from afterwit.knowledge.weighing import WeighingContext, weigh
from afterwit.model.knowledge import READ, Category, Channel, Item
from afterwit.reader.answers import NoteClaims, claims_schema, understand_claims
from afterwit.reader.consolidation import PROMPT, consolidations
from afterwit.reader.note_claims import SettledNotes, Unsettled, settle_claims
from afterwit.reader.requests import MOST_TOKENS, ReadingRequest, own_prompt

TABS = "Files of the press are indented with tabs: an edit with spaces fails, so copy the tabs exactly."
AGAIN = "An edit with spaces fails in files of the press, which are indented with tabs."
CRATES = "Crates are counted by `make count` in the cellar."


def note(sentence: str, day: int = 0, channel: Channel = Channel.ASSISTANT, **more: Any) -> Item:
    evidence = (piece(sentence, channel=channel, days_ago=100 - day, excerpt=sentence),)
    made = draft(sentence, harvester=READ, channel=channel, evidence=evidence, stated_confidence=0.9, **more)
    return weigh(made, WeighingContext(now_ms=NOW_MS, minimum_stories={READ: 1}))


def judged(claims: NoteClaims, *notes: Item) -> SettledNotes:
    return settle_claims(claims, [item.id for item in notes], {item.id: item for item in notes})


def reasons(result: SettledNotes) -> list[str]:
    return [refused.reason for refused in result.rejected]


def test_notes_that_share_their_words_are_the_same() -> None:
    first, second = note(TABS), note(AGAIN)
    result = judged(NoteClaims(same=((first.id, second.id),)), first, second)
    assert (result.claims.same, result.rejected) == (((first.id, second.id),), ())


def test_notes_about_other_matters_are_not_the_same_whatever_the_model_says() -> None:
    first, second, third = note(TABS), note(AGAIN), note(CRATES)
    result = judged(NoteClaims(same=((first.id, third.id, second.id),)), first, second, third)
    assert result.claims.same == ((first.id, second.id),)
    assert reasons(result) == [Unsettled.OTHER_MATTER]


def test_the_users_words_are_kept_also_where_the_model_keeps_an_agents() -> None:
    agents, users = note(TABS), note(AGAIN, channel=Channel.USER)
    assert judged(NoteClaims(same=((agents.id, users.id),)), agents, users).claims.same == ((users.id, agents.id),)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Edit a released migration in place.", "Never edit a released migration in place."),
        ("Indent the press with tabs, not spaces.", "Indent the press with spaces instead of tabs."),
    ],
)
def test_a_note_and_its_opposite_are_not_the_same(first: str, second: str) -> None:
    notes = (note(first), note(second))
    result = judged(NoteClaims(same=(tuple(item.id for item in notes),)), *notes)
    assert (result.claims.same, reasons(result)) == ((), [Unsettled.OPPOSITE])


def test_a_figure_is_not_lost() -> None:
    first, second = note("The press listens on port 8080 of the cellar."), note("The press listens on port 9090 there.")
    assert reasons(judged(NoteClaims(same=((first.id, second.id),)), first, second)) == [Unsettled.FIGURE_LOST]


def test_a_question_is_not_the_same_as_an_answer() -> None:
    first, second = note(TABS), note(AGAIN, category=Category.QUESTION)
    assert reasons(judged(NoteClaims(same=((first.id, second.id),)), first, second)) == [Unsettled.OTHER_MATTER]


def test_ids_must_have_been_sent_and_still_stand() -> None:
    first, second, third = note(TABS), note(AGAIN), note(CRATES)
    claims = NoteClaims(same=((first.id, third.id), ("f" * 12, first.id)), replaced=((first.id, second.id),))
    result = settle_claims(claims, [first.id, second.id], {first.id: first, third.id: third})
    assert result.claims == NoteClaims()
    assert reasons(result) == [Unsettled.NOT_SENT, Unsettled.NOT_SENT, Unsettled.NOT_THERE]


def test_a_note_belongs_to_one_group() -> None:
    first, second = note(TABS), note(AGAIN)
    claims = NoteClaims(
        same=((first.id, second.id), (second.id, first.id)),
        replaced=((first.id, second.id),),
        contradict=((first.id, second.id),),
    )
    result = judged(claims, first, second)
    assert result.claims == NoteClaims(same=((first.id, second.id),))
    assert set(reasons(result)) == {Unsettled.NAMED_TWICE}


OLD = "Crates are counted by `make count` in the cellar."
NEW = "Crates are no longer counted by `make count` in the cellar but by the press itself."


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (note(OLD, 1), note(NEW, 2), None),
        (note(OLD, 2), note(NEW, 1), Unsettled.NOT_LATER),
        (note(OLD, 1, Channel.USER), note(NEW, 2), Unsettled.LESS_TRUSTED),
        (note(OLD, 1, Channel.USER), note(NEW, 2, Channel.OUTCOME), Unsettled.LESS_TRUSTED),
        (note(OLD, 1, Channel.TOOL), note(NEW, 2, Channel.ASSISTANT), Unsettled.LESS_TRUSTED),
        (note(OLD, 1, Channel.OUTCOME), note(NEW, 2, Channel.USER), None),
        (note(TABS, 1), note(NEW, 2, Channel.USER), Unsettled.OTHER_MATTER),
    ],
)
def test_only_what_is_later_and_trusted_as_far_replaces(old: Item, new: Item, why: Unsettled | None) -> None:
    result = judged(NoteClaims(replaced=((old.id, new.id),)), old, new)
    assert reasons(result) == ([] if why is None else [why])
    assert result.claims.replaced == (() if why else ((old.id, new.id),))


def test_an_answer_is_understood_however_it_is_wrapped() -> None:
    said = {"same": [["[aaaaaa]", "bbbbbb"], ["cccccc"]], "replaced": [{"old": "aaaaaa", "new": "dddddd"}, 7]}
    text = f"Here it is:\n```json\n{json.dumps(said)}\n```"
    assert understand_claims(text) == NoteClaims((("aaaaaa", "bbbbbb"),), (("aaaaaa", "dddddd"),))
    assert understand_claims('{"same": [], "replaced": [], "contradict": []}') == NoteClaims()
    assert understand_claims("I would rather not.") is None
    assert understand_claims('{"notes": []}') is None


def test_the_schema_has_what_is_understood() -> None:
    assert tuple(claims_schema()["properties"]) == NoteClaims._fields


def test_a_request_names_who_spoke_and_when_the_newest_last() -> None:
    notes = (note(TABS, 5, Channel.USER), note(CRATES, 2))
    (request,) = consolidations("host/orchard", notes, (), own_prompt(PROMPT), "orchard-1")
    assert request.items == (notes[1].id, notes[0].id)
    last = request.text.splitlines()[-1]
    assert last.startswith(f"[{notes[0].id}] ")
    assert ", the user: " in last
    assert consolidations("host/orchard", notes[::-1], (), own_prompt(PROMPT), "orchard-1") == [request]


def asked(notes: list[Item], before: tuple[str, ...] = ()) -> list[ReadingRequest]:
    return consolidations("host/orchard", notes, before, own_prompt(PROMPT), "orchard-1")


def barrels(count: int) -> list[Item]:
    """Notes that share nothing but their first word."""
    words = [f"{letter}{'xyzuvw'[at % 6] * (3 + at // 6)}" for at in range(60) for letter in "abcdefghijklmnop"]
    return [note(f"Barrels {' '.join(words[at * 3 : at * 3 + 3])}: {'-' * 300}") for at in range(count)]


def test_of_many_notes_those_that_may_say_the_same_are_in_one_request() -> None:
    pairs = [
        (
            note(f"The {name} press counts crates twice {'-' * 300}"),
            note(f"Crates: the {name} press counts them twice."),
        )
        for name in ("amber", "birch", "cedar", "damson", "elder", "fennel", "ginger", "hazel", "indigo", "juniper")
    ]
    others = barrels(300)
    requests = asked([*others[:150], *(first for first, _ in pairs), *others[150:], *(second for _, second in pairs)])
    assert len(requests) > 1
    assert max(request.tokens for request in requests) <= MOST_TOKENS
    assert sum(len(request.items) for request in requests) == len(others) + 2 * len(pairs)
    for first, second in pairs:
        assert sum({first.id, second.id} <= set(request.items) for request in requests) == 1


def test_of_what_was_asked_before_only_that_is_sent_again_which_resembles_something_new() -> None:
    old = [*barrels(20), note(TABS)]
    before = tuple(item.id for item in old)
    assert asked(old, before) == []
    (request,) = asked([*old, note(AGAIN), note(CRATES)], before)
    assert set(request.items) == {note(TABS).id, note(AGAIN).id, note(CRATES).id}
    assert asked([note(CRATES), *old, note(AGAIN)], before) == [request]


def test_ids_are_those_of_drafts() -> None:
    assert note(TABS).id == id_of(draft(TABS, harvester=READ))
