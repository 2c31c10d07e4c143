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

import apsw

from afterwit.agents.hook_payloads import AFTER, BEFORE, COMPACT, END, PROMPT, START, Answer, Moment, described
from afterwit.recall.deck.location import is_left_out, location_of
from afterwit.recall.deck.reader import Deck
from afterwit.recall.history import ENDED, FAULT, History
from afterwit.recall.hook import time_limit
from afterwit.recall.hook.fresh_clone import recognised
from afterwit.recall.hook.proposals import Permissions, Proposal, proposed
from afterwit.store.spool_file import TOOL, SpoolFile

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
        if deck is not None and is_left_out(deck, self._agent, moment.cwd):
            return ""
        if moment.event == END and moment.native == _END_OF_TURN and self._has_just_ended():
            return ""
        is_refused = moment.is_error is not False and moment.exit_code in (None, 1)
        is_own = (
            deck is not None and is_refused and deck.text("opening") in moment.output
        )  # a refusal of ours comes back
        if moment.event in (AFTER, END):
            self._note_event("denied" if is_own and moment.command else _status(moment))
        answer = self._answered(deck) if deck is not None and not is_own else None
        if answer is None:
            self._append()
        if moment.event == END and deck is not None:
            from afterwit.recall.hook.learning import learn_soon

            learn_soon(deck)
        write = getattr(self._payloads, "write")  # noqa: B009 - a module, known by name only
        return str(write(moment, answer)) if answer is not None else ""

    def _answered(self, deck: Deck) -> Answer | None:
        """What to answer, recorded; None where there was nothing to decide."""
        moment, carries = self._moment, self._hooks["carries"]
        if moment.event == END:
            return None
        is_dumb = moment.event not in (BEFORE, COMPACT, *carries)
        place = recognised(deck, location_of(deck, moment.cwd), self._folder, may_ask=moment.event == START)
        may = Permissions(
            refuse=self._may(deck, "refuses", "--refuse", "refusing"),
            rewrite=self._may(deck, "rewrites", "--rewrite", "rewriting"),
        )
        proposal = None if is_dumb else proposed(deck, self._agent, moment, place, may, self._history)
        self.proposal = proposal
        self.records += [fault(self._agent, moment.session, moment.event, error) for error in deck.faults]
        if proposal is None and moment.event not in _LOOKS_BACK and carries != (AFTER,):
            return None
        from afterwit.recall.hook.tell import HookTeller

        teller = HookTeller(deck, self._agent, moment, place, self._now_ms())
        with self._file() as file:
            answer = teller.tell(History(file.records(), moment.context), proposal, carries)
            time_limit.close()
            self.records += teller.records
            if self.records:
                file.append(*self.records)
        return answer

    def _history(self) -> History:
        """What the session was told so far, as far as that helps to think; it is asked again under the lock."""
        with self._file() as file:
            return History(file.records(), self._moment.context)

    def _may(self, deck: Deck, ability: str, flag: str, setting: str) -> bool:
        """Whether the agent can do it and the user asked for it, when connecting or in the settings."""
        if self._moment.event != BEFORE or not self._hooks.get(ability, True):
            return False
        return flag in self._flags or self._agent in deck.names(setting)

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
                time_limit.close()
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
