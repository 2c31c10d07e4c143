"""What people look at: patterns with what was decided about them, the log of decisions, and how versions differ."""

import difflib
import json

import msgspec

from afterwit.config.world import World
from afterwit.extras.lab.patterns.catalog import Catalog, CatalogEntry, EntryStatus, EntryVersion, entry_from, match_id
from afterwit.extras.lab.patterns.curate import find_entry
from afterwit.extras.lab.patterns.detect import FEWEST_STORIES, Pattern, cluster, detect, signals_in
from afterwit.model.errors import UsageError
from afterwit.sessions.filters import Filter
from afterwit.store.rows.extras import pattern_entries
from afterwit.store.store import readonly_database

_ANY = Filter()
_UNDECIDED = "Nothing was decided about {!r}. `afterwit patterns list` shows the catalog."


class ShownPattern(msgspec.Struct, frozen=True, kw_only=True):
    """All about one pattern: as it was decided, as it is found now, or both."""

    entry: CatalogEntry
    current: Pattern | None  # as it is found now
    history: list[EntryVersion]


def catalog_of(world: World) -> Catalog:
    with readonly_database(world.layout) as db:
        return Catalog(pattern_entries(db))


def list_entries(world: World, statuses: tuple[EntryStatus, ...] = ()) -> list[CatalogEntry]:
    """The catalog, by title."""
    entries = catalog_of(world).entries.values()
    chosen = (entry for entry in entries if not statuses or entry.status in statuses)
    return sorted(chosen, key=lambda entry: (entry.title, entry.id))


def show_pattern(world: World, name: str) -> ShownPattern:
    with readonly_database(world.layout) as db:
        catalog = Catalog(pattern_entries(db))
        current = {pattern.id: pattern for pattern in cluster(signals_in(db), fewest_stories=1)}
    entry = find_entry(name, catalog.entries, lambda: {own: entry_from(pattern) for own, pattern in current.items()})
    return ShownPattern(entry=entry, current=current.get(entry.id), history=catalog.history(entry.id))


def list_undecided(world: World, wanted: Filter = _ANY, fewest_stories: int = FEWEST_STORIES) -> list[Pattern]:
    """What was found and nobody has decided about."""
    decided = catalog_of(world).entries
    return [pattern for pattern in detect(world, wanted, fewest_stories) if pattern.id not in decided]


def log(world: World, name: str = "") -> list[EntryVersion]:
    """What was decided, about one pattern or all, the latest first; also what was taken back."""
    catalog = catalog_of(world)
    if name:
        own = match_id(name, catalog.ids, _UNDECIDED.format(name))
        return catalog.all_versions(own)[::-1]
    versions = (version for own in catalog.ids for version in catalog.all_versions(own))
    return sorted(versions, key=lambda version: (-version.at_ms, -version.number, version.entry.id))


def diff(world: World, name: str, old: str = "", new: str = "") -> list[str]:
    """The lines in which two versions of a pattern differ; without names, the last two that stand."""
    catalog = catalog_of(world)
    own = match_id(name, catalog.ids, _UNDECIDED.format(name))
    versions = {version.entry.version: version.entry for version in catalog.all_versions(own)}
    standing = [version.entry.version for version in catalog.history(own)]
    new = new or (standing[-1] if standing else list(versions)[-1])
    before = list(versions)[: list(versions).index(new)] if new in versions else []
    earlier = [version for version in standing if version in before] or before
    old = old or (earlier[-1] if earlier else "")
    for version in filter(None, (old, new)):
        if version not in versions:
            raise UsageError(f"{own} has no version {version}. It has {', '.join(versions)}.")
    before_lines, after_lines = (_lines(versions[version]) if version else [] for version in (old, new))
    names = (f"{own} {old or 'nothing'}", f"{own} {new}")
    return list(difflib.unified_diff(before_lines, after_lines, *names, lineterm=""))


def _lines(entry: CatalogEntry) -> list[str]:
    """One for each field, and one for each piece of evidence."""
    fields = msgspec.structs.asdict(entry)
    pieces = [f"evidence = {msgspec.json.encode(piece).decode()}" for piece in fields.pop("evidence")]
    return [*(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()), *pieces]
