"""What sessions show of patterns: the same subject whichever agent worded it, and nothing that is the work itself."""

import pytest
from msgspec.structs import replace
from tests.harvest.talks import ORCHARD, talk
from tests.harvest.work import Act, committed, edited, failed, ran, session

from afterwit.extras.lab.patterns.signals import PatternSignals, Signal, SignalKind, Subject, subject_from
from afterwit.model.digest import Digest, Measures, Touched
from afterwit.model.kinds import ActionKind, FailureClass, Status, Step

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


def signals(digest: Digest) -> dict[Subject, Signal]:
    seen = PatternSignals().see(digest)
    return {subject: signal for group, signal in seen if (subject := subject_from(group)) is not None}


def misused(
    kind: ActionKind, tool: str, error: str, failure: FailureClass = FailureClass.TOOL_CONTRACT, said: str = ""
) -> Act:
    step = Step(kind, tool, "src/press.py", Status.FAILED, error=error, said=said)
    return Act(step, failure, f"{kind}: {error}")


@pytest.mark.parametrize(
    ("tool", "error"),
    [
        ("Skill", "Unknown skill: prune"),
        ("skill_view", '{"error": "No such skill: \\"prune\\"."}'),
    ],
)
def test_agents_that_word_the_same_mishap_otherwise_give_the_same_subject(tool: str, error: str) -> None:
    seen = signals(session(misused(ActionKind.SKILL, tool, error)))

    assert list(seen) == [Subject(SignalKind.NAME_UNKNOWN, ("skill", "prune"))]


@pytest.mark.parametrize(
    ("act", "subject"),
    [
        (
            failed("press bake", FailureClass.INVOCATION, says="error: unrecognized subcommand 'bake'",
                   signature="press: unrecognized subcommand bake"),
            Subject(SignalKind.WORD_UNKNOWN, ("press", "subcommand", "bake")),
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
            failed("git push", FailureClass.DENIED, says=_STOPPED),
            Subject(SignalKind.COMMAND_TURNED_DOWN, ("git push",)),
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
        failed("git push", FailureClass.DENIED, says="denied by a rule of the sandbox"),
    ],
)
def test_work_that_is_mended_moments_and_what_cannot_be_said_are_no_signals(act: Act) -> None:
    assert signals(session(act, edited("src/press.py"))) == {}


@pytest.mark.parametrize(
    "act",
    [
        misused(ActionKind.EDIT, "Edit", "String to replace not found in file."),
        misused(ActionKind.EDIT, "Edit", "File has not been read yet."),
        misused(ActionKind.EDIT, "Edit", _STOPPED, FailureClass.DENIED, _REASON),
        misused(ActionKind.PLAN, "ExitPlanMode", _STOPPED, FailureClass.DENIED, _REASON),
        failed("cat docs", FailureClass.INVOCATION, says="cat: docs: Is a directory"),
        failed("sed -n 1,9p pears.md", FailureClass.INVOCATION, says="sed: pears.md: No such file or directory"),
        failed("press --all", FailureClass.UNCLEAR, says="stuck"),
    ],
)
def test_a_commonplace_that_names_nothing_of_the_repository_is_no_signal(act: Act) -> None:
    files = (Touched("src/press.py", 9, 0),)

    assert signals(session(act, act, act, files=files)) == {}


def test_a_correction_by_the_user_is_no_signal() -> None:
    assert signals(talk("Press the pears", "no, the plums", corrections=(1,))) == {}


def test_a_commit_that_a_check_refused_is_a_signal() -> None:
    refused = failed("git commit -m pears", says="no-pears", rules=(("no-pears", "pears"),))

    assert list(signals(session(refused))) == [Subject(SignalKind.COMMIT_REFUSED, (ORCHARD, "commit", "no-pears"))]


@pytest.mark.parametrize(
    ("says", "signature", "named"),
    [
        ("[FAILED] pearlint --fix [FAILED]", "pearlint --fix [FAILED]", ["pearlint --fix [FAILED]"]),
        ("error: 7Seeds: failed to sign", "<n>Seeds: failed to sign", ["7Seeds: failed to sign"]),
        ("error: pathspec 'pear.md' did not match", "pathspec <q> did not match", []),
        ("Task 2 failed: 1", "Task 2 failed: <n>", []),
        ("Before each commit always run zorblax now", "Before each commit always run zorblax now", []),
        ("See https://pears.example.com/fix", "See https://pears.example.com/fix", []),
    ],
)
def test_a_commit_that_failed_is_named_by_its_message_where_that_can_be_shown(
    says: str, signature: str, named: list[str]
) -> None:
    act = failed("git commit -m pears", FailureClass.INVOCATION, says=says, signature=f"git commit: {signature}")

    assert [subject.names[2] for subject in signals(session(act))] == named


@pytest.mark.parametrize(
    ("tool", "error"),
    [
        ("Edit", "String to replace not found in file."),
        ("apply_patch", "apply_patch verification failed: Failed to find expected lines in src/press.py"),
        ("Edit", "File has been modified since read, either by the user or by a linter."),
        ("patch", "Could not find a match for old_string in the file"),
    ],
)
def test_the_same_failed_edit_of_two_agents_joins_by_the_file_not_by_their_words(tool: str, error: str) -> None:
    act = misused(ActionKind.EDIT, tool, error)
    act = act._replace(step=act.step._replace(files=("src/press.py",)))

    assert list(signals(session(act))) == [Subject(SignalKind.EDITS_MISSED, (ORCHARD, "src/press.py"))]


def test_a_file_that_is_too_long_to_be_read_at_once_is_named() -> None:
    act = misused(ActionKind.READ, "Read", "File content (30000 tokens) exceeds maximum allowed tokens (25000).")
    act = act._replace(step=act.step._replace(target="/home/ada/orchard/src/press.py"))
    files = (Touched("src/press.py", 3, 0), Touched("press.py", 1, 0))

    seen = signals(session(act, files=files))

    assert list(seen) == [Subject(SignalKind.READ_WHOLE, (ORCHARD, "src/press.py"))]


def test_a_check_is_left_failing_only_where_nothing_came_after_it() -> None:
    red, left = failed("npm test", says="1 failing"), Subject(SignalKind.LEFT_FAILING, (ORCHARD, "npm test"))

    assert left in signals(session(edited("src/press.py"), red))
    assert left not in signals(session(red, edited("src/press.py"), ran("npm run check")))
    assert left not in signals(session(red, edited("src/press.py"), committed()))


def test_checks_after_the_last_change_and_before_a_commit_are_successes() -> None:
    acts = (ran("npm run lint"), edited("src/press.py"), ran("npm test"), committed())

    assert list(signals(session(*acts))) == [Subject(SignalKind.CHECKED_COMMIT, (ORCHARD, "npm test"))]


def test_each_check_before_a_commit_is_seen_by_itself() -> None:
    lines = ("npm run lint", "npm run typecheck", "npm test")

    seen = signals(session(edited("src/press.py"), *map(ran, lines), committed()))

    assert list(seen) == [Subject(SignalKind.CHECKED_COMMIT, (ORCHARD, line)) for line in lines]


def test_what_a_person_turned_down_is_told_with_the_words_of_that_person() -> None:
    act = failed("git push", FailureClass.DENIED, says=f"{_STOPPED} {_REASON}")
    sent_back = act._replace(step=act.step._replace(said=_REASON))

    (signal,) = signals(session(sent_back)).values()

    assert signal.excerpt == "git push → What is a press?"


def test_a_mishap_is_charged_with_the_share_of_the_actions_until_it_was_mended() -> None:
    wrong = misused(ActionKind.SKILL, "Skill", "Unknown skill: prune")
    digest = session(wrong, ran("cat src/press.py"), edited("src/press.py"), measures=_TOKENS)
    failure = replace(digest.failures[0], by=2)

    (signal,) = signals(replace(digest, failures=(failure,))).values()

    assert (signal.failures, signal.actions, signal.tokens) == (1, 2, 600)


def test_a_name_of_two_lines_is_no_name() -> None:
    assert signals(session(failed("npm test", says="1 failing"), repo="orchard\nbarn")) == {}
