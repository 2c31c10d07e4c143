"""The backtest: replays the user's own history through players, writes down what each would have said, and scores it.

One pass over the store, which is only read. With a file for the notes, a run that was stopped is gone on with. Sessions
are loaded one at a time, so memory stays bounded by what the players remember. Sessions without any time, and those
known from a history of prompts alone, cannot be placed and are left out. Two players are compared on the same draw of
sessions, so that what makes sessions easy or hard for everybody cancels out.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.digest.digester import Material
from afterwit.digest.door import material_of
from afterwit.measure.backtest_files import Notebook
from afterwit.measure.replay import Outline, Played, Player, PlayerNote, Whereabouts, replay
from afterwit.measure.scores import HelpfulMoment, PlayerReport, Scorer, best_moments
from afterwit.model.digest import VERSION
from afterwit.model.errors import UsageError
from afterwit.model.learn_run import Progress
from afterwit.model.prices import price_list
from afterwit.sessions.filters import Filter, find_session, selection_of
from afterwit.store.atomic import replace_file
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.parts import parts_of_session
from afterwit.store.rows.session_list import (
    Selection,
    SessionRow,
    select_sessions,
    session_row,
    sessions_with_own_file,
)
from afterwit.store.store import readonly_database


class ReplayedReading(msgspec.Struct, frozen=True, kw_only=True):
    """What the notes that models read did in a replay."""

    notes: int  # that were known in time for some session
    told: int  # of these, at least once
    sessions: int  # in which one was told
    moments: dict[str, int]  # how often one was told, by moment


class _Telling(NamedTuple):
    session: str
    moment: str
    item: str


class ReadingTally:
    """Counts what was told, session by session; which of it was read is known at the end."""

    def __init__(self) -> None:
        self._told: list[_Telling] = []

    def take(self, notes: Iterable[PlayerNote]) -> None:
        for note in notes:
            moment = str(note.occasion or note.moment)
            self._told += [_Telling(note.session, moment, item) for item in note.item.split()]

    def of(self, read: Mapping[str, str]) -> ReplayedReading:
        """The counts, where these are the notes that were read: `Player.read_notes`."""
        told = [telling for telling in self._told if telling.item in read]
        return ReplayedReading(
            notes=len(set(read.values())),
            told=len({telling.item for telling in told}),
            sessions=len({telling.session for telling in told}),
            moments=dict(sorted(Counter(telling.moment for telling in told).items())),
        )


_ROUNDS = 2000
FILE = "backtest.json"
_VERSION = 1  # of the figures and how they are counted
_MOMENTS = 3


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The product against one other player."""

    other: str
    sessions: int  # in which there was something to find
    recall_difference: float
    interval: tuple[float, float]  # 95 %

    @property
    def verdict(self) -> str:
        """By where the interval lies."""
        low, high = self.interval
        return "better" if low > 0 else "worse" if high < 0 else "not clearly better or worse"


_SEED = 84  # of the intervals: the same figures for the same notes
PRODUCT = "afterwit"  # the player that says what hooks say


class Backtest(msgspec.Struct, frozen=True, kw_only=True):
    """What a backtest found."""

    sentence: str
    sessions: int
    actions: int
    reports: list[PlayerReport]
    comparisons: list[Comparison]  # of the product with other strategies, in the recall of files
    moments: list[HelpfulMoment]  # in which the product would have helped most
    reading: ReplayedReading | None  # what the product told of what models read; None where it was not replayed


class StoredHistory:
    """The sessions of a store that can be placed in time, and a way to the rest of each."""

    def __init__(self, db: apsw.Connection, world: World) -> None:
        self._db = db
        self._prices = price_list(world.settings.prices)
        self.outlines = list(_outlines(db))

    def material(self, key: int) -> Material:
        return material_of(self._db, self._row(key), self._prices, with_results=True)

    def _row(self, key: int) -> SessionRow:
        row = session_row(self._db, key)
        if row is None:
            raise LookupError(f"session {key} is gone")
        return row


def backtest(
    world: World, players: Sequence[Player], wanted: Filter, progress: Progress, notebook: Notebook | None = None
) -> Backtest:
    """Plays the wanted sessions; all others are made known when their time comes, and not scored."""
    scorers = {player.name: Scorer(player.name) for player in players}
    tally = ReadingTally()
    sessions = actions = 0
    for played in walked(world, players, wanted, progress, notebook):
        if not played.is_played:
            for scorer in scorers.values():
                scorer.remember(played.digest)
            continue
        sessions, actions = sessions + 1, actions + len(played.digest.steps)
        for name, scorer in scorers.items():
            scorer.take(played.digest, played.calls, played.notes[name])
        tally.take(played.notes.get(PRODUCT, ()))
    reports = [scorer.report(random.Random(_SEED)) for scorer in scorers.values()]  # noqa: S311
    return Backtest(
        sentence=sentence_of(reports, sessions),
        sessions=sessions,
        actions=actions,
        reports=reports,
        comparisons=_comparisons(scorers),
        moments=best_moments(scorers[PRODUCT].moments, _MOMENTS) if PRODUCT in scorers else [],
        reading=next((tally.of(read) for player in players if (read := player.read_notes()) is not None), None),
    )


def _comparisons(scorers: Mapping[str, Scorer]) -> list[Comparison]:
    """The product against each other player that names files."""
    product = scorers.get(PRODUCT)
    if product is None:
        return []
    others = [scorer for scorer in scorers.values() if scorer is not product and any(scorer.recalls.values())]
    drawn = (compared(other.player, product.recalls, other.recalls, random.Random(_SEED)) for other in others)  # noqa: S311
    return [comparison for comparison in drawn if comparison is not None]


def walked(
    world: World, players: Sequence[Player], wanted: Filter, progress: Progress, notebook: Notebook | None = None
) -> Iterator[Played]:
    """All sessions one by one, the wanted ones after they were played."""
    with readonly_database(world.layout) as db:
        db.execute("BEGIN")  # one view of the store, whatever runs beside
        history = StoredHistory(db, world)
        keys = {row.id for row in select_sessions(db, selection_of(db, world.settings, wanted))}
        progress.begin(len(history.outlines), len(history.outlines))
        book = notebook or Notebook()
        book.open(_mark(history.outlines, keys, players))
        for session in replay(history.outlines, history, players, lambda outline: outline.key in keys, book.noted):
            if session.is_played:
                book.put(session)
            progress.advance(1, 1)
            yield session
        book.close()


def explained(world: World, players: Sequence[Player], name: str, progress: Progress) -> Played:
    """One session, named by its id or the beginning of it, after it was played."""
    with readonly_database(world.layout) as db:
        db.execute("BEGIN")
        wanted = find_session(db, name)
        history = StoredHistory(db, world)
        progress.begin(len(history.outlines), len(history.outlines))
        for session in replay(history.outlines, history, players, lambda outline: outline.key == wanted.id):
            progress.advance(1, 1)
            if session.is_played:
                return session
    raise UsageError(f"The session {wanted.native_id} has no times, so it cannot be replayed.")


def own_files(world: World) -> frozenset[str]:
    """The sessions that have a file of their own; others lie inside that of their parent."""
    with readonly_database(world.layout) as db:
        return frozenset(sessions_with_own_file(db))


def _mark(outlines: Sequence[Outline], keys: Set[int], players: Sequence[Player]) -> str:
    """Changes whenever a stopped run cannot be gone on with: other sessions, other players."""
    facts = [(outline.here.session, outline.first_ms, outline.ended_ms, outline.key in keys) for outline in outlines]
    names = [(player.name, player.mark) for player in players]
    return hashlib.blake2b(msgspec.json.encode([VERSION, names, facts]), digest_size=16).hexdigest()


def _outlines(db: apsw.Connection) -> Iterator[Outline]:
    for row in list(select_sessions(db, Selection())):
        first = _first_ms(db, row)
        if first is not None and row.ended_ms is not None and not row.is_partial:
            here = Whereabouts(
                row.native_id, row.agent, row.repo, row.branch, row.parent, first, row.user, row.relation
            )
            yield Outline(row.id, first, row.started_ms or first, row.ended_ms, here)


def _first_ms(db: apsw.Connection, row: SessionRow) -> int | None:
    """The first timestamp of any record, copied ones included."""
    times = [part.facts.first_ms for part in parts_of_session(db, row.id)]
    return min((time for time in (*times, row.started_ms) if time is not None), default=None)


def sentence_of(reports: Sequence[PlayerReport], sessions: int) -> str:
    """What a user should take away."""
    product = next((report for report in reports if report.player == PRODUCT), None)
    if not sessions:
        return "No session to replay: none was learned yet (`afterwit learn`), or no one is left by the filters."
    if product is None:
        return f"{sessions} sessions were replayed; the strategy `{PRODUCT}` was not among those asked for."
    rest = [report for report in reports if report.player != PRODUCT]
    best = max(rest, key=lambda report: report.whole.saved_per_1000, default=None)
    low, high = product.interval
    said = (
        f"Had Afterwit spoken in these {sessions} sessions, about {product.whole.saved_per_1000:.0f} of 1,000 actions"
        f" might have been spared (95 % interval {low:.0f} to {high:.0f})"
    )
    if best is None or best.whole.saved_per_1000 <= 0:
        return f"{said}; whether agents act on what they are told, a replay cannot show."
    verb = _against(product.whole.saved_per_1000, low, best.whole.saved_per_1000)
    return f"{said}: {verb} the {best.whole.saved_per_1000:.0f} of the simple strategy `{best.player}`."


def _against(ours: float, low: float, theirs: float) -> str:
    if ours < theirs:
        return "less than"
    return "more than" if low > theirs else "not clearly more than"


def compared(
    other: str, ours: Mapping[str, float], theirs: Mapping[str, float], rng: random.Random
) -> Comparison | None:
    """The difference of two players' recall by session; None where no session can be compared."""
    differences = [ours[session] - theirs[session] for session in sorted(ours) if session in theirs]
    if not differences:
        return None
    draws = sorted(_mean(rng.choices(differences, k=len(differences))) for _ in range(_ROUNDS))
    low, high = draws[int(_ROUNDS * 0.025)], draws[int(_ROUNDS * 0.975)]
    return Comparison(
        other=other,
        sessions=len(differences),
        recall_difference=round(_mean(differences), 3),
        interval=(round(low, 3), round(high, 3)),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


class KeptMoment(msgspec.Struct, frozen=True, kw_only=True):
    """Where it would have helped most; what was said there stands in the session."""

    session: str
    agent: str
    repo: str
    at_ms: int | None
    is_failure: bool  # else files were named
    spared_actions: int


class KeptBacktest(msgspec.Struct, frozen=True, kw_only=True):
    version: int
    at_ms: int
    command: str
    sentence: str
    sessions: int
    actions: int
    reports: tuple[PlayerReport, ...]
    comparisons: tuple[Comparison, ...]
    moments: tuple[KeptMoment, ...]


def keep_backtest(world: World, result: Backtest, command: str) -> None:
    """Keeps a result, in the place of an earlier one. One without a session to replay is none."""
    if not result.sessions:
        return
    kept = KeptBacktest(
        version=_VERSION,
        at_ms=world.now_ms,
        command=command,
        sentence=result.sentence,
        sessions=result.sessions,
        actions=result.actions,
        reports=tuple(result.reports),
        comparisons=tuple(result.comparisons),
        moments=msgspec.convert(result.moments, tuple[KeptMoment, ...], from_attributes=True),
    )
    folder = world.layout.metrics
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(folder / FILE, msgspec.json.encode(kept) + b"\n", is_durable=False)


def kept_backtest(world: World) -> KeptBacktest | None:
    """None where none was run, or another version did."""
    try:
        kept = msgspec.json.decode(read_regular(world.layout.metrics / FILE), type=KeptBacktest)
    except (OSError, msgspec.DecodeError):
        return None
    return kept if kept.version == _VERSION else None
