"""What was decided: measured on invented conversations, and rule by rule on small ones."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recall.talks.dialogues import Dialogue, digest_of, half
from tests.recall.talks.fillers import fillers
from tests.recall.talks.scoring import Score, index_of, scores

from afterwit.recall.decisions import decided
from afterwit.recall.from_digest import talk_of
from afterwit.recall.places import Question
from afterwit.recall.talks import Talk, TalkIndex

_CHANGED = ("amended", "twice")
_HALVES = ("dev", "test", "second", "final")
_CHORES = "\n".join(
    (
        "Please make sure the tests pass, follow our code style and keep the change small.",
        "Start by reading the existing code and propose a short plan before you write anything.",
        "When you are finished, summarise what you changed and which open points remain.",
    )
)


@cache
def _scored(name: str, more: str = "") -> tuple[list[Score], list[Score]]:
    asked = half(name)
    index = index_of(asked)
    tasks, controls = ([case._replace(prompt=case.prompt + more) for case in cases] for cases in asked[:2])
    return scores(index, tasks), scores(index, controls)


def _index(*dialogues: Dialogue) -> TalkIndex:
    index = TalkIndex()
    for dialogue in (*fillers(), *dialogues):
        index.put(talk_of(digest_of(dialogue)))
    return index


def _asked(index: TalkIndex, prompt: str) -> list[str]:
    return [quote.text for quote in decided(index, Question(prompt))]


_PLAN = Dialogue("plan", 300, ("U: How do we name the crates of the quince press?", "U: Call them quince-1, quince-2."))
_TASK = "Label the crates of the quince press."


def test_there_are_enough_invented_conversations() -> None:
    assert len(list(fillers())) == 140
    assert len({dialogue.turns for dialogue in fillers()}) == 140
    assert sum(len(half(name).tasks) for name in _HALVES) >= 60
    assert sum(len(half(name).controls) for name in _HALVES) >= 60


@pytest.mark.parametrize(
    ("name", "whole", "silent"), [("dev", 14, 14), ("test", 14, 16), ("second", 13, 16), ("final", 11, 11)]
)
def test_deciding_words_are_quoted_and_controls_stay_silent(name: str, whole: int, silent: int) -> None:
    tasks, controls = _scored(name)
    assert sum(score.share == 1.0 for score in tasks) >= whole
    assert sum(not score.quotes for score in controls) >= silent


@pytest.mark.parametrize("name", _HALVES)
def test_the_later_decision_wins(name: str) -> None:
    tasks, _ = _scored(name)
    assert all(score.later_wins for score in tasks if score.case.kind in _CHANGED)


@pytest.mark.parametrize("name", _HALVES)
def test_quotes_are_short(name: str) -> None:
    assert max(score.tokens for score in _scored(name)[0]) <= 300


@pytest.mark.parametrize("name", _HALVES)
def test_what_every_task_says_too_changes_little(name: str) -> None:
    plain, wordy = _scored(name), _scored(name, f" {_CHORES}")
    assert sum(score.share for score in wordy[0]) >= sum(score.share for score in plain[0]) - 1
    assert sum(not score.quotes for score in wordy[1]) >= sum(not score.quotes for score in plain[1]) - 1


def test_without_talks_nothing_is_said() -> None:
    assert decided(TalkIndex(), Question(_TASK)) == []


@pytest.mark.parametrize("prompt", ["", "go on", "fix it", "?!", "run the tests"])
def test_a_prompt_that_tells_nothing_gets_nothing(prompt: str) -> None:
    assert _asked(_index(_PLAN), prompt) == []


def test_a_question_is_not_quoted() -> None:
    assert _asked(_index(_PLAN), _TASK) == ["Call them quince-1, quince-2."]


def test_a_conversation_of_questions_only_is_not_quoted() -> None:
    index = _index(
        Dialogue("open", 300, ("U: How do we name the crates of the quince press?", "U: Which crates are there?"))
    )
    assert _asked(index, _TASK) == []


def test_a_later_conversation_on_the_matter_comes_first() -> None:
    later = Dialogue(
        "later", 310, ("U: The crates of the quince press: instead of numbers we use colours, red and blue.",)
    )
    first, *others = decided(_index(_PLAN, later), Question(_TASK))
    assert (first.session, first.is_earlier) == ("later", False)
    assert {quote.session for quote in others if quote.is_earlier} == {"plan"}


def test_putting_a_talk_again_replaces_it() -> None:
    index = _index(_PLAN)
    index.put(talk_of(digest_of(_PLAN._replace(turns=(_PLAN.turns[0], "U: Call them press-a and press-b.")))))
    assert _asked(index, _TASK) == ["Call them press-a and press-b."]


@given(st.randoms(use_true_random=False))
@settings(max_examples=4, deadline=None)
def test_the_order_in_which_talks_come_changes_nothing(rng) -> None:  # type: ignore[no-untyped-def]
    asked = half("dev")
    shuffled = list(_talks())
    rng.shuffle(shuffled)
    index = TalkIndex()
    for talk in shuffled:
        index.put(talk)
    tasks, _ = _scored("dev")
    for case, score in zip(asked.tasks, tasks, strict=True):
        assert decided(index, Question(case.prompt)) == score.quotes


@cache
def _talks() -> tuple[Talk, ...]:
    return tuple(talk_of(digest_of(dialogue)) for dialogue in (*fillers(), *half("dev").dialogues))


_AGAIN = "U: Label the crates of the quince press so that the carters can tell them apart."
_SETTLED = Dialogue("settled", 300, (_AGAIN, "A: How shall I name them?", "U: Call them quince-1, quince-2 and so on."))


def _given(times: int, *said: str) -> list[Dialogue]:
    return [Dialogue(f"again {number}", 301 + number, (_AGAIN, *said)) for number in range(times)]


@pytest.mark.parametrize("times", [0, 1, 2, 3, 5, 12])
def test_a_prompt_that_was_given_before_does_not_hide_what_was_decided_about_it(times: int) -> None:
    index = _index(_SETTLED, *_given(times, "A: I have labelled them."))
    found = _asked(index, _AGAIN.removeprefix("U: "))
    assert any("quince-1" in text for text in found)


def test_a_prompt_that_was_given_again_is_not_quoted_as_its_own_decision() -> None:
    index = _index(*_given(4, "A: I have labelled them."))
    assert _asked(index, _AGAIN.removeprefix("U: ")) == []


def test_of_sessions_with_the_same_prompt_the_later_decision_leads() -> None:
    changed = Dialogue("changed", 330, (_AGAIN, "U: Actually call the quince crates press-1, press-2 instead."))
    index = _index(_SETTLED, *_given(4, "A: I have labelled them."), changed)
    assert "press-1" in _asked(index, _AGAIN.removeprefix("U: "))[0]
