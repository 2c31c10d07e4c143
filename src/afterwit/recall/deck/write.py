"""Writes the deck: read-only SQLite files with all that hooks need, rendered, and nothing else.

One file holds the settings, the briefs, the lines that hold everywhere and the list of the parts. Each
repository has a part of its own, which is written only when something of that repository changed: as a copy of the
one before, beside it, under a name that ends with its fingerprint. The parts come first, then the deck is written
beside and renamed into place: a hook reads the old deck with its parts or the new one with its own, never half of
one. All that can be said goes through redaction here once more, whatever it went through before: items that people
wrote, preferences and what earlier rules left in digests end up here. What is written is filled in by `compile`, and
read by `reader`.
"""

import functools
import hashlib
import shutil
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import apsw
import msgspec

from afterwit.model.knowledge import ScopeKind
from afterwit.recall.deck.deck_checks import DeckedCheck, mark_checks, put_checks
from afterwit.recall.deck.firing_lines import LINE_TABLES, FiringLine, Redact, put_lines, safe
from afterwit.recall.deck.prompt_tables import PromptSource, schema, update_prompt_tables
from afterwit.recall.deck.reader import CHECKS, EXAMPLES, PARTS, REPO, SESSION, VERSION, opened_immutable
from afterwit.recall.prompt_block import BlockLine, BlockSection
from afterwit.redaction.markers import CLOSING, OPENING
from afterwit.redaction.shown import Shown
from afterwit.store.atomic import PRIVATE, rename_into, step, sync
from afterwit.store.database import transaction, translate_error
from afterwit.store.marks import fingerprint


class DealtPart(NamedTuple):
    """A part, as the deck names it."""

    repo: str
    file: str  # ends with its fingerprint
    size_bytes: int = 0
    changed_ns: int = 0
    prompts: str = ""  # the mark of what its sessions and commits were read with

    def found_in(self, folder: Path) -> "DealtPart | None":
        """The part, if it lies there as it was written: a glance at its size and times is enough; where they are
        others, as in a store that was restored from a backup, it is read."""
        try:
            now = self.seen_in(folder)
        except OSError:
            return None
        return now if now == self or self.is_sound_in(folder) else None

    def seen_in(self, folder: Path) -> "DealtPart":
        """With the size and the time that it has now. The time is that of any change: nobody can turn it back."""
        about = (folder / self.file).lstat()
        return self._replace(size_bytes=about.st_size, changed_ns=about.st_ctime_ns)

    def is_sound_in(self, folder: Path) -> bool:
        """Whether it lies there byte for byte."""
        return fingerprint(folder / self.file) == self.file.removesuffix(".db").rpartition("-")[2]


class DealtMarks(NamedTuple):
    """What the lines and blocks of a repository were made from."""

    items: str = ""
    lines: str = ""
    blocks: str = ""
    stories: int = 0


class DealtDeck(NamedTuple):
    """What there is to go on from; nothing by default."""

    marks: Mapping[str, DealtMarks] = MappingProxyType({})
    named: Sequence[DealtPart] = ()
    parts: Mapping[str, DealtPart] = MappingProxyType({})  # those that are sound, by repository
    db: apsw.Connection | None = None

    def blocks(self, repo: str) -> list[tuple[str, str, str, str]]:
        query = "SELECT repo, agent, listener, body FROM blocks WHERE repo = ?"
        rows = self.db.execute(query, (repo,)) if self.db is not None else ()
        return [(str(repo), str(agent), str(listener), str(body)) for repo, agent, listener, body in rows]

    def personal(self, repo: str) -> list[str]:
        rows = self.db.execute("SELECT item FROM personal WHERE repo = ?", (repo,)) if self.db is not None else ()
        return [str(item) for (item,) in rows]

    def rows(self, table: str) -> list[tuple[object, ...]]:
        return self.db.execute(f"SELECT * FROM {table}").fetchall() if self.db is not None else []  # noqa: S608


NOTHING_DEALT = DealtDeck()


def parts_folder(deck: Path) -> Path:
    return deck.with_name(PARTS)


@contextmanager
def dealt_deck(path: Path) -> Iterator[DealtDeck]:
    """The deck at this path; nothing where there is none of this version."""
    db = _open_deck(path)
    if db is None:
        yield NOTHING_DEALT
        return
    with closing(db):
        marks = {repo: DealtMarks(*row) for repo, *row in db.execute("SELECT * FROM dealt")}
        named = [DealtPart(*row) for row in db.execute("SELECT * FROM parts")]
        sound = (part.found_in(parts_folder(path)) for part in named)
        yield DealtDeck(marks, named, {part.repo: part for part in sound if part is not None}, db)


def _open_deck(path: Path) -> apsw.Connection | None:
    if not path.is_file():
        return None
    try:
        db = opened_immutable(str(path))
        if db.pragma("user_version") == VERSION:
            return db
        db.close()
    except apsw.Error:
        return None
    return None


_NEW = "new.db"  # under which a part is written
_PRAGMAS = {"journal_mode": "OFF", "synchronous": "OFF", "secure_delete": "ON"}


class PartContent(NamedTuple):
    """What is to change in a part. None: it stays as it is."""

    repo: str
    lines: Sequence[FiringLine] | None = None
    prompts: PromptSource | None = None


class DeckBlock(NamedTuple):
    """What a session gets at its start. Empty names stand for any repository or agent; the closest fit is taken."""

    sections: tuple[BlockSection, ...]
    repo: str = ""
    agent: str = ""
    listener: str = SESSION


class DeckThread(NamedTuple):
    """What is told of work in progress, to sessions on its branch and to prompts that name it."""

    repo: str
    branch: str
    names: tuple[tuple[str, ...], ...]
    lines: tuple[BlockLine, ...]


class DeckExample(NamedTuple):
    """What sessions in a repository are told of a template, where they are in the arm that is."""

    repo: str
    item: str
    text: Shown


class DeckSettings(NamedTuple):
    """How hooks behave. `key` draws the hold-out: made once per machine, 16 bytes or more."""

    key: bytes
    session_share: float = 0.1  # of sessions that get nothing, to compare with
    item_share: float = 0.1  # of items that a session does not get
    arms: tuple[str, ...] = ()  # of the experiment that is under way, if any
    refuse_confidence: float = 0.8
    rewrite_confidence: float = 0.95
    most_lines: int = 1  # after one failure
    learns_at_end: bool = True  # whether the end of a session starts a `learn`
    learn_command: tuple[str, ...] = ()  # that does it
    listener: tuple[str, ...] = ()  # marks of the names of whoever it is made for: `reader.listener_mark`
    exclude: tuple[str, ...] = ()  # where hooks say and note nothing, as in the settings


class DeckContent(NamedTuple):
    """Everything; without the blocks and lines of repositories whose marks are those of the deck that is there."""

    settings: DeckSettings
    roots: Mapping[str, str] = MappingProxyType({})  # folder to repository; `~` stands for the user's home folder
    remotes: Mapping[str, str] = MappingProxyType({})  # what else a checkout is recognised by: `repos.identity`
    blocks: Iterable[DeckBlock] = ()
    lines: Iterable[FiringLine] = ()
    prompts: Mapping[str, PromptSource] = MappingProxyType({})  # by repository
    trees: Mapping[str, str] = MappingProxyType({})  # names of files with the words of a repository's files
    marks: Mapping[str, DealtMarks] = MappingProxyType({})  # by repository; "": outside of all
    personal: Mapping[str, Collection[str]] = MappingProxyType({})  # notes that are people's words, where they changed
    threads: Iterable[DeckThread] = ()
    examples: Iterable[DeckExample] = ()  # of templates, in an experiment that compares them
    checks: Sequence[DeckedCheck] = ()  # that are on


def write_deck(
    path: Path,
    deck: DeckContent,
    redact: Redact | None = None,
    dealt: DealtDeck = NOTHING_DEALT,
    about_to: Callable[[str], None] = lambda _: None,
) -> None:
    """Puts a deck at this path, in the place of the one that is there, with what of that one was `dealt` and is the
    same now. Without a machine's own redaction the placeholders have a key that everybody knows. `about_to` gets its
    fingerprint before it has its place."""
    try:
        writing = _Writing(deck, redact or _plain_redaction(), dealt)
        parts = writing.put_parts(parts_folder(path))
        step("the parts of the deck are written")
        with rename_into(path) as beside:
            beside.touch(PRIVATE)
            with closing(apsw.Connection(str(beside))) as db:
                writing.fill(db, parts)
            sync(beside)
            about_to(fingerprint(beside))
            if deck.checks:
                mark_checks(path, is_on=True)
        if not deck.checks:
            mark_checks(path, is_on=False)
        step("the deck is written")
        _remove_others(parts_folder(path), {part.file for part in parts})
    except (apsw.Error, OSError) as error:
        raise translate_error(error, path) from error


@functools.cache
def _plain_redaction() -> Redact:
    from afterwit.redaction.redaction import Redactor

    return Redactor(b"deck").text


class _Writing:
    def __init__(self, deck: DeckContent, redact: Redact, dealt: DealtDeck) -> None:
        self._deck = deck
        self._redact = redact
        self._dealt = dealt
        self._lines: defaultdict[str, list[FiringLine]] = defaultdict(list)
        for line in deck.lines:
            self._lines[line.scope.name if line.scope.kind is ScopeKind.REPO else ""].append(line)

    def put_parts(self, folder: Path) -> list[DealtPart]:
        repos = {*self._deck.marks, *self._deck.prompts, *self._lines} - {""}
        contents = {repo: self._content(repo) for repo in repos}
        if contents:
            folder.mkdir(mode=0o700, exist_ok=True)
        parts = [self._part(folder, content) for _, content in sorted(contents.items())]
        if contents:
            sync(folder)
        return parts

    def _part(self, folder: Path, content: PartContent) -> DealtPart:
        earlier = self._dealt.parts.get(content.repo)
        if earlier is not None and content == PartContent(content.repo):
            return earlier
        return write_part(folder, content, self._redact, earlier)

    def _content(self, repo: str) -> PartContent:
        """What of a part has to be written."""
        earlier, prompts = self._dealt.parts.get(repo), self._deck.prompts.get(repo)
        if earlier is None:
            return PartContent(repo, self._lines[repo], prompts)
        lines = None if self._has(repo, "lines") else self._lines[repo]
        is_same = prompts is None or (prompts.mark == earlier.prompts and not prompts.is_stale)
        return PartContent(repo, lines, None if is_same else prompts)

    def _has(self, repo: str, name: str) -> bool:
        """Whether the deck that is there was made from the same."""
        before, now = self._dealt.marks.get(repo), self._deck.marks.get(repo)
        return before is not None and now is not None and getattr(before, name) == getattr(now, name)

    def fill(self, db: apsw.Connection, parts: Iterable[DealtPart]) -> None:
        deck = self._deck
        for name in ("journal_mode", "synchronous"):
            db.pragma(name, "OFF")
        with transaction(db):
            for name in ("deck.sql", "lines.sql"):
                db.execute(schema(name))
            settings = (*_settings(deck.settings), self._examples(), (CHECKS, len(deck.checks)))
            db.executemany("INSERT INTO settings VALUES (?, ?)", settings)
            put_checks(db, deck.checks, self._redact)
            db.executemany("INSERT INTO roots VALUES (?, ?)", sorted(deck.roots.items()))
            db.executemany("INSERT INTO remotes VALUES (?, ?)", sorted(deck.remotes.items()))
            db.executemany("INSERT INTO trees VALUES (?, ?)", sorted(deck.trees.items()))
            db.executemany("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?)", self._blocks())
            db.executemany("INSERT OR REPLACE INTO threads VALUES (?, ?, ?, ?)", self._threads())
            db.executemany("INSERT INTO personal VALUES (?, ?)", self._personal())
            self._put_lines(db)
            db.executemany("INSERT INTO parts VALUES (?, ?, ?, ?, ?)", parts)
            marks = ((repo, *marks) for repo, marks in sorted(deck.marks.items()))
            db.executemany("INSERT INTO dealt VALUES (?, ?, ?, ?, ?)", marks)
            db.pragma("user_version", VERSION)

    def _threads(self) -> Iterator[tuple[str, str, str, str]]:
        said = functools.partial(safe, self._redact)
        for thread in self._deck.threads:
            names, body = msgspec.json.encode(thread.names), msgspec.json.encode(_lines(thread.lines, said))
            yield thread.repo, thread.branch, names.decode(), body.decode()

    def _blocks(self) -> Iterator[tuple[str, str, str, str]]:
        for repo in sorted(self._deck.marks):
            if self._has(repo, "blocks"):
                yield from self._dealt.blocks(repo)
        for block in self._deck.blocks:
            yield block.repo, block.agent, block.listener, _sections(block, functools.partial(safe, self._redact))

    def _personal(self) -> Iterator[tuple[str, str]]:
        new = self._deck.personal
        for repo in sorted({*self._deck.marks, *new}):
            items = new[repo] if repo in new else self._dealt.personal(repo)
            yield from ((repo, item) for item in sorted(items))

    def _examples(self) -> tuple[str, str]:
        rows = [(repo, (item, safe(self._redact, text))) for repo, item, text in self._deck.examples]
        return EXAMPLES, msgspec.json.encode(rows).decode()

    def _put_lines(self, db: apsw.Connection) -> None:
        if not self._has("", "lines"):
            put_lines(db, self._lines[""], self._redact)
            return
        for table in LINE_TABLES:
            rows = self._dealt.rows(table)
            marks = ", ".join("?" for _ in rows[0]) if rows else ""
            db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608


def _settings(settings: DeckSettings) -> Iterator[tuple[str, object]]:
    yield from (("opening", OPENING), ("closing", CLOSING))
    for name, value in settings._asdict().items():
        is_list = isinstance(value, tuple)
        yield name, msgspec.json.encode(value).decode() if is_list else int(value) if isinstance(value, bool) else value


def _sections(block: DeckBlock, said: Redact) -> str:
    sections = [(said(section.heading), _lines(section.lines, said)) for section in block.sections]
    return msgspec.json.encode(sections).decode()


def _lines(lines: Iterable[BlockLine], said: Redact) -> list[tuple[str, str]]:
    return [(line.item, said(line.text)) for line in lines]


def _remove_others(folder: Path, files: set[str]) -> None:
    """Removes all parts but these, and what a run left that was stopped."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name not in files and not path.is_dir():
            path.unlink(missing_ok=True)


def write_part(folder: Path, content: PartContent, redact: Redact, earlier: DealtPart | None) -> DealtPart:
    """Puts a part into this folder, beside the earlier one."""
    beside = folder / _NEW
    beside.unlink(missing_ok=True)
    beside.touch(PRIVATE)
    if earlier is not None:
        shutil.copyfile(folder / earlier.file, beside)
    with closing(apsw.Connection(str(beside))) as db:
        for name, value in _PRAGMAS.items():
            db.pragma(name, value)
        with transaction(db):
            _fill(db, content, redact, is_new=earlier is None)
    sync(beside)
    name = hashlib.blake2b(content.repo.encode(), digest_size=12).hexdigest()
    path = folder / f"{name}-{fingerprint(beside)}.db"
    beside.replace(path)
    step("a part of the deck is written")
    mark = content.prompts.mark if content.prompts is not None else earlier.prompts if earlier is not None else ""
    return DealtPart(content.repo, path.name, prompts=mark).seen_in(folder)


def _fill(db: apsw.Connection, content: PartContent, redact: Redact, *, is_new: bool) -> None:
    if is_new:
        for name in ("lines.sql", "part.sql"):
            db.execute(schema(name))
        db.execute("INSERT INTO main.indexes VALUES (?, ?)", (REPO, content.repo))
        db.pragma("user_version", VERSION)
    if content.lines is not None:
        put_lines(db, content.lines, redact)
    if content.prompts is not None:
        update_prompt_tables(db, content.prompts, redact)
