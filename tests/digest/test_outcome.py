"""Outcomes: sessions in plain words, and how each is found to have ended, with the reason."""

import msgspec
import pytest
from tests.digest.materials import ROOT, START_MS, action, material, note
from tests.every import for_every

from afterwit.digest.digester import digest
from afterwit.digest.last_words import read_report
from afterwit.model.captured import ActionRow, Extract
from afterwit.model.digest import Verdict
from afterwit.model.kinds import ActionKind, EventKind, NoteKind, Outcome, RecordedEnd, Status

LATER = START_MS + 300_000


def edit(ordinal: int) -> ActionRow:
    return action(ordinal, f"{ROOT}/a.py", kind=ActionKind.EDIT)


def broke(ordinal: int, line: str = "make test", error: str = "--- FAIL: TestPear") -> ActionRow:
    return action(ordinal, line, Status.FAILED, error=error)


def prompt(text: str, at_ms: int = 1) -> Extract:
    return note(NoteKind.PROMPT, at_ms, text, at_ms)


def said(text: str, at_ms: int = START_MS + 200_000) -> Extract:
    """The last reply to a prompt."""
    return note(NoteKind.REPORT, at_ms, text, at_ms)


def verdict(
    actions: list[ActionRow],
    *notes: Extract,
    last: EventKind = EventKind.REPLY,
    end: str = "",
    next_prompt: str = "",
    **fields: object,
) -> Verdict:
    known = material(actions, list(notes), last, **fields)
    return digest(known._replace(end=end, next_prompt=next_prompt)).verdict


ASKED = prompt("Prune the plums")
TESTED = [edit(0), action(1, "make test")]
COMMITTED = [edit(0), action(1, "git commit -m x")]


@for_every(
    "actions, notes, last, expected",
    [
        (TESTED, [ASKED], EventKind.REPLY, Outcome.SUCCESS),
        (COMMITTED, [ASKED], EventKind.REPLY, Outcome.SUCCESS),
        ([action(0, "ls")], [ASKED, said("The plums stand in row 3.")], EventKind.REPLY, Outcome.SUCCESS),
        ([edit(0)], [ASKED, said("Pruned, and swept the ground.")], EventKind.REPLY, Outcome.SUCCESS),
        ([edit(0), broke(1)], [ASKED, said("All done!")], EventKind.REPLY, Outcome.PARTIAL),
        ([edit(0), broke(1)], [ASKED, said("The test still fails.")], EventKind.REPLY, Outcome.FAILURE),
        ([edit(0), action(1, "ls")], [ASKED], EventKind.CALL, Outcome.ABANDONED),
        ([action(0, "ls")], [ASKED], EventKind.RESULT, Outcome.ABANDONED),
        ([action(0, "ls")], [ASKED], EventKind.INTERRUPT, Outcome.ABANDONED),
        (TESTED, [ASKED], EventKind.INTERRUPT, Outcome.PARTIAL),
        ([action(0, "ls")], [ASKED], EventKind.MODEL_ERROR, Outcome.FAILURE),
        (TESTED, [ASKED], EventKind.MODEL_ERROR, Outcome.PARTIAL),
        ([], [ASKED], EventKind.PROMPT, Outcome.ABANDONED),
        ([], [], EventKind.REPLY, Outcome.UNKNOWN),
    ],
)
def test_what_happened_decides(
    actions: list[ActionRow], notes: list[Extract], last: EventKind, expected: Outcome
) -> None:
    assert verdict(actions, *notes, last=last).outcome is expected


def test_a_person_who_says_thanks_and_leaves_was_served() -> None:
    found = verdict([edit(0)], ASKED, said("Pruned."), prompt("thanks, perfect", LATER), last=EventKind.PROMPT)
    assert found.outcome is Outcome.SUCCESS
    assert found.reasons[0] == "the person was content"


def test_thanks_for_trying_are_no_thanks() -> None:
    rows, tried = [action(0, "ls")], said("I could not find any plums.")
    assert verdict(rows, ASKED, tried, prompt("thanks for trying", LATER)).outcome is Outcome.FAILURE


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (RecordedEnd.DONE, Outcome.SUCCESS),
        (RecordedEnd.FORCED, Outcome.PARTIAL),
        (RecordedEnd.LIMIT, Outcome.FAILURE),
        (RecordedEnd.ERROR, Outcome.FAILURE),
        (RecordedEnd.UNSOLVED, Outcome.FAILURE),
    ],
)
def test_what_the_log_records_of_its_end_counts(end: RecordedEnd, expected: Outcome) -> None:
    found = verdict([edit(0)], ASKED, last=EventKind.RESULT, end=end)
    assert found.outcome is expected
    assert found.reasons[0].startswith("its log records")


def test_an_agent_whose_last_act_hands_in_its_result_was_done() -> None:
    handed_in = msgspec.structs.replace(action(1, "submit"), tool="submit")
    found = verdict([edit(0), handed_in], ASKED, last=EventKind.RESULT)
    assert (found.outcome, found.reasons) == (Outcome.SUCCESS, ("the agent handed in its result",))


def test_a_check_before_the_last_change_says_nothing() -> None:
    with_check = verdict([action(0, "make test"), edit(1)], ASKED)
    assert "a check passed after the last change" not in with_check.reasons


def test_a_file_that_the_shell_wrote_is_a_change() -> None:
    found = verdict([action(0, "make test"), action(1, "sed -i s/a/b/ plum.py")], ASKED)
    assert found.reasons == ("the agent reported at the end",)


def test_the_last_of_several_checks_counts() -> None:
    mended = verdict([edit(0), broke(1), edit(2), action(3, "make test")], ASKED)
    assert mended.outcome is Outcome.SUCCESS
    assert "the last check failed" not in mended.reasons


def test_a_red_check_that_the_person_knew_of_when_asking_for_the_commit_does_not_count() -> None:
    rows = [edit(0), broke(1), action(2, "git commit --no-verify -m x", at_ms=LATER + 1)]
    found = verdict(rows, ASKED, prompt("commit with --no-verify", LATER), said("Committed.", LATER + 2))
    assert found.outcome is Outcome.SUCCESS


def test_done_after_nothing_but_a_red_check_is_no_success() -> None:
    found = verdict([broke(0)], prompt("fix the parser"), said("Done, I changed the lexer."))
    assert found.outcome is not Outcome.SUCCESS
    assert "the last check failed" in found.reasons


def test_some_of_a_number_of_things_is_a_part() -> None:
    assert read_report("I migrated 3 of 10 tables.").left_open
    assert read_report("I migrated three of ten tables.").left_open


def test_a_red_check_in_a_review_is_its_result() -> None:
    found = verdict([broke(0)], prompt("Review this branch"), said("One finding: the loop in a.py never ends."))
    assert found.outcome is Outcome.SUCCESS


def test_what_a_review_finds_is_not_left_open_by_it() -> None:
    found = verdict([action(0, "ls")], prompt("Review this branch"), said("Done. The token is still not refreshed."))
    assert found.outcome is Outcome.SUCCESS


@pytest.mark.parametrize(
    "words",
    [
        "Two of the three trees are pruned; the third needs a ladder.",
        "Pruned the plums. I could not run the tests because the saw is missing.",
        "Done for rows 1 and 2. Row 3 is not implemented yet.",
        "Fixed both. One test is still failing.",
    ],
)
def test_what_the_agent_says_is_open_makes_it_partial(words: str) -> None:
    found = verdict([edit(0)], ASKED, said(words))
    assert found.outcome is Outcome.PARTIAL
    assert "the agent says that a part is open, fails or was not verified" in found.reasons


@pytest.mark.parametrize(
    "words",
    [
        "I wasn't able to prune them: the ladder is locked away.",
        "This can't be done without a saw.",
        "Sorry, that did not work either.",
        "The build is still broken. It needs libplum, which no package provides.",
    ],
)
def test_what_the_agent_says_could_not_be_done_is_a_failure(words: str) -> None:
    assert verdict([action(0, "ls")], ASKED, said(words)).outcome is Outcome.FAILURE


@pytest.mark.parametrize(
    "words",
    [
        "Fixed: the loop no longer fails on the last tree.",
        "It failed because the path was relative; it works now.",
        "Done. Without the change the test fails, with it all pass.",
        "The function returns nothing if the file can't be opened.",
    ],
)
def test_what_failed_before_is_told_and_does_not_count(words: str) -> None:
    assert verdict([edit(0)], ASKED, said(words)).outcome is Outcome.SUCCESS


def test_what_was_said_before_a_closing_remark_is_the_report() -> None:
    report, remark = (
        said("I cannot reach the orchard: the gate is locked."),
        prompt("whatever, I'll ask the owner", LATER),
    )
    found = verdict([broke(0, "ssh orchard")], ASKED, report, remark, said("Okay.", LATER + 1))
    assert found.outcome is Outcome.FAILURE


def test_a_rejection_at_the_end_is_a_failure_whatever_was_checked_and_published() -> None:
    rows = [*TESTED, action(2, "git commit -m x")]
    found = verdict(rows, ASKED, said("Done."), prompt("it still crashes", LATER), last=EventKind.PROMPT)
    assert found.outcome is Outcome.FAILURE
    assert found.reasons[0] == "the last prompt rejects what was done"


def test_taking_the_work_back_is_a_failure_though_the_agent_does_it() -> None:
    rows = [edit(0), action(1, "git checkout a.py", at_ms=LATER + 1)]
    words = prompt("that is worse, revert it", LATER)
    assert verdict(rows, ASKED, words, said("Reverted.", LATER + 2)).outcome is Outcome.FAILURE


def test_a_correction_that_the_agent_followed_is_made_good_by_a_check() -> None:
    rows = [edit(0), action(1, f"{ROOT}/a.py", kind=ActionKind.EDIT, at_ms=LATER + 1)]
    rows.append(action(2, "make test", at_ms=LATER + 2))
    found = verdict(rows, ASKED, prompt("No, the other tree", LATER), said("Now the right one.", LATER + 3))
    assert found.outcome is Outcome.SUCCESS
    assert "the last prompt is a correction" in found.reasons


@pytest.mark.parametrize("words", ["never mind", "stop, gotta run to a meeting", "let's do this another day"])
def test_what_the_person_gives_up_is_abandoned(words: str) -> None:
    found = verdict([edit(0)], ASKED, prompt(words, LATER), said("Okay.", LATER + 1))
    assert (found.outcome, found.reasons) == (Outcome.ABANDONED, ("the person gave it up",))


def test_what_the_person_gives_up_because_it_does_not_work_is_a_failure() -> None:
    report = said("The pump still fails with a timeout.")
    assert verdict([action(0, "ls")], ASKED, report, prompt("forget it", LATER)).outcome is Outcome.FAILURE


def test_a_part_that_the_person_puts_off_is_left_open() -> None:
    rows = [edit(0), action(1, "git commit -m x", at_ms=LATER + 1)]
    words = prompt("good enough for today, commit that", LATER)
    assert verdict(rows, ASKED, words, said("Committed.", LATER + 2)).outcome is Outcome.PARTIAL


def test_a_question_of_the_agent_without_an_answer_is_abandoned() -> None:
    found = verdict([action(0, "ls")], ASKED, said("There are four plum trees. Which one do you mean?"))
    assert (found.outcome, found.reasons) == (Outcome.ABANDONED, ("the agent asked something and got no answer",))


def test_an_announcement_that_nothing_follows_is_no_end() -> None:
    found = verdict([action(0, "ls")], ASKED, said("Let me look at the ladder first."))
    assert found.reasons == ("the last reply announces work that did not follow",)


def test_a_log_that_ends_while_committing_is_as_good_as_done() -> None:
    rows = [edit(0), action(1, "git commit -m x", Status.UNKNOWN)]
    assert verdict(rows, ASKED, last=EventKind.CALL).outcome is Outcome.SUCCESS


def test_an_interrupt_after_the_work_was_reported_changes_nothing() -> None:
    assert verdict(TESTED, ASKED, said("Pruned both trees."), last=EventKind.INTERRUPT).outcome is Outcome.SUCCESS


def test_leaving_the_program_is_no_prompt() -> None:
    found = verdict(TESTED, ASKED, said("Pruned."), prompt("exit", LATER), last=EventKind.PROMPT)
    assert found.outcome is Outcome.SUCCESS


def test_an_interrupted_task_after_one_that_was_done_is_partial() -> None:
    rows = [edit(0), action(1, "ls", at_ms=LATER + 1)]
    found = verdict(rows, ASKED, said("Pruned."), prompt("Now the pears", LATER), last=EventKind.INTERRUPT)
    assert (found.outcome, found.reasons) == (
        Outcome.PARTIAL,
        ("interrupted at the end", "something was achieved before"),
    )


@pytest.mark.parametrize(
    "words", ["it still fails", "your last fix broke the gate", "Please revert the change of this morning"]
)
def test_a_next_session_that_complains_makes_a_failure(words: str) -> None:
    found = verdict(TESTED, ASKED, said("Done."), next_prompt=words)
    assert found.outcome is Outcome.FAILURE
    assert found.reasons[0] == "the next session says that it did not work"


@pytest.mark.parametrize("words", ["The login page is broken", "Fix the failing test", "Now prune the pears", ""])
def test_a_next_session_with_another_task_says_nothing(words: str) -> None:
    assert verdict(TESTED, ASKED, said("Done."), next_prompt=words) == verdict(TESTED, ASKED, said("Done."))


def test_thanks_make_a_success_surer() -> None:
    plain = verdict(TESTED, ASKED)
    thanked = verdict(TESTED, ASKED, prompt("Perfect, thanks", LATER))
    assert thanked.confidence > plain.confidence


@pytest.mark.parametrize("text", ["Fix the error that says FAILED", "Why does success() return an exception?"])
def test_words_in_the_task_decide_nothing(text: str) -> None:
    assert verdict([action(0, "ls")], prompt(text)) == verdict([action(0, "ls")], ASKED)


def test_what_a_subagent_was_cut_in_is_not_known() -> None:
    found = verdict([action(0, "ls")], ASKED, last=EventKind.RESULT, relation="subagent")
    assert (found.outcome, found.confidence) == (Outcome.UNKNOWN, 0.0)


def test_a_session_of_which_only_prompts_are_known_has_no_outcome() -> None:
    assert verdict([], ASKED, is_partial=True).outcome is Outcome.UNKNOWN


def test_confidence_stays_below_certainty_and_every_verdict_has_a_reason() -> None:
    rows = [edit(0), action(1, "make test"), action(2, "git commit -m x")]
    found = verdict(rows, ASKED, prompt("Great, works", LATER), note(NoteKind.COMMIT, 2, "x"))
    assert 0.9 <= found.confidence <= 0.95
    assert len(found.reasons) == 4
