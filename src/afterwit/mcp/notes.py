"""Gives items to an agent: draws who gets which, notes it, and makes the text.

Everything that tells items goes through here, so that none is told unnoted. What an agent asks for by its id it gets;
what it asks for in general is drawn. An item that may not be told is named without its words; of evidence is told where
it comes from, and the words only where a user typed them. Texts of answers stand between the fixed markers, and are
never more than a model should read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from afterwit.agents.hook_payloads import ASKED
from afterwit.config.world import World
from afterwit.knowledge.door.listeners import listener_here
from afterwit.knowledge.shown_items import excerpt, grounds, may_be_told_to, sentence
from afterwit.knowledge.whose_words import Listener
from afterwit.mcp.tool import Caller, Schema, text
from afterwit.model.knowledge import Evidence, Item, ScopeKind
from afterwit.model.times import iso_from_ms
from afterwit.recall.recall import repo_at
from afterwit.recall.spooled import Audience, audience_of, note
from afterwit.redaction.hygiene import clean
from afterwit.redaction.markers import CLOSING, OPENING
from afterwit.redaction.shown import (
    NOTHING,
    Shown,
    between_markers,
    command,
    complaint,
    figure,
    joined,
    label,
    lines,
    name,
    ours,
    path,
    stamp,
)

THIS_REPO, ALL_REPOS = "this repository", "all repositories"
PLACE: Mapping[str, Schema] = {
    "repo": text("The repository, if it is not the one you are in: its name, or the last part of it.", 400),
    "folder": text("Absolute path of the folder you work in. Default: where this server was started."),
}
MOST_CHARS = 8_000  # about 2,000 tokens
_MOST_EVIDENCE = 8
_EXCERPT = 240
_WAITS = "Its words are not shown to agents: a person has yet to look at it."
_ANOTHERS = "Its words are not shown to agents here: somebody else said them."
_DENIED = "Its words are not shown to agents: the repository's own instructions say otherwise."


class ItemLine(NamedTuple):
    """A line, and the item that it tells; "" where it tells none."""

    item: str
    text: Shown


Sections = Sequence[tuple[Shown, Sequence[ItemLine]]]  # a heading, and lines; without lines it frames the others


def tell_items(world: World, to: Audience, moment: str, sections: Sections, ending: Sequence[Shown] = ()) -> Shown:
    """The text for an agent without what is held out, noted; "" where nothing is left."""
    heard = list(_heard(to, sections))
    text = _text(heard, ending)
    shown = _items_shown(heard)
    items: Mapping[str, bool] = {line.item: line.item in shown for _, said in sections for line in said if line.item}
    if items:
        note(world, to, moment, items, text, _text(sections, ending))
    return text


def tell_by_id(db: apsw.Connection, caller: Caller, item: Item) -> Shown:
    """An item with what stands behind it."""
    text = notes(explain(item, listener_here(db, caller.world)))
    to = audience_of(db, caller.world, caller.agent, caller.session, repo_of(db, caller, {}))
    note(caller.world, to, ASKED, {item.id: True}, text, text)
    return text


def _heard(to: Audience, sections: Sections) -> Iterator[tuple[Shown, Sequence[ItemLine]]]:
    """The sections without what is held out. A heading goes with the last of its lines."""
    for heading, said in sections:
        heard = [line for line in said if to.hears(line.item)]
        if heard or not said:
            yield heading, heard


def _text(sections: Sections, ending: Sequence[Shown]) -> Shown:
    """Between the markers; "" where there are no lines."""
    rows = [row.text for row in _rows(sections)]
    return notes([*rows, *ending]) if any(said for _, said in sections) else NOTHING


def _items_shown(sections: Sections) -> frozenset[str]:
    """The items of those lines that there is room for."""
    rows = _rows(sections)
    return frozenset(row.item for row in rows[: count_fitting(row.text for row in rows)])


def _rows(sections: Sections) -> list[ItemLine]:
    """All lines, with those of the headings."""
    return [row for heading, said in sections for row in (*(ItemLine("", line) for line in lines(heading)), *said)]


def explain(item: Item, to: Listener) -> Iterator[Shown]:
    """The lines, unmarked."""
    is_told = may_be_told_to(item, to)
    said = sentence(item) if is_told else NOTHING
    yield joined((ours("Note "), stamp(item.id), ours(": "), said or _unsaid(item, to)))
    standing = (label(item.category), label(item.status), label(item.authority))
    yield joined((joined((*standing, grounds(item), joined((ours("applies "), _where(item)))), ", "), ours(".")))
    if is_told:
        yield from _details(item)
    newest = sorted(item.evidence, key=_moment, reverse=True)
    if newest:
        yield ours("Evidence, the newest first:")
        yield from (_piece(item, piece, is_told=is_told) for piece in newest[:_MOST_EVIDENCE])
    if len(newest) > _MOST_EVIDENCE:
        more = figure(len(newest) - _MOST_EVIDENCE)
        yield joined(
            (ours("("), more, ours(" more pieces; `afterwit knowledge why "), stamp(item.id), ours("` shows all)"))
        )


def _unsaid(item: Item, to: Listener) -> Shown:
    """Why its words are not shown."""
    if not to.hears(item):
        return ours(_ANOTHERS)
    return ours(_DENIED) if item.is_denied else ours(_WAITS)


def _details(item: Item) -> Iterator[Shown]:
    if item.reason:
        yield joined((ours("Why: "), complaint(item.reason), ours(".")))
    if item.advice:
        yield joined((ours("Command: "), command(item.advice)))
    if files := joined(map(path, item.files[:_MOST_EVIDENCE]), ", "):
        yield joined((ours("Files: "), files))


def _where(item: Item) -> Shown:
    place = last_part(item.scope.name)
    if item.scope.kind is ScopeKind.GLOBAL or not place:
        return ours("everywhere" if item.scope.kind is ScopeKind.GLOBAL else "in one repository")
    return joined((ours("in `"), place, ours("`")))


def _piece(item: Item, piece: Evidence, *, is_told: bool) -> Shown:
    side = ours("against" if piece.is_against else "for")
    session = piece.session
    place = joined(
        (side, day(_moment(piece)), name(session.agent), last_part(session.repo), label(piece.channel)), ", "
    )
    said = excerpt(item, piece, one_line(piece.excerpt, _EXCERPT)) if is_told else NOTHING
    return joined(
        (ours("- "), place, ours(", session "), stamp(session.native_id), *((ours(": "), said) if said else ()))
    )


def _moment(piece: Evidence) -> int:
    return piece.at_ms or piece.session.at_ms


def notes(lines: Iterable[Shown], most: int = MOST_CHARS) -> Shown:
    """Lines between the markers: as many as there is room for, and how many were left out."""
    rows = list(lines)
    kept = rows[: count_fitting(rows, most)]
    if len(kept) < len(rows):
        kept.append(joined((ours("("), figure(len(rows) - len(kept)), ours(" more lines left out)"))))
    return between_markers(joined(kept, "\n"), OPENING, CLOSING)


def count_fitting(lines: Iterable[str], most: int = MOST_CHARS) -> int:
    """How many of the lines there is room for, from the first."""
    left, number = most, 0
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            break
        number += 1
    return number


def one_line(text: str, most: int) -> str:
    """A foreign text on one line, cleaned and cut."""
    line = " ".join(clean(text[: most * 4]).split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def day(at_ms: int | None) -> Shown:
    return stamp(iso_from_ms(at_ms)[:10]) if at_ms else ours("no date")


def literal(name: str) -> str:
    """A name as a pattern that fits nothing else."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def last_part(repo: str) -> Shown:
    """The name of a repository, where it is a plain one."""
    return name(repo.rpartition("/")[2])


def repo_of(db: apsw.Connection, caller: Caller, arguments: Mapping[str, Any]) -> str:
    """The repository; "" where no session is known of it. A name that nobody knows is an error."""
    if "repo" in arguments:
        from afterwit.sessions.filters import find_repo

        return find_repo(db, arguments["repo"], caller.world.settings)
    folder = folder_of(caller, arguments)
    return repo_at(db, caller.world, folder) if folder else ""


def folder_of(caller: Caller, arguments: Mapping[str, Any]) -> Path | None:
    """The folder that the agent names, or works in."""
    named = str(arguments.get("folder", ""))
    if not named:
        return caller.folder
    if named == "~" or named.startswith("~/"):
        return caller.world.user_home / named[2:]
    path = Path(named)
    return path if path.is_absolute() else caller.folder / path if caller.folder else None
