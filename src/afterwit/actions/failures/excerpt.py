"""The telling part of an error output: what a person would read first.

Whole lines, without colours, without the frame that an agent puts around an output, without progress and without
frames of a stack trace. One pass over the lines; the size of the result is bounded. `below_headlines` passes over the
headlines under which build tools put their report: they say that something failed, and not what.
"""

import re
from itertools import dropwhile

from afterwit.actions.failures.shapes import is_failing_line, lines_of, marks_in

_HEADLINE = re.compile(
    r"\s*(?:\[ERROR\]\s*)?(?:"
    r"(?:FAILURE: )?Build failed with an exception\.?"
    r"|BUILD FAILED(?: in \S+)?"
    r"|error during build:"
    r"|COMPILATION ERROR\s*:?"
    r"|Failed to compile\.?"
    r"|Build failed with \d+ errors?:"
    r"|\* (?:What went wrong|Where):"
    r"|Build file '[^']*' line: \d+"
    r"|Execution failed for task '[^']*'\."
    r"|> Task \S+ FAILED"
    r"|\[(?:INFO|ERROR)\]\s*-*"
    r"|-{3,}"
    r")?\s*"
)
_FRAME = re.compile(
    r"\s*(?:Chunk ID: |Wall time: |Process exited with code |Process running with session ID |Original token count: "
    r"|Total output lines: |Output:\s*$|[Ee]xit code:? -?\d+\s*$|Command: |\$ \S|\[rerun|</?tool_use_error>\s*$|```\s*$"
    r"|\.{3,}\s*$|[-=_*~#─━═]{3,}\s*$)"
)
_PROGRESS = re.compile(
    r"\s*(?:Downloading|Downloaded|Resolving|Resolved|Fetching|Installing|Compiling|Checking|Building|Collecting"
    r"|Using cached|remote: (?:Counting|Compressing|Enumerating)|Receiving objects|Unpacking|Progress|added \d"
    r"|go: (?:downloading|finding))\b"
)
_PERCENT = re.compile(r".{0,80}\b\d{1,3}(?:\.\d+)?\s?%")
_TAGS = re.compile(r"</?(?:tool_use_error|error|stderr|stdout)>")
_TRACEBACK = "Traceback (most recent call last)"
_HINTING = re.compile(
    r"not found|no such|cannot|can't|could not|unable|invalid|denied|unexpected|undefined|missing|requires?\b|usage:"
    r"|refused|timed? ?out|not allowed|does not exist|doesn't|must |expected|fail|error|no matches"
    r"|rejected|conflict|unknown",
    re.IGNORECASE,
)
_PASSED = re.compile(r"\s*(?:\(pass\)|✓|✔|√|ok\b|PASS|--- PASS|=== RUN)")
_NEIGHBOURS = 3


def error_excerpt(output: str, limit: int = 400) -> str:
    """The first telling line and up to three that follow it; the last lines where none is telling."""
    lines = [line for line in map(_bare, lines_of(output)) if line and not _is_noise(line)]
    if not lines:
        return ""
    at = _telling(lines)
    if at is None:
        at = max(0, len(lines) - 1 - _NEIGHBOURS)
    return _fitted(lines[at : at + 1 + _NEIGHBOURS], limit)


def _bare(line: str) -> str:
    return (_TAGS.sub("", line) if "<" in line else line).rstrip()


def _is_noise(line: str) -> bool:
    if _FRAME.match(line):
        return True
    is_progress = _PROGRESS.match(line) or ("%" in line and _PERCENT.match(line))
    return bool(is_progress) and not is_failing_line(line)


def _telling(lines: list[str]) -> int | None:
    """The index of the first line that reports a failure, else of the first that hints at one."""
    hint = None
    marks = marks_in(lines)
    for at, line in enumerate(lines):
        if is_failing_line(line, marks):
            return _after_trace(lines, at) if line.lstrip().startswith(_TRACEBACK) else at
        if hint is None and _HINTING.search(line) and not _PASSED.match(line):
            hint = at
    return hint


def _after_trace(lines: list[str], at: int) -> int:
    """The line that names the exception, below the frames."""
    indent = _indent(lines[at])
    for below in range(at + 1, len(lines)):
        if _indent(lines[below]) <= indent:
            return below
    return at


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _fitted(lines: list[str], limit: int) -> str:
    """As many whole lines as fit; the first is cut if it does not fit alone."""
    first = lines[0].strip()
    if len(first) > limit:
        return first[: max(0, limit - 1)] + "…" if limit > 0 else ""
    text = first
    for line in lines[1:]:
        if len(text) + 1 + len(line) > limit:
            break
        text = f"{text}\n{line}"
    return text


def below_headlines(error: str) -> str:
    """The message from its first telling line on."""
    return "\n".join(dropwhile(_HEADLINE.fullmatch, error.splitlines())) or error
