"""The uses of skills in chosen sessions, each compared with moments of the others among them.

What was seen of every session is stored with the harvest, so no digest is opened here. Sessions that were captured and
not yet learned from are missing until the next `learn`.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from afterwit.config.world import World
from afterwit.extras.lab.skills.effect import Skills, SkillSighting, WeighedUse, weighed
from afterwit.extras.lab.skills.moments import SkillSession
from afterwit.harvest.door import version_of
from afterwit.model.knowledge import SessionRef, Sighting
from afterwit.sessions.filters import Filter, selection_of
from afterwit.store.decisions.published import PublishedForm, PublishedVersion, published_versions, recorded_patterns
from afterwit.store.rows.session_list import SessionRow, selected_sessions
from afterwit.store.rows.sightings import seen_by
from afterwit.store.store import readonly_database

_SEEN = msgspec.msgpack.Decoder(SkillSession)
_REF = msgspec.msgpack.Decoder(SessionRef)


class SkillHistory(NamedTuple):
    """Sessions in order of time, and the uses in them by skill."""

    sightings: Sequence[SkillSighting]
    uses: Mapping[str, Sequence[WeighedUse]]


def skill_history(world: World, wanted: Filter) -> SkillHistory:
    """What the sessions that the filter means show."""
    with readonly_database(world.layout) as db:
        seen = {row.session_id: row for row in seen_by(db, Skills.name, version_of())}
        sightings = [
            Sighting(_ref_of(row, seen[row.id].ref), _SEEN.decode(seen[row.id].body))
            for row in selected_sessions(db, selection_of(db, world.settings, wanted))
            if row.id in seen
        ]
        published = published_versions(recorded_patterns(db), PublishedForm.SKILL)
    return SkillHistory(sightings, _versioned(weighed(sightings), published))


def _versioned(
    uses: Mapping[str, Sequence[WeighedUse]], published: Sequence[PublishedVersion]
) -> dict[str, Sequence[WeighedUse]]:
    """The same, where a use of a skill that we published has the version that was there when its session began."""
    versions: dict[str, list[PublishedVersion]] = {}
    for version in sorted(published, key=lambda version: version.at_ms):
        versions.setdefault(version.name, []).append(version)
    return {name: [_with_version(use, versions.get(name, ())) for use in own] for name, own in uses.items()}


def _with_version(use: WeighedUse, versions: Sequence[PublishedVersion]) -> WeighedUse:
    at = bisect_right(versions, use.session.at_ms, key=lambda version: version.at_ms)
    return use._replace(use=replace(use.use, version=versions[at - 1].version)) if at else use


def _ref_of(row: SessionRow, kept: bytes) -> SessionRef:
    """How evidence names the session; where it has to be named anew, by its row."""
    if kept:
        return _REF.decode(kept)
    versions = msgspec.json.decode(row.versions or "[]", type=list[str])
    return SessionRef(
        agent=row.agent,
        native_id=row.native_id,
        story=row.parent or row.native_id,
        repo=row.repo,
        version=versions[-1] if versions else "",
        at_ms=row.started_ms or 0,
    )
