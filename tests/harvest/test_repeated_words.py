from tests.every import for_every
from tests.harvest.talks import concluded, sentences, talk

from afterwit.harvest.standing_rules import RepeatedWords
from afterwit.knowledge.gate import rejection, review_reason
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Channel

WEIGH = "can you weigh the crates first"


def often(*texts: str, repo: str = "orchard") -> list[Digest]:
    """One session on each day, in which one of these was typed."""
    return [talk(text, day=day, name=f"{repo} {day}", repo=repo) for day, text in enumerate(texts)]


def test_what_is_said_in_three_sessions_is_found_with_all_times() -> None:
    [draft] = concluded(RepeatedWords(), often(WEIGH, "ok, weigh the crates first, please", WEIGH))
    assert draft.sentence == f'The user said on 2026-05-03: "{WEIGH}"'
    assert draft.channel is Channel.USER
    assert [piece.excerpt for piece in draft.evidence] == [WEIGH, "ok, weigh the crates first, please", WEIGH]


def test_it_needs_a_persons_approval() -> None:
    [draft] = concluded(RepeatedWords(), often(WEIGH, WEIGH, WEIGH))
    assert rejection(draft) is None
    assert review_reason(draft) == "said in 3 sessions: a note only if you say so"


def test_a_bare_order_passes_the_gate_too() -> None:
    [draft] = concluded(RepeatedWords(), often(*["commit and update changelog"] * 3))
    assert rejection(draft) is None


def test_two_sessions_or_three_times_in_one_are_not_enough() -> None:
    assert concluded(RepeatedWords(), often(WEIGH, WEIGH)) == []
    assert concluded(RepeatedWords(), [talk(WEIGH, f"{WEIGH}!", f"ok {WEIGH}")]) == []


def test_the_opposite_is_another_matter() -> None:
    assert concluded(RepeatedWords(), often(WEIGH, "do not weigh the crates first", WEIGH)) == []


@for_every(
    "text",
    [
        "ok go ahead",
        "please commit and push",
        "can you review the open PR again",
        "yes, merge it into main and pull",
        "run the tests and fix what fails",
        "weigh the crates",
        "[[ ## crates ## ]]",
        "weigh the crates of this branch now",
        "weigh the crates of #46 before lunch",
        "always weigh the crates before you load them",
    ],
)
def test_commonplaces_things_of_the_day_and_standing_rules_are_left_out(text: str) -> None:
    assert concluded(RepeatedWords(), often(text, text, text)) == []


def test_what_is_said_as_often_in_another_repository_is_a_commonplace() -> None:
    both = [*often(WEIGH, WEIGH, WEIGH), *often(WEIGH, WEIGH, WEIGH, repo="harbour")]
    assert concluded(RepeatedWords(), both) == []
    once = [*often(WEIGH, WEIGH, WEIGH), *often(WEIGH, repo="harbour")]
    assert len(concluded(RepeatedWords(), once)) == 1


def test_what_nobody_typed_does_not_count() -> None:
    pasted = f'The ticket says:\n"""\n{WEIGH}\n"""\nwhat do you think of it'
    assert sentences(concluded(RepeatedWords(), often(pasted, pasted, pasted))) == []
