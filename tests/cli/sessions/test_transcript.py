"""How a transcript is drawn: marks, bars, folds, separators, and no line too wide."""

import datetime as dt
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.cli.sessions.transcript import Look, draw
from afterwit.cli.terminal.output import cells
from afterwit.config.calendar import Calendar
from afterwit.model.captured import ActionRow
from afterwit.model.kinds import EventKind
from afterwit.sessions.show import Begins, CopiedEvents, Ends, GoneTexts, Scene, SessionMoment
from afterwit.store.rows.session_list import SessionRow

START_MS = 1_777_629_600_000  # 2026-05-01 10:00
CALENDAR = Calendar(START_MS, dt.UTC)
NARROW = Look(CALENDAR, width=80)


def session(**fields: object) -> SessionRow:
    texts = dict.fromkeys(SessionRow.__struct_fields__, "") | {
        "agent": "codex",
        "native_id": "0197",
        "title": "Prune the plums",
    }
    numbers = {name: 0 for name, kind in SessionRow.__annotations__.items() if kind in (int, int | None)}
    given: dict[str, object] = {**texts, **numbers, "started_ms": START_MS, "cwd": "/srv/orchard", **fields}
    return SessionRow(**given)  # type: ignore[arg-type]


def said(kind: EventKind, text: str | None, minutes: int = 0) -> SessionMoment:
    return SessionMoment(kind=kind, at_ms=START_MS + minutes * 60_000, text=text)


def did(target: str, status: str = "succeeded", **fields: object) -> SessionMoment:
    given: dict[str, object] = {
        **dict.fromkeys(("lean", "exit_code", "at_ms", "duration_ms", "result_offset")),
        **dict.fromkeys(("part", "ordinal", "offset"), 0),
        "call_id": "c",
        "tool": "Bash",
        "kind": "shell",
        "target": target,
        "status": status,
        "error": "",
        **fields,
    }
    return SessionMoment(kind=EventKind.CALL, at_ms=START_MS, call_id="c", tool="Bash", action=ActionRow(**given))  # type: ignore[arg-type]


def lines(*what: object, look: Look = NARROW, depth: int = 0) -> list[str]:
    scenes = [Scene(0, Begins(session())), *(Scene(depth, one) for one in what)]  # type: ignore[arg-type]
    return list(draw(scenes, look))[5:]


def test_actions_take_a_line_each_and_failures_say_why() -> None:
    found = lines(did("make test", "failed", exit_code=2, error="no rule", duration_ms=3_000), did("ls"))
    assert found[1].startswith("10:00 ✗ shell    make test")
    assert found[1].endswith("exit 2  3 s")
    assert found[2:] == ["        no rule", "      ✓ shell    ls"]


@pytest.mark.parametrize(
    ("status", "lean", "mark"),
    [("denied", None, "⊘"), ("cancelled", None, "◌"), ("unknown", None, "·"), ("unknown", "probably-failed", "!")],
)
def test_every_end_has_its_mark(status: str, lean: str | None, mark: str) -> None:
    assert f"{mark} shell" in lines(did("ls", status, lean=lean))[1]


def test_paths_are_shown_from_where_the_session_ran() -> None:
    assert lines(did("cat /srv/orchard/a.py /srv/orchard-2/b.py"))[1].endswith("cat a.py /srv/orchard-2/b.py")
    assert lines(did("ls /srv/orchard"))[1].endswith("ls .")
    assert lines(did("ls /home/‹user:0a1b2c›/x"))[1].endswith("ls ~/x")


def test_a_target_of_several_lines_is_folded() -> None:
    assert lines(did("cat <<EOF\none\ntwo\nEOF"))[1].endswith("cat <<EOF (+3 lines)")


def test_long_texts_are_folded_unless_all_is_asked_for() -> None:
    text = "\n".join(f"line {number}" for number in range(100))
    folded = lines(said(EventKind.PROMPT, text))
    assert folded[-1].strip() == "… 70 more lines (--full shows them)"
    assert len(lines(said(EventKind.PROMPT, text), look=Look(CALENDAR, 80, is_full=True))) == 101


def test_what_interrupts_is_a_separator() -> None:
    found = "\n".join(
        lines(
            said(EventKind.INTERRUPT, ""),
            said(EventKind.COMPACTION, "a summary"),
            CopiedEvents(3),
            GoneTexts("The archived file is missing."),
            said(EventKind.PROMPT, None, 24 * 60),
        )
    )
    for part in (
        "── interrupted ─",
        "── the context was compacted ─",
        "a summary",
        "── 3 events copied",
        "missing",
        "── May 2 ─",
    ):
        assert part in found
    assert "❯ (the text is gone)" in found


def test_a_subagent_stands_behind_a_bar() -> None:
    child = session(origin="Explore", task="look\naround", actions=1)
    scenes = [Scene(0, Begins(session())), Scene(1, Begins(child)), Scene(1, did("ls")), Scene(1, Ends(child))]
    assert list(draw(scenes, NARROW))[-3:] == [
        "      ┌ subagent Explore: look around",
        "10:00 │ ✓ shell    ls",
        "      └ 1 action",
    ]


def test_a_pipe_is_neither_wrapped_nor_coloured() -> None:
    found = lines(said(EventKind.REPLY, "word " * 100), look=Look(CALENDAR))
    assert len(found) == 2
    assert "\x1b" not in "".join(found)


def test_colour_is_only_colour() -> None:
    what = (said(EventKind.PROMPT, "Prune"), did("ls", "failed", error="no"), said(EventKind.THOUGHT, "hm"))
    coloured = lines(*what, look=Look(CALENDAR, 80, has_colour=True))
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in coloured] == lines(*what)


@given(st.text(max_size=300), st.integers(40, 120), st.integers(0, 3), st.sampled_from([True, False]))
@settings(max_examples=examples(60), deadline=None)
def test_no_line_is_too_wide(text: str, width: int, depth: int, is_full: bool) -> None:
    clean = "".join(letter for letter in text if letter.isprintable() or letter == "\n")
    what = (said(EventKind.REPLY, clean), did(clean or "x", "failed", error=clean, duration_ms=10**6))
    found = lines(*what, look=Look(CALENDAR, width, is_full=is_full), depth=depth)
    assert all(cells(line) <= width for line in found)
