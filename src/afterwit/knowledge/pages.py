"""Knowledge as Markdown pages, pleasant to read and small to compare.

One page per category of what holds everywhere, one per repository, one per agent. The same document gives the same
pages. Names from logs are keys, never paths: a file name is a slug and a short hash. Text from transcripts stays text:
one line, nothing in it can begin a heading, a list, a link or HTML; what stands between backticks stays code.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

from afterwit.knowledge.documents import Document, WrittenItem
from afterwit.model.knowledge import PERSON, Authority, Category, ItemStatus, ScopeKind
from afterwit.redaction.hygiene import clean

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
_MARK = re.compile(r"[\\`*\[\]<~$]|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w])")
_OPENING = re.compile(r"[#>+\-=]|\d+(?=[.)])")


class PageFolder(StrEnum):
    GLOBAL = "global"
    REPOS = "repos"
    AGENTS = "agents"


def pages(whole: Document) -> dict[str, str]:
    """The pages, by path below the folder. Retired and superseded items are left out."""
    shown = [item for item in whole.items if item.status not in (ItemStatus.RETIRED, ItemStatus.SUPERSEDED)]
    by_path: dict[str, str] = {}
    for category, name in NAMES.items():
        own = [item for item in shown if item.scope is ScopeKind.GLOBAL and item.category is category]
        if own:
            by_path[f"{PageFolder.GLOBAL}/{_slug(name)}.md"] = _page(f"{name} in every repository", [_list(own)])
    for kind, folder in ((ScopeKind.REPO, PageFolder.REPOS), (ScopeKind.AGENT, PageFolder.AGENTS)):
        for key in sorted({item.place.name for item in shown if item.scope is kind}):
            own = [item for item in shown if item.scope is kind and item.place.name == key]
            by_path[f"{folder}/{file_name(key)}"] = _page(inline(key), _sections(own))
    return dict(sorted(by_path.items()))


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
    spans = [f"`{piece}`" if at % 2 and piece else _escaped(piece) for at, piece in enumerate(pieces)]
    return _unopened("".join(spans).replace("``", "` `"))


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


def _escaped(text: str) -> str:
    return _MARK.sub(lambda mark: f"\\{mark[0]}", text)


def _unopened(line: str) -> str:
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
