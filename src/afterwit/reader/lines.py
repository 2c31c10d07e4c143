"""A session as numbered lines, each with who speaks: what a model reads, and what its answers are checked against.

What people typed stands whole; what they pasted, or may have pasted below the first line of a prompt, is told apart,
because it is somebody else's word. The agent's words
stand as it said them, without code blocks. An action is one line with its command or path and how it ended; below it
stand the telling lines of its output, where it failed, may have failed, or says something that a success would not.
Looking around is told in one line, however many calls it took. Left out is what nobody said in this session: boot text,
injected notes, thoughts, summaries of a compaction. Everything that comes in is redacted and clean already
(`sessions.show`).
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from afterwit.actions.failures.excerpt import error_excerpt
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight
from afterwit.model.captured import ActionRow
from afterwit.model.kinds import CHANGES, ActionKind, EventKind, Lean, Status
from afterwit.model.knowledge import Channel
from afterwit.model.pasted import own_words
from afterwit.model.text import regex
from afterwit.sessions.show import SessionMoment

LONGEST_LINE = 600
_LONGEST_REPLY = 4_000
_LONGEST_COMMAND = 400
_LONGEST_OUTPUT = 220
_MOST_TELLING = 6
_MOST_SURPRISES = 2
_LOOKING = (ActionKind.READ, ActionKind.SEARCH)
_TIDYING = frozenset(("rm", "mv", "cp", "git add", "kill", "pkill", "killall", "chmod"))  # light, but done
_MOST_LOOKED = 12
_LONGEST_LOOK = 80
_SHORT = 40  # seconds from which it is worth saying how long an action took
_FENCE = regex(r"^\s*(?:```|~~~)")
_SURPRISE = regex(
    r"(?i)"
    r"\b(?:error|fail(?:ed|ure|s)?|warn(?:ing)?|cannot|can't|could not|unable|denied|refused|not found|no such|missing"
    r"|deprecated|skipp(?:ed|ing)|timed? ?out|conflict|invalid|unknown|unexpected|0 tests|no tests|nothing to)\b",
)
_PASTED_LINES = 40  # of one prompt: what is longer was pasted, and its middle is left out
_LOOKED = "looked at"
_EDITED = "edited"
_ENDINGS: Mapping[tuple[Status, Lean | None], str] = {
    (Status.SUCCEEDED, None): "ok",
    (Status.UNKNOWN, Lean.FINE): "probably ok",
    (Status.UNKNOWN, Lean.FAILED): "probably failed",
    (Status.DENIED, None): "refused",
}


class Speaker(StrEnum):
    """Who says a line, which decides what it can prove."""

    USER = "user"
    AGENT = "agent"
    ACTION = "action"
    OUTPUT = "output"  # of a command or a tool
    FILE = "file"
    PASTED = "pasted"  # by the user into a prompt
    WEB = "web"
    MCP = "mcp"
    NOTE = "note"  # ours, about the session: proves nothing

    @property
    def channel(self) -> Channel | None:
        """Where words of this speaker come from."""
        return _CHANNELS.get(self)


_CHANNELS: Mapping[Speaker, Channel] = {
    Speaker.USER: Channel.USER,
    Speaker.AGENT: Channel.ASSISTANT,
    Speaker.ACTION: Channel.OUTCOME,
    Speaker.OUTPUT: Channel.TOOL,
    Speaker.FILE: Channel.FILE,
    Speaker.PASTED: Channel.FILE,
    Speaker.WEB: Channel.WEB,
    Speaker.MCP: Channel.MCP,
}
_OUTPUT_OF: Mapping[ActionKind, Speaker] = {
    ActionKind.READ: Speaker.FILE,
    ActionKind.WEB: Speaker.WEB,
    ActionKind.MCP: Speaker.MCP,
    ActionKind.SKILL: Speaker.FILE,
}


class SessionLine(NamedTuple):
    """One line. Its number is its place in the session, counted from 1."""

    speaker: Speaker
    text: str
    at_ms: int | None = None
    status: Status | None = None  # of an action
    turn: int = 0  # prompts that had been given by then


class ForeignText(NamedTuple):
    """What came into a session from elsewhere, whole: an output, a file, a page, the report of a subagent."""

    text: str
    at_ms: int | None = None


def foreign_texts(moments: Iterable[SessionMoment]) -> list[ForeignText]:
    """All of them, in order; lines hold the telling rows alone, but an agent has read the rest, too."""
    results = (moment for moment in moments if moment.kind is EventKind.RESULT and moment.text)
    return [ForeignText(moment.text or "", moment.at_ms) for moment in results]


def session_lines(moments: Iterable[SessionMoment], root: str = "") -> list[SessionLine]:
    """The lines of a session, from all that happened in it; paths are told from the root of the checkout on."""
    return list(_Lines(root).of(moments))


def render_line(number: int, line: SessionLine) -> str:
    """The line as a model reads it."""
    return f"{number} {_MARKS[line.speaker]}{line.text}"


_MARKS: Mapping[Speaker, str] = {
    Speaker.USER: "user: ",
    Speaker.AGENT: "agent: ",
    Speaker.ACTION: "> ",
    Speaker.OUTPUT: "| ",
    Speaker.FILE: "|file| ",
    Speaker.PASTED: "|pasted| ",
    Speaker.WEB: "|web| ",
    Speaker.MCP: "|mcp| ",
    Speaker.NOTE: "-- ",
}


class _Lines:
    """The lines so far. What repeats (looking around, edits) waits until something else happens."""

    def __init__(self, root: str) -> None:
        self._root = f"{root.rstrip('/')}/" if root else ""
        self._turn = 0
        self._calls: dict[str, tuple[ActionRow, str]] = {}  # with what a person said to them
        self._repeated = ""  # what is being done again and again
        self._objects: list[str] = []

    def of(self, moments: Iterable[SessionMoment]) -> Iterator[SessionLine]:
        for moment in moments:
            for line in self._lines(moment):
                yield from self._sum_up()
                yield line
        yield from self._sum_up()

    def _lines(self, moment: SessionMoment) -> Iterator[SessionLine]:
        match moment.kind:
            case EventKind.PROMPT:
                self._turn += 1
                yield from self._prompt(moment, moment.text or "")
            case EventKind.REPLY:
                yield from self._said(Speaker.AGENT, moment, _prose(moment.text or ""))
            case EventKind.CALL if moment.action is not None:
                yield from self._called(moment, moment.action)
            case EventKind.RESULT:
                yield from self._ended(moment)
            case EventKind.INTERRUPT:
                yield self._line(Speaker.NOTE, "the user interrupted the agent here", moment)

    def _said(self, speaker: Speaker, moment: SessionMoment, rows: Iterable[str]) -> Iterator[SessionLine]:
        for row in rows:
            yield from (self._line(speaker, piece, moment) for piece in _pieces(row))

    def _prompt(self, moment: SessionMoment, text: str) -> Iterator[SessionLine]:
        """What stands below the first line may be pasted prose, which nothing tells from typed prose."""
        typed = frozenset(row.strip() for row in own_words(text).splitlines())
        for at, row in enumerate(_whole(text)):
            yield from self._said(Speaker.PASTED if at or row not in typed else Speaker.USER, moment, (row,))

    def _called(self, moment: SessionMoment, action: ActionRow) -> Iterator[SessionLine]:
        if action.call_id:
            self._calls[action.call_id] = action, moment.said
        if action.kind is ActionKind.PLAN:
            return
        repeated = _repeatable(action)
        if repeated and repeated != self._repeated:
            yield from self._sum_up()
        if repeated:
            self._repeated = repeated
            self._objects.append(self._short(action.target)[:_LONGEST_LOOK])
        else:
            yield self._line(Speaker.ACTION, self._done(action), moment)._replace(status=action.status)

    def _ended(self, moment: SessionMoment) -> Iterator[SessionLine]:
        action, said = self._calls.pop(moment.call_id, (None, ""))
        text = moment.text or ""
        yield from self._prompt(moment, said)
        if action is not None and action.status is not Status.DENIED and text.strip() and not said:
            speaker = _OUTPUT_OF.get(action.kind, Speaker.OUTPUT)
            yield from (self._line(speaker, row, moment) for row in _rows_that_tell(action, text))

    def _sum_up(self) -> list[SessionLine]:
        """What was done again and again, in one line."""
        done, objects = self._repeated, list(dict.fromkeys(self._objects))
        self._repeated, self._objects = "", []
        if not done:
            return []
        shown = ", ".join(objects[:_MOST_LOOKED])
        more = f" and {len(objects) - _MOST_LOOKED} more" if len(objects) > _MOST_LOOKED else ""
        status = Status.SUCCEEDED if done == _EDITED else None
        return [SessionLine(Speaker.ACTION, f"{done} {shown}{more}", None, status, self._turn)]

    def _short(self, target: str) -> str:
        line = _one_line(target)
        return line.replace(self._root, "") if self._root else line

    def _done(self, action: ActionRow) -> str:
        """An action in one line: what was done, and how it ended."""
        what = self._short(action.target)[:_LONGEST_COMMAND]
        is_named = action.kind not in (ActionKind.OTHER, ActionKind.SHELL)
        name = str(action.kind) if is_named else "$" if action.kind is ActionKind.SHELL else action.tool
        ended = [_ENDINGS.get((action.status, action.lean), str(action.status))]
        if action.exit_code:
            ended.append(f"exit {action.exit_code}")
        if action.duration_ms is not None and action.duration_ms >= _SHORT * 1000:
            ended.append(f"{action.duration_ms // 1000} s")
        return f"{name} {what} → {', '.join(ended)}"

    def _line(self, speaker: Speaker, text: str, moment: SessionMoment) -> SessionLine:
        return SessionLine(speaker, text, moment.at_ms, None, self._turn)


def _whole(text: str) -> list[str]:
    """What a person typed, line by line; of what was pasted, the beginning and the end."""
    rows = [row for raw in text.splitlines() if (row := raw.strip())]
    if len(rows) <= _PASTED_LINES:
        return rows
    half = _PASTED_LINES // 2
    return [*rows[:half], f"[… {len(rows) - 2 * half} pasted lines left out …]", *rows[-half:]]


def _prose(text: str) -> Iterator[str]:
    """What an agent said, without its code blocks."""
    is_code, said = False, 0
    for row in text.splitlines():
        if _FENCE.match(row):
            is_code = not is_code
        elif not is_code and (plain := row.strip()):
            said += len(plain)
            if said > _LONGEST_REPLY:
                return
            yield plain


def _pieces(row: str) -> Iterator[str]:
    """A long row in pieces that end with a sentence, where there is one."""
    while len(row) > LONGEST_LINE:
        end = max(row.rfind(mark, LONGEST_LINE // 2, LONGEST_LINE) for mark in (". ", "; ", ", ", " "))
        end = end + 1 if end > 0 else LONGEST_LINE
        yield row[:end].strip()
        row = row[end:].strip()
    if row:
        yield row


def _repeatable(action: ActionRow) -> str:
    """What kind of work an action is that says nothing alone; "" where it does."""
    if action.status is Status.FAILED or action.lean is Lean.FAILED or action.status is Status.DENIED:
        return ""
    if action.kind in CHANGES:
        return _EDITED
    if action.kind in _LOOKING or (action.kind is ActionKind.SHELL and _only_looks(action.target)):
        return _LOOKED
    return ""


def _only_looks(line: str) -> bool:
    commands = parsed(line).commands
    return bool(commands) and all(
        command.weight is not Weight.WORKS
        and command.program not in _TIDYING
        and not (command.program == "sed" and "-i" in command.flags)
        and f"{command.program} {command.subcommand}" not in _TIDYING
        for command in commands
    )


def _rows_that_tell(action: ActionRow, output: str) -> list[str]:
    """The lines of an output that say what went wrong, or what a success would not say."""
    rows = [_one_line(row)[:_LONGEST_OUTPUT] for row in output.splitlines() if row.strip()]
    if action.kind is ActionKind.DELEGATE:
        return rows[:_MOST_TELLING]
    is_bad = action.status is Status.FAILED or action.lean is Lean.FAILED
    if is_bad:
        chosen = [row for row in rows if _SURPRISE.search(row)][:_MOST_TELLING] or rows[-3:]
        error = [_one_line(row)[:_LONGEST_OUTPUT] for row in error_excerpt(output).splitlines()][:_MOST_TELLING]
        return list(dict.fromkeys((*error, *chosen)))[:_MOST_TELLING]
    if action.kind is not ActionKind.SHELL or _repeatable(action):
        return []
    return [row for row in rows if _SURPRISE.search(row)][:_MOST_SURPRISES]


def _one_line(text: str) -> str:
    return " ".join(text.split())
