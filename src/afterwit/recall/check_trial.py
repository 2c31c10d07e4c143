"""Tries checks on the past: which calls each of them would have stopped, and what the user said to it then.

A deck of nothing but these checks is written, and the very functions that hooks call are asked at every prompt and
every call of the past sessions, as their originals have them, with a history of what they noted. Nothing was refused
then; the same call made again passes, as it would. A stop counts as *objected* where the user turned the call down, or
corrected it within the next prompts; as *asked* where the user had asked for it in words that the check does not know;
else nobody minded. Which of them it was is a rule about words, and shown with the words.
"""

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from afterwit.agents.hook_payloads import AFTER, BEFORE, PROMPT, Moment, described
from afterwit.digest.last_words import is_correction, is_refusal, is_thanks
from afterwit.model.check import Check, CheckKind
from afterwit.model.kinds import ActionKind, EventKind, Status
from afterwit.model.learn_run import Progress
from afterwit.model.pasted import own_words
from afterwit.model.text import regex, roots_of
from afterwit.recall.deck.deck_checks import checks_at
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck, words_in
from afterwit.recall.deck.write import DeckContent, DeckSettings, write_deck
from afterwit.recall.holdout import History
from afterwit.recall.hook.asking import AGREED, ASKED, DENIED, loosely_meant, wish_in
from afterwit.recall.hook.call import Checked, checked
from afterwit.recall.hook.checks import changes, same_call, standing
from afterwit.sessions.originals import TranscriptSource
from afterwit.sessions.show import SessionMoment, WantedMoments, moments
from afterwit.store.marks import newest_in
from afterwit.store.rows.session_list import SessionRow, session_row

_HERE = "here"
MOST_SESSIONS = 200
MOST_UNMINDED = 0.25  # of the stops of a proposal that is shown
MOST_EXAMPLES = 3
_LOOKS_AHEAD = 3  # prompts after a call in which a user may object to it
_LOOKS_BACK = 2  # prompts before it in which they may have asked for it
_LONGEST_SHOWN = 160
_SHORT_ORDER = 8  # words of a prompt that says little but what is to be run
_WANTED = WantedMoments(frozenset((EventKind.PROMPT, EventKind.CALL)))
_FILES = (ActionKind.READ, ActionKind.EDIT, ActionKind.WRITE)
_COMMON = frozenset("run npm pnpm yarn bun make git npx uv poetry cargo go python exec gh src the md ts js py".split())  # noqa: SIM905
_FAILS = frozenset("fail fails failing failed error errors incorrect".split())  # noqa: SIM905
_COMPLAINS = frozenset(
    (
        *("not", "don't", "dont", "never", "why", "revert", "undo", "shouldn't", "didn't", "stop", "wrong", "instead"),
        *("remove", "drop", "forgot", "again", "broke", "missing", "rather", *_FAILS),
    )
)
_SENTENCE_ENDS = regex(r"[.!?;]\s+|\n+")
_NAMES = regex(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}")
_LEAVES_OUT = frozenset("skip without ignore no-verify anyway bypass".split())  # noqa: SIM905


class StopVerdict(StrEnum):
    """What the user made of a call that a check would have stopped."""

    OBJECTED = "objected"
    ASKED = "asked"
    UNMINDED = "unminded"

    @property
    def in_words(self) -> str:
        return _VERDICTS[self.value]


_VERDICTS = {
    "objected": "the user objected",
    "asked": "the user had asked for it in words that the check does not know",
    "unminded": "nobody minded",
}


class TriedStop(NamedTuple):
    """A call that would have been stopped."""

    agent: str
    session: str  # its native id
    moment: str  # the number of the call in it
    at_ms: int | None
    called: str  # the command line, or the file
    said: str  # the user's next words; for an objection those that object
    verdict: StopVerdict

    @property
    def who_said(self) -> str:
        return "the user before" if self.verdict is StopVerdict.ASKED else "the user then"


class CheckTrial(NamedTuple):
    """What a trial of one check came to."""

    check: Check
    sessions: int  # that were tried
    stops: tuple[TriedStop, ...] = ()

    def count(self, verdict: StopVerdict) -> int:
        return sum(stop.verdict is verdict for stop in self.stops)

    @property
    def sessions_stopped(self) -> int:
        return len({(stop.agent, stop.session) for stop in self.stops})

    @property
    def is_worth_showing(self) -> bool:
        """Whether a proposal would not have been in the way of too many calls that nobody minded. A single one says
        nothing beside others."""
        unminded = self.count(StopVerdict.UNMINDED)
        return unminded <= MOST_UNMINDED * len(self.stops) or unminded == 1 < len(self.stops)

    @property
    def examples(self) -> list[TriedStop]:
        """A few stops, of each verdict one before any has two."""
        ordered: list[TriedStop] = []
        by_verdict = [[stop for stop in self.stops if stop.verdict is verdict] for verdict in StopVerdict]
        for place in range(MOST_EXAMPLES):
            ordered += [stops[place] for stops in by_verdict if place < len(stops)]
        return ordered[:MOST_EXAMPLES]

    @property
    def in_words(self) -> str:
        stops, of = len(self.stops), f"in {self.sessions} session{'' if self.sessions == 1 else 's'}"
        if not stops:
            return f"never {of}"
        objected, asked, unminded = map(self.count, StopVerdict)
        told = [f"{stops} time{'' if stops == 1 else 's'} {of}"]
        told += [f"the user objected after {objected}"] if objected else []
        told += [f"{_times(asked)} the user had asked for it in words that the check does not know"] if asked else []
        told += [f"nobody minded {_times(unminded)}"] if unminded else []
        return "; ".join(told)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


class _Course(NamedTuple):
    """A past session in its order: prompts, and calls."""

    row: SessionRow
    moments: list[SessionMoment]
    prompts: list[tuple[int, str]]  # and answers to an agent's questions, each with its place among the moments


def tried_on_past(
    source: TranscriptSource, repo: str, checks: Sequence[Check], progress: Progress | None = None
) -> dict[str, CheckTrial]:
    """Tries these checks on the latest sessions of a repository, by their ids."""
    stops: defaultdict[str, list[TriedStop]] = defaultdict(list)
    rows = past_sessions(source, repo)
    if progress is not None:
        progress.stage("Trying", len(rows), "sessions")
    with tempfile.TemporaryDirectory(prefix="afterwit-trial-") as folder:
        path = Path(folder) / "deck.db"
        write_deck(path, DeckContent(DeckSettings(b"\0" * 16), checks=checks_at(_HERE, checks)), redact=_as_it_is)
        deck = Deck(str(path))
        by_id = {check.id: check for check in checks}
        for row in rows:
            for name, stop in _stops_in(deck, by_id, _course(source, row)):
                stops[name].append(stop)
            if progress is not None:
                progress.advance(1, 1)
    return {check.id: CheckTrial(check, len(rows), tuple(stops[check.id])) for check in checks}


def _as_it_is(text: str) -> str:
    """Nothing of a trial's deck is told to anybody."""
    return text


def past_sessions(source: TranscriptSource, repo: str) -> list[SessionRow]:
    """The latest sessions of people in a repository, the latest first."""
    rows = (session_row(source.store.db, name) for name in newest_in(source.store.db, repo, 2 * MOST_SESSIONS))
    return [row for row in rows if row is not None and not row.parent][:MOST_SESSIONS]


def _course(source: TranscriptSource, row: SessionRow) -> _Course:
    told = [moment for moment in moments(source, row, _WANTED) if isinstance(moment, SessionMoment)]
    heard = (moment.text if moment.kind is EventKind.PROMPT else moment.said for moment in told)
    return _Course(row, told, [(at, text) for at, text in enumerate(heard) if text])


def _stops_in(deck: Deck, checks: dict[str, Check], course: _Course) -> Iterator[tuple[str, TriedStop]]:
    """The calls of a session that each check would have stopped."""
    row = course.row
    place = Location(_HERE, row.root or row.cwd)
    history, seen = History([], ""), set[str]()
    for at, past in enumerate(course.moments):
        if past.kind is EventKind.PROMPT:
            history.hears_user = True
            said = checked(deck, row.agent, Moment(PROMPT, "", prompt=past.text or "", cwd=row.cwd), place)
            history.checks.update(changes(said.states, history) if said is not None else {})
            continue
        if past.action is None or past.action.status is Status.CANCELLED:
            continue
        before = _call(BEFORE, course, past)
        is_new = past.action.kind is ActionKind.WRITE

        def is_there(path: str, *, is_new: bool = is_new) -> bool:
            return not is_new or path in seen

        at_call = checked(deck, row.agent, before, place, is_there=is_there)
        for breach in standing(at_call.breaches, history) if at_call is not None else ():
            mark = same_call(breach, before)
            if mark not in history.refused:
                history.refused.add(mark)
                yield breach.check.id, _judge(checks[breach.check.id], course, at, past, breach.subject)
        if before.path:
            seen.add(f"{place.root}/{place.below(before.path, row.cwd)}")
        over = _after(deck, course, past, place)
        history.checks.update(changes(over.states, history) if over is not None else {})


def _after(deck: Deck, course: _Course, past: SessionMoment, place: Location) -> Checked | None:
    """What a call that was made meant for checks."""
    if past.action is None or past.action.status is Status.DENIED:
        return None
    return checked(deck, course.row.agent, _call(AFTER, course, past), place)


def _call(event: str, course: _Course, past: SessionMoment) -> Moment:
    """The call of a hook at an action, with its arguments as far as they are kept."""
    action, row = past.action, course.row
    assert action is not None
    arguments: dict[str, Any] = past.arguments or {}
    if not arguments and action.kind is ActionKind.SHELL:
        arguments = {"command": action.target}
    elif not arguments and action.kind in _FILES:
        arguments = {"file_path": action.target}
    moment = Moment(event, "", cwd=row.cwd, tool=action.tool, arguments=arguments)
    if action.kind is ActionKind.SHELL and not moment.command:
        moment.arguments = {"command": action.target}
    if event == AFTER:
        is_told = described(row.agent).get("hooks", {}).get("tells_outcome", True)
        moment.output = action.error
        moment.is_error = action.status is Status.FAILED if is_told else None
        moment.exit_code = action.exit_code if is_told else None
    return moment


def _judge(check: Check, course: _Course, at: int, past: SessionMoment, subject: str) -> TriedStop:
    later = [text for place, text in course.prompts if place > at][:_LOOKS_AHEAD]
    earlier = [text for place, text in course.prompts if place < at][-_LOOKS_BACK:]
    said, verdict = (later[0] if later else ""), StopVerdict.UNMINDED
    action = past.action
    assert action is not None
    asked = next((text for text in reversed(earlier) if _asks(check, subject, text)), "")
    objection = next((text for text in later if _objects(check, subject, text)), "")
    if action.status is Status.DENIED:
        said, verdict = past.said or said, StopVerdict.OBJECTED
    elif asked or (earlier and _agrees(check, earlier[-1])):
        said, verdict = asked or earlier[-1], StopVerdict.ASKED
    elif objection:
        said, verdict = objection, StopVerdict.OBJECTED
    return TriedStop(
        agent=course.row.agent,
        session=course.row.native_id,
        moment=past.number,
        at_ms=past.at_ms,
        called=_shorten(subject or action.target),
        said=_shorten(said),
        verdict=verdict,
    )


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[: _LONGEST_SHOWN - 1]}…"


def _objects(check: Check, subject: str, prompt: str) -> bool:
    """Whether a later prompt is about the matter of a check, and corrects what was done."""
    typed = own_words(prompt)
    if is_thanks(typed):
        return False
    if check.kind is CheckKind.NOT_COMMAND:
        is_denied = wish_in(typed, check.command, check.other) == DENIED
        return is_denied or any(
            loosely_meant(part, check.command) and bool(_words(part) & _COMPLAINS - _FAILS) for part in _parts(typed)
        )
    wanted = check.command if check.kind is CheckKind.AFTER_FILE else check.other
    if wanted and len(_words(typed)) <= _SHORT_ORDER and wish_in(typed, wanted) == ASKED:
        return True
    matter = _matter(check, subject)
    return any(
        roots_of(part) & matter and (is_correction(part) or is_refusal(part) or _words(part) & _COMPLAINS)
        for part in _parts(typed)
    )


def _parts(typed: str) -> list[str]:
    """What a prompt says at one place: all of a short one, each sentence of a longer one."""
    return [typed] if len(typed) <= _LONGEST_SHOWN else _SENTENCE_ENDS.split(typed)


def _words(text: str) -> set[str]:
    return set(text.lower().replace("’", "'").split())


def _matter(check: Check, subject: str) -> set[str]:
    """The words by which a user would speak of what a check is about."""
    if check.kind is CheckKind.BEFORE:
        text = check.other
    elif check.kind is CheckKind.AFTER_FILE:
        text = check.command
    elif check.kind is CheckKind.INSTEAD:
        text = " ".join(words_in(check.other) - words_in(check.command))
    elif check.kind is CheckKind.NOT_FILE:
        text = " ".join(_NAMES.findall(" ".join(subject.split("/")[-2:])))
    else:
        text = " ".join(_NAMES.findall(check.pattern))
    return set(roots_of(" ".join(words_in(text) - _COMMON)))


def _asks(check: Check, subject: str, prompt: str) -> bool:
    """Whether a prompt before a call may have asked for it, more loosely than the check itself takes it."""
    typed = own_words(prompt)
    if check.kind is CheckKind.NOT_COMMAND:
        return loosely_meant(typed, check.command) and wish_in(typed, check.command, check.other) != DENIED
    if check.kind is CheckKind.NOT_FILE:
        return bool(subject) and subject.rpartition("/")[2].lower() in typed.lower()
    if check.kind is CheckKind.NOT_TEXT:
        return check.pattern.lower() in typed.lower()
    matter = _matter(check, subject)
    return any(_words(part) & _LEAVES_OUT and roots_of(part) & matter for part in _parts(typed))


def _agrees(check: Check, prompt: str) -> bool:
    """Whether a prompt was a short yes to what an agent had asked, which a check that was not there cannot know. Who
    only wants it to go on says nothing of it."""
    goes_on = bool(_words(prompt) & {"continue", "proceed"})
    return (
        check.kind is CheckKind.NOT_COMMAND
        and not goes_on
        and wish_in(prompt, check.command, check.other) in (AGREED, ASKED)
    )
