"""What entries of the journal still say after sessions were erased: the same without anything that came from them.

Pure. Decisions about items that nothing else supports keep what was decided and lose every word; so do texts that
agents were shown. What an agent recorded in such a session, what was drawn for it and what a model read in it goes
whole; of the requests to read it stays what they took, so that caps hold. What a model said of notes by id holds no
words: it stays as long as one of the notes does. A pattern of the catalog loses the evidence that came from them, and
its words where no other evidence is kept with it; so does the new version of a skill, whose old text is the user's.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from afterwit.store.decisions.decided import KnowledgeEntry, PatternEntry, SkillEntry
from afterwit.store.decisions.journal import CHECKOUTS_SEEN, DRAWN, GONE, READING_ASKED, READING_SPENT
from afterwit.store.journal import JournalEntry

Body = Mapping[str, Any]
_WORDLESS = ("item", "decision", "verdict")
_TOLD = ("text", "would")
_OF_PATTERN = ("id", "version", "status", "kind", "side", "made_from", "became")  # what holds no words
_NAMELESS = {"agent": "", "native_id": "", "repo": "", "lines_hash": ""}  # what a request keeps, beside what it took


class Erasure(NamedTuple):
    """What is erased, and what of it shows elsewhere."""

    sessions: frozenset[tuple[str, str]]  # agent and native id
    repos: frozenset[str] = frozenset()  # in which these sessions ran
    roots: frozenset[str] = frozenset()  # folders that no other session ran in
    items: frozenset[str] = frozenset()  # that nothing else supports
    clean_items: frozenset[str] = frozenset()  # of which nothing came from the sessions
    entries: frozenset[tuple[str, int]] = frozenset()  # that these sessions wrote, by machine and number


def changed_bodies(entries: Iterable[JournalEntry], erasure: Erasure) -> dict[tuple[str, int], Body]:
    """The bodies of the entries that say something else afterwards."""
    bodies: dict[tuple[str, int], Body] = {}
    for entry in entries:
        after = _without(entry, erasure) if not entry.body.get(GONE) else entry.body
        if after != entry.body:
            bodies[entry.machine, entry.number] = after
    return bodies


def _without(entry: JournalEntry, erasure: Erasure) -> Body:
    body = entry.body
    if (entry.machine, entry.number) in erasure.entries:
        return {GONE: True}
    if entry.kind == DRAWN:
        draws = [draw for draw in body["draws"] if (draw["agent"], draw["session"]) not in erasure.sessions]
        return {**body, "draws": [_untold(draw, erasure) for draw in draws]}
    if entry.kind == CHECKOUTS_SEEN:
        return {**body, "remotes": {root: of for root, of in body["remotes"].items() if root not in erasure.roots}}
    if entry.kind in (KnowledgeEntry.DECIDED, KnowledgeEntry.JUDGED) and body.get("item") in erasure.items:
        return {name: value for name, value in body.items() if name in _WORDLESS}
    if entry.kind == KnowledgeEntry.IMPORTED:
        kept = (_supported(draft, erasure) for draft in body["drafts"])
        return {**body, "drafts": [draft for draft in kept if draft["evidence"]]}
    if entry.kind in (KnowledgeEntry.ADDED, KnowledgeEntry.KEPT):
        draft = _supported(body["draft"], erasure)  # of a published pattern: what a person typed has no other evidence
        return {**body, "draft": draft} if draft["evidence"] else {GONE: True}
    if entry.kind == KnowledgeEntry.LESSON:
        return body if _supported(body["draft"], erasure)["evidence"] else {GONE: True}
    if entry.kind in (KnowledgeEntry.REPORTED, KnowledgeEntry.READ) and _is_of(body["session"], erasure):
        return {GONE: True}
    if entry.kind == PatternEntry.DECIDED:
        return {**body, "entries": [_of_pattern(pattern, erasure) for pattern in body["entries"]]}
    if entry.kind == SkillEntry.TRIED:
        return {**body, "proposal": _of_skill(body["proposal"], erasure)}
    if entry.kind == READING_ASKED:
        return {"requests": [_asked(ask, erasure) for ask in body["requests"]]}
    if entry.kind == KnowledgeEntry.CONSOLIDATED and erasure.items.issuperset(body["items"]):
        return {GONE: True}
    if entry.kind == READING_SPENT and (_is_of(body, erasure) or not body["native_id"]):
        return {**body, "agent": "", "native_id": "", "fault": ""}  # one about notes may repeat words of any session
    return body


def _of_pattern(pattern: Body, erasure: Erasure) -> Body:
    pieces = pattern.get("evidence", ())
    stays = [piece for piece in pieces if (piece["agent"], piece["session"]) not in erasure.sessions]
    if len(stays) == len(pieces):
        return pattern
    if stays:
        return {**pattern, "evidence": stays}
    return {name: value for name, value in pattern.items() if name in _OF_PATTERN}


def _of_skill(proposal: Body, erasure: Erasure) -> Body:
    pieces = proposal.get("evidence", ())
    stays = [piece for piece in pieces if (piece["agent"], piece["session"]) not in erasure.sessions]
    if stays or not pieces:
        return {**proposal, "evidence": stays}
    return {**proposal, "evidence": [], "new": "", "why": "", "changes": []}


def _asked(ask: Body, erasure: Erasure) -> Body:
    if _is_of(ask, erasure):
        return {**ask, **_NAMELESS}
    items = str(ask.get("items", "")).split()
    return {**ask, **_NAMELESS, "items": ""} if items and erasure.items.issuperset(items) else ask


def _untold(draw: Body, erasure: Erasure) -> Body:
    """Without its words, where some of them may have come from the sessions."""
    is_elsewhere = bool(draw.get("repo")) and draw["repo"] not in erasure.repos
    if is_elsewhere and erasure.clean_items.issuperset(draw["items"]):
        return draw
    return {name: value for name, value in draw.items() if name not in _TOLD}


def _supported(draft: Body, erasure: Erasure) -> Body:
    """A draft with the evidence that stays; none, where nothing of it speaks for the draft."""
    stays = [piece for piece in draft.get("evidence", ()) if not _is_of(piece["session"], erasure)]
    return {**draft, "evidence": stays if any(not piece.get("is_against") for piece in stays) else []}


def _is_of(session: Body, erasure: Erasure) -> bool:
    return (session.get("agent"), session.get("native_id")) in erasure.sessions
