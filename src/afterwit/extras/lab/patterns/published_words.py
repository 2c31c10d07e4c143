"""The words in which a pattern goes out: as a note, as a skill, in a block of a file. Pure, and the only place for it.

Every sentence passes the gate of knowledge (no secret, nothing of the moment, no address, no output of our own) and
that of texts for agents (nothing that reads like an order), whoever wrote it and whoever approved it. What agents read
stands between the markers by which it is known again when it comes back in a log.
"""

from collections.abc import Iterable, Sequence

from afterwit.extras.lab.patterns.catalog import CatalogEntry
from afterwit.extras.lab.patterns.detect import PUBLISHED as PATTERNS
from afterwit.extras.lab.patterns.detect import PatternSide
from afterwit.extras.lab.skill_folders import SkillDocument, skill_document, skill_name
from afterwit.knowledge.documents import trigger_from
from afterwit.knowledge.gate import rejection
from afterwit.knowledge.shown_items import approved
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import EVERYWHERE, Category, Channel, Draft, Evidence, Scope, ScopeKind, SessionRef
from afterwit.redaction.markers import CLOSING, LONGEST_BLOCK, OPENING
from afterwit.redaction.plain_names import is_plain_name
from afterwit.redaction.shown import Shown, between_markers, joined, name, ours, stamp

_NOT_FIT = "{id} cannot be published. {why} `afterwit patterns edit {id}` gives it other words."


def refuse_unfit(entry: CatalogEntry) -> None:
    """Raises where a pattern may not leave the catalog."""
    why = unfit(entry)
    if why:
        raise UsageError(_NOT_FIT.format(id=entry.id, why=why))


def unfit(entry: CatalogEntry) -> str:
    """Why a pattern may not leave the catalog; "" where it may."""
    for text in (entry.title, entry.text):
        if not text:
            return "It has no words: they went with the sessions that were erased."
        why = rejection(_draft(entry, text))
        if why is not None:
            return why.words
        if not approved(text):
            return "It reads like an order to an agent, or leads elsewhere."
    scope = scope_of(entry)
    if scope.name and not is_plain_name(_last(scope.name)):
        return f"What it applies to is no plain name: {scope.name!r}."
    try:
        triggers = [trigger_from(text) for text in entry.triggers]
    except UsageError as error:
        return f"When it is shown cannot be understood: {error}"
    is_foreign = any(not approved(text) for text in entry.triggers)
    return "When it is shown reads like an order to an agent." if is_foreign and triggers else ""


def scope_of(entry: CatalogEntry) -> Scope:
    kind, _, where = entry.scope.partition(":")
    return Scope(ScopeKind(kind), where) if kind in frozenset(ScopeKind) and where else EVERYWHERE


def note_of(entry: CatalogEntry, person: Evidence) -> Draft:
    """The note of a version. Every version is a note of its own, so that their effects are told apart. What stands
    behind it are the sessions that show the pattern; where there are none here, the person who approved it."""
    sessions = (
        Evidence(
            session=SessionRef(
                agent=piece.agent, native_id=piece.session, story=piece.session, repo=piece.repo, at_ms=piece.at_ms
            ),
            channel=Channel.OUTCOME,
            at=piece.step,
            at_ms=piece.at_ms,
        )
        for piece in entry.evidence
    )
    return _draft(entry, entry.text, tuple(sessions) or (person,))


def _draft(entry: CatalogEntry, text: str, evidence: Sequence[Evidence] = ()) -> Draft:
    return Draft(
        harvester=PATTERNS,
        key=(entry.id, entry.version),
        scope=scope_of(entry),
        category=Category.PITFALL if entry.side == PatternSide.PROBLEM else Category.PATTERN,
        sentence=text,
        channel=Channel.OUTCOME,
        triggers=tuple(map(trigger_from, entry.triggers)) if evidence else (),
        evidence=tuple(evidence),
    )


def skill_name_of(entry: CatalogEntry) -> str:
    """The same for all versions: agents and people know a skill by it."""
    return skill_name(entry.kind or "pattern", entry.id)


def skill_of(entry: CatalogEntry) -> SkillDocument:
    """The skill of a version."""
    version = joined([stamp(number) for number in entry.version.split(".")], ".")
    mark = ours("<!-- Written by `afterwit patterns publish`; `afterwit patterns unpublish` removes it. -->")
    words = tuple(map(approved, dict.fromkeys((entry.title, entry.text))))
    description = joined(words, " ")
    body = joined(
        (
            joined((ours("# "), approved(entry.title))),
            words[-1],
            _where(entry),
            joined((ours("Pattern "), stamp(entry.id), ours(", version "), version, ours("."))),
        ),
        "\n\n",
    )
    text = joined((between_markers(body, OPENING, CLOSING), ours("\n"), mark))
    return skill_document(skill_name_of(entry), description, text, entry.version)


def block_of(entries: Iterable[CatalogEntry]) -> Shown:
    """The block of all patterns that one file holds, without its marks."""
    lines = [
        joined((ours("- "), approved(entry.text), *_title_after(entry)))
        for entry in sorted(entries, key=lambda entry: (entry.title, entry.id))
    ]
    text = between_markers(joined((ours("What recurs here, and what to do about it:"), *lines), "\n"), OPENING, CLOSING)
    if len(text) > LONGEST_BLOCK:
        raise UsageError(f"So many patterns are {len(text)} characters; {LONGEST_BLOCK} are the most for one file.")
    return text


def _title_after(entry: CatalogEntry) -> tuple[Shown, ...]:
    """What recurs, behind what to do; nothing where a note says both at once."""
    return () if entry.title == entry.text else (ours(" ("), approved(entry.title), ours(")"))


def _where(entry: CatalogEntry) -> Shown:
    scope = scope_of(entry)
    if scope.kind is ScopeKind.REPO:
        return joined((ours("Only in the repository "), name(_last(scope.name)), ours(".")))
    return joined((ours("Only for the agent "), name(_last(scope.name)), ours("."))) if scope.name else ours("")


def _last(where: str) -> str:
    """The name of a repository without host and owner."""
    return where.rpartition("/")[2]
