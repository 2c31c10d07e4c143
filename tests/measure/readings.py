"""Invented readings for replays: what a model might have written of a session, as the journal keeps it."""

from typing import Any

import msgspec
from tests.measure.histories import Log

from afterwit.harvest.harvester import id_of
from afterwit.model.brief import Heading, Line, id_of_line
from afterwit.model.knowledge import READ, Category, Channel, Draft, Evidence, Scope, ScopeKind, SessionRef, Trigger
from afterwit.store.decisions import BriefCompiled, ItemEvidence, JournalEntry, KnowledgeEntry, SessionRead

RULE = "Prune the old trees with the short saw."
REPO = "orchard"


def ref(session: str, repo: str = REPO) -> SessionRef:
    return SessionRef(agent="claude-code", native_id=session, story=session, repo=repo)


def evidence(session: str, **more: Any) -> Evidence:
    given: dict[str, Any] = {"channel": Channel.USER, "at_ms": 1_777_629_600_000, "excerpt": RULE}
    return Evidence(session=ref(session), **(given | more))


def draft(session: str, sentence: str = RULE, **more: Any) -> Draft:
    given: dict[str, Any] = {
        "harvester": READ,
        "key": (sentence.lower(),),
        "scope": Scope(ScopeKind.REPO, REPO),
        "category": Category.PATTERN,
        "channel": Channel.USER,
        "evidence": (evidence(session),),
        "stated_confidence": 0.9,
    }
    return Draft(sentence=sentence, **(given | more))


def entry(number: int, session: str, *drafts: Draft, relations: tuple[ItemEvidence, ...] = ()) -> JournalEntry:
    answer = SessionRead(
        request=f"r{number}", session=ref(session), model="m", prompt="1", checks=1, drafts=drafts, relations=relations
    )
    return JournalEntry("here", number, number, KnowledgeEntry.READ, msgspec.to_builtins(answer))


def compiled(number: int, *lines: Line, at_ms: int = 1_777_629_600_000 + 3_600_000) -> JournalEntry:
    """The page that was made of the notes of these lines, the newest of which was seen at that time."""
    notes = tuple(note for line in lines for note in line.notes)
    page = BriefCompiled(
        request=f"c{number}", repo=REPO, items=notes, until_ms=at_ms, model="m", prompt="1", checks=1, lines=lines
    )
    return JournalEntry("here", number, number, KnowledgeEntry.COMPILED, msgspec.to_builtins(page))


def line_of(draft: Draft, heading: Heading | None = Heading.WISH, *triggers: Trigger) -> Line:
    """A line that says what a note says."""
    name = id_of_line(REPO, draft.sentence)
    return Line(id=name, text=draft.sentence, heading=heading, notes=(id_of(draft),), triggers=triggers)


def read_of(log: Log, *drafts: Draft) -> JournalEntry:
    return entry(1, log.session, *(drafts or (draft(log.session),)))
