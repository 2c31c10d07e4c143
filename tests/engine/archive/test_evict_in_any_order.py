"""Learning, evicting, pinning, kills, full disks and rebuilds in any order, against a simple model of what must hold.

The model knows how many turns of each session were ever learned, which sessions are pinned and which wait for a digest.
A kill is an exception here, raised at a named step; real kills are in `test_evict_faults`.
"""

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.engine.archive.test_evict import limited
from tests.homes import CLAUDE, NOW_MS, Silent, claude_records, hash_of, put, rows
from tests.thoroughness import examples

from afterwit.engine.archive.evict import evict
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.archive.upkeep import verify
from afterwit.engine.sweep import sweep
from afterwit.model.errors import StoreFullError
from afterwit.model.learn_run import Eviction, Options
from afterwit.sessions.pin import pin
from afterwit.store import archive, atomic
from afterwit.store.atomic import sync
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

NAMES = st.sampled_from(["s1", "s2", "s3", "s4"])
CAPS = st.sampled_from([1, 1_500, 4_000, 1 << 40])
LOW_CAPS = st.sampled_from([1, 1_500])
FAR = 1 << 41


class KilledError(BaseException):
    """Stands for the end of the process."""


@contextmanager
def killed_at(number: int) -> Iterator[None]:
    """Ends the run at the n-th step that it reaches, if it reaches that many."""

    def die(*_: object) -> None:
        raise KilledError

    with (
        mock.patch.object(atomic, "_KILL_AT", number),
        mock.patch.object(atomic, "_reached", 0),
        mock.patch.object(os, "kill", die),
        mock.patch.object(os, "write", return_value=0),
    ):
        try:
            yield
        except KilledError:
            return


@contextmanager
def full_disk(after: int) -> Iterator[None]:
    """Lets `after` writes into the archive through, and no more."""
    left = after

    def limited_by(real: Callable[..., None]) -> Callable[..., None]:
        def call(*values: Any) -> None:
            nonlocal left
            if not left:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            left -= 1
            real(*values)

        return call

    with (
        mock.patch.object(archive, "_write_new", limited_by(archive._write_new)),
        mock.patch.object(archive, "sync", limited_by(sync)),
    ):
        try:
            yield
        except StoreFullError:
            return


class Budget(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="afterwit-budget-"))
        self.home, self.store = self.folder / "home", self.folder / "store"
        self.on_disk: dict[str, int] = {}
        self.known: dict[str, int] = {}
        self.pinned: set[str] = set()
        self.undigested: set[str] = set()
        self.raw_and_pinned: set[str] = set()
        put(self.home / CLAUDE / "s0.jsonl", claude_records("s0", 1))
        self.on_disk["s0"] = 1
        self.learn(1 << 40)

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    @rule(name=NAMES, turns=st.integers(1, 5))
    def write_a_session(self, name: str, turns: int) -> None:
        """A new one, one that grows, or one that the agent has cut."""
        put(self.home / CLAUDE / f"{name}.jsonl", self._records(name, turns))
        self.on_disk[name] = turns

    @rule(name=NAMES, turns=st.integers(1, 5))
    def fork_a_session(self, name: str, turns: int) -> None:
        """A file of another session that begins with copies of this one's records."""
        fork = f"{name}-fork"
        own = claude_records(fork, 1, start=9_000 + int(name[1:]) * 600)
        copies = [{**record, "sessionId": fork} for record in self._records(name, turns)]
        put(self.home / CLAUDE / f"{fork}.jsonl", [*copies, *own])
        self.on_disk[fork] = turns

    @rule(cap=CAPS)
    def learn(self, cap: int) -> None:
        report = sweep(limited(self.home, self.store, raw_soft_cap_bytes=cap), Options(jobs=1), Silent())
        self._note_learned()
        if report.evicted is not None:
            self._check(report.evicted, cap, FAR)

    @rule(soft=LOW_CAPS, hard=st.sampled_from([1, 2_000, 1 << 40]), is_digest_missing=st.booleans(), name=NAMES)
    def evict(self, soft: int, hard: int, is_digest_missing: bool, name: str) -> None:
        self._write_and_learn(name)
        if is_digest_missing:
            self.let_a_digest_be_missing(name)
        done = self._evict(soft, max(soft, hard))
        if done is not None:
            self._check(done, soft, max(soft, hard))

    @rule(name=NAMES)
    def pin_a_session(self, name: str) -> None:
        if name in self.known:
            pin(limited(self.home, self.store), [name])
            self.pinned.add(name)
            if self._is_raw(name):
                self.raw_and_pinned.add(name)

    @rule(name=NAMES)
    def unpin_a_session(self, name: str) -> None:
        if name in self.known:
            pin(limited(self.home, self.store), [name], is_wanted=False)
            self.pinned.discard(name)
            self.raw_and_pinned.discard(name)

    def let_a_digest_be_missing(self, name: str) -> None:
        """As after a run that was stopped between capture and digest."""
        with open_store(Layout(self.store)) as one:
            one.db.execute("UPDATE sessions SET is_digested = 0 WHERE native_id = ?", (name,))
        self.undigested.add(name)

    @rule(step=st.integers(1, 9), soft=LOW_CAPS, name=NAMES)
    def be_killed_while_evicting(self, step: int, soft: int, name: str) -> None:
        self._write_and_learn(name)
        with killed_at(step):
            self._evict(soft, FAR)
        self._settle()

    @rule(step=st.integers(1, 20), cap=LOW_CAPS, name=NAMES)
    def be_killed_while_learning(self, step: int, cap: int, name: str) -> None:
        self.write_a_session(name, self.on_disk.get(name, 0) % 5 + 1)
        with killed_at(step):
            sweep(limited(self.home, self.store, raw_soft_cap_bytes=cap), Options(jobs=1), Silent())
        self.learn(1 << 40)

    @rule(writes=st.integers(0, 4), soft=LOW_CAPS, name=NAMES)
    def fill_the_disk_while_evicting(self, writes: int, soft: int, name: str) -> None:
        self._write_and_learn(name)
        with full_disk(writes):
            self._evict(soft, FAR)
        self._settle()

    @rule(writes=st.integers(0, 6), cap=LOW_CAPS, name=NAMES)
    def fill_the_disk_while_learning(self, writes: int, cap: int, name: str) -> None:
        self.write_a_session(name, self.on_disk.get(name, 0) % 5 + 1)
        with full_disk(writes):
            sweep(limited(self.home, self.store, raw_soft_cap_bytes=cap), Options(jobs=1), Silent())
        self.learn(1 << 40)

    @rule()
    def rebuild(self) -> None:
        before = hash_of(self.store)
        done = rebuild(limited(self.home, self.store), Silent())
        assert done.faults == []
        assert self.undigested or done.after == before
        self.undigested.clear()

    @precondition(lambda self: hasattr(self, "store"))
    @invariant()
    def everything_learned_is_still_known_and_counted_once(self) -> None:
        names = {name for (name,) in rows(self.store, "SELECT native_id FROM sessions")}
        assert names == set(self.known)
        turns = {name.removesuffix("-fork"): 0 for name in self.known}
        for name, known in self.known.items():
            turns[name.removesuffix("-fork")] = max(known, turns[name.removesuffix("-fork")])
        own = sum(name.endswith("-fork") for name in self.known)
        counted = rows(self.store, "SELECT sum(prompts), sum(actions) FROM sessions")
        assert counted == [(sum(turns.values()) + own, sum(turns.values()) + own)]

    @precondition(lambda self: hasattr(self, "store"))
    @invariant()
    def what_is_pinned_in_time_stays(self) -> None:
        assert all(self._is_raw(name) for name in self.raw_and_pinned)

    @precondition(lambda self: hasattr(self, "store"))
    @invariant()
    def the_store_is_sound(self) -> None:
        assert [finding.what for finding in verify(Layout(self.store))] == []

    def _evict(self, soft: int, hard: int) -> Eviction | None:
        world = limited(self.home, self.store, raw_soft_cap_bytes=soft, raw_hard_cap_bytes=hard)
        return evict(world._replace(now_ms=NOW_MS), lambda _: True)

    def _records(self, name: str, turns: int) -> list[dict[str, Any]]:
        return claude_records(name, turns, start=int(name[1:]) * 600)

    def _write_and_learn(self, name: str) -> None:
        self.write_a_session(name, self.on_disk.get(name, 0) % 5 + 1)
        self.learn(1 << 40)

    def _settle(self) -> None:
        """The next run, which drops nothing itself."""
        self._evict(1 << 40, FAR)

    def _note_learned(self) -> None:
        for name, turns in self.on_disk.items():
            self.known[name] = max(turns, self.known.get(name, 0))
        self.undigested.clear()

    def _is_raw(self, name: str) -> bool:
        query = """SELECT count(*) FROM files JOIN parts ON parts.file_id = files.id
                   JOIN sessions ON sessions.id = parts.session_id WHERE native_id = ? AND held_bytes > 0"""
        return bool(rows(self.store, query, name)[0][0])

    def _check(self, done: Eviction, soft: int, hard: int) -> None:
        gone = {name for one in done.dropped for name in one.sessions}
        lost = {name for one in done.dropped if one.is_data_loss for name in one.sessions}
        assert not gone & self.pinned
        assert lost == gone & self.undigested
        assert set(done.data_loss) == lost
        assert not lost or done.before_bytes > hard
        on_disk = sum(
            path.stat().st_size
            for (key, generation) in rows(self.store, "SELECT hex(key), generation FROM files WHERE held_bytes > 0")
            for path in (self.store / "archive").rglob(f"{key.lower()}-{generation}.zst")
        )
        assert done.after_bytes == on_disk
        staying = self._staying_bytes()
        assert done.after_bytes <= max(soft, staying)
        assert done.after_bytes <= hard or done.is_over_hard_cap

    def _staying_bytes(self) -> int:
        """What the soft cap may not touch."""
        query = """SELECT hex(files.key), files.generation FROM files JOIN parts ON parts.file_id = files.id
                   JOIN sessions ON sessions.id = parts.session_id
                   WHERE held_bytes > 0 AND (is_digested = 0 OR native_id IN (SELECT native_id FROM pins))"""
        folder = self.store / "archive"
        found = rows(self.store, query)
        return sum((folder / key.lower()[:2] / f"{key.lower()}-{number}.zst").stat().st_size for key, number in found)


TestBudget = Budget.TestCase
TestBudget.settings = settings(
    max_examples=examples(12), stateful_step_count=14, deadline=None, suppress_health_check=list(HealthCheck)
)
