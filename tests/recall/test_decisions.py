"""What was decided: measured on conversations that somebody else invented, and rule by rule on small ones."""

import re
from functools import cache
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recall.talks.dialogues import Case, Dialogue, cases, dialogues, digest_of, index_of
from tests.thoroughness import examples

from afterwit.recall.decisions import decided
from afterwit.recall.from_digest import talks_in
from afterwit.recall.places import Question
from afterwit.recall.prompt_block import TOKEN_CHARS, prompt_block
from afterwit.recall.talks import TalkIndex

_MARKS = re.compile("[\"`']")


class Score(NamedTuple):
    case: Case
    share: float  # of the deciding words that are quoted
    talks: tuple[str, ...]  # that are quoted, in order
    tokens: int


@cache
def _scores(kind: str) -> list[Score]:
    index = index_of()
    return [_score(index, case) for case in cases() if case.kind == kind]


def _score(index: TalkIndex, case: Case) -> Score:
    block = prompt_block([], [], decided(index, Question(case.prompt)))
    quoted = sum(_flat(word) in _flat(block.text) for word in case.words)
    talks = tuple(item.removeprefix("decided ") for item in block.items)
    return Score(case, quoted / max(1, len(case.words)), talks, -(-len(block.text) // TOKEN_CHARS))


def _flat(text: str) -> str:
    return _MARKS.sub("'", text).lower()


def _asked(index: TalkIndex, prompt: str) -> list[str]:
    return [quote.text for quote in decided(index, Question(prompt))]


def _newest(index: TalkIndex, prompt: str) -> str:
    return prompt_block([], [], decided(index, Question(prompt))).items[0]


def test_there_are_enough_invented_conversations() -> None:
    assert len(dialogues()) == 100
    assert [sum(case.kind == kind for case in cases()) for kind in ("settled", "changed", "control")] == [20, 14, 14]


@pytest.mark.parametrize(("kind", "share"), [("settled", 0.60), ("changed", 0.55)])
def test_deciding_words_are_quoted(kind: str, share: float) -> None:
    scores = _scores(kind)
    assert sum(score.share for score in scores) / len(scores) >= share


def test_the_later_conversation_comes_first() -> None:
    both = [score for score in _scores("changed") if {score.case.talk, score.case.earlier} <= set(score.talks)]
    assert len(both) >= 2
    assert all(score.talks.index(score.case.talk) < score.talks.index(score.case.earlier) for score in both)


@pytest.mark.parametrize("kind", ["settled", "changed", "control"])
def test_quotes_fit_into_the_block(kind: str) -> None:
    assert max(score.tokens for score in _scores(kind)) <= 600


_PLAN = Dialogue("plan", 300, ("U: How do we name the crates of the quince press?", "U: Call them quince-1, quince-2."))
_TASK = "Label the crates of the quince press."
_REDIS = Dialogue("redis", 310, ("U: use Redis streams instead of Postgres for the job queue", "A: Done."))
_POSTGRES = Dialogue(
    "postgres", 300, ("U: Where do jobs go?", "U: use Postgres for the job queue, it is there already")
)


def test_without_talks_nothing_is_said() -> None:
    assert decided(TalkIndex(), Question(_TASK)) == []


@pytest.mark.parametrize("prompt", ["", "go on", "fix it", "?!", "run the tests", "can you review the changes"])
def test_a_prompt_that_names_nothing_gets_nothing(prompt: str) -> None:
    assert _asked(index_of(_PLAN), prompt) == []


def test_a_document_gets_nothing() -> None:
    assert _asked(index_of(_PLAN), f"{_TASK} {'It stands in the cellar. ' * 30}") == []


def test_a_question_is_not_quoted() -> None:
    assert _asked(index_of(_PLAN), _TASK)[0] == "Call them quince-1, quince-2."


def test_a_conversation_of_questions_only_is_not_quoted() -> None:
    open_ones = Dialogue(
        "open", 300, ("U: How do we name the crates of the quince press?", "U: Which crates are there?")
    )
    assert "open" not in {quote.session for quote in decided(index_of(open_ones), Question(_TASK))}


def test_the_words_of_an_agent_find_a_conversation_and_are_not_quoted() -> None:
    answered = Dialogue(
        "answered",
        300,
        (
            "U: next one please",
            "A: How shall I label the crates of the quince press?",
            "U: in red ink, by month",
            "A: Ok.",
        ),
    )
    best = decided(index_of(answered), Question(_TASK))[0]
    assert (best.session, best.text) == ("answered", "next one please … in red ink, by month")


def test_of_two_conversations_alone_the_later_one_leads() -> None:
    index = TalkIndex()
    for dialogue in (_POSTGRES, _REDIS):
        for talk in talks_in(digest_of(dialogue)):
            index.put(talk)
    prompt = "Which store does the job queue use?"
    assert _newest(index, prompt) == "decided redis"
    assert {quote.session for quote in decided(index, Question(prompt))} == {"redis", "postgres"}


def test_putting_a_talk_again_replaces_it() -> None:
    index = index_of(_PLAN)
    for talk in talks_in(digest_of(_PLAN._replace(turns=(_PLAN.turns[0], "U: Call them press-a and press-b.")))):
        index.put(talk)
    assert _asked(index, _TASK)[0] == "Call them press-a and press-b."


@given(st.randoms(use_true_random=False))
@settings(max_examples=examples(4), deadline=None)
def test_the_order_in_which_talks_come_changes_nothing(rng) -> None:  # type: ignore[no-untyped-def]
    talks = [talk for dialogue in dialogues() for talk in talks_in(digest_of(dialogue))]
    rng.shuffle(talks)
    index, plain = TalkIndex(), index_of()
    for talk in talks:
        index.put(talk)
    for case in cases():
        assert decided(index, Question(case.prompt)) == decided(plain, Question(case.prompt))


_AGAIN = "U: Label the crates of the quince press so that the carters can tell them apart."
_SETTLED = Dialogue("settled", 300, (_AGAIN, "A: How shall I name them?", "U: Call them quince-1, quince-2 and so on."))


def _given(times: int) -> list[Dialogue]:
    return [Dialogue(f"again {number}", 301 + number, (_AGAIN, "A: I have labelled them.")) for number in range(times)]


@pytest.mark.parametrize("times", [0, 1, 2, 3, 5])
def test_a_prompt_that_was_given_before_does_not_hide_what_was_decided_about_it(times: int) -> None:
    found = _asked(index_of(_SETTLED, *_given(times)), _AGAIN.removeprefix("U: "))
    assert any("quince-1" in text for text in found)


def test_a_prompt_that_was_given_again_is_not_quoted_as_its_own_decision() -> None:
    found = _asked(index_of(*_given(4)), _AGAIN.removeprefix("U: "))
    assert not any("crates" in text for text in found)
