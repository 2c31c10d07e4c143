"""What is sent to a model: a session in parts of bounded size, with its task, what is known already, and the prompt.

A long session is several requests, because its lessons come late; it is parted where a prompt begins, or else anywhere.
Each part repeats the task. Line numbers run through the whole session, so that an answer to any part can be checked
against it. The same lines, prompt and model give the same request, and so the same id, whatever notes there are by
then: what was answered is not asked again. Everything is redacted here once more: transcripts by `sessions.show`, the
repositories' own instruction files by the same rules, because they lie on the disk as they are.
"""

import datetime as dt
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import resources
from typing import NamedTuple

import apsw

from afterwit.capture.checkouts import checkouts
from afterwit.config.world import World
from afterwit.knowledge.brief import is_in_progress
from afterwit.knowledge.door.host_files import instructions
from afterwit.knowledge.door.list import item_in
from afterwit.knowledge.door.repeated import told_texts
from afterwit.knowledge.host_text import HostText
from afterwit.model.brief import ToldText
from afterwit.model.errors import ConfigError
from afterwit.model.knowledge import EVERYWHERE, Item, ItemKind, ItemStatus, Scope, ScopeKind
from afterwit.model.text import regex, words_of
from afterwit.reader.lines import ForeignText, SessionLine, Speaker, foreign_texts, render_line, session_lines
from afterwit.redaction.hygiene import clean
from afterwit.sessions.originals import TranscriptSource
from afterwit.sessions.show import SessionMoment, WantedMoments, moments, safe_row
from afterwit.store.rows.items import items_in
from afterwit.store.rows.session_list import SessionRow

CHARS_PER_TOKEN = 4
MOST_TOKENS = 12_000  # of a request, the prompt included
ANSWER_TOKENS = 2_000
MOST_ITEMS = 30  # of one answer, with those that only confirm
_MOST_KNOWN = 8_000  # characters of notes that are there already
_MOST_INSTRUCTIONS = 6_000
_LONGEST_TASK = 600
_MOST_TOLD = 4_000  # characters, of those of the instructions
_MOST_BEFORE = _MOST_KNOWN + _MOST_INSTRUCTIONS + _LONGEST_TASK + 1_000  # kept free, so that parts stay as they are
LEAST_ROOM = 8_000  # characters for lines, however long the prompt is
_MOST_THREADS = 12  # notes of threads that stand before the others
_OVERLAP = 3  # lines that a part repeats of the one before
_VERSION = regex(r"^<!-- version (\d+) -->\n")
_AGAIN = """## What this session was told by us
Where the agent did not keep to one of these lines, so that a later `user:` line asks for the same again or complains
of it, name both beside the notes: `"repeats": [{"told": "id", "lines": [12]}]`. Not a question about it, not another
task on the same matter, not what the agent says."""
_PRESENT = (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)


class ReadingPrompt(NamedTuple):
    """What a model is told to do, and which version of it."""

    text: str
    version: str

    @property
    def tokens(self) -> int:
        return tokens(self.text)


class LineSpan(NamedTuple):
    """Lines of a session that are sent together: from the first up to and without the last, counted from 0."""

    first: int
    end: int


class SessionText(NamedTuple):
    """A session as it is read."""

    agent: str
    native_id: str
    repo: str
    day: str
    task: str
    lines: Sequence[SessionLine]
    foreign: Sequence[ForeignText] = ()
    branch: str = ""
    told: Sequence[ToldText] = ()


class KnownBeside(NamedTuple):
    """What a reader has to know besides: notes that are there, and what the repository's own files say."""

    notes: tuple[tuple[str, str], ...] = ()  # id, sentence; the most believed first
    instructions: str = ""
    threads: tuple[tuple[str, str], ...] = ()  # of work in progress, the latest first

    def notes_for(self, text: str) -> tuple[tuple[str, str], ...]:
        """The notes that whoever reads this text is shown, as many as fit: threads, then those it speaks of most. One
        that is not shown can neither be confirmed nor replaced."""
        there = set(words_of(text))
        shares = {name: _share(words_of(sentence), there) for name, sentence in self.notes}
        near = sorted(self.notes, key=lambda note: -shares[note[0]])
        chosen: list[tuple[str, str]] = []
        room = _MOST_KNOWN
        for name, sentence in (*self.threads, *near):
            room -= len(sentence) + len(name) + 4
            if room < 0:
                break
            chosen.append((name, sentence))
        return tuple(chosen)


class ReadingRequest(NamedTuple):
    """One question to a model."""

    id: str
    part: int  # counted from 1
    parts: int
    span: LineSpan
    lines_hash: str
    system: str
    opening: str  # before the notes that are there
    notes: tuple[tuple[str, str], ...]  # id, sentence; asked with those of the moment
    rest: str
    items: tuple[str, ...] = ()  # ids of the notes that it asks about; none: it asks about a session
    answer_tokens: int = ANSWER_TOKENS  # at most

    @property
    def text(self) -> str:
        """All that is asked."""
        if self.items:
            return self.opening
        notes = "\n".join([f"[{name}] {sentence}" for name, sentence in self.notes] or ["none"])
        return f"{self.opening}\n{notes}\n{self.rest}"

    @property
    def tokens(self) -> int:
        """About how much is sent."""
        return tokens(self.system) + tokens(self.text)


def tokens(text: str) -> int:
    return -(-len(text) // CHARS_PER_TOKEN)


def own_prompt(name: str = "prompt.md") -> ReadingPrompt:
    """The prompt that comes with the program."""
    return prompt_of(resources.files("afterwit.reader").joinpath(name).read_text("utf-8"), name)


def prompt_of(text: str, where: str) -> ReadingPrompt:
    """A prompt with its version: the one that it states, or one made of its content."""
    stated = _VERSION.match(text)
    body = text[stated.end() :] if stated else text
    if not body.strip():
        raise ConfigError(f"{where} is empty. `afterwit read --prompt` prints the built-in prompt, to begin from.")
    digest = hashlib.sha256(body.encode()).hexdigest()[:8]
    return ReadingPrompt(body, f"{stated[1]}.{digest}" if stated else digest)


def _share(words: Collection[str], there: Collection[str]) -> float:
    return sum(word in there for word in words) / max(1, len(words))


def instructions_in(texts: Mapping[str, str]) -> str:
    """The beginning of each instruction file, all of them bounded together."""
    share = _MOST_INSTRUCTIONS // max(1, len(texts))
    return "\n".join(f"[{path}]\n{text.strip()[:share]}" for path, text in sorted(texts.items()) if text.strip())


def requests(session: SessionText, around: KnownBeside, prompt: ReadingPrompt, model: str) -> list[ReadingRequest]:
    """All that is to be asked about a session; nothing where nobody said anything."""
    if not any(line.speaker in (Speaker.USER, Speaker.AGENT) for line in session.lines):
        return []
    room = MOST_TOKENS * CHARS_PER_TOKEN - len(prompt.text) - _MOST_BEFORE
    parts = list(_parts(session.lines, max(room, LEAST_ROOM)))
    made = []
    for number, part in enumerate(parts, 1):
        said = f"## The session{_which(number, len(parts))}\n{_number_lines(session.lines, part)}\n"
        told = _told_by_us(session.told)
        rest = f"{_told_already(around, _MOST_INSTRUCTIONS - len(told))}{told}\n{said}"
        lines_hash = hash_of(session.lines, part)
        name = hash_texts(prompt.version, model, session.agent, session.native_id, lines_hash)
        about = (lines_hash, prompt.text, _opening(session), around.notes_for(said), rest)
        made.append(ReadingRequest(name, number, len(parts), part, *about))
    return made


def hash_of(lines: Sequence[SessionLine], part: LineSpan) -> str:
    """Stands for what was sent of a session."""
    return hash_texts(_number_lines(lines, part))


def hash_texts(*texts: str) -> str:
    """Stands for these texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:24]


def _which(number: int, parts: int) -> str:
    return f", part {number} of {parts}" if parts > 1 else ""


def _opening(session: SessionText) -> str:
    """What stands above the notes and the lines of every part."""
    name = session.repo.rpartition("/")[2] or "no repository"
    on = f" Branch: {session.branch}." if session.branch else ""
    rows = [f"Repository: {name}. Agent: {session.agent}. Began on {session.day or 'an unknown day'}.{on}"]
    rows.append(f"The task, as it was put first: {' '.join(session.task.split())[:_LONGEST_TASK]}")
    rows.append("\n## Notes that are there already")
    return "\n".join(rows)


def _told_already(around: KnownBeside, most: int) -> str:
    heading = "\n## What the repository's own instruction files say already"
    return f"{heading}\n{around.instructions[:most] or 'nothing that was seen'}\n"


def _told_by_us(told: Iterable[ToldText]) -> str:
    """What the session was told, and what a model is asked about that; nothing where it was told nothing."""
    rows: list[str] = []
    room = _MOST_TOLD - len(_AGAIN)
    for line in told:
        row = f"[{line.id}] {line.text}"
        room -= len(row) + 1
        rows += [row] if room >= 0 else []
    return "\n".join(("", _AGAIN, *rows, "")) if rows else ""


def _number_lines(lines: Sequence[SessionLine], part: LineSpan) -> str:
    return "\n".join(render_line(at + 1, lines[at]) for at in range(part.first, part.end))


def _parts(lines: Sequence[SessionLine], room: int) -> Iterator[LineSpan]:
    """The lines in parts that fit, cut before a prompt where one stands in the second half."""
    first = 0
    while first < len(lines):
        end, used = first, 0
        while end < len(lines) and (used := used + len(lines[end].text) + 16) <= room:
            end += 1
        end = max(end, first + 1)
        if end < len(lines):
            turns = [at for at in range((first + end) // 2, end + 1) if _begins_turn(lines, at)]
            end = turns[-1] if turns else end
        yield LineSpan(max(0, first - _OVERLAP) if first else 0, end)
        first = end


def _begins_turn(lines: Sequence[SessionLine], at: int) -> bool:
    return at < len(lines) and lines[at].speaker is Speaker.USER and lines[at - 1].speaker is not Speaker.USER


def session_text(source: TranscriptSource, row: SessionRow) -> SessionText:
    """One session without its subagents: what they gave back stands in it."""
    shown = safe_row(source, row)
    happened = moments(source, row, WantedMoments(has_arguments=False))
    events = [event for event in happened if isinstance(event, SessionMoment)]
    day = dt.datetime.fromtimestamp(row.started_ms / 1000, tz=dt.UTC).date().isoformat() if row.started_ms else ""
    lines = session_lines(events, shown.root)
    told = told_texts(source.store.db, row.id)
    about = (row.agent, row.native_id, row.repo, day, shown.task)
    return SessionText(*about, lines, foreign_texts(events), row.branch, told)


class Beside:
    """What is known of repositories already."""

    def __init__(self, source: TranscriptSource, world: World) -> None:
        self._source = source
        self._world = world
        self._around: dict[str, KnownBeside] = {}

    @property
    def db(self) -> apsw.Connection:
        return self._source.store.db

    def around(self, repo: str) -> KnownBeside:
        """What stands beside a session of this repository."""
        if repo not in self._around:
            texts = {path: self._safe(text) for path, text in self._instructions.get(repo, {}).items()}
            self._around[repo] = self._beside(repo, instructions_in(texts))
        return self._around[repo]

    def instructions_of(self, repo: str) -> str:
        """All that the repository's own instruction files say, as far as they are known."""
        return "\n".join(self._instructions.get(repo, {}).values())

    def items(self, repo: str) -> list[Item]:
        """Notes that hold in a repository, the most believed first."""
        scopes = [EVERYWHERE, Scope(ScopeKind.REPO, repo)] if repo else [EVERYWHERE]
        rows = items_in(self._source.store.db, map(str, scopes), map(str, _PRESENT))
        return [item_in(row) for row in rows]

    def _beside(self, repo: str, instructions: str) -> KnownBeside:
        """The same for a reader. Of what goes on the latest, as it is soon overtaken."""
        items = self.items(repo)
        threads = sorted((item for item in items if is_in_progress(item)), key=lambda item: -item.last_ms)
        return KnownBeside(
            tuple((item.id, item.sentence) for item in items if item.kind is not ItemKind.THREAD),
            instructions,
            tuple((item.id, item.sentence) for item in threads[:_MOST_THREADS]),
        )

    def forget(self) -> None:
        """Notes are looked up again."""
        self._around.clear()

    def hosts(self, repo: str) -> Iterable[HostText]:
        """What every session there is told already."""
        return [
            HostText.of(self._instructions[name]) for name in dict.fromkeys(("", repo)) if name in self._instructions
        ]

    @cached_property
    def _instructions(self) -> dict[str, dict[str, str]]:
        return instructions(self._source.store, self._world, checkouts(self._source.store, self._world))

    def _safe(self, text: str) -> str:
        return self._source.redactor.text(clean(text))
