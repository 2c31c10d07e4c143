"""The fixes of a checkout: read from its git history when they are asked for, with the sessions that ended in them and
with what was found out about their guards.

Nothing of it is stored. All texts that leave here are redacted and clean. The checkout is the one that a folder lies
in, or that of a repository that sessions were learned of; this works without any store. What the settings leave out is
not looked at, and neither is any history where they say so.
"""

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import apsw

from afterwit.capture.checkouts import GitCheckout, OpenedRows, git_checkouts
from afterwit.config.run_rules import known_people, redactor_for
from afterwit.config.world import World, exclusion_of, redactor_of
from afterwit.digest.door import load_digest
from afterwit.extras.fixes.fixes import FixCommit, fixes_in, is_code, is_fixing, is_test_code, subject_key
from afterwit.extras.fixes.runners import is_runnable
from afterwit.model.digest import Digest
from afterwit.model.errors import UsageError
from afterwit.model.guards import GuardState, GuardVerdict
from afterwit.model.kinds import NoteKind, Outcome
from afterwit.model.text import regex
from afterwit.redaction.hygiene import clean
from afterwit.redaction.redaction import Redactor
from afterwit.sessions.filters import find_repo
from afterwit.sources.checkout import git_folder_of, head_of, remote_of, root_of_checkout
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import Commit, FileDiff, answer_within, commits, diff_of
from afterwit.store.layout import redaction_key
from afterwit.store.rows import extras
from afterwit.store.rows.session_list import Selection, select_sessions
from afterwit.store.store import readonly_database

_MOST_COMMITS = 20_000
_ID_BYTES = 200
_MOST_SESSIONS = 2_000
_COMMIT = regex(r"[0-9a-fA-F]{4,64}\Z")
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


RepoAt = Callable[[apsw.Connection, World, Path], str]


def place_of(world: World, folder: Path | None, repo: str, repo_at: RepoAt) -> GitCheckout:
    """The checkout of a folder, or of a repository by name. Raises UsageError where there is none."""
    if not world.settings.repositories.read:
        raise UsageError("`repositories.read = false` in config.toml forbids reading histories. Set it to true first.")
    place = _of_repo(world, repo) if repo else _of_folder(world, folder or Path.cwd(), repo_at)
    exclusion = exclusion_of(world)
    if exclusion.has_repo(place.repo) or exclusion.has_folder(str(place.root)):
        raise UsageError(f"{place.root} is left out by your settings. `afterwit config exclude` shows what is.")
    return place


def repos_with_checkout(world: World) -> list[str]:
    """The learned repositories of which a checkout lies on this machine, whose history may be read."""
    if not world.layout.database.exists():
        return []
    with readonly_database(world.layout) as db:
        return sorted({checkout.repo for checkout in _checkouts(world, db)})


@contextmanager
def database_of(world: World) -> Iterator[apsw.Connection | None]:
    """The database, to look; None where nothing was stored yet."""
    if not world.layout.database.exists():
        yield None
        return
    with readonly_database(world.layout) as db:
        yield db


def redactor_here(world: World) -> Redactor:
    """The redaction of this machine; where there is no store, with a key that nobody needs again."""
    if world.layout.key.exists():
        return redactor_of(world)
    people = known_people(world.environ, world.user_home, world.settings.redaction)
    return redactor_for(secrets.token_bytes(32), people, tuple(world.settings.redaction.allow))


def _of_repo(world: World, name: str) -> GitCheckout:
    if not world.layout.exists():
        raise UsageError(f"No session of {name!r} was learned yet. Name a folder: --checkout FOLDER.")
    with readonly_database(world.layout) as db:
        repo = find_repo(db, name, world.settings)
        for checkout in _checkouts(world, db):
            if checkout.repo == repo:
                return checkout
    raise UsageError(
        f"No checkout of {repo} was found on this machine. Name its folder: --checkout FOLDER, or"
        " `[repositories.checkouts]` in config.toml."
    )


def _checkouts(world: World, db: apsw.Connection) -> list[GitCheckout]:
    return git_checkouts(OpenedRows(db, redaction_key(world.layout)), world)


def _of_folder(world: World, folder: Path, repo_at: RepoAt) -> GitCheckout:
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}. Name a checkout: --checkout FOLDER.")
    root, git_dir = root_of_checkout(folder), git_folder_of(folder)
    if root is None or git_dir is None:
        raise UsageError(f"{folder.absolute()} lies in no git checkout. Name one: --checkout FOLDER, or --repo NAME.")
    with database_of(world) as db:
        repo = repo_at(db, world, root) if db is not None else ""
    return GitCheckout(repo or remote_of(root) or root.name, root, git_dir)
