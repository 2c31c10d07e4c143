"""The backtest: replays the user's own history through players, writes down what each would have said, and scores it.

One pass over the store, which is only read. Sessions are loaded one at a time, so memory stays bounded by what the
players remember. Sessions without any time, and those known from a history of prompts alone, cannot be placed and are
left out.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.digest.digester import Material
from afterwit.digest.door import material_of
from afterwit.measure.replay import Outline, Played, Player, Whereabouts, replay
from afterwit.measure.scores import HelpfulMoment, PlayerReport, Scorer, best_moments
from afterwit.model.errors import UsageError
from afterwit.model.learn_run import Progress
from afterwit.model.prices import price_list
from afterwit.sessions.filters import Filter, find_session, selection_of
from afterwit.store.atomic import READABLE, replace_file
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

FILE = "backtest.json"
_VERSION = 1  # of the figures and how they are counted
_MOMENTS = 3
_MARKS = ("{strategy}", "{player}")  # in a file's name; the second is of earlier versions


_SEED = 84  # of the intervals: the same figures for the same notes
PRODUCT = "afterwit"  # the player that says what hooks say


class BacktestFigures(msgspec.Struct, frozen=True, kw_only=True):
    sentence: str
    sessions: int
    actions: int
    reports: list[PlayerReport]


class Backtest(BacktestFigures, frozen=True, kw_only=True):
    """What a backtest found."""

    moments: list[HelpfulMoment]  # in which the product would have helped most


class KeptMoment(msgspec.Struct, frozen=True, kw_only=True):
    """Where it would have helped most; what was said there stands in the session."""

    session: str
    agent: str
    repo: str
    at_ms: int | None
    is_failure: bool  # else files were named
    spared_actions: int


class KeptBacktest(BacktestFigures, frozen=True, kw_only=True):
    """A result as the store keeps it: without words of sessions."""

    version: int
    at_ms: int
    command: str
    moments: list[KeptMoment]


class NotesFile:
    """What players said, as files that an outside examiner reads: one note per line, sessions by the name of their
    file, and only those that have a file of their own. `path` is for one player; for several, `{strategy}` in the name
    stands for each."""

    def __init__(self, path: Path, players: Iterable[str], own_files: frozenset[str]) -> None:
        self._paths = _paths(path, list(players))
        self._own_files = own_files
        self._lines: defaultdict[str, list[bytes]] = defaultdict(list)

    def put(self, played: Played) -> None:
        session = played.outline.here.session
        for player, notes in played.notes.items() if session in self._own_files else ():
            for note in notes:
                line = msgspec.structs.replace(note, session=examined_as(session))
                self._lines[player].append(msgspec.json.encode(line) + b"\n")

    def write(self) -> None:
        for player, path in self._paths.items():
            replace_file(path, b"".join(self._lines[player]), READABLE, is_durable=False)


def examined_as(native_id: str) -> str:
    """The name of a session's file: the last part of its id."""
    return native_id.rpartition("/")[2]


def _paths(path: Path, players: list[str]) -> dict[str, Path]:
    if len(players) == 1:
        return {players[0]: path}
    mark = next((mark for mark in _MARKS if mark in path.name), None)
    if mark is None:
        raise UsageError(
            "For the notes of several strategies, write `{strategy}` into the file's name, or name one strategy."
        )
    return {player: path.with_name(path.name.replace(mark, player)) for player in players}


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
    world: World, players: Sequence[Player], wanted: Filter, progress: Progress, notes: NotesFile | None = None
) -> Backtest:
    """Plays the wanted sessions; all others are made known when their time comes, and not scored."""
    scorers = {player.name: Scorer(player.name) for player in players}
    sessions = actions = 0
    for played in walked(world, players, wanted, progress):
        if not played.is_played:
            for scorer in scorers.values():
                scorer.remember(played.digest)
            continue
        sessions, actions = sessions + 1, actions + len(played.digest.steps)
        for name, scorer in scorers.items():
            scorer.take(played.digest, played.calls, played.notes[name])
        if notes is not None:
            notes.put(played)
    if notes is not None:
        notes.write()
    reports = [scorer.report(random.Random(_SEED)) for scorer in scorers.values()]  # noqa: S311
    return Backtest(
        sentence=sentence_of(reports, sessions),
        sessions=sessions,
        actions=actions,
        reports=reports,
        moments=best_moments(scorers[PRODUCT].moments, _MOMENTS) if PRODUCT in scorers else [],
    )


def walked(world: World, players: Sequence[Player], wanted: Filter, progress: Progress) -> Iterator[Played]:
    """All sessions one by one, the wanted ones after they were played."""
    with readonly_database(world.layout) as db:
        db.execute("BEGIN")  # one view of the store, whatever runs beside
        history = StoredHistory(db, world)
        keys = {row.id for row in select_sessions(db, selection_of(db, world.settings, wanted))}
        progress.begin(len(history.outlines), len(history.outlines))
        for session in replay(history.outlines, history.material, players, lambda outline: outline.key in keys):
            progress.advance(1, 1)
            yield session


def explained(world: World, players: Sequence[Player], name: str, progress: Progress) -> Played:
    """One session, named by its id or the beginning of it, after it was played."""
    with readonly_database(world.layout) as db:
        db.execute("BEGIN")
        wanted = find_session(db, name)
        history = StoredHistory(db, world)
        progress.begin(len(history.outlines), len(history.outlines))
        for session in replay(history.outlines, history.material, players, lambda outline: outline.key == wanted.id):
            progress.advance(1, 1)
            if session.is_played:
                return session
    raise UsageError(f"The session {wanted.native_id} has no times, so it cannot be replayed.")


def own_files(world: World) -> frozenset[str]:
    """The sessions that have a file of their own; others lie inside that of their parent."""
    with readonly_database(world.layout) as db:
        return frozenset(sessions_with_own_file(db))


def _outlines(db: apsw.Connection) -> Iterator[Outline]:
    for row in list(select_sessions(db, Selection())):
        first = _first_ms(db, row)
        if first is not None and row.ended_ms is not None and not row.is_partial:
            here = Whereabouts(
                row.native_id, row.agent, row.repo, row.branch, row.parent, first, row.user, row.relation, row.origin
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


def keep_backtest(world: World, result: Backtest, command: str) -> None:
    """Keeps a result, in the place of an earlier one. One without a session to replay is none."""
    if not result.sessions:
        return
    kept = KeptBacktest(
        version=_VERSION,
        at_ms=world.now_ms,
        command=command,
        moments=msgspec.convert(result.moments, list[KeptMoment], from_attributes=True),
        **{name: getattr(result, name) for name in BacktestFigures.__struct_fields__},
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
