"""The page of a repository as people see, change and follow it.

`look` gives the page with how often each line was told and what it rests on; `edit` takes a page as a person gives it
back, line by line, as decisions that `undo` takes back; `keep` and `drop` decide about single lines; `versions` tells
how it came to be. A line that a person writes is theirs: clean, redacted, and otherwise as they typed it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.knowledge.brief import ENTRIES, Page, ToldLine, edit_of, versions_of
from afterwit.knowledge.door.listeners import listener_here
from afterwit.model.brief import LINE_LIMIT, Heading, Heard, Line
from afterwit.model.errors import UsageError
from afterwit.model.text import regex
from afterwit.recall.brief_block import start_block
from afterwit.recall.recall import page_of, repo_at, settings_of, speaking_items, stories
from afterwit.recall.situation import Situation
from afterwit.repos.remotes import last_part
from afterwit.sessions.filters import find_repo, known_repos
from afterwit.store.decisions import BriefEdited, KnowledgeEntry, RejectedProposal, in_force
from afterwit.store.rows.items import recorded_about
from afterwit.store.rows.repetitions import heard
from afterwit.store.store import readonly_database, require

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from afterwit.engine.curation.curate import DecisionDesk


ON_DEMAND = "When its moment comes"
_BULLET = regex(r"^\s*[-*+]\s+(?P<text>.+?)\s*$")
_HEADING = regex(r"^#{1,6}\s+(?P<title>.+?)\s*#*\s*$")


class BriefView(NamedTuple):
    """The page of a repository."""

    repo: str
    page: Page
    start: tuple[ToldLine, ...]  # what every session is told, in its order
    left_out: tuple[tuple[ToldLine, str], ...]
    on_demand: tuple[Line, ...]
    told: Mapping[str, Heard]  # by line
    rejected: tuple[RejectedProposal, ...]  # of the last compilation
    text: str  # as an agent gets it


class BriefVersion(NamedTuple):
    """The page after one change."""

    number: int
    at_ms: int
    by: str  # the model, or "" for a person
    page: Page
    added: tuple[Line, ...]
    removed: tuple[Line, ...]


_MOST_NAMED = 5


def find_place(db: apsw.Connection, world: World, folder: Path, name: str | None) -> str:
    """The repository of this name, or of this folder."""
    repo = find_repo(db, name, world.settings) if name else repo_at(db, world, folder)
    if not repo:
        names = sorted(map(last_part, known_repos(db)))[:_MOST_NAMED]
        named = f", such as {', '.join(names)}" if names else ""
        raise UsageError(
            f"No session was seen in this folder. Name a repository{named}; `afterwit sessions repos` lists them."
        )
    return repo


def look(world: World, folder: Path, name: str | None = None) -> BriefView:
    """The page as it stands."""
    require(world.layout)
    with readonly_database(world.layout) as db:
        return view_in(db, world, find_place(db, world, folder, name))


def view_in(db: apsw.Connection, world: World, repo: str) -> BriefView:
    """The page of a repository, of a store that is open."""
    page, to, situation = page_of(db, repo), listener_here(db, world), Situation(repo)
    items = speaking_items(db, to, situation.scopes())
    start = start_block(page, items, situation, to, stories(db), settings=settings_of(world))
    lines = [*(told.line for told in start.lines), *page.lines]
    compiled = [entry for entry in recorded_about(db, (), ENTRIES) if entry.kind == KnowledgeEntry.COMPILED]
    last = next((entry for entry in reversed(compiled) if entry.body["repo"] == repo), None)
    return BriefView(
        repo=repo,
        page=page,
        start=start.lines,
        left_out=start.left_out,
        on_demand=tuple(line for line in page.lines if line.heading is None),
        told=heard(db, {line.id for line in lines}),
        rejected=tuple(msgspec.convert(last.body.get("rejected", []), list[RejectedProposal])) if last else (),
        text=start.text,
    )


def lines_by_title(view: BriefView) -> dict[str, list[str]]:
    """The page as files have it: what is told at the start, and what waits for its moment."""
    lines = {
        heading.in_words: [told.line.text for told in view.start if told.line.heading is heading] for heading in Heading
    }
    lines[ON_DEMAND] = [line.text for line in view.on_demand]
    return {title: said for title, said in lines.items() if said}


def versions(world: World, folder: Path, name: str | None = None) -> list[BriefVersion]:
    """How the page came to be, the first version first."""
    with readonly_database(world.layout) as db:
        repo = find_place(db, world, folder, name)
        entries = in_force(recorded_about(db, (), ENTRIES))
    made: list[BriefVersion] = []
    before: tuple[Line, ...] = ()
    for entry, page in versions_of(entries, repo):
        texts, now = {line.text for line in before}, {line.text for line in page.lines}
        added = tuple(line for line in page.lines if line.text not in texts)
        removed = tuple(line for line in before if line.text not in now)
        by = str(entry.body.get("model", ""))
        made.append(BriefVersion(page.number, entry.at_ms, by, page, added, removed))
        before = page.lines
    return made


def as_markdown(view: BriefView) -> str:
    """The page as a person edits it."""
    name = view.repo.rpartition("/")[2]
    rows = [
        f"# The brief of {name}",
        "",
        "Every session begins with these lines. Change, add, delete or move them; what you touch is yours and stays as",
        f"it is. A line has at most {LINE_LIMIT} characters. What is no list item is not read.",
    ]
    for heading in Heading:
        rows += ["", f"## {heading.in_words}", ""]
        rows += [f"- {told.line.text}" for told in view.start if told.line.heading is heading]
    return "\n".join((*rows, ""))


def understand_markdown(text: str) -> dict[Heading, list[str]]:
    """The lines of a page that a person gives back, by heading."""
    titles = {_fold(heading.in_words): heading for heading in Heading}
    lines: dict[Heading, list[str]] = {heading: [] for heading in Heading}
    heading: Heading | None = None
    for row in text.splitlines():
        if title := _HEADING.match(row):
            heading = titles.get(_fold(title["title"]))
            if heading is None and row.startswith("##"):
                raise UsageError(f"{title['title']!r} is no heading of the brief. Keep the four that are there.")
        elif heading is not None and (bullet := _BULLET.match(row)):
            lines[heading].append(bullet["text"])
    return lines


def _fold(title: str) -> str:
    return "".join(letter for letter in title.lower() if letter.isalnum())


def _desk(world: World) -> "AbstractContextManager[DecisionDesk]":
    from afterwit.engine.curation.curate import decision_desk  # who looks at a page decides nothing

    return decision_desk(world)


def edit(world: World, folder: Path, name: str | None, given: Mapping[Heading, Sequence[str]]) -> BriefEdited:
    """Takes a page as a person gives it: what is new, changed or moved becomes theirs, what is missing is taken out."""
    with _desk(world) as desk:
        view = view_in(desk.store.db, world, find_place(desk.store.db, world, folder, name))
        wanted = {heading: [_line_of_person(world, text) for text in texts] for heading, texts in given.items()}
        shown = view.page._replace(compiled=(*_told(view), *view.on_demand), own=_own(view), removed=())
        made = edit_of(shown, wanted)
        _note(desk, made)
        return made


def _told(view: BriefView) -> Iterator[Line]:
    return (told.line for told in view.start if not told.line.is_own)


def _own(view: BriefView) -> tuple[Line, ...]:
    """A person's lines in the places that they have on the page as it is told."""
    own = []
    for heading in Heading:
        lines = [told.line for told in view.start if told.line.heading is heading]
        own += [msgspec.structs.replace(line, at=at) for at, line in enumerate(lines) if line.is_own]
    return tuple(own)


def _line_of_person(world: World, text: str) -> str:
    from afterwit.engine.curation.curate import line_of

    line = line_of(world, text)
    if len(line) > LINE_LIMIT:
        raise UsageError(f"This line has {len(line)} characters; {LINE_LIMIT} are the most: {line[:60]}…")
    return line


def keep(world: World, folder: Path, name: str | None, ids: Iterable[str]) -> BriefEdited:
    """Makes lines a person's own, where they stand."""
    with _desk(world) as desk:
        view = view_in(desk.store.db, world, find_place(desk.store.db, world, folder, name))
        put = []
        for told in (find_line(view, wanted) for wanted in ids):
            beside = [other.line.id for other in view.start if other.line.heading is told.heading]
            at = beside.index(told.id) if told.id in beside else 0
            put.append(msgspec.structs.replace(told, is_own=True, at=at))
        made = BriefEdited(repo=view.repo, put=tuple(put))
        _note(desk, made)
        return made


def drop(world: World, folder: Path, name: str | None, ids: Iterable[str]) -> BriefEdited:
    """Takes lines out; they do not come back."""
    with _desk(world) as desk:
        view = view_in(desk.store.db, world, find_place(desk.store.db, world, folder, name))
        made = BriefEdited(repo=view.repo, removed=tuple(find_line(view, wanted) for wanted in ids))
        _note(desk, made)
        return made


def find_line(view: BriefView, wanted: str) -> Line:
    """The line with this id, or whose id begins so."""
    lines = {line.id: line for line in (*(told.line for told in view.start), *view.on_demand)}
    near = [line for name, line in lines.items() if wanted and name.startswith(wanted)]
    if len(near) != 1:
        raise UsageError(
            f"{'Several lines begin' if near else 'No line begins'} with {wanted!r}. `afterwit brief` shows them."
        )
    return near[0]


def _note(desk: "DecisionDesk", made: BriefEdited) -> None:
    if made.put or made.removed:
        desk.note((KnowledgeEntry.BRIEF_EDITED, msgspec.to_builtins(made)))
        desk.settle()
