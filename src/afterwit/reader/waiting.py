"""What waits: sessions to be read, notes to be settled; and what is left alone for a while, because it was asked.

A session waits that people worked in themselves, that has ended, and that was not read with this prompt and model; one
that went on after it was read waits again, for what is new in it. What was asked and is not answered yet is left alone
for a while: some days where it was written to a file, some minutes where the model was called. What failed pauses,
longer after each failure. Sessions in which a model read for us are never read. The notes of a repository wait after
several new ones were read there.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import apsw

from afterwit.config.world import World, exclusion_of
from afterwit.digest.door import load_digest
from afterwit.digest.value import SampleCandidate, chosen, findings_of
from afterwit.harvest.door.run import SessionRefs
from afterwit.knowledge.door.settle import recorded
from afterwit.reader.consolidating import NEW_NOTES, PROMPT, consolidations
from afterwit.reader.requests import ReadingPrompt, ReadingRequest, built_in
from afterwit.reader.session_texts import Beside
from afterwit.sessions.filters import Filter, selection_of
from afterwit.sessions.originals import TranscriptSource
from afterwit.store.decisions import gather_decisions
from afterwit.store.rows.readings import CALLED, ReadingFailure, ReadingRow
from afterwit.store.rows.session_list import SessionRow, select_sessions, sessions_calling

READING_TOOL = "reading_next"  # by which an agent asks for sessions to read itself
_QUIET_MS = 30 * 60_000  # without an event: it has ended
_PATIENCE_MS = 3 * 86_400_000  # after which an answer is no longer waited for
_CALL_PATIENCE_MS = 20 * 60_000  # longer than any call and its mending: whoever asked was killed
_PAUSES_MS = (3_600_000, 4 * 3_600_000, 86_400_000, 3 * 86_400_000)  # after the first failure, the second, …
_OPENING = 60  # characters of the prompt by which a session of ours is known


class Patience:
    """How long what was asked and is not answered is left alone."""

    def __init__(self, failures: Iterable[ReadingFailure], now_ms: int) -> None:
        self._failures = {failure.request: failure for failure in failures}
        self._now_ms = now_ms

    def leaves_alone(self, row: ReadingRow) -> bool:
        return row.answered_ms is None and self._now_ms < self._until_ms(row)

    def has_failed(self, row: ReadingRow) -> bool:
        """Whether the last that was heard is a failure."""
        return row.id in self._failures and self._failures[row.id].failed_ms >= row.asked_ms

    def _until_ms(self, row: ReadingRow) -> int:
        """When a request that was not answered may be asked again."""
        if self.has_failed(row):
            return retry_ms(self._failures[row.id])
        return row.asked_ms + (_CALL_PATIENCE_MS if row.asked_by == CALLED else _PATIENCE_MS)


def retry_ms(failure: ReadingFailure) -> int:
    """When a request that failed is asked again."""
    return failure.failed_ms + _PAUSES_MS[min(failure.failures, len(_PAUSES_MS)) - 1]


class Shelf:
    """What was asked with one prompt and model, and what of that is answered."""

    def __init__(self, rows: Iterable[ReadingRow], patience: Patience, *, is_again: bool) -> None:
        self._by_session: defaultdict[tuple[str, str], list[ReadingRow]] = defaultdict(list)
        for row in rows:
            self._by_session[row.agent, row.native_id].append(row)
        self._patience = patience
        self._is_again = is_again
        self.settled = frozenset(  # answered, or left alone
            row.id
            for several in self._by_session.values()
            for row in several
            if row.answered_ms is not None or patience.leaves_alone(row)
        )
        self.read = 0
        self.asked = 0
        self.failed = 0

    def counts(self, session: SessionRow) -> bool:
        """Whether a session waits, or parts of it; counts those that do not."""
        rows = self._by_session.get((session.agent, session.native_id), [])
        as_now = [row for row in rows if row.ended_ms == session.ended_ms]
        parts = set(range(1, max((row.parts for row in as_now), default=0) + 1))
        answered = {row.part for row in rows if row.answered_ms is not None}
        if parts and answered >= parts:
            self.read += 1
            return self._is_again
        left_alone = [row for row in as_now if self._patience.leaves_alone(row)]
        if left_alone and answered.union(row.part for row in left_alone) >= parts:
            has_failed = any(self._patience.has_failed(row) for row in left_alone)
            self.asked += not has_failed
            self.failed += has_failed
            return self._is_again
        return True


def readable(source: TranscriptSource, world: World, wanted: Filter, prompt: ReadingPrompt) -> Iterator[SessionRow]:
    """Sessions of people that have ended, without what is left out or forgotten, and what a model did for us."""
    db = source.store.db
    refs = SessionRefs(source.store.db, source.store.journal.machine, gather_decisions(recorded(db)).forgotten)
    exclusion = exclusion_of(world)
    opening = " ".join(prompt.text.split())[:_OPENING]
    selection = selection_of(db, world.settings, wanted._replace(is_top=True))
    reading = sessions_calling(db, READING_TOOL)
    for row in select_sessions(db, selection):
        has_ended = row.ended_ms is not None and row.ended_ms <= world.now_ms - _QUIET_MS
        is_ours = row.id in reading or " ".join(row.task.split()).startswith(opening)
        places = (exclusion.has_agent(row.agent), exclusion.has_repo(row.repo), exclusion.has_folder(row.cwd))
        if has_ended and row.prompts and not is_ours and not any(places) and refs.of(row.id) is not None:
            yield row


def notes_asked_about(rows: Iterable[ReadingRow], patience: Patience) -> dict[str, set[str]]:
    """The notes that are settled or left alone, by repository; of all models, since each settles the same."""
    by_repo: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row.answered_ms is not None or patience.leaves_alone(row):
            by_repo[row.repo].update(row.items.split())
    return by_repo


def due(
    beside: Beside, before: Mapping[str, set[str]], repos: Iterable[str], model: str, *, is_again: bool
) -> Iterator[tuple[str, ReadingRequest]]:
    """What is to be asked about the notes of repositories that gained several since they were asked about last."""
    prompt = built_in(PROMPT)
    for repo in sorted(repos):
        items, asked = beside.read_items(repo), before.get(repo, set())
        new = [item for item in items if item.id not in asked]
        if len(new) >= NEW_NOTES or (is_again and len(items) > 1):
            for request in consolidations(repo, items, () if is_again else asked, prompt, model):
                yield repo, request


def best_first(db: apsw.Connection, rows: Iterable[SessionRow]) -> Iterator[tuple[SessionRow, float]]:
    """The sessions that promise most knowledge first, each counting what those before it leave to be found."""
    by_order = {(-(row.started_ms or 0), row.native_id, row.agent): row for row in rows}
    candidates = []
    for order, row in by_order.items():
        digest = load_digest(db, row)
        candidates.append(SampleCandidate(order, () if digest is None else findings_of(digest)))
    for choice in chosen(candidates):
        yield by_order[choice.candidate.order], choice.value.total
