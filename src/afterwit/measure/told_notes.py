"""Notes that sessions were told, and the sessions as far as figures ask about them.

A subagent has a context of its own: what it was told is looked for in the logs of the subagents of that session, what
the session itself was told in its own. One note that was told to a session several times counts once, from the first
time on.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from afterwit.actions.activities import activities_of
from afterwit.actions.quick_look import fits_path
from afterwit.actions.shell.command_changes import ARROW, GAP
from afterwit.agents.hook_payloads import ACTIVITY, AFTER, BEFORE, PROMPT, RUN
from afterwit.measure.note_changes import NoteHistory, time_of
from afterwit.model.digest import Digest
from afterwit.model.figures import Proportion
from afterwit.model.kinds import ActionKind, Relation, Step
from afterwit.model.knowledge import Activity, Item, ItemStatus, Trigger
from afterwit.model.text import words_of
from afterwit.recall.deck.reader import words_called, words_in
from afterwit.recall.hook.triggers import is_called_in
from afterwit.store.decisions import will_of


class SessionKey(NamedTuple):
    """A session and whether its subagents are meant."""

    agent: str
    session: str
    is_subagent: bool = False


class ToldNote(NamedTuple):
    """A note in a session that was told it."""

    at_ms: int
    to: SessionKey
    item: str
    moment: str
    act: str = ""

    @property
    def is_at_its_moment(self) -> bool:
        """Whether it was told because what it waits for had just happened."""
        return self.moment in (BEFORE, AFTER) or self.act == ACTIVITY


def key_of(digest: Digest) -> SessionKey:
    is_subagent = digest.relation == Relation.SUBAGENT and bool(digest.parent)
    return SessionKey(digest.agent, digest.parent if is_subagent else digest.native_id, is_subagent)


def first_told(told: Iterable[ToldNote]) -> Iterator[ToldNote]:
    """Each note of a session once, as it was told first. What nobody knows the session of, is left out."""
    seen: set[tuple[SessionKey, str]] = set()
    for note in sorted(told):
        if (note.to, note.item) not in seen and not note.to.session.startswith(RUN):
            seen.add((note.to, note.item))
            yield note


_NEVER = Trigger()


class TriggerMoment(NamedTuple):
    """What happened at once, as far as a trigger may ask for it."""

    command: str = ""
    tool: str = ""
    signature: str = ""
    error: frozenset[str] = frozenset()  # words of a call that failed, and of its output
    rules: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()  # below the repository
    words: frozenset[str] = frozenset()  # of a prompt, by `model.text.words`
    activity: Activity | None = None


class DatedMoment(NamedTuple):
    at_ms: int | None  # None: not known
    moment: TriggerMoment


def came_after(item: Item, moments: list[DatedMoment], told_ms: int) -> bool:
    """Whether what a note waits for happened after it was told, or what it tells was then used: whoever heeds a note at
    once never makes the mistake that it waits for. What has no time counts."""
    looked_for = (*item.triggers, *_told_by(item))
    return any(
        fires(trigger, dated.moment)
        for dated in moments
        if dated.at_ms is None or dated.at_ms >= told_ms
        for trigger in looked_for
    )


def _told_by(item: Item) -> Iterator[Trigger]:
    """The command that a note tells to use, and the files."""
    words = [word for word in item.advice.rpartition(ARROW)[2].split() if word != GAP]
    if words:
        yield Trigger(program=words[0].rpartition("/")[2], words=tuple(words[1:]))
    yield from (Trigger(path=path) for path in item.files)


def fires(trigger: Trigger, moment: TriggerMoment) -> bool:
    """Whether everything is there that the trigger asks for; one that asks for nothing never fires."""
    return (
        trigger != _NEVER
        and (not trigger.signature or trigger.signature == moment.signature)
        and moment.error.issuperset(trigger.error)
        and (not trigger.tool or trigger.tool == moment.tool)
        and (not trigger.rule or trigger.rule in moment.rules)
        and (trigger.activity is None or trigger.activity is moment.activity)
        and moment.words.issuperset(trigger.topic)
        and (not trigger.path or any(fits_path(trigger.path, path) for path in moment.paths))
        and is_called_in(moment.command, trigger.program, trigger.words)
    )


def moments_in(digest: Digest) -> Iterator[DatedMoment]:
    signatures = {failure.at: failure.signature for failure in digest.failures}
    rules: defaultdict[int, set[str]] = defaultdict(set)
    for rule in digest.rules:
        rules[rule.at].add(rule.id)
    for at, step in enumerate(digest.steps):
        happened = TriggerMoment(
            command=step.target if step.kind is ActionKind.SHELL else "",
            tool=step.tool,
            signature=signatures.get(at, ""),
            error=frozenset(words_in(step.error) | words_called(step.target)) if at in signatures else frozenset(),
            rules=frozenset(rules[at]),
            paths=step.files,
        )
        for activity in (None, *activities_of(step.kind, step.target)):
            yield DatedMoment(_time_of(digest, step), happened._replace(activity=activity))
    for said in digest.prompts:
        yield DatedMoment(said.at_ms, TriggerMoment(words=frozenset(words_of(said.text))))
    for file in digest.files:
        if file.reads and not file.path.startswith("/"):
            yield DatedMoment(None, TriggerMoment(paths=(file.path,)))


def _time_of(digest: Digest, step: Step) -> int | None:
    """To the end of its second, since steps are dated to the second."""
    if digest.started_ms is None or step.at_s is None:
        return None
    return digest.started_ms + 1000 * step.at_s + 999


class Came(StrEnum):
    CAME = "came"
    NOT = "did not come"
    THERE = "was there"  # it was told because of it
    ANYTIME = "none in particular"
    UNREAD = "session not learned yet"
    GONE = "note no longer there"


class MomentOfNote(NamedTuple):
    """A note that a session was told, and whether its moment came."""

    at_ms: int
    session: str
    agent: str
    item: str
    told_at: str
    moment: str


class HitRate(msgspec.Struct, frozen=True, kw_only=True):
    """How often what was told came up."""

    told: int  # notes in sessions, each once
    sessions: int
    available: int  # told ahead of a moment that can be looked for, in sessions that were learned
    used: int  # of these, those whose moment came
    share: float | None
    interval: tuple[float, float]
    by_moment: dict[str, int]  # of all that were told: how many of each kind
    by_telling: dict[str, tuple[int, int]]  # by when they were told: used, available


class HitTally:
    """Looks for the moments of all notes that were told, session by session."""

    def __init__(self, told: Iterable[ToldNote], items: Mapping[str, Item]) -> None:
        self._items = items
        self._by_session: dict[SessionKey, list[ToldNote]] = {}
        for note in told:
            self._by_session.setdefault(note.to, []).append(note)
        self._came: dict[ToldNote, Came] = {}

    def take(self, digest: Digest) -> None:
        notes = self._by_session.get(key_of(digest), ())
        moments = list(moments_in(digest)) if notes else []
        for note in notes:
            if self._came.get(note) is not Came.CAME:  # in another subagent
                self._came[note] = _came(note, self._items.get(note.item), moments)

    def rows(self) -> list[MomentOfNote]:
        """In order of time."""
        rows = []
        for note in sorted(note for notes in self._by_session.values() for note in notes):
            at_ms, to, item, moment, act = note
            came = self._came.get(note, Came.UNREAD).value
            rows.append(MomentOfNote(at_ms, to.session, to.agent, item, act or moment, came))
        return rows


def _came(note: ToldNote, item: Item | None, moments: list[DatedMoment]) -> Came:
    if item is None:
        return Came.GONE
    if note.is_at_its_moment:
        return Came.THERE
    if not (item.triggers or item.advice or item.files):
        return Came.ANYTIME
    if came_after(item, moments, note.at_ms):
        return Came.CAME
    is_of_topic = note.moment == PROMPT and any(trigger.topic for trigger in item.triggers)
    return Came.THERE if is_of_topic else Came.NOT


def hit_rate(rows: Sequence[MomentOfNote]) -> HitRate:
    by_telling: dict[str, tuple[int, int]] = {}
    for told_at in sorted({row.told_at for row in rows}):
        came = Counter(row.moment for row in rows if row.told_at == told_at)
        by_telling[told_at] = came[Came.CAME], came[Came.CAME] + came[Came.NOT]
    share = Proportion(*map(sum, zip(*by_telling.values(), strict=True))) if rows else Proportion(0, 0)
    return HitRate(
        told=len(rows),
        sessions=len({(row.agent, row.session) for row in rows}),
        available=share.of,
        used=share.hits,
        share=share.share,
        interval=share.interval,
        by_moment=dict(sorted(Counter(row.moment for row in rows).items())),
        by_telling=by_telling,
    )


class ToldJudgement(NamedTuple):
    """A note that a session was told, and why it was wrong; "" where nothing says so."""

    at_ms: int
    session: str
    agent: str
    item: str
    wrong: str


class WrongShare(msgspec.Struct, frozen=True, kw_only=True):
    told: int  # notes in sessions, each once
    wrong: int
    share: float | None
    interval: tuple[float, float]
    by_reason: dict[str, int]


def judge_told(told: Iterable[ToldNote], items: Mapping[str, Item], history: NoteHistory) -> list[ToldJudgement]:
    """What is known by now of the notes that sessions were told, in order of time."""
    return [
        ToldJudgement(note.at_ms, note.to.session, note.to.agent, note.item, _reason(note, items[note.item], history))
        for note in sorted(told)
        if note.item in items
    ]


def _reason(note: ToldNote, item: Item, history: NoteHistory) -> str:
    will = will_of(history.decided_about(item))
    if will.why_out and will.verdict is not None and will.verdict.at_ms > note.at_ms:
        return f"{will.why_out} later"
    against = [piece for piece in item.evidence if piece.is_against]
    if any(piece.session.native_id == note.to.session for piece in against):
        return "that session speaks against it"
    if item.status is ItemStatus.STALE and any(time_of(piece) > note.at_ms for piece in against):
        return "contradicted later"
    return ""


def wrong_share(rows: Sequence[ToldJudgement]) -> WrongShare:
    reasons = Counter(row.wrong for row in rows if row.wrong)
    share = Proportion(sum(reasons.values()), len(rows))
    return WrongShare(
        told=share.of,
        wrong=share.hits,
        share=share.share,
        interval=share.interval,
        by_reason=dict(sorted(reasons.items())),
    )
