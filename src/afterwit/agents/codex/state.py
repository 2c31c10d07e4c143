"""All that a reading remembers between two appends: ids, hashes and counters, never text of the log."""

import msgspec

from afterwit.agents.codex.echoes import Echoes
from afterwit.agents.codex.endings import Endings
from afterwit.agents.codex.lineage import Lineage

_NAMES_KEPT = 200
_NAME_CHARS = 80


class State(msgspec.Struct):
    number: int = 0  # records read so far
    known: dict[str, int] = {}
    unknown: dict[str, int] = {}
    lineage: Lineage = msgspec.field(default_factory=Lineage)
    prompts: Echoes = msgspec.field(default_factory=Echoes)
    compactions: Echoes = msgspec.field(default_factory=Echoes)
    endings: Endings = msgspec.field(default_factory=Endings)
    model: str = ""
    subagents: list[str] = []  # threads that another agent talks to
    cwd_mark: str = ""
    totals: tuple[int, int, int] | None = None

    def count_other(self, name: str, *, is_known: bool) -> None:
        """Counts a type without a meaning. Unknown names come from the log: their length and number are bounded."""
        if is_known:
            self.known[name] = self.known.get(name, 0) + 1
            return
        name = name[:_NAME_CHARS]
        if name not in self.unknown and len(self.unknown) >= _NAMES_KEPT:
            name = "(more)"
        self.unknown[name] = self.unknown.get(name, 0) + 1
