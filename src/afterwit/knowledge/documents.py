"""`index.json`: knowledge as a document that people keep in git, send to each other and merge.

The same items give the same bytes: sorted by id, fields in a fixed order, moments in UTC, and of redaction placeholders
only the type. Decoding is strict, and every complaint says what is wrong, where, and what to do. `merge` depends on the
set of documents alone: evidence unites, the latest words stand, and confidence is counted again by whoever calls.
Whether a document may be believed is not decided here. docs/reference/knowledge.md describes the shape.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import msgspec

from afterwit.actions.shell.parse import parse
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import (
    EXCERPT_LIMIT,
    PERSON,
    SENTENCE_LIMIT,
    Authority,
    Category,
    Channel,
    Evidence,
    Item,
    ItemStatus,
    Scope,
    ScopeKind,
    SessionRef,
    Trigger,
)
from afterwit.model.text import regex, words_of
from afterwit.model.times import iso_from_ms, ms_from_any
from afterwit.redaction.hygiene import clean
from afterwit.redaction.markers import unkeyed

VERSION = 1
GLOBAL = "global"
_ID = regex(r"[0-9a-f]{12}")
_AS_IN_ITEM = (
    *("id", "category", "confidence", "status", "authority", "channel", "harvester"),
    *("triggers", "advice", "files", "saves", "superseded_by"),
)
_SETTLED = (  # where two documents differ, the later in this list stands
    ItemStatus.CANDIDATE,
    ItemStatus.ACTIVE,
    ItemStatus.STALE,
    ItemStatus.QUARANTINED,
    ItemStatus.SUPERSEDED,
    ItemStatus.RETIRED,
)
NAMES: Mapping[Category, str] = {
    Category.PITFALL: "Pitfalls",
    Category.PATTERN: "Patterns",
    Category.FACT: "Facts",
    Category.TOOL_QUIRK: "Tool quirks",
    Category.QUESTION: "Open questions",
}
_MARK_OF_OURS = "Written by `afterwit knowledge export`. Changes made here are lost: "
_NOTE = (
    f"{_MARK_OF_OURS}`afterwit knowledge edit` changes a note, `afterwit knowledge why` shows what stands behind it."
)
_SLUG_LENGTH = 60
_FILES_SHOWN = 5
_MARK = regex(r"[\\`*\[\]<~$]|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w])")
_OPENING = regex(r"[#>+\-=]|\d+(?=[.)])")


class WrittenEvidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One piece of evidence, as documents hold it: without user and machine."""

    agent: str
    session: str
    channel: Channel
    date: str = ""
    step: int | None = None
    excerpt: str = ""
    is_against: bool = False
    story: str = ""  # "": the session itself
    source: str = ""
    repo: str = ""
    version: str = ""

    @property
    def identity(self) -> tuple[str, str, int, str, bool]:
        """Equal for the same piece in two documents."""
        return (self.agent, self.session, -1 if self.step is None else self.step, self.channel, self.is_against)


class WrittenItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One item, as documents hold it. Only empty values are left out: others are compared by identity."""

    id: str
    fact: str
    category: Category
    scope: ScopeKind
    repo: str  # the repository's name; "global" where it holds in all
    agent: str = ""  # where it holds for one agent only
    confidence: float
    status: ItemStatus
    authority: Authority
    channel: Channel
    harvester: str
    saves: float  # actions spared when it fires
    first_seen: str = ""
    last_seen: str = ""
    worded: str = ""  # the moment up to which its words take everything into account
    triggers: tuple[Trigger, ...] = ()
    advice: str = ""
    files: tuple[str, ...] = ()
    superseded_by: str = ""
    supersedes: tuple[str, ...] = ()
    evidence: tuple[WrittenEvidence, ...] = ()

    @property
    def place(self) -> Scope:
        """Where it holds, as the rest of the program says it."""
        name = {ScopeKind.GLOBAL: "", ScopeKind.REPO: self.repo, ScopeKind.AGENT: self.agent}[self.scope]
        return Scope(self.scope, name)


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """All that one `index.json` holds, sorted by id."""

    version: int = VERSION
    items: tuple[WrittenItem, ...] = ()


class _Envelope(msgspec.Struct):
    version: int
    items: list[msgspec.Raw]


Confidence = Callable[[WrittenItem], float]


def document(items: Iterable[Item]) -> Document:
    """Items as a document."""
    return _sort(written(item) for item in items)


def written(item: Item) -> WrittenItem:
    pieces = {piece.identity: piece for piece in sorted(map(_piece, item.evidence), key=_bytes)}
    same = {field: getattr(item, field) for field in _AS_IN_ITEM}
    draft = WrittenItem(
        **same,
        fact=" ".join(item.sentence.split()),
        scope=item.scope.kind,
        repo=item.scope.name if item.scope.kind is ScopeKind.REPO else GLOBAL,
        agent=item.scope.name if item.scope.kind is ScopeKind.AGENT else "",
        first_seen=_moment(item.first_ms),
        last_seen=_moment(item.last_ms),
        worded=_moment(item.last_ms),
        supersedes=tuple(sorted(item.supersedes)),
        evidence=_in_order(pieces.values()),
    )
    return msgspec.convert(_plain(msgspec.to_builtins(draft)), WrittenItem)


def encoded(whole: Document) -> bytes:
    """The bytes of `index.json`."""
    return msgspec.json.format(msgspec.json.encode(whole), indent=2) + b"\n"


def decoded(content: bytes, where: str) -> Document:
    """The document in these bytes. `where` names the file in complaints. Two items with one id are refused."""
    again = "Export it again, or restore an earlier version of the file."
    try:
        envelope = msgspec.json.decode(content, type=_Envelope)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{where} is no index of knowledge: {error}. {again}") from error
    if envelope.version != VERSION:
        raise UsageError(
            f"{where} has version {envelope.version}; this afterwit knows version {VERSION}. Upgrade afterwit."
        )
    items: dict[str, WrittenItem] = {}
    for number, raw in enumerate(envelope.items, start=1):
        try:
            item = _check(msgspec.convert(_plain(msgspec.json.decode(raw)), WrittenItem))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
            raise UsageError(f"{where}, note {number}: {error}. Correct or remove that note.") from error
        if item.id in items:
            raise UsageError(f"{where}, note {number}: the id {item.id} occurs twice. Remove one of the two.")
        items[item.id] = item
    return _sort(items.values())


def merge(documents: Iterable[Document], confidence: Confidence) -> Document:
    """One document that holds what all hold. Neither order, grouping nor repetition changes the result.

    `confidence` must depend on nothing but the item that it is given.
    """
    by_id: dict[str, list[WrittenItem]] = {}
    for whole in documents:
        for item in whole.items:
            by_id.setdefault(item.id, []).append(item)
    return _sort(_merge_items(same, confidence) for same in by_id.values())


def evidence_in(item: WrittenItem) -> tuple[Evidence, ...]:
    """The evidence of a written item, as the rest of the program knows it."""
    return tuple(
        Evidence(
            session=SessionRef(
                agent=piece.agent,
                native_id=piece.session,
                story=piece.story or piece.session,
                repo=piece.repo,
                version=piece.version,
                at_ms=ms_from_any(piece.date) or 0,
            ),
            channel=piece.channel,
            source=piece.source,
            at=piece.step,
            at_ms=ms_from_any(piece.date) or 0,
            excerpt=piece.excerpt,
            is_against=piece.is_against,
        )
        for piece in item.evidence
    )


def _merge_items(same: list[WrittenItem], confidence: Confidence) -> WrittenItem:
    words = max(same, key=_precedence)
    pieces: dict[tuple[str, str, int, str, bool], WrittenEvidence] = {}
    for piece in sorted((piece for item in same for piece in item.evidence), key=_bytes):
        pieces[piece.identity] = piece
    united = msgspec.structs.replace(
        words,
        status=max((item.status for item in same), key=_SETTLED.index),
        first_seen=min((item.first_seen for item in same if item.first_seen), default=""),
        last_seen=max(item.last_seen for item in same),
        superseded_by=max(item.superseded_by for item in same),
        supersedes=tuple(sorted({supersede for item in same for supersede in item.supersedes})),
        evidence=_in_order(pieces.values()),
        confidence=0.0,
    )
    return msgspec.structs.replace(united, confidence=round(confidence(united), 2))


def _precedence(item: WrittenItem) -> tuple[str, bytes]:
    """Whose words stand: the latest; of those, any, but always the same. Nothing that merging changes counts."""
    own = msgspec.structs.replace(
        item,
        confidence=0.0,
        status=ItemStatus.CANDIDATE,
        first_seen="",
        last_seen="",
        superseded_by="",
        supersedes=(),
        evidence=(),
    )
    return (item.worded, _bytes(own))


def _piece(evidence: Evidence) -> WrittenEvidence:
    session = evidence.session
    return WrittenEvidence(
        agent=session.agent,
        session=session.native_id,
        channel=evidence.channel,
        date=_moment(evidence.at_ms or session.at_ms),
        step=evidence.at,
        excerpt=evidence.excerpt[:EXCERPT_LIMIT],
        is_against=evidence.is_against,
        story=session.story if session.story != session.native_id else "",
        source=evidence.source,
        repo=session.repo,
        version=session.version,
    )


def _check(item: WrittenItem) -> WrittenItem:
    """The item, if it keeps what every reader relies on. Raises ValueError."""
    if not _ID.fullmatch(item.id):
        raise ValueError(f"its id {item.id[:40]!r} is not twelve hexadecimal digits")
    if not item.fact.strip() or len(item.fact) > SENTENCE_LIMIT or len(item.fact.splitlines()) > 1:
        raise ValueError(f"its `fact` is not one line of 1 to {SENTENCE_LIMIT} characters")
    if not 0 <= item.confidence <= 1:
        raise ValueError(f"its `confidence` {item.confidence} is not between 0 and 1")
    if item.scope is not ScopeKind.GLOBAL and not item.place.name:
        raise ValueError(f"its `scope` is {item.scope}, but no {item.scope} is named")
    moments = [item.first_seen, item.last_seen, item.worded, *(piece.date for piece in item.evidence)]
    for moment in filter(None, moments):
        at_ms = ms_from_any(moment)
        if at_ms is None or iso_from_ms(at_ms) != moment:
            raise ValueError(f"{moment[:40]!r} is not a moment like {iso_from_ms(1_767_225_600_000)}")
    return item


def _plain(value: Any) -> Any:
    """Every text clean and without what only one machine can make."""
    if isinstance(value, str):
        return unkeyed(clean(value))
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return value


def _in_order(pieces: Iterable[WrittenEvidence]) -> tuple[WrittenEvidence, ...]:
    return tuple(sorted(pieces, key=lambda piece: (piece.date, piece.identity)))


def _sort(items: Iterable[WrittenItem]) -> Document:
    return Document(items=tuple(sorted(items, key=lambda item: item.id)))


def _moment(at_ms: int) -> str:
    return iso_from_ms(at_ms) if at_ms > 0 else ""


def _bytes(value: msgspec.Struct) -> bytes:
    return msgspec.json.encode(value)


class PageFolder(StrEnum):
    GLOBAL = "global"
    REPOS = "repos"
    AGENTS = "agents"


def pages(whole: Document, briefs: Mapping[str, Mapping[str, Sequence[str]]] = MappingProxyType({})) -> dict[str, str]:
    """The pages, by path below the folder: of a repository its brief, where it has one, by titles. Retired and
    superseded items are left out."""
    shown = [item for item in whole.items if item.status not in (ItemStatus.RETIRED, ItemStatus.SUPERSEDED)]
    by_path: dict[str, str] = {}
    for category, name in NAMES.items():
        own = [item for item in shown if item.scope is ScopeKind.GLOBAL and item.category is category]
        if own:
            by_path[f"{PageFolder.GLOBAL}/{_slug(name)}.md"] = _page(f"{name} in every repository", [_list(own)])
    for kind, folder in ((ScopeKind.REPO, PageFolder.REPOS), (ScopeKind.AGENT, PageFolder.AGENTS)):
        for key in sorted({item.place.name for item in shown if item.scope is kind}):
            own = [item for item in shown if item.scope is kind and item.place.name == key]
            lines = briefs.get(key, {}) if kind is ScopeKind.REPO else {}
            by_path[f"{folder}/{file_name(key)}"] = _page(inline(key), _brief(lines) or _sections(own))
    return dict(sorted(by_path.items()))


def _brief(lines: Mapping[str, Sequence[str]]) -> list[str]:
    """The lines of a brief below their titles."""
    return [f"## {title}\n\n{''.join(f'- {inline(line)}{chr(10)}' for line in said)}" for title, said in lines.items()]


def is_ours(text: str) -> bool:
    """Whether a page was written here, and may be replaced or removed."""
    return text.startswith("# ") and _MARK_OF_OURS in text[:2000]


def file_name(key: str) -> str:
    """The name of the page of a repository or an agent: readable, safe, and different for different keys."""
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    slug = _slug(key)
    return f"{slug}-{digest}.md" if slug else f"{digest}.md"


def inline(text: str) -> str:
    """Foreign text as one line of Markdown that shows it as it is. What stands between backticks stays code."""
    pieces = " ".join(clean(text).split()).split("`")
    if len(pieces) % 2 == 0:
        last = pieces.pop()
        pieces[-1] = f"{pieces[-1]}`{last}"
    spans = [f"`{piece}`" if at % 2 and piece else _escape(piece) for at, piece in enumerate(pieces)]
    return _close("".join(spans).replace("``", "` `"))


def code(text: str) -> str:
    """Foreign text as code, whatever backticks it holds."""
    line = " ".join(clean(text).split())
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    room = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{room}{line}{room}{fence}"


def _page(title: str, sections: Iterable[str]) -> str:
    return "\n".join([f"# {title}", "", _NOTE, "", *sections])


def _sections(items: list[WrittenItem]) -> list[str]:
    sections = []
    for category, name in NAMES.items():
        own = [item for item in items if item.category is category]
        if own:
            sections.append(f"## {name}\n\n{_list(own)}")
    return sections


def _list(items: list[WrittenItem]) -> str:
    """Active ones first, the most believed of them first."""
    ordered = sorted(items, key=lambda item: (item.status is not ItemStatus.ACTIVE, -item.confidence, item.id))
    return "".join(_entry(item) for item in ordered)


def _entry(item: WrittenItem) -> str:
    lines = [f"- {inline(item.fact)}"]
    if item.advice and item.advice not in item.fact:
        lines.append(f"  Use {code(item.advice)}.")
    unnamed = [file for file in item.files if file not in item.fact]
    if unnamed:
        lines.append(f"  Files: {', '.join(code(file) for file in unnamed[:_FILES_SHOWN])}.")
    lines.append(f"  *{_standing(item)}* `{item.id}`")
    return "\n".join(lines) + "\n"


def _standing(item: WrittenItem) -> str:
    said = [f"confidence {item.confidence:.2f}"]
    if item.status is not ItemStatus.ACTIVE:
        said.append(item.status.in_words)
    if item.authority is Authority.OBSERVATION:
        said.append("a quote, not advice")
    stories = len({piece.story or piece.session for piece in item.evidence if not piece.is_against})
    if item.harvester == PERSON:
        said.append("written by a person")
    elif stories:
        said.append(f"seen in {stories} independent session{'' if stories == 1 else 's'}")
    first, last = item.first_seen[:10], item.last_seen[:10]
    if last:
        said.append(last if first in ("", last) else f"{first} to {last}")
    return ", ".join(said)


def _escape(text: str) -> str:
    return _MARK.sub(lambda mark: f"\\{mark[0]}", text)


def _close(line: str) -> str:
    """The line with its beginning made harmless: no heading, quotation, list or rule starts there."""
    opening = _OPENING.match(line)
    if opening is None:
        return line
    if opening[0].isdecimal():
        return f"{opening[0]}\\{line[opening.end() :]}"
    return f"\\{line}"


def _slug(text: str) -> str:
    plain = re.sub(r"[^a-z0-9.]+", "-", text.lower())
    return re.sub(r"\.{2,}", ".", plain)[:_SLUG_LENGTH].strip("-.")


def trigger_from(text: str) -> Trigger:
    """What fires under such a condition. Raises where it is none."""
    kind, _, value = (part.strip() for part in text.partition(":"))
    make = _MAKERS.get(kind)
    if make is None or not value:
        raise UsageError(f"{text!r} is none of {', '.join(f'{name}:…' for name in _MAKERS)} and none.")
    return make(value)


def _on_command(line: str) -> Trigger:
    commands = parse(line).commands
    if len(commands) != 1 or not commands[0].program:
        raise UsageError(f"{line!r} is not one simple command.")
    return Trigger(program=commands[0].program, words=tuple(commands[0].arguments))


def _on_topic(text: str) -> Trigger:
    words = tuple(words_of(text))
    if not words:
        raise UsageError(f"{text!r} has no word that tells a task from others.")
    return Trigger(topic=words)


_MAKERS: dict[str, Callable[[str], Trigger]] = {
    "command": _on_command,
    "path": lambda value: Trigger(path=value),
    "rule": lambda value: Trigger(rule=value),
    "topic": _on_topic,
    "tool": lambda value: Trigger(tool=value),
}
