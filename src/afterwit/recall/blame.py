"""`afterwit blame`: which session wrote a line, for what words of the user, and which commit brought it.

What sessions wrote (`sessions.edits`) is matched with the lines of a file (`sessions.attribution`), under what git's
own blame says of when each came into the history and what the file was called then. Nothing is kept for it: paths are
found in the rows of calls, and originals are read only of those that changed the file. A line that no known call wrote
is said to be such, with a command that may have done it. Foreign texts are redacted here; who shows them to an agent
has the gate before it.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from afterwit.capture.checkouts import GitCheckout
from afterwit.config.world import World
from afterwit.digest.door import load_digest
from afterwit.knowledge.door.list import item_in
from afterwit.model.digest import Said
from afterwit.model.errors import UsageError
from afterwit.model.figures import human_count
from afterwit.model.kinds import EventKind, Relation
from afterwit.recall.recall import is_left_out, repo_at
from afterwit.recall.repository import checkout_of
from afterwit.repos.folders import below
from afterwit.sessions.attribution import LineOrigin, Match, attribute, count_added, key_of
from afterwit.sessions.edits import FileEdit, FileNames, edits_in, edits_of
from afterwit.sessions.filters import find_repo
from afterwit.sessions.originals import TranscriptSource
from afterwit.sessions.show import descendants, moment_number
from afterwit.sessions.windows import outline, window
from afterwit.sources.blame import BlameCommit, BlamedLine
from afterwit.sources.blame import blame as git_blame
from afterwit.sources.checkout import head_commit, own_git_folder_of, root_of_checkout, text_in
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import Commit, answer_of, commits
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.items import items_in
from afterwit.store.rows.parts import parts_of_session
from afterwit.store.rows.session_list import SessionRow, session_of

_LINES = re.compile(r"(?P<name>.+?):(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9}))?")
_MOST_BYTES = 16 << 20
_BINARY_BYTES = 8_000  # of the beginning, as git looks for a zero byte
_DEEPEST_SUBAGENT = 12
_SAYS_SOMETHING = 25  # characters of a prompt that stands for itself
_MOST_ANSWERS = 6  # short prompts in a row that are told together
_STATUSES = ("active", "candidate")
_MOST_CHARS = 4_000
_MOST_FILES = 200  # of a commit, or of a session

_NEVER = "no session that is known changed this file"
_BEFORE = "committed before any known session changed the file"
_NOBODY = "no known session wrote this"
_LEFT_OUT = "Nothing is shown here: your settings leave it out. `afterwit config show` shows `learn.exclude`."


class BlameRun(NamedTuple):
    """Lines in a row that come from the same place."""

    first: int
    last: int
    commit: BlameCommit | None  # None: not committed, or without a history
    edit: FileEdit | None  # None: `why` says why
    asked: str = ""  # the user's words that led there
    why: str = ""
    is_laid_out: bool = False  # the edit wrote the same with other line breaks

    @property
    def lines(self) -> int:
        return self.last - self.first + 1

    @property
    def origin(self) -> tuple[object, ...]:
        """Equal for lines that are told together."""
        return self.commit, self.edit and self.edit.session.id, self.asked, self.why, self.is_laid_out


class BlamedFile(NamedTuple):
    repo: str
    path: str  # below the repository, or a whole one
    runs: list[BlameRun]

    @property
    def attributed(self) -> int:
        """Lines of which the session is known."""
        return sum(run.lines for run in self.runs if run.edit is not None)


class _File(NamedTuple):
    """A file with its history, as far as there is one."""

    repo: str
    path: str
    names: frozenset[str]  # that it had
    lines: list[str]
    commits: list[BlameCommit | None]  # of each line


def blame_lines(
    source: TranscriptSource, world: World, folder: Path | None, name: str, repo: str = ""
) -> list[BlamedFile]:
    """What is meant by FILE, FILE:LINE, FILE:LINE-LINE or COMMIT. `folder` is where one stands; without one the
    repository is named, and nothing outside its checkout is looked at."""
    db = source.store.db
    repo = find_repo(db, repo, world.settings) if repo else ""
    checkout = checkout_of(db, world, repo) if repo else None
    start = checkout.root if checkout else folder
    if start is None:
        raise UsageError(f"No git checkout of {repo or 'this'} can be read here.")
    lines = None if (start / name).is_file() else _LINES.fullmatch(name)
    file = Path(os.path.normpath(start.absolute() / (lines["name"] if lines else name)))
    place = file.parent if file.is_file() else start
    if is_left_out(world, place, "", repo):
        raise UsageError(_LEFT_OUT)
    root, repo = root_of_checkout(place), repo or repo_at(db, world, place)
    git_dir = own_git_folder_of(root) if root and world.settings.repositories.read else None
    if file.is_file() and (folder or file.resolve().is_relative_to(start.resolve())):
        path = file.relative_to(root).as_posix() if root else source.redactor.path(str(file))
        read = _read_file(file, repo, path, git_dir)
        count = len(read.lines)
        first, last = (int(lines["first"]), int(lines["last"] or lines["first"])) if lines else (1, count)
        if lines and not 1 <= first <= min(last, count):
            raise UsageError(f"{path} has {human_count(count, 'line')}: there is none at {name.rpartition(':')[2]}.")
        return [_answer(source, read, range(first - 1, min(count, last)))]
    commit = _commit_named(git_dir, name) if git_dir else None
    if git_dir is None or commit is None:
        raise UsageError(f"There is no file {name!r} here, and no commit with changes of its own is called so.")
    return list(_commit_files(source, repo, git_dir, commit))


def _read_file(file: Path, repo: str, path: str, git_dir: Path | None) -> _File:
    try:
        content = read_regular(file, _MOST_BYTES)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from error
    if b"\0" in content[:_BINARY_BYTES]:
        raise UsageError(f"{path} is binary: it has no lines.")
    lines = content.decode("utf-8", "replace").split("\n")
    head = head_commit(git_dir) if git_dir else ""
    blamed = _blamed(git_dir, head, path) if git_dir and head else []
    return _with_history(repo, path, lines if lines[-1] else lines[:-1], blamed)


def _blamed(git_dir: Path, commit: str, path: str) -> list[BlamedLine]:
    try:
        return git_blame(git_dir, commit, path)
    except SourceError:  # it is not in this commit
        return []


def _with_history(repo: str, path: str, lines: list[str], blamed: Sequence[BlamedLine]) -> _File:
    """The commits of a file's lines, where its text may not be quite that of the commit."""
    commits: list[BlameCommit | None] = [None] * len(lines)
    here, there = [key_of(line) for line in lines], [key_of(line.text) for line in blamed]
    blocks = [(0, 0, len(here))] if here == there else SequenceMatcher(None, here, there).get_matching_blocks()
    for at, start, length in blocks:
        commits[at : at + length] = [line.commit for line in blamed[start : start + length]]
    return _File(repo, path, frozenset((path, *(line.path for line in blamed if line.path))), lines, commits)


def _answer(source: TranscriptSource, file: _File, wanted: Iterable[int]) -> BlamedFile:
    """The lines that are wanted, in runs. All are looked at: a line is told by those around it."""
    edits = edits_of(source, FileNames(file.repo, file.names))
    origins = [LineOrigin(commit.id, commit.at_ms) if commit else LineOrigin("") for commit in file.commits]
    matches = attribute(file.lines, origins, [edit.writing for edit in edits])
    told = _Told(source, edits, file.commits)
    runs: list[BlameRun] = []
    for at in wanted:
        run = told.run(at, matches[at])
        if runs and runs[-1].last == at and runs[-1].origin == run.origin:
            run = run._replace(first=runs.pop().first)
        runs.append(run)
    return BlamedFile(file.repo, file.path, runs)


class _Told:
    """What is told of the lines of one file."""

    def __init__(
        self, source: TranscriptSource, edits: Sequence[FileEdit], commits: Sequence[BlameCommit | None]
    ) -> None:
        self._db = source.store.db
        self._redact = source.redactor.text
        self._edits = edits
        self._commits = commits
        self._times = sorted({commit.at_ms for commit in commits if commit})
        self._digest = cache(partial(load_digest, self._db))
        self._asked = cache(self._words_before)
        self._why = cache(self._reason)

    def run(self, at: int, match: Match | None) -> BlameRun:
        commit = self._commits[at]
        if match is None:
            return BlameRun(at + 1, at + 1, commit, None, why=self._why(commit))
        edit, asked = self._edits[match.writing], self._asked(match.writing)
        return BlameRun(at + 1, at + 1, commit, edit, asked, is_laid_out=match.is_laid_out)

    def _words_before(self, number: int) -> str:
        """What the user had asked last; where that says little (“yes”), with what led to it."""
        asked: list[str] = []
        for prompt in reversed(self._prompts_before(self._edits[number])[-_MOST_ANSWERS:]):
            asked.insert(0, prompt.text)
            if len(prompt.text) >= _SAYS_SOMETHING:
                break
        return self._redact(" … ".join(asked))

    def _prompts_before(self, edit: FileEdit) -> Sequence[Said]:
        """The prompts before an edit; for a subagent those of its parent."""
        session, at_ms = edit.session, edit.at_ms
        for _ in range(_DEEPEST_SUBAGENT):
            if session.relation != Relation.SUBAGENT:
                break
            parent = session_of(self._db, session.agent, session.parent)
            session, at_ms = parent or session, session.started_ms or at_ms
        digest = self._digest(session)
        return [said for said in digest.prompts if (said.at_ms or 0) <= at_ms] if digest else ()

    def _reason(self, commit: BlameCommit | None) -> str:
        """Why no session is named, with a command that may have done it."""
        if not self._edits:
            return _NEVER
        if commit and commit.at_ms < self._edits[0].at_ms:
            return _BEFORE
        since = max((time for time in self._times if commit and time < commit.at_ms), default=0)
        until = commit.at_ms if commit else self._edits[-1].at_ms
        unclear = [edit for edit in self._edits if since < edit.at_ms <= until and (edit.command or edit.is_gone)]
        if not unclear:
            return _NOBODY
        edit = unclear[-1]
        what = "changed the file then, and its original is gone" if edit.is_gone else "ran a command on the file then"
        return f"{_NOBODY}; {edit.session.agent} {edit.session.native_id} {what}"


def _commit_named(git_dir: Path, name: str) -> Commit | None:
    try:
        words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
        answer = answer_of(git_dir, words).decode().strip()
        commit = next(commits(git_dir, [answer], most=1), None)
    except (SourceError, ValueError):
        return None
    return commit if commit and commit.id == answer else None


def _commit_files(source: TranscriptSource, repo: str, git_dir: Path, commit: Commit) -> Iterator[BlamedFile]:
    """What a commit brought, file by file."""
    for change in commit.changes[:_MOST_FILES]:
        blamed = _blamed(git_dir, commit.id, change.path)
        brought = [at for at, line in enumerate(blamed) if line.commit.id == commit.id]
        if brought:
            file = _with_history(repo, change.path, [line.text for line in blamed], blamed)
            yield _answer(source, file, brought)


class SessionStory(NamedTuple):
    """What a session settled."""

    decided: tuple[str, ...]  # sentences of the person or the agent that state a rule or a decision
    rejected: tuple[str, ...]  # what the person put right, or did not allow
    notes: tuple[str, ...]  # that rest on it


def moment_of(source: TranscriptSource, edit: FileEdit) -> str:
    """The number of an edit's call in its session, by which it is found again."""
    parts = [part.id for part in parts_of_session(source.store.db, edit.session.id)]
    return moment_number(parts.index(edit.part_id), edit.ordinal)


def last_words(source: TranscriptSource, edit: FileEdit) -> str:
    """What the agent said last before an edit; "" where that is not known."""
    plan = outline(source, edit.session)
    place = plan.place_of(moment_of(source, edit)) or 0
    before = next((at for at in range(place, -1, -1) if plan.moments[at].kind is EventKind.REPLY), None)
    return "" if before is None else window(source, edit.session, plan, [before], _MOST_CHARS)[0].said.text or ""


def story_of(source: TranscriptSource, session: SessionRow) -> SessionStory:
    digest = load_digest(source.store.db, session)
    decided = [said.text for said in digest.stated] if digest else []
    rejected = [digest.prompts[at].text for at in digest.corrections] if digest else []
    rejected += [f"{digest.steps[at].tool} {digest.steps[at].target}" for at in digest.denials] if digest else []
    items = map(item_in, items_in(source.store.db, (f"repo:{session.repo}", "global"), _STATUSES))
    notes = [item.sentence for item in items if session.native_id in {seen.session.native_id for seen in item.evidence}]
    safe = source.redactor.text
    return SessionStory(*(tuple(dict.fromkeys(map(safe, texts))) for texts in (decided, rejected, notes)))


class StandingFile(NamedTuple):
    """What is left of what a session wrote into a file."""

    path: str
    written: int  # lines, as far as its calls say: a file that is written whole counts whole
    standing: int
    is_there: bool


def standing(source: TranscriptSource, world: World, session: SessionRow) -> list[StandingFile] | None:
    """What of the lines of a session and its subagents still stands; None where no checkout can be asked."""
    checkout = checkout_of(source.store.db, world, session.repo)
    if checkout is None:
        return None
    family = [session, *descendants(source, session)]
    written: Counter[str] = Counter()
    for edit in (edit for member in family for edit in edits_in(source, member)):
        for span in edit.spans:
            written[below(span.path, edit.session.cwd, edit.session.root)] += count_added(span)
    ids = {member.id for member in family}
    return [_standing_of(source, checkout, path, lines, ids) for path, lines in list(written.items())[:_MOST_FILES]]


def _standing_of(
    source: TranscriptSource, checkout: GitCheckout, path: str, written: int, sessions: set[int]
) -> StandingFile:
    text = text_in(checkout.root, path, _MOST_BYTES)  # None of what lies outside the checkout
    runs: list[BlameRun] = []
    if text and "\0" not in text:
        file = _read_file(checkout.root / path, checkout.repo, path, checkout.git_dir)
        runs = _answer(source, file, range(len(file.lines))).runs
    own = sum(run.lines for run in runs if run.edit and run.edit.session.id in sessions)
    return StandingFile(path, max(written, own), own, text is not None)  # one text may stand in several places
