"""One call of a hook: input in, answer out, records into the spool.

Thinks first, without a lock; then, with the session's file locked, decides what is new, records it, and only then
answers. Without a store there is nothing to do, nor where the user's settings leave the place out; without a deck calls
are still noted. A deck, or a part of it, that cannot be read is a fault, which is noted, and else like none.

What is noted of a call holds nothing that could be a secret. The rules of `guard` take a hook too long to load, so only
words are kept that cannot be one: plain words, names of options and short paths. Of an assignment or an option with a
value the name is kept. Words with digits in them, long ones, and whatever follows a name that smells of a secret become
an ellipsis, and so does a word that could have been drawn. Whoever takes the spool in redacts again.
"""

import os
import time
from collections.abc import Callable

import apsw

from afterwit.agents.hook_payloads import AFTER, BEFORE, COMPACT, END, PROMPT, START, Answer, Moment, described
from afterwit.recall.deck.location import Location, is_left_out, location_of, recognised
from afterwit.recall.deck.reader import (
    ASKS,
    CALL,
    CHECKS,
    FILE,
    RAN,
    TOUCHED,
    Deck,
    DeckCheck,
    DeckLine,
    DeckTrigger,
    words_called,
    words_in,
)
from afterwit.recall.holdout import ENDED, FAULT, History
from afterwit.recall.hook.entry import stop_timer
from afterwit.store.spool_file import TOOL, SpoolFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from afterwit.recall.hook.checks import Breach
    from afterwit.recall.places import LikelyPlace
    from afterwit.redaction.shown import Shown

_COMPOUND = "|;&\n("
_GUIDANCE = "guidance"
_EDIT = "edit"
_REVIEW = "review"
_READERS = ("read", "view", "grep", "glob", "ls")  # how tools are named that change no file
_PATCH = "*** Begin Patch"
_LONGEST = 65_536  # characters of a patch that are looked at
_QUOTING = dict.fromkeys(map(ord, "\"'\\"))
_EDITED = "edited"  # what `checks` notes of an edit
_WRITERS = frozenset(("sed", "perl", "tee", "cp", "mv", "rm", "truncate", "ln", "install", "unlink"))


class Proposal:
    """Lines to tell, what goes with a prompt besides, or one line to refuse or rewrite a call with."""

    __slots__ = ("awaited", "files", "is_refusal", "is_rewrite", "lines", "quirk", "signature", "thread")

    def __init__(
        self,
        lines: list[DeckLine],
        *,
        signature: str = "",
        is_refusal: bool = False,
        is_rewrite: bool = False,
        awaited: "list[DeckLine] | None" = None,
        thread: "list[tuple[str, Shown]] | None" = None,
        files: "list[LikelyPlace] | None" = None,
        quirk: str = "",
    ) -> None:
        self.lines = lines
        self.quirk = quirk  # of the agent, met for the first time
        self.awaited = awaited or []  # lines that waited for what the action does, the best first
        self.thread = thread or []  # of the work that a prompt names
        self.files = files or []  # where the work of a prompt is, the best first
        self.signature = signature
        self.is_refusal = is_refusal
        self.is_rewrite = is_rewrite


def _new() -> History:
    return History([], "")


class Checked:
    """What checks have to do with a moment: those that the call may go against, and what is to be noted of others."""

    __slots__ = ("breaches", "states")

    def __init__(self, breaches: "list[Breach]", states: dict[str, str]) -> None:
        self.breaches = breaches
        self.states = states


def checked(
    deck: Deck,
    agent: str,
    moment: Moment,
    place: Location,
    *,
    is_late: bool = False,
    is_there: "Callable[[str], bool]" = os.path.exists,
    history: "Callable[[], History]" = _new,
) -> Checked | None:
    """What fits of the checks that are on; None where nothing does. `is_late`: what goes against one is told after the
    call, because the agent cannot be stopped before it. `is_there` says whether there is such a file. After an edit
    most often nothing is new: what the session has noted is asked before anything is loaded."""
    if not deck.share(CHECKS) or moment.event not in (PROMPT, BEFORE, AFTER):
        return None
    meant, noted = _checks_meant(deck, moment, place, is_late=is_late)
    if noted and moment.event == AFTER and not moment.command:
        states = history().checks
        noted = [check for check in noted if states.get(check.id) != _EDITED]
    if not meant and not noted:
        return None
    from afterwit.recall.hook.checks import happened, judge

    breaches = judge(meant, agent, moment, place, is_there) if meant else []
    states = happened(noted, agent, moment, place) if noted else {}
    return Checked(breaches, states) if breaches or states else None


def _checks_meant(
    deck: Deck, moment: Moment, place: Location, *, is_late: bool
) -> tuple[list[DeckCheck], list[DeckCheck]]:
    """The checks that a call may go against, and those of which a prompt or a finished call may be noted."""
    if moment.event == PROMPT:
        is_typed = bool(moment.prompt) and not moment.context  # a subagent is asked by an agent
        return [], deck.checks(ASKS, set(), place.repo) if is_typed else []
    patch = _patch_in(moment)
    is_over = moment.event == AFTER
    meant: list[DeckCheck] = []
    noted: list[DeckCheck] = []
    if moment.command and not patch:
        words = words_called(moment.command[:_LONGEST])
        words |= words_called(moment.command[:_LONGEST].translate(_QUOTING))  # `g"it" push`
        meant = deck.checks(CALL, words, place.repo) if not is_over or is_late else []
        if is_over:
            noted = deck.checks(RAN, words, place.repo)
            noted += deck.checks(TOUCHED, words, place.repo) if _may_write(moment.command[:_LONGEST], words) else []
    elif (patch or moment.path) and not moment.tool.lower().startswith(_READERS):
        path = place.below(moment.path, moment.cwd) if moment.path else ""
        words = words_in(patch[:_LONGEST] or path)
        meant = deck.checks(FILE, words, place.repo) if not is_over or is_late else []
        noted = deck.checks(TOUCHED, words, place.repo) if is_over else []
    return meant, list({check.id: check for check in noted}.values())


def _patch_in(moment: Moment) -> str:
    """The text of a patch, in whatever argument it comes."""
    if _PATCH in moment.command:
        return moment.command
    return next((text for text in moment.arguments.values() if isinstance(text, str) and _PATCH in text), "")


def _may_write(command: str, words: set[str]) -> bool:
    """Whether a command line may plainly write a file: by a redirection that is none of the usual, or a tool for it."""
    for usual in ("2>&1", "2>/dev/null", ">/dev/null", "> /dev/null", "=>", "->"):
        command = command.replace(usual, "")
    return ">" in command or not words.isdisjoint(_WRITERS)


class Permissions:
    """What the user allows at this agent, as far as the agent can do it."""

    __slots__ = ("refuse", "rewrite")

    def __init__(self, *, refuse: bool, rewrite: bool) -> None:
        self.refuse = refuse
        self.rewrite = rewrite


def proposed(
    deck: Deck,
    agent: str,
    moment: Moment,
    place: Location,
    may: Permissions,
    history: "Callable[[], History]" = _new,
) -> Proposal | None:
    """What fits the moment; None where nothing does. What the session was told is asked only where it matters."""
    if moment.event == PROMPT:
        return _at_prompt(deck, agent, moment, place, is_later=history().has_prompted)
    if moment.event == BEFORE and moment.command and (may.refuse or may.rewrite):
        return _before(deck, agent, moment, place, may)
    if moment.event == AFTER:
        return _after(deck, agent, moment, place, history)
    return None


def _at_prompt(deck: Deck, agent: str, moment: Moment, place: Location, *, is_later: bool) -> Proposal | None:
    """The lines that its words fire, the thread that it names, and with the first prompt where its work is."""
    from afterwit.recall.deck.first_prompt import files_at_prompt, lines_at_prompt, thread_at_prompt

    lines = lines_at_prompt(deck, agent, moment.prompt, place)
    thread = thread_at_prompt(deck, moment.prompt, place)
    files = [] if is_later else files_at_prompt(deck, agent, moment.prompt, place)
    return Proposal(lines, thread=thread, files=files) if lines or thread or files else None


def _before(deck: Deck, agent: str, moment: Moment, place: Location, may: Permissions) -> Proposal | None:
    """A correction of this very command line, else the command that works instead of one like it."""
    pairs = deck.lines("command", words_called(moment.command), place.repo, agent)
    usable = [(trigger, line) for trigger, line in pairs if line.authority == _GUIDANCE and line.advice]
    if not usable:
        return None
    from afterwit.actions.quick_look import is_any_call
    from afterwit.recall.hook.triggers import meant

    for trigger, general in usable:
        is_any = is_any_call(trigger.program, trigger.words, trigger.signature, general.advice)
        if not _fires_before(trigger, moment, is_any=is_any):
            continue
        line = meant(general, moment)
        if line is None or line.advice.strip() == moment.command.strip():
            continue
        if may.rewrite and not is_any and _is_rewritable(deck, line, moment.command):
            return Proposal([line], is_rewrite=True)
        if may.refuse and line.confidence >= deck.share("refuse_confidence"):
            return Proposal([line], is_refusal=True)
    return None


def _fires_before(trigger: DeckTrigger, moment: Moment, *, is_any: bool) -> bool:
    """Whether the command is meant. Where any call of a program is, it has to stand there plainly: `uv run pytest` and
    `.venv/bin/pytest` do not call the `pytest` that is missing."""
    from afterwit.recall.hook.triggers import begins_with, fires_at_command, is_of_tool

    if is_any and not begins_with(trigger.program, moment.command):
        return False
    return is_of_tool(trigger, moment) and fires_at_command(trigger, moment.command)


def _is_rewritable(deck: Deck, line: DeckLine, command: str) -> bool:
    """Proven, exact, and without anything that a shell takes for more than a word."""
    from afterwit.recall.hook.tell import is_plain_line

    return (
        line.replaces.strip() == command.strip() != ""
        and line.confidence >= deck.share("rewrite_confidence")
        and is_plain_line(line.advice)
    )


def _after(
    deck: Deck, agent: str, moment: Moment, place: Location, history: "Callable[[], History]"
) -> Proposal | None:
    """The known fix, where the call failed; what waited for what it does; a quirk of the agent, met again."""
    signature, fixes = _fixes(deck, agent, moment, place)
    awaited, quirk = _at_activity(deck, agent, moment, place, history), None
    if not fixes and _may_have_failed(moment):
        from afterwit.recall.hook.quirks import quirk_in

        quirk = quirk_in(agent, moment.output)
    if quirk is not None and quirk.item in history().checks:
        fixes, quirk = [quirk], None
    noted = quirk.item if quirk is not None else ""
    return Proposal(fixes, signature=signature, awaited=awaited, quirk=noted) if fixes or awaited or noted else None


def _fixes(deck: Deck, agent: str, moment: Moment, place: Location) -> tuple[str, list[DeckLine]]:
    if not _may_have_failed(moment):
        return "", []
    from afterwit.recall.hook.triggers import known_fixes

    signature, lines = known_fixes(deck, agent, moment, place)
    return signature if lines else "", lines[: int(deck.share("most_lines"))]


def _may_have_failed(moment: Moment) -> bool:
    """A plain success is none; of a line with several commands the last one alone may have succeeded."""
    if moment.is_error or moment.exit_code or not moment.tool:
        return bool(moment.tool)
    return bool(moment.command) and (moment.is_error is None or any(mark in moment.command for mark in _COMPOUND))


def _at_activity(
    deck: Deck, agent: str, moment: Moment, place: Location, history: "Callable[[], History]"
) -> list[DeckLine]:
    """What waits for an action like this, by its words first: of mostly nothing the exact question is asked."""
    path = place.below(moment.path, moment.cwd) if moment.path else ""
    pairs = deck.lines("activity", _activity_words(moment, path), place.repo, agent)
    if moment.command:
        pairs += deck.lines("first", words_called(moment.command[:_LONGEST]), place.repo, agent)
    if path:
        touched = deck.lines("path", words_in(path), place.repo, agent)
        pairs += [(trigger, line) for trigger, line in touched if not line.advice]
    if pairs:
        told = history().told
        pairs = [(trigger, line) for trigger, line in pairs if line.item not in told]
    if not pairs:
        return []
    from afterwit.recall.hook.triggers import awaited

    return awaited(pairs, agent, moment, place)


def _activity_words(moment: Moment, path: str) -> set[str]:
    """Words under which what waits for this action is filed: names of activities that it may be, and of its files."""
    tool = moment.tool.lower()
    if tool.startswith("mcp"):
        return {_REVIEW}
    patch = _patch_in(moment)
    if patch or path:
        return {_EDIT} | words_in(patch[:_LONGEST] or path) if not tool.startswith(_READERS) else set()
    if not moment.command:
        return set()
    from afterwit.actions.quick_look import may_be

    return may_be(moment.command[:_LONGEST])


_LAST_USUAL = 2  # standard input, output, error


def learn_soon(deck: Deck) -> None:
    """Starts the command and leaves it alone."""
    command = deck.names("learn_command")
    if not command or not deck.share("learns_at_end") or not hasattr(os, "posix_spawnp"):
        return
    nowhere = [(os.POSIX_SPAWN_OPEN, handle, os.devnull, os.O_RDWR, 0) for handle in (0, 1, 2)]
    words = ["nice", "-n", "19", *command]
    _keep_handles_back()
    try:
        os.posix_spawnp(words[0], words, os.environ, file_actions=nowhere, setsid=True)
    except NotImplementedError:
        os.posix_spawnp(words[0], words, os.environ, file_actions=nowhere, setpgroup=0)


def _keep_handles_back() -> None:
    """Hands on no handle but the usual three. One that was open for the listing alone is gone by now."""
    try:
        names = os.listdir("/dev/fd")  # noqa: PTH208 - pathlib is slow to load
    except OSError:
        return
    for name in names:
        if name.isdecimal() and int(name) > _LAST_USUAL:
            try:
                os.set_inheritable(int(name), False)
            except OSError:
                continue


LONGEST = 200
_LONGEST_WORD = 32
_MOST_DIGITS = 3
_LONGEST_CAPITALS = 12
_LONGEST_NAME, _SHORT_NAME = 128, 8  # of tools, and of words in their names
_SHORT = 4  # characters in which nothing can hide
_GAP = "…"
_SMELLS = ("pass", "pwd", "secret", "token", "key", "auth", "cred", "bearer", "cookie", "session", "sign", "login")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:+()[]{}'!?;|&<>*#\"`$~^%")


def summary(text: str) -> str:
    """The beginning of a text, as far as it is plainly harmless."""
    kept: list[str] = []
    is_after_secret = False
    for word in text[: 4 * LONGEST].split():
        name, mark, value = word.partition("=")
        shown = _GAP if is_after_secret else name if _is_plain(name) else _GAP
        if mark and not is_after_secret:
            shown += mark + (value if _is_plain(value) and not _smells(name) else _GAP)
        is_after_secret = _smells(name) and not (mark and value)
        if shown != _GAP or kept[-1:] != [_GAP]:
            kept.append(shown)
    return " ".join(kept)[:LONGEST]


def _is_plain(word: str) -> bool:
    if len(word) > _LONGEST_WORD or "@" in word or "://" in word or not _PLAIN.issuperset(word):
        return False
    if word[:1] == "-" and word[:2].lower() == "-p" and len(word) > _SHORT:  # `-p` with a password behind it
        return False
    parts = "".join(letter if letter.isalnum() else " " for letter in word).split()
    return sum(letter.isdigit() for letter in word) <= _MOST_DIGITS and all(map(_is_written, parts))


def _is_written(part: str) -> bool:
    """Whether somebody wrote this, rather than drew it: a word, an abbreviation, or one of them with a number."""
    letters = part.rstrip("0123456789")
    capitals = sum(letter.isupper() for letter in letters)
    is_word = 3 * capitals <= len(letters) or (letters.isupper() and len(part) <= _LONGEST_CAPITALS)
    return len(part) <= _SHORT or not letters or (letters.isalpha() and is_word)


def tool_name(tool: str) -> str:
    """As it is, if it is made of words, however these are joined: drawn letters stand alone, or among many digits."""
    parts = "".join(" " if letter in "_-.:" else letter for letter in tool[:_LONGEST_NAME]).split()
    is_name = tool.isascii() and len(tool) <= _LONGEST_NAME and all(map(_is_named, parts))
    return tool if is_name else summary(tool)


def _is_named(part: str) -> bool:
    single = [len(run) for run in "".join(letter if letter.islower() else " " for letter in part).split()].count(1)
    is_word = len(part) <= _SHORT_NAME or _is_written(part) or (single < 2 and not part.isupper())
    return is_word and part.isalnum() and len(part) <= _LONGEST_WORD and sum(map(str.isdigit, part)) <= _MOST_DIGITS


def _smells(name: str) -> bool:
    folded = name.lower()
    return any(smell in folded for smell in _SMELLS)


DECK = "deck.db"
SPOOL = "spool"
PAUSED = "paused"
_LOOKS_BACK = (START, PROMPT, COMPACT)
_ALL_HOOKS = {"carries": (START, PROMPT, AFTER)}  # of an agent that has none, in a replay
_LONGEST_PATH = 4_096
_END_OF_TURN = "Stop"  # of agents that do not always tell the end of a session
_END_AGAIN_MS = 600_000  # a `learn` for each turn would be too many


class HookCall:
    """What was asked, by whom, with which permissions."""

    def __init__(
        self, agent: str, payloads: object, moment: Moment, folder: str, flags: list[str], home: str = ""
    ) -> None:
        self._agent = agent
        self._payloads = payloads
        self._hooks = described(agent).get("hooks", _ALL_HOOKS)
        self._moment = moment
        self._folder = folder
        self._flags = flags
        self._home = home or os.path.expanduser("~")  # noqa: PTH111 - of whoever listens
        self.proposal: Proposal | None = None  # what could be said
        self.records: list[dict[str, object]] = []  # what was noted: among them what was said

    def run(self) -> str:
        """The output for the agent. From here on the time limit is off, if there is an output. A refusal of ours that
        comes back as an error is neither a failure nor answered."""
        moment = self._moment
        deck = self._deck()
        if deck is not None and is_left_out(deck, self._agent, moment.cwd, self._paused()):
            return ""
        if moment.event == END and moment.native == _END_OF_TURN and self._has_just_ended():
            return ""
        is_refused = moment.is_error is not False and moment.exit_code in (None, 1)
        is_own = (
            deck is not None and is_refused and deck.text("opening") in moment.output
        )  # a refusal of ours comes back
        if moment.event in (AFTER, END):
            self._note_event("denied" if is_own and (moment.command or moment.path) else _status(moment))
        answer = self._answer(deck) if deck is not None and not is_own else None
        if answer is None:
            self._append()
        if moment.event == END and deck is not None:
            learn_soon(deck)
        write = getattr(self._payloads, "write")  # noqa: B009 - a module, known by name only
        return str(write(moment, answer)) if answer is not None else ""

    def _answer(self, deck: Deck) -> Answer | None:
        """What to answer, recorded; None where there was nothing to decide."""
        moment, carries = self._moment, self._hooks["carries"]
        if moment.event == END:
            return None
        is_dumb = moment.event not in (BEFORE, COMPACT, *carries)
        place = recognised(deck, location_of(deck, moment.cwd), self._folder, may_ask=moment.event == START)
        may = Permissions(
            refuse=self._may("refuses", "--refuse"),
            rewrite=self._may("rewrites", "--rewrite"),
        )
        proposal = None if is_dumb else proposed(deck, self._agent, moment, place, may, self._history)
        self.proposal = proposal
        is_late = moment.event == AFTER and not self._hooks.get("refuses", True)
        at_checks = checked(deck, self._agent, moment, place, is_late=is_late, history=self._history)
        if moment.event == BEFORE and not self._hooks.get("refuses", True):
            at_checks = None
        self.records += [fault(self._agent, moment.session, moment.event, error) for error in deck.faults]
        if proposal is None and at_checks is None and moment.event not in _LOOKS_BACK and carries != (AFTER,):
            return None
        from afterwit.recall.hook.tell import HookTeller

        teller = HookTeller(deck, self._agent, moment, place, self._now_ms())
        with self._file() as file:
            history = History(file.records(), moment.context)
            answer = teller.check(history, at_checks, may) if at_checks is not None else None
            answer = answer or teller.tell(history, proposal, carries)
            stop_timer()
            self.records += teller.records
            if self.records:
                file.append(*self.records)
        return answer

    def _history(self) -> History:
        """What the session was told so far, as far as that helps to think; it is asked again under the lock."""
        with self._file() as file:
            return History(file.records(), self._moment.context)

    def _may(self, ability: str, flag: str) -> bool:
        """Whether the agent can do it and the user asked for it when connecting."""
        return self._moment.event == BEFORE and bool(self._hooks.get(ability, True)) and flag in self._flags

    def _deck(self) -> Deck | None:
        path = f"{self._folder}/{DECK}"
        if not os.path.isfile(path):  # noqa: PTH113
            return None
        try:
            deck = Deck(path)
            deck.listen(self._home)
            return deck
        except (apsw.Error, ValueError) as error:
            self.records.append(fault(self._agent, self._moment.session, self._moment.event, error))
            return None

    def _paused(self) -> "Iterable[str]":
        if not os.path.exists(f"{self._folder}/{PAUSED}"):  # noqa: PTH110
            return ()
        from afterwit.store.pauses import pauses_in_force

        return pauses_in_force(self._folder, self._now_ms())

    def _has_just_ended(self) -> bool:
        with self._file() as file:
            ends = [record.get("at") for record in file.records() if record.get("kind") == ENDED]
        last = ends[-1] if ends else None
        return isinstance(last, int) and self._now_ms() - last < _END_AGAIN_MS

    def _note_event(self, status: str) -> None:
        moment = self._moment
        record: dict[str, object] = {"kind": TOOL if moment.event == AFTER else ENDED, "at": self._now_ms()}
        record |= {"agent": self._agent, "session": moment.session}
        record |= {"transcript": moment.transcript[:_LONGEST_PATH]} if moment.event == END and moment.transcript else {}
        if moment.event == AFTER:
            target = moment.command or moment.path
            record |= {"tool": tool_name(moment.tool), "target": summary(target), "status": status}
            record |= {"call": moment.call[:80]} if moment.call else {}
            record |= {"context": moment.context} if moment.context else {}
            record |= {"summary": summary(moment.output)} if status == "failed" else {}
        self.records.append(record)

    def _append(self) -> None:
        if self.records:
            with self._file() as file:
                stop_timer()
                file.append(*self.records)

    def _file(self) -> SpoolFile:
        return SpoolFile(f"{self._folder}/{SPOOL}", self._agent, self._moment.session)

    def _now_ms(self) -> int:
        return time.time_ns() // 1_000_000


def fault(agent: str, session: str, event: str, error: BaseException) -> dict[str, object]:
    """A record of what went wrong: where and what kind, and nothing of the input."""
    at, where = error.__traceback__, ""
    while at is not None:
        where = f"{at.tb_frame.f_code.co_filename.rpartition('afterwit')[2]}:{at.tb_lineno}"
        at = at.tb_next
    said = error.strerror if isinstance(error, OSError) else ""
    record = {"kind": FAULT, "at": time.time_ns() // 1_000_000, "agent": agent, "session": session, "event": event}
    return {**record, "error": type(error).__name__, "where": where, **({"said": said} if said else {})}


def _status(moment: Moment) -> str:
    if moment.is_error or moment.exit_code:
        return "failed"
    return "succeeded" if moment.is_error is False or moment.exit_code == 0 else "unknown"
