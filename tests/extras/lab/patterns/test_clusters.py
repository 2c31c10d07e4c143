"""Signals become patterns in one walk, and every kind of pattern can be said."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from tests.every import for_every
from tests.harvest.talks import ORCHARD

from afterwit.extras.lab.patterns.detect import MOST_EVIDENCE, SignalSeen, cluster, pattern_id, put_into_words, row_of
from afterwit.extras.lab.patterns.signals import Signal, SignalKind, Subject, subject_from
from afterwit.model.kinds import ResolutionKind
from afterwit.model.knowledge import EVERYWHERE, SENTENCE_LIMIT, Scope, ScopeKind, SessionRef

_PAGE = Path(__file__).parents[4] / "docs/how-to/curate-patterns.md"
_NAMES: dict[SignalKind, tuple[str, ...]] = {
    SignalKind.WORD_UNKNOWN: ("press", "option", "--ripe"),
    SignalKind.NAME_UNKNOWN: ("skill", "prune"),
    SignalKind.NOT_PERMITTED: ("go test",),
    SignalKind.COMMIT_REFUSED: (ORCHARD, "commit", "no-pears"),
    SignalKind.COMMIT_FAILS: (ORCHARD, "commit", "pearlint --fix [FAILED]"),
    SignalKind.EDITS_MISSED: (ORCHARD, "src/press.py"),
    SignalKind.READ_WHOLE: (ORCHARD, "src/press.py"),
    SignalKind.LEFT_FAILING: (ORCHARD, "npm test"),
    SignalKind.COMMAND_TURNED_DOWN: ("git push",),
    SignalKind.CHECKED_COMMIT: (ORCHARD, "npm test"),
}


def seen(number: int, subject: Subject, agent: str = "codex", repo: str = ORCHARD) -> SignalSeen:
    session = SessionRef(agent=agent, native_id=f"s{number}", story=f"s{number}", repo=repo, at_ms=number + 1)
    return SignalSeen(subject, session, Signal(excerpt=f"piece {number}", failures=1, actions=2, tokens=10))


@for_every("kind", _NAMES)
def test_every_kind_is_said_in_a_sentence_of_ours(kind: SignalKind) -> None:
    subject = Subject(kind, _NAMES[kind])
    words = put_into_words(row_of(subject), subject.names[-1:])

    assert words is not None
    for text in (words.title, words.text):
        assert text[0].isupper() or text[0] == "`"
        assert text.endswith(".")
        assert "<" not in text
        assert len(text) <= SENTENCE_LIMIT


@for_every("kind", SignalKind)
def test_the_page_on_patterns_names_every_kind(kind: SignalKind) -> None:
    assert f"`{kind}`" in _PAGE.read_text("utf-8")


def test_what_needs_a_value_that_was_taken_out_is_no_pattern() -> None:
    assert put_into_words(Subject(SignalKind.COMMAND_TURNED_DOWN, ("‹user:4d761f›",))) is None


def test_files_of_one_repository_are_one_row_that_names_those_that_recur() -> None:
    paths = ("src/press.py", "src/press.py", "src/press.py", "src/plum.py", "src/plum.py", "src/once.py")
    signals = [seen(at, Subject(SignalKind.EDITS_MISSED, (ORCHARD, path))) for at, path in enumerate(paths)]

    (pattern,) = cluster(signals)

    assert pattern.title.endswith("most in `src/press.py`, `src/plum.py`.")
    assert pattern.stories == 5


def test_what_no_single_file_shows_twice_is_no_row() -> None:
    signals = [seen(at, Subject(SignalKind.EDITS_MISSED, (ORCHARD, f"src/row{at}.py"))) for at in range(4)]

    assert cluster(signals) == []


@pytest.mark.parametrize(
    ("how", "told"), [(ResolutionKind.EDITED, "edit what it names"), (ResolutionKind.UNRESOLVED, "ask the user")]
)
def test_a_pattern_says_what_cured_it(how: ResolutionKind, told: str) -> None:
    subject = Subject(SignalKind.COMMIT_FAILS, (ORCHARD, "commit", "pearlint --fix [FAILED]"))
    signals = [seen(at, subject)._replace(signal=Signal(failures=1, how=how)) for at in range(2)]

    (pattern,) = cluster(signals)

    assert pattern.title == "In `orchard`, `git commit` fails with `pearlint --fix [FAILED]`."
    assert told in pattern.text


def test_what_takes_too_many_words_is_no_pattern() -> None:
    commands = tuple(f"npm run check-of-row-{number}-in-the-upper-orchard" for number in range(9))

    assert put_into_words(Subject(SignalKind.CHECKED_COMMIT, (ORCHARD,)), commands) is None


@for_every("kind", _NAMES)
def test_a_subject_is_read_as_it_was_written(kind: SignalKind) -> None:
    subject = Subject(kind, _NAMES[kind])

    assert subject_from(str(subject)) == subject


@pytest.mark.parametrize("text", ["foreseen\norchard", "folder-read"])
def test_a_kind_of_another_version_is_passed_over(text: str) -> None:
    assert subject_from(text) is None


def test_an_id_says_what_a_pattern_is_about_and_not_who_saw_it() -> None:
    subject = Subject(SignalKind.COMMAND_TURNED_DOWN, ("cider",))

    few, many = (cluster((seen(number, subject) for number in range(count)), 1)[0] for count in (1, 9))

    assert few.id == many.id == pattern_id(subject)
    assert many.id != pattern_id(Subject(SignalKind.NOT_PERMITTED, ("cider",)))


def test_what_one_agent_shows_in_several_repositories_holds_for_that_agent() -> None:
    subject = Subject(SignalKind.COMMAND_TURNED_DOWN, ("cider",))

    (pattern,) = cluster(seen(number, subject, repo=f"example.org/fruit/row{number}") for number in range(3))

    assert pattern.scope == Scope(ScopeKind.AGENT, "codex")
    assert (pattern.frequency, pattern.failures, pattern.actions, pattern.tokens) == (3, 3, 6, 30)


def test_what_was_seen_in_one_repository_holds_there() -> None:
    subject = Subject(SignalKind.COMMAND_TURNED_DOWN, ("cider",))
    here = [seen(number, subject, agent) for number, agent in enumerate(("codex", "claude-code", "hermes"))]

    assert cluster(here)[0].scope == Scope(ScopeKind.REPO, ORCHARD)
    assert cluster([*here, seen(9, subject, repo="example.org/fruit/barn")])[0].scope == EVERYWHERE


def test_evidence_is_bounded_and_begins_with_every_agent_and_repository() -> None:
    subject = Subject(SignalKind.COMMAND_TURNED_DOWN, ("cider",))
    signals = [seen(number, subject) for number in range(3, 40)]
    signals += [seen(0, subject, agent="claude-code"), seen(1, subject, repo="example.org/fruit/barn")]

    (pattern,) = cluster(signals)

    assert len(pattern.evidence) == MOST_EVIDENCE
    assert [piece.excerpt for piece in pattern.evidence[:4]] == ["piece 39", "piece 1", "piece 0", "piece 38"]


def _many(count: int) -> Iterator[SignalSeen]:
    """Signals of a hundred sizes of patterns, one of which has half of them."""
    for number in range(count // 2):
        yield seen(number, Subject(SignalKind.COMMAND_TURNED_DOWN, ("cider",)))
    for number in range(count // 2, count):
        yield seen(number, Subject(SignalKind.COMMAND_TURNED_DOWN, (f"cider{number % 100}",)))


def _calls(count: int) -> int:
    signals = sorted(_many(count), key=lambda signal: str(signal.subject))
    calls = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        cluster(signals)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.slow
def test_ten_times_the_signals_take_at_most_twelve_times_the_work() -> None:
    assert _calls(100_000) <= 12 * _calls(10_000)
