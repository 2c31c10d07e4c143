"""What is sent to a model: a session in parts of bounded size, with its task, what is known already, and the prompt.

A long session is several requests, because its lessons come late; it is parted where a prompt begins, or else anywhere.
Each part repeats the task. Line numbers run through the whole session, so that an answer to any part can be checked
against it. The same lines, prompt and model give the same request, and so the same id, whatever notes there are by
then: what was answered is not asked again.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import resources
from typing import NamedTuple

from afterwit.model.errors import ConfigError
from afterwit.model.knowledge import Item
from afterwit.reader.lines import ForeignText, SessionLine, Speaker, rendered

CHARS_PER_TOKEN = 4
MOST_TOKENS = 12_000  # of a request, the prompt included
ANSWER_TOKENS = 2_000
MOST_ITEMS = 8  # of one answer
_MOST_KNOWN = 4_000  # characters of notes that are there already
_MOST_INSTRUCTIONS = 6_000
_LONGEST_TASK = 600
_MOST_BEFORE = _MOST_KNOWN + _MOST_INSTRUCTIONS + _LONGEST_TASK + 1_000  # kept free, so that parts stay as they are
LEAST_ROOM = 8_000  # characters for lines, however long the prompt is
_OVERLAP = 3  # lines that a part repeats of the one before
_VERSION = re.compile(r"^<!-- version (\d+) -->\n")


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


class KnownBeside(NamedTuple):
    """What a reader has to know besides: notes that are there, and what the repository's own files say."""

    notes: tuple[tuple[str, str], ...] = ()  # id, sentence; the most believed first
    instructions: str = ""


class ReadingRequest(NamedTuple):
    """One question to a model."""

    id: str
    part: int  # counted from 1
    parts: int
    span: LineSpan
    lines_hash: str
    system: str
    text: str
    items: tuple[str, ...] = ()  # ids of the notes that it asks about; none: it asks about a session

    @property
    def tokens(self) -> int:
        """About how much is sent."""
        return tokens(self.system) + tokens(self.text)


def tokens(text: str) -> int:
    return -(-len(text) // CHARS_PER_TOKEN)


def built_in(name: str = "prompt.md") -> ReadingPrompt:
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


def known_notes(items: Iterable[Item]) -> tuple[tuple[str, str], ...]:
    """The notes that a reader is shown, as many as fit."""
    chosen: list[tuple[str, str]] = []
    room = _MOST_KNOWN
    for item in items:
        room -= len(item.sentence) + len(item.id) + 4
        if room < 0:
            break
        chosen.append((item.id, item.sentence))
    return tuple(chosen)


def instructions_in(texts: Mapping[str, str]) -> str:
    """The beginning of each instruction file, all of them bounded together."""
    share = _MOST_INSTRUCTIONS // max(1, len(texts))
    return "\n".join(f"[{path}]\n{text.strip()[:share]}" for path, text in sorted(texts.items()) if text.strip())


def requests(session: SessionText, around: KnownBeside, prompt: ReadingPrompt, model: str) -> list[ReadingRequest]:
    """All that is to be asked about a session; nothing where nobody said anything."""
    if not any(line.speaker in (Speaker.USER, Speaker.AGENT) for line in session.lines):
        return []
    before = _before(session, around)
    room = MOST_TOKENS * CHARS_PER_TOKEN - len(prompt.text) - _MOST_BEFORE
    parts = list(_parts(session.lines, max(room, LEAST_ROOM)))
    made = []
    for number, part in enumerate(parts, 1):
        text = f"{before}\n## The session{_which(number, len(parts))}\n{_numbered(session.lines, part)}\n"
        lines_hash = hash_of(session.lines, part)
        name = hashed(prompt.version, model, session.agent, session.native_id, lines_hash)
        made.append(ReadingRequest(name, number, len(parts), part, lines_hash, prompt.text, text))
    return made


def hash_of(lines: Sequence[SessionLine], part: LineSpan) -> str:
    """Stands for what was sent of a session."""
    return hashed(_numbered(lines, part))


def hashed(*texts: str) -> str:
    """Stands for these texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:24]


def _which(number: int, parts: int) -> str:
    return f", part {number} of {parts}" if parts > 1 else ""


def _before(session: SessionText, around: KnownBeside) -> str:
    """What stands above the lines of every part."""
    name = session.repo.rpartition("/")[2] or "no repository"
    rows = [f"Repository: {name}. Agent: {session.agent}. Began on {session.day or 'an unknown day'}."]
    rows.append(f"The task, as it was put first: {' '.join(session.task.split())[:_LONGEST_TASK]}")
    rows.append("\n## Notes that are there already")
    rows += [f"[{name}] {sentence}" for name, sentence in around.notes] or ["none"]
    rows.append("\n## What the repository's own instruction files say already")
    rows.append(around.instructions or "nothing that was seen")
    return "\n".join(rows)


def _numbered(lines: Sequence[SessionLine], part: LineSpan) -> str:
    return "\n".join(rendered(at + 1, lines[at]) for at in range(part.first, part.end))


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
