"""Damaged, hostile and odd input: no traceback, no lost good record, and always a row that says what and where."""

import json
import os
from pathlib import Path, PurePosixPath

import pytest
from tests.homes import CLAUDE, CODEX, THREAD, claude_records, codex_records, hash_of, learned, lines, put, rows
from tests.thoroughness import STRIDE

from afterwit.capture.derive import derive_live
from afterwit.capture.derived import Bookmark, ReadingMode
from afterwit.config.run_rules import RunRules
from afterwit.model import zstd
from afterwit.redaction.people import People

GOOD = lines(claude_records("s1", 1))
RULES = RunRules(key=b"k" * 32, people=People(), tool_names={}, user_names={})


def stored(tmp_path: Path, content: bytes) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """(the session's figures, the problems) after learning one file."""
    put(tmp_path / "home" / CLAUDE / "s1.jsonl", content)
    learned(tmp_path / "home", tmp_path / "store")
    figures = rows(tmp_path / "store", "SELECT prompts, actions, failures FROM sessions")
    return figures, rows(tmp_path / "store", "SELECT offset, length, reason FROM problems ORDER BY offset")


def with_line(line: bytes) -> bytes:
    first, rest = GOOD.split(b"\n", 1)
    return first + b"\n" + line + b"\n" + rest


@pytest.mark.parametrize(
    "line",
    [
        b"not json at all",
        b'{"type":"user","uuid":"x"',
        b"\x00" * 64,
        b"\xff\xfe\xfa{]",
        b"[" * 10_000,
        b'{"a":' * 10_000,
        b'"just a string"',
        b"17",
    ],
    ids=["words", "torn", "nul", "bytes", "deep list", "deep object", "string", "number"],
)
def test_a_bad_line_becomes_a_row_and_the_rest_is_read(tmp_path: Path, line: bytes) -> None:
    figures, problems = stored(tmp_path, with_line(line))
    assert figures == [(1, 1, 1)]
    assert [offset for offset, *_ in problems] == [GOOD.index(b"\n") + 1]
    assert all(reason for *_, reason in problems)


def test_the_bad_lines_of_all_files_of_an_agent_are_counted(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        put(tmp_path / "home" / CLAUDE / f"{name}.jsonl", lines(claude_records(name, 1)) + b"not json at all\n")
    (report,) = learned(tmp_path / "home", tmp_path / "store").agents
    assert (report.read, report.problems) == (3, 3)


def test_a_last_line_that_is_not_finished_is_a_row_until_it_is(tmp_path: Path) -> None:
    figures, problems = stored(tmp_path, GOOD + b'{"type":"user","uu')
    assert figures == [(1, 1, 1)]
    assert problems == [(len(GOOD), 18, "the last line is not finished")]
    _, problems = stored(tmp_path, GOOD + b'{"type":"user","uuid":"z","message":{"role":"user","content":"more"}}\n')
    assert problems == []


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + GOOD,
        GOOD.replace(b"\n", b"\r\n"),
        GOOD.replace(b"\n", b"\n\n\n"),
        GOOD.replace(b"}\n{", b"}{", 2),
        GOOD.rstrip(b"\n"),
        GOOD.replace(b"Prune row", b"Prune \xff\xfe row"),
        GOOD.replace(b"Prune row", b"Prune \\ud800 row"),
        GOOD.replace(b"Prune row", b"Prune \\u0000 row"),
    ],
    ids=["BOM", "CRLF", "blank lines", "glued", "no newline", "bad UTF-8", "lone surrogate", "NUL"],
)
def test_odd_encodings_are_read_without_a_problem(tmp_path: Path, content: bytes) -> None:
    assert stored(tmp_path, content) == ([(1, 1, 1)], [])


@pytest.mark.slow
def test_a_line_of_a_hundred_megabytes_is_read(tmp_path: Path) -> None:
    record = claude_records("s1", 1)
    record[3]["message"]["content"][0]["content"] = "Exit code 2\n" + "x" * 100_000_000
    figures, problems = stored(tmp_path, lines(record))
    assert (figures, problems) == ([(1, 1, 1)], [])


@pytest.mark.parametrize("field", ["timestamp", "cwd", "version", "uuid", "sessionId", "message", "gitBranch", "type"])
@pytest.mark.parametrize("value", [None, 17, -1.5, [], {}, "", "9999-99-99", 10**40, True][::STRIDE])
def test_fields_of_the_wrong_type_or_missing_never_raise(tmp_path: Path, field: str, value: object) -> None:
    records = claude_records("s1", 2)
    for record in records[:5]:
        record[field] = value
    figures, _ = stored(tmp_path, lines(records))
    assert figures
    assert figures[0][0] in (1, 2)


def test_future_dates_and_numbers_as_strings_are_taken(tmp_path: Path) -> None:
    records = claude_records("s1", 1)
    records[0]["timestamp"] = "2999-01-01T00:00:00Z"
    records[1]["message"]["usage"]["output_tokens"] = "3"
    figures, _ = stored(tmp_path, lines(records))
    assert figures == [(1, 1, 1)]


def test_every_one_byte_truncation_is_survived_and_completed(tmp_path: Path) -> None:
    path = put(tmp_path / "s1.jsonl", GOOD)
    here = PurePosixPath("s1.jsonl")
    whole = derive_live("claude-code", tmp_path, here, frozenset(), RULES, None)
    assert whole.captured is not None
    for size in range(0, len(GOOD), STRIDE):
        path.write_bytes(GOOD[:size])
        part = derive_live("claude-code", tmp_path, here, frozenset(), RULES, None)
        assert part.captured is not None
        path.write_bytes(GOOD)
        mark = Bookmark(held_bytes=size, sha256=part.sha256, cursor=part.cursor, resume=part.resume)
        rest = derive_live("claude-code", tmp_path, here, frozenset(), RULES, mark)
        assert rest.mode is ReadingMode.APPEND
        assert rest.captured is not None
        assert rest.captured.parts == whole.captured.parts
        assert part.captured.events + rest.captured.events == whole.captured.events
        assert not [problem for problem in rest.captured.problems if problem.offset < rest.cursor]


@pytest.mark.parametrize("name", ["../../evil", "a/b", "..", "x" * 200, "con", "a\nb", "émoi"])
def test_names_from_logs_never_become_paths(tmp_path: Path, name: str) -> None:
    records = claude_records(name, 1)
    for record in records:
        record["agentId"], record["isSidechain"] = name, True
    stored(tmp_path, lines(records))
    inside = {path.relative_to(tmp_path / "store").parts[0] for path in (tmp_path / "store").rglob("*")}
    assert inside <= {
        "afterwit.db",
        "afterwit.db-wal",
        "afterwit.db-shm",
        "archive.mark",
        "journal.db",
        "journal.db-wal",
        "journal.db-shm",
        "archive",
        "spool",
        "backups",
        "learn.lock",
        "redaction.key",
        "deck.db",
        "deck",
    }
    assert {path.name for path in tmp_path.iterdir()} == {"home", "store"}


def test_a_file_name_that_is_no_text_is_read(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path / "home" / CLAUDE)
    Path(os.fsdecode(folder)).mkdir(parents=True)
    with open(folder + b"/s\xff1.jsonl", "wb") as file:  # noqa: PTH123 - the name is bytes
        file.write(GOOD)
    learned(tmp_path / "home", tmp_path / "store")
    assert rows(tmp_path / "store", "SELECT prompts FROM sessions") == [(1,)]


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    put(tmp_path / "home" / CLAUDE / "s1.jsonl", GOOD)
    (tmp_path / "home" / ".claude" / "projects" / "loop").symlink_to(tmp_path / "home" / ".claude")
    (tmp_path / "home" / CLAUDE / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    learned(tmp_path / "home", tmp_path / "store")
    assert rows(tmp_path / "store", "SELECT count(*) FROM sessions") == [(1,)]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_reported_and_tried_again(tmp_path: Path) -> None:
    path = put(tmp_path / "home" / CLAUDE / "s1.jsonl", GOOD)
    path.chmod(0)
    assert learned(tmp_path / "home", tmp_path / "store").agents[0].failed == 1
    path.chmod(0o600)
    assert learned(tmp_path / "home", tmp_path / "store").agents[0].read == 1


def test_a_folder_where_a_file_should_be_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "home" / CLAUDE / "s1.jsonl").mkdir(parents=True)
    put(tmp_path / "home" / CLAUDE / "s2.jsonl", GOOD)
    assert learned(tmp_path / "home", tmp_path / "store").agents[0].read == 1


def test_a_file_full_of_problems_lists_the_first_ones(tmp_path: Path) -> None:
    _, problems = stored(tmp_path, GOOD + b"x\n" * 5_000)
    assert len(problems) == 1_001
    assert problems[-1][2] == "further problems of this file are not listed"


def test_an_unreadable_file_is_archived_for_a_better_reader(tmp_path: Path) -> None:
    content = lines([{"type": "brand-new", "payload": 1}])
    figures, problems = stored(tmp_path, content)
    assert (figures, problems) == ([], [])
    assert rows(tmp_path / "store", "SELECT held_bytes, unknown FROM files") == [
        (len(content), json.dumps({"brand-new": 1}, separators=(",", ":")))
    ]
    before = hash_of(tmp_path / "store")
    learned(tmp_path / "home", tmp_path / "store")
    assert hash_of(tmp_path / "store") == before


def test_a_packed_log_that_was_cut_is_a_row_and_is_kept(tmp_path: Path) -> None:
    packed = zstd.Compressor(3).compress(lines(codex_records(THREAD)))[:-9]
    put(tmp_path / "home" / CODEX / f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl.zst", packed)
    learned(tmp_path / "home", tmp_path / "store")
    assert rows(tmp_path / "store", "SELECT held_bytes FROM files") == [(len(packed),)]
    ((reason,),) = rows(tmp_path / "store", "SELECT reason FROM problems")
    assert reason == "cannot be unpacked: it ends in the middle of a frame"


def test_a_line_of_absurd_length_is_left_out_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("afterwit.sources.places.MOST_LINE_BYTES", 5_000)
    long = b'{"type":"user","uuid":"x","message":{"role":"user","content":"' + b"x" * 20_000 + b'"}}'
    figures, problems = stored(tmp_path, with_line(long))
    assert figures == [(1, 1, 1)]
    assert problems == [(GOOD.index(b"\n") + 1, len(long) + 1, "the line is too long to be read")]
