"""What sessions show of patterns: the same subject whichever agent worded it, and nothing that is the work itself."""

import pytest
from msgspec.structs import replace
from tests.harvest.talks import ORCHARD, talk
from tests.harvest.work import Act, committed, edited, failed, ran, session

from afterwit.harvest.signals.pattern_signals import PatternSignals
from afterwit.harvest.signals.signal import Signal, SignalKind, Subject, subject_from
from afterwit.model.digest import Digest, DigestStep, Measures, Touched
from afterwit.model.kinds import ActionKind, FailureClass, Status

_TOKENS = Measures(
    duration_ms=None,
    first_success_ms=None,
    errors=0,
    early_error_rate=None,
    tool_diversity=0,
    tokens=900,
    cost_usd=None,
)


_STOPPED = "The user doesn't want to proceed."
_REASON = "What is a press?"
_SENT_BACK = f"{_STOPPED} To tell you how to proceed, the user said:\n{_REASON}"


def signals(digest: Digest) -> dict[Subject, Signal]:
    seen = PatternSignals().see(digest)
    return {subject: signal for group, signal in seen if (subject := subject_from(group)) is not None}


def misused(
    kind: ActionKind, tool: str, error: str, failure: FailureClass = FailureClass.TOOL_CONTRACT, said: str = ""
) -> Act:
    step = DigestStep(kind, tool, "src/press.py", Status.FAILED, error=error, said=said)
    return Act(step, failure, f"{kind}: {error}")


@pytest.mark.parametrize(
    ("tool", "error"),
    [
        ("Edit", "String to replace not found in file."),
        ("apply_patch", "apply_patch verification failed: Failed to find expected lines in src/press.py"),
    ],
)
def test_agents_that_word_the_same_mishap_otherwise_give_the_same_subject(tool: str, error: str) -> None:
    seen = signals(session(misused(ActionKind.EDIT, tool, error)))

    assert list(seen) == [Subject(SignalKind.EDIT_TEXT_MISSING)]


@pytest.mark.parametrize(
    ("act", "subject"),
    [
        (
            failed("press bake", FailureClass.INVOCATION, says="error: unrecognized subcommand 'bake'",
                   signature="press: unrecognized subcommand bake"),
            Subject(SignalKind.WORD_UNKNOWN, ("press", "subcommand", "bake")),
        ),
        (
            failed("cider --dry", FailureClass.ENVIRONMENT, says="zsh:1: command not found: cider",
                   signature="cider: command not found: cider"),
            Subject(SignalKind.PROGRAM_MISSING, ("cider",)),
        ),
        (
            failed("cat docs", FailureClass.INVOCATION, says="cat: docs: Is a directory"),
            Subject(SignalKind.FOLDER_READ),
        ),
        (
            failed("sed -n 1,9p pears.md", FailureClass.INVOCATION, says="sed: pears.md: No such file or directory"),
            Subject(SignalKind.PATH_MISSING, (ORCHARD,)),
        ),
        (
            failed("go test ./...", FailureClass.ENVIRONMENT, says="bind: operation not permitted"),
            Subject(SignalKind.NOT_PERMITTED, ("go test",)),
        ),
        (
            misused(ActionKind.SKILL, "Skill", "Unknown skill: prune"),
            Subject(SignalKind.NAME_UNKNOWN, ("skill", "prune")),
        ),
        (
            misused(ActionKind.PLAN, "ExitPlanMode", _SENT_BACK, FailureClass.DENIED, _REASON),
            Subject(SignalKind.PLAN_TURNED_DOWN),
        ),
    ],
)  # fmt: skip
def test_a_mishap_is_named_by_what_went_wrong(act: Act, subject: Subject) -> None:
    assert list(signals(session(act))) == [subject]


@pytest.mark.parametrize(
    "act",
    [
        failed("npm run lint", says="2 problems", rules=(("no-pears", "pears"),), is_resolved=True),
        failed("npm test", says="1 failing", is_resolved=True),
        failed("curl example.org", FailureClass.TRANSIENT, says="timed out: No such file or directory"),
        failed("pear", FailureClass.INVOCATION, says="something that nobody has a word for"),
        failed("run-this-before-each-commit", FailureClass.INVOCATION, signature="x: unknown option --always-obey-me"),
        failed("ls .git/index.lock", FailureClass.INVOCATION, says="ls: .git/index.lock: No such file or directory"),
        misused(ActionKind.PLAN, "ExitPlanMode", _STOPPED, FailureClass.DENIED),
        misused(ActionKind.PLAN, "ExitPlanMode", _SENT_BACK, FailureClass.DENIED),
    ],
)
def test_work_that_is_mended_moments_and_what_cannot_be_said_are_no_signals(act: Act) -> None:
    assert signals(session(act, edited("src/press.py"))) == {}


def test_a_commit_that_a_check_refused_is_a_signal() -> None:
    refused = failed("git commit -m pears", says="no-pears", rules=(("no-pears", "pears"),))

    assert Subject(SignalKind.COMMIT_REFUSED, (ORCHARD, "commit")) in signals(session(refused))


def test_a_check_is_left_failing_only_where_nothing_came_after_it() -> None:
    red, left = failed("npm test", says="1 failing"), Subject(SignalKind.LEFT_FAILING, (ORCHARD, "npm test"))

    assert left in signals(session(edited("src/press.py"), red))
    assert left not in signals(session(red, edited("src/press.py"), ran("npm run check")))
    assert left not in signals(session(red, edited("src/press.py"), committed()))


def test_a_file_that_is_read_often_and_hardly_changed_is_waste() -> None:
    files = (Touched("src/press.py", 6, 1), Touched("src/barrel.py", 6, 4), Touched("/etc/hosts", 9, 0))

    (subject,) = seen = signals(session(files=files))

    assert subject == Subject(SignalKind.READ_AGAIN, (ORCHARD, "src/press.py"))
    assert (seen[subject].times, seen[subject].actions) == (6, 5)


def test_a_command_that_failed_is_tried_unchanged_only_where_nothing_happened_in_between() -> None:
    wrong = failed("press --all", FailureClass.UNCLEAR, says="stuck")

    assert signals(session(wrong, wrong, wrong))[Subject(SignalKind.TRIED_UNCHANGED)].times == 2
    assert signals(session(wrong, edited("src/press.py"), wrong)) == {}
    assert signals(session(wrong, ran("press --clean"), wrong)) == {}


def test_checks_after_the_last_change_and_before_a_commit_are_successes() -> None:
    acts = (ran("npm run lint"), edited("src/press.py"), ran("npm test"), committed())

    assert list(signals(session(*acts))) == [Subject(SignalKind.CHECKED_COMMIT, (ORCHARD, "npm test"))]


def test_three_checks_before_a_commit_are_a_procedure_too() -> None:
    lines = ("npm run lint", "npm run typecheck", "npm test")

    seen = signals(session(edited("src/press.py"), *map(ran, lines), committed()))

    assert Subject(SignalKind.CHECKS_IN_ORDER, (ORCHARD, *lines)) in seen


def test_what_the_user_had_to_correct_is_told_with_its_words() -> None:
    seen = signals(talk("Press the pears", "no, the plums", corrections=(1,)))

    assert seen[Subject(SignalKind.CORRECTED, (ORCHARD,))].excerpt == "no, the plums"


def test_a_question_of_the_user_corrects_nothing() -> None:
    assert signals(talk("Press the pears", "but the plums are next, right?", corrections=(1,))) == {}


def test_what_a_person_turned_down_is_told_with_the_words_of_that_person() -> None:
    sent_back = misused(ActionKind.EDIT, "Edit", _SENT_BACK, FailureClass.DENIED, _REASON)

    (signal,) = signals(session(sent_back)).values()

    assert signal.excerpt == "src/press.py → What is a press?"


def test_a_file_that_is_not_where_it_is_opened_counts_beside_a_look_whether_one_is_there() -> None:
    both = "ls: pears.md: No such file or directory\nsed: plums.md: No such file or directory"
    act = failed("ls pears.md; sed -n 1,9p plums.md", FailureClass.INVOCATION, says=both)

    assert list(signals(session(act))) == [Subject(SignalKind.PATH_MISSING, (ORCHARD,))]


def test_a_mishap_is_charged_with_the_share_of_the_actions_until_it_was_mended() -> None:
    wrong = misused(ActionKind.EDIT, "Edit", "String to replace not found in file.")
    digest = session(wrong, ran("cat src/press.py"), edited("src/press.py"), measures=_TOKENS)
    failure = replace(digest.failures[0], by=2)

    (signal,) = signals(replace(digest, failures=(failure,))).values()

    assert (signal.failures, signal.actions, signal.tokens) == (1, 2, 600)


def test_a_name_of_two_lines_is_no_name() -> None:
    lost = failed("cat pears.md", FailureClass.INVOCATION, says="cat: pears.md: No such file or directory")

    assert signals(session(lost, repo="orchard\nbarn")) == {}
