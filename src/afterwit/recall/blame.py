"""`afterwit blame`: which session wrote a line, for what words of the user, and which commit brought it.

What sessions wrote (`sessions.edits`) is matched with the lines of a file (`sessions.attribution`), under what git's
own blame says of when each came into the history and what the file was called then. Nothing is kept for it: paths are
found in the rows of calls, and originals are read only of those that changed the file. A line that no known call wrote
is said to be such, with what speaks for it, if anything.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from afterwit.capture.checkouts import GitCheckout
from afterwit.config.world import World
from afterwit.model.errors import UsageError
from afterwit.model.kinds import Relation
from afterwit.recall.recall import is_left_out, repo_at
from afterwit.recall.repository import checkout_of
from afterwit.repos.folders import below
from afterwit.sessions.attribution import How, LineOrigin, Match, attribute, count_added, key_of
from afterwit.sessions.edits import FileEdit, edits_in, edits_of
from afterwit.sessions.filters import find_repo
from afterwit.sessions.originals import TranscriptSource
from afterwit.sessions.show import descendants
from afterwit.sources.blame import BlameCommit, BlamedLine
from afterwit.sources.blame import blame as git_blame
from afterwit.sources.checkout import head_commit, own_git_folder_of, root_of_checkout
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import answer_of, commits
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.changes import PromptNote, prompts_of
from afterwit.store.rows.session_list import SessionRow, session_of

_MOST_BYTES = 16 << 20
_BINARY_BYTES = 8_000  # of the beginning, as git looks for a zero byte
_DEEPEST_SUBAGENT = 12
_SAYS_SOMETHING = 25  # characters of a prompt that stands for itself
_MOST_ANSWERS = 6  # short prompts in a row that are told together
_MOST_FILES = 200  # of a commit, or of a session
_COMMIT = re.compile(r"[0-9a-f]{7,64}|(?:HEAD|[\w./-]*@)[~^0-9]*")

_NEVER = "no session that is known changed this file"
_BEFORE = "committed before any known session changed the file"
_NOBODY = "no known session wrote this"
_LEFT_OUT = "Nothing is shown here: your settings leave it out. `afterwit config show` shows `learn.exclude`."


class BlameQuestion(NamedTuple):
    """A file or a commit, as somebody names it."""

    name: str
    repo: str = ""  # instead of that of the folder
    first: int = 1
    last: int = 0  # 0: the last line


class BlameRun(NamedTuple):
    """Lines in a row that come from the same place."""

    first: int
    last: int
    commit: BlameCommit | None  # None: not committed, or without a history
    edit: FileEdit | None  # None: `why` says why
    how: How | None
    asked: str  # the user's words that led there
    why: str = ""

    @property
    def lines(self) -> int:
        return self.last - self.first + 1


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


class _Place(NamedTuple):
    repo: str
    file: Path
    git_dir: Path | None
    path: str  # below the checkout; else the whole one, as logs have it


def blame_lines(source: TranscriptSource, world: World, folder: Path | None, asked: BlameQuestion) -> list[BlamedFile]:
    """The files that are meant, each with its lines. `folder` is where one stands; without, the repository is named."""
    place = _find(source, world, folder, asked)
    if place is not None:
        file = _read_file(place)
        return [_answer(source, file, range(asked.first - 1, min(len(file.lines), asked.last or len(file.lines))))]
    checkout = _checkout(source, world, folder, asked.repo)
    if checkout is None or not _COMMIT.fullmatch(asked.name):
        raise UsageError(f"There is no file {asked.name!r} here, and no commit is called so.")
    return list(_commit_files(source, checkout, asked.name))


def _find(source: TranscriptSource, world: World, folder: Path | None, asked: BlameQuestion) -> _Place | None:
    """The file that is meant; None where there is none."""
    db = source.store.db
    named = find_repo(db, asked.repo, world.settings) if asked.repo else ""
    checkout = checkout_of(db, world, named) if named else None
    for start in filter(None, (folder, checkout.root if checkout else None)):
        file = (start / asked.name).absolute()
        if not file.is_file():
            continue
        root = root_of_checkout(file.parent)
        if is_left_out(world, file.parent, "", named):
            raise UsageError(_LEFT_OUT)
        repo = named or repo_at(db, world, file.parent)
        git_dir = own_git_folder_of(root) if root and world.settings.repositories.read else None
        path = file.relative_to(root).as_posix() if root else source.redactor.path(str(file))
        return _Place(repo, file, git_dir, path)
    return None


def _checkout(source: TranscriptSource, world: World, folder: Path | None, repo: str) -> GitCheckout | None:
    db = source.store.db
    if repo and (checkout := checkout_of(db, world, find_repo(db, repo, world.settings))):
        return checkout
    root = root_of_checkout(folder) if folder and world.settings.repositories.read else None
    git_dir = own_git_folder_of(root) if root else None
    if root is None or git_dir is None:
        return None
    if is_left_out(world, root, "", repo):
        raise UsageError(_LEFT_OUT)
    return GitCheckout(find_repo(db, repo, world.settings) if repo else repo_at(db, world, root), root, git_dir)


def _read_file(place: _Place) -> _File:
    try:
        content = read_regular(place.file, _MOST_BYTES)
    except OSError as error:
        raise UsageError(f"{place.path} cannot be read: {error.strerror or error}.") from error
    if b"\0" in content[:_BINARY_BYTES]:
        raise UsageError(f"{place.path} is binary: it has no lines.")
    lines = _split(content.decode("utf-8", "replace"))
    blamed = _blamed(place.git_dir, place.path) if place.git_dir else []
    return _with_history(place.repo, place.path, lines, blamed)


def _blamed(git_dir: Path, path: str) -> list[BlamedLine]:
    try:
        head = head_commit(git_dir)
        return git_blame(git_dir, head, path) if head else []
    except SourceError:  # not committed
        return []


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _with_history(repo: str, path: str, lines: list[str], blamed: Sequence[BlamedLine]) -> _File:
    """The commits of a file's lines, where its text is not quite that of the last commit."""
    commits: list[BlameCommit | None] = [None] * len(lines)
    for at, there, length in _equal_spans([key_of(line) for line in lines], [key_of(line.text) for line in blamed]):
        commits[at : at + length] = [line.commit for line in blamed[there : there + length]]
    return _File(repo, path, frozenset((path, *(line.path for line in blamed if line.path))), lines, commits)


def _equal_spans(left: list[str], right: list[str]) -> Iterator[tuple[int, int, int]]:
    """Where two lists are equal. What both begin with, which is mostly all, is not compared line by line."""
    same = next((at for at, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), None)
    same = min(len(left), len(right)) if same is None else same
    yield 0, 0, same
    if same < min(len(left), len(right)):
        for block in SequenceMatcher(None, left[same:], right[same:], autojunk=False).get_matching_blocks():
            yield block.a + same, block.b + same, block.size


def _answer(source: TranscriptSource, file: _File, wanted: Iterable[int]) -> BlamedFile:
    """The lines that are wanted, in runs. All are looked at: a line is told by those around it."""
    edits = edits_of(source, file.repo, file.names)
    origins = [LineOrigin(commit.id, commit.at_ms) if commit else LineOrigin("") for commit in file.commits]
    matches = attribute(file.lines, origins, [edit.writing for edit in edits])
    told = _Told(source, edits, file.commits)
    places = [at for at in wanted if 0 <= at < len(file.lines)]
    runs = [
        told.run(places[group[0]], places[group[-1]], matches[places[group[0]]])
        for _, grouped in groupby(
            range(len(places)), key=lambda at: (places[at] - at, told.key(places[at], matches[places[at]]))
        )
        if (group := list(grouped))
    ]
    return BlamedFile(file.repo, file.path, runs)


class _Told:
    """What is told of the lines of one file."""

    def __init__(
        self, source: TranscriptSource, edits: Sequence[FileEdit], commits: Sequence[BlameCommit | None]
    ) -> None:
        self._source = source
        self._edits = edits
        self._commits = commits
        self._times = sorted({commit.at_ms for commit in commits if commit})
        self._prompts: dict[int, list[PromptNote]] = {}

    def key(self, at: int, match: Match | None) -> tuple[object, ...]:
        """Equal for lines that are told together."""
        commit = self._commits[at]
        if match is None:
            return (commit,)
        edit = self._edits[match.writing]
        how = How.WROTE if match.how is How.RUN else match.how
        return commit, edit.session.id, self._asked(edit), how

    def run(self, first: int, last: int, match: Match | None) -> BlameRun:
        commit = self._commits[first]
        if match is None:
            return BlameRun(first + 1, last + 1, commit, None, None, "", self._why(commit))
        edit = self._edits[match.writing]
        how = How.WROTE if match.how is How.RUN else match.how
        return BlameRun(first + 1, last + 1, commit, edit, how, self._source.redactor.text(self._asked(edit)))

    def _asked(self, edit: FileEdit) -> str:
        """What the user had asked last; where that says little (“yes”), with what led to it."""
        asked: list[str] = []
        for prompt in reversed(self._prompts_before(edit)[-_MOST_ANSWERS:]):
            asked.insert(0, prompt.text)
            if len(prompt.text) >= _SAYS_SOMETHING:
                break
        return " … ".join(asked)

    def _prompts_before(self, edit: FileEdit) -> list[PromptNote]:
        """The prompts before an edit; for a subagent those of its parent."""
        session, at_ms = edit.session, edit.at_ms
        for _ in range(_DEEPEST_SUBAGENT):
            if session.id not in self._prompts:
                self._prompts[session.id] = prompts_of(self._source.store.db, session.id)
            before = [
                note
                for note in self._prompts[session.id]
                if (note.at_ms is not None and note.at_ms <= at_ms)
                or (note.at_ms is None and note.part_id == edit.part_id and note.ordinal < edit.call.ordinal)
            ]
            is_subagent = session.relation == Relation.SUBAGENT and session.parent
            parent = session_of(self._source.store.db, session.agent, session.parent) if is_subagent else None
            if parent is None:
                return before
            session, at_ms = parent, session.started_ms or at_ms
        return []

    def _why(self, commit: BlameCommit | None) -> str:
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


def _commit_files(source: TranscriptSource, checkout: GitCheckout, name: str) -> Iterator[BlamedFile]:
    """What a commit brought, file by file."""
    git_dir = checkout.git_dir
    try:
        answer = answer_of(git_dir, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"])
        commit = next(commits(git_dir, [answer.decode().strip()], most=1), None)
    except SourceError:
        commit = None
    if commit is None or not answer.decode().startswith(commit.id):
        raise UsageError(f"There is no file {name!r} here, and no commit with changes of its own is called so.")
    for change in commit.changes[:_MOST_FILES]:
        if set(change.after) == {"0"}:
            continue
        try:
            blamed = git_blame(git_dir, commit.id, change.path)
        except SourceError:
            continue
        file = _with_history(checkout.repo, change.path, [line.text for line in blamed], blamed)
        brought = [at for at, line in enumerate(blamed) if line.commit.id == commit.id]
        if brought:
            yield _answer(source, file, brought)


class StandingFile(NamedTuple):
    """What is left of what a session wrote into a file."""

    path: str
    written: int  # lines
    standing: int
    commits: tuple[BlameCommit, ...]  # that brought what stands
    is_there: bool


def standing(source: TranscriptSource, world: World, session: SessionRow) -> list[StandingFile] | None:
    """What of the lines of a session and its subagents still stands; None where no checkout can be asked."""
    checkout = checkout_of(source.store.db, world, session.repo)
    if checkout is None:
        return None
    family = [session, *descendants(source, session)]
    written: dict[str, int] = {}
    for member in family:
        for name, edits in edits_in(source, member).items():
            path = below(name, member.cwd, member.root)
            written[path] = written.get(path, 0) + sum(count_added(edit.writing) for edit in edits)
    ids = {member.id for member in family}
    return [_standing_of(source, checkout, path, lines, ids) for path, lines in list(written.items())[:_MOST_FILES]]


def _standing_of(
    source: TranscriptSource, checkout: GitCheckout, path: str, written: int, sessions: set[int]
) -> StandingFile:
    is_there = not path.startswith(("/", "~", "..")) and (checkout.root / path).is_file()
    if not is_there:
        return StandingFile(path, written, 0, (), is_there)
    try:
        file = _read_file(_Place(checkout.repo, checkout.root / path, checkout.git_dir, path))
    except UsageError:
        return StandingFile(path, written, 0, (), is_there)
    runs = [
        run
        for run in _answer(source, file, range(len(file.lines))).runs
        if run.edit and run.edit.session.id in sessions
    ]
    brought = dict.fromkeys(run.commit for run in runs if run.commit)
    return StandingFile(path, written, sum(run.lines for run in runs), tuple(brought), is_there)
