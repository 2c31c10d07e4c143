"""Outcomes: each signal, what outranks what, and that words in texts decide nothing."""

import pytest
from tests.digest.materials import ROOT, action, material, note

from afterwit.digest.digester import digest
from afterwit.digest.last_words import is_correction, is_thanks
from afterwit.model.captured import ActionRow, NoteRow
from afterwit.model.digest import Verdict
from afterwit.model.kinds import ActionKind, EventKind, NoteKind, Outcome, Status


def edit(ordinal: int) -> ActionRow:
    return action(ordinal, f"{ROOT}/a.py", kind=ActionKind.EDIT)


def broke(ordinal: int, line: str = "make test", error: str = "--- FAIL: TestPear") -> ActionRow:
    return action(ordinal, line, Status.FAILED, error=error)


def prompt(text: str, at_ms: int = 1) -> NoteRow:
    return note(NoteKind.PROMPT, 0, text, at_ms)


def verdict(actions: list[ActionRow], *notes: NoteRow, last: EventKind = EventKind.REPLY, **fields: object) -> Verdict:
    return digest(material(actions, list(notes), last, **fields)).verdict


ASKED = prompt("Prune the plums")


@pytest.mark.parametrize(
    ("actions", "notes", "last", "expected"),
    [
        ([edit(0), action(1, "make test")], [ASKED], EventKind.REPLY, Outcome.SUCCESS),
        (
            [edit(0), action(1, "git commit -m x")],
            [ASKED, note(NoteKind.COMMIT, 1, "x")],
            EventKind.REPLY,
            Outcome.SUCCESS,
        ),
        ([action(0, "ls")], [ASKED], EventKind.REPLY, Outcome.UNKNOWN),
        ([edit(0)], [ASKED], EventKind.REPLY, Outcome.UNKNOWN),
        ([edit(0)], [ASKED, prompt("Perfect, thanks", 2)], EventKind.REPLY, Outcome.SUCCESS),
        ([edit(0), action(1, "make test")], [ASKED], EventKind.INTERRUPT, Outcome.UNKNOWN),
        ([edit(0), broke(1)], [ASKED], EventKind.REPLY, Outcome.PARTIAL),
        ([edit(0), action(1, "ls")], [ASKED], EventKind.CALL, Outcome.PARTIAL),
        ([action(0, "ls")], [ASKED], EventKind.RESULT, Outcome.ABANDONED),
        ([action(0, "ls")], [ASKED], EventKind.INTERRUPT, Outcome.ABANDONED),
        ([edit(0)], [ASKED], EventKind.INTERRUPT, Outcome.PARTIAL),
        ([action(0, "ls")], [ASKED], EventKind.MODEL_ERROR, Outcome.FAILURE),
        ([edit(0), action(1, "make test")], [ASKED], EventKind.MODEL_ERROR, Outcome.PARTIAL),
        ([], [ASKED], EventKind.PROMPT, Outcome.ABANDONED),
        ([], [], EventKind.REPLY, Outcome.UNKNOWN),
    ],
)
def test_what_happened_decides(
    actions: list[ActionRow], notes: list[NoteRow], last: EventKind, expected: Outcome
) -> None:
    assert verdict(actions, *notes, last=last).outcome is expected


def test_a_check_before_the_last_change_says_nothing() -> None:
    with_check = verdict([action(0, "make test"), edit(1)], ASKED)
    assert "a check passed after the last change" not in with_check.reasons


def test_the_last_of_several_checks_counts() -> None:
    mended = verdict([edit(0), broke(1), edit(2), action(3, "make test")], ASKED)
    assert mended.outcome is Outcome.SUCCESS
    assert "the last check failed" not in mended.reasons


def test_a_correction_at_the_end_speaks_against_success() -> None:
    found = verdict([action(0, "ls")], ASKED, prompt("No, that is the wrong tree", 2))
    assert found.outcome is Outcome.FAILURE
    assert found.reasons == ("the last prompt is a correction",)


def test_a_last_reply_that_nothing_bears_out_is_no_success() -> None:
    found = verdict([action(0, "make test"), edit(1)], ASKED)
    assert (found.outcome, found.confidence) == (Outcome.UNKNOWN, 0.0)
    assert found.reasons == ("the agent reported at the end", "nothing bears it out")


def test_more_against_a_success_than_for_it_leaves_it_open() -> None:
    rows = [edit(0), action(1, "git commit -m x"), broke(2)]
    found = verdict(rows, ASKED, prompt("No, that is wrong", 2), note(NoteKind.COMMIT, 1, "x"), last=EventKind.NOTICE)
    assert (found.outcome, found.confidence) == (Outcome.UNKNOWN, 0.0)


def test_thanks_make_a_success_surer() -> None:
    plain = verdict([edit(0), action(1, "make test")], ASKED)
    thanked = verdict([edit(0), action(1, "make test")], ASKED, prompt("Perfect, thanks", 2))
    assert thanked.confidence > plain.confidence


@pytest.mark.parametrize("text", ["Fix the error that says FAILED", "Why does success() return an exception?"])
def test_words_in_a_prompt_decide_nothing(text: str) -> None:
    assert verdict([action(0, "ls")], prompt(text)) == verdict([action(0, "ls")], ASKED)


def test_what_a_subagent_was_cut_in_is_not_known() -> None:
    found = verdict([action(0, "ls")], ASKED, last=EventKind.RESULT, relation="subagent")
    assert (found.outcome, found.confidence) == (Outcome.UNKNOWN, 0.0)


def test_a_session_of_which_only_prompts_are_known_has_no_outcome() -> None:
    assert verdict([], ASKED, is_partial=True).outcome is Outcome.UNKNOWN


def test_confidence_stays_below_certainty_and_every_verdict_has_a_reason() -> None:
    rows = [edit(0), action(1, "make test"), action(2, "git commit -m x")]
    found = verdict(rows, ASKED, prompt("Great, works", 2), note(NoteKind.COMMIT, 2, "x"))
    assert 0.9 <= found.confidence <= 0.95
    assert len(found.reasons) == 4


@pytest.mark.parametrize(
    "text",
    [
        "No, use the other saw",
        "that's not what I meant",
        "Stop. You broke the ladder",
        "why did you cut the branch?",
        "I said the small one",
        "it still fails",
        "please revert that",
        "You forgot the last row",
    ],
)
def test_a_correction_begins_like_one(text: str) -> None:
    assert is_correction(text)
    assert not is_thanks(text)


@pytest.mark.parametrize("text", ["Thanks!", "perfect", "LGTM", "works, now the next row", "Great work"])
def test_thanks_begin_like_thanks(text: str) -> None:
    assert is_thanks(text)
    assert not is_correction(text)


@pytest.mark.parametrize(
    "text",
    ["Now prune the pears", "no problem, go on", "Notice the third row", "The test says no error", "", "Add a ladder"],
)
def test_most_prompts_are_neither(text: str) -> None:
    assert not is_correction(text)
    assert not is_thanks(text)


def test_thanks_in_a_long_text_are_politeness() -> None:
    assert not is_thanks("Thanks. " + "Then prune the next row as well. " * 10)
