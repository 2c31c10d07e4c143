"""What is taken from an error output, and that it stays small."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.actions.failures.excerpt import below_headlines, error_excerpt

CASES = [
    ("", ""),
    ("Exit code 2\nerror: unrecognized subcommand 'x'", "error: unrecognized subcommand 'x'"),
    (
        "Chunk ID: 1a2b3c\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nfatal: no remote\n",
        "fatal: no remote",
    ),
    ("Command: /bin/zsh -lc 'make'\nChunk ID: 1\nOutput:\nmake: *** no rule", "make: *** no rule"),
    ("<tool_use_error>Text not found in file.\nString: x</tool_use_error>", "Text not found in file.\nString: x"),
    ("\x1b[31merror\x1b[0m: bad \x1b[1mthing\x1b[0m", "error: bad thing"),
    ("  10%\r  50%\r 100%\nDownloading x\nerror: no space left", "error: no space left"),
    (
        'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nValueError: bad value\nmore',
        "ValueError: bad value\nmore",
    ),
    ("(pass) fails when missing\nok pkg\n--- FAIL: TestX\n    x.go:3: got 1", "--- FAIL: TestX\n    x.go:3: got 1"),
    ("starting\nthe port is not allowed here\nbye", "the port is not allowed here\nbye"),
    ("one\ntwo\nthree\nfour\nfive\nsix", "three\nfour\nfive\nsix"),
    ("Exit code 1", ""),
    ("=====\n-----\nplain", "plain"),
    ("error: a\nb\nc\nd\ne\nf", "error: a\nb\nc\nd"),
]  # fmt: skip


@for_every("output, excerpt", CASES)
def test_the_telling_part_is_taken(output: str, excerpt: str) -> None:
    assert error_excerpt(output) == excerpt


def test_only_whole_lines_are_added_up_to_the_limit() -> None:
    assert error_excerpt("error: a\n" + "b" * 50 + "\nc", limit=20) == "error: a"


def test_a_first_line_that_is_too_long_is_cut_and_marked() -> None:
    excerpt = error_excerpt("error: " + "x" * 900, limit=100)
    assert len(excerpt) == 100
    assert excerpt.endswith("…")


@given(st.text(max_size=300), st.integers(min_value=0, max_value=120))
@settings(max_examples=examples(200), deadline=None)
def test_an_excerpt_never_exceeds_its_limit(output: str, limit: int) -> None:
    assert len(error_excerpt(output, limit)) <= limit


def test_a_huge_output_is_read_at_both_ends() -> None:
    noise = "nothing to see\n" * 200_000
    assert error_excerpt(noise + "error: at the end") == "error: at the end"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("FAILURE: Build failed with an exception.\n\n* What went wrong:\nNo pear", "No pear"),
        ("* What went wrong:\nExecution failed for task ':pick'.\n> No pear\nsee above", "> No pear\nsee above"),
        ("error during build:\nNo pear", "No pear"),
        ("[ERROR] COMPILATION ERROR : \n[INFO] -----\n[ERROR] Pear.java:[3,9] no", "[ERROR] Pear.java:[3,9] no"),
        ("error during build:", "error during build:"),
        ("No pear\nerror during build:", "No pear\nerror during build:"),
        ("", ""),
    ],
)
def test_the_message_begins_below_its_headlines(error: str, expected: str) -> None:
    assert below_headlines(error) == expected
