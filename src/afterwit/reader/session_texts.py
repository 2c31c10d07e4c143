"""Sessions as they are sent to a model, from the archive: their lines, and what stands beside them.

Everything is redacted here once more: transcripts by `sessions.show`, the repositories' own instruction files by the
same rules, because they lie on the disk as they are.
"""

import datetime as dt
from collections.abc import Iterable
from functools import cached_property

from afterwit.capture.checkouts import checkouts
from afterwit.config.world import World
from afterwit.knowledge.door.host_files import instructions
from afterwit.knowledge.door.list import item_in
from afterwit.knowledge.host_text import HostText
from afterwit.model.knowledge import EVERYWHERE, READ, Item, ItemStatus, Scope, ScopeKind
from afterwit.reader.lines import foreign_texts, session_lines
from afterwit.reader.requests import KnownBeside, SessionText, instructions_in, known_notes
from afterwit.redaction.hygiene import clean
from afterwit.sessions.originals import TranscriptSource
from afterwit.sessions.show import SessionMoment, WantedMoments, moments, safe_row
from afterwit.store.rows.items import items_in
from afterwit.store.rows.session_list import SessionRow

_PRESENT = (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)


def session_text(source: TranscriptSource, row: SessionRow) -> SessionText:
    """One session without its subagents: what they gave back stands in it."""
    shown = safe_row(source, row)
    happened = moments(source, row, WantedMoments(has_arguments=False))
    events = [event for event in happened if isinstance(event, SessionMoment)]
    day = dt.datetime.fromtimestamp(row.started_ms / 1000, tz=dt.UTC).date().isoformat() if row.started_ms else ""
    lines = session_lines(events, shown.root)
    return SessionText(row.agent, row.native_id, row.repo, day, shown.task, lines, foreign_texts(events))


class Beside:
    """What is known of repositories already."""

    def __init__(self, source: TranscriptSource, world: World) -> None:
        self._source = source
        self._world = world
        self._around: dict[str, KnownBeside] = {}

    def around(self, repo: str) -> KnownBeside:
        """What stands beside a session of this repository."""
        if repo not in self._around:
            texts = {path: self._safe(text) for path, text in self._instructions.get(repo, {}).items()}
            self._around[repo] = KnownBeside(known_notes(self.items(repo)), instructions_in(texts))
        return self._around[repo]

    def items(self, repo: str) -> list[Item]:
        """Notes that hold in a repository, the most believed first."""
        scopes = [EVERYWHERE, Scope(ScopeKind.REPO, repo)] if repo else [EVERYWHERE]
        rows = items_in(self._source.store.db, map(str, scopes), map(str, _PRESENT))
        return [item_in(row) for row in rows]

    def read_items(self, repo: str) -> list[Item]:
        """Of these, what models read in sessions of this very repository."""
        scope = Scope(ScopeKind.REPO, repo) if repo else EVERYWHERE
        return [item for item in self.items(repo) if item.harvester == READ and item.scope == scope]

    def hosts(self, repo: str) -> Iterable[HostText]:
        """What every session there is told already."""
        return [
            HostText.of(self._instructions[name]) for name in dict.fromkeys(("", repo)) if name in self._instructions
        ]

    @cached_property
    def _instructions(self) -> dict[str, dict[str, str]]:
        return instructions(self._source.store, self._world, checkouts(self._source.store, self._world))

    def _safe(self, text: str) -> str:
        return self._source.redactor.text(clean(text))
