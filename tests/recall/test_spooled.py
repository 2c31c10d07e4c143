import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from afterwit.recall import spooled
from afterwit.recall.spooled import KEPT_DAYS, acknowledge_ends, take_in
from afterwit.redaction.markers import CLOSING, OPENING
from afterwit.redaction.redaction import Redactor
from afterwit.store import spool
from afterwit.store.decide import catch_up
from afterwit.store.layout import Layout
from afterwit.store.rows import hooks, items
from afterwit.store.store import Store, open_store

NOW_MS = 1_800_000_000_000
DRAW = {
    "kind": "draw",
    "at": 5,
    "agent": "codex",
    "session": "s1",
    "repo": "r",
    "moment": "after",
    "items": {"one": 1, "two": 0},
    "held": 0,
    "text": "[…] shown",
    "would": "would",
}
CALL = {
    "kind": "tool",
    "at": 6,
    "agent": "codex",
    "session": "s1",
    "tool": "Bash",
    "target": "ls",
    "status": "succeeded",
}
FAULT = {
    "kind": "fault",
    "at": 7,
    "agent": "codex",
    "session": "",
    "event": "after",
    "error": "OSError",
    "where": "x:1",
}
ENDED = {"kind": "ended", "at": 8, "agent": "codex", "session": "s1", "transcript": "/logs/s1.jsonl"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(Layout(tmp_path / "store")) as found:
        yield found


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor(b"k" * 32)


def put(store: Store, *records: dict[str, Any]) -> None:
    for record in records:
        spool.append(store.layout.spool, "codex", "s1", record)


def journalled(store: Store) -> list[str]:
    return [entry.kind for entry in store.journal.entries()]


def test_what_was_told_is_kept_as_it_was_told(store: Store, redactor: Redactor) -> None:
    told = f"{OPENING}\n- Call `make`.\n{CLOSING}"
    put(store, DRAW | {"text": told, "would": f"{told}\n- And `press`."})
    take_in(store, redactor, NOW_MS)
    (draw,) = hooks.draws(store.db)
    assert (draw.text, draw.would) == (told, f"{told}\n- And `press`.")


def test_everything_finds_its_place(store: Store, redactor: Redactor) -> None:
    put(store, DRAW, CALL, FAULT, ENDED, {"kind": "prompted", "at": 1})
    taken = take_in(store, redactor, NOW_MS)
    assert taken[:5] == (1, 1, 1, (("codex", "s1", "/logs/s1.jsonl"),), 0)
    (draw,) = hooks.draws(store.db)
    assert (draw.session, draw.moment, draw.items, draw.text) == ("s1", "after", '{"one":1,"two":0}', "[…] shown")
    assert [(row.item, row.is_shown) for row in items.exposures(store.db)] == [("one", 1), ("two", 0)]
    assert [row.tool for row in hooks.live_calls(store.db, "codex", "s1")] == ["Bash"]
    assert [row.error for row in hooks.faults(store.db)] == ["OSError"]
    assert journalled(store) == ["drawn"]


def test_taking_in_twice_is_taking_in_once(store: Store, redactor: Redactor) -> None:
    put(store, DRAW, CALL, FAULT)
    take_in(store, redactor, NOW_MS)
    assert take_in(store, redactor, NOW_MS) == spooled.Taken()
    assert journalled(store) == ["drawn"]


def test_an_end_comes_again_until_its_session_was_read(store: Store, redactor: Redactor) -> None:
    put(store, DRAW, CALL, ENDED)
    first = take_in(store, redactor, NOW_MS)
    spool.append(store.layout.spool, "codex", "s2", CALL)
    second = take_in(store, redactor, NOW_MS)
    assert first.ended == second.ended == (("codex", "s1", "/logs/s1.jsonl"),)
    assert (len(hooks.draws(store.db)), journalled(store)) == (1, ["drawn"])
    put(store, {**CALL, "at": 9})
    acknowledge_ends(second)
    last = take_in(store, redactor, NOW_MS)
    assert (last.calls, last.ended) == (1, ())
    assert take_in(store, redactor, NOW_MS) == spooled.Taken()


def test_an_end_that_makes_no_sense_does_not_come_again(store: Store, redactor: Redactor) -> None:
    put(store, {**ENDED, "session": 5})
    assert take_in(store, redactor, NOW_MS).bad == 1
    assert take_in(store, redactor, NOW_MS) == spooled.Taken()


def test_a_run_that_dies_before_it_acknowledges_leaves_no_double(
    store: Store, redactor: Redactor, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, DRAW, CALL, FAULT)
    with monkeypatch.context() as patch:
        patch.setattr(spool, "acknowledge", lambda batch: None)
        take_in(store, redactor, NOW_MS)
    put(store, {**DRAW, "at": 9})
    take_in(store, redactor, NOW_MS)
    assert [len(entry.body["draws"]) for entry in store.journal.entries()] == [1, 1]
    assert len(hooks.draws(store.db)) == 2
    assert len(hooks.live_calls(store.db, "codex", "s1")) == len(hooks.faults(store.db)) == 1


def test_a_run_that_dies_between_journal_and_database_is_caught_up(
    store: Store, redactor: Redactor, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, DRAW)
    with monkeypatch.context() as patch:
        patch.setattr(spooled, "decide", lambda store, kind, body, now: store.journal.append(kind, body, now))
        patch.setattr(spool, "acknowledge", lambda batch: None)
        take_in(store, redactor, NOW_MS)
    assert hooks.draws(store.db) == []
    take_in(store, redactor, NOW_MS)
    assert (len(hooks.draws(store.db)), journalled(store)) == (1, ["drawn"])


def test_draws_come_back_from_the_journal_alone(store: Store, redactor: Redactor) -> None:
    put(store, DRAW)
    take_in(store, redactor, NOW_MS)
    before = hooks.draws(store.db), list(items.exposures(store.db))
    store.db.execute("DELETE FROM draws; DELETE FROM exposures; DELETE FROM applied")
    catch_up(store)
    assert (hooks.draws(store.db), list(items.exposures(store.db))) == before


def test_what_makes_no_sense_is_counted_and_left_out(store: Store, redactor: Redactor) -> None:
    put(store, {"kind": "draw"}, {**CALL, "at": "soon"}, {"kind": "fault", "agent": 5}, CALL)
    path = next(store.layout.spool.glob("*.jsonl"))
    with path.open("ab") as file:
        file.write(b"no json\n")
    taken = take_in(store, redactor, NOW_MS)
    assert (taken.calls, taken.bad) == (1, 4)


def test_secrets_are_redacted_on_the_way(store: Store, redactor: Redactor) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    put(store, {**CALL, "target": f"deploy {secret}"}, {**DRAW, "text": f"use {secret}"}, {**FAULT, "said": secret})
    take_in(store, redactor, NOW_MS)
    rows = [*hooks.live_calls(store.db, "codex", "s1"), *hooks.draws(store.db), *hooks.faults(store.db)]
    assert secret not in str(rows)
    assert secret not in str(list(store.journal.entries()))


def test_files_of_sessions_that_ended_long_ago_go(store: Store, redactor: Redactor) -> None:
    put(store, CALL)
    path = next(store.layout.spool.glob("*.jsonl"))
    os.utime(path, (NOW_MS / 1000, NOW_MS / 1000))
    take_in(store, redactor, NOW_MS)
    take_in(store, redactor, NOW_MS + (KEPT_DAYS - 1) * 86_400_000)
    assert path.exists()
    take_in(store, redactor, NOW_MS + (KEPT_DAYS + 1) * 86_400_000)
    assert list(store.layout.spool.iterdir()) == []


def test_only_the_latest_faults_are_kept(store: Store, redactor: Redactor) -> None:
    put(store, *({**FAULT, "at": number} for number in range(1_020)))
    take_in(store, redactor, NOW_MS)
    found = hooks.faults(store.db)
    assert (len(found), found[0].at_ms) == (1_000, 20)
