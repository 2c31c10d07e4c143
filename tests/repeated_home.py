"""A home and a store with a line that a person wrote, and sessions that were told it."""

from pathlib import Path
from typing import Any

import msgspec
from tests.homes import learned, rows
from tests.measure.histories import HOUR_S, Log

from afterwit.model.brief import Heading, Heard, Line, id_of_line
from afterwit.store import spool
from afterwit.store.decide import decide
from afterwit.store.decisions import BriefEdited, KnowledgeEntry
from afterwit.store.layout import Layout
from afterwit.store.rows.repetitions import heard
from afterwit.store.store import open_store

BEGIN_MS = 1_777_629_600_000  # when a log with a start of 0 begins
TEXT = "Weigh the apples before every press run."
AGAIN = "you forgot to weigh the apples again"


class Told:
    """A home and a store with a line that a person wrote."""

    def __init__(self, folder: Path) -> None:
        self.home, self.store = folder / "home", folder / "store"
        Log(0, 0).prompt("Lay out the orchard").edit("src/rows.ts").put(self.home)
        learned(self.home, self.store)
        (self.repo,) = rows(self.store, "SELECT repo FROM sessions WHERE native_id LIKE '33333333%'")[0]
        self.line = Line(id=id_of_line(self.repo, TEXT), text=TEXT, heading=Heading.MUST, notes=("note",), is_own=True)
        entry = BriefEdited(repo=self.repo, put=(self.line,))
        with open_store(Layout(self.store)) as store:
            decide(store, KnowledgeEntry.BRIEF_EDITED, msgspec.to_builtins(entry), BEGIN_MS)

    def session(self, number: int, *said: str, told_s: int | None = 0, is_shown: bool = True, **more: Any) -> None:
        """A session of an hour of its own, told the line so many seconds after it began."""
        start_s = number * HOUR_S
        log = Log(number, start_s).prompt("Press the cider").edit("src/press.ts")
        for text in said:
            log.wait(60).prompt(text).edit("src/press.ts")
        log.put(self.home)
        if told_s is not None:
            at = BEGIN_MS + (start_s + told_s) * 1000
            record: dict[str, Any] = {"kind": "draw", "at": at, "moment": "start", "repo": self.repo, "text": TEXT}
            record |= {"agent": "claude-code", "session": log.session, "items": {self.line.id: int(is_shown)}}
            spool.append(Layout(self.store).spool, "claude-code", log.session, record | more)

    def learn(self) -> list[tuple[int, int, str]]:
        """The number of each session with a repetition, the place of the prompt and the quote."""
        learned(self.home, self.store)
        return self.noted()

    def noted(self) -> list[tuple[int, int, str]]:
        query = """SELECT native_id, place, quote FROM repetitions JOIN sessions ON id = session_id
                   ORDER BY started_ms, place"""
        return [(int(name[-4:]), place, quote) for name, place, quote in rows(self.store, query)]

    def heard(self) -> Heard:
        with open_store(Layout(self.store)) as store:
            return heard(store.db, [self.line.id])[self.line.id]
