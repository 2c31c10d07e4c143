"""The fixes of a checkout: read from its git history when they are asked for, with the sessions that ended in them and
with what was found out about their guards.

Nothing of it is stored. All texts that leave here are redacted and clean.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

import apsw

from afterwit.capture.checkouts import GitCheckout
from afterwit.digest.door import load_digest
from afterwit.extras.fixes.fixes import FixCommit, fixes_in, is_code, is_fixing, is_test_code, subject_key
from afterwit.extras.fixes.runners import is_runnable
from afterwit.model.digest import Digest
from afterwit.model.errors import UsageError
from afterwit.model.guards import GuardState, GuardVerdict
from afterwit.model.kinds import NoteKind, Outcome
from afterwit.redaction.hygiene import clean
from afterwit.redaction.redaction import Redactor
from afterwit.sources.checkout import head_of
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import Commit, FileDiff, answer_within, commits, diff_of
from afterwit.store.rows import extras
from afterwit.store.rows.session_list import Selection, select_sessions

_MOST_COMMITS = 20_000
_ID_BYTES = 200
_MOST_SESSIONS = 2_000
_COMMIT = re.compile(r"[0-9a-fA-F]{4,64}\Z")
_LONGEST_SUBJECT = 200


class EndedSession(NamedTuple):
    """A session that ended in a commit."""

    agent: str
    native_id: str
    at: int  # the step that committed
    is_repair: bool  # it began with something broken, and ended well


class ListedFix(NamedTuple):
    """A fix with all that is known of it."""

    fix: FixCommit
    subject: str  # redacted
    state: GuardState
    verdict: GuardVerdict | None
    session: EndedSession | None

    @property
    def reason(self) -> str:
        return self.verdict.reason if self.verdict is not None else ""


class FixQuery(NamedTuple):
    """Which fixes are wanted."""

    since_ms: int | None = None
    limit: int = 0  # 0: all
    states: frozenset[GuardState] = frozenset()  # empty: all


ALL_FIXES = FixQuery()


def fixes_of(
    place: GitCheckout, redactor: Redactor, db: apsw.Connection | None, query: FixQuery = ALL_FIXES
) -> Iterator[ListedFix]:
    """The fixes of a checkout, newest first. Without a store nothing is known but what git says."""
    verdicts = extras.verdicts(db) if db is not None else {}
    sessions = sessions_that_ended(db, place.repo) if db is not None and place.repo else {}
    repairs = frozenset(key for key, session in sessions.items() if session.is_repair)
    count = 0
    for fix in fixes_in(_history(place), repairs):
        if query.since_ms is not None and fix.at_ms < query.since_ms:
            continue
        verdict = verdicts.get(fix.id)
        state = state_of(fix, verdict)
        if query.states and state not in query.states:
            continue
        yield ListedFix(fix, subject_to_show(fix, redactor), state, verdict, sessions.get(subject_key(fix.subject)))
        count += 1
        if query.limit and count >= query.limit:
            return


def fix_named(listed: Collection[ListedFix] | Iterator[ListedFix], name: str) -> ListedFix:
    """The fix with an id that begins so. Raises UsageError where there is none, or more than one."""
    if not _COMMIT.match(name):
        raise UsageError(f"{name!r} is not the id of a commit. `afterwit guards list` shows the ids of fixes.")
    fitting = [candidate for candidate in listed if candidate.fix.id.startswith(name.lower())]
    if not fitting:
        raise UsageError(
            f"No fix begins with {name!r}. `afterwit guards list --limit 0` shows all commits that are taken for fixes."
        )
    if len(fitting) > 1:
        raise UsageError(f"{len(fitting)} fixes begin with {name!r}. Write more of the id.")
    return fitting[0]


def state_of(fix: FixCommit, verdict: GuardVerdict | None) -> GuardState:
    """What is known of a fix's guard. That no test came with it needs no run."""
    if verdict is not None:
        return verdict.state
    if not fix.parent:
        return GuardState.CANNOT
    return GuardState.UNCHECKED if any(map(is_runnable, fix.tests)) else GuardState.UNGUARDED


def subject_to_show(fix: FixCommit, redactor: Redactor) -> str:
    line = " ".join(clean(redactor.text(fix.subject)).split())
    return line if len(line) <= _LONGEST_SUBJECT else f"{line[: _LONGEST_SUBJECT - 1].rstrip()}…"


def sessions_that_ended(db: apsw.Connection, repo: str) -> Mapping[str, EndedSession]:
    """The sessions of a repository that committed something, by the subject that they gave it."""
    by_subject: dict[str, EndedSession] = {}
    rows = list(select_sessions(db, Selection(repos=frozenset((repo,)))))
    for row in rows[-_MOST_SESSIONS:]:
        digest = load_digest(db, row)
        for publication in digest.publications if digest is not None else ():
            subject = publication.text.strip().partition("\n")[0]
            if digest is not None and publication.kind is NoteKind.COMMIT and subject:
                is_repair = digest.verdict.outcome is Outcome.SUCCESS and is_repairing(digest)
                ended = EndedSession(digest.agent, digest.native_id, publication.at, is_repair)
                by_subject[subject_key(subject)] = ended
    return by_subject


def is_repairing(digest: Digest) -> bool:
    """Whether a session was asked to mend something."""
    return is_fixing(" ".join(digest.task.split())[:_LONGEST_SUBJECT])


def _history(place: GitCheckout) -> Iterator[Commit]:
    name = f"{head_of(place.root) or 'HEAD'}^{{commit}}"
    arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", name]
    try:
        tip = answer_within(place.git_dir, arguments, _ID_BYTES)
    except SourceError:
        return iter(())  # nothing was committed yet
    return commits(place.git_dir, [tip.decode("ascii", "replace").strip()], most=_MOST_COMMITS)


_MOST_LINES = 400
OPEN = (GuardState.UNGUARDED, GuardState.GREEN)


class ChangedLines(NamedTuple):
    """Lines of a file that a fix left, counted from 1."""

    path: str
    first: int
    length: int
    removed: tuple[str, ...]
    added: tuple[str, ...]
    is_test: bool


class ShownFix(NamedTuple):
    listed: ListedFix
    lines: tuple[ChangedLines, ...]
    problem: str = ""  # why there are no lines


def show_fix(place: GitCheckout, listed: ListedFix, redactor: Redactor) -> ShownFix:
    """A fix with the lines that it changed."""
    fix = listed.fix
    if not fix.parent:
        return ShownFix(listed, (), "its parent is not in this clone")
    try:
        diffs = diff_of(place.git_dir, fix.parent, fix.id, fix.changes)
    except SourceError as error:
        return ShownFix(listed, (), clean(redactor.text(str(error))))
    wanted = [diff for diff in diffs if is_code(diff.path) or is_test_code(diff.path)]
    return ShownFix(listed, tuple(line for diff in wanted for line in _changes(diff, redactor))[:_MOST_LINES])


def _changes(diff: FileDiff, redactor: Redactor) -> Iterable[ChangedLines]:
    def shown(lines: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(clean(redactor.text(line)) for line in lines)

    path = clean(redactor.text(diff.path))
    for hunk in diff.hunks:
        yield ChangedLines(
            path, hunk.after_first, len(hunk.after), shown(hunk.before), shown(hunk.after), is_test_code(diff.path)
        )
